//! What was found, and the decision, as `analysis/verdict.json` holds them.

use metrics_core::Support;
use serde::{Deserialize, Serialize};

use crate::text::Text;

/// The schema that this version writes.
pub const VERDICT_SCHEMA: &str = "acceptbench.verdict/1";

/// The judgement of one case under one agreement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// [`VERDICT_SCHEMA`].
    pub schema: String,
    /// The evidence that was judged.
    pub evidence_digest: String,
    /// The agreement by which; of the empty text where none was given.
    pub agreement_digest: String,
    /// An agreement was given; otherwise the defaults decide.
    pub agreed: bool,
    /// What it comes to.
    pub decision: Decision,
    /// Which edition may be issued.
    pub edition: Edition,
    /// Capacity advice.
    pub advice: Advice,
    /// The six criteria, in their fixed order.
    pub criteria: Vec<Criterion>,
    /// One for each agreed limit.
    pub sla: Vec<SlaResult>,
    /// What every rule found, the criteria's own findings included.
    pub findings: Vec<Finding>,
    /// What is to be tested again before the matter can be decided.
    pub supplementary: Vec<Supplementary>,
}

/// Pass, fail, or not to be told from what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// 通过
    Pass,
    /// 无法判定
    Inconclusive,
    /// 不通过
    Fail,
}

/// The decision on an acceptance.
pub type Decision = Judgement;

/// Which edition of the report may be issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// 客户提交版: only when all six criteria pass and no agreed limit fails.
    Customer,
    /// 内部版: marked as such on every page.
    Internal,
}

/// The six criteria, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionId {
    /// 测试完整性
    TestIntegrity,
    /// 服务可用性
    ServiceAvailability,
    /// 稳定性
    Stability,
    /// 峰值吞吐量
    PeakThroughput,
    /// 交付建议适配性
    DeliveryAdvice,
    /// 数据可追溯性
    DataTraceability,
}

impl CriterionId {
    /// All six, in order.
    pub const ALL: [Self; 6] = [
        Self::TestIntegrity,
        Self::ServiceAvailability,
        Self::Stability,
        Self::PeakThroughput,
        Self::DeliveryAdvice,
        Self::DataTraceability,
    ];

    /// The id in files and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TestIntegrity => "test_integrity",
            Self::ServiceAvailability => "service_availability",
            Self::Stability => "stability",
            Self::PeakThroughput => "peak_throughput",
            Self::DeliveryAdvice => "delivery_advice",
            Self::DataTraceability => "data_traceability",
        }
    }
}

/// One criterion with what is behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Which.
    pub id: CriterionId,
    /// What it comes to.
    pub result: Judgement,
    /// The point rule as written; `None` where there is none.
    pub contract: Option<Judgement>,
    /// What the number of requests supports; `None` where the question does not arise.
    pub support: Option<Support>,
    /// The figure.
    pub observed: Option<f64>,
    /// What it was held against.
    pub threshold: Option<f64>,
    /// How many requests are behind it.
    pub n: Option<u64>,
    /// Why, in sentences.
    pub explanation: Text,
}

/// One agreed limit, contract result and statistical support apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlaResult {
    /// Its name in the agreement.
    pub item: String,
    /// The metric, such as `ttft_s.p95`.
    pub metric: String,
    /// The tier it applies to; `None` for the totals.
    pub tier: Option<u32>,
    /// The limit as written, such as `<= 2.0`.
    pub limit: String,
    /// Where the contract says so.
    pub source: Option<String>,
    /// The point rule.
    pub contract: Judgement,
    /// What the number of requests supports; `None` for metrics that are no percentile.
    pub support: Option<Support>,
    /// Further requests that would support the limit if none of them exceeds.
    pub further: Option<u64>,
    /// The figure.
    pub observed: Option<f64>,
    /// Planned requests behind it.
    pub n: u64,
}

/// Capacity advice: where to start, and where the test ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// Recommended interactive concurrency (推荐).
    pub interactive: Option<u32>,
    /// Throughput boundary (边界).
    pub boundary: Option<u32>,
    /// Why these, in sentences.
    pub reason: Text,
    /// Highest tier at which the data would support interactive use as well.
    pub supported_up_to: Option<u32>,
    /// The tier from which on throughput had levelled off, if it had.
    pub levelled_off_at: Option<u32>,
    /// What the rule of this tool gives, where the agreement set another tier.
    pub by_rule: Option<u32>,
    /// Who says so.
    pub by: AdvisedBy,
}

/// Who set the interactive tier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdvisedBy {
    /// The rule of docs/metrics.md.
    Rule,
    /// The agreement, with its reason.
    Agreement,
}

/// Names a rule: the six criteria have theirs, a vendor's rule brings its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(pub String);

/// What one rule found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: RuleId,
    /// What it comes to.
    pub result: Judgement,
    /// The point rule, where there is one.
    pub contract: Option<Judgement>,
    /// Statistical support, where the question arises.
    pub support: Option<Support>,
    /// The figure.
    pub observed: Option<f64>,
    /// What it was held against.
    pub threshold: Option<f64>,
    /// How many requests are behind it.
    pub n: Option<u64>,
    /// Why, in sentences.
    pub explanation: Text,
}

/// A test that is still to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Supplementary {
    /// Stable id.
    pub id: String,
    /// What must hold.
    pub condition: Text,
    /// Who answers for it.
    pub owner: Option<String>,
    /// Where.
    pub environment: Option<String>,
    /// By when (RFC 3339 date).
    pub due: Option<String>,
    /// `open`, or what became of it.
    pub state: String,
}
