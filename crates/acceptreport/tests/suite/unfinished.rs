//! Packages whose run was cut short.

use crate::{
    packages::{Made, sound},
    program::{COMMANDS, run},
};

/// What a `kill -9` in the middle of a row leaves.
fn cut_short() -> Made {
    let made = sound();
    for name in ["data/evidence-sha256.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt", "bag-info.txt"]
    {
        std::fs::remove_file(made.path(name)).unwrap();
    }
    for name in ["data/analysis", "data/reports"] {
        std::fs::remove_dir_all(made.path(name)).unwrap();
    }
    let rows = made.read("data/raw/requests.jsonl");
    let lines: Vec<_> = rows.split_inclusive('\n').collect();
    let (whole, torn) = (lines[..25].concat(), &lines[25][..100]);
    std::fs::write(made.path("data/raw/requests.jsonl"), whole + torn).unwrap();
    let events = made.read("data/raw/events.jsonl");
    let first = events.split_inclusive('\n').next().unwrap();
    std::fs::write(made.path("data/raw/events.jsonl"), first).unwrap();
    made
}

#[test]
fn a_half_written_package_asks_to_be_completed() {
    let made = cut_short();
    for command in COMMANDS {
        run(command, &made.dir, &[]).ends(4, &["acceptbench finalize"]);
    }
    assert!(!made.path("data/reports").exists());
}

#[test]
fn completed_it_is_intact_and_fails_for_good() {
    let made = cut_short();
    evidence_pack::finalize(&made.dir, "test 1").unwrap();
    run("verify", &made.dir, &[]).ends(0, &["25 rows read", "interrupted", "is dropped", "intact"]);
    run("render", &made.dir, &[]).ends(0, &["report.zh.md"]);
    run("verify", &made.dir, &[]).ends(0, &["interrupted", "computed again", "intact"]);
    run("verdict", &made.dir, &[]).ends(1, &["Test integrity [not passed]", "Internal edition"]);
    let (zh, en) = (made.read("data/reports/report.zh.md"), made.read("data/reports/report.en.md"));
    assert!(zh.contains("不通过") && zh.contains("内部"), "{zh}");
    assert!(en.to_lowercase().contains("internal") && en.to_lowercase().contains("cut short"), "{en}");
}

#[test]
fn a_package_without_its_frozen_files_is_a_damaged_one() {
    for name in ["data/plan.toml", "data/environment.json", "data/samples.jsonl", "bagit.txt"] {
        for made in [sound(), cut_short()] {
            std::fs::remove_file(made.path(name)).unwrap();
            run("verify", &made.dir, &[]).ends(4, &["NOT intact", name]);
        }
    }
}
