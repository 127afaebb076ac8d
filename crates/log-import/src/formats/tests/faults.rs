//! What is wrong with a row, or with what is said of a log.

use workload_model::traffic::Dropped;

use crate::formats::all;
use crate::formats::recorder::{Recorder, format, read, said};
use crate::{Framing, Opening, ReadOptions, Start, with_opening};

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
    for format in all().iter().filter(|format| !format.is_general()) {
        for (text, reason) in
            [("7", Dropped::BadRow), (r#""a""#, Dropped::BadRow), ("[[1795050000]]", Dropped::BadRow)]
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
    let fault = format("vllm-log")
        .start(&Start { header: &[], separator: None, opening: Opening::default(), options: &options })
        .err();
    assert!(fault.is_some_and(|fault| fault.to_string().contains("--year")));
}

#[test]
fn a_table_without_its_columns_is_refused() {
    let options = ReadOptions::default();
    for name in ["one-api", "dify"] {
        let start = Start {
            header: &["a", "b"],
            separator: Some(','),
            opening: Opening::default(),
            options: &options,
        };
        let fault = format(name).start(&start).err().map(|fault| fault.to_string());
        assert_eq!(fault.as_deref(), Some("there is no column created_at (its columns are a, b)"), "{name}");
    }
}
