//! Groups that no log has: what somebody expects beside what was measured, or instead of it.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use toml::Spanned;

use super::{
    Arrivals, Card, Deidentification, Languages, Lengths, Origin, PROFILE_FORMAT, Period, Profile,
    ProfileGroup, Rate, Sessions, Source, Streaming, Terms,
    card::{CardFault, OTHER_GROUP, languages, limit, named, priority, share},
};
use crate::{check_load::check_figures, stage::Arrival};

/// By how much the shares of groups that are all the traffic may miss 1: what rounding makes of many.
pub(super) const SHARES_OFF: f64 = 1e-3;

/// The longest length that may be assumed, in tokens.
const MOST_TOKENS: u32 = 16_777_216;

/// The shape of a group that nobody measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssumedShape {
    /// What it is there for.
    pub covers: Covers,
    /// Tokens of input.
    pub input_tokens: Range,
    /// Tokens of output; as long as the model makes them where `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<Range>,
    /// How it is expected to arrive, for stages of an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// Who assumed it.
    pub by: String,
    /// Why.
    pub basis: String,
}

/// What an assumed group is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covers {
    /// Traffic of which the log has too little.
    ThinData,
    /// Inputs longer than those of the log.
    LongInputs,
    /// Arrivals that come in bursts.
    Bursts,
    /// The edge at which requests may fail, and how.
    FailureBounds,
    /// Traffic that is still to come.
    PlannedTraffic,
}

/// A range of lengths in tokens. Half of them lie between the shortest and the typical one, half between that and the longest;
/// within each half, every ratio is as likely as every other of the same size (log-uniform).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// Shortest, 1 at least.
    pub min: u32,
    /// The median.
    pub typical: u32,
    /// Longest.
    pub max: u32,
}

impl Range {
    /// Ascending, and within what can be sent.
    #[must_use]
    pub fn is_one(&self) -> bool {
        1 <= self.min && self.min <= self.typical && self.typical <= self.max && self.max <= MOST_TOKENS
    }
}

/// An assumed group as a card has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AssumedTable {
    pub(super) name: Spanned<String>,
    covers: Covers,
    #[serde(deserialize_with = "known_share")]
    share: f64,
    input_tokens: Range,
    output_tokens: Option<Range>,
    arrival: Option<Arrival>,
    by: String,
    basis: String,
    #[serde(default, deserialize_with = "priority")]
    priority: Option<u32>,
    #[serde(default, deserialize_with = "limit")]
    ttft_limit_s: Option<f64>,
    #[serde(default, deserialize_with = "limit")]
    deadline_s: Option<f64>,
    failing: Option<super::Way>,
    #[serde(default, deserialize_with = "languages")]
    languages: Languages,
}

fn known_share<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    share(from)?.ok_or_else(|| D::Error::missing_field("share"))
}

/// An assumed group of a card.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CardAssumed {
    pub(crate) name: String,
    share: f64,
    shape: AssumedShape,
    languages: Languages,
    terms: Terms,
}

impl AssumedTable {
    pub(super) fn checked(self) -> Result<CardAssumed, CardFault> {
        let name = named(&self.name)?.clone();
        if name == OTHER_GROUP {
            return Err(CardFault::NamedOther);
        }
        let Some(by) = Some(self.by).filter(|by| !by.trim().is_empty()) else {
            return Err(CardFault::EmptyAssumption { key: "by" });
        };
        if self.basis.trim().is_empty() {
            return Err(CardFault::EmptyAssumption { key: "basis" });
        }
        for (key, range) in [("input_tokens", Some(self.input_tokens)), ("output_tokens", self.output_tokens)]
        {
            if let Some(range) = range.filter(|range| !range.is_one()) {
                return Err(CardFault::NoRange { name, key, range });
            }
        }
        if let (Some(first), Some(whole)) = (self.ttft_limit_s, self.deadline_s)
            && first > whole
        {
            return Err(CardFault::LimitsCross { name });
        }
        match &self.arrival {
            Some(Arrival::Trace { .. }) => return Err(CardFault::TraceOfNothing { name }),
            Some(arrival) => {
                let of = || format!("the assumed group {name:?}");
                check_figures(arrival, of)
                    .map_err(|error| CardFault::NoArrival { error: error.to_string() })?;
            }
            None => {}
        }
        let terms = Terms {
            priority: self.priority,
            ttft_limit_s: self.ttft_limit_s,
            deadline_s: self.deadline_s,
            failing: self.failing,
            by: Some(by.clone()),
            basis: Some(self.basis.clone()),
        };
        let shape = AssumedShape {
            covers: self.covers,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            arrival: self.arrival,
            by,
            basis: self.basis,
        };
        Ok(CardAssumed {
            name,
            share: metrics_core::six_decimals(self.share),
            shape,
            languages: self.languages,
            terms,
        })
    }
}

