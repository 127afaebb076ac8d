//! What the preflight finds out, and when it says that there is no sense in a run.

mod common;

use std::{sync::Arc, time::Duration};

use common::{at, service};
use inference_sim::{ApiKey, Fault, FaultKind, SimConfig, When};
use load_engine::{Asked, Preflight, Refusal, Service, preflight};
use sse_client::{Clock, Connect, ConnectError, RuntimeClock};
use tokio::{io::DuplexStream, time::Instant};
use workload_model::{Bounds, Http, Output, RequestShape, Timeouts};

async fn ask<C: Connect>(service: &Service<C>, model: &str, limits: bool) -> Result<Preflight, Refusal> {
    ask_for(service, RequestShape::default(), model, limits).await
}

async fn ask_for<C: Connect>(
    service: &Service<C>,
    shape: RequestShape,
    model: &str,
    limits: bool,
) -> Result<Preflight, Refusal> {
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let asked = Asked {
        model,
        shape,
        timeouts: Timeouts { first_token_s: 20.0, stall_s: 20.0, ..Timeouts::default() },
        http: Http::Auto,
        bounds: Bounds::default(),
        nonce: "n",
        limits,
    };
    preflight(service, &clock, &asked, |_| {}).await
}

async fn found(config: SimConfig) -> Preflight {
    ask(&service(config).0, "sim-chat", false).await.expect("served")
}

async fn refused(config: SimConfig) -> Refusal {
    ask(&service(config).0, "sim-chat", false).await.expect_err("refused")
}

fn faulty(kind: FaultKind) -> SimConfig {
    SimConfig { faults: vec![Fault::new(When::Always, kind)], ..SimConfig::fast() }
}

#[tokio::test(start_paused = true)]
async fn a_sound_service_is_described() {
    let found = ask(&service(SimConfig::fast()).0, "sim-chat", true).await.expect("served");
    assert_eq!(found.models, ["sim-chat"]);
    assert!(found.version.is_some());
    assert_eq!(found.health_path.as_deref(), Some("/health"));
    assert_eq!(found.usage, Some(true));
    assert_eq!(found.finish_reason.as_deref(), Some("stop"));
    assert_eq!((found.max_tokens_honoured, found.ignore_eos_honoured), (Some(true), Some(true)));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    assert_eq!(found.spent.requests, 3);
    assert!(found.spent.output_tokens >= found.output_tokens.expect("an answer"));
}

