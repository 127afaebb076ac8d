//! From a package to figures and a verdict: the one way, for the first report and for every later check.

use std::collections::BTreeMap;

pub(crate) use evidence_pack::sha256_hex;
use evidence_pack::{
    Environment, OpenError, Pack, Problem, ReadError, TextError, Verification, VerifyError, verify_bytes,
};
use metrics_core::{
    Calibration, ClientSample, Conditions, Event, Input, Limit, LimitEvidence, Over, PlannedControl,
    PlannedCount, Record, RunFacts, SuccessRule, Summary, judge_limit, summarize,
};
use verdict_rules::{Agreement, AgreementError, Availability, Case, Evidence, RuleSet, Verdict};
use workload_model::{Openings, Plan, SampleSet, Schedule, SetFacts};

use crate::{availability::availability, calibration};

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
    /// The generator's own limits on its host; `None` where it was not calibrated, or by one that does not speak for the run.
    pub calibration: Option<Calibration>,
    /// One a second of the generator's life.
    pub client: Vec<ClientSample>,
    /// What was found, and the decision.
    pub verdict: Verdict,
    read: Read,
}

/// What else was read, so that judging again reads nothing.
#[derive(Debug)]
struct Read {
    evidence_digest: String,
    own_agreement: Option<String>,
    recorded_prompts: u64,
    unique_prompts: bool,
    sample_set: Option<SetFacts>,
    planned: Vec<PlannedCount>,
    controls: Vec<PlannedControl>,
    rules: BTreeMap<String, SuccessRule>,
    events: Vec<Event>,
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
    /// Its evidence is damaged, so far that there is no digest to name it by.
    #[error("assess {dir}: {problem}")]
    Damaged {
        /// The package.
        dir: String,
        /// The first thing that is wrong.
        problem: String,
    },
    /// The agreement cannot be used.
    #[error(transparent)]
    Agreement(AgreementError),
    /// The agreement that was frozen with the run cannot be used, though it could then.
    #[error("{0} (data/agreement.toml is damaged)")]
    OwnAgreement(AgreementError),
}

impl AssessError {
    /// The package is damaged or cut short, rather than none, of a newer format, out of reach, or judged under an
    /// agreement that is none.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Open(error) => error.is_damage(),
            Self::Verify(error) => error.is_damage(),
            Self::Text(error) => error.is_damage(),
            Self::Rows(error) => error.is_damage(),
            Self::CutShort(_) | Self::Damaged { .. } | Self::OwnAgreement(_) => true,
            Self::Agreement(_) => false,
        }
    }
}

impl Assessment {
    /// Computes every figure of a package from its raw rows, and judges it.
    ///
    /// What stands in its `analysis` is compared: figures or a verdict that the rows do not give fail data
    /// traceability. What stands in its `reports` is not looked at.
    ///
    /// # Errors
    /// Where the package cannot be read, its rows are damaged, or the agreement is none.
    pub fn of(pack: &Pack, under: &Under<'_>) -> Result<Self, AssessError> {
        let mut assessment = Self::anew(pack, under, verify_bytes(pack.dir())?)?;
        if !assessment.stale(pack)?.is_empty() {
            assessment.evidence.figures_match = Some(false);
            assessment.verdict = assessment.verdict_under(under)?;
        }
        Ok(assessment)
    }

    /// The same as if there were no analysis yet: what is written into a package, and compared with what stands there.
    pub(crate) fn anew(
        pack: &Pack,
        under: &Under<'_>,
        verification: Verification,
    ) -> Result<Self, AssessError> {
        let Some(evidence_digest) = verification.evidence_digest.clone() else {
            return Err(unlisted(pack, &verification));
        };
        let plan = pack.plan()?;
        let environment = pack.environment()?;
        let samples = pack.samples()?;
        let schedule = pack.schedule_of(&plan, &samples)?;
        let records = pack.requests()?.collect::<Result<Vec<_>, _>>()?;
        let read = Read {
            evidence_digest,
            own_agreement: pack.agreement_text()?,
            recorded_prompts: samples.recorded(),
            unique_prompts: unique_prompts(&samples),
            sample_set: samples.facts.clone(),
            planned: schedule.counts(),
            controls: plan.controls(),
            rules: plan.rules(),
            events: pack.events()?.collect::<Result<_, _>>()?,
        };
        let client: Vec<ClientSample> = pack.client()?.collect::<Result<_, _>>()?;
        let calibration = calibration::speaking(pack.calibration()?, &plan, &environment, &read.events);
        let facts = Facts {
            plan: &plan,
            environment: &environment,
            verification: &verification,
            records: &records,
            client: &client,
            calibration: calibration.as_ref(),
            read: &read,
        };
        let summary = summarize(&facts.input());
        let availability = availability(&plan, &read.events, &records);
        let evidence = evidence(&verification);
        let verdict = facts.judge(&summary, &availability, &evidence, under)?;
        Ok(Self {
            plan,
            environment,
            schedule,
            records,
            verification,
            summary,
            availability,
            evidence,
            calibration,
            client,
            verdict,
            read,
        })
    }

