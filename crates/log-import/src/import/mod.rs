//! An import: files are read one after the other, and what their rows tell becomes traffic.

mod block_numbers;
mod error;
mod options;
mod rows;

use workload_model::traffic::{Grouping, Traffic};

pub use error::ImportError;
pub use options::{Choice, ImportOptions, MaxBad, Window};
pub use rows::{BadLine, Watch};

use self::rows::Rows;
use crate::{
    Framing, Importer, Input, Secret, Start,
    detect::{self, Beginning, Finding},
    formats,
    framing::{Buffer, Lines, Piece, Table, lines, values},
    source::{SourceError, Text, named},
};

/// What an import gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The rows that were kept, and an account of those that were not.
    pub traffic: Traffic,
    /// Name of the format.
    pub format: String,
    /// Why it is this format, where nobody said so: the end of "it is taken for NAME, since …". Of `csv` and `jsonl` without
    /// a map it tells which columns were taken for what, also where the format was named.
    pub why: Option<String>,
    /// The files, in the order in which they were read. Rows name theirs by index.
    pub files: Vec<FileAccount>,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccount {
    /// What errors call it.
    pub name: String,
    /// SHA-256 of its bytes as they came, in hexadecimal.
    pub sha256: String,
    /// How many bytes these are.
    pub bytes: u64,
    /// `gzip` or `zstd`, where it is compressed.
    pub compression: Option<&'static str>,
    /// Its encoding: `UTF-8`, `gb18030`, `UTF-16LE`.
    pub encoding: &'static str,
    /// Why that was taken.
    pub encoding_why: &'static str,
    /// Lines.
    pub lines: u64,
    /// Lines between rows that hold nothing. They are no rows.
    pub blank_lines: u64,
    /// Rows that were read: those that were kept and those that were dropped.
    pub rows: u64,
    /// Rows that were kept.
    pub kept: u64,
    /// It is not recognised as what it was read as, but as this.
    pub doubt: Option<String>,
}

/// Reads files of one format.
///
/// All that is kept of a row is in [`Traffic`], at 56 bytes each; beside that an import holds the piece of the file that it
/// is looking at, at most [`ImportOptions::max_line`] bytes and a little of it.
///
/// # Errors
/// Where a file cannot be read to its end, is of no known format or of another than the others, or where more rows are bad
/// than are accepted. Nothing is kept then.
pub fn import(
    inputs: Vec<Input<'_>>,
    choice: Choice<'_>,
    options: &ImportOptions,
    secret: &Secret,
    grouping: &mut dyn Grouping,
    watch: &mut dyn Watch,
) -> Result<Imported, ImportError> {
    for input in &inputs {
        input.check().map_err(|fault| ImportError::source(input.name(), fault, 0))?;
    }
    let mut rows = Rows::new(options, secret, grouping, watch);
    let mut files = Vec::with_capacity(inputs.len());
    let mut format: Option<(&dyn Importer, Option<String>)> = None;
    for input in inputs {
        rows.begin_file(input.name())?;
        let name = input.name().to_owned();
        let failed = |fault: SourceError, rows: &Rows<'_>| ImportError::source(&name, fault, rows.read());
        let mut buffer = open(input, options, &name)?;
        let beginning = detect::beginning(buffer.data());
        let importer = match (choice, &format) {
            (Choice::Named(importer), _) => importer,
            (Choice::Auto(known), before) => {
                let Finding { importer, why } = match options.read.map.is_empty() {
                    true => detect::the_one(&beginning, known, &name)?,
                    false => detect::by_map(&beginning, known, &name)?,
                };
                match before {
                    Some((first, _)) if first.name() != importer.name() => {
                        return Err(ImportError::Mixed {
                            file: name,
                            format: importer.name().to_owned(),
                            first: first.name().to_owned(),
                        });
                    }
                    Some(_) => {}
                    None => format = Some((importer, Some(why))),
                }
                importer
            }
        };
        // Which columns were taken for what is told also where the format was named.
        let columns = || beginning.opening(|opening| importer.recognise(opening));
        let columns = || columns().filter(|_| importer.is_general() && options.read.map.is_empty());
        format = format.or_else(|| Some((importer, columns())));
        let doubt = doubt(importer, &beginning);
        rows.looks_like(importer.name(), doubt.as_deref());
        let mut count = Lines::default();
        let read = read_file(importer, &beginning, &mut buffer, options, &mut count, &mut rows);
        let source = match read {
            Ok(()) => buffer.into_text().finish().map_err(|fault| failed(fault, &rows))?,
            Err(Failed::Source(fault)) => return Err(failed(fault, &rows)),
            Err(Failed::Import(fault)) => return Err(*fault),
        };
        let (read, kept) = rows.end_file()?;
        files.push(FileAccount {
            name,
            sha256: source.sha256,
            bytes: source.bytes,
            compression: source.compression,
            encoding: source.encoding,
            encoding_why: source.encoding_why,
            lines: count.all,
            blank_lines: count.blank,
            rows: read,
            kept,
            doubt,
        });
    }
    let (importer, why) = format.ok_or(ImportError::NoFiles)?;
    Ok(Imported { traffic: rows.finish()?, format: importer.name().to_owned(), why, files })
}

