//! The card: what only people know of traffic, in a small TOML file beside its log.

use serde::{Deserialize, Deserializer, de::Error};
use toml::Spanned;

use super::{
    Assumption, Languages, Origin, Range, Terms, Way,
    assumed::{AssumedTable, CardAssumed},
    pattern::{Band, OneOrMany, Pattern},
};
use crate::{MAX_SECONDS, traffic::Call};

/// Name of the group of all rows that no rule takes.
pub const OTHER_GROUP: &str = "other";

/// The longest name, in characters.
const LONGEST_NAME: usize = 80;

/// What only people know of traffic: what it is called, how it is cut into groups, and what the business asks of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// What the profile is called; nobody said where `None`.
    pub name: Option<String>,
    /// Whose log, of which system.
    pub description: String,
    /// A log of real use, or of traffic that a program made.
    pub origin: Origin,
    /// The share of all traffic that the log holds, above 0 and up to 1.
    pub traffic_share: Option<f64>,
    /// Traffic that it does not speak for.
    pub not_covered: Vec<String>,
    /// What somebody assumed.
    pub assumptions: Vec<Assumption>,
    /// Rules of groups; the first that takes a request has it.
    pub(crate) groups: Vec<CardGroup>,
    /// Groups that no log has.
    pub(crate) assumed: Vec<CardAssumed>,
}

/// A group, by its rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CardGroup {
    pub(crate) name: String,
    pub(crate) rule: Rule,
    pub(crate) terms: Terms,
    pub(crate) languages: Languages,
}

/// What a request must be to be of a group: all that is said.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Rule {
    pub(crate) call: Option<OneOrMany<Call>>,
    pub(crate) model: Option<OneOrMany<Pattern>>,
    pub(crate) path: Option<OneOrMany<Pattern>>,
    pub(crate) label: Option<OneOrMany<Pattern>>,
    pub(crate) caller: Option<OneOrMany<Pattern>>,
    pub(crate) input_tokens: Option<Band>,
    pub(crate) output_tokens: Option<Band>,
    pub(crate) stream: Option<bool>,
}

/// A card cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("read the card, line {line}: {fault}")]
pub struct CardError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub fault: CardFault,
}

