//! One planned request from when it is due to its end, all its tries included.

use std::{collections::BTreeMap, mem, sync::Arc, time::Duration};

use bytes::Bytes;
use metrics_core::{Ended, Facts, Fault, FaultKind, Micros, Outcome, Record, SuccessRule, classify};
use sse_client::{Connect, Exchange, SendOptions, Session};
use workload_model::{Plan, Recording, Slot};

use crate::{
    facts::{facts_of, failure_body},
    request_id::request_id,
    run::Shared,
    service::{seconds, timeouts},
    sessions::Sessions,
    sink::{EvidenceLost, RunEvent},
    stop::StopCause,
    timer::Timer,
    turns::Turns,
};

/// The longest wait for which a service's `Retry-After` is heeded.
const LONGEST_ADVICE: Duration = Duration::from_secs(60);

/// What the requests of one place in a closed loop, or of one thread in an open one, are sent with.
pub(crate) struct Lane<C: Connect> {
    pub(crate) shared: Arc<Shared<C>>,
    pub(crate) turns: Arc<Turns>,
    pub(crate) timer: Arc<Timer>,
    pub(crate) sessions: Sessions<C>,
    pub(crate) recording: Recording,
}

/// A planned request that is over.
pub(crate) struct Over {
    /// When.
    pub(crate) end: u64,
    /// Its answer, where one was asked to be kept and came whole.
    pub(crate) answer: Option<String>,
}

/// How often requests of a group are tried again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Retries {
    times: u32,
    wait: Duration,
}

impl Retries {
    /// Those of every group, by name.
    pub(crate) fn of(plan: &Plan) -> BTreeMap<String, Self> {
        let of =
            |group: &workload_model::Group| Self { times: group.retries, wait: seconds(group.retry_wait_s) };
        plan.group.iter().map(|group| (group.name.clone(), of(group))).collect()
    }
}

impl<C: Connect> Lane<C> {
    pub(crate) fn now(&self) -> u64 {
        self.shared.clock.now_us()
    }

    /// Waits until `due`. False where the run is stopped before.
    pub(crate) async fn reached(&self, due: u64) -> bool {
        if self.shared.stop.cause().is_some() {
            return false;
        }
        if self.now() >= due {
            return true;
        }
        let halted = self.shared.stop.halted();
        tokio::select! {
            biased;
            () = halted.cancelled() => false,
            () = self.timer.until(due) => true,
        }
    }

    /// Sends a planned request when it is due, and again as often as its group has it; settles every try. Where `keep` says
    /// so, the answer is kept for the next turn, and recorded for it.
    pub(crate) async fn request(
        &self,
        slot: &Slot,
        body: &Bytes,
        mut due: u64,
        keep: bool,
    ) -> Result<Over, EvidenceLost> {
        let shared = &*self.shared;
        let retries = shared.retries.get(&*slot.group).copied().unwrap_or_default();
        let recording = if keep { Recording::Full } else { self.recording };
        let mut before: Option<u64> = None;
        let mut attempt = 0;
        loop {
            let session = match self.reached(due).await && shared.stop.begin() {
                true => self.sessions.take(shared),
                false => None,
            };
            let Some(mut session) = session else {
                if shared.stop.cause().is_none() {
                    shared.stop.now(StopCause::NoRoom);
                }
                if let Some(end) = before {
                    // The try before was the last one after all.
                    shared.stop.failed();
                    return Ok(Over { end, answer: None });
                }
                return self.never_sent(slot, due, None).await;
            };
            let mut exchange = exchange(shared, &mut session, body, recording).await;
            self.sessions.put(session);
            // The place is free when the answer has ended. What is read away after it, so that the connection can
            // serve again, is part of what the next request waits for.
            let end = exchange.end.unwrap_or_else(|| self.now());
            let mut facts = facts_of(&mut exchange, Micros(due), shared.asked(slot), recording);
            if facts.ended == Ended::Cancelled && facts.error.is_none() {
                facts.error = shared.stop.cause().map(fault_of);
            }
            let outcome = shared.outcome(slot, &facts);
            let again = attempt < retries.times && outcome.may_be_retried(facts.status);
            shared.stop.received(&facts);
            if outcome != Outcome::Effective && !again {
                shared.stop.failed();
            }
            let answer = (keep && is_answer(&facts)).then(|| mem::take(&mut exchange.text));
            let answer = answer.filter(|text| !text.is_empty());
            let body = failure_body(&exchange, outcome);
            let record = Box::new(record_of(slot, attempt, facts));
            shared.tell(RunEvent::Settled { record, body }).await?;
            if !again {
                return Ok(Over { end, answer });
            }
            let advice = Duration::from_secs(exchange.retry_after_s.unwrap_or(0)).min(LONGEST_ADVICE);
            let wait = u64::try_from(retries.wait.max(advice).as_micros()).unwrap_or(u64::MAX);
            due = end.saturating_add(wait);
            before = Some(end);
            attempt += 1;
        }
    }

