//! From a package to figures and a verdict: the one way, for the first report and for every later check.

use evidence_pack::{
    Environment, OpenError, Pack, ReadError, TextError, Verification, VerifyError, verify_bytes,
};
use metrics_core::{
    Conditions, Input, Limit, LimitEvidence, Record, RunFacts, Summary, judge_limit, summarize,
};
use sha2::{Digest, Sha256};
use verdict_rules::{Agreement, AgreementError, Availability, Case, Evidence, RuleSet, Verdict};
use workload_model::{Plan, Schedule};

use crate::availability::availability;

/// Everything that follows from a package.
#[derive(Debug)]
pub struct Assessment {
    /// The frozen plan.
    pub plan: Plan,
    /// What stood around the run.
    pub environment: Environment,
    /// The frozen schedule.
    pub schedule: Schedule,
    /// Every row.
    pub records: Vec<Record>,
    /// What the bytes of the package amount to.
    pub verification: Verification,
    /// Every figure.
    pub summary: Summary,
    /// Whether the service was there all through.
    pub availability: Availability,
    /// What the check of the evidence found.
    pub evidence: Evidence,
    /// What was found, and the decision.
    pub verdict: Verdict,
}

/// Under which agreement a package is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Under<'t> {
    /// The run's own; the defaults where it had none.
    Run,
    /// Another one, given as its text.
    Other(&'t str),
}

/// A package cannot be assessed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssessError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its bytes cannot be checked.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A text in it cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// Rows in it are damaged.
    #[error(transparent)]
    Rows(#[from] ReadError),
    /// It was cut short, and has no evidence digest yet.
    #[error(
        "assess {0}: the run was cut short before its evidence was sealed (complete it with `acceptbench finalize {0}`)"
    )]
    CutShort(String),
    /// The agreement cannot be used.
    #[error(transparent)]
    Agreement(#[from] AgreementError),
}

impl Assessment {
    /// Computes every figure of a package from its raw rows, and judges it.
    ///
    /// What stands in its `analysis` and `reports` is not looked at.
    ///
    /// # Errors
    /// Where the package cannot be read, its rows are damaged, or the agreement is none.
    pub fn of(pack: &Pack, under: &Under<'_>) -> Result<Self, AssessError> {
        let verification = verify_bytes(pack.dir())?;
        let Some(evidence_digest) = verification.evidence_digest.clone() else {
            return Err(AssessError::CutShort(pack.dir().display().to_string()));
        };
        let own_agreement = pack.agreement_text()?;
        let agreement_text = match under {
            Under::Run => own_agreement.as_deref(),
            Under::Other(text) => Some(*text),
        };
        let agreement = agreement_text.map_or_else(|| Ok(Agreement::default()), Agreement::parse)?;
        let plan = pack.plan()?;
        let environment = pack.environment()?;
        let schedule = pack.schedule()?;
        let records = pack.requests()?.collect::<Result<Vec<_>, _>>()?;
        let events = pack.events()?.collect::<Result<Vec<_>, _>>()?;
        let client = pack.client()?.collect::<Result<Vec<_>, _>>()?;

        let planned = schedule.counts();
        let rules = plan.rules();
        let input = Input {
            run: run_facts(&environment, verification.interrupted),
            evidence_digest,
            planned: &planned,
            rules: &rules,
            records: &records,
            client: &client,
            events: &events,
            conditions: conditions(&plan, &environment),
        };
        let summary = summarize(&input);
        let availability = availability(&plan, &events, &records);
        let evidence = evidence(&verification);
        let mut case = Case::new(summary.clone(), agreement, plan.tiers());
        case.evidence = evidence.clone();
        case.availability = availability.clone();
        case.limits = limits(&case, &input);
        case.agreement_digest = sha256_hex(agreement_text.unwrap_or_default());
        case.agreed = agreement_text.is_some();
        let verdict = RuleSet::standard().judge(&case);
        Ok(Self {
            plan,
            environment,
            schedule,
            records,
            verification,
            summary,
            availability,
            evidence,
            verdict,
        })
    }

    /// The text of `analysis/summary.json`.
    #[must_use]
    pub fn summary_json(&self) -> String {
        json_text(&self.summary)
    }

    /// The text of `analysis/verdict.json`.
    #[must_use]
    pub fn verdict_json(&self) -> String {
        json_text(&self.verdict)
    }
}

pub(crate) fn json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("figures and verdicts are finite numbers and text") + "\n"
}

pub(crate) fn sha256_hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn run_facts(environment: &Environment, interrupted: bool) -> RunFacts {
    RunFacts {
        id: environment.run_id.clone(),
        started_at: environment.started_at.clone(),
        duration_s: None,
        interrupted,
    }
}

fn conditions(plan: &Plan, environment: &Environment) -> Conditions {
    Conditions {
        co_located: environment.target.co_located,
        unoptimised: !environment.tool.optimised,
        unique_prompts: true,
        output_capped: plan.request.max_tokens.is_some(),
    }
}

/// What the check of the bytes says about the evidence. Documents and analysis are made from it, and made anew by
/// whoever assesses it; what is wrong with them is `verify`'s to say.
fn evidence(verification: &Verification) -> Evidence {
    let problems: Vec<String> = verification
        .problems
        .iter()
        .filter(|problem| problem.concerns_evidence())
        .map(ToString::to_string)
        .collect();
    let mut evidence = Evidence::default();
    // Rows that do not chain are never read so far: they are an error before.
    evidence.chain_intact = Some(true);
    evidence.digests_match = Some(problems.is_empty());
    evidence.figures_match = Some(true);
    if let Some(check) = verification.schedule {
        evidence.rows_missing = check.missing;
        evidence.rows_unplanned = check.unplanned + check.duplicated;
    }
    evidence.interrupted = verification.interrupted;
    evidence.problems = problems;
    evidence
}

fn limits(case: &Case, input: &Input<'_>) -> Vec<Option<LimitEvidence>> {
    let judge = |item: &verdict_rules::SlaItem| {
        if item.tier.is_some_and(|tier| case.tier(tier).is_none()) {
            return None;
        }
        let limit: Limit = item.limit.parse().ok()?;
        judge_limit(input, item.tier, &item.metric, limit.comparison, limit.value).ok()
    };
    case.agreement.sla.iter().map(judge).collect()
}
