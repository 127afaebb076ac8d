//! Samples from the prompts of a log.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::{
    Account, Drawing, Drawn, LeftOut, SamplingError,
    facts::{self, Made},
    rows::{self, Rows},
    writing::Ids,
};
use crate::{
    DrawnFrom, Lengths, Openings, Origin, Sample, profile::Profile, sample::check_messages, traffic::Traffic,
};

/// What was asked in a row of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    /// The row's place among those that were kept, from 0.
    pub row: u64,
    /// Chat messages.
    pub messages: Vec<Map<String, Value>>,
}

/// Makes samples of prompts, word for word, by arrival.
///
/// They are somebody's own words, so that whoever keeps them says until when. A prompt holds what went before it in its
/// conversation, the answers of the log's service among it, and is sent as it is: no sample is a turn. Prefixes are shared as in
/// the log, since the texts are those of the log. Rows without a prompt are left out, and so
/// are groups that somebody assumed.
///
/// # Errors
/// Where the rows are not those of the profile, or a prompt cannot be sent.
pub fn from_texts(
    traffic: &Traffic,
    profile: &Profile,
    drawing: &Drawing,
    prompts: Vec<Prompt>,
    retain_until: Date,
) -> Result<Drawn, SamplingError> {
    let mut account = Account { assumed_left_out: rows::assumed(profile), ..Account::default() };
    let mut by_row: BTreeMap<u64, Vec<Map<String, Value>>> = BTreeMap::new();
    for Prompt { row, mut messages } in prompts {
        check_messages(&mut messages).map_err(|reason| SamplingError::Prompt { row, reason })?;
        by_row.insert(row, messages);
    }
    let Rows { taken, of_groups } = rows::taken(traffic, profile, drawing, &mut account, |row| {
        (!by_row.contains_key(&u64::from(row.at))).then_some(LeftOut::NoText)
    })?;
    if taken.is_empty() {
        return Err(SamplingError::NothingToDraw);
    }
    let mut ids = Ids::default();
    let samples = taken.iter().filter_map(|row| {
        let messages = by_row.remove(&u64::from(row.at))?;
        let group = &profile.groups[row.group];
        Some(Sample {
            group: group.name.clone(),
            origin: Origin::Recorded,
            lengths: Lengths {
                input: row.facts.input_tokens.map(u64::from),
                output: row.facts.output_tokens.map(|output| u64::from(output).max(1)),
            },
            shape: Some(group.origin.into()),
            arrival_us: Some(row.arrival_us),
            ..Sample::new(ids.of("recorded", &messages), messages)
        })
    });
    let samples = samples.collect();
    let made = Made {
        drawn_from: DrawnFrom::Text,
        rows: of_groups.iter().sum(),
        weights: of_groups.iter().map(|rows| *rows as f64).collect(),
        openings: Openings::Shared,
        sizing: facts::unsized_texts(),
        retain_until: Some(retain_until.to_string()),
    };
    Ok(Drawn { set: facts::set(profile, drawing, made, samples), account })
}