/// What is wrong with a card.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CardFault {
    /// No TOML, or not the keys and values of a card.
    #[error("{0}")]
    Syntax(String),
    /// The origin of a log's rows.
    #[error(
        "origin is \"assumed\", which no row of a log is (write \"real\" or \"synthetic\"; without a log leave it out)"
    )]
    AssumedLog,
    /// A range of lengths that is none.
    #[error("{key} of {name:?} is no range of tokens: {} to {}, typically {} (1 or more, ascending)", range.min, range.max, range.typical)]
    NoRange {
        /// The group.
        name: String,
        /// The key.
        key: &'static str,
        /// What it says.
        range: Range,
    },
    /// An arrival process whose figures describe none.
    #[error("{error}")]
    NoArrival {
        /// What is wrong with which.
        error: String,
    },
    /// Recorded arrivals of a group that nobody recorded.
    #[error("{name:?} cannot arrive as recorded: no log has it (write another process)")]
    TraceOfNothing {
        /// The group.
        name: String,
    },
    /// Assumed groups that are more than all traffic, or without a log less.
    #[error("the shares of the assumed groups make {percent:.4} %, {}", if *alone { "and without a log they are all the traffic: 100 %" } else { "and the rest is that of the log: below 100 %" })]
    AssumedShares {
        /// Their sum.
        percent: f64,
        /// No log was read.
        alone: bool,
    },
    /// A rule for rows of a log, without one.
    #[error("a [[group]] takes rows of a log, and none is read (name a log, or write [[assumed]] groups)")]
    RuleWithoutLog,
    /// Neither a log nor an assumption.
    #[error("nothing is assumed, and no log is read (name a log, or write [[assumed]] groups)")]
    NothingAssumed,
    /// A name that is empty, very long or of several lines.
    #[error("{name:?} is no name (1 to {LONGEST_NAME} characters on one line)")]
    NoName {
        /// What it says.
        name: String,
    },
    /// The name of the group of all others.
    #[error("a group is named {OTHER_GROUP:?}, as all rows are that no rule takes (choose another name)")]
    NamedOther,
    /// Two groups of one name.
    #[error("the group {name:?} is there twice (names are unique)")]
    NameTwice {
        /// The name.
        name: String,
    },
    /// A group behind one that takes all.
    #[error(
        "the group {name:?} never has a row: {all:?}, above it, has no match and takes all (put it last)"
    )]
    NeverReached {
        /// The group.
        name: String,
        /// The one that takes all.
        all: String,
    },
    /// Terms that nobody stands for.
    #[error(
        "the terms of {name:?} are nobody's: no log tells a priority, a time limit or a way of failing, so somebody stands for them (add by = \"name, department\")"
    )]
    NobodysTerms {
        /// The group.
        name: String,
    },
    /// A first token that may come after the whole answer.
    #[error(
        "the first token of {name:?} may come later than its whole answer (ttft_limit_s above deadline_s)"
    )]
    LimitsCross {
        /// The group.
        name: String,
    },
    /// An assumption without its content or its author.
    #[error("an assumption needs {key} (say what is assumed, and who assumes it)")]
    EmptyAssumption {
        /// The key that is empty.
        key: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CardFile {
    #[serde(default)]
    profile: ProfileTable,
    #[serde(default)]
    group: Vec<GroupTable>,
    #[serde(default)]
    assumed: Vec<AssumedTable>,
    #[serde(default)]
    assumption: Vec<AssumptionTable>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ProfileTable {
    name: Option<Spanned<String>>,
    description: String,
    origin: Option<Spanned<Origin>>,
    #[serde(deserialize_with = "share")]
    traffic_share: Option<f64>,
    not_covered: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupTable {
    name: Spanned<String>,
    #[serde(default, rename = "match")]
    rule: Rule,
    #[serde(default, deserialize_with = "priority")]
    priority: Option<u32>,
    #[serde(default, deserialize_with = "limit")]
    ttft_limit_s: Option<f64>,
    #[serde(default, deserialize_with = "limit")]
    deadline_s: Option<f64>,
    failing: Option<Way>,
    #[serde(default, deserialize_with = "languages")]
    languages: Languages,
    by: Option<String>,
    basis: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AssumptionTable {
    what: Spanned<String>,
    by: Spanned<String>,
    #[serde(default)]
    basis: String,
}

pub(super) fn share<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let share = f64::deserialize(from)?;
    if share > 0.0 && share <= 1.0 {
        return Ok(Some(share));
    }
    Err(D::Error::custom(format!("{share} is no share of the traffic (above 0 and up to 1: 0.8 is 80 %)")))
}

pub(super) fn priority<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    match u32::deserialize(from)? {
        0 => Err(D::Error::custom("0 is no priority (1 is the highest)")),
        priority => Ok(Some(priority)),
    }
}

pub(super) fn limit<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let limit = f64::deserialize(from)?;
    if limit > 0.0 && limit <= MAX_SECONDS {
        return Ok(Some(limit));
    }
    Err(D::Error::custom(format!("{limit} is no limit (seconds above 0 and up to a year)")))
}

pub(super) fn languages<'de, D: Deserializer<'de>>(from: D) -> Result<Languages, D::Error> {
    let languages = Languages::deserialize(from)?;
    if languages.values().any(|weight| *weight > 0) {
        return Ok(languages);
    }
    Err(D::Error::custom("languages have no weight (write { zh = 70, en = 30 }, or leave the key out)"))
}

impl Default for Card {
    /// What is said where nobody wrote a card: nothing but that the log is one of real use.
    fn default() -> Self {
        Self {
            name: None,
            description: String::new(),
            origin: Origin::Real,
            traffic_share: None,
            not_covered: Vec::new(),
            assumptions: Vec::new(),
            groups: Vec::new(),
            assumed: Vec::new(),
        }
    }
}

impl Card {
    /// Reads a card.
    ///
    /// ```
    /// use workload_model::profile::Card;
    ///
    /// let wrong = Card::parse("[[group]]\nname = \"chat\"\npriority = 1\n").unwrap_err();
    /// assert_eq!(wrong.line, 2);
    /// assert!(wrong.to_string().contains("add by = "));
    /// ```
    ///
    /// # Errors
    /// Where the text is no card, with the line and what to write instead.
    pub fn parse(text: &str) -> Result<Self, CardError> {
        let at = |offset: usize| text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
        let file: CardFile = toml::from_str(text).map_err(|error| {
            let words = error.message().split('\n').map(str::trim).collect::<Vec<_>>().join(", ");
            let line = at(error.span().map_or(0, |span| span.start));
            CardError { line, fault: CardFault::Syntax(words) }
        })?;
        file.checked().map_err(|(offset, fault)| CardError { line: at(offset), fault })
    }

    /// There is a rule.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// A card to fill in.
    #[must_use]
    pub fn template() -> &'static str {
        include_str!("card.toml")
    }
}

