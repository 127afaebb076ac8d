//! Agreed limits, rules beside the six, and what all of it comes to.

use metrics_core::Support;
use verdict_rules::{
    Case, Cause, CriterionId, Decision, Edition, Finding, Judgement, Rule, RuleId, RuleSet, Text, Verdict,
};

use crate::run::{Run, http_error, judge, not_sent, result};

const LIMITS: &str = r#"
[[sla]]
item = "首 Token 时延 P95"
metric = "ttft_s.p95"
tier = 4
limit = "<= 2.0"
source = "合同附件 3 §2"

[[sla]]
item = "吞吐量"
metric = "output_tps"
tier = 16
limit = ">= 100"
"#;

#[test]
fn a_limit_gives_contract_and_support_apart() {
    let verdict = judge(&Run::sweep().case(LIMITS));
    let [ttft, rate] = verdict.sla.as_slice() else { panic!("two limits") };
    assert_eq!((ttft.contract, ttft.support, ttft.n), (Judgement::Pass, Some(Support::Inconclusive), 20));
    assert_eq!((ttft.observed, ttft.further), (Some(0.39), Some(39)));
    assert_eq!((ttft.item.as_str(), ttft.source.as_deref()), ("首 Token 时延 P95", Some("合同附件 3 §2")));
    assert_eq!((rate.contract, rate.support), (Judgement::Pass, None));
    assert_eq!(verdict.decision, Decision::Pass, "inconclusive support changes nothing");
    assert_eq!(verdict.edition, Edition::Customer);
}

#[test]
fn a_limit_that_fails_fails_the_acceptance() {
    let verdict = judge(&Run::sweep().case(&LIMITS.replace("<= 2.0", "<= 0.2")));
    assert_eq!(verdict.sla[0].contract, Judgement::Fail);
    assert!(verdict.criteria.iter().all(|criterion| criterion.result == Judgement::Pass));
    assert_eq!((verdict.decision, verdict.edition), (Decision::Fail, Edition::Internal));
    assert_eq!(ids(&verdict), ["sla_1"]);
}

#[test]
fn a_limit_of_a_tier_that_did_not_run_leaves_the_matter_open() {
    let verdict = judge(&Run::sweep().case(&LIMITS.replace("tier = 4", "tier = 32")));
    assert_eq!((verdict.sla[0].contract, verdict.sla[0].n), (Judgement::Inconclusive, 0));
    assert_eq!((verdict.decision, verdict.edition), (Decision::Inconclusive, Edition::Internal));
    let mut case = Run::sweep().case(LIMITS);
    case.limits.clear();
    assert_eq!(
        judge(&case).decision,
        Decision::Inconclusive,
        "whoever leaves the evidence out gains nothing"
    );
}

#[test]
fn a_limit_does_not_pass_on_rows_that_are_missing() {
    let mut run = Run::sweep();
    run.records.pop();
    let verdict = judge(&run.case(LIMITS));
    assert!(verdict.sla.iter().all(|limit| limit.contract == Judgement::Inconclusive), "{:?}", verdict.sla);
}

#[test]
fn a_limit_exceeded_under_a_late_generator_is_not_held_against_the_service() {
    let mut run = Run::sweep();
    run.late_timers(4);
    let verdict = judge(&run.case(&LIMITS.replace("<= 2.0", "<= 0.2")));
    assert_eq!(verdict.sla[0].contract, Judgement::Inconclusive);
    assert_eq!(verdict.decision, Decision::Inconclusive);
    let elsewhere = Run { client: Vec::new(), ..run.clone() };
    let verdict = judge(&elsewhere.case(&LIMITS.replace("<= 2.0", "<= 0.2")));
    assert_eq!(verdict.sla[0].contract, Judgement::Fail, "only a limit that was hit excuses");
}

const GAPS: &str = r#"
[[sla]]
item = "事件间隔 P95"
metric = "inter_event_s.p95"
tier = 4
limit = "<= 5"
"#;

