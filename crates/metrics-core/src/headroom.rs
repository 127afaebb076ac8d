//! How far the generator's ceiling lies above what a tier asked of it.

use crate::{
    calibration::{Calibration, StreamsLimit},
    generator::Part,
    population::Settled,
    quantity::{Seconds, six_decimals},
    summary::{ClientLimit, Headroom, HeadroomOf, LimitHit},
};

/// Below this many times the load the generator may have been the bottleneck: its figures are no evidence.
pub const LEAST_HEADROOM: f64 = 2.0;
/// Below this many times the load a reader is warned.
pub const COMFORTABLE_HEADROOM: f64 = 5.0;

/// The headroom of a part in which something was sent: ceiling / load, of each kind.
///
/// Open files and ports are counts: nothing gets slower before the last of them is taken, and whether there are enough is
/// asked before a run. Their ratio is shown and is never the least.
pub(crate) fn headroom(part: &Part<'_, '_>, calibration: &Calibration) -> Headroom {
    let ceiling = &calibration.ceiling;
    let window = part.figures.window_s.map(Seconds::get).filter(|window| *window > 0.0);
    // Every try was work for the generator, not only the last.
    let sum = |of: fn(&Settled<'_>) -> u64| part.selection.requests().map(of).sum::<u64>();
    let token_events = sum(|request| request.token_events_of_tries);
    let over = |ceiling: Option<f64>, load: Option<f64>| {
        let (ceiling, load) = (ceiling?, load.filter(|load| *load > 0.0)?);
        Some(six_decimals(ceiling / load)).filter(|ratio| ratio.is_finite())
    };
    let per_second = |number: u64| window.map(|window| number as f64 / window);
    let streams = over(ceiling.streams.map(|streams| streams as f64), part.tier.map(f64::from));
    let events = over(ceiling.events_per_s, per_second(token_events));
    let requests = over(ceiling.requests_per_s, per_second(sum(|request| request.sends)));
    let counted = matches!(ceiling.streams_limited_by, Some(StreamsLimit::Descriptors | StreamsLimit::Ports));
    let gradual = [
        (HeadroomOf::Streams, streams.filter(|_| !counted)),
        (HeadroomOf::Events, events),
        (HeadroomOf::Requests, requests),
    ];
    let least = gradual
        .into_iter()
        .filter_map(|(of, ratio)| Some((of, ratio?)))
        .min_by(|one, other| one.1.total_cmp(&other.1));
    let unknown = [
        (HeadroomOf::Streams, ceiling.streams.is_none() && part.tier.is_some()),
        (HeadroomOf::Events, ceiling.events_per_s.is_none() && token_events > 0),
        (HeadroomOf::Requests, ceiling.requests_per_s.is_none()),
    ];
    Headroom {
        tier: part.tier,
        streams,
        events,
        requests,
        least: least.map(|(_, ratio)| ratio),
        limited_by: least.map(|(of, _)| of),
        unknown: unknown.into_iter().filter_map(|(of, unknown)| unknown.then_some(of)).collect(),
    }
}

/// Where the load came so near to the ceiling that the generator cannot be excluded as the bottleneck.
pub(crate) fn too_little(headroom: &Headroom) -> Option<LimitHit> {
    let observed = headroom.least.filter(|least| *least < LEAST_HEADROOM)?;
    Some(LimitHit {
        limit: ClientLimit::Headroom,
        tier: headroom.tier,
        observed,
        allowed: LEAST_HEADROOM,
        inter_event_only: false,
    })
}
