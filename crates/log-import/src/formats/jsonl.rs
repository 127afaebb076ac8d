//! JSON Lines of the user's own.

use serde_json::Value;

use super::{
    columns::{asked, choice, well_known},
    keys::Keys,
    mapped::{Fields, Mapped},
    rows::{hand_on, no_text},
};
use crate::{Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit};

/// JSON objects whose keys are mapped, or are well known by their names.
pub(super) struct Jsonl;

/// So many rows tell which keys there are.
const LOOKED_AT: usize = 100;

/// Fields of logs of users' own that name nobody, where they go by these names.
pub(super) const OPEN_FIELDS: &[&str] = &[
    "timestamp",
    "time",
    "ts",
    "created_at",
    "start_time",
    "input_tokens",
    "output_tokens",
    "prompt_tokens",
    "completion_tokens",
    "input_length",
    "output_length",
    "model",
    "model_name",
    "stream",
    "is_stream",
    "duration",
    "latency",
    "ttft",
    "status",
    "status_code",
    "priority",
    "时间",
    "输入长度",
    "输出长度",
    "模型",
    "状态",
];

impl Importer for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let columns = well_known(&paths(opening));
        (!columns.is_empty()).then(|| format!("its keys have well-known names: {}", choice(&columns)))
    }

    fn open_fields(&self) -> &[&str] {
        OPEN_FIELDS
    }

    fn is_general(&self) -> bool {
        true
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let names = paths(&start.opening);
        let mut columns = asked(start.options)?;
        let hint = || format!("its keys are {}", crate::detect::listed(&names));
        let is_there = |name: &str| {
            // Deeper than two keys nobody has looked.
            let within = |path: &String| {
                path.contains('.')
                    && name.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            names.iter().any(|path| path == name || within(path))
        };
        if let Some(column) = columns.iter().find(|column| !names.is_empty() && !is_there(&column.name)) {
            return Err(StartError {
                reason: format!("there is no key `{}` in the first rows", column.name),
                hint: hint(),
            });
        }
        if columns.is_empty() {
            columns = well_known(&names);
        }
        if columns.is_empty() {
            let reason = match names.is_empty() {
                true => "its first lines hold no JSON object",
                false => "none of its keys has a well-known name for a time and for tokens",
            };
            let map = "say what they hold: --map timestamp=KEY,input_tokens=…,output_tokens=…";
            return Err(StartError { reason: reason.to_owned(), hint: format!("{map}; {}", hint()) });
        }
        let keys = Keys::of(&columns);
        Ok(Box::new(Reader { mapped: Mapped::new(columns, start.options), keys }))
    }
}

struct Reader {
    mapped: Mapped,
    keys: Keys,
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        match unit {
            Unit::Text { line, text } => {
                let mut fields = Fields::default();
                let row = self.keys.pick(text, &mut fields).and_then(|()| self.mapped.entry(&fields));
                hand_on(line, row, sink);
            }
            Unit::Record { line, .. } => hand_on(line, Err(no_text()), sink),
        }
    }
}

/// Paths of keys of the first rows, as deep as two keys, in the order in which they come.
fn paths(opening: &Opening<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    let mut add = |value: &Value| {
        for (key, value) in value.as_object().into_iter().flatten() {
            let below = value.as_object().into_iter().flatten().map(|(inner, _)| format!("{key}.{inner}"));
            for path in std::iter::once(key.clone()).chain(below) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
    };
    opening.json.into_iter().for_each(&mut add);
    opening
        .text
        .lines()
        .take(LOOKED_AT)
        .filter_map(|line| serde_json::from_str(line).ok())
        .for_each(|value| add(&value));
    paths
}
