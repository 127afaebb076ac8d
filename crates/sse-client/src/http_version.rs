//! Which HTTP is spoken.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which HTTP is to be spoken with a service. Written, by `Display` and in JSON, as `1.1`, `2` and `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HttpVersion {
    /// HTTP/1.1, a connection for every request under way.
    #[default]
    #[serde(rename = "1.1")]
    Http1,
    /// HTTP/2, many requests on a connection: over TLS as agreed by ALPN, over plain TCP by prior knowledge, without
    /// asking first. Needs the crate's feature `http2`.
    #[serde(rename = "2")]
    Http2,
    /// Over TLS what ALPN agrees on, HTTP/2 preferred; HTTP/1.1 over plain TCP. Without the crate's feature `http2`
    /// the same as [`HttpVersion::Http1`].
    #[serde(rename = "auto")]
    Auto,
}

impl fmt::Display for HttpVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Http1 => "1.1",
            Self::Http2 => "2",
            Self::Auto => "auto",
        })
    }
}

/// What was agreed on with a service, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spoken {
    /// The protocol by its registered name: `http/1.1` or `h2`.
    pub http: &'static str,
    /// The version of TLS, such as `1.3`; `None` without TLS.
    pub tls: Option<&'static str>,
}
