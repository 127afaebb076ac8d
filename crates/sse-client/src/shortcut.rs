//! The short way through an event that differs from one before in its text alone.
//!
//! Nearly all events of a stream are equal byte for byte but for the few letters of a token. Once an event has been
//! decoded in full, and was found to do nothing but add text, what stands before and after that text is remembered. An
//! event with the same beginning and the same end, and between them nothing that could end a JSON string or escape in
//! one, is the same document with another text, so that decoding it in full would add that text and do nothing else.
//! Whatever is not surely so goes the long way.

use memchr::memchr2;

/// Which text an event adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adds {
    Content,
    Reasoning,
}

/// What the last such event looked like around its text.
#[derive(Debug)]
pub(crate) struct Shortcut {
    enabled: bool,
    before: Vec<u8>,
    after: Vec<u8>,
    /// `None` until there was one.
    adds: Option<Adds>,
}

impl Default for Shortcut {
    fn default() -> Self {
        Self { enabled: true, before: Vec::new(), after: Vec::new(), adds: None }
    }
}

impl Shortcut {
    pub(crate) fn disable(&mut self) {
        self.enabled = false;
    }

    /// The text that an event adds, where the short way holds. The text is never empty.
    pub(crate) fn text<'d>(&self, data: &'d [u8]) -> Option<(Adds, &'d str)> {
        let adds = self.adds?;
        let text = data.strip_prefix(self.before.as_slice())?.strip_suffix(self.after.as_slice())?;
        let plain =
            !text.is_empty() && memchr2(b'"', b'\\', text).is_none() && text.iter().all(|byte| *byte >= b' ');
        if plain { Some((adds, std::str::from_utf8(text).ok()?)) } else { None }
    }

    /// Remembers an event that does nothing but add `text`, which is a slice of `data`; one that is not is passed over.
    pub(crate) fn learn(&mut self, data: &str, text: &str, adds: Adds) {
        if !self.enabled {
            return;
        }
        let place = (text.as_ptr() as usize).wrapping_sub(data.as_ptr() as usize);
        let end = place.wrapping_add(text.len());
        let (Some(before), Some(after)) = (data.get(..place), data.get(end..)) else { return };
        if before.ends_with('"') && after.starts_with('"') && data.get(place..end) == Some(text) {
            replace(&mut self.before, before);
            replace(&mut self.after, after);
            self.adds = Some(adds);
        }
    }
}

fn replace(buffer: &mut Vec<u8>, text: &str) {
    buffer.clear();
    buffer.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Adds, Shortcut};

    fn learned() -> Shortcut {
        let data = r#"{"content":"one","rest":1}"#;
        let mut shortcut = Shortcut::default();
        shortcut.learn(data, &data[12..15], Adds::Content);
        shortcut
    }

    #[test]
    fn only_a_plain_text_between_the_same_bytes_takes_the_short_way() {
        let shortcut = learned();
        for (data, text) in [
            (r#"{"content":"two","rest":1}"#, Some("two")),
            (r#"{"content":"七","rest":1}"#, Some("七")),
            (r#"{"content":"","rest":1}"#, None),
            (r#"{"content":"a\n","rest":1}"#, None),
            (r#"{"content":"a","x":"","rest":1}"#, None),
            ("{\"content\":\"a\tb\",\"rest\":1}", None),
            (r#"{"content":"two","rest":2}"#, None),
            (r#"{"content":"","#, None),
            ("", None),
        ] {
            assert_eq!(shortcut.text(data.as_bytes()), text.map(|text| (Adds::Content, text)), "{data}");
        }
        assert_eq!(shortcut.text(b"{\"content\":\"\xff\",\"rest\":1}"), None);
        assert_eq!(Shortcut::default().text(b""), None);
    }

    #[test]
    fn a_text_that_is_no_slice_of_its_event_is_not_learned() {
        let mut shortcut = Shortcut::default();
        shortcut.learn(r#"{"content":"one"}"#, &String::from("one"), Adds::Content);
        assert_eq!(shortcut.text(br#"{"content":"two"}"#), None);
    }
}
