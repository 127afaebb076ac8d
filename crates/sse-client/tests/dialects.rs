//! The decoder against the streams of every dialect, whole and cut in odd ways.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sse_client::{Chat, ChatStream, Terminal};

fn fixtures() -> Vec<(String, Vec<u8>, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sse");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sse"))
        .map(|path| {
            let expected = std::fs::read(path.with_extension("expected.json")).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap(), serde_json::from_slice(&expected).unwrap())
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() >= 30, "{}", found.len());
    found
}

/// Decodes a body in pieces of the given sizes, over and over. Also says how many events a strict parser sees.
fn decode(body: &[u8], sizes: &[usize]) -> (Chat, u64) {
    let (mut stream, mut rest, mut sizes) = (ChatStream::new(), body, sizes.iter().cycle());
    let mut tokens = 0;
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        tokens += u64::from(stream.feed(chunk).unwrap().token_events);
        rest = after;
    }
    tokens += u64::from(stream.finish().unwrap().token_events);
    let chat = stream.into_chat();
    assert_eq!(tokens, chat.token_events);
    let strict = chat.events - u64::from(chat.flushed);
    (chat, strict)
}

fn check(name: &str, body: &[u8], expected: &Value, sizes: &[usize]) {
    let (chat, strict) = decode(body, sizes);
    let usage = chat.usage.unwrap_or_default();
    let same =
        |key: &str, found: Value| assert_eq!(found, expected[key], "{name}: {key} in pieces of {sizes:?}");
    if expected["text"].is_null() {
        let digest: String = Sha256::digest(&chat.text).iter().map(|byte| format!("{byte:02x}")).collect();
        same("text_sha256", json!(digest));
        same("text_len_chars", json!(chat.text.chars().count()));
    } else {
        same("text", json!(chat.text));
    }
    same("reasoning", json!(chat.reasoning));
    same("tool_calls", json!(chat.tool_calls));
    same("content_events", json!(chat.content_events));
    same("reasoning_events", json!(chat.reasoning_events));
    same("tool_call_events", json!(chat.tool_call_events));
    same("role_or_empty_events", json!(chat.role_or_empty_events));
    same("first_output_event_index", json!(chat.first_output_event));
    same("prompt_tokens", json!(usage.prompt_tokens));
    same("completion_tokens", json!(usage.completion_tokens));
    same("reasoning_tokens", json!(usage.reasoning_tokens));
    same("finish_reason", json!(chat.finish_reason));
    same("done_marker", json!(chat.done));
    same("terminal", json!(chat.terminal));
    same("error", json!(chat.problem.as_ref().and_then(|problem| problem.service_error())));
    same("comments", json!(chat.comments));
    same("events_lenient_eof", json!(chat.events));
    same("events_strict_whatwg", json!(strict));
    same("bytes", json!(body.len()));
    same("delta_mode", json!(if chat.cumulative { "cumulative" } else { "delta" }));
    assert_eq!(chat.stray_lines, expected["non_sse_lines"].as_array().unwrap().len() as u64, "{name}");
    assert_eq!(chat.malformed, expected["malformed_events"].as_u64().unwrap_or(0), "{name}: malformed");
    assert_eq!(chat.usage.is_none(), expected["usage_source"] == "none", "{name}: usage");
}

#[test]
fn every_dialect_is_decoded_however_the_stream_is_cut() {
    for (name, body, expected) in fixtures() {
        for sizes in [&[usize::MAX][..], &[1], &[2], &[3], &[7, 1, 64], &[1021], &[5, 300]] {
            check(&name, &body, &expected, sizes);
        }
    }
}

#[test]
fn cached_tokens_are_read_where_given() {
    let cached = |name: &str| {
        let (_, body, _) = fixtures().into_iter().find(|fixture| fixture.0 == name).unwrap();
        decode(&body, &[usize::MAX]).0.usage.unwrap().cached_tokens
    };
    assert_eq!(cached("zhipu-glm-sensitive"), Some(4));
    assert_eq!(cached("dashscope-compatible-mode"), Some(0));
    assert_eq!(cached("ollama"), None);
}

#[test]
fn a_stream_cut_before_its_finish_reason_is_truncated() {
    for (name, body, expected) in fixtures() {
        if expected["terminal"] != "complete" {
            continue;
        }
        let reason = format!("\"{}\"", expected["finish_reason"].as_str().unwrap());
        let text = String::from_utf8_lossy(&body);
        let cut = text.rfind(&reason).unwrap();
        let (chat, _) = decode(&body[..cut], &[usize::MAX]);
        assert_eq!(chat.terminal, Terminal::Truncated, "{name}");
    }
}

