//! HTTP/2 frame by frame: which read a stream's events are stamped with, and when a request is sent again.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use sse_client::{
    Clock, Connect, ConnectError, Ended, Endpoint, Exchange, FailureKind, HttpVersion, Pool, SendOptions,
    Session, Target,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const PREFACE: usize = 24;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GO_AWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const REFUSED_STREAM: u8 = 7;

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// The head of a success.
fn head(stream: u8) -> Vec<u8> {
    frame(HEADERS, END_HEADERS, stream, &[0x88])
}

fn token(stream: u8, text: &str) -> Vec<u8> {
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    frame(DATA, 0, stream, event.as_bytes())
}

fn ending(stream: u8) -> Vec<u8> {
    let events = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    frame(DATA, END_STREAM, stream, events.as_bytes())
}

fn settings() -> Vec<u8> {
    frame(SETTINGS, 0, 0, &[])
}

/// What a transport has to read: each piece in one read, as far as there is room, once so many requests have been
/// written. An empty one is its end.
type Reads = Vec<(usize, Vec<u8>)>;

/// A transport whose reads are ready one right after the other. Each takes a millisecond.
struct Wire {
    clock: Arc<Hand>,
    reads: VecDeque<(usize, Vec<u8>)>,
    written: Arc<Mutex<Vec<u8>>>,
    reader: Option<Waker>,
}

#[derive(Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn now_us(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The frames a client wrote: kind, stream and payload.
fn frames(written: &[u8]) -> Vec<(u8, u8, Vec<u8>)> {
    let (mut frames, mut rest) = (Vec::new(), written.get(PREFACE..).unwrap_or_default());
    while let Some((&[a, b, c, kind, _, _, _, _, stream], after)) = rest.split_first_chunk() {
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        let Some((payload, next)) = after.split_at_checked(length) else { break };
        frames.push((kind, stream, payload.to_vec()));
        rest = next;
    }
    frames
}

