//! What the client costs: CPU seconds of its process alone, beside bare hyper that drains the same bytes unseen.
//!
//! `cargo xtask bench client` runs it. The server is a process of its own; every request's row, with the offset of every
//! event, is written to a package. Each case is run in rounds, floor and client in turn, and the median counts: ratios
//! of one run on one machine hold where times do not.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod common;

use std::time::Duration;

use common::{
    Outcome, cpu_time, floor, plan, run_plan,
    server::{self, Server},
};
use inference_sim::pressure::{Pace, Pressure};

/// Token events a CPU second that the coalesced case must reach, and those that it should.
const LEAST_EVENTS: f64 = 1e6;
const GOAL_EVENTS: f64 = 2e6;
/// Highest cost against the floor.
const PACED_RATIO: f64 = 1.25;
const SHORT_RATIO: f64 = 1.5;
const ROUNDS: usize = 5;

fn main() -> Outcome<()> {
    if std::env::args().any(|argument| argument == "--list") || server::serve_if_asked()? {
        return Ok(());
    }
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let chosen = |name: &str| only.is_empty() || only.iter().any(|word| name.contains(word.as_str()));
    let mut met = true;
    for case in cases().iter().filter(|case| chosen(case.name)) {
        met &= case.measure()?;
    }
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

struct Case {
    name: &'static str,
    pressure: Pressure,
    concurrency: u32,
    requests: u64,
    asked: Asked,
}

/// What is asked of a case.
enum Asked {
    /// Events a CPU second.
    Events,
    /// CPU of an event against the floor's.
    EventRatio(f64),
    /// CPU of a request against the floor's.
    RequestRatio(f64),
}

fn cases() -> [Case; 5] {
    let flood = |events| Pressure { events, pace: Pace::Flood, keep_truth: false };
    let paced = Pressure { events: 500, pace: Pace::Every(Duration::from_millis(10)), keep_truth: false };
    let at = |name, concurrency: u32| Case {
        name,
        pressure: paced.clone(),
        concurrency,
        requests: concurrency.into(),
        asked: Asked::EventRatio(PACED_RATIO),
    };
    [
        Case {
            name: "coalesced",
            pressure: flood(20_000),
            concurrency: 4,
            requests: 100,
            asked: Asked::Events,
        },
        at("paced-1000", 10),
        at("paced-10000", 100),
        at("paced-40000", 400),
        Case {
            name: "short",
            pressure: flood(5),
            concurrency: 16,
            requests: 20_000,
            asked: Asked::RequestRatio(SHORT_RATIO),
        },
    ]
}

impl Case {
    /// Measures and prints; false where what is asked is not reached.
    fn measure(&self) -> Outcome<bool> {
        let server = Server::start(&self.pressure)?;
        let (mut floors, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            floors.push(self.floor(&server)?);
            ours.push(self.client(&server)?);
        }
        let (floor, own) = (median(&mut floors), median(&mut ours));
        let ratio = own / floor;
        let events = self.requests as f64 * f64::from(self.pressure.events);
        let micros = |cpu: f64, of: f64| cpu / of * 1e6;
        let (figures, met) = match self.asked {
            Asked::Events => {
                let (rate, bare) = (events / own, events / floor);
                let text = format!(
                    "{:.2} M events/CPU s (floor {:.2} M; least {:.0} M, goal {:.0} M)",
                    rate / 1e6,
                    bare / 1e6,
                    LEAST_EVENTS / 1e6,
                    GOAL_EVENTS / 1e6
                );
                (text, rate >= LEAST_EVENTS)
            }
            Asked::EventRatio(most) => {
                let text = format!("{:.2} µs/event, floor {:.2}", micros(own, events), micros(floor, events));
                (format!("{text}, ratio {ratio:.3} (at most {most})"), ratio <= most)
            }
            Asked::RequestRatio(most) => {
                let of = self.requests as f64;
                let text = format!("{:.1} µs/request, floor {:.1}", micros(own, of), micros(floor, of));
                (format!("{text}, ratio {ratio:.3} (at most {most})"), ratio <= most)
            }
        };
        println!("{:>12}: {figures}{}", self.name, if met { "" } else { "  NOT MET" });
        Ok(met)
    }

    fn floor(&self, server: &Server) -> Outcome<f64> {
        let begun = cpu_time();
        let bytes = floor::drain(&server.url, self.concurrency, self.requests)?;
        let used = cpu_time() - begun;
        let least = self.requests * u64::from(self.pressure.events) * 100;
        if bytes < least {
            return Err(format!("{}: the floor drained {bytes} bytes, fewer than {least}", self.name).into());
        }
        Ok(used.as_secs_f64())
    }

    fn client(&self, server: &Server) -> Outcome<f64> {
        let folder = tempfile::tempdir()?;
        let plan = plan(&server.url, self.concurrency, self.requests);
        let ran = run_plan(plan, &folder.path().join("package"))?;
        let events: u64 = ran.records.iter().map(|record| record.facts.token_events).sum();
        let offsets: usize = ran.records.iter().map(|record| record.facts.gaps_us.len() + 1).sum();
        let expected = self.requests * u64::from(self.pressure.events);
        if events != expected {
            return Err(format!("{}: {events} events recorded of {expected}", self.name).into());
        }
        let reads = expected as f64 / offsets as f64;
        if matches!(self.pressure.pace, Pace::Every(_)) && reads > 1.05 {
            println!("{:>12}  (this round had {reads:.2} events a read)", "");
        }
        Ok(ran.cpu.as_secs_f64())
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
