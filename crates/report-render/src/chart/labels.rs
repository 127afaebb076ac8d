//! Where words stand in a drawing, so that no two overlap and none leaves it.

use std::borrow::Cow;

/// Where a label stands against its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Area {
    /// What a text of one line covers.
    pub(super) fn of_text(x: f64, baseline: f64, anchor: Anchor, width: f64, size: f64) -> Self {
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Self { left, right: left + width, top: baseline - size * 0.85, bottom: baseline + size * 0.2 }
    }

    pub(super) fn is_inside(self, frame: Self) -> bool {
        self.left >= frame.left
            && self.right <= frame.right
            && self.top >= frame.top
            && self.bottom <= frame.bottom
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.right > other.left
            && self.left < other.right
            && self.bottom > other.top
            && self.top < other.bottom
    }
}

/// What is taken of a drawing.
#[derive(Debug, Default)]
pub(super) struct Labels {
    taken: Vec<Area>,
    crossed: Vec<Area>,
}

impl Labels {
    /// Takes the surroundings of a point, so that no label covers its marker.
    pub(super) fn keep_clear(&mut self, x: f64, y: f64) {
        self.taken.push(Area { left: x - 4.0, right: x + 4.0, top: y - 4.0, bottom: y + 4.0 });
    }

    /// Remembers where a series runs, for labels that are to stand clear of it.
    pub(super) fn crossed_by(&mut self, run: &[(f64, f64)]) {
        for pair in run.windows(2) {
            let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
            let pieces = ((x2 - x1).abs().max((y2 - y1).abs()) / 4.0).ceil().max(1.0) as u32;
            for piece in 0..=pieces {
                let share = f64::from(piece) / f64::from(pieces);
                let (x, y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
                self.crossed.push(Area { left: x - 2.0, right: x + 2.0, top: y - 2.0, bottom: y + 2.0 });
            }
        }
    }

    /// Takes an area where it is free and within `frame`, and says whether it was.
    pub(super) fn take(&mut self, wanted: Area, frame: Area) -> bool {
        let free = wanted.is_inside(frame) && !self.taken.iter().any(|taken| wanted.overlaps(*taken));
        if free {
            self.taken.push(wanted);
        }
        free
    }

    /// No series runs through the area.
    pub(super) fn is_clear(&self, wanted: Area) -> bool {
        !self.crossed.iter().any(|crossed| wanted.overlaps(*crossed))
    }
}

/// Widths of the ASCII characters from the space to the tilde in thousandths of the font's height: of each the larger
/// one in Noto Sans SC and DejaVu Sans, the widest of the fonts that a page falls back to.
const ASCII: [u16; 95] = [
    318, 401, 474, 838, 636, 950, 780, 278, 390, 390, 500, 838, 318, 361, 318, 392, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
    535, 656, 557, 863, 748, 787, 633, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 392, 390, 838,
    559, 606, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 284, 974, 634, 612, 635, 635, 411, 521,
    392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// How much wider bold words are.
pub(super) const BOLD: f64 = 1.15;

/// Estimated width of text, rather too large than too small: a Chinese character is as wide as the font is high, a
/// pictograph wider.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let thousandths: u32 = text.chars().map(|c| u32::from(thousandths(c))).sum();
    f64::from(thousandths) / 1e3 * size
}

fn thousandths(c: char) -> u16 {
    let ascii = (c as usize).checked_sub(0x20).and_then(|at| ASCII.get(at));
    match ascii {
        Some(width) => *width,
        None if ('\u{1F000}'..='\u{1FFFF}').contains(&c) => 1_300,
        None => 1_000,
    }
}

/// The text where there is room for it; its beginning with an ellipsis where there is not.
pub(super) fn shortened(text: &str, size: f64, room: f64) -> Cow<'_, str> {
    if width(text, size) <= room {
        return Cow::Borrowed(text);
    }
    let room = room - width("…", size);
    let mut taken = 0.0;
    let fits = |(_, c): &(usize, char)| {
        taken += f64::from(thousandths(*c)) / 1e3 * size;
        taken > room
    };
    let end = text.char_indices().find(fits).map_or(text.len(), |(at, _)| at);
    match text[..end].trim_end() {
        "" => Cow::Borrowed(""),
        beginning => Cow::Owned(format!("{beginning}…")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANEL: Area = Area { left: 0.0, right: 100.0, top: 0.0, bottom: 50.0 };

    fn area(x: f64, baseline: f64, text: &str) -> Area {
        Area::of_text(x, baseline, Anchor::Middle, width(text, 10.0), 10.0)
    }

    #[test]
    fn no_two_labels_overlap_and_none_leaves_the_panel() {
        let mut labels = Labels::default();
        assert!(labels.take(area(50.0, 20.0, "12.3"), PANEL));
        assert!(!labels.take(area(55.0, 22.0, "12.3"), PANEL));
        assert!(labels.take(area(50.0, 40.0, "12.3"), PANEL));
        assert!(!labels.take(area(99.0, 20.0, "推荐"), PANEL));
        labels.keep_clear(10.0, 10.0);
        assert!(!labels.take(area(10.0, 12.0, "1"), PANEL));
        labels.crossed_by(&[(60.0, 0.0), (100.0, 30.0)]);
        assert!(!labels.is_clear(area(80.0, 18.0, "1")));
        assert!(labels.is_clear(area(80.0, 40.0, "1")));
    }

    /// Widths in Noto Sans CJK SC and in DejaVu Sans, in thousandths of the font's height, as their tables have them.
    #[test]
    fn no_text_is_wider_than_estimated() {
        let measured = [
            ("Output TPS", 5_382, 5_640),
            ("1320.6", 3_053, 3_498),
            ("P95 ≤ 2.0", 4_579, 4_939),
            ("C111", 2_303, 2_606),
            ("WWWmmm", 5_412, 5_889),
            ("首 Token 时延（TTFT）", 10_718, 11_094),
        ];
        for (text, noto, dejavu) in measured {
            let estimate = width(text, 1_000.0);
            assert!(estimate >= f64::from(noto.max(dejavu)), "{text}: {estimate}");
            assert!(estimate <= f64::from(noto.max(dejavu)) * 1.1, "{text}: {estimate}");
        }
    }

    #[test]
    fn what_does_not_fit_ends_in_an_ellipsis() {
        assert_eq!(shortened("首 Token 时延", 10.0, 200.0), "首 Token 时延");
        assert_eq!(shortened("首 Token 时延", 10.0, 59.0), "首 Token…");
        assert_eq!(shortened("首 Token 时延", 10.0, 12.0), "");
        for room in 0..80 {
            let room = f64::from(room);
            assert!(width(&shortened("端到端时延 E2E", 10.0, room), 10.0) <= room);
        }
    }
}
