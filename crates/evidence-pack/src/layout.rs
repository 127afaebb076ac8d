//! Where everything of a package stands, and which names are fit to stand in it.

/// Version of the rows and of `environment.json` that this crate writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

pub(crate) const BAGIT: &str = "bagit.txt";
pub(crate) const BAG_INFO: &str = "bag-info.txt";
pub(crate) const MANIFEST: &str = "manifest-sha256.txt";
pub(crate) const TAG_MANIFEST: &str = "tagmanifest-sha256.txt";
pub(crate) const SIGNATURES: &str = "signatures";
pub(crate) const DATA: &str = "data";

// Below, paths are relative to `data/`, as they stand in `evidence-sha256.txt`.
pub(crate) const EVIDENCE: &str = "evidence-sha256.txt";
pub(crate) const PLAN: &str = "plan.toml";
pub(crate) const SAMPLES: &str = "samples.jsonl";
pub(crate) const SAMPLE_SET: &str = "sample-set.json";
pub(crate) const SCHEDULE: &str = "schedule.jsonl";
pub(crate) const ENVIRONMENT: &str = "environment.json";
pub(crate) const AGREEMENT: &str = "agreement.toml";
pub(crate) const CALIBRATION: &str = "calibration.json";
pub(crate) const FINALIZED: &str = "finalized.json";
pub(crate) const REQUESTS: &str = "raw/requests.jsonl";
pub(crate) const EVENTS: &str = "raw/events.jsonl";
pub(crate) const CLIENT: &str = "raw/client.jsonl";
pub(crate) const FAILURES: &str = "raw/failures";
pub(crate) const SUMMARY: &str = "analysis/summary.json";
pub(crate) const VERDICT: &str = "analysis/verdict.json";
pub(crate) const MADE_BY: &str = "analysis/made-by.txt";
pub(crate) const OTHER_VERDICTS: &str = "analysis/verdicts";
pub(crate) const REPORTS: &str = "reports";

/// Files fixed before the first request, sorted. Agreement and calibration may be absent, and so may what is known of a set that
/// was not made, and in older packages the schedule.
pub(crate) const FROZEN: [&str; 7] =
    [AGREEMENT, CALIBRATION, ENVIRONMENT, PLAN, SAMPLE_SET, SAMPLES, SCHEDULE];

/// Files of rows, sorted.
pub(crate) const ROWS: [&str; 3] = [CLIENT, EVENTS, REQUESTS];

/// What `bagit.txt` says in every package, byte for byte.
pub(crate) const BAGIT_TEXT: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/// A file under `data/` is evidence unless it was made from the evidence.
pub(crate) fn is_evidence(path: &str) -> bool {
    path != EVIDENCE && !path.starts_with("analysis/") && !path.starts_with("reports/")
}

/// What stands in `data/analysis/`, by path relative to `data/`.
pub(crate) fn is_analysis(path: &str) -> bool {
    let other = path.strip_prefix(OTHER_VERDICTS).and_then(|path| path.strip_prefix('/'));
    let digest = other.and_then(|name| name.strip_suffix(".json").or_else(|| name.strip_suffix(".toml")));
    let is_digest = |name: &str| {
        name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    [SUMMARY, VERDICT, MADE_BY].contains(&path) || digest.is_some_and(is_digest)
}

/// A name of one file: ASCII letters, digits, `.`, `_` and `-`, not starting with a dot, at most 128 long.
///
/// Nothing in it can leave its folder, needs encoding in a manifest, or collides with a file in the making.
pub(crate) fn is_file_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Where a file is written before it is renamed to its name.
pub(crate) fn partial_name(name: &str) -> String {
    format!(".{name}.partial")
}

/// What is only made once the evidence is listed, relative to the package, in that order.
pub(crate) const MADE_LATER: [&str; 6] =
    [BAG_INFO, MANIFEST, TAG_MANIFEST, "data/analysis", "data/reports", SIGNATURES];

/// A file that a cut left behind in the making.
pub(crate) fn is_partial(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with('.') && name.ends_with(".partial")
}
