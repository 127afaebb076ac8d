//! From what the client saw to the facts that a row keeps.

use metrics_core::{ConnectFault, Ended, Facts, Fault, FaultKind, Micros, Outcome, Phase, TokenSource, Tokens};
use sha2::{Digest, Sha256};
use sse_client::{ConnectKind, Exchange, Failure, FailureKind};

/// Most characters of a message that a row keeps.
const MESSAGE_CHARACTERS: usize = 500;

/// The facts of a request that was due at `due`.
pub(crate) fn facts_of(exchange: &Exchange, due: Micros) -> Facts {
    let usage = exchange.usage.unwrap_or_default();
    let counted = usage.completion_tokens.map(|tokens| (tokens, TokenSource::Usage));
    let by_events = (exchange.token_events > 0).then_some((exchange.token_events, TokenSource::Events));
    let output = counted.or(by_events);
    let one_a_read = exchange.gap_events.iter().all(|events| *events == 1);
    let text_sha256 = (exchange.token_events > 0).then(|| sha256_hex(exchange.text.as_bytes()));
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
        finish_reason: exchange.finish_reason.clone(),
        done: exchange.done,
        error: exchange.error.as_ref().map(fault),
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
        request_id: (!exchange.request_id.is_empty()).then(|| exchange.request_id.clone()),
        response_id: exchange.response_id.clone(),
        gaps_us: exchange.gaps_us.clone(),
        gap_events: if one_a_read { Vec::new() } else { exchange.gap_events.clone() },
        text_sha256,
    }
}

/// The bytes of a body that are worth keeping: the beginning of one that came to nothing.
pub(crate) fn failure_body(exchange: Exchange, outcome: Outcome) -> Option<Vec<u8>> {
    (outcome != Outcome::Effective && !exchange.sample.is_empty()).then_some(exchange.sample)
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
        sse_client::Ended::Overflow => Ended::Overflow,
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
        FailureKind::Overflow => FaultKind::Overflow,
        // The kinds are open-ended; whatever is added breaks the exchange.
        _ => FaultKind::Reset,
    };
    Fault { kind, message: failure.message.chars().take(MESSAGE_CHARACTERS).collect() }
}

fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
