//! How often two lengths occur together.

use std::fmt::Write as _;

use super::{
    Chart, Heat, HeatAxis,
    labels::{Anchor, Area, shortened, width},
    scale::short_count,
    svg::{Canvas, END, LABEL, LEFT, Pen},
};

/// Beginning and end of the plot.
const TOP: f64 = 62.0;
const BOTTOM: f64 = 282.0;
/// Where the plot ends; right of it stand the names of marks.
const RIGHT: f64 = END - 96.0;
/// Room below the plot: lengths, the name of the axis and the legend.
const BELOW: f64 = 70.0;
/// How much of its colour each shade has, from the rarest to the most frequent.
const SHADES: [f64; 5] = [0.13, 0.3, 0.5, 0.74, 1.0];
/// Baselines of the names of marks above the plot: the next is taken where two would meet.
const NAMES: [f64; 2] = [TOP - 8.0, TOP - 22.0];

pub(super) fn draw(canvas: &mut Canvas, chart: &Chart, heat: &Heat) {
    canvas.open(chart, BOTTOM + BELOW);
    let highest = heat.cells.iter().map(|cell| cell.count).max().unwrap_or(0);
    let classes = classes(highest);
    ground(canvas, heat);
    let mut shades = vec![String::new(); SHADES.len()];
    for cell in &heat.cells {
        let class = classes.iter().rposition(|from| *from <= cell.count);
        if let (Some(class), Some(area)) = (class, area_of(heat, cell.across, cell.up)) {
            // Writing to a string does not fail, so that its result says nothing.
            let Area { left, right, top, bottom } = area;
            let _ = write!(
                shades[shade(class, classes.len())],
                "M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z"
            );
        }
    }
    for (shade, data) in SHADES.iter().zip(&shades) {
        canvas.shaded(data, *shade);
    }
    marks(canvas, heat);
    legend(canvas, heat, &classes);
    for cell in &heat.cells {
        if let Some(area) = area_of(heat, cell.across, cell.up).filter(|_| cell.count > 0) {
            canvas.hover(area, &cell.words);
        }
    }
}

/// Which shade a class has: few classes take the shades that differ most.
fn shade(class: usize, classes: usize) -> usize {
    (class + SHADES.len()).saturating_sub(classes).min(SHADES.len() - 1)
}

/// From which count on each shade is taken: 1, and round numbers at about equal ratios.
fn classes(highest: u64) -> Vec<u64> {
    let ratio = (highest as f64).powf(1.0 / SHADES.len() as f64);
    let mut from = vec![1];
    for at in 1..SHADES.len() {
        let wanted = round(ratio.powi(at as i32));
        if wanted > from.last().copied().unwrap_or(0) && wanted <= highest {
            from.push(wanted);
        }
    }
    from
}

/// The next of 1, 2, 5, 10, 20, … from there.
fn round(count: f64) -> u64 {
    let power = 10f64.powf(count.max(1.0).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= count * 0.999).unwrap_or(10.0);
    (step * power) as u64
}

fn area_of(heat: &Heat, across: usize, up: usize) -> Option<Area> {
    let (columns, rows) = (heat.across.cells(), heat.up.cells());
    (across < columns && up < rows).then(|| Area {
        left: place(across as f64 / columns as f64, LEFT, RIGHT),
        right: place((across + 1) as f64 / columns as f64, LEFT, RIGHT),
        top: place((up + 1) as f64 / rows as f64, BOTTOM, TOP),
        bottom: place(up as f64 / rows as f64, BOTTOM, TOP),
    })
}

fn place(share: f64, from: f64, to: f64) -> f64 {
    from + share * (to - from)
}

impl HeatAxis {
    fn cells(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Where a length lies, as a share of the axis: within a cell by its logarithm.
    fn share(&self, value: f64) -> Option<f64> {
        let at = (0..self.cells()).find(|at| (self.edges[*at]..self.edges[at + 1]).contains(&value))?;
        let (from, to) = (self.edges[at].max(0.5), self.edges[at + 1].max(0.5));
        let within = ((value.max(0.5) / from).ln() / (to / from).ln()).clamp(0.0, 1.0);
        let within = if within.is_finite() { within } else { 0.0 };
        Some((at as f64 + within) / self.cells() as f64)
    }
}

/// Edges of cells with their lengths, and the names of both axes.
fn ground(canvas: &mut Canvas, heat: &Heat) {
    for (at, name) in &heat.across.names {
        if *at <= heat.across.cells() && heat.across.cells() > 0 {
            let x = place(*at as f64 / heat.across.cells() as f64, LEFT, RIGHT);
            canvas.line((x, TOP), (x, BOTTOM), Pen::Grid);
            canvas.line((x, BOTTOM), (x, BOTTOM + 4.0), Pen::Axis);
            canvas.text(x, BOTTOM + 16.0, Anchor::Middle, LABEL, Pen::Muted, name);
        }
    }
    for (at, name) in &heat.up.names {
        if *at <= heat.up.cells() && heat.up.cells() > 0 {
            let y = place(*at as f64 / heat.up.cells() as f64, BOTTOM, TOP);
            canvas.line((LEFT, y), (RIGHT, y), Pen::Grid);
            canvas.text(LEFT - 8.0, y + 4.0, Anchor::End, LABEL, Pen::Muted, name);
        }
    }
    canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), Pen::Axis);
    canvas.line((LEFT, TOP), (LEFT, BOTTOM), Pen::Axis);
    let across = shortened(&heat.across.title, LABEL, RIGHT - LEFT);
    canvas.text(f64::midpoint(LEFT, RIGHT), BOTTOM + 34.0, Anchor::Middle, LABEL, Pen::Muted, &across);
    let up = format!("↑ {}", heat.up.title);
    canvas.text(2.0, TOP - 22.0, Anchor::Start, LABEL, Pen::Muted, &shortened(&up, LABEL, 180.0));
}

