//! Packages that somebody who knows how they are made has changed, and brought their lists into line again.

use evidence_pack::Pack;

use crate::{
    packages::{Made, complete, sound},
    program::run,
};

const STRICT: &str = "[acceptance]\noutput_tps = 100000.0\n";

/// Writes an agreement beside the package.
fn strict(made: &Made) -> String {
    let path = made.dir.parent().unwrap().join("strict.toml");
    std::fs::write(&path, STRICT).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Takes a file out, and brings the lists into line.
fn forge_away(made: &Made, name: &str) {
    std::fs::remove_file(made.path(name)).unwrap();
    Pack::open(&made.dir).unwrap().seal().unwrap();
}

#[test]
fn another_version_s_name_turns_no_comparison_off() {
    let made = sound();
    made.forge("data/analysis/made-by.txt", "acceptreport 0.0.9\n");
    run("verify", &made.dir, &[]).ends(4, &["NOT intact", "acceptreport 0.0.9", "this is acceptreport 0."]);
    let report = made.read("data/reports/report.en.html");
    made.forge("data/reports/report.en.html", &(report + "\n"));
    made.forge("data/analysis/summary.json", "{}\n");
    run("verify", &made.dir, &[])
        .ends(4, &["data/reports/report.en.html is not what", "data/analysis/summary.json is not what"]);
    run("render", &made.dir, &[]).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    forge_away(&made, "data/analysis/made-by.txt");
    run("verify", &made.dir, &[]).ends(4, &["data/analysis/made-by.txt is missing"]);
}

#[test]
fn what_was_put_among_figures_and_documents_is_never_sealed_in() {
    let digest = "ab".repeat(32);
    for name in [
        "data/reports/report.zh.doc".to_owned(),
        "data/reports/older/report.zh.md".to_owned(),
        "data/analysis/summary.csv".to_owned(),
        "data/analysis/verdicts/verdict.json".to_owned(),
        format!("data/analysis/verdicts/{digest}.json"),
        format!("data/analysis/verdicts/{digest}.toml"),
    ] {
        let made = sound();
        std::fs::create_dir_all(made.path(&name).parent().unwrap()).unwrap();
        std::fs::write(made.path(&name), "[acceptance]\n").unwrap();
        let manifest = made.read("manifest-sha256.txt");
        run("render", &made.dir, &[]).fails(4, &[&name, "take out"]);
        assert_eq!(made.read("manifest-sha256.txt"), manifest, "{name}");
        made.forge(&name, "[acceptance]\n");
        run("verify", &made.dir, &[]).ends(4, &[&name, "take it out"]);
        std::fs::remove_file(made.path(&name)).unwrap();
        run("render", &made.dir, &[]).ends(0, &[]);
        run("verify", &made.dir, &[]).ends(0, &["intact"]);
    }
}

#[test]
fn all_documents_stand_under_one_verdict() {
    let made = sound();
    let agreement = strict(&made);
    run("render", &made.dir, &["--agreement", &agreement, "--lang", "zh", "--format", "md"])
        .ends(0, &["report.zh.md", "report.en.html"]);
    assert!(made.read("data/reports/report.zh.md").contains("不通过"));
    let failed = made.read("data/reports/report.zh.html");
    assert!(failed.contains("不通过"), "the document that was not asked for says another thing");
    run("verify", &made.dir, &[]).ends(0, &["4 documents made again", "intact"]);

    // Back under the run's own, but for one that is put back by hand.
    run("render", &made.dir, &[]).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    made.forge("data/reports/report.zh.html", &failed);
    run("verify", &made.dir, &[]).ends(4, &["more than one verdict"]);

    run("render", &made.dir, &[]).ends(0, &[]);
    let verdicts = std::fs::read_dir(made.path("data/analysis/verdicts")).unwrap();
    let verdict =
        verdicts.map(|entry| entry.unwrap().path()).find(|path| path.extension().unwrap() == "json");
    let name = verdict.unwrap().strip_prefix(&made.dir).unwrap().to_str().unwrap().to_owned();
    made.forge(&name, "{}\n");
    run("verify", &made.dir, &[]).ends(4, &[&name, "not what the raw rows give"]);
    run("render", &made.dir, &[]).ends(0, &["replaced: ", &name]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn documents_come_with_all_that_belongs_to_them() {
    for name in ["trend.zh.svg", "trend.en.svg", "prometheus-rules.yml"] {
        let made = sound();
        let path = format!("data/reports/{name}");
        forge_away(&made, &path);
        run("verify", &made.dir, &[]).ends(4, &[&path, "is missing"]);
    }
    let made = sound();
    forge_away(&made, "data/reports/report.en.html");
    run("verify", &made.dir, &[]).ends(0, &["3 documents made again", "intact"]);
    for name in ["report.zh.html", "report.zh.md", "report.en.md"] {
        forge_away(&made, &format!("data/reports/{name}"));
    }
    run("verify", &made.dir, &[]).ends(4, &["holds no document"]);
}

#[test]
fn what_was_cut_off_after_the_evidence_is_mended() {
    // Evidence complete, documents not begun; half written; written and not sealed.
    let nothing_yet = complete(|_| true);
    let half = sound();
    std::fs::write(half.path("data/reports/.report.zh.md.partial"), "# Rep").unwrap();
    std::fs::remove_file(half.path("data/reports/report.zh.md")).unwrap();
    let unsealed = sound();
    for name in ["data/reports/report.zh.md", "data/analysis/verdict.json", "bag-info.txt"] {
        std::fs::write(unsealed.path(name), "another\n").unwrap();
    }
    let unbound = sound();
    std::fs::remove_file(unbound.path("tagmanifest-sha256.txt")).unwrap();
    std::fs::remove_file(unbound.path("bagit.txt")).unwrap();
    for made in [nothing_yet, half, unsealed, unbound] {
        run("verify", &made.dir, &[]).ends(4, &["the evidence is intact", "`acceptreport render`"]);
        run("render", &made.dir, &["--format", "md,html"]).ends(0, &[]);
        run("verify", &made.dir, &[]).ends(0, &["4 documents made again", "intact"]);
    }
}

#[test]
fn damage_is_no_wrong_use() {
    for (name, text) in [
        ("data/environment.json", "{}"),
        ("data/plan.toml", "format = 1\n"),
        ("data/samples.jsonl", "{}\n"),
        ("data/raw/events.jsonl", "{}\n"),
    ] {
        let made = sound();
        std::fs::write(made.path(name), text).unwrap();
        for command in ["verify", "verdict", "render"] {
            run(command, &made.dir, &[]).ends(4, &[]);
        }
        std::fs::remove_file(made.path(name)).unwrap();
        for command in ["verify", "verdict", "render"] {
            run(command, &made.dir, &[]).ends(4, &[]);
        }
    }
    let made = sound();
    std::fs::remove_dir_all(made.path("data")).unwrap();
    for command in ["verify", "verdict", "render"] {
        run(command, &made.dir, &[]).ends(4, &[]);
    }
}

#[test]
fn a_list_of_the_evidence_that_was_taken_out_is_damage() {
    let made = sound();
    std::fs::remove_file(made.path("data/evidence-sha256.txt")).unwrap();
    for command in ["verify", "verdict", "render"] {
        let ran = run(command, &made.dir, &[]);
        ran.ends(4, &["data/evidence-sha256.txt is missing"]);
        assert!(!format!("{ran:?}").contains("finalize"), "{ran:#?}");
    }
}
