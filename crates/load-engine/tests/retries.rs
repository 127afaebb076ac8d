//! Tries: which outcomes have another one, when it is due, and what of it counts.

#[path = "common/answering.rs"]
mod answering;
mod common;

use std::time::Duration;

use answering::{Answering, Reply, conversation, job_of, slot};
use common::{Told, at, plan, run_job};
use load_engine::StopCause;
use metrics_core::{Micros, Outcome};
use workload_model::{Bounds, Plan, Slot};

fn tries(retries: u32, wait: f64, bounds: Bounds) -> Plan {
    let mut plan = plan(&[1], &[9], bounds);
    (plan.group[0].retries, plan.group[0].retry_wait_s) = (retries, wait);
    plan
}

/// Sequence number, try, due and end in milliseconds.
fn rows(told: &Told) -> Vec<(u64, u32, u64, u64)> {
    let ms = |at: Micros| at.0 / 1000;
    let row = |record: &metrics_core::Record| {
        let facts = &record.facts;
        (record.seq, record.attempt, ms(facts.due), ms(facts.end.expect("ended")))
    };
    told.records.iter().map(row).collect()
}

fn slots(count: u64) -> Vec<Slot> {
    (0..count).map(|seq| slot(seq, Some(1))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_try_is_due_when_the_plan_and_the_service_say() {
    for (retry_after, wait) in [
        (None, 2_000),
        (Some("1"), 2_000),
        (Some("7"), 7_000),
        (Some("3600"), 60_000),
        (Some("Tue, 01 Dec"), 2_000),
    ] {
        let service = Answering::new(move |nth, _| match nth {
            0 => Reply::status(429, retry_after),
            _ => Reply::text("yes"),
        });
        let job = job_of(tries(3, 2.0, Bounds::default()), slots(2));
        let (ended, told) = run_job(&at(service), job, async |_| {}).await;
        assert_eq!(ended.expect("kept").stopped, None);
        let (again, next) = (100 + wait, 100 + wait + 100);
        // The place is held while it waits.
        assert_eq!(
            rows(&told),
            [(0, 0, 0, 100), (0, 1, again, next), (1, 0, next, next + 100)],
            "{retry_after:?}"
        );
        assert_eq!(told.outcomes(), [Outcome::Rejected, Outcome::Effective, Outcome::Effective]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_another_try_cannot_mend_has_none_and_errors_count_once() {
    for (status, tries_made) in [(400, 1), (404, 1), (500, 3), (503, 3)] {
        let bounds = Bounds { max_errors: Some(2), ..Bounds::default() };
        let service = Answering::new(move |_, _| Reply::status(status, None));
        let (ended, told) =
            run_job(&at(service), job_of(tries(2, 0.5, bounds), slots(5)), async |_| {}).await;
        assert_eq!(ended.expect("kept").stopped, Some(StopCause::MaxErrors));
        let made = rows_of(&told);
        let expected: Vec<_> =
            (0..2).flat_map(|seq| (0..tries_made).map(move |attempt| (seq, attempt))).collect();
        assert_eq!(made[..expected.len()], expected, "{status}");
        assert_eq!(told.count(Outcome::NotSent), 3, "{status}");
    }
}

fn rows_of(told: &Told) -> Vec<(u64, u32)> {
    told.records.iter().map(|record| (record.seq, record.attempt)).collect()
}

#[tokio::test(start_paused = true)]
async fn bounds_count_every_try() {
    let bounds = Bounds { max_requests: Some(4), ..Bounds::default() };
    let service = Answering::new(|_, _| Reply::broken());
    let (ended, told) =
        run_job(&at(service.clone()), job_of(tries(2, 0.5, bounds), slots(3)), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::MaxRequests));
    assert_eq!(rows_of(&told), [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]);
    assert_eq!(service.asked().len(), 4);
    assert_eq!(told.count(Outcome::NotSent), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_for_another_try() {
    let service = Answering::new(|_, _| Reply::status(503, Some("50")));
    let begun = tokio::time::Instant::now();
    let job = job_of(tries(2, 0.5, Bounds::default()), slots(2));
    let (ended, told) = run_job(&at(service), job, async |stop| {
        tokio::time::sleep(Duration::from_secs(5)).await;
        stop.now(StopCause::Interrupt);
    })
    .await;
    assert_eq!(ended.expect("kept").stopped, Some(StopCause::Interrupt));
    assert!(begun.elapsed() < Duration::from_millis(5_010), "{:?}", begun.elapsed());
    assert_eq!(rows_of(&told), [(0, 0), (1, 0)]);
    assert_eq!(told.outcomes(), [Outcome::Rejected, Outcome::NotSent]);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_goes_on_from_the_try_that_was_answered() {
    let service =
        Answering::new(|nth, _| if nth == 0 { Reply::broken() } else { Reply::text(format!("a{nth}")) });
    let job = job_of(tries(1, 1.0, Bounds::default()), conversation(0, Some(1), &[0, 0]));
    let (_, told) = run_job(&at(service.clone()), job, async |_| {}).await;
    assert_eq!(rows(&told), [(0, 0, 0, 100), (0, 1, 1100, 1200), (1, 0, 1200, 1300)]);
    let asked = service.asked();
    assert_eq!(asked[0].1, asked[1].1, "another try sends the very same");
    assert_eq!(asked[2].1["messages"][1]["content"], "a1");
}
