//! A company's own cover, logo and order of sections.

use std::collections::BTreeMap;

use minijinja::{AutoEscape, Environment, UndefinedBehavior, value::Serde};
use serde::{Deserialize, Serialize};

use crate::{
    compose::SECTIONS,
    cover::{CoverFault, check_html, check_markdown},
    document::{Document, Style},
    markdown,
    toml_text::{line_at, parse_toml},
};

/// The files that a template may have: all of them may be left out.
pub const TEMPLATE_FILES: [&str; 8] =
    [SETTINGS, COVER_HTML, COVER_MARKDOWN, COVER_TYPST, "logo.svg", "logo.png", "logo.jpg", "logo.jpeg"];

const SETTINGS: &str = "template.toml";
const COVER_HTML: &str = "cover.html";
const COVER_MARKDOWN: &str = "cover.md";
const COVER_TYPST: &str = "cover.typ";

/// Most bytes of one file of a template.
pub const TEMPLATE_FILE_LIMIT: usize = 4 << 20;

/// A company's own cover, logo and order of sections. It adds to a report and takes nothing out of it: banner, notices
/// and every section stay, whatever it says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    files: BTreeMap<String, Vec<u8>>,
    sections: Vec<&'static str>,
}

/// A template is broken. The message fits after "failed to".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use the template: {file}{}: {reason}", line.map_or_else(String::new, |line| format!(", line {line}")))]
pub struct TemplateError {
    /// The file of it.
    pub file: String,
    /// The line in it, counted from 1, where there is one.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub reason: String,
}

impl TemplateError {
    fn new(file: &str, line: Option<usize>, reason: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, reason: reason.into() }
    }

    fn of(file: &str, error: &minijinja::Error) -> Self {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        Self::new(error.name().unwrap_or(file), error.line(), detail)
    }
}

/// A picture for the cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logo<'t> {
    /// Name of the file, such as `logo.svg`.
    pub name: &'t str,
    /// Its media type.
    pub mime: &'static str,
    /// The file.
    pub bytes: &'t [u8],
}

/// What `template.toml` may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wishes {
    sections: Vec<toml::Spanned<String>>,
}

impl Template {
    /// Reads the files of a template, by name.
    ///
    /// # Errors
    /// Where a file has no place in a template, is too large, or is not what it should be; with file and line.
    pub fn new(files: BTreeMap<String, Vec<u8>>) -> Result<Self, TemplateError> {
        for (name, bytes) in &files {
            if !TEMPLATE_FILES.contains(&name.as_str()) {
                let known = TEMPLATE_FILES.join(", ");
                return Err(TemplateError::new(
                    name,
                    None,
                    format!("a template has no such file (it may have {known})"),
                ));
            }
            if bytes.len() > TEMPLATE_FILE_LIMIT {
                let most = TEMPLATE_FILE_LIMIT >> 20;
                return Err(TemplateError::new(
                    name,
                    None,
                    format!("it is larger than {most} MiB (make it smaller)"),
                ));
            }
            if let Some(mime) = media_type(name)
                && !looks_like(mime, bytes)
            {
                return Err(TemplateError::new(name, None, format!("it is no picture of type {mime}")));
            }
        }
        let logos: Vec<&String> = files.keys().filter(|name| media_type(name).is_some()).collect();
        if let [_, second, ..] = logos.as_slice() {
            return Err(TemplateError::new(second, None, "there is another logo beside it (keep one)"));
        }
        let mut template = Self { files, sections: Vec::new() };
        template.sections = template.order()?;
        for name in [COVER_HTML, COVER_MARKDOWN] {
            if let Some(source) = template.text(name)? {
                environment(name, source)?;
            }
        }
        template.text(COVER_TYPST)?;
        Ok(template)
    }

    /// Its files, by name.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The sections that are to come first, in this order, by their names in [`Section::id`](crate::Section::id). The
    /// rest follows as usual.
    #[must_use]
    pub fn sections(&self) -> &[&'static str] {
        &self.sections
    }

