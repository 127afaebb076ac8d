//! From what is wanted to samples with their texts.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::{Account, Drawing, SamplingError};
use crate::{
    Lengths, Origin, Sample, Turn,
    profile::{Profile, ProfileGroup},
    random::Stream,
    sample::digest_of,
    synthesis::{CountError, MOST_TEXT_TOKENS, Texts, Tongue},
};

/// Fewest tokens that a later turn adds to what went before.
pub const LEAST_NEW_TOKENS: u64 = 4;

/// Tokens of the request at the end of a text of blocks where little room is left for it.
const LEAST_REQUEST: u64 = 8;

/// A sample that is wanted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Want {
    /// Its group, by its place in the profile.
    pub(super) group: usize,
    /// Tokens of its whole input, what went before among them.
    pub(super) input: u64,
    pub(super) output: Option<u64>,
    pub(super) turn: Option<Turn>,
    pub(super) arrival_us: Option<u64>,
    /// Blocks that its input begins with.
    pub(super) blocks: Vec<u32>,
}

/// Writes samples.
pub(super) struct Writer<'a> {
    profile: &'a Profile,
    drawing: &'a Drawing,
    texts: &'a mut Texts,
    /// What streams of a group are called.
    keys: Vec<String>,
    /// Languages of each group.
    tongues: Vec<Vec<(Tongue, u32)>>,
    /// Samples of each group so far.
    numbers: Vec<u64>,
    /// Tokens of a request that are not its text.
    around: u64,
    /// Tokens of a conversation so far, its last answer among them.
    histories: HashMap<String, u64>,
    blocks: Blocks,
    ids: Ids,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        drawing: &'a Drawing,
        texts: &'a mut Texts,
        blocks: Blocks,
    ) -> Result<Self, CountError> {
        let around = texts.around()?;
        let numbers = vec![0; profile.groups.len()];
        let tongues: Vec<_> = profile.groups.iter().map(|group| tongues(group, drawing)).collect();
        let (keys, histories, ids) = (keys(profile), HashMap::new(), Ids::default());
        Ok(Self { profile, drawing, texts, keys, tongues, numbers, around, histories, blocks, ids })
    }

    /// The sample that is wanted. Turns of a conversation are written in their order.
    pub(super) fn write(&mut self, want: Want, account: &mut Account) -> Result<Sample, SamplingError> {
        let group = &self.profile.groups[want.group];
        let number = self.numbers[want.group];
        self.numbers[want.group] += 1;
        let name = format!("samples:text:{}:{number}", self.keys[want.group]);
        let mut stream = Stream::new(self.drawing.seed, &name);
        let before = match &want.turn {
            Some(turn) if turn.number > 1 => self.histories.get(&turn.session).copied().unwrap_or(0),
            _ => 0,
        };
        let tongues = &self.tongues[want.group];
        let (text, input) = if before > 0 {
            let new = want.input.saturating_sub(before).max(LEAST_NEW_TOKENS);
            let new = within(new, account);
            (self.texts.request(&mut stream, tongues, new, want.output)?.text, before + new)
        } else {
            let wanted = within(want.input.saturating_sub(self.around).max(1), account);
            let prefix = self.blocks.prefix(&want, wanted);
            let (seed, of_block) = (self.drawing.seed, u64::from(self.blocks.tokens));
            let mut text = String::new();
            for block in prefix.whole {
                // The languages of a block are those of the first row that has it, whichever groups share it.
                let tongues = &self.tongues[*self.blocks.groups.entry(*block).or_insert(want.group)];
                text.push_str(&self.texts.block(seed, u64::from(*block), tongues, of_block)?);
            }
            account.shortened += u64::from(prefix.is_cut && wanted < MOST_TEXT_TOKENS);
            if let Some(end) = prefix.end {
                stream = Stream::new(seed, &end);
            }
            text.push_str(&self.texts.request(&mut stream, tongues, prefix.rest, want.output)?.text);
            (text, self.around + prefix.tokens + prefix.rest)
        };
        account.lengthened += u64::from(input > want.input);
        if let Some(turn) = &want.turn {
            self.histories.insert(turn.session.clone(), input + want.output.unwrap_or(0));
        }
        let messages = vec![user(text)];
        let id = self.ids.of("s", &messages);
        Ok(Sample {
            group: group.name.clone(),
            origin: Origin::Synthetic,
            lengths: Lengths { input: Some(input), output: want.output.map(|output| output.max(1)) },
            shape: Some(group.origin.into()),
            turn: want.turn,
            arrival_us: want.arrival_us,
            ..Sample::new(id, messages)
        })
    }
}

