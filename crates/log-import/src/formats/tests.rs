//! Every log of `fixtures/logs` gives what is expected of it, and what is wrong with a row is said.

use std::collections::BTreeMap;

use metrics_core::Micros;
use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, Ending, Note, StampKind};

use super::all;
use super::recorder::{Recorder, format, read, said};
use crate::{Entry, Framing, Prompt, ReadOptions, Start, recognise, with_opening};

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

/// What is expected of a log.
#[derive(Deserialize)]
struct Expected {
    #[serde(alias = "spans")]
    rows: usize,
    #[serde(alias = "requests")]
    keep: Option<usize>,
    #[serde(default)]
    excluded: BTreeMap<String, usize>,
    #[serde(default)]
    order: String,
    #[serde(default)]
    rows_expected: Vec<ExpectedRow>,
    #[serde(default)]
    sensitive: Vec<String>,
}

#[derive(Deserialize)]
struct ExpectedRow {
    key: serde_json::Value,
    arrival_utc: String,
    arrival_resolution_ms: f64,
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    stream: Option<bool>,
    ttft_ms: Option<f64>,
    duration_ms: Option<f64>,
    status: String,
    call: String,
}

/// The row of which EXPECTED.json has it that its output is unknown, although the row says `"128"`, and has its input from
/// the string beside it.
const SAYS_128: (&str, usize) = ("envoy-ai-gateway.access.jsonl", 4);

