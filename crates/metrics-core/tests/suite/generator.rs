//! The generator's own limits.

use metrics_core::{ClientLimit, ClientSample, Facts, LimitHit, Micros};

use crate::scene::{Scene, answer, refusal};

/// A second of tier `tier`, with 30 timers that fired this late.
fn second(tier: u32, timer_us: u64) -> ClientSample {
    ClientSample {
        at: Micros(1_000_000),
        stage: Some("steps".to_owned()),
        tier: Some(tier),
        cpu: Some(0.2),
        host_cpu: Some(0.3),
        run_delay_us: vec![50; 30],
        timer_delay_us: vec![timer_us; 30],
        rss_bytes: Some(1 << 20),
        connections: u64::from(tier),
        queue_depth: 2,
        ..ClientSample::default()
    }
}

fn hits(scene: &Scene) -> Vec<(ClientLimit, Option<u32>, bool)> {
    scene.summary().client.limits_hit.iter().map(|hit| (hit.limit, hit.tier, hit.inter_event_only)).collect()
}

/// TTFT 200 ms, TPOT 20 ms, gaps 20 ms, 9 tokens after the first read.
fn scene(samples: impl IntoIterator<Item = ClientSample>) -> Scene {
    let mut scene = Scene::tier(4, (0..8).map(|i| answer(i * 100, 10)));
    scene.client = samples.into_iter().collect();
    scene
}

#[test]
fn without_samples_nothing_is_said() {
    let client = scene([]).summary().client;
    assert_eq!((client.valid, client.samples, client.timer_delay_p99_s), (None, 0, None));
    let unreadable = ClientSample { tier: Some(4), ..ClientSample::default() };
    assert_eq!(scene([unreadable]).summary().client.valid, None, "samples that hold nothing to judge by");
}

#[test]
fn a_quiet_generator_is_valid() {
    let client = scene((0..10).map(|_| second(4, 100))).summary().client;
    assert_eq!((client.valid, client.limits_hit.len(), client.samples), (Some(true), 0, 10));
    assert_eq!((client.cpu_mean, client.cpu_max, client.host_cpu_max), (Some(0.2), Some(0.2), Some(0.3)));
    assert_eq!(client.timer_delay_p99_s.map(|s| s.get()), Some(0.0001));
    assert_eq!(client.run_delay_p99_s.map(|s| s.get()), Some(0.00005));
    assert_eq!(
        (client.rss_max_bytes, client.connections_max, client.queue_depth_max),
        (Some(1 << 20), Some(4), Some(2))
    );
}

#[test]
fn more_than_one_busy_second_in_ten() {
    let busy =
        |number: usize| {
            scene((0..20).map(move |i| ClientSample {
                cpu: Some(if i < number { 0.81 } else { 0.8 }),
                ..second(4, 0)
            }))
        };
    assert_eq!(hits(&busy(2)), [], "two in twenty are not more than one in ten");
    assert_eq!(hits(&busy(3)), [(ClientLimit::Cpu, Some(4), false)]);
    let client = busy(3).summary().client;
    assert_eq!(client.valid, Some(false));
    assert_eq!((client.limits_hit[0].observed, client.limits_hit[0].allowed), (0.15, 0.1));
}

#[test]
fn timers_against_the_time_to_first_token() {
    // 5 % of 200 ms; a quarter of the gap of 20 ms is 5 ms, and 10 ms over 9 tokens is 1.1 ms, over 5 % of 20
    // ms.
    assert_eq!(
        hits(&scene((0..10).map(|_| second(4, 10_001)))),
        [
            (ClientLimit::TimerDelay, Some(4), false),
            (ClientLimit::TimerDelayPerToken, Some(4), false),
            (ClientLimit::TimerDelay, Some(4), true),
        ]
    );
    assert_eq!(
        hits(&scene((0..10).map(|_| second(4, 9_001)))),
        [(ClientLimit::TimerDelayPerToken, Some(4), false), (ClientLimit::TimerDelay, Some(4), true)]
    );
}

