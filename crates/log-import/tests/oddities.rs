//! Files that are wrong in every way that real ones are: what can be read of them is read, and the rest is said.

mod common;

use common::{dropped, fixture, format, read, read_text, rows};
use log_import::{ImportError, ImportOptions, Imported, Input, MaxBad, ReadOptions};
use metrics_core::Micros;
use workload_model::traffic::Note;

fn oddity(file: &str, name: &str, options: &ImportOptions) -> (Result<Imported, ImportError>, common::Bad) {
    read(vec![Input::file(&fixture(&format!("oddities/{file}")))], format(name), options)
}

fn with_map(map: &[(&str, &str)]) -> ImportOptions {
    let mut read = ReadOptions::default();
    read.map = map.iter().map(|(key, column)| ((*key).to_owned(), (*column).to_owned())).collect();
    ImportOptions { read, ..ImportOptions::default() }
}

fn said(result: Result<Imported, ImportError>) -> String {
    result.err().map(|fault| fault.to_string()).unwrap_or_default()
}

/// Line, arrival as seconds and nanoseconds from 2026-11-19T00:00:00Z, lengths.
type Told = (u64, i64, i64, Option<u32>, Option<u32>);

fn told(imported: &Imported) -> Vec<Told> {
    let day = 1_795_046_400_000_000_000;
    let split = |at: i64| ((at - day).div_euclid(1_000_000_000), (at - day).rem_euclid(1_000_000_000));
    let of = |row: &workload_model::traffic::RowFacts| {
        let (seconds, nanos) = split(row.arrival_ns);
        (row.line, seconds, nanos, row.input_tokens, row.output_tokens)
    };
    rows(imported).iter().map(of).collect()
}

#[test]
fn every_row_of_a_dirty_table_is_kept_or_named() {
    let mut options = ImportOptions::default();
    options.read.zone = Some(8 * 3600);
    options.read.year = Some(2026);
    let (imported, bad) = oddity("bom-crlf-dirty.csv", "auto", &options);
    let imported = imported.expect("an import");
    assert_eq!(
        (imported.format.as_str(), imported.traffic.read(), imported.traffic.kept()),
        ("azure", 29, 22)
    );
    let at = 3600;
    let whole = Some(100);
    let expected: Vec<Told> = vec![
        (2, at, 0, whole, Some(10)),
        (3, at, 0, whole, Some(10)),
        (4, at, 500_000_000, None, Some(10)),
        (5, at + 1, 0, whole, Some(0)),
        (7, at + 3, 0, whole, None),
        (8, at + 4, 0, Some(1024), Some(10)),
        (9, at + 5, 0, Some(12), Some(10)),
        (10, at + 6, 0, Some(1000), Some(10)),
        (12, at + 7, 0, whole, Some(10)),
        (13, at + 7, 0, whole, Some(10)),
        (14, at - 1, 0, whole, Some(10)),
        (15, at - 86_400, 0, whole, Some(10)),
        (16, at + 8, 0, whole, Some(10)),
        (17, at + 9, 0, whole, Some(10)),
        (18, at + 10, 0, whole, Some(10)),
        (19, at + 11, 0, whole, Some(10)),
        (20, at + 12, 0, whole, Some(10)),
        (21, at + 13, 0, whole, Some(10)),
        (22, at + 14, 0, whole, Some(10)),
        (23, at, 0, whole, Some(10)),
        (26, at + 17, 0, Some(128), Some(10)),
        (31, at + 21, 0, whole, Some(10)),
    ];
    assert_eq!(told(&imported), expected);
    let expected = [
        (6, "bad_number", "ContextTokens: it is negative"),
        (11, "bad_number", "ContextTokens: it is no number"),
        (24, "bad_time", "TIMESTAMP: it is no time in a known form"),
        (25, "bad_number", "ContextTokens: it is too large"),
        (27, "field_count", "not as many fields as the header"),
        (28, "field_count", "not as many fields as the header"),
        (29, "bad_number", "ContextTokens: it is no number"),
    ];
    assert_eq!(bad.0, expected.map(|(line, reason, detail)| (line, reason, detail.to_owned())));
    assert_eq!(imported.traffic.notes.get(&Note::YearAssumed), Some(&1));
    assert_eq!(imported.traffic.notes.get(&Note::ZoneAssumed), Some(&16));
    assert_eq!(imported.files[0].lines, 31);
}

