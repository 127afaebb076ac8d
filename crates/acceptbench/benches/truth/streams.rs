//! Many paced streams at once: the client and a bare socket reader, one after the other, against the instants at which
//! the server wrote.

use std::{collections::BTreeMap, time::Duration};

use inference_sim::pressure::{AnswerTruth, Pace, Pressure};
use metrics_core::Percent;

use super::at;
use crate::common::{Outcome, bare, plan, run_plan, server::Server};

/// Most that the client may add to a bare reader at [`JUDGED`] streams, in milliseconds, at the median and at P99.
const EXCESS_MS: (f64, f64) = (0.05, 0.5);
const JUDGED: u32 = 16;

/// Streams, the gap between their events, events of an answer, answers of a stream.
const CASES: [(u32, u64, u32, u64); 5] =
    [(1, 20, 100, 4), (16, 20, 100, 4), (256, 20, 100, 2), (1_000, 100, 40, 1), (5_000, 500, 16, 1)];

/// Prints every case; false where the excess is more than it may be.
pub(crate) fn compare() -> Outcome<bool> {
    println!(
        "\nerror of the client and of a bare socket reader against the server's writes, in ms; excess at C{JUDGED} at most {} (P50) and {} (P99)",
        EXCESS_MS.0, EXCESS_MS.1
    );
    let mut met = true;
    for (streams, gap_ms, events, each) in CASES {
        let pressure =
            Pressure { events, pace: Pace::Every(Duration::from_millis(gap_ms)), keep_truth: true };
        let mut server = Server::start(&pressure)?;
        let requests = u64::from(streams) * each;
        let bare = bare_errors(&mut server, streams, requests)?;
        let ours = client_errors(&mut server, streams, requests)?;
        println!("{streams:>6} streams, an event every {gap_ms} ms, {requests} answers");
        for (name, ours, bare) in [("TTFT", &ours.ttft, &bare.ttft), ("gap", &ours.gap, &bare.gap)] {
            let (p50, p99) = (spread(ours, bare, Percent::P50), spread(ours, bare, Percent::P99));
            println!(
                "{name:>8}: P50 {:.3}, bare {:.3}, excess {:+.3}; P99 {:.3}, bare {:.3}, excess {:+.3}",
                p50.0,
                p50.1,
                p50.0 - p50.1,
                p99.0,
                p99.1,
                p99.0 - p99.1
            );
            if streams == JUDGED {
                met &= p50.0 - p50.1 <= EXCESS_MS.0 && p99.0 - p99.1 <= EXCESS_MS.1;
            }
        }
    }
    Ok(met)
}

/// Errors in milliseconds.
#[derive(Default)]
struct Errors {
    ttft: Vec<f64>,
    gap: Vec<f64>,
}

impl Errors {
    /// Adds those of one answer, from its token-bearing reads: instants since sending, and events of each.
    fn add(&mut self, reads: &[(u64, u32)], truth: &AnswerTruth) {
        let written = &truth.written_us;
        let mut events = 0;
        let mut before: Option<(u64, u64)> = None;
        for (at, count) in reads {
            let first = written[events];
            events += *count as usize;
            let last = written[events - 1];
            match before {
                None => self.ttft.push(difference(*at, first)),
                Some((read, wrote)) => self.gap.push(difference(*at - read, last - wrote)),
            }
            before = Some((*at, last));
        }
    }
}

fn difference(measured_us: u64, true_us: u64) -> f64 {
    (measured_us as f64 - true_us as f64) / 1e3
}

fn bare_errors(server: &mut Server, streams: u32, requests: u64) -> Outcome<Errors> {
    let seen = bare::read(&server.url, streams, requests)?;
    let truths = truths(server)?;
    let mut errors = Errors::default();
    for answer in &seen {
        errors.add(&answer.reads, truths.get(&answer.request_id).ok_or("an answer without truth")?);
    }
    Ok(errors)
}

fn client_errors(server: &mut Server, streams: u32, requests: u64) -> Outcome<Errors> {
    let folder = tempfile::tempdir()?;
    let ran = run_plan(plan(&server.url, streams, requests), &folder.path().join("package"))?;
    let truths = truths(server)?;
    let mut errors = Errors::default();
    for record in &ran.records {
        let facts = &record.facts;
        let id = facts.request_id.as_ref().ok_or("a request without an id")?;
        let truth =
            truths.get(id).ok_or_else(|| format!("no truth for {:?}: {:?}", facts.ended, facts.error))?;
        let (sent, first) = facts.sent.zip(facts.first_token).ok_or("an answer without a token")?;
        let mut at = first.0 - sent.0;
        let events = |read: usize| facts.gap_events.get(read).copied().unwrap_or(1);
        let mut reads = vec![(at, events(0))];
        for (read, gap) in facts.gaps_us.iter().enumerate() {
            at += gap;
            reads.push((at, events(read + 1)));
        }
        errors.add(&reads, truth);
    }
    Ok(errors)
}

fn truths(server: &mut Server) -> Outcome<BTreeMap<String, AnswerTruth>> {
    Ok(server.truth()?.into_iter().map(|truth| (truth.request_id.clone(), truth)).collect())
}

fn spread(ours: &[f64], bare: &[f64], percent: Percent) -> (f64, f64) {
    (at(ours, percent), at(bare, percent))
}
