//! What requests have in common in the logs of gateways: their paths, states, counts and callers.

use std::borrow::Cow;

use metrics_core::Micros;
use workload_model::traffic::{Call, Dropped, Ending, Note, StampKind};

use crate::value::{BadValue, RowFault, Time};
use crate::{Entry, Stamp};

/// Names the field of a value that cannot be read.
pub(super) trait OfField<T> {
    fn of(self, field: &str) -> Result<T, RowFault>;
}

impl<T> OfField<T> for Result<T, BadValue> {
    fn of(self, field: &str) -> Result<T, RowFault> {
        self.map_err(|bad| bad.of(field))
    }
}

/// A request at this time.
pub(super) fn request_at<'a>(time: Time, kind: StampKind, words: &'static str) -> Entry<'a> {
    let stamp = Stamp { at_ns: time.at_ns, resolution_ns: time.resolution_ns, kind, relative: false, words };
    let mut entry = Entry::at(stamp);
    if time.zone_assumed {
        entry.notes.add(Note::ZoneAssumed);
    }
    if time.year_assumed {
        entry.notes.add(Note::YearAssumed);
    }
    entry
}

/// From one instant to another, which has this name.
pub(super) fn between(from: Time, until: Time, field: &str) -> Result<Micros, RowFault> {
    u64::try_from(until.at_ns - from.at_ns)
        .map(|nanos| Micros((nanos + 500) / 1000))
        .map_err(|_| RowFault::new(Dropped::BadTime, format!("{field}: it lies before the arrival")))
}

/// How it ended, with what follows from that.
pub(super) fn set_ending(entry: &mut Entry<'_>, ending: Ending) {
    entry.ending = ending;
    match ending {
        Ending::ClientGone | Ending::Timeout => set_cut(entry),
        Ending::CacheHit => entry.notes.add(Note::CacheHit),
        _ => {}
    }
}

/// The output is as long as something let it be.
pub(super) fn set_cut(entry: &mut Entry<'_>) {
    entry.output_cut = true;
    entry.notes.add(Note::OutputCut);
}

/// Counts of tokens of a request whose ending is known by now. No request has an input of 0 tokens, and an output of 0
/// tells nothing where the request failed.
pub(super) fn set_tokens(entry: &mut Entry<'_>, input: Option<u32>, output: Option<u32>) {
    let failed = !matches!(entry.ending, Ending::Ok | Ending::CacheHit | Ending::Unknown);
    entry.input_tokens = input.filter(|input| *input > 0);
    entry.output_tokens = output.filter(|output| *output > 0 || !failed);
    if (entry.input_tokens, entry.output_tokens) != (input, output) {
        entry.notes.add(Note::ZeroIsUnknown);
    }
}

/// The time to the first token, as a log has it. It counts only of an answer that was streamed, and 0 stands for none.
pub(super) fn set_first_token(entry: &mut Entry<'_>, ttft: Option<Micros>) {
    entry.ttft = ttft.filter(|ttft| ttft.0 > 0 && entry.stream == Some(true));
    if entry.ttft != ttft {
        entry.notes.add(Note::NoFirstToken);
    }
}

/// How a request ended that was answered with this status of HTTP, as gateways use them.
pub(super) fn ending_of_status(status: Option<u32>) -> Ending {
    match status {
        Some(200..=399) => Ending::Ok,
        Some(408 | 504 | 524) => Ending::Timeout,
        Some(429) => Ending::Rejected,
        Some(460 | 499) => Ending::ClientGone,
        Some(400..=599) => Ending::Error,
        _ => Ending::Unknown,
    }
}

/// Which call of a model goes to a path; `None` of a path that belongs to none.
pub(super) fn call_of_path(path: &str) -> Option<Call> {
    let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    let path_of_media = ["/images/", "/audio/", "/video/", "/videos/"].iter().any(|part| path.contains(part));
    // These ends are those of paths of other systems as well.
    let versioned = || path.contains("/v1/") || path.contains("/v1beta/") || path.contains("/api/");
    Some(match () {
        () if ends(&["/messages", "/responses"]) && versioned() => Call::Chat,
        () if ends(&["/chat/completions", "/converse", "/converse-stream", "/api/chat"]) => Call::Chat,
        () if ends(&[":generateContent", ":streamGenerateContent"]) => Call::Chat,
        () if ends(&["/completions", "/complete", "/api/generate"]) => Call::Completion,
        () if ends(&["/embeddings", "/embed", ":embedContent", ":batchEmbedContents"]) => Call::Embeddings,
        () if ends(&["/rerank", "/score"]) => Call::Rerank,
        () if path_of_media => Call::Media,
        () if ends(&["/moderations", "/realtime", "/classify", "/pooling"]) => Call::Other,
        () => return None,
    })
}

