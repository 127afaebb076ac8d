//! The pressure server: what it sends is what it counts, and its truth belongs to the request that it names.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use inference_sim::pressure::{Pace, Pressure, Sent, spawn_pressure};

#[test]
fn paced_answers_are_counted_and_their_truth_carries_the_requests_id() {
    let gap = Duration::from_millis(2);
    let pressure = Pressure { events: 5, pace: Pace::Every(gap), keep_truth: true };
    let server = spawn_pressure(pressure, "127.0.0.1:0").unwrap();
    for id in ["one", "two"] {
        let mut socket = TcpStream::connect(server.addr()).unwrap();
        let head =
            "POST /v1/chat/completions HTTP/1.1\r\nhost: p\r\nconnection: close\r\ncontent-length: 2\r\n";
        write!(socket, "{head}x-request-id: {id}\r\n\r\n{{}}").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.matches("\" word\"").count(), 5);
        assert!(answer.contains("\"completion_tokens\":5}") && answer.ends_with("0\r\n\r\n"));
    }
    assert_eq!(server.sent(), Sent { requests: 2, answers: 2, events: 10 });
    let truths = server.truth();
    assert_eq!(truths.iter().map(|truth| truth.request_id.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    for truth in &truths {
        assert_eq!(truth.written_us.len(), 5);
        // Timers never fire early, so the last is at least four gaps after the answer could begin.
        assert!(truth.written_us.is_sorted() && truth.written_us[4] >= 8_000, "{:?}", truth.written_us);
    }
    assert!(server.truth().is_empty());
}

#[test]
fn other_paths_are_not_found_and_the_connection_stays() {
    let server =
        spawn_pressure(Pressure { events: 1, pace: Pace::Flood, keep_truth: false }, "127.0.0.1:0").unwrap();
    let mut socket = TcpStream::connect(server.addr()).unwrap();
    socket.write_all(b"GET /metrics HTTP/1.1\r\nhost: p\r\n\r\nGET /x HTTP/1.1\r\nhost: p\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert_eq!(answer.matches("HTTP/1.1 404").count(), 2);
    assert_eq!(server.sent(), Sent::default());
}
