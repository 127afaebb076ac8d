//! Rules, and the set of them that judges a case.

use crate::{
    advice,
    case::Case,
    criteria::{
        DataTraceability, DeliveryAdvice, PeakThroughput, ServiceAvailability, Stability, TestIntegrity,
    },
    decision, sla, supplementary,
    verdict::{Decision, Edition, Finding, RuleId, VERDICT_SCHEMA, Verdict},
};

/// Looks at a case and says what it finds.
pub trait Rule {
    /// Its name, the same in every verdict.
    fn id(&self) -> RuleId;

    /// Its findings. None is "nothing to say", which is never a pass.
    fn judge(&self, case: &Case) -> Vec<Finding>;
}

/// Rules that judge together. A rule can be added, and none can take another's finding away.
pub struct RuleSet {
    rules: Vec<Box<dyn Rule + Send + Sync>>,
}

impl RuleSet {
    /// The six criteria of an acceptance.
    #[must_use]
    pub fn standard() -> Self {
        Self { rules: Vec::new() }
            .with(TestIntegrity)
            .with(ServiceAvailability)
            .with(Stability)
            .with(PeakThroughput)
            .with(DeliveryAdvice)
            .with(DataTraceability)
    }

    /// The same set and one rule more.
    ///
    /// A finding under the id of one of the six criteria can only make that criterion worse; one under an id of its own
    /// decides with them. Nothing that a rule finds improves anything.
    #[must_use]
    pub fn with(mut self, rule: impl Rule + Send + Sync + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// Judges a case.
    #[must_use]
    pub fn judge(&self, case: &Case) -> Verdict {
        let findings: Vec<Finding> = self
            .rules
            .iter()
            .flat_map(|rule| rule.judge(case))
            .map(|finding| decision::capped(finding, case))
            .collect();
        let criteria = decision::criteria(&findings);
        let sla = sla::results(case);
        let decision = decision::decide(&criteria, &sla, &findings);
        let edition = if decision == Decision::Pass { Edition::Customer } else { Edition::Internal };
        Verdict {
            schema: VERDICT_SCHEMA.to_owned(),
            evidence_digest: case.summary.evidence_digest.clone(),
            agreement_digest: case.agreement_digest.clone(),
            agreed: case.agreed,
            decision,
            edition,
            advice: advice::advise(case),
            supplementary: supplementary::items(case, &criteria, &sla, &findings),
            criteria,
            sla,
            findings,
        }
    }
}

impl Default for RuleSet {
    fn default() -> Self {
        Self::standard()
    }
}
