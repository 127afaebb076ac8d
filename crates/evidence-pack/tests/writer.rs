//! What the writer promises: refusals, rights, errors that are never swallowed.

mod common;

use std::{
    cell::Cell,
    fs::{self, File},
    io::{self, Write},
    path::Path,
    rc::Rc,
};

use common::{complete, event, files, frozen, record, second, slots, written};
use evidence_pack::{
    AppendError, CreateError, FAILURE_LIMIT, FAILURES_LIMIT, FinalizeError, Frozen, OpenError, Pack,
    PlaceError, Redactor, Sink, State, Writer, finalize, verify_bytes,
};
use metrics_core::{ClientSample, Event, Happening, Record};

#[test]
fn what_was_written_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("deep/pack");
    let whole = Frozen {
        agreement: Some("[advice]\n".into()),
        calibration: Some("{\"streams\":4000}\n".into()),
        ..frozen()
    };
    let mut writer = Writer::create(&dir, &whole, Redactor::default()).unwrap();
    let records: Vec<Record> = slots().iter().map(record).collect();
    let events = [
        event(0, Happening::StageStarted { stage: "sweep".into() }),
        event(7, Happening::ServiceStartTime { seconds: 1_772_352_000.5 }),
        event(9, Happening::RunEnded),
    ];
    for row in &records {
        writer.append_request(row).unwrap();
    }
    for row in &events {
        writer.append_event(row).unwrap();
    }
    writer.append_client(&second(5)).unwrap();
    writer.sync().unwrap();
    let pack = writer.finish().unwrap();

    assert_eq!(pack.state(), State::Complete);
    assert_eq!(pack.requests().unwrap().collect::<Result<Vec<Record>, _>>().unwrap(), records);
    assert_eq!(pack.events().unwrap().collect::<Result<Vec<Event>, _>>().unwrap(), events);
    assert_eq!(pack.client().unwrap().collect::<Result<Vec<ClientSample>, _>>().unwrap(), [second(5)]);
    assert_eq!(pack.plan_text().unwrap(), whole.plan);
    assert_eq!(pack.samples_text().unwrap(), whole.samples);
    assert_eq!(pack.schedule().unwrap().slots, slots());
    assert_eq!(pack.samples().unwrap().to_jsonl().lines().count(), 2);
    assert_eq!(pack.environment().unwrap(), whole.environment);
    assert_eq!(pack.agreement_text().unwrap(), whole.agreement);
    assert_eq!(pack.calibration_text().unwrap(), whole.calibration);
    assert_eq!(pack.summary_text().unwrap(), None);
    assert!(!pack.interrupted().unwrap());
    assert_eq!(verify_bytes(&dir).unwrap().problems, []);
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let create = |dir: &Path| Writer::create(dir, &frozen(), Redactor::default()).map(drop);
    fs::write(dir.join("thesis.txt"), "years of work").unwrap();
    let error = create(dir).unwrap_err();
    assert!(
        error.to_string().ends_with("the folder is not empty (name another --out, or remove it)"),
        "{error}"
    );
    assert!(matches!(create(&dir.join("thesis.txt")), Err(CreateError::NotAFolder(_))));
    assert_eq!(files(dir).len(), 1);
    fs::create_dir(dir.join("empty")).unwrap();
    create(&dir.join("empty")).unwrap();
}

#[test]
fn an_anchor_that_is_no_utc_instant_is_refused() {
    for started_at in ["", "yesterday", "2026-03-01T08:00:00+08:00", "2026-13-01T08:00:00Z", "08:00Z"] {
        let folder = tempfile::tempdir().unwrap();
        let mut frozen = frozen();
        frozen.environment.started_at = started_at.into();
        let created = Writer::create(folder.path(), &frozen, Redactor::default());
        assert!(matches!(created, Err(CreateError::Environment(_))), "{started_at}");
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_package() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    complete(&dir);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for path in files(&dir) {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700, "{}", path.display());
    }
}

