//! Groups: each is held to the target, limits may be set on one, and one that is missing is never passed over.

use verdict_rules::{Cause, CriterionId, Judgement, Verdict};

use crate::run::{Run, criterion, http_error, judge, late, not_sent, result};

/// The standard sweep, a quarter of whose requests are of group `long`.
fn two_groups() -> Run {
    Run::sweep().with_group("long", 4)
}

fn sla(metric: &str, group: &str, limit: &str) -> String {
    format!(
        "[[sla]]\nitem = \"limit\"\nmetric = \"{metric}\"\ntier = 4\ngroup = \"{group}\"\nlimit = \"{limit}\"\n"
    )
}

fn stability(verdict: &Verdict) -> (Judgement, Option<Cause>) {
    let found = criterion(verdict, CriterionId::Stability);
    (found.result, found.cause)
}

#[test]
fn a_run_whose_groups_all_meet_the_target_passes_and_names_each() {
    let verdict = judge(&two_groups().case(""));
    assert_eq!(verdict.decision, Judgement::Pass);
    let said = &criterion(&verdict, CriterionId::Stability).explanation;
    assert!(said.en.contains("By group: all 135 of 135 (100%), long 45 of 45 (100%)."), "{}", said.en);
    assert!(said.zh.contains("分组：all 135/135（100%）；long 45/45（100%）。"), "{}", said.zh);
}

/// B7: 178 of 180 meet 98 % over all, and hide that the small group does not.
#[test]
fn a_group_below_the_target_fails_although_the_whole_meets_it() {
    let mut run = two_groups();
    run.group(16, "long").take(2).for_each(http_error);
    let verdict = judge(&run.case("[acceptance]\nsuccess_rate = 0.98\n"));
    assert_eq!(stability(&verdict), (Judgement::Fail, Some(Cause::FailedRequests)));
    let found = criterion(&verdict, CriterionId::Stability);
    assert!(
        found.explanation.en.contains("long 43 of 45 (95.6%, below its target of 98%)"),
        "{:?}",
        found.explanation
    );
    assert!(found.explanation.zh.contains("long 43/45（95.6%，低于目标 98%）"), "{:?}", found.explanation);
    assert_eq!((found.n, found.threshold), (Some(45), Some(0.98)));
    assert_eq!(verdict.decision, Judgement::Fail);
}

#[test]
fn a_group_may_have_a_target_of_its_own() {
    let mut run = two_groups();
    run.group(16, "long").take(2).for_each(http_error);
    let own = |rate: &str| format!("[[acceptance.group]]\nname = \"long\"\nsuccess_rate = {rate}\n");
    // All others must succeed; of this group 95 % do.
    assert_eq!(stability(&judge(&run.case(&own("0.95")))), (Judgement::Pass, None));
    assert_eq!(judge(&run.case(&own("0.95"))).decision, Judgement::Pass);
    // Exactly as many as were agreed: 43 of 45.
    assert_eq!(stability(&judge(&run.case(&own("0.9555555555555556")))).0, Judgement::Pass);
    assert_eq!(stability(&judge(&run.case(&own("0.96")))).0, Judgement::Fail);
    // One failure of another group is one too many.
    run.group(1, "all").take(1).for_each(http_error);
    assert_eq!(stability(&judge(&run.case(&own("0.95")))).0, Judgement::Fail);
}

#[test]
fn a_target_for_a_group_that_is_not_in_the_run_leaves_the_matter_open() {
    let agreement = "[[acceptance.group]]\nname = \"legal\"\nsuccess_rate = 0.5\n";
    for run in [two_groups(), Run::sweep()] {
        let verdict = judge(&run.case(agreement));
        assert_eq!(stability(&verdict), (Judgement::Inconclusive, Some(Cause::GroupNotRun)));
        let said = &criterion(&verdict, CriterionId::Stability).explanation;
        assert!(said.en.contains("sets a target for legal, of which the run has no request"), "{}", said.en);
        assert_ne!(verdict.decision, Judgement::Pass);
    }
}

#[test]
fn a_limit_is_held_against_its_group_alone() {
    let mut run = two_groups();
    run.group(4, "long").for_each(http_error);
    let judged = |group: &str| {
        let verdict = judge(&run.case(&sla("success_rate", group, ">= 0.99")));
        (verdict.sla[0].contract, verdict.sla[0].n, verdict.sla[0].group.clone())
    };
    assert_eq!(judged("all"), (Judgement::Pass, 15, Some("all".to_owned())));
    assert_eq!(judged("long"), (Judgement::Fail, 5, Some("long".to_owned())));
}

#[test]
fn a_limit_on_a_group_that_is_not_in_the_run_is_never_a_pass() {
    for run in [two_groups(), Run::sweep()] {
        let verdict = judge(&run.case(&sla("ttft_s.p95", "legal", "<= 10")));
        let item = &verdict.sla[0];
        assert_eq!((item.contract, item.cause), (Judgement::Inconclusive, Some(Cause::GroupNotRun)));
        assert_eq!((item.n, item.observed, item.support), (0, None, None));
        assert_eq!(verdict.decision, Judgement::Inconclusive);
    }
}

#[test]
fn the_only_group_is_the_whole_run() {
    let run = Run::sweep();
    let whole = judge(&run.case(&sla("ttft_s.p95", "all", "<= 2.0").replace("group = \"all\"\n", "")));
    let named = judge(&run.case(&sla("ttft_s.p95", "all", "<= 2.0")));
    assert_eq!((named.sla[0].observed, named.sla[0].n), (whole.sla[0].observed, whole.sla[0].n));
    assert_eq!(named.sla[0].contract, Judgement::Pass);
    // Nothing of a run with one group says so.
    let text = serde_json::to_string(&whole).unwrap();
    assert!(!text.contains("group"), "{text}");
}

#[test]
fn a_generator_at_its_limit_is_why_for_a_group_as_well() {
    let mut run = two_groups();
    run.group(16, "long").take(2).for_each(late);
    run.late_timers(16);
    let verdict = judge(&run.case("[acceptance]\nsuccess_rate = 0.98\n"));
    assert_eq!(stability(&verdict), (Judgement::Inconclusive, Some(Cause::GeneratorLimited)));
    // A time-out where the generator was sound stays the service's.
    run.group(8, "long").take(2).for_each(http_error);
    assert_eq!(stability(&judge(&run.case("[acceptance]\nsuccess_rate = 0.98\n"))).0, Judgement::Fail);
}

#[test]
fn a_group_that_the_run_did_not_come_to_is_no_failure_of_the_service() {
    let mut run = two_groups();
    run.interrupted = true;
    run.group(16, "long").for_each(not_sent);
    let verdict = judge(&run.case("[acceptance]\nsuccess_rate = 0.8\n"));
    assert_eq!(stability(&verdict), (Judgement::Fail, Some(Cause::Unfinished)));
    assert_eq!(result(&verdict, CriterionId::TestIntegrity), Judgement::Fail);
}
