//! House rules that no lint knows.

use std::{fs, process::Command};

use crate::{Failure, say};

/// Longest file that needs no second story taken out of it.
const MOST_LINES: usize = 500;

/// Checks every file that git tracks.
pub(crate) fn tidy() -> Result<(), Failure> {
    let mut found = Vec::new();
    for path in tracked()? {
        if let Some(text) = text_of(&path)? {
            found.extend(faults(&path, &text).into_iter().map(|fault| format!("{path}: {fault}")));
        }
    }
    for fault in &found {
        say(fault);
    }
    if found.is_empty() { Ok(()) } else { Err(Failure::Untidy(found.len())) }
}

/// Paths of every file that git tracks; never none.
pub(crate) fn tracked() -> Result<Vec<String>, Failure> {
    let listed = Command::new("git").args(["ls-files"]).output().map_err(|error| Failure::Start {
        command: "git ls-files".to_owned(),
        error,
        hint: "is git installed?",
    })?;
    let paths: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
    if !listed.status.success() || paths.is_empty() {
        return Err(Failure::NoCheckout(String::from_utf8_lossy(&listed.stderr).trim().to_owned()));
    }
    Ok(paths)
}

fn text_of(path: &str) -> Result<Option<String>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::Read { path: path.to_owned(), error }),
    }
}

fn faults(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let source = path.ends_with(".rs");
    let lines = text.lines().count();
    if source && lines > MOST_LINES {
        faults.push(format!("{lines} lines (a file tells one story; take the second one out)"));
    }
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if source && line.ends_with(char::is_whitespace) {
            faults.push(format!("line {at} ends in white space"));
        }
        let open = ["TO", "DO"].concat();
        if source && (line.contains(&format!("{open}:")) || line.contains(&format!("{open}("))) {
            faults.push(format!("line {at} leaves something open (finish it, or file an issue)"));
        }
        if source && line.trim_start().starts_with("#[ignore") {
            faults.push(format!("line {at} ignores a test (make it run, or remove it)"));
        }
    }
    if path.ends_with("/src/lib.rs") && !text.starts_with("//!") {
        faults.push("the crate has no front page (begin with what it is for)".to_owned());
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_finds_its_fault() {
        let long = "x\n".repeat(MOST_LINES + 1);
        assert_eq!(faults("a.rs", &long).len(), 1);
        assert_eq!(faults("a.rs", "x \n").len(), 1);
        assert_eq!(faults("a.rs", &["// TO", "DO: later\n"].concat()).len(), 1);
        assert_eq!(faults("a.rs", "    #[ignore]\n").len(), 1);
        assert_eq!(faults("crates/x/src/lib.rs", "mod x;\n").len(), 1);
        assert!(faults("a.rs", "fn main() {}\n").is_empty());
        assert!(faults("notes.md", &long).is_empty());
    }
}
