//! What went wrong in other tools, as public reports tell; each kind is impossible here.

use metrics_core::{
    ClientSample, Ended, Facts, Fault, FaultKind, Happening, Micros, Outcome, Percent, Record, Seconds,
    SuccessRule, Tokens, percentile,
};

use crate::scene::{Scene, answer, record, refusal};

fn at(seconds: f64) -> Option<Seconds> {
    Some(Seconds::new(seconds))
}

/// k6: a percentile of nothing is 0, and 0 passes a limit.
#[test]
fn k6_a_percentile_of_nothing_is_none() {
    assert_eq!(percentile::<u64>(&[], Percent::P95), None);
    let figures = Scene::tier(2, [refusal(0), refusal(20)]).figures();
    assert_eq!((figures.ttft_s.p95, figures.ttft_s.mean, figures.ttft_s.min), (None, None, None));
    assert_eq!((figures.ttft_s.n, figures.ttft_s.left_out), (0, 2));
}

/// llm-d-benchmark#680: all requests failed and latency read 0.00 ms, or the tool divided by zero.
#[test]
fn llm_d_benchmark_680_an_all_failed_tier_has_no_figures() {
    let summary = Scene::tier(2, [refusal(0), refusal(20)]).summary();
    let figures = &summary.tiers[0].figures;
    assert_eq!((figures.output_tps, figures.total_tps, figures.rps), (None, None, None));
    assert_eq!((figures.goodput_rps, figures.sustained_output_tps), (None, None));
    assert_eq!((figures.output_tokens, figures.input_tokens), (None, None));
    assert_eq!(figures.sustained_absent.as_deref(), Some("no request was effective"));
    assert_eq!((summary.peak.output_tps, summary.peak.output_tps_tier), (None, None));
    // These are facts, and they are bad.
    assert_eq!((figures.success_rate, figures.attainment), (Some(0.0), Some(0.0)));
    assert_eq!(figures.success_rate_low, Some(0.0));
    assert_eq!(figures.window_s, at(0.03));
}

/// Nothing planned, nothing there: every figure is none, and nothing divides by zero.
#[test]
fn an_empty_run_has_no_figures() {
    let summary = Scene::default().summary();
    assert_eq!((summary.totals.planned, summary.totals.success_rate), (0, None));
    assert!(summary.tiers.is_empty() && summary.groups.is_empty() && summary.warnings.is_empty());
    assert_eq!((summary.run.duration_s, summary.client.valid), (None, None));
    let planned_only = Scene::tier(4, []).figures();
    assert_eq!(
        (planned_only.success_rate, planned_only.success_rate_low, planned_only.window_s),
        (None, None, None)
    );
}

/// sglang PR#36047, vllm#6064: 0.0 as "not measured" flowed into averages.
#[test]
fn sglang_36047_a_request_without_a_value_leaves_the_average_alone() {
    let one_token = Facts { gaps_us: Vec::new(), ..answer(0, 1) };
    let figures = Scene::tier(1, [answer(0, 11), one_token]).figures();
    assert_eq!((figures.tpot_s.mean, figures.tpot_s.min), (at(0.02), at(0.02)));
    assert_eq!((figures.tpot_s.n, figures.tpot_s.left_out), (1, 1));
}

/// guidellm#1163: P99 of 71 requests is the maximum.
#[test]
fn guidellm_1163_a_p99_of_71_is_marked_as_observed_only() {
    let figures = Scene::tier(4, (0..71).map(|i| answer(i * 1_000, 10 + i))).figures();
    assert_eq!(figures.e2e_s.p99, figures.e2e_s.max);
    assert_eq!(figures.e2e_s.bounds.p99.1, None, "no upper bound of a P99 at n = 71");
    assert_eq!(figures.e2e_s.bounds.p95.1, None, "nor of a P95");
    assert!(figures.e2e_s.bounds.p50.0 < figures.e2e_s.p50 && figures.e2e_s.p50 < figures.e2e_s.bounds.p50.1);
}

