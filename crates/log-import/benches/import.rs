//! What an import costs: CPU seconds, beside a bare pass of serde over the same bytes that keeps nothing; and what a kept row
//! takes of memory.
//!
//! `cargo xtask bench import` runs it. Every case is one file of half a gigabyte, made from a few thousand different rows and
//! read in rounds, floor and import in turn; the median counts. Each runs in a process of its own, since the most memory that
//! a process ever had is what is looked at.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

mod rows;

use std::{error::Error, io::Read, process::Command, time::Duration};

use log_import::{Choice, ImportOptions, Input, ReadOptions, Secret, formats, import};
use rows::Case;
use serde::de::IgnoredAny;
use workload_model::traffic::{Facets, Grouping};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Megabytes of JSON Lines a CPU second that every case must reach.
const LEAST_RATE: f64 = 150.0;
/// Bytes of memory a kept row that no case may exceed.
const MOST_BYTES: f64 = 64.0;
/// Bytes of a case's file.
const BYTES: usize = 512 << 20;
const ROUNDS: usize = 3;
/// Tells a process which case it is to run.
const ONE: &str = "--one";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(());
    }
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|word| *word != "--bench").collect();
    if let [ONE, name] = words.as_slice() {
        let case = rows::cases().into_iter().find(|case| case.name == *name).ok_or("no such case")?;
        return measure(&case);
    }
    let mut met = true;
    for case in rows::cases() {
        if words.is_empty() || words.iter().any(|word| case.name.contains(word)) {
            met &= Command::new(std::env::current_exe()?).args([ONE, case.name]).status()?.success();
        }
    }
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

fn measure(case: &Case) -> Outcome<()> {
    let piece = case.piece();
    let copies = BYTES.div_ceil(piece.len());
    let bytes = piece.len() * copies;
    let (mut floors, mut costs) = (Vec::new(), Vec::new());
    let mut kept = 0;
    let mut a_row = 0.0;
    for _ in 0..ROUNDS {
        let begun = cpu_time();
        let lines = bare_pass(&piece, copies)?;
        floors.push(cpu_time() - begun);
        let held = peak_memory()?;
        let begun = cpu_time();
        kept = run(case, &piece, copies)?;
        costs.push(cpu_time() - begun);
        // Of the first round alone: later ones find the memory of the one before.
        if costs.len() == 1 {
            a_row = (peak_memory()? - held) as f64 / kept as f64;
        }
        if lines != kept {
            return Err(format!("{kept} of {lines} rows were kept").into());
        }
    }
    let rate = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        bytes as f64 / 1e6 / times[times.len() / 2].as_secs_f64()
    };
    let (floor, rate) = (rate(&mut floors), rate(&mut costs));
    let rows = rate * 1e6 / (bytes as f64 / kept as f64);
    let met = rate >= LEAST_RATE && a_row <= MOST_BYTES;
    println!(
        "{:<18} {:>5.0} MB and {:>9.0} rows a CPU second (at least {LEAST_RATE:.0} MB), bare serde {:>5.0} MB, ratio {:.2}; {:.1} bytes a row (at most {MOST_BYTES:.0}), {:.0} bytes of text a row{}",
        case.name,
        rate,
        rows,
        floor,
        floor / rate,
        a_row,
        bytes as f64 / kept as f64,
        if met { "" } else { "  NOT met" }
    );
    if met { Ok(()) } else { std::process::exit(1) }
}

fn run(case: &Case, piece: &[u8], copies: usize) -> Outcome<u64> {
    let known = formats::all().iter().find(|format| format.name() == case.format).ok_or("no such format")?;
    let mut read = ReadOptions::default();
    read.map = case.map.iter().map(|(key, name)| ((*key).to_owned(), (*name).to_owned())).collect();
    let options = ImportOptions { read, ..ImportOptions::default() };
    let input = Input::reader(case.name, Copies { piece, copies, at: 0 });
    let imported =
        import(vec![input], Choice::Named(*known), &options, &Secret::new(&[7; 32]), &mut OneGroup, &mut ())?;
    Ok(imported.traffic.kept())
}

/// Finds the lines and has serde go over each of them.
fn bare_pass(piece: &[u8], copies: usize) -> Outcome<u64> {
    let mut lines = 0;
    for _ in 0..copies {
        let mut at = 0;
        for end in memchr::memchr_iter(b'\n', piece) {
            serde_json::from_slice::<IgnoredAny>(&piece[at..end])?;
            at = end + 1;
            lines += 1;
        }
    }
    Ok(lines)
}

/// A file that is the same piece again and again.
struct Copies<'p> {
    piece: &'p [u8],
    copies: usize,
    at: usize,
}

impl Read for Copies<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() {
            (self.copies, self.at) = (self.copies - 1, 0);
        }
        if self.copies == 0 {
            return Ok(0);
        }
        let length = into.len().min(self.piece.len() - self.at);
        into[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        if self.at == self.piece.len() && self.copies == 1 {
            (self.copies, self.at) = (0, 0);
        }
        Ok(length)
    }
}

struct OneGroup;

impl Grouping for OneGroup {
    fn group_of(&mut self, _: &Facets<'_>) -> u16 {
        0
    }

    fn names(&self) -> Vec<String> {
        vec!["all".to_owned()]
    }
}

/// CPU time that this process has used.
fn cpu_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or_default())
}

/// Most memory that this process ever had, in bytes.
fn peak_memory() -> Outcome<u64> {
    let kilobytes =
        procfs::process::Process::myself()?.status()?.vmhwm.ok_or("no peak of memory is known")?;
    Ok(kilobytes * 1024)
}
