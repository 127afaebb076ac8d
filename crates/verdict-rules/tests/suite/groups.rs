//! Groups: each is held to the target, limits may be set on one, and one that is missing is never passed over.

use metrics_core::Support;
use verdict_rules::{Advice, Cause, CriterionId, Judgement, Verdict, advise};

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
    // 178 of 180 would leave the matter open as well, yet it is the group of which that is said.
    assert_eq!(found.support, Some(Support::Inconclusive));
    let (en, zh) = (&found.explanation.en, &found.explanation.zh);
    assert!(en.contains("45 requests of long are too few to support or refute"), "{en}");
    assert!(en.contains("a rate of long of at least 86.7%") && !en.contains("180 requests are"), "{en}");
    assert!(zh.contains("分组 long 的 45 个请求的样本量") && zh.contains("分组 long 的成功率不低于"), "{zh}");
    assert_eq!(verdict.decision, Judgement::Fail);
    let again = &verdict.supplementary.iter().find(|item| item.id == "success_rate").unwrap().condition;
    assert!(again.en.ends_with("over all planned requests, and every group its own target."), "{again:?}");
    assert!(again.zh.ends_with("，且各分组均达到各自的目标。"), "{again:?}");
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

/// 175 of 180 leave a target of 97 % open; 40 of 45 refute it for the group.
#[test]
fn support_is_that_of_the_part_that_is_shown() {
    let mut run = two_groups();
    run.group(16, "long").take(5).for_each(http_error);
    let verdict = judge(&run.case("[acceptance]\nsuccess_rate = 0.97\n"));
    let found = criterion(&verdict, CriterionId::Stability);
    assert_eq!((found.n, found.support), (Some(45), Some(Support::Refuted)));
    assert!(
        found.explanation.en.contains("45 requests of long refute the target"),
        "{:?}",
        found.explanation
    );
}

fn advice(run: &Run, agreement: &str) -> Advice {
    advise(&run.case(agreement))
}

/// 19 of 20 at C4 meet 95 %, and hide that 4 of 5 of the small group do not.
#[test]
fn a_tier_in_which_a_group_misses_its_target_is_not_recommended() {
    let terms = "[acceptance]\nsuccess_rate = 0.95\n";
    let mut run = two_groups();
    assert_eq!((advice(&run, terms).interactive, advice(&run, terms).boundary), (Some(4), Some(16)));
    run.group(4, "long").take(1).for_each(http_error);
    let found = advice(&run, terms);
    assert_eq!((found.interactive, found.boundary), (Some(2), Some(16)));
    let said = &found.reason;
    assert!(said.en.contains("the success rate of long at C4 misses the target."), "{}", said.en);
    assert!(said.zh.contains("C4 档分组 long 的成功率未达目标。"), "{}", said.zh);
    assert!(said.en.contains("meet the 95% success target, and every group its own."), "{}", said.en);
    let own = "[[acceptance.group]]\nname = \"long\"\nsuccess_rate = 0.8\n";
    assert_eq!(advice(&run, &format!("{terms}{own}")).interactive, Some(4), "by its own target it passes");
}

/// 77 of 80 at C16 meet 95 %; 17 of 20 of the small group do not.
#[test]
fn the_boundary_is_a_tier_in_which_every_group_meets_its_target() {
    let terms = "[acceptance]\nsuccess_rate = 0.95\n";
    let mut run = two_groups();
    run.group(16, "long").take(3).for_each(http_error);
    let found = advice(&run, terms);
    assert_eq!(found.boundary, Some(8));
    assert!(found.reason.en.contains("success rate meets the target in every group"), "{}", found.reason.en);
}

#[test]
fn an_agreed_tier_must_suit_every_group() {
    let terms = "[acceptance]\nsuccess_rate = 0.95\n[advice]\ninteractive = 4\nreason = \"agreed\"\n";
    let mut run = two_groups();
    assert_eq!(result(&judge(&run.case(terms)), CriterionId::DeliveryAdvice), Judgement::Pass);
    run.group(4, "long").take(1).for_each(http_error);
    let verdict = judge(&run.case(terms));
    let found = criterion(&verdict, CriterionId::DeliveryAdvice);
    assert_eq!((found.result, found.cause), (Judgement::Fail, Some(Cause::NoTierSuits)));
    let said = &found.explanation.en;
    assert!(said.contains("and the success rate of long at C4 misses the target."), "{said}");
}

/// A time-out at a generator's limit is the group's excuse as well.
#[test]
fn a_group_is_excused_where_the_generator_was_at_its_limit() {
    let terms = "[acceptance]\nsuccess_rate = 0.95\n[advice]\ninteractive = 4\nreason = \"agreed\"\n";
    let mut run = two_groups();
    run.group(4, "long").take(1).for_each(late);
    run.late_timers(4);
    let verdict = judge(&run.case(terms));
    let found = criterion(&verdict, CriterionId::DeliveryAdvice);
    assert_eq!((found.result, found.cause), (Judgement::Inconclusive, Some(Cause::GeneratorLimited)));
}