/// A fault, and at which byte.
type Fault = (usize, CardFault);

impl CardFile {
    fn checked(self) -> Result<Card, Fault> {
        let origin = match self.profile.origin {
            Some(origin) if *origin.get_ref() == Origin::Assumed => {
                return Err((origin.span().start, CardFault::AssumedLog));
            }
            origin => origin.map_or(Origin::Real, Spanned::into_inner),
        };
        let mut groups: Vec<CardGroup> = Vec::with_capacity(self.group.len());
        for table in self.group {
            let at = table.name.span().start;
            let group = table.checked().map_err(|fault| (at, fault))?;
            if groups.iter().any(|other| other.name == group.name) {
                return Err((at, CardFault::NameTwice { name: group.name }));
            }
            if let Some(all) = groups.iter().find(|other| other.rule == Rule::default()) {
                return Err((at, CardFault::NeverReached { name: group.name, all: all.name.clone() }));
            }
            groups.push(group);
        }
        let mut assumed: Vec<CardAssumed> = Vec::with_capacity(self.assumed.len());
        for table in self.assumed {
            let at = table.name.span().start;
            let group = table.checked().map_err(|fault| (at, fault))?;
            let mut names =
                groups.iter().map(|group| &group.name).chain(assumed.iter().map(|group| &group.name));
            if names.any(|name| *name == group.name) {
                return Err((at, CardFault::NameTwice { name: group.name }));
            }
            assumed.push(group);
        }
        Ok(Card {
            name: self
                .profile
                .name
                .map(|name| named(&name).cloned().map_err(|fault| (name.span().start, fault)))
                .transpose()?,
            description: self.profile.description,
            origin,
            traffic_share: self.profile.traffic_share,
            not_covered: self.profile.not_covered,
            assumptions: self
                .assumption
                .into_iter()
                .map(AssumptionTable::checked)
                .collect::<Result<_, _>>()?,
            groups,
            assumed,
        })
    }
}

/// The name, where it is one.
pub(super) fn named(name: &Spanned<String>) -> Result<&String, CardFault> {
    let name = name.get_ref();
    let is_name = !name.trim().is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !name.chars().any(char::is_control);
    if is_name { Ok(name) } else { Err(CardFault::NoName { name: name.clone() }) }
}

