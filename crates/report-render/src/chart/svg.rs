//! A chart as SVG.

use std::fmt::Write as _;

use super::{
    Across, Chart,
    labels::{Anchor, width},
    panel, times,
};

const WIDTH: f64 = 720.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const PANEL_GAP: f64 = 46.0;
const BELOW: f64 = 44.0;
const GUIDE_LABEL: f64 = 12.0;

/// The colours of a drawing, as CSS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Ground.
    pub ground: &'static str,
    /// Words.
    pub ink: &'static str,
    /// Axes and their labels.
    pub muted: &'static str,
    /// Grid.
    pub grid: &'static str,
    /// First series.
    pub first: &'static str,
    /// Second series.
    pub second: &'static str,
    /// Agreed limits.
    pub limit: &'static str,
}

impl Palette {
    /// Dark on white: for a file of its own, and for print.
    pub const PAPER: Self = Self {
        ground: "#ffffff",
        ink: "#1c2733",
        muted: "#5b6773",
        grid: "#e3e7eb",
        first: "#1f4e79",
        second: "#a2571b",
        limit: "#9b1c2e",
    };

    /// The colours of the page that the drawing stands in, light or dark.
    pub const PAGE: Self = Self {
        ground: "var(--ground)",
        ink: "var(--ink)",
        muted: "var(--muted)",
        grid: "var(--grid)",
        first: "var(--first)",
        second: "var(--second)",
        limit: "var(--bad)",
    };
}

/// Draws the chart. The same chart and palette always give the same bytes.
#[must_use]
pub fn svg(chart: &Chart, palette: &Palette) -> String {
    let first_top = 56.0 + 16.0 * chart.guides.len() as f64;
    let panels = chart.panels.len() as f64;
    let below = match &chart.across {
        Across::Tiers(_) => BELOW,
        Across::Times(_) => times::BELOW,
    };
    let height = first_top + panels * panel::PLOT + (panels - 1.0).max(0.0) * PANEL_GAP + below;
    let frame = Frame {
        left: LEFT,
        right: WIDTH - RIGHT,
        columns: chart.across.columns(),
        marked: matches!(chart.across, Across::Tiers(_)),
    };
    let mut canvas = Canvas { out: String::new(), palette: *palette };

    canvas.open(chart, height);
    match &chart.across {
        Across::Tiers(names) => canvas.guides(chart, names, &frame, height - below),
        Across::Times(times) => times::borders(&mut canvas, times, &frame, first_top, height - below),
    }
    for (at, drawn) in chart.panels.iter().enumerate() {
        let top = first_top + at as f64 * (panel::PLOT + PANEL_GAP);
        panel::draw(&mut canvas, &frame, drawn, top);
    }
    match &chart.across {
        Across::Tiers(names) => canvas.tiers(chart, names, &frame, height - below),
        Across::Times(times) => times::axis(&mut canvas, times, &chart.axis, &frame, height - below),
    }
    canvas.out.push_str("</svg>\n");
    canvas.out
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

/// What is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pen {
    Ink,
    Muted,
    Axis,
    Grid,
    Guide,
    First,
    Second,
    Limit,
}

/// The drawing so far.
#[derive(Debug)]
pub(super) struct Canvas {
    out: String,
    palette: Palette,
}

