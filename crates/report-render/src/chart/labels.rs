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
}

impl Labels {
    /// Nothing taken yet of this rectangle.
    pub(super) fn within(left: f64, right: f64, top: f64, bottom: f64) -> Self {
        Self { frame: Taken { left, right, top, bottom }, taken: Vec::new() }
    }

    /// Takes the surroundings of a point, so that no label covers its marker.
    pub(super) fn keep_clear(&mut self, x: f64, y: f64) {
        self.taken.push(Taken { left: x - 4.0, right: x + 4.0, top: y - 4.0, bottom: y + 4.0 });
    }

    /// Takes the place of a label where it is free, and says whether it was.
    pub(super) fn place(&mut self, x: f64, baseline: f64, anchor: Anchor, text: &str, size: f64) -> bool {
        let width = width(text, size);
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let wanted =
            Taken { left, right: left + width, top: baseline - size * 0.85, bottom: baseline + size * 0.2 };
        let inside = wanted.left >= self.frame.left
            && wanted.right <= self.frame.right
            && wanted.top >= self.frame.top
            && wanted.bottom <= self.frame.bottom;
        let free = self.taken.iter().all(|taken| {
            wanted.right <= taken.left
                || wanted.left >= taken.right
                || wanted.bottom <= taken.top
                || wanted.top >= taken.bottom
        });
        if inside && free {
            self.taken.push(wanted);
        }
        inside && free
    }
}

/// Estimated width of text: a Chinese character is as wide as the font is high.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 0.6 } else { 1.0 }).sum::<f64>() * size
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
    }
}