/// Tells whether shares can be those of assumed groups: less than all beside a log, all without one.
pub(super) fn check_shares(groups: &[CardAssumed], alone: bool) -> Result<(), CardFault> {
    let sum: f64 = groups.iter().map(|group| group.share).sum();
    // As they stand in the profile's file, each to six decimals.
    let fits = if alone { (sum - 1.0).abs() < SHARES_OFF } else { sum < 1.0 };
    if fits || groups.is_empty() {
        Ok(())
    } else {
        Err(CardFault::AssumedShares { percent: sum * 100.0, alone })
    }
}

impl Card {
    /// The groups that the card assumes, as they stand in a profile of which this arrived in all.
    pub(super) fn assumed_groups(&self, all: &Arrivals) -> impl Iterator<Item = ProfileGroup> {
        let nothing = |rate: &Rate| Rate { counts: Vec::new(), ..rate.clone() };
        let rates: Vec<Rate> = all.rates.iter().map(nothing).collect();
        self.assumed.iter().map(move |group| ProfileGroup {
            name: group.name.clone(),
            rule: "added by hand".to_owned(),
            origin: Origin::Assumed,
            rows: 0,
            share: group.share,
            calls: std::collections::BTreeMap::new(),
            streaming: Streaming::default(),
            ends: std::collections::BTreeMap::new(),
            lengths: Lengths::default(),
            arrivals: Arrivals { rates: rates.clone(), ..Arrivals::default() },
            sessions: Sessions::default(),
            ttft_s: None,
            duration_s: None,
            assumed: Some(group.shape.clone()),
            languages: group.languages.clone(),
            terms: group.terms.clone(),
        })
    }
}

/// A profile without any log: all that it says is the card's.
///
/// # Errors
/// Where the card has a rule for the rows of a log, no assumed group, or shares that are not all of the traffic together.
pub fn assume(card: &Card, name: &str, made_by: &str) -> Result<Profile, CardFault> {
    if card.has_groups() {
        return Err(CardFault::RuleWithoutLog);
    }
    if card.assumed.is_empty() {
        return Err(CardFault::NothingAssumed);
    }
    check_shares(&card.assumed, true)?;
    Ok(Profile {
        format: PROFILE_FORMAT,
        made_by: made_by.to_owned(),
        name: card.name.clone().unwrap_or_else(|| name.to_owned()),
        source: Source {
            origin: Origin::Assumed,
            description: card.description.clone(),
            traffic_share: None,
            log_format: String::new(),
            files_sha256: Vec::new(),
            period: Period {
                from: String::new(),
                until: String::new(),
                window: None,
                zone: "+00:00".to_owned(),
            },
            rows_read: 0,
            kept: 0,
            dropped: std::collections::BTreeMap::new(),
            notes: std::collections::BTreeMap::new(),
            arrivals_from: std::collections::BTreeMap::new(),
            relative_time: false,
            segments: Vec::new(),
        },
        deidentification: Deidentification {
            key_kept: false,
            token_bin: 1,
            time_bin_s: metrics_core::Seconds::whole(0),
            least_rows: 0,
            labels_merged: 0,
            rows_merged: 0,
        },
        groups: card.assumed_groups(&Arrivals::default()).collect(),
        arrivals: Arrivals::default(),
        not_covered: card.not_covered.clone(),
        assumptions: card.assumptions.clone(),
    })
}

