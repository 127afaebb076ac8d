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

/// What stands behind a result that is no pass, so that the next step can follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Cause {
    /// The run did not do all of its plan: it was interrupted, or a bound stopped it.
    Unfinished,
    /// An agreed tier was not in the plan, or none was agreed or planned at all.
    NotPlanned,
    /// Rows are missing against the frozen schedule, or there are others.
    RowsDiffer,
    /// Evidence is damaged, or figures do not follow from it.
    EvidenceDamaged,
    /// Evidence has not been checked.
    EvidenceUnchecked,
    /// The load generator hit a limit of its own, which may be why.
    GeneratorLimited,
    /// The load generator has no samples of itself, in a tier or at all.
    GeneratorUnsampled,
    /// No request was sent.
    NothingSent,
    /// No health check was answered as ready, and there were too few requests to speak for the service.
    TooLittleSeen,
    /// The service was away for a time: a restart, an unready spell, refused connections.
    Outage,
    /// Not one request brought an answer of the model.
    NothingAnswered,
    /// Requests failed.
    FailedRequests,
    /// A figure misses what was agreed.
    LimitMissed,
    /// There are no token counts.
    NoTokenCounts,
    /// Tokens were counted by events, which is an estimate.
    TokensEstimated,
    /// One tier alone shows no trend, or none up to the default ran.
    TooFewTiers,
    /// No tier suits interactive use or as a boundary, or the agreed one does not.
    NoTierSuits,
    /// The tier of an agreed limit has not one finished request.
    TierNotRun,
    /// The agreement names a group of which the run sent nothing.
    GroupNotRun,
    /// The figure of an agreed limit does not exist.
    NotMeasured,
    /// Gaps between events are finer than the load generator could time.
    GapsUnsupported,
    /// A rule beside the six says so.
    OtherRule,
}

/// One criterion with what is behind it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Which.
    pub id: CriterionId,
    /// What it comes to.
    pub result: Judgement,
    /// What stands behind it; `None` where it passes.
    #[serde(default)]
    pub cause: Option<Cause>,
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
    /// The group it applies to; `None` for all groups together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The limit as written, such as `<= 2.0`.
    pub limit: String,
    /// Where the contract says so.
    pub source: Option<String>,
    /// The point rule.
    pub contract: Judgement,
    /// What stands behind it; `None` where it passes.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// What the number of requests supports. `None` where the tier did not run, for gaps between events, which are not
    /// independent, and for metrics that are neither a percentile nor a share.
    pub support: Option<Support>,
    /// Further requests that would support the limit if none of them exceeds.
    pub further: Option<u64>,
    /// The figure.
    pub observed: Option<f64>,
    /// Planned requests behind it; for gaps between events, gaps, those of requests that are not effective estimated.
    pub n: u64,
    /// How many of `n` violate the limit, those that are not effective among them; `None` for rates and where nothing
    /// was judged. For a mean only those that are not effective, each of which makes it exceed.
    #[serde(default)]
    pub exceeding: Option<u64>,
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
    /// The lowest tier at which throughput had levelled off, if it had anywhere.
    pub levelled_off_at: Option<u32>,
    /// Every tier at which it had, from the lowest up.
    #[serde(default)]
    pub levelled_off: Vec<LevelledOff>,
    /// What the rule of this tool gives, where the agreement set another tier.
    pub by_rule: Option<u32>,
    /// Who says so.
    pub by: AdvisedBy,
}

/// A tier whose sustained Output TPS is hardly above that of the tier before it, or below.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LevelledOff {
    /// The tier.
    pub tier: u32,
    /// The next lower tier with this figure.
    pub before: u32,
    /// What it gained over that tier, as a share of it: 0.03 for 3% more, −0.83 for a drop by 83%.
    pub gain: f64,
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
    /// What stands behind it, where the rule says so.
    #[serde(default)]
    pub cause: Option<Cause>,
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
