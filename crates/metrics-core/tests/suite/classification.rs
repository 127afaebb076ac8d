//! Every outcome, and which one wins where several would fit.

use std::collections::BTreeSet;

use metrics_core::{
    ConnectFault, Ended, Facts, Fault, FaultKind, Micros, Outcome, Phase, SuccessRule, Tokens, classify,
};

use crate::scene::answer;

fn with(change: impl FnOnce(&mut Facts)) -> Facts {
    let mut facts = answer(0, 10);
    change(&mut facts);
    facts
}

fn fault(kind: FaultKind) -> Option<Fault> {
    Some(Fault { kind, message: "as told".to_owned() })
}

fn finish(reason: &str) -> Option<String> {
    Some(reason.to_owned())
}

/// Nothing came back.
fn silent(ended: Ended) -> Facts {
    Facts { sent: Some(Micros(1)), end: Some(Micros(2)), ended, ..Facts::default() }
}

fn table() -> Vec<(&'static str, Facts, Outcome)> {
    use Outcome::*;
    vec![
        ("a whole answer", answer(0, 10), Effective),
        (
            "a body that ends without [DONE] but with a finish reason",
            with(|f| {
                f.done = false;
                f.ended = Ended::Eof;
            }),
            Effective,
        ),
        (
            "a reset after the finish reason",
            with(|f| {
                f.done = false;
                f.ended = Ended::Reset;
            }),
            Effective,
        ),
        ("tool calls", with(|f| f.finish_reason = finish("tool_calls")), Effective),
        ("no name", silent(Ended::Connect(ConnectFault::Dns)), ConnectFailed),
        ("refused", silent(Ended::Connect(ConnectFault::Refused)), ConnectFailed),
        ("no TLS", silent(Ended::Connect(ConnectFault::Tls)), ConnectFailed),
        ("connect time-out", silent(Ended::Connect(ConnectFault::Timeout)), ConnectFailed),
        ("another connect fault", silent(Ended::Connect(ConnectFault::Other)), ConnectFailed),
        ("429", Facts { status: Some(429), ..silent(Ended::Eof) }, Rejected),
        (
            "503 with advice",
            Facts { status: Some(503), error: fault(FaultKind::Overloaded), ..silent(Ended::Eof) },
            Rejected,
        ),
        (
            "503 without",
            Facts { status: Some(503), error: fault(FaultKind::Http), ..silent(Ended::Eof) },
            HttpError,
        ),
        ("404", Facts { status: Some(404), ..silent(Ended::Eof) }, HttpError),
        ("204", with(|f| f.status = Some(204)), HttpError),
        (
            "an error object after tokens, then [DONE]",
            with(|f| f.error = fault(FaultKind::ErrorObject)),
            StreamError,
        ),
        ("event: error", with(|f| f.error = fault(FaultKind::ErrorEvent)), StreamError),
        ("HTML in a 200", with(|f| f.error = fault(FaultKind::NotEventStream)), StreamError),
        (
            "an endless line",
            with(|f| {
                f.ended = Ended::TooLarge;
                f.finish_reason = None;
            }),
            Malformed,
        ),
        (
            "an endless line after the finish reason",
            with(|f| {
                f.ended = Ended::TooLarge;
                f.error = fault(FaultKind::TooLarge);
            }),
            Malformed,
        ),
        ("a head that is too long", silent(Ended::TooLarge), Malformed),
        (
            "a refusal without end",
            Facts { status: Some(500), error: fault(FaultKind::TooLarge), ..silent(Ended::TooLarge) },
            HttpError,
        ),
        ("[DONE] without a finish reason", with(|f| f.finish_reason = None), Truncated),
        (
            "the body just ends",
            with(|f| {
                f.finish_reason = None;
                f.done = false;
                f.ended = Ended::Eof;
            }),
            Truncated,
        ),
        (
            "a reset in mid-stream",
            with(|f| {
                f.finish_reason = None;
                f.done = false;
                f.ended = Ended::Reset;
            }),
            Truncated,
        ),
        ("a hole in a stream that ends well", with(|f| f.malformed = 1), Malformed),
        (
            "no token",
            with(|f| {
                f.first_token = None;
                f.last_token = None;
                f.output_tokens = Some(Tokens(0));
            }),
            Empty,
        ),
        ("too few tokens", with(|f| f.output_tokens = Some(Tokens(4))), Short),
        ("cut at a length that nobody asked for", with(|f| f.finish_reason = finish("length")), Capped),
        (
            "cut at the context window",
            with(|f| f.finish_reason = finish("model_context_window_exceeded")),
            Capped,
        ),
        ("withheld", with(|f| f.finish_reason = finish("content_filter")), Filtered),
        ("withheld, in another dialect", with(|f| f.finish_reason = finish("sensitive")), Filtered),
        ("given up", with(|f| f.finish_reason = finish("abort")), Aborted),
        ("given up for the network", with(|f| f.finish_reason = finish("network_error")), Aborted),
        ("no token within the time-out", silent(Ended::Timeout(Phase::FirstToken)), LateFirstToken),
        ("a first token past the limit", with(|f| f.first_token = Some(Micros(500_001))), LateFirstToken),
        ("a first token at the limit", with(|f| f.first_token = Some(Micros(500_000))), Effective),
        (
            "silence",
            with(|f| {
                f.ended = Ended::Timeout(Phase::Stall);
                f.finish_reason = None;
            }),
            Stalled,
        ),
        (
            "the whole time-out",
            with(|f| {
                f.ended = Ended::Timeout(Phase::Total);
                f.finish_reason = None;
            }),
            Deadline,
        ),
        (
            "a hole, then silence",
            with(|f| {
                f.malformed = 1;
                f.ended = Ended::Timeout(Phase::Stall);
                f.finish_reason = None;
            }),
            Malformed,
        ),
        (
            "a hole and never a token",
            Facts { malformed: 1, ..silent(Ended::Timeout(Phase::FirstToken)) },
            Malformed,
        ),
        (
            "a hole in what the client cancelled itself",
            with(|f| {
                f.malformed = 1;
                f.ended = Ended::Cancelled;
                f.finish_reason = None;
            }),
            Cancelled,
        ),
        ("whole, past the deadline", with(|f| f.end = Some(Micros(2_000_001))), Deadline),
        ("whole, at the deadline", with(|f| f.end = Some(Micros(2_000_000))), Effective),
        (
            "cancelled",
            with(|f| {
                f.ended = Ended::Cancelled;
                f.finish_reason = None;
            }),
            Cancelled,
        ),
        ("never sent", Facts::default(), NotSent),
    ]
}

