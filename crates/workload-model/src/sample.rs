//! Samples: what is sent, under ids that stay.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{
    plan::{DEFAULT_GROUP, Output, RequestShape},
    set_facts::SetFacts,
    stage::StageKind,
};

/// One thing to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Stable id.
    pub id: String,
    /// The group whose rule judges it.
    pub group: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Sent in the warm-up only.
    #[serde(default)]
    pub warm_up: bool,
    /// How long its input is to be, and its output: what it was made to have.
    #[serde(default, skip_serializing_if = "Lengths::is_unknown")]
    pub lengths: Lengths,
    /// Where its shape comes from; `None` where its text's origin says enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<metrics_core::Origin>,
    /// Which turn of which conversation it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// When it arrived in its log, in microseconds from the first of the set; never decreasing within a set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival_us: Option<u64>,
    /// Chat messages, each an object with at least `role` and `content`. Of a later turn those that it adds: what went before,
    /// the service's own answers among it, is sent before them.
    pub messages: Vec<Map<String, Value>>,
}

/// Lengths in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// Of the whole input, of a later turn with what went before, as the service is expected to count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    /// Of the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

impl Lengths {
    /// Neither is known.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

/// A turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Which conversation, by an id of the set's own.
    pub session: String,
    /// Its place in it, from 1, without a gap.
    pub number: u32,
    /// From the end of the answer before to when it is due, in microseconds; 0 for the first.
    #[serde(default)]
    pub think_us: u64,
}

/// Where the text of a sample comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Written for testing.
    Synthetic,
    /// Given by the user in a file of prompts; the tool cannot tell whether it is real.
    Given,
    /// Somebody's own words, taken from a log of real use. Every report of a run that sends any says so.
    Recorded,
}

/// Samples of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SampleSet {
    /// Sent in measured stages.
    pub measured: Vec<Sample>,
    /// Sent in warm-ups.
    pub warm_up: Vec<Sample>,
    /// What is known of a set that was made; `None` of the built-in one and of a file of prompts.
    pub facts: Option<SetFacts>,
}

/// A file of prompts cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptsError {
    /// A line is no prompt.
    #[error(
        "read prompt on line {line}: {reason} (each line is a JSON object {{\"messages\": [{{\"role\": \"user\", \"content\": \"…\"}}]}}, or such a list itself)"
    )]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// No line holds a prompt.
    #[error("use the file of prompts: it holds none")]
    Empty,
}

/// A package's `samples.jsonl` cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("read sample on line {line}: {reason} (the file is damaged, or of a newer version)")]
pub struct SamplesError {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl SampleSet {
    /// The user's own prompts (JSON Lines), with the built-in warm-up. Blank lines are passed over. Ids follow
    /// from the messages, so that the same prompt has the same id in every file; a line's own `id` is not taken over. A line
    /// with `"origin": "recorded"` is one of real use.
    /// What a request asks for beside its messages is the plan's to say, so that any other key is an error.
    ///
    /// # Errors
    /// On the first line that is no prompt, or has no text before which an opening could stand, and where there is no
    /// prompt at all.
    pub fn from_prompts(text: &str) -> Result<Self, PromptsError> {
        let mut measured: Vec<Sample> = Vec::new();
        let mut times: BTreeMap<String, u64> = BTreeMap::new();
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let (messages, origin) =
                prompt_of(line).map_err(|reason| PromptsError::Line { line: index + 1, reason })?;
            let digest = digest_of(&messages);
            let times = times.entry(digest.clone()).or_insert(0);
            *times += 1;
            let kind = if origin == Origin::Recorded { "recorded" } else { "given" };
            let id = match times {
                1 => format!("{kind}-{digest}"),
                times => format!("{kind}-{digest}-{times}"),
            };
            let group = DEFAULT_GROUP.to_owned();
            measured.push(Sample { group, origin, ..Sample::new(id, messages) });
        }
        if measured.is_empty() {
            return Err(PromptsError::Empty);
        }
        Ok(Self { measured, warm_up: crate::builtin::warm_up(), facts: None })
    }

    /// Reads a package's `samples.jsonl`. An empty text gives an empty set.
    ///
    /// # Errors
    /// On the first line that is no sample.
    pub fn from_jsonl(text: &str) -> Result<Self, SamplesError> {
        let mut set = Self::default();
        for (index, line) in text.lines().enumerate() {
            let sample: Sample = serde_json::from_str(line)
                .map_err(|error| SamplesError { line: index + 1, reason: error.to_string() })?;
            if sample.warm_up { &mut set.warm_up } else { &mut set.measured }.push(sample);
        }
        Ok(set)
    }

