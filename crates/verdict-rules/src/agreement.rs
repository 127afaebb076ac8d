//! What was agreed before the run: the file that turns figures into a decision.

use serde::Deserialize;

/// An agreement (TOML). Everything has a default; an empty file is the default agreement.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Agreement {
    /// What the acceptance asks for.
    pub acceptance: Acceptance,
    /// Agreed limits; none by default.
    pub sla: Vec<SlaItem>,
    /// Capacity advice set by the parties instead of the rule.
    pub advice: Option<AgreedAdvice>,
}

/// What the acceptance asks for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Acceptance {
    /// Target share of planned requests that must be effective (0 to 1), over all and in every group; 1 by default.
    pub success_rate: f64,
    /// Groups with a target of their own.
    pub group: Vec<GroupTarget>,
    /// Agreed tiers; the plan's own where left out.
    pub tiers: Option<Vec<u32>>,
    /// Demanded peak output rate in tokens a second; none where left out.
    pub output_tps: Option<f64>,
}

impl Default for Acceptance {
    fn default() -> Self {
        Self { success_rate: 1.0, group: Vec::new(), tiers: None, output_tps: None }
    }
}

/// What the acceptance asks of one group, in place of what it asks of every group.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupTarget {
    /// The group, as the plan calls it.
    pub name: String,
    /// Target share of its planned requests that must be effective (0 to 1).
    pub success_rate: f64,
}

/// One agreed limit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlaItem {
    /// Its name, as the parties call it.
    pub item: String,
    /// A metric of the summary, such as `ttft_s.p95`.
    pub metric: String,
    /// The tier it applies to; the totals where left out.
    pub tier: Option<u32>,
    /// The group it applies to; all groups together where left out.
    pub group: Option<String>,
    /// A comparison and a number, such as `<= 2.0`.
    pub limit: String,
    /// Where the contract says so.
    pub source: Option<String>,
}

/// Capacity advice set by the parties.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedAdvice {
    /// Interactive tier.
    pub interactive: u32,
    /// Why.
    pub reason: String,
}
