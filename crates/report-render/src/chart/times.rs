//! The axis of time, with what was under way marked below it.

use super::{
    Times,
    labels::{Anchor, shortened, width},
    panel::Frame,
    scale::Scale,
    svg::{Canvas, LABEL, Pen},
};

/// Height of the names of steps and instants.
const STEP: f64 = 12.0;
/// From the axis to the bar of a step.
const BAR: f64 = 27.0;
/// Baseline of the first row of names of steps.
const FIRST_ROW: f64 = 41.0;
/// From one row to the next.
const ROW: f64 = 15.0;
/// Most rows: where names of steps would meet, the next takes another one, and what finds no place in any is not named.
const ROWS: usize = 4;

/// A name of a step, and where it stands.
struct Name<'a> {
    text: std::borrow::Cow<'a, str>,
    middle: f64,
    row: usize,
}

/// Room below the plots.
pub(super) fn below(times: &Times, frame: &Frame) -> f64 {
    let rows = names(times, frame).iter().map(|name| name.row + 1).max().unwrap_or(1);
    FIRST_ROW + ROW * rows as f64 + 19.0
}

/// A line through all panels where a step begins.
pub(super) fn borders(canvas: &mut Canvas, times: &Times, frame: &Frame, top: f64, bottom: f64) {
    for step in &times.steps {
        let x = x(frame, times.until, step.from);
        canvas.line((x, top), (x, bottom), Pen::Grid);
    }
}

/// Round instants, the steps as bars with their names, and the name of the axis.
pub(super) fn axis(canvas: &mut Canvas, times: &Times, name: &str, frame: &Frame, bottom: f64) {
    instants(canvas, times.until, frame, bottom);
    steps(canvas, times, name, frame, bottom);
}

/// The steps as bars with their names, and the name of the axis.
pub(super) fn steps(canvas: &mut Canvas, times: &Times, name: &str, frame: &Frame, bottom: f64) {
    for step in &times.steps {
        let (from, until) = (x(frame, times.until, step.from), x(frame, times.until, step.until));
        // A gap of a point keeps the bars of neighbours apart.
        canvas.line((from, bottom + BAR), ((until - 1.0).max(from + 1.0), bottom + BAR), Pen::Muted);
        canvas.line((from, bottom + BAR - 3.0), (from, bottom + BAR + 3.0), Pen::Muted);
    }
    let names = names(times, frame);
    let rows = names.iter().map(|name| name.row + 1).max().unwrap_or(1);
    for Name { text, middle, row } in names {
        let baseline = bottom + FIRST_ROW + ROW * row as f64;
        canvas.text(middle, baseline, Anchor::Middle, STEP, Pen::Ink, &text);
    }
    let name = shortened(name, LABEL, frame.right - frame.left);
    let middle = f64::midpoint(frame.left, frame.right);
    canvas.text(
        middle,
        bottom + FIRST_ROW + ROW * rows as f64 + 7.0,
        Anchor::Middle,
        LABEL,
        Pen::Muted,
        &name,
    );
}

/// Round instants with a stroke each.
pub(super) fn instants(canvas: &mut Canvas, until: f64, frame: &Frame, bottom: f64) {
    for (instant, label) in round_instants(until) {
        let x = x(frame, until, instant);
        canvas.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
        canvas.text(x, bottom + 17.0, Anchor::Middle, STEP, Pen::Ink, &label);
    }
}

/// Round instants from zero up to an end, each with its label.
pub(super) fn round_instants(until: f64) -> Vec<(f64, String)> {
    let scale = Scale::along(until);
    (0..=scale.steps).map(|at| (scale.step * f64::from(at), scale.label(at))).collect()
}

/// Where an instant stands.
pub(super) fn x(frame: &Frame, until: f64, instant: f64) -> f64 {
    let share = if until > 0.0 { instant / until } else { 0.0 };
    let share = if share.is_finite() { share } else { 0.0 };
    frame.left + share.clamp(0.0, 1.0) * (frame.right - frame.left)
}

/// The names that find a place, each in the middle of its step and in the first row where it meets none before.
fn names<'t>(times: &'t Times, frame: &Frame) -> Vec<Name<'t>> {
    let mut ends = [f64::MIN; ROWS];
    let mut names = Vec::new();
    for step in &times.steps {
        let text = shortened(&step.label, STEP, (frame.right - frame.left) / 2.0);
        let half = width(&text, STEP) / 2.0;
        let (from, until) = (x(frame, times.until, step.from), x(frame, times.until, step.until));
        let middle =
            f64::midpoint(from, until).clamp(frame.left + half, (frame.right - half).max(frame.left + half));
        if let Some(row) = ends.iter().position(|end| middle - half > end + 4.0) {
            ends[row] = middle + half;
            names.push(Name { text, middle, row });
        }
    }
    names
}
