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
fn silence_towards_a_limited_generator_is_no_outage() {
    let with = |late_timers: bool| {
        let mut run = Run::of(&[(4, 20, 300, 1_000), (8, 40, 700, 1_800)]);
        run.all().for_each(late);
        if late_timers {
            run.late_timers(8);
        }
        let verdict = judge(&run.case(""));
        let found = criterion(&verdict, ServiceAvailability);
        (found.result, found.cause)
    };
    assert_eq!(with(false), (Fail, Some(Cause::NothingAnswered)));
    assert_eq!(with(true), (Inconclusive, Some(Cause::GeneratorLimited)));
}
