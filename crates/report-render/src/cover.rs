//! What a written cover may hold, so that it cannot take away what stands after it.

use crate::toml_text::line_at;

/// What is wrong with a written cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoverFault {
    /// The piece of the cover that is at fault.
    piece: String,
    /// The line of the written cover, counted from 1.
    written_line: usize,
    why: String,
}

impl CoverFault {
    fn at(text: &str, at: usize, piece: &str, why: impl Into<String>) -> Self {
        let piece = piece.lines().next().unwrap_or_default().chars().take(60).collect();
        Self { piece, written_line: line_at(text, at), why: why.into() }
    }

    /// The line of the template's source, where the piece stands in it once, and what is wrong.
    pub(crate) fn told(&self, source: &str) -> (Option<usize>, String) {
        let Self { piece, written_line, why } = self;
        match source.match_indices(piece.as_str()).collect::<Vec<_>>().as_slice() {
            [(at, _)] => (Some(line_at(source, *at)), format!("{piece}: {why}")),
            _ => (None, format!("{piece} (line {written_line} of what it writes): {why}")),
        }
    }
}

/// Most elements inside each other: some browsers end elements of their own accord where there are hundreds.
const DEEPEST: usize = 32;

/// Elements that have no end.
const EMPTY: [&str; 3] = ["br", "hr", "img"];
const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
const INLINE: [&str; 9] = ["span", "strong", "em", "b", "i", "small", "sub", "sup", "u"];
const BLOCKS: [&str; 7] = ["div", "p", "ul", "ol", "dl", "table", "blockquote"];
/// Those of the usual cover. None of them hides anything, or takes it out of its place.
const CLASSES: [&str; 6] = ["edition", "subtitle", "pairs", "facts", "blank", "logo"];

/// Checks that a cover in HTML is balanced, and holds only elements and attributes that do no harm.
///
/// What passes is read by every browser as the very elements that are written: no element ends another one, and none is
/// still open at the end.
pub(crate) fn check_html(text: &str) -> Result<(), CoverFault> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find('<').map(|found| from + found) {
        let Some(length) = tag_length(&text[at..]) else {
            return Err(CoverFault::at(
                text,
                at,
                &text[at..],
                "it is no whole tag (write `<` as text as `&lt;`)",
            ));
        };
        let tag = &text[at..at + length];
        let fault = |why: String| CoverFault::at(text, at, tag, why);
        from = at + length;
        if let Some(name) = tag.strip_prefix("</") {
            let name = name.trim_end_matches('>').trim_end();
            match open.pop() {
                Some((expected, _)) if expected == name => {}
                Some((expected, _)) => return Err(fault(format!("</{expected}> has to come before it"))),
                None => return Err(fault("there is nothing for it to end".to_owned())),
            }
            continue;
        }
        let name = check_attributes(tag).map_err(fault)?;
        if open.len() == DEEPEST {
            return Err(fault(format!("it stands in more than {DEEPEST} elements")));
        }
        let above: Vec<&str> = open.iter().rev().map(|(name, _)| *name).collect();
        if !may_stand(name, &above) {
            return Err(fault(match above.first() {
                Some(parent) => format!("a cover cannot have it inside <{parent}>"),
                None => "a cover cannot have it".to_owned(),
            }));
        }
        if !EMPTY.contains(&name) {
            open.push((name, at));
        }
    }
    match open.pop() {
        Some((name, at)) => {
            let tag = &text[at..];
            let tag = &tag[..tag_length(tag).unwrap_or(tag.len())];
            Err(CoverFault::at(text, at, tag, format!("it is not ended by </{name}>")))
        }
        None => Ok(()),
    }
}

/// Bytes of the tag that a text begins with.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text.char_indices().skip(1) {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (_, '<') => return None,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

/// The name of a tag that begins an element, if its attributes are in order.
fn check_attributes(tag: &str) -> Result<&str, String> {
    let inside = &tag[1..tag.len() - 1];
    let name_ends = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, mut rest) = inside.split_at(name_ends);
    if EMPTY.contains(&name) {
        rest = rest.strip_suffix('/').unwrap_or(rest);
    }
    loop {
        let attribute = rest.trim_ascii_start();
        if attribute.is_empty() {
            return Ok(name);
        }
        let whole = (attribute.len() < rest.len()).then(|| attribute.split_once('=')).flatten();
        let value = whole.and_then(|(key, value)| {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, rest) = value[1..].split_once(quote)?;
            Some((key, value, rest))
        });
        let Some((key, value, after)) = value else {
            return Err("its attributes are not all written as name=\"value\"".to_owned());
        };
        if !is_harmless(name, key, value) {
            return Err(format!("a cover cannot have this attribute: {key}=\"{}\"", start_of(value)));
        }
        rest = after;
    }
}

fn start_of(value: &str) -> String {
    value.chars().take(40).collect()
}

