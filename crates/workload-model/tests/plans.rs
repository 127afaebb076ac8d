//! Plans as users write them, and what is said of those that cannot be run.

use std::collections::BTreeSet;

use workload_model::{
    CONTROL_RECORDING_STAGE, CONTROL_THREADS_STAGE, Client, Http, Plan, Recording, SampleSet, Schedule,
    Target, builtin, opening, standard_requests, standard_warm_up, sweep_plan,
};

fn target() -> Target {
    Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: Some(String::new()),
    }
}

fn sweep(tiers: &[u32], requests: &[u64]) -> Plan {
    sweep_plan(target(), tiers, requests, standard_warm_up(tiers))
}

fn refusal(plan: &Plan) -> String {
    Plan::parse(&plan.to_toml().expect("a plan is writable")).expect_err("must be refused").to_string()
}

#[test]
fn standard_counts_are_those_of_the_deliverable() {
    let counts = [1, 2, 4, 8, 16].map(standard_requests);
    assert_eq!(counts, [20, 20, 20, 40, 80]);
    assert_eq!(standard_requests(5), 30, "every tier is a multiple of ten");
    assert_eq!((standard_warm_up(&[1, 2]), standard_warm_up(&[1, 16])), (4, 16));
}

#[test]
fn a_plan_survives_its_own_file() {
    let mut plan = sweep(&[1, 2, 4, 8, 16], &[]);
    plan.request.max_tokens = Some(128);
    plan.bounds.max_duration_s = Some(60.0);
    plan.samples.nonce = "0123".into();
    let text = plan.to_toml().expect("writable");
    assert_eq!(Plan::parse(&text).expect("readable"), plan);
}

#[test]
fn the_shortest_plan_has_every_default() {
    let text = "format = 1\n[target]\nurl = \"http://h/v1\"\nmodel = \"m\"\n\
                [[stage]]\nname = \"s\"\nkind = \"step\"\nconcurrency = [1, 2]\nrequests = 20\n";
    let plan = Plan::parse(text).expect("readable");
    assert_eq!(plan.stage[0].steps().collect::<Vec<_>>(), [(1, 20), (2, 20)]);
    assert!((plan.timeouts.first_token_s - 300.0).abs() < f64::EPSILON);
    assert!(plan.request.include_usage);
    assert_eq!(plan.group[0].name, "all");
}

