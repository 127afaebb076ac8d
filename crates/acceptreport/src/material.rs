//! From an assessment to what a report says.

use evidence_pack::Pack;
use metrics_core::{ClientSample, FailedRequest, Micros, Percent, TokenSource, failed_requests, percentile};
use report_render::{
    ArchiveEntry, Document, FailureExample, GeneratorSample, Language, Material, PlannedTier, Project,
    PromptSource, Prompts, Requests, Scope, Sending, TimeOuts, Transport, chart_names,
};
use verdict_rules::Verdict;
use workload_model::{BUILTIN_SET, SetFacts, Stage, StageKind};

use crate::{
    assess::{Assessment, json_text, pauses, sha256_hex},
    report::{Format, MONITORING},
    settings::Settings,
};

/// The list of the evidence's digests, whose own digest is the evidence digest.
pub(crate) const EVIDENCE_LIST: &str = "evidence-sha256.txt";

/// How the version of the simulator that comes with the tool ends.
const SIMULATED: &str = "+sim";

/// Most examples of failed requests in a report.
const EXAMPLES: usize = 20;

impl Assessment {
    /// What a report of this package says, under a verdict that was made from it and with these settings.
    #[must_use]
    pub fn material(&self, pack: &Pack, verdict: &Verdict, settings: &Settings) -> Material {
        let mut material = Material {
            summary: self.summary.clone(),
            verdict: verdict.clone(),
            sample_set: self.sample_set().cloned(),
            scope: self.scope(settings),
            failures: self.failures(),
            archive: Vec::new(),
            availability: Some(self.availability.clone()),
            evidence: Some(self.evidence.clone()),
            calibration: self.calibration.clone(),
            generator: self.generator(),
            requests: Requests::of(&self.input()),
        };
        material.archive = self.archive(pack, &material, settings);
        material
    }

    /// The generator's own timeline, with what is shown of each second.
    fn generator(&self) -> Vec<GeneratorSample> {
        let is = |kind: StageKind, stage: Option<&str>| {
            self.plan.stage.iter().any(|known| Some(known.name.as_str()) == stage && known.kind == kind)
        };
        let sample = |sample: &ClientSample| {
            let mut delays = sample.timer_delay_us.clone();
            delays.sort_unstable();
            GeneratorSample {
                at: sample.at.into(),
                tier: sample.tier,
                warm_up: is(StageKind::WarmUp, sample.stage.as_deref()),
                control: is(StageKind::Control, sample.stage.as_deref()),
                cpu: sample.cpu,
                host_cpu: sample.host_cpu,
                timer_delay_p99: percentile(&delays, Percent::P99).map(|delay| Micros(delay).into()),
                connections: sample.connections,
                queue_depth: sample.queue_depth,
            }
        };
        self.client.iter().map(sample).collect()
    }

    fn scope(&self, settings: &Settings) -> Scope {
        let (plan, environment) = (&self.plan, &self.environment);
        let project = settings.project(plan.project.as_ref());
        let measured = plan.stage.iter().filter(|stage| stage.kind.measured());
        let requests_of = |kind: StageKind| {
            let stages = plan.stage.iter().filter(|stage| stage.kind == kind);
            stages.flat_map(Stage::steps).map(|(_, requests)| requests).sum()
        };
        Scope {
            project: on_cover(project),
            model: plan.target.model.clone(),
            endpoint: plan.target.url.clone(),
            tiers: measured
                .flat_map(|stage| stage.steps())
                .map(|(concurrency, requests)| PlannedTier { concurrency, requests })
                .collect(),
            groups: plan.group.clone(),
            sending: Sending {
                open: plan.stage.iter().any(|stage| stage.kind.measured() && stage.is_open()),
                pauses: pauses(plan),
                conversations: self.schedule.slots.iter().any(|slot| slot.measured && slot.turn.is_some()),
            },
            warm_up: requests_of(StageKind::WarmUp),
            control: requests_of(StageKind::Control),
            streaming: true,
            output: plan.request.output,
            max_tokens: plan.request.max_tokens,
            temperature: plan.request.temperature,
            backend: plan.target.backend.clone(),
            quantisation: plan.target.quantisation.clone(),
            hardware: plan.target.hardware.clone(),
            version_stated: plan.target.service_version.clone(),
            version_observed: environment.target.version.clone(),
            prompts: Prompts {
                source: prompt_source(&plan.samples.set, self.sample_set()),
                unique_opening: self.unique_prompts(),
                recorded: self.recorded_prompts(),
            },
            token_source: self.token_source(),
            tokenizer: None,
            time_outs: TimeOuts {
                connect_s: plan.timeouts.connect_s,
                first_token_s: plan.timeouts.first_token_s,
                stall_s: plan.timeouts.stall_s,
                total_s: plan.timeouts.total_s,
            },
            client_location: environment.location.clone(),
            transport: environment.target.http.clone().map(|http| Transport {
                http,
                tls: environment.target.tls.clone(),
                unchecked: environment.target.insecure_tls,
                client_cert: plan.client.client_cert.clone(),
            }),
            headers: environment.target.headers.clone(),
            client_host: Some(host(&environment.host)),
            tool_version: format!("{} {}", environment.tool.name, environment.tool.version),
            build_profile: environment.tool.profile.clone(),
            simulated: environment
                .target
                .version
                .as_deref()
                .is_some_and(|version| version.ends_with(SIMULATED)),
        }
    }

