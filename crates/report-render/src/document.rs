//! The one model that every writer writes.
//!
//! A document is already in its language. Writers add marks of their format and not one word. It can be serialised, so
//! that a writer may be a template of another language.

use serde::Serialize;
use verdict_rules::Edition;

use crate::{chart::Chart, language::Language};

/// A report or another document that parties sign, ready to be written in any format.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// Its language.
    pub language: Language,
    /// The edition; `None` where the document is no report of a test.
    pub edition: Option<Edition>,
    /// Title.
    pub title: Line,
    /// What the title is about.
    pub subtitle: Line,
    /// The edition in words, or what the document is for. It stands beside the title and on every sheet.
    pub edition_name: String,
    /// Stands on every page and at every section where the edition is the internal one.
    pub banner: Option<String>,
    /// What must be seen before anything else.
    pub notices: Vec<Callout>,
    /// Facts on the cover.
    pub facts: Vec<Pair>,
    /// Heading of a list of the sections.
    pub contents: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// Last line: what the document stands on, such as which run and which evidence.
    pub footer: Line,
    /// When what it tells of began (RFC 3339, UTC): the date of the document in formats that carry one, since a document
    /// that is written again has not become another.
    pub started_at: String,
}

impl Document {
    /// How the edition's name is set.
    #[must_use]
    pub fn edition_tone(&self) -> Tone {
        match self.edition {
            Some(Edition::Customer) => Tone::Good,
            Some(Edition::Internal) => Tone::Bad,
            None => Tone::Plain,
        }
    }
}

/// One section under its heading.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Stable name, the same in both languages.
    pub id: &'static str,
    /// Heading with its number.
    pub heading: String,
    /// What stands in it.
    pub blocks: Vec<Block>,
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// A heading inside the section.
    Heading(String),
    /// A paragraph.
    Paragraph(Line),
    /// A remark below a table or a figure.
    Note(Line),
    /// A list.
    List {
        /// Its members are steps, to be numbered.
        ordered: bool,
        /// Its members.
        items: Vec<Line>,
    },
    /// Names and what they stand for, one a line.
    Pairs(Vec<Pair>),
    /// Few figures that are to be seen first.
    Tiles(Vec<Tile>),
    /// A table.
    Table(Table),
    /// Something that must not be overlooked.
    Callout(Callout),
    /// A chart.
    Chart(Chart),
    /// A place for each party to sign.
    Signatures(Signatures),
}

/// A name and what it stands for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub value: Line,
}

/// A figure that is to be seen first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tile {
    /// What it is.
    pub label: String,
    /// The figure.
    pub value: String,
    /// What belongs to it.
    pub note: Option<String>,
}

/// A table whose first column names its rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; each has as many cells as there are columns.
    pub rows: Vec<Row>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    /// Heading.
    pub title: String,
    /// Unit of its figures.
    pub unit: Option<&'static str>,
    /// How its cells are set.
    pub align: Align,
}

/// How cells are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// Words.
    Left,
    /// Figures of fixed decimals, so that their points stand below each other.
    Right,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Row {
    /// Its cells, the first of which names it.
    pub cells: Vec<Cell>,
    /// It is marked in the table, in words by one of its cells.
    pub marked: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Cell {
    /// What stands in it.
    pub line: Line,
    /// What stands below that, smaller.
    pub below: Option<String>,
    /// Left open for a pen.
    pub to_fill: bool,
}

/// Something that must not be overlooked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Callout {
    /// Its kind.
    pub tone: Tone,
    /// The statement.
    pub title: Line,
    /// What explains it.
    pub lines: Vec<Line>,
}

/// What a mark or a callout means. The words beside it always say it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Passed.
    Good,
    /// Failed.
    Bad,
    /// Cannot be told, or needs attention.
    Unsure,
    /// A plain mark.
    Plain,
}