    /// Settles a planned request that is never sent. In a closed loop a request that was still to come has no instant of its
    /// own: it is given up now.
    pub(crate) async fn never_sent(
        &self,
        slot: &Slot,
        due: u64,
        error: Option<Fault>,
    ) -> Result<Over, EvidenceLost> {
        let due = if slot.due_us.is_some() { due } else { due.min(self.now()) };
        let facts = Facts { error, ..self.shared.asked(slot).not_sent(Micros(due)) };
        let record = Box::new(record_of(slot, 0, facts));
        self.shared.tell(RunEvent::Settled { record, body: None }).await?;
        Ok(Over { end: due, answer: None })
    }
}

impl<C> Shared<C> {
    fn outcome(&self, slot: &Slot, facts: &Facts) -> Outcome {
        self.rules
            .get(&*slot.group)
            .map_or_else(|| classify(facts, &SuccessRule::default()), |rule| classify(facts, rule))
    }
}

/// The service has answered, and has itself ended the answer. Whether it is long enough and in time is for the group's
/// rule to say; a conversation goes on from it.
fn is_answer(facts: &Facts) -> bool {
    let any = SuccessRule { min_output_tokens: 0, accept_length: true, ..SuccessRule::default() };
    classify(facts, &any) == Outcome::Effective
}

async fn exchange<C: Connect>(
    shared: &Shared<C>,
    session: &mut Session<C>,
    body: &Bytes,
    recording: Recording,
) -> Exchange {
    let cancel = shared.stop.cancelled();
    let mut request_id = request_id;
    let mut options = SendOptions::new(&mut request_id);
    options.timeouts = timeouts(&shared.plan.timeouts);
    options.cancel = Some(&cancel);
    options.live_tokens = Some(&shared.stop.token_events);
    options.head_limit = usize::try_from(shared.plan.client.max_head_bytes).unwrap_or(usize::MAX);
    options.event_limit = usize::try_from(shared.plan.client.max_event_bytes).unwrap_or(usize::MAX);
    options.body_limit = shared.plan.client.max_body_bytes;
    options.recording = match recording {
        Recording::Full => sse_client::Recording::Full,
        Recording::Reduced => sse_client::Recording::Reduced,
    };
    session.chat(body.clone(), options).await
}

/// Why the client gave up a request of its own accord.
fn fault_of(cause: StopCause) -> Fault {
    Fault { kind: FaultKind::Stopped, message: format!("the run was stopped by {}", cause.as_str()) }
}

/// The row of a try.
pub(crate) fn record_of(slot: &Slot, attempt: u32, facts: Facts) -> Record {
    Record {
        seq: slot.seq,
        stage: slot.stage.to_string(),
        tier: slot.tier,
        group: slot.group.to_string(),
        sample: slot.sample.to_string(),
        attempt,
        turn: slot.turn.map(|turn| turn.number),
        origin: Some(slot.origin),
        facts,
    }
}
