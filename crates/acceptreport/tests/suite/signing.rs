//! Keys, signatures of parties, and what `verify` says of them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    packages::{Made, complete, sound},
    program::run,
};

/// Makes a key beside the package.
fn key(made: &Made, name: &str) -> PathBuf {
    let path = made.dir.parent().unwrap().join(name);
    // The program's first argument after the command is a package everywhere else; here it is `--out`.
    run("keygen", Path::new("--out"), &[path.to_str().unwrap()]).ends(0, &["is not encrypted", ".pub"]);
    path
}

fn sign(made: &Made, key: &Path, more: &[&str]) -> crate::program::Ran {
    run("sign", &made.dir, &[&["--key", key.to_str().unwrap()], more].concat())
}

const CUSTOMER: [&str; 4] = ["--as", "customer", "--name", "龘𠮷科技"];

#[test]
fn what_a_party_signed_is_told_by_verify() {
    let made = sound();
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    let digests = (made.read("manifest-sha256.txt"), made.read("data/evidence-sha256.txt"));
    let (ours, theirs) = (key(&made, "ours.key"), key(&made, "theirs.key"));
    sign(&made, &ours, &CUSTOMER).ends(0, &["signed as customer with key ", "the verdict, "]);
    sign(&made, &theirs, &["--as", "supplier", "--lang", "zh"]).ends(0, &["已以 supplier 身份签名"]);
    assert_eq!((made.read("manifest-sha256.txt"), made.read("data/evidence-sha256.txt")), digests);

    let public = format!("{}.pub", ours.display());
    run("verify", &made.dir, &[]).ends(
        0,
        &[
            "signature of customer by 龘𠮷科技, ",
            ": holds, over this very digest",
            "are those that were signed",
            "nobody vouches for this key",
            "\nintact",
        ],
    );
    let (customers, suppliers) = (format!("customer={public}"), format!("{}.pub", theirs.display()));
    let trusting = ["--trust", &customers, "--trust", &suppliers];
    let one = format!("its key is one that you trust: {public}");
    let other = format!("its key is one that you trust: {suppliers}");
    run("verify", &made.dir, &trusting).ends(0, &[&one, &other, "\nintact"]);
    run("verify", &made.dir, &[&trusting[..], &["--lang", "zh"]].concat())
        .ends(0, &["customer 的签名，签名人 龘𠮷科技，", "：有效", "其密钥在所信任之列：", "\n完好"]);
    let json = run("verify", &made.dir, &["--trust", &public, "--json"]);
    json.ends(4, &["who signed as supplier is not known"]);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    let [customer, supplier] = &found["signatures"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!(
        (&customer["role"], &customer["holds"], &customer["trusted"]),
        (&"customer".into(), &true.into(), &true.into())
    );
    assert_eq!((&supplier["holds"], &supplier["trusted"]), (&true.into(), &false.into()));
    assert_eq!(customer["trusted_by"], public.as_str());
    run("verify", &made.dir, &["--trust", "/no/such.pub"]).fails(2, &["/no/such.pub"]);
}

#[test]
fn with_trusted_keys_a_stranger_s_signature_is_a_problem_and_so_is_a_key_that_did_not_sign() {
    let made = sound();
    let (customers, strangers) = (key(&made, "customers.key"), key(&made, "strangers.key"));
    let (customers_pub, strangers_pub) =
        (format!("{}.pub", customers.display()), format!("{}.pub", strangers.display()));
    run("verify", &made.dir, &["--trust", &customers_pub])
        .ends(4, &["wrong: there is no valid signature by the trusted key ", "NOT intact"]);

    sign(&made, &strangers, &CUSTOMER).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["nobody vouches for this key", "\nintact"]);
    run("verify", &made.dir, &["--lang", "zh"]).ends(0, &["无人担保", "\n完好"]);
    let verified = run("verify", &made.dir, &["--trust", &customers_pub]);
    verified.ends(
        4,
        &[
            "wrong: who signed as customer is not known",
            "wrong: there is no valid signature by the trusted key ",
            &customers_pub,
            "\nNOT intact",
        ],
    );
    assert!(!verified.stdout.contains("acceptreport render"), "rendering mends no signature: {verified:?}");
    run("verify", &made.dir, &["--trust", &customers_pub, "--lang", "zh"])
        .ends(4, &["问题：以 customer 身份签名的是谁无从确认", "签名人无从确认", "\n不完好"]);
    run("verify", &made.dir, &["--trust", &customers_pub, "--quiet"]).ends(4, &[]);

    // Whoever is trusted as supplier is not the customer for that.
    let as_supplier = format!("supplier={strangers_pub}");
    run("verify", &made.dir, &["--trust", &as_supplier]).ends(
        4,
        &["who signed as customer is not known", "no valid signature as supplier by the trusted key "],
    );
    run("verify", &made.dir, &["--trust", &format!("customer={strangers_pub}")]).ends(0, &["\nintact"]);
}

