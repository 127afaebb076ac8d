//! How a response of HTTP/1.1 lies on its connection: where its head ends, and which of the bytes after it are its body.
//!
//! Sans-IO: bytes go in as they were read, in pieces of any size, and pieces of the body come out as slices of them. RFC
//! 9112, sections 6 and 7.1.

use std::mem::MaybeUninit;

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode, Version};
use memchr::memchr;
use thiserror::Error;

/// Most headers of a response.
const HEADERS: usize = 256;

/// The longest line of a chunk's size, its extensions included, in bytes.
const SIZE_LINE: usize = 4 << 10;

/// The longest trailer section of a chunked body, in bytes.
const TRAILERS: usize = 64 << 10;

/// Bytes that are no response of HTTP/1.1.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum FramingError {
    #[error("the head is no HTTP/1.1: {0}")]
    Head(httparse::Error),
    #[error("the head is longer than {limit} bytes in {HEADERS} headers")]
    HeadTooLong { limit: usize },
    #[error("the content length is no number, or several")]
    Length,
    #[error("a chunk has no size")]
    ChunkSize,
    #[error("a chunk does not end where its size says")]
    ChunkEnd,
    #[error("the trailer is longer than {TRAILERS} bytes")]
    TrailersTooLong,
}

/// Reads a head from the start of what was read so far. `None` while it is not whole; else the head, its length, and
/// how its body lies. Interim heads (1xx) are given like any other.
pub(crate) fn head(bytes: &[u8], limit: usize) -> Result<Option<(Response<()>, usize, Body)>, FramingError> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let within_limit = &bytes[..bytes.len().min(limit)];
    let parse = config.parse_response_with_uninit_headers(&mut parsed, within_limit, &mut headers);
    let status = parse.map_err(|error| match error {
        httparse::Error::TooManyHeaders => FramingError::HeadTooLong { limit },
        error => FramingError::Head(error),
    })?;
    let length = match status {
        httparse::Status::Complete(length) => length,
        httparse::Status::Partial if bytes.len() >= limit => return Err(FramingError::HeadTooLong { limit }),
        httparse::Status::Partial => return Ok(None),
    };
    let mut response = Response::new(());
    let code = parsed.code.and_then(|code| StatusCode::from_u16(code).ok());
    *response.status_mut() = code.ok_or(FramingError::Head(httparse::Error::Status))?;
    *response.version_mut() = if parsed.version == Some(0) { Version::HTTP_10 } else { Version::HTTP_11 };
    for field in parsed.headers {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        let value = HeaderValue::from_bytes(field.value);
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(FramingError::Head(httparse::Error::HeaderName));
        };
        response.headers_mut().append(name, value);
    }
    let body = Body::of(response.status(), response.headers())?;
    Ok(Some((response, length, body)))
}

/// Whether the connection may serve another request after this response, as far as its head says. Where framing is in
/// doubt (a coding beside a length, or in HTTP/1.0) and where the protocol was switched, it may not.
pub(crate) fn keeps_alive(response: &Response<()>) -> bool {
    let says = |word: &str| {
        let values = response.headers().get_all(header::CONNECTION).iter();
        values
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.split(',').any(|token| token.trim().eq_ignore_ascii_case(word)))
    };
    let coded = response.headers().contains_key(header::TRANSFER_ENCODING);
    let doubtful =
        response.headers().contains_key(header::CONTENT_LENGTH) || response.version() == Version::HTTP_10;
    if response.status().is_informational() || (coded && doubtful) {
        return false;
    }
    if response.version() == Version::HTTP_10 { says("keep-alive") } else { !says("close") }
}

/// How the body of a response lies on the connection, and how far it has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// So many bytes are still to come.
    Length(u64),
    Chunked(Chunk),
    /// Everything until the connection ends.
    UntilEnd,
}

