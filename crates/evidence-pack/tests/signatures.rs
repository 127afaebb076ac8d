//! Signatures of parties: over what, what they hold against, and that they are minisign's.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
};

use common::complete;
use evidence_pack::{
    KeyError, Pack, PublicKey, SignError, SignatureFault, Signer, SigningKey, make_key, sha256_hex,
    verify_bytes,
};

/// A sealed package with a verdict and a document, and a key beside it.
struct Made {
    // Held so that it is removed with the rest.
    _folder: tempfile::TempDir,
    pack: Pack,
    key: SigningKey,
}

fn made() -> Made {
    let folder = tempfile::tempdir().unwrap();
    let pack = complete(&folder.path().join("pack"));
    pack.write_analysis("{}\n", "{\"decision\":\"pass\"}\n", "test 1").unwrap();
    pack.write_other_verdict(AGREEMENT, "{}\n").unwrap();
    pack.write_report("report.en.md", b"# Report\n").unwrap();
    pack.seal().unwrap();
    let path = folder.path().join("customer.key");
    make_key(&path, None).unwrap();
    let key = SigningKey::read(&path, None).unwrap();
    Made { _folder: folder, pack, key }
}

/// Another agreement than the run's.
const AGREEMENT: &str = "[acceptance]\n";

/// Where it and the verdict under it stand, without the ending.
fn other_verdict() -> String {
    format!("data/analysis/verdicts/{}", sha256_hex(AGREEMENT))
}

fn signer(role: &str) -> Signer {
    Signer {
        role: role.to_owned(),
        name: Some("龘𠮷科技".to_owned()),
        signed_at: "2026-03-02T09:00:00Z".to_owned(),
    }
}

