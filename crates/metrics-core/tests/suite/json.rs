//! The summary as a file.

use metrics_core::{Conditions, Happening, Outcome, Summary};
use proptest::prelude::*;

use crate::{
    random_runs::scenes,
    scene::{Scene, answer, refusal},
};

fn full() -> Scene {
    let mut scene = Scene::tier(1, (0..5).map(|i| answer(i * 1_000, 10)))
        .and_tier(4, (0..20).map(|i| answer(10_000 + i * 333, 7)).chain([refusal(20_000)]))
        .happened(30, Happening::UsageRefused { message: "no".to_owned() });
    scene.conditions = Conditions { co_located: true, output_capped: true, ..Conditions::default() };
    scene
}

#[test]
fn written_and_read_back_it_is_the_same() {
    let summary = full().summary();
    let text = serde_json::to_string_pretty(&summary).unwrap();
    let back: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(back, summary);
    assert_eq!(back.tiers[1].figures.outcomes[&Outcome::HttpError], 1);
    assert_eq!(serde_json::to_string_pretty(&back).unwrap(), text);
}

#[test]
fn the_keys_that_others_rely_on() {
    let value = serde_json::to_value(full().summary()).unwrap();
    for pointer in [
        "/schema",
        "/evidence_digest",
        "/run/id",
        "/run/started_at",
        "/run/duration_s",
        "/run/interrupted",
        "/totals/planned",
        "/totals/sent",
        "/totals/finished",
        "/totals/effective",
        "/totals/success_rate",
        "/totals/success_rate_low",
        "/totals/outcomes/effective",
        "/totals/outcomes/http_error",
        "/tiers/1/concurrency",
        "/tiers/1/planned",
        "/tiers/1/finished",
        "/tiers/1/effective",
        "/tiers/1/success_rate",
        "/tiers/1/window_s",
        "/tiers/1/outcomes/effective",
        "/tiers/1/e2e_s/mean",
        "/tiers/1/ttft_s/p50",
        "/tiers/1/ttft_s/p90",
        "/tiers/1/ttft_s/p95",
        "/tiers/1/ttft_s/p99",
        "/tiers/1/ttft_s/min",
        "/tiers/1/ttft_s/max",
        "/tiers/1/ttft_s/n",
        "/tiers/1/ttft_s/left_out",
        "/tiers/1/ttft_s/bounds/p50/0",
        "/tiers/1/ttft_s/bounds/p50/1",
        "/tiers/1/tpot_s/p50",
        "/tiers/1/inter_event_s/p50",
        "/tiers/1/from_sent/e2e_s/p50",
        "/tiers/1/from_sent/ttft_s/p50",
        "/tiers/1/tokens_per_event",
        "/tiers/1/output_tps",
        "/tiers/1/total_tps",
        "/tiers/1/rps",
        "/tiers/1/sustained_output_tps",
        "/tiers/1/input_tokens",
        "/tiers/1/output_tokens",
        "/tiers/1/token_source",
        "/groups/0/name",
        "/groups/0/ttft_s/p50",
        "/peak/output_tps",
        "/peak/output_tps_tier",
        "/peak/total_tps",
        "/peak/total_tps_tier",
        "/client/limits_hit",
        "/warnings/0/code",
        "/warnings/0/message",
    ] {
        assert!(value.pointer(pointer).is_some_and(|found| !found.is_null()), "{pointer} is missing");
    }
    // A figure that does not exist is there and null.
    for pointer in ["/tiers/1/cached_input_share", "/client/valid", "/tiers/1/ttft_s/bounds/p95/1"] {
        assert_eq!(value.pointer(pointer), Some(&serde_json::Value::Null), "{pointer}");
    }
}

proptest! {
    #[test]
    fn any_summary_is_read_back_equal_and_written_alike(scene in scenes()) {
        let text = serde_json::to_vec(&scene.summary()).unwrap();
        let back: Summary = serde_json::from_slice(&text).unwrap();
        prop_assert_eq!(&back, &scene.summary());
        prop_assert_eq!(serde_json::to_vec(&back).unwrap(), text);
    }

    #[test]
    fn the_order_of_rows_changes_nothing(scene in scenes(), turn in 0_usize..50) {
        let mut turned = scene.clone();
        // Tries of one request keep their order among themselves only by their number, so equal numbers are
        // left out.
        turned.records.sort_by_key(|r| (r.stage.clone(), r.tier, r.seq, r.attempt));
        turned.records.dedup_by_key(|r| (r.stage.clone(), r.tier, r.seq, r.attempt));
        let ordered = turned.clone();
        let by = turn.min(turned.records.len());
        turned.records.rotate_left(by);
        prop_assert_eq!(
            serde_json::to_vec(&turned.summary()).unwrap(),
            serde_json::to_vec(&ordered.summary()).unwrap()
        );
    }
}
