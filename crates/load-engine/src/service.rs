//! The service under test, as the engine reaches it.

use std::{sync::Arc, time::Duration};

use sse_client::{Clock, Connect, HttpVersion, Session, Target};
use workload_model::{Http, Timeouts};

/// The service under test: whom to send to, how to connect, and where it tells its health.
pub struct Service<C> {
    /// Whom to send to, and as whom.
    pub target: Arc<Target>,
    /// How to connect.
    pub connector: Arc<C>,
    /// Path that answers 200 while the service is ready; `None` where it offers none.
    pub health_path: Option<String>,
}

impl<C: Connect> Service<C> {
    /// A client of the service that shares connections with nobody, connecting within the plan's time whatever it asks.
    pub(crate) fn session(&self, clock: &Arc<dyn Clock>, plan: &Timeouts, http: Http) -> Session<C> {
        Session::new(Arc::clone(&self.target), Arc::clone(&self.connector), Arc::clone(clock))
            .connecting_within(seconds(plan.connect_s))
            .speaking(match http {
                Http::Auto => HttpVersion::Auto,
                Http::One => HttpVersion::Http1,
                Http::Two => HttpVersion::Http2,
            })
    }
}

impl<C> Clone for Service<C> {
    fn clone(&self) -> Self {
        let Self { target, connector, health_path } = self;
        Self {
            target: Arc::clone(target),
            connector: Arc::clone(connector),
            health_path: health_path.clone(),
        }
    }
}

/// The time-outs of a plan as the client takes them.
pub(crate) fn timeouts(plan: &Timeouts) -> sse_client::Timeouts {
    sse_client::Timeouts {
        connect: seconds(plan.connect_s),
        first_token: seconds(plan.first_token_s),
        stall: seconds(plan.stall_s),
        total: seconds(plan.total_s),
    }
}

/// A checked plan has times that a duration can hold; of any other, the longest there is stands for what it cannot.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_of_a_plan_makes_a_panic() {
        assert_eq!(seconds(1.5), Duration::from_millis(1500));
        for beyond in [1e20, f64::INFINITY, f64::NAN, -1.0] {
            assert_eq!(seconds(beyond), Duration::MAX, "{beyond}");
        }
    }

    #[test]
    fn the_defaults_of_plan_and_client_are_the_same() {
        assert_eq!(timeouts(&Timeouts::default()), sse_client::Timeouts::default());
        let (mut id, plan) = (String::new, workload_model::Client::default());
        let client = sse_client::SendOptions::new(&mut id);
        assert_eq!(plan.max_head_bytes, client.head_limit as u64);
        assert_eq!(plan.streams_per_connection as usize, sse_client::STREAMS_PER_CONNECTION);
        assert_eq!(plan.max_event_bytes, client.event_limit as u64);
        assert_eq!(plan.max_body_bytes, client.body_limit);
    }
}
