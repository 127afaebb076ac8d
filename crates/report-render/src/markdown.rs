//! A document as Markdown (GitHub's dialect: tables, and otherwise nothing but CommonMark).

use crate::{
    chart::{Chart, Palette, STEMS, svg},
    document::{Align, Block, Callout, Cell, Document, Line, Pair, Section, Signatures, Style, Table, Tile},
    language::Language,
    template::{Template, TemplateError},
};

/// A field to fill in with a pen.
const OPEN: &str = "\\_\\_\\_\\_\\_\\_\\_\\_";

/// The document as Markdown. It links the charts by the names that [`charts`] gives them.
#[must_use]
pub fn render_markdown(document: &Document) -> String {
    page(document, None, None)
}

/// The same with the cover and the logo of a template. The logo is linked where a package keeps it.
///
/// # Errors
/// Where its cover cannot be written; with file and line.
pub fn render_markdown_with(document: &Document, template: &Template) -> Result<String, TemplateError> {
    let cover = template.markdown_cover(document)?;
    Ok(page(document, cover, template.logo().map(|logo| logo.beside())))
}

fn page(document: &Document, cover: Option<String>, logo: Option<String>) -> String {
    let mut out = Markdown { parts: Vec::new(), language: document.language };
    // Banner and notices stand above a company's own cover: no template takes them out.
    match cover {
        Some(cover) => {
            out.banner(document);
            document.notices.iter().for_each(|notice| out.callout(notice));
            out.add(cover.trim_end().to_owned());
        }
        None => {
            out.parts.extend(logo.map(|logo| format!("![]({logo})")));
            out.add(format!("# {} 〔{}〕", line(&document.title), escaped(&document.edition_name)));
            out.banner(document);
            out.add(line(&document.subtitle));
            document.notices.iter().for_each(|notice| out.callout(notice));
            out.pairs(&document.facts);
        }
    }
    for section in &document.sections {
        out.section(section, document.banner.is_some().then_some(document.edition_name.as_str()));
    }
    out.add("---".to_owned());
    out.add(format!("{} · {}", escaped(&document.edition_name), line(&document.footer)));
    let mut text = out.parts.join("\n\n");
    text.push('\n');
    text
}

/// The charts of the document as files beside its Markdown: name and SVG.
#[must_use]
pub fn charts(document: &Document) -> Vec<(String, String)> {
    of_document(document)
        .map(|chart| (file_name(chart, document.language), svg(chart, &Palette::PAPER)))
        .collect()
}

/// The same files without drawing them: name, and what the chart shows.
#[must_use]
pub fn chart_names(document: &Document) -> Vec<(String, String)> {
    of_document(document).map(|chart| (file_name(chart, document.language), chart.title.clone())).collect()
}

fn of_document(document: &Document) -> impl Iterator<Item = &Chart> {
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    blocks.filter_map(|block| match block {
        Block::Chart(chart) => Some(chart),
        _ => None,
    })
}

/// A file of this name is the chart of some document, of this package or of another one.
#[must_use]
pub fn is_chart_file(name: &str) -> bool {
    let mut names = Language::ALL.into_iter().flat_map(|l| STEMS.iter().map(move |stem| chart_file(stem, l)));
    names.any(|known| known == name)
}

fn file_name(chart: &Chart, language: Language) -> String {
    chart_file(chart.stem, language)
}

fn chart_file(stem: &str, language: Language) -> String {
    format!("{stem}.{}.svg", language.code())
}

struct Markdown {
    /// Blocks, which a blank line parts.
    parts: Vec<String>,
    language: Language,
}

impl Markdown {
    /// Two lists in a row would be read as one; a comment parts them.
    fn add(&mut self, part: String) {
        let is_list = |part: &str| part.starts_with("- ");
        if is_list(&part) && self.parts.last().is_some_and(|last| is_list(last)) {
            self.parts.push("<!-- -->".to_owned());
        }
        self.parts.push(part);
    }

    fn banner(&mut self, document: &Document) {
        self.parts.extend(document.banner.as_ref().map(|banner| format!("> **{}**", escaped(banner))));
    }

