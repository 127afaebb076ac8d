//! What a run will cost, before it is begun.

use load_engine::Preflight;
use workload_model::{Plan, SampleSet, Schedule, Slot};

/// What a run will cost, as far as can be told from one answer of the preflight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Requests, warm-up and control included. Known, not estimated.
    pub requests: u64,
    /// Input tokens, from the length of the prompts.
    pub input_tokens: u64,
    /// Output tokens; `None` where the preflight saw no answer and no maximum was asked for.
    pub output_tokens: Option<u64>,
    /// Seconds if concurrency cost nothing, and if it gained nothing.
    pub seconds: Option<(f64, f64)>,
}

impl Estimate {
    /// Reckons.
    #[must_use]
    pub fn of(plan: &Plan, schedule: &Schedule, samples: &SampleSet, found: &Preflight) -> Self {
        let requests = schedule.slots.len() as u64;
        let input = |slot: &Slot| samples.get(&slot.sample).map_or(0, workload_model::Sample::about_tokens);
        let an_answer = match (found.output_tokens, plan.request.max_tokens) {
            (Some(seen), Some(most)) => Some(seen.min(most)),
            (seen, most) => seen.or(most),
        };
        let steps = || plan.stage.iter().flat_map(|stage| stage.steps());
        let seconds = found.e2e_us.map(|e2e| {
            let each = e2e as f64 / 1e6;
            let at_best =
                steps().map(|(tier, requests)| (requests as f64 / f64::from(tier)).ceil() * each).sum();
            (at_best, requests as f64 * each)
        });
        Self {
            requests,
            input_tokens: schedule.slots.iter().map(input).sum(),
            output_tokens: an_answer.map(|tokens| tokens * requests),
            seconds,
        }
    }
}

impl std::fmt::Display for Estimate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} requests, about {} input tokens", self.requests, self.input_tokens)?;
        match self.output_tokens {
            Some(tokens) => write!(out, " and {tokens} output tokens")?,
            None => write!(out, ", output unknown (the preflight saw no answer)")?,
        }
        match self.seconds {
            Some((best, worst)) => write!(out, ", {} to {}", duration(best), duration(worst)),
            None => write!(out, ", duration unknown"),
        }
    }
}

/// Seconds as a person says them.
fn duration(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} s", seconds.max(1.0))
    } else if seconds < 5400.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(duration(0.2), "1 s");
        assert_eq!(duration(61.4), "61 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(duration(7200.0), "2.0 h");
    }
}
