//! What is peculiar to a format.

use workload_model::traffic::{Call, Dropped, Ending, Note};

use super::fixture;
use crate::formats::recorder::{Recorder, format, read, said};
use crate::{Prompt, ReadOptions, with_opening};

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

#[test]
fn a_log_of_nginx_is_read_under_the_names_of_a_log_shipper() {
    let text = r#"{"@timestamp":"2026-11-19T09:00:05+08:00","clientip":"192.0.2.7","responsetime":5.132,"url":"/v1/chat/completions?user=zhang","xff":"198.51.100.7, 192.0.2.7","status":"200"}"#;
    let kept = read(format("nginx-json"), text, &said()).kept;
    let entry = kept.first().map(|(_, entry)| entry).expect("a request");
    assert_eq!(entry.path.as_deref(), Some("/v1/chat/completions"));
    assert_eq!(entry.caller.as_deref(), Some("198.51.100.7"));
    assert_eq!(entry.duration.map(|duration| duration.0), Some(5_132_000));
    assert!(with_opening(text, |opening| format("nginx-json").recognise(opening)).is_some());
}

#[test]
fn flags_of_envoy_tell_how_a_request_of_higress_ended() {
    let ending = |code: u32, flags: &str| {
        let text = format!(
            r#"{{"ai_log":"-","path":"/v1/chat/completions","start_time":"2026-11-19T09:00:00.120Z","response_code":{code},"response_flags":"{flags}"}}"#
        );
        read(format("higress"), &text, &said()).kept.into_iter().map(|(_, entry)| entry.ending).next()
    };
    assert_eq!(ending(200, "-"), Some(Ending::Ok));
    assert_eq!(ending(200, "UC"), Some(Ending::Error));
    assert_eq!(ending(0, "DC"), Some(Ending::ClientGone));
    assert_eq!(ending(503, "UO"), Some(Ending::Rejected));
    assert_eq!(ending(504, "UT,URX"), Some(Ending::Timeout));
}

