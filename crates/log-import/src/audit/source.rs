//! A log read once more, to look for its values in what was made from it.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fmt::Display,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use workload_model::traffic::{Call, Dropped, Ending, Facets, Grouping};

use super::haystack::{Haystack, Place, hash};
use crate::{
    Choice, Entry, Framing, ImportError, ImportOptions, Importer, Input, MaxBad, Opening, RowReader, Secret,
    Sink, Start, StartError, Unit, import,
};

/// Values that are remembered, so that none is looked for twice. Beyond them every value is looked for.
const REMEMBERED: usize = 1 << 22;

/// What the search for the values of a log came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audited {
    /// Name of the log's format.
    pub format: String,
    /// Rows that were read.
    pub rows: u64,
    /// Rows that could not be taken apart, so that nothing of them was looked for.
    pub unread: u64,
    /// Values that were looked for, each once.
    pub values: u64,
    /// Values too short to be looked for ([`Haystack::can_find`]).
    pub too_short: u64,
    /// What was found, by field and place.
    pub found: Vec<Leak>,
}

/// A value of the log that stands where it should not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leak {
    /// The field that holds it, its keys joined by dots.
    pub field: String,
    /// Where it was found.
    pub place: Place,
    /// Line of the log on which it stands first.
    pub line: u64,
}

/// Looks for every value of the logs, but those of fields that name nobody, in the haystack. Names of models and paths are
/// not looked for: they are what groups may be called by.
///
/// # Errors
/// Where a log cannot be read. However many rows of it are bad, the others are looked at.
pub fn audit(
    inputs: Vec<Input<'_>>,
    importers: &[&dyn Importer],
    options: &ImportOptions,
    haystack: &Haystack,
) -> Result<Audited, ImportError> {
    let search = Mutex::new(Search::new(haystack));
    let searching: Vec<Searching<'_>> =
        importers.iter().map(|importer| Searching { importer: *importer, search: &search }).collect();
    let searching: Vec<&dyn Importer> = searching.iter().map(|one| one as &dyn Importer).collect();
    let choice = match searching.as_slice() {
        [one] => Choice::Named(*one),
        several => Choice::Auto(several),
    };
    let options = ImportOptions { max_bad: MaxBad::Rows(u64::MAX), ..options.clone() };
    let imported = import(inputs, choice, &options, &Secret::new(&[]), &mut Ungrouped, &mut ())?;
    let search = std::mem::replace(&mut *lock(&search), Search::new(haystack));
    let cut = [Dropped::BadEncoding, Dropped::TooLong, Dropped::FieldCount];
    let unread = imported.traffic.dropped.iter().filter(|(reason, _)| cut.contains(reason));
    Ok(Audited {
        format: imported.format,
        rows: imported.traffic.read(),
        unread: unread.map(|(_, rows)| rows).sum(),
        values: search.values,
        too_short: search.too_short,
        found: search.leaks(),
    })
}

/// Nothing is grouped here.
struct Ungrouped;

impl Grouping for Ungrouped {
    fn group_of(&mut self, _: &Facets<'_>) -> u16 {
        0
    }

    fn names(&self) -> Vec<String> {
        vec![String::new()]
    }
}

/// A format that looks for what it reads.
struct Searching<'i> {
    importer: &'i dyn Importer,
    search: &'i Mutex<Search<'i>>,
}

impl Importer for Searching<'_> {
    fn name(&self) -> &str {
        self.importer.name()
    }

    fn framing(&self, opening: &Opening<'_>) -> Framing {
        self.importer.framing(opening)
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        self.importer.recognise(opening)
    }

    fn open_fields(&self) -> &[&str] {
        self.importer.open_fields()
    }

    fn is_general(&self) -> bool {
        self.importer.is_general()
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let mapped = start.options.map.iter().filter(|(key, _)| key == "model");
        lock(self.search).mapped.extend(mapped.map(|(_, field)| field.clone()));
        Ok(Box::new(SearchingReader {
            reader: self.importer.start(start)?,
            search: self.search,
            header: start.header.iter().map(|name| (*name).to_owned()).collect(),
            open: self.open_fields().iter().map(|field| (*field).to_owned()).collect(),
        }))
    }
}

struct SearchingReader<'i> {
    reader: Box<dyn RowReader + 'i>,
    search: &'i Mutex<Search<'i>>,
    header: Vec<String>,
    open: BTreeSet<String>,
}

impl RowReader for SearchingReader<'_> {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let mut search = lock(self.search);
        match unit {
            Unit::Record { line, fields } => {
                for (name, value) in self.header.iter().zip(fields) {
                    search.text(line, &self.open, name, value);
                }
            }
            Unit::Text { line, text } => match serde_json::from_str::<Value>(text) {
                Ok(value) => search.json(line, &self.open, "", &value),
                Err(_) => search.line(line, &self.open, text),
            },
        }
        drop(search);
        self.reader.read(unit, &mut Sifting { sink, search: self.search });
        lock(self.search).settle();
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.reader.finish(&mut Sifting { sink, search: self.search });
        lock(self.search).settle();
    }
}

/// Learns of each row that is kept which of its values are the name of its model and its path.
struct Sifting<'s, 'i> {
    sink: &'s mut dyn Sink,
    search: &'s Mutex<Search<'i>>,
}

impl Sink for Sifting<'_, '_> {
    fn keep(&mut self, line: u64, entry: &Entry<'_>) {
        let mut search = lock(self.search);
        search.open.extend([&entry.model, &entry.path].into_iter().flatten().map(ToString::to_string));
        drop(search);
        self.sink.keep(line, entry);
    }

