//! Is every byte of a package the one that was written?
//!
//! Nothing is believed: every list in the package is made again from the files and compared byte for byte with the
//! one that stands there. Whoever changes evidence and makes every list anew ends with another evidence digest than
//! the one printed in the documents and signed by the parties; against that, and only that, the package alone has
//! no defence.

use std::{collections::BTreeSet, fs, io, path::Path};

use metrics_core::Record;

use crate::{
    bag::{self, Payload},
    chain::{ReadError, Rows},
    digest,
    files::{self, FileError},
    finalize::Finalized,
    layout,
    pack::{OpenError, Pack, State, TextError},
    problem::Problem,
    schedule::{Gaps, ScheduleCheck},
};

/// What the bytes of a package amount to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// Everything that is not as it was written, in order of path. Empty: the package is intact.
    pub problems: Vec<Problem>,
    /// A row was being written when the writer was cut off.
    pub torn: bool,
    /// The run did not do all of its plan. Where events cannot be read, it is taken as interrupted.
    pub interrupted: bool,
    /// As found; `None` where the package was cut short.
    pub evidence_digest: Option<String>,
    /// Rows of requests that could be read.
    pub requests: u64,
    /// Rows against the frozen schedule; `None` where there is no schedule to compare with.
    pub schedule: Option<ScheduleCheck>,
}

impl Verification {
    /// Every byte is as it was written. An interrupted run that is whole as far as it goes is intact.
    #[must_use]
    pub fn intact(&self) -> bool {
        self.problems.is_empty()
    }

    /// The evidence is as it was written, whatever may be wrong with what was made from it.
    #[must_use]
    pub fn evidence_intact(&self) -> bool {
        !self.problems.iter().any(Problem::concerns_evidence)
    }
}

/// A package cannot be verified at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The folder is no package that this version knows.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl VerifyError {
    /// The package is damaged, rather than none, of a newer format, or out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Open(error) => error.is_damage(),
            Self::File(error) => error.is_damage(),
        }
    }
}

/// Checks every byte of a package, the chain of its rows, and its rows against the frozen schedule.
///
/// What signatures say is not looked at (see [`Pack::signatures`]), and neither are figures: whoever can compute them again
/// does that.
///
/// # Errors
/// Where the folder is no package of a known format, or a file cannot be read for want of rights.
pub fn verify_bytes(dir: impl AsRef<Path>) -> Result<Verification, VerifyError> {
    let pack = Pack::open(dir.as_ref())?;
    let mut problems = BTreeSet::new();
    check_top(pack.dir(), &mut problems)?;
    check_lists(&pack, &mut problems)?;
    let events = check_rows(pack.events(), layout::EVENTS, &mut problems, |_| ());
    let client = check_rows(pack.client(), layout::CLIENT, &mut problems, |_| ());
    let interrupted = pack.interrupted().unwrap_or(true);
    let (requests, schedule) = check_requests(&pack, interrupted, &mut problems);
    check_finalized(&pack, [requests, events, client], &mut problems);
    Ok(Verification {
        problems: problems.into_iter().collect(),
        torn: pack.torn().unwrap_or(false),
        interrupted,
        evidence_digest: pack.evidence_digest()?,
        requests,
        schedule,
    })
}

fn check_top(dir: &Path, problems: &mut BTreeSet<Problem>) -> Result<(), FileError> {
    const FILES: [&str; 4] = [layout::BAGIT, layout::BAG_INFO, layout::MANIFEST, layout::TAG_MANIFEST];
    const FOLDERS: [&str; 2] = [layout::DATA, layout::SIGNATURES];
    for entry in fs::read_dir(dir).map_err(FileError::of("read", dir))? {
        let entry = entry.map_err(FileError::of("read", dir))?;
        let kind = entry.file_type().map_err(FileError::of("read", &entry.path()))?;
        let path = entry.file_name().to_string_lossy().into_owned();
        let belongs = kind.is_file() && FILES.contains(&path.as_str())
            || kind.is_dir() && FOLDERS.contains(&path.as_str());
        if !belongs {
            problems.insert(Problem::Foreign { path });
        }
    }
    Ok(())
}

fn check_lists(pack: &Pack, problems: &mut BTreeSet<Problem>) -> Result<(), FileError> {
    const EVIDENCE: &str = "data/evidence-sha256.txt";
    let dir = pack.dir();
    let payload = Payload::read(dir)?;
    problems.extend(payload.unfit.iter().map(|path| Problem::Unfit { path: in_data(path) }));
    compare_text(dir, layout::BAGIT, layout::BAGIT_TEXT, problems)?;
    if pack.state() == State::CutShort {
        if dir.join(EVIDENCE).exists() {
            problems.insert(Problem::CutShort { path: layout::TAG_MANIFEST.to_owned() });
        } else if layout::MADE_LATER.iter().all(|later| !dir.join(later).exists()) {
            problems.insert(Problem::CutShort { path: EVIDENCE.to_owned() });
            for name in [layout::ENVIRONMENT, layout::PLAN, layout::SAMPLES] {
                if !pack.data(name).exists() {
                    problems.insert(Problem::Absent { path: in_data(name) });
                }
            }
            // Nothing was written yet that could be compared.
            return Ok(());
        }
    }
    for path in &payload.partial {
        problems.insert(Problem::Extra { path: in_data(path), listed_in: layout::MANIFEST });
    }
    for path in payload.paths().filter(|path| path.starts_with("analysis/") && !layout::is_analysis(path)) {
        problems.insert(Problem::Foreign { path: in_data(path) });
    }
    compare_list(dir, EVIDENCE, &payload.evidence(), "data/", problems)?;
    compare_list(dir, layout::MANIFEST, &payload.manifest(), "", problems)?;
    compare_list(dir, layout::TAG_MANIFEST, &tag_manifest(dir)?, "", problems)?;
    let bag_info = bag::read_environment(dir).and_then(|environment| Ok(payload.bag_info(&environment)?));
    match bag_info {
        Ok(text) => compare_text(dir, layout::BAG_INFO, &text, problems)?,
        Err(error) => {
            let path = in_data(layout::ENVIRONMENT);
            problems.insert(Problem::Environment { path, reason: reason(dir, &error) });
        }
    }
    Ok(())
}

