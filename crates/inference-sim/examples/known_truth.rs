//! Asks a simulated service a few questions at once and prints what really happened.
//!
//! `cargo run -p inference-sim --example known_truth`
#![expect(clippy::print_stdout, reason = "an example program speaks to its user")]

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use inference_sim::{Cut, Fault, FaultKind, SimConfig, When, spawn_thread};

fn main() -> io::Result<()> {
    let truncated = FaultKind::Truncate { after_tokens: 10, cut: Cut::CleanEnd };
    let config = SimConfig {
        faults: vec![Fault::new(When::Containing("bridge".to_owned()), truncated)],
        ..SimConfig::demo()
    };
    let service = spawn_thread(config, "127.0.0.1:0")?;
    let addr = service.addr();

    let subjects = ["the sea", "a bridge", "一座城市", "a library"];
    let asked: Vec<_> = subjects.map(|subject| thread::spawn(move || ask(addr, subject))).into();
    for (subject, answer) in subjects.iter().zip(asked) {
        let bytes = answer.join().map_err(|_| io::Error::other("a client panicked"))??;
        println!("{subject}: {bytes} bytes");
    }

    for request in service.truth() {
        println!(
            "request {}: {} tokens, first after {:?}, end after {:?}, {:?}",
            request.ordinal,
            request.output_tokens,
            request.ttft(),
            request.e2e(),
            request.ending
        );
    }
    service.shutdown()
}

/// Reads a whole streamed answer and returns its size in bytes.
fn ask(addr: SocketAddr, subject: &str) -> io::Result<usize> {
    let body = format!(
        r#"{{"model":"sim-chat","stream":true,"messages":[{{"role":"user","content":"Tell me about {subject}."}}]}}"#
    );
    let mut socket = TcpStream::connect(addr)?;
    write!(
        socket,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: sim\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer)
}
