//! Access log of nginx whose `log_format` writes JSON.

use serde::Deserialize;
use workload_model::traffic::{Call, Dropped, StampKind};

use super::request::{
    OfField, call_of_path, ending_of_status, first_address, only_posted, path_of, request_at, set_ending,
    target_of_line,
};
use super::rows::{Reading, Rows, first_object, read_object};
use crate::value::{Field, RowFault};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// nginx's access log as JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct NginxJson;

/// Keys are the operator's own; these are what nearly everybody calls the variables of nginx.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    msec: Field<'a>,
    time_iso8601: Field<'a>,
    time_local: Field<'a>,
    time: Field<'a>,
    #[serde(rename = "@timestamp")]
    at_timestamp: Field<'a>,
    timestamp: Field<'a>,
    request_time: Field<'a>,
    // Names of a format that many took over with its log shipper.
    responsetime: Field<'a>,
    url: Field<'a>,
    xff: Field<'a>,
    clientip: Field<'a>,
    uri: Field<'a>,
    request_uri: Field<'a>,
    request: Field<'a>,
    request_method: Field<'a>,
    method: Field<'a>,
    status: Field<'a>,
    http_authorization: Field<'a>,
    remote_user: Field<'a>,
    http_x_forwarded_for: Field<'a>,
    remote_addr: Field<'a>,
}

impl Importer for NginxJson {
    fn name(&self) -> &'static str {
        "nginx-json"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let object = first_object(opening)?;
        let target = ["uri", "request_uri", "request", "url"]
            .iter()
            .any(|key| object.get(*key).is_some_and(|value| value.is_string()));
        let time = ["msec", "time_iso8601", "time_local", "time", "@timestamp", "timestamp"]
            .into_iter()
            .find(|key| object.contains_key(*key))?;
        let of_a_model =
            object.keys().any(|key| key.contains("llm") || key.starts_with("ai_") || key.contains("token"));
        let duration = ["request_time", "responsetime"].into_iter().find(|key| object.contains_key(*key))?;
        (object.contains_key("status") && target && !of_a_model).then(|| {
            format!("its rows have {duration}, status, a URI and {time}, and nothing that counts tokens")
        })
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "time",
            "time_iso8601",
            "time_local",
            "@timestamp",
            "timestamp",
            "msec",
            "request_method",
            "status",
            "request_length",
            "bytes_sent",
            "body_bytes_sent",
            "request_time",
            "responsetime",
            "upstreamtime",
            "size",
            "upstream_response_time",
            "upstream_header_time",
            "upstream_connect_time",
            "upstream_status",
            "server_protocol",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(read, start.options))
    }
}

fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let request = row.request.text();
    let of_line = request.as_deref().and_then(target_of_line).map(|(_, target)| target.to_owned().into());
    let path = row.uri.text().or_else(|| row.request_uri.text()).or_else(|| row.url.text()).or(of_line);
    let path = path.map(path_of);
    let method = row.request_method.text().or_else(|| row.method.text());
    let method_of_line = request.as_deref().and_then(target_of_line).map(|(method, _)| method);
    let path =
        path.ok_or_else(|| RowFault::new(Dropped::BadRow, "none of uri, request_uri, url and request"))?;
    // Nothing else in the row tells what was asked for.
    let call = call_of_path(&path).filter(|call| matches!(call, Call::Chat | Call::Completion));
    let call = call
        .ok_or_else(|| RowFault::new(Dropped::OtherPath, "its path is that of no chat or text completion"))?;

    only_posted(method.as_deref().or(method_of_line))?;

    let times = [
        (row.msec, "msec", "msec - request_time"),
        (row.time_iso8601, "time_iso8601", "time_iso8601 - request_time"),
        (row.time_local, "time_local", "time_local - request_time"),
        (row.time, "time", "time - request_time"),
        (row.at_timestamp, "@timestamp", "@timestamp - request_time"),
        (row.timestamp, "timestamp", "timestamp - request_time"),
    ];
    let (field, name, words) =
        times.into_iter().find(|(field, ..)| !field.is_unknown()).ok_or_else(|| RowFault::no_time("msec"))?;
    let end = field.time(reading.clock).of(name)?.ok_or_else(|| RowFault::no_time(name))?;
    // The line is written when the request has ended.
    let mut entry = request_at(end, StampKind::End, words);
    entry.call = call;
    let duration = if row.request_time.is_unknown() { row.responsetime } else { row.request_time };
    entry.duration = duration.seconds().of("request_time")?;
    // No field tells the time to the first token: headers come before it, and at once where an answer is streamed.
    set_ending(&mut entry, ending_of_status(row.status.count().of("status")?));
    entry.path = Some(path);
    entry.caller = row
        .http_authorization
        .text()
        .or_else(|| row.remote_user.text())
        .or_else(|| row.http_x_forwarded_for.text().or_else(|| row.xff.text()).map(first_address))
        .or_else(|| row.remote_addr.text())
        .or_else(|| row.clientip.text());
    Ok(entry)
}
