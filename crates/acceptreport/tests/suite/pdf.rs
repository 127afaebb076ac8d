//! The report as PDF: made, kept to the letter, and checked as all other documents are.

use crate::{
    packages::{Made, sound},
    program::run,
};

fn bytes(made: &Made, name: &str) -> Vec<u8> {
    std::fs::read(made.path(&format!("data/reports/{name}"))).unwrap()
}

fn holds(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|window| window == words.as_bytes())
}

#[test]
fn a_pdf_is_made_again_to_the_letter_and_a_touched_one_is_found() {
    let made = sound();
    run("render", &made.dir, &["--format", "pdf", "--lang", "zh"]).ends(0, &["report.zh.pdf"]);
    let pdf = bytes(&made, "report.zh.pdf");
    assert!(pdf.starts_with(b"%PDF-1.7"), "{:?}", &pdf[..16]);
    for attached in ["summary.json", "verdict.json", "evidence-sha256.txt"] {
        assert!(holds(&pdf, attached), "{attached} travels in it");
    }
    assert!(made.read("data/reports/report.zh.md").contains("report.zh.pdf"), "the archive lists it");
    run("verify", &made.dir, &[]).ends(0, &["5 documents made again", "intact"]);

    let mut touched = pdf;
    let last = touched.len() - 40;
    touched[last] ^= 1;
    std::fs::write(made.path("data/reports/report.zh.pdf"), touched).unwrap();
    evidence_pack::Pack::open(&made.dir).unwrap().seal().unwrap();
    run("verify", &made.dir, &[]).ends(4, &["report.zh.pdf is not what the package gives"]);
}

#[test]
fn the_standard_stays_with_the_package() {
    let made = sound();
    let tagged = ["--format", "pdf", "--lang", "en", "--pdf-standard", "a-3a-ua"];
    run("render", &made.dir, &tagged).ends(0, &["report.en.pdf"]);
    assert!(made.read("data/reports/settings.toml").contains("standard = \"a-3a-ua\""));
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    run("render", &made.dir, &["--pdf-standard", "a-2b"]).ends(2, &["a-2b", "a-3a-ua"]);
}

#[test]
fn a_cover_in_typst_that_is_broken_is_named_with_file_and_line() {
    let made = sound();
    let folder = made.dir.parent().unwrap().join("template");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("cover.typ"), "#let cover(document, logo: none) = [\n  #documnt.title\n]\n")
        .unwrap();
    let folder = folder.to_str().unwrap();
    for format in ["pdf", "md"] {
        run("render", &made.dir, &["--format", format, "--lang", "en", "--template", folder])
            .fails(2, &["cover.typ, line 2", "documnt"]);
    }
    assert!(
        !made.path("data/reports/report.en.pdf").exists() && !made.path("data/reports/template").exists()
    );
}
