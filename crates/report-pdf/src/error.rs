//! Why there is no PDF.

use std::fmt;

use report_render::Template;
use typst::{
    World, WorldExt as _,
    diag::{EcoVec, SourceDiagnostic},
    syntax::DiagSpan,
};

use crate::world::{BUILT_IN_COVER, MAIN, TEMPLATE};

/// Why there is no PDF. Messages are fragments that fit after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// The document says no instant at which its run began, and an archive's document must have a date.
    #[error("date the PDF by the start of the run `{0}` (an instant such as 2026-11-30T06:12:09Z)")]
    Date(String),
    /// A name that is no plain file name.
    #[error("take in the file `{0}` (a plain file name, without folders)")]
    FileName(String),
    /// Two attachments of one name.
    #[error("attach `{0}` twice (give each attachment a name of its own)")]
    Twice(String),
    /// Something is wrong with a file of the template, or with the way in which it is used.
    #[error("typeset the PDF: {}", list(.0))]
    Typst(Vec<Diagnostic>),
}

/// One thing that is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as the template names it; a built-in one is named so. `None` where no file is to blame.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hints: Vec<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
        }
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        let gap = if self.file.is_some() { ": " } else { "" };
        write!(f, "{gap}{}", self.message)?;
        if !self.hints.is_empty() {
            write!(f, " ({})", self.hints.join("; "))?;
        }
        Ok(())
    }
}

fn list(errors: &[Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What Typst says, in terms of the files that people know.
pub(crate) fn told(world: &dyn World, template: &Template, errors: &EcoVec<SourceDiagnostic>) -> PdfError {
    PdfError::Typst(errors.iter().map(|found| one(world, template, found)).collect())
}

fn one(world: &dyn World, template: &Template, found: &SourceDiagnostic) -> Diagnostic {
    // An error inside a function is shown at the call, where one of the template's files made it.
    let calls = found.trace.iter().map(|call| call.span.into());
    let places: Vec<_> =
        std::iter::once(found.span).chain(calls).filter_map(|span| place(world, span)).collect();
    let own = places.iter().find(|(path, _)| path.starts_with(TEMPLATE));
    // There is no folder around a template, and no option that names one.
    let of_folders = |hint: &String| hint.contains("--root") || hint.contains("project root");
    let mut hints: Vec<String> =
        found.hints.iter().map(|hint| hint.v.to_string()).filter(|hint| !of_folders(hint)).collect();
    let (file, line) = match own.or(places.first()) {
        Some((path, line)) => match (path.as_str(), template.typst_cover(), template.logo()) {
            // The built-in template is sound: where it fails, it is for what it was given.
            (MAIN, Some((cover, _)), _) => {
                hints.push("define `#let cover(document, logo: none) = [ … ]`".to_owned());
                (Some(cover.to_owned()), None)
            }
            (BUILT_IN_COVER, _, Some(logo)) => (Some(logo.name.to_owned()), None),
            _ => (Some(name(path)), *line),
        },
        None => (None, None),
    };
    Diagnostic { file, line, message: found.message.to_string(), hints }
}

fn place(world: &dyn World, span: DiagSpan) -> Option<(String, Option<usize>)> {
    let id = span.id()?;
    let path = id.get().vpath().get_with_slash().to_owned();
    let start = world.range(span).map(|range| range.start);
    let line = start.and_then(|at| world.source(id).ok()?.lines().byte_to_line(at));
    Some((path, line.map(|line| line + 1)))
}

fn name(path: &str) -> String {
    match path.strip_prefix(TEMPLATE) {
        Some(name) => name.to_owned(),
        None => format!("built-in {}", path.trim_start_matches('/')),
    }
}