#[test]
fn each_way_of_being_unrunnable_is_named() {
    let mut twice = sweep(&[1], &[]);
    twice.stage[0].name = "sweep".into();
    let mut waits = sweep(&[1], &[]);
    waits.timeouts.stall_s = -1.0;
    let mut nothing = sweep(&[1], &[]);
    nothing.stage.truncate(1);
    let mut newer = sweep(&[1], &[]);
    newer.format = 99;
    let with = |change: fn(&mut Plan)| {
        let mut plan = sweep(&[1], &[]);
        change(&mut plan);
        plan
    };
    for (plan, says) in [
        (with(|plan| plan.timeouts.total_s = 1e20), "timeouts.total_s = 100000000000000000000: more than"),
        (with(|plan| plan.timeouts.connect_s = f64::INFINITY), "timeouts.connect_s = inf: more than"),
        (with(|plan| plan.timeouts.stall_s = f64::NAN), "timeouts.stall_s = NaN: it must be"),
        (with(|plan| plan.bounds.max_duration_s = Some(1e20)), "bounds.max_duration_s"),
        (with(|plan| plan.group[0].deadline_s = Some(1e20)), "group.deadline_s"),
        (with(|plan| plan.client.health_every_s = 0.0), "client.health_every_s = 0: it must be"),
        (sweep(&[1, 2], &[9_000_000_000_000]), "run 18000000000004 requests: more than 1000000"),
        (sweep(&[1, 2], &[i64::MAX as u64]), "more than 1000000"),
        (with(|plan| plan.request.max_tokens = Some(0)), "request.max_tokens = 0"),
        (with(|plan| plan.request.temperature = Some(f64::NAN)), "request.temperature = NaN"),
        (with(|plan| plan.request.temperature = Some(f64::INFINITY)), "request.temperature = inf"),
        (with(|plan| plan.request.temperature = Some(-0.5)), "request.temperature = -0.5"),
        (with(|plan| plan.client.io_threads = 0), "client.io_threads = 0"),
        (with(|plan| plan.client.io_threads = 257), "client.io_threads = 257: more than 256"),
        (with(|plan| plan.client.max_event_bytes = 0), "client.max_event_bytes = 0: it must be from 1024"),
        (with(|plan| plan.client.max_body_bytes = 1 << 50), "client.max_body_bytes"),
        (
            with(|plan| plan.client.max_head_bytes = 1023),
            "client.max_head_bytes = 1023: it must be from 1024",
        ),
        (with(|plan| plan.client.streams_per_connection = 0), "client.streams_per_connection = 0"),
        (with(|plan| plan.client.client_cert = Some("/home/me/cert.pem".into())), "without the folders"),
        (with(|plan| plan.client.client_cert = Some(String::new())), "client.client_cert = \"\""),
        (sweep(&[0, 1], &[20]), "tier 0"),
        (sweep(&[4, 2], &[20]), "tier 2 after tier 4"),
        (sweep(&[2, 2], &[20]), "tier 2 after tier 2"),
        (sweep(&[1, 2, 4], &[20, 20]), "3 tiers but 2 request counts"),
        (sweep(&[16], &[10]), "fewer than its concurrency"),
        (sweep(&[200_000], &[200_000]), "more than 100000"),
        (sweep(&[], &[20]), "names no tier"),
        (twice, "there twice"),
        (waits, "timeouts.stall_s = -1"),
        (nothing, "no measured stage"),
        (newer, "update the tool"),
        (with(|plan| plan.bounds.max_requests = Some(0)), "bounds.max_requests = 0"),
    ] {
        let said = refusal(&plan);
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
}

#[test]
fn a_control_repeats_the_highest_tier_with_fresh_openings_and_is_not_measured() {
    let mut plan = sweep(&[1, 4], &[5, 7]);
    plan.client.io_threads = 3;
    plan.add_control();
    let text = plan.to_toml().expect("writable");
    assert_eq!(Plan::parse(&text).expect("runnable"), plan);
    assert!(text.contains("kind = \"control\"") && text.contains("io_threads = 6"), "{text}");
    assert_eq!(text.matches("recording = ").count(), 1, "what is as ever is not written: {text}");
    assert_eq!(plan.tiers(), [1, 4]);

    let schedule = Schedule::new(&plan, &builtin());
    let of = |stage: &str| {
        let slots = schedule.slots.iter().filter(|slot| &*slot.stage == stage && slot.tier == Some(4));
        slots.cloned().collect::<Vec<_>>()
    };
    let samples = |stage| of(stage).iter().map(|slot| slot.sample.clone()).collect::<Vec<_>>();
    for control in [CONTROL_THREADS_STAGE, CONTROL_RECORDING_STAGE] {
        assert_eq!((samples(control), of(control).len()), (samples("sweep"), 7));
        assert!(of(control).iter().all(|slot| !slot.measured));
    }
    let openings: BTreeSet<String> = schedule.slots.iter().map(|slot| opening("n", slot.seq)).collect();
    assert_eq!(openings.len(), schedule.slots.len());

    let planned = plan.controls();
    let [threads, recording] = &planned[..] else { panic!("two controls") };
    assert_eq!(
        (threads.tier, threads.change.io_threads, threads.change.reduced_recording),
        (4, Some(6), false)
    );
    assert_eq!(
        (recording.tier, recording.change.io_threads, recording.change.reduced_recording),
        (4, None, true)
    );
}

#[test]
fn each_way_in_which_a_control_cannot_be_one_is_named() {
    let with = |change: fn(&mut Plan)| {
        let mut plan = sweep(&[1, 4], &[5, 7]);
        plan.add_control();
        change(&mut plan);
        plan
    };
    for (plan, says) in [
        (with(|plan| plan.stage[1].io_threads = Some(2)), "use io_threads in stage \"sweep\": only a stage"),
        (with(|plan| plan.stage[0].recording = Recording::Reduced), "use recording in stage \"warm_up\""),
        (with(|plan| plan.stage[2].io_threads = None), "\"control_threads\": nothing is different in it"),
        (
            with(|plan| plan.client.io_threads = 2),
            "of a run with 2: they must be more than those of the run, and at most 256 (lower",
        ),
        (with(|plan| plan.stage[2].io_threads = Some(257)), "use 257 IO threads in control"),
        (with(|plan| plan.stage[2].concurrency = vec![1]), "(give concurrency [4] and 7 requests"),
        (with(|plan| plan.stage[2].concurrency = vec![4, 5]), "repeats the highest tier"),
        (with(|plan| plan.stage[3].requests = vec![8]), "\"control_recording\": it repeats the highest tier"),
        (with(|plan| plan.stage.swap(1, 2)), "after it has run"),
        (with(|plan| plan.stage.retain(|stage| !stage.kind.measured())), "no measured stage"),
    ] {
        let said = refusal(&plan);
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
}

#[test]
fn a_plan_and_its_samples_must_fit() {
    let (plan, set) = (sweep(&[1], &[]), builtin());
    assert_eq!(plan.check_samples(&set), Ok(()));
    let said = |set: &SampleSet| plan.check_samples(set).expect_err("must be refused").to_string();
    let mut other = set.clone();
    other.measured[3].group = "qa".into();
    assert!(said(&other).contains("\"qa\" is none of the plan"), "{}", said(&other));
    let mut twice = set.clone();
    twice.warm_up[0].id = twice.measured[0].id.clone();
    assert!(said(&twice).contains("there twice"), "{}", said(&twice));
    let cold = SampleSet { warm_up: Vec::new(), ..set.clone() };
    assert!(said(&cold).contains("\"warm_up\": the set has no samples"), "{}", said(&cold));
    assert!(said(&SampleSet { measured: Vec::new(), ..set }).contains("\"sweep\": the set has no samples"));
}

#[test]
fn a_plan_of_before_there_were_limits_has_their_defaults() {
    let mut text = sweep(&[1], &[]).to_toml().expect("writable");
    for key in [
        "http = \"auto\"\n",
        "streams_per_connection = 100\n",
        "max_head_bytes = 65536\n",
        "max_event_bytes = 16777216\n",
        "max_body_bytes = 1073741824\n",
        "health_every_s = 1.0\n",
        "insecure = false\n",
    ] {
        assert!(text.contains(key), "written out: {key}");
        text = text.replace(key, "");
    }
    assert_eq!(Plan::parse(&text).expect("readable"), sweep(&[1], &[]));
}

#[test]
fn a_misspelt_key_is_refused_with_its_place() {
    let text = "format = 1\n[target]\nurl = \"http://h/v1\"\nmodle = \"m\"\n";
    let said = Plan::parse(text).expect_err("must be refused").to_string();
    assert!(said.contains("line 4") && said.contains("modle"), "{said}");
}

#[test]
fn every_tier_sends_the_same_mix_and_no_two_requests_open_alike() {
    let plan = sweep(&[1, 2, 4, 8, 16], &[]);
    let set = builtin();
    let schedule = Schedule::new(&plan, &set);
    assert_eq!(schedule.slots.len(), 16 + 180);
    for tier in [1, 2, 4, 8, 16] {
        let of_tier = schedule.slots.iter().filter(|slot| slot.measured && slot.tier == Some(tier));
        let mut uses = std::collections::BTreeMap::new();
        for slot in of_tier {
            *uses.entry(&*slot.sample).or_insert(0) += 1;
        }
        assert_eq!(uses.len(), 20);
        assert!(uses.values().all(|count| *count == uses["zh-short-1"]));
    }
    let mut openings: Vec<String> =
        (0..196).map(|seq| opening("n", seq).chars().take(16).collect()).collect();
    openings.sort();
    openings.dedup();
    assert_eq!(openings.len(), 196);
    let counts = schedule.counts();
    assert_eq!(counts.iter().map(|count| count.count).collect::<Vec<_>>(), [16, 20, 20, 20, 40, 80]);
    assert_eq!(counts.iter().filter(|count| !count.measured).count(), 1);
}

#[test]
fn how_the_client_connects_is_written_and_read_back() {
    for (word, http) in [("auto", Http::Auto), ("1.1", Http::One), ("2", Http::Two)] {
        let mut plan = sweep(&[1], &[]);
        plan.client = Client { http, insecure: true, client_cert: Some("me.pem".into()), ..plan.client };
        let text = plan.to_toml().expect("writable");
        for line in
            [format!("http = \"{word}\""), "insecure = true".into(), "client_cert = \"me.pem\"".into()]
        {
            assert!(text.lines().any(|written| written == line), "{line} in {text}");
        }
        assert_eq!(Plan::parse(&text), Ok(plan));
    }
    let text = sweep(&[1], &[]).to_toml().expect("writable").replace("http = \"auto\"", "http = \"3\"");
    let said = Plan::parse(&text).expect_err("must be refused").to_string();
    assert!(said.contains("`auto`, `1.1`, `2`"), "{said}");
}
