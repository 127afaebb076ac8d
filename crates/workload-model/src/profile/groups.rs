//! Puts requests into groups, while their log is read.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    str::FromStr,
};

use super::{
    Languages, Terms,
    card::{Card, OTHER_GROUP, Rule},
    naming::{known_path, model_name, told},
    pattern::{OneOrMany, Pattern},
};
use crate::traffic::{Call, Facets, Grouping, Pseudonym, Traffic};

/// Fewest rows of a label, a caller, a model or a path that stands for itself, where nobody says otherwise.
pub const LEAST_ROWS: u64 = 5;

/// Most labels that stand for themselves, the largest of them; the others are in `other`.
const MOST_TOLD: usize = 500;

/// Most groups while a log is read; what comes beyond is in `other`.
const MOST_GROUPS: usize = 60_000;

/// Most labels that are told apart of those that have no group of their own.
const MOST_HIDDEN: usize = 200_000;

/// The one thing by which requests are grouped where no card has a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Facet {
    /// What was asked for.
    #[default]
    Call,
    /// Name of the model. It is the service's name and no person's, so that it stays as it is; see [`Groups`].
    Model,
    /// Who called, under a pseudonym.
    Caller,
    /// A label of the log's own, under a pseudonym.
    Label,
    /// The end of the path, where it is one of a known interface.
    Path,
    /// Whether it was streamed.
    Stream,
}

/// A text is no [`Facet`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("group by {0:?}: nothing is grouped by that (call, model, caller, label, path or stream)")]
pub struct UnknownFacet(String);

impl FromStr for Facet {
    type Err = UnknownFacet;

    fn from_str(text: &str) -> Result<Self, UnknownFacet> {
        Ok(match text {
            "call" => Self::Call,
            "model" => Self::Model,
            "caller" => Self::Caller,
            "label" => Self::Label,
            "path" => Self::Path,
            "stream" => Self::Stream,
            _ => return Err(UnknownFacet(text.to_owned())),
        })
    }
}

/// Groups by a card's rules or by one [`Facet`].
///
/// What reaches a file of it names nobody:
///
/// - callers and labels stand under their pseudonyms;
/// - a model stands under its own name where that looks like one (letters, digits and `. _ - : / +`, a letter among them, no
///   more than 96): a client may write anything into this field;
/// - a path is shortened to its end where that is one of a known interface, such as `/v1/chat/completions`; all others are in
///   `other`, since paths may hold names of tenants;
/// - a label, caller, model or path of fewer than [`LEAST_ROWS`] rows is put into `other` by [`settle`](Self::settle), once
///   all rows are known.
///
/// Groups of a card stand under the names that the operator gave them, however few rows they have.
#[derive(Debug, Clone)]
pub struct Groups {
    by: By,
    groups: Vec<GroupRule>,
    pseudonyms: HashMap<Pseudonym, u16>,
    names: HashMap<String, u16>,
    /// Those that every log may have, whatever its labels: few.
    common: Vec<u16>,
    hidden: HashSet<u64>,
    hidden_rows: u64,
}

#[derive(Debug, Clone)]
enum By {
    Card(Vec<(Rule, Seen)>),
    Facet(Facet),
}

/// Pseudonyms of labels and callers that a rule names exactly, as they came up.
#[derive(Debug, Clone, Default)]
struct Seen {
    labels: Vec<(usize, Pseudonym)>,
    callers: Vec<(usize, Pseudonym)>,
}

/// A group, and what puts a request into it.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupRule {
    /// Its name.
    pub name: String,
    /// What puts a row into it, without anything that names a person.
    pub rule: String,
    /// The operator named it: it is told even if no row is of it.
    pub by_operator: bool,
    /// What the business asks of it.
    pub terms: Terms,
    /// In which languages its requests are, by weight; nobody said where there is none.
    pub languages: Languages,
    stands: Stands,
}

/// Whether a group stands for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Always,
    WithEnoughRows,
}

/// The groups of a traffic whose rows are all known.
#[derive(Debug, Clone, PartialEq)]
pub struct Grouped {
    /// The groups; rows name theirs by index.
    pub groups: Vec<GroupRule>,
    /// Fewest rows of a label that stands for itself.
    pub least_rows: u64,
    /// Labels with fewer rows or without a name that may be told, which are now in the group `other`. No more than some
    /// 200,000 of the latter are told apart.
    pub labels_merged: u64,
    /// Rows of these.
    pub rows_merged: u64,
}

const OTHER: u16 = 0;

impl GroupRule {
    fn new(name: String, rule: String, stands: Stands) -> Self {
        Self { name, rule, by_operator: false, terms: Terms::default(), languages: Languages::new(), stands }
    }

