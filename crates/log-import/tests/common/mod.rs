//! Imports of files, for tests.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::{collections::BTreeMap, path::PathBuf};

use log_import::{
    Choice, ImportError, ImportOptions, Imported, Importer, Input, Secret, Watch, formats, import,
};
use workload_model::traffic::{Facets, Grouping, RowFacts};

/// Everything is one group.
pub(crate) struct OneGroup;

impl Grouping for OneGroup {
    fn group_of(&mut self, _: &Facets<'_>) -> u16 {
        0
    }

    fn names(&self) -> Vec<String> {
        vec!["all".to_owned()]
    }
}

/// The bad rows of an import: line, reason and detail.
#[derive(Default)]
pub(crate) struct Bad(pub(crate) Vec<(u64, &'static str, String)>);

impl Watch for Bad {
    fn bad(&mut self, row: &log_import::BadLine<'_>) {
        self.0.push((row.line, row.reason.as_str(), row.detail.to_string()));
    }
}

/// A file of `fixtures/logs`.
pub(crate) fn fixture(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/logs").join(file)
}

/// A file of the public traces, where a checkout has them beside it.
pub(crate) fn public_trace(file: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    Some(root.join("../shared/data/traces").join(file)).filter(|path| path.exists())
}

/// The format of this name.
pub(crate) fn format(name: &str) -> Choice<'static> {
    match name {
        "auto" => Choice::Auto(formats::all()),
        name => Choice::Named(importer(name)),
    }
}

pub(crate) fn importer(name: &str) -> &'static dyn Importer {
    *formats::all().iter().find(|format| format.name() == name).expect("a format of this name")
}

/// Imports files; gives the bad rows as well.
pub(crate) fn read(
    inputs: Vec<Input<'_>>,
    choice: Choice<'_>,
    options: &ImportOptions,
) -> (Result<Imported, ImportError>, Bad) {
    let mut bad = Bad::default();
    let imported = import(inputs, choice, options, &Secret::new(&[7; 32]), &mut OneGroup, &mut bad);
    (imported, bad)
}

/// Imports one file as it is.
pub(crate) fn read_file(path: &std::path::Path, name: &str) -> Imported {
    let (imported, _) = read(vec![Input::file(path)], format(name), &ImportOptions::default());
    imported.unwrap_or_else(|fault| panic!("{fault}"))
}

/// Imports a text.
pub(crate) fn read_text(
    text: &[u8],
    name: &str,
    options: &ImportOptions,
) -> (Result<Imported, ImportError>, Bad) {
    read(vec![Input::reader("log", text)], format(name), options)
}

/// What the rows hold.
pub(crate) fn rows(imported: &Imported) -> Vec<RowFacts> {
    imported.traffic.rows().map(workload_model::traffic::Row::facts).collect()
}

/// Rows that were dropped, by reason.
pub(crate) fn dropped(imported: &Imported) -> BTreeMap<&'static str, u64> {
    imported.traffic.dropped.iter().map(|(reason, rows)| (reason.as_str(), *rows)).collect()
}
