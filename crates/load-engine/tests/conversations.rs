//! Conversations: what is sent with a later turn, when it is due, and what becomes of it where the turn before failed.

#[path = "common/answering.rs"]
mod answering;
mod common;

use std::{collections::BTreeMap, time::Duration};

use answering::{Answering, Reply, conversation, job_of, last_text, slot};
use common::{Told, at, plan, run_job};
use load_engine::StopCause;
use metrics_core::{FaultKind, Micros, Outcome, Record, SuccessRule, classify};
use serde_json::{Value, json};
use workload_model::{Bounds, Recording, Slot, opening};

/// Answers with what it was asked.
fn echo() -> Answering {
    Answering::new(|_, body| Reply::text(format!("I was asked: {}", last_text(body))))
}

fn by_seq(told: &Told) -> BTreeMap<u64, &Record> {
    told.records.iter().map(|record| (record.seq, record)).collect()
}

fn outcome(record: &Record) -> Outcome {
    classify(&record.facts, &SuccessRule::default())
}

/// Three conversations of three turns, and singles between them.
fn mixed(tier: u32) -> Vec<Slot> {
    let tier = Some(tier);
    let pauses = [0, 2_000_000, 500_000];
    let mut slots = conversation(0, tier, &pauses);
    slots.push(slot(3, tier));
    slots.extend(conversation(4, tier, &pauses));
    slots.extend(conversation(7, tier, &pauses));
    slots.push(slot(10, tier));
    slots
}