fn open<'r>(input: Input<'r>, options: &ImportOptions, name: &str) -> Result<Buffer<'r>, ImportError> {
    let encoding = match &options.encoding {
        Some(label) => Some(named(label).ok_or_else(|| ImportError::Encoding(label.clone()))?),
        None => None,
    };
    let buffer = input.open().and_then(|bytes| Text::new(bytes, encoding)).and_then(Buffer::new);
    buffer.map_err(|fault| ImportError::source(name, fault, 0))
}

/// What else the file looks like, where it does not look like what it is read as.
fn doubt(importer: &dyn Importer, beginning: &Beginning) -> Option<String> {
    if importer.is_general() || beginning.opening(|opening| importer.recognise(opening)).is_some() {
        return None;
    }
    let others = detect::findings(beginning, formats::all());
    let other = others.iter().find(|other| !other.importer.is_general())?;
    Some(format!("{}, since {}", other.importer.name(), other.why))
}

enum Failed {
    Source(SourceError),
    Import(Box<ImportError>),
}

impl From<SourceError> for Failed {
    fn from(fault: SourceError) -> Self {
        Self::Source(fault)
    }
}

fn read_file(
    importer: &dyn Importer,
    beginning: &Beginning,
    buffer: &mut Buffer<'_>,
    options: &ImportOptions,
    count: &mut Lines,
    rows: &mut Rows<'_>,
) -> Result<(), Failed> {
    let most = options.max_line;
    let framing = beginning.opening(|opening| importer.framing(opening));
    let mut table = match framing {
        Framing::Table => Table::new(buffer, most, count)?,
        Framing::Lines | Framing::Json => None,
    };
    let header = table.as_ref().map(|table| table.header.clone()).unwrap_or_default();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let separator = table.as_ref().map(|table| table.separator);
    let started = beginning.opening(|opening| {
        importer.start(&Start { header: &header, separator, opening: *opening, options: &options.read })
    });
    let mut reader = started.map_err(|fault| Failed::Import(Box::new(rows.cannot_start(fault))))?;
    let mut each = |piece: Piece<'_>| {
        match piece {
            Piece::Unit(unit) => reader.read(unit, rows),
            Piece::Bad { line, reason, detail } => crate::Sink::drop(rows, line, reason, &detail),
        }
        rows.go_on()
    };
    match framing {
        Framing::Table => {
            if let Some(table) = &mut table {
                table.read(buffer, most, count, &mut each)?;
            }
        }
        Framing::Lines => lines(buffer, most, count, &mut each)?,
        Framing::Json => values(buffer, most, count, &mut each)?,
    }
    reader.finish(rows);
    Ok(())
}
