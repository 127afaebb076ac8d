//! From what the client saw to the facts that a row keeps.

use std::{borrow::Cow, mem};

use metrics_core::{
    ConnectFault, Ended, Facts, Fault, FaultKind, Micros, Outcome, Phase, TokenSource, Tokens,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use sse_client::{ConnectKind, Exchange, Failure, FailureKind};
use workload_model::{Recording, RequestShape, Sample};

/// How long a sample's input and output are to be, where somebody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lengths {
    pub(crate) input: Option<Tokens>,
    pub(crate) output: Option<Tokens>,
}

impl Lengths {
    pub(crate) fn of(sample: &Sample, shape: &RequestShape) -> Self {
        Self { input: sample.lengths.input.map(Tokens), output: sample.asked_output(shape).map(Tokens) }
    }

    /// The facts of a request that was never sent.
    pub(crate) fn not_sent(self, due: Micros) -> Facts {
        Facts { due, asked_input: self.input, asked_output: self.output, ..Facts::default() }
    }
}

/// The facts of a request that was due at `due`, taken out of what the client saw of it. Where the answer itself was not
/// recorded, it has no digest.
pub(crate) fn facts_of(exchange: &mut Exchange, due: Micros, asked: Lengths, recording: Recording) -> Facts {
    let usage = exchange.usage.unwrap_or_default();
    let output = output_tokens(exchange);
    let one_a_read = exchange.gap_events.iter().all(|events| *events == 1);
    let text_sha256 =
        (exchange.token_events > 0 && recording.is_full()).then(|| sha256_hex(&hashed(exchange)));
    Facts {
        due,
        sent: exchange.sent.map(Micros),
        first_byte: exchange.first_byte.map(Micros),
        first_token: exchange.first_token.map(Micros),
        first_visible: exchange.first_visible.map(Micros),
        last_token: exchange.last_token.map(Micros),
        end: exchange.end.map(Micros),
        reconnects: exchange.reconnects,
        connect: exchange.connect_us.map(Micros),
        status: exchange.status,
        ended: ended(exchange.ended),
        finish_reason: exchange.finish_reason.take(),
        done: exchange.done,
        error: exchange.error.as_ref().map(fault),
        asked_input: asked.input,
        asked_output: asked.output,
        prompt_tokens: usage.prompt_tokens.map(Tokens),
        output_tokens: output.map(|(tokens, _)| Tokens(tokens)),
        reasoning_tokens: usage.reasoning_tokens.map(Tokens),
        cached_tokens: usage.cached_tokens.map(Tokens),
        token_source: output.map(|(_, source)| source),
        events: exchange.events,
        token_events: exchange.token_events,
        malformed: exchange.malformed,
        comments: exchange.comments,
        bytes: exchange.bytes,
        request_id: Some(mem::take(&mut exchange.request_id)).filter(|id| !id.is_empty()),
        response_id: exchange.response_id.take(),
        gaps_us: mem::take(&mut exchange.gaps_us),
        gap_events: if one_a_read { Vec::new() } else { mem::take(&mut exchange.gap_events) },
        text_sha256,
    }
}

/// Output tokens and who counted them: the service, else the events.
pub(crate) fn output_tokens(exchange: &Exchange) -> Option<(u64, TokenSource)> {
    let counted = exchange.usage.and_then(|usage| usage.completion_tokens);
    let by_events = (exchange.token_events > 0).then_some((exchange.token_events, TokenSource::Events));
    counted.map(|tokens| (tokens, TokenSource::Usage)).or(by_events)
}

/// What stands for the answer in its digest: its text; where there is none, the rest of it as JSON with sorted keys.
/// The ids of tool calls are left out, since they differ where the answer does not.
fn hashed(exchange: &Exchange) -> Cow<'_, [u8]> {
    if !exchange.text.is_empty() {
        return Cow::Borrowed(exchange.text.as_bytes());
    }
    let calls = exchange.tool_calls.iter();
    let calls: Vec<_> = calls.map(|call| json!({ "name": call.name, "arguments": call.arguments })).collect();
    let rest = json!({ "reasoning": exchange.reasoning, "refusal": exchange.refusal, "tool_calls": calls });
    Cow::Owned(rest.to_string().into_bytes())
}

/// The bytes of a body that are worth keeping: both ends of one that came to nothing.
pub(crate) fn failure_body(exchange: &Exchange, outcome: Outcome) -> Option<Vec<u8>> {
    (outcome != Outcome::Effective && !exchange.sample.is_empty()).then(|| exchange.sample.to_bytes())
}

fn ended(ended: sse_client::Ended) -> Ended {
    match ended {
        sse_client::Ended::Done => Ended::Done,
        sse_client::Ended::Eof => Ended::Eof,
        sse_client::Ended::Reset => Ended::Reset,
        sse_client::Ended::Timeout(phase) => match phase {
            sse_client::Phase::Connect => Ended::Connect(ConnectFault::Timeout),
            sse_client::Phase::FirstToken => Ended::Timeout(Phase::FirstToken),
            sse_client::Phase::Stall => Ended::Timeout(Phase::Stall),
            sse_client::Phase::Total => Ended::Timeout(Phase::Total),
        },
        sse_client::Ended::Connect(kind) => Ended::Connect(match kind {
            ConnectKind::Dns => ConnectFault::Dns,
            ConnectKind::Refused => ConnectFault::Refused,
            ConnectKind::Tls => ConnectFault::Tls,
            ConnectKind::Other => ConnectFault::Other,
        }),
        sse_client::Ended::Cancelled => Ended::Cancelled,
        sse_client::Ended::NotSent => Ended::NotSent,
        sse_client::Ended::TooLarge => Ended::TooLarge,
    }
}

