//! Rates: what came out of a tier in a second.

use crate::{
    population::Selection,
    quantity::{Micros, six_decimals},
    record::Facts,
};

/// First due to last end of what was sent, each stage and tier by itself and added up, so that pauses between
/// them do not count. `None` where nothing that was sent has ended.
pub(crate) fn window(selection: &Selection<'_, '_>) -> Option<Micros> {
    let spans: Vec<u64> = selection
        .by_stage_and_tier()
        .iter()
        .filter_map(|part| {
            let sent = || part.requests().filter(|request| request.was_sent());
            let first = sent().map(|request| request.facts.due).min()?;
            let last = sent().filter_map(|request| request.facts.end).max()?;
            Some(last.since(first).0)
        })
        .collect();
    (!spans.is_empty()).then(|| Micros(spans.iter().sum()))
}

/// The windows of the stages and tiers in which a part was served, since others were served in them as well: the rates of
/// the parts of a tier add up to that of the tier. `None` where nothing of the part that was sent has ended.
pub(crate) fn window_around(part: &Selection<'_, '_>, whole: &Selection<'_, '_>) -> Option<Micros> {
    let served = part.by_stage_and_tier().into_iter().filter(|place| window(place).is_some());
    let windows: Vec<u64> = served.filter_map(|place| Some(window(&place.around(whole))?.0)).collect();
    (!windows.is_empty()).then(|| Micros(windows.iter().sum()))
}

/// A number per second of a window; `None` where the window is empty.
pub(crate) fn per_second(number: u64, window: Option<Micros>) -> Option<f64> {
    let window = window.filter(|window| window.0 > 0)?;
    Some(six_decimals(number as f64 / window.as_secs_f64()))
}

/// The sum of a count over effective requests; `None` where one of them lacks it, or where there are none.
pub(crate) fn sum_over_effective(
    selection: &Selection<'_, '_>,
    count: impl Fn(&Facts) -> Option<u64>,
) -> Option<u64> {
    let counts: Option<Vec<u64>> = selection.effective().map(count).collect();
    counts.filter(|counts| !counts.is_empty()).map(|counts| counts.iter().sum())
}

/// Why a tier or group has no sustained output rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SustainedAbsent {
    /// Requests were sent by a timetable, or the figures span several tiers.
    NotOneClosedLoopTier,
    /// They are of one group or turn of a tier, which others filled with it.
    PartOfATier,
    /// The tier ran in more than one stage.
    SeveralStages,
    /// Requests were turns of conversations, between which a slot is idle.
    Conversations,
    /// The plan has pauses between an answer and the next request of its slot.
    Pauses,
    /// Requests were tried again: between two tries a slot is idle.
    TriedAgain,
    /// Fewer requests were sent than the tier has slots.
    NeverFull,
    /// No request was effective.
    NothingEffective,
    /// An effective request lacks a token count or the instants of its tokens.
    NoTokenInstants,
}

impl SustainedAbsent {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::NotOneClosedLoopTier,
        Self::PartOfATier,
        Self::SeveralStages,
        Self::Conversations,
        Self::Pauses,
        Self::TriedAgain,
        Self::NeverFull,
        Self::NothingEffective,
        Self::NoTokenInstants,
    ];

    /// The words of [`Figures::sustained_absent`](crate::Figures::sustained_absent). They never change, so
    /// that documents in other languages can go by them.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotOneClosedLoopTier => "not one closed-loop tier",
            Self::PartOfATier => "part of a tier",
            Self::SeveralStages => "the tier ran in several stages",
            Self::Conversations => "slots were idle between turns of conversations",
            Self::Pauses => "slots paused between requests",
            Self::TriedAgain => "requests were tried again",
            Self::NeverFull => "the tier was never full",
            Self::NothingEffective => "no request was effective",
            Self::NoTokenInstants => "token counts or instants are missing",
        }
    }
}

/// Output tokens a second while all slots of a closed-loop tier were taken: between the C-th smallest `sent`
/// and the first `end` after the last `due`, both included. A token-bearing event counts output tokens /
/// token events of its request.
///
/// A slot that is idle in between is none that was taken: there is no such time where requests were turns of conversations or
/// were tried again, or where the plan has pauses.
pub(crate) fn sustained(selection: &Selection<'_, '_>, slots: u32) -> Result<f64, SustainedAbsent> {
    if selection.by_stage_and_tier().len() > 1 {
        return Err(SustainedAbsent::SeveralStages);
    }
    if let Some(idle) = idle(selection) {
        return Err(idle);
    }
    let (from, until) = full(selection, slots).ok_or(SustainedAbsent::NeverFull)?;
    let mut tokens = 0.0;
    let mut requests = 0_u64;
    for facts in selection.effective() {
        tokens += tokens_within(facts, from, until).ok_or(SustainedAbsent::NoTokenInstants)?;
        requests += 1;
    }
    if requests == 0 {
        return Err(SustainedAbsent::NothingEffective);
    }
    Ok(six_decimals(tokens / until.since(from).as_secs_f64()))
}

/// Why slots were not taken all the time between the first request and the last.
fn idle(selection: &Selection<'_, '_>) -> Option<SustainedAbsent> {
    if selection.cells().any(|cell| cell.turn.is_some()) {
        Some(SustainedAbsent::Conversations)
    } else if selection.cells().any(|cell| cell.pauses) {
        Some(SustainedAbsent::Pauses)
    } else if selection.requests().any(|request| request.tries > 1) {
        Some(SustainedAbsent::TriedAgain)
    } else {
        None
    }
}

/// From when until when every slot was taken; `None` where that was at no time.
fn full(selection: &Selection<'_, '_>, slots: u32) -> Option<(Micros, Micros)> {
    let mut sent: Vec<Micros> = selection.requests().filter_map(|request| request.facts.sent).collect();
    sent.sort_unstable();
    let from = *sent.get(usize::try_from(slots.checked_sub(1)?).ok()?)?;
    let begun = || selection.requests().filter(|request| request.was_sent());
    let last_due = begun().map(|request| request.facts.due).max()?;
    let until = begun().filter_map(|request| request.facts.end).filter(|end| *end > last_due).min()?;
    (until > from).then_some((from, until))
}

/// `None` where the row does not tell when its tokens came.
fn tokens_within(facts: &Facts, from: Micros, until: Micros) -> Option<f64> {
    let tokens = facts.output_tokens?.0;
    let (mut all, mut within) = (0_u64, 0_u64);
    for (at, events) in facts.token_reads() {
        all += u64::from(events);
        if (from..=until).contains(&at) {
            within += u64::from(events);
        }
    }
    (all > 0 && all == facts.token_events).then(|| tokens as f64 * within as f64 / all as f64)
}
