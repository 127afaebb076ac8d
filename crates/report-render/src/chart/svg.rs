//! A chart as SVG.

use std::fmt::Write as _;

use super::{
    Chart, Plot, columns, curves, heat,
    labels::{Anchor, Area, BOLD, Labels, shortened, width},
    panel, shares, timeline,
};

/// Width of every drawing. On a sheet of A4 it is set 170 mm wide, where a unit is 0.67 pt: words of 11 units are 7.4 pt
/// high there, and nothing is set smaller.
pub(super) const WIDTH: f64 = 720.0;
/// Where plots begin.
pub(super) const LEFT: f64 = 62.0;
/// Where plots end.
pub(super) const END: f64 = WIDTH - 16.0;
/// Height of words in a plot and at its axes.
pub(super) const LABEL: f64 = 11.0;
/// Height of the words that name a panel.
pub(super) const TITLE: f64 = 13.0;
/// Height of the chart's own title.
const CHART_TITLE: f64 = 14.0;

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
    let mut canvas = Canvas { out: String::new(), palette: *palette, labels: Labels::default(), height: 0.0 };
    match &chart.plot {
        Plot::Panels(panels) => panel::draw_all(&mut canvas, chart, panels),
        Plot::Curves(curves) => curves::draw(&mut canvas, chart, curves),
        Plot::Timeline(timeline) => timeline::draw(&mut canvas, chart, timeline),
        Plot::Heat(heat) => heat::draw(&mut canvas, chart, heat),
        Plot::Columns(columns) => columns::draw(&mut canvas, chart, columns),
        Plot::Shares(shares) => shares::draw(&mut canvas, chart, shares),
    }
    canvas.out.push_str("</svg>\n");
    canvas.out
}

/// What is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pen {
    Ground,
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
    pub(super) labels: Labels,
    height: f64,
}

