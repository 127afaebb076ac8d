//! Starting the program.

use std::{path::Path, time::Duration};

/// What a run of the program came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Every command that takes a package.
pub(crate) const COMMANDS: [&str; 3] = ["verify", "verdict", "render"];

/// Runs `command` on a package, with further arguments.
pub(crate) fn run(command: &str, pack: &Path, more: &[&str]) -> Ran {
    run_where(&[("LC_ALL", "C.UTF-8")], command, pack, more)
}

/// The same with these variables in its environment.
pub(crate) fn run_where(variables: &[(&str, &str)], command: &str, pack: &Path, more: &[&str]) -> Ran {
    let mut program = assert_cmd::Command::new(env!("CARGO_BIN_EXE_acceptreport"));
    program.arg(command).arg(pack).args(more).env("RUST_BACKTRACE", "0").envs(variables.iter().copied());
    let output = program.timeout(Duration::from_secs(120)).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// It ended with `code`, and said each of `wants` on either stream.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32, wants: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for want in wants {
            let said = self.stdout.contains(want) || self.stderr.contains(want);
            assert!(said, "{want:?} is not in {self:#?}");
        }
        self
    }

    /// An error is one line that names the program and what failed.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, wants: &[&str]) {
        self.ends(code, wants);
        assert!(self.stderr.starts_with("acceptreport: failed to "), "{}", self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
    }
}
