//! The summary of a document for a terminal: plain text without colours, its columns aligned by how wide characters are
//! drawn.

use unicode_width::UnicodeWidthStr as _;

use crate::{
    document::{
        Align, Block, Callout, Cell, Column, Document, Line, Pair, Section, Style, Table, Tile, legible,
    },
    language::Language,
};

/// The sections that a summary has, in the order of the document. The document itself has them all.
const SHOWN: [&str; 5] = ["conclusion", "next-steps", "results", "criteria", "sla"];

/// Where a table would be wider than this many columns of the terminal, its longest words go below their rows.
const WIDEST: usize = 110;

/// What stands between columns.
const GAP: &str = "  ";

/// The document's summary as text for a terminal: notices, conclusion, what to do next, tiers, criteria and agreed limits,
/// without remarks, charts and places to sign.
///
/// Chinese characters are taken as two columns wide. Lines are not wrapped, so that they can be searched.
#[must_use]
pub fn render_terminal(document: &Document) -> String {
    let mut out = Vec::new();
    out.push(format!("{} 〔{}〕", words(&document.title), legible(&document.edition_name)));
    out.extend(document.banner.as_deref().map(legible));
    for notice in &document.notices {
        out.push(String::new());
        callout(&mut out, notice);
    }
    for shown in document.sections.iter().filter(|section| SHOWN.contains(&section.id)) {
        section(&mut out, shown, document.language);
    }
    out.push(String::new());
    out.push(words(&document.footer));
    out.iter().fold(String::new(), |mut text, line| {
        text.push_str(line.trim_end());
        text.push('\n');
        text
    })
}

fn section(out: &mut Vec<String>, section: &Section, l: Language) {
    out.extend([String::new(), legible(&section.heading)]);
    for part in &section.blocks {
        block(out, part, l);
    }
}

fn block(out: &mut Vec<String>, block: &Block, l: Language) {
    match block {
        Block::Heading(heading) => out.extend([String::new(), legible(heading)]),
        Block::Paragraph(line) => out.push(framed(line)),
        Block::List { ordered, items } => out.extend(items.iter().enumerate().map(|(at, item)| {
            if *ordered { format!("{}. {}", at + 1, framed(item)) } else { format!("- {}", framed(item)) }
        })),
        Block::Pairs(all) => pairs(out, all),
        Block::Tiles(all) => tiles(out, all),
        Block::Table(all) => table(out, all, l),
        Block::Callout(all) => callout(out, all),
        Block::Note(_) | Block::Chart(_) | Block::Signatures(_) => {}
    }
}

fn callout(out: &mut Vec<String>, callout: &Callout) {
    out.push(words(&callout.title));
    out.extend(callout.lines.iter().map(|line| format!("{GAP}{}", words(line))));
}

fn pairs(out: &mut Vec<String>, pairs: &[Pair]) {
    let rows = pairs.iter().map(|pair| vec![vec![legible(&pair.name)], vec![words(&pair.value)]]);
    grid(out, &[Align::Left; 2], &rows.collect::<Vec<_>>());
}

fn tiles(out: &mut Vec<String>, tiles: &[Tile]) {
    let rows = tiles.iter().map(|tile| {
        let cells = [Some(&tile.label), Some(&tile.value), tile.note.as_ref()];
        cells.map(|cell| vec![cell.map_or_else(String::new, |cell| legible(cell))]).to_vec()
    });
    grid(out, &[Align::Left, Align::Right, Align::Left], &rows.collect::<Vec<_>>());
}

/// A cell is one or more lines below each other.
type Lines = Vec<String>;

fn table(out: &mut Vec<String>, table: &Table, l: Language) {
    // A place for a pen is none on a terminal.
    let open = |at: usize| table.rows.iter().all(|row| row.cells.get(at).is_some_and(|cell| cell.to_fill));
    let kept: Vec<usize> =
        (0..table.columns.len()).filter(|at| table.rows.is_empty() || !open(*at)).collect();
    let column = |at: &usize| &table.columns[*at];
    let mut rows = vec![kept.iter().map(|at| head(column(at))).collect::<Vec<Lines>>()];
    rows.extend(table.rows.iter().map(|row| {
        kept.iter().map(|at| row.cells.get(*at).map_or_else(Lines::new, cell)).collect::<Vec<Lines>>()
    }));
    let mut aligns: Vec<Align> = kept.iter().map(|at| column(at).align).collect();
    let mut below: Vec<Vec<Lines>> = vec![Vec::new(); rows.len()];
    while let Some(at) = to_move(&aligns, &rows) {
        aligns.remove(at);
        for (row, below) in rows.iter_mut().zip(&mut below) {
            below.push(row.remove(at));
        }
    }
    out.push(legible(&table.caption));
    let colon = l.say(": ", "：");
    for (at, (lines, moved)) in lay_out(&aligns, &rows).into_iter().zip(&below).enumerate() {
        out.extend(lines);
        if at > 0 {
            for (head, cell) in below[0].iter().zip(moved) {
                let named = cell.iter().enumerate().map(|(nth, line)| match head.first() {
                    Some(head) if nth == 0 => format!("{GAP}{GAP}{head}{colon}{line}"),
                    _ => format!("{GAP}{GAP}{line}"),
                });
                out.extend(named);
            }
        }
    }
}

