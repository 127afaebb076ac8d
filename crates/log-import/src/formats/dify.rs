//! Messages of Dify: its table `messages` as CSV.

use workload_model::traffic::{Ending, Note, StampKind};

use super::request::{OfField, request_at, set_ending, set_tokens};
use super::rows::{Reading, hand_on};
use super::table::{Columns, no_record};
use crate::value::RowFault;
use crate::{Entry, Framing, Importer, Opening, Prompt, RowReader, Sink, Start, StartError, Unit};

/// Dify's table of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dify;

const OWN: [&str; 4] = ["conversation_id", "message_tokens", "answer_tokens", "provider_response_latency"];

impl Importer for Dify {
    fn name(&self) -> &'static str {
        "dify"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Table
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        OWN.iter()
            .all(|name| opening.header.contains(name))
            .then(|| format!("its columns are {}, among others", OWN.join(", ")))
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "model_provider",
            "model_id",
            "message_tokens",
            "answer_tokens",
            "message_unit_price",
            "answer_unit_price",
            "message_price_unit",
            "answer_price_unit",
            "provider_response_latency",
            "total_price",
            "currency",
            "status",
            "from_source",
            "created_at",
            "updated_at",
            "agent_based",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let columns = Columns::of(start);
        columns.require(&["created_at", "message_tokens", "answer_tokens"])?;
        Ok(Box::new(Records { columns, reading: start.options.into() }))
    }
}

struct Records {
    columns: Columns,
    reading: Reading,
}

impl RowReader for Records {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        let row = match unit {
            Unit::Record { fields, .. } => self.row(fields),
            Unit::Text { .. } => Err(no_record()),
        };
        hand_on(unit.line(), row, sink);
    }
}

impl Records {
    fn row<'a>(&self, fields: &[&'a str]) -> Result<Entry<'a>, RowFault> {
        let field = |name: &str| self.columns.field(fields, name);
        let created = field("created_at").time(self.reading.clock).of("created_at")?;
        let mut created = created.ok_or_else(|| RowFault::no_time("created_at"))?;
        // The database leaves out zeros at the end, so that `.5` is exact to more than a tenth.
        created.resolution_ns = 1000_u64.pow(created.resolution_ns.max(1).ilog(1000));
        let mut entry = request_at(created, StampKind::Arrival, "created_at");
        entry.notes.add(Note::ApplicationCounts);
        set_ending(
            &mut entry,
            match field("status").text().as_deref() {
                Some("normal") => Ending::Ok,
                Some("error") => Ending::Error,
                _ if !field("error").is_unknown() => Ending::Error,
                _ => Ending::Unknown,
            },
        );
        let input = field("message_tokens").count().of("message_tokens")?;
        let output = field("answer_tokens").count().of("answer_tokens")?;
        set_tokens(&mut entry, input, output);
        // It stays 0 until the answer is there, and for applications that do not measure it.
        let latency = field("provider_response_latency").seconds().of("provider_response_latency")?;
        entry.duration = latency.filter(|latency| latency.0 > 0);
        entry.model = field("model_id").text();
        entry.label = field("app_id").text();
        entry.caller = field("from_end_user_id").text().or_else(|| field("from_account_id").text());
        entry.session = field("conversation_id").text();
        if self.reading.keep_text {
            entry.prompt = field("query").text().map(Prompt::Text);
        }
        Ok(entry)
    }
}
