//! Parts of a whole as bars, one below the other.

use super::{
    Chart, Shares,
    labels::{Anchor, Area, shortened, width},
    svg::{Canvas, END, LABEL, LEFT, Pen, TITLE},
};

/// Height of a row.
const ROW: f64 = 21.0;
/// From the last row of a panel to the first of the next, with its title.
const GAP: f64 = 44.0;
/// Beginning of the first row.
const FIRST: f64 = 56.0;
/// The least and the most room of names.
const NAMES: (f64, f64) = (60.0, 230.0);

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, shares: &Shares) {
    let rows: usize = shares.panels.iter().map(|panel| panel.rows.len()).sum();
    let gaps = shares.panels.len().saturating_sub(1) as f64 * GAP;
    canvas.open(chart, FIRST + rows as f64 * ROW + gaps + 12.0);
    let all = || shares.panels.iter().flat_map(|panel| &panel.rows);
    let names = all().map(|row| width(&row.label, LABEL)).fold(NAMES.0, f64::max).min(NAMES.1);
    let words = all().map(|row| width(&row.words, LABEL)).fold(40.0, f64::max).min(170.0);
    let (from, room) = (LEFT + names + 10.0, END - words - 8.0);
    let mut top = FIRST;
    for panel in &shares.panels {
        canvas.title(LEFT, top - 10.0, TITLE, END - LEFT, &panel.title, "");
        for row in &panel.rows {
            let middle = top + ROW / 2.0;
            let label = shortened(&row.label, LABEL, names);
            canvas.text(from - 8.0, middle + 4.0, Anchor::End, LABEL, Pen::Ink, &label);
            let share = if row.share.is_finite() { row.share.clamp(0.0, 1.0) } else { 0.0 };
            let end = from + (share * (room - from)).max(if share > 0.0 { 1.0 } else { 0.0 });
            let (upper, lower) = (middle - 6.5, middle + 6.5);
            if end > from {
                let data = format!("M{from:.1} {upper:.1}H{end:.1}V{lower:.1}H{from:.1}z");
                canvas.bars(&data, row.filled, if row.filled { Pen::First } else { Pen::Second });
            }
            let words = shortened(&row.words, LABEL, END + 10.0 - room);
            canvas.text(end + 7.0, middle + 4.0, Anchor::Start, LABEL, Pen::Ink, &words);
            let area = Area { left: LEFT, right: END, top, bottom: top + ROW };
            canvas.hover(area, &format!("{}: {}", row.label, row.words));
            top += ROW;
        }
        canvas.line((from, top - panel.rows.len() as f64 * ROW), (from, top), Pen::Axis);
        top += GAP;
    }
}