    fn section(&mut self, section: &Section, edition: Option<&str>) {
        let mark = edition.map_or_else(String::new, |edition| format!(" 〔{}〕", escaped(edition)));
        self.add(format!("## {}{mark}", escaped(&section.heading)));
        for block in &section.blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => self.add(format!("### {}", escaped(heading))),
            Block::Paragraph(words) => self.add(line(words)),
            Block::Note(words) => self.add(format!("> {}", line(words))),
            Block::List { ordered, items } => self.list(*ordered, items),
            Block::Pairs(pairs) => self.pairs(pairs),
            Block::Tiles(tiles) => self.tiles(tiles),
            Block::Table(table) => self.table(table),
            Block::Callout(callout) => self.callout(callout),
            Block::Chart(chart) => self.chart(chart),
            Block::Signatures(signatures) => self.signatures(signatures),
        }
    }

    fn list(&mut self, ordered: bool, items: &[Line]) {
        let marked = items.iter().enumerate().map(|(at, item)| {
            if ordered { format!("{}. {}", at + 1, line(item)) } else { format!("- {}", line(item)) }
        });
        self.add(marked.collect::<Vec<_>>().join("\n"));
    }

    /// A list of names and values is a list: a table without a heading does not exist in Markdown.
    fn pairs(&mut self, pairs: &[Pair]) {
        let colon = self.language.say(": ", "：");
        let items =
            pairs.iter().map(|pair| format!("- **{}**{colon}{}", escaped(&pair.name), line(&pair.value)));
        self.add(items.collect::<Vec<_>>().join("\n"));
    }

    fn tiles(&mut self, tiles: &[Tile]) {
        let colon = self.language.say(": ", "：");
        let items = tiles.iter().map(|tile| {
            let note = tile.note.as_deref().map_or_else(String::new, |note| {
                let note = escaped(note);
                self.language.say(format!(" ({note})"), format!("（{note}）"))
            });
            format!("- {}{colon}**{}**{note}", escaped(&tile.label), escaped(&tile.value))
        });
        self.add(items.collect::<Vec<_>>().join("\n"));
    }

    fn table(&mut self, table: &Table) {
        let heads = table.columns.iter().map(|column| match column.unit {
            Some(unit) => escaped(&format!("{} ({unit})", column.title)),
            None => escaped(&column.title),
        });
        let rules = table.columns.iter().map(|column| match column.align {
            Align::Left => "---",
            Align::Right => "---:",
        });
        let mut lines = vec![
            format!("| {} |", heads.collect::<Vec<_>>().join(" | ")),
            format!("|{}|", rules.collect::<Vec<_>>().join("|")),
        ];
        for row in &table.rows {
            lines.push(format!("| {} |", row.cells.iter().map(cell).collect::<Vec<_>>().join(" | ")));
        }
        self.add(format!("**{}**", escaped(&table.caption)));
        self.add(lines.join("\n"));
    }

    fn callout(&mut self, callout: &Callout) {
        let mut lines = vec![format!("> **{}**", escaped(callout.title.words().trim()))];
        for words in &callout.lines {
            lines.push(">".to_owned());
            lines.push(format!("> {}", line(words)));
        }
        self.add(lines.join("\n"));
    }

    fn chart(&mut self, chart: &Chart) {
        self.add(format!("![{}]({})", escaped(&chart.title), file_name(chart, self.language)));
        self.add(format!("> {}", line(&chart.caption)));
    }

    fn signatures(&mut self, signatures: &Signatures) {
        let colon = self.language.say(": ", "：");
        for party in &signatures.parties {
            let name = party.name.as_deref().map_or_else(|| OPEN.to_owned(), escaped);
            let mut lines = vec![format!("- **{}**{colon}{name}", escaped(&party.role))];
            let fields = signatures.fields.iter().chain([&signatures.seal]);
            lines.extend(fields.map(|field| format!("  - {}{colon}{OPEN}", escaped(field))));
            self.add(lines.join("\n"));
        }
    }
}

