//! Charts: what they show, and the SVG that shows it.
//!
//! Small multiples over one shared axis of tiers, with no second scale in any of them. Series differ by marker and
//! dash as well as by colour, so that a black-and-white print says the same.

mod labels;
mod panel;
mod scale;
mod svg;

pub use svg::{Palette, svg};

use crate::document::Line;

/// Several panels over one axis of tiers.
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
    /// Tiers along the axis, at equal distances.
    pub tiers: Vec<String>,
    /// Tiers that are marked through all panels.
    pub guides: Vec<Guide>,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
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
    /// Agreed limits.
    pub limits: Vec<Limit>,
}

/// One series.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// One value a tier; `None` leaves a gap.
    pub values: Vec<Option<f64>>,
}

/// An agreed limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The limit in words.
    pub label: String,
    /// The limit.
    pub value: f64,
    /// The tier that it is agreed for; `None`: all of them.
    pub at: Option<usize>,
}