/// Where a chunked body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// Within the digits of a size.
    Size {
        size: u64,
        digits: u8,
    },
    /// After them, within the line that they begin; so many bytes of it were passed over.
    SizeLine {
        size: u64,
        passed: usize,
    },
    /// Within data, so many bytes of which are to come.
    Data(u64),
    /// Within the line end that follows data; so many bytes of it were read.
    DataEnd(u8),
    /// Within a line of the trailer.
    Trailer {
        passed: usize,
        is_blank: bool,
    },
    Whole,
}

const CHUNK: Chunk = Chunk::Size { size: 0, digits: 0 };

impl Body {
    fn of(status: StatusCode, headers: &HeaderMap) -> Result<Self, FramingError> {
        if status.is_informational() || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status) {
            return Ok(Self::Length(0));
        }
        if let Some(coding) = headers.get_all(header::TRANSFER_ENCODING).iter().next_back() {
            let coding = coding.to_str().unwrap_or_default().rsplit(',').next().unwrap_or_default();
            let chunked = coding.trim().eq_ignore_ascii_case("chunked");
            return Ok(if chunked { Self::Chunked(CHUNK) } else { Self::UntilEnd });
        }
        let mut length = None;
        for value in headers.get_all(header::CONTENT_LENGTH) {
            for text in value.to_str().map_err(|_| FramingError::Length)?.split(',') {
                let text = text.trim();
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse::<u64>().ok().filter(|_| digits).ok_or(FramingError::Length)?;
                if *length.get_or_insert(number) != number {
                    return Err(FramingError::Length);
                }
            }
        }
        Ok(length.map_or(Self::UntilEnd, Self::Length))
    }

    /// Whether all of it has been read. One that lasts until the connection's end never is.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(Chunk::Whole))
    }

    /// Takes the next bytes of the connection, hands pieces of the body to `sink`, and says how many bytes were the
    /// response's: all of them, unless the body became whole before.
    pub(crate) fn take(&mut self, bytes: &[u8], mut sink: impl FnMut(&[u8])) -> Result<usize, FramingError> {
        match self {
            Self::UntilEnd => {
                sink(bytes);
                Ok(bytes.len())
            }
            Self::Length(left) => {
                let taken = within(*left, bytes);
                if !taken.is_empty() {
                    sink(taken);
                }
                *left -= taken.len() as u64;
                Ok(taken.len())
            }
            Self::Chunked(chunk) => chunk.take(bytes, sink),
        }
    }
}

impl Chunk {
    fn take(&mut self, bytes: &[u8], mut sink: impl FnMut(&[u8])) -> Result<usize, FramingError> {
        let mut rest = bytes;
        while !rest.is_empty() && *self != Self::Whole {
            let read = match self {
                Self::Size { size, digits } => match char::from(rest[0]).to_digit(16) {
                    Some(digit) if *digits < 16 => {
                        (*size, *digits) = (*size << 4 | u64::from(digit), *digits + 1);
                        1
                    }
                    None if *digits > 0 => {
                        *self = Self::SizeLine { size: *size, passed: 0 };
                        0
                    }
                    _ => return Err(FramingError::ChunkSize),
                },
                Self::SizeLine { size, passed } => match memchr(b'\n', rest) {
                    Some(end) => {
                        *self = if *size == 0 {
                            Self::Trailer { passed: 0, is_blank: true }
                        } else {
                            Self::Data(*size)
                        };
                        end + 1
                    }
                    None => {
                        *passed += rest.len();
                        if *passed > SIZE_LINE {
                            return Err(FramingError::ChunkSize);
                        }
                        rest.len()
                    }
                },
                Self::Data(left) => {
                    let taken = within(*left, rest);
                    sink(taken);
                    *left -= taken.len() as u64;
                    if *left == 0 {
                        *self = Self::DataEnd(0);
                    }
                    taken.len()
                }
                Self::DataEnd(read) => match (*read, rest[0]) {
                    (0, b'\r') => {
                        *read = 1;
                        1
                    }
                    (_, b'\n') => {
                        *self = CHUNK;
                        1
                    }
                    _ => return Err(FramingError::ChunkEnd),
                },
                Self::Trailer { passed, is_blank } => {
                    *passed += 1;
                    if *passed > TRAILERS {
                        return Err(FramingError::TrailersTooLong);
                    }
                    match rest[0] {
                        b'\n' if *is_blank => *self = Self::Whole,
                        b'\n' => *is_blank = true,
                        b'\r' => {}
                        _ => *is_blank = false,
                    }
                    1
                }
                Self::Whole => 0,
            };
            rest = &rest[read..];
        }
        Ok(bytes.len() - rest.len())
    }
}

