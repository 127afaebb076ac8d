//! How findings are made.
//!
//! ```
//! use verdict_rules::{Finding, Text};
//!
//! let text = Text::new("0.31 kWh per million tokens, 0.40 agreed.", "每百万 Token 0.31 kWh，约定上限 0.40。");
//! let finding = Finding::pass("vendor.energy", text).observed(0.31).threshold(0.40).n(180);
//! assert_eq!(finding.observed, Some(0.31));
//! ```

use metrics_core::Support;

use crate::{
    text::Text,
    verdict::{Cause, CriterionId, Finding, Judgement, RuleId},
};

impl Finding {
    /// A finding of this result.
    #[must_use]
    pub fn new(rule: impl Into<RuleId>, result: Judgement, explanation: Text) -> Self {
        Self {
            rule: rule.into(),
            result,
            cause: None,
            contract: None,
            support: None,
            observed: None,
            threshold: None,
            n: None,
            explanation,
        }
    }

    /// What was looked at is as it must be.
    #[must_use]
    pub fn pass(rule: impl Into<RuleId>, explanation: Text) -> Self {
        Self::new(rule, Judgement::Pass, explanation)
    }

    /// It is not.
    #[must_use]
    pub fn fail(rule: impl Into<RuleId>, explanation: Text) -> Self {
        Self::new(rule, Judgement::Fail, explanation)
    }

    /// It cannot be told from what is there.
    #[must_use]
    pub fn inconclusive(rule: impl Into<RuleId>, explanation: Text) -> Self {
        Self::new(rule, Judgement::Inconclusive, explanation)
    }

    /// What stands behind a result that is no pass.
    #[must_use]
    pub fn cause(mut self, cause: impl Into<Option<Cause>>) -> Self {
        self.cause = cause.into();
        self
    }

    /// The figure.
    #[must_use]
    pub fn observed(mut self, figure: impl Into<Option<f64>>) -> Self {
        self.observed = figure.into();
        self
    }

    /// What it was held against.
    #[must_use]
    pub fn threshold(mut self, threshold: impl Into<Option<f64>>) -> Self {
        self.threshold = threshold.into();
        self
    }

    /// How many requests are behind it.
    #[must_use]
    pub fn n(mut self, requests: impl Into<Option<u64>>) -> Self {
        self.n = requests.into();
        self
    }

    /// The point rule as written.
    #[must_use]
    pub fn contract(mut self, contract: impl Into<Option<Judgement>>) -> Self {
        self.contract = contract.into();
        self
    }

    /// What the number of requests supports.
    #[must_use]
    pub fn support(mut self, support: impl Into<Option<Support>>) -> Self {
        self.support = support.into();
        self
    }
}

impl From<&str> for RuleId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl From<String> for RuleId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl From<CriterionId> for RuleId {
    fn from(id: CriterionId) -> Self {
        Self(id.as_str().to_owned())
    }
}
