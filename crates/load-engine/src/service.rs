//! The service under test, as the engine reaches it.

use std::{sync::Arc, time::Duration};

use sse_client::{Clock, Connect, Session, Target};
use workload_model::Timeouts;

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
    /// A client of the service with a connection of its own.
    pub(crate) fn session(&self, clock: &Arc<dyn Clock>) -> Session<C> {
        Session::new(Arc::clone(&self.target), Arc::clone(&self.connector), Arc::clone(clock))
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
        connect: Duration::from_secs_f64(plan.connect_s),
        first_token: Duration::from_secs_f64(plan.first_token_s),
        stall: Duration::from_secs_f64(plan.stall_s),
        total: Duration::from_secs_f64(plan.total_s),
    }
}
