//! Why a result is no pass, and what caps every other one.

use verdict_rules::{Case, Cause, CriterionId, Decision, Judgement};

use crate::{
    rows::interrupted_in_c4,
    run::{Run, by_events, criterion, http_error, judge, not_sent, result, uncounted},
};
use CriterionId::{
    DataTraceability, DeliveryAdvice, PeakThroughput, ServiceAvailability, Stability, TestIntegrity,
};
use Judgement::{Fail, Inconclusive, Pass};

/// What stands behind each result, for whoever chooses the next step by it.
#[test]
fn every_result_that_is_no_pass_has_its_cause() {
    type Example = (&'static str, fn(&mut Run), &'static str, &'static [(CriterionId, Cause)]);
    let table: [Example; 12] = [
        ("nothing", |_| {}, "", &[]),
        (
            "interrupted",
            interrupted_in_c4,
            "[acceptance]\noutput_tps = 120",
            &[
                (TestIntegrity, Cause::Unfinished),
                (ServiceAvailability, Cause::Unfinished),
                (Stability, Cause::Unfinished),
                (PeakThroughput, Cause::Unfinished),
                (DeliveryAdvice, Cause::Unfinished),
            ],
        ),
        (
            "interrupted below the demand",
            interrupted_in_c4,
            "[acceptance]\noutput_tps = 5000",
            &[
                (TestIntegrity, Cause::Unfinished),
                (ServiceAvailability, Cause::Unfinished),
                (Stability, Cause::Unfinished),
                (PeakThroughput, Cause::Unfinished),
                (DeliveryAdvice, Cause::Unfinished),
            ],
        ),
        (
            "a row missing",
            |run| drop(run.records.pop()),
            "",
            &[
                (TestIntegrity, Cause::RowsDiffer),
                (ServiceAvailability, Cause::RowsDiffer),
                (Stability, Cause::RowsDiffer),
                (PeakThroughput, Cause::RowsDiffer),
                (DeliveryAdvice, Cause::RowsDiffer),
                (DataTraceability, Cause::RowsDiffer),
            ],
        ),
        ("late", |run| run.late_timers(16), "", &[(TestIntegrity, Cause::GeneratorLimited)]),
        ("unsampled", |run| run.client.clear(), "", &[(TestIntegrity, Cause::GeneratorUnsampled)]),
        ("restart", |run| run.availability.restarts = 1, "", &[(ServiceAvailability, Cause::Outage)]),
        (
            "errors only",
            |run| run.all().for_each(http_error),
            "",
            &[
                (ServiceAvailability, Cause::NothingAnswered),
                (Stability, Cause::FailedRequests),
                (PeakThroughput, Cause::FailedRequests),
                (DeliveryAdvice, Cause::NoTierSuits),
            ],
        ),
        ("demand", |_| {}, "[acceptance]\noutput_tps = 5000", &[(PeakThroughput, Cause::LimitMissed)]),
        (
            "events counted",
            |run| run.all().for_each(by_events),
            "[acceptance]\noutput_tps = 120",
            &[(PeakThroughput, Cause::TokensEstimated)],
        ),
        (
            "not counted",
            |run| run.all().for_each(uncounted),
            "",
            &[(PeakThroughput, Cause::NoTokenCounts), (DeliveryAdvice, Cause::NoTokenCounts)],
        ),
        (
            "one tier",
            |run| *run = Run::of(&[(4, 20, 300, 1_000)]),
            "",
            &[(DeliveryAdvice, Cause::TooFewTiers)],
        ),
    ];
    for (name, change, agreement, expected) in table {
        let mut run = Run::sweep();
        change(&mut run);
        let verdict = judge(&run.case(agreement));
        let found: Vec<(CriterionId, Cause)> =
            verdict.criteria.iter().filter_map(|criterion| Some((criterion.id, criterion.cause?))).collect();
        assert_eq!(found, expected, "{name}");
        assert!(verdict.criteria.iter().all(|one| one.cause.is_some() == (one.result != Pass)), "{name}");
    }
}

#[test]
fn a_missing_row_caps_whatever_does_not_fail() {
    let mut run = Run::sweep();
    run.records.pop();
    let verdict = judge(&run.case(""));
    assert_eq!(result(&verdict, TestIntegrity), Fail);
    for id in [ServiceAvailability, PeakThroughput, DeliveryAdvice] {
        assert_eq!(result(&verdict, id), Inconclusive, "{id:?}");
    }
    assert_eq!(result(&verdict, Stability), Fail, "a failure stays one");
}

/// A run that was cut short is whole evidence as far as it went: no criterion passes but traceability, and nobody says
/// that its rows were other than planned.
#[test]
fn an_unfinished_run_is_no_damaged_one() {
    let mut run = Run::sweep();
    run.interrupted = true;
    for (tier, requests) in [(4, 20), (8, 40), (16, 80)] {
        run.first(tier, requests).for_each(not_sent);
    }
    let verdict = judge(&run.case(""));
    assert_eq!(result(&verdict, DataTraceability), Pass);
    for id in [ServiceAvailability, PeakThroughput] {
        let found = criterion(&verdict, id);
        assert_eq!((found.result, found.cause), (Inconclusive, Some(Cause::Unfinished)));
        assert!(
            found
                .explanation
                .en
                .ends_with("The run was not finished (40 of 180), so this cannot count as a pass.")
        );
        assert!(found.explanation.zh.ends_with("测试未执行完毕（完成 40 / 180），故不能判为通过。"));
    }
    let missing = {
        let mut run = Run::sweep();
        run.records.pop();
        judge(&run.case(""))
    };
    let found = criterion(&missing, ServiceAvailability);
    assert_eq!(found.cause, Some(Cause::RowsDiffer));
    assert!(found.explanation.zh.ends_with("原始记录与冻结的计划不一致，故不能判为通过。"));
}

#[test]
fn rows_that_only_the_check_of_the_evidence_misses_cap_as_well() {
    for change in [
        |case: &mut Case| case.evidence.rows_missing = 1,
        |case: &mut Case| case.evidence.rows_unplanned = 1,
        |case: &mut Case| case.summary.totals.finished = 179,
        |case: &mut Case| case.summary.tiers[2].figures.finished = 19,
    ] {
        let mut case = Run::sweep().case("");
        change(&mut case);
        let verdict = judge(&case);
        assert_eq!(result(&verdict, TestIntegrity), Fail);
        for id in [ServiceAvailability, Stability, PeakThroughput, DeliveryAdvice] {
            assert_eq!(result(&verdict, id), Inconclusive, "{id:?}");
        }
    }
}

#[test]
fn a_case_about_which_nothing_is_known_does_not_pass() {
    let sound = Run::sweep().case("");
    let unknown = Case::new(sound.summary.clone(), Default::default(), vec![1, 2, 4, 8, 16]);
    let verdict = judge(&unknown);
    assert_eq!(verdict.decision, Decision::Inconclusive);
    assert_eq!(result(&verdict, DataTraceability), Inconclusive);
}
