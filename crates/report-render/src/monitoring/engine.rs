//! What inference engines tell of themselves to Prometheus.
//!
//! Names, types and units are those of vLLM 0.32 and llama.cpp as real servers answered, and for SGLang and TGI those of
//! their documentation and sources. What an engine does not tell stays without a rule: a name that nothing answers to
//! would never fire.

use std::str::FromStr;

use crate::material::Material;

/// An inference engine whose metrics are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// vLLM.
    Vllm,
    /// SGLang, started with `--enable-metrics`.
    Sglang,
    /// The server of llama.cpp, started with `--metrics`.
    LlamaCpp,
    /// Text Generation Inference.
    Tgi,
}

impl Engine {
    /// Every engine.
    pub const ALL: [Self; 4] = [Self::Vllm, Self::Sglang, Self::LlamaCpp, Self::Tgi];

    /// Short code: `vllm`, `sglang`, `llamacpp` or `tgi`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Vllm => "vllm",
            Self::Sglang => "sglang",
            Self::LlamaCpp => "llamacpp",
            Self::Tgi => "tgi",
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::LlamaCpp => "llama.cpp",
            Self::Tgi => "TGI",
        }
    }

    /// The engine of a run: as the operator stated backend or version, or as the service told its version; `None` where
    /// neither names one.
    #[must_use]
    pub fn of(material: &Material) -> Option<Self> {
        let scope = &material.scope;
        let said = [&scope.backend, &scope.version_stated, &scope.version_observed];
        said.into_iter().flatten().find_map(|words| Self::named_in(words))
    }

    fn named_in(words: &str) -> Option<Self> {
        let words = words.to_lowercase();
        let named = |names: &[&str]| {
            let is_whole = |at: usize, name: &str| {
                let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                !letter(words[..at].chars().next_back()) && !letter(words[at + name.len()..].chars().next())
            };
            names.iter().any(|name| words.match_indices(name).any(|(at, _)| is_whole(at, name)))
        };
        Self::ALL.into_iter().find(|engine| match engine {
            Self::Vllm => named(&["vllm"]),
            Self::Sglang => named(&["sglang"]),
            Self::LlamaCpp => named(&["llama.cpp", "llamacpp", "llama-server"]),
            Self::Tgi => named(&["tgi", "text-generation-inference", "text generation inference"]),
        })
    }

    /// What it tells.
    pub(super) fn signals(self) -> Signals {
        match self {
            Self::Vllm => VLLM,
            Self::Sglang => SGLANG,
            Self::LlamaCpp => LLAMA_CPP,
            Self::Tgi => TGI,
        }
    }
}

/// A code that names no engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("find the metrics of engine `{0}` (known are vllm, sglang, llamacpp and tgi)")]
pub struct UnknownEngine(pub String);

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|engine| engine.code() == code);
        found.ok_or_else(|| UnknownEngine(code.to_owned()))
    }
}

/// One figure in production, as a `PromQL` expression, or why the engine does not tell it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// The expression.
    Told(&'static str),
    /// Why there is none: English and Chinese.
    NotTold(&'static str, &'static str),
}

use Signal::{NotTold, Told};

/// What an engine tells of each figure that is watched. Seconds, tokens a second, requests a second, shares of one,
/// requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signals {
    pub(super) ttft_p95: Signal,
    pub(super) e2e_p95: Signal,
    pub(super) e2e_p99: Signal,
    pub(super) tpot_mean: Signal,
    pub(super) output_tps: Signal,
    pub(super) rps: Signal,
    pub(super) success_share: Signal,
    pub(super) running: Signal,
    pub(super) waiting: Signal,
}

const VLLM: Signals = Signals {
    ttft_p95: Told(
        "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[5m])))",
    ),
    e2e_p95: Told(
        "histogram_quantile(0.95, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
    ),
    e2e_p99: Told(
        "histogram_quantile(0.99, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))",
    ),
    tpot_mean: Told(
        "sum(rate(vllm:request_time_per_output_token_seconds_sum[5m])) / sum(rate(vllm:request_time_per_output_token_seconds_count[5m]))",
    ),
    output_tps: Told("sum(rate(vllm:generation_tokens_total[5m]))"),
    rps: Told("sum(rate(vllm:request_success_total[5m]))"),
    // Despite its name the counter has every request that ended, by its reason.
    success_share: Told(
        "sum(rate(vllm:request_success_total{finished_reason=~\"stop|length\"}[5m])) / sum(rate(vllm:request_success_total[5m]))",
    ),
    running: Told("sum(avg_over_time(vllm:num_requests_running[5m]))"),
    waiting: Told("sum(avg_over_time(vllm:num_requests_waiting[5m]))"),
};

