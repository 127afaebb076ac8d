//! A profile's folder: the documents that show it, and whether everything in it is what the profile gives.

use std::{collections::BTreeSet, path::Path};

use evidence_pack::{FileError, PROFILE_FILE, ProfileFolder, ProfileFolderError, sha256_hex};
use report_render::{Language, WorkloadFacts, charts, render_html, render_markdown, workload_document};
use serde::Serialize;
use verdict_rules::Text;
use workload_model::profile::{Profile, ProfileError};

use crate::{
    material::on_cover,
    report::{DocumentFile, Format, ReportError},
    settings::Settings,
    signatures::{SignatureFound, TrustedKey, in_english, trust},
};

/// The documents of a profile: the same profile and settings always give the same files.
#[derive(Debug, Clone)]
pub struct WorkloadReport {
    profile: Profile,
    #[cfg_attr(not(feature = "pdf"), expect(dead_code, reason = "it travels in the PDF"))]
    file: Vec<u8>,
    facts: WorkloadFacts,
    settings: Settings,
}

impl WorkloadReport {
    /// Of this profile and the file that holds it. Of the settings, names and the standard of the PDF count.
    #[must_use]
    pub fn new(profile: Profile, file: &[u8], settings: Settings) -> Self {
        let project = on_cover(settings.project(None));
        let facts = WorkloadFacts { project, profile_sha256: sha256_hex(file) };
        Self { profile, file: file.to_vec(), facts, settings }
    }

    /// What is shown.
    #[must_use]
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The documents in one language, with the charts that Markdown links.
    ///
    /// # Errors
    /// Where a PDF is asked for and cannot be typeset, or this build writes none.
    pub fn files(&self, language: Language, formats: &[Format]) -> Result<Vec<DocumentFile>, ReportError> {
        let document = workload_document(&self.profile, &self.facts, language);
        let mut files = Vec::new();
        for format in formats {
            let name = file_name(*format, language);
            match format {
                Format::Markdown => {
                    files.extend(
                        charts(&document).into_iter().map(|(name, svg)| DocumentFile::new(name, svg)),
                    );
                    files.push(DocumentFile::new(name, render_markdown(&document)));
                }
                Format::Html => files.push(DocumentFile::new(name, render_html(&document))),
                Format::Pdf => {
                    let bytes = self.pdf(&document, &name)?;
                    files.push(DocumentFile { name, bytes });
                }
            }
        }
        Ok(files)
    }

    /// Whether a file of this name is the document in this language and format, or a chart of it.
    #[must_use]
    pub fn has(&self, name: &str, language: Language, format: Format) -> bool {
        let of_language =
            || name.strip_suffix(".svg").is_some_and(|stem| stem.ends_with(&format!(".{}", language.code())));
        name == file_name(format, language) || format == Format::Markdown && of_language()
    }

    /// What the documents were made with beside the profile, where that is anything.
    #[must_use]
    pub fn beside(&self) -> Vec<DocumentFile> {
        self.settings.files().into_iter().map(|(name, bytes)| DocumentFile { name, bytes }).collect()
    }

    #[cfg(feature = "pdf")]
    fn pdf(&self, document: &report_render::Document, _: &str) -> Result<Vec<u8>, ReportError> {
        let profile = report_pdf::Attachment {
            name: PROFILE_FILE.to_owned(),
            mime: "application/json".to_owned(),
            description: document.language.say("the profile", "画像数据").to_owned(),
            bytes: self.file.clone(),
        };
        let options = report_pdf::PdfOptions {
            standard: self.settings.pdf_standard,
            attachments: vec![profile],
            identifier: format!("{} {}", self.facts.profile_sha256, document.language.code()),
            template: report_render::Template::default(),
        };
        Ok(report_pdf::render_pdf(document, &options)?)
    }

    #[cfg(not(feature = "pdf"))]
    fn pdf(&self, _: &report_render::Document, name: &str) -> Result<Vec<u8>, ReportError> {
        Err(ReportError::NoPdf(name.to_owned()))
    }
}

fn file_name(format: Format, language: Language) -> String {
    format.named("profile", language)
}

/// What a check of a profile's folder found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkloadCheck {
    /// Nothing is wrong.
    pub intact: bool,
    /// SHA-256 of `profile.json`: what parties sign.
    pub profile_sha256: String,
    /// Rows that the profile was made of.
    pub rows: u64,
    /// Its groups.
    pub groups: u64,
    /// Documents that were made again and compared.
    pub documents: u64,
    /// Documents that stand there in a format that this build does not write, and were not compared.
    pub not_compared: Vec<String>,
    /// Every signature, by role. One that does not hold makes the folder not intact.
    pub signatures: Vec<SignatureFound>,
    /// What is wrong with who signed, by the keys that are trusted. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub trust_problems: Vec<Text>,
    /// Everything else that is wrong, a sentence each. As JSON, in English.
    #[serde(serialize_with = "in_english")]
    pub problems: Vec<Text>,
}

/// A profile's folder cannot be checked or written. The message fits after "failed to".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkloadError {
    /// It is no such folder.
    #[error(transparent)]
    Folder(#[from] ProfileFolderError),
    /// A file in it cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The profile in it is none.
    #[error("read {PROFILE_FILE}: {0}")]
    Profile(#[from] ProfileError),
    /// What the documents were made with is unknown.
    #[error(transparent)]
    Settings(#[from] crate::SettingsError),
    /// A document cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl WorkloadError {
    /// Something in the folder is not what it was, rather than out of reach.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::File(error) | Self::Folder(ProfileFolderError::File(error)) => error.is_damage(),
            Self::Profile(_) | Self::Settings(_) => true,
            Self::Folder(_) | Self::Report(_) => false,
        }
    }
}