    /// Everything that belongs to the package, in the order in which it came about. Figures and verdict are made before
    /// any document, from the rows alone; so their digests are known here, while those of documents are not. The charts are
    /// those of the documents that say everything but this list.
    fn archive(&self, pack: &Pack, material: &Material, settings: &Settings) -> Vec<ArchiveEntry> {
        let verdict = &material.verdict;
        let entry = |path: String, sha256: Option<String>| ArchiveEntry {
            path: format!("data/{path}"),
            sha256,
            what: None,
            language: None,
        };
        let mut entries = vec![entry(EVIDENCE_LIST.to_owned(), self.verification.evidence_digest.clone())];
        entries.extend(
            pack.evidence_list().iter().map(|(path, sha256)| entry(path.clone(), Some(sha256.clone()))),
        );
        entries.push(entry("analysis/summary.json".to_owned(), Some(sha256_hex(&self.summary_json()))));
        if !is_own(pack, verdict) {
            let agreement = &verdict.agreement_digest;
            entries.push(entry(format!("analysis/verdicts/{agreement}.toml"), Some(agreement.clone())));
        }
        entries.push(entry(verdict_path(pack, verdict), Some(sha256_hex(&json_text(verdict)))));
        for language in Language::ALL {
            let documents = Format::ALL.map(|format| format.document(language));
            let documents = documents.into_iter().map(|name| (name, None));
            let charts = chart_names(&Document::new(material, language));
            let charts = charts.into_iter().map(|(name, title)| (name, Some(title)));
            entries.extend(documents.chain(charts).map(|(name, what)| ArchiveEntry {
                what,
                language: Some(language),
                ..entry(format!("reports/{name}"), None)
            }));
        }
        entries.push(entry(format!("reports/{MONITORING}"), None));
        let settings = settings.files().into_iter();
        entries
            .extend(settings.map(|(name, bytes)| entry(format!("reports/{name}"), Some(sha256_hex(&bytes)))));
        entries
    }

    fn token_source(&self) -> Option<TokenSource> {
        let mut sources = self.records.iter().filter_map(|record| record.facts.token_source);
        let first = sources.next()?;
        sources.all(|source| source == first).then_some(first)
    }

    fn failures(&self) -> Vec<FailureExample> {
        let failed = failed_requests(&self.input(), EXAMPLES);
        failed.into_iter().map(|request| self.example(request)).collect()
    }

    fn example(&self, request: FailedRequest) -> FailureExample {
        let at = request.facts.end.and_then(|end| {
            let start: jiff::Timestamp = self.environment.started_at.parse().ok()?;
            let span = jiff::SignedDuration::from_micros(i64::try_from(end.0).ok()?);
            start.checked_add(span).ok()
        });
        FailureExample {
            seq: request.seq,
            tier: request.tier,
            outcome: request.outcome,
            request_id: request.facts.request_id,
            message: request.facts.error.map(|fault| fault.message),
            at: at.map(|at| at.to_string()),
        }
    }
}

/// The names of a project as a cover has them.
pub(crate) fn on_cover(project: workload_model::Project) -> Project {
    Project {
        name: project.name,
        customer: project.customer,
        supplier: project.supplier,
        contract: project.contract,
        third_party: project.third_party,
        number: project.number,
        issued: project.issued,
    }
}

fn prompt_source(set: &str, facts: Option<&SetFacts>) -> PromptSource {
    if let Some(facts) = facts {
        return PromptSource::Set { name: facts.name.clone() };
    }
    match set.strip_prefix("file:") {
        Some(name) => PromptSource::File { name: name.to_owned(), sha256: None },
        None if set == BUILTIN_SET => PromptSource::BuiltIn { set: set.to_owned() },
        None => PromptSource::File { name: set.to_owned(), sha256: None },
    }
}

fn host(host: &evidence_pack::Host) -> String {
    let memory = host.memory_bytes.map_or_else(String::new, |bytes| format!(", {} GiB", bytes >> 30));
    format!("{} {}, {}/{} CPU{memory}", host.os, host.arch, host.cpus_allowed, host.cpus)
}

/// Where a verdict stands below `data/`.
pub(crate) fn verdict_path(pack: &Pack, verdict: &Verdict) -> String {
    if is_own(pack, verdict) {
        "analysis/verdict.json".to_owned()
    } else {
        format!("analysis/verdicts/{}.json", verdict.agreement_digest)
    }
}

/// The verdict is the one under the run's own agreement, or under none where the run had none.
fn is_own(pack: &Pack, verdict: &Verdict) -> bool {
    match pack.evidence_list().get("agreement.toml") {
        Some(digest) => verdict.agreed && verdict.agreement_digest == *digest,
        None => !verdict.agreed,
    }
}
