//! Decodes a captured stream and prints what the client makes of it, as JSON:
//! `cargo run -p sse-client --example decode_file -- FILE`; without a file, a stream of the fixtures.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/sse/vllm-current.sse");
    let path = std::env::args().nth(1).unwrap_or_else(|| fixture.to_owned());
    let decoded = sse_client::decode(&std::fs::read(path)?);
    println!("{}", serde_json::to_string_pretty(&decoded)?);
    Ok(())
}
