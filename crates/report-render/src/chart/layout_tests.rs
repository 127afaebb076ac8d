//! Words in drawings: no two overlap, none leaves the drawing, and none is too small to be read on paper.
#![expect(clippy::unwrap_used, reason = "a test that finds nothing to unwrap has failed")]

use proptest::{collection::vec, option, prelude::*};

use super::{
    Across, Chart, Columns, ColumnsPanel, CurveLimit, CurvePanel, Curves, Guide, Heat, HeatAxis, HeatCell,
    HeatMark, Limit, MarkedSpan, Palette, Panel, Panels, Plot, Series, Share, Shares, SharesPanel, Step,
    Stretch, Timeline, TimelineRow, Times,
    labels::{Anchor, Area, BOLD, width},
    svg,
    svg::WIDTH,
};
use crate::{Document, Language, document::Block, specimens, workload_document};

/// 7 pt, where the drawing is set 170 mm wide.
const SMALLEST: f64 = 7.0 / (170.0 / 25.4 * 72.0) * WIDTH;

/// The words that a drawing shows, and what they cover.
fn words(svg: &str) -> Vec<(String, Area)> {
    let texts = svg.split("<text ").skip(1).map(|rest| rest.split_once("</text>").unwrap().0);
    texts
        .map(|text| {
            let (marks, inner) = text.split_once('>').unwrap();
            let number = |name: &str| attribute(marks, name).unwrap().parse::<f64>().unwrap();
            let (x, baseline, size) = (number("x"), number("y"), number("font-size"));
            let anchor = match attribute(marks, "text-anchor") {
                Some("middle") => Anchor::Middle,
                Some("end") => Anchor::End,
                _ => Anchor::Start,
            };
            let bold = if attribute(marks, "font-weight") == Some("700") { BOLD } else { 1.0 };
            let (own, unit) = inner.split_once("<tspan ").unwrap_or((inner, ""));
            let mut covered = width(&plain(own), size * bold);
            let mut shown = plain(own);
            assert!(size >= SMALLEST, "{shown} is {size} high");
            if let Some((marks, unit)) = unit.split_once('>') {
                let unit = plain(unit.strip_suffix("</tspan>").unwrap());
                let size = attribute(marks, "font-size").unwrap().parse::<f64>().unwrap();
                assert!(size >= SMALLEST, "{unit} is {size} high");
                covered += width(&unit, size);
                shown += &unit;
            }
            (shown, Area::of_text(x, baseline, anchor, covered, size))
        })
        .collect()
}

fn attribute<'t>(marks: &'t str, name: &str) -> Option<&'t str> {
    let rest = &marks[marks.find(&format!("{name}=\""))? + name.len() + 2..];
    rest.split('"').next()
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

fn check(chart: &Chart) -> Vec<String> {
    let svg = svg(chart, &Palette::PAPER);
    let height: f64 = {
        let sides = attribute(&svg, "viewBox").unwrap();
        sides.rsplit(' ').next().unwrap().parse().unwrap()
    };
    let sheet = Area { left: 0.0, right: WIDTH, top: 0.0, bottom: height };
    let words = words(&svg);
    // Places are written with one decimal.
    let inner = |area: Area| Area {
        left: area.left + 0.1,
        right: area.right - 0.1,
        top: area.top + 0.1,
        bottom: area.bottom - 0.1,
    };
    for (at, (text, area)) in words.iter().enumerate() {
        assert!(inner(*area).is_inside(sheet), "{text:?} leaves {}", chart.stem);
        for (other, theirs) in &words[..at] {
            assert!(
                !inner(*area).overlaps(inner(*theirs)),
                "{text:?} and {other:?} overlap in {}",
                chart.stem
            );
        }
    }
    for foreign in ["NaN", "inf\"", " style=", " class=", "foreignObject", "<script", "<use", "href"] {
        assert!(!drawn(&svg).contains(foreign), "{foreign} in {}", chart.stem);
    }
    words.into_iter().map(|(text, _)| text).collect()
}

/// The drawing without the words in it, of which some are others'.
fn drawn(svg: &str) -> String {
    svg.split('<').filter_map(|mark| mark.split('>').next()).collect::<Vec<_>>().join("<")
}

fn charts_of(document: &Document) -> impl Iterator<Item = &Chart> {
    document.sections.iter().flat_map(|section| &section.blocks).filter_map(|block| match block {
        Block::Chart(chart) => Some(chart),
        _ => None,
    })
}

