//! Whatever happens to a byte of a package is found.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod common;

use std::{fs, path::Path};

use common::{complete, event, files, frozen, record, slots, written};
use evidence_pack::{
    FinalizeError, Pack, Problem, ReadError, Redactor, State, VerifyError, Writer, finalize, sha256_hex,
    verify_bytes,
};
use metrics_core::Happening;
use proptest::prelude::*;

fn intact(dir: &Path) -> bool {
    match verify_bytes(dir) {
        Ok(verification) => verification.intact(),
        // A changed version number makes a package of a newer format.
        Err(VerifyError::Open(_)) => false,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_flip_of_any_byte_of_any_file_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    complete(&dir);
    assert_eq!(verify_bytes(&dir).unwrap().problems, []);
    let all = files(&dir);
    assert_eq!(all.len(), 17, "{all:#?}");
    for path in all {
        let mut bytes = fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(!intact(&dir), "{} byte {at}", path.display());
            bytes[at] ^= 1 << (at % 8);
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert!(intact(&dir));
}

#[test]
fn a_file_taken_out_put_in_or_swapped_for_a_link_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    complete(&dir);
    for path in files(&dir) {
        let aside = folder.path().join("aside");
        fs::rename(&path, &aside).unwrap();
        assert!(!intact(&dir), "without {}", path.display());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&aside, &path).unwrap();
            assert!(!intact(&dir), "{} as a link", path.display());
            fs::remove_file(&path).unwrap();
        }
        fs::rename(&aside, &path).unwrap();
    }
    for extra in
        ["notes.txt", "data/notes.txt", "data/raw/more.jsonl", "data/reports/other.md", "data/.x.partial"]
    {
        fs::write(dir.join(extra), "").unwrap();
        assert!(!intact(&dir), "with {extra}");
        fs::remove_file(dir.join(extra)).unwrap();
    }
    fs::create_dir(dir.join("signatures")).unwrap();
    fs::write(dir.join("signatures/customer.statement.json"), "{}").unwrap();
    assert!(intact(&dir));
}

#[test]
fn rows_that_do_not_match_the_plan_are_found_even_where_all_digests_do() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let mut writer = Writer::create(&dir, &frozen(), Redactor::default()).unwrap();
    for slot in &slots()[..3] {
        writer.append_request(&record(slot)).unwrap();
    }
    writer.append_event(&event(1, Happening::RunEnded)).unwrap();
    writer.finish().unwrap();
    let verification = verify_bytes(&dir).unwrap();
    let sentences: Vec<String> = verification.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        [
            "data/raw/requests.jsonl is not what was planned: 1 planned requests have no row, 0 rows were not planned, 0 rows stand twice"
        ]
    );
    assert_eq!(verification.schedule.unwrap().first_missing, Some(3));
}

/// A finished package whose last row was flattered: no row after it is a witness.
fn flattered(folder: &Path) -> std::path::PathBuf {
    let dir = folder.join("pack");
    complete(&dir);
    let rows = dir.join("data/raw/requests.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    let (rest, last) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(last.contains("\"first_token\":3214000"));
    fs::write(&rows, format!("{rest}\n{}\n", last.replace(":3214000", ":3114000"))).unwrap();
    dir
}

#[test]
fn completing_a_package_does_not_vouch_for_what_was_listed_before() {
    const LATER: [&str; 5] = [
        "bag-info.txt",
        "manifest-sha256.txt",
        "tagmanifest-sha256.txt",
        "data/analysis/summary.json",
        "data/reports/report.en.md",
    ];
    // All but one of what is made after the list is taken out with it.
    for kept in LATER {
        let folder = tempfile::tempdir().unwrap();
        let dir = flattered(folder.path());
        fs::remove_file(dir.join("data/evidence-sha256.txt")).unwrap();
        for name in ["bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"] {
            if name != kept {
                fs::remove_file(dir.join(name)).unwrap();
            }
        }
        for name in ["analysis", "reports"] {
            if !kept.contains(name) {
                fs::remove_dir_all(dir.join("data").join(name)).unwrap();
            }
        }
        let error = finalize(&dir, "test 1").unwrap_err();
        assert!(matches!(error, FinalizeError::ListGone { .. }) && error.is_damage(), "{kept}: {error}");
        let problems = verify_bytes(&dir).unwrap().problems;
        let path = "data/evidence-sha256.txt".to_owned();
        assert!(problems.contains(&Problem::Absent { path: path.clone() }), "{kept}: {problems:?}");
        assert!(!problems.contains(&Problem::CutShort { path }), "{kept}: {problems:?}");
    }
}

