//! Figures as columns over stretches of time that stand side by side.

use std::fmt::Write as _;

use super::{
    Chart, Columns, ColumnsPanel, Step, Times,
    labels::{Anchor, Area, shortened, width},
    panel::Frame,
    scale::{Scale, beside_point},
    svg::{Canvas, END, LABEL, LEFT, Pen, TITLE},
    times,
};

/// Height of a plot where there are few of them, and where there are many.
const PLOTS: [f64; 2] = [130.0, 78.0];
/// From one plot to the next, with the title of the next.
const GAP: f64 = 42.0;
/// Beginning of the first plot.
const FIRST: f64 = 58.0;
/// Between stretches, where there is room for it.
const APART: f64 = 16.0;

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, columns: &Columns) {
    let height = if columns.panels.len() > 2 { PLOTS[1] } else { PLOTS[0] };
    let count = columns.panels.len().max(1) as f64;
    let bottom = FIRST + count * height + (count - 1.0) * GAP;
    let places = Places::of(columns);
    let frame = Frame { left: LEFT, right: END, columns: 1, marked: false };
    let named = Times { columns: 1, until: END - LEFT, unit: "", steps: places.steps(columns) };
    canvas.open(chart, bottom + times::below(&named, &frame));
    for (stretch, shape) in columns.stretches.iter().enumerate() {
        for (at, _) in &shape.ticks {
            let x = places.x(stretch, *at);
            canvas.line((x, FIRST), (x, bottom), Pen::Grid);
        }
    }
    for (at, panel) in columns.panels.iter().enumerate() {
        draw_panel(canvas, &places, columns, panel, FIRST + at as f64 * (height + GAP), height);
    }
    for (stretch, shape) in columns.stretches.iter().enumerate() {
        for (at, label) in &shape.ticks {
            let x = places.x(stretch, *at);
            canvas.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
            canvas.text(x, bottom + 17.0, Anchor::Middle, LABEL, Pen::Muted, label);
        }
    }
    times::steps(canvas, &named, &columns.axis, &frame, bottom);
    hover(canvas, &places, columns, bottom);
}

/// Where columns stand.
struct Places {
    pitch: f64,
    /// Beginning of each stretch, its first column among all, and how many it has.
    stretches: Vec<(f64, usize, usize)>,
}

impl Places {
    fn of(columns: &Columns) -> Self {
        let count = columns.stretches.len();
        let gaps = count.saturating_sub(1) as f64;
        // However many there are, gaps take no more than a third.
        let apart = if gaps > 0.0 { APART.min((END - LEFT) / 3.0 / gaps) } else { 0.0 };
        let all: usize = columns.stretches.iter().map(|stretch| stretch.columns).sum();
        let pitch = (END - LEFT - apart * gaps) / all.max(1) as f64;
        let (mut left, mut first) = (LEFT, 0);
        let mut stretches = Vec::with_capacity(count);
        for stretch in &columns.stretches {
            stretches.push((left, first, stretch.columns));
            left += stretch.columns as f64 * pitch + apart;
            first += stretch.columns;
        }
        Self { pitch, stretches }
    }

    /// Where a place of a stretch stands, in columns from its beginning.
    fn x(&self, stretch: usize, at: f64) -> f64 {
        let (left, _, columns) = self.stretches[stretch];
        let at = if at.is_finite() { at.clamp(0.0, columns as f64) } else { 0.0 };
        left + at * self.pitch
    }

    fn steps(&self, columns: &Columns) -> Vec<Step> {
        let named = columns.stretches.iter().enumerate().filter(|(_, stretch)| !stretch.label.is_empty());
        named
            .map(|(at, stretch)| Step {
                label: stretch.label.clone(),
                from: self.x(at, 0.0) - LEFT,
                until: self.x(at, stretch.columns as f64) - LEFT,
            })
            .collect()
    }
}

fn draw_panel(
    canvas: &mut Canvas,
    places: &Places,
    columns: &Columns,
    panel: &ColumnsPanel,
    top: f64,
    height: f64,
) {
    let scale = Scale::holding(panel.values.iter().flatten().copied(), std::iter::empty());
    let y = |value: f64| top + height - (value / scale.top()).clamp(0.0, 1.0) * height;
    let sparse = height < PLOTS[0];
    for at in 0..=scale.steps {
        let line = y(scale.step * f64::from(at));
        for (left, _, count) in &places.stretches {
            let right = left + *count as f64 * places.pitch;
            canvas.line((*left, line), (right, line), if at == 0 { Pen::Axis } else { Pen::Grid });
        }
        if !sparse || at % 2 == 0 {
            canvas.text(LEFT - 8.0, line + 4.0, Anchor::End, LABEL, Pen::Muted, &scale.label(at));
        }
    }
    let mut data = String::new();
    for (stretch, (_, first, count)) in places.stretches.iter().enumerate() {
        for at in 0..*count {
            let value = panel.values.get(first + at).copied().flatten();
            if let Some(value) = value.filter(|value| value.is_finite() && *value > 0.0) {
                let air = if places.pitch > 4.0 { 1.0 } else { 0.0 };
                let (left, right) = (places.x(stretch, at as f64), places.x(stretch, at as f64 + 1.0) - air);
                let (upper, lower) = (y(value).min(top + height - 0.5), top + height);
                // Writing to a string does not fail, so that its result says nothing.
                let _ = write!(data, "M{left:.1} {lower:.1}V{upper:.1}H{right:.1}V{lower:.1}z");
            }
        }
    }
    canvas.bars(&data, true, Pen::First);
    let mut right = END;
    if let Some(marked) = panel.marked.as_ref().filter(|marked| marked.stretch < columns.stretches.len()) {
        let (from, until) = (places.x(marked.stretch, marked.from), places.x(marked.stretch, marked.until));
        let until = until.max(from + 2.0);
        canvas.strokes(&format!("M{from:.1} {:.1}H{until:.1}", top - 2.0), 4.0, Pen::Limit);
        canvas.line((from, top), (from, top + height), Pen::Limit);
        canvas.line((until, top), (until, top + height), Pen::Limit);
        let label = shortened(&marked.label, LABEL, (END - LEFT) * 0.55);
        canvas.text(END, top - 12.0, Anchor::End, LABEL, Pen::Limit, &label);
        right -= width(&label, LABEL) + 16.0;
    }
    canvas.title(LEFT, top - 12.0, TITLE, right - LEFT, &panel.title, panel.unit);
}

/// The figures of every column, for a pointer that rests on it.
fn hover(canvas: &mut Canvas, places: &Places, columns: &Columns, bottom: f64) {
    for (stretch, (_, first, count)) in places.stretches.iter().enumerate() {
        for at in 0..*count {
            let mut words: Vec<String> =
                columns.stretches[stretch].names.get(at).cloned().into_iter().collect();
            for (which, panel) in columns.panels.iter().enumerate() {
                let value = panel.values.get(first + at).copied().flatten();
                // Below the first panel only what is there is told.
                let told = |value: &f64| value.is_finite() && (which == 0 || *value > 0.0);
                if let Some(value) = value.filter(told) {
                    let value = beside_point((value * 1e3).round() / 1e3, panel.unit);
                    let title = shortened(&panel.title, LABEL, 140.0);
                    words.push(format!("{title}: {value} {}", panel.unit));
                }
            }
            let (left, right) = (places.x(stretch, at as f64), places.x(stretch, at as f64 + 1.0));
            if words.len() > 1 {
                canvas.hover(Area { left, right, top: FIRST, bottom }, &words.join("\n"));
            }
        }
    }
}
