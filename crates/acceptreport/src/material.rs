//! From an assessment to what a report says.

use evidence_pack::Pack;
use metrics_core::{Outcome, Record, SuccessRule, TokenSource, classify};
use report_render::{
    ArchiveEntry, FailureExample, Material, PlannedTier, Project, PromptSource, Prompts, Scope, TimeOuts,
};
use verdict_rules::Verdict;
use workload_model::BUILTIN_SET;

use crate::assess::Assessment;

/// Most examples of failed requests in a report.
const EXAMPLES: usize = 20;

impl Assessment {
    /// What a report of this package says, under a verdict that was made from it.
    #[must_use]
    pub fn material(&self, pack: &Pack, verdict: &Verdict) -> Material {
        Material {
            summary: self.summary.clone(),
            verdict: verdict.clone(),
            scope: self.scope(),
            failures: self.failures(),
            archive: archive(pack),
            availability: Some(self.availability.clone()),
            evidence: Some(self.evidence.clone()),
        }
    }

    fn scope(&self) -> Scope {
        let (plan, environment) = (&self.plan, &self.environment);
        let project = plan.project.clone().unwrap_or_default();
        let measured = plan.stage.iter().filter(|stage| stage.kind.measured());
        let warm_up = plan.stage.iter().filter(|stage| !stage.kind.measured());
        Scope {
            project: Project {
                name: project.name,
                customer: project.customer,
                supplier: project.supplier,
                contract: project.contract,
            },
            model: plan.target.model.clone(),
            endpoint: plan.target.url.clone(),
            tiers: measured
                .flat_map(|stage| stage.steps())
                .map(|(concurrency, requests)| PlannedTier { concurrency, requests })
                .collect(),
            warm_up: warm_up.flat_map(|stage| stage.steps()).map(|(_, requests)| requests).sum(),
            streaming: true,
            max_tokens: plan.request.max_tokens,
            temperature: plan.request.temperature,
            backend: plan.target.backend.clone(),
            quantisation: plan.target.quantisation.clone(),
            hardware: plan.target.hardware.clone(),
            version_stated: plan.target.service_version.clone(),
            version_observed: environment.target.version.clone(),
            prompts: Prompts { source: prompt_source(&plan.samples.set), unique_opening: true },
            token_source: self.token_source(),
            tokenizer: None,
            time_outs: TimeOuts {
                connect_s: plan.timeouts.connect_s,
                first_token_s: plan.timeouts.first_token_s,
                stall_s: plan.timeouts.stall_s,
                total_s: plan.timeouts.total_s,
            },
            client_location: environment.location.clone(),
            client_host: Some(host(&environment.host)),
            tool_version: format!("{} {}", environment.tool.name, environment.tool.version),
            build_profile: environment.tool.profile.clone(),
        }
    }

    fn token_source(&self) -> Option<TokenSource> {
        let mut sources = self.records.iter().filter_map(|record| record.facts.token_source);
        let first = sources.next()?;
        sources.all(|source| source == first).then_some(first)
    }

    fn failures(&self) -> Vec<FailureExample> {
        let rules = self.plan.rules();
        let measured = |record: &&Record| {
            self.plan.stage.iter().any(|stage| stage.name == record.stage && stage.kind.measured())
        };
        let outcome = |record: &Record| {
            let rule = rules.get(&record.group).cloned();
            classify(&record.facts, &rule.unwrap_or_else(SuccessRule::default))
        };
        let mut failed: Vec<(&Record, Outcome)> = self
            .records
            .iter()
            .filter(measured)
            .map(|record| (record, outcome(record)))
            .filter(|(_, outcome)| *outcome != Outcome::Effective)
            .collect();
        failed.sort_by_key(|(record, _)| record.seq);
        failed.into_iter().take(EXAMPLES).map(|(record, outcome)| self.example(record, outcome)).collect()
    }

    fn example(&self, record: &Record, outcome: Outcome) -> FailureExample {
        let at = record.facts.end.and_then(|end| {
            let start: jiff::Timestamp = self.environment.started_at.parse().ok()?;
            let span = jiff::SignedDuration::from_micros(i64::try_from(end.0).ok()?);
            start.checked_add(span).ok()
        });
        FailureExample {
            seq: record.seq,
            tier: record.tier,
            outcome,
            request_id: record.facts.request_id.clone(),
            message: record.facts.error.as_ref().map(|fault| fault.message.clone()),
            at: at.map(|at| at.to_string()),
        }
    }
}

fn prompt_source(set: &str) -> PromptSource {
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

fn archive(pack: &Pack) -> Vec<ArchiveEntry> {
    let entry = |(path, sha256): (&String, &String)| ArchiveEntry {
        path: format!("data/{path}"),
        sha256: sha256.clone(),
        what: None,
    };
    pack.evidence_list().iter().map(entry).collect()
}
