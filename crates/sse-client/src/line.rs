//! A way to send one request: a connection of its own, or a place on a shared one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use hyper::Response;

use crate::clock::Clock;
use crate::connect::{Connect, ConnectError};
use crate::framing::FramingError;
use crate::guard::{Guard, Stop, later};
use crate::http_version::{HttpVersion, Spoken};
use crate::http1::{Broken, Own};
#[cfg(feature = "http2")]
use crate::http2::{Place, Shared};
use crate::outgoing::Outgoing;
use crate::stamp::{ReadStamp, Stamped, Stamps};
use crate::transport::MaybeTls;

pub(crate) enum Line<C: Connect> {
    Own(Own<C>),
    #[cfg(feature = "http2")]
    Shared(Place),
}

/// A connection just made, before it is known who else may use it.
pub(crate) enum Opened<C: Connect> {
    Own(Own<C>),
    #[cfg(feature = "http2")]
    Shared(Shared),
}

/// How a connection is made.
pub(crate) struct Opening<'a, C> {
    pub(crate) connector: &'a C,
    pub(crate) host: &'a str,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) within: Duration,
    pub(crate) gauge: Option<Arc<AtomicU64>>,
    pub(crate) http: HttpVersion,
    /// The longest head of a response, in bytes.
    pub(crate) head_limit: usize,
}

/// What is known of a request whose response did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "http2"), expect(dead_code, reason = "HTTP/1.1 never says so much"))]
pub(crate) enum Fate {
    /// The service refused to take it up; the connection is as good as before.
    Refused,
    /// It was not taken up: the connection was closing.
    TooLate,
    /// Its head was longer than a connection can bear.
    TooLong,
    /// It cannot be sent at all.
    Unsendable,
    /// It may have been taken up.
    Unknown,
}

/// A shared connection on which a request has just failed, where there was one.
#[derive(Default)]
pub(crate) struct Dead {
    #[cfg(feature = "http2")]
    shared: Option<Arc<Shared>>,
}

impl Dead {
    #[cfg(feature = "http2")]
    pub(crate) fn shared(&self) -> Option<&Arc<Shared>> {
        self.shared.as_ref()
    }
}

/// Counts a connection for as long as it lives.
pub(crate) struct Counted(Option<Arc<AtomicU64>>);

impl Counted {
    fn new(gauge: Option<Arc<AtomicU64>>) -> Self {
        if let Some(gauge) = &gauge {
            gauge.fetch_add(1, Relaxed);
        }
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(gauge) = &self.0 {
            gauge.fetch_sub(1, Relaxed);
        }
    }
}

impl<C: Connect> Opening<'_, C> {
    /// Connects, and agrees on what is spoken.
    pub(crate) async fn open(self) -> Result<(Opened<C>, Spoken), ConnectError> {
        let deadline = later(tokio::time::Instant::now(), self.within);
        let seconds = self.within.as_secs_f64();
        let stamps = Arc::new(Stamps::new(self.clock));
        let connected = tokio::time::timeout_at(deadline, self.connector.connect()).await;
        let io =
            Stamped::new(connected.unwrap_or(Err(ConnectError::Timeout { seconds }))?, Arc::clone(&stamps));
        let io = match self.connector.tls() {
            Some(tls) => {
                let secured = tokio::time::timeout_at(deadline, tls.secure(io, self.http)).await;
                MaybeTls::Tls(Box::new(secured.map_err(|_| ConnectError::TlsTimeout { seconds })??))
            }
            None => MaybeTls::Plain(io),
        };
        let host = || self.host.to_owned();
        let agreed = io.agreed() == Some(b"h2");
        let tls = io.tls_version();
        let counted = Counted::new(self.gauge);
        if !(agreed || self.http == HttpVersion::Http2) {
            let own = Own::over(io, stamps, self.head_limit, counted);
            return Ok((Opened::Own(own), Spoken { http: "http/1.1", tls }));
        }
        if tls.is_some() && !agreed {
            let reason = "it did not agree to it over TLS".to_owned();
            return Err(ConnectError::Http2 { host: host(), reason });
        }
        #[cfg(not(feature = "http2"))]
        return Err(ConnectError::Http2 { host: host(), reason: "this build has no HTTP/2".to_owned() });
        #[cfg(feature = "http2")]
        {
            let shared = Shared::over(io, stamps, self.head_limit, counted, self.host);
            let shared = tokio::time::timeout_at(deadline, shared).await;
            let shared = shared.unwrap_or(Err(ConnectError::Timeout { seconds }))?;
            Ok((Opened::Shared(shared), Spoken { http: "h2", tls }))
        }
    }
}