impl Made {
    fn sign(&self, role: &str) {
        self.pack.sign(&self.key, signer(role), false).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.pack.dir().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    #[track_caller]
    fn faults(&self, expected: &[SignatureFault]) {
        let signatures = self.pack.signatures().unwrap();
        let found: Vec<_> = signatures.into_iter().flat_map(|signature| signature.faults).collect();
        assert_eq!(found, expected);
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/minisign").join(name)
}

#[test]
fn a_signature_names_who_signed_what_and_changes_nothing_under_data() {
    let made = made();
    let before = (made.read("manifest-sha256.txt"), made.read("data/evidence-sha256.txt"));
    made.sign("customer");
    made.sign("supplier");
    assert_eq!((made.read("manifest-sha256.txt"), made.read("data/evidence-sha256.txt")), before);
    assert_eq!(verify_bytes(made.pack.dir()).unwrap().problems, []);
    let signatures = made.pack.signatures().unwrap();
    let roles: Vec<_> = signatures.iter().map(|signature| signature.role.as_str()).collect();
    assert_eq!(roles, ["customer", "supplier"]);
    for signature in &signatures {
        assert!(signature.holds() && signature.changed.is_empty(), "{signature:?}");
        let statement = signature.statement.as_ref().unwrap();
        assert_eq!(statement.name.as_deref(), Some("龘𠮷科技"));
        assert_eq!(statement.evidence_digest, sha256_hex(&before.1));
        assert_eq!(statement.verdict_sha256, sha256_hex("{\"decision\":\"pass\"}\n"));
        let report = statement.documents.get("data/reports/report.en.md");
        assert_eq!(report, Some(&sha256_hex("# Report\n")));
        let other = statement.verdicts.get(&format!("{}.json", other_verdict()));
        assert_eq!((other, statement.verdicts.len()), (Some(&sha256_hex("{}\n")), 2));
        assert_eq!(signature.key, Some(made.key.public().unwrap()));
    }
}

#[test]
fn documents_made_again_leave_the_signature_and_are_told_of() {
    let made = made();
    made.sign("customer");
    made.pack.write_report("report.en.md", b"# Another\n").unwrap();
    made.pack.write_report("report.zh.md", b"# New\n").unwrap();
    made.pack.seal().unwrap();
    assert_eq!(verify_bytes(made.pack.dir()).unwrap().problems, []);
    let [signature] = &made.pack.signatures().unwrap()[..] else { panic!("one signature") };
    assert!(signature.holds());
    assert_eq!(signature.changed, ["data/reports/report.en.md"]);
    assert_eq!(signature.not_covered, ["data/reports/report.zh.md"]);
}

#[test]
fn verdicts_under_other_agreements_are_signed_as_well() {
    let made = made();
    made.sign("customer");
    let (signed, later) = (other_verdict(), "[acceptance]\nsuccess_rate = 0.9\n");
    fs::write(made.path(&format!("{signed}.json")), "{\"decision\":\"pass\"}\n").unwrap();
    made.pack.write_other_verdict(later, "{}\n").unwrap();
    made.pack.seal().unwrap();
    let [signature] = &made.pack.signatures().unwrap()[..] else { panic!("one signature") };
    assert!(signature.holds());
    assert_eq!(signature.changed, [format!("{signed}.json")]);
    let later = format!("data/analysis/verdicts/{}", sha256_hex(later));
    assert_eq!(signature.not_covered, [format!("{later}.json"), format!("{later}.toml")]);
}

#[test]
fn what_was_changed_does_not_hold() {
    let statement = "signatures/customer.statement.json";
    let signed = "signatures/customer.statement.json.minisig";
    let change = |name: &str, from: &str, to: &str| {
        let made = made();
        made.sign("customer");
        let text = made.read(name);
        assert!(text.contains(from), "{text}");
        fs::write(made.path(name), text.replacen(from, to, 1)).unwrap();
        made
    };
    let other = made().key.public().unwrap().to_base64();
    let own = |made: &Made| made.key.public().unwrap().to_base64();
    change(statement, "龘𠮷科技", "他人").faults(&[SignatureFault::Wrong]);
    change(statement, "T09:", "T10:").faults(&[SignatureFault::Wrong]);
    change(statement, "\"customer\"", "\"supplier\"")
        .faults(&[SignatureFault::OtherRole("supplier".to_owned())]);
    change(statement, "\"schema\": 1", "\"schema\": 2").faults(&[SignatureFault::NewerStatement(2)]);
    change(signed, "customer signs", "customer sings").faults(&[SignatureFault::Wrong]);
    let swapped = made();
    swapped.sign("customer");
    let text = swapped.read(statement).replace(&own(&swapped), &other);
    fs::write(swapped.path(statement), text).unwrap();
    swapped.faults(&[SignatureFault::Wrong]);

    // A byte anywhere.
    let made = made();
    made.sign("customer");
    for name in [statement, signed] {
        let bytes = fs::read(made.path(name)).unwrap();
        // The first line of a signature is a comment that nobody vouches for.
        let from = if name == signed { bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1 } else { 0 };
        for at in (from..bytes.len() - 1).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(made.path(name), changed).unwrap();
            let signatures = made.pack.signatures().unwrap();
            assert!(!signatures[0].holds(), "{name}, byte {at}");
        }
        for end in 0..bytes.len() - 2 {
            fs::write(made.path(name), &bytes[..end]).unwrap();
            assert!(!made.pack.signatures().unwrap()[0].holds(), "{name}, cut at {end}");
        }
        fs::write(made.path(name), bytes).unwrap();
    }
    made.faults(&[]);
}

#[test]
fn evidence_of_another_package_is_told_of() {
    let made = made();
    made.sign("customer");
    let list = made.read("data/evidence-sha256.txt");
    fs::write(made.path("data/evidence-sha256.txt"), list + "\n").unwrap();
    made.faults(&[SignatureFault::OtherEvidence]);
}

#[test]
fn a_signature_cannot_be_taken_out_or_changed_without_notice() {
    let made = made();
    made.sign("customer");
    let path = made.path("signatures/customer.statement.json.minisig");
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let problems = |made: &Made| -> Vec<String> {
        verify_bytes(made.pack.dir()).unwrap().problems.iter().map(ToString::to_string).collect()
    };
    let missing = "signatures/customer.statement.json.minisig is missing; tagmanifest-sha256.txt names it";
    assert_eq!(problems(&made), [missing]);
    made.faults(&[SignatureFault::NoSignature]);
    fs::write(&path, [bytes.as_slice(), b"\n"].concat()).unwrap();
    assert!(problems(&made)[0].contains("was changed"));
    fs::write(&path, bytes).unwrap();
    assert_eq!(problems(&made), Vec::<String>::new());

    // Put in by hand, without sealing.
    for ending in ["", ".minisig"] {
        let name = format!("supplier.statement.json{ending}");
        fs::copy(fixture(&name), made.path("signatures").join(&name)).unwrap();
    }
    assert_eq!(problems(&made), Vec::<String>::new());
    fs::write(made.path("signatures/notes.txt"), "").unwrap();
    made.faults(&[SignatureFault::Foreign, SignatureFault::OtherEvidence]);
}

#[test]
fn a_role_signs_once_unless_it_says_otherwise() {
    let made = made();
    made.sign("customer");
    let again = made.pack.sign(&made.key, signer("customer"), false).unwrap_err();
    assert!(matches!(again, SignError::Signed(_)) && again.to_string().contains("--replace"), "{again}");
    let mut other = signer("customer");
    other.name = None;
    made.pack.sign(&made.key, other, true).unwrap();
    let signatures = made.pack.signatures().unwrap();
    assert_eq!(signatures[0].statement.as_ref().unwrap().name, None);
    for role in ["", "../up", "Customer", "客户", "a.b"] {
        let error = made.pack.sign(&made.key, signer(role), false).unwrap_err();
        assert!(matches!(error, SignError::Role(_)), "{role}");
    }
    assert_eq!(verify_bytes(made.pack.dir()).unwrap().problems, []);
}

#[test]
fn what_the_minisign_tool_writes_is_read_and_what_it_signed_holds() {
    let key = SigningKey::read(&fixture("unencrypted.key"), None).unwrap();
    let public = PublicKey::read(&fixture("unencrypted.key.pub")).unwrap();
    assert_eq!(key.public().unwrap(), public);
    assert_eq!(public.id(), "7E693AFCDAECC670");

    let made = made();
    fs::create_dir(made.path("signatures")).unwrap();
    for ending in ["", ".minisig"] {
        let name = format!("supplier.statement.json{ending}");
        fs::copy(fixture(&name), made.path("signatures").join(&name)).unwrap();
    }
    let [signature] = &made.pack.signatures().unwrap()[..] else { panic!("one signature") };
    // The signature is good, and over the evidence of no package at all.
    assert_eq!(signature.key, Some(public));
    assert_eq!(signature.faults, [SignatureFault::OtherEvidence]);
    assert_eq!(signature.changed, ["data/analysis/verdict.json"]);
    // A statement from before other verdicts were named is read, and covers none of them.
    assert!(signature.not_covered.contains(&format!("{}.json", other_verdict())), "{signature:?}");
}

#[test]
fn keys_are_their_owner_s_alone_and_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k");
    let public = make_key(&path, None).unwrap();
    assert_eq!(PublicKey::read(&folder.path().join("k.pub")).unwrap(), public);
    assert_eq!(SigningKey::read(&path, Some("needless".to_owned())).unwrap().public().unwrap(), public);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(matches!(make_key(&path, None), Err(KeyError::Exists(_))));
    fs::remove_file(&path).unwrap();
    assert!(matches!(make_key(&path, None), Err(KeyError::Exists(_))), "the public half is still there");

    let error = SigningKey::read(&fixture("encrypted.key"), None).unwrap_err();
    assert!(matches!(error, KeyError::Encrypted(_)) && error.to_string().contains("--password-env"));
    let error = SigningKey::read(&fixture("unencrypted.key.pub"), None).unwrap_err();
    assert!(matches!(error, KeyError::NotAKey { .. }), "{error}");
    let error = PublicKey::read(&fixture("unencrypted.key")).unwrap_err();
    assert!(matches!(error, KeyError::NotAKey { .. }) && error.to_string().contains("keygen"), "{error}");
    assert!(matches!(PublicKey::read(&folder.path().join("none")), Err(KeyError::Read { .. })));
}
