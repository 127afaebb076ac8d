//! What holds for any page of metrics, whatever its bytes. Shared with the fuzzer.

use load_engine::prometheus::{Entry, Exemplar, Exposition, Format, Kind, Labels, Timestamp};

/// Checks a page in both formats.
pub(crate) fn check(page: &[u8]) {
    for format in [Format::Text, Format::OpenMetrics] {
        let (entries, malformed) = read(page, format);

        let lines: Vec<&[u8]> = page.split(|byte| *byte == b'\n').collect();
        let alone: Vec<_> = lines.iter().map(|line| read(line, format)).collect();
        assert_eq!(malformed, alone.iter().map(|(_, malformed)| malformed).sum::<u64>());
        let alone = alone.iter().flat_map(|(entries, _)| entries);
        assert_eq!(written(alone, format), written(&entries, format), "a line is what it is by itself");

        let page_again = written(&entries, format);
        let (again, malformed) = read(page_again.as_bytes(), format);
        assert_eq!((again.len(), malformed), (entries.len(), 0), "{page_again}");
        assert_eq!(written(&again, format), page_again);
    }
}

/// The entries of a page, and how many of its lines are none.
pub(crate) fn read(page: &[u8], format: Format) -> (Vec<Entry<'_>>, u64) {
    let mut page = Exposition::new(page, format);
    let entries = page.by_ref().collect();
    assert_eq!(page.malformed() > 0, page.first_fault().is_some());
    (entries, page.malformed())
}

/// A page that says the same.
pub(crate) fn written<'e, 'a: 'e>(
    entries: impl IntoIterator<Item = &'e Entry<'a>>,
    format: Format,
) -> String {
    entries.into_iter().map(|entry| line(entry, format) + "\n").collect()
}

fn line(entry: &Entry<'_>, format: Format) -> String {
    match entry {
        Entry::Help { name, text } => {
            format!("# HELP {name} {}", escaped(text, format == Format::OpenMetrics))
        }
        Entry::Type { name, kind } => format!("# TYPE {name} {}", word(*kind, format)),
        Entry::Unit { name, unit } => format!("# UNIT {name} {unit}"),
        Entry::Eof => "# EOF".to_owned(),
        Entry::Sample(sample) => {
            let timestamp = sample.timestamp.map(|timestamp| match timestamp {
                Timestamp::Milliseconds(milliseconds) => format!(" {milliseconds}"),
                Timestamp::Seconds(seconds) => format!(" {seconds:e}"),
            });
            let exemplar = sample.exemplar.map(|Exemplar { labels, value, seconds }| {
                let seconds = seconds.map(|seconds| format!(" {seconds:e}"));
                format!(" # {{{}}} {value:e}{}", inner(labels), seconds.unwrap_or_default())
            });
            format!(
                "{}{{{}}} {:e}{}{}",
                sample.name,
                inner(sample.labels),
                sample.value,
                timestamp.unwrap_or_default(),
                exemplar.unwrap_or_default()
            )
        }
        other => panic!("no way to write {other:?}"),
    }
}

fn inner(labels: Labels<'_>) -> String {
    let is_empty = labels.is_empty();
    let labels: Vec<String> =
        labels.into_iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(&value, true))).collect();
    assert_eq!(labels.is_empty(), is_empty);
    labels.join(",")
}

/// With escapes as a service writes them.
pub(crate) fn escaped(text: &str, quotes: bool) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n");
    if quotes { text.replace('"', "\\\"") } else { text }
}

fn word(kind: Kind, format: Format) -> &'static str {
    match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram => "histogram",
        Kind::Summary => "summary",
        Kind::GaugeHistogram => "gaugehistogram",
        Kind::Info => "info",
        Kind::StateSet => "stateset",
        Kind::Unknown if format == Format::Text => "untyped",
        Kind::Unknown => "unknown",
    }
}
