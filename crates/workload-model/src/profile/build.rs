//! From traffic to its profile.

use std::collections::BTreeMap;

use metrics_core::six_decimals;

use super::{
    Binning, Card, CardFault, Deidentification, GroupRule, Grouped, Origin, PROFILE_FORMAT, Period, Profile,
    ProfileGroup, STEP_NS, Segment, Segments, SegmentsError, Source, Streaming,
    arrivals::{self, Clock},
    assumed,
    bins::BINS_PER_OCTAVE,
    bursts::seconds,
    instants::{RowInstants, Span},
    lengths,
    quantiles::{self, listed},
    rates,
    segments::row,
    sessions, timestamp,
};
use crate::traffic::{Row, RowFacts, StampSource, Traffic};

/// What a profile says that does not follow from the rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileFacts {
    /// Name and version of the tool.
    pub made_by: String,
    /// What the profile is called where the card does not say it.
    pub name: String,
    /// What the operator wrote.
    pub card: Card,
    /// The groups, as [`Groups::settle`](super::Groups::settle) gives them.
    pub grouped: Grouped,
    /// Name of the log's format.
    pub log_format: String,
    /// SHA-256 of each file, in the order in which they were read.
    pub files_sha256: Vec<String>,
    /// The window that was asked for, as it was asked for.
    pub window: Option<String>,
    /// How much the zone of days and hours is before UTC, in seconds.
    pub zone_s: i32,
    /// The secret behind the pseudonyms is kept.
    pub key_kept: bool,
    /// How lengths and arrivals are rounded.
    pub binning: Binning,
    /// The largest backward step of the log's clock that is no jump ([`Segments::find`]).
    pub step_ns: u64,
}

/// No profile can be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no row.
    #[error(
        "make a profile of no row: {read} were read and none was kept (look at the reasons for which they were dropped)"
    )]
    NothingKept {
        /// Rows that were read.
        read: u64,
    },
    /// The card assumes what cannot be beside a log.
    #[error(transparent)]
    Card(#[from] CardFault),
    /// The rows are in no order.
    #[error(transparent)]
    Order(#[from] SegmentsError),
}

impl ProfileFacts {
    /// Facts of a log of this format, all else as where nobody says anything.
    #[must_use]
    pub fn new(grouped: Grouped, log_format: impl Into<String>) -> Self {
        Self {
            made_by: concat!("workload-model ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: "profile".to_owned(),
            card: Card::default(),
            grouped,
            log_format: log_format.into(),
            files_sha256: Vec::new(),
            window: None,
            zone_s: 0,
            key_kept: false,
            binning: Binning::default(),
            step_ns: STEP_NS,
        }
    }
}

/// The profile of a traffic. The same traffic and facts give the same profile.
///
/// Beside the traffic it takes 8 bytes a row, so that with its 56 bytes a row no more than 64 are held.
///
/// # Errors
/// Where there is no row, or where a file is in no order of time.
pub fn build(traffic: &Traffic, facts: &ProfileFacts) -> Result<Profile, BuildError> {
    assumed::check_shares(&facts.card.assumed, false)?;
    if traffic.kept() == 0 {
        return Err(BuildError::NothingKept { read: traffic.read() });
    }
    let mut segments = Segments::find(traffic, facts.step_ns)?;
    let all = View { traffic, binning: facts.binning };
    let spans: Vec<Span> = (0..segments.len()).map(|segment| all.span(segments.rows(segment))).collect();
    let sources = all.sources();
    let relative = sources.iter().any(|(source, _)| source.relative);
    let resolution_ns = sources.iter().map(|(source, _)| source.resolution_ns).max().unwrap_or(0);
    let longest_ns = spans.iter().map(|span| span.length_ns()).max().unwrap_or(0);
    let clock = Clock {
        bin_s: rates::bin_width_s(longest_ns, facts.binning.seconds, resolution_ns),
        zone_s: (!relative).then_some(facts.zone_s),
        rounded_to_s: facts.binning.seconds,
        resolution_ns,
    };
    let pieces: Vec<_> = (0..segments.len()).map(|segment| all.instants(segments.rows(segment))).collect();
    let arrivals = arrivals::of(&paired(&pieces, &spans), clock);
    let source = source(all, facts, &segments, &spans, &sources);
    let mut groups = all.groups(facts, &mut segments, &spans, clock);
    groups.extend(facts.card.assumed_groups(&arrivals));
    Ok(Profile {
        format: PROFILE_FORMAT,
        made_by: facts.made_by.clone(),
        name: facts.card.name.clone().unwrap_or_else(|| facts.name.clone()),
        source,
        deidentification: Deidentification {
            key_kept: facts.key_kept,
            token_bin: facts.binning.tokens,
            time_bin_s: metrics_core::Seconds::whole(facts.binning.seconds),
            least_rows: facts.grouped.least_rows,
            labels_merged: facts.grouped.labels_merged,
            rows_merged: facts.grouped.rows_merged,
        },
        groups,
        arrivals,
        not_covered: facts.card.not_covered.clone(),
        assumptions: facts.card.assumptions.clone(),
    })
}

fn paired<'a>(pieces: &[RowInstants<'a>], spans: &[Span]) -> Vec<(RowInstants<'a>, Span)> {
    pieces.iter().copied().zip(spans.iter().copied()).collect()
}

