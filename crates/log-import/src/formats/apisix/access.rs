//! A line of the access log, as the documentation of `ai-proxy` configures it.

use workload_model::traffic::{Call, Dropped, StampKind};

use super::REQUEST_TYPES;
use crate::Entry;
use crate::formats::request::{
    OfField, call_of_path, ending_of_status, only_posted, path_of, request_at, set_ending, set_first_token,
    set_tokens, target_of_line,
};
use crate::formats::rows::Reading;
use crate::value::{Field, RowFault};

pub(super) fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let fields: Vec<&'a str> = Fields { rest: text }.collect();
    let field = |at: usize| Field::plain(fields.get(at).copied().unwrap_or_default(), false);
    // Lists of upstreams have spaces, so that what stands behind them is counted from the type of request.
    let kind = fields
        .iter()
        .rposition(|field| REQUEST_TYPES.contains(field))
        .filter(|kind| *kind > 8 && fields.len() >= kind + 6);
    let kind =
        kind.ok_or_else(|| RowFault::new(Dropped::BadRow, "no line of an access log with a request_type"))?;
    let request_type = fields.get(kind).copied().unwrap_or_default();
    if request_type == "traditional_http" {
        return Err(RowFault::new(Dropped::NoRequest, "request_type: traditional_http"));
    }
    let request = field(5).text();
    let (method, target) = request.as_deref().and_then(target_of_line).unzip();
    only_posted(method)?;
    let end =
        field(3).time(reading.clock).of("time_local")?.ok_or_else(|| RowFault::no_time("time_local"))?;
    // The line is written when the request has ended.
    let mut entry = request_at(end, StampKind::End, "time_local - request_time");
    entry.duration = field(8).seconds().of("request_time")?;
    set_ending(&mut entry, ending_of_status(field(6).count().of("status")?));
    entry.stream = Some(request_type == "ai_stream");
    let input = field(kind + 4).count().of("llm_prompt_tokens")?;
    let output = field(kind + 5).count().of("llm_completion_tokens")?;
    set_tokens(&mut entry, input, output);
    // Of an answer in one piece it is the whole time; of a request that failed, when it failed.
    let first_token = field(kind + 1).millis().of("llm_time_to_first_token")?;
    set_first_token(&mut entry, first_token);
    if entry.input_tokens.is_none() && entry.ttft.take().is_some() {
        entry.notes.add(workload_model::traffic::Note::NoFirstToken);
    }
    entry.model = field(kind + 3).text().or_else(|| field(kind + 2).text());
    entry.path = target.map(|target| path_of(target.to_owned().into()));
    entry.call = entry.path.as_deref().and_then(call_of_path).unwrap_or(Call::Chat);
    entry.caller = field(2).text().or_else(|| field(0).text());
    Ok(entry)
}

/// Fields between spaces; one in quotes or brackets may hold spaces.
struct Fields<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start_matches(' ');
        let (start, close) = match rest.as_bytes().first()? {
            b'"' => (1, '"'),
            b'[' => (1, ']'),
            _ => (0, ' '),
        };
        let inner = rest.get(start..)?;
        let (field, behind) = inner.split_once(close).unwrap_or((inner, ""));
        self.rest = behind;
        Some(field)
    }
}
