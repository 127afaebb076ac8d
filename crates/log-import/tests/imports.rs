//! Imports of several files, of compressed ones, and of files that nobody can tell.

mod common;

use std::io::Write;

use common::{OneGroup, fixture, format, read, read_text, rows};
use flate2::{Compression, write::GzEncoder};
use log_import::{
    Choice, Framing, ImportError, ImportOptions, Importer, Input, Opening, Prompt, RowReader, Secret, Start,
    StartError, Watch, formats, import,
};

const LITELLM: &str = "litellm.spendlogs.jsonl";

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

fn said(result: Result<log_import::Imported, ImportError>) -> String {
    result.err().map(|fault| fault.to_string()).unwrap_or_default()
}

#[test]
fn files_are_read_in_their_order_and_rows_name_theirs() {
    let log = std::fs::read(fixture(LITELLM)).expect("a log");
    let zstd = ruzstd::encoding::compress_to_vec(&log[..], ruzstd::encoding::CompressionLevel::Fastest);
    let gzip = packed(&log);
    let inputs =
        vec![Input::file(&fixture(LITELLM)), Input::reader("b", &gzip[..]), Input::reader("c", &zstd[..])];
    let imported = read(inputs, format("auto"), &ImportOptions::default()).0.expect("an import");
    let one = imported.files[0].kept;
    assert_eq!(imported.traffic.kept(), 3 * one);
    let of_files: Vec<u16> = rows(&imported).iter().map(|row| row.file).collect();
    let expected: Vec<u16> = (0..3).flat_map(|file| std::iter::repeat_n(file, one as usize)).collect();
    assert_eq!(of_files, expected);
    let compressions: Vec<_> = imported.files.iter().map(|file| file.compression).collect();
    assert_eq!(compressions, [None, Some("gzip"), Some("zstd")]);
    assert!(imported.files.iter().all(|file| file.rows == imported.files[0].rows));
    // The same caller in another file is the same caller.
    let callers: Vec<_> = rows(&imported).iter().map(|row| row.caller).collect();
    assert_eq!(callers[..one as usize], callers[one as usize..2 * one as usize]);
}

#[test]
fn a_damaged_file_is_refused_with_what_was_read_of_it() {
    let row = "{\"timestamp\":\"2026-11-19T01:00:00Z\",\"input_tokens\":";
    let log: String = (0..100_000).map(|at| format!("{row}{at}}}\n")).collect();
    let mut bytes = packed(log.as_bytes());
    bytes.truncate(bytes.len() * 3 / 4);
    let said = said(read_text(&bytes, "auto", &ImportOptions::default()).0);
    assert!(said.starts_with("log is gzip and damaged or cut short ("), "{said}");
    let rows = said.rsplit_once(" (").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(
        rows.is_some_and(|rows| rows > 50_000) && said.ends_with("rows were read before; none is kept)"),
        "{said}"
    );
}

#[test]
fn files_of_two_formats_are_no_one_import() {
    let inputs = vec![Input::file(&fixture(LITELLM)), Input::file(&fixture("higress.access.jsonl"))];
    let said = said(read(inputs, format("auto"), &ImportOptions::default()).0);
    assert!(
        said.contains("higress.access.jsonl is taken for higress, and the files before it for litellm"),
        "{said}"
    );
}

#[test]
fn a_file_that_is_missing_stops_an_import_before_it_begins() {
    let inputs = vec![Input::file(&fixture(LITELLM)), Input::file(&fixture("none"))];
    let (imported, bad) = read(inputs, format("auto"), &ImportOptions::default());
    assert!(matches!(imported, Err(ImportError::Source { rows: 0, .. })) && bad.0.is_empty());
}

/// Recognises everything.
struct Anything(&'static str);

impl Importer for Anything {
    fn name(&self) -> &str {
        self.0
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Lines
    }

    fn recognise(&self, _: &Opening<'_>) -> Option<String> {
        Some("it is a file".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &[]
    }

    fn start<'i>(&'i self, _: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Err(StartError { reason: "it reads nothing".to_owned(), hint: "take another".to_owned() })
    }
}

#[test]
fn a_file_that_several_formats_recognise_is_left_to_the_user() {
    let known: [&dyn Importer; 2] = [&Anything("one"), &Anything("two")];
    let inputs = vec![Input::reader("log", &b"x\n"[..])];
    let said = said(read(inputs, Choice::Auto(&known), &ImportOptions::default()).0);
    assert!(
        said.contains("one, since it is a file; two, since it is a file (name one with --format)"),
        "{said}"
    );
}

/// Keeps what was asked.
#[derive(Default)]
struct Prompts(Vec<(u64, String)>);

impl Watch for Prompts {
    fn prompt(&mut self, at: u64, prompt: &Prompt<'_>) {
        let (Prompt::Messages(text) | Prompt::Text(text)) = prompt;
        self.0.push((at, text.clone().into_owned()));
    }
}

#[test]
fn what_was_asked_is_handed_on_only_where_it_is_wanted() {
    for keep_text in [false, true] {
        let mut options = ImportOptions::default();
        options.read.keep_text = keep_text;
        let mut prompts = Prompts::default();
        let inputs = vec![Input::file(&fixture("dify.messages.csv"))];
        let secret = Secret::new(&[7; 32]);
        let imported =
            import(inputs, Choice::Auto(formats::all()), &options, &secret, &mut OneGroup, &mut prompts);
        let kept = imported.expect("an import").traffic.kept();
        assert!(prompts.0.iter().all(|(at, text)| *at < kept && !text.is_empty()));
        assert_eq!(prompts.0.is_empty(), !keep_text);
    }
}

#[test]
fn another_secret_gives_other_names_and_the_same_one_the_same() {
    let callers = |secret: u8| {
        let inputs = vec![Input::file(&fixture(LITELLM))];
        let (choice, secret) = (format("litellm"), Secret::new(&[secret; 32]));
        let imported = import(inputs, choice, &ImportOptions::default(), &secret, &mut OneGroup, &mut ());
        rows(&imported.expect("an import")).iter().filter_map(|row| row.caller).collect::<Vec<_>>()
    };
    assert_eq!(callers(1), callers(1));
    assert!(!callers(1).is_empty() && callers(1).iter().zip(callers(2)).all(|(one, two)| *one != two));
}

/// Counts bad rows.
#[derive(Default)]
struct Count(u64);

impl Watch for Count {
    fn bad(&mut self, _: &log_import::BadLine<'_>) {
        self.0 += 1;
    }
}

#[test]
fn a_hopeless_file_is_given_up_early() {
    let log = "no json\n".repeat(100_000);
    let inputs = vec![Input::reader("log", log.as_bytes())];
    let (secret, mut bad) = (Secret::new(&[7; 32]), Count::default());
    let fault =
        import(inputs, format("mooncake"), &ImportOptions::default(), &secret, &mut OneGroup, &mut bad);
    assert!(matches!(fault, Err(ImportError::NothingKept { read: 1000, .. })));
    assert_eq!(bad.0, 1000);
}