    /// All rows that no rule takes.
    #[must_use]
    pub fn other() -> Self {
        Self::new(OTHER_GROUP.to_owned(), "all others".to_owned(), Stands::Always)
    }
}

impl Groups {
    /// By the rules of a card: the first that takes a request has it.
    #[must_use]
    pub fn of_card(card: &Card) -> Self {
        let mut groups = vec![GroupRule::other()];
        groups.extend(card.groups.iter().map(|group| GroupRule {
            by_operator: true,
            terms: group.terms.clone(),
            languages: group.languages.clone(),
            ..GroupRule::new(group.name.clone(), String::new(), Stands::Always)
        }));
        let rules = card.groups.iter().map(|group| (group.rule.clone(), Seen::default()));
        Self::with(By::Card(rules.collect()), groups)
    }

    /// By one facet.
    #[must_use]
    pub fn of_facet(facet: Facet) -> Self {
        Self::with(By::Facet(facet), vec![GroupRule::other()])
    }

    fn with(by: By, groups: Vec<GroupRule>) -> Self {
        let (pseudonyms, names, hidden) = (HashMap::new(), HashMap::new(), HashSet::new());
        Self { by, groups, pseudonyms, names, common: vec![OTHER], hidden, hidden_rows: 0 }
    }

    /// Puts rows of labels that too few rows carry into `other`, once all rows are in the traffic.
    #[must_use]
    pub fn settle(mut self, traffic: &mut Traffic, least_rows: u64) -> Grouped {
        let mut rows = vec![0_u64; self.groups.len()];
        for row in traffic.rows() {
            if let Some(rows) = rows.get_mut(usize::from(row.group())) {
                *rows += 1;
            }
        }
        let merged = self.merged(&rows, least_rows);
        let (mut labels, mut rows_merged) = (self.hidden.len() as u64, self.hidden_rows);
        for rows in
            merged.iter().zip(&rows).filter_map(|(merged, rows)| (*merged && *rows > 0).then_some(*rows))
        {
            labels += 1;
            rows_merged += rows;
        }
        for row in traffic.rows_mut() {
            // A row of a group that is none of these was put there by somebody else.
            if merged.get(usize::from(row.group())).copied().unwrap_or(true) {
                *row = row.in_group(OTHER);
            }
        }
        if let By::Card(rules) = &self.by {
            for (group, (rule, seen)) in self.groups.iter_mut().skip(1).zip(rules) {
                group.rule = told(rule, &seen.labels, &seen.callers);
            }
        }
        traffic.groups = self.names();
        Grouped { groups: self.groups, least_rows, labels_merged: labels, rows_merged }
    }

    /// Which groups go into `other`: labels with too few rows or beyond the largest [`MOST_TOLD`], and then the smallest of the
    /// rest until `other` itself has enough rows or there is none left.
    fn merged(&self, rows: &[u64], least_rows: u64) -> Vec<bool> {
        let is_label = |at: &usize| self.groups[*at].stands == Stands::WithEnoughRows;
        let mut labels: Vec<usize> = (0..self.groups.len()).filter(is_label).collect();
        labels.sort_by_key(|at| (rows[*at], std::cmp::Reverse(*at)));
        let beyond = labels.len().saturating_sub(MOST_TOLD);
        let mut merged = vec![false; self.groups.len()];
        let mut of_other = rows.get(usize::from(OTHER)).copied().unwrap_or(0);
        for (place, at) in labels.into_iter().enumerate() {
            let too_few = rows[at] < least_rows || place < beyond;
            if too_few || of_other > 0 && of_other < least_rows {
                merged[at] = true;
                of_other += rows[at];
            }
        }
        merged
    }

    fn of_pseudonym(&mut self, kind: &'static str, pseudonym: Option<Pseudonym>) -> u16 {
        let Some(pseudonym) = pseudonym else {
            return self.common(&format!("no {kind}"), &format!("no {kind}"));
        };
        if let Some(group) = self.pseudonyms.get(&pseudonym) {
            return *group;
        }
        let name = format!("{kind}-{pseudonym}");
        let rule = format!("{kind} = {name}");
        let Some(group) = self.add(GroupRule::new(name, rule, Stands::WithEnoughRows)) else {
            return self.hide(pseudonym.0);
        };
        self.pseudonyms.insert(pseudonym, group);
        group
    }

    fn of_text(&mut self, kind: &'static str, text: Option<&str>, name: fn(&str) -> Option<&str>) -> u16 {
        let Some(text) = text else { return self.common(&format!("no {kind}"), &format!("no {kind}")) };
        let Some(name) = name(text) else {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            return self.hide(hasher.finish());
        };
        if let Some(group) = self.names.get(name) {
            return *group;
        }
        let rule = format!("{kind} = {name}");
        let Some(group) = self.add(GroupRule::new(name.to_owned(), rule, Stands::WithEnoughRows)) else {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            return self.hide(hasher.finish());
        };
        self.names.insert(name.to_owned(), group);
        group
    }