#[test]
fn every_finish_reason_of_the_shared_table_leaves_the_answer_as_it_says() {
    let table: Value = serde_json::from_str(include_str!("../../../fixtures/finish-reasons.json")).unwrap();
    for (list, terminal) in [
        ("aborted", Terminal::Aborted),
        ("filtered", Terminal::Filtered),
        ("cut", Terminal::Complete),
        ("whole", Terminal::Complete),
    ] {
        for reason in table[list].as_array().unwrap() {
            let reason = reason.as_str().unwrap();
            for written in [reason.to_owned(), reason.to_uppercase()] {
                let data = json!({ "choices": [{ "delta": { "content": "a" }, "finish_reason": written }] });
                assert_eq!(one(&data.to_string()).terminal, terminal, "{written}");
            }
        }
    }
}

fn one(data: &str) -> Chat {
    decode(format!("data: {data}\n\n").as_bytes(), &[usize::MAX]).0
}

#[test]
fn errors_are_found_in_every_shape() {
    for (data, message) in [
        (r#"{"error":"overloaded"}"#, "overloaded"),
        (r#"{"error":{"message":"boom","code":"context_length_exceeded"}}"#, "boom"),
        (r#"{"error":"CUDA","error_type":"generation"}"#, "CUDA"),
        (r#"{"detail":"Not authenticated"}"#, "Not authenticated"),
        (r#"{"error_code":336501,"error_msg":"Rate limit"}"#, "Rate limit"),
        (r#"{"code":"Throttling","message":"Requests rate limit exceeded"}"#, "Requests rate limit exceeded"),
        (r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, "Overloaded"),
        (r#"{"choices":[{"delta":{"content":""},"error":{"code":502,"message":"upstream"}}]}"#, "upstream"),
        (r#"{"id":"x","choices":[{"delta":{},"finish_reason":"stop"}],"error":{"message":"late"}}"#, "late"),
    ] {
        let chat = one(data);
        assert_eq!(chat.terminal, Terminal::StreamError, "{data}");
        assert_eq!(chat.problem.unwrap().message(), message, "{data}");
    }
    for data in [
        r#"{"error":null,"choices":[]}"#,
        r#"{"error":"","choices":[]}"#,
        "{}",
        r#"{"choices":[],"message":"x"}"#,
    ] {
        assert_eq!(one(data).problem, None, "{data}");
    }
    let (chat, _) = decode(b"event: error\ndata: gave up\n\n", &[1]);
    assert_eq!((chat.terminal, chat.problem.unwrap().message()), (Terminal::StreamError, "gave up"));
}

#[test]
fn what_comes_after_done_is_ignored() {
    let (chat, _) = decode(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\ndata: {\"error\":\"late\"}\n\n",
        &[1],
    );
    assert_eq!((chat.terminal, chat.events), (Terminal::Complete, 2));
}

#[test]
fn fields_of_unforeseen_types_are_passed_over() {
    let chat = one(
        r#"{"id":17,"object":null,"choices":[{"index":null,"delta":{"role":null,"content":["x"],"reasoning":{"a":[1]}},"finish_reason":""}]}"#,
    );
    assert_eq!(chat.malformed, 1, "content of parts that are no parts cannot be read");
    let chat = one(
        r#"{"id":17,"choices":[{"index":0,"delta":{"content":"a","reasoning":{"a":[1]}},"finish_reason":false}],"usage":{"prompt_tokens":3.0,"completion_tokens":null}}"#,
    );
    assert_eq!((chat.malformed, chat.text.as_str(), chat.response_id.as_deref()), (0, "a", Some("17")));
    assert_eq!(chat.usage.unwrap().prompt_tokens, Some(3));
    let chat = one(
        r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"a"}]}}]}"#,
    );
    assert_eq!((chat.reasoning.as_str(), chat.text.as_str()), ("hm", "a"));
    for data in ["5", "\"a\"", "null", "not json", r#"{"choices":"a"}"#] {
        assert_eq!(one(data).malformed, 1, "{data}");
    }
}

#[test]
fn empty_fields_of_the_wrong_type_lose_no_text_and_full_ones_are_a_hole() {
    for empty in [r#""""#, "[]", "{}", "0", "false", "null"] {
        for field in ["tool_calls", "function_call", "refusal", "reasoning"] {
            let data = format!(r#"{{"choices":[{{"delta":{{"content":"a","{field}":{empty}}}}}]}}"#);
            let chat = one(&data);
            assert_eq!((chat.text.as_str(), chat.malformed, chat.token_events), ("a", 0, 1), "{data}");
        }
        let usage = format!(r#"{{"prompt_tokens":3,"prompt_tokens_details":{empty}}}"#);
        let data =
            format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"usage":{empty}}}],"usage":{usage}}}"#);
        assert_eq!((one(&data).text.as_str(), one(&data).malformed), ("a", 0), "{data}");
        assert_eq!(one(&data).usage.unwrap().prompt_tokens, Some(3), "{data}");
        let data =
            format!(r#"{{"choices":[{{"text":"a","delta":{empty}}}],"usage":{empty},"x_groq":{empty}}}"#);
        assert_eq!((one(&data).text.as_str(), one(&data).malformed), ("a", 0), "{data}");
    }
    for data in [
        r#"{"choices":[{"delta":"a"}]}"#,
        r#"{"choices":[{"delta":["a"]}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":"f()"}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":{"function":{"name":"f"}}}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":["f()"]}}]}"#,
        r#"{"choices":[{"delta":{"function_call":"f()"}}]}"#,
    ] {
        assert_eq!(one(data).malformed, 1, "{data}");
    }
}

#[test]
fn named_events_are_holes_only_where_the_answer_comes_under_that_name() {
    let good = r#"{"choices":[{"delta":{"content":"a"}}]}"#;
    for (events, malformed) in [
        (vec![("ping", "now"), ("", good)], 0),
        (vec![("chunk", "{oops"), ("chunk", good), ("ping", "now")], 1),
        (vec![("chunk", good), ("chunk", "{oops"), ("chunk", "{oops")], 2),
        (vec![("chunk", good), ("done", "bye")], 0),
        (vec![("chunk", r#"{"choices":[{"del"#)], 1),
        (vec![("", "now")], 1),
    ] {
        let write = |(name, data): &(&str, &str)| match *name {
            "" => format!("data: {data}\n\n"),
            name => format!("event: {name}\ndata: {data}\n\n"),
        };
        let body: String = events.iter().map(write).collect();
        assert_eq!(decode(body.as_bytes(), &[7]).0.malformed, malformed, "{body}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_counted() {
    let (chat, _) = decode(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xe5\xa5\"}}]}\n\n", &[3]);
    assert_eq!((chat.text.as_str(), chat.malformed, chat.replaced), ("a\u{fffd}", 0, 1));
}

#[test]
fn other_choices_are_not_mixed_into_the_first_but_are_tokens() {
    let (chat, _) = decode(
        b"data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"length\"}]}\n\n\
          data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
        &[2],
    );
    assert_eq!((chat.text.as_str(), chat.token_events, chat.finish_reason), ("a", 2, None));
    assert_eq!(chat.terminal, Terminal::Truncated);
}

#[test]
fn bodies_that_are_no_event_stream_are_recognised() {
    for (body, message) in [
        ("<html><head><title>Welcome</title></head></html>", "an HTML page, titled \"Welcome\""),
        ("<!doctype html>\n<p>data: none</p>\n", "an HTML page"),
        (r#"{"object":"chat.completion","choices":[{"message":{"content":"Hi"}}]}"#, "without streaming"),
        ("{\n  \"choices\": [],\n  \"usage\": {}\n}\n", "without streaming"),
        (r#"{"version":"1"}"#, "JSON that is no chat completion"),
        (r#"{"error":{"message":"no such model"}}"#, "no such model"),
        ("upstream connect error", "no event stream: upstream connect error"),
    ] {
        let (chat, _) = decode(body.as_bytes(), &[5]);
        assert_eq!(chat.terminal, Terminal::StreamError, "{body}");
        let problem = chat.problem.unwrap();
        assert!(problem.message().contains(message), "{}", problem.message());
    }
    for body in ["", "\n\n", ": waiting\n\n", "data: {\"choi", "event: x\n\n"] {
        assert_eq!(decode(body.as_bytes(), &[5]).0.terminal, Terminal::Truncated, "{body:?}");
    }
}
