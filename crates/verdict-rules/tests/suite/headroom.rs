//! A generator near its calibrated ceiling: what blames the service is left open and names the limit, the rest stays.

use metrics_core::{Facts, WarningCode};
use verdict_rules::{Cause, CriterionId, Decision, Judgement, limits_hit_in};

use crate::run::{Run, criterion, http_error, judge, late, result, stalled};
use CriterionId::{
    DataTraceability, DeliveryAdvice, PeakThroughput, ServiceAvailability, Stability, TestIntegrity,
};
use Judgement::{Fail, Inconclusive, Pass};

const SLOW: &str = "
[acceptance]
output_tps = 5000

[[sla]]
item = \"TTFT P95\"
metric = \"ttft_s.p95\"
tier = 16
limit = \"<= 0.5\"

[[sla]]
item = \"TTFT P95\"
metric = \"ttft_s.p95\"
tier = 4
limit = \"<= 0.1\"
";

#[test]
fn a_sweep_with_headroom_or_without_a_calibration_passes() {
    let mut run = Run::sweep();
    let verdict = judge(&run.case(""));
    assert_eq!(verdict.decision, Decision::Pass, "no calibration is a warning and no more");
    assert!(run.case("").summary.warnings.iter().any(|one| one.code == WarningCode::Uncalibrated));
    for times in [2.0, 4.9, 100.0] {
        run.headroom(times);
        assert_eq!(judge(&run.case("")).decision, Decision::Pass, "{times}");
    }
}

#[test]
fn too_little_headroom_leaves_open_what_blames_the_service_and_names_the_limit() {
    let mut run = Run::sweep();
    run.headroom(1.9);
    let case = run.case(SLOW);
    assert_eq!(case.summary.client.valid, Some(false));
    let verdict = judge(&case);
    assert_eq!(
        (verdict.decision, result(&verdict, TestIntegrity)),
        (Decision::Fail, Inconclusive),
        "{verdict:#?}"
    );
    let peak = criterion(&verdict, PeakThroughput);
    assert_eq!((peak.result, peak.cause), (Inconclusive, Some(Cause::GeneratorLimited)));
    let en = "headroom (calibrated ceiling / load) in C16 (1.90 observed, at least 2.00 needed)";
    let zh = "C16 档余量（标定上限 ÷ 实际负载）（实测 1.90，至少 2.00）";
    assert!(peak.explanation.en.contains(en), "{}", peak.explanation.en);
    assert!(peak.explanation.zh.contains(zh), "{}", peak.explanation.zh);
    assert_eq!(limits_hit_in(&case.summary, Some(16)).en, en);
    let limits: Vec<_> = verdict.sla.iter().map(|item| (item.contract, item.cause)).collect();
    assert_eq!(
        limits,
        [(Inconclusive, Some(Cause::GeneratorLimited)), (Fail, Some(Cause::LimitMissed))],
        "at C4 there was headroom"
    );
    for id in [ServiceAvailability, Stability, DataTraceability] {
        assert_eq!(result(&verdict, id), Pass, "{id:?} does not depend on the generator");
    }
}

/// Each criterion that time-outs speak against, with errors beside them that no generator makes.
#[test]
fn time_outs_of_a_limited_generator_are_not_held_against_the_service_and_errors_are() {
    let with = |times: f64, change: fn(&mut Facts), agreement: &str, id: CriterionId| {
        let mut run = Run::sweep();
        run.first(16, 3).for_each(change);
        run.headroom(times);
        let verdict = judge(&run.case(agreement));
        let found = criterion(&verdict, id);
        (found.result, found.cause)
    };
    let open = (Inconclusive, Some(Cause::GeneratorLimited));
    let agreed = "[advice]\ninteractive = 16\nreason = \"contract\"";
    for (agreement, id, blamed) in
        [("", Stability, Cause::FailedRequests), (agreed, DeliveryAdvice, Cause::NoTierSuits)]
    {
        assert_eq!(with(1.0, stalled, agreement, id), open, "{id:?}");
        assert_eq!(with(1.0, http_error, agreement, id), (Fail, Some(blamed)), "{id:?}");
        assert_eq!(with(9.0, stalled, agreement, id), (Fail, Some(blamed)), "{id:?}");
    }
}

