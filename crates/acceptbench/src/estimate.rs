//! What a run will cost, before it is begun.

use std::collections::HashMap;

use load_engine::Preflight;
use report_render::Language;
use workload_model::{Output, Plan, Sample, SampleSet, Schedule, Slot};

/// What a run will cost, as far as can be told from one answer of the preflight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Requests, warm-up and control included. Known, not estimated.
    pub requests: u64,
    /// Input tokens, as samples say, else from the length of the prompts.
    pub input_tokens: u64,
    /// Output tokens; `None` where the preflight saw no answer and no maximum was asked for.
    pub output_tokens: Option<u64>,
    /// Seconds if concurrency cost nothing, and if it gained nothing; pauses of users are in both.
    pub seconds: Option<(f64, f64)>,
}

impl Estimate {
    /// Reckons.
    #[must_use]
    pub fn of(plan: &Plan, schedule: &Schedule, samples: &SampleSet, found: &Preflight) -> Self {
        let requests = schedule.slots.len() as u64;
        let all = samples.measured.iter().chain(&samples.warm_up);
        let input = |sample: &Sample| sample.lengths.input.unwrap_or_else(|| sample.about_tokens());
        let lengths: HashMap<&str, (u64, Option<u64>)> =
            all.map(|sample| (sample.id.as_str(), (input(sample), sample.lengths.output))).collect();
        let of = |slot: &Slot| lengths.get(&*slot.sample).copied().unwrap_or_default();
        let most = |asked: Option<u64>| match plan.request.output {
            Output::Natural => plan.request.max_tokens,
            Output::Capped | Output::Fixed => asked.into_iter().chain(plan.request.max_tokens).min(),
        };
        let answer = |slot: &Slot| match (found.output_tokens, most(of(slot).1)) {
            (_, Some(most)) if plan.request.output == Output::Fixed => Some(most),
            (Some(seen), Some(most)) => Some(seen.min(most)),
            (seen, most) => seen.or(most),
        };
        let seconds = found.e2e_us.map(|e2e| {
            let each = e2e as f64 / 1e6;
            let mut bounds = (0.0, 0.0);
            for step in
                schedule.slots.chunk_by(|one, other| (&one.stage, one.tier) == (&other.stage, other.tier))
            {
                let places = f64::from(step[0].tier.unwrap_or(1));
                let pauses = step.iter().map(|slot| slot.pause_us as f64 / 1e6).sum::<f64>() / places;
                bounds.0 += (step.len() as f64 / places).ceil() * each + pauses;
                bounds.1 += step.len() as f64 * each + pauses;
            }
            bounds
        });
        Self {
            requests,
            input_tokens: schedule.slots.iter().map(|slot| of(slot).0).sum(),
            output_tokens: schedule.slots.iter().map(answer).sum(),
            seconds,
        }
    }
}

impl Estimate {
    /// The estimate in words.
    #[must_use]
    pub fn words(&self, l: Language) -> String {
        let Self { requests, input_tokens, .. } = self;
        let output = match self.output_tokens {
            Some(tokens) => {
                l.say(format!(" and {tokens} output tokens"), format!("、输出约 {tokens} 个 Token"))
            }
            None => l
                .say(", output unknown (the preflight saw no answer)", "，输出量未知（预检未得到应答）")
                .to_owned(),
        };
        let duration = match self.seconds {
            Some((best, worst)) => {
                let (best, worst) = (duration(best, l), duration(worst, l));
                l.say(format!("{best} to {worst}"), format!("预计 {best}至 {worst}"))
            }
            None => l.say("duration unknown", "时长未知").to_owned(),
        };
        l.say(
            format!("{requests} requests, about {input_tokens} input tokens{output}, {duration}"),
            format!("{requests} 个请求，输入约 {input_tokens} 个 Token{output}，{duration}"),
        )
    }
}

/// Seconds as a person says them.
fn duration(seconds: f64, l: Language) -> String {
    if seconds < 90.0 {
        format!("{:.0} {}", seconds.max(1.0), l.say("s", "秒"))
    } else if seconds < 5400.0 {
        format!("{:.0} {}", seconds / 60.0, l.say("min", "分钟"))
    } else {
        format!("{:.1} {}", seconds / 3600.0, l.say("h", "小时"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(duration(0.2, Language::En), "1 s");
        assert_eq!(duration(61.4, Language::En), "61 s");
        assert_eq!(duration(600.0, Language::En), "10 min");
        assert_eq!(duration(7200.0, Language::En), "2.0 h");
        assert_eq!(duration(600.0, Language::Zh), "10 分钟");
    }

    #[test]
    fn what_is_not_known_is_said_in_both_languages() {
        let nothing = Estimate { requests: 5, input_tokens: 90, output_tokens: None, seconds: None };
        assert_eq!(
            nothing.words(Language::En),
            "5 requests, about 90 input tokens, output unknown (the preflight saw no answer), duration unknown"
        );
        assert_eq!(
            nothing.words(Language::Zh),
            "5 个请求，输入约 90 个 Token，输出量未知（预检未得到应答），时长未知"
        );
        let known = Estimate { output_tokens: Some(400), seconds: Some((61.4, 600.0)), ..nothing };
        assert_eq!(
            known.words(Language::En),
            "5 requests, about 90 input tokens and 400 output tokens, 61 s to 10 min"
        );
        assert_eq!(
            known.words(Language::Zh),
            "5 个请求，输入约 90 个 Token、输出约 400 个 Token，预计 61 秒至 10 分钟"
        );
    }
}
