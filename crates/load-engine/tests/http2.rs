//! A run over HTTP/2: who shares a connection, and that the rows are those of any run.

mod common;

use std::convert::Infallible;

use bytes::Bytes;
use common::{at, plan, run_plan};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use metrics_core::{Ended, Record};
use sse_client::{Connect, ConnectError};
use tokio::io::DuplexStream;
use workload_model::{Bounds, Http};

const ANSWER: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\n\
                      data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n\
                      data: [DONE]\n\n";

/// Connects to servers in memory that answer when a tenth of a second has gone by.
struct Servers;

impl Connect for Servers {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let (client, server) = tokio::io::duplex(1 << 16);
        let answer = service_fn(async |request: Request<Incoming>| {
            let _ = request.into_body().collect().await;
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(ANSWER.as_bytes()))))
        });
        let serving =
            http2::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(server), answer);
        tokio::spawn(async move {
            let _ = serving.await;
        });
        Ok(client)
    }
}

#[tokio::test(start_paused = true)]
async fn a_control_runs_on_the_threads_that_it_names_and_the_other_on_those_of_the_run() {
    let mut plan = plan(&[4], &[8], Bounds::default());
    plan.stage.retain(|stage| stage.kind.measured());
    (plan.client.http, plan.client.streams_per_connection) = (Http::Two, 100);
    plan.add_control();
    let (_, told) = run_plan(&at(Servers), plan, async |_| {}).await;
    // Threads do not share connections, so that there are as many of them as threads.
    let connections = ["sweep", "control_threads", "control_recording"].map(|stage| {
        let of_stage = told.records.iter().filter(|record| record.stage == stage);
        of_stage.filter(|record| record.facts.connect.is_some()).count()
    });
    assert_eq!(connections, [1, 2, 1]);
}

#[tokio::test(start_paused = true)]
async fn requests_in_flight_share_connections_and_every_step_makes_its_own() {
    for (streams, expected) in [(100, 2), (2, 4), (1, 7)] {
        let mut plan = plan(&[2, 5], &[6, 10], Bounds::default());
        plan.stage.retain(|stage| stage.kind.measured());
        plan.client.http = Http::Two;
        plan.client.streams_per_connection = streams;
        let (_, told) = run_plan(&at(Servers), plan, async |_| {}).await;
        assert_eq!(told.records.len(), 16);
        for Record { facts, .. } in &told.records {
            assert_eq!((facts.ended, facts.token_events, facts.reconnects), (Ended::Done, 1, 0), "{facts:?}");
            assert!(facts.sent <= facts.first_token && facts.first_token <= facts.end, "{facts:?}");
        }
        // Whoever opened a connection knows how long that took.
        let opened = told.records.iter().filter(|record| record.facts.connect.is_some()).count();
        assert_eq!(opened, expected, "{streams} streams a connection");
    }
}
