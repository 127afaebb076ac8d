//! Agreed limits such as "P95 TTFT ≤ 2 s", judged twice: by the point rule, and by what the sample supports.

use serde::{Deserialize, Serialize};

/// What the number of requests behind a limit supports, one-sided at 5 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// So few exceed that the limit holds with 95 % confidence.
    Supported,
    /// So many exceed that it does not.
    Refuted,
    /// Neither.
    Inconclusive,
}

/// What the rows say about one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitEvidence {
    /// The figure as it stands in the summary.
    pub observed: Option<f64>,
    /// Planned requests behind it.
    pub n: u64,
    /// How many of them exceed, those that are not effective included; `None` for metrics that are no percentile.
    pub exceeding: Option<u64>,
    /// The point rule as written; `None` where there is no figure.
    pub contract: Option<bool>,
    /// Statistical support; `None` for metrics that are no percentile.
    pub support: Option<Support>,
    /// Where support is inconclusive: further requests that would support the limit if none of them exceeds.
    pub further: Option<u64>,
}