/// Percentiles of both lengths: lines with a rim, so that they are seen on dark cells, and their names outside the plot.
fn marks(canvas: &mut Canvas, heat: &Heat) {
    let sheet = Area { left: 2.0, right: END + 14.0, top: TOP - 34.0, bottom: BOTTOM + 2.0 };
    for mark in &heat.across.marks {
        if let Some(share) = heat.across.share(mark.value) {
            let x = place(share, LEFT, RIGHT);
            canvas.mark_line((x, TOP - 4.0), (x, BOTTOM));
            let half = width(&mark.label, LABEL) / 2.0;
            let middle = x.clamp(LEFT + half, (RIGHT + 40.0 - half).max(LEFT + half));
            let places = NAMES.map(|baseline| (middle, baseline, Anchor::Middle));
            canvas.text_at_one_of(sheet, &places, LABEL, Pen::Ink, &mark.label);
        }
    }
    for mark in &heat.up.marks {
        if let Some(share) = heat.up.share(mark.value) {
            let y = place(share, BOTTOM, TOP);
            canvas.mark_line((LEFT, y), (RIGHT + 4.0, y));
            let label = shortened(&mark.label, LABEL, END + 14.0 - RIGHT - 8.0);
            let places = [4.0, -8.0, 16.0, -20.0, 28.0].map(|down| (RIGHT + 8.0, y + down, Anchor::Start));
            canvas.text_at_one_of(sheet, &places, LABEL, Pen::Ink, &label);
        }
    }
}

/// From which count on each shade is taken.
fn legend(canvas: &mut Canvas, heat: &Heat, classes: &[u64]) {
    const SAMPLE: f64 = 18.0;
    let baseline = BOTTOM + 56.0;
    let name = shortened(&heat.legend, LABEL, 260.0);
    canvas.text(LEFT, baseline, Anchor::Start, LABEL, Pen::Muted, &name);
    let mut left = LEFT + width(&name, LABEL) + 14.0;
    for (class, from) in classes.iter().enumerate() {
        let (right, top) = (left + SAMPLE, baseline - 10.0);
        let data = format!("M{left:.1} {top:.1}H{right:.1}v12H{left:.1}z");
        canvas.shaded(&data, SHADES[shade(class, classes.len())]);
        let label = format!("≥ {}", short_count(*from));
        canvas.text(right + 5.0, baseline, Anchor::Start, LABEL, Pen::Ink, &label);
        left = right + 5.0 + width(&label, LABEL) + 14.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_begin_at_round_counts_and_the_darkest_is_always_taken() {
        for (highest, from) in [
            (0, vec![1]),
            (1, vec![1]),
            (2, vec![1, 2]),
            (40, vec![1, 5, 10, 20]),
            (100_000, vec![1, 10, 100, 1_000, 10_000]),
        ] {
            assert_eq!(classes(highest), from, "{highest}");
            assert_eq!(shade(from.len() - 1, from.len()), SHADES.len() - 1);
        }
        assert!(classes(u64::MAX).windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn a_length_lies_within_its_cell_by_its_logarithm() {
        let axis = HeatAxis {
            title: String::new(),
            edges: vec![0.0, 1.0, 4.0, 16.0],
            names: Vec::new(),
            marks: Vec::new(),
        };
        let share = |value| axis.share(value).map(|share| (share * 3.0 * 100.0).round() / 100.0);
        assert_eq!(share(0.0), Some(0.0));
        assert_eq!(share(1.0), Some(1.0));
        assert_eq!(share(2.0), Some(1.5));
        assert_eq!(share(8.0), Some(2.5));
        assert_eq!(share(16.0), None);
        assert_eq!(share(f64::NAN), None);
    }
}
