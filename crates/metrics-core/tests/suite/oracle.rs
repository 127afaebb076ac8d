//! Every figure by brute force: each definition of the norm written down as naively as it reads, compared
//! with [`metrics_core::summarize`] on random small runs.

use std::collections::BTreeMap;

use metrics_core::{
    Bound, Distribution, Ended, Facts, Figures, Micros, Origin, Outcome, PlannedCount, Record, Seconds,
    Summary, TokenSource, classify,
};
use proptest::prelude::*;

use crate::{
    oracle_parts::{check_lengths, check_origins},
    random_runs::scenes,
    scene::Scene,
};

#[derive(Debug, Clone)]
pub(crate) struct Row {
    stage: String,
    tier: Option<u32>,
    group: String,
    pub(crate) origin: Option<Origin>,
    turn: Option<u32>,
    tries: u64,
    pub(crate) facts: Facts,
    pub(crate) outcome: Outcome,
}

/// One row a planned request: the last try, waited for since the first was due.
fn rows(scene: &Scene) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut seen = Vec::new();
    for record in &scene.records {
        let key = (&record.stage, record.tier, record.seq);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let tries: Vec<&Record> =
            scene.records.iter().filter(|other| (&other.stage, other.tier, other.seq) == key).collect();
        let highest = tries.iter().map(|record| record.attempt).max().unwrap();
        let last = tries.iter().rev().find(|record| record.attempt == highest).unwrap();
        let mut facts = last.facts.clone();
        facts.due = tries.iter().map(|record| record.facts.due).min().unwrap();
        let rule = scene.rules.get(&last.group).cloned().unwrap_or_default();
        let planned = scene
            .planned
            .iter()
            .any(|p| p.measured && p.stage == last.stage && p.tier == last.tier && p.group == last.group);
        if planned {
            rows.push(Row {
                stage: last.stage.clone(),
                tier: last.tier,
                group: last.group.clone(),
                origin: last.origin,
                turn: last.turn,
                tries: tries.len() as u64,
                outcome: classify(&facts, &rule),
                facts,
            });
        }
    }
    rows
}

fn planned(scene: &Scene, rows: &[Row], belongs: impl Fn(&PlannedCount) -> bool) -> u64 {
    let cells = scene.planned.iter().filter(|cell| cell.measured && belongs(cell));
    // Parts of one place are planned together.
    let mut places = BTreeMap::new();
    for cell in cells {
        *places.entry((&cell.stage, cell.tier, &cell.group)).or_insert(0) += cell.count;
    }
    places
        .into_iter()
        .map(|(place, count)| {
            let there = rows.iter().filter(|row| (&row.stage, row.tier, &row.group) == place);
            count.max(there.count() as u64)
        })
        .sum()
}

/// When every token-bearing event came.
fn arrivals(facts: &Facts) -> Vec<u64> {
    let mut at = match facts.first_token {
        Some(first) => first.0,
        None => return Vec::new(),
    };
    let mut all = Vec::new();
    for read in 0..=facts.gaps_us.len() {
        if read > 0 {
            at += facts.gaps_us[read - 1];
        }
        let events = if facts.gap_events.is_empty() { 1 } else { facts.gap_events[read] };
        all.extend(vec![at; events as usize]);
    }
    all
}

fn seconds(from: Option<Micros>, to: Option<Micros>) -> Option<f64> {
    Some((to?.0 - from?.0) as f64 / 1e6)
}

fn ended(facts: &Facts) -> Option<Micros> {
    if matches!(facts.ended, Ended::Done | Ended::Eof) { facts.end } else { None }
}

/// (tokens after the first read, first to last token), where both exist.
fn decoding(facts: &Facts) -> Option<(f64, f64)> {
    let tokens = facts.output_tokens?.0 as f64;
    if arrivals(facts).len() == 1 && facts.token_events > 1 {
        return None;
    }
    let first_read = if facts.gap_events.is_empty() { 1 } else { facts.gap_events[0] };
    let in_first = tokens * f64::from(first_read) / facts.token_events as f64;
    let span = seconds(facts.first_token, facts.last_token)?;
    let exists = tokens >= 2.0 && span > 0.0 && facts.token_events > u64::from(first_read);
    exists.then_some((tokens - in_first, span))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 2e-9 + 1e-9 * a.abs().max(b.abs())
}

fn same(a: Option<f64>, b: Option<f64>, within: f64) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => (a - b).abs() <= within,
        _ => false,
    }
}

