//! The measuring client is optimised in full, whatever is spared in the build of the rest.

use std::{collections::BTreeSet, fs, process::Command};

use crate::{Failure, say};

/// Looks that no crate of the measuring client is among those that the workspace optimises less in a release build.
pub(crate) fn client_is_optimised() -> Result<(), Failure> {
    let manifest = "Cargo.toml";
    let text =
        fs::read_to_string(manifest).map_err(|error| Failure::Read { path: manifest.to_owned(), error })?;
    let tree =
        ["tree", "--locked", "--package", "load-engine", "--package", "evidence-pack", "--prefix", "none"];
    let listed =
        Command::new("cargo").args(tree).args(["--edges", "normal", "--format", "{p}"]).output().map_err(
            |error| Failure::Start { command: "cargo tree".to_owned(), error, hint: "is cargo installed?" },
        )?;
    if !listed.status.success() {
        return Err(Failure::Command(String::from_utf8_lossy(&listed.stderr).trim().to_owned()));
    }
    let client = String::from_utf8_lossy(&listed.stdout).into_owned();
    let client: BTreeSet<&str> = client.lines().filter_map(|line| line.split(' ').next()).collect();
    let both: Vec<&str> = less_optimised(&text).into_iter().filter(|name| client.contains(name)).collect();
    for name in &both {
        say(&format!(
            "Cargo.toml: {name} is a part of the measuring client and optimised less (take the line out)"
        ));
    }
    if both.is_empty() { Ok(()) } else { Err(Failure::Untidy(both.len())) }
}

/// The crates with an optimisation level of their own in `[profile.release.package]`.
fn less_optimised(manifest: &str) -> Vec<&str> {
    let section = manifest.split_once("[profile.release.package]").map_or("", |(_, rest)| rest);
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.split_once(".opt-level")).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_ends_with_its_section() {
        let manifest = "[profile.release.package]\na.opt-level = 0\n# b\nc-d.opt-level = 1\n\n[other]\ne.opt-level = 1\n";
        assert_eq!(less_optimised(manifest), ["a", "c-d"]);
        assert!(less_optimised("[profile.release]\n").is_empty());
    }
}
