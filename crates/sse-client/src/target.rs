//! Whom requests go to, and as whom.

use std::fmt;

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use thiserror::Error;

use crate::endpoint::Endpoint;
use crate::secret::Secret;

/// A service, and what every request to it carries: user agent, API key, further headers.
#[derive(Clone)]
pub struct Target {
    endpoint: Endpoint,
    /// The key, and the values of further headers: some gateways take their key in a header of their own.
    secrets: Vec<Secret>,
    headers: HeaderMap,
    chat_path: String,
}

impl Target {
    /// A service as a client with this user agent and key sees it.
    ///
    /// # Errors
    ///
    /// [`TargetError`] where the user agent or the key cannot stand in a header.
    pub fn new(endpoint: Endpoint, user_agent: &str, key: Option<Secret>) -> Result<Self, TargetError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, value("host", &endpoint.authority())?);
        headers.insert(header::USER_AGENT, value("user-agent", user_agent)?);
        if let Some(key) = &key {
            let bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()));
            let mut bearer = bearer.map_err(|_| TargetError::Key)?;
            bearer.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, bearer);
        }
        let chat_path = endpoint.chat_path();
        Ok(Self { endpoint, secrets: key.into_iter().collect(), headers, chat_path })
    }

    /// The same with a further header on every request; it replaces one of the same name. Its value may be a key, and
    /// is masked in whatever a service repeats of it, as the key is.
    ///
    /// # Errors
    ///
    /// [`TargetError`] where it cannot be a header, or is one that the framing of requests sets itself.
    pub fn with_header(mut self, name: &str, text: &str) -> Result<Self, TargetError> {
        let unusable = || TargetError::Name(name.to_owned());
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
        if [header::CONTENT_LENGTH, header::TRANSFER_ENCODING, HeaderName::from_static("x-request-id")]
            .contains(&key)
        {
            return Err(unusable());
        }
        let mut value = value(name, text)?;
        value.set_sensitive(true);
        self.headers.insert(key, value);
        self.secrets.extend(Secret::new(text));
        Ok(self)
    }

    /// Where the service is.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The text with what requests carry in confidence masked.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| secret.redact(&text))
    }

    /// The same for bytes.
    pub(crate) fn mask_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.secrets.iter().fold(bytes.to_vec(), |bytes, secret| secret.redact_bytes(&bytes))
    }

    /// Masks what a cut left of a secret at the end of bytes.
    pub(crate) fn mask_end(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secrets.iter().fold(bytes, |bytes, secret| secret.redact_end(bytes))
    }

    /// Masks what a cut left of a secret at the start of bytes.
    pub(crate) fn mask_start(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.secrets.iter().fold(bytes, |bytes, secret| secret.redact_start(bytes))
    }

    /// What every request carries.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The path of the chat API.
    pub(crate) fn chat_path(&self) -> &str {
        &self.chat_path
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(HeaderName::as_str).collect();
        formatter.debug_struct("Target").field("endpoint", &self.endpoint).field("headers", &names).finish()
    }
}

fn value(name: &str, text: &str) -> Result<HeaderValue, TargetError> {
    HeaderValue::from_str(text).map_err(|_| TargetError::Value(name.to_owned()))
}

/// What cannot be sent with a request. No message repeats a value, which may be a key.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// The API key has characters that no header can carry.
    #[error("send the API key (it has a line break or another character that no header can carry)")]
    Key,
    /// The header's name.
    #[error("send header {0:?} (its name is no header's, or is set by the client itself)")]
    Name(String),
    /// The header's value.
    #[error("send header {0:?} (its value has a character that no header can carry)")]
    Value(String),
}