fn rule() -> SuccessRule {
    SuccessRule {
        min_output_tokens: 5,
        ttft_limit: Some(Micros(500_000)),
        deadline: Some(Micros(2_000_000)),
        accept_length: false,
        fixed_output: false,
    }
}

#[test]
fn every_row_of_the_table() {
    for (name, facts, expected) in table() {
        assert_eq!(classify(&facts, &rule()), expected, "{name}");
    }
}

#[test]
fn the_table_reaches_every_outcome() {
    let reached: BTreeSet<Outcome> = table().into_iter().map(|(_, _, outcome)| outcome).collect();
    assert_eq!(reached, Outcome::ALL.into_iter().collect());
}

#[test]
fn what_the_service_said_comes_first_then_structure_then_time() {
    // Everything at once; each step takes away what ranked highest.
    let mut facts = with(|f| {
        f.status = Some(500);
        f.error = fault(FaultKind::ErrorObject);
        f.finish_reason = finish("abort");
        f.malformed = 2;
        f.output_tokens = Some(Tokens(1));
        f.first_token = Some(Micros(600_000));
        f.end = Some(Micros(3_000_000));
    });
    let mut step = |change: fn(&mut Facts), expected| {
        change(&mut facts);
        assert_eq!(classify(&facts, &rule()), expected);
    };
    step(|_| {}, Outcome::HttpError);
    step(|f| f.status = Some(200), Outcome::StreamError);
    step(|f| f.error = None, Outcome::Aborted);
    step(|f| f.finish_reason = None, Outcome::Truncated);
    step(|f| f.finish_reason = finish("length"), Outcome::Malformed);
    step(|f| f.malformed = 0, Outcome::Short);
    step(|f| f.output_tokens = Some(Tokens(9)), Outcome::Capped);
    step(|f| f.finish_reason = finish("stop"), Outcome::LateFirstToken);
    step(|f| f.first_token = Some(Micros(400_000)), Outcome::Deadline);
    step(|f| f.end = Some(Micros(1_000_000)), Outcome::Effective);
}

#[test]
fn a_length_that_was_asked_for_is_whole() {
    let facts = with(|f| f.finish_reason = finish("length"));
    assert_eq!(classify(&facts, &SuccessRule { accept_length: true, ..rule() }), Outcome::Effective);
}

#[test]
fn limits_count_from_due_and_not_from_sending() {
    let facts = with(|f| f.sent = f.first_token);
    let rule = SuccessRule { ttft_limit: Some(Micros(100_000)), ..SuccessRule::default() };
    assert_eq!(classify(&facts, &rule), Outcome::LateFirstToken);
}

#[test]
fn rows_from_before_a_word_was_changed_are_read() {
    let ended: Ended = serde_json::from_str("\"overflow\"").unwrap();
    assert_eq!((ended, ended.as_str()), (Ended::TooLarge, "too_large"));
    let kind: FaultKind = serde_json::from_str("\"overflow\"").unwrap();
    assert_eq!(
        (kind, serde_json::to_string(&kind).unwrap().as_str()),
        (FaultKind::TooLarge, "\"too_large\"")
    );
}

#[test]
fn what_another_try_can_mend_is_tried_again() {
    let mended = |status| -> Vec<Outcome> {
        Outcome::ALL.into_iter().filter(|outcome| outcome.may_be_retried(status)).collect()
    };
    use Outcome::{Aborted, ConnectFailed, Empty, HttpError, Rejected, StreamError, Truncated};
    let always = [ConnectFailed, Rejected, StreamError, Truncated, Empty, Aborted];
    assert_eq!(mended(Some(200)), always);
    assert_eq!(mended(None), always);
    for (status, again) in [
        (400, false),
        (401, false),
        (404, false),
        (408, true),
        (429, true),
        (500, true),
        (503, true),
        (600, false),
    ] {
        assert_eq!(HttpError.may_be_retried(Some(status)), again, "{status}");
    }
}
