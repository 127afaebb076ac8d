//! The open loop: requests are sent when the schedule says, whatever became of those before.

#[path = "common/answering.rs"]
mod answering;
mod common;

use std::{sync::Arc, time::Duration};

use answering::{Answering, Reply, conversation, job_of, last_text, slot};
use common::{Told, at, plan, run_job};
use load_engine::{IoThreads, Sink, Spent, Stop, StopCause, run};
use metrics_core::{Happening, Micros, Outcome};
use sse_client::{Clock, RuntimeClock};
use workload_model::{Arrival, Bounds, Slot};

/// Singles that are due at these milliseconds of the step.
fn due_at(dues_ms: impl IntoIterator<Item = u64>) -> Vec<Slot> {
    let due = |(seq, ms): (u64, u64)| Slot { due_us: Some(ms * 1000), ..slot(seq, None) };
    (0..).zip(dues_ms).map(due).collect()
}

fn unbounded() -> workload_model::Plan {
    plan(&[1], &[9], Bounds::default())
}

/// Sequence number, due and sent in microseconds.
fn instants(told: &Told) -> Vec<(u64, u64, Option<u64>)> {
    let mut rows: Vec<_> = told
        .records
        .iter()
        .map(|record| (record.seq, record.facts.due.0, record.facts.sent.map(|sent| sent.0)))
        .collect();
    rows.sort_unstable();
    rows
}

#[tokio::test(start_paused = true)]
async fn every_request_is_sent_when_it_is_due_though_nothing_answers() {
    let service = Answering::new(|_, _| Reply::never());
    let dues = [0, 10, 10, 10, 25, 400, 401, 1_000, 2_500];
    let (ended, told) = run_job(&at(service.clone()), job_of(unbounded(), due_at(dues)), async |stop| {
        tokio::time::sleep(Duration::from_secs(9)).await;
        stop.now(StopCause::Interrupt);
    })
    .await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::Interrupt));
    let expected: Vec<_> = (0..).zip(dues).map(|(seq, ms)| (seq, ms * 1000, Some(ms * 1000))).collect();
    assert_eq!(instants(&told), expected);
    assert_eq!((told.count(Outcome::Cancelled), service.connections()), (9, 9));
    let order: Vec<_> = service.asked().iter().map(|(_, body)| last_text(body)).collect();
    assert!(order.iter().zip(0..).all(|(text, seq)| text.ends_with(&format!("q{seq}?"))), "{order:?}");
}

#[tokio::test(start_paused = true)]
async fn an_open_stage_has_no_tier_and_ends_when_all_have_ended() {
    let service = Answering::new(|_, _| Reply::text("yes"));
    let (_, told) =
        run_job(&at(service.clone()), job_of(unbounded(), due_at([0, 150, 3_000])), async |_| {}).await;
    assert_eq!(told.count(Outcome::Effective), 3);
    assert!(told.records.iter().all(|record| record.tier.is_none()));
    assert_eq!(service.connections(), 1, "a connection that is free is used again");
    let stage_ended = told.events.iter().find(|event| matches!(event.what, Happening::StageEnded { .. }));
    assert_eq!(stage_ended.map(|event| event.at), Some(Micros(3_100_000)));
    let of_tiers =
        |what: &Happening| matches!(what, Happening::TierStarted { .. } | Happening::TierEnded { .. });
    assert!(!told.events.iter().any(|event| of_tiers(&event.what)));
    let sampled = told.samples.iter().filter(|sample| sample.stage.as_deref() == Some("sweep"));
    assert!(sampled.clone().count() >= 3 && sampled.clone().all(|sample| sample.tier.is_none()));
}