    fn drop(&mut self, line: u64, reason: Dropped, detail: &dyn Display) {
        self.sink.drop(line, reason, detail);
    }
}

fn lock<'m, 'i>(search: &'m Mutex<Search<'i>>) -> MutexGuard<'m, Search<'i>> {
    search.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Search<'h> {
    haystack: &'h Haystack,
    seen: HashSet<u64>,
    values: u64,
    too_short: u64,
    /// What was found, by value.
    found: BTreeMap<String, Leak>,
    /// What was found of the row that is being read, with its value.
    row: Vec<(String, Leak)>,
    /// Model and path of that row.
    open: Vec<String>,
    /// The field that the user mapped to the model.
    mapped: BTreeSet<String>,
}

impl<'h> Search<'h> {
    fn new(haystack: &'h Haystack) -> Self {
        Self {
            haystack,
            seen: HashSet::new(),
            values: 0,
            too_short: 0,
            found: BTreeMap::new(),
            row: Vec::new(),
            open: Vec::new(),
            mapped: BTreeSet::new(),
        }
    }

    fn json(&mut self, line: u64, open: &BTreeSet<String>, field: &str, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => self.value(line, field, &number.to_string()),
            Value::String(text) => self.text(line, open, field, text),
            Value::Array(values) => values.iter().for_each(|value| self.json(line, open, field, value)),
            Value::Object(fields) => {
                // OpenTelemetry names an attribute in a field of its own.
                if let (Some(Value::String(key)), Some(value)) = (fields.get("key"), fields.get("value")) {
                    return self.field(line, open, field, key, value);
                }
                for (key, value) in fields {
                    self.field(line, open, field, key, value);
                }
            }
        }
    }

    fn field(&mut self, line: u64, open: &BTreeSet<String>, parent: &str, key: &str, value: &Value) {
        if !open.contains(key) {
            let field = if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
            self.json(line, open, &field, value);
        }
    }

    /// A text, which may be JSON itself.
    fn text(&mut self, line: u64, open: &BTreeSet<String>, field: &str, text: &str) {
        if open.contains(field) {
            return;
        }
        if text.starts_with(['{', '['])
            && let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
        {
            return self.json(line, open, field, &value);
        }
        self.value(line, field, text);
    }

    /// A line without fields: whatever stands in quotation marks, and every word but those of a text that the line quotes.
    fn line(&mut self, line: u64, open: &BTreeSet<String>, text: &str) {
        let (before, quoted_text, behind) = quotation(text);
        if !quoted_text.is_empty() {
            self.value(line, "", quoted_text);
        }
        for text in [before, behind] {
            let quoted = text.split('"').skip(1).step_by(2);
            let words = text.split(|sign: char| {
                sign.is_whitespace() || matches!(sign, '"' | '\'' | ',' | ';' | '[' | ']' | '(' | ')' | '=')
            });
            for value in quoted.chain(words) {
                let value = value.trim_matches([':', '.', '?', '!']);
                if !open.contains(value) {
                    self.value(line, "", value);
                }
            }
        }
    }

    fn value(&mut self, line: u64, field: &str, value: &str) {
        let value = value.trim();
        if value.is_empty() || is_own_word(value) {
            return;
        }
        if self.seen.contains(&hash(value.as_bytes())) {
            return;
        }
        let place = self.haystack.find(value);
        if let Some(place) = place {
            // Whether it is the name of the row's model is known once the row was read.
            self.row.push((value.to_owned(), Leak { field: field.to_owned(), place, line }));
            return;
        }
        if self.seen.len() < REMEMBERED {
            self.seen.insert(hash(value.as_bytes()));
        }
        if Haystack::can_find(value) {
            self.values += 1;
        } else {
            self.too_short += 1;
        }
    }

    /// Takes what was found of a row over, but the name of its model and its path where a field of that kind holds them, and
    /// not the same text in another field. In a line without fields they cannot be told apart.
    fn settle(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        let of_model = |field: &str| {
            ["model", "path", "uri", "url", "模型", "路径"].iter().any(|part| field.contains(part))
                || self.mapped.contains(field)
        };
        row.retain(|(value, leak)| {
            !self.open.contains(value) || !(leak.field.is_empty() || of_model(&leak.field))
        });
        self.open.clear();
        for (value, leak) in row {
            if !self.found.contains_key(&value) {
                self.values += 1;
                self.found.insert(value, leak);
            }
        }
    }

    fn leaks(self) -> Vec<Leak> {
        let mut leaks: Vec<Leak> = self.found.into_values().collect();
        leaks.sort();
        leaks
    }
}

/// A line before, within and behind a text that it names and quotes, as `prompt: 'What is …', params: …`. Like the text of a
/// field such a text is looked for as a whole: its words are those of the language.
fn quotation(line: &str) -> (&str, &str, &str) {
    for (opens, closes) in [(": '", "', "), (": \"", "\", ")] {
        let found = line.split_once(opens).and_then(|(before, rest)| {
            let (text, behind) = rest.rsplit_once(closes)?;
            Some((before, text, behind))
        });
        if let Some(found) = found {
            return found;
        }
    }
    (line, "", "")
}

/// Whether a value is a word by which a profile itself calls kinds of requests and their endings: `timeout`, `chat`.
fn is_own_word(value: &str) -> bool {
    let calls = Call::ALL.iter().map(|call| call.as_str());
    calls.chain(Ending::ALL.iter().map(|ending| ending.as_str())).any(|word| word == value)
}
