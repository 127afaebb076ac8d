//! What the tests of exchanges share: a connector in memory, scripts, and answers.

#![expect(dead_code, reason = "every test program uses some of it")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use inference_sim::scripted::{Log, ScriptedServer, Step, play};
use sse_client::{
    Cancel, Connect, ConnectError, DEFAULT_LIMIT, Endpoint, Exchange, Recording, RuntimeClock, Secret,
    SendOptions, Session, Target, TcpConnector, Timeouts, TlsOptions,
};
use tokio::io::DuplexStream;

/// Connects to scripts in memory, one a connection; refuses when there is none left.
pub(crate) struct InMemory {
    scripts: Mutex<VecDeque<Vec<Step>>>,
    pub(crate) log: Log,
}

impl Connect for InMemory {
    type Io = DuplexStream;

    async fn connect(&self) -> Result<DuplexStream, ConnectError> {
        let Some(script) = self.scripts.lock().unwrap().pop_front() else {
            return Err(ConnectError::Refused { host: "memory".into(), port: 0 });
        };
        let (client, server) = tokio::io::duplex(1 << 16);
        let log = self.log.clone();
        tokio::spawn(async move { play(server, &script, &log).await });
        Ok(client)
    }
}

pub(crate) struct Client<C: Connect> {
    pub(crate) session: Session<C>,
    pub(crate) connector: Arc<C>,
    pub(crate) timeouts: Timeouts,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) live_tokens: Arc<AtomicU64>,
    pub(crate) head_limit: usize,
    pub(crate) event_limit: usize,
    pub(crate) body_limit: u64,
    pub(crate) recording: Recording,
    sendings: u32,
}

impl<C: Connect> Client<C> {
    pub(crate) fn new(url: &str, connector: C) -> Self {
        let (connector, clock) = (Arc::new(connector), Arc::new(RuntimeClock::start()));
        let target =
            Target::new(Endpoint::parse(url).unwrap(), "test/1", Secret::new("sk-hush-hush")).unwrap();
        Self {
            session: Session::new(Arc::new(target), Arc::clone(&connector), clock),
            connector,
            timeouts: Timeouts::default(),
            cancel: None,
            live_tokens: Arc::default(),
            head_limit: 64 << 10,
            event_limit: DEFAULT_LIMIT,
            body_limit: u64::MAX,
            recording: Recording::Full,
            sendings: 0,
        }
    }

    /// The same connections to another target.
    pub(crate) fn of(mut self, target: Target) -> Self {
        let clock = Arc::new(RuntimeClock::start());
        self.session = Session::new(Arc::new(target), Arc::clone(&self.connector), clock);
        self
    }

    /// The same with its open connection counted.
    pub(crate) fn counted_in(mut self, gauge: Arc<AtomicU64>) -> Self {
        self.session = self.session.counted_in(gauge);
        self
    }

    pub(crate) async fn chat(&mut self) -> Exchange {
        let mut id = || {
            self.sendings += 1;
            format!("id-{}", self.sendings)
        };
        let options = SendOptions {
            timeouts: self.timeouts,
            cancel: self.cancel.as_ref(),
            live_tokens: Some(&self.live_tokens),
            head_limit: self.head_limit,
            event_limit: self.event_limit,
            body_limit: self.body_limit,
            recording: self.recording,
            ..SendOptions::new(&mut id)
        };
        self.session.chat("{}".into(), options).await
    }
}

/// A client of scripts in memory.
pub(crate) fn in_memory(scripts: impl IntoIterator<Item = Vec<Step>>) -> Client<InMemory> {
    let connector = InMemory { scripts: Mutex::new(scripts.into_iter().collect()), log: Log::default() };
    Client::new("http://memory:8000/v1", connector)
}

/// A client of a server on loopback.
pub(crate) fn of_server(server: &ScriptedServer) -> Client<TcpConnector> {
    let connector =
        TcpConnector::new(&Endpoint::parse(&server.url()).unwrap(), &TlsOptions::default()).unwrap();
    Client::new(&server.url(), connector)
}

pub(crate) const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
pub(crate) const LAST_CHUNK: &str = "0\r\n\r\n";

/// A body in one chunk of chunked framing.
pub(crate) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

pub(crate) fn token(text: &str) -> String {
    format!("data: {{\"id\":\"c-1\",\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

pub(crate) fn thought(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"reasoning\":\"{text}\"}}}}]}}\n\n")
}

pub(crate) fn finish() -> String {
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned()
}

pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// A whole streamed answer, kept alive, in one write.
pub(crate) fn whole_answer() -> String {
    format!("{HEAD}{}{LAST_CHUNK}", chunk(&format!("{}{}{DONE}", token("Hi"), finish())))
}

/// An answer that is no stream.
pub(crate) fn plain_answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}
