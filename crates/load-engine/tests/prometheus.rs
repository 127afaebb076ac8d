//! Pages of metrics: cases, what real services sent, and whatever can be written.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

#[path = "checks/prometheus.rs"]
mod checks;

use checks::{check, escaped, read};
use load_engine::prometheus::{Entry, Exposition, Format, Kind, Malformed, Sample, Timestamp};
use proptest::prelude::*;

/// A sample in short: name, labels, value, timestamp in seconds.
fn sample(line: &str, format: Format) -> Result<String, Malformed> {
    let mut page = Exposition::new(line.as_bytes(), format);
    let entry = page.next();
    assert!(page.next().is_none(), "{line}");
    if let Some(fault) = page.first_fault() {
        assert_eq!((entry, page.malformed(), fault.line), (None, 1, 1), "{line}");
        return Err(fault.reason);
    }
    let Sample { name, labels, value, timestamp, exemplar } = entry.unwrap().into_sample().unwrap();
    let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    let at = timestamp.map(|at| format!(" at {}", at.seconds())).unwrap_or_default();
    let like = exemplar.map(|like| {
        let at = like.seconds.map(|at| format!(" at {at}")).unwrap_or_default();
        format!(" like {} {}{at}", like.labels.get("trace_id").unwrap_or_default(), like.value)
    });
    Ok(format!("{name} [{}] {value}{at}{}", labels.join(" "), like.unwrap_or_default()))
}

