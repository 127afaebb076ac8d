//! One panel of a chart.

use super::{
    Limit, Panel,
    labels::{Anchor, Labels, width},
    scale::{Scale, beside_point},
    svg::{Canvas, Frame, Pen},
};

/// Height of the plot of a panel.
pub(super) const PLOT: f64 = 118.0;
const LABEL: f64 = 11.0;
const TITLE: f64 = 13.0;
/// Half of the line for a value that stands alone.
const ALONE: f64 = 1.5;

/// Draws a panel whose plot begins at `top`.
pub(super) fn draw(canvas: &mut Canvas, frame: &Frame, panel: &Panel, top: f64) {
    let values = panel.series.iter().flat_map(|series| series.values.iter().flatten().copied());
    let scale = Scale::holding(values, panel.limits.iter().map(|limit| limit.value));
    let y = |value: f64| top + PLOT - (value / scale.top()).clamp(0.0, 1.0) * PLOT;
    let mut labels = Labels::within(frame.left, frame.right, top - 2.0, top + PLOT - 1.0);

    title(canvas, frame, panel, &scale, top);
    for at in 0..=scale.steps {
        let line = y(scale.step * f64::from(at));
        canvas.line((frame.left, line), (frame.right, line), if at == 0 { Pen::Axis } else { Pen::Grid });
        canvas.text(frame.left - 8.0, line + 4.0, Anchor::End, LABEL, Pen::Muted, &scale.label(at));
    }
    let drawn = |limit: &&Limit| limit.value.is_finite() && limit.value >= 0.0 && limit.value <= scale.top();
    for limit in panel.limits.iter().filter(drawn) {
        let (from, to) = reach(frame, limit);
        canvas.line((from, y(limit.value)), (to, y(limit.value)), Pen::Limit);
    }
    for (which, series) in panel.series.iter().enumerate() {
        let pen = if which == 0 { Pen::First } else { Pen::Second };
        for run in runs(frame, &series.values) {
            // A value alone has no line; without markers it gets a short one.
            let run = match run.as_slice() {
                [(x, value)] if !frame.marked => vec![(x - ALONE, *value), (x + ALONE, *value)],
                [_] => continue,
                _ => run,
            };
            let run: Vec<(f64, f64)> = run.into_iter().map(|(x, value)| (x, y(value))).collect();
            canvas.polyline(&run, pen);
            labels.crossed_by(&run);
        }
        for (at, value) in known(&series.values).filter(|_| frame.marked) {
            canvas.marker(frame.x(at), y(value), pen);
            labels.keep_clear(frame.x(at), y(value));
        }
    }
    // Values are named first, then limits, which have more places to choose from.
    for (which, series) in panel.series.iter().enumerate().filter(|_| frame.marked) {
        for (at, value) in known(&series.values) {
            let lower = panel.series.iter().enumerate().any(|(other, series)| {
                let theirs = series.values.get(at).copied().flatten();
                other != which && theirs.is_some_and(|theirs| theirs > value)
            });
            let (x, above, below) = (frame.x(at), y(value) - 7.0, y(value) + 15.0);
            let text = beside_point(value, panel.unit);
            let places = if lower { [below, above] } else { [above, below] };
            let free = places.into_iter().find(|at| labels.place(x, *at, Anchor::Middle, &text, LABEL));
            if let Some(baseline) = free {
                canvas.text(x, baseline, Anchor::Middle, LABEL, Pen::Ink, &text);
            }
        }
    }
    for limit in panel.limits.iter().filter(drawn) {
        let (from, to) = reach(frame, limit);
        name_limit(canvas, &mut labels, limit, from, to, y(limit.value));
    }
    if frame.marked {
        absent(canvas, frame, panel, top);
    }
}

/// From where to where a limit holds.
fn reach(frame: &Frame, limit: &Limit) -> (f64, f64) {
    limit.at.map_or((frame.left, frame.right), |at| frame.slot(at))
}

/// Title and unit at the left, names of the series at the right; a limit that is off the scale is named here.
fn title(canvas: &mut Canvas, frame: &Frame, panel: &Panel, scale: &Scale, top: f64) {
    let baseline = top - 12.0;
    canvas.title(frame.left, baseline, TITLE, &panel.title, panel.unit);
    let mut right = frame.right;
    for limit in panel.limits.iter().filter(|limit| limit.value > scale.top()) {
        let text = format!("{} ↑", limit.label);
        canvas.text(right, baseline, Anchor::End, LABEL, Pen::Limit, &text);
        right -= width(&text, LABEL) + 16.0;
    }
    for (which, series) in panel.series.iter().enumerate().rev() {
        let pen = if which == 0 { Pen::First } else { Pen::Second };
        canvas.text(right, baseline, Anchor::End, LABEL, Pen::Ink, &series.name);
        let end = right - width(&series.name, LABEL) - 4.0;
        canvas.polyline(&[(end - 26.0, baseline - 4.0), (end, baseline - 4.0)], pen);
        if frame.marked {
            canvas.marker(end - 13.0, baseline - 4.0, pen);
        }
        right = end - 26.0 - 16.0;
    }
}

fn name_limit(canvas: &mut Canvas, labels: &mut Labels, limit: &Limit, from: f64, to: f64, line: f64) {
    let quarter = (to - from) / 4.0;
    let along = [0.0, 1.0, 2.0, 3.0].map(|n| from + 2.0 + n * quarter);
    let above = along.map(|x| (x, line - 4.0, Anchor::Start));
    let below = along.map(|x| (x, line + 12.0, Anchor::Start));
    let beside = [(from - 4.0, line + 4.0, Anchor::End), (to + 4.0, line + 4.0, Anchor::Start)];
    let mut places = above.into_iter().chain(below).chain(beside);
    let free = places.find(|(x, y, anchor)| labels.place_clear(*x, *y, *anchor, &limit.label, LABEL));
    if let Some((x, y, anchor)) = free {
        canvas.text(x, y, anchor, LABEL, Pen::Limit, &limit.label);
    }
}

/// A dash on the axis for a tier that has no figure in any series.
fn absent(canvas: &mut Canvas, frame: &Frame, panel: &Panel, top: f64) {
    for at in 0..frame.columns {
        let none =
            |values: &[Option<f64>]| values.get(at).copied().flatten().is_none_or(|value| !value.is_finite());
        if panel.series.iter().all(|series| none(&series.values)) {
            canvas.text(frame.x(at), top + PLOT - 5.0, Anchor::Middle, LABEL, Pen::Muted, "—");
        }
    }
}

fn known(values: &[Option<f64>]) -> impl Iterator<Item = (usize, f64)> {
    let known = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
    known.filter(|(_, value)| value.is_finite())
}

/// Runs of neighbouring columns that have a value: between them the line is broken.
fn runs(frame: &Frame, values: &[Option<f64>]) -> Vec<Vec<(f64, f64)>> {
    let mut runs = vec![Vec::new()];
    for (at, value) in values.iter().enumerate() {
        match value.filter(|value| value.is_finite()) {
            Some(value) => {
                if let Some(run) = runs.last_mut() {
                    run.push((frame.x(at), value));
                }
            }
            None => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
