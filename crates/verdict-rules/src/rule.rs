//! Rules, and the set of them that judges a case.

use crate::{
    case::Case,
    verdict::{Finding, RuleId, Verdict},
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
    rules: Vec<Box<dyn Rule>>,
}

impl RuleSet {
    /// Judges a case.
    #[must_use]
    pub fn judge(&self, case: &Case) -> Verdict {
        let _ = (case, &self.rules);
        unimplemented!()
    }
}
