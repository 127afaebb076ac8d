//! One request before it is sent: HTTP/1.1 has it written out, HTTP/2 as hyper's own.

use bytes::Bytes;
use hyper::Method;
use hyper::header::{self, HeaderName};
#[cfg(feature = "http2")]
use hyper::{Request, header::HeaderValue};
use thiserror::Error;

use crate::target::Target;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const JSON: &str = "application/json";

/// A request to a target. Its id is given when it is sent, since every sending has its own; one that cannot stand in a
/// header is left out.
#[derive(Clone, Copy)]
pub(crate) struct Outgoing<'r> {
    pub(crate) target: &'r Target,
    pub(crate) method: &'r Method,
    pub(crate) path: &'r str,
    pub(crate) accept: &'static str,
    pub(crate) body: Option<&'r Bytes>,
}

/// A path that cannot stand in a request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("write the request: the path {0:?} has a space or another character that no path can carry")]
pub(crate) struct UnusablePath(String);

impl Outgoing<'_> {
    /// Writes it as it stands on the wire of HTTP/1.1, in place of what `out` held.
    pub(crate) fn write(&self, id: &str, out: &mut Vec<u8>) -> Result<(), UnusablePath> {
        if !self.path.starts_with('/') || !self.path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(UnusablePath(self.path.to_owned()));
        }
        out.clear();
        for part in [self.method.as_str(), " ", self.path, " HTTP/1.1\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
        let headers = self.target.headers();
        let mut field = |name: &HeaderName, value: &[u8]| {
            for part in [name.as_str().as_bytes(), b": ", value, b"\r\n"] {
                out.extend_from_slice(part);
            }
        };
        for (name, value) in
            headers.iter().filter(|(name, _)| self.body.is_none() || **name != header::CONTENT_TYPE)
        {
            field(name, value.as_bytes());
        }
        if !headers.contains_key(header::ACCEPT) {
            field(&header::ACCEPT, self.accept.as_bytes());
        }
        if id.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
            field(&REQUEST_ID, id.as_bytes());
        }
        if let Some(body) = self.body {
            field(&header::CONTENT_TYPE, JSON.as_bytes());
            field(&header::CONTENT_LENGTH, body.len().to_string().as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(self.body.map_or(&[], |body| body));
        Ok(())
    }

    /// The same as hyper has it.
    #[cfg(feature = "http2")]
    pub(crate) fn to_request(self, id: &str) -> Result<Request<Bytes>, UnusablePath> {
        let body = self.body.cloned().unwrap_or_default();
        let request = Request::builder().method(self.method).uri(self.path).body(body);
        let mut request = request.map_err(|_| UnusablePath(self.path.to_owned()))?;
        let headers = request.headers_mut();
        *headers = self.target.headers().clone();
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static(self.accept));
        if self.body.is_some() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        if let Ok(id) = HeaderValue::from_str(id) {
            headers.insert(REQUEST_ID, id);
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Endpoint;

    fn target() -> Target {
        let endpoint = Endpoint::parse("http://h:8000/llm/v1").unwrap();
        let target = Target::new(endpoint, "test/1", None).unwrap();
        target.with_header("Content-Type", "text/x").unwrap().with_header("X-Tenant", "a").unwrap()
    }

    #[test]
    fn a_request_is_written_once_and_whole() {
        let (target, body) = (target(), Bytes::from_static(b"{}"));
        let post = Outgoing {
            target: &target,
            method: &Method::POST,
            path: "/llm/v1/chat/completions",
            accept: "text/event-stream",
            body: Some(&body),
        };
        let mut out = b"what was there".to_vec();
        post.write("id-1", &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "POST /llm/v1/chat/completions HTTP/1.1\r\nhost: h:8000\r\nuser-agent: test/1\r\nx-tenant: a\r\n\
             accept: text/event-stream\r\nx-request-id: id-1\r\ncontent-type: application/json\r\n\
             content-length: 2\r\n\r\n{}"
        );
        let mut out = Vec::new();
        Outgoing { body: None, method: &Method::GET, path: "/health", ..post }
            .write("a\r\nb", &mut out)
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.starts_with("GET /health HTTP/1.1\r\n") && text.contains("content-type: text/x\r\n"),
            "{text}"
        );
        assert!(!text.contains("x-request-id") && !text.contains("content-length"), "{text}");
    }

    #[test]
    fn a_path_that_would_end_the_line_is_refused() {
        let target = target();
        for path in ["/a b", "/a\r\nx: y", "/ä", "a", ""] {
            let get = Outgoing { target: &target, method: &Method::GET, path, accept: "*/*", body: None };
            assert_eq!(get.write("1", &mut Vec::new()), Err(UnusablePath(path.to_owned())));
        }
    }
}