    /// The verdict under another agreement, or under the run's own again. Nothing is read for it.
    ///
    /// # Errors
    /// Where the agreement is none.
    pub fn verdict_under(&self, under: &Under<'_>) -> Result<Verdict, AssessError> {
        self.facts().judge(&self.summary, &self.availability, &self.evidence, under)
    }

    /// What figures are made from.
    pub(crate) fn input(&self) -> Input<'_> {
        self.facts().input()
    }

    /// How many samples of the run are somebody's own words.
    pub(crate) fn recorded_prompts(&self) -> u64 {
        self.read.recorded_prompts
    }

    /// No request opens with the prompt of another.
    pub(crate) fn unique_prompts(&self) -> bool {
        self.read.unique_prompts
    }

    /// What is known of the run's sample set; `None` of the built-in one and of a file of prompts.
    pub(crate) fn sample_set(&self) -> Option<&SetFacts> {
        self.read.sample_set.as_ref()
    }

    fn facts(&self) -> Facts<'_> {
        let Self { plan, environment, verification, records, client, read, .. } = self;
        let calibration = self.calibration.as_ref();
        Facts { plan, environment, verification, records, client, calibration, read }
    }

    /// Figures and verdict that stand in a package and are not what its rows give, relative to the package.
    pub(crate) fn stale(&self, pack: &Pack) -> Result<Vec<&'static str>, AssessError> {
        let own = json_text(&self.verdict_under(&Under::Run)?);
        let stands =
            [(SUMMARY, pack.summary_text(), self.summary_json()), (VERDICT, pack.verdict_text(), own)];
        let differs = |found: Result<Option<String>, TextError>, made: &str| {
            found.map_or(true, |found| found.is_some_and(|found| found != made))
        };
        Ok(stands
            .into_iter()
            .filter_map(|(path, found, made)| differs(found, &made).then_some(path))
            .collect())
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

/// Every figure.
pub(crate) const SUMMARY: &str = "data/analysis/summary.json";

/// The verdict under the run's own agreement.
pub(crate) const VERDICT: &str = "data/analysis/verdict.json";

pub(crate) fn json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("figures and verdicts are finite numbers and text") + "\n"
}

/// Why there is no list of the evidence.
fn unlisted(pack: &Pack, verification: &Verification) -> AssessError {
    let dir = pack.dir().display().to_string();
    let is_cut = |problem: &Problem| matches!(problem, Problem::CutShort { .. });
    let damage = verification.problems.iter().find(|problem| problem.concerns_evidence());
    match damage {
        Some(problem) if !verification.problems.iter().any(is_cut) => {
            AssessError::Damaged { dir, problem: problem.to_string() }
        }
        _ => AssessError::CutShort(dir),
    }
}

/// What figures and verdicts follow from.
struct Facts<'a> {
    plan: &'a Plan,
    environment: &'a Environment,
    verification: &'a Verification,
    records: &'a [Record],
    client: &'a [ClientSample],
    calibration: Option<&'a Calibration>,
    read: &'a Read,
}