fn cell(cell: &Cell) -> String {
    if cell.to_fill {
        return OPEN.to_owned();
    }
    let words = in_cell(line(&cell.line));
    match &cell.below {
        Some(below) => format!("{words}<br>{}", in_cell(escaped(below))),
        None => words,
    }
}

/// Inside a table even a code span must escape its pipes. A pipe after an odd number of backslashes is escaped.
fn in_cell(words: String) -> String {
    let mut out = String::with_capacity(words.len());
    let mut backslashes = 0;
    for c in words.chars() {
        if c == '|' && backslashes % 2 == 0 {
            out.push('\\');
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        out.push(c);
    }
    out
}

fn line(line: &Line) -> String {
    let spans = line.spans();
    let mut text = String::new();
    for (at, span) in spans.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| spans[at].text().chars().next_back());
        let after = spans.get(at + 1).and_then(|next| next.text().chars().next());
        text += &match span.style() {
            Style::Plain => escaped(span.text()),
            Style::Code => code(span.text()),
            Style::Blank => OPEN.to_owned(),
            Style::Strong | Style::Mark(_) => strong(span.text(), before, after),
        };
    }
    safe_beginning(text.trim())
}

/// Marks of emphasis count only where they touch words, and in Chinese, which has no spaces, where no punctuation
/// stands between the words and a neighbouring letter. There one mark of punctuation stays outside.
fn strong(text: &str, before: Option<char>, after: Option<char>) -> String {
    let joined = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
    let punctuation = |c: char| !c.is_alphanumeric();
    let mut words = text.trim();
    if joined(before) {
        words = words.strip_prefix(punctuation).unwrap_or(words);
    }
    if joined(after) {
        words = words.strip_suffix(punctuation).unwrap_or(words);
    }
    let Some(at) = text.find(words).filter(|_| !words.is_empty()) else {
        return escaped(text);
    };
    format!("{}**{}**{}", escaped(&text[..at]), escaped(words), escaped(&text[at + words.len()..]))
}

/// Between more backticks than the text has in a row.
fn code(text: &str) -> String {
    if text.trim().is_empty() {
        return escaped(text);
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let room = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{room}{text}{room}{fence}")
}

/// Whatever Markdown, its HTML or its mathematics would read as a mark is escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in crate::document::legible(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A line that would begin as a heading, a list or a rule does not.
fn safe_beginning(text: &str) -> String {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut after = text[digits..].chars();
    let (mark, next) = (after.next(), after.next());
    let ends = next.is_none_or(char::is_whitespace);
    match mark {
        Some('#' | '-' | '+' | '=') if digits == 0 && !next.is_some_and(|c| c.is_ascii_digit()) => {
            format!("\\{text}")
        }
        Some('.' | ')') if digits > 0 && ends => format!("{}\\{}", &text[..digits], &text[digits..]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tone;

    #[test]
    fn marks_of_others_are_plain_text() {
        let cases = [
            ("a|b", "a\\|b"),
            ("*x* _y_", "\\*x\\* \\_y\\_"),
            ("<script>", "\\<script\\>"),
            ("a\nb", "a b"),
            ("# one", "\\# one"),
            ("1. one", "1\\. one"),
            ("1.5 s", "1.5 s"),
            ("-1", "-1"),
            ("- a", "\\- a"),
        ];
        for (given, written) in cases {
            assert_eq!(line(&given.into()), written);
        }
    }

    #[test]
    fn code_keeps_its_backticks_and_a_cell_its_pipes() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`a"), "`` `a ``");
        assert_eq!(cell(&Line::new().code("a|b").into()), "`a\\|b`");
        assert_eq!(cell(&Line::new().code("a\\\\|b").into()), "`a\\\\\\|b`");
        assert_eq!(cell(&"a|b".into()), "a\\|b");
    }

    #[test]
    fn emphasis_in_chinese_holds_beside_punctuation() {
        assert_eq!(line(&Line::new().strong("依据：").plain("规则")), "**依据**：规则");
        assert_eq!(line(&Line::new().strong("【通过】").plain(" 完整")), "**【通过】** 完整");
        assert_eq!(line(&Line::new().plain("C4 ").mark(Tone::Good, "推荐")), "C4 **推荐**");
    }
}
