//! Names on the cover that come with the rendering and not from the plan.

use crate::{
    packages::{Made, sound},
    program::run,
};

fn meta(made: &Made, text: &str) -> String {
    let path = made.dir.parent().unwrap().join("meta.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn names_stand_on_every_cover_and_stay_with_the_package() {
    let made = sound();
    let digests = made.read("data/evidence-sha256.txt");
    let path = meta(
        &made,
        "[project]\ncustomer = \"某市数据中心 & Co\"\nthird_party = \"\"\nissued = \"2026-12-01\"\n",
    );
    run("render", &made.dir, &["--meta", &path, "--lang", "zh", "--format", "md"]).ends(0, &[]);
    for document in ["report.zh.md", "report.en.md", "report.zh.html", "report.en.html"] {
        let text = made.read(&format!("data/reports/{document}"));
        assert!(text.contains("某市数据中心") && text.contains("2026-12-01"), "{document}");
    }
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    // Without being told again, and after another agreement, they are the same.
    let before = made.read("data/reports/report.zh.html");
    run("render", &made.dir, &[]).ends(0, &[]);
    assert_eq!(made.read("data/reports/report.zh.html"), before);
    assert_eq!(made.read("data/evidence-sha256.txt"), digests);

    run("render", &made.dir, &["--reset"]).ends(0, &[]);
    assert!(!made.path("data/reports/settings.toml").exists());
    assert!(!made.read("data/reports/report.zh.html").contains("某市数据中心"));
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn a_file_of_names_that_is_none_is_refused_with_its_line() {
    let made = sound();
    let report = made.read("data/reports/report.en.md");
    for (text, says) in [
        ("[project]\ncustomer = 3\n", "line 2"),
        ("[project]\nclient = \"x\"\n", "client"),
        ("[project\n", "line 1"),
        ("", "project"),
    ] {
        run("render", &made.dir, &["--meta", &meta(&made, text)]).fails(2, &["meta.toml", says]);
    }
    run("render", &made.dir, &["--meta", "/no/such.toml"]).fails(2, &["/no/such.toml", "TOML"]);
    assert_eq!(made.read("data/reports/report.en.md"), report);
}

#[test]
fn names_that_were_changed_in_the_package_are_seen() {
    let made = sound();
    let path = meta(&made, "[project]\ncustomer = \"A\"\n");
    run("render", &made.dir, &["--meta", &path]).ends(0, &[]);
    let settings = made.read("data/reports/settings.toml");
    made.forge("data/reports/settings.toml", &settings.replace("\"A\"", "\"B\""));
    run("verify", &made.dir, &[]).ends(4, &["report.zh.html is not what the package gives"]);
    made.forge("data/reports/settings.toml", "[project]\nx = 1\n");
    run("verify", &made.dir, &[]).ends(4, &["settings.toml"]);
    run("render", &made.dir, &[]).fails(4, &["settings.toml"]);
    run("render", &made.dir, &["--reset"]).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

/// The template that the documentation shows, and one file of it changed.
fn template(made: &Made, changed: Option<(&str, &[u8])>) -> String {
    let folder = made.dir.parent().unwrap().join("template");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/template")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
    }
    if let Some((name, bytes)) = changed {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_template_stays_with_the_package_and_goes_when_told() {
    let made = sound();
    let usual = made.read("data/reports/report.en.md");
    run("render", &made.dir, &["--template", &template(&made, None)]).ends(0, &[]);
    let arranged = made.read("data/reports/report.en.md");
    assert!(
        arranged.contains("![](template/logo.svg)") && arranged.contains("## 2 SLA comparison"),
        "{arranged}"
    );
    assert!(made.path("data/reports/template/logo.svg").exists());
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    run("render", &made.dir, &[]).ends(0, &[]);
    assert_eq!(made.read("data/reports/report.en.md"), arranged);

    // What the package keeps of it is checked as all else is.
    let cover = made.read("data/reports/template/cover.md");
    made.forge("data/reports/template/cover.md", &format!("{cover}\nmore\n"));
    run("verify", &made.dir, &[]).ends(4, &["report.en.md is not what the package gives"]);
    made.forge("data/reports/template/cover.md", "{{ nothing }}");
    run("verify", &made.dir, &[]).ends(4, &["cover.md, line 1"]);

    run("render", &made.dir, &["--reset"]).ends(0, &[]);
    assert_eq!(made.read("data/reports/report.en.md"), usual);
    assert!(!made.path("data/reports/template/logo.svg").exists());
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn a_broken_template_changes_nothing_and_is_named_with_file_and_line() {
    let made = sound();
    let before = made.read("manifest-sha256.txt");
    let cases: [(&str, &[u8], &str); 6] = [
        ("cover.html", b"<h1>\n{{ titel }}</h1>\n", "cover.html, line 2"),
        ("cover.md", b"\n\n{% endfor %}", "cover.md, line 3"),
        ("cover.md", b"\n<div hidden>\n", "cover.md, line 2"),
        ("template.toml", b"sections = [\n\"slq\"]\n", "template.toml, line 2"),
        ("logo.svg", b"\x00\xFF", "logo.svg"),
        ("notes.txt", b"", "notes.txt"),
    ];
    for (name, bytes, says) in cases {
        let folder = template(&made, Some((name, bytes)));
        run("render", &made.dir, &["--template", &folder]).fails(2, &[says]);
        std::fs::remove_dir_all(folder).unwrap();
    }
    // A cover is tried out even where its format is not asked for and does not stand in the package.
    assert_eq!(made.read("manifest-sha256.txt"), before);
    for entry in std::fs::read_dir(made.path("data/reports")).unwrap() {
        let path = entry.unwrap().path();
        if path.to_str().unwrap().contains(".en.") {
            std::fs::remove_file(path).unwrap();
        }
    }
    evidence_pack::Pack::open(&made.dir).unwrap().seal().unwrap();
    let before = made.read("manifest-sha256.txt");
    for (cover, asked) in [("cover.md", "html"), ("cover.html", "md")] {
        let folder = template(&made, Some((cover, b"\n{{ titel }}")));
        let rest = ["--lang", "en", "--format", asked, "--template", &folder];
        run("render", &made.dir, &rest).fails(2, &[cover, "line 2"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
    run("render", &made.dir, &["--template", "/no/such"]).fails(2, &["/no/such", "cover.typ"]);
    assert_eq!(made.read("manifest-sha256.txt"), before);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn what_is_no_part_of_a_template_is_a_stranger_beside_it() {
    let made = sound();
    std::fs::create_dir(made.path("data/reports/template")).unwrap();
    std::fs::write(made.path("data/reports/template/.DS_Store"), "x").unwrap();
    let manifest = made.read("manifest-sha256.txt");
    run("render", &made.dir, &["--reset"]).fails(4, &["template/.DS_Store", "take out"]);
    assert_eq!(made.read("manifest-sha256.txt"), manifest);
    std::fs::remove_dir_all(made.path("data/reports/template")).unwrap();
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn what_does_not_fit_on_a_cover_or_is_no_file_is_refused_at_once() {
    let made = sound();
    let long = format!("[project]\nsupplier = \"{}\"\n", "供".repeat(121));
    run("render", &made.dir, &["--meta", &meta(&made, &long)])
        .fails(2, &["supplier", "121 characters", "120"]);
    let folder = made.dir.to_str().unwrap().to_owned();
    run("render", &made.dir, &["--meta", &folder]).fails(2, &["no plain file"]);
    run("render", &made.dir, &["--meta", "/dev/zero"]).fails(2, &["no plain file"]);
}