#[test]
fn a_quarter_of_the_gap_takes_only_the_gaps() {
    let scene = scene((0..10).map(|_| second(4, 5_001)));
    let client = scene.summary().client;
    assert_eq!(client.valid, Some(true), "the rest stands");
    assert_eq!(
        client.limits_hit,
        [LimitHit {
            limit: ClientLimit::TimerDelay,
            tier: Some(4),
            observed: 0.005001,
            allowed: 0.005,
            inter_event_only: true
        }]
    );
}

#[test]
fn threads_that_waited_for_a_core() {
    let late =
        |i: usize| ClientSample { run_delay_us: vec![if i == 0 { 30_000 } else { 0 }; 30], ..second(4, 0) };
    assert_eq!(
        hits(&scene((0..10).map(late))),
        [
            (ClientLimit::RunDelay, Some(4), false),
            (ClientLimit::RunDelayPerToken, Some(4), false),
            (ClientLimit::RunDelay, Some(4), true)
        ]
    );
}

#[test]
fn the_absolute_floor_where_nothing_succeeded() {
    let mut scene = Scene::tier(4, (0..8).map(|i| refusal(i * 100)));
    scene.client = (0..10).map(|_| second(4, 5_000)).collect();
    assert_eq!(hits(&scene), []);
    scene.client = (0..10).map(|_| second(4, 5_001)).collect();
    assert_eq!(hits(&scene), [(ClientLimit::TimerDelay, Some(4), false)]);
}

#[test]
fn with_few_samples_those_of_the_whole_run_are_used() {
    let late_in_tier_8 = |late_seconds: usize| {
        let mut scene = scene([]).and_tier(8, (0..8).map(|i| answer(10_000 + i * 100, 10)));
        scene.client =
            (0..500).map(|_| second(4, 0)).chain((0..late_seconds).map(|_| second(8, 60_000))).collect();
        hits(&scene)
    };
    // 120 values speak for their tier.
    assert_eq!(
        late_in_tier_8(4),
        [
            (ClientLimit::TimerDelay, Some(8), false),
            (ClientLimit::TimerDelayPerToken, Some(8), false),
            (ClientLimit::TimerDelay, Some(8), true),
        ]
    );
    // 90 do not: they are under 1 % of the run's, whose P99 is quiet.
    assert_eq!(late_in_tier_8(3), []);
}

/// What the number of timers decides it decides for both kinds of delay.
#[test]
fn a_tier_with_enough_timers_is_judged_by_its_own_delays_of_both_kinds() {
    let mut scene = scene([]).and_tier(8, (0..8).map(|i| answer(10_000 + i * 100, 10)));
    let quiet = ClientSample { run_delay_us: vec![1_000], ..second(4, 0) };
    let late = ClientSample { run_delay_us: vec![60_000; 100], ..second(8, 0) };
    scene.client = (0..9).map(|_| quiet.clone()).chain((0..9).map(|_| late.clone())).collect();
    assert!(hits(&scene).iter().all(|(_, tier, _)| *tier == Some(8)), "9 run delays and 270 timers in C4");
    assert!(!hits(&scene).is_empty());
    // With 90 timers the whole run speaks for both.
    scene.client = (0..3).map(|_| quiet.clone()).chain((0..9).map(|_| late.clone())).collect();
    assert!(hits(&scene).iter().any(|(limit, tier, _)| (*limit, *tier) == (ClientLimit::RunDelay, Some(4))));
}

#[test]
fn a_tier_in_which_nothing_was_sent_is_not_judged() {
    let unsent = |i: u64| Facts { due: Micros(10_000_000 + i), ..Facts::default() };
    let mut scene = scene([]).and_tier(8, (0..8).map(unsent));
    scene.client = (0..10).map(|_| second(4, 5_001)).collect();
    assert_eq!(hits(&scene), [(ClientLimit::TimerDelay, Some(4), true)]);
    assert_eq!(scene.summary().client.valid, Some(true), "nor is it missed by the sampler");
}

