//! Charts: what they show, and the SVG that shows it.
//!
//! Small multiples over one shared axis, with no second scale in any of them. Series differ by marker, dash and filling as
//! well as by colour, so that a black-and-white print says the same.

mod columns;
mod curves;
mod heat;
mod labels;
mod panel;
mod scale;
mod shares;
mod svg;
mod timeline;
mod times;

#[cfg(all(test, feature = "specimens"))]
mod layout_tests;

pub use svg::{Palette, svg};

use serde::Serialize;

use crate::document::Line;

/// Beginnings of the file names of all charts that a report can have.
pub(crate) const STEMS: [&str; 7] =
    ["trend", "ttft", "e2e", "load", "requests-recommended", "requests-highest", "generator"];

/// A drawing, and what is said of it. A template of another language gets what is said, and the drawing as [`svg()`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chart {
    /// Beginning of its file name; no other chart of a document has it.
    pub stem: &'static str,
    /// What it shows.
    pub title: String,
    /// Its figures in words: the text alternative.
    pub description: String,
    /// How it is drawn.
    pub caption: Line,
    /// What is drawn.
    #[serde(skip)]
    pub plot: Plot,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Figures over tiers or time.
    Panels(Panels),
    /// Distributions.
    Curves(Curves),
    /// Requests one by one.
    Timeline(Timeline),
    /// Two lengths together.
    Heat(Box<Heat>),
    /// Figures over stretches of time.
    Columns(Columns),
    /// Parts of a whole.
    Shares(Shares),
}

/// How often two lengths occur together. Cells are of equal size; along both axes their edges grow in ratio.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// The length along the axis.
    pub across: HeatAxis,
    /// The length upwards.
    pub up: HeatAxis,
    /// What is counted.
    pub legend: String,
    /// Cells in which something is.
    pub cells: Vec<HeatCell>,
}

/// An axis of lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatAxis {
    /// Its name.
    pub title: String,
    /// Where cells end and begin, ascending: one more than there are cells.
    pub edges: Vec<f64>,
    /// Names of some edges, by their index.
    pub names: Vec<(usize, String)>,
    /// Lengths that are marked.
    pub marks: Vec<HeatMark>,
}

/// A marked length.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMark {
    /// What it is marked as.
    pub label: String,
    /// The length.
    pub value: f64,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatCell {
    /// Its column, from 0.
    pub across: usize,
    /// Its row, from 0 at the bottom.
    pub up: usize,
    /// How often.
    pub count: u64,
    /// The same in words.
    pub words: String,
}

/// Figures as columns, over stretches that stand side by side and are never laid over each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// Name of the axis.
    pub axis: String,
    /// The stretches, in order.
    pub stretches: Vec<Stretch>,
    /// The panels, from the top, each with a scale of its own.
    pub panels: Vec<ColumnsPanel>,
}

/// A stretch of columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Its name below the axis; empty: none.
    pub label: String,
    /// How many columns.
    pub columns: usize,
    /// What each column is, in words.
    pub names: Vec<String>,
    /// Named places, in columns from its beginning.
    pub ticks: Vec<(f64, String)>,
}

/// One panel of columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnsPanel {
    /// What it shows.
    pub title: String,
    /// Unit of its scale.
    pub unit: &'static str,
    /// One value a column, those of all stretches one after the other; `None`: nobody knows.
    pub values: Vec<Option<f64>>,
    /// What is marked.
    pub marked: Option<MarkedSpan>,
}

/// A marked part of a stretch.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedSpan {
    /// Which stretch.
    pub stretch: usize,
    /// Beginning, in columns from that of the stretch.
    pub from: f64,
    /// End.
    pub until: f64,
    /// What it is marked as.
    pub label: String,
}

/// Parts of a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Shares {
    /// The wholes, from the top.
    pub panels: Vec<SharesPanel>,
}

/// One whole.
#[derive(Debug, Clone, PartialEq)]
pub struct SharesPanel {
    /// What it is.
    pub title: String,
    /// Its parts.
    pub rows: Vec<Share>,
}

/// One part.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// Its name.
    pub label: String,
    /// From 0 to 1.
    pub share: f64,
    /// What stands beside its bar.
    pub words: String,
    /// Its bar is filled, rather than open with a rim.
    pub filled: bool,
}