#[test]
fn samples_are_read_as_services_send_them() {
    use Format::{OpenMetrics, Text};
    for (line, format, expected) in [
        ("up 1", Text, "up [] 1"),
        ("  up\t1  ", Text, "up [] 1"),
        ("up 1\r", Text, "up [] 1"),
        ("vllm:num_requests_running{engine=\"0\"} 3.0", Text, "vllm:num_requests_running [engine=\"0\"] 3"),
        ("a{} 1", Text, "a [] 1"),
        ("a{b=\"}\",} 1", Text, "a [b=\"}\"] 1"),
        ("a { b = \"1\" , c = \"2\" } 1", Text, "a [b=\"1\" c=\"2\"] 1"),
        ("a{b=\"1\"}2", Text, "a [b=\"1\"] 2"),
        (r#"a{b="\\ \" \n \t"} 1"#, Text, r#"a [b="\\ \" \n \\t"] 1"#),
        (r#"a{b="\\\\",c="\\"} 1"#, Text, r#"a [b="\\\\" c="\\"] 1"#),
        ("a{b=\"模型 # {\"} 1", Text, "a [b=\"模型 # {\"] 1"),
        ("a{b=\"1\",b=\"2\"} 1", Text, "a [b=\"1\" b=\"2\"] 1"),
        ("a +Inf", Text, "a [] inf"),
        ("a -Inf", Text, "a [] -inf"),
        ("a NaN", Text, "a [] NaN"),
        ("a 1.79606903037e+09", Text, "a [] 1796069030.37"),
        ("a 1 1790000000123", Text, "a [] 1 at 1790000000.123"),
        ("a 1 -1000", Text, "a [] 1 at -1"),
        ("a 1 1790000000.5", OpenMetrics, "a [] 1 at 1790000000.5"),
        ("a 17 # {trace_id=\"x\"} 0.67", OpenMetrics, "a [] 17 like x 0.67"),
        (
            "a 17 1.5 # {trace_id=\"x#\"} 0.67 1520879607.789",
            OpenMetrics,
            "a [] 17 at 1.5 like x# 0.67 at 1520879607.789",
        ),
        ("a 17 # {} 1", Text, "a [] 17 like  1"),
    ] {
        assert_eq!(sample(line, format).as_deref(), Ok(expected), "{line}");
    }
}

#[test]
fn lines_that_are_none_say_why() {
    use Format::{OpenMetrics, Text};
    for (line, format, expected) in [
        ("3 4", Text, Malformed::Name),
        ("-", Text, Malformed::Name),
        ("{\"a.b\"} 1", Text, Malformed::Name),
        ("a.b 1", Text, Malformed::Name),
        ("a-1", Text, Malformed::Name),
        ("<html>", Text, Malformed::Name),
        ("a", Text, Malformed::Value),
        ("a{b=\"1\"}", Text, Malformed::Value),
        ("a one", Text, Malformed::Value),
        ("a 1_0", Text, Malformed::Value),
        ("a{,} 1", Text, Malformed::LabelName),
        ("a{b:c=\"1\"} 1", Text, Malformed::LabelValue),
        ("a{b} 1", Text, Malformed::LabelValue),
        ("a{b=1} 1", Text, Malformed::LabelValue),
        ("a{b=\"1} 1", Text, Malformed::LabelValue),
        ("a{b=\"1\\\"} 1", Text, Malformed::LabelValue),
        ("a{b=\"1\"c=\"2\"} 1", Text, Malformed::LabelsEnd),
        ("a{b=\"1\"", Text, Malformed::LabelsEnd),
        ("a{", Text, Malformed::LabelName),
        ("a 1 1.5", Text, Malformed::Timestamp),
        ("a 1 inf", OpenMetrics, Malformed::Timestamp),
        ("a 1 2 3", Text, Malformed::Trailing),
        ("a 1 # x", Text, Malformed::Exemplar),
        ("a 1 # {} x", Text, Malformed::Value),
        ("a 1 # {} 1 2 3", OpenMetrics, Malformed::Trailing),
    ] {
        assert_eq!(sample(line, format), Err(expected), "{line}");
    }
    for (line, format, expected) in [
        ("# HELP", Text, Malformed::Name),
        ("# HELP a-b text", Text, Malformed::Name),
        ("# TYPE a", Text, Malformed::Kind),
        ("# TYPE a speedometer", Text, Malformed::Kind),
        ("# TYPE a gauge really", Text, Malformed::Trailing),
        ("# UNIT", OpenMetrics, Malformed::Name),
    ] {
        let mut page = Exposition::new(line.as_bytes(), format);
        assert_eq!((page.next(), page.first_fault().unwrap().reason), (None, expected), "{line}");
    }
}

#[test]
fn what_is_said_of_a_metric_is_read_and_comments_are_passed_over() {
    let help = |name, text: &'static str| Entry::Help { name, text: text.into() };
    let kind = |name, kind| Entry::Type { name, kind };
    for (page, format, expected) in [
        ("", Format::Text, vec![]),
        ("\n\r\n \t\n# why not\n#\n# help a b\n", Format::Text, vec![]),
        ("# HELP a:b two  words \\\\ \\n \\\"", Format::Text, vec![help("a:b", "two  words \\ \n \\\"")]),
        ("# HELP a \\\"x\\\"", Format::OpenMetrics, vec![help("a", "\"x\"")]),
        ("#HELP a\r\n", Format::Text, vec![help("a", "")]),
        (
            "# TYPE a untyped\n# TYPE b  stateset \n",
            Format::Text,
            vec![kind("a", Kind::Unknown), kind("b", Kind::StateSet)],
        ),
        ("# UNIT a seconds\n", Format::OpenMetrics, vec![Entry::Unit { name: "a", unit: "seconds" }]),
        ("# UNIT tests are missing\n# EOF is near\n", Format::Text, vec![]),
        ("# EOF", Format::OpenMetrics, vec![Entry::Eof]),
    ] {
        assert_eq!(read(page.as_bytes(), format), (expected, 0), "{page:?}");
    }
}

#[test]
fn a_malformed_line_loses_nothing_of_the_rest() {
    let page = b"a 1\nb\n\xff 2\n# TYPE c ?\nc{d=\"e\nf\"} 3\nlast 4";
    let mut page = Exposition::new(page, Format::Text);
    let found: Vec<_> = page.by_ref().filter_map(Entry::into_sample).map(|s| (s.name, s.value)).collect();
    assert_eq!(found, [("a", 1.0), ("last", 4.0)]);
    assert_eq!(page.malformed(), 5);
    assert_eq!(page.first_fault().unwrap().to_string(), "read line 2: its value is no number");
}

#[test]
fn the_content_type_tells_the_format() {
    for (content_type, expected) in [
        ("application/openmetrics-text; version=1.0.0; charset=utf-8", Format::OpenMetrics),
        ("Application/OpenMetrics-Text", Format::OpenMetrics),
        ("text/plain; version=0.0.4; charset=utf-8", Format::Text),
        ("", Format::Text),
    ] {
        assert_eq!(Format::of(content_type), expected, "{content_type}");
    }
    assert_eq!(
        Timestamp::Milliseconds(1500).seconds().to_bits(),
        Timestamp::Seconds(1.5).seconds().to_bits()
    );
}

/// In the folder that `ACCEPTBENCH_SHARED` names, or in a folder `shared` beside the repository or above.
fn captures() -> Option<PathBuf> {
    let within = |shared: PathBuf| shared.join("data/captures");
    if let Some(named) = std::env::var_os("ACCEPTBENCH_SHARED") {
        let folder = within(named.into());
        assert!(folder.exists(), "ACCEPTBENCH_SHARED names a folder without captures: {}", folder.display());
        return Some(folder);
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| within(folder.join("shared"))).find(|folder| folder.exists())
}

/// Folder, least number of samples, and a metric that is there.
const CAPTURES: [(&str, usize, &str); 2] =
    [("vllm", 300, "vllm:num_requests_running"), ("llama-server", 15, "llamacpp:requests_processing")];

#[test]
fn pages_of_real_services_are_read_to_the_last_line() {
    let Some(folder) = captures() else {
        println!("skipped: no captures here");
        return;
    };
    for (service, least, metric) in CAPTURES {
        let capture = std::fs::read(folder.join(service).join("get_metrics.raw")).unwrap();
        let head = capture.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        let page = &capture[head + 4..];
        check(page);
        let (entries, malformed) = read(page, Format::Text);
        assert_eq!(malformed, 0, "{service}");
        let comments = page.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"#")).count();
        let lines = page.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        let samples: Vec<Sample<'_>> = entries.into_iter().filter_map(Entry::into_sample).collect();
        assert_eq!(samples.len(), lines - comments, "{service}");
        assert!(samples.len() >= least, "{service}: {}", samples.len());
        assert!(samples.iter().any(|sample| sample.name == metric), "{service}");
    }
}