#[tokio::test(start_paused = true)]
async fn a_later_turn_holds_all_that_was_said_and_one_opening() {
    let service = echo();
    let plan = plan(&[2], &[11], Bounds::default());
    let nonce = plan.samples.nonce.clone();
    let (ended, told) = run_job(&at(service.clone()), job_of(plan, mixed(2)), async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    assert_eq!(told.seqs(), (0..11).collect::<Vec<_>>());
    assert_eq!(told.count(Outcome::Effective), 11);

    let user = |text: String| json!({ "role": "user", "content": text });
    let answer = |text: String| json!({ "role": "assistant", "content": format!("I was asked: {text}") });
    let bodies: Vec<Value> = service.asked().into_iter().map(|(_, body)| body).collect();
    let with = |text: &str| bodies.iter().find(|body| last_text(body).ends_with(text)).expect("was sent");
    for first in [0, 4, 7] {
        let open = opening(&nonce, first);
        let asked = |turn: u64| format!("{}What of q{}?", if turn == 0 { &*open } else { "" }, first + turn);
        let expected =
            json!([user(asked(0)), answer(asked(0)), user(asked(1)), answer(asked(1)), user(asked(2)),]);
        assert_eq!(with(&format!("q{}?", first + 2))["messages"], expected);
        assert_eq!(
            with(&format!("q{}?", first + 1))["messages"],
            json!(expected.as_array().expect("list")[..3])
        );
    }
    assert_eq!(with("q10?")["messages"], json!([user(format!("{}What of q10?", opening(&nonce, 10)))]));
}

#[tokio::test(start_paused = true)]
async fn a_conversation_keeps_its_place_and_a_turn_is_due_when_its_pause_is_over() {
    let job = job_of(plan(&[2], &[11], Bounds::default()), mixed(2));
    let (_, told) = run_job(&at(echo()), job, async |_| {}).await;
    let rows = by_seq(&told);
    let ms = |seq: u64| {
        let facts = &rows[&seq].facts;
        (facts.due.0 / 1000, facts.end.expect("ended").0 / 1000)
    };
    // The first place has the first conversation; the second a single one, and then the second conversation.
    assert_eq!([0, 1, 2].map(ms), [(0, 100), (2100, 2200), (2700, 2800)]);
    assert_eq!([3, 4, 5, 6].map(ms), [(0, 100), (100, 200), (2200, 2300), (2800, 2900)]);
    assert_eq!([7, 8, 9].map(ms), [(2800, 2900), (4900, 5000), (5500, 5600)]);
    assert_eq!(ms(10), (2900, 3000));
    for record in &told.records {
        assert_eq!(record.facts.sent, Some(record.facts.due), "seq {}", record.seq);
    }
    let turns: Vec<_> = rows.values().map(|record| record.turn).collect();
    let three = [Some(1), Some(2), Some(3)];
    assert_eq!(turns, [&three[..], &[None], &three, &three, &[None]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_predecessor_failed_is_not_sent_and_says_why() {
    let service = Answering::new(|_, body| match last_text(body) {
        text if text.ends_with("q5?") => Reply::broken(),
        text if text.ends_with("q7?") => Reply::text(""),
        text => Reply::text(text),
    });
    let job = job_of(plan(&[1], &[11], Bounds::default()), mixed(1));
    let (ended, told) = run_job(&at(service.clone()), job, async |_| {}).await;
    assert_eq!(ended.expect("kept").stopped, None);
    assert_eq!(told.seqs(), (0..11).collect::<Vec<_>>());
    let rows = by_seq(&told);
    let outcomes: Vec<_> = rows.values().map(|record| outcome(record)).collect();
    use Outcome::{Effective, Empty, NotSent, Truncated};
    assert_eq!(
        outcomes,
        [
            Effective, Effective, Effective, Effective, Effective, Truncated, NotSent, Empty, NotSent,
            NotSent, Effective
        ]
    );
    for seq in [6, 8, 9] {
        let fault = rows[&seq].facts.error.as_ref().expect("a reason");
        assert_eq!(fault.kind, FaultKind::NoAnswerBefore);
        assert!(fault.message.contains("the turn before"), "{fault:?}");
    }
    assert_eq!(service.asked().len(), 8, "nothing was invented");
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_an_answer_and_a_control_keeps_it_for_the_next_turn() {
    let mut plan = plan(&[1], &[3], Bounds::default());
    plan.group[0].ttft_limit_s = Some(0.01);
    for stage in &mut plan.stage {
        stage.recording = Recording::Reduced;
    }
    let rules = plan.rules();
    let job = job_of(plan, conversation(0, Some(1), &[0, 0, 0]));
    let (_, told) = run_job(&at(echo()), job, async |_| {}).await;
    let late = |record: &Record| classify(&record.facts, &rules["all"]) == Outcome::LateFirstToken;
    assert_eq!((told.records.len(), told.records.iter().filter(|record| late(record)).count()), (3, 3));
    let text = |record: &&Record| record.facts.text_sha256.is_some();
    assert_eq!(told.records.iter().filter(text).count(), 2, "the last turn needs no text");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_the_schedule_left_without_a_predecessor_is_settled() {
    let mut slots = conversation(0, Some(1), &[0, 0]);
    slots.extend(conversation(2, Some(1), &[0, 0]));
    // Two turns follow from the same one, and one from a turn that is none of the step's.
    slots[2].turn = slots[1].turn;
    slots[3].turn.as_mut().expect("a turn").previous = Some(99);
    let (_, told) =
        run_job(&at(echo()), job_of(plan(&[1], &[4], Bounds::default()), slots), async |_| {}).await;
    assert_eq!(told.seqs(), [0, 1, 2, 3]);
    assert_eq!((told.count(Outcome::Effective), told.count(Outcome::NotSent)), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_place_pauses_before_what_it_sends_next_and_the_first_does_not() {
    let slots = (0..4).map(|seq| Slot { pause_us: 3_000_000, ..slot(seq, Some(2)) }).collect();
    let (_, told) =
        run_job(&at(echo()), job_of(plan(&[2], &[4], Bounds::default()), slots), async |_| {}).await;
    let mut due: Vec<_> = told.records.iter().map(|record| record.facts.due.0 / 1000).collect();
    due.sort_unstable();
    assert_eq!(due, [0, 0, 3100, 3100]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_pauses_at_once() {
    for (cause, slots) in [
        (StopCause::Interrupt, conversation(0, Some(1), &[0, 60_000_000, 0])),
        (StopCause::MaxRequests, conversation(0, Some(1), &[0, 60_000_000, 0])),
        (
            StopCause::Interrupt,
            (0..3).map(|seq| Slot { pause_us: 60_000_000, ..slot(seq, Some(1)) }).collect(),
        ),
    ] {
        let job = job_of(plan(&[1], &[3], Bounds::default()), slots);
        let begun = tokio::time::Instant::now();
        let (ended, told) = run_job(&at(echo()), job, async |stop| {
            tokio::time::sleep(Duration::from_secs(5)).await;
            stop.now(cause);
        })
        .await;
        assert_eq!(ended.expect("kept").stopped, Some(cause));
        assert!(begun.elapsed() < Duration::from_millis(5_010), "{:?}", begun.elapsed());
        assert_eq!(told.seqs(), [0, 1, 2]);
        assert_eq!((told.count(Outcome::Effective), told.count(Outcome::NotSent)), (1, 2));
        let latest = told.records.iter().map(|record| record.facts.due).max();
        assert!(latest <= Some(Micros(5_010_000)), "no instant after the stop: {latest:?}");
        assert!(
            told.records.iter().all(|record| record.facts.error.is_none()),
            "the run stopped, no turn failed"
        );
    }
}
