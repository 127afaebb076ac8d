//! The same sequences on every machine.

use workload_model::{
    Arrival, TraceScale,
    arrival::{Trace, instants},
    random::{DEFAULT_SEED, Stream},
};

#[test]
fn every_process_is_the_same_on_every_machine() {
    let stream = || Stream::new(DEFAULT_SEED, "golden");
    let text = |name: &str, all: &mut dyn Iterator<Item = u64>| {
        let first: Vec<String> = all.take(8).map(|at| at.to_string()).collect();
        // The last of many is that which small differences would add up in.
        let last = all.nth(99_990).map(|at| at.to_string());
        format!("{name}: {} … {}", first.join(" "), last.unwrap_or_default())
    };
    let mut lines = Vec::new();
    for (name, arrival) in [
        ("constant", Arrival::Constant),
        ("poisson", Arrival::Poisson),
        ("gamma 0.5", Arrival::Gamma { gap_cv: 0.5 }),
        ("gamma 2", Arrival::Gamma { gap_cv: 2.0 }),
        ("bursts", Arrival::Bursts { times: 10.0, share: 0.1, mean_s: 0.5 }),
    ] {
        lines.push(text(name, &mut instants(&arrival, 3.0, stream()).expect("no trace")));
    }
    let recorded = [0, 100, 100, 5_000, 1_000_000, 1_300_000];
    for (name, scale, rate) in [
        ("trace as recorded", TraceScale::Time, None),
        ("trace in time", TraceScale::Time, Some(3.0)),
        ("trace in rate", TraceScale::Rate, Some(3.0)),
        ("trace in rate, above", TraceScale::Rate, Some(9.0)),
    ] {
        let trace = Trace::new(&recorded, scale, rate, stream()).expect("a trace");
        lines.push(text(name, &mut trace.map(|arrival| arrival.due_us)));
    }
    insta::assert_snapshot!(lines.join("\n"));
}