/// P(Bin(n, p) = k) in logarithms, by adding up.
fn point(n: usize, p: f64, k: usize) -> f64 {
    let ln_factorial = |n: usize| (1..=n).map(|i| (i as f64).ln()).sum::<f64>();
    let ways = ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k);
    (ways + k as f64 * p.ln() + (n - k) as f64 * (1.0 - p).ln()).exp()
}

fn check_distribution(name: &str, found: &Distribution, mut values: Vec<f64>, left_out: u64) {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    assert_eq!((found.n, found.left_out), (n as u64, left_out), "{name}");
    let get = |value: Option<Seconds>| value.map(Seconds::get);
    let mean = (n > 0).then(|| values.iter().sum::<f64>() / n as f64);
    assert!(same(get(found.mean), mean, 2e-9), "{name}.mean: {:?}, not {mean:?}", found.mean);
    assert!(same(get(found.min), values.first().copied(), 1e-9), "{name}.min");
    assert!(same(get(found.max), values.last().copied(), 1e-9), "{name}.max");
    for (percent, value, bound) in [
        (50, found.p50, found.bounds.p50),
        (90, found.p90, found.bounds.p90),
        (95, found.p95, found.bounds.p95),
        (99, found.p99, found.bounds.p99),
    ] {
        // The smallest value that at least so many percent of the values do not exceed.
        let expected =
            values.iter().copied().find(|v| values.iter().filter(|w| *w <= v).count() * 100 >= percent * n);
        assert!(same(get(value), expected, 1e-9), "{name}.p{percent}: {value:?}, not {expected:?}");
        let p = percent as f64 / 100.0;
        let points: Vec<f64> = (0..=n).map(|k| point(n, p, k)).collect();
        let low = (1..=n).rev().find(|r| points[..*r].iter().sum::<f64>() <= 0.025);
        let high = (1..=n).find(|s| points[*s..].iter().sum::<f64>() <= 0.025);
        let Bound(found_low, found_high) = bound;
        assert!(same(get(found_low), low.map(|r| values[r - 1]), 1e-9), "{name}.bounds.p{percent} low");
        assert!(same(get(found_high), high.map(|s| values[s - 1]), 1e-9), "{name}.bounds.p{percent} high");
    }
}

