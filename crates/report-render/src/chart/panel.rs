//! Panels over one axis.

use crate::number;

use super::{
    Across, Chart, Guide, Limit, Panel, Panels, Series, Times,
    labels::{Anchor, Area, shortened, width},
    scale::{Scale, beside_point},
    svg::{Canvas, END, LABEL, LEFT, Pen, TITLE},
    times,
};

/// Height of the plot of a panel.
const PLOT: f64 = 118.0;
/// From one plot to the next, with the title of the next.
const GAP: f64 = 46.0;
/// Room below the plots for the names of tiers and of the axis.
const BELOW: f64 = 44.0;
/// From the top of a panel's title to its plot.
const HEAD: f64 = 24.0;
/// From below a panel's title to its plot.
const CLEAR_OF_HEAD: f64 = 8.0;
/// Height of the names of tiers, and of the words at marked ones.
const TIER: f64 = 12.0;

/// Draws all panels, their axis, and what is marked through them.
pub(super) fn draw_all(canvas: &mut Canvas, chart: &Chart, panels: &Panels) {
    let first_top = 56.0 + 16.0 * panels.guides.len() as f64;
    let frame = Frame {
        left: LEFT,
        right: END,
        columns: panels.across.columns(),
        marked: matches!(panels.across, Across::Tiers(_)),
    };
    let below = match &panels.across {
        Across::Tiers(_) => BELOW,
        Across::Times(times) => times::below(times, &frame),
    };
    let count = panels.panels.len() as f64;
    let bottom = first_top + count * PLOT + (count - 1.0).max(0.0) * GAP;
    canvas.open(chart, bottom + below);
    match &panels.across {
        Across::Tiers(names) => {
            guides(canvas, &panels.guides, names, &frame, first_top);
            let tops: Vec<f64> = (0..panels.panels.len()).map(|at| top_of(first_top, at)).collect();
            for (x, top) in
                panels.guides.iter().flat_map(|guide| tops.iter().map(|top| (frame.x(guide.at), *top)))
            {
                canvas.line((x, top - CLEAR_OF_HEAD), (x, top + PLOT), Pen::Guide);
            }
        }
        Across::Times(times) => times::borders(canvas, times, &frame, first_top, bottom),
    }
    for (at, drawn) in panels.panels.iter().enumerate() {
        draw(canvas, &frame, drawn, &panels.across, top_of(first_top, at));
    }
    match &panels.across {
        Across::Tiers(names) => tiers(canvas, &panels.axis, names, &frame, bottom),
        Across::Times(times) => {
            times::axis(canvas, times, &panels.axis, &frame, bottom);
            hover(canvas, panels, times, &frame, first_top, bottom);
        }
    }
}

/// Beginning of the plot of a panel.
fn top_of(first_top: f64, at: usize) -> f64 {
    first_top + at as f64 * (PLOT + GAP)
}

/// Where columns stand on the shared axis.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) columns: usize,
    /// Every value has a marker, a figure or a dash of its own.
    pub(super) marked: bool,
}

impl Frame {
    fn pitch(&self) -> f64 {
        (self.right - self.left) / self.columns.max(1) as f64
    }

    /// Middle of a column.
    pub(super) fn x(&self, at: usize) -> f64 {
        self.left + (at as f64 + 0.5) * self.pitch()
    }

    /// From where to where a column reaches.
    pub(super) fn slot(&self, at: usize) -> (f64, f64) {
        (self.x(at) - self.pitch() / 2.0, self.x(at) + self.pitch() / 2.0)
    }
}

/// Marked tiers: each label on a line of its own, so that no two meet. Their lines run through the plots, and down to the
/// first, but not through the titles of panels.
fn guides(canvas: &mut Canvas, guides: &[Guide], names: &[String], frame: &Frame, first_top: f64) {
    for (row, guide) in guides.iter().enumerate() {
        let baseline = 38.0 + 16.0 * row as f64;
        let tier = names.get(guide.at).map_or("", String::as_str);
        let text = format!("{} {tier}", guide.label);
        let text = shortened(text.trim(), TIER, frame.right - frame.left);
        let half = width(&text, TIER) / 2.0;
        let x = frame.x(guide.at);
        canvas.line((x, baseline + 5.0), (x, (first_top - HEAD).max(baseline + 9.0)), Pen::Guide);
        let middle = x.clamp(frame.left + half, (frame.right - half).max(frame.left + half));
        canvas.text(middle, baseline, Anchor::Middle, TIER, Pen::Ink, &text);
    }
}