#[test]
fn no_words_meet_in_the_charts_of_any_specimen() {
    for (name, material) in specimens::all() {
        for language in Language::ALL {
            let document = Document::new(&material, language);
            let mut stems = Vec::new();
            for chart in charts_of(&document) {
                let words = check(chart);
                assert!(words.contains(&chart.title), "{name}: {words:?}");
                assert!(!words.iter().any(|text| text.contains('…')), "{name}: {words:?}");
                assert!(!chart.description.is_empty() && !chart.caption.words().is_empty());
                assert!(!stems.contains(&chart.stem), "{name}: {} twice, and so are its ids", chart.stem);
                stems.push(chart.stem);
            }
            assert!(!stems.is_empty());
        }
    }
}

#[test]
fn no_words_meet_in_the_charts_of_any_profile() {
    for (name, profile) in specimens::profiles() {
        for language in Language::ALL {
            let document = workload_document(&profile, &specimens::workload_facts(), language);
            let mut stems = Vec::new();
            for chart in charts_of(&document) {
                let words = check(chart);
                let shortened = words.iter().any(|text| text.contains('…'));
                assert!(!shortened || name == "crowd", "{name}: {words:?}");
                assert!(words.contains(&chart.title) || name == "crowd", "{name}: {words:?}");
                assert!(!chart.description.is_empty() && !chart.caption.words().is_empty());
                assert!(!stems.contains(&chart.stem), "{name}: {} twice, and so are its ids", chart.stem);
                stems.push(chart.stem);
            }
            assert!(!stems.is_empty());
        }
    }
}

#[test]
fn marks_of_a_heat_map_are_all_named() {
    for language in Language::ALL {
        let document = workload_document(&specimens::full(), &specimens::workload_facts(), language);
        for chart in charts_of(&document).filter(|chart| chart.stem.starts_with("lengths")) {
            let words = check(chart);
            let named =
                words.iter().filter(|text| text.starts_with("P50 ") || text.starts_with("P9")).count();
            assert_eq!(named, 6, "{words:?}");
        }
    }
}

#[test]
fn twelve_tiers_are_all_named_in_every_chart_that_has_them() {
    let material = specimens::extreme();
    let document = Document::new(&material, Language::Zh);
    for stem in ["trend", "ttft", "e2e", "load"] {
        let chart = charts_of(&document).find(|chart| chart.stem == stem).unwrap();
        let words = check(chart);
        for tier in &material.summary.tiers {
            let tier = format!("C{}", tier.concurrency);
            assert!(words.contains(&tier), "{tier} in {stem}: {words:?}");
        }
    }
}

/// Words of any length: Chinese, Latin, signs, rare characters and pictographs.
fn label() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::char::range('\u{4E00}', '\u{9FFF}'),
        4 => prop::char::range(' ', '~'),
        1 => prop::sample::select(vec!['𠮷', '龘', '🚀', '…', '≤', '（', '﷽', 'Å', '\u{301}']),
    ];
    let length = prop_oneof![3 => 0_usize..6, 2 => 6_usize..40, 1 => 40_usize..160];
    length.prop_flat_map(move |length| vec(character.clone(), length)).prop_map(String::from_iter)
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => 0.0..5_000.0,
        2 => 0.0..1.0,
        1 => prop::sample::select(vec![0.0, 1e-9, 1e9, 1e14, 1e300, -3.0, f64::NAN, f64::INFINITY]),
    ]
}

fn panel(columns: usize) -> impl Strategy<Value = Panel> {
    let series = (label(), vec(option::of(value()), columns));
    let limit = (label(), value(), option::of(0..columns));
    (label(), vec(series, 1..3), vec(limit, 0..4)).prop_map(|(title, series, limits)| Panel {
        title,
        unit: "tok/s",
        reach: 0.0,
        series: series.into_iter().map(|(name, values)| Series { name, values }).collect(),
        limits: limits.into_iter().map(|(label, value, at)| Limit { label, value, at }).collect(),
    })
}

fn panels() -> impl Strategy<Value = Plot> {
    let tiers = (1_usize..30).prop_flat_map(|columns| {
        let guides = vec((0..columns, label()), 0..3);
        (vec(label(), columns), guides, vec(panel(columns), 1..4))
    });
    let tiers = (label(), tiers).prop_map(|(axis, (names, guides, panels))| {
        let guides = guides.into_iter().map(|(at, label)| Guide { at, label }).collect();
        Plot::Panels(Panels { axis, across: Across::Tiers(names), guides, panels })
    });
    let times = (1_usize..60).prop_flat_map(|columns| {
        (Just(columns), value(), vec((label(), value(), value()), 0..20), vec(panel(columns), 1..4))
    });
    let times = (label(), times).prop_map(|(axis, (columns, until, steps, panels))| {
        let steps = steps.into_iter().map(|(label, from, until)| Step { label, from, until }).collect();
        let across = Across::Times(Times { columns, until, unit: "s", steps });
        Plot::Panels(Panels { axis, across, guides: Vec::new(), panels })
    });
    prop_oneof![tiers, times]
}