/// Several panels over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// Name of the shared axis.
    pub axis: String,
    /// What stands along the axis.
    pub across: Across,
    /// Tiers that are marked through all panels.
    pub guides: Vec<Guide>,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

/// Distributions beside each other, all on one scale that begins at zero. Percentages stand along the axis: those that are
/// named at equal distances, so that the tail is stretched.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// Name of the axis of percentages.
    pub axis: String,
    /// Unit of the scale.
    pub unit: &'static str,
    /// What the last percentage is called, that of the maximum.
    pub highest: String,
    /// The panel whose curve is drawn thin in all others, and what it is called.
    pub reference: Option<(usize, String)>,
    /// The panels, by rows from the top.
    pub panels: Vec<CurvePanel>,
}

/// One distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePanel {
    /// Whose it is.
    pub title: String,
    /// What it is marked as; empty: as nothing.
    pub mark: String,
    /// How many values it is made of.
    pub note: String,
    /// Its steps: up to which percentage, in thousandths, which value holds.
    pub steps: Vec<(u16, f64)>,
    /// Percentages whose value is marked, in thousandths, with the value as the tables have it.
    pub marks: Vec<(u16, f64)>,
    /// Limits, each at its percentage in thousandths.
    pub limits: Vec<CurveLimit>,
}

/// A limit of one percentile.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveLimit {
    /// The limit in words.
    pub label: String,
    /// The limit.
    pub value: f64,
    /// Its percentage in thousandths.
    pub per_mille: u16,
}

/// Requests one by one over time, a row each.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Name of the axis of time.
    pub axis: String,
    /// Unit of time.
    pub unit: &'static str,
    /// End of the axis, which begins at zero.
    pub until: f64,
    /// Name of the thin line: due and not sent.
    pub waiting: String,
    /// Name of the open bar: sent, and no token yet.
    pub answering: String,
    /// Name of the filled bar: tokens come.
    pub generating: String,
    /// Name of the cross: it ended, and was not effective.
    pub unsuccessful: String,
    /// Every how many-th request has a row.
    pub every: u64,
    /// The rows, from the top.
    pub rows: Vec<TimelineRow>,
}

/// The instants of one request.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineRow {
    /// The request and its instants in words.
    pub words: String,
    /// It was due.
    pub due: f64,
    /// It was sent.
    pub sent: Option<f64>,
    /// Its first token came.
    pub first_token: Option<f64>,
    /// It ended.
    pub end: Option<f64>,
    /// It was effective.
    pub effective: bool,
}

/// What stands along the shared axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Across {
    /// Tiers at equal distances, by name. Each value has a marker and its figure beside it.
    Tiers(Vec<String>),
    /// Time, with the tiers marked below it. A value is drawn as long as its column.
    Times(Times),
}

impl Across {
    /// Columns of every panel.
    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Self::Tiers(names) => names.len(),
            Self::Times(times) => times.columns,
        }
    }
}

/// Time from zero, in columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// How many columns.
    pub columns: usize,
    /// End of the last, in the unit that the axis names.
    pub until: f64,
    /// That unit.
    pub unit: &'static str,
    /// What was under way, in order.
    pub steps: Vec<Step>,
}

/// What was under way from when to when, in the unit of the axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its name.
    pub label: String,
    /// Beginning.
    pub from: f64,
    /// End.
    pub until: f64,
}

/// A marked tier.
#[derive(Debug, Clone, PartialEq)]
pub struct Guide {
    /// Its place on the axis.
    pub at: usize,
    /// What it is marked as.
    pub label: String,
}

/// One panel, with one scale that begins at zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What it shows.
    pub title: String,
    /// Unit of its scale.
    pub unit: &'static str,
    /// The scale reaches up to there even where no value does; 0: as far as the values.
    pub reach: f64,
    /// One or two series.
    pub series: Vec<Series>,
    /// Limits.
    pub limits: Vec<Limit>,
}

/// One series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// One value a column; `None` leaves a gap.
    pub values: Vec<Option<f64>>,
}

/// A limit, agreed or the generator's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The limit in words.
    pub label: String,
    /// The limit.
    pub value: f64,
    /// The tier that it holds for; `None`: all of them.
    pub at: Option<usize>,
}
