//! Watches the service beside the load: is it ready, and is it still the same process?

use std::{convert::Infallible, time::Duration};

use metrics_core::Happening;
use sse_client::{Connect, ConnectError, PlainError};
use tokio::time::MissedTickBehavior;

use crate::{
    prometheus::{Entry, Exposition, Format},
    request_id::request_id,
    run::Shared,
    service::seconds,
    sink::EvidenceLost,
};

/// How long it may take to answer. Under load it may well take longer, and that is no sign of being unready.
pub(crate) const WITHIN: Duration = Duration::from_secs(5);

/// How long it may take while the load goes on.
pub(crate) const QUICKLY: Duration = Duration::from_secs(1);

/// Path of the service's metrics, where it has any.
pub(crate) const METRICS: &str = "/metrics";

const START_TIME: &str = "process_start_time_seconds";

/// Asks as often as the plan says for as long as it is polled; never, where the service offers no way to.
pub(crate) async fn watch<C: Connect>(shared: &Shared<C>) -> Infallible {
    let Some(path) = &shared.service.health_path else { return std::future::pending().await };
    let mut session = shared.session();
    let every = seconds(shared.plan.client.health_every_s).max(Duration::from_millis(1));
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let answer = session.get(path, &request_id(), WITHIN).await;
        let refused = matches!(answer, Err(PlainError::Connect(ConnectError::Refused { .. })));
        let status = answer.as_ref().ok().map(|answer| answer.status);
        let ready = answer.is_ok_and(|answer| answer.is_success());
        let told = shared.happened(Happening::Health { ready, refused, status, path: path.clone() }).await;
        if told.is_err() {
            // The run ends by this very loss.
            return std::future::pending().await;
        }
    }
}

/// Keeps the service's own start time, where its metrics tell it: a restart between two of these shows.
pub(crate) async fn tell_start_time<C: Connect>(
    shared: &Shared<C>,
    within: Duration,
) -> Result<(), EvidenceLost> {
    let path = shared.service.target.endpoint().root_path(METRICS);
    let mut session = shared.session();
    let id = request_id();
    // The session bounds connecting and answering each; this bounds both together.
    let answer = tokio::time::timeout(within, session.get(&path, &id, within)).await;
    let Ok(Ok(answer)) = answer else { return Ok(()) };
    if !answer.is_success() {
        return Ok(());
    }
    let format = Format::of(answer.header("content-type").unwrap_or_default());
    match start_time(&answer.body, format) {
        Some(seconds) => shared.happened(Happening::ServiceStartTime { seconds }).await,
        None => Ok(()),
    }
}

/// `process_start_time_seconds` of a page of metrics, under whatever labels.
fn start_time(page: &[u8], format: Format) -> Option<f64> {
    let mut samples = Exposition::new(page, format).filter_map(Entry::into_sample);
    let told = samples.find(|sample| sample.name == START_TIME && sample.value.is_finite());
    told.map(|sample| sample.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_start_time_with_and_without_labels() {
        for (page, expected) in [
            (
                "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.79606e+09\n",
                Some(1.79606e9),
            ),
            ("process_start_time_seconds{pid=\"7}\"} 12.5 1790000000000\n", Some(12.5)),
            ("process_start_time_seconds\nprocess_start_time_seconds 3", Some(3.0)),
            ("process_start_time_seconds NaN\n", None),
            ("other_process_start_time_seconds 3\n", None),
            ("", None),
        ] {
            assert_eq!(start_time(page.as_bytes(), Format::Text), expected, "{page}");
        }
    }
}
