//! Packages that were changed after the run: found out, and never written about.

use std::path::{Path, PathBuf};

use crate::{
    packages::{Made, complete, sound},
    program::run,
};

/// All three commands say that the evidence is not what was measured, and no document is made of it.
fn evidence_is_damaged(made: &Made, says: &str) {
    let report = std::fs::read(made.path("data/reports/report.en.md")).ok();
    run("verify", &made.dir, &[]).ends(4, &["NOT intact", "wrong: ", says]);
    run("verdict", &made.dir, &[]).ends(4, &[]);
    run("render", &made.dir, &[]).fails(4, &[]);
    assert_eq!(std::fs::read(made.path("data/reports/report.en.md")).ok(), report, "a document was written");
}

#[test]
fn a_changed_byte_in_rows_is_found() {
    for (name, what) in [
        ("data/raw/requests.jsonl", "\"output_tokens\":3"),
        ("data/raw/client.jsonl", "\"cpu\":0.1"),
        ("data/raw/events.jsonl", "sweep"),
    ] {
        let made = sound();
        let text = made.read(name);
        let at = text.find(what).unwrap() + what.len() - 1;
        let mut bytes = text.into_bytes();
        bytes[at] ^= 1;
        std::fs::write(made.path(name), bytes).unwrap();
        evidence_is_damaged(&made, name);
    }
}

#[test]
fn a_row_taken_out_is_found_even_where_everything_is_hashed_anew() {
    for missing in [0, 7, 39] {
        let made = complete(|slot| slot.seq != missing);
        evidence_is_damaged(&made, "1 planned requests have no row");
        run("verdict", &made.dir, &[]).ends(4, &["Test integrity [not passed]"]);
    }
    let made = complete(|_| false);
    evidence_is_damaged(&made, "40 planned requests have no row");
}

#[test]
fn figures_and_verdicts_written_by_hand_are_found() {
    for (name, from, to) in [
        ("data/analysis/summary.json", "\"effective\": 40", "\"effective\": 41"),
        ("data/analysis/verdict.json", "\"result\": \"pass\"", "\"result\": \"fail\""),
        ("data/analysis/summary.json", "{", "{ "),
    ] {
        for forged in [false, true] {
            let made = sound();
            let text = made.read(name);
            let changed = text.replacen(from, to, 1);
            assert_ne!(text, changed, "{name} has no {from}");
            if forged {
                made.forge(name, &changed);
                run("verify", &made.dir, &[]).ends(4, &["NOT intact", name, "not what the raw rows give"]);
            } else {
                std::fs::write(made.path(name), &changed).unwrap();
                run("verify", &made.dir, &[]).ends(4, &["NOT intact", name, "was changed"]);
            }
            run("verdict", &made.dir, &[]).ends(4, &["Data traceability [not passed]"]);
            // The evidence is whole, so that figures can be made from it again.
            run("verify", &made.dir, &[]).ends(4, &["the evidence is intact", "acceptreport render"]);
            let replaced = format!("replaced: {name} was not what the rows give");
            run("render", &made.dir, &[]).ends(0, &[&replaced]);
            run("verify", &made.dir, &[]).ends(0, &["intact"]);
            run("verdict", &made.dir, &[]).ends(0, &["\nPASSED – "]);
        }
    }
}

#[test]
fn documents_written_by_hand_are_found() {
    for name in ["report.zh.md", "report.en.html", "trend.en.svg"] {
        for forged in [false, true] {
            let made = sound();
            let path = format!("data/reports/{name}");
            let changed = made.read(&path) + "\n";
            if forged {
                made.forge(&path, &changed);
            } else {
                std::fs::write(made.path(&path), &changed).unwrap();
            }
            run("verify", &made.dir, &[]).ends(4, &["NOT intact", &path]);
        }
    }
}

#[test]
fn a_changed_byte_anywhere_and_any_missing_file_are_found() {
    let names = files(&sound().dir);
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let made = sound();
        let path = made.dir.join(&name);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 1;
        }
        std::fs::write(&path, &bytes).unwrap();
        run("verify", &made.dir, &[]).ends(4, &["NOT intact"]);

        let made = sound();
        std::fs::remove_file(made.dir.join(&name)).unwrap();
        let ran = run("verify", &made.dir, &[]);
        assert_eq!(ran.code, Some(4), "{}: {ran:?}", name.display());
    }
}

#[test]
fn a_file_that_was_put_in_is_found() {
    for name in ["data/raw/failures/1-0.body", "data/reports/report.fr.md", "notes.txt", "data/notes.txt"] {
        let made = sound();
        std::fs::write(made.path(name), "mine").unwrap();
        run("verify", &made.dir, &[]).ends(4, &["NOT intact", name]);
    }
}

/// Every file below a folder, relative to it.
fn files(dir: &Path) -> Vec<PathBuf> {
    fn below(dir: &Path, root: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, found);
            } else {
                found.push(path.strip_prefix(root).unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    below(dir, dir, &mut found);
    found.sort();
    found
}
