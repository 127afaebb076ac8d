//! What holds for every run: nothing is gained by taking away, and nothing by adding a rule.

use proptest::prelude::*;
use verdict_rules::{Case, Decision, Edition, Finding, Judgement, Rule, RuleId, RuleSet, Text, Verdict};

use crate::run::{Run, by_events, http_error, judge, not_sent, refused, stalled};

const AGREEMENTS: [&str; 4] = [
    "",
    "[acceptance]\nsuccess_rate = 0.5\noutput_tps = 300\n[[sla]]\nitem = \"a\"\nmetric = \"ttft_s.p95\"\ntier = 4\nlimit = \"<= 0.35\"\n",
    "[acceptance]\nsuccess_rate = 0.0\noutput_tps = 600\n[[sla]]\nitem = \"a\"\nmetric = \"e2e_s.mean\"\nlimit = \"<= 1.5\"\n[[sla]]\nitem = \"b\"\nmetric = \"output_tps\"\ntier = 16\nlimit = \">= 600\"\n",
    "[acceptance]\nsuccess_rate = 0.9\ntiers = [1, 4]\n[advice]\ninteractive = 8\nreason = \"x\"\n",
];

/// What went wrong in a run: faults by request, and what the generator and the service were like.
#[derive(Debug, Clone)]
struct Damage {
    faults: Vec<(usize, u8)>,
    late: Option<u32>,
    sampled: bool,
    refusals: u64,
}

fn damage() -> impl Strategy<Value = Damage> {
    let faults = prop::collection::vec((0..180_usize, 0..6_u8), 0..40);
    (faults, prop::option::of(prop::sample::select(vec![1, 4, 16])), any::<bool>(), 0..5_u64)
        .prop_map(|(faults, late, sampled, refusals)| Damage { faults, late, sampled, refusals })
}

impl Damage {
    fn run(&self) -> Run {
        let mut run = Run::sweep();
        for (index, fault) in &self.faults {
            let facts = &mut run.records[*index].facts;
            match fault {
                0 => http_error(facts),
                1 => refused(facts),
                2 if facts.first_token.is_some() => stalled(facts),
                3 => not_sent(facts),
                4 if facts.first_token.is_some() => by_events(facts),
                _ => {}
            }
        }
        self.late.into_iter().for_each(|tier| run.late_timers(tier));
        if !self.sampled {
            run.client.clear();
        }
        run.availability.refusals_in_a_row = self.refusals;
        run
    }
}

/// Every result of a verdict by its name.
fn results(verdict: &Verdict) -> Vec<(String, Judgement)> {
    let criteria = verdict.criteria.iter().map(|one| (one.id.as_str().to_owned(), one.result));
    let contracts = verdict
        .criteria
        .iter()
        .map(|one| (format!("{} as written", one.id.as_str()), one.contract.unwrap_or(Judgement::Fail)));
    let sla = verdict.sla.iter().map(|one| (one.item.clone(), one.contract));
    criteria.chain(contracts).chain(sla).chain([("decision".to_owned(), verdict.decision)]).collect()
}

struct Says(String, Judgement);

impl Rule for Says {
    fn id(&self) -> RuleId {
        self.0.as_str().into()
    }

    fn judge(&self, _: &Case) -> Vec<Finding> {
        vec![Finding::new(self.id(), self.1, Text::verbatim("x"))]
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn removing_rows_never_makes_a_result_pass(
        damage in damage(),
        agreement in prop::sample::select(&AGREEMENTS[..]),
        removed in prop::collection::btree_set(0..180_usize, 1..120),
    ) {
        let before = results(&judge(&damage.run().case(agreement)));
        let mut less = damage.run();
        let mut index = 0;
        less.records.retain(|_| { index += 1; !removed.contains(&(index - 1)) });
        let after = judge(&less.case(agreement));
        for ((name, before), (_, after)) in before.iter().zip(results(&after)) {
            prop_assert!(after != Judgement::Pass || *before == Judgement::Pass, "{name} passes");
        }
        prop_assert!(after.criteria.iter().all(|one| one.result != Judgement::Pass));
        prop_assert_eq!(after.decision, Decision::Fail);
    }

    #[test]
    fn leaving_a_planned_request_unsent_never_makes_a_result_pass(
        damage in damage(),
        agreement in prop::sample::select(&AGREEMENTS[..]),
        unsent in prop::collection::btree_set(0..180_usize, 1..120),
    ) {
        let mut less = damage.run();
        unsent.into_iter().for_each(|index| not_sent(&mut less.records[index].facts));
        let after = judge(&less.case(agreement));
        prop_assert!(after.criteria.iter().all(|one| one.result != Judgement::Pass || one.id.as_str() == "data_traceability"));
        prop_assert_eq!(after.decision, Decision::Fail);
    }

    #[test]
    fn adding_a_rule_never_improves_anything(
        damage in damage(),
        agreement in prop::sample::select(&AGREEMENTS[..]),
        id in prop::sample::select(vec!["vendor.x", "stability", "peak_throughput", "test_integrity"]),
        says in prop::sample::select(vec![Judgement::Pass, Judgement::Inconclusive, Judgement::Fail]),
    ) {
        let case = damage.run().case(agreement);
        let before = judge(&case);
        let after = RuleSet::standard().with(Says(id.to_owned(), says)).judge(&case);
        for (before, after) in before.criteria.iter().zip(&after.criteria) {
            prop_assert!(after.result >= before.result);
        }
        prop_assert!(after.decision >= before.decision);
        prop_assert_eq!(after.findings.len(), before.findings.len() + 1);
    }

    #[test]
    fn every_verdict_speaks_both_languages_and_only_a_pass_is_the_customers(
        damage in damage(),
        agreement in prop::sample::select(&AGREEMENTS[..]),
    ) {
        let verdict = judge(&damage.run().case(agreement));
        let texts = verdict
            .criteria
            .iter()
            .map(|one| &one.explanation)
            .chain(verdict.supplementary.iter().map(|one| &one.condition))
            .chain([&verdict.advice.reason]);
        for Text { en, zh } in texts {
            prop_assert!(!en.contains(|c: char| ('\u{3000}'..='\u{9fff}').contains(&c)) && en.ends_with('.'), "{en}");
            prop_assert!(zh.contains(|c: char| !c.is_ascii()) && zh.ends_with('。'), "{zh}");
            prop_assert!(!en.contains("NaN") && !zh.contains("NaN"));
        }
        prop_assert_eq!(verdict.criteria.len(), 6);
        prop_assert_eq!(verdict.edition == Edition::Customer, verdict.decision == Decision::Pass);
        prop_assert_eq!(verdict.supplementary.is_empty(), verdict.decision == Decision::Pass);
        prop_assert!(verdict.criteria.iter().all(|one| one.result <= verdict.decision));
    }
}
