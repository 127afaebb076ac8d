//! What saves a person from remembering a command.
//!
//! `cargo xtask ci` checks everything; `cargo xtask pages` checks reports in a browser; `cargo xtask bench` measures what the client costs, what it bears, and how near
//! to the truth it is; `cargo xtask tidy` looks for what the compiler does not; `cargo xtask fuzz` looks for inputs that
//! nobody thought of.

mod fuzz;
mod pages;
mod profile;
mod rules;
mod tidy;

use std::{
    env,
    process::{Command, ExitCode},
};

const USAGE: &str = "usage: cargo xtask ci [--without-tests] | pages [--out DIR] | tidy | rules | fuzz [TARGET…] [--seconds N] | bench client|scale|truth|import|schedule [CASE…] | bench samples [TOKENIZER.JSON [TEXTS]]";

fn main() -> ExitCode {
    if let Err(error) = env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")) {
        say(&format!("xtask: failed to enter the workspace: {error}"));
        return ExitCode::FAILURE;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["ci"] => cargo(&["test", "--workspace", "--locked"]).and_then(|()| checks()),
        ["ci", "--without-tests"] => checks(),
        ["pages"] => pages::pages(None),
        ["pages", "--out", folder] => pages::pages(Some(folder)),
        ["tidy"] => tidy::tidy().and_then(|()| profile::client_is_optimised()),
        ["rules"] => rules::rules(),
        ["fuzz", words @ ..] => fuzz::fuzz(words),
        ["bench", bench @ ("client" | "scale" | "truth"), cases @ ..] => {
            cargo(&[&["bench", "--package", "acceptbench", "--bench", bench, "--"], cases].concat())
        }
        ["bench", "import", cases @ ..] => {
            cargo(&[&["bench", "--package", "log-import", "--bench", "import", "--"], cases].concat())
        }
        ["bench", "schedule", cases @ ..] => {
            cargo(&[&["bench", "--package", "workload-model", "--bench", "schedule", "--"], cases].concat())
        }
        ["bench", "samples", words @ ..] => {
            let bench = [
                "bench",
                "--package",
                "workload-model",
                "--features",
                "tokenizers",
                "--bench",
                "samples",
                "--",
            ];
            cargo(&[&bench[..], words].concat())
        }
        _ => Err(Failure::Usage),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say(&format!("xtask: {failure}"));
            ExitCode::FAILURE
        }
    }
}

/// Why a task failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{USAGE}")]
    Usage,
    #[error("failed: {0}")]
    Command(String),
    #[error("failed to start {command}: {error} ({hint})")]
    Start { command: String, error: std::io::Error, hint: &'static str },
    #[error("failed to reach {path}: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("list what git tracks: {0} (run this in a checkout)")]
    NoCheckout(String),
    #[error("find a nightly toolchain (rustup toolchain install nightly --profile minimal)")]
    NoNightly,
    #[error("find a fuzz target {asked:?} (there are {known})")]
    NoTarget { asked: String, known: String },
    #[error(
        "hold in {0} (the inputs are in target/fuzz/found; mend what they found, and keep them in fixtures/fuzz)"
    )]
    Found(String),
    #[error("{0} things to tidy up")]
    Untidy(usize),
    #[error(
        "find Chromium (install Debian's package chromium, or another build of it under one of these names: {0})"
    )]
    NoChromium(String),
    #[error("drive Chromium: {0}")]
    Chromium(String),
    #[error("trust {path}: its SHA-256 is {found}, not {pinned} (remove it, so that it is fetched again)")]
    Digest { path: String, found: String, pinned: &'static str },
    #[error("{0} faults in pages (cargo xtask pages --out DIR keeps them as pictures)")]
    Pages(usize),
}

fn checks() -> Result<(), Failure> {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["fmt", "--manifest-path", "xtask/fuzz/Cargo.toml", "--check"])?;
    tidy::tidy()?;
    profile::client_is_optimised()?;
    cargo(&["clippy", "--workspace", "--locked", "--all-targets", "--", "--deny", "warnings"])?;
    // What embedders get who leave the PDF out.
    let without_pdf = ["clippy", "--package", "acceptbench", "--locked", "--no-default-features", "--lib"];
    cargo(&[&without_pdf[..], &["--", "--deny", "warnings"]].concat())?;
    cargo(&["deny", "check", "bans", "licenses", "sources"])?;
    let doc = ["doc", "--workspace", "--locked", "--no-deps", "--document-private-items"];
    with_env(&[("RUSTDOCFLAGS", "--deny warnings")], &doc)?;
    examples()?;
    rules::rules()?;
    pages::pages(None)
}

/// Every library's example is run, not only compiled, but for that of the PDF.
fn examples() -> Result<(), Failure> {
    for path in tidy::tracked()? {
        let parts: Vec<&str> = path.split('/').collect();
        if let ["crates", package, "examples", file] = parts.as_slice()
            && let Some(example) = file.strip_suffix(".rs")
            // Alone, it has Typst built a second time, with other features; the crate's tests typeset what it would.
            && *package != "report-pdf"
        {
            cargo(&["run", "--quiet", "--locked", "--package", package, "--example", example])?;
        }
    }
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    with_env(&[], arguments)
}

fn with_env(variables: &[(&str, &str)], arguments: &[&str]) -> Result<(), Failure> {
    let command = format!("cargo {}", arguments.join(" "));
    say(&format!("== {command}"));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut cargo = Command::new(cargo);
    cargo.args(arguments).envs(variables.iter().copied());
    if succeeds(&mut cargo, "is a Rust toolchain installed?")? {
        Ok(())
    } else {
        Err(Failure::Command(command))
    }
}

/// Runs a command to its end, and says whether it ended well.
fn succeeds(command: &mut Command, hint: &'static str) -> Result<bool, Failure> {
    let ended = command.status().map_err(|error| {
        let command = command.get_program().to_string_lossy().into_owned();
        Failure::Start { command, error, hint }
    })?;
    Ok(ended.success())
}

#[expect(clippy::print_stderr, reason = "a task tells its user what it does")]
fn say(line: &str) {
    eprintln!("{line}");
}
