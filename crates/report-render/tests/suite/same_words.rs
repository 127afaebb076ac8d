//! Markdown and HTML say the same: every word of the document in its order, and no word beside them.

use report_render::{
    Block, Callout, Document, Language, Line, Material, Pair, Table, render_html, render_markdown, specimens,
    workload_document,
};

#[test]
fn markdown_and_html_say_what_the_document_says_and_nothing_else() {
    for material in [
        specimens::passed(),
        specimens::failed(),
        specimens::interrupted(),
        specimens::one_tier(),
        specimens::demonstration(),
    ] {
        for language in Language::ALL {
            check(&material, language);
        }
    }
}

fn check(material: &Material, language: Language) {
    check_document(&Document::new(material, language));
}

#[test]
fn they_say_the_same_of_a_profile() {
    for (name, profile) in specimens::profiles().into_iter().filter(|(name, _)| *name != "crowd") {
        for language in Language::ALL {
            let document = workload_document(&profile, &specimens::workload_facts(), language);
            assert!(document.sections.len() == 8, "{name}");
            check_document(&document);
        }
    }
}

fn check_document(document: &Document) {
    let words = Words::of(document);
    let (markdown, html) = (render_markdown(document), render_html(document));
    follow(&words.all, &plain_markdown(&markdown), &document.edition_name);
    follow(&words.all, &plain_html(&html), &document.edition_name);
}

/// Walks a text by the words of the document. What stands between two of them has no letter or digit of its own, but
/// the edition's name, which every heading bears.
fn follow(words: &[String], text: &str, edition: &str) {
    let edition = bare(edition);
    let mut rest = text;
    for expected in words {
        let at = rest.find(expected.as_str()).unwrap_or_else(|| {
            let near: String = rest.chars().take(200).collect();
            panic!("{expected:?} is missing before {near:?}")
        });
        silent(&rest[..at], &edition);
        rest = &rest[at + expected.len()..];
    }
    silent(rest, &edition);
}

fn silent(between: &str, edition: &str) {
    let left = between.replace(edition, "");
    assert!(!left.contains(char::is_alphanumeric), "said beside the document: {between:?}");
}

/// The letters, digits and signs of a text, without room and without the marks of Markdown.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '*' | '`' | '\\' | '_' | '|' | '>')).collect()
}

struct Words {
    all: Vec<String>,
}

impl Words {
    fn of(document: &Document) -> Self {
        let mut words = Self { all: Vec::new() };
        words.line(&document.title);
        if let Some(banner) = &document.banner {
            words.banner(banner);
        }
        words.line(&document.subtitle);
        document.notices.iter().for_each(|notice| words.callout(notice));
        words.pairs(&document.facts);
        for section in &document.sections {
            words.text(&section.heading);
            section.blocks.iter().for_each(|block| words.block(block));
        }
        words.line(&document.footer);
        words
    }

    /// It stands above the title in HTML and below it in Markdown; that it is there, another test says.
    fn banner(&mut self, _: &str) {}

    fn text(&mut self, text: &str) {
        let text = bare(text);
        if !text.is_empty() {
            self.all.push(text);
        }
    }

    fn line(&mut self, line: &Line) {
        self.text(&line.words());
    }

    fn pairs(&mut self, pairs: &[Pair]) {
        for pair in pairs {
            self.text(&pair.name);
            self.line(&pair.value);
        }
    }

    fn callout(&mut self, callout: &Callout) {
        self.line(&callout.title);
        callout.lines.iter().for_each(|line| self.line(line));
    }

    fn table(&mut self, table: &Table) {
        self.text(&table.caption);
        for column in &table.columns {
            self.text(&column.title);
            self.text(column.unit.unwrap_or_default());
        }
        for cell in table.rows.iter().flat_map(|row| &row.cells) {
            self.line(&cell.line);
            self.text(cell.below.as_deref().unwrap_or_default());
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(heading) => self.text(heading),
            Block::Paragraph(line) | Block::Note(line) => self.line(line),
            Block::List { items, .. } => items.iter().for_each(|item| self.line(item)),
            Block::Pairs(pairs) => self.pairs(pairs),
            Block::Tiles(tiles) => {
                for tile in tiles {
                    self.text(&tile.label);
                    self.text(&tile.value);
                    self.text(tile.note.as_deref().unwrap_or_default());
                }
            }
            Block::Table(table) => self.table(table),
            Block::Callout(callout) => self.callout(callout),
            Block::Chart(chart) => self.line(&chart.caption),
            Block::Signatures(signatures) => {
                for party in &signatures.parties {
                    self.text(&party.role);
                    self.text(party.name.as_deref().unwrap_or_default());
                    signatures.fields.iter().for_each(|field| self.text(field));
                    self.text(&signatures.seal);
                }
            }
        }
    }
}

/// Markdown without what is no word of it: numbers of steps, links to charts, the banner.
fn plain_markdown(markdown: &str) -> String {
    let banner = |line: &str| {
        line.starts_with("> **") && (line.contains("内部版 · ") || line.contains("INTERNAL EDITION"))
    };
    let step = |line: &str| {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() < line.len() {
            rest.strip_prefix(". ").unwrap_or(line).to_owned()
        } else {
            line.to_owned()
        }
    };
    let lines = markdown.lines().filter(|line| !line.starts_with("![") && !banner(line)).map(step);
    bare(&lines.collect::<Vec<_>>().join("\n").replace("<br>", " "))
}

/// The text of the page's body, without the table of contents and the drawing of a chart.
fn plain_html(html: &str) -> String {
    let body = html.split_once("<header>").expect("the page has a head").1;
    let (cover, rest) = body.split_once("<nav").expect("the page has contents");
    let body = [cover, rest.split_once("</nav>").expect("every mark is closed").1].concat();
    let body = body.as_str();
    let mut text = String::new();
    let mut rest = body;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("<svg") { "</svg>" } else { ">" };
        rest = rest[at..].split_once(end).expect("every mark is closed").1;
    }
    text.push_str(rest);
    let entities =
        [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&#38;", "&")];
    bare(&entities.iter().fold(text, |text, (entity, sign)| text.replace(entity, sign)))
}