fn fault(failure: &Failure) -> Fault {
    let kind = match failure.kind {
        FailureKind::Dns
        | FailureKind::Refused
        | FailureKind::Tls
        | FailureKind::ConnectTimeout
        | FailureKind::Connect => FaultKind::Connect,
        FailureKind::Http => FaultKind::Http,
        FailureKind::Overloaded => FaultKind::Overloaded,
        FailureKind::ErrorObject => FaultKind::ErrorObject,
        FailureKind::ErrorEvent => FaultKind::ErrorEvent,
        FailureKind::NotEventStream => FaultKind::NotEventStream,
        FailureKind::TooLarge => FaultKind::TooLarge,
        // The kinds are open-ended; whatever is added breaks the exchange.
        _ => FaultKind::Reset,
    };
    Fault { kind, message: failure.message.clone() }
}

fn sha256_hex(bytes: &[u8]) -> String {
    let mut digits = [0; 64];
    hex::encode_to_slice(Sha256::digest(bytes), &mut digits).expect("two digits a byte");
    String::from_utf8_lossy(&digits).into_owned()
}

#[cfg(test)]
mod tests {
    use metrics_core::{SuccessRule, classify};
    use sse_client::{ChatStream, Terminal, ToolCall, Usage};

    use super::*;

    fn answered(reason: &str) -> Exchange {
        let mut stream = ChatStream::new();
        let chunk = json!({ "choices": [{ "delta": { "content": "a" }, "finish_reason": reason }] });
        stream.feed(format!("data: {chunk}\n\ndata: [DONE]\n\n").as_bytes()).expect("short");
        let chat = stream.into_chat();
        let mut exchange = Exchange::not_sent();
        exchange.status = Some(200);
        exchange.ended = sse_client::Ended::Done;
        (exchange.sent, exchange.first_token, exchange.end) = (Some(1), Some(2), Some(3));
        (exchange.terminal, exchange.finish_reason) = (Some(chat.terminal), chat.finish_reason);
        (exchange.text, exchange.token_events) = (chat.text, chat.token_events);
        exchange
    }

    #[test]
    fn the_clients_word_on_a_finish_reason_and_the_outcome_of_its_row_agree() {
        let table: serde_json::Value =
            serde_json::from_str(include_str!("../../../fixtures/finish-reasons.json")).expect("JSON");
        for (list, terminal, outcome) in [
            ("aborted", Terminal::Aborted, Outcome::Aborted),
            ("filtered", Terminal::Filtered, Outcome::Filtered),
            ("cut", Terminal::Complete, Outcome::Capped),
            ("whole", Terminal::Complete, Outcome::Effective),
        ] {
            for reason in table[list].as_array().expect("a list") {
                let reason = reason.as_str().expect("a word");
                for reason in [reason.to_owned(), reason.to_uppercase()] {
                    let mut exchange = answered(&reason);
                    assert_eq!(exchange.terminal, Some(terminal), "{reason}");
                    let facts = facts_of(&mut exchange, Micros(0), Lengths::default(), Recording::Full);
                    assert_eq!(classify(&facts, &SuccessRule::default()), outcome, "{reason}");
                }
            }
        }
    }

    #[test]
    fn answers_that_differ_in_anything_have_digests_that_differ() {
        let digest = |change: &dyn Fn(&mut Exchange)| {
            let mut exchange = answered("stop");
            exchange.text.clear();
            change(&mut exchange);
            facts_of(&mut exchange, Micros(0), Lengths::default(), Recording::Full)
                .text_sha256
                .expect("a digest")
        };
        let called = |id: &str, arguments: &str| {
            let (id, name, arguments) = (id.to_owned(), "f".to_owned(), arguments.to_owned());
            digest(&move |exchange| {
                let call =
                    ToolCall { index: 0, id: id.clone(), name: name.clone(), arguments: arguments.clone() };
                exchange.tool_calls = vec![call];
            })
        };
        let text = digest(&|exchange| exchange.text = "hm".into());
        assert_eq!(text, sha256_hex(b"hm"), "text is hashed as it is");
        assert_eq!(called("1", "{}"), called("2", "{}"), "ids are the service's own");
        let mut all = vec![
            text,
            digest(&|exchange| exchange.reasoning = "hm".into()),
            digest(&|exchange| exchange.refusal = "hm".into()),
            called("1", "{}"),
            called("1", "[]"),
        ];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 5);
    }

    #[test]
    fn tokens_are_the_services_count_where_it_gives_one() {
        let mut exchange = answered("stop");
        assert_eq!(output_tokens(&exchange), Some((1, TokenSource::Events)));
        exchange.usage = Some(Usage { completion_tokens: Some(7), ..Usage::default() });
        assert_eq!(output_tokens(&exchange), Some((7, TokenSource::Usage)));
        assert_eq!(output_tokens(&Exchange::not_sent()), None);
    }
}
