//! Distributions beside each other.

use super::{
    Chart, CurveLimit, CurvePanel, Curves,
    labels::{Anchor, Area, shortened, width},
    scale::{Scale, beside_point},
    svg::{Canvas, END, LABEL, LEFT, Pen, TITLE},
};

/// Percentages that are named along the axis, in thousandths, at equal distances.
const NAMED: [u16; 6] = [0, 500, 900, 950, 990, 1000];
/// Of these marks the value is written beside it.
const VALUED: [u16; 3] = [500, 950, 1000];
/// Height of a plot where there are many rows of them, and where there are few.
const PLOTS: [f64; 2] = [104.0, 150.0];
/// From one plot to that below it: percentages, and two lines of words.
const GAP: f64 = 68.0;
/// Between plots that stand side by side.
const APART: f64 = 24.0;
/// Room below the last row.
const BELOW: f64 = 44.0;

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, curves: &Curves) {
    let across = match curves.panels.len() {
        few @ ..=3 => few.max(1),
        ..=12 => 3,
        _ => 4,
    };
    let rows = curves.panels.len().div_ceil(across).max(1);
    let height = if rows > 2 { PLOTS[0] } else { PLOTS[1] };
    let first_top = if curves.reference.is_some() { 88.0 } else { 68.0 };
    let bottom = first_top + rows as f64 * (height + GAP) - GAP;
    canvas.open(chart, bottom + BELOW);
    if let Some((_, name)) = &curves.reference {
        let baseline = 40.0;
        canvas.polyline(&[(LEFT, baseline - 4.0), (LEFT + 30.0, baseline - 4.0)], Pen::Guide);
        let name = shortened(name, LABEL, END - LEFT - 36.0);
        canvas.text(LEFT + 36.0, baseline, Anchor::Start, LABEL, Pen::Ink, &name);
    }
    let values = curves.panels.iter().flat_map(|panel| panel.steps.iter().map(|(_, value)| *value));
    let limits = curves.panels.iter().flat_map(|panel| panel.limits.iter().map(|limit| limit.value));
    let scale = Scale::holding(values, limits);
    let breadth = (END - LEFT - APART * (across - 1) as f64) / across as f64;
    for (at, panel) in curves.panels.iter().enumerate() {
        let (column, row) = (at % across, at / across);
        let left = LEFT + column as f64 * (breadth + APART);
        let top = first_top + row as f64 * (height + GAP);
        let plot = Plot { area: Area { left, right: left + breadth, top, bottom: top + height }, scale };
        plot.ground(canvas, curves, column == 0);
        if let Some((of, _)) = curves.reference
            && of != at
            && !panel.steps.is_empty()
            && let Some(reference) = curves.panels.get(of)
        {
            let line = plot.staircase(&reference.steps);
            canvas.polyline(&line, Pen::Guide);
            canvas.labels.crossed_by(&line);
        }
        plot.draw(canvas, curves, panel);
    }
    let axis = shortened(&curves.axis, LABEL, END - LEFT);
    canvas.text(f64::midpoint(LEFT, END), bottom + 36.0, Anchor::Middle, LABEL, Pen::Muted, &axis);
}

/// Where one distribution is drawn.
#[derive(Clone, Copy)]
struct Plot {
    area: Area,
    scale: Scale,
}

