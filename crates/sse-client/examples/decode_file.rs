//! Decodes a captured stream and prints what the client makes of it, as JSON:
//! `cargo run -p sse-client --example decode_file -- fixtures/sse/vllm-current.sse`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file to decode")?;
    let decoded = sse_client::decode(&std::fs::read(path)?);
    println!("{}", serde_json::to_string_pretty(&decoded)?);
    Ok(())
}
