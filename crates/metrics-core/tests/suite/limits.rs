//! Limits, judged by the point rule and by what the sample says beyond itself.

use metrics_core::{Comparison, Ended, Facts, LimitEvidence, Metric, Over, Support, judge_limit};
use proptest::prelude::*;

use crate::{
    random_runs::scenes,
    scene::{Scene, answer, refusal},
};

fn judge(scene: &Scene, metric: &str, comparison: Comparison, limit: f64) -> LimitEvidence {
    judge_limit(&scene.input(), over(4), metric, comparison, limit).unwrap()
}

fn over(tier: u32) -> Over<'static> {
    Over { tier: Some(tier), group: None }
}

/// 20 answers with a TTFT of 200 ms, and these instead of the last ones.
fn twenty(instead: impl IntoIterator<Item = Facts>) -> Scene {
    let instead: Vec<Facts> = instead.into_iter().collect();
    Scene::tier(4, (0..20 - instead.len() as u64).map(|i| answer(i * 100, 10)).chain(instead))
}

#[test]
fn a_percentile_counts_every_planned_request() {
    let evidence = judge(&twenty([]), "ttft_s.p95", Comparison::AtMost, 0.2);
    assert_eq!((evidence.observed, evidence.n, evidence.exceeding), (Some(0.2), 20, Some(0)));
    assert_eq!(evidence.contract, Some(true));
    assert_eq!((evidence.support, evidence.further), (Some(Support::Inconclusive), Some(39)));

    // Rank 19 of 20: one failure is let through, two are not, however fast the others were.
    let one = judge(&twenty([refusal(0)]), "ttft_s.p95", Comparison::AtMost, 0.2);
    assert_eq!((one.exceeding, one.contract), (Some(1), Some(true)));
    let two = judge(&twenty([refusal(0), refusal(0)]), "ttft_s.p95", Comparison::AtMost, 0.2);
    assert_eq!((two.observed, two.exceeding, two.contract), (Some(0.2), Some(2), Some(false)));
    let four = judge(&twenty((0..4).map(refusal)), "ttft_s.p95", Comparison::AtMost, 0.2);
    assert_eq!((four.support, four.further), (Some(Support::Refuted), None));
}

#[test]
fn a_row_that_is_missing_exceeds() {
    let mut scene = twenty([]);
    scene.records.truncate(18);
    let evidence = judge(&scene, "e2e_s.p95", Comparison::AtMost, 10.0);
    assert_eq!((evidence.n, evidence.exceeding, evidence.contract), (20, Some(2), Some(false)));
}

#[test]
fn fifty_nine_without_a_miss_support_a_p95() {
    let scene = Scene::tier(4, (0..59).map(|i| answer(i * 100, 10)));
    let evidence = judge(&scene, "ttft_s.p95", Comparison::AtMost, 2.0);
    assert_eq!((evidence.support, evidence.further), (Some(Support::Supported), None));
}

#[test]
fn extremes_have_a_contract_result_and_no_support() {
    let fine = judge(&twenty([]), "ttft_s.max", Comparison::Below, 0.3);
    assert_eq!((fine.contract, fine.support), (Some(true), None));
    let failed = judge(&twenty([refusal(0)]), "ttft_s.max", Comparison::Below, 0.3);
    assert_eq!((failed.observed, failed.contract), (Some(0.2), Some(false)));
}

/// aarora79#32: mean TTFT fell as load grew, because only survivors were counted.
#[test]
fn survivors_do_not_meet_a_mean() {
    let all = judge(&twenty([]), "ttft_s.mean", Comparison::AtMost, 0.2);
    assert_eq!((all.n, all.exceeding, all.contract, all.support), (20, Some(0), Some(true), None));
    let slow = judge(&twenty([]), "ttft_s.mean", Comparison::AtMost, 0.199);
    assert_eq!((slow.exceeding, slow.contract), (Some(0), Some(false)));
    for failed in [1, 19, 20] {
        for (comparison, limit) in [(Comparison::AtMost, 2.0), (Comparison::AtLeast, 0.1)] {
            let some = judge(&twenty((0..failed).map(refusal)), "ttft_s.mean", comparison, limit);
            assert_eq!((some.n, some.exceeding, some.contract), (20, Some(failed), Some(false)), "{failed}");
            assert_eq!(some.observed, (failed < 20).then_some(0.2), "the figure stays that of the summary");
        }
    }
    let reset = Facts { ended: Ended::Reset, ..answer(0, 10) };
    assert_eq!(judge(&twenty([reset]), "e2e_s.mean", Comparison::AtMost, 9.0).contract, Some(false));
    let one_token = |i| Facts { gaps_us: Vec::new(), ..answer(i, 1) };
    let nothing = judge(&twenty((0..20).map(one_token)), "tpot_s.mean", Comparison::AtMost, 9.0);
    assert_eq!((nothing.n, nothing.contract), (0, None), "no value, and no failure either");
}

/// A lower limit on a latency is odd, but a failure must not satisfy it either.
#[test]
fn a_failure_violates_lower_limits_too() {
    let evidence = judge(&twenty((0..20).map(refusal)), "ttft_s.p50", Comparison::AtLeast, 0.1);
    assert_eq!((evidence.exceeding, evidence.contract), (Some(20), Some(false)));
    assert_eq!(evidence.support, Some(Support::Refuted));
    // Of a P95 that is at least so much, 95 % may lie below.
    let fine = judge(&twenty([]), "ttft_s.p95", Comparison::AtLeast, 0.1);
    assert_eq!((fine.contract, fine.support), (Some(true), Some(Support::Supported)));
}

