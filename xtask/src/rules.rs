//! Monitoring rules as Prometheus reads them: every specimen's for every engine, and what they say of a service at its
//! baseline and of one at twice its latencies.

use std::{fs, path::PathBuf, process::Command};

use crate::{Failure, cargo, say, succeeds};

/// Where the rules are written.
const FOLDER: &str = "target/rules";

/// Checks and tests all rules with Prometheus' own `promtool`.
pub(crate) fn rules() -> Result<(), Failure> {
    cargo(&["run", "--quiet", "--locked", "--package", "report-render", "--example", "rules", "--", FOLDER])?;
    promtool("check", "yml")?;
    promtool("test", "test")
}

fn promtool(task: &str, ending: &str) -> Result<(), Failure> {
    let files = files(ending)?;
    say(&format!("== promtool {task} rules ({} files of {FOLDER})", files.len()));
    let mut promtool = Command::new("promtool");
    promtool.args([task, "rules"]).args(files);
    if succeeds(&mut promtool, "Debian's package prometheus has it")? {
        Ok(())
    } else {
        Err(Failure::Command(format!("promtool {task} rules")))
    }
}

fn files(ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let unread = |error| Failure::Read { path: FOLDER.to_owned(), error };
    let mut found = Vec::new();
    for entry in fs::read_dir(FOLDER).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
