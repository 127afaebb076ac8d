//! Whatever a file holds, no format panics over it, and every row is kept or dropped for a reason.

mod common;

use std::sync::LazyLock;

use common::{Bad, fixture, importer, read};
use log_import::{Choice, ImportError, ImportOptions, Imported, Input, MaxBad, ReadOptions, formats};
use proptest::prelude::*;

/// All logs that stand in the fixtures.
static LOGS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folders = [fixture(""), fixture("traces"), fixture("oddities")];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let mut paths: Vec<_> =
        files.map(|file| file.expect("a file").path()).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
});

fn options(max_line: usize) -> ImportOptions {
    let mut read = ReadOptions::default();
    read.year = Some(2026);
    read.keep_text = true;
    ImportOptions { read, max_bad: MaxBad::Rows(u64::MAX), max_line, ..ImportOptions::default() }
}

/// Reads bytes as this format and checks the account of it.
fn account(bytes: &[u8], name: &str, max_line: usize) -> Result<Option<Imported>, TestCaseError> {
    let choice = Choice::Named(importer(name));
    let (imported, Bad(bad)) = read(vec![Input::reader("log", bytes)], choice, &options(max_line));
    let imported = match imported {
        Ok(imported) => imported,
        Err(ImportError::NothingKept { read, .. }) => {
            prop_assert_eq!(bad.len() as u64, read, "{}", name);
            return Ok(None);
        }
        Err(fault) => {
            prop_assert!(!fault.to_string().is_empty());
            return Ok(None);
        }
    };
    let dropped: u64 = imported.traffic.dropped.values().sum();
    let is_bad = imported.traffic.dropped.iter().filter(|(reason, _)| reason.is_bad());
    prop_assert_eq!(is_bad.map(|(_, rows)| rows).sum::<u64>(), bad.len() as u64, "{}", name);
    prop_assert_eq!(imported.traffic.read(), imported.traffic.kept() + dropped);
    let file = &imported.files[0];
    prop_assert_eq!((file.rows, file.kept), (imported.traffic.read(), imported.traffic.kept()), "{}", name);
    prop_assert_eq!(imported.traffic.rows().count() as u64, file.kept, "{}", name);
    let most = file.lines.max(1);
    prop_assert!(imported.traffic.rows().all(|row| row.facts().line <= most), "{}", name);
    prop_assert!(bad.iter().all(|(line, ..)| (1..=most).contains(line)), "{}: {:?} of {}", name, bad, most);
    Ok(Some(imported))
}

/// A log with some of its bytes changed, cut out or doubled.
fn mended(log: usize, changes: &[(usize, u8, u8)]) -> Vec<u8> {
    let mut bytes = LOGS[log % LOGS.len()].clone();
    for (at, how, byte) in changes {
        if bytes.is_empty() {
            break;
        }
        let at = at % bytes.len();
        match how % 4 {
            0 => bytes[at] = *byte,
            1 => bytes.insert(at, *byte),
            2 => drop(bytes.remove(at)),
            _ => bytes.truncate(at.max(1)),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn damaged_logs_are_accounted_for_in_every_format(
        log: usize,
        changes in proptest::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 0..12),
        max_line in 20_usize..5000,
    ) {
        let bytes = mended(log, &changes);
        for format in formats::all() {
            account(&bytes, format.name(), max_line)?;
        }
    }

    #[test]
    fn odd_bytes_are_accounted_for_in_every_format(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for format in formats::all() {
            account(&bytes, format.name(), 100)?;
        }
    }

    /// A format that has a row on each line has as many rows as there are lines that are not blank.
    #[test]
    fn no_line_is_left_out(
        lines in proptest::collection::vec("[\\[{\":}a-z0-9, \\]]{0,30}", 0..20),
        first in prop_oneof![Just("{\"timestamp\":1,\"input_length\":1,\"hash_ids\":[1],\"msec\":1,\"uri\":\"/v1/chat/completions\"}")],
    ) {
        let text = format!("{first}\n{}", lines.join("\n"));
        for name in ["jsonl", "mooncake", "bailian", "litellm", "higress", "nginx-json", "kong", "langfuse"] {
            if let Some(imported) = account(text.as_bytes(), name, 1000)? {
                let file = &imported.files[0];
                prop_assert_eq!(file.rows, file.lines - file.blank_lines, "{}", name);
            }
        }
    }
}

#[test]
fn every_log_is_accounted_for_in_every_format() {
    for (at, log) in LOGS.iter().enumerate() {
        for format in formats::all() {
            account(log, format.name(), 1 << 20).unwrap_or_else(|fault| panic!("log {at}: {fault}"));
        }
    }
}

/// A row that is no request, then bad ones, then a good one.
fn mostly_bad(bad: usize) -> String {
    let row = |status: &str, uri: &str| format!("{{\"msec\":\"{status}\",\"uri\":\"{uri}\"}}\n");
    let good = row("1700000000.000", "/v1/chat/completions");
    row("1700000000.000", "/index.html") + &row("never", "/v1/chat/completions").repeat(bad) + &good
}

#[test]
fn a_file_that_is_not_read_to_its_end_is_an_error() {
    let log = mostly_bad(2000);
    let choice = Choice::Named(importer("nginx-json"));
    let (imported, Bad(bad)) =
        read(vec![Input::reader("log", log.as_bytes())], choice, &ImportOptions::default());
    assert!(matches!(imported, Err(ImportError::NothingKept { read: 1001, .. })), "{imported:?}");
    assert_eq!(bad.len(), 1000);
}

#[test]
fn as_many_bad_rows_are_read_as_are_accepted() {
    let log = mostly_bad(2000);
    let choice = Choice::Named(importer("nginx-json"));
    let options = ImportOptions { max_bad: MaxBad::Rows(2000), ..ImportOptions::default() };
    let (imported, _) = read(vec![Input::reader("log", log.as_bytes())], choice, &options);
    assert_eq!(imported.expect("an import").traffic.read(), 2002);
}
