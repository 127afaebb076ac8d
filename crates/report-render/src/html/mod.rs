//! A document as one HTML file that needs nothing else: no network, no font file, and no script to be read whole.

mod shell;

use askama::Template as _;

use crate::{
    chart::{Chart, Palette, svg},
    document::{Align, Block, Column, Document, Style, Table, Tone},
    template::{Template, TemplateError},
    words,
};

use shell::Shell;

/// Rows of a table that is not to be broken over sheets.
const SHORT: usize = 8;

/// The document as self-contained HTML. All text is escaped; charts are inline SVG.
#[must_use]
pub fn render_html(document: &Document) -> String {
    page(document, None, None)
}

/// The same with the cover and the logo of a template.
///
/// # Errors
/// Where its cover cannot be written; with file and line.
pub fn render_html_with(document: &Document, template: &Template) -> Result<String, TemplateError> {
    let cover = template.html_cover(document)?;
    Ok(page(document, cover, template.logo().map(|logo| logo.data_uri())))
}

fn page(document: &Document, cover: Option<String>, logo: Option<String>) -> String {
    let shell = Shell::of(document, cover.is_some() || logo.is_some());
    let page = Page { document, shell, internal: document.banner.is_some(), cover, logo };
    page.render().expect("a template that only writes into a string does not fail")
}

/// The frame of the page, and everything in it.
#[derive(askama::Template)]
#[template(path = "page.html")]
struct Page<'a> {
    document: &'a Document,
    shell: Shell,
    internal: bool,
    /// A company's own cover, already HTML.
    cover: Option<String>,
    /// Address of the logo.
    logo: Option<String>,
}

impl Page<'_> {
    fn skip_link(&self) -> &'static str {
        words::skip_to_text(self.document.language)
    }

    fn contents(&self) -> &'static str {
        words::contents(self.document.language)
    }

    fn sort_hint(&self) -> &'static str {
        words::sort_hint(self.document.language)
    }
}

// Names in the style sheet.

impl Tone {
    fn class(&self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Unsure => "unsure",
            Self::Plain => "plain",
        }
    }
}

impl Column {
    fn class(&self) -> &'static str {
        match self.align {
            Align::Left => "words",
            Align::Right => "figure",
        }
    }
}

impl Table {
    /// Wide tables are set smaller, so that they fit a sheet of A4; short ones stay on one sheet.
    fn class(&self) -> &'static str {
        match (self.columns.len() > 7, self.rows.len() <= SHORT) {
            (true, true) => "wide short",
            (true, false) => "wide",
            (false, true) => "short",
            (false, false) => "",
        }
    }

    fn class_at(&self, column: &usize) -> &'static str {
        self.columns.get(*column).map_or("words", Column::class)
    }
}

impl Chart {
    fn drawing(&self) -> String {
        svg(self, &Palette::PAGE)
    }
}
