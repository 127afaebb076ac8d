//! Text of any origin: nothing that anybody is called costs a report.

use proptest::prelude::*;
use report_pdf::{PdfOptions, PdfStandard, render_pdf};
use report_render::{
    Across, Block, Callout, Cell, Chart, Column, Document, Language, Limit, Line, Pair, Panel, Panels, Plot,
    Row, Section, Series, Table, Tone, specimens,
};

/// Marks that are set on others, joiners, signs of direction, selectors, emoji of several characters, scripts that no font
/// here has or that are written joined, private use, controls.
const AWKWARD: &str = "\u{301}\u{30A}\u{20DD}\u{200D}\u{200B}\u{AD}\u{2060}\u{202E}\u{FE0F}\u{E0100}👨👩👧🇨🇳❤️🏳\u{1F3FD}\
    العربيةעבריתहिन्दीไทย한국어\u{1100}\u{1161}\u{11A8}𠮷龘㐂𪚥ﬁﬀ①㈱㍿\u{E000}\u{F8FF}\u{10FFFD}\u{FFFE}\u{FFFD}\u{0}\u{7}\u{1B}\u{85}\
    \u{2028}\u{3000}\u{A0}⌈√∑⟨→✓✗“”‘’—…·–<>&#*_`$\\/@中aÅ";

fn text() -> impl Strategy<Value = String> {
    let awkward: Vec<char> = AWKWARD.chars().collect();
    let character = prop_oneof![3 => proptest::sample::select(awkward), 1 => any::<char>()];
    proptest::collection::vec(character, 0..40).prop_map(String::from_iter)
}

/// A short document that says this in every place and in every style.
fn saying(text: &str) -> Document {
    let line = Line::new().plain(text).strong(text).code(text).mark(Tone::Bad, text);
    let table = Table {
        caption: text.to_owned(),
        columns: vec![Column::left(text), Column::right(text)],
        rows: vec![Row::of([Cell::from(line.clone()), Cell::from(text).below(text)])],
    };
    let panel = Panel {
        title: text.to_owned(),
        unit: "s",
        series: vec![Series { name: text.to_owned(), values: vec![Some(1.0), None] }],
        limits: vec![Limit { label: text.to_owned(), value: 2.0, at: None }],
        reach: 0.0,
    };
    let chart = Chart {
        stem: "trend",
        title: text.to_owned(),
        description: format!("{text}."),
        caption: line.clone(),
        plot: Plot::Panels(Panels {
            axis: text.to_owned(),
            across: Across::Tiers(vec![text.to_owned(), "C2".to_owned()]),
            guides: Vec::new(),
            panels: vec![panel],
        }),
    };
    let callout = Callout { tone: Tone::Unsure, title: line.clone(), lines: vec![line.clone()] };
    let blocks = vec![
        Block::Heading(text.to_owned()),
        Block::Paragraph(line.clone()),
        Block::List { ordered: true, items: vec![line.clone()] },
        Block::Pairs(vec![Pair { name: text.to_owned(), value: line.clone() }]),
        Block::Table(table),
        Block::Callout(callout.clone()),
        Block::Chart(chart),
    ];
    Document {
        title: line.clone(),
        subtitle: line.clone(),
        edition_name: text.to_owned(),
        banner: Some(text.to_owned()),
        notices: vec![callout],
        facts: vec![Pair { name: text.to_owned(), value: line.clone() }],
        sections: vec![Section { id: "conclusion", heading: format!("1 {text}"), blocks }],
        footer: line,
        ..Document::new(&specimens::one_tier(), Language::Zh)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_costs_a_report(text in text()) {
        for standard in PdfStandard::ALL {
            let made = render_pdf(&saying(&text), &PdfOptions { standard, ..PdfOptions::default() });
            prop_assert!(made.is_ok(), "{:?}: {:?}", text, made.err());
        }
    }
}

#[test]
fn each_awkward_character_is_shown_or_told() {
    let spaced = AWKWARD.chars().flat_map(|c| [c, ' ']).collect::<String>();
    for text in [AWKWARD, spaced.as_str()] {
        let options = PdfOptions { standard: PdfStandard::A3aUa, ..PdfOptions::default() };
        let made = render_pdf(&saying(text), &options);
        assert!(made.is_ok(), "{:?}", made.err());
    }
}

/// Fonts show each of its characters, and none of them all together.
#[test]
fn a_text_that_no_font_shows_as_a_whole_costs_no_report() {
    let made = render_pdf(&saying("“\u{20DD}ا 龘"), &PdfOptions::default());
    assert!(made.is_ok(), "{:?}", made.err());
}
