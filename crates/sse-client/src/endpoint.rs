//! Where the service is.

use std::fmt;

use hyper::Uri;
use thiserror::Error;

/// The path of the chat API below the base.
const CHAT: &str = "/chat/completions";

/// The base of an OpenAI-compatible API: scheme, host, port, and the path up to and including `/v1`.
///
/// ```
/// let endpoint = sse_client::Endpoint::parse("https://gateway/llm/v1/chat/completions")?;
/// assert_eq!(endpoint.url(), "https://gateway/llm/v1");
/// assert_eq!((endpoint.host(), endpoint.port(), endpoint.is_tls()), ("gateway", 443, true));
/// assert_eq!(endpoint.chat_path(), "/llm/v1/chat/completions");
/// assert_eq!(endpoint.path_of("models"), "/llm/v1/models");
/// assert_eq!(endpoint.root_path("health"), "/llm/health");
/// # Ok::<(), sse_client::EndpointError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    tls: bool,
    host: String,
    port: u16,
    base: String,
}

impl Endpoint {
    /// Reads `http://host:port/prefix/v1`, or the full address ending in `/chat/completions`. IPv6 addresses stand
    /// in brackets.
    ///
    /// # Errors
    ///
    /// [`EndpointError`] for anything that is no such address. No message repeats what may be a password.
    pub fn parse(url: &str) -> Result<Self, EndpointError> {
        let url = url.trim();
        let (scheme, rest) = url.split_once("://").ok_or(EndpointError::NoScheme)?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(EndpointError::Scheme(scheme.to_owned())),
        };
        // Anywhere: a password may hold the very signs that end an authority, and must not pass for a path then.
        if rest.contains('@') {
            return Err(EndpointError::Credentials);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if rest.contains(['?', '#']) {
            return Err(EndpointError::Query);
        }
        let invalid = || EndpointError::Invalid(url.to_owned());
        if !rest.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(EndpointError::NotAscii(url.to_owned()));
        }
        let uri: Uri = url.parse().map_err(|_| invalid())?;
        let parsed = uri.authority().ok_or_else(invalid)?;
        let port = match (authority.rsplit_once(':'), parsed.port_u16()) {
            (_, Some(0)) => return Err(invalid()),
            (_, Some(port)) => port,
            // A colon outside brackets without a readable port, such as `host:99999` or `host:`.
            (Some((_, after)), None) if !after.ends_with(']') => return Err(invalid()),
            (_, None) => {
                if tls {
                    443
                } else {
                    80
                }
            }
        };
        let host = parsed.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if host.is_empty() {
            return Err(invalid());
        }
        let path = uri.path().trim_end_matches('/');
        let base = path.strip_suffix(CHAT).unwrap_or(path).trim_end_matches('/').to_owned();
        Ok(Self { tls, host, port, base })
    }

    /// The base as an address, without the port where it is the scheme's own.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.base)
    }

    /// Scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.authority())
    }

    /// Host and port as they stand in a `Host` header.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == if self.tls { 443 } else { 80 } { host } else { format!("{host}:{}", self.port) }
    }

    /// The host name, or the address without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the scheme is `https`.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// The path of the chat API.
    #[must_use]
    pub fn chat_path(&self) -> String {
        format!("{}{CHAT}", self.base)
    }

    /// The path of something beside the chat API, such as `models`.
    #[must_use]
    pub fn path_of(&self, name: &str) -> String {
        format!("{}/{}", self.base, name.trim_start_matches('/'))
    }

    /// The path of something beside `/v1`, such as `/health`, `/metrics` or `/version`. A gateway's prefix is kept.
    #[must_use]
    pub fn root_path(&self, name: &str) -> String {
        let root = self.base.strip_suffix("/v1").unwrap_or(&self.base);
        format!("{root}/{}", name.trim_start_matches('/'))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.url())
    }
}

/// An address that cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// No `://`.
    #[error("read the address of the service (it starts with http:// or https://)")]
    NoScheme,
    /// Another scheme than HTTP's.
    #[error("use scheme {0:?} (the service speaks http or https)")]
    Scheme(String),
    /// A user name or password.
    #[error(
        "use an address with a user name or password in it (give the key by --api-key-env or --api-key-file; an @ in a path is written %40)"
    )]
    Credentials,
    /// A query or fragment.
    #[error("use an address with a query or fragment (give the base, up to and including /v1)")]
    Query,
    /// A space, or a letter beyond ASCII.
    #[error("use {0:?} as an address (write what is not ASCII as %XX, and a host name in its xn-- form)")]
    NotAscii(String),
    /// No host, an unreadable port, or characters that do not belong there.
    #[error("read {0:?} as an address (it looks like http://host:8000/v1)")]
    Invalid(String),
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, EndpointError};

    #[test]
    fn addresses_are_read_and_written_back() {
        for (url, written, port, chat) in [
            ("http://10.0.0.5:8000/v1", "http://10.0.0.5:8000/v1", 8000, "/v1/chat/completions"),
            ("HTTP://Host/v1/", "http://host/v1", 80, "/v1/chat/completions"),
            ("https://h:443/v1/chat/completions/", "https://h/v1", 443, "/v1/chat/completions"),
            ("http://[::1]:8000/v1", "http://[::1]:8000/v1", 8000, "/v1/chat/completions"),
            ("http://[fe80::1]/a/b", "http://[fe80::1]/a/b", 80, "/a/b/chat/completions"),
            ("http://h:1", "http://h:1", 1, "/chat/completions"),
        ] {
            let endpoint = Endpoint::parse(url).unwrap();
            assert_eq!((endpoint.url().as_str(), endpoint.port()), (written, port), "{url}");
            assert_eq!(endpoint.chat_path(), chat, "{url}");
        }
        assert_eq!(Endpoint::parse("http://[::1]:8000/v1").unwrap().host(), "::1");
        assert_eq!(Endpoint::parse("http://h/v1").unwrap().root_path("/health"), "/health");
    }

    #[test]
    fn addresses_that_cannot_be_used_are_refused_without_repeating_passwords() {
        let error = |url: &str| Endpoint::parse(url).unwrap_err();
        assert_eq!(error("10.0.0.5:8000/v1"), EndpointError::NoScheme);
        assert_eq!(error(""), EndpointError::NoScheme);
        assert_eq!(error("ftp://h/v1"), EndpointError::Scheme("ftp".into()));
        for url in ["user:hunter2@h/v1", "user:hunt/er2@h/v1", "user:hunt?er2@h/v1", "user:hunt#er2@h/v1"] {
            assert_eq!(error(&format!("http://{url}")), EndpointError::Credentials);
        }
        assert_eq!(error("http://h/v1?key=hunter2"), EndpointError::Query);
        for url in ["http:///v1", "http://h:99999/v1", "http://h:0/v1", "http://h:/v1"] {
            assert!(matches!(error(url), EndpointError::Invalid(_)), "{url}");
        }
        for url in ["http://a b/v1", "http://h/模型/v1", "http://h/a\tb/v1"] {
            assert_eq!(error(url), EndpointError::NotAscii(url.to_owned()));
        }
    }
}