impl<'a> Facts<'a> {
    fn input(&self) -> Input<'a> {
        Input {
            run: run_facts(self.environment, self.verification.interrupted),
            evidence_digest: self.read.evidence_digest.clone(),
            planned: &self.read.planned,
            controls: &self.read.controls,
            rules: &self.read.rules,
            records: self.records,
            client: self.client,
            events: &self.read.events,
            calibration: self.calibration,
            conditions: conditions(self.plan, self.environment, self.read.unique_prompts),
        }
    }

    fn judge(
        &self,
        summary: &Summary,
        availability: &Availability,
        evidence: &Evidence,
        under: &Under<'_>,
    ) -> Result<Verdict, AssessError> {
        let (text, invalid): (_, fn(AgreementError) -> AssessError) = match under {
            Under::Run => (self.read.own_agreement.as_deref(), AssessError::OwnAgreement),
            Under::Other(text) => (Some(*text), AssessError::Agreement),
        };
        let agreement = text.map_or_else(|| Ok(Agreement::default()), Agreement::parse).map_err(invalid)?;
        let mut case = Case::new(summary.clone(), agreement, self.plan.tiers());
        case.evidence = evidence.clone();
        case.availability = availability.clone();
        case.limits = limits(&case, &self.input());
        case.agreement_digest = sha256_hex(text.unwrap_or_default());
        case.agreed = text.is_some();
        Ok(RuleSet::standard().judge(&case))
    }
}

fn run_facts(environment: &Environment, interrupted: bool) -> RunFacts {
    RunFacts {
        id: environment.run_id.clone(),
        started_at: environment.started_at.clone(),
        duration_s: None,
        interrupted,
    }
}

/// No request but one may open with its prompt: neither shared prefixes nor turns of a conversation are in the set.
fn unique_prompts(samples: &SampleSet) -> bool {
    let shared = samples.facts.as_ref().is_some_and(|facts| facts.openings == Openings::Shared);
    !shared && samples.measured.iter().all(|sample| sample.turn.is_none())
}

fn conditions(plan: &Plan, environment: &Environment, unique_prompts: bool) -> Conditions {
    Conditions {
        co_located: environment.target.co_located,
        unoptimised: !environment.tool.optimised,
        unique_prompts,
        output_capped: output_is_set(plan),
        insecure_tls: environment.target.insecure_tls,
        pauses: pauses(plan),
    }
}

/// Requests ask for a length of their outputs: one maximum for all, or what each sample says.
fn output_is_set(plan: &Plan) -> bool {
    plan.request.max_tokens.is_some() || !plan.request.output.is_natural()
}

/// Measured closed loops pause between an answer and the next request of its place.
pub(crate) fn pauses(plan: &Plan) -> bool {
    plan.stage.iter().any(|stage| stage.kind.measured() && !stage.is_open() && !stage.think.is_none())
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
    let check = verification.schedule.unwrap_or_default();
    Evidence {
        // Rows that do not chain are never read so far: they are an error before.
        chain_intact: Some(true),
        digests_match: Some(problems.is_empty()),
        figures_match: Some(true),
        rows_missing: check.missing,
        rows_unplanned: check.unplanned + check.duplicated,
        interrupted: verification.interrupted,
        problems,
    }
}

fn limits(case: &Case, input: &Input<'_>) -> Vec<Option<LimitEvidence>> {
    let judge = |item: &verdict_rules::SlaItem| {
        // A tier or group that the run does not have is not judged.
        case.planned_and_finished(item.tier, item.group.as_deref())?;
        let limit: Limit = item.limit.parse().ok()?;
        judge_limit(
            input,
            Over { tier: item.tier, group: item.group.as_deref() },
            &item.metric,
            limit.comparison,
            limit.value,
        )
        .ok()
    };
    case.agreement.sla.iter().map(judge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(further: &str) -> Plan {
        let text = format!(
            "format = 1\n{further}\n[target]\nurl = \"http://h/v1\"\nmodel = \"m\"\n\
             [[stage]]\nname = \"w\"\nkind = \"warm_up\"\nconcurrency = [1]\nrequests = 1\nthink = {{ mean_s = 1.0 }}\n\
             [[stage]]\nname = \"s\"\nkind = \"step\"\nconcurrency = [1, 2]\nrequests = 20\n"
        );
        Plan::parse(&text).expect("the plan is one")
    }

    #[test]
    fn a_length_that_was_asked_for_is_one_by_whatever_it_was_set() {
        assert!(!output_is_set(&plan("")));
        for set in ["max_tokens = 8", "output = \"capped\"", "output = \"fixed\""] {
            assert!(output_is_set(&plan(&format!("[request]\n{set}"))), "{set}");
        }
    }

    #[test]
    fn only_pauses_of_measured_stages_leave_a_tier_idle() {
        let mut plan = plan("");
        assert!(!pauses(&plan), "a warm-up may pause");
        plan.stage[1].think.mean_s = 0.5;
        assert!(pauses(&plan));
    }
}
