//! When requests are due.

use workload_model::{
    Arrival, CONTROL_THREADS_STAGE, Openings, Pause, Sample, SampleSet, Schedule, Slot, Stage, TraceScale,
    arrival, random::Stream,
};

use crate::{closed, facts, ids, open, plan, sample, set, turn};

fn dues(slots: &[Slot]) -> Vec<u64> {
    slots.iter().filter_map(|slot| slot.due_us).collect()
}

fn of_stage(schedule: &Schedule, stage: &str) -> Vec<Slot> {
    schedule.slots.iter().filter(|slot| &*slot.stage == stage).cloned().collect()
}

#[test]
fn arrivals_are_those_of_the_process_and_depend_on_nothing_else() {
    let stages = || vec![open("o", 3.0, 500)];
    let laid_out = |count, stages: Vec<Stage>| {
        let plan = plan(&["all"], stages);
        of_stage(&Schedule::new(&plan, &set(&[("all", count)])), "o")
    };
    let slots = laid_out(7, stages());
    let stream = Stream::new(1, "arrivals:o");
    let expected: Vec<u64> =
        arrival::instants(&Arrival::Poisson, 3.0, stream).expect("no trace").take(500).collect();
    assert_eq!(dues(&slots), expected);
    assert!(slots.iter().all(|slot| slot.tier.is_none() && slot.measured && slot.pause_us == 0));

    assert_eq!(dues(&laid_out(900, stages())), expected, "more samples");
    let think = Pause { mean_s: 2.0, exponential: true };
    let before = Stage { think, ..closed("before", &[1, 2], 50) };
    assert_eq!(dues(&laid_out(7, [vec![before], stages()].concat())), expected, "another stage, with pauses");
    let other = Schedule::new(&plan(&["all"], vec![open("other", 3.0, 500)]), &set(&[("all", 7)]));
    assert_ne!(dues(&other.slots), expected, "a stage of another name");
    let mut seeded = plan(&["all"], stages());
    seeded.seed = 2;
    assert_ne!(dues(&Schedule::new(&seeded, &set(&[("all", 7)])).slots), expected, "another seed");
}

#[test]
fn pauses_are_the_same_in_every_step_and_in_the_control_and_depend_on_nothing_else() {
    let think = Pause { mean_s: 1.5, exponential: true };
    let mut plan = plan(&["all"], vec![Stage { think, ..closed("s", &[1, 2, 4], 400) }]);
    plan.add_control();
    let pauses = |slots: &[Slot]| slots.iter().map(|slot| slot.pause_us).collect::<Vec<_>>();
    let schedule = Schedule::new(&plan, &set(&[("all", 7)]));
    let measured = of_stage(&schedule, "s");
    let first = pauses(&measured[..400]);
    assert!(measured.chunks(400).all(|step| pauses(step) == first));
    assert_eq!(pauses(&of_stage(&schedule, CONTROL_THREADS_STAGE)), first);
    assert_eq!(pauses(&Schedule::new(&plan, &set(&[("all", 99)])).slots[..400]), first);
    let mean = first.iter().sum::<u64>() as f64 / 400e6;
    assert!((mean / 1.5 - 1.0).abs() < 0.15, "{mean} s");
    plan.stage[0].think.exponential = false;
    assert!(
        Schedule::new(&plan, &set(&[("all", 7)])).slots[..400].iter().all(|slot| slot.pause_us == 1_500_000)
    );
}

#[test]
fn at_a_rate_conversations_begin_by_the_process_and_later_turns_wait_for_answers() {
    let measured =
        vec![turn("chat", "x", 1), sample("one", "chat"), turn("chat", "x", 2), turn("chat", "x", 3)];
    let set = SampleSet { measured, warm_up: Vec::new(), facts: None };
    let stage = Stage { arrival: Some(Arrival::Constant), ..open("o", 2.0, 10) };
    let slots = Schedule::new(&plan(&["chat"], vec![stage]), &set).slots;
    assert_eq!(ids(&slots), ["x.1", "x.2", "x.3", "one", "x.1", "x.2", "x.3", "one", "x.1", "x.2"]);
    let expected = [
        Some(0),
        None,
        None,
        Some(500_000),
        Some(1_000_000),
        None,
        None,
        Some(1_500_000),
        Some(2_000_000),
        None,
    ];
    assert_eq!(slots.iter().map(|slot| slot.due_us).collect::<Vec<_>>(), expected);
    assert_eq!(slots[5].turn.and_then(|turn| turn.previous), Some(4));
    assert_eq!((slots[5].pause_us, slots[4].pause_us), (1_000_000, 0));
}

fn recorded() -> SampleSet {
    let at = |arrival, sample| Sample { arrival_us: Some(arrival), ..sample };
    let measured = vec![
        at(0, sample("p", "a")),
        at(200, turn("b", "x", 1)),
        at(900, sample("q", "a")),
        at(950, turn("b", "x", 2)),
        at(1_000, sample("r", "a")),
    ];
    SampleSet { measured, warm_up: Vec::new(), facts: None }
}

#[test]
fn a_trace_sends_the_samples_as_they_were_recorded() {
    let stage =
        Stage { arrival: Some(Arrival::Trace { scale: TraceScale::Time }), rate: None, ..open("o", 1.0, 9) };
    let slots = Schedule::new(&plan(&["a", "b"], vec![stage]), &recorded()).slots;
    assert_eq!(ids(&slots), ["p", "x.1", "x.2", "q", "r", "p", "x.1", "x.2", "q"]);
    let expected =
        [Some(0), Some(200), None, Some(900), Some(1_000), Some(1_333), Some(1_533), None, Some(2_233)];
    assert_eq!(slots.iter().map(|slot| slot.due_us).collect::<Vec<_>>(), expected);
}

#[test]
fn copies_of_a_trace_have_openings_of_their_own() {
    let arrival = Some(Arrival::Trace { scale: TraceScale::Rate });
    // Four arrivals in 1,000 µs are 3,000 a second.
    let stage = Stage { arrival, ..open("o", 7_500.0, 200) };
    let mut set = recorded();
    set.facts = Some(facts(&set, Openings::Shared, &[]));
    let slots = Schedule::new(&plan(&["a", "b"], vec![stage]), &set).slots;
    assert!(dues(&slots).is_sorted());
    for one in &slots {
        let same = |other: &&Slot| other.sample == one.sample && other.opening == one.opening;
        assert_eq!(slots.iter().filter(same).count(), 1, "a copy is no answer from a cache");
    }
    assert!(slots.iter().any(|slot| slot.opening != slot.seq && slot.turn.is_none()), "prefixes are shared");
}