#[test]
fn every_row_of_dirty_json_lines_is_kept_or_named() {
    let (imported, bad) = oddity("dirty.jsonl", "auto", &ImportOptions::default());
    let imported = imported.expect("an import");
    assert_eq!((imported.format.as_str(), imported.traffic.read(), imported.traffic.kept()), ("jsonl", 9, 3));
    let read: Vec<_> = rows(&imported)
        .iter()
        .map(|row| (row.line, row.arrival_ns, row.input_tokens, row.output_tokens))
        .collect();
    assert_eq!(
        read,
        [
            (1, 27_000_000_000, Some(3861), Some(127)),
            (3, 28_500_000_000, Some(10), None),
            (4, 29_000_000_000, Some(20), None)
        ]
    );
    assert!(imported.traffic.sources.iter().all(|source| source.relative));
    let reasons: Vec<_> = bad.0.iter().map(|(line, reason, _)| (*line, *reason)).collect();
    let expected = [
        (5, "bad_row"),
        (6, "bad_number"),
        (7, "bad_json"),
        (8, "bad_json"),
        (9, "bad_row"),
        (10, "bad_json"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!((imported.files[0].lines, imported.files[0].blank_lines), (10, 1));
    // No more than were accepted.
    let options = ImportOptions { max_bad: MaxBad::Rows(5), ..ImportOptions::default() };
    let said = said(oddity("dirty.jsonl", "auto", &options).0);
    assert!(said.contains("6 of 9 rows are bad, and 5 are accepted (--max-bad)"), "{said}");
    assert!(said.contains("dirty.jsonl:5: duplicate field `input_length` (bad_row)"), "{said}");
    assert!(oddity("dirty.jsonl", "auto", &ImportOptions { max_bad: MaxBad::Rows(6), ..options }).0.is_ok());
}

#[test]
fn a_column_that_stands_twice_is_named_by_its_place() {
    let text = said(oddity("dup-header.csv", "auto", &ImportOptions::default()).0);
    assert!(text.contains("a table with the columns timestamp, tokens, tokens"), "{text}");
    let map = with_map(&[("timestamp", "timestamp"), ("input_tokens", "tokens")]);
    let text = said(oddity("dup-header.csv", "csv", &map).0);
    assert!(text.contains("2 columns are named `tokens` (name one by its place: #2 or #3)"), "{text}");
    let map = with_map(&[("timestamp", "timestamp"), ("input_tokens", "#2"), ("output_tokens", "#3")]);
    let imported = oddity("dup-header.csv", "csv", &map).0.expect("an import");
    assert_eq!(told(&imported), [(2, 9 * 3600, 0, Some(100), Some(10))]);
    let text = said(oddity("dup-header.csv", "csv", &with_map(&[("timestamp", "#4")])).0);
    assert!(text.contains("there is no 4. column, but 3"), "{text}");
    let text = said(oddity("dup-header.csv", "csv", &with_map(&[("timestamp", "time")])).0);
    assert!(text.contains("there is no column `time` (its columns are timestamp, tokens, tokens)"), "{text}");
    for map in [[("when", "a")], [("input_tokens", "a")]] {
        let text = said(oddity("dup-header.csv", "csv", &with_map(&map)).0);
        assert!(
            text.contains("--map takes KEY=COLUMN, where KEY is one of timestamp, input_tokens"),
            "{text}"
        );
    }
}

#[test]
fn tables_are_read_in_their_encodings_and_with_their_separators() {
    let imported = oddity("gbk-header.csv", "auto", &ImportOptions::default()).0.expect("an import");
    assert_eq!(told(&imported), [(2, 9 * 3600, 0, Some(100), Some(10))]);
    assert_eq!(imported.files[0].encoding, "gb18030");
    let why = "its columns have well-known names: timestamp=时间, input_tokens=输入长度, output_tokens=输出长度, model=模型";
    assert_eq!(imported.why.as_deref(), Some(why));
    let imported = oddity("semicolon.csv", "auto", &ImportOptions::default()).0.expect("an import");
    assert_eq!(rows(&imported)[0].duration, Some(Micros(1_250_000)));
    let map = with_map(&[("timestamp", "timestamp"), ("input_tokens", "input"), ("output_tokens", "output")]);
    let imported = oddity("utf16le.csv", "auto", &map).0.expect("an import");
    assert_eq!(told(&imported), [(2, 9 * 3600, 0, Some(100), Some(10))]);
    assert_eq!((imported.files[0].encoding, imported.format.as_str()), ("UTF-16LE", "csv"));
}

#[test]
fn what_is_no_log_is_refused_with_a_reason() {
    let options = ImportOptions::default();
    let text = said(oddity("README.md", "auto", &options).0);
    assert!(text.contains("is of no known format: lines of text"), "{text}");
    let text = said(read(vec![Input::file(&fixture("oddities"))], format("auto"), &options).0);
    assert!(text.contains("oddities is a folder"), "{text}");
    let text = said(read(vec![Input::file(&fixture("none.log"))], format("auto"), &options).0);
    assert!(text.contains("none.log cannot be read"), "{text}");
    let text = said(read_text(b"", "jsonl", &options).0);
    assert!(text.contains("log is empty"), "{text}");
    let text = said(read_text(b"\n\n", "auto", &options).0);
    assert!(text.contains("is of no known format"), "{text}");
    let text = said(read(Vec::new(), format("auto"), &options).0);
    assert!(text.contains("no log was named"), "{text}");
    let options = ImportOptions { encoding: Some("klingon".to_owned()), ..options };
    let text = said(read_text(b"a,b\n", "csv", &options).0);
    assert!(text.contains("`klingon` is no encoding"), "{text}");
}

#[test]
fn a_log_may_have_no_header_where_columns_are_named_by_their_places() {
    let text = b"2026-11-19 09:00:00,7,8\n2026-11-19 09:00:01,9,10";
    let map = with_map(&[("timestamp", "#1"), ("input_tokens", "#2"), ("output_tokens", "#3")]);
    let imported = read_text(text, "auto", &map).0.expect("an import");
    let at = 9 * 3600;
    assert_eq!(told(&imported), [(1, at, 0, Some(7), Some(8)), (2, at + 1, 0, Some(9), Some(10))]);
}

#[test]
fn one_clock_is_relative_or_it_is_not() {
    let text = b"{\"timestamp\":5,\"input_tokens\":1}\n{\"timestamp\":1795050000,\"input_tokens\":1}\n";
    let (imported, bad) = read_text(text, "jsonl", &ImportOptions::default());
    assert_eq!(dropped(&imported.expect("an import")), [("bad_time", 1)].into());
    assert_eq!(bad.0[0].0, 2);
    let text = b"{\"timestamp\":1795050000,\"input_tokens\":1}\n{\"timestamp\":5,\"input_tokens\":1}\n";
    let (imported, bad) = read_text(text, "jsonl", &ImportOptions::default());
    assert!(imported.is_ok() && bad.0[0].0 == 2);
}

#[test]
fn the_arrival_of_a_log_that_is_written_at_the_end_is_the_end_minus_the_duration() {
    let text = "结束时间,输入长度,耗时(毫秒)\n2026-11-19T01:00:05Z,1,5132\n2026-11-19T01:00:05Z,1,\n";
    let map =
        with_map(&[("timestamp", "结束时间:end"), ("input_tokens", "输入长度"), ("duration", "耗时(毫秒)")]);
    let imported = read_text(text.as_bytes(), "csv", &map).0.expect("an import");
    let at = 3600;
    assert_eq!(told(&imported), [(2, at - 1, 868_000_000, Some(1), None), (3, at + 5, 0, Some(1), None)]);
    assert_eq!(imported.traffic.notes.get(&Note::ArrivalIsEnd), Some(&1));
}

#[test]
fn keys_may_lie_within_others() {
    let text = br#"{"at":{"start":"2026-11-19T01:00:00Z"},"usage":{"prompt_tokens":"12"},"a.b":"3"}"#;
    let map = with_map(&[
        ("timestamp", "at.start"),
        ("input_tokens", "usage.prompt_tokens"),
        ("output_tokens", "a.b"),
    ]);
    let imported = read_text(text, "jsonl", &map).0.expect("an import");
    assert_eq!(told(&imported), [(1, 3600, 0, Some(12), Some(3))]);
    let text = said(read_text(text, "jsonl", &with_map(&[("timestamp", "at.end")])).0);
    assert!(text.contains("there is no key `at.end` in the first rows (its keys are "), "{text}");
}

#[test]
fn a_window_counts_what_lies_outside() {
    let mut options = ImportOptions::default();
    options.read.zone = Some(8 * 3600);
    options.window.from_ns = Some(1_795_050_000_000_000_000);
    options.window.until_ns = Some(1_795_050_001_000_000_000);
    let imported = oddity("bom-crlf-dirty.csv", "azure", &options).0.expect("an import");
    assert_eq!((imported.traffic.kept(), imported.traffic.read()), (4, 29));
    assert_eq!(dropped(&imported).get("outside_window"), Some(&17));
}
