//! What arrivals and schedules cost: CPU seconds of ten million instants of every process, and of the schedule of a million
//! requests out of a hundred thousand samples, with what that takes of memory.
//!
//! `cargo xtask bench schedule` runs it. Each case runs in a process of its own, three times; the median counts.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{error::Error, hint::black_box, process::Command, time::Duration};

use workload_model::{
    Arrival, DEFAULT_GROUP, Group, MAX_REQUESTS, Plan, Sample, SampleSet, Schedule, Slot, Stage, StageKind,
    Target, TraceScale,
    arrival::{Trace, instants},
    random::{DEFAULT_SEED, Stream},
    sweep_plan,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Instants of a case.
const INSTANTS: usize = 10_000_000;
/// CPU seconds that no process may exceed for them, and no schedule.
const MOST_SECONDS: f64 = 5.0;
/// Samples of the schedule's set.
const SAMPLES: usize = 100_000;
const ROUNDS: usize = 3;
/// Tells a process which case it is to run.
const ONE: &str = "--one";

const CASES: [&str; 9] = [
    "constant",
    "poisson",
    "gamma, even",
    "gamma, uneven",
    "bursts",
    "trace in time",
    "trace in rate",
    "schedule",
    "schedule file",
];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(());
    }
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    if let [ONE, name] = words.as_slice() {
        return measure(name);
    }
    let mut met = true;
    for case in CASES {
        if words.is_empty() || words.iter().any(|word| case.contains(word)) {
            met &= Command::new(std::env::current_exe()?).args([ONE, case]).status()?.success();
        }
    }
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

fn measure(case: &str) -> Outcome<()> {
    if case.starts_with("schedule") {
        return measure_schedule(case);
    }
    let mut costs = Vec::new();
    for _ in 0..ROUNDS {
        let begun = cpu_time();
        black_box(last_instant(case)?);
        costs.push(cpu_time() - begun);
    }
    let seconds = median(&mut costs).as_secs_f64();
    let rate = INSTANTS as f64 / seconds / 1e6;
    conclude(case, seconds, &format!("{INSTANTS} instants, {rate:.1} million a CPU second"))
}

fn last_instant(case: &str) -> Outcome<u64> {
    let stream = Stream::new(DEFAULT_SEED, "bench");
    let (rate, recorded) = (100.0, recorded());
    let trace = |scale| Trace::new(&recorded, scale, Some(rate), Stream::new(DEFAULT_SEED, "bench"));
    let process = match case {
        "constant" => Arrival::Constant,
        "poisson" => Arrival::Poisson,
        "gamma, even" => Arrival::Gamma { gap_cv: 0.5 },
        "gamma, uneven" => Arrival::Gamma { gap_cv: 3.0 },
        "bursts" => Arrival::Bursts { times: 10.0, share: 0.1, mean_s: 10.0 },
        "trace in time" => {
            return last(trace(TraceScale::Time).into_iter().flatten().map(|found| found.due_us));
        }
        "trace in rate" => {
            return last(trace(TraceScale::Rate).into_iter().flatten().map(|found| found.due_us));
        }
        _ => return Err("no such case".into()),
    };
    last(instants(&process, rate, stream).into_iter().flatten())
}

fn last(mut instants: impl Iterator<Item = u64>) -> Outcome<u64> {
    instants.nth(INSTANTS - 1).ok_or_else(|| "a process came to an end".into())
}

/// Some forty arrivals a second, so that a hundred are two and a half copies.
fn recorded() -> Vec<u64> {
    let process = Arrival::Gamma { gap_cv: 2.0 };
    instants(&process, 40.0, Stream::new(DEFAULT_SEED, "recorded"))
        .into_iter()
        .flatten()
        .take(SAMPLES)
        .collect()
}

fn measure_schedule(case: &str) -> Outcome<()> {
    let (plan, set) = (plan(), set());
    let held = peak_memory()?;
    let mut costs = Vec::new();
    let mut a_request = 0.0;
    let mut bytes = 0;
    for round in 0..ROUNDS {
        let begun = cpu_time();
        let schedule = Schedule::new(&plan, &set);
        if case == "schedule" {
            costs.push(cpu_time() - begun);
        }
        if round == 0 {
            a_request = (peak_memory()? - held) as f64 / schedule.slots.len() as f64;
        }
        if case == "schedule file" {
            let begun = cpu_time();
            let text = schedule.to_jsonl(&set)?;
            bytes = text.len();
            if Schedule::from_jsonl(&text, &set)? != schedule {
                return Err("the file gave another schedule".into());
            }
            costs.push(cpu_time() - begun);
        }
        if schedule.slots.len() as u64 != MAX_REQUESTS {
            return Err("not every request was laid out".into());
        }
    }
    let seconds = median(&mut costs).as_secs_f64();
    let what = if case == "schedule" {
        format!("laid out, {a_request:.0} bytes a request ({} of them a slot)", size_of::<Slot>())
    } else {
        format!("written and read, {:.1} bytes a request", bytes as f64 / MAX_REQUESTS as f64)
    };
    conclude(case, seconds, &format!("{MAX_REQUESTS} requests of {SAMPLES} samples {what}"))
}

/// Ten steps of closed loops and an open one over three groups.
fn plan() -> Plan {
    let target = Target {
        url: "http://127.0.0.1/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let tiers: Vec<u32> = (1..=9).collect();
    let closed = Stage::closed("closed", StageKind::Step, tiers, vec![MAX_REQUESTS / 10]);
    let open = Stage {
        rate: Some(50.0),
        arrival: Some(Arrival::Gamma { gap_cv: 2.0 }),
        ..Stage::closed("open", StageKind::Step, Vec::new(), vec![MAX_REQUESTS / 10])
    };
    let group = [DEFAULT_GROUP, "b", "c"].map(Group::new).to_vec();
    Plan { group, stage: vec![closed, open], ..sweep_plan(target, &[1], &[], 0) }
}

fn set() -> SampleSet {
    let sample = |number: usize| {
        let group = [DEFAULT_GROUP, DEFAULT_GROUP, DEFAULT_GROUP, "b", "b", "c"][number % 6];
        Sample { group: group.to_owned(), ..Sample::new(format!("sample-{number:06}"), Vec::new()) }
    };
    SampleSet { measured: (0..SAMPLES).map(sample).collect(), warm_up: Vec::new(), facts: None }
}

fn conclude(case: &str, seconds: f64, what: &str) -> Outcome<()> {
    let met = seconds <= MOST_SECONDS;
    let verdict = if met { "" } else { "  NOT met" };
    println!("{case:<14} {seconds:>6.2} CPU s (at most {MOST_SECONDS:.0}): {what}{verdict}");
    if met { Ok(()) } else { std::process::exit(1) }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> Outcome<u64> {
    let status = procfs::process::Process::myself()?.status()?;
    Ok(status.vmhwm.ok_or("the system does not tell")? * 1024)
}