/// A text in which everything that needs an escape is likely.
fn text() -> impl Strategy<Value = String> {
    let characters: Vec<char> = "\\\"\n\t n{}#,=模🦀\r".chars().collect();
    prop::collection::vec(prop::sample::select(characters), 0..8).prop_map(String::from_iter)
}

fn labels() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_]{0,4}", text()), 0..4)
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        prop::sample::select(vec![0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN])
    ]
}

fn in_braces(labels: &[(String, String)]) -> String {
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value, true))).collect();
    format!("{{{}}}", labels.join(","))
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        name in "[a-zA-Z_:][a-zA-Z0-9_:]{0,6}",
        labels in labels(),
        value in number(),
        timestamp in prop::option::of(any::<i64>()),
        exemplar in prop::option::of((labels(), number())),
        line_end in prop::sample::select(vec!["", "\n", "\r\n"]),
    ) {
        let mut page = format!("{name}{} {value:?}", in_braces(&labels));
        page.extend(timestamp.map(|timestamp| format!(" {timestamp}")));
        page.extend(exemplar.as_ref().map(|(labels, value)| format!(" # {} {value:?}", in_braces(labels))));
        page += line_end;
        let (entries, malformed) = read(page.as_bytes(), Format::Text);
        prop_assert_eq!((entries.len(), malformed), (1, 0), "{}", page);
        let found = entries[0].clone().into_sample().unwrap();
        let own = |found: load_engine::prometheus::Labels<'_>| -> Vec<(String, String)> {
            found.iter().map(|(name, value)| (name.to_owned(), value.into_owned())).collect()
        };
        prop_assert_eq!(found.name, name);
        prop_assert_eq!(own(found.labels), labels);
        prop_assert!(same(found.value, value), "{} {}", found.value, value);
        prop_assert_eq!(found.timestamp, timestamp.map(Timestamp::Milliseconds));
        prop_assert_eq!(found.exemplar.is_some(), exemplar.is_some());
        if let (Some(found), Some((labels, value))) = (found.exemplar, exemplar) {
            prop_assert_eq!(own(found.labels), labels);
            prop_assert!(same(found.value, value) && found.seconds.is_none());
        }
    }

    #[test]
    fn any_page_is_read_line_by_line(pieces in prop::collection::vec(piece(), 0..40)) {
        check(pieces.concat().as_bytes());
    }
}

fn same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
}

/// Pieces of which pages are made, and what is nearly one.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "# ",
        "HELP ",
        "TYPE ",
        "UNIT ",
        "EOF",
        "a",
        "b:c",
        "{",
        "}",
        "=",
        "\"",
        "\\",
        "n",
        ",",
        " ",
        "\t",
        "\n",
        "\r\n",
        "1",
        "-2.5e3",
        "NaN",
        "+Inf",
        "counter",
        "untyped",
        "x=\"y\"",
        " # {t=\"1\"} 2",
        "好",
        "{b=\"1\",} 1\n",
    ])
}