/// `all` are the rows among which these were served: rates are per second of their windows.
fn check_figures(
    found: &Figures,
    rows: &[&Row],
    all: &[Row],
    planned: u64,
    slots: Option<u32>,
    interrupted: bool,
) {
    let effective: Vec<&Facts> =
        rows.iter().filter(|row| row.outcome == Outcome::Effective).map(|row| &row.facts).collect();
    let n = effective.len() as u64;
    assert_eq!((found.planned, found.effective), (planned, n));
    let unfinished = |row: &&&Row| match row.outcome {
        Outcome::NotSent => true,
        Outcome::Cancelled => interrupted || row.facts.error.is_some(),
        _ => false,
    };
    assert_eq!(found.finished, (rows.len() - rows.iter().filter(unfinished).count()) as u64);
    let mut outcomes = BTreeMap::new();
    for row in rows {
        *outcomes.entry(row.outcome).or_insert(0) += 1;
    }
    assert_eq!(found.outcomes, outcomes);
    let rate = (planned > 0).then(|| n as f64 / planned as f64);
    assert!(same(found.success_rate, rate, 6e-7) && same(found.attainment, rate, 6e-7));
    match found.success_rate_low {
        None => assert_eq!(planned, 0),
        Some(_) if n == 0 => assert_eq!(found.success_rate_low, Some(0.0)),
        // The bound is where the tail reaches 5 %.
        Some(low) => {
            let tail = |p: f64| (n..=planned).map(|k| point(planned as usize, p, k as usize)).sum::<f64>();
            assert!(tail(low) <= 0.05 && tail(low + 2e-6) > 0.05, "{low} for {n} of {planned}");
        }
    }

    let left_out = |values: &[f64]| planned - values.len() as u64;
    let check = |name: &str, found: &Distribution, value: &dyn Fn(&Facts) -> Option<f64>| {
        let values: Vec<f64> = effective.iter().filter_map(|facts| value(facts)).collect();
        let left_out = left_out(&values);
        check_distribution(name, found, values, left_out);
    };
    let per_token = |f: &Facts| Some(seconds(Some(f.due), ended(f))? / f.output_tokens?.0 as f64);
    check("ttft_s", &found.ttft_s, &|f| seconds(Some(f.due), f.first_token));
    check("e2e_s", &found.e2e_s, &|f| seconds(Some(f.due), ended(f)));
    check("from_sent.ttft_s", &found.from_sent.ttft_s, &|f| seconds(f.sent, f.first_token));
    check("from_sent.e2e_s", &found.from_sent.e2e_s, &|f| seconds(f.sent, ended(f)));
    check("e2e_per_token_s", &found.e2e_per_token_s, &|f| per_token(f).filter(|value| value.is_finite()));
    check("tpot_s", &found.tpot_s, &|f| decoding(f).map(|(tokens, span)| span / tokens));

    let decoded: Vec<(f64, f64)> =
        effective.iter().filter_map(|f| Some((decoding(f)?.0, f.output_tokens?.0 as f64 - 1.0))).collect();
    let (after, usual) = decoded.iter().fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    // At the very edge of 2 % the last bit of a sum decides, and two ways of adding up may differ in it.
    let beyond = (after - usual).abs() - 0.02 * usual;
    assert!(beyond.abs() < 1e-9 || found.tpot_usual_s.is_some() == (beyond > 0.0), "{after} against {usual}");
    if let Some(found) = &found.tpot_usual_s {
        check("tpot_usual_s", found, &|f| Some(decoding(f)?.1 / (f.output_tokens?.0 as f64 - 1.0)));
    }

    let mut gaps = Vec::new();
    for facts in &effective {
        gaps.extend(arrivals(facts).windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e6));
    }
    let with_gaps = effective.iter().filter(|facts| arrivals(facts).len() > 1).count() as u64;
    check_distribution("inter_event_s", &found.inter_event_s, gaps, planned - with_gaps);

    let sum = |count: &dyn Fn(&Facts) -> Option<u64>| {
        let counts: Vec<Option<u64>> = effective.iter().map(|facts| count(facts)).collect();
        (n > 0 && counts.iter().all(Option::is_some)).then(|| counts.into_iter().flatten().sum::<u64>())
    };
    let output = sum(&|f| f.output_tokens.map(|t| t.0));
    let input = sum(&|f| f.prompt_tokens.map(|t| t.0));
    assert_eq!((found.output_tokens, found.input_tokens), (output, input));

    let told: Vec<(u64, u64)> = effective
        .iter()
        .filter(|f| f.token_source != Some(TokenSource::Events) && f.output_tokens.is_some())
        .map(|f| (f.output_tokens.unwrap().0, f.token_events))
        .collect();
    let (tokens, events) = told.iter().fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    let per_event = (events > 0).then(|| tokens as f64 / events as f64);
    assert!(same(found.tokens_per_event, per_event, 6e-7));
    let agree = tokens > 0 && (tokens as f64 - events as f64).abs() <= 0.02 * tokens as f64;
    assert_eq!(found.inter_event_is_itl, agree && told.len() as u64 == n);

    // Every stage and tier has a window of its own.
    let mut parts: Vec<(&str, Option<u32>)> = Vec::new();
    for row in rows {
        if !parts.contains(&(&row.stage, row.tier)) {
            parts.push((&row.stage, row.tier));
        }
    }
    let mut window = None;
    for part in &parts {
        let sent: Vec<&Facts> = all
            .iter()
            .filter(|row| (row.stage.as_str(), row.tier) == *part && row.facts.ended != Ended::NotSent)
            .map(|row| &row.facts)
            .collect();
        let last = sent.iter().filter_map(|f| f.end).max();
        // Where none of its own was sent and has ended, nothing was served.
        let own = rows.iter().filter(|row| (row.stage.as_str(), row.tier) == *part);
        if !own.clone().any(|row| row.facts.ended != Ended::NotSent && row.facts.end.is_some()) {
            continue;
        }
        if let (Some(first), Some(last)) = (sent.iter().map(|f| f.due).min(), last) {
            *window.get_or_insert(0.0) += (last.0 - first.0) as f64 / 1e6;
        }
    }
    assert!(same(found.window_s.map(Seconds::get), window, 1e-9), "{:?}, not {window:?}", found.window_s);
    let rate = |number: Option<u64>| Some(number? as f64 / window.filter(|w| *w > 0.0)?);
    let some = (n > 0).then_some(n);
    assert!(same(found.output_tps, rate(output), 6e-7));
    assert!(same(found.total_tps, rate(output.zip(input).map(|(o, i)| o + i)), 6e-7));
    assert!(same(found.rps, rate(some), 6e-7) && same(found.goodput_rps, rate(some), 6e-7));

    let sustained = slots.and_then(|slots| sustained(rows, &effective, slots));
    assert!(
        same(found.sustained_output_tps, sustained, 6e-7),
        "{:?}, not {sustained:?}",
        found.sustained_output_tps
    );
    assert_eq!(found.sustained_absent.is_none(), found.sustained_output_tps.is_some());

    let cached: Vec<(u64, u64)> =
        effective.iter().filter_map(|f| Some((f.cached_tokens?.0, f.prompt_tokens?.0))).collect();
    let (part, whole) = cached.iter().fold((0, 0), |sum, next| (sum.0 + next.0, sum.1 + next.1));
    assert!(same(found.cached_input_share, (whole > 0).then(|| part as f64 / whole as f64), 6e-7));
    let mut sources: Vec<_> = effective.iter().filter_map(|f| f.token_source).collect();
    sources.sort();
    sources.dedup();
    let word = match sources[..] {
        [] => None,
        [TokenSource::Usage] => Some("usage"),
        [TokenSource::Tokenizer] => Some("tokenizer"),
        [TokenSource::Events] => Some("events"),
        _ => Some("mixed"),
    };
    assert_eq!(found.token_source.as_deref(), word);
    check_lengths(found.lengths.as_ref(), rows);
    let retried = rows.iter().filter(|row| row.tries > 1).count() as u64;
    assert_eq!(found.retried.unwrap_or(0), retried);
    let tries = rows.iter().map(|row| row.tries).sum::<u64>();
    assert_eq!(found.tries, (retried > 0).then_some(tries));
    assert_eq!(found.reconnects, rows.iter().map(|row| u64::from(row.facts.reconnects)).sum::<u64>());
}

