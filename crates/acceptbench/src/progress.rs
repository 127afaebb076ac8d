//! What a run shows while it goes on: a bar on a terminal, a line a tier elsewhere.

use std::{collections::BTreeMap, io::IsTerminal as _, time::Duration};

use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use load_engine::RunEvent;
use metrics_core::{Happening, Outcome, Record, SuccessRule, classify};
use report_render::Language;
use workload_model::{CONTROL_RECORDING_STAGE, CONTROL_THREADS_STAGE, WARM_UP_STAGE};

use crate::terminal::warn;

/// Longest wait that the live display tells apart from longer ones.
const A_DAY_US: u64 = 86_400_000_000;

/// Shows how far a run is.
#[derive(Debug)]
pub(crate) struct Progress {
    rules: BTreeMap<String, SuccessRule>,
    language: Language,
    bar: Option<ProgressBar>,
    quiet: bool,
    tier: Option<Tier>,
}

#[derive(Debug)]
struct Tier {
    name: String,
    planned: u64,
    settled: u64,
    failed: u64,
    not_sent: u64,
    output_tokens: u64,
    // Microseconds; for the eye alone, figures come from the rows.
    ttft: Histogram<u64>,
}

impl Progress {
    /// Shows a run of `planned` requests, judged by `rules`.
    #[must_use]
    pub(crate) fn new(
        planned: u64,
        rules: BTreeMap<String, SuccessRule>,
        language: Language,
        quiet: bool,
    ) -> Self {
        let on_terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = on_terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(planned), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{msg:52} {bar:24} {pos}/{len}  {elapsed}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Self { rules, language, bar, quiet, tier: None }
    }

    pub(crate) fn note(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Settled { record, .. } => self.settled(record),
            RunEvent::Happened(event) => self.happened(&event.what),
            RunEvent::Sampled(_) => {}
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn happened(&mut self, what: &Happening) {
        match what {
            Happening::TierStarted { stage, tier, planned } => {
                let name = tier_name(stage, *tier, self.language);
                self.tier = Some(Tier::new(name, *planned));
            }
            Happening::TierEnded { .. } => {
                if let Some(tier) = self.tier.take() {
                    self.line(&tier.line(self.language));
                }
            }
            Happening::Stopped { by } => self.line(&stopped_by(by, self.language)),
            _ => {}
        }
    }

    fn settled(&mut self, record: &Record) {
        let Some(tier) = &mut self.tier else { return };
        let rule = self.rules.get(&record.group).cloned().unwrap_or_default();
        if record.attempt > 0 {
            // The try before it came to nothing, and was counted as that.
            tier.failed = tier.failed.saturating_sub(1);
        } else {
            tier.settled += 1;
        }
        match classify(&record.facts, &rule) {
            Outcome::Effective => {}
            Outcome::NotSent => tier.not_sent += 1,
            _ => tier.failed += 1,
        }
        tier.output_tokens += record.facts.output_tokens.map_or(0, |tokens| tokens.0);
        if let Some(ttft) = record.facts.ttft() {
            tier.ttft.saturating_record(ttft.0);
        }
        if let Some(bar) = &self.bar {
            bar.set_message(tier.line(self.language));
            bar.inc(u64::from(record.attempt == 0));
        }
    }

    fn line(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None if self.quiet => {}
            None => warn(line),
        }
    }
}

impl Tier {
    fn new(name: String, planned: u64) -> Self {
        let ttft = Histogram::new_with_bounds(1, A_DAY_US, 3)
            .expect("three significant digits are within what a histogram takes");
        Self { name, planned, settled: 0, failed: 0, not_sent: 0, output_tokens: 0, ttft }
    }

    fn line(&self, l: Language) -> String {
        let Self { name, planned, settled, failed, not_sent, output_tokens, ttft } = self;
        let finished = settled - not_sent;
        let some = |count: &u64, en: &str, zh: &str| {
            if *count == 0 {
                String::new()
            } else {
                l.say(format!(", {count} {en}"), format!("，{zh} {count}"))
            }
        };
        let failed = some(failed, "not effective", "未成功") + &some(not_sent, "never sent", "未发送");
        let ttft = if ttft.is_empty() {
            String::new()
        } else {
            let seconds = ttft.value_at_quantile(0.5) as f64 / 1e6;
            l.say(format!(", TTFT P50 {seconds:.3} s"), format!("，TTFT P50 {seconds:.3} 秒"))
        };
        l.say(
            format!("{name}: {finished}/{planned}{failed}, {output_tokens} output tokens{ttft}"),
            format!("{name}：完成 {finished}/{planned}{failed}，输出 {output_tokens} 个 Token{ttft}"),
        )
    }
}

fn tier_name(stage: &str, tier: u32, l: Language) -> String {
    match stage {
        WARM_UP_STAGE => l.say("warm-up", "预热").to_owned(),
        CONTROL_THREADS_STAGE => {
            l.say(format!("C{tier} with more threads"), format!("C{tier} 对照（线程加倍）"))
        }
        CONTROL_RECORDING_STAGE => {
            l.say(format!("C{tier} with less recording"), format!("C{tier} 对照（减少记录）"))
        }
        _ => format!("C{tier}"),
    }
}

/// Why a run ended before its plan was done, by the word in its events.
pub(crate) fn stopped_by(by: &str, l: Language) -> String {
    let in_chinese = match by {
        "interrupt" => "人工中断",
        "max_requests" => "达到请求数上限",
        "max_output_tokens" => "达到输出 Token 上限",
        "max_duration" => "达到时长上限",
        "max_errors" => "达到未成功请求数上限",
        "no_room" => "在途请求数超出系统可用的文件数或端口数",
        "evidence_lost" => "证据无法写入",
        _ => "其他",
    };
    l.say(
        format!("stopped before the plan was done, by: {by}"),
        format!("提前终止，原因：{in_chinese}（{by}）"),
    )
}