/// A disk with room for some bytes, which takes at most `stride` at a time.
struct SmallDisk {
    file: File,
    room: Rc<Cell<usize>>,
    stride: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let take = bytes.len().min(self.stride).min(self.room.get());
        if take == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room.set(self.room.get() - take);
        self.file.write(&bytes[..take])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for SmallDisk {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_a_package_that_can_be_completed() {
    let row = serde_json::to_string(&evidence_pack::RequestRow::new(&record(&slots()[0]), &"0".repeat(64)));
    let row = row.unwrap().len() + 1;
    for (room, stride) in [(0, 9), (1, 9), (row - 1, 7), (row, 7), (row + 1, row), (2 * row + row / 2, 100)] {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("pack");
        let left = Rc::new(Cell::new(room));
        let small = |_, file| SmallDisk { file, room: Rc::clone(&left), stride };
        let mut writer = Writer::create_through(&dir, &frozen(), Redactor::default(), small).unwrap();
        let rows = slots();
        let mut rows = rows.iter().map(record);
        let written = rows.by_ref().take_while(|row| writer.append_request(row).is_ok()).count();
        assert_eq!(written, room / row, "room for {room}");

        left.set(1_000_000);
        let spoiled = writer.append_request(&record(&slots()[3])).unwrap_err();
        assert!(matches!(spoiled, AppendError::Spoiled));
        assert!(matches!(writer.append_event(&event(1, Happening::RunEnded)), Err(AppendError::Spoiled)));
        assert!(writer.finish().is_err());

        let pack = finalize(&dir, "test 1").unwrap();
        let mut reader = pack.requests().unwrap();
        assert_eq!(reader.by_ref().filter(Result::is_ok).count(), written);
        assert_eq!(reader.torn(), room % row != 0);
        let verification = verify_bytes(&dir).unwrap();
        assert_eq!(verification.problems, []);
        assert!(verification.interrupted);
    }
}

#[test]
fn the_error_of_a_full_disk_names_the_file_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let full = |_, file| SmallDisk { file, room: Rc::default(), stride: 1 };
    let mut writer = Writer::create_through(&dir, &frozen(), Redactor::default(), full).unwrap();
    let error = writer.append_client(&second(1)).unwrap_err().to_string();
    assert!(error.starts_with("write ") && error.contains("data/raw/client.jsonl"), "{error}");
    assert!(error.ends_with("(free some space, or use another disk)"), "{error}");
}

#[test]
fn a_number_that_is_not_finite_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(folder.path(), &frozen(), Redactor::default()).unwrap();
    let odd = event(1, Happening::ServiceStartTime { seconds: f64::NAN });
    assert!(matches!(writer.append_event(&odd), Err(AppendError::Unreadable(_))));
}

#[test]
fn failed_responses_are_kept_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let mut writer = Writer::create(&dir, &frozen(), Redactor::default()).unwrap();
    for name in ["", "..", "a/b", "/etc/x", ".hidden", "a b", "a\\b", "ü"] {
        assert!(matches!(writer.keep_failure(name, b"x"), Err(AppendError::Name(_))), "{name}");
    }
    let body = vec![0xff; FAILURE_LIMIT + 1];
    let kept = (0..300).filter(|count| writer.keep_failure(&format!("{count}.bin"), &body).unwrap()).count();
    assert_eq!(kept, FAILURES_LIMIT / FAILURE_LIMIT);
    assert!(writer.keep_failure("0.bin", b"x").is_err());
    writer.append_event(&event(1, Happening::RunEnded)).unwrap();
    let pack = writer.finish().unwrap();
    assert_eq!(fs::metadata(pack.dir().join("data/raw/failures/7.bin")).unwrap().len(), FAILURE_LIMIT as u64);
}

#[test]
fn what_is_no_package_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let open = |dir: &Path| Pack::open(dir).map(drop).unwrap_err();
    assert!(matches!(open(&dir.join("nothing")), OpenError::NotAFolder(_)));
    assert!(matches!(open(dir), OpenError::Empty(_)));
    fs::write(dir.join("holiday.jpg"), "").unwrap();
    assert!(matches!(open(dir), OpenError::NotAPackage(_)));
    fs::write(dir.join("bagit.txt"), "").unwrap();
    assert!(!verify_bytes(dir).unwrap().intact(), "what is left of one");
}

#[test]
fn a_package_is_completed_once_and_never_under_its_writer() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let writer = written(&dir);
    assert!(matches!(finalize(&dir, "test 1"), Err(FinalizeError::StillWritten(_))));
    drop(writer);
    let cut = Pack::open(&dir).unwrap();
    assert_eq!((cut.state(), cut.evidence_digest().unwrap()), (State::CutShort, None));
    assert!(matches!(cut.write_report("report.md", b""), Err(PlaceError::CutShort(_))));
    let sentences: Vec<_> = verify_bytes(&dir).unwrap().problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        [
            "data/evidence-sha256.txt is missing: the package was cut short (complete it with `acceptbench finalize`)"
        ]
    );
    finalize(&dir, "test 1").unwrap();
    assert!(matches!(finalize(&dir, "test 1"), Err(FinalizeError::Complete(_))));
}

