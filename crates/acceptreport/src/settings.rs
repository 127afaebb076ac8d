//! What the documents of a package are made with beside its evidence: names on the cover, and how the PDF is written.
//!
//! It stands in the package among the documents, so that whoever makes them again makes the same ones.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use report_render::{PdfStandard, TEMPLATE_FILE_LIMIT, TEMPLATE_FILES, Template, TemplateError, parse_toml};
use serde::{Deserialize, Serialize};
use workload_model::Project;

use crate::foreign;

/// Name of the file among the documents. A package whose documents are made by default has none.
const SETTINGS: &str = "settings.toml";

/// Where a template stands among the documents.
const TEMPLATE: &str = "template/";

const HEAD: &str = "# What the documents in this folder were made with, beside the evidence.\n\n";

/// What documents are made with beside the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Names on the cover, in place of those in the plan; what is `None` in it stays as the plan has it.
    pub project: Option<Project>,
    /// The standard that the PDF keeps to.
    pub pdf_standard: PdfStandard,
    /// A company's own cover, logo and order of sections.
    pub template: Template,
}

/// The settings in a package are none. The message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "read what the documents in data/reports were made with: {0} (make them again with `acceptreport render --reset`)"
)]
pub struct SettingsError(String);

/// A file of names for the cover is none. The message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MetaError {
    /// It is not TOML, or says something else.
    #[error(
        "understand {name}, line {line}: {words} (it is TOML with a table [project]: name, customer, supplier, contract, \
         third_party, number, issued, each in quotation marks)"
    )]
    Toml {
        /// Name of the file.
        name: String,
        /// Line in it, counted from 1.
        line: usize,
        /// What is wrong.
        words: String,
    },
    /// What it says does not fit on a cover.
    #[error("take {key} from {name}: it has {length} characters (a cover has room for {LONGEST})")]
    Long {
        /// Name of the file.
        name: String,
        /// The key.
        key: &'static str,
        /// How long its value is.
        length: usize,
    },
}

/// Most characters of a name on the cover.
const LONGEST: usize = 120;

fn too_long(project: &Project) -> Option<(&'static str, usize)> {
    let Project { name, customer, supplier, contract, third_party, number, issued } = project;
    let all = [
        ("name", name),
        ("customer", customer),
        ("supplier", supplier),
        ("contract", contract),
        ("third_party", third_party),
        ("number", number),
        ("issued", issued),
    ];
    let lengths = all.map(|(key, value)| (key, value.as_deref().unwrap_or_default().chars().count()));
    lengths.into_iter().find(|(_, length)| *length > LONGEST)
}

/// A folder is no template. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum TemplateFolderError {
    /// It cannot be read.
    #[error("read template {}: {} (name a folder of plain files: {})", .0.display(), .1, TEMPLATE_FILES.join(", "))]
    Read(PathBuf, std::io::Error),
    /// A file in it is not what it should be.
    #[error(transparent)]
    Broken(#[from] TemplateError),
}

/// The file as it stands in a package.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Project>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pdf: Option<StoredPdf>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPdf {
    standard: PdfStandard,
}

/// A file of names for the cover.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    project: Project,
}

impl Settings {
    /// Those that stand among the documents of a package, by name and bytes; the default ones where none do.
    ///
    /// # Errors
    /// Where the file is none, or not as this program writes it.
    pub(crate) fn of(reports: &BTreeMap<String, Vec<u8>>) -> Result<Self, SettingsError> {
        let of_template = reports
            .iter()
            .filter_map(|(name, bytes)| Some((name.strip_prefix(TEMPLATE)?.to_owned(), bytes.clone())));
        let template =
            Template::new(of_template.collect()).map_err(|error| SettingsError(error.to_string()))?;
        let Some(bytes) = reports.get(SETTINGS) else { return Ok(Self { template, ..Self::default() }) };
        let wrong = |words: String| SettingsError(format!("{SETTINGS}: {words}"));
        let text = str::from_utf8(bytes).map_err(|error| wrong(error.to_string()))?;
        let stored: Stored = parse_toml(text).map_err(|fault| wrong(fault.words))?;
        let settings = Self {
            project: stored.project,
            pdf_standard: stored.pdf.map_or_else(PdfStandard::default, |pdf| pdf.standard),
            template,
        };
        match settings.text() {
            Some(again) if again == text => Ok(settings),
            _ => Err(wrong("it is not as this program writes it".to_owned())),
        }
    }