/// The widest column of words but the first, where the table is too wide.
fn to_move(aligns: &[Align], rows: &[Vec<Lines>]) -> Option<usize> {
    let widths = widths(aligns.len(), rows);
    let gaps = GAP.len() * widths.len().saturating_sub(1);
    if widths.iter().sum::<usize>() + gaps <= WIDEST {
        return None;
    }
    (1..aligns.len()).filter(|at| aligns[*at] == Align::Left).max_by_key(|at| widths[*at])
}

fn head(column: &Column) -> Lines {
    let unit = column.unit.map(legible);
    std::iter::once(legible(&column.title)).chain(unit).collect()
}

fn cell(cell: &Cell) -> Lines {
    std::iter::once(words(&cell.line)).chain(cell.below.as_deref().map(legible)).collect()
}

/// Rows below each other, indented.
fn grid(out: &mut Vec<String>, aligns: &[Align], rows: &[Vec<Lines>]) {
    let lines = lay_out(aligns, rows).into_iter().flatten();
    out.extend(lines.map(|line| format!("{GAP}{line}")));
}

/// The lines of every row, each cell as wide as its column.
fn lay_out(aligns: &[Align], rows: &[Vec<Lines>]) -> Vec<Lines> {
    let widths = widths(aligns.len(), rows);
    let line = |row: &Vec<Lines>, nth: usize| {
        let cells = row.iter().zip(aligns).zip(&widths).map(|((cell, align), width)| {
            let text = cell.get(nth).map_or("", String::as_str);
            let room = " ".repeat(width - text.width());
            match align {
                Align::Left => format!("{text}{room}"),
                Align::Right => format!("{room}{text}"),
            }
        });
        cells.collect::<Vec<_>>().join(GAP)
    };
    let height = |row: &Vec<Lines>| row.iter().map(Vec::len).max().unwrap_or(0);
    rows.iter().map(|row| (0..height(row)).map(|nth| line(row, nth)).collect()).collect()
}

fn widths(columns: usize, rows: &[Vec<Lines>]) -> Vec<usize> {
    let widest = |at: usize| {
        let lines = rows.iter().filter_map(|row| row.get(at)).flatten();
        lines.map(|line| line.width()).max().unwrap_or(0)
    };
    (0..columns).map(widest).collect()
}

fn words(line: &Line) -> String {
    line.words().trim().to_owned()
}

/// The words of a line that has no column of its own for marks: brackets stand for their frames.
fn framed(line: &Line) -> String {
    let spans = line.spans().iter().map(|span| match span.style() {
        Style::Mark(_) => format!("[{}]", span.text()),
        _ => span.text().to_owned(),
    });
    spans.collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Row, Tone};

    fn written(write: impl FnOnce(&mut Vec<String>)) -> Vec<String> {
        let mut out = Vec::new();
        write(&mut out);
        out
    }

    #[test]
    fn columns_stand_below_each_other_whatever_their_script() {
        let rows = [("C4 推荐", "1.5"), ("C16", "12.5")].map(|(name, figure)| Row::of([name, figure]));
        let sample = Table {
            caption: "档位".to_owned(),
            columns: vec![Column::left("并发"), Column::right("时延").in_unit("s")],
            rows: rows.to_vec(),
        };
        let lines = written(|out| table(out, &sample, Language::En));
        assert_eq!(lines, ["档位", "并发     时延", "            s", "C4 推荐   1.5", "C16      12.5"]);
    }

    #[test]
    fn long_words_go_below_their_row_and_places_for_a_pen_are_left_out() {
        let long = "x".repeat(WIDEST);
        let cells = [Cell::from("a"), long.as_str().into(), Cell::from("b").below("c"), Cell::open()];
        let sample = Table {
            caption: String::new(),
            columns: ["one", "two", "three", "signs"].map(Column::left).to_vec(),
            rows: vec![Row::of(cells)],
        };
        let lines = written(|out| table(out, &sample, Language::En));
        assert_eq!(lines[1..], ["one  three", "a    b    ", "     c    ", &format!("    two: {long}")]);
    }

    #[test]
    fn nothing_that_a_terminal_obeys_comes_through() {
        let title = Line::from("a\u{1b}[31m");
        let lines = written(|out| callout(out, &Callout { tone: Tone::Bad, title, lines: Vec::new() }));
        assert_eq!(lines, ["a\u{FFFD}[31m"]);
    }
}