/// The report of a folder, with the settings that stand in it.
///
/// # Errors
/// Where it is no folder of a profile, or that is damaged.
pub fn workload_report(folder: &ProfileFolder) -> Result<WorkloadReport, WorkloadError> {
    let profile = Profile::from_json(&String::from_utf8_lossy(folder.profile()))?;
    let settings = Settings::of(&folder.documents()?)?;
    Ok(WorkloadReport::new(profile, folder.profile(), settings))
}

/// Writes documents into a profile's folder, and those anew that stand there; with `settings` under those, else under the
/// ones that stand there.
///
/// # Errors
/// Where it is no folder of a profile, a document cannot be made, or a file cannot be written.
pub fn write_workload_documents(
    dir: &Path,
    languages: &[Language],
    formats: &[Format],
    settings: Option<Settings>,
) -> Result<Vec<String>, WorkloadError> {
    let folder = ProfileFolder::open(dir)?;
    let mut report = workload_report(&folder)?;
    if let Some(settings) = settings {
        report = WorkloadReport::new(report.profile, folder.profile(), settings);
    }
    // Those that stand there already are made again as well, so that all are under the same settings.
    let standing = folder.documents()?;
    let mut files = report.beside();
    for language in Language::ALL {
        let asked = |format: Format| languages.contains(&language) && formats.contains(&format);
        let made: Vec<Format> = Format::ALL
            .into_iter()
            .filter(|format| asked(*format) || standing.contains_key(&file_name(*format, language)))
            .collect();
        files.extend(report.files(language, &made)?);
    }
    let files: Vec<(String, Vec<u8>)> = files.into_iter().map(|file| (file.name, file.bytes)).collect();
    for name in standing.keys().filter(|name| Settings::has_file(name)) {
        if !files.iter().any(|(made, _)| made == name) {
            folder.remove_document(name)?;
        }
    }
    folder.put_documents(&files)?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Checks a profile's folder: makes its documents again and compares them, and looks at every signature.
///
/// # Errors
/// Where the folder holds no profile, or a file cannot be read.
pub fn check_workload(dir: &Path) -> Result<WorkloadCheck, WorkloadError> {
    let folder = ProfileFolder::open(dir)?;
    let report = workload_report(&folder)?;
    let mut check = WorkloadCheck {
        intact: false,
        profile_sha256: folder.digest(),
        rows: report.profile.source.kept,
        groups: report.profile.groups.len() as u64,
        documents: 0,
        not_compared: Vec::new(),
        signatures: folder.signatures()?.iter().map(SignatureFound::of_profile).collect(),
        trust_problems: Vec::new(),
        problems: Vec::new(),
    };
    let mut made: Vec<DocumentFile> = report.beside();
    let mut unwritten = BTreeSet::new();
    let standing = folder.documents()?;
    for language in Language::ALL {
        made.extend(report.files(language, &[Format::Markdown, Format::Html])?);
        let pdf = file_name(Format::Pdf, language);
        if standing.contains_key(&pdf) {
            match report.files(language, &[Format::Pdf]) {
                Ok(files) => made.extend(files),
                Err(ReportError::NoPdf(name)) => drop(unwritten.insert(name)),
                Err(error) => return Err(error.into()),
            }
        }
    }
    let required = made.iter().filter(|file| !file.name.ends_with(".pdf"));
    for missing in required.filter(|file| !standing.contains_key(&file.name)) {
        let name = &missing.name;
        check.problems.push(Text::new(
            format!("{name} is missing (make it again with `acceptreport render`)"),
            format!("缺少 {name}（请用 `acceptreport render` 重新生成）"),
        ));
    }
    for path in folder.unfit()? {
        check.problems.push(Text::new(
            format!("{path} is no plain file (take it out)"),
            format!("{path} 不是普通文件（请移出）"),
        ));
    }
    for (name, bytes) in &standing {
        match made.iter().find(|file| file.name == *name) {
            Some(file) if file.bytes == *bytes => check.documents += 1,
            Some(_) => check.problems.push(Text::new(
                format!("{name} is not what the profile gives (make it again with `acceptreport render`)"),
                format!("{name} 与画像数据不符（请用 `acceptreport render` 重新生成）"),
            )),
            None if unwritten.contains(name) => check.not_compared.push(name.clone()),
            None => check.problems.push(Text::new(
                format!("{name} does not belong in a profile's folder (take it out)"),
                format!("{name} 不属于画像目录（请移出）"),
            )),
        }
    }
    check.conclude();
    Ok(check)
}

impl WorkloadCheck {
    /// Holds the signatures against these keys, as [`Check::trust`](crate::Check::trust) does for a package.
    pub fn trust(&mut self, keys: &[TrustedKey]) {
        self.trust_problems = trust(&mut self.signatures, keys);
        self.conclude();
    }

    fn conclude(&mut self) {
        self.intact = self.problems.is_empty()
            && self.trust_problems.is_empty()
            && self.signatures.iter().all(|signature| signature.holds);
    }
}