#[test]
fn a_list_made_again_does_not_fit_the_manifest_that_stands() {
    let folder = tempfile::tempdir().unwrap();
    let dir = flattered(folder.path());
    let list = dir.join("data/evidence-sha256.txt");
    let text: String = fs::read_to_string(&list)
        .unwrap()
        .lines()
        .map(|line| {
            let path = &line[66..];
            format!("{}  {path}\n", sha256_hex(&fs::read(dir.join("data").join(path)).unwrap()))
        })
        .collect();
    fs::write(&list, text).unwrap();
    fs::remove_file(dir.join("tagmanifest-sha256.txt")).unwrap();
    let error = finalize(&dir, "test 1").unwrap_err();
    assert!(matches!(error, FinalizeError::OtherEvidence(_)) && error.is_damage(), "{error}");
}

#[test]
fn what_completed_a_package_is_evidence_that_it_was_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let pack = finalize(&dir, "test 1").unwrap();
    let finalized = dir.join("data/finalized.json");
    let text = fs::read_to_string(&finalized).unwrap();
    assert_eq!(
        text,
        "{\n  \"v\": 1,\n  \"tool\": \"test 1\",\n  \"requests\": 4,\n  \"events\": 2,\n  \"client\": 1\n}\n"
    );
    assert_eq!(pack.finalized_text().unwrap().as_deref(), Some(&*text));
    assert!(pack.evidence_list().contains_key("finalized.json"));
    assert!(pack.interrupted().unwrap(), "although its events say that the run ended");
    assert_eq!(verify_bytes(&dir).unwrap().problems, []);

    fs::write(&finalized, text.replace("4,", "3,")).unwrap();
    let problems = verify_bytes(&dir).unwrap().problems;
    let path = "data/finalized.json".to_owned();
    assert!(problems.contains(&Problem::Altered { path: path.clone() }), "{problems:?}");
    fs::remove_file(&finalized).unwrap();
    let problems = verify_bytes(&dir).unwrap().problems;
    let listed_in = "data/evidence-sha256.txt";
    assert!(problems.contains(&Problem::Missing { path, listed_in }), "{problems:?}");
}

#[test]
fn a_package_of_which_something_is_gone_is_a_damaged_one() {
    for gone in ["bagit.txt", "data/plan.toml", "data/samples.jsonl", "data/environment.json", "data/raw"] {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("pack");
        complete(&dir);
        let path = dir.join(gone);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        let verification = verify_bytes(&dir).unwrap();
        let named = verification.problems.iter().any(|problem| problem.path().starts_with(gone));
        assert!(named, "{gone}: {:?}", verification.problems);
        assert_eq!(verification.evidence_intact(), gone == "bagit.txt", "{gone}");
        let place = folder.path().display().to_string();
        assert!(!format!("{:?}", verification.problems).contains(&place), "{:?}", verification.problems);
    }
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    complete(&dir);
    fs::remove_dir_all(dir.join("data")).unwrap();
    assert!(!verify_bytes(&dir).unwrap().evidence_intact());
    fs::write(dir.join("data"), "").unwrap();
    assert!(!verify_bytes(&dir).unwrap().evidence_intact());

    drop(written(&folder.path().join("cut")));
    fs::remove_file(folder.path().join("cut/data/samples.jsonl")).unwrap();
    let error = finalize(folder.path().join("cut"), "test 1").unwrap_err();
    assert!(matches!(error, FinalizeError::Frozen { missing: "samples.jsonl", .. }), "{error}");
}

