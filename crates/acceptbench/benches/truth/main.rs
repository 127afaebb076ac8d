//! The client against known truth: how far its instants are from those of the service's own socket.
//!
//! `cargo xtask bench truth` compares, request by request, what the client measured with what the service wrote down:
//! a sweep of two simulated services in the same process, and up to 5,000 paced streams of a server in another, beside a
//! bare socket reader. Errors hold everything between the two sockets: the kernel, the scheduler, the client. The floors
//! are those for an idle machine; on a busy one the scheduler alone exceeds them, so a miss is printed and is no
//! failure of the build.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../common/mod.rs"]
mod common;
mod streams;
mod sweeps;

use common::{Outcome, server};
use metrics_core::{Percent, percentile};

fn main() -> Outcome<()> {
    // `cargo test --benches` asks for a list of tests; there are none.
    if std::env::args().any(|argument| argument == "--list") || server::serve_if_asked()? {
        return Ok(());
    }
    let met = sweeps::compare()? & streams::compare()?;
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

/// A percentile of the absolute errors.
fn at(errors: &[f64], percent: Percent) -> f64 {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    percentile(&sizes, percent).unwrap_or(f64::NAN)
}