impl<C: Connect> Line<C> {
    /// Sends a request, and waits for the head of its response.
    pub(crate) async fn send(
        &mut self,
        request: Outgoing<'_>,
        id: &str,
        guard: &mut Guard<'_>,
    ) -> Result<Result<Response<()>, LineError>, Stop> {
        match self {
            Self::Own(own) => Ok(own.send(request, id, guard).await?.map_err(LineError::Http1)),
            #[cfg(feature = "http2")]
            Self::Shared(place) => match request.to_request(id) {
                Ok(request) => Ok(place.send(request, guard).await?.map_err(LineError::Http2)),
                Err(unusable) => Ok(Err(LineError::Http1(unusable.into()))),
            },
        }
    }

    /// Waits for the next bytes of the body, and hands them to `sink` with the stamp of the read that completed them.
    /// Says whether the body is whole.
    pub(crate) async fn read(
        &mut self,
        guard: &mut Guard<'_>,
        sink: &mut (dyn FnMut(&[u8], ReadStamp) + Send),
    ) -> Result<Result<bool, LineError>, Stop> {
        match self {
            Self::Own(own) => Ok(own.read(guard, sink).await?.map_err(LineError::Http1)),
            #[cfg(feature = "http2")]
            Self::Shared(place) => Ok(place.read(guard, sink).await?.map_err(LineError::Http2)),
        }
    }

    /// Reads the rest of a body that is of no more interest, so that the connection can serve again. `None` where it
    /// cannot, or where others keep it.
    pub(crate) async fn drain(mut self, within: Duration) -> Option<Self> {
        let serves = match &mut self {
            Self::Own(own) if own.is_idle() => own.drain().await,
            Self::Own(own) => tokio::time::timeout(within, own.drain()).await.unwrap_or(false),
            #[cfg(feature = "http2")]
            Self::Shared(place) => {
                let _ = tokio::time::timeout(within, place.drain()).await;
                false
            }
        };
        serves.then_some(self)
    }

    pub(crate) fn stamps(&self) -> &Stamps {
        match self {
            Self::Own(own) => &own.stamps,
            #[cfg(feature = "http2")]
            Self::Shared(place) => place.stamps(),
        }
    }

    /// When the request was handed to the socket.
    pub(crate) fn sent_us(&self) -> Option<u64> {
        match self {
            Self::Own(own) => own.stamps.sent_us(),
            #[cfg(feature = "http2")]
            Self::Shared(place) => place.sent_us(),
        }
    }

    /// Whether the body read last ended only with the connection.
    pub(crate) fn lasts_until_end(&self) -> bool {
        match self {
            Self::Own(own) => own.lasts_until_end,
            #[cfg(feature = "http2")]
            Self::Shared(_) => false,
        }
    }

    /// Whether others use the connection as well.
    pub(crate) fn is_shared(&self) -> bool {
        !matches!(self, Self::Own(_))
    }

    /// Whether the head of a response is longer than the limit, where that was not seen to before.
    pub(crate) fn is_too_long(&self, response: &Response<()>) -> bool {
        match self {
            Self::Own(_) => {
                let _ = response;
                false
            }
            #[cfg(feature = "http2")]
            Self::Shared(place) => place.is_too_long(response),
        }
    }

    /// What not to try again after a request met this fate.
    pub(crate) fn died(&self, fate: Fate) -> Dead {
        match self {
            #[cfg(feature = "http2")]
            Self::Shared(place) if fate != Fate::Refused => Dead { shared: Some(Arc::clone(place.shared())) },
            _ => {
                let _ = fate;
                Dead::default()
            }
        }
    }
}

/// Why a line gave no answer, or no more of one.
#[derive(Debug)]
pub(crate) enum LineError {
    Http1(Broken),
    #[cfg(feature = "http2")]
    Http2(hyper::Error),
}

impl LineError {
    /// What is known of the request that failed so.
    pub(crate) fn fate(&self) -> Fate {
        match self {
            Self::Http1(Broken::Framing(FramingError::HeadTooLong { .. })) => Fate::TooLong,
            Self::Http1(Broken::Path(_)) => Fate::Unsendable,
            Self::Http1(_) => Fate::Unknown,
            #[cfg(feature = "http2")]
            Self::Http2(error) => crate::http2::fate(error),
        }
    }
}

/// What went wrong, and what to do.
impl fmt::Display for LineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            // Nothing was sent.
            Self::Http1(Broken::Path(path)) => return path.fmt(formatter),
            Self::Http1(broken) => broken.to_string(),
            #[cfg(feature = "http2")]
            Self::Http2(error) => crate::http2::reason(error),
        };
        let hint = match self {
            Self::Http1(Broken::Framing(FramingError::Head(_))) => {
                "the port does not answer in HTTP/1.1; if it is a TLS port, use https://"
            }
            Self::Http1(Broken::Framing(_)) => "the service, or something before it, breaks HTTP/1.1",
            _ => "the service, or something before it, closed the connection; see its log",
        };
        write!(formatter, "read the answer: {reason} ({hint})")
    }
}
