//! Watches the service beside the load: is it ready, and is it still the same process?

use std::{convert::Infallible, sync::Arc, time::Duration};

use metrics_core::Happening;
use sse_client::{Connect, ConnectError, PlainError};
use tokio::time::MissedTickBehavior;

use crate::{request_id::request_id, run::Shared, service::seconds, sink::EvidenceLost};

/// How long it may take to answer. Under load it may well take longer, and that is no sign of being unready.
const WITHIN: Duration = Duration::from_secs(5);

/// Path of the service's metrics, where it has any.
pub(crate) const METRICS: &str = "/metrics";

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
pub(crate) async fn tell_start_time<C: Connect>(shared: &Arc<Shared<C>>) -> Result<(), EvidenceLost> {
    let path = shared.service.target.endpoint().root_path(METRICS);
    let mut session = shared.session();
    let Ok(answer) = session.get(&path, &request_id(), WITHIN).await else { return Ok(()) };
    if !answer.is_success() {
        return Ok(());
    }
    match start_time(&String::from_utf8_lossy(&answer.body)) {
        Some(seconds) => shared.happened(Happening::ServiceStartTime { seconds }).await,
        None => Ok(()),
    }
}

/// `process_start_time_seconds` of a Prometheus text. Labels, if any, are passed over.
fn start_time(metrics: &str) -> Option<f64> {
    const NAME: &str = "process_start_time_seconds";
    metrics.lines().find_map(|line| {
        let rest = line.strip_prefix(NAME)?;
        let value =
            rest.strip_prefix('{').map_or(rest, |labels| labels.rsplit('}').next().unwrap_or_default());
        value.split_whitespace().next()?.parse::<f64>().ok().filter(|seconds| seconds.is_finite())
    })
}

#[cfg(test)]
mod tests {
    use super::start_time;

    #[test]
    fn reads_the_start_time_with_and_without_labels() {
        let text = "# HELP process_start_time_seconds Start time\n# TYPE process_start_time_seconds gauge\n\
                    process_start_time_seconds 1.79606e+09\n";
        assert_eq!(start_time(text), Some(1.79606e9));
        assert_eq!(start_time("process_start_time_seconds{pid=\"7\"} 12.5 1790000000000\n"), Some(12.5));
        assert_eq!(start_time("process_start_time_seconds NaN\n"), None);
        assert_eq!(start_time("other_process_start_time_seconds 3\n"), None);
    }
}
