//! Instants are those of the socket's reads, whatever HTTP makes of the bytes. On a paused clock every pause of the
//! script shows exactly.

mod common;

use std::sync::atomic::Ordering;
use std::time::Duration;

use common::{DONE, HEAD, LAST_CHUNK, chunk, finish, in_memory, plain_answer, thought, token};
use inference_sim::scripted::Step;
use sse_client::{Ended, Exchange, Recording, Terminal};

const PAUSE: Step = Step::Pause(Duration::from_millis(10));

#[tokio::test(start_paused = true)]
async fn three_chunks_in_one_write_are_one_arrival() {
    let three = format!("{}{}{}", chunk(&token("a")), chunk(&token("b")), chunk(&token("c")));
    let end = format!("{}{}{LAST_CHUNK}", chunk(&finish()), chunk(DONE));
    let script =
        vec![Step::WaitRequest, Step::write(HEAD), PAUSE, Step::write(three), PAUSE, Step::write(end)];
    let exchange = in_memory([script]).chat().await;
    assert_eq!((exchange.ended, exchange.text.as_str()), (Ended::Done, "abc"));
    assert_eq!((exchange.sent, exchange.first_byte), (Some(0), Some(10_000)));
    assert_eq!((exchange.first_token, exchange.last_token), (Some(10_000), Some(10_000)));
    assert_eq!((exchange.gaps_us, exchange.gap_events), (vec![], vec![3]));
    assert_eq!((exchange.end, exchange.terminal), (Some(20_000), Some(Terminal::Complete)));
    assert_eq!((exchange.connect_us, exchange.reconnects), (Some(0), 0));
    assert_eq!(
        (exchange.events, exchange.token_events, exchange.response_id.as_deref()),
        (5, 3, Some("c-1"))
    );
    assert!(
        exchange.sample.to_bytes().ends_with(DONE.as_bytes()),
        "kept; who judges the outcome decides for how long"
    );
}

#[tokio::test(start_paused = true)]
async fn reduced_recording_leaves_out_reads_and_text_and_changes_nothing_else() {
    let calls = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"f\"}}]}}]}\n\n";
    let script = || {
        let two = format!("{}{}", token("a"), token("b"));
        let pieces = [thought("hm"), two, calls.to_owned(), token("c"), finish(), DONE.to_owned()];
        let writes = pieces.map(|piece| [PAUSE, Step::write(chunk(&piece))]).concat();
        [&[Step::WaitRequest, Step::write(HEAD)][..], &writes, &[Step::write(LAST_CHUNK)]].concat()
    };
    let full = in_memory([script()]).chat().await;
    let mut client = in_memory([script()]);
    client.recording = Recording::Reduced;
    let reduced = client.chat().await;
    assert_eq!((full.gaps_us.len(), full.text.as_str(), full.tool_calls.len()), (3, "abc", 1));
    let without = Exchange {
        gaps_us: vec![],
        gap_events: vec![],
        text: String::new(),
        reasoning: String::new(),
        tool_calls: vec![],
        sample: reduced.sample.clone(),
        ..full
    };
    assert!(reduced.sample.is_empty());
    assert_eq!(reduced, without);
    assert_eq!(reduced.token_events, 5);
    assert_eq!(client.live_tokens.load(Ordering::Relaxed), 5);
}

#[tokio::test(start_paused = true)]
async fn an_event_over_two_writes_arrived_with_the_second() {
    let (first, second) = (chunk(&token("one")), chunk(&format!("{}{DONE}", finish())));
    for cut in 1..first.len() {
        let script = vec![
            Step::WaitRequest,
            Step::write(HEAD),
            PAUSE,
            Step::write(&first[..cut]),
            PAUSE,
            Step::write(&first[cut..]),
            PAUSE,
            Step::write(&second),
            Step::write(LAST_CHUNK),
        ];
        let exchange = in_memory([script]).chat().await;
        // The event ends with its data; the line end of the chunk may come later.
        let arrival = if cut >= first.len() - 2 { 10_000 } else { 20_000 };
        assert_eq!(exchange.first_token, Some(arrival), "cut at {cut}");
        assert_eq!(exchange.end, Some(30_000), "cut at {cut}");
    }
}