fn check_turns(scene: &Scene, rows: &[Row], summary: &Summary) {
    let numbers: Vec<u32> = summary.turns.iter().map(|turn| turn.turn).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.iter().all(|number| *number <= 10));
    let mut told = 0;
    for turn in &summary.turns {
        let is_it = |number: u32| number == turn.turn || (turn.turn == 10 && number > 10);
        let mine: Vec<&Row> = rows.iter().filter(|row| row.turn.is_some_and(is_it)).collect();
        told += mine.len();
        check_figures(&turn.figures, &mine, rows, mine.len() as u64, None, scene.interrupted);
        let of_groups: u64 = turn.groups.iter().map(|group| group.figures.planned).sum();
        assert_eq!(of_groups, turn.figures.planned, "both groups are in every run");
        for group in &turn.groups {
            let of_it: Vec<&Row> = mine.iter().filter(|row| row.group == group.name).copied().collect();
            check_figures(&group.figures, &of_it, rows, of_it.len() as u64, None, scene.interrupted);
        }
    }
    assert_eq!(told, rows.iter().filter(|row| row.turn.is_some()).count());
}

fn sustained(rows: &[&Row], effective: &[&Facts], slots: u32) -> Option<f64> {
    // A place between turns or tries is idle.
    if effective.is_empty() || rows.iter().any(|row| row.turn.is_some() || row.tries > 1) {
        return None;
    }
    let mut sent: Vec<u64> = rows.iter().filter_map(|row| row.facts.sent).map(|at| at.0).collect();
    sent.sort_unstable();
    let from = *sent.get(slots as usize - 1)?;
    let begun: Vec<&Facts> =
        rows.iter().map(|row| &row.facts).filter(|facts| facts.ended != Ended::NotSent).collect();
    let last_due = begun.iter().map(|facts| facts.due.0).max()?;
    let until =
        begun.iter().filter_map(|facts| facts.end).map(|at| at.0).filter(|end| *end > last_due).min()?;
    let mut tokens = 0.0;
    for facts in effective {
        let arrivals = arrivals(facts);
        if arrivals.len() as u64 != facts.token_events {
            return None;
        }
        let each = facts.output_tokens?.0 as f64 / facts.token_events as f64;
        tokens += arrivals.iter().filter(|at| (from..=until).contains(*at)).count() as f64 * each;
    }
    (until > from).then(|| tokens / ((until - from) as f64 / 1e6))
}

