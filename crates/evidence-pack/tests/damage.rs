//! Whatever happens to a byte of a package is found.

mod common;

use std::{fs, path::Path};

use common::{complete, files, written};
use evidence_pack::{Pack, ReadError, State, VerifyError, finalize, verify_bytes};
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
    assert_eq!(all.len(), 15, "{all:#?}");
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
    written(&dir).finish().unwrap();
    let rows = dir.join("data/raw/requests.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    let without_last: String = text.split_inclusive('\n').take(3).collect();
    fs::write(&rows, without_last).unwrap();
    for list in ["data/evidence-sha256.txt", "tagmanifest-sha256.txt"] {
        fs::remove_file(dir.join(list)).unwrap();
    }
    finalize(&dir).unwrap();
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

#[test]
fn a_row_taken_out_of_the_middle_breaks_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("pack");
    drop(written(&dir));
    let rows = dir.join("data/raw/requests.jsonl");
    let text = fs::read_to_string(&rows).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&rows, [lines[0], lines[2], lines[3]].concat()).unwrap();
    let error = finalize(&dir).unwrap_err();
    assert!(error.to_string().contains("line 2: the line before it was changed"), "{error}");
    fs::write(&rows, lines[1..].concat()).unwrap();
    let error = finalize(&dir).unwrap_err();
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

        let pack = finalize(&dir).unwrap();
        prop_assert_eq!(fs::read(&rows).unwrap(), &text[..cut]);
        let verification = verify_bytes(&dir).unwrap();
        prop_assert_eq!(verification.torn, torn);
        prop_assert_eq!(verification.interrupted, torn);
        // Torn, it is interrupted and intact; cut at a row's end, it claims to be whole, and the plan knows better.
        prop_assert_eq!(verification.intact(), torn || whole == 4, "{:?}", verification.problems);
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