    /// The text of `samples.jsonl`: one sample a line, those of measured stages first, each kind in its order, since
    /// the schedule follows from that order.
    #[must_use]
    pub fn to_jsonl(&self) -> String {
        let warm_up = self.warm_up.iter().map(|sample| sample.line(true));
        self.measured_lines().chain(warm_up).collect()
    }

    /// The lines of measured samples, as they stand in `samples.jsonl`.
    pub(crate) fn measured_lines(&self) -> impl Iterator<Item = String> + '_ {
        self.measured.iter().map(|sample| sample.line(false))
    }

    /// SHA-256 of the measured samples as a set is delivered, one a line, in hexadecimal: the digest of its
    /// `samples.jsonl`. The warm-up, which comes from elsewhere, has no part in it.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut digest = Sha256::new();
        for line in self.measured_lines() {
            digest.update(line);
        }
        hex::encode(digest.finalize())
    }

    /// What stages of a kind send.
    #[must_use]
    pub fn of_stage(&self, kind: StageKind) -> &[Sample] {
        match kind {
            StageKind::WarmUp => &self.warm_up,
            StageKind::Step | StageKind::Control => &self.measured,
        }
    }

    /// The same set with a warm-up made of its own first samples that begin a conversation or stand alone, one after the
    /// other, so that a service is warm for what it will be sent.
    #[must_use]
    pub fn warmed_by_itself(self) -> Self {
        const MOST: usize = 8;
        let begins = |sample: &&Sample| sample.turn.as_ref().is_none_or(|turn| turn.number == 1);
        let warm_up = self.measured.iter().filter(begins).take(MOST).map(|sample| Sample {
            id: format!("warm-{}", sample.id),
            warm_up: true,
            turn: None,
            arrival_us: None,
            ..sample.clone()
        });
        Self { warm_up: warm_up.collect(), ..self }
    }

    /// How many samples are somebody's own words.
    #[must_use]
    pub fn recorded(&self) -> u64 {
        let samples = self.measured.iter().chain(&self.warm_up);
        samples.filter(|sample| sample.origin == Origin::Recorded).count() as u64
    }

    /// The sample with that id. It looks through the whole set: whoever asks often makes an index.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Sample> {
        self.measured.iter().chain(&self.warm_up).find(|sample| sample.id == id)
    }
}

fn prompt_of(line: &str) -> Result<(Vec<Map<String, Value>>, Origin), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let mut origin = Origin::Given;
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut object) => {
            let list = match object.remove("messages") {
                Some(Value::Array(list)) => list,
                Some(_) => return Err("\"messages\" is no list".to_owned()),
                None => return Err("it has no \"messages\"".to_owned()),
            };
            object.remove("id");
            match object.remove("origin") {
                None => {}
                Some(Value::String(word)) if word == "recorded" => origin = Origin::Recorded,
                Some(other) => {
                    return Err(format!("its \"origin\" is {other} (leave it out, or write \"recorded\")"));
                }
            }
            if let Some(key) = object.keys().next() {
                return Err(format!(
                    "{key:?} would not be sent: of a prompt only \"messages\" are, the rest of a request is the plan's"
                ));
            }
            list
        }
        _ => return Err("it is neither an object nor a list".to_owned()),
    };
    let messages = list.into_iter().map(|message| match message {
        Value::Object(message) => Ok(message),
        _ => Err("a message is no object".to_owned()),
    });
    let mut messages: Vec<_> = messages.collect::<Result<_, String>>()?;
    check_messages(&mut messages)?;
    Ok((messages, origin))
}

/// Says why messages cannot be sent with an opening; it changes none of them.
pub(crate) fn check_messages(messages: &mut [Map<String, Value>]) -> Result<(), String> {
    if messages.is_empty() {
        return Err("its list of messages is empty".to_owned());
    }
    if !messages.iter().all(|message| message.get("role").is_some_and(Value::is_string)) {
        return Err("a message has no \"role\"".to_owned());
    }
    match first_text(messages) {
        Some(_) => Ok(()),
        None => {
            Err("no message has text, before which the opening that keeps caches out could stand".to_owned())
        }
    }
}

pub(crate) fn digest_of(messages: &[Map<String, Value>]) -> String {
    let text = json!(messages).to_string();
    hex::encode(&Sha256::digest(text.as_bytes())[..6])
}

