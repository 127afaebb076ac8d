//! What a client meets on the wire.

mod common;

use common::{connect, streamed};
use inference_sim::{ApiKey, ReasoningField, Sim, SimConfig, count_tokens};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn a_stream_has_the_shape_of_vllm() {
    let sim = Sim::new(SimConfig::fast());
    let reply =
        connect(&sim).chat_as("x-request-id: r-1\r\n", &streamed("Hello there", json!({}))).await.unwrap();
    assert_eq!(reply.status, 200);
    assert!(reply.head.contains("content-type: text/event-stream"));
    assert!(reply.whole && reply.done());

    let chunks = reply.chunks();
    assert_eq!(chunks[0]["choices"][0]["delta"], json!({"role": "assistant", "content": ""}));
    assert!(chunks.iter().all(|chunk| chunk["id"] == "chatcmpl-r-1" && chunk["model"] == "sim-chat"));
    let (usage, rest) = chunks.split_last().unwrap();
    assert_eq!(usage["choices"], json!([]));
    let tokens = reply.token_instants().len() as u64;
    assert!((4..=8).contains(&tokens), "{tokens}");
    assert_eq!(usage["usage"]["completion_tokens"], tokens);
    assert_eq!(usage["usage"]["prompt_tokens"], 2 + 4);
    assert_eq!(usage["usage"]["total_tokens"], tokens + 6);
    assert_eq!(usage["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
    assert_eq!(rest.last().unwrap()["choices"][0]["finish_reason"], "stop");
    assert!(rest[..rest.len() - 1].iter().all(|chunk| chunk["choices"][0]["finish_reason"].is_null()));
    assert_eq!(count_tokens(&reply.text("content")), tokens);
}

#[tokio::test(start_paused = true)]
async fn usage_is_given_where_it_is_asked_for() {
    let sim = Sim::new(SimConfig::fast());
    let mut client = connect(&sim);
    let without = client.chat(&streamed("Hello", json!({"stream_options": null}))).await;
    assert!(without.done() && without.usage().is_none());
    let running =
        json!({"stream_options": {"include_usage": true, "continuous_usage_stats": true}, "max_tokens": 3});
    let counts: Vec<Value> = client
        .chat(&streamed("Hello", running))
        .await
        .chunks()
        .iter()
        .filter_map(|chunk| chunk["usage"].get("completion_tokens").cloned())
        .collect();
    assert_eq!(counts, [1, 2, 3, 3]);
    let never = Sim::new(SimConfig { gives_usage: false, ..SimConfig::fast() });
    assert!(connect(&never).chat(&streamed("Hello", json!({}))).await.usage().is_none());
}

#[tokio::test(start_paused = true)]
async fn limits_are_honoured_unless_the_service_does_not() {
    let fixed = json!({"max_tokens": 20, "ignore_eos": true});
    for (config, tokens, reason) in [
        (SimConfig::fast(), 20..=20, "length"),
        (SimConfig { honours_ignore_eos: false, ..SimConfig::fast() }, 4..=8, "stop"),
        (SimConfig { honours_max_tokens: false, context_tokens: 50, ..SimConfig::fast() }, 45..=45, "length"),
    ] {
        let reply = connect(&Sim::new(config)).chat(&streamed("Hello", fixed.clone())).await;
        assert!(tokens.contains(&reply.token_instants().len()), "{}", reply.token_instants().len());
        assert_eq!(reply.finish_reason().as_deref(), Some(reason));
    }
}

#[tokio::test(start_paused = true)]
async fn reasoning_comes_first_and_under_its_own_name() {
    for (field, name) in
        [(ReasoningField::ReasoningContent, "reasoning_content"), (ReasoningField::Reasoning, "reasoning")]
    {
        let config = SimConfig {
            reasoning_tokens: 5,
            reasoning_field: field,
            tokens_per_event: 2,
            ..SimConfig::fast()
        };
        let sim = Sim::new(config);
        let mut client = connect(&sim);
        let reply = client.chat(&streamed("Hello", json!({"max_tokens": 8, "ignore_eos": true}))).await;
        assert_eq!(count_tokens(&reply.text(name)), 5);
        assert_eq!(count_tokens(&reply.text("content")), 3);
        let usage = reply.usage().unwrap();
        assert_eq!(usage["completion_tokens"], 8);
        assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 5);
        // Two tokens an event, and the event that would hold both kinds is parted: 2, 2, 1 and 1, 2.
        let events: Vec<(u64, bool)> =
            sim.truth()[0].events.iter().map(|event| (event.tokens, event.reasoning)).collect();
        assert_eq!(events, [(2, true), (2, true), (1, true), (1, false), (2, false)]);

        let whole = client.chat(&streamed("Hello", json!({"stream": false, "max_tokens": 8}))).await.json();
        assert_eq!(count_tokens(whole["choices"][0]["message"][name].as_str().unwrap()), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_streamed_says_the_same() {
    let sim = Sim::new(SimConfig::fast());
    let mut client = connect(&sim);
    let streamed_text = client.chat(&streamed("介绍一座桥", json!({}))).await.text("content");
    let whole = client.chat(&streamed("介绍一座桥", json!({"stream": false}))).await;
    assert!(whole.head.contains("content-type: application/json"));
    let whole = whole.json();
    assert_eq!(whole["object"], "chat.completion");
    assert_eq!(whole["choices"][0]["message"]["content"], streamed_text);
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    let truths = sim.truth();
    assert_eq!(whole["usage"]["completion_tokens"], truths[1].output_tokens);
    assert_eq!(truths[0].output_tokens, truths[1].output_tokens);
    assert!(truths[1].events.is_empty() && truths[1].done_written.is_some());
}

#[tokio::test(start_paused = true)]
async fn refusals_are_json_and_the_connection_lives_on() {
    let key = "sk-very-secret";
    let sim = Sim::new(SimConfig { api_key: Some(ApiKey::new(key)), ..SimConfig::fast() });
    let mut client = connect(&sim);
    let right = format!("authorization: Bearer {key}\r\n");
    let wrong = "authorization: Bearer sk-guess\r\n";
    let hello = streamed("Hello", json!({}));
    for (headers, body, status) in [
        ("", hello.clone(), 401),
        (wrong, hello.clone(), 401),
        (&right, streamed("Hello", json!({"model": "nope"})), 404),
        (&right, json!({"model": "sim-chat"}), 400),
        (&right, streamed("Hello", json!({"max_tokens": -5})), 400),
        (&right, json!([1]), 400),
        (&right, hello, 200),
    ] {
        let reply = client.chat_as(headers, &body).await.unwrap();
        assert_eq!(reply.status, status, "{body}");
        assert!(!reply.body.contains("sk-"), "{}", reply.body);
        if status != 200 {
            assert_eq!(reply.json()["error"]["code"], status);
        }
    }
    client.send("GET", "/v1/models", wrong, "").await;
    assert_eq!(client.reply().await.unwrap().status, 401);
    assert!(!format!("{:?}", sim.config()).contains(key));
}

#[tokio::test(start_paused = true)]
async fn options_and_habits_of_other_services() {
    let sim = Sim::new(SimConfig { refuse_stream_options: true, ..SimConfig::fast() });
    let mut client = connect(&sim);
    let refused = client.chat(&streamed("Hello", json!({}))).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["message"], "Unrecognized request argument supplied: stream_options");
    assert!(client.chat(&streamed("Hello", json!({"stream_options": null}))).await.done());

    let sim = Sim::new(SimConfig { echo_authorization: true, ..SimConfig::fast() });
    let echoed =
        connect(&sim).chat_as("authorization: Bearer k-1\r\n", &streamed("Hello", json!({}))).await.unwrap();
    assert_eq!(echoed.status, 500);
    assert!(echoed.body.contains("Bearer k-1"));

    let sim = Sim::new(SimConfig { close_after_response: true, ..SimConfig::fast() });
    let mut client = connect(&sim);
    let reply = client.chat(&streamed("Hello", json!({}))).await;
    assert!(reply.done() && reply.whole && reply.head.contains("connection: keep-alive"));
    assert!(client.reply().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn pages_beside_the_chat() {
    let sim = Sim::new(SimConfig { ready: false, process_start_s: Some(1.5e9), ..SimConfig::fast() });
    let mut client = connect(&sim);
    assert_eq!(client.get("/health").await.status, 503);
    assert_eq!(client.chat(&streamed("Hello", json!({}))).await.status, 503);
    sim.set_ready(true);
    assert_eq!(client.get("/health").await.status, 200);
    assert_eq!(client.get("/version").await.json(), json!({"version": "0.0.0+sim"}));
    let models = client.get("/v1/models?x=1").await.json();
    assert_eq!(models["data"][0]["id"], "sim-chat");
    assert_eq!(models["data"][0]["created"], 1_500_000_000);
    assert_eq!(client.get("/nowhere").await.status, 404);
    assert_eq!(client.get("/v1/chat/completions").await.status, 405);

    client.chat(&streamed("Hello", json!({"max_tokens": 3}))).await;
    let page = client.get("/metrics").await.body;
    for line in [
        "process_start_time_seconds 1500000000",
        r#"vllm:num_requests_running{engine="0",model_name="sim-chat"} 0.0"#,
        r#"vllm:num_requests_waiting{engine="0",model_name="sim-chat"} 0.0"#,
        r#"vllm:prompt_tokens_total{engine="0",model_name="sim-chat"} 5.0"#,
        r#"vllm:generation_tokens_total{engine="0",model_name="sim-chat"} 3.0"#,
    ] {
        assert!(page.lines().any(|other| other == line), "{line} in {page}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_service_refuses_with_429() {
    let sim = Sim::new(SimConfig { max_batch: 1, queue_limit: 1, ..SimConfig::fast() });
    let mut clients: Vec<_> = (0..3).map(|_| connect(&sim)).collect();
    let body = streamed("Hello", json!({}));
    let mut statuses = Vec::new();
    let [a, b, c] = clients.as_mut_slice() else { unreachable!() };
    let (a, b, c) = tokio::join!(a.chat(&body), b.chat(&body), c.chat(&body));
    statuses.extend([a.status, b.status, c.status]);
    assert_eq!(statuses, [200, 200, 429]);
}

#[tokio::test(start_paused = true)]
async fn http_1_0_and_connection_close_end_the_connection() {
    let sim = Sim::new(SimConfig::fast());
    let mut client = connect(&sim);
    let reply = client.chat_as("connection: close\r\n", &streamed("Hello", json!({}))).await.unwrap();
    assert!(reply.done() && reply.head.contains("connection: close"));
    assert!(client.reply().await.is_none());
}
