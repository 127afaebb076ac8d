//! The traces of Bailian (Qwen): seconds with a fraction, from an instant that nobody knows, and turns that name the turn
//! before.

use serde::Deserialize;
use workload_model::traffic::Call;

use super::{BLOCKS, TIME, blocks, conversations::Conversations, first_row, request};
use crate::{
    Entry, Framing, Importer, Opening, RowReader, Sink, Start, StartError, Unit,
    formats::{
        request::OfField,
        rows::{hand_on, no_text, read_object},
    },
    value::{Field, RowFault},
};

/// Bailian's traces.
pub(in crate::formats) struct Bailian;

/// Tokens of a block.
const BLOCK_TOKENS: u32 = 16;

#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow, default)]
    timestamp: Field<'a>,
    #[serde(borrow, default)]
    input_length: Field<'a>,
    #[serde(borrow, default)]
    output_length: Field<'a>,
    #[serde(borrow, default)]
    chat_id: Field<'a>,
    /// −1 of a first turn.
    #[serde(borrow, default)]
    parent_chat_id: Field<'a>,
    /// `text`, `search`, `image`, `file`, `thinking`.
    #[serde(borrow, default, rename = "type")]
    kind: Field<'a>,
    #[serde(borrow, default)]
    hash_ids: Field<'a>,
}

impl Importer for Bailian {
    fn name(&self) -> &'static str {
        "bailian"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let row = first_row(opening)?;
        let is_it = row.contains_key("chat_id") && row.contains_key("parent_chat_id");
        is_it.then(|| "its rows have chat_id, parent_chat_id and hash_ids".to_owned())
    }

    fn open_fields(&self) -> &[&str] {
        &[TIME, super::INPUT, super::OUTPUT, BLOCKS, "type", "turn", "chat_id", "parent_chat_id"]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        let skip_blocks = start.options.skip_blocks;
        Ok(Box::new(Reader { skip_blocks, conversations: Conversations::default() }))
    }
}

struct Reader {
    skip_blocks: bool,
    conversations: Conversations,
}

impl Reader {
    fn entry<'a>(&mut self, text: &'a str) -> Result<Entry<'a>, RowFault> {
        let row: Row<'_> = read_object(text)?;
        let mut entry = request(row.timestamp, 1_000_000_000, (row.input_length, row.output_length))?;
        entry.call = Call::Chat;
        entry.blocks = blocks(row.hash_ids, BLOCK_TOKENS, self.skip_blocks);
        entry.label = row.kind.text();
        if let Some(turn) = row.chat_id.count().of("chat_id")? {
            let first = row.parent_chat_id.text().is_none_or(|parent| parent.starts_with('-'));
            let before = if first { None } else { row.parent_chat_id.count().of("parent_chat_id")? };
            entry.session = Some(self.conversations.of(turn, before).to_string().into());
        }
        Ok(entry)
    }
}

impl RowReader for Reader {
    fn read(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) {
        match unit {
            Unit::Text { line, text } => hand_on(line, self.entry(text), sink),
            Unit::Record { line, .. } => hand_on(line, Err(no_text()), sink),
        }
    }
}
