//! The formats that this crate reads.

mod apisix;
mod azure;
mod block_traces;
mod burstgpt;
mod columns;
mod csv;
mod dify;
mod envoy_ai_gateway;
mod higress;
mod jsonl;
mod keys;
mod kong;
mod langfuse;
mod litellm;
mod logs_table;
mod mapped;
mod new_api;
mod nginx_json;
mod one_api;
mod otel_genai;
mod pages;
mod prompt;
#[cfg(test)]
mod recorder;
mod relative;
mod request;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod vllm_log;

use crate::Importer;

/// Every format, in the order in which they are listed.
#[must_use]
pub fn all() -> &'static [&'static dyn Importer] {
    &[
        &litellm::Litellm,
        &new_api::NewApi,
        &one_api::OneApi,
        &higress::Higress,
        &envoy_ai_gateway::EnvoyAiGateway,
        &apisix::Apisix,
        &kong::Kong,
        &nginx_json::NginxJson,
        &vllm_log::VllmLog,
        &otel_genai::OtelGenai,
        &langfuse::Langfuse,
        &dify::Dify,
        &azure::Azure,
        &burstgpt::BurstGpt,
        &block_traces::Mooncake,
        &block_traces::Bailian,
        &block_traces::RagPulse,
        &csv::Csv,
        &jsonl::Jsonl,
    ]
}
