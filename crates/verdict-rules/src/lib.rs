//! From figures and an agreement to findings and a decision.
#![doc = include_str!("../README.md")]

mod advice;
mod advice_text;
mod agreement;
mod agreement_file;
mod case;
mod criteria;
mod decision;
mod errors;
mod finding;
mod generator;
pub mod number;
mod rule;
mod sla;
mod supplementary;
pub mod terms;
mod text;
mod verdict;
mod words;

pub use advice::{DEFAULT_TIER, E2E_PER_TOKEN_GROWTH, LEVELLED_OFF_GAIN, TTFT_FLOOR_S, TTFT_GROWTH, advise};
pub use agreement::{Acceptance, AgreedAdvice, Agreement, GroupTarget, SlaItem};
pub use agreement_file::{AgreementError, AgreementFault};
pub use case::{Availability, Case, Evidence};
pub use generator::{limit_allowed, limit_observed, limits_hit_in};
pub use rule::{Rule, RuleSet};
pub use text::Text;
pub use verdict::{
    Advice, AdvisedBy, Cause, Criterion, CriterionId, Decision, Edition, Finding, Judgement, LevelledOff,
    RuleId, SlaResult, Supplementary, VERDICT_SCHEMA, Verdict,
};
