//! What a line of the server says.

use std::borrow::Cow;

use workload_model::traffic::Call;

use crate::Prompt;
use crate::formats::request::{call_of_path, path_of, target_of_line};

/// A line of the server.
pub(super) struct Line<'a> {
    /// Its time, `11-19 09:00:00`.
    pub(super) time: Option<&'a str>,
    /// What it tells.
    pub(super) telling: Telling<'a>,
}

pub(super) enum Telling<'a> {
    /// A request was received.
    Received(Received<'a>),
    /// It was answered, or a piece of its answer was sent.
    Answered { id: &'a str, answer: Answer },
    /// These, between commas, were aborted.
    Aborted { ids: &'a str },
    /// A further line of a request.
    PartOfRequest,
    /// A line of access of the web server.
    Access { of_a_model: bool },
    /// A received request whose line ends too early.
    CutShort,
    /// Nothing of a request.
    Nothing,
}

pub(super) struct Received<'a> {
    pub(super) id: &'a str,
    /// What stands before the parameters.
    before: &'a str,
    /// The parameters and what stands behind them.
    params: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    /// A piece of an answer that goes on.
    pub(super) delta: bool,
    /// It was streamed.
    pub(super) stream: bool,
    /// It came to the limit of its length.
    pub(super) cut: bool,
    /// Tokens of output, where they are logged.
    pub(super) output_tokens: Option<u32>,
}

const LEVELS: [&str; 5] = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

/// Signs that colour a line on a terminal taken out.
pub(super) fn without_colours(text: &str) -> Cow<'_, str> {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or_default();
    if first.len() == text.len() {
        return text.into();
    }
    let coloured = pieces.map(|piece| piece.split_once('m').map_or(piece, |(_, plain)| plain));
    std::iter::once(first).chain(coloured).collect::<String>().into()
}

impl<'a> Line<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let Some(text) = from_level(text) else {
            return Self { time: None, telling: Telling::Nothing };
        };
        if let Some(access) = text.split_once(": ").filter(|(level, _)| LEVELS.contains(level)) {
            return Self { time: None, telling: access_of(access.1) };
        }
        // `INFO 11-19 09:00:00 [logger.py:43] message`, in older versions without the first bracket.
        let mut words = text.splitn(4, ' ');
        let (level, date, of_day) = (words.next(), words.next(), words.next());
        let time = match (level, date, of_day) {
            (Some(level), Some(date), Some(of_day))
                if date.as_bytes().get(2) == Some(&b'-') && of_day.contains(':') =>
            {
                text.get(level.len() + 1..level.len() + 2 + date.len() + of_day.len())
            }
            _ => None,
        };
        let message = text.split_once("] ").map_or("", |(_, message)| message);
        Self { time, telling: telling_of(message) }
    }
}

/// The line from its level on; before it there may be the name of a process or the time of a container.
fn from_level(text: &str) -> Option<&str> {
    let mut at = 0;
    for word in text.split(' ').take(8) {
        if LEVELS.contains(&word.trim_end_matches(':')) {
            return text.get(at..);
        }
        at += word.len() + 1;
    }
    None
}

/// `192.0.2.7:53110 - "POST /v1/chat/completions HTTP/1.1" 200 OK`.
fn access_of(text: &str) -> Telling<'_> {
    let line = text.split_once("- \"").and_then(|(_, rest)| rest.split_once('"')).map(|(line, _)| line);
    match line.and_then(target_of_line) {
        Some((method, target)) => Telling::Access {
            of_a_model: method == "POST" && call_of_path(&path_of(target.into())).is_some(),
        },
        None => Telling::Nothing,
    }
}

