//! What holds for a package of which any one file holds any bytes. Shared with the fuzzer.

use std::{
    fs,
    path::{Path, PathBuf},
};

use evidence_pack::{Pack, Rows, sha256_hex, verify_bytes};

use super::common;

/// A small package into which any bytes are put.
pub(crate) struct Victim {
    // Held so that it is removed with the rest.
    _folder: tempfile::TempDir,
    dir: PathBuf,
    /// Every file and what it holds.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
}

impl Victim {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = folder.path().join("pack");
        common::complete(&dir);
        let files = common::files(&dir);
        let files = files.into_iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect();
        Self { _folder: folder, dir, files }
    }

    /// Puts bytes in place of a file, reads all of the package, and puts the file back.
    ///
    /// The first byte of the input names the file, the second says whether rows are chained anew, so that what comes
    /// after the chain is reached. The rest is what the file holds.
    pub(crate) fn check(&self, input: &[u8]) {
        let [file, mode, bytes @ ..] = input else { return };
        let (path, before) = &self.files[usize::from(*file) % self.files.len()];
        let is_rows = path.extension().is_some_and(|extension| extension == "jsonl");
        let bytes = if is_rows && *mode != AS_IT_IS { chained(bytes, before) } else { bytes.to_vec() };
        fs::write(path, &bytes).expect("a file");
        let intact = read_all(&self.dir);
        fs::write(path, before).expect("a file");
        assert_eq!(intact, bytes == *before, "{}", path.display());
    }
}

/// The second byte of an input that leaves rows as they are.
pub(crate) const AS_IT_IS: u8 = 0;

/// Rows of which each is chained to the one before, and the first to what the first was chained to before.
fn chained(rows: &[u8], before: &[u8]) -> Vec<u8> {
    let object = |line: &[u8]| serde_json::from_slice::<serde_json::Map<_, _>>(line).ok();
    let first = before.split(|byte| *byte == b'\n').next().and_then(object);
    let Some(mut prev) = first.and_then(|row| row.get("prev").cloned()) else { return rows.to_vec() };
    let mut chained = Vec::new();
    for line in rows.split_inclusive(|byte| *byte == b'\n') {
        let end = if line.ends_with(b"\n") { "\n" } else { "" };
        let line = match object(line) {
            Some(mut row) => {
                row.insert("prev".to_owned(), prev);
                serde_json::to_vec(&row).expect("JSON")
            }
            None => line.trim_ascii_end().to_vec(),
        };
        prev = sha256_hex(&line).into();
        chained.extend(line);
        chained.extend(end.as_bytes());
    }
    chained
}

/// Reads everything in a package, and says whether it is intact.
fn read_all(dir: &Path) -> bool {
    if let Ok(pack) = Pack::open(dir) {
        each(pack.requests());
        each(pack.events());
        each(pack.client());
        let _ = (pack.schedule(), pack.environment(), pack.finalized_text(), pack.made_by());
        let _ = (pack.torn(), pack.interrupted(), pack.evidence_digest());
    }
    verify_bytes(dir).is_ok_and(|found| found.intact())
}

fn each<T, E: std::fmt::Display>(rows: Result<Rows<T>, E>)
where
    Rows<T>: Iterator<Item = Result<T, E>>,
{
    let read = rows.and_then(|mut rows| rows.try_for_each(|row| row.map(|_| ())));
    assert!(read.is_ok() || read.is_err_and(|error| !error.to_string().is_empty()));
}