/// The tag manifest as it should be. A signature that was put in after the package was sealed need not stand in it: a
/// party may add its own by hand, and it is a witness of itself. One that stands in it may not go or change.
fn tag_manifest(dir: &Path) -> Result<String, FileError> {
    let listed = files::read_if_any(&dir.join(layout::TAG_MANIFEST))?.unwrap_or_default();
    let listed = digest::parse_list(&listed);
    bag::tag_manifest(dir, |name| listed.contains_key(name))
}

/// Compares a list with the text made again, and says which files make the difference.
fn compare_list(
    dir: &Path,
    name: &'static str,
    made_again: &str,
    prefix: &str,
    problems: &mut BTreeSet<Problem>,
) -> Result<(), FileError> {
    let Some(found) = files::read_if_any(&dir.join(name))? else {
        problems.insert(Problem::Absent { path: name.to_owned() });
        return Ok(());
    };
    if found == made_again.as_bytes() {
        return Ok(());
    }
    let (listed, there) = (digest::parse_list(&found), digest::parse_list(made_again.as_bytes()));
    let before = problems.len();
    let full = |path: &String| format!("{prefix}{path}");
    for (path, digest) in &listed {
        match there.get(path) {
            None => problems.insert(Problem::Missing { path: full(path), listed_in: name }),
            Some(other) if other != digest => {
                problems.insert(Problem::Changed { path: full(path), listed_in: name })
            }
            Some(_) => false,
        };
    }
    for path in there.keys().filter(|path| !listed.contains_key(*path)) {
        problems.insert(Problem::Extra { path: full(path), listed_in: name });
    }
    if problems.len() == before {
        problems.insert(Problem::Altered { path: name.to_owned() });
    }
    Ok(())
}

fn compare_text(
    dir: &Path,
    name: &str,
    expected: &str,
    problems: &mut BTreeSet<Problem>,
) -> Result<(), FileError> {
    match files::read_if_any(&dir.join(name))? {
        None => problems.insert(Problem::Absent { path: name.to_owned() }),
        Some(found) if found != expected.as_bytes() => {
            problems.insert(Problem::Altered { path: name.to_owned() })
        }
        Some(_) => false,
    };
    Ok(())
}

fn check_rows<T>(
    rows: Result<Rows<T>, ReadError>,
    name: &str,
    problems: &mut BTreeSet<Problem>,
    mut each: impl FnMut(&T),
) -> u64 {
    let mut count = 0;
    let read = rows.and_then(|mut rows| {
        rows.try_for_each(|row| {
            each(&row?);
            count += 1;
            Ok(())
        })
    });
    match read {
        Err(ReadError::File(error)) if error.kind() == io::ErrorKind::NotFound => {
            problems.insert(Problem::Absent { path: in_data(name) });
        }
        Err(error) => {
            problems.insert(Problem::Rows { path: in_data(name), reason: error.reason() });
        }
        Ok(()) => {}
    }
    count
}

fn check_requests(
    pack: &Pack,
    interrupted: bool,
    problems: &mut BTreeSet<Problem>,
) -> (u64, Option<ScheduleCheck>) {
    let schedule = match pack.schedule() {
        Ok(schedule) => schedule,
        Err(error) => {
            let reason = reason(pack.dir(), &error);
            problems.insert(match error {
                TextError::Schedule(_) => Problem::Rows { path: in_data(layout::SCHEDULE), reason },
                TextError::Sample { .. } | TextError::OtherSamples { .. } => {
                    Problem::Rows { path: in_data(layout::SAMPLES), reason }
                }
                TextError::SampleSet(_) => Problem::Rows { path: in_data(layout::SAMPLE_SET), reason },
                _ => Problem::NoSchedule { path: in_data(layout::PLAN), reason },
            });
            return (check_rows(pack.requests(), layout::REQUESTS, problems, |_| ()), None);
        }
    };
    let mut gaps = Gaps::new(&schedule.slots);
    let count = check_rows(pack.requests(), layout::REQUESTS, problems, |row: &Record| gaps.row(row));
    let check = gaps.check();
    let as_planned = check.complete() || interrupted && check.within_plan();
    if !as_planned {
        let ScheduleCheck { missing, unplanned, duplicated, .. } = check;
        problems.insert(Problem::Schedule {
            path: in_data(layout::REQUESTS),
            missing,
            unplanned,
            duplicated,
        });
    }
    (count, Some(check))
}

/// What `finalize` wrote must be what it would write again.
fn check_finalized(pack: &Pack, [requests, events, client]: [u64; 3], problems: &mut BTreeSet<Problem>) {
    let is_right = |text: &str| {
        serde_json::from_str::<Finalized>(text)
            .is_ok_and(|found| Finalized::new(found.tool, requests, events, client).to_json() == text)
    };
    let right = pack.finalized_text().is_ok_and(|text| text.is_none_or(|text| is_right(&text)));
    if !right {
        problems.insert(Problem::Altered { path: in_data(layout::FINALIZED) });
    }
}

/// What went wrong, without the package's place on this machine.
fn reason(dir: &Path, error: &impl ToString) -> String {
    error.to_string().replace(&format!("{}/", dir.display()), "")
}

fn in_data(path: &str) -> String {
    format!("{}/{path}", layout::DATA)
}
