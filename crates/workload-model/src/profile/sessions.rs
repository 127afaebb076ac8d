//! How conversations go on.

use std::collections::BTreeMap;

use metrics_core::Micros;

use super::{
    Binning, Sessions,
    instants::between,
    quantiles::{self, listed},
    segments::row,
};
use crate::traffic::{PackedMicros, Traffic};

/// Conversations of this many turns and of more are counted together.
const MANY_TURNS: u32 = 20;

/// Conversations of one group. In each stretch of the log they are those of that stretch alone, since an id may stand for
/// another conversation after a clock began anew.
///
/// The places of the rows are put into another order, and are no more in that of their arrivals.
pub(crate) fn of(traffic: &Traffic, pieces: &mut [&mut [u32]], binning: Binning) -> Sessions {
    let session = |at: &u32| row(traffic, *at).session();
    for piece in pieces.iter_mut() {
        if piece.iter().any(|at| session(at).is_some()) {
            piece.sort_by_key(session);
        }
    }
    let conversations = || {
        let pieces =
            pieces.iter().flat_map(|piece| piece.chunk_by(|one, other| session(one) == session(other)));
        pieces.filter(|rows| session(&rows[0]).is_some())
    };
    let mut turns = BTreeMap::new();
    let (mut rows, mut sessions) = (0, 0);
    for conversation in conversations() {
        rows += conversation.len() as u64;
        sessions += 1;
        let length = u32::try_from(conversation.len()).unwrap_or(u32::MAX);
        *turns.entry(length.min(MANY_TURNS)).or_default() += 1;
    }
    let pairs = || conversations().flat_map(|rows| rows.windows(2)).map(|pair| (pair[0], pair[1]));
    let gap = |(one, next): (u32, u32)| {
        let arrival = |at| binning.arrival_ns(row(traffic, at));
        Micros(between(arrival(one), arrival(next)) / 1000)
    };
    // Rounded arrivals tell nothing of what lies between the end of an answer and the next request.
    let waits = || {
        pairs().filter(|_| binning.seconds == 0).filter_map(|pair| {
            let duration = row(traffic, pair.0).duration()?;
            Some((gap(pair), duration))
        })
    };
    let thought =
        waits().filter(|(gap, duration)| gap >= duration).map(|(gap, duration)| gap.since(duration));
    Sessions {
        rows,
        sessions,
        turns,
        overlapping: waits().filter(|(gap, duration)| gap < duration).count() as u64,
        think_time_s: quantiles::of_durations(listed(thought.map(PackedMicros::new))),
        between_s: quantiles::of_durations(listed(pairs().map(gap).map(PackedMicros::new))),
    }
}