    /// The files that keep them in a package, by name among the documents.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let template = self.template.files().iter();
        let template = template.map(|(name, bytes)| (format!("{TEMPLATE}{name}"), bytes.clone()));
        template.chain(self.text().map(|text| (SETTINGS.to_owned(), text.into_bytes()))).collect()
    }

    /// A file of this name among the documents is one of settings.
    pub(crate) fn has_file(name: &str) -> bool {
        name == SETTINGS || name.strip_prefix(TEMPLATE).is_some_and(|name| TEMPLATE_FILES.contains(&name))
    }

    /// Takes the names from a TOML file with a table `[project]`. `name` is that of the file, for errors.
    ///
    /// # Errors
    /// Where the text is no such file; with its line.
    pub fn take_meta(&mut self, name: &str, text: &str) -> Result<(), MetaError> {
        let meta: Meta = parse_toml(text).map_err(|fault| MetaError::Toml {
            name: name.to_owned(),
            line: fault.line,
            words: fault.words,
        })?;
        if let Some((key, length)) = too_long(&meta.project) {
            return Err(MetaError::Long { name: name.to_owned(), key, length });
        }
        self.project = (meta.project != Project::default()).then_some(meta.project);
        Ok(())
    }

    /// The file of names and standard; `None` where everything is as by default.
    fn text(&self) -> Option<String> {
        let standard = self.pdf_standard;
        let stored = Stored {
            project: self.project.clone(),
            pdf: (standard != PdfStandard::default()).then_some(StoredPdf { standard }),
        };
        if stored.project.is_none() && stored.pdf.is_none() {
            return None;
        }
        let text = toml::to_string(&stored).expect("names and words are TOML");
        Some(format!("{HEAD}{text}"))
    }

    /// Takes the template from a folder.
    ///
    /// # Errors
    /// Where the folder cannot be read, or what is in it is no template; with file and line.
    pub fn take_template(&mut self, folder: &Path) -> Result<(), TemplateFolderError> {
        let read = || -> std::io::Result<BTreeMap<String, Vec<u8>>> {
            let entries = std::fs::read_dir(folder)?.map(|entry| {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let bytes = foreign::read(&entry.path(), TEMPLATE_FILE_LIMIT)
                    .map_err(|error| std::io::Error::new(error.kind(), format!("{name}: {error}")))?;
                Ok((name, bytes))
            });
            entries.collect()
        };
        let files = read().map_err(|error| TemplateFolderError::Read(folder.to_owned(), error))?;
        self.template = Template::new(files)?;
        Ok(())
    }

    /// The names on the cover: those given here, and for the rest those of the plan.
    pub(crate) fn project(&self, plan: Option<&Project>) -> Project {
        let (ours, plan) = (self.project.clone().unwrap_or_default(), plan.cloned().unwrap_or_default());
        Project {
            name: ours.name.or(plan.name),
            customer: ours.customer.or(plan.customer),
            supplier: ours.supplier.or(plan.supplier),
            contract: ours.contract.or(plan.contract),
            third_party: ours.third_party.or(plan.third_party),
            number: ours.number.or(plan.number),
            issued: ours.issued.or(plan.issued),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(settings: &Settings) -> BTreeMap<String, Vec<u8>> {
        settings.text().map(|text| (SETTINGS.to_owned(), text.into_bytes())).into_iter().collect()
    }

    #[test]
    fn what_was_given_comes_back_and_nothing_where_nothing_was() {
        let mut settings = Settings::default();
        assert_eq!(settings.text(), None);
        settings.take_meta("meta.toml", "[project]\ncustomer = \"\"\nnumber = \"7\"\n").expect("it is one");
        settings.pdf_standard = PdfStandard::A3aUa;
        assert_eq!(Settings::of(&stored(&settings)).expect("it was written so"), settings);
        let plan = Project { customer: Some("A".into()), supplier: Some("B".into()), ..Project::default() };
        let project = settings.project(Some(&plan));
        assert_eq!(project.customer.as_deref(), Some(""), "left blank on purpose");
        assert_eq!((project.supplier.as_deref(), project.number.as_deref()), (Some("B"), Some("7")));
    }

    #[test]
    fn what_is_no_meta_file_is_named_with_its_line() {
        for (text, says) in
            [("[project]\nnam = \"x\"\n", "line 2"), ("name = \"x\"", "project"), ("[project", "line 1")]
        {
            let error = Settings::default().take_meta("meta.toml", text).expect_err("it is none").to_string();
            assert!(error.contains("meta.toml") && error.contains(says), "{error}");
        }
    }

    #[test]
    fn settings_that_were_changed_by_hand_are_refused() {
        for text in ["", "[project]\n", "[pdf]\nstandard = \"a-3b\"\n", "[other]\n", "\u{0}"] {
            let reports = BTreeMap::from([(SETTINGS.to_owned(), text.as_bytes().to_vec())]);
            assert!(Settings::of(&reports).is_err(), "{text:?}");
        }
    }
}