impl Plot {
    fn x(&self, per_mille: u16) -> f64 {
        let at = NAMED.iter().rposition(|named| *named <= per_mille).unwrap_or(0).min(NAMED.len() - 2);
        let (from, to) = (f64::from(NAMED[at]), f64::from(NAMED[at + 1]));
        let share = (at as f64 + (f64::from(per_mille) - from) / (to - from)) / (NAMED.len() - 1) as f64;
        self.area.left + share * (self.area.right - self.area.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.area.bottom - (value / self.scale.top()).clamp(0.0, 1.0) * (self.area.bottom - self.area.top)
    }

    /// Grid, percentages and, at the left of the drawing, the scale.
    fn ground(&self, canvas: &mut Canvas, curves: &Curves, with_scale: bool) {
        let Area { left, right, top, bottom } = self.area;
        for at in 0..=self.scale.steps {
            let line = self.y(self.scale.step * f64::from(at));
            canvas.line((left, line), (right, line), if at == 0 { Pen::Axis } else { Pen::Grid });
            if with_scale {
                canvas.text(left - 8.0, line + 4.0, Anchor::End, LABEL, Pen::Muted, &self.scale.label(at));
            }
        }
        for per_mille in NAMED {
            let x = self.x(per_mille);
            canvas.line((x, top), (x, bottom), Pen::Grid);
            canvas.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
            let (text, anchor, x) = match per_mille {
                1000 => (curves.highest.clone(), Anchor::End, right + 6.0),
                0 => ("0".to_owned(), Anchor::Middle, x),
                _ => ((per_mille / 10).to_string(), Anchor::Middle, x),
            };
            canvas.text(x, bottom + 16.0, anchor, LABEL, Pen::Muted, &text);
        }
    }

    fn draw(&self, canvas: &mut Canvas, curves: &Curves, panel: &CurvePanel) {
        let Area { left, right, top, .. } = self.area;
        let limits =
            panel.limits.iter().filter(|limit| limit.value >= 0.0 && limit.value <= self.scale.top());
        let limits: Vec<&CurveLimit> = limits.collect();
        self.head(canvas, panel);
        for limit in &limits {
            let (x, y) = (self.x(limit.per_mille), self.y(limit.value));
            canvas.line((left, y), (x, y), Pen::Limit);
            let bar = format!("M{x:.1} {:.1}V{:.1}", y - 6.0, y + 6.0);
            canvas.strokes(&bar, 2.2, Pen::Limit);
        }
        if panel.steps.is_empty() {
            let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, self.area.bottom));
            canvas.text(x, y, Anchor::Middle, LABEL, Pen::Muted, "—");
        }
        let line = self.staircase(&panel.steps);
        if line.len() > 1 {
            canvas.polyline(&line, Pen::First);
            canvas.labels.crossed_by(&line);
        }
        for (per_mille, value) in panel.marks.iter().filter(|(_, value)| value.is_finite()) {
            let (x, y) = (self.x(*per_mille), self.y(*value));
            let name = match per_mille {
                1000 => curves.highest.clone(),
                _ => format!("P{}", per_mille / 10),
            };
            let words =
                format!("{} · {name}: {} {}", panel.title, beside_point(*value, curves.unit), curves.unit);
            canvas.marker(x, y, Pen::First, &words);
            canvas.labels.keep_clear(x, y);
        }
        let frame =
            Area { left: left - 2.0, right: right + 6.0, top: top - 7.0, bottom: self.area.bottom - 1.0 };
        for (per_mille, value) in
            panel.marks.iter().filter(|(at, value)| VALUED.contains(at) && value.is_finite())
        {
            let (x, y, text) = (self.x(*per_mille), self.y(*value), beside_point(*value, curves.unit));
            let places = [
                (x, y - 7.0, Anchor::Middle),
                (x + 4.0, y - 7.0, Anchor::End),
                (x - 4.0, y - 8.0, Anchor::End),
                (x + 4.0, y + 15.0, Anchor::Middle),
                (x + 6.0, y + 15.0, Anchor::End),
            ];
            canvas.text_at_one_of(frame, &places, LABEL, Pen::Ink, &text);
        }
        for limit in limits {
            self.name_limit(canvas, limit);
        }
    }

    /// Whose distribution it is and as what it is marked; below, of how many values, and limits that are off the scale.
    fn head(&self, canvas: &mut Canvas, panel: &CurvePanel) {
        let Area { left, right, top, .. } = self.area;
        let (first, second) = (top - 25.0, top - 10.0);
        let mark = shortened(&panel.mark, LABEL, (right - left) * 0.7);
        canvas.text(right, first, Anchor::End, LABEL, Pen::Ink, &mark);
        canvas.title(left, first, TITLE, right - left - width(&mark, LABEL) - 8.0, &panel.title, "");
        let off = panel.limits.iter().filter(|limit| limit.value > self.scale.top());
        let off: Vec<&str> = off.map(|limit| limit.label.as_str()).collect();
        let off = if off.is_empty() { String::new() } else { format!("↑ {}", off.join(" · ")) };
        let off = shortened(&off, LABEL, (right - left) * 0.5);
        canvas.text(right, second, Anchor::End, LABEL, Pen::Limit, &off);
        let note = shortened(&panel.note, LABEL, right - left - width(&off, LABEL) - 8.0);
        canvas.text(left, second, Anchor::Start, LABEL, Pen::Muted, &note);
    }

    fn name_limit(&self, canvas: &mut Canvas, limit: &CurveLimit) {
        let (x, y) = (self.x(limit.per_mille), self.y(limit.value));
        let label = shortened(&limit.label, LABEL, self.area.right - self.area.left - 8.0);
        let left = self.area.left + 2.0;
        let places = [
            (x - 4.0, y - 4.0, Anchor::End),
            (left, y - 4.0, Anchor::Start),
            (x - 4.0, y + 12.0, Anchor::End),
            (left, y + 12.0, Anchor::Start),
            (x + 4.0, y + 4.0, Anchor::Start),
        ];
        canvas.text_clear_of_series(self.area, &places, LABEL, Pen::Limit, &label);
    }

    /// A step lasts from the end of the one before to its own.
    fn staircase(&self, steps: &[(u16, f64)]) -> Vec<(f64, f64)> {
        let mut from = 0;
        let mut line = Vec::with_capacity(2 * steps.len());
        for (until, value) in steps.iter().filter(|(_, value)| value.is_finite()) {
            line.push((self.x(from), self.y(*value)));
            line.push((self.x(*until), self.y(*value)));
            from = *until;
        }
        line
    }
}
