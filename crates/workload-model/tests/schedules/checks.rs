//! Plans and sets that cannot be run, each with what is said of it.

use workload_model::{
    Arrival, Openings, Pause, Plan, Sample, SampleSet, SetFacts, Stage, StageKind, TraceScale,
};

use crate::{closed, facts, open, plan, sample, set, turn};

fn refusal(plan: &Plan) -> String {
    Plan::parse(&plan.to_toml().expect("a plan is writable")).expect_err("must be refused").to_string()
}

#[test]
fn an_open_loop_survives_its_own_file() {
    let arrivals = [
        None,
        Some(Arrival::Constant),
        Some(Arrival::Gamma { gap_cv: 2.0 }),
        Some(Arrival::Bursts { times: 5.0, share: 0.1, mean_s: 30.0 }),
        Some(Arrival::Trace { scale: TraceScale::Rate }),
    ];
    for arrival in arrivals {
        let plan = plan(&["all"], vec![Stage { arrival, ..open("o", 2.5, 10) }]);
        assert_eq!(Plan::parse(&plan.to_toml().expect("writable")), Ok(plan));
    }
}

#[test]
fn each_load_that_is_none_is_named() {
    let with = |change: fn(&mut Stage)| {
        let mut stage = open("o", 2.0, 10);
        change(&mut stage);
        plan(&["all"], vec![stage])
    };
    let bursts = |times, share, mean_s| {
        plan(
            &["all"],
            vec![Stage { arrival: Some(Arrival::Bursts { times, share, mean_s }), ..open("o", 2.0, 10) }],
        )
    };
    let mut slow = closed("s", &[1], 10);
    slow.think = Pause { mean_s: -1.0, exponential: false };
    let grouped = |change: fn(&mut Plan)| {
        let mut plan = plan(&["a", "b"], vec![closed("s", &[1], 10)]);
        change(&mut plan);
        plan
    };
    for (plan, says) in [
        (
            with(|stage| stage.concurrency = vec![4]),
            "stage \"o\": it has concurrency, and rate or arrival as well",
        ),
        (with(|stage| stage.kind = StageKind::WarmUp), "only a stage of kind \"step\" can be"),
        (with(|stage| stage.think.mean_s = 1.0), "use think in stage \"o\""),
        (
            with(|stage| stage.rate = Some(0.0)),
            "use rate = 0 of stage \"o\": it must be a number of requests",
        ),
        (with(|stage| stage.rate = Some(-1.0)), "use rate = -1"),
        (with(|stage| stage.rate = Some(f64::NAN)), "use rate = NaN"),
        (with(|stage| stage.rate = Some(f64::INFINITY)), "use rate = inf"),
        (with(|stage| stage.rate = Some(1e-8)), "longer than 31536000 seconds"),
        (with(|stage| stage.requests = vec![0]), "use requests = 0 of stage \"o\": it must be 1 or more"),
        (with(|stage| stage.requests = vec![5, 5]), "1 tiers but 2 request counts"),
        (with(|stage| stage.requests = vec![2_000_000]), "more than 1000000"),
        (
            with(|stage| (stage.rate, stage.arrival) = (None, Some(Arrival::Poisson))),
            "says how requests arrive and not how many",
        ),
        (
            with(|stage| stage.arrival = Some(Arrival::Gamma { gap_cv: 0.0 })),
            "use arrival.gap_cv = 0 of stage \"o\"",
        ),
        (with(|stage| stage.arrival = Some(Arrival::Gamma { gap_cv: f64::NAN })), "use arrival.gap_cv = NaN"),
        (bursts(1.0, 0.1, 1.0), "use arrival.times = 1 of stage \"o\": it must be above 1"),
        (bursts(3.0, 0.0, 1.0), "use arrival.share = 0"),
        (bursts(3.0, 1.0, 1.0), "use arrival.share = 1"),
        (bursts(3.0, 0.1, 0.0), "use arrival.mean_s = 0"),
        (bursts(3.0, 0.1, 1e-5), "more than 1000 bursts would pass"),
        (plan(&["all"], vec![slow]), "use think.mean_s = -1 of stage \"s\""),
        (plan(&["all"], vec![closed("s", &[], 10)]), "names no tier"),
        (grouped(|plan| plan.group[0].weight = Some(-1.0)), "use weight = -1 of group \"a\""),
        (grouped(|plan| plan.group[0].weight = Some(f64::NAN)), "use weight = NaN"),
        (grouped(|plan| plan.group[0].weight = Some(0.0)), "no group has one above 0"),
        (
            grouped(|plan| plan.group[1].retries = 11),
            "use retries = 11 of group \"b\": it must be at most 10",
        ),
        (grouped(|plan| plan.group[1].retry_wait_s = -0.5), "use retry_wait_s = -0.5 of group \"b\""),
        (grouped(|plan| plan.group[1].retry_wait_s = f64::INFINITY), "use retry_wait_s = inf"),
    ] {
        let said = refusal(&plan);
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
}

fn trace(scale: TraceScale, rate: Option<f64>) -> Plan {
    let arrival = Some(Arrival::Trace { scale });
    plan(&["all"], vec![Stage { arrival, rate, ..open("o", 1.0, 10) }])
}

fn arrived(instants: &[u64]) -> SampleSet {
    let sample = |(number, at): (usize, &u64)| Sample {
        arrival_us: Some(*at),
        ..sample(&format!("s{number}"), "all")
    };
    let measured = instants.iter().enumerate().map(sample).collect();
    SampleSet { measured, warm_up: Vec::new(), facts: None }
}

#[test]
fn each_way_in_which_plan_and_set_do_not_fit_is_named() {
    let closed = || plan(&["all"], vec![closed("s", &[1], 10)]);
    let talk = |turns: &[u32]| {
        let measured = turns.iter().map(|number| turn("all", "x", *number)).collect();
        SampleSet { measured, warm_up: Vec::new(), facts: None }
    };
    let mut impatient = talk(&[1]);
    impatient.measured[0].turn.as_mut().expect("a turn").think_us = 5;
    let mut weighed = plan(&["all", "b"], vec![crate::closed("s", &[1], 10)]);
    weighed.group[1].weight = Some(1.0);
    let mut weighed_trace = trace(TraceScale::Time, None);
    weighed_trace.group[0].weight = Some(1.0);
    let mut other = closed();
    other.samples.sha256 = Some("ab".into());
    let mut changed = set(&[("all", 2)]);
    changed.facts = Some(facts(&changed, Openings::Unique, &[]));
    changed.measured.swap(0, 1);
    for (plan, set, says) in [
        (closed(), talk(&[2, 3]), "send sample \"x.2\": turn 2 of conversation \"x\" comes after turn 0"),
        (closed(), talk(&[1, 3]), "turn 3 of conversation \"x\" comes after turn 1"),
        (closed(), talk(&[1, 2, 2]), "there twice"),
        (closed(), talk(&[0]), "turn 0 of conversation \"x\" comes after turn 0"),
        (closed(), impatient, "nobody thinks before that"),
        (
            closed(),
            arrived(&[5, 4]),
            "send sample \"s1\": it arrived before the sample that stands before it",
        ),
        (weighed, set(&[("all", 3)]), "give group \"b\" a weight: the set has no sample of it"),
        (weighed_trace, arrived(&[0, 1]), "as recorded with weights of groups"),
        (trace(TraceScale::Time, None), set(&[("all", 3)]), "samples that do not say when they arrived"),
        (trace(TraceScale::Time, Some(2.0)), arrived(&[7, 7]), "arrived all at one instant"),
        (trace(TraceScale::Time, None), arrived(&[0, 1 << 50]), "longer than 31536000 seconds"),
        (
            trace(TraceScale::Rate, Some(1.0)),
            arrived(&[0, 10]),
            "run stage \"o\" at 1 a second: the set was recorded at 100000",
        ),
        (other, set(&[("all", 3)]), "and the plan names ab"),
        (closed(), changed, "and sample-set.json names"),
    ] {
        let said = plan.check_samples(&set).expect_err("must be refused").to_string();
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
    for (plan, set) in [
        (closed(), talk(&[1, 2, 3])),
        (trace(TraceScale::Time, None), arrived(&[0, 10, 10])),
        (trace(TraceScale::Rate, Some(200_000.0)), arrived(&[0, 10, 10])),
    ] {
        assert_eq!(plan.check_samples(&set), Ok(()));
    }
}

#[test]
fn the_digest_of_a_set_is_that_of_its_file_and_leaves_out_the_warm_up() {
    let mut set = set(&[("all", 3)]);
    let alone = set.digest();
    assert_eq!(alone, workload_model::samples_digest(&set.to_jsonl()));
    set.warm_up.push(sample("w", "all"));
    assert_eq!(set.digest(), alone);
    let packed = SampleSet::from_jsonl(&set.to_jsonl()).expect("readable");
    assert_eq!(packed.digest(), alone);
}

#[test]
fn what_is_known_of_a_set_survives_its_own_file_and_newer_ones_are_not_guessed_at() {
    let facts = facts(&set(&[("all", 2)]), Openings::Shared, &[("all", 1.0)]);
    let text = facts.to_json();
    assert_eq!(SetFacts::from_json(&text), Ok(facts));
    let said = |text: &str| SetFacts::from_json(text).expect_err("must be refused").to_string();
    let newer = text.replacen("\"format\": 1", "\"format\": 2, \"new\": 0", 1);
    assert!(said(&newer).contains("its format is 2, and this version knows up to 1"), "{}", said(&newer));
    assert!(said(&text[..40]).starts_with("read sample-set.json: "));
}
