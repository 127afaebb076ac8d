//! A writer that is killed leaves every row that it reported as written.
//!
//! The test starts itself again as the writer, reads its reports from a pipe and kills it in the midst of its work.
//! It has a `main` of its own because the writer must be a process.

mod common;

use std::{
    env,
    error::Error,
    io::{BufRead, BufReader, Write, stdout},
    path::Path,
    process::{Command, Stdio},
};

use common::{frozen, record, slots};
use evidence_pack::{Redactor, Writer, finalize, verify_bytes};

const WRITER: &str = "--write-until-killed";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.as_slice() {
        [word, dir] if word == WRITER => write_until_killed(Path::new(dir)),
        // What `cargo nextest` asks of every test binary.
        [word, ..] if word == "--list" => Ok(writeln!(stdout(), "kill: test")?),
        _ => {
            for round in 0..20 {
                kill_after(round, round * round)?;
            }
            Ok(writeln!(stdout(), "20 writers killed, no reported row lost")?)
        }
    }
}

/// Appends rows, from small ones to such as take many pages, and reports each once it is written.
fn write_until_killed(dir: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = Writer::create(dir, &frozen(), Redactor::default())?;
    let mut row = record(&slots()[0]);
    let mut reports = stdout().lock();
    writeln!(reports, "created")?;
    for count in 1_u64.. {
        // A row of a retried request: the plan knows its position, and no try stands twice.
        row.attempt = u32::try_from(count)?;
        row.facts.gaps_us = vec![20_000; usize::try_from(count % 7)? * 700];
        writer.append_request(&row)?;
        writeln!(reports, "{count}")?;
    }
    Ok(())
}

fn kill_after(round: u64, rows: u64) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let dir = folder.path().join("pack");
    let mut child = Command::new(env::current_exe()?).arg(WRITER).arg(&dir).stdout(Stdio::piped()).spawn()?;
    let mut reports = BufReader::new(child.stdout.take().ok_or("no pipe")?).lines();
    assert_eq!(reports.next().ok_or("no report")??, "created");
    let mut reported = 0;
    while reported < rows {
        reported = reports.next().ok_or("the writer ended by itself")??.parse()?;
    }
    child.kill()?;
    child.wait()?;
    // What the pipe still holds was reported before the kill; its last line may be cut.
    for report in reports {
        reported = report?.parse().unwrap_or(reported).max(reported);
    }

    let pack = finalize(&dir, "test 1")?;
    let mut reader = pack.requests()?;
    let mut read = 0;
    for row in reader.by_ref() {
        read += 1;
        assert_eq!(u64::from(row?.attempt), read, "round {round}");
    }
    assert!(read >= reported, "round {round}: {reported} rows reported, {read} found");
    let verification = verify_bytes(&dir)?;
    assert!(verification.intact(), "round {round}: {:?}", verification.problems);
    assert!(verification.interrupted);
    assert_eq!(verification.torn, reader.torn());
    Ok(())
}
