//! The checker of accessibility, axe-core: fetched from the npm registry at a fixed version, and never kept in the
//! repository.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use sha2::{Digest as _, Sha256};

use crate::{Failure, succeeds};

const PACKAGE: &str = "axe-core@4.14.1";
const ARCHIVE: &str = "axe-core-4.14.1.tgz";
const FOLDER: &str = "target/tools/axe-core-4.14.1";
const FILE: &str = "target/tools/axe-core-4.14.1/package/axe.min.js";
const SHA256: &str = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c";

/// The checker's source, which is that of the digest above or none.
pub(super) fn source() -> Result<String, Failure> {
    if !Path::new(FILE).exists() {
        fetch()?;
    }
    let bytes = fs::read(FILE).map_err(unread)?;
    let found = hex::encode(Sha256::digest(&bytes));
    if found != SHA256 {
        return Err(Failure::Digest { path: FILE.to_owned(), found, pinned: SHA256 });
    }
    String::from_utf8(bytes).map_err(|error| unread(std::io::Error::other(error)))
}

fn fetch() -> Result<(), Failure> {
    fs::create_dir_all(FOLDER).map_err(unread)?;
    let mut npm = Command::new("npm");
    npm.args(["pack", PACKAGE, "--silent", "--pack-destination", FOLDER]).stdout(Stdio::null());
    run(&mut npm, "install Debian's package npm")?;
    let mut tar = Command::new("tar");
    tar.args(["-xzf", ARCHIVE, "package/axe.min.js"]).current_dir(FOLDER);
    run(&mut tar, "is tar installed?")
}

fn run(command: &mut Command, hint: &'static str) -> Result<(), Failure> {
    if succeeds(command, hint)? { Ok(()) } else { Err(Failure::Command(format!("{command:?}"))) }
}

fn unread(error: std::io::Error) -> Failure {
    Failure::Read { path: FILE.to_owned(), error }
}
