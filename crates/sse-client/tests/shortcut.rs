//! The decoder's shortcut is of the same result as decoding every event in full, whatever comes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use proptest::prelude::*;
use sse_client::{Chat, ChatStream, Seen};

fn decode(mut stream: ChatStream, body: &[u8], piece: usize) -> (Vec<Seen>, Chat) {
    let mut seen: Vec<Seen> = Vec::new();
    for data in body.chunks(piece.max(1)) {
        seen.push(stream.feed(data).unwrap());
    }
    seen.push(stream.finish().unwrap());
    (seen, stream.into_chat())
}

fn check(body: &[u8], piece: usize) {
    let short = decode(ChatStream::new(), body, piece);
    let full = decode(ChatStream::new().without_shortcut(), body, piece);
    assert_eq!(short, full, "{}", String::from_utf8_lossy(body));
    let textless = decode(ChatStream::new().without_text(), body, piece);
    let empty = (String::new(), String::new(), String::new(), Vec::new(), false);
    let mut chat = full.1;
    (chat.text, chat.reasoning, chat.refusal, chat.tool_calls, chat.cumulative) = empty;
    assert_eq!(textless, (full.0, chat), "without its text: {}", String::from_utf8_lossy(body));
}

#[test]
fn every_dialect_gives_the_same() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sse");
    let mut checked = 0;
    for file in fs::read_dir(folder).unwrap() {
        let body = fs::read(file.unwrap().path()).unwrap();
        for piece in [1, 100, usize::MAX] {
            check(&body, piece);
        }
        checked += 1;
    }
    assert!(checked > 20, "{checked} streams");
}

/// Bytes that stand where a text stands: mostly plain, sometimes what could be taken for something else.
fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => "[a-z 你]{0,5}".prop_map(String::into_bytes),
        1 => Just(br"\n".to_vec()),
        1 => Just(br#"\""#.to_vec()),
        1 => Just(br#"","x":""#.to_vec()),
        1 => Just(br#"","content":"b"#.to_vec()),
        1 => Just(br#""},"finish_reason":"stop"}]}"#.to_vec()),
        1 => Just(vec![0xff]),
        1 => Just(vec![0xe4, 0xbd]),
        1 => Just(vec![1]),
        1 => Just(b"\\".to_vec()),
    ]
}

/// Events of one stream, alike but for their text and now and then a field.
fn event() -> impl Strategy<Value = Vec<u8>> {
    let field = prop_oneof![3 => Just("content"), 1 => Just("reasoning"), 1 => Just("reasoning_content"), 1 => Just("refusal")];
    let rest = prop_oneof![
        6 => Just(""),
        1 => Just(r#","finish_reason":"stop""#),
        1 => Just(r#","finish_reason":null"#),
        1 => Just(r#","index":1"#),
        1 => Just(r#","usage":{"completion_tokens":3}"#),
        1 => Just(r#","error":{"message":"no"}"#),
        1 => Just(r#","text":"more""#),
    ];
    let end = prop_oneof![
        6 => Just(""),
        1 => Just(r#","usage":{"completion_tokens":3}"#),
        1 => Just(r#","error":{"message":"no"}"#),
        1 => Just(r#","x_groq":{"usage":{"prompt_tokens":1}}"#),
        1 => Just(" "),
    ];
    let name = prop_oneof![8 => Just(""), 1 => Just("event: message\n"), 1 => Just("event: ping\n"), 1 => Just("event: error\n")];
    (name, field, text(), rest, end).prop_map(|(name, field, text, rest, end)| {
        let before = format!("{name}data: {{\"id\":\"a\",\"choices\":[{{\"delta\":{{\"{field}\":\"");
        let after = format!("\"}}{rest}}}]{end}}}\n\n");
        [before.as_bytes(), &text, after.as_bytes()].concat()
    })
}

proptest! {
    #[test]
    fn streams_of_like_events_give_the_same(events in prop::collection::vec(event(), 1..12), piece in 1_usize..400) {
        check(&events.concat(), piece);
    }
}
