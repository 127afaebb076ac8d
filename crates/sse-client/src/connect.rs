//! Ways to reach the service.

use std::future::Future;
use std::io;

use serde::Serialize;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};

use crate::endpoint::Endpoint;
use crate::tls::{Tls, TlsOptions};
use crate::tls_failure::{TlsError, TlsFailure};

/// Opens transports to one service. The session stamps what it is given and lays TLS over it where asked, so that
/// instants are the transport's own; tests connect in memory, without any TLS.
pub trait Connect: Send + Sync + 'static {
    /// The transport, below TLS.
    type Io: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static;

    /// Opens one transport. The time it may take is bounded by the caller.
    fn connect(&self) -> impl Future<Output = Result<Self::Io, ConnectError>> + Send;

    /// The TLS to be spoken over it; none by default.
    fn tls(&self) -> Option<&Tls> {
        None
    }
}

/// Connects by TCP, without delaying small writes. No proxy is ever used, whatever the environment says.
#[derive(Clone, Debug)]
pub struct TcpConnector {
    host: String,
    port: u16,
    tls: Option<Tls>,
}

impl TcpConnector {
    /// A connector to the host and port of an endpoint, with TLS where its scheme says so.
    ///
    /// # Errors
    ///
    /// [`TlsError`] where the options for TLS cannot be used. They are looked at only where TLS is spoken.
    pub fn new(endpoint: &Endpoint, options: &TlsOptions) -> Result<Self, TlsError> {
        let tls = if endpoint.is_tls() { Some(Tls::new(endpoint.host(), options)?) } else { None };
        Ok(Self { host: endpoint.host().to_owned(), port: endpoint.port(), tls })
    }
}

impl Connect for TcpConnector {
    type Io = TcpStream;

    async fn connect(&self) -> Result<TcpStream, ConnectError> {
        let host = || self.host.clone();
        let addresses = lookup_host((self.host.as_str(), self.port))
            .await
            .map_err(|source| ConnectError::Dns { host: host(), source })?;
        let mut failure = None;
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    stream
                        .set_nodelay(true)
                        .map_err(|source| ConnectError::Other { host: host(), source })?;
                    return Ok(stream);
                }
                Err(source) if source.kind() == io::ErrorKind::ConnectionRefused => {
                    failure = Some(ConnectError::Refused { host: host(), port: self.port });
                }
                Err(source) => failure = Some(ConnectError::Other { host: host(), source }),
            }
        }
        Err(failure.unwrap_or_else(|| {
            let source = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
            ConnectError::Dns { host: host(), source }
        }))
    }

    fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }
}

/// Why no connection came about. Every message says what to look at.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The name has no address.
    #[error("resolve {host}: {source} (check the host name, and that this machine can resolve it)")]
    Dns {
        /// The name.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Nothing listens there.
    #[error("connect to {host} port {port}: refused (is the service running, and on this port?)")]
    Refused {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// TLS did not come about.
    #[error(transparent)]
    Tls(#[from] TlsFailure),
    /// The time for connecting ran out.
    #[error("connect within {seconds} s (a firewall that drops packets, or a service too busy to accept?)")]
    Timeout {
        /// The time there was, in seconds.
        seconds: f64,
    },
    /// The other side took the connection, and the time for connecting ran out over TLS.
    #[error("agree on TLS within {seconds} s: no answer (is the address http:// rather than https://?)")]
    TlsTimeout {
        /// The time there was, in seconds.
        seconds: f64,
    },
    /// The service does not speak HTTP/2, or not in a way that can be used.
    #[error("speak HTTP/2 with {host}: {reason} (does the service know HTTP/2? if not, use --http 1.1)")]
    Http2 {
        /// The host.
        host: String,
        /// What went wrong.
        reason: String,
    },
    /// Anything else, such as an unreachable network or too many open files.
    #[error("connect to {host}: {source} (check the route to it, and this machine's limits)")]
    Other {
        /// The host.
        host: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ConnectError {
    /// The failure's kind. `None` for a time-out, which is a time-out like others.
    #[must_use]
    pub fn kind(&self) -> Option<ConnectKind> {
        Some(match self {
            Self::Dns { .. } => ConnectKind::Dns,
            Self::Refused { .. } => ConnectKind::Refused,
            Self::Tls(_) => ConnectKind::Tls,
            Self::Http2 { .. } | Self::Other { .. } => ConnectKind::Other,
            Self::Timeout { .. } | Self::TlsTimeout { .. } => return None,
        })
    }
}

/// The kinds of a failed connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectKind {
    /// The name has no address.
    Dns,
    /// Nothing listens there.
    Refused,
    /// TLS did not come about.
    Tls,
    /// Anything else.
    Other,
}