#[tokio::test(start_paused = true)]
async fn gaps_lie_between_token_bearing_reads_and_reasoning_is_not_visible() {
    let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    let script = vec![
        Step::WaitRequest,
        Step::write(format!("{HEAD}{}", chunk(": waiting\n\n"))),
        PAUSE,
        Step::write(chunk(role)),
        PAUSE,
        Step::write(chunk(&thought("hm"))),
        PAUSE,
        Step::write(chunk(&format!("{}{}", thought(" so"), token("a")))),
        PAUSE,
        Step::write(chunk(role)),
        PAUSE,
        Step::write(chunk(&token("b"))),
        PAUSE,
        Step::write(chunk(&finish())),
        PAUSE,
        Step::write(chunk(DONE)),
    ];
    let mut client = in_memory([script]);
    client.live_tokens.store(7, Ordering::Relaxed);
    let exchange = client.chat().await;
    assert_eq!(exchange.first_byte, Some(0));
    assert_eq!((exchange.first_token, exchange.first_visible), (Some(20_000), Some(30_000)));
    assert_eq!((exchange.last_token, exchange.end), (Some(50_000), Some(70_000)));
    assert_eq!((exchange.gaps_us, exchange.gap_events), (vec![10_000, 20_000], vec![1, 2, 1]));
    assert_eq!((exchange.comments, exchange.token_events), (1, 4));
    assert_eq!((exchange.text.as_str(), exchange.reasoning.as_str()), ("ab", "hm so"));
    assert_eq!(client.live_tokens.load(Ordering::Relaxed), 11);
}

#[tokio::test(start_paused = true)]
async fn a_body_without_done_ends_with_its_framing_or_its_connection() {
    let framed = vec![
        Step::WaitRequest,
        Step::write(format!("{HEAD}{}", chunk(&format!("{}{}", token("a"), finish())))),
        PAUSE,
        Step::write(LAST_CHUNK),
        PAUSE,
    ];
    let exchange = in_memory([framed]).chat().await;
    assert_eq!((exchange.ended, exchange.end), (Ended::Eof, Some(10_000)));
    assert_eq!((exchange.terminal, exchange.done), (Some(Terminal::Complete), false));

    let unframed = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let unframed =
        vec![Step::WaitRequest, Step::write(format!("{unframed}{}", token("a"))), PAUSE, Step::Close];
    let exchange = in_memory([unframed]).chat().await;
    assert_eq!((exchange.ended, exchange.end), (Ended::Eof, Some(10_000)));
    assert_eq!(exchange.terminal, Some(Terminal::Truncated));
    assert!(exchange.sample.to_bytes().starts_with(b"data: "));
}

#[tokio::test(start_paused = true)]
async fn a_done_without_its_blank_line_arrived_with_its_bytes() {
    let body = format!("{}{}data: [DONE]", token("a"), finish());
    let script = vec![
        Step::WaitRequest,
        Step::write(format!("{HEAD}{}", chunk(&body))),
        PAUSE,
        Step::write(LAST_CHUNK),
    ];
    let exchange = in_memory([script]).chat().await;
    assert_eq!((exchange.ended, exchange.done, exchange.end), (Ended::Done, true, Some(0)));
}

#[tokio::test(start_paused = true)]
async fn the_head_of_a_response_is_kept() {
    let headers = "Content-Type: text/event-stream\r\nDate: Mon, 30 Nov 2026 20:09:14 GMT\r\n";
    let body = format!("{}{}{DONE}", token("a"), finish());
    let exchange = in_memory([vec![Step::WaitRequest, Step::write(plain_answer("200 OK", headers, &body))]])
        .chat()
        .await;
    assert_eq!(exchange.content_type.as_deref(), Some("text/event-stream"));
    assert_eq!(exchange.date.as_deref(), Some("Mon, 30 Nov 2026 20:09:14 GMT"));
    assert_eq!((exchange.status, exchange.bytes), (Some(200), body.len() as u64));
}