#[tokio::test(start_paused = true)]
async fn turns_and_tries_of_an_open_loop_hold_up_nothing() {
    let service = Answering::new(|nth, body| match last_text(body) {
        text if text.ends_with("q3?") && nth < 4 => Reply::status(503, None),
        text => Reply::text(text),
    });
    let mut plan = unbounded();
    (plan.group[0].retries, plan.group[0].retry_wait_s) = (1, 1.0);
    let mut slots = conversation(0, None, &[0, 700_000]);
    slots[0].due_us = Some(20_000);
    slots[1].due_us = Some(20_000);
    slots.extend(
        [(2, 30), (3, 40), (4, 50)].map(|(seq, ms)| Slot { due_us: Some(ms * 1000), ..slot(seq, None) }),
    );
    let (ended, told) = run_job(&at(service), job_of(plan, slots), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    let ms: Vec<_> =
        instants(&told).into_iter().map(|(seq, due, sent)| (seq, due / 1000, sent == Some(due))).collect();
    assert_eq!(
        ms,
        [(0, 20, true), (1, 820, true), (2, 30, true), (3, 40, true), (3, 1140, true), (4, 50, true)]
    );
}

#[tokio::test(start_paused = true)]
async fn more_in_flight_than_there_is_room_for_ends_the_run_with_its_cause() {
    let service = Answering::new(|_, _| Reply::never());
    let job = job_of(unbounded(), due_at((0..8).map(|seq| seq * 10)));
    let stop = Arc::new(Stop::new(Bounds::default(), Spent::default()).at_most_in_flight(3));
    let (sink, mut events) = Sink::bounded(64);
    let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
    let collect = async {
        let mut told = Told::default();
        while let Some(event) = events.recv().await {
            told.take(event);
        }
        told
    };
    let (threads, service) = (IoThreads::current(), at(service));
    let (ended, told) = tokio::join!(run(&job, &service, clock, &threads, &stop, sink), collect);
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::NoRoom));
    assert_eq!((told.count(Outcome::Cancelled), told.count(Outcome::NotSent)), (3, 5));
    assert_eq!(told.seqs(), (0..8).collect::<Vec<_>>());
    let stopped = told.events.iter().find(|event| matches!(event.what, Happening::Stopped { .. }));
    assert_eq!(stopped.map(|event| event.at), Some(Micros(30_000)));
}

#[tokio::test(start_paused = true)]
async fn what_is_never_sent_keeps_the_instant_that_the_schedule_gave_it() {
    let service = Answering::new(|_, _| Reply::text("yes"));
    let plan = plan(&[1], &[9], Bounds { max_requests: Some(2), ..Bounds::default() });
    let (ended, told) = run_job(&at(service), job_of(plan, due_at([0, 10, 20, 5_000])), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::MaxRequests));
    assert_eq!(
        instants(&told),
        [(0, 0, Some(0)), (1, 10_000, Some(10_000)), (2, 20_000, None), (3, 5_000_000, None)]
    );
    assert_eq!(told.count(Outcome::Effective), 2, "those under way end");
}

#[tokio::test(start_paused = true)]
async fn a_stage_with_a_rate_is_sent_as_it_was_scheduled() {
    let mut plan = unbounded();
    let open = plan.stage.iter_mut().find(|stage| stage.name == "sweep").expect("the measured stage");
    (open.concurrency, open.rate, open.arrival) = (Vec::new(), Some(20.0), Some(Arrival::Poisson));
    open.requests = vec![60];
    let job = common::job(plan);
    let begun = |told: &Told| {
        let started =
            |what: &Happening| matches!(what, Happening::StageStarted { stage } if stage == "sweep");
        told.events.iter().find(|event| started(&event.what)).expect("it began").at
    };
    let planned = job.schedule.slots.clone();
    let (ended, told) = run_job(&at(Answering::new(|_, _| Reply::text("yes"))), job, async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    let (begun, mut seen) = (begun(&told), 0);
    for record in told.records.iter().filter(|record| record.stage == "sweep") {
        let slot = &planned[usize::try_from(record.seq).expect("small")];
        assert_eq!(Some(record.facts.due.since(begun).0), slot.due_us, "seq {}", record.seq);
        // The runtime's timers stand for the system's on a paused clock, and fire at whole milliseconds.
        let late = record.facts.sent.expect("sent").since(record.facts.due).0;
        assert!(late <= 1_000, "{late} µs");
        seen += 1;
    }
    assert_eq!((seen, told.count(Outcome::Effective)), (60, planned.len()));
}