#[test]
fn what_was_made_after_signing_is_not_covered() {
    let made = complete(|_| true);
    let ours = key(&made, "ours.key");
    run("render", &made.dir, &["--lang", "zh", "--format", "md"]).ends(0, &[]);
    sign(&made, &ours, &CUSTOMER).ends(0, &[]);
    let all = "document files, and the verdict where there is one, are those that were signed";
    run("verify", &made.dir, &[]).ends(0, &[all]);
    run("render", &made.dir, &["--lang", "zh", "--format", "html"]).ends(0, &[]);
    let verified = run("verify", &made.dir, &[]);
    verified.ends(0, &["not covered by this signature: ", "data/reports/report.zh.html", "\nintact"]);
    assert!(!verified.stdout.contains(all), "{}", verified.stdout);
    run("verify", &made.dir, &["--lang", "zh"])
        .ends(0, &["不在本签名覆盖范围内：data/reports/report.zh.html"]);
    let found: Value = serde_json::from_str(&run("verify", &made.dir, &["--json"]).stdout).unwrap();
    let not_covered = found["signatures"][0]["not_covered"].as_array().unwrap();
    assert!(not_covered.contains(&"data/reports/report.zh.html".into()), "{not_covered:?}");
}

#[test]
fn a_name_cannot_turn_the_writing_or_hide_in_it() {
    let made = sound();
    let ours = key(&made, "ours.key");
    sign(&made, &ours, &["--as", "customer", "--name", "a\u{202E}b\u{2066}c\u{200B}d\u{1B}[2Ke"])
        .ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["by a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}[2Ke, "]);
}

#[test]
fn documents_made_again_keep_signatures_and_verify_says_what_changed() {
    let made = sound();
    let ours = key(&made, "ours.key");
    sign(&made, &ours, &CUSTOMER).ends(0, &[]);
    let agreement = made.dir.parent().unwrap().join("strict.toml");
    std::fs::write(&agreement, "[acceptance]\noutput_tps = 100000.0\n").unwrap();
    run("render", &made.dir, &["--agreement", agreement.to_str().unwrap()]).ends(0, &[]);
    let verified = run("verify", &made.dir, &[]);
    verified
        .ends(0, &["holds", "no longer those that were signed: ", "data/reports/report.zh.md", "\nintact"]);
    assert!(!verified.stdout.contains("signed: data/analysis/verdict.json"), "the run's own verdict stays");
    run("render", &made.dir, &[]).ends(0, &[]);
    let verified = run("verify", &made.dir, &[]);
    verified.ends(0, &["not covered by this signature: data/analysis/verdicts/", "\nintact"]);
    assert!(!verified.stdout.contains("no longer those that were signed"), "{}", verified.stdout);
}

#[test]
fn a_signature_that_does_not_hold_is_damage() {
    let made = sound();
    let ours = key(&made, "ours.key");
    sign(&made, &ours, &CUSTOMER).ends(0, &[]);
    let name = "signatures/customer.statement.json";
    let text = made.read(name);
    made.forge(name, &text.replace("龘𠮷科技", "他人"));
    run("verify", &made.dir, &[])
        .ends(4, &["wrong: signature of customer: the signature is not that", "NOT intact"]);
    run("verify", &made.dir, &["--lang", "zh"]).ends(4, &["问题：customer 的签名：签名与声明", "不完好"]);
    sign(&made, &ours, &["--as", "supplier"]).fails(4, &["the signature of customer does not hold"]);
    sign(&made, &ours, &CUSTOMER).fails(4, &["does not hold"]);
    sign(&made, &ours, &[&CUSTOMER[..], &["--replace"]].concat()).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["\nintact"]);

    let evidence = sound();
    let ours = key(&evidence, "ours.key");
    sign(&evidence, &ours, &CUSTOMER).ends(0, &[]);
    let rows = evidence.read("data/raw/client.jsonl");
    std::fs::write(evidence.path("data/raw/client.jsonl"), rows.replacen("0.1", "0.2", 1)).unwrap();
    run("verify", &evidence.dir, &[]).ends(4, &["NOT intact"]);
    sign(&evidence, &ours, &["--as", "supplier"]).fails(4, &["it is not intact", "acceptreport verify"]);
}

#[test]
fn wrong_use_is_told_of() {
    let made = sound();
    let ours = key(&made, "ours.key");
    sign(&made, &ours, &CUSTOMER).ends(0, &[]);
    sign(&made, &ours, &CUSTOMER).fails(2, &["signed already", "--replace"]);
    sign(&made, &ours, &["--as", "../x"]).fails(2, &["no role"]);
    sign(&made, Path::new("/no/such.key"), &CUSTOMER).fails(2, &["/no/such.key"]);
    sign(&made, &ours, &[&CUSTOMER[..], &["--password-env", "NO_SUCH_VARIABLE"]].concat())
        .fails(2, &["NO_SUCH_VARIABLE"]);
    let out = ours.to_str().unwrap();
    run("keygen", Path::new("--out"), &[out]).fails(2, &["is there already", "--out"]);
}
