//! Public traces of Azure's LLM inference, of 2023 and 2024 (`TIMESTAMP,ContextTokens,GeneratedTokens`).

use workload_model::traffic::StampKind;

use super::{
    request::{OfField, request_at, set_tokens},
    rows::hand_on,
    table::{Columns, no_record},
};
use crate::{
    Entry, Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit,
    value::{Clock, RowFault, count, time},
};

/// Azure's public traces.
pub(super) struct Azure;

const TIME: &str = "TIMESTAMP";
const INPUT: &str = "ContextTokens";
const OUTPUT: &str = "GeneratedTokens";
const COLUMNS: [&str; 3] = [TIME, INPUT, OUTPUT];

impl Importer for Azure {
    fn name(&self) -> &'static str {
        "azure"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Table
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let has_all = COLUMNS.iter().all(|column| opening.header.contains(column));
        has_all.then(|| "it has the columns TIMESTAMP, ContextTokens and GeneratedTokens".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &COLUMNS
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let clock = Clock::from(start.options);
        let (columns, row) = match start.header {
            // Pieces of these traces have no header.
            [at, input, output] if is_row(at, input, output, clock) => {
                let columns = Columns::of(&Start { header: &COLUMNS, ..*start });
                (columns, Some([*at, *input, *output].map(str::to_owned)))
            }
            _ => (Columns::of(start), None),
        };
        columns.require(&COLUMNS)?;
        Ok(Box::new(Reader { columns, clock, row, resolution_ns: None }))
    }
}

fn is_row(at: &str, input: &str, output: &str, clock: Clock) -> bool {
    let is_count = |text| matches!(count(text, false), Ok(Some(_)));
    matches!(time(at, clock), Ok(Some(_))) && is_count(input) && is_count(output)
}

struct Reader {
    columns: Columns,
    clock: Clock,
    /// What stands where a header should, until it was read as the row that it is.
    row: Option<[String; 3]>,
    /// Finest resolution of a time so far. One that falls on a second is written without a fraction.
    resolution_ns: Option<u64>,
}

impl Reader {
    fn entry<'a>(&mut self, record: &[&'a str]) -> Result<Entry<'a>, RowFault> {
        let field = |name| self.columns.field(record, name);
        let mut time = field(TIME).time(self.clock).of(TIME)?.ok_or_else(|| RowFault::no_time(TIME))?;
        if field(TIME).text().is_some_and(|text| text.contains(':')) && time.resolution_ns <= 1_000_000_000 {
            time.resolution_ns =
                self.resolution_ns.map_or(time.resolution_ns, |finest| finest.min(time.resolution_ns));
            self.resolution_ns = Some(time.resolution_ns);
        }
        let mut entry = request_at(time, StampKind::Arrival, TIME);
        let (input, output) = (field(INPUT).count().of(INPUT)?, field(OUTPUT).count().of(OUTPUT)?);
        set_tokens(&mut entry, input, output);
        Ok(entry)
    }

    fn first_row(&mut self, sink: &mut dyn Sink) {
        if let Some(row) = self.row.take() {
            hand_on(1, self.entry(&row.each_ref().map(String::as_str)), sink);
        }
    }
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        self.first_row(sink);
        match unit {
            Unit::Record { line, fields } => hand_on(line, self.entry(fields), sink),
            Unit::Text { line, .. } => hand_on(line, Err(no_record()), sink),
        }
    }

    fn finish(&mut self, sink: &mut dyn Sink) {
        self.first_row(sink);
    }
}
