//! Which format a file is in.

use serde_json::Value;

use crate::{
    Framing, Importer, Opening,
    audit::Class,
    framing::{first_value, header_of},
    import::ImportError,
    value::{Clock, count, time},
};

/// How much of a file is shown as its first lines.
const SHOWN: usize = 1 << 16;

/// How a file begins.
pub(crate) struct Beginning {
    text: String,
    header: Vec<String>,
    json: Option<Value>,
}

/// A format that recognises a file.
#[derive(Clone)]
pub struct Finding<'i> {
    /// The format.
    pub importer: &'i dyn Importer,
    /// Why: the end of "it is taken for NAME, since …".
    pub why: String,
}

impl std::fmt::Debug for Finding<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}, since {}", self.importer.name(), self.why)
    }
}

/// The formats that recognise a file that opens like this. Those that read everything by a map are among them only where
/// there is no other.
#[must_use]
pub fn recognise<'i>(opening: &Opening<'_>, known: &'i [&'i dyn Importer]) -> Vec<Finding<'i>> {
    let found = |general: bool| {
        let asked = known.iter().filter(move |importer| importer.is_general() == general);
        asked.filter_map(|importer| Some(Finding { importer: *importer, why: importer.recognise(opening)? }))
    };
    let special: Vec<_> = found(false).collect();
    if special.is_empty() { found(true).collect() } else { special }
}

/// Shows how a text begins, as [`Importer::recognise`] sees it.
pub fn with_opening<T>(text: &str, see: impl FnOnce(&Opening<'_>) -> T) -> T {
    beginning(text.as_bytes()).opening(see)
}

pub(crate) fn beginning(data: &[u8]) -> Beginning {
    let shown = data.get(..SHOWN.min(data.len())).unwrap_or_default();
    let whole_lines = match memchr::memrchr(b'\n', shown) {
        Some(end) if shown.len() < data.len() => shown.get(..end).unwrap_or_default(),
        _ => shown,
    };
    Beginning {
        text: String::from_utf8_lossy(whole_lines).into_owned(),
        header: header_of(shown).0,
        json: first_value(&String::from_utf8_lossy(data)),
    }
}

impl Beginning {
    pub(crate) fn opening<T>(&self, see: impl FnOnce(&Opening<'_>) -> T) -> T {
        let header: Vec<&str> = self.header.iter().map(String::as_str).collect();
        see(&Opening { text: &self.text, header: &header, json: self.json.as_ref() })
    }

    /// What is in the file, by names of keys or columns.
    fn seen(&self) -> String {
        if let Some(Value::Object(fields)) = &self.json {
            let keys: Vec<&str> = fields.keys().map(String::as_str).collect();
            return format!("JSON with the keys {}", listed(&keys));
        }
        match self.header.len() {
            0 | 1 => "lines of text".to_owned(),
            columns if is_data(&self.header) => {
                format!("a table of {columns} columns whose first line is data and names none of them")
            }
            _ if self.header.iter().any(|name| !is_name(name)) => "lines of text".to_owned(),
            _ => format!("a table with the columns {}", listed(&self.header)),
        }
    }

    fn hint(&self) -> String {
        let format = if self.json.is_some() { "jsonl" } else { "csv" };
        let column = if is_data(&self.header) { "#1" } else { "NAME" };
        format!(
            "say which format it is with --format, or where its values are, as in --format {format} --map timestamp={column},input_tokens=…,output_tokens=…"
        )
    }
}

/// Names of columns or keys for a message; their places where they may be values of a row, which no message repeats.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    if is_data(names) || !names.iter().all(|name| is_name(name.as_ref())) {
        return format!("#1 to #{}", names.len());
    }
    names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

/// Whether what should name columns are values: a time, a number, an address or a key is no name.
pub(crate) fn is_data<T: AsRef<str>>(header: &[T]) -> bool {
    let is_value = |field: &T| {
        let field = field.as_ref();
        let (time, count) = (time(field, Clock::default()), count(field, false));
        matches!(time, Ok(Some(_)))
            || matches!(count, Ok(Some(_)))
            || Class::ALL.iter().any(|class| !class.find(field).is_empty())
    };
    header.iter().any(is_value)
}

/// Whether a text may name a column: it is short, while what people write is long.
pub(crate) fn is_name(text: &str) -> bool {
    text.chars().count() <= 48
}

pub(crate) fn findings<'i>(beginning: &Beginning, known: &'i [&'i dyn Importer]) -> Vec<Finding<'i>> {
    beginning.opening(|opening| recognise(opening, known))
}

/// The format that reads such a file by a map, which the user gave.
pub(crate) fn by_map<'i>(
    beginning: &Beginning,
    known: &'i [&'i dyn Importer],
    file: &str,
) -> Result<Finding<'i>, ImportError> {
    let framing = if beginning.json.is_some() { Framing::Json } else { Framing::Table };
    let of_framing = |importer: &&&dyn Importer| {
        importer.is_general() && beginning.opening(|opening| importer.framing(opening)) == framing
    };
    let why = match framing {
        Framing::Json => "its columns are mapped and it begins with a JSON object",
        Framing::Table | Framing::Lines => "its columns are mapped and it does not begin with a JSON object",
    };
    let found = known.iter().find(of_framing);
    found.map(|importer| Finding { importer: *importer, why: why.to_owned() }).ok_or_else(|| {
        ImportError::Unknown { file: file.to_owned(), seen: beginning.seen(), hint: beginning.hint() }
    })
}

/// The one format that recognises a file.
pub(crate) fn the_one<'i>(
    beginning: &Beginning,
    known: &'i [&'i dyn Importer],
    file: &str,
) -> Result<Finding<'i>, ImportError> {
    let mut found = findings(beginning, known);
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(last), false) => {
            found.push(last);
            let candidates = found.iter().map(|finding| format!("{finding:?}")).collect();
            Err(ImportError::Ambiguous { file: file.to_owned(), candidates })
        }
        (None, _) => {
            let (seen, hint) = (beginning.seen(), beginning.hint());
            Err(ImportError::Unknown { file: file.to_owned(), seen, hint })
        }
    }
}