fn source(
    all: View<'_>,
    facts: &ProfileFacts,
    segments: &Segments,
    spans: &[Span],
    sources: &[(&StampSource, u64)],
) -> Source {
    let traffic = all.traffic;
    let first_ns = spans.iter().map(|span| span.first_ns).min().unwrap_or(0);
    let last_ns = spans.iter().map(|span| span.last_ns).max().unwrap_or(0);
    let mut arrivals_from = BTreeMap::new();
    for (source, rows) in sources {
        *arrivals_from.entry(source.words.clone()).or_default() += rows;
    }
    Source {
        origin: facts.card.origin,
        description: facts.card.description.clone(),
        traffic_share: facts.card.traffic_share,
        log_format: facts.log_format.clone(),
        files_sha256: facts.files_sha256.clone(),
        period: Period {
            from: timestamp(first_ns),
            until: timestamp(last_ns),
            window: facts.window.clone(),
            zone: zone(facts.zone_s),
        },
        rows_read: traffic.read(),
        kept: traffic.kept(),
        dropped: traffic.dropped.iter().map(|(reason, rows)| (reason.as_str().to_owned(), *rows)).collect(),
        notes: traffic.notes.iter().map(|(note, rows)| (note.as_str().to_owned(), *rows)).collect(),
        arrivals_from,
        relative_time: sources.iter().any(|(source, _)| source.relative),
        segments: (0..segments.len())
            .zip(spans)
            .map(|(segment, span)| Segment {
                from: timestamp(span.first_ns),
                duration_s: seconds(span.length_ns()),
                rows: segments.rows(segment).len() as u64,
            })
            .collect(),
    }
}

/// `+08:00`
fn zone(zone_s: i32) -> String {
    let sign = if zone_s < 0 { '-' } else { '+' };
    let minutes = zone_s.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Rows as they are counted: rounded where that was asked for.
#[derive(Clone, Copy)]
struct View<'a> {
    traffic: &'a Traffic,
    binning: Binning,
}

impl<'a> View<'a> {
    /// From the first of these rows to the last; there is one at least.
    fn span(self, rows: &[u32]) -> Span {
        let at = |at: Option<&u32>| at.map_or(0, |at| self.binning.arrival_ns(row(self.traffic, *at)));
        // The last bin is a part of it.
        let bin_ns = i64::from(self.binning.seconds) * 1_000_000_000;
        Span { first_ns: at(rows.first()), last_ns: at(rows.last()).saturating_add(bin_ns) }
    }

    /// How arrivals were found out, of how many rows.
    fn sources(self) -> Vec<(&'a StampSource, u64)> {
        let mut rows = vec![0_u64; usize::from(u8::MAX) + 1];
        self.traffic.rows().for_each(|row| rows[usize::from(row.source())] += 1);
        self.traffic.sources.iter().zip(rows).filter(|(_, rows)| *rows > 0).collect()
    }