    /// Puts a row into `other`, since its label can have no group of its own.
    fn hide(&mut self, label: u64) -> u16 {
        self.hidden_rows += 1;
        if self.hidden.len() < MOST_HIDDEN {
            self.hidden.insert(label);
        }
        OTHER
    }

    /// A new group; `None` where there are too many.
    fn add(&mut self, group: GroupRule) -> Option<u16> {
        let index = u16::try_from(self.groups.len()).ok().filter(|_| self.groups.len() < MOST_GROUPS)?;
        self.groups.push(group);
        Some(index)
    }

    /// The group of a name that is no person's.
    fn common(&mut self, name: &str, rule: &str) -> u16 {
        if let Some(at) = self.common.iter().find(|at| self.groups[usize::from(**at)].name == name) {
            return *at;
        }
        // It is of those that are few, so that there is always a place for it.
        self.groups.push(GroupRule::new(name.to_owned(), rule.to_owned(), Stands::Always));
        let at = u16::try_from(self.groups.len() - 1).unwrap_or(OTHER);
        self.common.push(at);
        at
    }
}

impl Grouping for Groups {
    fn group_of(&mut self, facets: &Facets<'_>) -> u16 {
        let facet = match &mut self.by {
            By::Card(rules) => {
                let taken = (1_u16..)
                    .zip(rules)
                    .find_map(|(group, (rule, seen))| takes(rule, seen, facets).then_some(group));
                return taken.unwrap_or(OTHER);
            }
            By::Facet(facet) => *facet,
        };
        match facet {
            Facet::Call if facets.call == Call::Other => self.common("other calls", "call = other"),
            Facet::Call => self.common(facets.call.as_str(), &format!("call = {}", facets.call.as_str())),
            Facet::Model => self.of_text("model", facets.model, model_name),
            Facet::Path => self.of_text("path", facets.path, known_path),
            Facet::Caller => self.of_pseudonym("caller", facets.caller_pseudonym),
            Facet::Label => self.of_pseudonym("label", facets.label_pseudonym),
            Facet::Stream => match facets.stream {
                Some(true) => self.common("streamed", "stream = true"),
                Some(false) => self.common("not streamed", "stream = false"),
                None => self.common("stream unknown", "nobody knows whether it was streamed"),
            },
        }
    }

    fn names(&self) -> Vec<String> {
        self.groups.iter().map(|group| group.name.clone()).collect()
    }
}

/// Whether a rule takes a request. What is not known of it is never what a rule asks for.
fn takes(rule: &Rule, seen: &mut Seen, facets: &Facets<'_>) -> bool {
    let is_one = |patterns: &Option<OneOrMany<Pattern>>, text: Option<&str>| {
        patterns.as_ref().is_none_or(|patterns| matching(patterns, text).is_some())
    };
    let within = |band: &Option<super::pattern::Band>, length: Option<u32>| {
        band.as_ref().is_none_or(|band| length.is_some_and(|length| band.lengths.contains(&length)))
    };
    let taken = rule.call.as_ref().is_none_or(|calls| calls.0.contains(&facets.call))
        && rule.stream.is_none_or(|stream| facets.stream == Some(stream))
        && within(&rule.input_tokens, facets.input_tokens)
        && within(&rule.output_tokens, facets.output_tokens)
        && is_one(&rule.model, facets.model)
        && is_one(&rule.path, facets.path)
        && is_one(&rule.label, facets.label)
        && is_one(&rule.caller, facets.caller);
    if taken {
        note(&mut seen.labels, rule.label.as_ref(), facets.label, facets.label_pseudonym);
        note(&mut seen.callers, rule.caller.as_ref(), facets.caller, facets.caller_pseudonym);
    }
    taken
}

fn matching(patterns: &OneOrMany<Pattern>, text: Option<&str>) -> Option<usize> {
    let text = text?;
    patterns.0.iter().position(|pattern| pattern.matches(text))
}

/// Remembers under which pseudonym a name of the card came up.
fn note(
    seen: &mut Vec<(usize, Pseudonym)>,
    patterns: Option<&OneOrMany<Pattern>>,
    text: Option<&str>,
    pseudonym: Option<Pseudonym>,
) {
    if let (Some(patterns), Some(pseudonym)) = (patterns, pseudonym)
        && let Some(at) = matching(patterns, text)
        && patterns.0[at].is_exact()
        && !seen.iter().any(|(other, _)| *other == at)
    {
        seen.push((at, pseudonym));
    }
}

#[cfg(test)]
mod tests;
