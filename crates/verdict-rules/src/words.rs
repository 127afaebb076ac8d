//! How lists and counts are written inside sentences.

use crate::{number, text::Text};

/// `C1, C2 and C4`, `C1、C2、C4`.
pub(crate) fn tiers(concurrencies: &[u32]) -> Text {
    list(&concurrencies.iter().map(|tier| Text::verbatim(number::tier(*tier))).collect::<Vec<_>>())
}

/// Items as a list inside a sentence.
pub(crate) fn list(items: &[Text]) -> Text {
    let zh: Vec<&str> = items.iter().map(|item| item.zh.as_str()).collect();
    let en = match items {
        [] => String::new(),
        [only] => only.en.clone(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(|item| item.en.as_str()).collect();
            format!("{} and {}", first.join(", "), last.en)
        }
    };
    Text::new(en, zh.join("、"))
}

/// `1 request`, `20 requests`.
pub(crate) fn requests(count: u64) -> String {
    plural(count, "request")
}

/// A count with its English noun.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// `was` after one, `were` after several.
pub(crate) fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_like_lists() {
        assert_eq!(tiers(&[1]), Text::verbatim("C1"));
        assert_eq!(tiers(&[1, 2, 4]), Text::new("C1, C2 and C4", "C1、C2、C4"));
        assert_eq!(requests(1), "1 request");
        assert_eq!(requests(0), "0 requests");
    }
}
