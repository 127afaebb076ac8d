//! From what is wanted to samples with their texts.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::{Account, Drawing, SamplingError};
use crate::{
    Lengths, Origin, Sample, Turn,
    profile::{self, Profile, ProfileGroup},
    random::Stream,
    sample::digest_of,
    synthesis::{CountError, MOST_TEXT_TOKENS, Texts, Tongue},
};

/// Fewest tokens that a later turn adds to what went before.
pub const LEAST_NEW_TOKENS: u64 = 4;

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
        let blocks = Blocks { tongues: of_all(&tongues, &profile.mix()), ..blocks };
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
            account.lengthened += u64::from(before + new > want.input);
            (self.texts.request(&mut stream, tongues, new, want.output)?.text, before + new)
        } else {
            let wanted = within(want.input.saturating_sub(self.around).max(1), account);
            let (mut text, made) = self.blocks.prefix(self.texts, self.drawing.seed, &want.blocks, wanted)?;
            let rest = wanted.saturating_sub(made);
            if rest > 0 {
                text.push_str(&self.texts.request(&mut stream, tongues, rest, want.output)?.text);
            }
            (text, self.around + made + rest)
        };
        if let Some(turn) = &want.turn {
            self.histories.insert(turn.session.clone(), input + want.output.unwrap_or(0));
        }
        let messages = vec![user(text)];
        let id = self.ids.of("s", &messages);
        Ok(Sample {
            group: group.name.clone(),
            origin: Origin::Synthetic,
            lengths: Lengths { input: Some(input), output: want.output.map(|output| output.max(1)) },
            shape: Some(counted_as(group.origin)),
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

/// As what requests of a group of this origin are counted.
pub(super) fn counted_as(origin: profile::Origin) -> metrics_core::Origin {
    match origin {
        profile::Origin::Real => metrics_core::Origin::Real,
        profile::Origin::Synthetic => metrics_core::Origin::Synthetic,
        profile::Origin::Assumed => metrics_core::Origin::Assumed,
    }
}

/// Languages of a group, with the weight of each.
fn tongues(group: &ProfileGroup, drawing: &Drawing) -> Vec<(Tongue, u32)> {
    match group.languages.is_empty() {
        true => drawing.tongues.clone(),
        false => group.languages.iter().map(|(tongue, weight)| (*tongue, *weight)).collect(),
    }
}

/// Languages of all groups together, in thousandths, each group with its share: those of prefixes, which groups may share.
fn of_all(groups: &[Vec<(Tongue, u32)>], mix: &[f64]) -> Vec<(Tongue, u32)> {
    let of = |tongue: Tongue| {
        let weight = |group: &Vec<(Tongue, u32)>| {
            let all: f64 = group.iter().map(|(_, weight)| f64::from(*weight)).sum();
            let its: f64 =
                group.iter().filter(|it| it.0 == tongue).map(|(_, weight)| f64::from(*weight)).sum();
            if all > 0.0 { its / all } else { 0.0 }
        };
        let sum: f64 = groups.iter().zip(mix).map(|(group, share)| weight(group) * share).sum();
        (tongue, (sum * 1000.0 + 0.5) as u32)
    };
    [Tongue::Zh, Tongue::En].map(of).to_vec()
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
    /// Languages, with the weight of each.
    tongues: Vec<(Tongue, u32)>,
}

impl Blocks {
    /// Blocks of so many tokens.
    pub(super) fn of(tokens: u32) -> Self {
        Self { tokens, ..Self::default() }
    }

    /// The text of these blocks, and its tokens: whole blocks as long as there is room, then what is left of the next one. Every
    /// block has one token at least, so that none is lost.
    fn prefix(
        &self,
        texts: &mut Texts,
        seed: u64,
        blocks: &[u32],
        room: u64,
    ) -> Result<(String, u64), CountError> {
        let (mut text, mut made) = (String::new(), 0);
        for block in blocks.iter().filter(|_| self.tokens > 0) {
            let tokens = u64::from(self.tokens).min(room.saturating_sub(made)).max(1);
            text.push_str(&texts.block(seed, u64::from(*block), &self.tongues, tokens)?);
            made += tokens;
        }
        Ok((text, made))
    }
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