#[tokio::test(start_paused = true)]
async fn limits_that_are_not_honoured_are_seen() {
    let config = SimConfig { honours_max_tokens: false, honours_ignore_eos: false, ..SimConfig::fast() };
    let found = ask(&service(config).0, "sim-chat", true).await.expect("served");
    assert_eq!((found.max_tokens_honoured, found.ignore_eos_honoured), (Some(false), Some(false)));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_refuses_stream_options_is_asked_without() {
    let found = found(SimConfig { refuse_stream_options: true, ..SimConfig::fast() }).await;
    assert!(found.usage_refused.is_some_and(|words| words.contains("stream_options")));
    assert_eq!(found.usage, Some(false));
    assert_eq!(found.spent.requests, 2);
}

#[tokio::test(start_paused = true)]
async fn refusals_say_what_to_do() {
    let locked = SimConfig { api_key: Some(ApiKey::new("sk-right-key")), ..SimConfig::fast() };
    let said = refused(locked).await;
    assert!(matches!(said, Refusal::Credentials { status: 401, .. }));
    assert!(said.to_string().contains("--api-key-env"));

    let said = ask(&service(SimConfig::fast()).0, "gpt-x", false).await.expect_err("refused").to_string();
    assert!(said.contains("gpt-x") && said.contains("sim-chat"), "names what there is: {said}");

    assert!(matches!(refused(faulty(FaultKind::HtmlPage)).await, Refusal::NotStreaming(_)));
    let teapot = FaultKind::HttpError { status: 418, retry_after_s: None };
    assert!(matches!(refused(faulty(teapot)).await, Refusal::Rejected { status: 418, .. }));
}

#[tokio::test(start_paused = true)]
async fn a_busy_or_hanging_service_is_what_a_run_is_there_to_measure() {
    for status in [429, 500, 503] {
        let found = found(faulty(FaultKind::HttpError { status, retry_after_s: None })).await;
        assert!(found.warnings.iter().any(|warning| warning.to_string().contains(&status.to_string())));
        assert_eq!(found.usage, None);
    }
    let found = found(faulty(FaultKind::Hang { after_tokens: 0 })).await;
    assert!(
        found.warnings.iter().any(|warning| warning.to_string().contains("in time")),
        "{:?}",
        found.warnings
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_stream_options_is_noted_though_the_second_try_meets_a_busy_service() {
    let busy = FaultKind::HttpError { status: 429, retry_after_s: None };
    let found = found(SimConfig { refuse_stream_options: true, ..faulty(busy) }).await;
    assert!(found.usage_refused.is_some_and(|words| words.contains("stream_options")));
    assert!(found.warnings.iter().any(|warning| warning.to_string().contains("429")), "{:?}", found.warnings);

    let refuses_all = FaultKind::HttpError { status: 422, retry_after_s: None };
    let said = refused(SimConfig { refuse_stream_options: true, ..faulty(refuses_all) }).await;
    assert!(matches!(said, Refusal::Rejected { status: 422, .. }), "{said}");
}

#[tokio::test(start_paused = true)]
async fn outputs_of_a_fixed_length_are_asked_for_before_the_run() {
    let fixed = RequestShape { output: Output::Fixed, ..RequestShape::default() };
    let ask = async |config: SimConfig| ask_for(&service(config).0, fixed.clone(), "sim-chat", false).await;
    let found = ask(SimConfig::fast()).await.expect("served");
    assert_eq!((found.output_tokens, found.finish_reason.as_deref()), (Some(16), Some("length")));
    assert!(found.warnings.is_empty() && found.spent.requests == 1, "{:?}", found.warnings);

    let deaf = SimConfig { honours_ignore_eos: false, output_tokens: 4..=4, ..SimConfig::fast() };
    let warned = ask(deaf).await.expect("served").warnings;
    let said: Vec<_> = warned.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.contains("16 output tokens") && said.contains("capped")), "{said:?}");

    for refuse_stream_options in [false, true] {
        let strict = SimConfig { refuse_ignore_eos: true, refuse_stream_options, ..SimConfig::fast() };
        let said = ask(strict.clone()).await.expect_err("refused");
        assert!(matches!(said, Refusal::FixedOutput { status: 400, .. }), "{said}");
        assert!(said.to_string().contains("\"capped\" outputs instead"), "{said}");
        ask_for(&service(strict).0, RequestShape::default(), "sim-chat", false)
            .await
            .expect("served without");
    }
    let refuses_all = FaultKind::HttpError { status: 422, retry_after_s: None };
    let said = ask(faulty(refuses_all)).await.expect_err("refused");
    assert!(matches!(said, Refusal::Rejected { status: 422, .. }), "{said}");
}

/// A host that drops packets.
struct Silent;

impl Connect for Silent {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_drops_packets_is_told_of_after_two_connect_time_outs() {
    let begun = Instant::now();
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let asked = Asked {
        model: "sim-chat",
        shape: RequestShape::default(),
        timeouts: Timeouts { connect_s: 3.0, ..Timeouts::default() },
        http: Http::Auto,
        bounds: Bounds::default(),
        nonce: "n",
        limits: true,
    };
    let said = preflight(&at(Silent), &clock, &asked, |_| {}).await.expect_err("refused");
    assert!(matches!(said, Refusal::Unreachable(_)) && said.to_string().contains("within 3 s"), "{said}");
    assert!(begun.elapsed() <= Duration::from_millis(6_010), "{:?}", begun.elapsed());
}