#[test]
fn silence_towards_a_limited_generator_is_no_outage_and_errors_are() {
    let with = |limited: &[u32], change: fn(&mut Run)| {
        let mut run = Run::of(&[(4, 20, 300, 1_000), (8, 40, 700, 1_800)]);
        run.all().for_each(late);
        change(&mut run);
        limited.iter().for_each(|tier| run.late_timers(*tier));
        let verdict = judge(&run.case(""));
        let found = criterion(&verdict, ServiceAvailability);
        (found.result, found.cause)
    };
    let outage = (Fail, Some(Cause::NothingAnswered));
    assert_eq!(with(&[], |_| {}), outage);
    assert_eq!(with(&[4, 8], |_| {}), (Inconclusive, Some(Cause::GeneratorLimited)));
    assert_eq!(with(&[8], |_| {}), outage, "C4 saw no answer either, and the generator was sound there");
    assert_eq!(with(&[4, 8], |run| run.first(4, 20).for_each(http_error)), outage);
    assert_eq!(with(&[4, 8], |run| run.first(8, 1).for_each(http_error)), outage);
}

/// Of C16's 80 requests, 4 may exceed a P95 and 8 a P90.
#[test]
fn a_limit_that_errors_alone_break_fails_whatever_the_generator() {
    let with = |change: fn(&mut Run), tier: &str, metric: &str, limit: &str| {
        let mut run = Run::sweep();
        change(&mut run);
        // So little that the load of half the requests is too much as well; C1 has enough.
        run.headroom(0.9);
        let agreement = format!("[[sla]]\nitem = \"x\"\nmetric = \"{metric}\"\nlimit = \"{limit}\"\n{tier}");
        let limit = judge(&run.case(&agreement)).sla.remove(0);
        (limit.contract, limit.cause)
    };
    let half: fn(&mut Run) = |run| run.first(16, 40).for_each(http_error);
    let five: fn(&mut Run) = |run| run.first(16, 5).for_each(http_error);
    let four: fn(&mut Run) = |run| run.first(16, 4).for_each(http_error);
    let time_outs: fn(&mut Run) = |run| run.first(16, 40).for_each(stalled);
    let mixed: fn(&mut Run) = |run| {
        run.first(16, 40).for_each(stalled);
        run.first(16, 4).for_each(http_error);
    };
    let sound_time_outs: fn(&mut Run) = |run| run.first(1, 20).for_each(stalled);
    let all: fn(&mut Run) = |run| run.first(16, 80).for_each(http_error);
    let open = (Inconclusive, Some(Cause::GeneratorLimited));
    let blamed = (Fail, Some(Cause::LimitMissed));
    const C16: &str = "tier = 16";
    for (change, tier, metric, limit, expected) in [
        (half, C16, "ttft_s.p95", "<= 5", blamed),
        (five, C16, "ttft_s.p95", "<= 5", blamed),
        (four, C16, "ttft_s.p95", "<= 0.5", open),
        (five, C16, "ttft_s.p90", "<= 0.5", open),
        (five, C16, "inter_event_s.p95", "<= 5", blamed),
        (four, C16, "inter_event_s.p95", "<= 0.001", open),
        (four, C16, "ttft_s.max", "<= 5", blamed),
        (four, C16, "ttft_s.min", "<= 0.5", open),
        (four, C16, "ttft_s.min", ">= 0.5", blamed),
        (four, C16, "ttft_s.mean", "<= 5", blamed),
        (time_outs, C16, "ttft_s.p95", "<= 5", open),
        (mixed, C16, "ttft_s.p95", "<= 5", open),
        (mixed, C16, "success_rate", ">= 0.95", open),
        (mixed, C16, "success_rate", ">= 0.96", blamed),
        (half, C16, "success_rate", ">= 0.9", blamed),
        (half, C16, "output_tps", ">= 5000", open),
        (all, C16, "output_tps", ">= 1", blamed),
        (half, "", "success_rate", ">= 0.9", blamed),
        (time_outs, "", "success_rate", ">= 0.9", open),
        (sound_time_outs, "", "success_rate", ">= 0.9", blamed),
    ] {
        assert_eq!(with(change, tier, metric, limit), expected, "{tier:?} {metric} {limit}");
    }
}

#[test]
fn a_limit_hit_above_the_default_tier_is_no_reason_why_no_lower_one_suits() {
    let too_slow = "[[sla]]\nitem = \"x\"\nmetric = \"ttft_s.p95\"\ntier = 1\nlimit = \"<= 0.001\"";
    let with = |limited: u32| {
        let mut run = Run::sweep();
        run.late_timers(limited);
        let verdict = judge(&run.case(too_slow));
        let found = criterion(&verdict, DeliveryAdvice);
        (found.result, found.cause)
    };
    assert_eq!(with(16), (Fail, Some(Cause::NoTierSuits)));
    assert_eq!(with(1), (Inconclusive, Some(Cause::GeneratorLimited)));
}
