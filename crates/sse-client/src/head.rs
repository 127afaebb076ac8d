//! The HTTP response head that a capture may begin with.

use std::borrow::Cow;

/// What a head says of the body after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: Option<u16>,
    chunked: bool,
}

impl Head {
    /// Splits a capture into its last head (interim answers such as 100 are passed over) and its body.
    pub(crate) fn split(capture: &[u8]) -> (Option<Self>, &[u8]) {
        let (mut head, mut body) = (None, capture);
        while body.starts_with(b"HTTP/")
            && let Some((found, rest)) = Self::first(body)
        {
            body = rest;
            let interim = found.status.is_some_and(|status| status < 200);
            head = Some(found);
            if !interim {
                break;
            }
        }
        (head, body)
    }

    fn first(capture: &[u8]) -> Option<(Self, &[u8])> {
        let end = |blank: &[u8]| Some(capture.windows(blank.len()).position(|w| w == blank)? + blank.len());
        let ends = [end(b"\r\n\r\n"), end(b"\n\n")];
        let end = ends.into_iter().flatten().min()?;
        let text = String::from_utf8_lossy(&capture[..end]).to_ascii_lowercase();
        let status = text.split_ascii_whitespace().nth(1).and_then(|status| status.parse().ok());
        let chunked =
            text.lines().any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked"));
        Some((Self { status, chunked }, &capture[end..]))
    }

    /// Takes chunked framing off where the head announces it and it is still there: most tools that write captures
    /// have taken it off already.
    pub(crate) fn unchunk<'b>(&self, body: &'b [u8]) -> Cow<'b, [u8]> {
        let mut joined = Vec::new();
        let mut rest = body;
        while self.chunked
            && let Some((size, after)) = chunk_size(rest)
        {
            let taken = size.min(after.len());
            joined.extend_from_slice(&after[..taken]);
            rest = after[taken..].strip_prefix(b"\r\n").unwrap_or(&after[taken..]);
            if size == 0 || rest.is_empty() {
                return joined.into();
            }
        }
        if joined.is_empty() { body.into() } else { joined.into() }
    }
}

fn chunk_size(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let end = bytes.windows(2).take(20).position(|pair| pair == b"\r\n")?;
    let size = std::str::from_utf8(&bytes[..end]).ok()?;
    Some((usize::from_str_radix(size, 16).ok()?, &bytes[end + 2..]))
}

#[cfg(test)]
mod tests {
    use super::Head;

    #[test]
    fn a_capture_may_begin_with_heads_and_keep_its_chunks() {
        let capture = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata: \r\n3\r\nx\n\n\r\n0\r\n\r\n";
        let (head, body) = Head::split(capture);
        let head = head.unwrap();
        assert_eq!(head.status, Some(200));
        assert_eq!(head.unchunk(body).as_ref(), b"data: x\n\n");
        assert_eq!(head.unchunk(b"data: x\n\n").as_ref(), b"data: x\n\n");
        assert_eq!(Head::split(b"data: x\n\n"), (None, &b"data: x\n\n"[..]));
    }
}