#[test]
fn a_limit_on_gaps_does_not_pass_on_gaps_that_are_unsupported() {
    let of = |run: &Run, agreement: &str| {
        let verdict = judge(&run.case(agreement));
        (verdict.sla[0].contract, verdict.sla[0].cause)
    };
    assert_eq!(of(&Run::sweep(), GAPS), (Judgement::Pass, None));
    // A quarter of the median gap of C4 is 2.5 ms, which takes the gaps and nothing else.
    let mut coarse = Run::sweep();
    for sample in coarse.client.iter_mut().filter(|sample| sample.tier == Some(4)) {
        sample.timer_delay_us = vec![4_000; 100];
    }
    let open = (Judgement::Inconclusive, Some(Cause::GapsUnsupported));
    assert_eq!(coarse.case("").summary.client.valid, Some(true));
    assert_eq!(of(&coarse, GAPS), open);
    assert_eq!(of(&coarse, &GAPS.replace("<= 5", "<= 0.001")), open);
    assert_eq!(of(&coarse, LIMITS), (Judgement::Pass, None), "other figures stand");
    assert_eq!(of(&coarse, &GAPS.replace("tier = 4", "tier = 8")), (Judgement::Pass, None));
}

#[test]
fn a_limit_says_how_many_exceed_and_why_it_does_not_pass() {
    let of = |change: fn(&mut Run), agreement: &str| {
        let mut run = Run::sweep();
        change(&mut run);
        let limit = judge(&run.case(agreement)).sla.remove(0);
        (limit.contract, limit.cause, limit.exceeding, limit.support.is_some())
    };
    let interrupted: fn(&mut Run) = |run| {
        run.interrupted = true;
        run.first(4, 10).for_each(not_sent);
    };
    assert_eq!(of(|_| {}, LIMITS), (Judgement::Pass, None, Some(0), true));
    assert_eq!(
        of(|run| run.first(4, 2).for_each(http_error), LIMITS),
        (Judgement::Fail, Some(Cause::LimitMissed), Some(2), true)
    );
    assert_eq!(of(interrupted, LIMITS), (Judgement::Fail, Some(Cause::Unfinished), Some(10), true));
    assert_eq!(
        of(interrupted, &LIMITS.replace("<= 2.0", "<= 0.2")),
        (Judgement::Fail, Some(Cause::LimitMissed), Some(20), true),
        "those that finished exceed it as well"
    );
    assert_eq!(
        of(|run| run.first(4, 20).for_each(not_sent), LIMITS),
        (Judgement::Fail, Some(Cause::TierNotRun), Some(20), false)
    );
    assert_eq!(
        of(|_| {}, &LIMITS.replace("tier = 4", "tier = 32")),
        (Judgement::Inconclusive, Some(Cause::TierNotRun), None, false)
    );
    assert_eq!(
        of(|run| run.late_timers(4), &LIMITS.replace("<= 2.0", "<= 0.2")),
        (Judgement::Inconclusive, Some(Cause::GeneratorLimited), Some(20), true)
    );
    assert_eq!(
        of(|run| drop(run.records.pop()), LIMITS),
        (Judgement::Inconclusive, Some(Cause::RowsDiffer), Some(0), true)
    );
}

