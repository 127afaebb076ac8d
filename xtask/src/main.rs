//! What saves a person from remembering a command.
//!
//! `cargo xtask ci` checks everything; `cargo xtask bench truth` compares the client with known truth;
//! `cargo xtask tidy` looks for what the compiler does not.

mod tidy;

use std::{
    env,
    process::{Command, ExitCode},
};

const USAGE: &str = "usage: cargo xtask ci [--without-tests] | tidy | bench truth";

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
        ["tidy"] => tidy::tidy(),
        ["bench", "truth"] => cargo(&["bench", "--package", "acceptbench", "--bench", "truth"]),
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
    #[error("failed to read {path}: {error}")]
    Read { path: String, error: std::io::Error },
    #[error("list what git tracks: {0} (run this in a checkout)")]
    NoCheckout(String),
    #[error("{0} things to tidy up")]
    Untidy(usize),
}

fn checks() -> Result<(), Failure> {
    cargo(&["fmt", "--all", "--check"])?;
    tidy::tidy()?;
    cargo(&["clippy", "--workspace", "--locked", "--all-targets", "--", "--deny", "warnings"])?;
    cargo(&["deny", "check", "bans", "licenses", "sources"])?;
    let doc = ["doc", "--workspace", "--locked", "--no-deps", "--document-private-items"];
    with_env(&[("RUSTDOCFLAGS", "--deny warnings")], &doc)?;
    examples()
}

/// Every library's example is run, not only compiled.
fn examples() -> Result<(), Failure> {
    for path in tidy::tracked()? {
        let parts: Vec<&str> = path.split('/').collect();
        if let ["crates", package, "examples", file] = parts.as_slice()
            && let Some(example) = file.strip_suffix(".rs")
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
    let variables = variables.iter().copied();
    let status = Command::new(cargo).args(arguments).envs(variables).status().map_err(|error| {
        Failure::Start { command: command.clone(), error, hint: "is a Rust toolchain installed?" }
    })?;
    if status.success() { Ok(()) } else { Err(Failure::Command(command)) }
}

#[expect(clippy::print_stderr, reason = "a task tells its user what it does")]
fn say(line: &str) {
    eprintln!("{line}");
}
