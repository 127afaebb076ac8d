//! Labels inside a panel, of which no two overlap.

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

/// A rectangle that is taken.
#[derive(Debug, Clone, Copy)]
struct Taken {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// What is taken of a panel.
#[derive(Debug)]
pub(super) struct Labels {
    frame: Taken,
    taken: Vec<Taken>,
    crossed: Vec<Taken>,
}

impl Labels {
    /// Nothing taken yet of this rectangle.
    pub(super) fn within(left: f64, right: f64, top: f64, bottom: f64) -> Self {
        Self { frame: Taken { left, right, top, bottom }, taken: Vec::new(), crossed: Vec::new() }
    }

    /// Takes the surroundings of a point, so that no label covers its marker.
    pub(super) fn keep_clear(&mut self, x: f64, y: f64) {
        self.taken.push(Taken { left: x - 4.0, right: x + 4.0, top: y - 4.0, bottom: y + 4.0 });
    }

    /// Remembers where a series runs, for labels that are to stand clear of it.
    pub(super) fn crossed_by(&mut self, run: &[(f64, f64)]) {
        for pair in run.windows(2) {
            let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
            let pieces = ((x2 - x1).abs().max((y2 - y1).abs()) / 4.0).ceil().max(1.0) as u32;
            for piece in 0..=pieces {
                let share = f64::from(piece) / f64::from(pieces);
                let (x, y) = (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share);
                self.crossed.push(Taken { left: x - 2.0, right: x + 2.0, top: y - 2.0, bottom: y + 2.0 });
            }
        }
    }

    /// Takes the place of a label where it is free, and says whether it was.
    pub(super) fn place(&mut self, x: f64, baseline: f64, anchor: Anchor, text: &str, size: f64) -> bool {
        let wanted = Taken::by_label(x, baseline, anchor, text, size);
        let free = wanted.is_inside(self.frame) && !self.taken.iter().any(|taken| wanted.overlaps(*taken));
        if free {
            self.taken.push(wanted);
        }
        free
    }

    /// The same for a label that no series may cross.
    pub(super) fn place_clear(
        &mut self,
        x: f64,
        baseline: f64,
        anchor: Anchor,
        text: &str,
        size: f64,
    ) -> bool {
        let wanted = Taken::by_label(x, baseline, anchor, text, size);
        !self.crossed.iter().any(|crossed| wanted.overlaps(*crossed))
            && self.place(x, baseline, anchor, text, size)
    }
}

impl Taken {
    fn by_label(x: f64, baseline: f64, anchor: Anchor, text: &str, size: f64) -> Self {
        let width = width(text, size);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        Self { left, right: left + width, top: baseline - size * 0.85, bottom: baseline + size * 0.2 }
    }

    fn is_inside(self, frame: Self) -> bool {
        self.left >= frame.left
            && self.right <= frame.right
            && self.top >= frame.top
            && self.bottom <= frame.bottom
    }

    fn overlaps(self, other: Self) -> bool {
        self.right > other.left
            && self.left < other.right
            && self.bottom > other.top
            && self.top < other.bottom
    }
}

/// Estimated width of text: a Chinese character is as wide as the font is high.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 0.58 } else { 1.0 }).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_labels_overlap_and_none_leaves_the_panel() {
        let mut labels = Labels::within(0.0, 100.0, 0.0, 50.0);
        assert!(labels.place(50.0, 20.0, Anchor::Middle, "12.3", 10.0));
        assert!(!labels.place(55.0, 22.0, Anchor::Middle, "12.3", 10.0));
        assert!(labels.place(50.0, 40.0, Anchor::Middle, "12.3", 10.0));
        assert!(!labels.place(99.0, 20.0, Anchor::Middle, "推荐", 10.0));
        labels.keep_clear(10.0, 10.0);
        assert!(!labels.place(10.0, 12.0, Anchor::Middle, "1", 10.0));
        labels.crossed_by(&[(60.0, 0.0), (100.0, 30.0)]);
        assert!(!labels.place_clear(80.0, 18.0, Anchor::Middle, "1", 10.0));
        assert!(labels.place(80.0, 18.0, Anchor::Middle, "1", 10.0));
    }
}
