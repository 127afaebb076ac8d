//! Log of Kong's plugins for logs (`file-log`, `http-log`), with what its plugins for AI add to it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use workload_model::traffic::{Call, Ending, StampKind};

use super::prompt::prompt_of;
use super::request::{
    OfField, call_of_path, ending_of_status, no_model, path_of, request_at, set_ending, set_first_token,
    set_tokens,
};
use super::rows::{Reading, Rows, first_object, has_all, read_object};
use crate::value::{Field, RowFault, read_json};
use crate::{Entry, Framing, Importer, Opening, RowReader, Start, StartError};

/// Kong's log of requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kong;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Row<'a> {
    #[serde(borrow)]
    ai: Field<'a>,
    started_at: Field<'a>,
    latencies: Latencies<'a>,
    request: Request<'a>,
    response: Response<'a>,
    // An object, or null, or the empty list that Lua writes for an empty table.
    route: Field<'a>,
    consumer: Field<'a>,
    client_ip: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Latencies<'a> {
    #[serde(borrow)]
    request: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Request<'a> {
    #[serde(borrow)]
    uri: Field<'a>,
    method: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    status: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    id: Field<'a>,
    name: Field<'a>,
    username: Field<'a>,
    custom_id: Field<'a>,
}

/// What a plugin tells of the call that it made.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Plugin<'a> {
    #[serde(borrow)]
    usage: Usage<'a>,
    meta: Meta<'a>,
    cache: Cache<'a>,
    payload: Payload<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Usage<'a> {
    #[serde(borrow, alias = "prompt_token")]
    prompt_tokens: Field<'a>,
    #[serde(alias = "completion_token")]
    completion_tokens: Field<'a>,
    time_to_first_token: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Meta<'a> {
    #[serde(borrow)]
    request_model: Field<'a>,
    response_model: Field<'a>,
    request_mode: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Cache<'a> {
    #[serde(borrow)]
    cache_status: Field<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow)]
    request: Field<'a>,
}

impl Importer for Kong {
    fn name(&self) -> &'static str {
        "kong"
    }

    fn framing(&self, _: &Opening<'_>) -> Framing {
        Framing::Json
    }

    fn recognise(&self, opening: &Opening<'_>) -> Option<String> {
        let object = first_object(opening)?;
        (has_all(object, &["started_at", "latencies", "request"])
            && (opening.text.contains("\"ai\"") || object.contains_key("route")))
        .then(|| "its rows have started_at, latencies and request".into())
    }

    fn open_fields(&self) -> &[&str] {
        &[
            "started_at",
            "latencies",
            "receive",
            "status",
            "method",
            "size",
            "prompt_token",
            "prompt_tokens",
            "completion_token",
            "completion_tokens",
            "total_tokens",
            "cost",
            "time_per_token",
            "time_to_first_token",
            "llm_latency",
            "request_model",
            "response_model",
            "request_mode",
            "provider_name",
            "cache_status",
            "fetch_latency",
            "embeddings_latency",
        ]
    }

    fn start<'i>(&'i self, start: &Start<'_>) -> Result<Box<dyn RowReader + 'i>, StartError> {
        Ok(Rows::boxed(read, start.options))
    }
}

fn read<'a>(text: &'a str, reading: Reading) -> Result<Entry<'a>, RowFault> {
    let row: Row<'a> = read_object(text)?;
    let path = row.request.uri.text().map(path_of);
    let call = path.as_deref().and_then(call_of_path);
    let plugins = plugins(row.ai)?;
    // `ai-proxy` made the call; others, such as one that transforms requests, make calls of their own on its way.
    let plugin = ["proxy", "ai-proxy", "ai-proxy-advanced"]
        .into_iter()
        .find_map(|name| plugins.get(name))
        .or_else(|| plugins.values().find(|plugin| !plugin.usage.prompt_tokens.is_unknown()));
    let not_posted = row.request.method.text().is_some_and(|method| method != "POST");
    if plugin.is_none() && (call.is_none() || not_posted) {
        return Err(no_model());
    }
    let none = Plugin::default();
    let plugin = plugin.unwrap_or(&none);

    let start = row
        .started_at
        .time(reading.clock)
        .of("started_at")?
        .ok_or_else(|| RowFault::no_time("started_at"))?;
    let mut entry = request_at(start, StampKind::Arrival, "started_at");
    entry.call = call.unwrap_or(Call::Chat);
    entry.duration = row.latencies.request.millis().of("latencies.request")?;
    let hit = |plugin: &Plugin<'_>| {
        plugin.cache.cache_status.text().is_some_and(|status| status.eq_ignore_ascii_case("hit"))
    };
    let ending = match plugins.values().any(hit) {
        true => Ending::CacheHit,
        false => ending_of_status(row.response.status.count().of("response.status")?),
    };
    set_ending(&mut entry, ending);
    let input = plugin.usage.prompt_tokens.count().of("ai.usage.prompt_tokens")?;
    let output = plugin.usage.completion_tokens.count().of("ai.usage.completion_tokens")?;
    set_tokens(&mut entry, input, output);
    entry.stream = plugin.meta.request_mode.text().and_then(|mode| match &*mode {
        "stream" => Some(true),
        "oneshot" => Some(false),
        _ => None,
    });
    set_first_token(
        &mut entry,
        plugin.usage.time_to_first_token.millis().of("ai.usage.time_to_first_token")?,
    );
    entry.model = plugin.meta.request_model.text().or_else(|| plugin.meta.response_model.text());
    entry.path = path;
    let named = |field: Field<'a>| field.json().and_then(|json| read_json::<Named<'a>>(json).ok());
    entry.label = named(row.route).and_then(|route| route.name.text().or_else(|| route.id.text()));
    entry.caller = named(row.consumer)
        .and_then(|consumer| {
            consumer.username.text().or_else(|| consumer.custom_id.text()).or_else(|| consumer.id.text())
        })
        .or_else(|| row.client_ip.text());
    if reading.keep_text {
        entry.prompt = prompt_of(plugin.payload.request);
    }
    Ok(entry)
}

/// What every plugin tells, by its name.
fn plugins(ai: Field<'_>) -> Result<BTreeMap<Cow<'_, str>, Plugin<'_>>, RowFault> {
    let Some(json) = ai.json().filter(|json| json.starts_with('{')) else {
        return Ok(BTreeMap::new());
    };
    let fields: BTreeMap<Cow<'_, str>, Field<'_>> =
        read_json(json).map_err(|fault| RowFault::new(fault.reason, format!("ai: {fault}")))?;
    Ok(fields
        .into_iter()
        // Beside the plugins there is what was asked, `ai.payload`, in older versions.
        .filter(|(name, _)| name != "payload")
        .filter_map(|(name, field)| Some((name, read_json(field.json()?).ok()?)))
        .collect())
}