/// EvalScope: index ⌊n·p⌋ made P99 the maximum up to n = 100.
#[test]
fn evalscope_a_p99_of_100_is_the_99th_value() {
    let figures = Scene::tier(4, (0..100).map(|i| answer(i * 1_000, 10 + i))).figures();
    assert!(figures.e2e_s.p99 < figures.e2e_s.max);
    assert_eq!(figures.e2e_s.p50, at(0.205 + 0.02 * 58.0), "the 50th of 100");
}

/// aarora79#32: mean TTFT fell as load grew because only survivors were counted.
#[test]
fn aarora79_32_those_left_out_stand_beside_the_mean() {
    let figures =
        Scene::tier(4, (0..4).map(|i| answer(i * 50, 10)).chain((0..6).map(|i| refusal(i * 50)))).figures();
    assert_eq!(figures.ttft_s.mean, at(0.2));
    assert_eq!((figures.ttft_s.n, figures.ttft_s.left_out), (4, 6));
    assert_eq!(figures.outcomes[&Outcome::HttpError], 6);
    assert_eq!(figures.success_rate, Some(0.4));
}

/// aspnet/Benchmarks#320: requests per second of 404s reported as throughput.
#[test]
fn aspnet_320_failures_are_no_throughput() {
    let answers = [answer(0, 10), refusal(0), refusal(0), refusal(0)];
    let figures = Scene::tier(4, answers).figures();
    assert_eq!(figures.window_s, at(0.385));
    assert_eq!(figures.rps, Some(2.597403), "1 / 0.385, not 4 / 0.385");
}

/// vLLM PR#57519 and three more: an error object inside a 200 stream counted as success, and flattered
/// latency.
#[test]
fn vllm_57519_an_error_inside_a_200_enters_no_latency() {
    let broken = Facts {
        error: Some(Fault { kind: FaultKind::ErrorObject, message: "out of memory".to_owned() }),
        ..answer(0, 2)
    };
    let figures = Scene::tier(2, [answer(0, 10), broken]).figures();
    assert_eq!((figures.effective, figures.outcomes[&Outcome::StreamError]), (1, 1));
    assert_eq!(figures.e2e_s.n, 1);
}

/// inference-perf#655: a short answer under a fixed output length passed.
#[test]
fn inference_perf_655_a_short_answer_is_no_success() {
    let mut scene = Scene::tier(1, [answer(0, 32), answer(1_000, 31)]);
    scene.rules.insert("all".to_owned(), SuccessRule { min_output_tokens: 32, ..SuccessRule::default() });
    assert_eq!(scene.figures().outcomes[&Outcome::Short], 1);
}

/// vllm#27485, evalscope#778, inference-perf#364: several tokens in a chunk, and gaps between chunks printed
/// as per-token latency.
#[test]
fn vllm_27485_a_chunk_is_not_a_token() {
    // 32 tokens in 8 events, 40 ms apart: 28 of them in 280 ms.
    let spoken = Facts {
        output_tokens: Some(Tokens(32)),
        last_token: Some(Micros(480_000)),
        gaps_us: vec![40_000; 7],
        ..answer(0, 8)
    };
    let figures = Scene::tier(1, [spoken]).figures();
    assert_eq!(figures.tpot_s.p50, at(0.01));
    assert_eq!(figures.tpot_usual_s.unwrap().p50, at(0.28 / 31.0));
    assert_eq!(figures.inter_event_s.p50, at(0.04));
    assert_eq!((figures.inter_event_is_itl, figures.tokens_per_event), (false, Some(4.0)));
}

/// vllm#7242: TTFT was appended to the list of gaps.
#[test]
fn vllm_7242_the_first_token_is_no_gap() {
    let figures = Scene::tier(1, [answer(0, 10)]).figures();
    assert_eq!((figures.inter_event_s.n, figures.inter_event_s.max), (9, at(0.02)));
    assert!(figures.inter_event_is_itl);
    assert_eq!(figures.tpot_usual_s, None, "the same here");
}