impl Profile {
    /// Every group's share of what is to be sent, from 0 to 1, in the order of the groups: those of assumed groups as they were
    /// assumed, the rest of it as measured.
    #[must_use]
    pub fn mix(&self) -> Vec<f64> {
        let assumed = |group: &&ProfileGroup| group.assumed.is_some();
        let assumed: f64 = self.groups.iter().filter(assumed).map(|group| group.share).sum();
        let rest = (1.0 - assumed).max(0.0);
        let share = |group: &ProfileGroup| group.share * if group.assumed.is_some() { 1.0 } else { rest };
        self.groups.iter().map(share).collect()
    }

    /// The groups that somebody added by hand.
    pub fn assumed_groups(&self) -> impl Iterator<Item = (&ProfileGroup, &AssumedShape)> {
        self.groups.iter().filter_map(|group| Some((group, group.assumed.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: &str = "[[assumed]]\nname = \"long\"\ncovers = \"long_inputs\"\nshare = 0.25\n\
        input_tokens = { min = 20000, typical = 40000, max = 100000 }\nby = \"me\"\nbasis = \"contract\"\n";

    #[test]
    fn a_profile_of_nothing_but_assumptions_says_so_and_can_be_read_again() {
        let card = Card::parse(&GROUP.replace("0.25", "1")).expect("a card");
        let profile = assume(&card, "plan", "test").expect("a profile");
        assert_eq!((profile.source.origin, profile.source.kept), (Origin::Assumed, 0));
        assert_eq!(profile.mix(), [1.0]);
        assert_eq!(Profile::from_json(&profile.to_json()).as_ref(), Ok(&profile));
        let group = &profile.groups[0];
        assert_eq!((group.origin, group.rows, group.terms.by.as_deref()), (Origin::Assumed, 0, Some("me")));
    }

    #[test]
    fn what_nobody_could_have_assumed_is_refused_with_its_line_and_a_remedy() {
        for (from, to, line, told) in [
            ("by = \"me\"", "by = \" \"", 2, "needs by"),
            ("basis = \"contract\"", "basis = \"\"", 2, "needs basis"),
            ("basis = \"contract\"\n", "", 1, "missing field `basis`"),
            ("share = 0.25\n", "", 1, "missing field `share`"),
            ("share = 0.25", "share = 25", 4, "0.8 is 80 %"),
            ("typical = 40000", "typical = 400", 2, "20000 to 100000, typically 400"),
            ("min = 20000", "min = 0", 2, "1 or more, ascending"),
            ("\"long\"", "\"other\"", 2, "choose another name"),
            ("share", "arrival = { process = \"gamma\", gap_cv = -1 }\nshare", 2, "gap_cv"),
            ("share", "arrival = { process = \"trace\" }\nshare", 2, "no log has it"),
            ("[[assumed]]", "[[group]]\nname = \"long\"\n[[assumed]]", 4, "names are unique"),
        ] {
            let text = GROUP.replacen(from, to, 1);
            let error = Card::parse(&text).expect_err(&text);
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains(told), "{error}");
        }
    }

    #[test]
    fn shares_are_all_of_the_traffic_without_a_log_and_less_beside_one() {
        let card = |share: &str| Card::parse(&GROUP.replace("0.25", share)).expect("a card");
        let said = |share| assume(&card(share), "p", "t").expect_err("a fault").to_string();
        assert!(said("0.25").contains("25.0000 %, and without a log"), "{}", said("0.25"));
        assert_eq!(assume(&Card::default(), "p", "t"), Err(CardFault::NothingAssumed));
        let ruled = Card::parse(&format!("[[group]]\nname = \"a\"\n{GROUP}")).expect("a card");
        assert_eq!(assume(&ruled, "p", "t"), Err(CardFault::RuleWithoutLog));
        let beside = |share| check_shares(&card(share).assumed, false).map_err(|fault| fault.to_string());
        assert_eq!(beside("0.25"), Ok(()));
        assert!(beside("1").is_err_and(|said| said.contains("below 100 %")));
    }
}
