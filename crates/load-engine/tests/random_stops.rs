//! Whatever is scheduled, whatever the service does, and whenever the run is stopped: every slot is settled once, its tries in
//! order.

#[path = "common/answering.rs"]
mod answering;
mod common;

use std::{collections::BTreeMap, time::Duration};

use answering::{Answering, Reply, conversation, job_of, slot};
use common::{at, plan, run_job};
use load_engine::StopCause;
use metrics_core::Outcome;
use proptest::prelude::*;
use workload_model::{Bounds, Slot};

/// Conversations of so many turns (1: a single request), each turn after a pause of milliseconds.
fn slots(lengths: &[Vec<u16>], open: bool) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut due = 0;
    for pauses in lengths {
        let seq = slots.len() as u64;
        let tier = (!open).then_some(2);
        let pauses: Vec<u64> = pauses.iter().map(|ms| u64::from(*ms) * 1000).collect();
        due += pauses[0];
        let mut made = match pauses[..] {
            [pause_us] => vec![Slot { pause_us, ..slot(seq, tier) }],
            _ => conversation(seq, tier, &pauses),
        };
        for slot in &mut made {
            slot.due_us = open.then_some(due);
        }
        slots.extend(made);
    }
    slots
}

fn reply(number: u8) -> Reply {
    match number % 6 {
        0 => Reply::broken(),
        1 => Reply::status(503, Some("1")),
        2 => Reply::status(400, None),
        3 if number > 200 => Reply::never(),
        _ => Reply::text("yes"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_slot_is_settled_exactly_once(
        lengths in prop::collection::vec(prop::collection::vec(0_u16..900, 1..5), 1..8),
        open: bool,
        replies in prop::collection::vec(any::<u8>(), 1..12),
        retries in 0_u32..3,
        stop_ms in 0_u64..4_000,
        cause in prop::sample::select(vec![StopCause::Interrupt, StopCause::MaxRequests, StopCause::MaxErrors]),
        max_requests in prop::option::of(1_u64..12),
    ) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().start_paused(true).build().expect("a runtime");
        let (ended, told, count) = runtime.block_on(async {
            let service = Answering::new(move |nth, _| reply(replies[nth % replies.len()]));
            let mut plan = plan(&[2], &[9], Bounds { max_requests, ..Bounds::default() });
            (plan.group[0].retries, plan.group[0].retry_wait_s) = (retries, 0.3);
            let slots = slots(&lengths, open);
            let count = slots.len() as u64;
            let (ended, told) = run_job(&at(service), job_of(plan, slots), async |stop| {
                tokio::time::sleep(Duration::from_millis(stop_ms)).await;
                stop.now(cause);
                // Whatever is still under way is given up in the end.
                tokio::time::sleep(Duration::from_secs(60)).await;
                stop.now(StopCause::Interrupt);
            })
            .await;
            (ended, told, count)
        });
        prop_assert!(ended.is_ok());
        let mut tries: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for record in &told.records {
            tries.entry(record.seq).or_default().push(record.attempt);
            prop_assert!(record.facts.sent.is_none_or(|sent| sent >= record.facts.due), "{record:?}");
        }
        prop_assert!(tries.keys().copied().eq(0..count), "{tries:?}");
        for (seq, tries) in &tries {
            prop_assert!(tries.iter().copied().eq(0..tries.len() as u32), "{seq}: {tries:?}");
            prop_assert!(tries.len() as u32 <= retries + 1);
        }
        let sent = told.outcomes().into_iter().filter(|outcome| *outcome != Outcome::NotSent).count() as u64;
        prop_assert!(max_requests.is_none_or(|most| sent <= most), "{sent} of {max_requests:?}");
    }
}
