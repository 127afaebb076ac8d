//! Samples from the distributions of a profile.

use super::{
    Account, Drawing, Drawn, SamplingError, conversations,
    conversations::Unit,
    facts::{self, Made},
    joint, shares, waits,
    writing::{Blocks, Want, Writer, keys},
};
use crate::{
    DrawnFrom, MAX_REQUESTS, Openings, Turn,
    profile::{Profile, ProfileGroup},
    random::Stream,
    synthesis::Texts,
    traffic::Call,
};

/// Draws samples by the distributions of a profile.
///
/// - Every group has its share ([`Profile::mix`]), as far as it consists of chats and completions, by largest remainders, and one
///   sample at least as far as there are enough.
/// - Lengths are drawn together from the cells of their joint distribution, stratified; within a cell, and within either half of
///   an assumed range, every ratio is as likely as every other of the same size. Rows of which the input is not known are taken
///   to be like the others. Outputs that were cut count as long as they were. A profile does not tell lengths of one group apart by
///   call: groups that have embeddings as well, say, draw lengths of both, and are told.
/// - As many requests belong to conversations as in the log, with as many turns (20 stands for 20 and more), and with its think
///   times, along straight lines between the quantiles that are known. Inputs of later turns hold what went before.
/// - Samples stand group by group, in the order of the profile; within a group in a random order, so that its first ones are
///   like all of it. Turns of a conversation follow each other.
///
/// # Errors
/// Where there is nothing to draw, or no text can be made.
pub fn from_profile(profile: &Profile, drawing: &Drawing, texts: &mut Texts) -> Result<Drawn, SamplingError> {
    if !(1..=MAX_REQUESTS).contains(&drawing.requests) {
        return Err(SamplingError::Requests(drawing.requests));
    }
    let mut account = Account::default();
    let weights = weights(profile);
    let left_out = |(group, (weight, share)): (&ProfileGroup, (&f64, f64))| {
        (*weight <= 0.0 && share > 0.0).then(|| group.name.clone())
    };
    account.groups_left_out =
        profile.groups.iter().zip(weights.iter().zip(profile.mix())).filter_map(left_out).collect();
    let mixed =
        profile.groups.iter().zip(&weights).filter(|(group, weight)| **weight > 0.0 && is_mixed(group));
    account.mixed_groups = mixed.map(|(group, _)| group.name.clone()).collect();
    if weights.iter().all(|weight| *weight <= 0.0) {
        return Err(SamplingError::NothingToDraw);
    }
    let mut writer = Writer::new(profile, drawing, texts, Blocks::default())?;
    let mut samples = Vec::new();
    let mut conversations = 0;
    let counts = shares::with_one_each(drawing.requests, &weights);
    for ((at, key), count) in keys(profile).iter().enumerate().zip(counts) {
        for want in wants(profile, drawing, (at, key), count, &mut conversations) {
            samples.push(writer.write(want, &mut account)?);
        }
    }
    let made = Made {
        drawn_from: DrawnFrom::Profile,
        rows: profile.source.kept,
        weights,
        openings: Openings::Unique,
        sizing: texts.sizing(),
        retain_until: None,
    };
    Ok(Drawn { set: facts::set(profile, drawing, made, samples), account })
}

/// Every group's share of what can be drawn, in the order of the groups, not brought to 1: of its share that of its chats and
/// completions; 0 where no length is known.
pub(crate) fn weights(profile: &Profile) -> Vec<f64> {
    let weight = |(group, share): (&ProfileGroup, f64)| {
        if group.assumed.is_some() {
            return share;
        }
        let asks = asked(group);
        if asks == 0 || joint::bins(group).is_empty() {
            0.0
        } else {
            share * (asks as f64 / group.rows as f64)
        }
    };
    profile.groups.iter().zip(profile.mix()).map(weight).collect()
}

/// Rows of a measured group that are chats and completions, 0 of an assumed one.
pub(crate) fn asked(group: &ProfileGroup) -> u64 {
    group.calls.iter().filter(|(call, _)| is_text(**call)).map(|(_, rows)| rows).sum()
}

