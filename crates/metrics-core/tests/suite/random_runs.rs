//! Random small runs: every kind of ending, coinciding instants, tries, rows that nobody planned.

use metrics_core::{
    ConnectFault, Ended, Facts, Fault, FaultKind, Micros, Origin, Phase, PlannedCount, Record, SuccessRule,
    TokenSource, Tokens,
};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::scene::Scene;

const PLACES: [(&str, Option<u32>, &str, bool); 8] = [
    ("warm_up", None, "a", false),
    ("steps", Some(1), "a", true),
    ("steps", Some(2), "a", true),
    ("steps", Some(2), "b", true),
    ("steps", Some(3), "b", true),
    ("open", None, "a", true),
    ("fall_back", Some(1), "a", true),
    ("nowhere", Some(2), "a", true),
];

const ORIGINS: [Origin; 4] = [Origin::Real, Origin::Synthetic, Origin::Assumed, Origin::Unknown];

/// A run of up to 40 rows in the places above, the last of which is not planned. In half of the runs rows tell their
/// origin, some of them another one than was planned, or none; half of the runs have neither conversations nor second tries.
pub(crate) fn scenes() -> impl Strategy<Value = Scene> {
    let kind = || (0_u64..30, option::weighted(0.9, select(&ORIGINS[..])), option::weighted(0.5, 1_u32..13));
    let rows = vec((0..PLACES.len(), kind(), 0_u32..3, facts()), 0..40);
    let tight = vec((Just(2_usize), kind(), Just(0_u32), facts()), 0..12);
    let counts = vec((0_u64..6, option::weighted(0.2, select(&ORIGINS[..]))), PLACES.len() - 1);
    (rows, tight, counts, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(rows, tight, counts, interrupted, origins_told, plain)| {
            let mut scene = Scene { interrupted, ..Scene::default() };
            for ((stage, tier, group, measured), (count, origin)) in PLACES.into_iter().zip(counts) {
                let whole = PlannedCount {
                    stage: stage.to_owned(),
                    tier,
                    group: group.to_owned(),
                    count,
                    origin: None,
                    measured,
                };
                // Some places are planned in two parts.
                if let Some(origin) = origin {
                    scene.planned.push(PlannedCount {
                        origin: Some(origin),
                        count: count / 2,
                        ..whole.clone()
                    });
                    scene.planned.push(PlannedCount {
                        origin: Some(Origin::Real),
                        count: count - count / 2,
                        ..whole
                    });
                } else {
                    scene.planned.push(whole);
                }
            }
            let rule = SuccessRule { ttft_limit: Some(Micros(700_000)), ..SuccessRule::default() };
            scene.rules.insert("b".to_owned(), rule);
            scene.records = rows
                .into_iter()
                .chain(tight)
                .enumerate()
                .map(|(at, (place, (seq, origin, turn), attempt, facts))| {
                    let (stage, tier, group, _) = PLACES[place];
                    Record {
                        seq: if plain { at as u64 } else { seq },
                        stage: stage.to_owned(),
                        tier,
                        group: group.to_owned(),
                        sample: "s".to_owned(),
                        attempt,
                        turn: turn.filter(|_| !plain),
                        origin: origin.filter(|_| origins_told),
                        facts,
                    }
                })
                .collect();
            scene
        },
    )
}

/// Mostly whole answers; times are coarse, so that instants often coincide.
fn facts() -> impl Strategy<Value = Facts> {
    let instants = (0_u64..20, 0_u64..3, 0_u64..10, 0_u64..4);
    let reads = vec((0_u64..4, prop_oneof![4 => Just(1_u32), 1 => 1_u32..5]), 1..9);
    let tokens = (
        option::weighted(0.9, 0_u64..4),
        option::weighted(0.7, 1_u64..200),
        option::weighted(0.5, 0_u64..50),
    );
    let asked = (option::weighted(0.6, 0_u64..200), option::weighted(0.6, 0_u64..60));
    let source =
        select(vec![TokenSource::Usage, TokenSource::Usage, TokenSource::Tokenizer, TokenSource::Events]);
    let ending = prop_oneof![
        8 => Just((Ended::Done, Some("stop"), None)),
        1 => Just((Ended::Reset, Some("stop"), None)),
        1 => Just((Ended::Eof, None, None)),
        1 => Just((Ended::Eof, Some("length"), None)),
        1 => Just((Ended::Timeout(Phase::Stall), None, None)),
        1 => Just((Ended::Cancelled, None, None)),
        1 => Just((Ended::Cancelled, None, Some(FaultKind::Stopped))),
        1 => Just((Ended::Connect(ConnectFault::Refused), None, Some(FaultKind::Connect))),
        1 => Just((Ended::NotSent, None, None)),
    ];
    // Seldom, all gaps are lost, as in another tool's results.
    (
        instants,
        reads,
        tokens,
        (source, asked),
        ending,
        0_u32..2,
        prop_oneof![15 => Just(false), 1 => Just(true)],
    )
        .prop_map(
            |(
                (due, wait, first, tail),
                reads,
                (surplus, prompt, cached),
                (source, asked),
                ending,
                reconnects,
                lost,
            )| {
                let unit = 100_000;
                let due = Micros(due * unit);
                let mut facts = Facts { due, ended: ending.0, reconnects, ..Facts::default() };
                facts.finish_reason = ending.1.map(str::to_owned);
                facts.error = ending.2.map(|kind| Fault { kind, message: String::new() });
                if facts.ended == Ended::NotSent {
                    return facts;
                }
                if matches!(facts.ended, Ended::Connect(_)) {
                    facts.end = Some(Micros(due.0 + tail * unit));
                    return facts;
                }
                let sent = Micros(due.0 + wait * unit);
                let first_token = Micros(sent.0 + first * unit);
                let gaps: Vec<u64> = reads[1..].iter().map(|(gap, _)| gap * 7_000).collect();
                let last_token = Micros(first_token.0 + gaps.iter().sum::<u64>());
                facts.status = Some(200);
                facts.sent = Some(sent);
                facts.first_token = Some(first_token);
                facts.last_token = Some(last_token);
                facts.end = Some(Micros(last_token.0 + tail * unit));
                facts.token_events = reads.iter().map(|(_, events)| u64::from(*events)).sum();
                facts.output_tokens = surplus.map(|surplus| match source {
                    TokenSource::Events => Tokens(facts.token_events),
                    _ if surplus == 3 => Tokens((facts.token_events / 3).max(1)),
                    _ => Tokens((facts.token_events * (1 + surplus)).saturating_sub(surplus)),
                });
                facts.token_source = facts.output_tokens.map(|_| source);
                (facts.asked_input, facts.asked_output) = (asked.0.map(Tokens), asked.1.map(Tokens));
                facts.prompt_tokens = prompt.map(Tokens);
                facts.cached_tokens = cached.map(Tokens);
                if !lost {
                    facts.gaps_us = gaps;
                    facts.gap_events = reads.iter().map(|(_, events)| *events).collect();
                    if facts.gap_events.iter().all(|events| *events == 1) {
                        facts.gap_events.clear();
                    }
                }
                facts
            },
        )
}
