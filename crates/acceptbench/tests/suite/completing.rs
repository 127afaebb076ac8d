//! `finalize` on packages that were cut off at some other point than within their rows.

use inference_sim::SimConfig;
use serde_json::{Value, json};

use crate::{
    program::{Ran, intact, run, sweep},
    services::sim,
};

fn swept() -> Ran {
    let service = sim(SimConfig::fast());
    let ran = sweep(&service.base_url(), &["--quiet"]);
    ran.ends(&[0, 3]);
    ran
}

fn finalize(ran: &Ran, more: &[&str]) -> Ran {
    run(&[&["finalize", ran.out.to_str().unwrap()], more].concat())
}

#[test]
fn documents_that_were_cut_off_in_the_making_are_made_again() {
    let ran = swept();
    let report = ran.report("report.zh.md");
    let digest = ran.intact().evidence_digest;
    finalize(&ran, &[]).ends(&[2]).says(&["complete already"]);

    std::fs::write(ran.out.join("data/reports/report.zh.md"), "# half a rep").unwrap();
    std::fs::remove_file(ran.out.join("data/reports/report.en.html")).unwrap();
    std::fs::write(ran.out.join("data/reports/.report.en.html.partial"), "<html>").unwrap();
    let again = finalize(&ran, &["--json"]);
    again.ends(&[0]);
    let check = intact(&ran.out);
    assert_eq!((check.interrupted, check.evidence_digest.as_ref()), (false, digest.as_ref()));
    assert_eq!(check.documents, 2 * acceptreport::Format::WRITTEN.len() as u64);
    assert_eq!(ran.report("report.zh.md"), report);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(told["interrupted"], json!(false));
    assert_eq!(told["evidence_digest"], json!(digest));
    assert_eq!(told["decision"], ran.verdict()["decision"]);
    let standing = std::fs::read_dir(ran.out.join("data/reports")).unwrap().count();
    assert_eq!(
        told["documents"].as_array().unwrap().len(),
        standing,
        "all of them, and nothing else stands there"
    );
    assert!(standing > 9);
}

#[test]
fn evidence_that_was_listed_and_not_sealed_is_whole() {
    let ran = swept();
    for name in ["bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt"] {
        std::fs::remove_file(ran.out.join(name)).unwrap();
    }
    for name in ["data/analysis", "data/reports"] {
        std::fs::remove_dir_all(ran.out.join(name)).unwrap();
    }
    let again = finalize(&ran, &[]);
    again.ends(&[0]);
    assert!(!again.stderr.contains("interrupted"), "{}", again.stderr);
    assert!(!intact(&ran.out).interrupted);

    // The same without the list: nobody can vouch for the last rows any more.
    for name in ["bag-info.txt", "manifest-sha256.txt", "tagmanifest-sha256.txt", "data/evidence-sha256.txt"]
    {
        std::fs::remove_file(ran.out.join(name)).unwrap();
    }
    for name in ["data/analysis", "data/reports"] {
        std::fs::remove_dir_all(ran.out.join(name)).unwrap();
    }
    let again = finalize(&ran, &[]);
    again.ends(&[0]);
    assert!(again.stderr.contains("interrupted for good"), "{}", again.stderr);
    assert!(intact(&ran.out).interrupted);
    assert_ne!(ran.verdict()["decision"], "pass");
}

#[test]
fn rows_that_were_changed_are_not_vouched_for_again() {
    let ran = swept();
    let rows = ran.out.join("data/raw/requests.jsonl");
    let text = std::fs::read_to_string(&rows).unwrap();
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    let flattered = last.replacen("\"first_token\":", "\"first_token\":1", 1);
    std::fs::write(&rows, format!("{before}\n{flattered}\n")).unwrap();
    std::fs::remove_file(ran.out.join("data/evidence-sha256.txt")).unwrap();
    finalize(&ran, &[]).ends(&[4]).says(&["data/evidence-sha256.txt was taken out", "intact copy"]);
    std::fs::write(&rows, text).unwrap();
    finalize(&ran, &[]).ends(&[4]);
}
