//! Services to run the program against.

use std::{net::SocketAddr, sync::mpsc, thread::JoinHandle};

use inference_sim::{
    Fault, FaultKind, RunningSim, SimConfig, When,
    scripted::{Log, ScriptedServer, Step},
    spawn_thread,
};
use tokio::sync::oneshot;

pub(crate) fn sim(config: SimConfig) -> RunningSim {
    spawn_thread(config, "127.0.0.1:0").unwrap()
}

/// A service for which the same goes wrong for every request.
pub(crate) fn faulty(kind: FaultKind) -> SimConfig {
    faulty_for(When::Always, kind)
}

pub(crate) fn faulty_for(when: When, kind: FaultKind) -> SimConfig {
    SimConfig { faults: vec![Fault::new(when, kind)], ..SimConfig::fast() }
}

/// A service whose answers have no end.
pub(crate) fn endless() -> SimConfig {
    SimConfig { output_tokens: 1 << 30..=1 << 30, context_tokens: 1 << 40, ..SimConfig::fast() }
}

/// A scripted server on a thread of its own, until it is dropped.
#[derive(Debug)]
pub(crate) struct Scripted {
    pub(crate) address: SocketAddr,
    pub(crate) log: Log,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Plays `script` on every connection.
pub(crate) fn scripted(script: Vec<Step>) -> Scripted {
    let (end, ended) = oneshot::channel::<()>();
    let (told, hears) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = ScriptedServer::bind(vec![script]).await.unwrap();
            told.send((server.address(), server.log().clone())).unwrap();
            let _ = ended.await;
        });
    });
    let (address, log) = hears.recv().unwrap();
    Scripted { address, log, end: Some(end), thread: Some(thread) }
}

impl Scripted {
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// A script that answers one request, whatever it is, and closes.
pub(crate) fn always(status: &str, kind: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n"
    );
    vec![Step::WaitRequest, Step::write(format!("{head}\r\n{body}")), Step::Close]
}

/// A whole answer as a stream.
pub(crate) const STREAM: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hello\"},\"finish_reason\":null}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":1}}\n\n\
    data: [DONE]\n\n";