fn count(written: &[u8], kind: u8) -> usize {
    frames(written).iter().filter(|frame| frame.0 == kind).count()
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let requests = count(&self.written.lock().unwrap(), HEADERS);
        if self.reads.front().is_none_or(|(after, _)| requests < *after) {
            self.reader = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let (after, mut piece) = self.reads.pop_front().unwrap();
        self.clock.0.fetch_add(1000, Relaxed);
        let rest = piece.split_off(buffer.remaining().min(piece.len()));
        buffer.put_slice(&piece);
        if !rest.is_empty() {
            self.reads.push_front((after, rest));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written.lock().unwrap().extend_from_slice(bytes);
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

struct Wires {
    clock: Arc<Hand>,
    scripts: Mutex<VecDeque<Reads>>,
    written: Mutex<Vec<Arc<Mutex<Vec<u8>>>>>,
}

impl Wires {
    fn new(scripts: impl IntoIterator<Item = Reads>) -> Arc<Self> {
        let scripts = Mutex::new(scripts.into_iter().collect());
        Arc::new(Self { clock: Arc::default(), scripts, written: Mutex::default() })
    }

    fn session(self: &Arc<Self>, pool: &Pool) -> Session<Self> {
        let endpoint = Endpoint::parse("http://memory/v1").unwrap();
        let target = Arc::new(Target::new(endpoint, "test/1", None).unwrap());
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Session::new(target, Arc::clone(self), clock).speaking(HttpVersion::Http2).sharing(pool.clone())
    }

    /// What was written to the first connection.
    fn first_written(&self) -> Vec<u8> {
        self.written.lock().unwrap()[0].lock().unwrap().clone()
    }
}

impl Connect for Wires {
    type Io = Wire;

    async fn connect(&self) -> Result<Wire, ConnectError> {
        let reads = self.scripts.lock().unwrap().pop_front();
        let reads = reads.ok_or_else(|| ConnectError::Refused { host: "memory".to_owned(), port: 0 })?;
        let written = Arc::<Mutex<Vec<u8>>>::default();
        self.written.lock().unwrap().push(Arc::clone(&written));
        Ok(Wire { clock: Arc::clone(&self.clock), reads: reads.into(), written, reader: None })
    }
}

async fn chat(mut session: Session<Wires>) -> Exchange {
    session.chat("{}".into(), SendOptions::new(&mut || "id".to_owned())).await
}

/// Three reads after the settings, ready back to back, each with frames of two streams; the first with their heads.
fn three_reads() -> Reads {
    let both = |piece: fn(u8) -> Vec<u8>| [piece(1), piece(3)].concat();
    vec![
        (0, settings()),
        (2, both(|stream| [head(stream), token(stream, "a")].concat())),
        (2, both(|stream| token(stream, "b"))),
        (2, both(ending)),
    ]
}

fn check(exchange: &Exchange) {
    let shown = format!("{exchange:?}");
    assert_eq!((exchange.ended, exchange.text.as_str()), (Ended::Done, "ab"), "{shown}");
    // The settings came with the first read, at 1 ms.
    assert_eq!((exchange.sent, exchange.first_byte), (Some(1000), Some(2000)), "{shown}");
    assert_eq!((exchange.first_token, exchange.last_token), (Some(2000), Some(3000)), "{shown}");
    assert_eq!((&exchange.gaps_us, exchange.end), (&vec![1000], Some(4000)), "{shown}");
}

#[tokio::test]
async fn every_event_is_stamped_with_its_own_read_where_reads_follow_at_once() {
    let wires = Wires::new([three_reads()]);
    let pool = Pool::default();
    let both = [wires.session(&pool), wires.session(&pool)].map(|session| tokio::spawn(chat(session)));
    for task in both {
        check(&task.await.unwrap());
    }
    assert_eq!(wires.written.lock().unwrap().len(), 1, "one connection");
}

/// There is more to do than the runtime does before it looks at its sockets and at who has yielded.
#[tokio::test]
async fn so_it_is_where_very_many_streams_come_in_one_read() {
    let streams = || (0..90).map(|at| 2 * at + 1);
    let first: Vec<u8> = streams().flat_map(|stream| [head(stream), token(stream, "a")].concat()).collect();
    let mut reads = vec![(0, settings()), (90, first), (90, settings()), (90, settings())];
    reads.extend(streams().map(|stream| (90, ending(stream))));
    let wires = Wires::new([reads]);
    let pool = Pool::default();
    let tasks: Vec<_> = (0..90).map(|_| tokio::spawn(chat(wires.session(&pool)))).collect();
    for task in tasks {
        let exchange = task.await.unwrap();
        assert_eq!((exchange.ended, exchange.first_token), (Ended::Done, Some(2000)), "{exchange:?}");
    }
}

#[tokio::test]
async fn so_it_is_where_one_task_drives_both_requests() {
    let wires = Wires::new([three_reads()]);
    let pool = Pool::default();
    let (one, other) = tokio::join!(chat(wires.session(&pool)), chat(wires.session(&pool)));
    check(&one);
    check(&other);
}

#[tokio::test]
async fn an_event_in_two_frames_came_with_the_second() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\n";
    let part = |text: &str| frame(DATA, 0, 1, text.as_bytes());
    let wires = Wires::new([vec![
        (0, settings()),
        (1, [head(1), part(&event[..20])].concat()),
        (1, part(&event[20..])),
        // A frame in two pieces came with the second as well.
        (1, ending(1)[..30].to_vec()),
        (1, ending(1)[30..].to_vec()),
    ]]);
    let exchange = chat(wires.session(&Pool::default())).await;
    assert_eq!((exchange.first_byte, exchange.first_token), (Some(2000), Some(3000)), "{exchange:?}");
    assert_eq!((exchange.ended, exchange.end), (Ended::Done, Some(5000)), "{exchange:?}");
}

#[tokio::test]
async fn the_client_gives_the_service_room_to_send() {
    let wires = Wires::new([vec![(0, settings()), (1, [head(1), ending(1)].concat())]]);
    chat(wires.session(&Pool::default())).await;
    let written = frames(&wires.first_written());
    let payload = |kind| written.iter().find(|frame| frame.0 == kind).unwrap().2.clone();
    let stream_window = [&[0, 4][..], &(16u32 << 20).to_be_bytes()].concat();
    assert!(payload(SETTINGS).chunks(6).any(|setting| setting == stream_window), "{written:?}");
    assert_eq!(payload(WINDOW_UPDATE), ((1u32 << 30) - 65_535).to_be_bytes());
}

fn refusal(stream: u8) -> Vec<u8> {
    frame(RESET, 0, stream, &[0, 0, 0, REFUSED_STREAM])
}

#[tokio::test]
async fn a_refused_stream_is_asked_for_once_more_on_the_same_connection() {
    let answer = |stream| [head(stream), token(stream, "a"), ending(stream)].concat();
    for (second, ended) in [(answer(3), Ended::Done), (refusal(3), Ended::Reset)] {
        let wires = Wires::new([vec![(0, settings()), (1, refusal(1)), (2, second)]]);
        let exchange = chat(wires.session(&Pool::default())).await;
        assert_eq!((exchange.ended, exchange.reconnects), (ended, 1), "{exchange:?}");
        assert_eq!(wires.written.lock().unwrap().len(), 1);
        assert_eq!(count(&wires.first_written(), HEADERS), 2);
    }
}

#[tokio::test]
async fn a_request_that_a_farewell_does_not_cover_is_sent_again_on_a_fresh_connection() {
    // The last stream taken up is 0: nobody has looked at the first request.
    let farewell = frame(GO_AWAY, 0, 0, &[0; 8]);
    let answer = [head(1), token(1, "a"), ending(1)].concat();
    let wires = Wires::new([vec![(0, settings()), (1, farewell)], vec![(0, settings()), (1, answer)]]);
    let exchange = chat(wires.session(&Pool::default())).await;
    assert_eq!((exchange.ended, exchange.reconnects), (Ended::Done, 1), "{exchange:?}");
    assert_eq!(wires.written.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_stream_reset_by_the_service_is_an_outcome() {
    let reset = frame(RESET, 0, 1, &[0, 0, 0, 2]);
    for begun in [vec![], [head(1), token(1, "a")].concat()] {
        let wires = Wires::new([vec![(0, settings()), (1, [begun.clone(), reset.clone()].concat())]]);
        let exchange = chat(wires.session(&Pool::default())).await;
        assert_eq!((exchange.ended, exchange.reconnects), (Ended::Reset, 0), "{exchange:?}");
        assert_eq!(exchange.error.unwrap().kind, FailureKind::Reset);
        assert_eq!(exchange.token_events, u64::from(!begun.is_empty()));
    }
}

#[tokio::test]
async fn a_dead_shared_connection_is_replaced_by_one_for_all() {
    let answer = |stream| [head(stream), token(stream, "a"), ending(stream)].concat();
    let first = vec![(0, settings()), (1, answer(1)), (6, vec![])];
    let second = vec![(0, settings()), (5, [1, 3, 5, 7, 9].map(answer).concat())];
    let wires = Wires::new([first, second]);
    let pool = Pool::default();
    assert_eq!(chat(wires.session(&pool)).await.ended, Ended::Done);
    let tasks: Vec<_> = (0..5).map(|_| tokio::spawn(chat(wires.session(&pool)))).collect();
    for task in tasks {
        let exchange = task.await.unwrap();
        assert_eq!((exchange.ended, exchange.reconnects), (Ended::Done, 1), "{exchange:?}");
    }
    assert_eq!(wires.written.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_fresh_connection_that_dies_is_an_outcome() {
    let wires = Wires::new([vec![(0, settings()), (1, vec![])], vec![(0, settings())]]);
    let exchange = chat(wires.session(&Pool::default())).await;
    assert_eq!((exchange.ended, exchange.reconnects), (Ended::Reset, 0), "{exchange:?}");
}