#[test]
fn higress_is_read_with_its_counts_beside_the_rest_and_with_ai_log_unpacked() {
    for ai in [
        r#""model":"m","input_token":"21","output_token":"17""#,
        r#""ai_log":{"model":"m","input_token":21,"output_token":17}"#,
    ] {
        let text =
            format!(r#"{{{ai},"path":"/v1/chat/completions","start_time":"2026-11-19T09:00:00.120Z"}}"#);
        let kept = read(format("higress"), &text, &said()).kept;
        let found =
            kept.first().map(|(_, entry)| (entry.input_tokens, entry.output_tokens, entry.model.as_deref()));
        assert_eq!(found, Some((Some(21), Some(17), Some("m"))), "{ai}");
    }
}

#[test]
fn a_path_of_no_model_is_no_request_of_a_gateway() {
    let rows = [
        ("higress", r#"{"ai_log":"-","path":"/index.html","start_time":"2026-11-19T09:00:00.120Z"}"#),
        (
            "higress",
            r#"{"ai_log":"-","method":"GET","path":"/v1/responses","start_time":"2026-11-19T09:00:00.120Z"}"#,
        ),
        ("envoy-ai-gateway", r#"{"request.path":"/v1/models","start_time":"2026-11-19T09:00:00.120Z"}"#),
        ("kong", r#"{"started_at":1795050000101,"request":{"uri":"/v1/models"},"ai":{}}"#),
        ("apisix", r#"{"start_time":1795050000101,"request":{"uri":"/v1/models"}}"#),
    ];
    for (name, text) in rows {
        let Recorder { kept, dropped } = read(format(name), text, &said());
        assert!(kept.is_empty(), "{name}");
        assert_eq!(dropped.first().map(|(_, reason, _)| *reason), Some(Dropped::NoRequest), "{name}: {text}");
    }
}

#[test]
fn the_table_of_new_api_may_be_csv() {
    let text = "id,created_at,type,username,model_name,prompt_tokens,completion_tokens,use_time,is_stream,group,other\n\
        7,1795050000,2,u,m,812,233,9,1,vip,\"{\"\"frt\"\": 412, \"\"request_path\"\": \"\"/v1/chat/completions\"\"}\"\n\
        8,1795050001,1,u,,0,0,0,0,vip,{}\n";
    let Recorder { kept, dropped } = read(format("new-api"), text, &said());
    let entry = kept.first().map(|(_, entry)| entry).expect("a request");
    assert_eq!((entry.input_tokens, entry.output_tokens, entry.stream), (Some(812), Some(233), Some(true)));
    assert_eq!(entry.ttft.map(|ttft| ttft.0), Some(412_000));
    assert_eq!((entry.path.as_deref(), entry.label.as_deref()), (Some("/v1/chat/completions"), Some("vip")));
    assert_eq!(dropped.first().map(|(line, reason, _)| (*line, *reason)), Some((3, Dropped::NoRequest)));
    let knows = |name| with_opening(text, |opening| format(name).recognise(opening)).is_some();
    assert!(knows("new-api") && !knows("one-api"));
}

#[test]
fn what_new_api_asks_for_by_itself_is_no_request() {
    let reason = |more: &str| {
        let text = format!(r#"{{"created_at":1795050070,"type":2,"use_time":9,{more}}}"#);
        read(format("new-api"), &text, &said()).dropped.into_iter().map(|(_, reason, _)| reason).next()
    };
    assert_eq!(reason(r#""token_name":"模型测试","content":"模型测试""#), Some(Dropped::NoRequest));
    assert_eq!(reason(r#""token_name":"模型测试","content":"""#), None);
    let task = r#""other":"{\"task_id\":\"t\",\"pre_consumed\":5}""#;
    assert_eq!(reason(task), Some(Dropped::NoRequest));
}

#[test]
fn what_litellm_asks_for_by_itself_is_no_request() {
    let reason = |more: &str| {
        let text = format!(r#"{{"startTime":"2026-11-19T01:00:00Z","call_type":"acompletion",{more}}}"#);
        read(format("litellm"), &text, &said()).dropped.into_iter().map(|(_, reason, _)| reason).next()
    };
    assert_eq!(reason(r#""api_key":"litellm-internal-health-check""#), Some(Dropped::NoRequest));
    assert_eq!(reason(r#""team_id":"litellm-internal-health-check""#), Some(Dropped::NoRequest));
    assert_eq!(reason(r#""request_tags":["litellm-internal-health-check"]"#), None);
}

#[test]
fn observations_of_langfuse_may_stand_in_one_list() {
    let lines = fixture("langfuse.observations_v2.jsonl");
    let list = format!("[\n{}\n]", lines.trim_end().replace('\n', ",\n"));
    let Recorder { kept, dropped } = read(format("langfuse"), &list, &said());
    assert_eq!(kept.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 5, 6, 7]);
    assert_eq!(dropped.len(), 1);
    assert!(with_opening(&list, |opening| format("langfuse").recognise(opening)).is_some());
}

#[test]
fn pages_of_an_interface_are_read_row_by_row() {
    let pages = [
        (
            "litellm",
            r#"{"data":[
{"call_type":"acompletion","startTime":"2026-11-19T01:00:00Z","completionStartTime":null,"prompt_tokens":5},
{"call_type":"acompletion","startTime":"today","completionStartTime":null}
],"total":7,"page":1}"#,
        ),
        (
            "langfuse",
            r#"{"data":[
{"traceId":"t","type":"GENERATION","startTime":"2026-11-19T01:00:00.101Z","usageDetails":{"input":5}},
{"traceId":"t","type":"GENERATION","startTime":"today","usageDetails":{}}
],"meta":{"page":1,"totalItems":7}}"#,
        ),
    ];
    for (name, text) in pages {
        let Recorder { kept, dropped } = read(format(name), text, &said());
        let (line, entry) = kept.first().expect("a request");
        assert_eq!((*line, entry.input_tokens), (2, Some(5)), "{name}");
        assert!(entry.notes.has(Note::PartialExport), "{name}");
        assert_eq!(
            dropped.first().map(|(line, reason, _)| (*line, *reason)),
            Some((3, Dropped::BadTime)),
            "{name}"
        );
        assert!(with_opening(text, |opening| format(name).recognise(opening)).is_some(), "{name}");
    }
}