    /// The logo, where there is one.
    #[must_use]
    pub fn logo(&self) -> Option<Logo<'_>> {
        self.files.iter().find_map(|(name, bytes)| Some(Logo { name, mime: media_type(name)?, bytes }))
    }

    /// Source of the cover of the PDF, in Typst: name of the file, and text.
    #[must_use]
    pub fn typst_cover(&self) -> Option<(&'static str, &str)> {
        let source = self.files.get(COVER_TYPST)?;
        Some((COVER_TYPST, str::from_utf8(source).ok()?))
    }

    /// The cover in HTML, where the template has its own.
    pub(crate) fn html_cover(&self, document: &Document) -> Result<Option<String>, TemplateError> {
        self.cover(COVER_HTML, document, self.logo().map(|logo| logo.data_uri()), check_html)
    }

    /// The cover in Markdown, where the template has its own.
    pub(crate) fn markdown_cover(&self, document: &Document) -> Result<Option<String>, TemplateError> {
        self.cover(COVER_MARKDOWN, document, self.logo().map(|logo| logo.beside()), check_markdown)
    }

    fn cover(
        &self,
        name: &'static str,
        document: &Document,
        logo: Option<String>,
        check: fn(&str) -> Result<(), CoverFault>,
    ) -> Result<Option<String>, TemplateError> {
        let Some(source) = self.text(name)? else { return Ok(None) };
        let environment = environment(name, source)?;
        let written = environment
            .get_template(name)
            .and_then(|cover| cover.render(Serde(Cover::of(document, logo))))
            .map_err(|error| TemplateError::of(name, &error))?;
        check(&written).map_err(|fault| {
            let (line, reason) = fault.told(source);
            TemplateError::new(name, line, reason)
        })?;
        Ok(Some(written))
    }

    fn text(&self, name: &str) -> Result<Option<&str>, TemplateError> {
        let text = self.files.get(name).map(|bytes| str::from_utf8(bytes));
        text.transpose().map_err(|error| {
            let line =
                self.files[name][..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            TemplateError::new(name, Some(line), "it is not UTF-8 text")
        })
    }

    fn order(&self) -> Result<Vec<&'static str>, TemplateError> {
        let Some(text) = self.text(SETTINGS)? else { return Ok(Vec::new()) };
        let wishes: Wishes =
            parse_toml(text).map_err(|fault| TemplateError::new(SETTINGS, Some(fault.line), fault.words))?;
        let mut order = Vec::new();
        for wish in wishes.sections {
            let (at, wish) = (Some(line_at(text, wish.span().start)), wish.into_inner());
            let Some(known) = SECTIONS.into_iter().find(|known| *known == wish) else {
                let known = SECTIONS.join(", ");
                return Err(TemplateError::new(
                    SETTINGS,
                    at,
                    format!("there is no section {wish:?} (there are {known})"),
                ));
            };
            if order.contains(&known) {
                return Err(TemplateError::new(SETTINGS, at, format!("section {wish:?} is named twice")));
            }
            order.push(known);
        }
        Ok(order)
    }
}

impl Logo<'_> {
    /// As an address that holds the picture itself.
    pub(crate) fn data_uri(&self) -> String {
        use base64::Engine as _;
        format!("data:{};base64,{}", self.mime, base64::engine::general_purpose::STANDARD.encode(self.bytes))
    }

    /// Where it stands from the documents of a package.
    pub(crate) fn beside(&self) -> String {
        format!("template/{}", self.name)
    }
}

/// What a cover is written from: plain text, without any mark.
#[derive(Debug, Serialize)]
struct Cover<'d> {
    language: &'static str,
    internal: bool,
    edition: &'d str,
    title: String,
    subtitle: String,
    facts: Vec<Fact<'d>>,
    footer: String,
    logo: Option<String>,
}

#[derive(Debug, Serialize)]
struct Fact<'d> {
    name: &'d str,
    value: String,
    /// Left open for a pen.
    open: bool,
}

impl<'d> Cover<'d> {
    fn of(document: &'d Document, logo: Option<String>) -> Self {
        let fact = |pair: &'d crate::document::Pair| Fact {
            name: &pair.name,
            value: pair.value.words(),
            open: pair.value.spans().iter().any(|span| span.style() == Style::Blank),
        };
        Self {
            language: document.language.tag(),
            internal: document.banner.is_some(),
            edition: &document.edition_name,
            title: document.title.words(),
            subtitle: document.subtitle.words(),
            facts: document.facts.iter().map(fact).collect(),
            footer: document.footer.words(),
            logo,
        }
    }
}

/// Whatever is put into a cover is text in its format. A name that is not known is an error, and not nothing.
fn environment<'t>(name: &'static str, source: &'t str) -> Result<Environment<'t>, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(1_000_000));
    environment.set_auto_escape_callback(|name| match name {
        COVER_HTML => AutoEscape::Html,
        _ => AutoEscape::Custom("markdown".into()),
    });
    environment.set_formatter(|out, state, value| match state.auto_escape() {
        AutoEscape::Custom(_) if !value.is_safe() => {
            out.write_str(&markdown::escaped(&value.to_string())).map_err(minijinja::Error::from)
        }
        AutoEscape::Custom(_) => out.write_str(&value.to_string()).map_err(minijinja::Error::from),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_template(name, source).map_err(|error| TemplateError::of(name, &error))?;
    Ok(environment)
}

fn media_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "logo.svg" => "image/svg+xml",
        "logo.png" => "image/png",
        "logo.jpg" | "logo.jpeg" => "image/jpeg",
        _ => return None,
    })
}

fn looks_like(mime: &str, bytes: &[u8]) -> bool {
    match mime {
        "image/png" => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg" => bytes.starts_with(b"\xFF\xD8\xFF"),
        _ => str::from_utf8(bytes).is_ok_and(|text| text.contains("<svg")),
    }
}
