//! Text that every embedded font together can show.
//!
//! PDF/A fails on a single glyph that no font has. Names come from anywhere, and none may cost a report: what cannot be
//! shown is told by its code point, such as `〓U+1F680`, which can be looked up.

use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::fonts::FONTS;

/// Stands for a character that cannot be shown: the printer's own sign for a missing type.
const GETA: char = '〓';

/// The same text, with a note in place of each character that no font has.
pub(crate) fn showable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for cluster in text.graphemes(true) {
        // A selector of variants is nothing to be seen. Without its variant the character itself is shown.
        let characters = cluster.chars().filter(|c| !is_variation_selector(*c));
        if characters.clone().all(may_be_shown) && FONTS.cover(characters.clone()) {
            out.extend(characters);
        } else {
            characters.for_each(|c| put(&mut out, c));
        }
    }
    out
}

/// The same document, each text as `shown` gives it. Keys are our own.
pub(crate) fn show_document(value: &mut Value, shown: fn(&str) -> String) {
    match value {
        Value::String(text) => *text = shown(text),
        Value::Array(members) => members.iter_mut().for_each(|member| show_document(member, shown)),
        Value::Object(members) => members.values_mut().for_each(|member| show_document(member, shown)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The same text, with a note in place of each character that the main font alone does not show: for drawings, in which no
/// other font steps in, and for texts that the fonts show one by one and not together.
pub(crate) fn showable_by_main(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || (may_be_shown(c) && !is_mark(c) && FONTS.main_covers(c)) {
            out.push(c);
        } else if !is_variation_selector(c) {
            note(&mut out, c);
        }
    }
    out
}

/// A character of a cluster that no font has as a whole. A mark that would be put on another character stands alone then,
/// and is noted.
fn put(out: &mut String, c: char) {
    if !is_mark(c) && may_be_shown(c) && FONTS.cover(std::iter::once(c)) {
        out.push(c);
    } else {
        note(out, c);
    }
}

fn note(out: &mut String, c: char) {
    out.push(GETA);
    out.push_str(&format!("U+{:04X}", u32::from(c)));
}

/// It is set on the character before it, or joined to it.
fn is_mark(c: char) -> bool {
    format!("a{c}").graphemes(true).count() == 1
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Private use means nothing to a reader, and archives refuse it; controls have no glyph.
fn may_be_shown(c: char) -> bool {
    let private = matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    !private && !separator && !c.is_control() && !matches!(c, '\u{FFFE}' | '\u{FFFF}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::showable;

    #[test]
    fn what_a_font_has_stays() {
        for text in ["龘喆镕玥堃 𠮷野家", "Ångström A\u{30A}", "Приложение", "C4 ≤ 8.0 s – “推荐”【通过】"]
        {
            assert_eq!(showable(text), text);
        }
    }

    #[test]
    fn what_no_font_has_is_told_by_its_code_point() {
        let cases = [
            ("智能🚀平台", "智能〓U+1F680平台"),
            ("الذ", "〓U+0627〓U+0644〓U+0630"),
            ("中\u{30A}", "中〓U+030A"),
            ("\u{E123}", "〓U+E123"),
            ("\u{7}", "〓U+0007"),
            ("✓\u{FE0F}", "✓"),
        ];
        for (given, shown) in cases {
            assert_eq!(showable(given), shown);
        }
    }
}