/// The path of a target of a request: without a query, which may hold anything, and without a host.
pub(super) fn path_of(target: Cow<'_, str>) -> Cow<'_, str> {
    fn bare(target: &str) -> &str {
        let target = target.split(['?', '#']).next().unwrap_or_default();
        match target.split_once("://") {
            Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
            None => target,
        }
    }
    match target {
        Cow::Borrowed(target) => Cow::Borrowed(bare(target)),
        Cow::Owned(target) => Cow::Owned(bare(&target).to_owned()),
    }
}

/// Refuses a request by any method but POST: a browser that asks beforehand whether it may, or a look at something else.
pub(super) fn only_posted(method: Option<&str>) -> Result<(), RowFault> {
    match method {
        Some(method) if !method.eq_ignore_ascii_case("POST") => {
            Err(RowFault::new(Dropped::NoRequest, "its method is not POST"))
        }
        _ => Ok(()),
    }
}

/// The target of a line such as `POST /v1/chat/completions HTTP/1.1`, and its method.
pub(super) fn target_of_line(line: &str) -> Option<(&str, &str)> {
    let (method, rest) = line.split_once(' ')?;
    Some((method, rest.rsplit_once(' ').map_or(rest, |(target, _)| target)))
}

/// The first of the addresses that a request came by.
pub(super) fn first_address(list: Cow<'_, str>) -> Cow<'_, str> {
    match list {
        Cow::Borrowed(list) => Cow::Borrowed(list.split(',').next().unwrap_or_default().trim()),
        Cow::Owned(list) => Cow::Owned(list.split(',').next().unwrap_or_default().trim().to_owned()),
    }
}

/// An address without its port.
pub(super) fn without_port(address: Cow<'_, str>) -> Cow<'_, str> {
    fn bare(address: &str) -> &str {
        match address.rsplit_once(':') {
            Some((host, _)) if !host.contains(':') || host.ends_with(']') => host,
            _ => address,
        }
    }
    match address {
        Cow::Borrowed(address) => Cow::Borrowed(bare(address)),
        Cow::Owned(address) => Cow::Owned(bare(&address).to_owned()),
    }
}

/// A row of a log of all kinds of requests, one of which goes to this path and is none of a model.
pub(super) fn no_model() -> RowFault {
    RowFault::new(Dropped::NoRequest, "its path is that of no call of a model")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_calls_apart() {
        let cases = [
            ("/v1/chat/completions", Some(Call::Chat)),
            ("/openai/deployments/a/chat/completions", Some(Call::Chat)),
            ("/v1beta/models/g:streamGenerateContent", Some(Call::Chat)),
            ("/v1/messages", Some(Call::Chat)),
            ("/v1/completions", Some(Call::Completion)),
            ("/v1/embeddings", Some(Call::Embeddings)),
            ("/v1/rerank", Some(Call::Rerank)),
            ("/v1/audio/speech", Some(Call::Media)),
            ("/v1/models", None),
            ("/health", None),
            ("", None),
        ];
        for (path, call) in cases {
            assert_eq!(call_of_path(path), call, "{path}");
        }
    }

    #[test]
    fn a_path_has_no_query_and_no_host() {
        assert_eq!(path_of("/v1/chat/completions?user=zhang".into()), "/v1/chat/completions");
        assert_eq!(path_of(Cow::Owned("https://gw.example.com/v1/embeddings#x".into())), "/v1/embeddings");
        assert_eq!(path_of("https://gw.example.com".into()), "/");
    }

    #[test]
    fn addresses_lose_their_ports_and_their_proxies() {
        assert_eq!(without_port("192.0.2.7:5555".into()), "192.0.2.7");
        assert_eq!(without_port("[2001:db8::1]:5555".into()), "[2001:db8::1]");
        assert_eq!(without_port("2001:db8::1".into()), "2001:db8::1");
        assert_eq!(first_address("192.0.2.7, 203.0.113.1".into()), "192.0.2.7");
    }
}
