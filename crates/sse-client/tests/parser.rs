//! The parser against web-platform-tests, whole and cut in every way.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use base64::Engine;
use proptest::prelude::*;
use serde::Deserialize;
use sse_client::{LimitExceeded, Parser, is_event_stream};

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
    content_type_cases: Vec<ContentType>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    input_base64: String,
    expected_events: Vec<Event>,
    expected_retry_ms: Option<u64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    data: String,
    last_event_id: String,
}

#[derive(Deserialize)]
struct ContentType {
    content_type: String,
    accept: bool,
}

fn cases() -> Cases {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wpt-eventsource-cases.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Events, the retry time asked for last, the number of comments, and the event flushed at the end.
type Found = (Vec<Event>, Option<u64>, u64, Option<Event>);

fn parse<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Found {
    let own = |event: sse_client::Event<'_>| Event {
        kind: event.kind().into_owned(),
        data: event.text().into_owned(),
        last_event_id: event.last_id().into_owned(),
    };
    let (mut parser, mut events, mut flushed) = (Parser::new(), Vec::new(), None);
    for chunk in chunks {
        parser.feed(chunk, |event| events.push(own(event))).unwrap();
    }
    let any = parser.finish(|event| flushed = Some(own(event))).unwrap();
    assert_eq!(any, flushed.is_some());
    (events, parser.retry_ms(), parser.comments(), flushed)
}

#[test]
fn every_case_of_the_standard_holds_however_the_stream_is_cut() {
    let cases = cases().cases;
    assert!(cases.len() > 30);
    for case in cases {
        let input = base64::engine::general_purpose::STANDARD.decode(&case.input_base64).unwrap();
        let whole = parse([&input[..]]);
        assert_eq!(whole.0, case.expected_events, "{}", case.name);
        assert_eq!(whole.1, case.expected_retry_ms, "{}", case.name);
        assert_eq!(parse(input.chunks(1)), whole, "{} byte by byte", case.name);
        for split in 0..=input.len() {
            let (head, tail) = input.split_at(split);
            assert_eq!(parse([head, tail]), whole, "{} split at {split}", case.name);
        }
    }
}

#[test]
fn content_types_are_told_by_their_essence() {
    for case in cases().content_type_cases {
        assert_eq!(is_event_stream(&case.content_type), case.accept, "{}", case.content_type);
    }
    assert!(is_event_stream("Text/Event-Stream; charset=utf-8"));
    assert!(!is_event_stream(""));
}

#[test]
fn an_event_is_out_at_its_carriage_return_without_waiting_for_the_line_feed() {
    let (mut parser, mut events) = (Parser::new(), 0);
    parser.feed(b"data: a\r\n\r", |_| events += 1).unwrap();
    assert_eq!(events, 1);
    parser.feed(b"\ndata: b\r\n\r\n", |event| assert_eq!(event.data(), b"b")).unwrap();
}

#[test]
fn a_last_event_without_its_blank_line_is_flushed() {
    for tail in ["data: [DONE]", "data: [DONE]\n", "data: [DONE]\r"] {
        let (events, _, _, flushed) = parse([tail.as_bytes()]);
        assert_eq!((events.len(), flushed.unwrap().data.as_str()), (0, "[DONE]"), "{tail:?}");
    }
}

#[test]
fn lines_and_events_have_a_limit() {
    let line = LimitExceeded::Line { limit: 16 };
    assert_eq!(Parser::with_limit(16).feed(b"data: 0123456789abcdef", |_| ()), Err(line));
    assert_eq!(Parser::with_limit(16).feed(b"data: 0123456789abcdef\n\n", |_| ()), Err(line));
    let mut parser = Parser::with_limit(16);
    assert_eq!(parser.feed(b"data: 0123456", |_| ()), Ok(()));
    assert_eq!(parser.feed(b"789abcdef\n\n", |_| ()), Err(line));
    let mut parser = Parser::with_limit(16);
    let endless = (0..9).try_for_each(|_| parser.feed(b"data: 012\n", |_| ()));
    assert_eq!(endless, Err(LimitExceeded::Event { limit: 16 }));
}

/// Bytes in which everything the format cares about is likely.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let pieces =
        ["data:", "data: ", "data", "event: x", "id: 7", "id:\0", "retry: 12", ":", " ", "\n", "\n\n", "\r"]
            .into_iter()
            .chain(["\r\n", "\r\r", "\u{feff}", "a", "好", "error: {}", "[DONE]"])
            .map(|piece| piece.as_bytes().to_vec())
            .chain([vec![0xe5, 0xa5], vec![0xff]])
            .collect::<Vec<_>>();
    prop::collection::vec(prop::sample::select(pieces), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_events(input in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len() + 1)).collect();
        cuts.extend([0, input.len()]);
        cuts.sort_unstable();
        let chunks = cuts.windows(2).map(|pair| &input[pair[0]..pair[1]]);
        prop_assert_eq!(parse(chunks), parse([&input[..]]));
    }
}