/// vllm#37666: a peak counted in chunks came out below the average counted in tokens.
#[test]
fn vllm_37666_sustained_output_counts_tokens() {
    let answers = (0..4).map(|i| Facts { output_tokens: Some(Tokens(40)), ..answer(i * 385, 10) });
    let figures = Scene::tier(1, answers).figures();
    assert_eq!(figures.output_tps, Some(103.896104), "160 / 1.54");
    // From 1 ms to the first end after the last due, which is the last end.
    assert_eq!(figures.sustained_output_tps, Some(103.963613), "160 / 1.539");
}

/// vllm#54101: waiting for a free slot left out of latency.
#[test]
fn vllm_54101_latency_starts_at_due() {
    let waited = Facts { sent: Some(Micros(190_000)), ..answer(0, 10) };
    let figures = Scene::tier(1, [waited]).figures();
    assert_eq!(figures.ttft_s.p50, at(0.2));
    assert_eq!(figures.from_sent.ttft_s.p50, at(0.01));
}

/// HF inference-benchmarker: requests that ended after the window were dropped, the slowest of all.
#[test]
fn hf_inference_benchmarker_the_window_reaches_the_last_end() {
    let figures = Scene::tier(2, [answer(0, 10), answer(10, 500)]).figures();
    assert_eq!(figures.window_s, at(10.195));
    assert_eq!(figures.e2e_s.max, at(10.185));
}

/// Rows that are missing lower success; removing a failure cannot raise it.
#[test]
fn a_missing_row_lowers_success() {
    let whole = Scene::tier(2, [answer(0, 10), answer(0, 10), refusal(0)]);
    let mut cut = whole.clone();
    cut.records.pop();
    assert_eq!(cut.summary().totals.success_rate, whole.summary().totals.success_rate);
    cut.records.pop();
    assert_eq!(cut.summary().totals.success_rate, Some(0.333333));
    assert_eq!(cut.figures().ttft_s.left_out, 2);
}

/// One failure among very many is not rounded away.
#[test]
fn only_all_of_them_is_one() {
    let mut scene = Scene::tier(1, [answer(0, 10)]);
    scene.planned[0].count = 10_000_000;
    assert_eq!(scene.figures().success_rate, Some(0.000001));
    let mut scene = Scene::tier(1, (0..3_000).map(|i| Facts { ended: Ended::Done, ..answer(i, 1) }));
    scene.planned[0].count = 3_001;
    assert_eq!(scene.figures().success_rate, Some(0.999667));
}

/// A request nobody planned, and a warm-up, improve nothing.
#[test]
fn only_what_was_planned_and_measured_counts() {
    let mut scene = Scene::tier(2, [answer(5_000, 10), refusal(5_000)]);
    scene.place("warm_up", None, false, (0..9).map(|i| answer(i * 100, 10)));
    scene.records.push(record(90, "elsewhere", Some(2), answer(0, 10)));
    scene.records.push(Record { group: "other".to_owned(), ..record(91, "steps", Some(2), answer(0, 10)) });
    let summary = scene.summary();
    assert_eq!((summary.totals.planned, summary.totals.effective, summary.totals.sent), (2, 1, 2));
    assert_eq!(summary.tiers[0].figures.window_s, at(0.385));
}

/// More rows than were planned: the larger number is the one that counts.
#[test]
fn surplus_rows_never_give_more_than_all() {
    let mut scene = Scene::tier(1, [answer(0, 10), answer(500, 10), refusal(900)]);
    scene.planned[0].count = 1;
    assert_eq!((scene.figures().planned, scene.figures().success_rate), (3, Some(0.666667)));
}

