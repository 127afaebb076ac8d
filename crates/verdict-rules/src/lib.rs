//! From figures and an agreement to findings and a decision.
#![doc = include_str!("../README.md")]

mod agreement;
mod case;
mod rule;
mod text;
mod verdict;

pub use agreement::{Acceptance, AgreedAdvice, Agreement, SlaItem};
pub use case::{Availability, Case, Evidence};
pub use rule::{Rule, RuleSet};
pub use text::Text;
pub use verdict::{
    Advice, AdvisedBy, Criterion, CriterionId, Decision, Edition, Finding, Judgement, RuleId, SlaResult,
    Supplementary, VERDICT_SCHEMA, Verdict,
};
