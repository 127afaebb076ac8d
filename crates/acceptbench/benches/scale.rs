//! How much one client process bears: ten thousand streams at once, and a million requests in a row.
//!
//! `cargo xtask bench scale` runs it, on Linux. The server is a process of its own that counts what it sent.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod common;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use common::{
    Outcome, plan, run_each, run_plan,
    server::{self, Server},
};
use inference_sim::pressure::{Pace, Pressure};
use metrics_core::{Outcome as Ending, SuccessRule, classify};
use procfs::process::Process;

const STREAMS: u32 = 10_000;
const EVENTS: u32 = 50;
/// Largest resident memory that the streams may take, in bytes.
const MEMORY: u64 = 1 << 30;

const REQUESTS: u64 = 1_000_000;
/// Most that memory may have grown from a tenth of the requests to their end.
const GROWTH: f64 = 1.1;

fn main() -> Outcome<()> {
    if std::env::args().any(|argument| argument == "--list") || server::serve_if_asked()? {
        return Ok(());
    }
    let met = streams()? & memory()?;
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

fn streams() -> Outcome<bool> {
    let needed = u64::from(STREAMS) + 100;
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    if files.is_some_and(|files| files < needed) {
        return Err(format!("open {needed} sockets: the limit is {files:?} (ulimit -n {needed})").into());
    }
    let pressure =
        Pressure { events: EVENTS, pace: Pace::Every(Duration::from_millis(200)), keep_truth: false };
    let mut server = Server::start(&pressure)?;
    let folder = tempfile::tempdir()?;
    let ran = run_plan(plan(&server.url, STREAMS, STREAMS.into()), &folder.path().join("package"))?;
    let sent = server.sent()?;
    let recorded: u64 = ran.records.iter().map(|record| record.facts.token_events).sum();
    let effective = |facts| classify(facts, &SuccessRule::default()) == Ending::Effective;
    let failed = ran.records.iter().filter(|record| !effective(&record.facts)).count();
    // Of this process: the streams came first, so what is highest is theirs.
    let highest = Process::myself()?.status()?.vmhwm.unwrap_or(u64::MAX) * 1024;
    println!(
        "{STREAMS} streams of 5 events/s: {recorded} events recorded of {} sent, {failed} requests failed, VmHWM {} MiB (at most {}), {:.1} CPU s",
        sent.events,
        highest >> 20,
        MEMORY >> 20,
        ran.cpu.as_secs_f64()
    );
    Ok(recorded == sent.events && failed == 0 && highest <= MEMORY)
}

fn memory() -> Outcome<bool> {
    let server = Server::start(&Pressure { events: 5, pace: Pace::Flood, keep_truth: false })?;
    let folder = tempfile::tempdir()?;
    let (early, late) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (at_a_tenth, at_the_end) = (Arc::clone(&early), Arc::clone(&late));
    let mut count = 0;
    let each = move |_| {
        count += 1;
        if count == REQUESTS / 10 {
            at_a_tenth.store(resident(), Ordering::Relaxed);
        } else if count == REQUESTS {
            at_the_end.store(resident(), Ordering::Relaxed);
        }
    };
    let cpu = run_each(plan(&server.url, 64, REQUESTS), 1, &folder.path().join("package"), each)?;
    let (early, late) = (early.load(Ordering::Relaxed), late.load(Ordering::Relaxed));
    let growth = late as f64 / early.max(1) as f64;
    println!(
        "{REQUESTS} requests: resident {} MiB at a tenth, {} MiB at the end, ratio {growth:.3} (at most {GROWTH}), {:.1} µs of CPU a request",
        early >> 20,
        late >> 20,
        cpu.as_secs_f64() / REQUESTS as f64 * 1e6
    );
    Ok(early > 0 && growth <= GROWTH)
}

fn resident() -> u64 {
    let stat = Process::myself().and_then(|process| process.stat());
    stat.map_or(0, |stat| stat.rss * procfs::page_size())
}