fn fixture(file: &str) -> String {
    let path = format!("{}/../../fixtures/logs/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}

fn expected() -> BTreeMap<String, Expected> {
    let read =
        |file| -> BTreeMap<String, Expected> { serde_json::from_str(&fixture(file)).expect("expectations") };
    let mut all = read("EXPECTED.json");
    for (file, more) in read("EXPECTED-more.json") {
        // The first has of this page only how many rows it has.
        let known = all.insert(file, more);
        assert!(known.is_none_or(|known| known.rows_expected.is_empty()));
    }
    all
}

fn ending(status: &str) -> Ending {
    match status {
        "cache_hit" => Ending::CacheHit,
        "429" => Ending::Rejected,
        "504" | "504 UT" | "timeout" => Ending::Timeout,
        "error" | "failure" => Ending::Error,
        "unknown" => Ending::Unknown,
        "client_gone" | "499 client_gone" | "aborted" => Ending::ClientGone,
        status if status.contains("downstream_disconnect") => Ending::ClientGone,
        status if status.starts_with("ok") => Ending::Ok,
        status => panic!("no ending is known for {status}"),
    }
}

fn reason(excluded: &str) -> Dropped {
    match excluded {
        "non-chat uri" => Dropped::OtherPath,
        excluded if excluded.starts_with("malformed JSON") => Dropped::BadJson,
        _ => Dropped::NoRequest,
    }
}

/// The arrival of a request, as the import works it out.
fn arrival_ns(entry: &Entry<'_>) -> i64 {
    match entry.stamp.kind {
        StampKind::Arrival => entry.stamp.at_ns,
        StampKind::End => entry.stamp.at_ns - entry.duration.map_or(0, |duration| duration.0 as i64 * 1000),
    }
}

#[test]
fn every_log_gives_what_is_expected_of_it() {
    let mut expected = expected();
    for (file, name) in LOGS {
        let expected = expected.remove(file).unwrap_or_else(|| panic!("nothing is expected of {file}"));
        let Recorder { mut kept, dropped } = read(format(name), &fixture(file), &said());
        assert_eq!(kept.len() + dropped.len(), expected.rows, "{file}: rows");
        assert_eq!(kept.len(), expected.keep.unwrap_or(expected.rows), "{file}: kept");
        assert_eq!(kept.len(), expected.rows_expected.len(), "{file}: rows looked at");
        let mut reasons = BTreeMap::<Dropped, usize>::new();
        for (excluded, rows) in &expected.excluded {
            *reasons.entry(reason(excluded)).or_default() += rows;
        }
        let mut found = BTreeMap::<Dropped, usize>::new();
        for (_, reason, _) in &dropped {
            *found.entry(*reason).or_default() += 1;
        }
        if name != "vllm-log" {
            assert_eq!(found, reasons, "{file}: dropped");
        }
        if expected.order == "newest first" {
            kept.reverse();
        }
        for (at, ((_, entry), row)) in kept.iter().zip(&expected.rows_expected).enumerate() {
            check(file, at, entry, row);
        }
    }
    assert!(expected.is_empty(), "no test reads {:?}", expected.keys());
}

fn check(file: &str, at: usize, entry: &Entry<'_>, row: &ExpectedRow) {
    let of = format!("{file}: {}", row.key);
    let arrival: jiff::Timestamp = row.arrival_utc.parse().expect("an instant");
    assert_eq!(i128::from(arrival_ns(entry)), arrival.as_nanosecond(), "{of}: arrival");
    let resolution = (row.arrival_resolution_ms * 1e6).round() as u64;
    assert_eq!(entry.stamp.resolution_ns, resolution, "{of}: resolution");
    let output = if (file, at) == SAYS_128 { Some(128) } else { row.output_tokens };
    assert_eq!((entry.input_tokens, entry.output_tokens), (row.input_tokens, output), "{of}: tokens");
    assert_eq!(entry.stream, row.stream, "{of}: streamed");
    // Whole milliseconds are all that most of them are given in.
    let same = |found: Option<Micros>, expected: Option<f64>| match (found, expected) {
        (Some(found), Some(expected)) if expected.fract() == 0.0 => found.0 / 1000 == expected as u64,
        (Some(found), Some(expected)) => found.0 == (expected * 1000.0).round() as u64,
        (found, expected) => found.is_none() && expected.is_none(),
    };
    assert!(same(entry.ttft, row.ttft_ms), "{of}: first token {:?}", entry.ttft);
    assert!(same(entry.duration, row.duration_ms), "{of}: duration {:?}", entry.duration);
    assert_eq!(entry.ending, ending(&row.status), "{of}: ending");
    assert_eq!(entry.call.as_str(), row.call, "{of}: call");
}

#[test]
fn what_names_somebody_is_no_open_field() {
    for (file, expected) in expected() {
        let Some((_, name)) = LOGS.iter().find(|(log, _)| *log == file) else { panic!("{file} is no log") };
        let open = format(name).open_fields();
        for sensitive in expected.sensitive {
            let sensitive = sensitive.split(' ').next().unwrap_or_default();
            let last = sensitive.rsplit('.').next().unwrap_or_default();
            assert!(!open.contains(&sensitive) && !open.contains(&last), "{name}: {sensitive} is open");
        }
    }
}

#[test]
fn every_format_knows_its_own_logs_and_no_others() {
    for (file, name) in LOGS {
        let text = fixture(file);
        let knows: Vec<String> = with_opening(&text, |opening| {
            recognise(opening, all()).iter().map(|finding| finding.importer.name().to_owned()).collect()
        });
        assert_eq!(knows, [name], "{file}");
    }
}

#[test]
fn every_format_has_a_log() {
    for format in all() {
        assert!(LOGS.iter().any(|(_, name)| *name == format.name()), "{} has none", format.name());
    }
}

/// A row of a format.
struct Row {
    format: &'static str,
    /// What stands before the row in a file: a header.
    before: &'static str,
    /// The row, whole and sound.
    row: &'static str,
    /// A field with its value, and another value in its place that cannot be one.
    wrong: (&'static str, &'static str, Dropped),
    /// A field with its value without which there is no request, and what takes its place.
    missing: (&'static str, &'static str, Dropped),
}

const ROWS: [Row; 13] = [
    Row {
        format: "litellm",
        before: "",
        row: r#"{"call_type":"acompletion","prompt_tokens":930,"startTime":"2026-11-19T01:00:00Z"}"#,
        wrong: ("930", r#""many""#, Dropped::BadNumber),
        missing: (r#","startTime":"2026-11-19T01:00:00Z""#, "", Dropped::NoTime),
    },
    Row {
        format: "new-api",
        before: "",
        row: r#"{"created_at":1795050070,"type":2,"use_time":9,"is_stream":true,"other":"{\"frt\":412}"}"#,
        wrong: ("true", r#"{"a":1}"#, Dropped::BadRow),
        missing: (r#","type":2"#, "", Dropped::BadRow),
    },
    Row {
        format: "new-api",
        before: "",
        row: r#"{"success":true,"data":{"items":[{"created_at":1795050070,"type":2,"use_time":9,"prompt_tokens":5}]}}"#,
        wrong: ("9,", "-9,", Dropped::BadNumber),
        missing: (r#""created_at":1795050070,"#, "", Dropped::NoTime),
    },
    Row {
        format: "one-api",
        before: "created_at,type,token_name,quota,elapsed_time\n",
        row: "1795050005,2,t,1,5132",
        wrong: ("5132", "5s2", Dropped::BadNumber),
        missing: ("1795050005", "", Dropped::NoTime),
    },
    Row {
        format: "higress",
        before: "",
        row: r#"{"ai_log":"{\"input_token\":\"10\"}","path":"/v1/chat/completions","start_time":"2026-11-19T09:00:00.120Z"}"#,
        wrong: (r#"\"10\""#, r#"\"20.5\""#, Dropped::BadNumber),
        missing: (r#","start_time":"2026-11-19T09:00:00.120Z""#, "", Dropped::NoTime),
    },
    Row {
        format: "envoy-ai-gateway",
        before: "",
        row: r#"{"gen_ai.request.model":"m","start_time":"2026-11-19T09:00:00.120Z","duration":3200}"#,
        wrong: ("3200", "[3200]", Dropped::BadRow),
        missing: ("2026-11-19T09:00:00.120Z", "-", Dropped::NoTime),
    },
    Row {
        format: "apisix",
        before: "",
        row: r#"192.0.2.7 - - [19/Nov/2026:09:00:00 +0800] gw "POST /v1/chat/completions HTTP/1.1" 200 804 2.858 "-" "d" - - - 5 "http://a" "5c5e" "ai_chat" "2858" "m" "m"  "23" "8""#,
        wrong: ("2.858", "2,858.1.1", Dropped::BadNumber),
        missing: ("[19/Nov/2026:09:00:00 +0800]", "-", Dropped::NoTime),
    },
    Row {
        format: "kong",
        before: "",
        row: r#"{"started_at":1795050000101,"latencies":{"request":5132},"request":{"uri":"/v1/chat/completions"}}"#,
        wrong: ("1795050000101", r#""today""#, Dropped::BadTime),
        missing: (r#""started_at":1795050000101,"#, "", Dropped::NoTime),
    },
    Row {
        format: "nginx-json",
        before: "",
        row: r#"{"msec":"1795050005.233","uri":"/v1/chat/completions","status":"200","request_time":"5.132"}"#,
        wrong: ("1795050005.233", "19/11/2026", Dropped::BadTime),
        missing: (r#""uri":"/v1/chat/completions","#, "", Dropped::BadRow),
    },
    Row {
        format: "vllm-log",
        before: "",
        row: "INFO 11-19 09:00:00 [logger.py:43] Received request cmpl-1: prompt: 'a', params: SamplingParams(n=1)",
        wrong: ("11-19", "13-19", Dropped::BadTime),
        missing: ("11-19 09:00:00 ", "", Dropped::NoTime),
    },
    Row {
        format: "otel-genai",
        before: "",
        row: r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"1795050000123456789","attributes":[{"key":"gen_ai.usage.input_tokens","value":{"intValue":"812"}}]}]}]}]}"#,
        wrong: (r#""812""#, r#""-812""#, Dropped::BadNumber),
        missing: (r#""startTimeUnixNano":"1795050000123456789","#, "", Dropped::NoTime),
    },
    Row {
        format: "langfuse",
        before: "",
        row: r#"{"type":"GENERATION","start_time":"2026-11-19 01:00:00.101000","usage_details":{"input":812}}"#,
        wrong: (r#"{"input":812}"#, "[812]", Dropped::BadRow),
        missing: (r#""start_time":"2026-11-19 01:00:00.101000","#, "", Dropped::NoTime),
    },
    Row {
        format: "dify",
        before: "created_at,message_tokens,answer_tokens,provider_response_latency\n",
        row: "2026-11-19 09:00:00.5,30,5,0.61",
        wrong: ("30", "NaN", Dropped::BadNumber),
        missing: ("2026-11-19 09:00:00.5", "", Dropped::NoTime),
    },
];

/// Why a row is not kept; `None` where it is.
fn fault(row: &Row, text: &str) -> Option<(Dropped, String)> {
    let Recorder { kept, dropped } = read(format(row.format), &format!("{}{text}", row.before), &said());
    assert_eq!(kept.len() + dropped.len(), 1, "{}: {text}", row.format);
    dropped.into_iter().next().map(|(_, reason, detail)| (reason, detail))
}

#[test]
fn what_is_wrong_with_a_row_is_said_and_none_of_it_repeated() {
    for row in &ROWS {
        assert_eq!(fault(row, row.row), None, "{}", row.format);
        for (sound, other, reason) in [row.wrong, row.missing] {
            assert!(row.row.contains(sound), "{}: {sound}", row.format);
            let (found, detail) = fault(row, &row.row.replacen(sound, other, 1)).expect("a fault");
            assert_eq!(found, reason, "{}: {other} for {sound}: {detail}", row.format);
            assert!(
                other.is_empty() || other.len() < 3 || !detail.contains(other.trim_matches('"')),
                "{detail}"
            );
        }
    }
}

#[test]
fn a_row_that_was_cut_short_is_no_request() {
    for row in ROWS.iter().filter(|row| row.before.is_empty()) {
        let half = row.row.len() / 2;
        let (reason, detail) = fault(row, &row.row[..half]).expect("a fault");
        let expected = if row.row.starts_with('{') { Dropped::BadJson } else { Dropped::BadRow };
        assert_eq!(reason, expected, "{}: {detail}", row.format);
    }
}

#[test]
fn a_value_of_another_kind_is_no_row() {
    for format in all() {
        for (text, reason) in
            [("7", Dropped::BadRow), (r#""a""#, Dropped::BadRow), ("{} {}", Dropped::BadJson)]
        {
            if with_opening(text, |opening| format.framing(opening)) != Framing::Json {
                continue;
            }
            let Recorder { kept, dropped } = read(*format, text, &said());
            assert!(kept.is_empty(), "{}", format.name());
            assert_eq!(
                dropped.iter().map(|(_, reason, _)| *reason).collect::<Vec<_>>(),
                [reason],
                "{}: {text}",
                format.name()
            );
        }
    }
}

#[test]
fn a_log_of_vllm_asks_for_its_year() {
    let options = ReadOptions::default();
    let fault = format("vllm-log").start(&Start { header: &[], separator: None, options: &options }).err();
    assert!(fault.is_some_and(|fault| fault.to_string().contains("--year")));
}

#[test]
fn a_table_without_its_columns_is_refused() {
    let options = ReadOptions::default();
    for name in ["one-api", "dify"] {
        let start = Start { header: &["a", "b"], separator: Some(','), options: &options };
        let fault = format(name).start(&start).err().map(|fault| fault.to_string());
        assert_eq!(fault.as_deref(), Some("there is no column created_at (its columns are a, b)"), "{name}");
    }
}

#[test]
fn an_export_that_is_a_part_of_more_is_noted() {
    let kept = read(format("new-api"), &fixture("new-api.api-page.json"), &said()).kept;
    assert!(kept.iter().all(|(_, entry)| entry.notes.has(Note::PartialExport)));
    assert_eq!(kept.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [30, 51]);
}

#[test]
fn what_was_asked_is_handed_on_only_where_it_is_wanted() {
    let asked = [
        ("higress.access.jsonl", "higress", Prompt::Text("What is 2+2?".into())),
        (
            "apisix.http-logger.jsonl",
            "apisix",
            Prompt::Messages(r#"[{"role":"user","content":"示例"}]"#.into()),
        ),
        ("kong-ai.file-log.jsonl", "kong", Prompt::Messages(r#"[{"role":"user","content":"示例"}]"#.into())),
        (
            "langfuse.observations_v2.jsonl",
            "langfuse",
            Prompt::Messages(r#"[{"role":"user","content":"示例"}]"#.into()),
        ),
        ("dify.messages.csv", "dify", Prompt::Text("示例问题,\n第二行".into())),
        (
            "vllm.server.log",
            "vllm-log",
            Prompt::Text("<|im_start|>user\nDEMO PROMPT, sensitive in real logs<|im_end|>\n".into()),
        ),
    ];
    for (file, name, prompt) in asked {
        let prompts = |options: &ReadOptions| -> Vec<Prompt<'static>> {
            read(format(name), &fixture(file), options)
                .kept
                .into_iter()
                .filter_map(|(_, entry)| entry.prompt)
                .collect()
        };
        assert_eq!(prompts(&said()).first(), Some(&prompt), "{file}");
        assert!(prompts(&ReadOptions { keep_text: false, ..said() }).is_empty(), "{file}");
    }
}

#[test]
fn messages_of_spans_become_messages_of_a_chat() {
    let messages = r#"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"a\"},{\"type\":\"text\",\"content\":\"b\"}]}]"#;
    let text = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"startTimeUnixNano":"1795050000123456789","attributes":[
        {{"key":"gen_ai.request.model","value":{{"stringValue":"m"}}}},
        {{"key":"gen_ai.input.messages","value":{{"stringValue":"{messages}"}}}}]}}]}}]}}]}}"#
    );
    let kept = read(format("otel-genai"), &text, &said()).kept;
    let prompt = kept.into_iter().find_map(|(_, entry)| entry.prompt);
    assert_eq!(prompt, Some(Prompt::Messages(r#"[{"content":"a\nb","role":"user"}]"#.into())));
}

#[test]
fn a_span_that_cannot_be_read_costs_no_other() {
    let good = r#"{"startTimeUnixNano":"1795050000123456789","attributes":[{"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}"#;
    let text =
        format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[\n{good},\n7,\n{good}\n]}}]}}]}}");
    let Recorder { kept, dropped } = read(format("otel-genai"), &text, &said());
    assert_eq!(kept.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(
        dropped.iter().map(|(line, reason, _)| (*line, *reason)).collect::<Vec<_>>(),
        [(3, Dropped::BadRow)]
    );
}

