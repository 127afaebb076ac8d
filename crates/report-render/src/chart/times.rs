//! The axis of time, with what was under way marked below it.

use super::{
    Times,
    labels::{Anchor, width},
    scale::Scale,
    svg::{Canvas, Frame, Pen},
};

/// Room below the plots.
pub(super) const BELOW: f64 = 90.0;
const LABEL: f64 = 12.0;
/// From the axis to the bar of a step.
const BAR: f64 = 27.0;
/// Baselines of the names of steps: where two would meet, the next takes the second row.
const ROWS: [f64; 2] = [41.0, 56.0];

/// A line through all panels where a step begins.
pub(super) fn borders(canvas: &mut Canvas, times: &Times, frame: &Frame, top: f64, bottom: f64) {
    for step in &times.steps {
        let x = x(frame, times, step.from);
        canvas.line((x, top), (x, bottom), Pen::Grid);
    }
}

/// Round instants, the steps as bars with their names, and the name of the axis.
pub(super) fn axis(canvas: &mut Canvas, times: &Times, name: &str, frame: &Frame, bottom: f64) {
    let scale = Scale::holding(std::iter::once(times.until), std::iter::empty());
    for at in 0..=scale.steps {
        let instant = scale.step * f64::from(at);
        if instant <= times.until {
            let x = x(frame, times, instant);
            canvas.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
            canvas.text(x, bottom + 17.0, Anchor::Middle, LABEL, Pen::Ink, &scale.label(at));
        }
    }
    let mut ends = ROWS.map(|_| f64::MIN);
    for step in &times.steps {
        let (from, until) = (x(frame, times, step.from), x(frame, times, step.until));
        // A gap of a point keeps the bars of neighbours apart.
        canvas.line((from, bottom + BAR), ((until - 1.0).max(from + 1.0), bottom + BAR), Pen::Muted);
        let half = width(&step.label, LABEL) / 2.0;
        let middle =
            f64::midpoint(from, until).clamp(frame.left + half, (frame.right - half).max(frame.left + half));
        if let Some(row) = ends.iter().position(|end| middle - half > end + 4.0) {
            canvas.text(middle, bottom + ROWS[row], Anchor::Middle, LABEL, Pen::Ink, &step.label);
            ends[row] = middle + half;
        }
    }
    let middle = f64::midpoint(frame.left, frame.right);
    canvas.text(middle, bottom + 78.0, Anchor::Middle, 11.0, Pen::Muted, name);
}

fn x(frame: &Frame, times: &Times, instant: f64) -> f64 {
    let share = if times.until > 0.0 { instant / times.until } else { 0.0 };
    frame.left + share.clamp(0.0, 1.0) * (frame.right - frame.left)
}