fn telling_of(message: &str) -> Telling<'_> {
    if let Some(rest) = message.strip_prefix("Received request ") {
        // What was asked may hold anything, the parameters hold no text that was asked for.
        let read = rest.split_once(": ").and_then(|(id, rest)| {
            let at = rest.rfind("params: ")?;
            let (before, params) = rest.split_at_checked(at)?;
            Some(Received { id, before, params })
        });
        return read.filter(|read| read.params.contains(')')).map_or(Telling::CutShort, Telling::Received);
    }
    if let Some(rest) = message.strip_prefix("Generated response ") {
        let end = rest.find([':', ' ']).unwrap_or(rest.len());
        let (id, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let behind = rest.rsplit_once("output_token_ids: ").map_or("", |(_, behind)| behind);
        let answer = Answer {
            delta: rest.starts_with(" (streaming delta)"),
            stream: rest.starts_with(" (streaming"),
            cut: behind.contains("finish_reason: length"),
            output_tokens: listed(behind),
        };
        return Telling::Answered { id, answer };
    }
    if let Some(rest) = message.strip_prefix("Aborted request") {
        return Telling::Aborted { ids: rest.trim_start_matches("(s)").trim() };
    }
    if let Some(id) = message.strip_prefix("Request ").and_then(|rest| rest.strip_suffix(" aborted.")) {
        return Telling::Aborted { ids: id };
    }
    if !message.is_empty() && "Received request".starts_with(message) {
        return Telling::CutShort;
    }
    match message.starts_with("Added request ") || message.starts_with("Request ") {
        true => Telling::PartOfRequest,
        false => Telling::Nothing,
    }
}

/// How many numbers a list has with which a text begins.
fn listed(text: &str) -> Option<u32> {
    let list = text.strip_prefix('[')?.split_once(']')?.0.trim();
    let count = if list.is_empty() { 0 } else { list.split(',').count() };
    u32::try_from(count).ok()
}

impl Received<'_> {
    pub(super) fn call(&self) -> Call {
        let kinds = [
            ("chatcmpl-", Call::Chat),
            ("resp_", Call::Chat),
            ("cmpl-", Call::Completion),
            ("embd-", Call::Embeddings),
            ("rerank-", Call::Rerank),
            ("score-", Call::Rerank),
            ("transcribe-", Call::Media),
            ("translate-", Call::Media),
        ];
        match kinds.into_iter().find(|(start, _)| self.id.starts_with(start)) {
            Some((_, call)) => call,
            None if self.params.starts_with("params: PoolingParams") => Call::Other,
            None => Call::Chat,
        }
    }

    /// Tokens of input, where they are logged.
    pub(super) fn prompt_tokens(&self) -> Option<u32> {
        self.params.rsplit_once("prompt_token_ids: ").and_then(|(_, list)| listed(list))
    }

    /// What was asked, where it is logged.
    pub(super) fn prompt(&self) -> Option<Prompt<'static>> {
        let quoted = self.before.strip_prefix("prompt: ")?.trim_end().trim_end_matches(',');
        let quote = quoted.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let inner = quoted.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(Prompt::Text(unescaped(inner).into()))
    }
}

/// A text as Python writes it between quotes.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        let escaped = if sign == '\\' { signs.next().unwrap_or(sign) } else { sign };
        plain.push(match (sign, escaped) {
            ('\\', 'n') => '\n',
            ('\\', 'r') => '\r',
            ('\\', 't') => '\t',
            ('\\', 'x' | 'u' | 'U') => {
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code: String = signs.by_ref().take(digits).collect();
                let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                code.unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            (_, plain) => plain,
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_comes_back_as_it_was() {
        assert_eq!(unescaped(r"a\nb\n\'\xe9\u4f60\\"), "a\\nb\n'é你\\".replace("\\n", "\n"));
    }

    #[test]
    fn lines_are_found_behind_prefixes_and_colours() {
        let line = "\u{1b}[0;36m(APIServer pid=7)\u{1b}[0;0m INFO 11-19 09:00:00 [logger.py:43] Received request cmpl-1-0: prompt: 'a, params: (b', params: SamplingParams(n=1), prompt_token_ids: [1, 2, 3], lora_request: None.";
        let plain = without_colours(line);
        let read = Line::read(&plain);
        assert_eq!(read.time, Some("11-19 09:00:00"));
        let Telling::Received(received) = read.telling else { panic!("no request") };
        assert_eq!(
            (received.id, received.call(), received.prompt_tokens()),
            ("cmpl-1-0", Call::Completion, Some(3))
        );
        assert_eq!(received.prompt(), Some(Prompt::Text("a, params: (b".into())));
    }

    #[test]
    fn an_answer_tells_what_it_took() {
        let line = "INFO 11-19 09:00:02 [logger.py:80] Generated response chatcmpl-1: output: 'finish_reason: stop', output_token_ids: [5, 6], finish_reason: length";
        let Telling::Answered { id, answer } = Line::read(line).telling else { panic!("no answer") };
        assert_eq!(id, "chatcmpl-1");
        assert_eq!(answer, Answer { delta: false, stream: false, cut: true, output_tokens: Some(2) });
    }
}