fn is_harmless(element: &str, attribute: &str, value: &str) -> bool {
    let number = |most: usize| {
        !value.is_empty() && value.len() <= most && value.bytes().all(|byte| byte.is_ascii_digit())
    };
    match (element, attribute) {
        (_, "class") => value.split_ascii_whitespace().all(|class| CLASSES.contains(&class)),
        // The slash is escaped where the address comes from `{{ logo }}`.
        ("img", "src") => value.starts_with("data:image/") || value.starts_with("data:image&#x2f;"),
        ("img", "alt") => true,
        ("img", "width" | "height") => number(3),
        ("td" | "th", "colspan" | "rowspan") => number(2),
        _ => false,
    }
}

/// Whether an element may stand inside those above it, the innermost first.
fn may_stand(name: &str, above: &[&str]) -> bool {
    let inline = INLINE.contains(&name) || matches!(name, "br" | "img");
    let block = inline || name == "hr" || HEADINGS.contains(&name) || BLOCKS.contains(&name);
    match above {
        [] | ["blockquote" | "li" | "dd" | "td" | "th", ..] => block,
        ["div", "dl", ..] => matches!(name, "dt" | "dd"),
        ["div", ..] => block,
        ["ul" | "ol", ..] => name == "li",
        ["dl", ..] => matches!(name, "dt" | "dd" | "div"),
        ["table", ..] => matches!(name, "caption" | "thead" | "tbody" | "tr"),
        ["thead" | "tbody", ..] => name == "tr",
        ["tr", ..] => matches!(name, "td" | "th"),
        // Paragraphs, headings, terms, captions, and words in a line.
        _ => inline,
    }
}

/// Marks that can swallow what follows them in one reader of Markdown or another.
const SWALLOWING: [&str; 3] = ["```", "~~~", "$$"];

/// Checks that a cover in Markdown has neither HTML nor a block that goes on after it.
pub(crate) fn check_markdown(text: &str) -> Result<(), CoverFault> {
    let fault = |at: usize, why: &str| {
        let piece = text[at..].split_whitespace().next().unwrap_or_default();
        Err(CoverFault::at(text, at, piece, why))
    };
    let escaped = |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    if let Some((at, _)) = text.match_indices('<').find(|(at, _)| !escaped(*at)) {
        return fault(at, "a cover in Markdown cannot have HTML (write `<` as text as `\\<`)");
    }
    if let Some(at) = SWALLOWING.iter().filter_map(|mark| text.find(mark)).min() {
        return fault(at, "a cover in Markdown cannot have blocks of code or formulas");
    }
    let start = text.len() - text.trim_start().len();
    if text[start..].starts_with("---") || text[start..].starts_with("+++") {
        return fault(start, "a cover in Markdown cannot begin with what is read as data about the page");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_balanced_and_harmless_may_stand_in_html() {
        for text in [
            "a &lt; b",
            "<p class=\"edition\">a<br>b<br/><strong>c <em>d</em></strong></p>",
            "<dl class='pairs facts'><div><dt>a</dt><dd><span class=\"blank\"></span></dd></div></dl>",
            "<table><caption>a</caption><tr><th colspan=\"2\">b</th></tr></table>",
            "<div><ul><li>a<ul><li>b</li></ul></li></ul></div><hr>",
            "<img src=\"data:image&#x2f;png;base64,AA==\" alt=\"a > b\" width=\"160\" />",
        ] {
            assert_eq!(check_html(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn what_could_hide_or_load_something_may_not() {
        let deep = "<div>".repeat(33) + &"</div>".repeat(33);
        for text in [
            "<div hidden></div>",
            "<div>",
            "</div>",
            "<p><strong></p></strong>",
            "<!-- a",
            "<!-- a -->",
            "<template>",
            "<style></style>",
            "<script></script>",
            "<meta http-equiv=\"refresh\" content=\"0\">",
            "<a href=\"https://example.com\">a</a>",
            "<p style=\"a\"></p>",
            "<p id=\"report\"></p>",
            "<p onclick=\"a\"></p>",
            "<p class=\"watermark\"></p>",
            "<p class=edition></p>",
            "<p class=\"edition\"hidden></p>",
            "<p class=\"edition></p>",
            "<P></P>",
            "<p/>",
            "<img src=\"https://example.com/a.png\">",
            "<img src=\"data:image/png;base64,AA==\" width=\"9999\">",
            // A browser ends one of these by itself, and the end that is written then ends something outside.
            "<p><div></div></p>",
            "<table><div><table></table></div></table>",
            "<dl><dd><div><dt></dt></div></dd></dl>",
            "<ul><div><li></li></div></ul>",
            "<td></td>",
            &deep,
            "a < b",
            "<",
        ] {
            assert!(check_html(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_markdown_goes_on_after_the_cover() {
        for text in ["# a \\< b\n\n- `c`\n\n---\n", "~~a~~ $b$", ""] {
            assert_eq!(check_markdown(text), Ok(()), "{text}");
        }
        for text in [
            "<div hidden>",
            "a\\\\<!--",
            "- a\n  ```\n- b\n```\n",
            "> ~~~~",
            "$$\nx",
            "\n---\ntitle: a",
            "`<b>`",
        ] {
            assert!(check_markdown(text).is_err(), "{text}");
        }
    }
}
