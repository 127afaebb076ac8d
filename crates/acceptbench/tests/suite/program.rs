//! Starting the program, and reading what it left.

use std::{
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use acceptreport::Check;
use serde_json::Value;
use tempfile::TempDir;

/// What a sound sweep may end with: passed, or inconclusive where this machine was too busy to measure well.
pub(crate) const SOUND: &[i32] = &[0, 3];

/// What the sweeps of these tests share: two small tiers, six requests in all.
pub(crate) const SMALL: &[&str] = &["--tiers", "1,2", "--requests", "2", "--warmup", "1"];

/// No test waits for longer than this for a program that hangs.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) fn program() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_acceptbench"));
    command.env_remove("OPENAI_API_KEY").env("RUST_BACKTRACE", "0").env("LC_ALL", "C.UTF-8");
    command
}

/// A run of the program that has ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The package that it was to write.
    pub(crate) out: PathBuf,
    _folder: TempDir,
}

/// Runs the program with `args`.
pub(crate) fn run(args: &[&str]) -> Ran {
    run_with(program(), args)
}

/// Runs the program, prepared by the caller, with `args`. Where they hold `OUT`, it is the path of a fresh package.
pub(crate) fn run_with(command: std::process::Command, args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("pack");
    let mut command = assert_cmd::Command::from_std(command);
    command.args(args.iter().map(|arg| if *arg == "OUT" { out.as_os_str() } else { arg.as_ref() }));
    let output = command.timeout(PATIENCE).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        out,
        _folder: folder,
    }
}

/// Sweeps `sim-chat` at a service: [`SMALL`] and without a calibration, unless `more` says otherwise.
pub(crate) fn sweep(url: &str, more: &[&str]) -> Ran {
    run(&sweep_args(url, more))
}

pub(crate) fn sweep_args<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["sweep", "--url", url, "--out", "OUT"];
    if !more.contains(&"--model") {
        args.extend(["--model", "sim-chat"]);
    }
    if !more.contains(&"--tiers") {
        args.extend(SMALL);
    }
    if !more.contains(&"--calibration") {
        args.push("--no-calibration");
    }
    args.extend(more);
    args
}

impl Ran {
    pub(crate) fn summary(&self) -> Value {
        json(&self.out.join("data/analysis/summary.json"))
    }

    pub(crate) fn verdict(&self) -> Value {
        json(&self.out.join("data/analysis/verdict.json"))
    }

    pub(crate) fn rows(&self) -> Vec<Value> {
        rows(&self.out)
    }

    pub(crate) fn report(&self, name: &str) -> String {
        std::fs::read_to_string(self.out.join("data/reports").join(name)).unwrap()
    }

    /// Everything in the package holds together.
    pub(crate) fn intact(&self) -> Check {
        intact(&self.out)
    }

    /// It ended with one of `codes`, and with no panic.
    #[track_caller]
    pub(crate) fn ends(&self, codes: &[i32]) -> &Self {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "expected {codes:?} of {self:#?}");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// Its last words are one line that says what failed and holds each of `wants`.
    #[track_caller]
    pub(crate) fn says(&self, wants: &[&str]) -> &Self {
        let line = self.stderr.lines().last().unwrap_or_default();
        assert!(line.starts_with("acceptbench: failed to "), "{}", self.stderr);
        for want in wants {
            assert!(line.contains(want), "{want:?} is not in {line:?}");
        }
        self
    }
}

/// A run of the program that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) out: PathBuf,
    folder: TempDir,
}

/// Starts a sweep, and leaves it running.
pub(crate) fn start(url: &str, more: &[&str]) -> Running {
    start_to(url, more, Stdio::piped())
}

pub(crate) fn start_to(url: &str, more: &[&str], stdout: Stdio) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("pack");
    let args = sweep_args(url, more);
    let args = args.iter().map(|arg| if *arg == "OUT" { out.as_os_str() } else { arg.as_ref() });
    let child = program().args(args).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    Running { child, out, folder }
}

impl Running {
    pub(crate) fn signal(&self, name: &str) {
        let sent =
            std::process::Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success(), "the sweep has ended already");
    }

    /// Looks until `ready` says so.
    pub(crate) fn until(&mut self, mut ready: impl FnMut(&Path) -> bool) {
        while !ready(&self.out) {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("the sweep ended with {status} before its time");
            }
            std::thread::yield_now();
        }
    }

    /// Waits for its end.
    pub(crate) fn end(self) -> Ran {
        let output = self.child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            out: self.out,
            _folder: self.folder,
        }
    }
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The whole rows of a package's requests, those of a run that goes on included.
pub(crate) fn rows(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("data/raw/requests.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[track_caller]
pub(crate) fn intact(out: &Path) -> Check {
    let check = acceptreport::check(out).unwrap();
    assert!(check.intact, "{check:#?}");
    check
}

/// Every file below a folder, and its bytes.
pub(crate) fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found
}
