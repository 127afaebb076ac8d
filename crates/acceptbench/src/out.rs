//! Defaults that depend on where and what is run.

use std::{
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
};

/// Concurrency from which a second thread reads sockets.
const ONE_THREAD_SERVES: u32 = 64;

/// Most threads that read sockets where none are named.
const MOST_THREADS: u32 = 4;

/// `acceptance/NAME-TIME`, so that no run ever meets the folder of another.
pub(crate) fn default_out(name: &str) -> PathBuf {
    let plain = |character: char| {
        if character.is_alphanumeric() || matches!(character, '.' | '-' | '_') { character } else { '-' }
    };
    let name: String = name.chars().map(plain).collect();
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    PathBuf::from("acceptance").join(format!("{}-{now}", name.trim_matches(['.', '-'])))
}

/// `PATH.WHAT`: what belongs to a folder and does not stand in it.
pub(crate) fn beside(path: &Path, what: &str) -> PathBuf {
    // A path such as "." has no last name.
    let path = match path.file_name() {
        Some(_) => path.to_owned(),
        None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(what);
    path.with_file_name(name)
}

/// Writes a new file that its owner alone reads; one that is there is left as it is, and an error.
pub(crate) fn write_owner_only(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Threads that read sockets for these tiers: one up to 64 requests in flight, then one for each, within half of the
/// cores and four.
pub(crate) fn io_threads(tiers: &[u32]) -> u32 {
    let highest = tiers.iter().copied().max().unwrap_or(1);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    highest.div_ceil(ONE_THREAD_SERVES).min(cores / 2).clamp(1, MOST_THREADS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_name_has_nothing_of_a_path() {
        let out = default_out("org/model:7b ../x");
        let name = out.file_name().map(|name| name.to_string_lossy().into_owned());
        assert!(name.is_some_and(|name| name.starts_with("org-model-7b-..-x-")), "{out:?}");
    }

    #[test]
    fn one_thread_reads_a_standard_sweep() {
        assert_eq!(io_threads(&[1, 2, 4, 8, 16]), 1);
        assert_eq!(io_threads(&[]), 1);
        assert!(io_threads(&[100_000]) <= MOST_THREADS);
    }
}