#[test]
fn a_tier_without_samples_leaves_validity_open() {
    let with = |last_due_ms: u64, sample: Option<ClientSample>| {
        let mut scene = scene([]).and_tier(8, [answer(10_000, 10), answer(10_000 + last_due_ms, 10)]);
        scene.client = (0..10).map(|_| second(4, 100)).chain(sample).collect();
        scene.summary().client.valid
    };
    // An answer lasts 385 ms.
    assert_eq!(with(1_615, None), None, "a window of two seconds has a sample, or the sampler had died");
    assert_eq!(with(1_614, None), Some(true), "a shorter one need not");
    assert_eq!(with(1_615, Some(second(8, 100))), Some(true));
    let empty = ClientSample { stage: Some("steps".to_owned()), tier: Some(8), ..ClientSample::default() };
    assert_eq!(with(1_615, Some(empty)), None, "a sample that holds nothing is none");
    let busy = ClientSample { cpu: Some(0.9), ..second(8, 100) };
    assert_eq!(with(1_615, Some(busy)), Some(false));
}

#[test]
fn a_second_belongs_to_the_tier_it_names() {
    let mut scene = scene([]).and_tier(8, (0..8).map(|i| answer(10_000 + i * 100, 10)));
    let busy = |tier| ClientSample { cpu: Some(0.95), ..second(tier, 0) };
    scene.client = (0..10).map(|_| second(4, 0)).chain((0..10).map(|_| busy(8))).collect();
    scene.client.extend((0..50).map(|_| ClientSample { stage: Some("warm_up".to_owned()), ..busy(4) }));
    assert_eq!(hits(&scene), [(ClientLimit::Cpu, Some(8), false)]);
}

#[test]
fn lateness_of_an_open_loop_leaves_connecting_out() {
    let open = |late_us: u64, connect_us: u64| {
        let mut scene = Scene::default();
        let late = |i: u64| {
            let facts = answer(i * 100, 10);
            Facts {
                sent: Some(Micros(facts.due.0 + late_us + connect_us)),
                connect: Some(Micros(connect_us)),
                ..facts
            }
        };
        scene.place("open", None, true, (0..10).map(late));
        scene
    };
    // 5 % of a mean gap of 100 ms is less than the floor of 10 ms.
    assert_eq!(hits(&open(10_000, 50_000)), []);
    assert_eq!(hits(&open(10_001, 0)), [(ClientLimit::Lateness, None, false)]);
    assert_eq!(open(10_001, 0).summary().client.valid, Some(false), "known without a single sample");
    let mut closed = open(10_001, 0);
    for record in &mut closed.records {
        record.tier = Some(4);
    }
    closed.planned[0].tier = Some(4);
    assert_eq!(hits(&closed), [], "in a closed loop nothing is due before its slot is free");
}

#[test]
fn a_second_try_is_late_against_its_own_due() {
    let mut scene = Scene::default();
    scene.place("open", None, true, (0..10).map(|i| answer(i * 100, 10)));
    for mut again in scene.records.clone() {
        again.attempt = 1;
        again.facts = answer(again.facts.due.0 / 1_000 + 5_000, 10);
        scene.records.push(again);
    }
    assert_eq!(scene.summary().groups[0].figures.ttft_s.p50.map(|s| s.get()), Some(5.2));
    assert_eq!(hits(&scene), []);
}

#[test]
fn a_fast_service_allows_the_floor() {
    // The first token after 20 ms: 5 % of that would be 1 ms.
    let fast = |i: u64| {
        let facts = answer(i * 100, 10);
        Facts { first_token: Some(Micros(facts.due.0 + 20_000)), ..facts }
    };
    let mut scene = Scene::tier(4, (0..8).map(fast));
    scene.client = (0..10).map(|_| second(4, 4_900)).collect();
    assert_eq!(hits(&scene), []);
}