fn within(left: u64, bytes: &[u8]) -> &[u8] {
    &bytes[..usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(headers: &str) -> Result<Body, FramingError> {
        let text = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        head(text.as_bytes(), 4096).map(|head| head.unwrap().2)
    }

    /// The body of these bytes, read in pieces of every size, and what was left.
    fn read(framing: Body, bytes: &[u8]) -> Result<(Vec<u8>, usize, bool), FramingError> {
        let mut results = (1..=bytes.len().max(1)).map(|piece| {
            let (mut state, mut body, mut taken) = (framing, Vec::new(), 0);
            for part in bytes.chunks(piece) {
                let used = state.take(part, |data| body.extend_from_slice(data))?;
                taken += used;
                if used < part.len() {
                    break;
                }
            }
            Ok((body, bytes.len() - taken, state.is_whole()))
        });
        let first = results.next().unwrap();
        assert!(results.all(|other| other == first), "{}", String::from_utf8_lossy(bytes));
        first
    }

    #[test]
    fn the_head_says_how_the_body_lies() {
        let chunked = Ok(Body::Chunked(CHUNK));
        for (headers, framing) in [
            ("", Ok(Body::UntilEnd)),
            ("Content-Length: 12\r\n", Ok(Body::Length(12))),
            ("Content-Length: 12, 12\r\ncontent-length: 12\r\n", Ok(Body::Length(12))),
            ("Content-Length: 12\r\nContent-Length: 13\r\n", Err(FramingError::Length)),
            ("Content-Length: +12\r\n", Err(FramingError::Length)),
            ("Content-Length: \r\n", Err(FramingError::Length)),
            ("Content-Length: 99999999999999999999\r\n", Err(FramingError::Length)),
            ("Transfer-Encoding: Chunked\r\n", chunked),
            ("Content-Length: 12\r\nTransfer-Encoding: gzip, chunked\r\n", chunked),
            ("Transfer-Encoding: gzip\r\n", Ok(Body::UntilEnd)),
        ] {
            assert_eq!(body_of(headers), framing, "{headers}");
        }
        let without =
            |status: &str| head(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes(), 99).unwrap().unwrap().2;
        for status in ["204 No Content", "304 Not Modified", "100 Continue"] {
            assert_eq!(without(status), Body::Length(0), "{status}");
        }
    }

    #[test]
    fn a_head_is_bounded_and_may_come_in_pieces() {
        let text = b"HTTP/1.1 200 OK\r\nServer: a\r\nX: \xe4\xbd\xa0\r\n\r\nrest";
        for end in 0..text.len() - 4 {
            assert!(matches!(head(&text[..end], 4096), Ok(None)), "{end}");
        }
        let (response, length, _) = head(text, 4096).unwrap().unwrap();
        assert_eq!((response.status().as_u16(), length), (200, text.len() - 4));
        assert_eq!(response.headers()["server"], "a");
        assert_eq!(head(text, 20).unwrap_err(), FramingError::HeadTooLong { limit: 20 });
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(HEADERS + 1));
        assert_eq!(head(many.as_bytes(), 1 << 16).unwrap_err(), FramingError::HeadTooLong { limit: 1 << 16 });
        for nonsense in ["SSH-2.0-OpenSSH_9\r\n\r\n", "\x15\x03\x01\0\x02\x02\x46", "HTTP/2 200\r\n\r\n"] {
            assert!(matches!(head(nonsense.as_bytes(), 4096), Err(FramingError::Head(_))), "{nonsense}");
        }
    }

    #[test]
    fn connections_stay_or_go_as_the_head_says() {
        for (text, stays) in [
            ("HTTP/1.1 200 OK\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nConnection: Close\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nConnection: x, close\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\n\r\n", false),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", true),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", false),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", false),
        ] {
            assert_eq!(keeps_alive(&head(text.as_bytes(), 99).unwrap().unwrap().0), stays, "{text}");
        }
    }

    #[test]
    fn a_body_is_the_same_in_pieces_of_every_size() {
        let chunked = Body::Chunked(CHUNK);
        let found = |body: &str, left, whole| Ok((body.as_bytes().to_vec(), left, whole));
        for (framing, bytes, expected) in [
            (Body::Length(3), "abcde", found("abc", 2, true)),
            (Body::Length(3), "ab", found("ab", 0, false)),
            (Body::Length(0), "ab", found("", 2, true)),
            (Body::UntilEnd, "abc", found("abc", 0, false)),
            (chunked, "3\r\nabc\r\n0\r\n\r\nX", found("abc", 1, true)),
            (chunked, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", found("abcde", 0, true)),
            (chunked, "3;a=\"b\"\r\nabc\r\n0;x\r\nTrailer: 1\r\nB: 2\r\n\r\nX", found("abc", 1, true)),
            (chunked, "0A\r\n0123456789\r\n0\r\n\r\n", found("0123456789", 0, true)),
            (chunked, "3\r\nab", found("ab", 0, false)),
            (chunked, "3\nabc\n0\n\n", found("abc", 0, true)),
            (chunked, "x", Err(FramingError::ChunkSize)),
            (chunked, "\r\n", Err(FramingError::ChunkSize)),
            (chunked, "11111111111111111\r\n", Err(FramingError::ChunkSize)),
            (chunked, "3\r\nabcd\r\n", Err(FramingError::ChunkEnd)),
        ] {
            assert_eq!(read(framing, bytes.as_bytes()), expected, "{framing:?} {bytes:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_was_chunked_comes_back_however_it_is_cut(
            chunks in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 1..40), 0..8),
            rest in proptest::collection::vec(proptest::num::u8::ANY, 0..4),
        ) {
            let mut wire = Vec::new();
            for chunk in &chunks {
                wire.extend_from_slice(format!("{:X};x=1\r\n", chunk.len()).as_bytes());
                wire.extend_from_slice(chunk);
                wire.extend_from_slice(b"\r\n");
            }
            wire.extend_from_slice(b"0\r\nA: b\r\n\r\n");
            wire.extend_from_slice(&rest);
            proptest::prop_assert_eq!(read(Body::Chunked(CHUNK), &wire), Ok((chunks.concat(), rest.len(), true)));
        }

        #[test]
        fn nonsense_is_the_same_nonsense_however_it_is_cut(bytes in "[0-9a-fA-F;=\r\n xyz]{0,60}") {
            let _ = read(Body::Chunked(CHUNK), bytes.as_bytes());
        }
    }

    #[test]
    fn what_has_no_end_is_bounded() {
        let mut size = Body::Chunked(CHUNK);
        let endless = |body: &mut Body, bytes: &[u8]| {
            (0..100_000).find_map(|_| body.take(bytes, |_| ()).err()).unwrap()
        };
        size.take(b"3;", |_| ()).unwrap();
        assert_eq!(endless(&mut size, b"aaaa"), FramingError::ChunkSize);
        let mut trailer = Body::Chunked(CHUNK);
        trailer.take(b"0\r\n", |_| ()).unwrap();
        assert_eq!(endless(&mut trailer, b"a: b\r\n"), FramingError::TrailersTooLong);
    }
}