#[test]
fn a_value_that_cannot_exist_is_not_judged_and_one_that_was_cut_off_is() {
    let one_token = Facts { gaps_us: Vec::new(), ..answer(0, 1) };
    let evidence = judge(&twenty([one_token]), "tpot_s.p99", Comparison::AtMost, 0.02);
    assert_eq!((evidence.n, evidence.exceeding, evidence.contract), (19, Some(0), Some(true)));
    let reset = Facts { ended: Ended::Reset, ..answer(0, 10) };
    let evidence = judge(&twenty([reset]), "e2e_s.p99", Comparison::AtMost, 1.0);
    assert_eq!((evidence.n, evidence.exceeding, evidence.contract), (20, Some(1), Some(false)));
}

#[test]
fn gaps_are_not_independent() {
    let evidence = judge(&twenty([]), "inter_event_s.p99", Comparison::AtMost, 0.02);
    assert_eq!((evidence.n, evidence.contract, evidence.support), (180, Some(true), None));
}

/// A failed request has no gap, and weighs as much as one that has nine of them.
#[test]
fn failed_requests_are_not_lost_among_gaps() {
    for (failed, exceeding, p50, p90, p95) in [
        (0, 0, true, true, true),
        (1, 9, true, true, true),
        (2, 18, true, true, false),
        (3, 27, true, false, false),
        (10, 90, true, false, false),
        (11, 99, false, false, false),
        (20, 20, false, false, false),
    ] {
        let scene = twenty((0..failed).map(refusal));
        for (metric, holds) in
            [("inter_event_s.p50", p50), ("inter_event_s.p90", p90), ("inter_event_s.p95", p95)]
        {
            let evidence = judge(&scene, metric, Comparison::AtMost, 0.02);
            assert_eq!(
                (evidence.exceeding, evidence.contract),
                (Some(exceeding), Some(holds)),
                "{metric} {failed}"
            );
        }
    }
}

#[test]
fn shares() {
    let scene = twenty([refusal(0)]);
    for metric in ["success_rate", "attainment"] {
        let evidence = judge(&scene, metric, Comparison::AtLeast, 0.95);
        assert_eq!((evidence.observed, evidence.n, evidence.exceeding), (Some(0.95), 20, Some(1)));
        assert_eq!((evidence.contract, evidence.support), (Some(true), Some(Support::Inconclusive)));
        assert_eq!(evidence.further, Some(73), "93 with one");
    }
    let all = judge(&scene, "success_rate", Comparison::AtLeast, 1.0);
    assert_eq!((all.contract, all.support), (Some(false), Some(Support::Refuted)));
}

#[test]
fn rates_follow_the_point_rule() {
    let scene = twenty([]);
    let observed = scene.figures().output_tps.unwrap();
    let evidence = judge(&scene, "output_tps", Comparison::AtLeast, observed);
    assert_eq!((evidence.observed, evidence.contract, evidence.support), (Some(observed), Some(true), None));
    assert_eq!(judge(&scene, "output_tps", Comparison::Above, observed).contract, Some(false));
    // Nothing came: no figure, and yet no demand is met; what may be at most so much is not known to be.
    let failed = twenty((0..20).map(refusal));
    assert_eq!(judge(&failed, "rps", Comparison::AtLeast, 0.1).contract, Some(false));
    assert_eq!(judge(&failed, "rps", Comparison::AtMost, 0.1).contract, None);
}

#[test]
fn a_tier_that_was_not_run_is_inconclusive() {
    let scene = Scene::tier(2, [answer(0, 10)]);
    for metric in Metric::all() {
        for comparison in [Comparison::AtMost, Comparison::AtLeast] {
            let evidence = judge(&scene, &metric.to_string(), comparison, 1.0);
            assert_eq!((evidence.n, evidence.contract, evidence.support), (0, None, None), "{metric}");
        }
    }
}

#[test]
fn no_tier_is_all_of_them() {
    let scene = twenty([]).and_tier(8, (0..39).map(|i| answer(10_000 + i * 100, 10)));
    let evidence =
        judge_limit(&scene.input(), Over::default(), "ttft_s.p95", Comparison::AtMost, 2.0).unwrap();
    assert_eq!((evidence.n, evidence.support), (59, Some(Support::Supported)));
}

#[test]
fn an_unknown_metric_is_an_error() {
    let error = judge_limit(&twenty([]).input(), over(4), "ttft.p95", Comparison::AtMost, 2.0).unwrap_err();
    assert!(error.to_string().starts_with("find metric \"ttft.p95\" (there are e2e_s, "));
}

proptest! {
    /// Written as it reads: of the planned requests, sorted with infinity for the failed ones, the ⌈n·p⌉-th.
    #[test]
    fn the_contract_result_is_what_the_norm_says(scene in scenes(), tier in 1_u32..4, limit in 0.1_f64..2.0) {
        let summary = scene.summary();
        let figures = &summary.tiers.iter().find(|t| t.concurrency == tier).unwrap().figures;
        for (percent, name) in [(50, "ttft_s.p50"), (95, "ttft_s.p95"), (99, "ttft_s.p99")] {
            let evidence = judge_limit(&scene.input(), over(tier), name, Comparison::AtMost, limit).unwrap();
            prop_assert_eq!(evidence.n, figures.planned);
            let exceeding = evidence.exceeding.unwrap();
            prop_assert!(exceeding >= figures.planned - figures.effective);
            // The rank lies among those that hold exactly where no more than n − ⌈n·p⌉ exceed.
            let expected = (figures.planned > 0)
                .then(|| exceeding <= figures.planned - (figures.planned * percent).div_ceil(100));
            prop_assert_eq!(evidence.contract, expected);
            prop_assert_eq!(evidence.observed, name.parse::<Metric>().unwrap().observed(figures));
            if figures.effective < figures.planned.div_ceil(2) {
                prop_assert_eq!(evidence.contract, Some(false), "most of them failed");
            }
        }
    }
}
