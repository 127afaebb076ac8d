//! `acceptbench probe`.

use std::sync::Arc;

use acceptreport::{Exit, cli::CommandError};
use load_engine::{Asked, Preflight, preflight, random_hex};
use report_render::Language;
use serde_json::json;
use sse_client::{Clock, Endpoint, RuntimeClock};
use workload_model::{Bounds, RequestShape};

use super::{block_on, scrubbed, target::TargetArguments};
use crate::{
    sweep::{SweepError, clock_offset, redactor, service},
    terminal::{print, warn},
};

#[derive(Debug, clap::Args)]
pub(super) struct Probe {
    #[command(flatten)]
    target: TargetArguments,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
    /// No progress on the way.
    #[arg(long)]
    quiet: bool,
}

impl Probe {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let confidence = self.target.contact.confidence()?;
        let redactor = redactor(&confidence);
        let endpoint = Endpoint::parse(&self.target.url).map_err(SweepError::from)?;
        let service =
            service(&endpoint, &confidence, &self.target.contact.tls(&self.target.url, Language::En))?;
        let (clock, started_at): (Arc<dyn Clock>, _) =
            (Arc::new(RuntimeClock::start()), jiff::Timestamp::now());
        let nonce = random_hex();
        let asked = Asked {
            model: &self.target.model,
            shape: RequestShape::default(),
            timeouts: self.target.contact.timeouts(),
            http: self.target.contact.http(),
            bounds: Bounds::default(),
            nonce: &nonce,
            limits: true,
        };
        let progress = |step| {
            if !self.quiet {
                warn(&format!("asking: {step:?}"));
            }
        };
        let found = block_on(preflight(&service, &clock, &asked, progress))?
            .map_err(|refusal| scrubbed(refusal.into(), &redactor))?;
        let offset = clock_offset(&found, started_at);
        let text =
            if self.json { as_json(&found, &endpoint, &offset) } else { as_text(&found, &endpoint, &offset) };
        print(&redactor.scrub(&text));
        Ok(Exit::Passed)
    }
}

fn as_json(found: &Preflight, endpoint: &Endpoint, offset: &evidence_pack::Clock) -> String {
    json!({
        "url": endpoint.url(),
        "tls": endpoint.is_tls(),
        "tls_version": found.spoken.as_ref().and_then(|spoken| spoken.tls),
        "http": found.spoken.as_ref().map(|spoken| spoken.http),
        "models": found.models,
        "version": found.version,
        "server": found.server,
        "health_path": found.health_path,
        "usage": found.usage,
        "usage_refused": found.usage_refused,
        "reasoning": found.reasoning,
        "ttft_s": found.ttft_us.map(|us| us as f64 / 1e6),
        "e2e_s": found.e2e_us.map(|us| us as f64 / 1e6),
        "prompt_tokens": found.prompt_tokens,
        "output_tokens": found.output_tokens,
        "token_events": found.token_events,
        "finish_reason": found.finish_reason,
        "max_tokens_honoured": found.max_tokens_honoured,
        "ignore_eos_honoured": found.ignore_eos_honoured,
        "clock_offset_ms": offset.offset_ms,
        "dialect_notes": found.dialect_notes,
        "warnings": found.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
    .to_string()
}

fn as_text(found: &Preflight, endpoint: &Endpoint, offset: &evidence_pack::Clock) -> String {
    let or_none = |text: Option<&String>| text.cloned().unwrap_or_else(|| "not told".to_owned());
    let seconds =
        |us: Option<u64>| us.map_or_else(|| "not seen".to_owned(), |us| format!("{:.3} s", us as f64 / 1e6));
    let answer = |known: Option<bool>| match known {
        Some(true) => "yes",
        Some(false) => "no",
        None => "could not be seen",
    };
    let usage = match (&found.usage_refused, found.usage) {
        (Some(_), _) => "refused; a sweep asks without it and counts events",
        (None, Some(true)) => "yes; a sweep counts tokens by the service's own usage",
        (None, Some(false)) => "no; a sweep counts events, which may be too few",
        (None, None) => "could not be seen",
    };
    let health = match &found.health_path {
        Some(path) => format!("{path}; a sweep asks it every second"),
        None => "no path answers; a sweep judges availability by its requests alone".to_owned(),
    };
    let tls = if endpoint.is_tls() { "yes" } else { "no" };
    let spoken = found.spoken.as_ref().map_or_else(
        || "not seen".to_owned(),
        |spoken| match spoken.tls {
            Some(version) => format!("{} over TLS {version}", spoken.http),
            None => spoken.http.to_owned(),
        },
    );
    let offset = offset
        .offset_ms
        .map_or_else(|| "not told".to_owned(), |ms| format!("about {:.1} s (Date header)", ms as f64 / 1e3));
    let models = if found.models.is_empty() { "none listed".to_owned() } else { found.models.join(", ") };
    let mut lines = vec![
        format!("endpoint          {} (TLS: {tls})", endpoint.url()),
        format!("protocol          {spoken}"),
        format!("models            {models}"),
        format!("version           {}", or_none(found.version.as_ref())),
        format!("server            {}", or_none(found.server.as_ref())),
        format!("health            {health}"),
        format!(
            "streaming         {} token events, first after {}",
            found.token_events,
            seconds(found.ttft_us)
        ),
        format!("whole answer      {}", seconds(found.e2e_us)),
        format!("finish reason     {}", or_none(found.finish_reason.as_ref())),
        format!("token counts      {usage}"),
        format!("reasoning field   {}", if found.reasoning { "yes" } else { "not seen" }),
        format!("max_tokens        honoured: {}", answer(found.max_tokens_honoured)),
        format!("ignore_eos        honoured: {}", answer(found.ignore_eos_honoured)),
        format!("clock offset      {offset}"),
    ];
    lines.extend(found.dialect_notes.iter().map(|note| format!("dialect           {note}")));
    lines.extend(found.warnings.iter().map(|warning| format!("warning           {warning}")));
    lines.join("\n")
}