/// Lengths of a group are also those of calls that are no chats and no completions.
pub(super) fn is_mixed(group: &ProfileGroup) -> bool {
    (1..group.rows).contains(&asked(group))
}

/// A call whose input is a text and whose output is one.
pub(super) fn is_text(call: Call) -> bool {
    matches!(call, Call::Chat | Call::Completion)
}

/// What is wanted of a group, in the order of the set.
fn wants(
    profile: &Profile,
    drawing: &Drawing,
    (at, key): (usize, &str),
    count: u64,
    conversations: &mut u64,
) -> Vec<Want> {
    let group = &profile.groups[at];
    let stream = |what: &str| Stream::new(drawing.seed, &format!("samples:{what}:{key}"));
    let pairs = match &group.assumed {
        Some(shape) => {
            joint::draw_assumed(shape.input_tokens, shape.output_tokens, count, &mut stream("lengths"))
        }
        None => joint::draw(&joint::bins(group), count, &mut stream("lengths")),
    };
    let mut units = conversations::units(pairs, group, &mut stream("conversations"));
    stream("order").shuffle(&mut units);
    let later: usize = units.iter().map(|unit| unit.turns().len() - 1).sum();
    let mut waits = waits::draw(group, later as u64, &mut stream("think")).into_iter();
    let mut wants = Vec::new();
    for unit in &units {
        let is_conversation = matches!(unit, Unit::Conversation(_));
        *conversations += u64::from(is_conversation);
        let session = facts::conversation(*conversations);
        for (number, pair) in (1_u32..).zip(unit.turns()) {
            let think_us = if number > 1 { waits.next().unwrap_or(0) } else { 0 };
            let turn = is_conversation.then(|| Turn { session: session.clone(), number, think_us });
            wants.push(Want { turn, ..Want::single(at, pair.input, pair.output) });
        }
    }
    wants
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Cell, Lengths, Quantiles, Sessions};

    /// Lengths, turns and think times of a group, without texts.
    #[test]
    fn what_is_wanted_is_the_same_on_every_machine() {
        let card = "[[assumed]]\nname = \"a\"\ncovers = \"bursts\"\nshare = 1\nby = \"me\"\nbasis = \"test\"\n\
                    input_tokens = { min = 30, typical = 300, max = 9000 }\noutput_tokens = { min = 3, typical = 90, max = 500 }\n";
        let card = crate::profile::Card::parse(card).expect("a card");
        let mut profile = crate::profile::assume(&card, "p", "t").expect("a profile");
        let drawing = Drawing::new("golden", 12);
        let told = |wants: Vec<Want>| -> Vec<String> {
            let turn = |want: &Want| {
                want.turn.as_ref().map(|turn| format!(" {}.{} {}", turn.session, turn.number, turn.think_us))
            };
            let line = |want: Want| {
                format!("{} {}{}", want.input, want.output.unwrap_or(0), turn(&want).unwrap_or_default())
            };
            wants.into_iter().map(line).collect()
        };
        let assumed = told(wants(&profile, &drawing, (0, "a"), 12, &mut 0));
        let seconds =
            Quantiles { n: 40, mean: 9.0, min: 0.5, p50: 6.0, p90: 20.0, p95: 31.0, p99: 44.0, max: 90.0 };
        profile.groups[0].assumed = None;
        profile.groups[0].rows = 100;
        profile.groups[0].lengths = Lengths {
            both: 100,
            bins_per_octave: 16,
            cells: vec![Cell(40, 20, 50), Cell(416, 96, 30), Cell(1408, 7, 5), Cell(1408, 120, 15)],
            ..Lengths::default()
        };
        profile.groups[0].sessions = Sessions {
            rows: 60,
            sessions: 22,
            turns: [(1, 2), (2, 10), (3, 6), (5, 4)].into(),
            think_time_s: Some(seconds),
            ..Sessions::default()
        };
        let measured = told(wants(&profile, &drawing, (0, "a"), 12, &mut 0));
        insta::assert_debug_snapshot!([assumed, measured]);
    }
}
