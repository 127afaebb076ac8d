//! What holds for any bytes that a service may send. Shared with the fuzzer.
#![allow(dead_code, reason = "every fuzz target uses its own part")]

use sse_client::{Chat, ChatStream, DEFAULT_LIMIT, LimitExceeded, Parser, Seen};

/// Beside the usual limit, one that short inputs exceed.
const LIMITS: [usize; 2] = [DEFAULT_LIMIT, 48];

/// However a stream is cut, its events are the same.
pub(crate) fn parser(stream: &[u8]) {
    for limit in LIMITS {
        let whole = events(limit, [stream]);
        assert_eq!(events(limit, stream.chunks(1)), whole, "byte by byte, at most {limit}");
        assert_eq!(events(limit, pieces(stream)), whole, "in pieces, at most {limit}");
    }
}

/// However the body of a chat completion is cut, it says the same.
pub(crate) fn decoder(body: &[u8]) {
    for limit in LIMITS {
        let whole = chat(ChatStream::with_limit(limit), [body]).0;
        let by_bytes = chat(ChatStream::with_limit(limit), body.chunks(1)).0;
        assert_eq!(by_bytes, whole, "byte by byte, at most {limit}");
        assert_eq!(chat(ChatStream::with_limit(limit), pieces(body)).0, whole, "in pieces, at most {limit}");
    }
}

/// The decoder's shortcut is of the same result as decoding every event in full, piece by piece.
pub(crate) fn shortcut(body: &[u8]) {
    for limit in LIMITS {
        let short = chat(ChatStream::with_limit(limit), pieces(body));
        let full = chat(ChatStream::with_limit(limit).without_shortcut(), pieces(body));
        assert_eq!(short, full, "at most {limit}");
    }
    let short = chat(ChatStream::new(), [body]);
    assert_eq!(short, chat(ChatStream::new().without_shortcut(), [body]));
}

/// Cuts bytes by what their last eight say: pieces of up to 31 bytes, empty ones among them, over and over. They belong
/// to the stream as well, so that any text is an input as it stands.
fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let sizes: Vec<usize> = bytes.iter().rev().take(8).map(|byte| usize::from(byte & 0x1f)).collect();
    // Nothing but empty pieces would never come to the end.
    let sizes = if sizes.iter().all(|size| *size == 0) { vec![0, 1] } else { sizes };
    let (mut pieces, mut rest, mut sizes) = (Vec::new(), bytes, sizes.into_iter().cycle());
    while let Some(size) = sizes.next().filter(|_| !rest.is_empty()) {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Everything that a parser says of a stream, its events as kind, data and last id.
#[derive(Debug, PartialEq)]
struct Events {
    events: Vec<(String, Vec<u8>, String)>,
    comments: u64,
    retry_ms: Option<u64>,
    flushed: Result<bool, LimitExceeded>,
}

fn events<'s>(limit: usize, pieces: impl IntoIterator<Item = &'s [u8]>) -> Events {
    let (mut parser, mut events) = (Parser::with_limit(limit), Vec::new());
    let mut keep = |event: sse_client::Event<'_>| {
        events.push((event.kind().into_owned(), event.data().to_vec(), event.last_id().into_owned()));
    };
    let fed = pieces.into_iter().try_for_each(|piece| parser.feed(piece, &mut keep));
    let flushed = fed.and_then(|()| parser.finish(&mut keep));
    Events { comments: parser.comments(), retry_ms: parser.retry_ms(), flushed, events }
}

/// What a body says: all that it says in the end, and what each piece brought.
fn chat<'s>(
    mut stream: ChatStream,
    pieces: impl IntoIterator<Item = &'s [u8]>,
) -> ((Chat, Result<(), LimitExceeded>), Vec<Seen>) {
    let mut seen = Vec::new();
    let fed = pieces.into_iter().try_for_each(|piece| {
        seen.push(stream.feed(piece)?);
        Ok(())
    });
    let ended = fed.and_then(|()| {
        seen.push(stream.finish()?);
        Ok(())
    });
    let is_done = stream.is_done();
    let chat = stream.into_chat();
    assert_eq!(is_done, chat.done);
    if ended.is_ok() {
        let tokens: u64 = seen.iter().map(|seen| u64::from(seen.token_events)).sum();
        assert_eq!(tokens, chat.token_events, "every token was seen in one piece");
    }
    ((chat, ended), seen)
}
