//! Every log of `fixtures/logs` gives what is expected of it, and what is wrong with a row is said.

mod expected;
mod faults;
mod kinds;

/// Logs and their formats.
const LOGS: [(&str, &str); 15] = [
    ("litellm.spendlogs.jsonl", "litellm"),
    ("new-api.logs.jsonl", "new-api"),
    ("new-api.api-page.json", "new-api"),
    ("one-api.logs.bom-crlf.csv", "one-api"),
    ("one-api.api-page.json", "one-api"),
    ("higress.access.jsonl", "higress"),
    ("envoy-ai-gateway.access.jsonl", "envoy-ai-gateway"),
    ("apisix.access.log", "apisix"),
    ("apisix.http-logger.jsonl", "apisix"),
    ("kong-ai.file-log.jsonl", "kong"),
    ("nginx-json.access.jsonl", "nginx-json"),
    ("vllm.server.log", "vllm-log"),
    ("otel-genai.otlp.jsonl", "otel-genai"),
    ("langfuse.observations_v2.jsonl", "langfuse"),
    ("dify.messages.csv", "dify"),
];

/// Public traces and logs of users' own, whose tests stand by themselves.
const TRACES: [(&str, &str); 9] = [
    ("traces/azure-2023.csv", "azure"),
    ("traces/azure-2024.csv", "azure"),
    ("traces/burstgpt-1.csv", "burstgpt"),
    ("traces/burstgpt-3.csv", "burstgpt"),
    ("traces/mooncake.jsonl", "mooncake"),
    ("traces/bailian.jsonl", "bailian"),
    ("traces/ragpulse.jsonl", "ragpulse"),
    ("oddities/semicolon.csv", "csv"),
    ("oddities/dirty.jsonl", "jsonl"),
];

fn fixture(file: &str) -> String {
    let path = format!("{}/../../fixtures/logs/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}