/// Says the same of every case.
struct Says(&'static str, Judgement);

impl Rule for Says {
    fn id(&self) -> RuleId {
        self.0.into()
    }

    fn judge(&self, _: &Case) -> Vec<Finding> {
        vec![Finding::new(self.id(), self.1, Text::new("So it is.", "确是如此。"))]
    }
}

/// Has nothing to say.
struct Silent;

impl Rule for Silent {
    fn id(&self) -> RuleId {
        "vendor.silent".into()
    }

    fn judge(&self, _: &Case) -> Vec<Finding> {
        Vec::new()
    }
}

#[test]
fn a_rule_beside_the_six_decides_with_them_and_improves_nothing() {
    let mut failing = Run::sweep();
    failing.first(4, 1).for_each(http_error);
    for (finding, on_sound, on_failing) in [
        (Judgement::Pass, Decision::Pass, Decision::Fail),
        (Judgement::Inconclusive, Decision::Inconclusive, Decision::Fail),
        (Judgement::Fail, Decision::Fail, Decision::Fail),
    ] {
        for (run, expected) in [(Run::sweep(), on_sound), (failing.clone(), on_failing)] {
            let verdict = RuleSet::standard().with(Says("vendor.energy", finding)).judge(&run.case(""));
            assert_eq!(verdict.decision, expected, "{finding:?}");
            assert!(verdict.findings.iter().any(|found| found.rule == RuleId::from("vendor.energy")));
        }
    }
}

#[test]
fn a_rule_under_the_id_of_a_criterion_can_only_worsen_it() {
    for (finding, sound, failing) in [
        (Judgement::Pass, Judgement::Pass, Judgement::Fail),
        (Judgement::Inconclusive, Judgement::Inconclusive, Judgement::Fail),
        (Judgement::Fail, Judgement::Fail, Judgement::Fail),
    ] {
        let mut run = Run::sweep();
        let rules = RuleSet::standard().with(Says("stability", finding));
        assert_eq!(result(&rules.judge(&run.case("")), CriterionId::Stability), sound);
        run.first(4, 1).for_each(http_error);
        assert_eq!(result(&rules.judge(&run.case("")), CriterionId::Stability), failing);
    }
}

#[test]
fn silence_is_no_finding() {
    let case = Run::sweep().case("");
    let verdict = RuleSet::standard().with(Silent).judge(&case);
    assert_eq!(verdict, judge(&case));
}

#[test]
fn no_vendor_passes_on_rows_that_are_missing() {
    let mut run = Run::sweep();
    run.records.pop();
    let verdict = RuleSet::standard().with(Says("vendor.energy", Judgement::Pass)).judge(&run.case(""));
    let energy = verdict.findings.iter().find(|finding| finding.rule == RuleId::from("vendor.energy"));
    assert_eq!(energy.map(|finding| finding.result), Some(Judgement::Inconclusive));
}

#[test]
fn what_is_to_be_tested_again_fits_what_was_found() {
    let with = |change: fn(&mut Run), agreement: &str| {
        let mut run = Run::sweep();
        change(&mut run);
        let verdict = judge(&run.case(agreement));
        for item in &verdict.supplementary {
            assert_eq!((item.state.as_str(), &item.owner, &item.due), ("open", &None, &None));
            assert!(!item.condition.en.is_empty() && !item.condition.zh.is_empty());
        }
        ids(&verdict)
    };
    assert_eq!(with(|_| {}, ""), Vec::<String>::new());
    assert_eq!(with(|run| run.late_timers(16), ""), ["generator_headroom"]);
    assert_eq!(with(|run| run.client.clear(), ""), ["generator_samples"]);
    assert_eq!(with(|run| run.first(16, 1).for_each(http_error), ""), ["success_rate"]);
    assert_eq!(with(|run| run.availability.restarts = 1, ""), ["availability"]);
    assert_eq!(with(|_| {}, "[acceptance]\noutput_tps = 9000"), ["peak_output"]);
    assert_eq!(with(|_| {}, "[acceptance]\ntiers = [1, 32]"), ["complete_run"]);
    assert_eq!(with(|_| {}, "[advice]\ninteractive = 5\nreason = \"x\""), ["capacity_advice"]);
    assert_eq!(with(|run| drop(run.records.pop()), ""), ["complete_run", "evidence"]);
    let interrupted = |run: &mut Run| {
        run.interrupted = true;
        run.first(16, 80).for_each(not_sent);
    };
    assert_eq!(with(interrupted, ""), ["complete_run"], "nothing speaks against the service");
    assert_eq!(with(interrupted, LIMITS), ["complete_run"]);
    assert_eq!(with(interrupted, "[acceptance]\noutput_tps = 9000"), ["complete_run"]);
    assert_eq!(
        with(|run| run.all().for_each(http_error), ""),
        ["availability", "success_rate", "capacity_advice"]
    );
    let mut case = Run::sweep().case("");
    case.evidence = Default::default();
    assert_eq!(ids(&judge(&case)), ["evidence_check", "evidence"]);
    let verdict =
        RuleSet::standard().with(Says("vendor.energy", Judgement::Fail)).judge(&Run::sweep().case(""));
    assert_eq!(ids(&verdict), ["vendor.energy"]);
}

fn ids(verdict: &Verdict) -> Vec<String> {
    verdict.supplementary.iter().map(|item| item.id.clone()).collect()
}
