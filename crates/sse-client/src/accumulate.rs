//! Text put together from deltas, whether each brings what is new or the whole so far.

/// Collects one text. Most services send what is new; some (MindIE with `fullTextEnabled`) send the whole text so
/// far in every event. As long as every delta begins with the one before, both readings are kept.
#[derive(Debug)]
pub(crate) struct Accumulator {
    /// The latest delta while `lengths` is kept, else the text so far.
    text: String,
    /// The length of every delta, while each was a prefix of the next.
    lengths: Option<Vec<usize>>,
    /// The service said itself that its deltas are the whole text.
    declared: bool,
    /// Nothing is collected.
    discards: bool,
}

impl Default for Accumulator {
    fn default() -> Self {
        Self { text: String::new(), lengths: Some(Vec::new()), declared: false, discards: false }
    }
}

impl Accumulator {
    /// Takes a delta. An empty one says nothing either way.
    pub(crate) fn push(&mut self, delta: &str) {
        if delta.is_empty() || self.discards {
            return;
        }
        match &mut self.lengths {
            Some(lengths) if delta.starts_with(&self.text) => {
                lengths.push(delta.len());
                self.text.push_str(&delta[self.text.len()..]);
            }
            Some(lengths) => {
                self.text = concatenate(&self.text, lengths);
                self.lengths = None;
                self.text.push_str(delta);
            }
            None => self.text.push_str(delta),
        }
    }

    pub(crate) fn declare_cumulative(&mut self) {
        self.declared = true;
    }

    /// Collects nothing from now on.
    pub(crate) fn discard(&mut self) {
        self.discards = true;
    }

    pub(crate) fn discards(&self) -> bool {
        self.discards
    }

    /// Whether the deltas were the whole text each. Ordinary deltas begin with the one before only by chance, so it
    /// takes two growing steps, or one over an opening too long for chance; or the service's own word.
    pub(crate) fn is_cumulative(&self) -> bool {
        const LONG_OPENING: usize = 12;
        let Some(lengths) = &self.lengths else { return false };
        let grown = lengths.windows(2).filter(|pair| pair[0] < pair[1]);
        let long = grown.clone().any(|pair| pair[0] >= LONG_OPENING);
        lengths.len() > 1 && (self.declared || long || grown.count() >= 2)
    }

    pub(crate) fn into_text(self) -> String {
        match &self.lengths {
            Some(lengths) if !self.is_cumulative() => concatenate(&self.text, lengths),
            _ => self.text,
        }
    }
}

fn concatenate(longest: &str, lengths: &[usize]) -> String {
    lengths.iter().map(|length| &longest[..*length]).collect()
}

#[cfg(test)]
mod tests {
    use super::Accumulator;

    fn check(deltas: &[&str], text: &str, cumulative: bool) {
        let mut accumulator = Accumulator::default();
        deltas.iter().for_each(|delta| accumulator.push(delta));
        assert_eq!(accumulator.is_cumulative(), cumulative, "{deltas:?}");
        assert_eq!(accumulator.into_text(), text, "{deltas:?}");
    }

    #[test]
    fn deltas_are_new_text_unless_every_one_begins_with_the_one_before() {
        check(&[], "", false);
        check(&["a"], "a", false);
        check(&["ha", "ha", "ha"], "hahaha", false);
        check(&["1", "10"], "110", false);
        check(&["He", "Hello", "Hello!"], "Hello!", true);
        check(&["", "He", "", "Hello", "Hello", "Hello!"], "Hello!", true);
        check(&["Hello, this is long", "Hello, this is long indeed"], "Hello, this is long indeed", true);
        check(&["a", "ab", "abc", "d"], "aababcd", false);
        check(&["你", "你好", "你好！"], "你好！", true);
    }
}