    fn instants(self, rows: &'a [u32]) -> RowInstants<'a> {
        RowInstants { traffic: self.traffic, rows, binning: self.binning }
    }

    fn groups(
        self,
        facts: &ProfileFacts,
        segments: &mut Segments,
        spans: &[Span],
        clock: Clock,
    ) -> Vec<ProfileGroup> {
        let group = |at: &u32| row(self.traffic, *at).group();
        let bounds: Vec<(usize, usize)> = (0..spans.len())
            .map(|segment| {
                (segment.checked_sub(1).map_or(0, |before| segments.ends[before]), segments.ends[segment])
            })
            .collect();
        for (begin, end) in &bounds {
            let rows = &mut segments.order[*begin..*end];
            if !rows.is_sorted_by_key(group) {
                rows.sort_by_key(group);
            }
        }
        let mut counted = vec![0_u64; usize::from(u16::MAX) + 1];
        self.traffic.rows().for_each(|row| counted[usize::from(row.group())] += 1);
        let unknown = GroupRule::other();
        let mut groups = Vec::new();
        for (index, rows) in (0_u16..=u16::MAX).zip(counted) {
            let rule = facts.grouped.groups.get(usize::from(index));
            if rows == 0 && !rule.is_some_and(|rule| rule.by_operator) {
                continue;
            }
            let pieces: Vec<(usize, usize)> = bounds
                .iter()
                .map(|(begin, end)| {
                    let rows = &segments.order[*begin..*end];
                    let of = |index: u16| begin + rows.partition_point(|at| group(at) < index);
                    (of(index), index.checked_add(1).map_or(*end, of))
                })
                .collect();
            groups.push(self.group(
                facts,
                rule.unwrap_or(&unknown),
                &mut segments.order,
                &pieces,
                spans,
                clock,
            ));
        }
        groups.sort_by_key(|group| std::cmp::Reverse(group.rows));
        groups
    }

    fn group(
        self,
        facts: &ProfileFacts,
        rule: &GroupRule,
        order: &mut [u32],
        pieces: &[(usize, usize)],
        spans: &[Span],
        clock: Clock,
    ) -> ProfileGroup {
        let rows = || {
            let places = pieces.iter().flat_map(|(begin, end)| order[*begin..*end].iter());
            places.map(|at| row(self.traffic, *at))
        };
        let (mut calls, mut ends) = (BTreeMap::new(), BTreeMap::new());
        let (mut streaming, mut count) = (Streaming::default(), 0_u64);
        for RowFacts { call, ending, stream, .. } in rows().map(|row| row.facts()) {
            count += 1;
            *calls.entry(call).or_default() += 1;
            *ends.entry(ending).or_default() += 1;
            *match stream {
                Some(true) => &mut streaming.yes,
                Some(false) => &mut streaming.no,
                None => &mut streaming.unknown,
            } += 1;
        }
        let instants: Vec<_> =
            pieces.iter().map(|(begin, end)| self.instants(&order[*begin..*end])).collect();
        let arrivals = arrivals::of(&paired(&instants, spans), clock);
        let lengths = lengths::of(&rows().map(|row| self.binning.facts(row)), BINS_PER_OCTAVE);
        let ttft_s = quantiles::of_durations(listed(rows().filter_map(Row::packed_ttft)));
        let duration_s = quantiles::of_durations(listed(rows().filter_map(Row::packed_duration)));
        let sessions = sessions::of(self.traffic, &mut slices(order, pieces), self.binning);
        ProfileGroup {
            name: rule.name.clone(),
            rule: rule.rule.clone(),
            origin: if count == 0 { Origin::Assumed } else { facts.card.origin },
            rows: count,
            share: share(count, self.traffic.kept()),
            calls,
            streaming,
            ends: ends
                .into_iter()
                .map(|(ending, rows): (crate::traffic::Ending, u64)| (ending.as_str().to_owned(), rows))
                .collect(),
            lengths,
            arrivals,
            sessions,
            ttft_s,
            duration_s,
            assumed: None,
            languages: rule.languages.clone(),
            terms: rule.terms.clone(),
        }
    }
}

/// Pieces of a list, in its order.
fn slices<'a>(mut rest: &'a mut [u32], pieces: &[(usize, usize)]) -> Vec<&'a mut [u32]> {
    let mut passed = 0;
    let mut slices = Vec::with_capacity(pieces.len());
    for (begin, end) in pieces {
        let (_, behind) = rest.split_at_mut(begin - passed);
        let (piece, behind) = behind.split_at_mut(end - begin);
        slices.push(piece);
        (rest, passed) = (behind, *end);
    }
    slices
}

/// A share that is 0 or 1 only where none or all are meant.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    match part {
        0 => 0.0,
        part if part == whole => 1.0,
        part => six_decimals(part as f64 / whole as f64).clamp(0.000_001, 0.999_999),
    }
}
