//! Charts: what they show, and the SVG that shows it.
//!
//! Small multiples over one shared axis, of tiers or of time, with no second scale in any of them. Series differ by marker and
//! dash as well as by colour, so that a black-and-white print says the same.

mod labels;
mod panel;
mod scale;
mod svg;
mod times;

pub use svg::{Palette, svg};

use crate::document::Line;

/// Several panels over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Beginning of its file name.
    pub stem: &'static str,
    /// What it shows.
    pub title: String,
    /// Its figures in words: the text alternative.
    pub description: String,
    /// How it is drawn.
    pub caption: Line,
    /// Name of the shared axis.
    pub axis: String,
    /// What stands along the axis.
    pub across: Across,
    /// Tiers that are marked through all panels.
    pub guides: Vec<Guide>,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

/// What stands along the shared axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Across {
    /// Tiers at equal distances, by name. Each value has a marker and its figure beside it.
    Tiers(Vec<String>),
    /// Time, with the tiers marked below it. Values are drawn as a line.
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
