//! The folder of a profile: rendered, verified and signed as a package is.

use std::path::{Path, PathBuf};

use acceptreport::{Format, Settings, WorkloadReport};
use evidence_pack::ProfileFolder;
use report_render::Language;
use serde_json::Value;
use tempfile::TempDir;
use workload_model::{
    profile::{Card, Groups, ProfileFacts, build},
    traffic::{Call, Ending, Grouping as _, Row, RowFacts, StampKind, StampSource, Traffic},
};

use crate::program::{Ran, run};

const CARD: &str = "[profile]\nname = \"Desk\"\n\n[[group]]\nname = \"interactive\"\n\
    match = { call = \"chat\" }\npriority = 1\nby = \"Head of desk\"\nbasis = \"Promise\"\n";

struct Made {
    folder: TempDir,
    dir: PathBuf,
}

/// Fifty rows, a second apart, as a profile with its documents.
fn made() -> Made {
    let card = Card::parse(CARD).unwrap();
    let groups = Groups::of_card(&card);
    let source = StampSource {
        words: "startTime".to_owned(),
        kind: StampKind::Arrival,
        resolution_ns: 1,
        relative: false,
    };
    let mut traffic = Traffic::default();
    traffic.sources = vec![source];
    traffic.groups = groups.names();
    for second in 0..50 {
        traffic.push(Row::new(RowFacts {
            arrival_ns: 1_795_050_000_000_000_000 + second * 1_000_000_000,
            source: 0,
            file: 0,
            line: 1,
            group: 1,
            call: Call::Chat,
            ending: Ending::Ok,
            stream: Some(true),
            input_tokens: Some(10),
            output_tokens: Some(20),
            output_cut: false,
            ttft: None,
            duration: None,
            caller: None,
            session: None,
        }));
    }
    let grouped = groups.settle(&mut traffic, 5);
    let facts =
        ProfileFacts { made_by: "a test".to_owned(), card, ..ProfileFacts::new(grouped, "jsonl".to_owned()) };
    let profile = build(&traffic, &facts).unwrap();
    let text = profile.to_json();
    let report = WorkloadReport::new(profile, text.as_bytes(), Settings::default());
    let mut documents = Vec::new();
    for language in Language::ALL {
        let files = report.files(language, &[Format::Html, Format::Markdown]).unwrap();
        documents.extend(files.into_iter().map(|file| (file.name, file.bytes)));
    }
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("profile");
    ProfileFolder::create(&dir, text.as_bytes(), &documents).unwrap();
    Made { folder, dir }
}

impl Made {
    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.join(name)).unwrap()
    }

    /// Changes a file; what is changed stands in it.
    fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{from:?} is not in {name}");
        std::fs::write(self.dir.join(name), text.replacen(from, to, 1)).unwrap();
    }

    /// A file beside the folder.
    fn beside(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn key(&self, name: &str) -> String {
        let path = self.beside(name);
        run("keygen", Path::new("--out"), &[&path]).ends(0, &[".pub"]);
        path
    }

    fn sign(&self, key: &str, more: &[&str]) -> Ran {
        run("sign", &self.dir, &[&["--key", key], more].concat())
    }

    fn verify(&self, more: &[&str]) -> Ran {
        run("verify", &self.dir, more)
    }
}

const BUSINESS: [&str; 4] = ["--as", "business", "--name", "龘𠮷科技"];

#[test]
fn a_profile_as_it_was_made_is_intact() {
    let made = made();
    let digest = evidence_pack::sha256_hex(made.read("profile.json").as_bytes());
    made.verify(&[]).ends(0, &["a profile of 50 rows in 1 groups", &digest, "\nintact"]);
    made.verify(&["--lang", "zh"]).ends(0, &[&digest, "\n完好"]);
    let found: Value = serde_json::from_str(&made.verify(&["--json"]).stdout).unwrap();
    assert_eq!((&found["intact"], &found["profile_sha256"]), (&true.into(), &digest.as_str().into()));
    let documents = std::fs::read_dir(&made.dir).unwrap().count() - 1;
    assert_eq!(found["documents"], documents, "{found}");
}

