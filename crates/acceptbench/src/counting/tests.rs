//! Against the simulated service, and services that are scripted.

use std::time::Duration;

use inference_sim::{ApiKey, SimConfig, count_tokens, spawn_thread};
use load_engine::Service;
use serde_json::json;
use sse_client::{Endpoint, Secret, TcpConnector, TlsOptions};
use workload_model::{
    SizedBy,
    random::Stream,
    synthesis::{Ratios, Texts, Tongue},
};

use super::{CountingError, ServiceCounter, UsageProbe, service::Form};
use crate::{Confidence, service};

const WITHIN: Duration = Duration::from_secs(20);
/// What the simulated service adds to a message.
const ADDED: u64 = 4;

fn reach(url: &str, key: Option<&str>) -> Service<TcpConnector> {
    let endpoint = Endpoint::parse(url).expect("a URL");
    let confidence = Confidence { key: key.and_then(Secret::new), ..Confidence::default() };
    service(&endpoint, &confidence, &TlsOptions::default()).expect("a service")
}

#[test]
fn texts_have_the_length_that_the_service_counts() {
    let config = SimConfig::fast();
    let model = config.model.clone();
    let sim = spawn_thread(config, "127.0.0.1:0").expect("a service");
    let reached = reach(&sim.base_url(), None);
    let mut counter = ServiceCounter::connect(&reached, &model, WITHIN).expect("it has /tokenize");
    let added =
        UsageProbe::new(&reached, &model, WITHIN).and_then(|mut probe| probe.added_tokens(&mut counter));
    assert_eq!(added, Ok(ADDED));
    let ratios = Ratios { added_tokens: ADDED, ..Ratios::default() };
    let mut texts = Texts::new(Some(Box::new(counter)), ratios);
    for tongue in [Tongue::Zh, Tongue::En] {
        for tokens in [5, 80, 900] {
            let made = texts.text(&mut Stream::new(1, "service"), &[(tongue, 1)], tokens).expect("it counts");
            assert_eq!(made.counted, Some(count_tokens(&made.text)), "the service is asked");
            assert!(made.counted.expect("counted").abs_diff(tokens) <= 1, "{made:?}");
        }
    }
    let sizing = texts.sizing();
    assert_eq!((sizing.by, sizing.counter, sizing.added_tokens), (SizedBy::Service, Some(model), ADDED));
    assert_eq!(sizing.counted, 6);
}

#[test]
fn usage_tells_what_is_added_and_how_long_tokens_are() {
    let config = SimConfig::fast();
    let model = config.model.clone();
    let sim = spawn_thread(config, "127.0.0.1:0").expect("a service");
    let mut probe = UsageProbe::new(&reach(&sim.base_url(), None), &model, WITHIN).expect("a probe");
    let ratios = probe.ratios().expect("it counts");
    assert_eq!((ratios.added_tokens, ratios.by, probe.requests()), (ADDED, SizedBy::Usage, 8));
    let mut texts = Texts::new(None, ratios);
    for tongue in [Tongue::Zh, Tongue::En] {
        let made = texts.text(&mut Stream::new(3, "usage"), &[(tongue, 1)], 1000).expect("a text");
        assert!(count_tokens(&made.text).abs_diff(1000) <= 30, "{tongue:?} {}", count_tokens(&made.text));
    }
}

#[test]
fn a_key_that_is_missing_is_said_to_be_missing() {
    let config = SimConfig { api_key: Some(ApiKey::new("right")), ..SimConfig::fast() };
    let model = config.model.clone();
    let sim = spawn_thread(config, "127.0.0.1:0").expect("a service");
    assert!(ServiceCounter::connect(&reach(&sim.base_url(), Some("right")), &model, WITHIN).is_ok());
    let refused = ServiceCounter::connect(&reach(&sim.base_url(), None), &model, WITHIN).err();
    assert_eq!(refused, Some(CountingError::Credentials { path: "/tokenize".into(), status: 401 }));
}

#[test]
fn a_service_without_tokenize_is_told_with_what_was_tried() {
    let config = SimConfig::fast();
    let model = config.model.clone();
    let sim = spawn_thread(config, "127.0.0.1:0").expect("a service");
    let elsewhere = sim.base_url().replace("/v1", "/gateway/v1");
    let error = ServiceCounter::connect(&reach(&elsewhere, None), &model, WITHIN).err().expect("none there");
    let words = error.to_string();
    assert!(
        words.contains("/gateway/tokenize as Prompt: 404") && words.contains("tokenizer.json"),
        "{words}"
    );
    assert!(words.contains("/gateway/v1/tokenize as Inputs: 404"), "{words}");
    let chat = UsageProbe::new(&reach(&elsewhere, None), &model, WITHIN).and_then(|mut probe| probe.ratios());
    assert!(chat.is_err_and(|error| error.to_string().contains("status 404")));
}

#[test]
fn nobody_there_is_an_error_with_its_reason() {
    let error = ServiceCounter::connect(&reach("http://127.0.0.1:1/v1", None), "m", WITHIN).err();
    assert!(matches!(error, Some(CountingError::Unanswered { .. })), "{error:?}");
}

#[test]
fn every_form_is_asked_and_read_as_its_service_has_it() {
    let text = "one two";
    for (form, body, answer) in [
        (
            Form::Prompt,
            json!({ "model": "m", "prompt": text, "add_special_tokens": false }),
            json!({ "count": 2, "max_model_len": 4096, "tokens": [5, 6], "token_strs": null }),
        ),
        (Form::Content, json!({ "content": text, "add_special": false }), json!({ "tokens": [5, 6] })),
        (
            Form::Inputs,
            json!({ "inputs": text }),
            json!([{ "id": 5, "text": "one", "start": 0, "stop": 3 }, { "id": 6, "text": " two", "start": 3, "stop": 7 }]),
        ),
    ] {
        assert_eq!(form.body("m", text), body);
        assert_eq!(form.count(&answer), Some(2), "{form:?}");
        assert_eq!(form.count(&json!({ "error": "no" })), None, "{form:?}");
    }
}