fn curves() -> impl Strategy<Value = Plot> {
    let steps = vec((1_u16..=1000, value()), 0..20);
    let marks = vec((prop::sample::select(vec![500_u16, 900, 950, 990, 1000]), value()), 0..6);
    let limits = vec((label(), value(), prop::sample::select(vec![500_u16, 950, 1000])), 0..4);
    let panel = (label(), label(), label(), steps, marks, limits).prop_map(
        |(title, mark, note, mut steps, marks, limits)| {
            steps.sort_by_key(|step| step.0);
            let limits = limits.into_iter();
            let limits = limits.map(|(label, value, per_mille)| CurveLimit { label, value, per_mille });
            CurvePanel { title, mark, note, steps, marks, limits: limits.collect() }
        },
    );
    (label(), label(), option::of((0_usize..3, label())), vec(panel, 0..20)).prop_map(
        |(axis, highest, reference, panels)| {
            Plot::Curves(Curves { axis, unit: "s", highest, reference, panels })
        },
    )
}

fn timeline() -> impl Strategy<Value = Plot> {
    let instants = (value(), option::of(value()), option::of(value()), option::of(value()), any::<bool>());
    let row = (label(), instants).prop_map(|(words, (due, sent, first_token, end, effective))| TimelineRow {
        words,
        due,
        sent,
        first_token,
        end,
        effective,
    });
    let names = (label(), label(), label(), label(), label());
    (names, value(), 1_u64..900, vec(row, 0..60)).prop_map(|(names, until, every, rows)| {
        let (axis, waiting, answering, generating, unsuccessful) = names;
        Plot::Timeline(Timeline {
            axis,
            unit: "s",
            until,
            waiting,
            answering,
            generating,
            unsuccessful,
            every,
            rows,
        })
    })
}

fn heat() -> impl Strategy<Value = Plot> {
    let axis = || {
        let marks = vec((label(), value()), 0..4);
        (label(), vec(value(), 0..30), vec((0_usize..32, label()), 0..12), marks).prop_map(
            |(title, mut edges, names, marks)| {
                edges.sort_by(f64::total_cmp);
                let marks = marks.into_iter().map(|(label, value)| HeatMark { label, value }).collect();
                HeatAxis { title, edges, names, marks }
            },
        )
    };
    let count = prop_oneof![0_u64..50, any::<u64>()];
    let cell = (0_usize..32, 0_usize..32, count, label());
    (axis(), axis(), label(), vec(cell, 0..40)).prop_map(|(across, up, legend, cells)| {
        let cells = cells.into_iter();
        let cells = cells.map(|(across, up, count, words)| HeatCell { across, up, count, words }).collect();
        Plot::Heat(Box::new(Heat { across, up, legend, cells }))
    })
}

fn columns() -> impl Strategy<Value = Plot> {
    let stretch =
        (label(), 0_usize..40, vec((value(), label()), 0..8)).prop_map(|(label, columns, ticks)| {
            let names = (0..columns).map(|at| format!("column {at}")).collect();
            Stretch { label, columns, names, ticks }
        });
    let marked = (0_usize..6, value(), value(), label());
    let marked = marked.prop_map(|(stretch, from, until, label)| MarkedSpan { stretch, from, until, label });
    let panel = (label(), vec(option::of(value()), 0..80), option::of(marked));
    let panel =
        panel.prop_map(|(title, values, marked)| ColumnsPanel { title, unit: "req/s", values, marked });
    (label(), vec(stretch, 0..6), vec(panel, 0..7))
        .prop_map(|(axis, stretches, panels)| Plot::Columns(Columns { axis, stretches, panels }))
}

fn shares() -> impl Strategy<Value = Plot> {
    let row = (label(), value(), label(), any::<bool>());
    let row = row.prop_map(|(label, share, words, filled)| Share { label, share, words, filled });
    let panel = (label(), vec(row, 0..14)).prop_map(|(title, rows)| SharesPanel { title, rows });
    vec(panel, 0..4).prop_map(|panels| Plot::Shares(Shares { panels }))
}

fn plot() -> impl Strategy<Value = Plot> {
    prop_oneof![panels(), curves(), timeline(), heat(), columns(), shares()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_words_meet_whatever_they_are(title in label(), plot in plot()) {
        let chart = Chart { stem: "any", title, description: "a".to_owned(), caption: "a".into(), plot };
        check(&chart);
    }
}
