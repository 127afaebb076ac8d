//! Requests one by one over time.

use std::fmt::Write as _;

use super::{
    Chart, Timeline, TimelineRow,
    labels::{Anchor, Area, shortened, width},
    panel::Frame,
    svg::{Canvas, END, LABEL, LEFT, Pen},
    times,
};

/// Height of all rows together, where it gives each row a height within bounds.
const ROWS: f64 = 420.0;
/// Least height of a row: 0.85 mm on a sheet of A4.
const LEAST: f64 = 3.6;
/// Most height of a row.
const MOST: f64 = 14.0;
/// Room below the rows.
const BELOW: f64 = 44.0;
/// Baseline of the names of bars.
const NAMES: f64 = 42.0;
/// Beginning of the rows.
const TOP: f64 = 60.0;

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, timeline: &Timeline) {
    let count = timeline.rows.len().max(1) as f64;
    let height = (ROWS / count).clamp(LEAST, MOST);
    let bottom = TOP + count * height + 4.0;
    let frame = Frame { left: LEFT, right: END, columns: 1, marked: false };
    canvas.open(chart, bottom + BELOW);
    names(canvas, timeline);
    for (instant, _) in times::round_instants(timeline.until) {
        let x = times::x(&frame, timeline.until, instant);
        canvas.line((x, TOP), (x, bottom), Pen::Grid);
    }
    canvas.line((frame.left, bottom), (frame.right, bottom), Pen::Axis);
    let mut shapes = Shapes::default();
    for (at, row) in timeline.rows.iter().enumerate() {
        let x = |instant: f64| times::x(&frame, timeline.until, instant);
        shapes.add(row, x, TOP + (at as f64 + 0.5) * height, height);
    }
    shapes.draw(canvas);
    places(canvas, timeline, height);
    times::instants(canvas, timeline.until, &frame, bottom);
    let axis = shortened(&timeline.axis, LABEL, END - LEFT);
    canvas.text(f64::midpoint(LEFT, END), bottom + 36.0, Anchor::Middle, LABEL, Pen::Muted, &axis);
    for (at, row) in timeline.rows.iter().enumerate() {
        let top = TOP + at as f64 * height;
        canvas.hover(Area { left: LEFT, right: END, top, bottom: top + height }, &row.words);
    }
}

/// What the bars mean, each name beside a sample of it.
fn names(canvas: &mut Canvas, timeline: &Timeline) {
    const SAMPLE: f64 = 24.0;
    const APART: f64 = 18.0;
    let middle = NAMES - 4.0;
    let row = |sent: Option<f64>, first_token: Option<f64>| TimelineRow {
        words: String::new(),
        due: 0.0,
        sent,
        first_token,
        end: Some(1.0),
        effective: true,
    };
    let cross = TimelineRow { due: 0.5, end: Some(0.5), effective: false, ..row(None, None) };
    let samples = [
        (&timeline.waiting, row(None, None)),
        (&timeline.answering, row(Some(0.0), None)),
        (&timeline.generating, row(Some(0.0), Some(0.0))),
        (&timeline.unsuccessful, cross),
    ];
    let room = (END - LEFT) / samples.len() as f64 - SAMPLE - 6.0 - APART;
    let mut left = LEFT;
    for (name, row) in samples {
        let name = shortened(name, LABEL, room);
        let mut shapes = Shapes::default();
        shapes.add(&row, |share| left + share * SAMPLE, middle, 9.0);
        shapes.draw(canvas);
        canvas.text(left + SAMPLE + 6.0, NAMES, Anchor::Start, LABEL, Pen::Ink, &name);
        left += SAMPLE + 6.0 + width(&name, LABEL) + APART;
    }
}

/// The place of some requests in the order of being due, at the left.
fn places(canvas: &mut Canvas, timeline: &Timeline, height: f64) {
    for (at, _) in timeline.rows.iter().enumerate() {
        let place = at as u64 * timeline.every + 1;
        let round = if timeline.rows.len() > 40 { 20 } else { 5 };
        if at == 0 || (at + 1).is_multiple_of(round) || at + 1 == timeline.rows.len() {
            let middle = TOP + (at as f64 + 0.5) * height;
            canvas.text(LEFT - 8.0, middle + 4.0, Anchor::End, LABEL, Pen::Muted, &place.to_string());
        }
    }
}

/// The shapes of all rows, each kind as the data of one path.
#[derive(Default)]
struct Shapes {
    waiting: String,
    answering: String,
    generating: String,
    crosses: String,
}

impl Shapes {
    fn add(&mut self, row: &TimelineRow, x: impl Fn(f64) -> f64, middle: f64, height: f64) {
        let end = row.end.unwrap_or(row.first_token.or(row.sent).unwrap_or(row.due));
        let sent = row.sent.unwrap_or(end);
        let first_token = row.first_token.unwrap_or(end);
        stroke(&mut self.waiting, x(row.due), x(sent), middle);
        bar(&mut self.answering, x(sent), x(first_token), middle, height * 0.6);
        bar(&mut self.generating, x(first_token), x(end), middle, height * 0.72);
        if !row.effective {
            let (x, arm) = (x(end), (height * 0.4).clamp(2.6, 4.0));
            let (left, right, top, bottom) = (x - arm, x + arm, middle - arm, middle + arm);
            let _ = write!(
                self.crosses,
                "M{left:.1} {top:.1}L{right:.1} {bottom:.1}M{left:.1} {bottom:.1}L{right:.1} {top:.1}"
            );
        }
    }

    fn draw(&self, canvas: &mut Canvas) {
        canvas.strokes(&self.waiting, 1.2, Pen::Ink);
        canvas.bars(&self.answering, false, Pen::First);
        canvas.bars(&self.generating, true, Pen::First);
        // A rim in the colour of the ground, so that a cross is seen on a bar.
        canvas.strokes(&self.crosses, 4.4, Pen::Ground);
        canvas.strokes(&self.crosses, 1.8, Pen::Limit);
    }
}

fn stroke(data: &mut String, from: f64, to: f64, middle: f64) {
    if to > from {
        let _ = write!(data, "M{from:.1} {middle:.1}H{to:.1}");
    }
}

fn bar(data: &mut String, from: f64, to: f64, middle: f64, height: f64) {
    if to > from {
        let (top, breadth, back) = (middle - height / 2.0, to - from, from - to);
        let _ = write!(data, "M{from:.1} {top:.1}h{breadth:.1}v{height:.1}h{back:.1}z");
    }
}