/// Tokens of a text, as many as a text can have.
fn within(tokens: u64, account: &mut Account) -> u64 {
    account.shortened += u64::from(tokens > MOST_TEXT_TOKENS);
    tokens.min(MOST_TEXT_TOKENS)
}

fn user(text: String) -> Map<String, Value> {
    Map::from_iter([("role".to_owned(), json!("user")), ("content".to_owned(), Value::String(text))])
}

/// Languages of a group, with the weight of each.
fn tongues(group: &ProfileGroup, drawing: &Drawing) -> Vec<(Tongue, u32)> {
    match group.languages.is_empty() {
        true => drawing.tongues.clone(),
        false => group.languages.iter().map(|(tongue, weight)| (*tongue, *weight)).collect(),
    }
}

/// What streams of each group are called: by its name, unless that is a pseudonym, which would be another one after another
/// import of the same log. Those are numbered in the order of the profile.
pub(super) fn keys(profile: &Profile) -> Vec<String> {
    let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
    let key = |name: &str| {
        let kind = ["caller", "label"].into_iter().find(|kind| is_pseudonym(name, kind));
        match kind {
            None => name.to_owned(),
            Some(kind) => {
                let number = numbers.entry(kind).or_default();
                *number += 1;
                format!("{kind}#{number}")
            }
        }
    };
    profile.groups.iter().map(|group| group.name.as_str()).map(key).collect()
}

/// `caller-0123456789abcdef`
fn is_pseudonym(name: &str, kind: &str) -> bool {
    let code = name.strip_prefix(kind).and_then(|rest| rest.strip_prefix('-'));
    code.is_some_and(|code| code.len() == 16 && code.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Ids of samples.
#[derive(Default)]
pub(super) struct Ids(HashMap<String, u64>);

impl Ids {
    /// The id of these messages: the digest of them, and how often they came up before.
    pub(super) fn of(&mut self, kind: &str, messages: &[Map<String, Value>]) -> String {
        let digest = digest_of(messages);
        let id = format!("{kind}-{digest}");
        let times = self.0.entry(digest).or_default();
        *times += 1;
        match times {
            1 => id,
            times => format!("{id}-{times}"),
        }
    }
}

/// Blocks of which texts are made.
#[derive(Default)]
pub(super) struct Blocks {
    /// Tokens of a block; 0 where there are none.
    pub(super) tokens: u32,
    /// The group of the first row that has each.
    groups: HashMap<u32, usize>,
}

impl Blocks {
    /// Blocks of so many tokens.
    pub(super) fn of(tokens: u32) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// What a text of so many tokens is made of.
    ///
    /// Blocks are as long as they are in the log, whatever opening and template add to them, since a block that is cut is
    /// another text: requests share as many as in the log. What is behind them in the log makes the request at the end of
    /// the text. Where that is the rest of a last block, it follows from this block and its place, so that requests that are
    /// alike in the log are alike; so does the short one of a text whose last block is whole.
    fn prefix<'w>(&self, want: &'w Want, tokens: u64) -> Prefix<'w> {
        let Some((last, before)) = want.blocks.split_last().filter(|_| self.tokens > 0) else {
            return Prefix { whole: &[], tokens: 0, is_cut: false, end: None, rest: tokens };
        };
        let of_block = u64::from(self.tokens);
        let all = want.blocks.len();
        let due = if want.input >= of_block * all as u64 { all } else { before.len() };
        let whole = &want.blocks[..due.min((MOST_TEXT_TOKENS / of_block) as usize)];
        let made = of_block * whole.len() as u64;
        // Of what is behind the last block the log does not tell whether others have it as well.
        let is_told = want.input <= of_block * all as u64;
        Prefix {
            whole,
            tokens: made,
            is_cut: whole.len() < due,
            end: is_told.then(|| format!("samples:end:{last}:{all}")),
            rest: tokens.saturating_sub(made).max(LEAST_REQUEST),
        }
    }
}

/// What a text that begins with blocks is made of.
struct Prefix<'w> {
    /// Blocks that are there with their whole length.
    whole: &'w [u32],
    /// Tokens of them.
    tokens: u64,
    /// There were more than a text can have.
    is_cut: bool,
    /// From what the request at the end follows; `None` where that is the sample's own.
    end: Option<String>,
    /// Tokens of it.
    rest: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_no_longer_than_any_that_is_made() {
        let mut account = Account::default();
        let lengths =
            [1, MOST_TEXT_TOKENS, MOST_TEXT_TOKENS + 1, u64::MAX].map(|tokens| within(tokens, &mut account));
        assert_eq!(lengths, [1, MOST_TEXT_TOKENS, MOST_TEXT_TOKENS, MOST_TEXT_TOKENS]);
        assert_eq!(account.shortened, 2);
    }
}