fn tiers(canvas: &mut Canvas, axis: &str, names: &[String], frame: &Frame, bottom: f64) {
    // A name takes the room of two tiers at the most; where tiers stand close, only as many are named as there is room for.
    let room = 2.0 * frame.pitch().max(30.0);
    let names: Vec<_> = names.iter().map(|name| shortened(name, TIER, room)).collect();
    let widest = names.iter().map(|tier| width(tier, TIER)).fold(1.0, f64::max) + 6.0;
    let every = ((widest / frame.pitch()).ceil() as usize).max(1);
    for (at, tier) in names.iter().enumerate() {
        let x = frame.x(at);
        canvas.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
        if at % every == 0 {
            canvas.text(x, bottom + 17.0, Anchor::Middle, TIER, Pen::Ink, tier);
        }
    }
    let axis = shortened(axis, LABEL, frame.right - frame.left);
    let middle = f64::midpoint(frame.left, frame.right);
    canvas.text(middle, bottom + 36.0, Anchor::Middle, LABEL, Pen::Muted, &axis);
}

/// Draws a panel whose plot begins at `top`.
fn draw(canvas: &mut Canvas, frame: &Frame, panel: &Panel, across: &Across, top: f64) {
    let values = panel.series.iter().flat_map(|series| series.values.iter().flatten().copied());
    let values = values.chain([panel.reach]);
    let scale = Scale::holding(values, panel.limits.iter().map(|limit| limit.value));
    let y = |value: f64| top + PLOT - (value / scale.top()).clamp(0.0, 1.0) * PLOT;
    let area = Area { left: frame.left, right: frame.right, top: top - 9.0, bottom: top + PLOT - 1.0 };

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
        for run in runs(&series.values) {
            let run: Vec<(f64, f64)> = match run.as_slice() {
                [_] if frame.marked => continue,
                run if frame.marked => run.iter().map(|(at, value)| (frame.x(*at), y(*value))).collect(),
                run => staircase(frame, run, y),
            };
            canvas.polyline(&run, pen);
            canvas.labels.crossed_by(&run);
        }
        if let Across::Tiers(names) = across {
            for (at, value) in known(&series.values) {
                let tier = names.get(at).map_or("", String::as_str);
                let words = format!("{} · {tier}: {}", panel.title, of_series(series, value, panel.unit));
                canvas.marker(frame.x(at), y(value), pen, &words);
                canvas.labels.keep_clear(frame.x(at), y(value));
            }
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
            let places = places.map(|baseline| (x, baseline, Anchor::Middle));
            canvas.text_at_one_of(area, &places, LABEL, Pen::Ink, &text);
        }
    }
    let mut unnamed = Vec::new();
    for limit in panel.limits.iter().filter(drawn) {
        let (from, to) = reach(frame, limit);
        if !name_limit(canvas, area, limit, from, to, y(limit.value)) {
            unnamed.push(of_tier(limit, across));
        }
    }
    let off = panel.limits.iter().filter(|limit| limit.value > scale.top());
    unnamed.extend(off.map(|limit| format!("↑ {}", of_tier(limit, across))));
    head(canvas, frame, panel, &unnamed, top);
    if frame.marked {
        absent(canvas, frame, panel, top);
    }
}

/// A value with the name of its series and the unit.
fn of_series(series: &Series, value: f64, unit: &str) -> String {
    format!("{} {} {unit}", series.name, beside_point(value, unit))
}

/// From where to where a limit holds.
fn reach(frame: &Frame, limit: &Limit) -> (f64, f64) {
    limit.at.map_or((frame.left, frame.right), |at| frame.slot(at))
}

/// A limit in words, with the tier that it holds for.
fn of_tier(limit: &Limit, across: &Across) -> String {
    match (across, limit.at) {
        (Across::Tiers(names), Some(at)) => {
            format!("{} {}", names.get(at).map_or("", String::as_str), limit.label)
        }
        _ => limit.label.clone(),
    }
}