/// The opening that makes request `seq` of the run with this nonce differ from every other request within its
/// first 16 characters, so that no prefix cache can answer for it: 12 hexadecimal digits of a SHA-256.
#[must_use]
pub fn opening(nonce: &str, seq: u64) -> String {
    let digest = Sha256::new().chain_update(nonce.as_bytes()).chain_update(seq.to_be_bytes()).finalize();
    format!("[{}] ", hex::encode(&digest[..6]))
}

impl Sample {
    /// A text written for testing, of the group of a plan that names none.
    #[must_use]
    pub fn new(id: String, messages: Vec<Map<String, Value>>) -> Self {
        Self {
            id,
            group: DEFAULT_GROUP.to_owned(),
            origin: Origin::Synthetic,
            warm_up: false,
            lengths: Lengths::default(),
            shape: None,
            turn: None,
            arrival_us: None,
            messages,
        }
    }

    /// Its line of `samples.jsonl`.
    fn line(&self, warm_up: bool) -> String {
        let mut line = json!(self);
        line["warm_up"] = warm_up.into();
        line.to_string() + "\n"
    }

    /// As what its requests are counted: by where its shape comes from, else by where its text does.
    #[must_use]
    pub fn counted_as(&self) -> metrics_core::Origin {
        self.shape.unwrap_or(match self.origin {
            Origin::Synthetic => metrics_core::Origin::Synthetic,
            Origin::Given => metrics_core::Origin::Unknown,
            Origin::Recorded => metrics_core::Origin::Real,
        })
    }

    /// How many output tokens its requests ask for because the sample says how many it is to have: the smaller of that
    /// and the plan's maximum. `None` where outputs run to their natural end, or the sample does not say.
    #[must_use]
    pub fn asked_output(&self, shape: &RequestShape) -> Option<u64> {
        let own = self.lengths.output.filter(|tokens| *tokens > 0 && !shape.output.is_natural())?;
        Some(shape.max_tokens.map_or(own, |most| most.min(own)))
    }

    /// The body of a chat-completion request for this sample, streaming, opened with `opening`. Of a later turn it has the
    /// sample's own messages alone; what went before is [`crate::Template::next_turn`]'s to add.
    ///
    /// The opening stands before the first text of the first message with any, so that a shared system prompt
    /// does not make a shared prefix.
    ///
    /// An output of a fixed length is asked for by `max_tokens`, `min_tokens` and `ignore_eos`, as vLLM and SGLang know them.
    #[must_use]
    pub fn body(&self, model: &str, shape: &RequestShape, opening: &str) -> String {
        self.body_around(&json!(self.opened(opening)), model, shape).to_string()
    }

    /// Its messages, with an opening.
    pub(crate) fn opened(&self, opening: &str) -> Vec<Map<String, Value>> {
        let mut messages = self.messages.clone();
        if let Some(text) = first_text(&mut messages) {
            text.insert_str(0, opening);
        }
        messages
    }

    /// All that its requests ask for, with these messages.
    pub(crate) fn body_around(&self, messages: &Value, model: &str, shape: &RequestShape) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(model));
        body.insert("messages".to_owned(), messages.clone());
        body.insert("stream".to_owned(), json!(true));
        if shape.include_usage {
            body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
        }
        let asked = self.asked_output(shape);
        if let Some(max_tokens) = asked.or(shape.max_tokens) {
            body.insert("max_tokens".to_owned(), json!(max_tokens));
        }
        if let Some(exactly) = asked.filter(|_| shape.output == Output::Fixed) {
            body.insert("min_tokens".to_owned(), json!(exactly));
            body.insert("ignore_eos".to_owned(), json!(true));
        }
        if let Some(temperature) = shape.temperature {
            body.insert("temperature".to_owned(), json!(temperature));
        }
        Value::Object(body)
    }

    /// About how many tokens its text has: four Latin characters, or one and a half Chinese ones, to a token.
    /// For announcing a run, never for a figure.
    #[must_use]
    pub fn about_tokens(&self) -> u64 {
        let text = json!(self.messages).to_string();
        let wide = text.chars().filter(|character| !character.is_ascii()).count();
        let narrow = text.chars().count() - wide;
        (wide as f64 / 1.5 + narrow as f64 / 4.0).ceil() as u64
    }
}

/// The first text of the first message with any.
fn first_text(messages: &mut [Map<String, Value>]) -> Option<&mut String> {
    messages.iter_mut().find_map(|message| match message.get_mut("content") {
        Some(Value::String(text)) => Some(text),
        Some(Value::Array(parts)) => parts.iter_mut().find_map(|part| match part.get_mut("text") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }),
        _ => None,
    })
}