fn check_summary(scene: &Scene, summary: &Summary) {
    let rows = rows(scene);
    let all: Vec<&Row> = rows.iter().collect();
    let totals = &summary.totals;
    assert_eq!(totals.planned, planned(scene, &rows, |_| true));
    assert_eq!(totals.sent, all.iter().filter(|row| row.facts.ended != Ended::NotSent).count() as u64);
    assert_eq!(totals.effective, all.iter().filter(|row| row.outcome == Outcome::Effective).count() as u64);
    assert_eq!(totals.outcomes.values().sum::<u64>(), rows.len() as u64);

    let told = scene.records.iter().any(|record| record.origin.is_some());

    // Tier 1 ran in two stages, so that it has no sustained rate.
    let tiers: Vec<u32> = summary.tiers.iter().map(|tier| tier.concurrency).collect();
    assert_eq!(tiers, [1, 2, 3]);
    for tier in &summary.tiers {
        let mine: Vec<&Row> = rows.iter().filter(|row| row.tier == Some(tier.concurrency)).collect();
        let planned = planned(scene, &rows, |cell| cell.tier == Some(tier.concurrency));
        let slots = (tier.concurrency != 1).then_some(tier.concurrency);
        check_figures(&tier.figures, &mine, &rows, planned, slots, scene.interrupted);
        let counts = (tier.figures.planned, tier.figures.finished, tier.figures.effective);
        check_origins(&tier.figures.origins, &mine, counts, told);
        let names: Vec<&str> = tier.groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, [&["a"][..], &["a", "b"], &["b"]][tier.concurrency as usize - 1]);
        for group in &tier.groups {
            let of_it: Vec<&Row> = mine.iter().filter(|row| row.group == group.name).copied().collect();
            let planned = self::planned(scene, &rows, |cell| {
                cell.tier == Some(tier.concurrency) && cell.group == group.name
            });
            // Only the whole of a tier has a sustained rate.
            let slots = slots.filter(|_| tier.groups.len() == 1);
            check_figures(&group.figures, &of_it, &rows, planned, slots, scene.interrupted);
        }
        let sum =
            |count: fn(&Figures) -> u64| tier.groups.iter().map(|group| count(&group.figures)).sum::<u64>();
        assert_eq!((sum(|f| f.planned), sum(|f| f.finished), sum(|f| f.effective)), counts);
    }
    check_turns(scene, &rows, summary);
    check_origins(&totals.origins, &all, (totals.planned, totals.finished, totals.effective), told);
    let names: Vec<&str> = summary.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    for group in &summary.groups {
        let mine: Vec<&Row> = rows.iter().filter(|row| row.group == group.name).collect();
        let planned = planned(scene, &rows, |cell| cell.group == group.name);
        check_figures(&group.figures, &mine, &rows, planned, None, scene.interrupted);
    }
    assert_eq!(totals.finished, summary.groups.iter().map(|group| group.figures.finished).sum::<u64>());

    let highest = summary.tiers.iter().filter_map(|tier| tier.figures.output_tps).reduce(f64::max);
    assert_eq!(summary.peak.output_tps, highest);
    let at = summary.tiers.iter().find(|tier| highest.is_some() && tier.figures.output_tps == highest);
    assert_eq!(summary.peak.output_tps_tier, at.map(|tier| tier.concurrency));
    let highest = summary.tiers.iter().filter_map(|tier| tier.figures.total_tps).reduce(f64::max);
    assert_eq!(summary.peak.total_tps, highest);

    let last = scene.records.iter().filter_map(|record| record.facts.end).max();
    assert!(match (summary.run.duration_s, last) {
        (Some(found), Some(last)) => close(found.get(), last.0 as f64 / 1e6),
        (found, last) => found.is_none() && last.is_none(),
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_figure_is_what_the_norm_says(scene in scenes()) {
        check_summary(&scene, &scene.summary());
    }
}

/// The random runs reach what they are meant to reach; otherwise their agreement would say little.
#[test]
fn the_random_runs_are_rich() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let (mut sustained, mut usual, mut itl, mut mixed, mut retried, mut effective) = (0, 0, 0, 0, 0, 0);
    let (mut apart, mut later, mut lengths) = (0, 0, 0);
    for _ in 0..300 {
        let scene = scenes().new_tree(&mut runner).unwrap().current();
        let summary = scene.summary();
        for tier in &summary.tiers {
            sustained += u32::from(tier.figures.sustained_output_tps.is_some());
            usual += u32::from(tier.figures.tpot_usual_s.is_some());
            itl += u32::from(tier.figures.inter_event_is_itl);
            mixed += u32::from(tier.figures.token_source.as_deref() == Some("mixed"));
            effective += tier.figures.effective;
        }
        apart += u32::from(summary.totals.origins.len() > 2);
        later += u32::from(summary.turns.iter().any(|turn| turn.turn == 10 && turn.figures.effective > 1));
        lengths += u32::from(summary.tiers.iter().all(|tier| tier.figures.lengths.is_some()));
        retried += u32::from(scene.records.iter().any(|record| record.attempt > 0));
    }
    for (what, times) in
        [("sustained", sustained), ("usual", usual), ("itl", itl), ("mixed", mixed), ("retried", retried)]
            .into_iter()
            .chain([("origins", apart), ("later turns", later), ("lengths", lengths)])
    {
        assert!(times >= 20, "{what}: only {times}");
    }
    assert!(effective > 1_000, "only {effective} effective requests");
}
