//! All that a rule may look at.

use metrics_core::{LimitEvidence, Summary};

use crate::agreement::Agreement;

/// Figures, agreement and plain facts about the evidence. Filled by whoever holds the package.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// Every figure.
    pub summary: Summary,
    /// What was agreed.
    pub agreement: Agreement,
    /// Tiers of the frozen plan: the agreed ones where the agreement names none.
    pub planned_tiers: Vec<u32>,
    /// What the check of the evidence found.
    pub evidence: Evidence,
    /// Whether the service was there all through.
    pub availability: Availability,
    /// One for each `[[sla]]` item of the agreement, in its order; `None` where the tier was not run.
    pub limits: Vec<Option<LimitEvidence>>,
}

impl Case {
    /// A case with nothing found out about the evidence yet: nothing in it passes.
    #[must_use]
    pub fn new(summary: Summary, agreement: Agreement, planned_tiers: Vec<u32>) -> Self {
        let evidence = Evidence::default();
        let availability = Availability::default();
        Self { summary, agreement, planned_tiers, evidence, availability, limits: Vec::new() }
    }
}

/// What the check of the evidence found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The hash chain of every raw file holds; `None` when it was not checked.
    pub chain_intact: Option<bool>,
    /// Every digest of the evidence matches; `None` when it was not checked.
    pub digests_match: Option<bool>,
    /// Rows of the frozen schedule that are not there.
    pub rows_missing: u64,
    /// Rows that no schedule asked for, or that are there twice.
    pub rows_unplanned: u64,
    /// The run was cut short.
    pub interrupted: bool,
    /// What is wrong, in words, for the explanation.
    pub problems: Vec<String>,
}

/// Whether the service was there all through the measured stages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Availability {
    /// How often its health was asked; 0 where it offers no way to.
    pub health_checks: u64,
    /// Spells in which it answered that it is not ready, or refused the health check.
    pub unready_spells: u64,
    /// Longest row of consecutive requests whose connection was refused.
    pub refusals_in_a_row: u64,
    /// Its start time changed during the run.
    pub restarts: u64,
    /// It told its start time at least twice.
    pub start_time_known: bool,
}