impl GroupTable {
    fn checked(self) -> Result<CardGroup, CardFault> {
        let name = named(&self.name)?.clone();
        if name == OTHER_GROUP {
            return Err(CardFault::NamedOther);
        }
        let by = self.by.filter(|by| !by.trim().is_empty());
        let asks = self.priority.is_some()
            || self.ttft_limit_s.is_some()
            || self.deadline_s.is_some()
            || self.failing.is_some();
        if asks && by.is_none() {
            return Err(CardFault::NobodysTerms { name });
        }
        if let (Some(first), Some(whole)) = (self.ttft_limit_s, self.deadline_s)
            && first > whole
        {
            return Err(CardFault::LimitsCross { name });
        }
        let terms = Terms {
            priority: self.priority,
            ttft_limit_s: self.ttft_limit_s,
            deadline_s: self.deadline_s,
            failing: self.failing,
            by,
            basis: self.basis.filter(|basis| !basis.trim().is_empty()),
        };
        Ok(CardGroup { name, rule: self.rule, terms, languages: self.languages })
    }
}

impl AssumptionTable {
    fn checked(self) -> Result<Assumption, Fault> {
        for (key, value) in [("what", &self.what), ("by", &self.by)] {
            if value.get_ref().trim().is_empty() {
                return Err((value.span().start, CardFault::EmptyAssumption { key }));
            }
        }
        Ok(Assumption { what: self.what.into_inner(), by: self.by.into_inner(), basis: self.basis })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_a_card_that_says_nothing() {
        assert_eq!(Card::parse(Card::template()), Ok(Card::default()));
    }

    #[test]
    fn what_the_template_has_behind_marks_is_a_card_too() {
        let lines = Card::template().lines().map(|line| line.strip_prefix("#: ").unwrap_or(line));
        let card = Card::parse(&lines.collect::<Vec<_>>().join("\n")).unwrap();
        assert!(card.has_groups() && card.name.is_some() && !card.assumptions.is_empty(), "{card:?}");
    }

    #[test]
    fn faults_are_told_with_their_line_and_a_remedy() {
        let group = |keys: &str| format!("[[group]]\nname = \"a\"\n{keys}");
        for (text, line, told) in [
            ("[profile]\ntitle = 1".to_owned(), 2, "unknown field `title`"),
            ("[profile]\norigin = \"assumed\"".to_owned(), 2, "write \"real\" or \"synthetic\""),
            ("[profile]\nname = \"\"".to_owned(), 2, "1 to 80 characters"),
            ("[profile]\ntraffic_share = 80".to_owned(), 2, "0.8 is 80 %"),
            (group("priority = 0"), 3, "1 is the highest"),
            (group("priority = 1"), 2, "add by = "),
            (group("deadline_s = 3\nby = \" \""), 2, "add by = "),
            (group("deadline_s = -3"), 3, "seconds above 0"),
            (group("ttft_limit_s = nan"), 3, "seconds above 0"),
            (group("ttft_limit_s = 3\ndeadline_s = 2\nby = \"me\""), 2, "ttft_limit_s above deadline_s"),
            (group("failing = \"crash\""), 3, "expected one of `reject`"),
            (group("match = { call = \"dance\" }"), 3, "unknown variant `dance`"),
            (group("match = { colour = \"red\" }"), 3, "unknown field `colour`"),
            (group("match = { model = [] }"), 3, "leave the key out"),
            (group("match = { model = \"\" }"), 3, "leave the key out"),
            (group("match = { input_tokens = \"4096\" }"), 3, "two dots are missing"),
            (group("match = { input_tokens = \"9..1\" }"), 3, "ends before it begins"),
            (group("match = { input_tokens = \"0..4k\" }"), 3, "no number of tokens"),
            (group("[[group]]\nname = \"b\""), 4, "put it last"),
            (group("match = { stream = true }\n[[group]]\nname = \"a\""), 5, "names are unique"),
            ("[[group]]\nname = \"other\"".to_owned(), 2, "choose another name"),
            (group("languages = {}"), 3, "or leave the key out"),
            (group("languages = { fr = 1 }"), 3, "unknown variant `fr`"),
            ("[[assumption]]\nwhat = \"\"\nby = \"me\"".to_owned(), 2, "needs what"),
        ] {
            let error = Card::parse(&text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.to_string().contains(told), "{text}: {error}");
        }
    }
}
