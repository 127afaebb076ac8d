//! The public traces of BurstGPT, of all its releases: columns are found by their names, since a later one put new ones
//! between.

use workload_model::traffic::Ending;

use super::{
    relative::relative_at,
    request::{OfField, set_ending, set_tokens},
    rows::hand_on,
    table::{Columns, no_record},
};
use crate::{
    Entry, Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit,
    value::{Field, RowFault},
};

/// BurstGPT's traces.
pub(super) struct BurstGpt;

const TIME: &str = "Timestamp";
const INPUT: &str = "Request tokens";
const OUTPUT: &str = "Response tokens";

impl Importer for BurstGpt {
    fn name(&self) -> &'static str {
        "burstgpt"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Table
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let names = [TIME, INPUT, OUTPUT, "Log Type"];
        let has_all = names.iter().all(|column| opening.header.contains(column));
        has_all
            .then(|| "it has the columns Timestamp, Request tokens, Response tokens and Log Type".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &[TIME, "Model", INPUT, OUTPUT, "Total tokens", "Log Type", "Elapsed time"]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let columns = Columns::of(start);
        columns.require(&[TIME, INPUT, OUTPUT])?;
        Ok(Box::new(Reader { columns }))
    }
}

struct Reader {
    columns: Columns,
}

impl Reader {
    fn entry<'a>(&self, record: &[&'a str]) -> Result<Entry<'a>, RowFault> {
        let field = |name| -> Field<'a> { self.columns.field(record, name) };
        let mut entry = relative_at(field(TIME), 1_000_000_000, TIME)?;
        let (input, output) = (field(INPUT).count().of(INPUT)?, field(OUTPUT).count().of(OUTPUT)?);
        // A request without an answer is one that failed.
        set_ending(&mut entry, if output == Some(0) { Ending::Error } else { Ending::Ok });
        set_tokens(&mut entry, input, output);
        entry.duration = field("Elapsed time").seconds().of("Elapsed time")?;
        entry.model = field("Model").text();
        entry.label = field("Log Type").text();
        entry.session = field("Session ID").text();
        Ok(entry)
    }
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        match unit {
            Unit::Record { line, fields } => hand_on(line, self.entry(fields), sink),
            Unit::Text { line, .. } => hand_on(line, Err(no_record()), sink),
        }
    }
}