#[test]
fn requests_of_vllm_come_in_the_order_of_their_arrival_and_over_the_turn_of_a_year() {
    let line = |date: &str, message: &str| format!("INFO {date} 23:59:59 [logger.py:43] {message}\n");
    let received =
        |id: u32| format!("Received request chatcmpl-{id}: params: SamplingParams(n=1), lora_request: None.");
    let text = line("12-31", &received(1))
        + &line("12-31", &received(2))
        + &line(
            "12-31",
            "Generated response chatcmpl-2: output: 'x', output_token_ids: [1, 2], finish_reason: length",
        )
        + &line("01-01", &received(3));
    let Recorder { kept, dropped } = read(format("vllm-log"), &text, &said());
    assert_eq!(kept.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 2, 4]);
    assert_eq!(dropped.len(), 1);
    let of = |at: usize| kept.get(at).map(|(_, entry)| entry).expect("a request");
    assert_eq!((of(0).ending, of(1).ending), (Ending::Unknown, Ending::Ok));
    assert_eq!((of(1).output_tokens, of(1).output_cut, of(1).stream), (Some(2), true, Some(false)));
    assert_eq!(of(2).stamp.at_ns - of(0).stamp.at_ns, 86_400_000_000_000);
}

#[test]
fn a_failed_request_of_litellm_tells_by_its_code_how_it_failed() {
    let ending = |metadata: &str| {
        let text =
            format!(r#"{{"startTime":"2026-11-19T01:00:00Z","status":"failure","metadata":{metadata}}}"#);
        read(format("litellm"), &text, &said())
            .kept
            .into_iter()
            .map(|(_, entry)| entry.ending)
            .collect::<Vec<_>>()
    };
    assert_eq!(ending(r#"{"error_information":{"error_code":"429"}}"#), [Ending::Rejected]);
    assert_eq!(ending(r#""{\"error_information\":{\"error_code\":\"408\"}}""#), [Ending::Timeout]);
    assert_eq!(ending(r#"{"error_information":{"error_code":""}}"#), [Ending::Error]);
    assert_eq!(ending("7"), [Ending::Error]);
}

#[test]
fn calls_of_litellm_are_told_apart() {
    let call = |call_type: &str| {
        let text = format!(r#"{{"startTime":"2026-11-19T01:00:00Z","call_type":"{call_type}"}}"#);
        read(format("litellm"), &text, &said()).kept.into_iter().map(|(_, entry)| entry.call).next()
    };
    assert_eq!(call("anthropic_messages"), Some(Call::Chat));
    assert_eq!(call("atext_completion"), Some(Call::Completion));
    assert_eq!(call("arerank"), Some(Call::Rerank));
    assert_eq!(call("pass_through_endpoint"), Some(Call::Other));
    assert_eq!(call("call_mcp_tool"), None);
}
