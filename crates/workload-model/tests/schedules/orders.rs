//! Which sample is sent as which request.

use workload_model::{Openings, SampleSet, Schedule, Slot, builtin};

use crate::{closed, facts, ids, open, plan, sample, set, turn};

fn of_group(slots: &[Slot], group: &str) -> usize {
    slots.iter().filter(|slot| &*slot.group == group).count()
}

/// Every prefix has every group within a request of its share.
fn is_in_proportion(slots: &[Slot], shares: &[(&str, f64)]) {
    for length in 1..=slots.len() {
        for (group, share) in shares {
            let (found, fair) = (of_group(&slots[..length], group) as f64, share * length as f64);
            assert!(
                (found - fair).abs() <= 1.0,
                "{found} of {group:?} in the first {length}, and not {fair}"
            );
        }
    }
}

#[test]
fn one_group_is_sent_in_the_order_of_the_set_from_its_first_sample_in_every_step() {
    let plan = plan(&["all"], vec![closed("sweep", &[1, 2], 50)]);
    let set = builtin();
    let slots = Schedule::new(&plan, &set).slots;
    let cycle: Vec<&str> = set.measured.iter().map(|sample| sample.id.as_str()).cycle().take(50).collect();
    assert_eq!(ids(&slots[..50]), cycle);
    assert_eq!(ids(&slots[50..]), cycle);
    assert!(slots.iter().enumerate().all(|(seq, slot)| slot.seq == seq as u64 && slot.opening == slot.seq));
    assert!(slots.iter().all(|slot| (slot.due_us, slot.pause_us) == (None, 0)));
}

#[test]
fn groups_take_turns_by_the_numbers_of_their_samples() {
    let plan = plan(&["a", "b", "c"], vec![closed("s", &[1, 4], 60), open("o", 5.0, 60)]);
    let slots = Schedule::new(&plan, &set(&[("a", 6), ("b", 3), ("c", 1)])).slots;
    assert_eq!(ids(&slots[..10]), ["a1", "b1", "a2", "a3", "b2", "a4", "c1", "a5", "b3", "a6"]);
    for step in slots.chunks(60) {
        is_in_proportion(step, &[("a", 0.6), ("b", 0.3), ("c", 0.1)]);
        assert_eq!(ids(step), ids(&slots[..60]), "steps differ in load alone");
    }
}

#[test]
fn the_shares_of_a_set_go_before_numbers_of_samples_and_weights_of_the_plan_before_both() {
    let mut plan = plan(&["a", "b", "c"], vec![closed("s", &[1], 1000)]);
    let mut set = set(&[("a", 5), ("b", 5), ("c", 5)]);
    set.facts = Some(facts(&set, Openings::Unique, &[("a", 0.95), ("b", 0.04), ("c", 0.01)]));
    let slots = Schedule::new(&plan, &set).slots;
    is_in_proportion(&slots, &[("a", 0.95), ("b", 0.04), ("c", 0.01)]);
    plan.group[1].weight = Some(0.5);
    plan.group[2].weight = Some(1.5);
    let slots = Schedule::new(&plan, &set).slots;
    is_in_proportion(&slots, &[("a", 0.0), ("b", 0.25), ("c", 0.75)]);
    assert_eq!(of_group(&slots, "a"), 0, "where some have a weight, the others send nothing");
}

fn with_conversations() -> SampleSet {
    let measured = vec![
        turn("chat", "x", 1),
        turn("chat", "y", 1),
        turn("chat", "x", 2),
        sample("single", "chat"),
        turn("chat", "x", 3),
        turn("chat", "y", 2),
    ];
    SampleSet { measured, warm_up: Vec::new(), facts: None }
}

#[test]
fn turns_of_a_conversation_follow_each_other_and_wait_for_the_answer_before() {
    let plan = plan(&["chat"], vec![closed("s", &[1], 12)]);
    let slots = Schedule::new(&plan, &with_conversations()).slots;
    let round = ["x.1", "x.2", "x.3", "y.1", "y.2", "single"];
    assert_eq!(ids(&slots), [round, round].concat());
    for slot in &slots {
        let Some(turn) = slot.turn else { continue };
        let before = turn.previous.map(|seq| &slots[seq as usize]);
        assert_eq!(turn.number, before.map_or(1, |before| before.turn.expect("a turn").number + 1));
        assert_eq!(turn.previous.is_some(), turn.number > 1);
        assert_eq!(slot.pause_us, if turn.number > 1 { 1_000_000 } else { 0 });
        assert_eq!(slot.opening, slot.seq - u64::from(turn.number - 1), "one opening a conversation");
    }
}

#[test]
fn a_conversation_is_cut_where_the_requests_of_a_step_end() {
    let plan = plan(&["chat"], vec![closed("s", &[1, 2], 8)]);
    let slots = Schedule::new(&plan, &with_conversations()).slots;
    assert_eq!(slots.len(), 16);
    assert_eq!(ids(&slots[6..8]), ["x.1", "x.2"]);
    assert_eq!(ids(&slots[8..10]), ["x.1", "x.2"], "and the next step begins anew");
    assert_eq!(slots[8].turn.and_then(|turn| turn.previous), None);
}

#[test]
fn conversations_weigh_as_many_requests_as_they_have() {
    let mut set = set(&[("one", 4)]);
    set.measured.extend((1..=4).map(|number| turn("chat", "x", number)));
    let mut plan = plan(&["one", "chat"], vec![closed("s", &[1], 800)]);
    let slots = Schedule::new(&plan, &set).slots;
    assert_eq!((of_group(&slots, "one"), of_group(&slots, "chat")), (400, 400));
    plan.group[0].weight = Some(3.0);
    plan.group[1].weight = Some(1.0);
    let slots = Schedule::new(&plan, &set).slots;
    assert_eq!((of_group(&slots, "one"), of_group(&slots, "chat")), (600, 200));
}

#[test]
fn shared_openings_are_shared_within_a_round_of_a_step_and_nowhere_else() {
    let plan = plan(&["a", "b"], vec![closed("s", &[1, 2], 7), open("o", 1.0, 7)]);
    let mut set = set(&[("a", 2), ("b", 1)]);
    set.facts = Some(facts(&set, Openings::Shared, &[]));
    let slots = Schedule::new(&plan, &set).slots;
    let openings: Vec<u64> = slots.iter().map(|slot| slot.opening).collect();
    assert_eq!(openings, [0, 0, 0, 3, 3, 3, 6, 7, 7, 7, 10, 10, 10, 13, 14, 14, 14, 17, 17, 17, 20]);
    for one in &slots {
        let same = |other: &&Slot| other.sample == one.sample && other.opening == one.opening;
        assert_eq!(slots.iter().filter(same).count(), 1, "no request is sent twice with the same words");
    }
    // A group that comes round more often than another is in a round of its own.
    let mut uneven = plan.clone();
    uneven.group[0].weight = Some(1.0);
    uneven.group[1].weight = Some(5.0);
    let slots = Schedule::new(&uneven, &set).slots;
    for one in &slots {
        let same = |other: &&Slot| other.sample == one.sample && other.opening == one.opening;
        assert_eq!(slots.iter().filter(same).count(), 1);
    }
}