#[test]
fn names_of_the_cover_stay_with_the_folder() {
    let made = made();
    let meta = made.beside("meta.toml");
    std::fs::write(&meta, "[project]\ncustomer = \"某市数据中心 & Co\"\n").unwrap();
    run("render", &made.dir, &["--meta", &meta, "--lang", "zh", "--format", "md"])
        .ends(0, &["profile.zh.md"]);
    for page in ["profile.zh.md", "profile.en.md", "profile.zh.html", "profile.en.html"] {
        assert!(made.read(page).contains("某市数据中心"), "{page}");
    }
    made.verify(&[]).ends(0, &["\nintact"]);
    run("render", &made.dir, &["--format", "html,md"]).ends(0, &[]);
    assert!(made.read("profile.en.md").contains("某市数据中心"), "the names were forgotten");
    run("render", &made.dir, &["--format", "html,md", "--reset"]).ends(0, &[]);
    assert!(!made.read("profile.en.md").contains("某市数据中心"), "the names stayed");
    made.verify(&[]).ends(0, &["\nintact"]);
    let agreement = made.beside("agreement.toml");
    std::fs::write(&agreement, "[acceptance]\n").unwrap();
    run("render", &made.dir, &["--agreement", &agreement]).fails(2, &["neither agreement nor template"]);
}

#[cfg(feature = "pdf")]
#[test]
fn a_pdf_is_made_again_to_the_letter_and_a_touched_one_is_found() {
    let made = made();
    run("render", &made.dir, &["--format", "pdf", "--lang", "zh"]).ends(0, &["profile.zh.pdf"]);
    let path = made.dir.join("profile.zh.pdf");
    let mut pdf = std::fs::read(&path).unwrap();
    assert!(pdf.starts_with(b"%PDF-1.7"), "{:?}", &pdf[..16]);
    let attached = b"profile.json";
    assert!(pdf.windows(attached.len()).any(|window| window == attached), "the profile travels in it");
    made.verify(&[]).ends(0, &["\nintact"]);
    let last = pdf.len() - 40;
    pdf[last] ^= 1;
    std::fs::write(&path, pdf).unwrap();
    made.verify(&[]).ends(4, &["profile.zh.pdf is not what the profile gives", "NOT intact"]);
}

#[test]
fn a_profile_that_was_changed_is_found_by_its_pages_and_its_sums() {
    let made = made();
    made.change("profile.json", "Head of desk", "Tail of desk");
    made.verify(&[]).ends(
        4,
        &["profile.en.html is not what the profile gives", "profile.zh.md is not what", "NOT intact"],
    );
    made.verify(&["--lang", "zh"]).ends(4, &["profile.en.html 与画像数据不符", "不完好"]);

    // Figures that no rows can have are no profile, whatever the pages say.
    let impossible = self::made();
    impossible.change("profile.json", "\"kept\": 50", "\"kept\": 51");
    for command in ["verify", "render"] {
        run(command, &impossible.dir, &[]).ends(4, &["profile.json"]);
    }
    let broken = self::made();
    std::fs::write(broken.dir.join("profile.json"), "{").unwrap();
    for command in ["verify", "render"] {
        run(command, &broken.dir, &[]).ends(4, &["profile.json"]);
    }
}

#[test]
fn a_page_that_was_changed_is_found_and_made_again() {
    for page in ["profile.en.html", "profile.zh.html", "profile.en.md", "arrivals.zh.svg"] {
        let made = made();
        let before = made.read(page);
        std::fs::write(made.dir.join(page), format!("{before}\n")).unwrap();
        let wrong = format!("{page} is not what the profile gives");
        made.verify(&[]).ends(4, &[&wrong, "acceptreport render", "NOT intact"]);
        let key = made.key("ours.key");
        made.sign(&key, &BUSINESS).fails(4, &["not intact"]);
        assert!(!made.dir.join("signatures").exists());
        run("render", &made.dir, &["--format", "html,md"]).ends(0, &[page]);
        assert_eq!(made.read(page), before);
        made.verify(&[]).ends(0, &["\nintact"]);
    }
}