/// A place for each party to sign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Signatures {
    /// What is left open for a pen.
    pub fields: Vec<String>,
    /// What stands in the corner that is left free for a seal.
    pub seal: String,
    /// The parties.
    pub parties: Vec<Party>,
}

/// One who signs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Party {
    /// In which part.
    pub role: String,
    /// Its name, where it is known.
    pub name: Option<String>,
}

/// One line of text.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Line(Vec<Span>);

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    style: Style,
    text: String,
}

/// How a piece of a line is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// As it is.
    Plain,
    /// To be seen first.
    Strong,
    /// An id, a path, a digest: to be copied letter by letter.
    Code,
    /// A label in a frame.
    Mark(Tone),
    /// A line to fill in with a pen; it has no words.
    Blank,
}

impl Span {
    /// How it is set.
    #[must_use]
    pub fn style(&self) -> Style {
        self.style
    }

    /// What it says, on one line and without control characters.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Line {
    /// An empty line, to be added to.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Its pieces.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Its words without any setting.
    #[must_use]
    pub fn words(&self) -> String {
        self.0.iter().map(Span::text).collect()
    }

    /// Adds plain words.
    #[must_use]
    pub fn plain(self, text: impl AsRef<str>) -> Self {
        self.with(Style::Plain, text)
    }

    /// Adds words that are to be seen first.
    #[must_use]
    pub fn strong(self, text: impl AsRef<str>) -> Self {
        self.with(Style::Strong, text)
    }

    /// Adds something that is to be copied letter by letter.
    #[must_use]
    pub fn code(self, text: impl AsRef<str>) -> Self {
        self.with(Style::Code, text)
    }

    /// Adds a label in a frame.
    #[must_use]
    pub fn mark(self, tone: Tone, text: impl AsRef<str>) -> Self {
        self.with(Style::Mark(tone), text)
    }

    /// Adds a line to fill in with a pen.
    #[must_use]
    pub fn blank(self) -> Self {
        self.with(Style::Blank, "")
    }

    /// A piece without words is left out: its neighbours stand side by side.
    fn with(mut self, style: Style, text: impl AsRef<str>) -> Self {
        if text.as_ref().is_empty() && style != Style::Blank {
            return self;
        }
        self.0.push(Span { style, text: legible(text.as_ref()) });
        self
    }
}

impl<S: AsRef<str>> From<S> for Line {
    fn from(text: S) -> Self {
        Self::new().plain(text)
    }
}

impl From<Line> for Cell {
    fn from(line: Line) -> Self {
        Self { line, below: None, to_fill: false }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Line::from(text).into()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Line::from(text).into()
    }
}

impl Cell {
    /// A cell that is left open for a pen.
    #[must_use]
    pub fn open() -> Self {
        Self { to_fill: true, ..Self::default() }
    }

    /// Adds what stands below.
    #[must_use]
    pub fn below(mut self, text: impl AsRef<str>) -> Self {
        self.below = Some(legible(text.as_ref()));
        self
    }
}

impl Column {
    /// A column of words.
    pub fn left(title: impl Into<String>) -> Self {
        Self { title: title.into(), unit: None, align: Align::Left }
    }

    /// A column of figures.
    pub fn right(title: impl Into<String>) -> Self {
        Self { title: title.into(), unit: None, align: Align::Right }
    }

    /// States the unit.
    #[must_use]
    pub fn in_unit(mut self, unit: &'static str) -> Self {
        self.unit = Some(unit);
        self
    }
}

impl Row {
    /// A row of these cells.
    pub fn of(cells: impl IntoIterator<Item = impl Into<Cell>>) -> Self {
        Self { cells: cells.into_iter().map(Into::into).collect(), marked: false }
    }
}

/// Puts text of any origin on one line: breaks become spaces, and what would not be seen or would turn the
/// direction of writing becomes U+FFFD.
#[must_use]
pub fn legible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' => {
                '\u{FFFD}'
            }
            c if c.is_control() => '\u{FFFD}',
            c => c,
        })
        .collect()
}
