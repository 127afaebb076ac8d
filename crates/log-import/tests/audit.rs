//! The audit finds a value of every kind of field of every kind of log, and takes nothing else for one.

use std::{fs, path::PathBuf};

use log_import::{
    ImportOptions, Importer, Input,
    audit::{Audited, Haystack, audit},
    formats,
};

fn log(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/logs").join(name)
}

fn audited(name: &str, text: &str) -> Audited {
    let format = match name.split('.').next().unwrap_or_default() {
        "vllm" => "vllm-log",
        "kong-ai" => "kong",
        format => format,
    };
    let importer: &dyn Importer =
        *formats::all().iter().find(|importer| importer.name() == format).expect("a format of this name");
    let haystack = Haystack::new(vec![("profile.json".to_owned(), text.to_owned())]);
    let mut options = ImportOptions::default();
    options.read.year = Some(2026);
    audit(vec![Input::file(&log(name))], &[importer], &options, &haystack).expect("the log can be read")
}

#[test]
fn a_value_of_any_kind_of_field_is_found() {
    let cases = [
        ("new-api.logs.jsonl", "demo_user_11", "username"),
        ("new-api.logs.jsonl", "192.0.2.13", "ip"),
        ("new-api.logs.jsonl", "通过兑换码充值", "content"),
        ("litellm.spendlogs.jsonl", "demo-alias", "metadata.user_api_key_alias"),
        ("litellm.spendlogs.jsonl", "enduser-1", "end_user"),
        // In JSON that is itself a string.
        ("higress.access.jsonl", "What is 2+2?", "ai_log.question"),
        ("envoy-ai-gateway.access.jsonl", "192.0.2.7:5555", "downstream_remote_address"),
        // A line without fields.
        ("apisix.access.log", "192.0.2.9", ""),
        ("nginx-json.access.jsonl", "Bearer sk-demo-not-a-key", "http_authorization"),
        // Quoted, over two lines.
        ("dify.messages.csv", "conv-1", "conversation_id"),
        ("vllm.server.log", "192.0.2.7:53110", ""),
    ];
    for (name, planted, field) in cases {
        let found = audited(name, &format!("{{\"name\": \"{planted}\"}}")).found;
        assert!(found.iter().any(|leak| leak.field.ends_with(field)), "{name} {planted}: {found:?}");
    }
}

#[test]
fn what_names_nobody_is_no_find() {
    let words =
        "qwen3-32b deepseek-r1 bge-m3 gpt-4o /v1/chat/completions 812 233 4096 1024 2026-11-19T09:00:00Z";
    for name in [
        "new-api.logs.jsonl",
        "litellm.spendlogs.jsonl",
        "higress.access.jsonl",
        "envoy-ai-gateway.access.jsonl",
        "apisix.access.log",
        "nginx-json.access.jsonl",
        "otel-genai.otlp.jsonl",
        "dify.messages.csv",
        "vllm.server.log",
    ] {
        let audited = audited(name, words);
        assert!(audited.found.is_empty(), "{name}: {audited:?}");
        assert!(audited.values > 0 && audited.rows > 0, "{name}: {audited:?}");
    }
}

#[test]
fn a_name_that_is_also_a_models_is_found_where_it_names_a_person() {
    let importer = formats::all().iter().find(|importer| importer.name() == "csv").expect("csv");
    let audited = |rows: &str| {
        let text = format!("timestamp,input_tokens,output_tokens,user,model\n{rows}");
        let haystack = Haystack::new(vec![("profile.json".to_owned(), "zhang.san".to_owned())]);
        let mut options = ImportOptions::default();
        options.read.map = [("timestamp", "timestamp"), ("input_tokens", "input_tokens"), ("model", "model")]
            .map(|(key, column)| (key.to_owned(), column.to_owned()))
            .to_vec();
        let inputs = vec![Input::reader("log.csv", text.as_bytes())];
        audit(inputs, &[*importer], &options, &haystack).expect("the log can be read").found
    };
    let time = "2026-11-19 09:00:00";
    assert!(audited(&format!("{time},1,2,li.si,zhang.san\n")).is_empty(), "the model alone");
    let found = audited(&format!("{time},1,2,li.si,zhang.san\n{time},1,2,zhang.san,zhang.san\n"));
    assert_eq!(found.iter().map(|leak| leak.field.as_str()).collect::<Vec<_>>(), ["user"]);
}

#[test]
fn a_piece_of_a_prompt_is_found_in_a_sentence() {
    let text = fs::read_to_string(log("vllm.server.log")).expect("it can be read");
    assert!(text.contains("DEMO PROMPT, sensitive in real logs"));
    let audited = audited("vllm.server.log", "note: demo prompt, sensitive in real logs, as discussed");
    assert!(!audited.found.is_empty());
}