/// Title and unit at the left, names of the series at the right; between them limits that have no name in the plot: there
/// was no room for it, or they are off the scale.
fn head(canvas: &mut Canvas, frame: &Frame, panel: &Panel, unnamed: &[String], top: f64) {
    const SAMPLE: f64 = 26.0;
    const APART: f64 = 16.0;
    let baseline = top - 12.0;
    let room = frame.right - frame.left;
    let mut right = frame.right;
    let of_names = (room * 0.5 / panel.series.len().max(1) as f64) - SAMPLE - APART - 4.0;
    for (which, series) in panel.series.iter().enumerate().rev() {
        let pen = if which == 0 { Pen::First } else { Pen::Second };
        let name = shortened(&series.name, LABEL, of_names);
        let left = right - width(&name, LABEL);
        canvas.text(left, baseline, Anchor::Start, LABEL, Pen::Ink, &name);
        let end = left - 4.0;
        canvas.polyline(&[(end - SAMPLE, baseline - 4.0), (end, baseline - 4.0)], pen);
        if frame.marked {
            canvas.marker(end - SAMPLE / 2.0, baseline - 4.0, pen, "");
        }
        right = end - SAMPLE - APART;
    }
    if !unnamed.is_empty() {
        let text = unnamed.join(" · ");
        let text = shortened(&text, LABEL, (right - frame.left) * 0.6);
        canvas.text(right, baseline, Anchor::End, LABEL, Pen::Limit, &text);
        right -= width(&text, LABEL) + APART;
    }
    canvas.title(frame.left, baseline, TITLE, right - frame.left, &panel.title, panel.unit);
}

fn name_limit(canvas: &mut Canvas, area: Area, limit: &Limit, from: f64, to: f64, line: f64) -> bool {
    let label = shortened(&limit.label, LABEL, (area.right - area.left) * 0.6);
    let quarter = (to - from) / 4.0;
    let along = [0.0, 1.0, 2.0, 3.0].map(|n| from + 2.0 + n * quarter);
    let above = along.map(|x| (x, line - 4.0, Anchor::Start));
    let below = along.map(|x| (x, line + 12.0, Anchor::Start));
    let beside = [(from - 4.0, line + 4.0, Anchor::End), (to + 4.0, line + 4.0, Anchor::Start)];
    let at_end = [(to - 2.0, line - 4.0, Anchor::End), (to - 2.0, line + 12.0, Anchor::End)];
    let places: Vec<_> = above.into_iter().chain(below).chain(beside).chain(at_end).collect();
    canvas.text_clear_of_series(area, &places, LABEL, Pen::Limit, &label)
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

/// The values of every column of time, for a pointer that rests on it.
fn hover(canvas: &mut Canvas, panels: &Panels, times: &Times, frame: &Frame, top: f64, bottom: f64) {
    let instant = |column: usize| {
        let instant = times.until * column as f64 / frame.columns.max(1) as f64;
        number::plain((instant * 100.0).round() / 100.0)
    };
    for at in 0..frame.columns {
        let mut words = vec![format!("{} – {} {}", instant(at), instant(at + 1), times.unit)];
        for panel in &panels.panels {
            let values: Vec<String> = panel
                .series
                .iter()
                .filter_map(|series| {
                    let value = series.values.get(at).copied().flatten().filter(|value| value.is_finite())?;
                    Some(of_series(series, (value * 1e3).round() / 1e3, panel.unit))
                })
                .collect();
            if !values.is_empty() {
                words.push(format!("{}: {}", panel.title, values.join(" · ")));
            }
        }
        let (left, right) = frame.slot(at);
        if words.len() > 1 {
            canvas.hover(Area { left, right, top, bottom }, &words.join("\n"));
        }
    }
}

fn known(values: &[Option<f64>]) -> impl Iterator<Item = (usize, f64)> {
    let known = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
    known.filter(|(_, value)| value.is_finite())
}

/// Runs of neighbouring columns that have a value: between them the line is broken.
fn runs(values: &[Option<f64>]) -> Vec<Vec<(usize, f64)>> {
    let mut runs = vec![Vec::new()];
    for (at, value) in values.iter().enumerate() {
        match value.filter(|value| value.is_finite()) {
            Some(value) => {
                if let Some(run) = runs.last_mut() {
                    run.push((at, value));
                }
            }
            None => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Each value as long as its column.
fn staircase(frame: &Frame, run: &[(usize, f64)], y: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for (at, value) in run {
        let ((left, right), y) = (frame.slot(*at), y(*value));
        match line.as_mut_slice() {
            // What stays the same is one stroke.
            [.., (_, before), (end, last)] if (*last - y).abs() < 0.05 && before == last => *end = right,
            _ => line.extend([(left, y), (right, y)]),
        }
    }
    line
}