impl Canvas {
    fn colour(&self, pen: Pen) -> &'static str {
        match pen {
            Pen::Ground => self.palette.ground,
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

    /// Begins the drawing: its text alternative, its ground and its title.
    pub(super) fn open(&mut self, chart: &Chart, height: f64) {
        self.height = height;
        let (stem, title, words) = (chart.stem, escaped(&chart.title), escaped(&chart.description));
        let ground = self.palette.ground;
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             aria-labelledby=\"{stem}-title {stem}-desc\" font-family=\"'Noto Sans','Noto Sans CJK SC','Noto Sans SC',\
             'PingFang SC','Microsoft YaHei',sans-serif\">\n\
             <title id=\"{stem}-title\">{title}</title>\n<desc id=\"{stem}-desc\">{words}</desc>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"{ground}\"/>\n"
        ));
        self.title(LEFT, 18.0, CHART_TITLE, END - LEFT, &chart.title, "");
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
        let style = match pen {
            Pen::Second => "stroke-width=\"2\" stroke-dasharray=\"6 3\"",
            Pen::Guide => "stroke-width=\"1\" stroke-dasharray=\"7 3 1 3\"",
            _ => "stroke-width=\"2\"",
        };
        let (points, colour) = (points.join(" "), self.colour(pen));
        self.put(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" {style} stroke-linejoin=\"round\"/>\n"
        ));
    }

    /// Strokes of any number, as the data of a path; nothing where there are none.
    pub(super) fn strokes(&mut self, data: &str, stroke_width: f64, pen: Pen) {
        if !data.is_empty() {
            let colour = self.colour(pen);
            self.put(format_args!(
                "<path d=\"{data}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{stroke_width}\"/>\n"
            ));
        }
    }

    /// Bars of any number, as the data of a path: filled, or open with a rim.
    pub(super) fn bars(&mut self, data: &str, filled: bool, pen: Pen) {
        if !data.is_empty() {
            let (colour, ground) = (self.colour(pen), self.palette.ground);
            let style = if filled {
                format!("fill=\"{colour}\"")
            } else {
                format!("fill=\"{ground}\" stroke=\"{colour}\" stroke-width=\"0.8\"")
            };
            self.put(format_args!("<path d=\"{data}\" {style}/>\n"));
        }
    }

    /// Areas of any number, as the data of a path, in a part of the first series' colour: the more, the darker, also where
    /// they are printed in grey. A thin rim keeps the palest apart from the ground.
    pub(super) fn shaded(&mut self, data: &str, share: f64) {
        if !data.is_empty() {
            let (colour, ground) = (self.palette.first, self.palette.ground);
            self.put(format_args!(
                "<path d=\"{data}\" fill=\"{colour}\" fill-opacity=\"{share}\" stroke=\"{ground}\" stroke-width=\"0.6\"/>\n"
            ));
        }
    }

    /// A dashed line with a rim in the colour of the ground, so that it is seen on dark areas.
    pub(super) fn mark_line(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2), ground, colour) = (from, to, self.palette.ground, self.palette.second);
        for style in [
            format!("stroke=\"{ground}\" stroke-width=\"3.6\" stroke-opacity=\"0.8\""),
            format!("stroke=\"{colour}\" stroke-width=\"1.6\" stroke-dasharray=\"5 3\""),
        ] {
            self.put(format_args!(
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" {style}/>\n"
            ));
        }
    }

    /// A filled circle for the first series, an open square for the second. Its words show where a pointer rests on it.
    pub(super) fn marker(&mut self, x: f64, y: f64, pen: Pen, words: &str) {
        let (colour, ground, words) = (self.colour(pen), self.palette.ground, titled(words));
        if pen == Pen::First {
            let dot = format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"{colour}\"");
            self.closed(&dot, "circle", &words);
        } else {
            let (left, top) = (x - 3.3, y - 3.3);
            let square = format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"6.6\" height=\"6.6\" fill=\"{ground}\" \
                 stroke=\"{colour}\" stroke-width=\"1.6\""
            );
            self.closed(&square, "rect", &words);
        }
    }

    /// An unseen area whose words show where a pointer rests on it.
    pub(super) fn hover(&mut self, area: Area, words: &str) {
        let Area { left, right, top, bottom } = area;
        let (width, height) = (right - left, bottom - top);
        let unseen = format!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" \
             pointer-events=\"all\""
        );
        self.closed(&unseen, "rect", &titled(words));
    }

    fn closed(&mut self, begun: &str, name: &str, inner: &str) {
        if inner.is_empty() {
            self.put(format_args!("{begun}/>\n"));
        } else {
            self.put(format_args!("{begun}>{inner}</{name}>\n"));
        }
    }

    /// Text with a rim in the colour of the ground, so that lines do not run through it. It is not drawn where it would
    /// overlap another or leave the drawing; says whether it was.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: Anchor, size: f64, pen: Pen, text: &str) -> bool {
        let sheet = self.sheet();
        self.text_within(sheet, x, y, anchor, size, pen, text)
    }

    /// The same within a part of the drawing.
    #[expect(clippy::too_many_arguments, reason = "a text has as many properties")]
    pub(super) fn text_within(
        &mut self,
        frame: Area,
        x: f64,
        y: f64,
        anchor: Anchor,
        size: f64,
        pen: Pen,
        text: &str,
    ) -> bool {
        let free = self.labels.take(Area::of_text(x, y, anchor, width(text, size), size), frame);
        if free && !text.is_empty() {
            let (anchor, colour, ground, text) =
                (anchor.as_str(), self.colour(pen), self.palette.ground, escaped(text));
            self.put(format_args!(
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{colour}\" \
                 stroke=\"{ground}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\">{text}</text>\n"
            ));
        }
        free
    }

    /// The same at the first of several places that is free, if possible at one that no series crosses.
    pub(super) fn text_at_one_of(
        &mut self,
        frame: Area,
        places: &[(f64, f64, Anchor)],
        size: f64,
        pen: Pen,
        text: &str,
    ) -> bool {
        self.text_clear_of_series(frame, places, size, pen, text)
            || places.iter().any(|(x, y, anchor)| self.text_within(frame, *x, *y, *anchor, size, pen, text))
    }

    /// The same only at a place that no series crosses.
    pub(super) fn text_clear_of_series(
        &mut self,
        frame: Area,
        places: &[(f64, f64, Anchor)],
        size: f64,
        pen: Pen,
        text: &str,
    ) -> bool {
        let width = width(text, size);
        places.iter().any(|(x, y, anchor)| {
            self.labels.is_clear(Area::of_text(*x, *y, *anchor, width, size))
                && self.text_within(frame, *x, *y, *anchor, size, pen, text)
        })
    }

    /// A bold title and its unit, shortened to the room that there is.
    pub(super) fn title(&mut self, x: f64, y: f64, size: f64, room: f64, title: &str, unit: &str) {
        let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
        let unit = shortened(&unit, LABEL, room / 2.0).into_owned();
        let (size_of_bold, unit_width) = (size * BOLD, width(&unit, LABEL));
        let title = shortened(title, size_of_bold, room - unit_width);
        let whole = width(&title, size_of_bold) + unit_width;
        let sheet = self.sheet();
        if title.is_empty() || !self.labels.take(Area::of_text(x, y, Anchor::Start, whole, size), sheet) {
            return;
        }
        let (ink, muted, ground) = (self.palette.ink, self.palette.muted, self.palette.ground);
        let (title, unit) = (escaped(&title), escaped(&unit));
        let unit = if unit.is_empty() {
            unit
        } else {
            // The space stands outside: not every reader keeps one at the beginning of a piece.
            let unit = unit.trim_start();
            format!(" <tspan font-weight=\"400\" font-size=\"{LABEL}\" fill=\"{muted}\">{unit}</tspan>")
        };
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"700\" fill=\"{ink}\" \
             stroke=\"{ground}\" stroke-width=\"3\" paint-order=\"stroke\">{title}{unit}</text>\n"
        ));
    }

    fn sheet(&self) -> Area {
        Area { left: 0.0, right: WIDTH, top: 0.0, bottom: self.height }
    }
}

/// The words as a title; nothing for none.
fn titled(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(words)) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