impl Canvas {
    fn colour(&self, pen: Pen) -> &'static str {
        match pen {
            Pen::Ink => self.palette.ink,
            Pen::Muted | Pen::Axis | Pen::Guide => self.palette.muted,
            Pen::Grid => self.palette.grid,
            Pen::First => self.palette.first,
            Pen::Second => self.palette.second,
            Pen::Limit => self.palette.limit,
        }
    }

    /// Writing to a string does not fail, so that its result says nothing.
    fn put(&mut self, part: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(part);
    }

    fn open(&mut self, chart: &Chart, height: f64) {
        let (stem, title, words) = (chart.stem, escaped(&chart.title), escaped(&chart.description));
        let (ground, ink) = (self.palette.ground, self.palette.ink);
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{stem}-title {stem}-desc\" font-family=\"'Noto Sans','Noto Sans CJK SC','Noto Sans SC',\
             'PingFang SC','Microsoft YaHei',sans-serif\">\n\
             <title id=\"{stem}-title\">{title}</title>\n<desc id=\"{stem}-desc\">{words}</desc>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{ground}\"/>\n\
             <text x=\"{LEFT}\" y=\"18\" font-size=\"14\" font-weight=\"700\" fill=\"{ink}\">{title}</text>\n"
        ));
    }

    /// Marked tiers: each label on a line of its own, so that no two meet.
    fn guides(&mut self, chart: &Chart, names: &[String], frame: &Frame, bottom: f64) {
        for (row, guide) in chart.guides.iter().enumerate() {
            let baseline = 38.0 + 16.0 * row as f64;
            let tier = names.get(guide.at).map_or("", String::as_str);
            let text = format!("{} {tier}", guide.label);
            let half = width(&text, GUIDE_LABEL) / 2.0;
            let x = frame.x(guide.at);
            self.line((x, baseline + 5.0), (x, bottom), Pen::Guide);
            let middle = x.clamp(frame.left + half, (frame.right - half).max(frame.left + half));
            self.text(middle, baseline, Anchor::Middle, GUIDE_LABEL, Pen::Ink, &text);
        }
    }

    fn tiers(&mut self, chart: &Chart, names: &[String], frame: &Frame, bottom: f64) {
        // Where tiers stand close, only as many are named as there is room for.
        let widest = names.iter().map(|tier| width(tier, GUIDE_LABEL)).fold(1.0, f64::max) + 6.0;
        let every = ((widest / frame.pitch()).ceil() as usize).max(1);
        for (at, tier) in names.iter().enumerate() {
            let x = frame.x(at);
            self.line((x, bottom), (x, bottom + 4.0), Pen::Axis);
            if at % every == 0 {
                self.text(x, bottom + 17.0, Anchor::Middle, GUIDE_LABEL, Pen::Ink, tier);
            }
        }
        let middle = f64::midpoint(frame.left, frame.right);
        self.text(middle, bottom + 36.0, Anchor::Middle, 11.0, Pen::Muted, &chart.axis);
    }

    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), pen: Pen) {
        let style = match pen {
            Pen::Limit => " stroke-width=\"1.6\" stroke-dasharray=\"2 3\"",
            Pen::Guide => " stroke-width=\"1\" stroke-dasharray=\"7 3 1 3\"",
            _ => "",
        };
        let ((x1, y1), (x2, y2), colour) = (from, to, self.colour(pen));
        self.put(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{colour}\"{style}/>\n"
        ));
    }

    pub(super) fn polyline(&mut self, points: &[(f64, f64)], pen: Pen) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if pen == Pen::Second { " stroke-dasharray=\"6 3\"" } else { "" };
        let (points, colour) = (points.join(" "), self.colour(pen));
        self.put(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
             stroke-linejoin=\"round\"{dash}/>\n"
        ));
    }

    /// A filled circle for the first series, an open square for the second.
    pub(super) fn marker(&mut self, x: f64, y: f64, pen: Pen) {
        let (colour, ground) = (self.colour(pen), self.palette.ground);
        if pen == Pen::First {
            self.put(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"{colour}\"/>\n"));
        } else {
            let (left, top) = (x - 3.3, y - 3.3);
            self.put(format_args!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"6.6\" height=\"6.6\" fill=\"{ground}\" \
                 stroke=\"{colour}\" stroke-width=\"1.6\"/>\n"
            ));
        }
    }

    /// Text with a rim in the colour of the ground, so that lines do not run through it.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: f64, pen: Pen, text: &str) {
        let (anchor, colour, ground, text) =
            (anchor.as_str(), self.colour(pen), self.palette.ground, escaped(text));
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{colour}\" \
             stroke=\"{ground}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{text}</text>\n"
        ));
    }

    pub(super) fn title(&mut self, x: f64, y: f64, size: f64, title: &str, unit: &str) {
        let (ink, muted, ground) = (self.palette.ink, self.palette.muted, self.palette.ground);
        let (title, unit) = (escaped(title), escaped(unit));
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"700\" fill=\"{ink}\" \
             stroke=\"{ground}\" stroke-width=\"3\" paint-order=\"stroke\">{title} \
             <tspan font-weight=\"400\" font-size=\"11\" fill=\"{muted}\">({unit})</tspan></text>\n"
        ));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
