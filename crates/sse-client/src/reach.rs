//! How a session comes to a connection for its next request.

use std::sync::Arc;
use std::time::Duration;

use crate::connect::Connect;
#[cfg(feature = "http2")]
use crate::connect::ConnectError;
use crate::guard::Guard;
use crate::http_version::HttpVersion;
use crate::line::{Dead, Line, Opened, Opening};
use crate::session::{HeadFailure, Sending, Session};

/// A connection for one request.
pub(crate) struct Reached<C: Connect> {
    pub(crate) line: Line<C>,
    /// Whether it carried a request before, and may have died since.
    pub(crate) was_used: bool,
}

impl<C: Connect> Session<C> {
    /// Takes a connection that is there, or makes one; not `dead`, on which a request has just failed.
    pub(crate) async fn reach(
        &mut self,
        guard: &mut Guard<'_>,
        head_limit: usize,
        dead: Dead,
        sending: &mut Sending,
    ) -> Result<Reached<C>, HeadFailure> {
        if let Some(Line::Own(mut own)) = self.idle.take()
            && own.is_usable().await
        {
            return Ok(Reached { line: Line::Own(own), was_used: true });
        }
        #[cfg(feature = "http2")]
        if self.may_share() {
            return self.share(guard, head_limit, dead, sending).await;
        }
        #[cfg(not(feature = "http2"))]
        let _ = dead;
        self.open(guard, guard.connect_timeout(), head_limit, sending).await
    }

    /// Opens a connection. One that can be shared is put where others find it.
    async fn open(
        &mut self,
        guard: &mut Guard<'_>,
        within: Duration,
        head_limit: usize,
        sending: &mut Sending,
    ) -> Result<Reached<C>, HeadFailure> {
        let begun = self.clock.now_us();
        let http = match self.http {
            HttpVersion::Auto if self.connector.tls().is_none() => HttpVersion::Http1,
            #[cfg(feature = "http2")]
            HttpVersion::Auto if self.pool.is_http1() => HttpVersion::Http1,
            http => http,
        };
        let opening = Opening {
            connector: &*self.connector,
            host: self.target().endpoint().host(),
            clock: Arc::clone(&self.clock),
            within,
            gauge: self.open_connections.clone(),
            http,
            head_limit,
        };
        let opened = guard.unless_cancelled(opening.open()).await.map_err(HeadFailure::Stopped)?;
        let (opened, spoken) = opened.map_err(HeadFailure::Connect)?;
        sending.connect_us = Some(self.clock.now_us().saturating_sub(begun));
        let line = match opened {
            Opened::Own(own) => Line::Own(own),
            #[cfg(feature = "http2")]
            Opened::Shared(shared) => Line::Shared(self.pool.add(shared).ok_or_else(|| {
                let host = self.target().endpoint().host().to_owned();
                let reason = "it allows no request at a time".to_owned();
                HeadFailure::Connect(ConnectError::Http2 { host, reason })
            })?),
        };
        self.spoken = Some(spoken);
        Ok(Reached { line, was_used: false })
    }

    #[cfg(feature = "http2")]
    fn may_share(&self) -> bool {
        match self.http {
            HttpVersion::Http1 => false,
            HttpVersion::Http2 => true,
            HttpVersion::Auto => self.connector.tls().is_some() && !self.pool.is_http1(),
        }
    }

    /// Takes a place on a shared connection. One session at a time opens another, so that those who come together do
    /// not each open their own; the wait for it counts as connecting does.
    #[cfg(feature = "http2")]
    async fn share(
        &mut self,
        guard: &mut Guard<'_>,
        head_limit: usize,
        dead: Dead,
        sending: &mut Sending,
    ) -> Result<Reached<C>, HeadFailure> {
        let within = guard.connect_timeout();
        let deadline = crate::guard::later(tokio::time::Instant::now(), within);
        // The runtime looks at its sockets while this task yields; without, an end just come would go unseen.
        tokio::task::yield_now().await;
        if let Some(reached) = self.place(&dead) {
            return Ok(reached);
        }
        let pool = self.pool.clone();
        let turn = guard.unless_cancelled(tokio::time::timeout_at(deadline, pool.turn())).await;
        let seconds = within.as_secs_f64();
        let late = |_| HeadFailure::Connect(ConnectError::Timeout { seconds });
        let turn = turn.map_err(HeadFailure::Stopped)?.map_err(late)?;
        if let Some(reached) = self.place(&dead) {
            return Ok(reached);
        }
        if !self.may_share() {
            // Meanwhile the service chose HTTP/1.1: everybody connects on their own again.
            drop(turn);
            let left = deadline.saturating_duration_since(tokio::time::Instant::now());
            return self.open(guard, left, head_limit, sending).await;
        }
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let reached = self.open(guard, left, head_limit, sending).await?;
        if matches!(reached.line, Line::Own(_)) {
            pool.chose_http1();
        }
        Ok(reached)
    }

    #[cfg(feature = "http2")]
    fn place(&mut self, dead: &Dead) -> Option<Reached<C>> {
        let place = self.pool.place(dead.shared())?;
        self.spoken = Some(place.shared().spoken().clone());
        let was_used = place.was_used;
        Some(Reached { line: Line::Shared(place), was_used })
    }
}
