//! One request to an inference service, from its bytes to its instants.
//!
//! Three layers, each usable alone:
//!
//! - [`Parser`] turns the bytes of an event stream into events;
//! - [`ChatStream`] turns events into the state of a chat completion, whichever service speaks;
//! - [`Session`] sends a request and returns its [`Exchange`]: what came, and when.
//!
//! # Why not an HTTP client as they come
//!
//! The figures of an acceptance test are differences of instants, so it matters which instants. Clients stamp a
//! frame of a body when the task that waits for it gets to run, which on a busy machine is later than the bytes
//! came, and they split one arrival into several frames or join two. Here the socket is stamped below TLS and below
//! HTTP, right where it is read, and every event carries the stamp of the read that completed it. Three events in one
//! packet are one arrival; an event in two packets arrived with the second. Connecting, a dead pooled connection and
//! the second sending are facts of the exchange rather than hidden in it; there are no retries, redirects, proxies or
//! time-outs beyond those stated.
//!
//! Time comes from a [`Clock`] that is passed in, so that an hour of silence is tested in a millisecond.
//!
//! ```
//! use std::sync::Arc;
//! use inference_sim::scripted::{ScriptedServer, Step};
//! use sse_client::{Endpoint, RuntimeClock, SendOptions, Session, Target, TcpConnector, Terminal, TlsOptions};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
//!     data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
//! let server = ScriptedServer::bind(vec![vec![Step::WaitRequest, Step::write(answer)]]).await?;
//!
//! let endpoint = Endpoint::parse(&server.url())?;
//! let connector = TcpConnector::new(&endpoint, &TlsOptions::default())?;
//! let target = Target::new(endpoint, "example/1", None)?;
//! let mut session = Session::new(Arc::new(target), Arc::new(connector), Arc::new(RuntimeClock::start()));
//!
//! let mut id = || "one".to_owned();
//! let exchange = session.chat(r#"{"model":"m","stream":true}"#.into(), SendOptions::new(&mut id)).await;
//! assert_eq!((exchange.text.as_str(), exchange.terminal), ("Hi", Some(Terminal::Complete)));
//! let (sent, first_token, end) = (exchange.sent.unwrap(), exchange.first_token.unwrap(), exchange.end.unwrap());
//! assert!(sent <= first_token && first_token <= end);
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! # Ok::<(), std::io::Error>(())
//! ```

mod accumulate;
mod answer;
mod any_certificate;
mod chat;
mod chat_state;
mod clock;
mod connect;
mod decode;
mod endpoint;
mod exchange;
mod framing;
mod guard;
mod head;
mod http1;
#[cfg(feature = "http2")]
mod http2;
mod http_version;
mod kept;
mod lenient;
mod line;
#[cfg(feature = "http2")]
mod mark;
mod named;
mod opening;
mod outgoing;
mod parser;
mod plain;
#[cfg(feature = "http2")]
mod pool;
mod reach;
mod recorder;
mod secret;
mod service_error;
mod session;
mod shortcut;
mod stamp;
mod target;
mod terminal;
mod tls;
mod tls_failure;
mod transport;
mod wire;

pub use chat::{Chat, ChatStream, Problem, Seen, ToolCall, Usage};
pub use clock::{Clock, RuntimeClock};
pub use connect::{Connect, ConnectError, ConnectKind, TcpConnector};
pub use decode::{Decoded, decode};
pub use endpoint::{Endpoint, EndpointError};
pub use exchange::{Ended, Exchange, Failure, FailureKind, Phase};
pub use guard::{Cancel, Canceller, Timeouts};
pub use http_version::{HttpVersion, Spoken};
pub use kept::{SAMPLE_BYTES, Sample};
pub use parser::{DEFAULT_LIMIT, Event, LimitExceeded, Parser, is_event_stream};
pub use plain::{PLAIN_LIMIT, Plain, PlainError};
#[cfg(feature = "http2")]
pub use pool::{Pool, STREAMS_PER_CONNECTION};
pub use recorder::Recording;
pub use secret::Secret;
pub use service_error::{ErrorCode, ServiceError};
pub use session::{SendOptions, Session};
pub use target::{Target, TargetError};
pub use terminal::Terminal;
pub use tls::{Tls, TlsOptions};
pub use tls_failure::{TlsError, TlsFailure};