#[test]
fn a_retried_request_counts_once_by_its_last_try_and_from_its_first_due() {
    let mut scene = Scene::tier(1, [refusal(0)]);
    let second = Record { attempt: 1, ..record(0, "steps", Some(1), answer(1_000, 10)) };
    scene.records.insert(0, second);
    let figures = scene.figures();
    assert_eq!((figures.planned, figures.finished, figures.effective), (1, 1, 1));
    assert_eq!(figures.ttft_s.p50, at(1.2));
    assert_eq!(figures.outcomes.get(&Outcome::HttpError), None);
}

#[test]
fn an_interrupt_leaves_cancelled_requests_unfinished() {
    let cancelled =
        |kind| Facts { ended: Ended::Cancelled, finish_reason: None, error: kind, ..answer(0, 3) };
    let stopped = Fault { kind: FaultKind::Stopped, message: "interrupt".to_owned() };
    let mut scene =
        Scene::tier(4, [answer(0, 10), cancelled(None), cancelled(Some(stopped)), Facts::default()]);
    let totals = scene.summary().totals;
    assert_eq!((totals.planned, totals.sent, totals.finished), (4, 3, 2), "one was meant to be cancelled");
    scene.interrupted = true;
    assert_eq!(scene.summary().totals.finished, 1);
}

#[test]
fn why_there_is_no_sustained_rate() {
    let reason = |scene: &Scene| scene.figures().sustained_absent;
    let never_full = Scene::tier(4, [answer(0, 10)]);
    assert_eq!(reason(&never_full).as_deref(), Some("the tier was never full"));
    let uncounted = Scene::tier(1, [Facts { output_tokens: None, token_source: None, ..answer(0, 10) }]);
    assert_eq!(reason(&uncounted).as_deref(), Some("token counts or instants are missing"));
    let tier = || Scene::tier(1, [answer(0, 10), answer(1_000, 10)]);
    assert_eq!(reason(&tier()), None);
    let mut paused = tier();
    paused.conditions.pauses = true;
    assert_eq!(reason(&paused).as_deref(), Some("slots paused between requests"));
    let mut turns = tier();
    turns.records[1].turn = Some(2);
    assert_eq!(reason(&turns).as_deref(), Some("slots were idle between turns of conversations"));
    let mut again = tier();
    again.records[1] = Record { attempt: 1, ..record(0, "steps", Some(1), answer(1_000, 10)) };
    assert_eq!(reason(&again).as_deref(), Some("requests were tried again"));
    let imported = Scene::tier(1, [Facts { gaps_us: Vec::new(), ..answer(0, 10) }]);
    assert_eq!(reason(&imported).as_deref(), Some("token counts or instants are missing"));
    let mut twice = Scene::tier(1, [answer(0, 10)]);
    twice.place("fall_back", Some(1), true, [answer(60_000, 10)]);
    assert_eq!(reason(&twice).as_deref(), Some("the tier ran in several stages"));
    assert_eq!(twice.figures().window_s, at(0.77), "the pause between the stages is in no window");
    let groups = twice.summary().groups;
    assert_eq!(groups[0].figures.sustained_absent.as_deref(), Some("not one closed-loop tier"));
}

#[test]
fn of_equal_tiers_the_first_is_the_peak() {
    let summary = Scene::tier(2, [answer(0, 10)]).and_tier(4, [answer(5_000, 10)]).summary();
    assert_eq!(summary.tiers[0].figures.output_tps, summary.tiers[1].figures.output_tps);
    assert_eq!((summary.peak.output_tps_tier, summary.peak.total_tps_tier), (Some(2), Some(2)));
}

#[test]
fn the_run_lasts_until_whatever_was_recorded_last() {
    let mut scene = Scene::tier(2, [answer(0, 10)]);
    assert_eq!(scene.summary().run.duration_s, at(0.385));
    scene.client.push(ClientSample { at: Micros(1_000_000), ..ClientSample::default() });
    assert_eq!(scene.summary().run.duration_s, at(1.0));
    assert_eq!(scene.happened(2, Happening::RunEnded).summary().run.duration_s, at(2.0));
}
