//! The folder of a profile: made once, signed by parties, and what a change of it does to their signatures.

use std::{fs, path::Path};

use evidence_pack::{
    PROFILE_FILE, ProfileFolder, ProfileFolderError, SignError, SignatureFault, Signer, SigningKey, make_key,
};

fn documents() -> Vec<(String, Vec<u8>)> {
    vec![("profile.en.html".into(), b"<p>page".to_vec()), ("profile.zh.html".into(), "<p>页".into())]
}

fn made(dir: &Path) -> ProfileFolder {
    ProfileFolder::create(&dir.join("profile"), b"{}\n", &documents()).expect("a new folder can be made")
}

fn key(dir: &Path) -> SigningKey {
    let path = dir.join("key");
    make_key(&path, None).expect("a key can be made");
    SigningKey::read(&path, None).expect("it can be read")
}

fn business() -> Signer {
    Signer { role: "business".into(), name: None, signed_at: "2026-12-01T00:00:00Z".into() }
}

#[test]
fn a_signature_holds_until_the_profile_changes() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let key = key(dir.path());
    let statement = folder.sign(&key, business(), false).unwrap();
    assert_eq!(statement.profile_sha256, folder.digest());
    assert_eq!(statement.documents.len(), 2);

    let opened = ProfileFolder::open(folder.dir()).unwrap();
    assert_eq!(opened, folder);
    let [signature] = &opened.signatures().unwrap()[..] else { panic!("one party signed") };
    assert!(signature.holds());
    assert!(signature.changed.is_empty() && signature.not_covered.is_empty(), "{signature:?}");

    // Documents may be made again, and others beside them.
    fs::write(folder.dir().join("profile.en.html"), "another").unwrap();
    fs::write(folder.dir().join("profile.en.pdf"), "new").unwrap();
    let [signature] = &opened.signatures().unwrap()[..] else { panic!("one party signed") };
    assert!(signature.holds());
    assert_eq!(signature.changed, ["profile.en.html"]);
    assert_eq!(signature.not_covered, ["profile.en.pdf"]);

    fs::write(folder.dir().join(PROFILE_FILE), "{ }\n").unwrap();
    let [signature] = &ProfileFolder::open(folder.dir()).unwrap().signatures().unwrap()[..] else {
        panic!("one party signed")
    };
    assert_eq!(signature.faults, [SignatureFault::OtherEvidence]);
}

#[test]
fn a_role_signs_once() {
    let dir = tempfile::tempdir().unwrap();
    let (folder, key) = (made(dir.path()), key(dir.path()));
    folder.sign(&key, business(), false).unwrap();
    assert!(
        matches!(folder.sign(&key, business(), false), Err(SignError::Signed(role)) if role == "business")
    );
    folder.sign(&key, business(), true).unwrap();
    let wrong = Signer { role: "../x".into(), ..business() };
    assert!(matches!(folder.sign(&key, wrong, false), Err(SignError::Role(_))));
}

#[test]
fn nothing_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let again = ProfileFolder::create(folder.dir(), b"{}", &[]);
    assert!(matches!(again, Err(ProfileFolderError::NotEmpty(_))), "{again:?}");
    for name in ["../x", "a/b", PROFILE_FILE, ""] {
        let put = folder.put_documents(&[(name.to_owned(), Vec::new())]);
        assert!(matches!(put, Err(ProfileFolderError::Name(_))), "{name}");
    }
    assert!(matches!(ProfileFolder::open(dir.path()), Err(ProfileFolderError::NoProfile(_))));
}

#[cfg(unix)]
#[test]
fn its_owner_alone_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let folder = made(dir.path());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.dir()), 0o700);
    for file in [PROFILE_FILE, "profile.en.html"] {
        assert_eq!(mode(&folder.dir().join(file)), 0o600, "{file}");
    }
}
