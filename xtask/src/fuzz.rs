//! Inputs that nobody thought of, made by libFuzzer on a nightly toolchain.
//!
//! What a target checks lies in the tests of the crate it is about, and `cargo test` replays every input that was kept
//! in `fixtures/fuzz`. So this finds, and the tests hold.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Failure, cargo, say, succeeds};

const CRATE: &str = "xtask/fuzz";
const TOOL: &str = "target/tools/bin/cargo-fuzz";
const MADE: &str = "target/fuzz";

const RUSTUP: &str = "the fuzzer needs a nightly toolchain, and rustup to find it: https://rustup.rs";

/// Seconds for each target unless told otherwise.
const SECONDS: u64 = 60;

/// Longest input that is tried, longest time for one in seconds, and most memory in MiB: in all, and at once.
const BOUNDS: [&str; 4] = ["-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=256"];

/// Runs the targets that are named, or all.
pub(crate) fn fuzz(words: &[&str]) -> Result<(), Failure> {
    let known = targets()?;
    let asked = Asked::of(words, &known)?;
    nightly()?;
    if !Path::new(TOOL).exists() {
        cargo(&["install", "cargo-fuzz", "--locked", "--root", "target/tools"])?;
    }
    let mut broken = Vec::new();
    for target in &asked.targets {
        if !run(target, asked.seconds)? {
            broken.push(target.as_str());
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(Failure::Found(broken.join(", "))) }
}

#[derive(Debug, PartialEq)]
struct Asked {
    targets: Vec<String>,
    seconds: u64,
}

impl Asked {
    fn of(words: &[&str], known: &[String]) -> Result<Self, Failure> {
        let mut asked = Self { targets: Vec::new(), seconds: SECONDS };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--seconds" {
                let seconds = words.next().and_then(|number| number.parse().ok());
                // libFuzzer takes 0 for no end.
                asked.seconds = seconds.filter(|seconds| *seconds > 0).ok_or(Failure::Usage)?;
            } else if known.iter().any(|target| target == word) {
                asked.targets.push((*word).to_owned());
            } else {
                return Err(Failure::NoTarget { asked: (*word).to_owned(), known: known.join(", ") });
            }
        }
        if asked.targets.is_empty() {
            asked.targets = known.to_vec();
        }
        Ok(asked)
    }
}

/// Names of all targets, sorted.
fn targets() -> Result<Vec<String>, Failure> {
    let folder = format!("{CRATE}/fuzz_targets");
    let unread = |error| Failure::Read { path: folder.clone(), error };
    let mut targets = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        targets.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}

fn nightly() -> Result<(), Failure> {
    let mut rustc = Command::new("rustup");
    rustc.args(["run", "nightly", "rustc", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if succeeds(&mut rustc, RUSTUP)? { Ok(()) } else { Err(Failure::NoNightly) }
}

/// Runs one target; says whether it held.
fn run(target: &str, seconds: u64) -> Result<bool, Failure> {
    let folder = |name: &str| -> Result<PathBuf, Failure> {
        let path = Path::new(MADE).join(name).join(target);
        fs::create_dir_all(&path)
            .map_err(|error| Failure::Read { path: path.display().to_string(), error })?;
        Ok(path)
    };
    let (found, corpus, scratch) = (folder("found")?, folder("corpus")?, Scratch::new(target)?);
    let mut fuzzer = Command::new("rustup");
    fuzzer.args(["run", "nightly", TOOL, "fuzz", "run", "--fuzz-dir", CRATE]);
    fuzzer.args(["--target-dir", "target/fuzz/build", target]).arg(corpus);
    fuzzer.args(seeds(target)).arg("--").args(BOUNDS);
    fuzzer.arg(format!("-max_total_time={seconds}")).arg(format!("-artifact_prefix={}/", found.display()));
    // The cargo that runs this task is no nightly one.
    fuzzer.env_remove("CARGO").env("TMPDIR", &scratch.0);
    say(&format!("== fuzz {target}, {seconds} s"));
    succeeds(&mut fuzzer, RUSTUP)
}

/// Where inputs to begin with lie. The streams of the fixtures serve as they stand.
fn seeds(target: &str) -> Vec<String> {
    let more: &[&str] = match target {
        "parser" | "decoder" => &["fixtures/sse"],
        "decoder_shortcut" => &["fixtures/sse", "fixtures/fuzz/decoder"],
        _ => &[],
    };
    let more = more.iter().map(|folder| (*folder).to_owned());
    std::iter::once(format!("fixtures/fuzz/{target}")).chain(more).collect()
}

/// A folder for what a target writes: in memory, where the system has a place for files there. It is removed at the
/// end, which a target that is stopped in the middle cannot do itself.
struct Scratch(PathBuf);

impl Scratch {
    fn new(target: &str) -> Result<Self, Failure> {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let path = parent.join(format!("fuzz-{target}-{}", std::process::id()));
        fs::create_dir_all(&path)
            .map_err(|error| Failure::Read { path: path.display().to_string(), error })?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_seconds_are_told_apart() {
        let known = ["package".to_owned(), "parser".to_owned()];
        let of = |words: &[&str]| Asked::of(words, &known).ok();
        let asked = |targets: &[&str], seconds| {
            let targets = targets.iter().map(|target| (*target).to_owned()).collect();
            Some(Asked { targets, seconds })
        };
        assert_eq!(of(&[]), asked(&["package", "parser"], 60));
        assert_eq!(of(&["parser", "--seconds", "5"]), asked(&["parser"], 5));
        for wrong in [&["--seconds"][..], &["--seconds", "0"], &["--seconds", "long"], &["unknown"]] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn every_target_has_inputs_to_begin_with() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let targets = fs::read_dir(root.join(CRATE).join("fuzz_targets")).expect("targets");
        for target in targets {
            let name =
                target.expect("a target").path().file_stem().expect("a name").to_string_lossy().into_owned();
            for seeds in seeds(&name) {
                let first = fs::read_dir(root.join(&seeds)).map(|mut inputs| inputs.next().is_some());
                assert!(first.is_ok_and(|any| any), "{seeds}");
            }
        }
    }
}