#[test]
fn a_cut_while_completing_is_completed_by_the_next_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let digest = written(&dir).finish().unwrap().evidence_digest().unwrap();
    fs::remove_file(dir.join("tagmanifest-sha256.txt")).unwrap();
    fs::write(dir.join(".tagmanifest-sha256.txt.partial"), "3f").unwrap();
    fs::write(dir.join("bagit.txt"), "").unwrap();
    assert_eq!(finalize(&dir, "test 1").unwrap().evidence_digest().unwrap(), digest);
    let verification = verify_bytes(&dir).unwrap();
    assert!(verification.intact() && !verification.interrupted, "its evidence was listed: nothing was lost");

    fs::remove_file(dir.join("tagmanifest-sha256.txt")).unwrap();
    fs::write(dir.join("data/samples.jsonl"), "").unwrap();
    assert!(finalize(&dir, "test 1").is_err());
}

#[test]
fn documents_beside_the_evidence_leave_its_digest_alone() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let pack = written(&dir).finish().unwrap();
    let digest = pack.evidence_digest().unwrap();
    for round in ["first", "second"] {
        pack.write_analysis(round, round, "test 1").unwrap();
        pack.write_other_verdict("[acceptance]", round).unwrap();
        pack.write_report("report.zh.html", round.as_bytes()).unwrap();
        assert!(!verify_bytes(&dir).unwrap().intact(), "unsealed");
        pack.seal().unwrap();
        assert_eq!(verify_bytes(&dir).unwrap().problems, []);
        assert_eq!(pack.evidence_digest().unwrap(), digest);
        assert_eq!(pack.verdict_text().unwrap().as_deref(), Some(round));
        assert_eq!(pack.made_by().unwrap().as_deref(), Some("test 1"));
        let others = pack.other_verdicts().unwrap();
        assert_eq!(others.len(), 2, "the verdict and its agreement");
        assert_eq!(
            (others[0].1.as_slice(), others[1].1.as_slice()),
            (round.as_bytes(), &b"[acceptance]"[..])
        );
    }
    let read = |dir: &Path| files(dir).iter().map(|path| fs::read(path).unwrap()).collect::<Vec<_>>();
    let before = read(&dir);
    pack.seal().unwrap();
    assert_eq!(read(&dir), before);

    for name in ["", "..", "../plan.toml", "a/b/c.md", "/tmp/x", ".x", "report.md\n"] {
        assert!(matches!(pack.write_report(name, b""), Err(PlaceError::Name(_))), "{name}");
    }
}

#[test]
fn a_run_is_interrupted_unless_it_says_that_it_ended() {
    let stopped = Happening::Stopped { by: "interrupt".into() };
    for (what, interrupted) in [
        (vec![], true),
        (vec![Happening::RunEnded], false),
        (vec![stopped.clone()], true),
        (vec![stopped, Happening::RunEnded], true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::create(folder.path(), &frozen(), Redactor::default()).unwrap();
        for happening in &what {
            writer.append_event(&event(1, happening.clone())).unwrap();
        }
        assert_eq!(writer.finish().unwrap().interrupted().unwrap(), interrupted, "{what:?}");
    }
}

#[test]
fn the_bag_is_one_that_other_tools_can_check() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    complete(&dir);
    let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!(read("bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let payload = files(&dir.join("data"));
    let octets: u64 = payload.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert_eq!(
        read("bag-info.txt"),
        format!(
            "Bag-Software-Agent: acceptbench 0.1.0\nBagging-Date: 2026-03-01\n\
             External-Description: Evidence of an acceptance test of an inference service\n\
             External-Identifier: r1\nPayload-Oxum: {octets}.{}\n",
            payload.len()
        )
    );
    let paths =
        |list: &str| -> Vec<String> { read(list).lines().map(|line| line[66..].to_owned()).collect() };
    assert_eq!(
        paths("data/evidence-sha256.txt"),
        [
            "environment.json",
            "plan.toml",
            "raw/client.jsonl",
            "raw/events.jsonl",
            "raw/failures/000001-0.txt",
            "raw/requests.jsonl",
            "samples.jsonl",
            "schedule.jsonl"
        ]
    );
    assert_eq!(paths("manifest-sha256.txt").len(), payload.len());
    assert_eq!(paths("tagmanifest-sha256.txt"), ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"]);
}

#[test]
fn documents_that_were_staged_and_not_put_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let pack = written(&dir).finish().unwrap();
    pack.write_report("report.md", b"one").unwrap();
    let staged =
        pack.stage_reports([("report.md", &b"two"[..]), ("template/logo.svg", &b"<svg/>"[..])]).unwrap();
    assert_eq!(pack.reports().unwrap(), [("report.md".to_owned(), b"one".to_vec())]);
    drop(staged);
    assert_eq!(pack.reports().unwrap(), [("report.md".to_owned(), b"one".to_vec())]);
    assert!(pack.stage_reports([("report.md", &b"two"[..]), ("../x", &b""[..])]).is_err());
    let left = fs::read_dir(dir.join("data/reports")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| name == "report.md" || name == "template"));
}
