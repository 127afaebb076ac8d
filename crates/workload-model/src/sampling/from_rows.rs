//! Samples from the rows of a log.

use std::collections::{BTreeSet, HashMap};

use super::{
    Account, Drawing, Drawn, LeftOut, SamplingError,
    facts::{self, Made},
    from_profile::is_mixed,
    joint::{self, Bin, Pair},
    rows::{self, Rows, Taken},
    writing::{Blocks, Want, Writer, keys},
};
use crate::{
    DrawnFrom, Openings, Turn,
    profile::Profile,
    random::Stream,
    synthesis::Texts,
    traffic::{Pseudonym, Traffic},
};

/// Makes a sample of every row, or of the first ones ([`Take`](super::Take)), by arrival.
///
/// - Arrivals are those of the log from the first row that is taken; its stretches follow each other with
///   [`SEGMENT_GAP_US`](super::SEGMENT_GAP_US) between them. Arrivals and lengths are rounded as in the profile.
/// - Rows without an input length have one of their group, drawn as [`from_profile`](super::from_profile()) draws them; those of a
///   group of which none is known are left out, and so are calls that are no chat and no completion. Outputs that were cut are
///   as long as they were, which is the least that was wanted.
/// - Conversations are those of one group and one stretch, as in the profile. A turn's think time is that from the end of the
///   answer before it; where no duration is known, that between the two arrivals less the group's median duration; 0 at least.
///   Its text is what its input has more than the turn before and its answer, [`LEAST_NEW_TOKENS`](super::LEAST_NEW_TOKENS)
///   at least.
/// - Where the log tells of blocks, and how long they are, a text is made of those of its row, each as long as it is there, and
///   ends in a request in place of the rest of the last one: two first turns or single requests share as many blocks as they
///   did in the log, and openings are shared. Opening and template come on top where the last block is whole.
///   A block is in the languages of the group of the first row that has it. Later turns have
///   their conversation before them, and then a text of their own.
///
/// Groups that somebody assumed are left out, and told: they have no rows, and what arrives with them nobody knows.
///
/// # Errors
/// Where the rows are not those of the profile, nothing can be taken, or no text can be made.
pub fn from_rows(
    traffic: &Traffic,
    profile: &Profile,
    drawing: &Drawing,
    texts: &mut Texts,
) -> Result<Drawn, SamplingError> {
    let mut account = Account { assumed_left_out: rows::assumed(profile), ..Account::default() };
    let bins: Vec<Vec<Bin>> = profile.groups.iter().map(joint::bins).collect();
    let Rows { taken, of_groups } = rows::taken(traffic, profile, drawing, &mut account, |row| {
        let known = row.facts.input_tokens.is_some() || !bins[row.group].is_empty();
        (!known).then_some(LeftOut::NoLength)
    })?;
    if taken.is_empty() {
        return Err(SamplingError::NothingToDraw);
    }
    let block_tokens = traffic.block_tokens.filter(|tokens| *tokens > 0 && traffic.has_blocks());
    let blocks = block_tokens.map_or_else(Blocks::default, Blocks::of);
    let mut unknown = Unknown::new(profile, drawing, &bins, &taken);
    let mut conversations = Conversations { profile, open: HashMap::new() };
    let mut writer = Writer::new(profile, drawing, texts, blocks)?;
    let mut samples = Vec::with_capacity(taken.len());
    let mut drawn = BTreeSet::new();
    for row in &taken {
        let input = match row.facts.input_tokens {
            Some(input) => u64::from(input),
            None => {
                account.lengths_drawn += 1;
                drawn.insert(row.group);
                unknown.next(row.group)
            }
        };
        let turn = conversations.turn(row);
        let begins = turn.as_ref().is_none_or(|turn| turn.number == 1) && block_tokens.is_some();
        let blocks = if begins { traffic.blocks(row.at as usize).to_vec() } else { Vec::new() };
        let output = row.facts.output_tokens.map(u64::from);
        let want = Want { group: row.group, input, output, turn, arrival_us: Some(row.arrival_us), blocks };
        samples.push(writer.write(want, &mut account)?);
    }
    let drawn = drawn.into_iter().map(|group| &profile.groups[group]).filter(|group| is_mixed(group));
    account.mixed_groups = drawn.map(|group| group.name.clone()).collect();
    let made = Made {
        drawn_from: DrawnFrom::Rows,
        rows: of_groups.iter().sum(),
        weights: of_groups.iter().map(|rows| *rows as f64).collect(),
        openings: if block_tokens.is_some() { Openings::Shared } else { Openings::Unique },
        sizing: texts.sizing(),
        retain_until: None,
    };
    Ok(Drawn { set: facts::set(profile, drawing, made, samples), account })
}

/// Inputs of rows that do not tell theirs.
struct Unknown(Vec<std::vec::IntoIter<Pair>>);

impl Unknown {
    fn new(profile: &Profile, drawing: &Drawing, bins: &[Vec<Bin>], taken: &[Taken]) -> Self {
        let mut counts = vec![0_u64; profile.groups.len()];
        for row in taken.iter().filter(|row| row.facts.input_tokens.is_none()) {
            counts[row.group] += 1;
        }
        let drawn = keys(profile).into_iter().zip(bins).zip(counts).map(|((key, bins), count)| {
            let mut stream = Stream::new(drawing.seed, &format!("samples:unknown:{key}"));
            let mut pairs = joint::draw(bins, count, &mut stream);
            stream.shuffle(&mut pairs);
            pairs.into_iter()
        });
        Self(drawn.collect())
    }

    fn next(&mut self, group: usize) -> u64 {
        self.0.get_mut(group).and_then(Iterator::next).map_or(1, |pair| pair.input)
    }
}

/// Conversations as they go on.
struct Conversations<'a> {
    profile: &'a Profile,
    open: HashMap<(usize, usize, Pseudonym), Conversation>,
}

struct Conversation {
    name: String,
    turns: u32,
    arrival_us: u64,
    duration_us: Option<u64>,
}

impl Conversations<'_> {
    /// Which turn a row is; rows come by arrival.
    fn turn(&mut self, row: &Taken) -> Option<Turn> {
        let next = self.open.len() as u64 + 1;
        let key = (row.segment, row.group, row.facts.session?);
        let known = self.open.entry(key).or_insert_with(|| Conversation {
            name: facts::conversation(next),
            turns: 0,
            arrival_us: 0,
            duration_us: None,
        });
        let think_us = if known.turns == 0 { 0 } else { known.think_us(self.profile, row) };
        known.turns += 1;
        known.arrival_us = row.arrival_us;
        known.duration_us = row.facts.duration.map(|duration| duration.0);
        Some(Turn { session: known.name.clone(), number: known.turns, think_us })
    }
}

impl Conversation {
    fn think_us(&self, profile: &Profile, row: &Taken) -> u64 {
        let median =
            || profile.groups[row.group].duration_s.map_or(0, |duration| (duration.p50 * 1e6) as u64);
        let gap = row.arrival_us.saturating_sub(self.arrival_us);
        gap.saturating_sub(self.duration_us.unwrap_or_else(median))
    }
}