#[test]
fn a_file_of_others_is_named() {
    for name in ["notes.txt", "profile.fr.html", "rows.jsonl", "secret.key"] {
        let made = made();
        std::fs::write(made.dir.join(name), "x\n").unwrap();
        made.verify(&[]).ends(4, &[&format!("{name} does not belong in a profile's folder"), "NOT intact"]);
        std::fs::remove_file(made.dir.join(name)).unwrap();
        made.verify(&[]).ends(0, &["\nintact"]);
    }
}

#[test]
fn what_a_party_signed_is_told_by_verify() {
    let made = made();
    let (ours, strangers) = (made.key("ours.key"), made.key("strangers.key"));
    let before = made.read("profile.json");
    made.sign(&ours, &BUSINESS).ends(0, &["signed as business with key ", "profile SHA-256 "]);
    assert_eq!(made.read("profile.json"), before);
    made.verify(&[]).ends(
        0,
        &["signature of business by 龘𠮷科技, ", ": holds", "nobody vouches for this key", "\nintact"],
    );
    let public = format!("business={ours}.pub");
    made.verify(&["--trust", &public]).ends(0, &["its key is one that you trust: ", "\nintact"]);
    made.verify(&["--trust", &format!("{strangers}.pub")]).ends(4, &["who signed as business is not known"]);
    made.sign(&ours, &BUSINESS).fails(2, &["signed already", "--replace"]);
    let found: Value = serde_json::from_str(&made.verify(&["--json"]).stdout).unwrap();
    let signature = &found["signatures"][0];
    assert_eq!((&signature["role"], &signature["holds"]), (&"business".into(), &true.into()));
}

#[test]
fn a_signature_does_not_hold_over_another_profile() {
    let made = made();
    let key = made.key("ours.key");
    made.sign(&key, &BUSINESS).ends(0, &[]);
    made.change("profile.json", "Head of desk", "Tail of desk");
    run("render", &made.dir, &["--format", "html,md"]).ends(0, &[]);
    let verified = made.verify(&[]);
    verified.ends(4, &["signature of business", "NOT intact"]);
    assert!(!verified.stdout.contains(": holds"), "{}", verified.stdout);
    assert!(!verified.stdout.contains("is not what the profile gives"), "{}", verified.stdout);
    let found: Value = serde_json::from_str(&made.verify(&["--json"]).stdout).unwrap();
    assert_eq!((&found["intact"], &found["signatures"][0]["holds"]), (&false.into(), &false.into()));

    let forged = self::made();
    let key = forged.key("ours.key");
    forged.sign(&key, &BUSINESS).ends(0, &[]);
    forged.change("signatures/business.statement.json", "龘𠮷科技", "他人");
    forged.verify(&[]).ends(4, &["signature of business", "NOT intact"]);
}

#[test]
fn pages_made_after_signing_are_told_and_the_signature_stays() {
    let made = made();
    let key = made.key("ours.key");
    made.sign(&key, &BUSINESS).ends(0, &[]);
    made.verify(&[]).ends(0, &["are those that were signed"]);
    let meta = made.beside("meta.toml");
    std::fs::write(&meta, "[project]\ncustomer = \"Desk & Co\"\n").unwrap();
    run("render", &made.dir, &["--meta", &meta, "--format", "html,md"]).ends(0, &[]);
    let verified = made.verify(&[]);
    verified.ends(
        0,
        &[
            ": holds",
            "no longer those that were signed: ",
            "profile.en.html",
            "not covered by this signature: ",
            "settings.toml",
            "\nintact",
        ],
    );
}