const SGLANG: Signals = Signals {
    ttft_p95: Told(
        "histogram_quantile(0.95, sum by (le) (rate(sglang:time_to_first_token_seconds_bucket[5m])))",
    ),
    e2e_p95: Told(
        "histogram_quantile(0.95, sum by (le) (rate(sglang:e2e_request_latency_seconds_bucket[5m])))",
    ),
    e2e_p99: Told(
        "histogram_quantile(0.99, sum by (le) (rate(sglang:e2e_request_latency_seconds_bucket[5m])))",
    ),
    // One observation a token after the first; older versions have the histogram by its older name.
    tpot_mean: Told(
        "sum(rate(sglang:inter_token_latency_seconds_sum[5m])) / sum(rate(sglang:inter_token_latency_seconds_count[5m])) or sum(rate(sglang:time_per_output_token_seconds_sum[5m])) / sum(rate(sglang:time_per_output_token_seconds_count[5m]))",
    ),
    output_tps: Told("sum(rate(sglang:generation_tokens_total[5m]))"),
    rps: Told("sum(rate(sglang:num_requests_total[5m]))"),
    success_share: NotTold("its counters do not tell how a request ended", "其计数器不区分请求的结束方式"),
    // Every rank of a parallel group may tell the same requests.
    running: Told("sum(max without (tp_rank, pp_rank) (avg_over_time(sglang:num_running_reqs[5m])))"),
    waiting: Told("sum(max without (tp_rank, pp_rank) (avg_over_time(sglang:num_queue_reqs[5m])))"),
};

const LLAMA_CPP: Signals = Signals {
    ttft_p95: NotTold("it has no histogram of it", "未提供该项直方图"),
    e2e_p95: NotTold("it has no histogram of it", "未提供该项直方图"),
    e2e_p99: NotTold("it has no histogram of it", "未提供该项直方图"),
    tpot_mean: Told(
        "sum(rate(llamacpp:tokens_predicted_seconds_total[5m])) / sum(rate(llamacpp:tokens_predicted_total[5m]))",
    ),
    output_tps: Told("sum(rate(llamacpp:tokens_predicted_total[5m]))"),
    rps: NotTold("it does not count requests", "未统计请求数"),
    success_share: NotTold("it does not count requests", "未统计请求数"),
    running: Told("sum(avg_over_time(llamacpp:requests_processing[5m]))"),
    waiting: Told("sum(avg_over_time(llamacpp:requests_deferred[5m]))"),
};

const TGI: Signals = Signals {
    ttft_p95: NotTold("it has no histogram of it", "未提供该项直方图"),
    e2e_p95: Told("histogram_quantile(0.95, sum by (le) (rate(tgi_request_duration_bucket[5m])))"),
    e2e_p99: Told("histogram_quantile(0.99, sum by (le) (rate(tgi_request_duration_bucket[5m])))"),
    tpot_mean: NotTold(
        "its time per token has the first token in it and would not compare",
        "其每 Token 时间包含首 Token，口径不同，不可比",
    ),
    output_tps: Told("sum(rate(tgi_request_generated_tokens_sum[5m]))"),
    rps: Told("sum(rate(tgi_request_count[5m]))"),
    // The counter of failures is there from the first failure on.
    success_share: Told(
        "sum(rate(tgi_request_success[5m])) / (sum(rate(tgi_request_success[5m])) + (sum(rate(tgi_request_failure[5m])) or vector(0)))",
    ),
    running: Told("sum(avg_over_time(tgi_batch_current_size[5m]))"),
    waiting: Told("sum(avg_over_time(tgi_queue_size[5m]))"),
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_known_by_its_name_and_by_nothing_like_it() {
        let cases = [
            ("vLLM 0.32.0", Some(Engine::Vllm)),
            ("SGLang v0.5", Some(Engine::Sglang)),
            ("llama.cpp b4567", Some(Engine::LlamaCpp)),
            ("Text-Generation-Inference 3.3", Some(Engine::Tgi)),
            ("TGI3", Some(Engine::Tgi)),
            ("MindIE 2.0", None),
            ("votgil", None),
            ("", None),
        ];
        for (words, engine) in cases {
            assert_eq!(Engine::named_in(words), engine, "{words}");
        }
    }

    #[test]
    fn codes_are_read_as_they_are_written() {
        for engine in Engine::ALL {
            assert_eq!(engine.code().parse(), Ok(engine));
        }
        assert!(
            "triton".parse::<Engine>().unwrap_err().to_string().contains("vllm, sglang, llamacpp and tgi")
        );
    }
}