#[test]
fn what_stands_beside_figures_and_verdicts_does_not_belong_there() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    let pack = complete(&dir);
    pack.write_other_verdict("[acceptance]\n", "{}\n").unwrap();
    pack.seal().unwrap();
    assert_eq!(verify_bytes(&dir).unwrap().problems, []);
    for name in ["summary.pdf", "verdicts/verdict.json", "verdicts/deep/x.json", "deep/summary.json"] {
        let path = dir.join("data/analysis").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "{}").unwrap();
        pack.seal().unwrap();
        let verification = verify_bytes(&dir).unwrap();
        let foreign = Problem::Foreign { path: format!("data/analysis/{name}") };
        assert_eq!(verification.problems, [foreign]);
        assert!(verification.evidence_intact());
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_row_taken_out_of_the_middle_breaks_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let rows = dir.join("data/raw/requests.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&rows, [lines[0], lines[2], lines[3]].concat()).unwrap();
    let error = finalize(&dir, "test 1").unwrap_err();
    assert!(error.to_string().contains("line 2: the line before it was changed"), "{error}");
    fs::write(&rows, lines[1..].concat()).unwrap();
    let error = finalize(&dir, "test 1").unwrap_err();
    assert!(error.to_string().contains("line 1: plan, samples"), "{error}");
}

#[test]
fn a_plan_changed_after_the_first_row_does_not_fit_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let plan = dir.join("data/plan.toml");
    fs::write(&plan, fs::read_to_string(&plan).unwrap() + "# kinder\n").unwrap();
    let pack = Pack::open(&dir).unwrap();
    let first = pack.requests().unwrap().next().unwrap();
    assert!(matches!(first, Err(ReadError::OtherFrozen { .. })), "{first:?}");
}

#[test]
fn a_row_of_a_newer_version_asks_for_a_newer_tool() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let rows = dir.join("data/raw/requests.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    fs::write(&rows, text.replacen("{\"v\":1,", "{\"v\":2,\"news\":true,", 1)).unwrap();
    let error = Pack::open(&dir).unwrap().requests().unwrap().next().unwrap().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("package of a newer format, 2, where this version knows 1 (update the tool)")
    );

    let environment = dir.join("data/environment.json");
    let text = fs::read_to_string(&environment).unwrap();
    fs::write(&environment, text.replacen("\"v\": 1", "\"v\": 2, \"news\": true", 1)).unwrap();
    let error = Pack::open(&dir).unwrap_err();
    assert!(error.to_string().contains("package of a newer format, 2"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tearing_anywhere_loses_at_most_the_row_that_was_torn(cut in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("pack");
        drop(written(&dir));
        let rows = dir.join("data/raw/requests.jsonl");
        let text = fs::read(&rows).unwrap();
        let cut = cut.index(text.len() + 1);
        fs::write(&rows, &text[..cut]).unwrap();

        let pack = Pack::open(&dir).unwrap();
        prop_assert_eq!(pack.state(), State::CutShort);
        let whole = text[..cut].iter().filter(|byte| **byte == b'\n').count();
        let torn = cut > 0 && text[cut - 1] != b'\n';
        let mut reader = pack.requests().unwrap();
        let read: Vec<_> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!((read.len(), reader.torn()), (whole, torn));

        let pack = finalize(&dir, "test 1").unwrap();
        prop_assert_eq!(fs::read(&rows).unwrap(), &text[..cut]);
        let verification = verify_bytes(&dir).unwrap();
        prop_assert_eq!(verification.torn, torn);
        // Its events say that the run ended, and nobody can vouch that the rows are all that there were.
        prop_assert!(verification.interrupted);
        prop_assert_eq!(verification.problems, []);
        prop_assert_eq!(pack.requests().unwrap().filter(Result::is_ok).count(), whole);
    }

    #[test]
    fn a_flip_in_rows_is_fatal_to_their_reader(at in any::<prop::sample::Index>(), bit in 0..8) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("pack");
        let pack = complete(&dir);
        let rows = dir.join("data/raw/requests.jsonl");
        let mut bytes = fs::read(&rows).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1_u8 << bit;
        fs::write(&rows, &bytes).unwrap();
        prop_assert!(pack.requests().unwrap().any(|row| row.is_err()));
    }
}
