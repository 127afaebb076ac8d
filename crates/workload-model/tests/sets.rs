//! Sets that were drawn: as folders, what they hold, how they differ, and whether they still match a profile.

mod common;

use std::collections::BTreeMap;

use common::{at, facts, traffic};
use workload_model::{
    Group, Lengths, Openings, Plan, Sample, SampleSet, Schedule, SetFactsError, Stage, StageKind, Target,
    profile::{Card, Profile, ProfileFacts, assume, build},
    random::Stream,
    sampling::{Drawing, Drawn, Prompt, Take, from_profile, from_rows, from_texts},
    set::{Drift, Finding, Quantity, SetError, Verdict, diff, drift, holdings},
    sweep_plan,
    synthesis::{Ratios, Texts},
    traffic::{Call, Pseudonym, RowFacts, StampKind, Traffic},
};

/// Rows of two calls, `longer` times as long as they would be, of which `completions` in ten are completions.
fn rows(seed: u64, rows: i64, longer: u32, completions: u64) -> Vec<RowFacts> {
    let mut stream = Stream::new(seed, "rows");
    let mut length =
        |low: u64, spread: u64| (low + stream.below(spread) * stream.below(spread) / spread) as u32;
    let row = |second: i64| {
        let completion = (second as u64 * 7) % 10 < completions;
        let input = length(if completion { 150 } else { 40 }, 400) * longer;
        let (call, output) =
            (if completion { Call::Completion } else { Call::Chat }, length(5, 90) + input / 40);
        RowFacts { call, input_tokens: Some(input), output_tokens: Some(output), ..at(second) }
    };
    (0..rows).map(row).collect()
}

/// Traffic in groups by call, and its profile.
fn log(rows: Vec<RowFacts>) -> (Traffic, Profile) {
    let rows = rows.into_iter().map(|row| RowFacts { group: u16::from(row.call == Call::Completion), ..row });
    let mut traffic = traffic(StampKind::Arrival, false, rows);
    let card =
        Card::parse("[[group]]\nname = \"complete\"\nmatch = { call = \"completion\" }\n").expect("a card");
    let mut facts = facts(&mut traffic.clone());
    facts.grouped = workload_model::profile::Groups::of_card(&card).settle(&mut traffic, 1);
    let profile = build(&traffic, &facts).expect("a profile");
    assert_eq!(profile.groups.len(), 2);
    (traffic, profile)
}

fn draw(profile: &Profile, requests: u64, seed: u64) -> SampleSet {
    let drawing = Drawing { seed, ..Drawing::new("set", requests) };
    from_profile(profile, &drawing, &mut Texts::new(None, Ratios::default())).expect("a set").set
}

fn found(drift: &Drift, what: Quantity) -> Vec<Finding> {
    drift
        .comparisons
        .iter()
        .filter(|comparison| comparison.what == what)
        .map(|comparison| comparison.finding)
        .collect()
}

#[test]
fn a_set_matches_the_profile_that_it_was_drawn_from() {
    let (traffic, profile) = log(rows(1, 3000, 1, 3));
    for seed in 1..8 {
        let drift = drift(&draw(&profile, 200, seed), &profile);
        assert_eq!((drift.verdict, drift.comparisons.len()), (Verdict::Matches, 6), "seed {seed}: {drift:?}");
    }
    let drawn =
        from_rows(&traffic, &profile, &Drawing::new("rows", 1), &mut Texts::new(None, Ratios::default()));
    let drift = drift(&drawn.expect("a set").set, &profile);
    assert_eq!(drift.verdict, Verdict::Matches);
    let far = drift.comparisons.iter().find(|comparison| comparison.distance > 0.001);
    assert_eq!(far, None, "they are the same rows");
}

/// How many requests of each group a run of so many sends.
fn sent(set: &SampleSet, requests: u64) -> BTreeMap<String, u64> {
    let target = Target {
        url: "http://10.0.0.5:8000/v1".into(),
        model: "m".into(),
        service_version: None,
        backend: None,
        quantisation: None,
        hardware: None,
    };
    let group = ["other", "complete"].map(Group::new).to_vec();
    let stage = vec![Stage::closed("s", StageKind::Step, vec![1], vec![requests])];
    let plan = Plan { group, stage, ..sweep_plan(target, &[1], &[], 0) };
    let mut counts = BTreeMap::new();
    for slot in &Schedule::new(&plan, set).slots {
        *counts.entry(slot.group.to_string()).or_default() += 1;
    }
    counts
}

#[test]
fn a_run_sends_groups_as_the_set_was_drawn_and_leaves_out_calls_that_are_no_texts() {
    // Of eight requests that are no completions four are embeddings, of all that can be sent two in six are completions.
    let calls = |row: RowFacts| match row.call {
        Call::Chat if row.arrival_ns / 1_000_000_000 % 2 == 0 => {
            RowFacts { call: Call::Embeddings, output_tokens: None, ..row }
        }
        _ => row,
    };
    let made: Vec<RowFacts> = rows(1, 2000, 1, 2).into_iter().map(calls).collect();
    let asked = |call| made.iter().filter(|row| row.call == call).count() as f64;
    let share = asked(Call::Completion) / (asked(Call::Completion) + asked(Call::Chat));
    let (traffic, profile) = log(made.clone());
    let made_texts = || Texts::new(None, Ratios::default());
    let drawing = |take| Drawing { take, ..Drawing::new("rows", 1) };
    let by_rows = |take| from_rows(&traffic, &profile, &drawing(take), &mut made_texts()).expect("a set").set;
    for set in [draw(&profile, 300, 1), by_rows(Take::All), by_rows(Take::First(7))] {
        let facts = set.facts.as_ref().expect("facts");
        assert!((facts.groups[1].share - share).abs() < 1e-6, "{facts:?}");
        assert!((facts.groups.iter().map(|group| group.share).sum::<f64>() - 1.0).abs() < 2e-6);
        let sent = sent(&set, 1000);
        assert!(sent["complete"].abs_diff((share * 1000.0) as u64) <= 1, "{sent:?} where {share} is due");
    }
    let drift = drift(&draw(&profile, 300, 1), &profile);
    assert_eq!(found(&drift, Quantity::Share), [Finding::Matches; 2]);
    let texts = made.iter().filter(|row| row.call != Call::Embeddings).count() as u64;
    assert!(
        drift.comparisons.iter().all(|it| it.what != Quantity::Share || it.m == Some(texts)),
        "{drift:?}"
    );
}

#[test]
fn a_set_does_not_match_traffic_that_changed() {
    let (_, profile) = log(rows(1, 3000, 1, 3));
    let set = draw(&profile, 300, 1);
    let (_, doubled) = log(rows(2, 3000, 2, 3));
    let drift_of = |profile| drift(&set, profile);
    let longer = drift_of(&doubled);
    assert_eq!(longer.verdict, Verdict::SampleAgain);
    assert_eq!(found(&longer, Quantity::Input), [Finding::Drifted; 2]);
    assert_eq!(found(&longer, Quantity::Share), [Finding::Matches; 2]);
    let (_, moved) = log(rows(3, 3000, 1, 5));
    let moved = drift_of(&moved);
    assert_eq!(found(&moved, Quantity::Share), [Finding::Drifted; 2]);
    assert_eq!(found(&moved, Quantity::Output), [Finding::Matches; 2], "{moved:?}");
    let (_, again) = log(rows(4, 3000, 1, 3));
    assert_eq!(drift_of(&again).verdict, Verdict::Matches, "another week of the same traffic");

    let mut renamed = profile.clone();
    renamed.groups[1].name = "other name".to_owned();
    let renamed = drift_of(&renamed);
    assert_eq!(
        (renamed.only_in_set.as_slice(), renamed.only_in_profile.as_slice()),
        (&["complete".to_owned()][..], &["other name".to_owned()][..])
    );
    assert_eq!(renamed.verdict, Verdict::SampleAgain);
}

#[test]
fn a_set_that_is_too_small_says_that_it_cannot_tell() {
    let (_, profile) = log(rows(1, 3000, 1, 3));
    let few = drift(&draw(&profile, 6, 1), &profile);
    assert_eq!(few.verdict, Verdict::TooFew, "{few:?}");
    assert!(few.comparisons.iter().all(|comparison| comparison.bound >= 0.5));
    assert_eq!(drift(&SampleSet::default(), &profile).verdict, Verdict::SampleAgain);
    // Enough of one group, and of the other too few to tell.
    let (_, profile) = log(rows(1, 3000, 1, 1));
    let half = drift(&draw(&profile, 60, 1), &profile);
    let has = |finding| half.comparisons.iter().any(|comparison| comparison.finding == finding);
    assert!(has(Finding::Matches) && has(Finding::TooFew) && !has(Finding::Drifted), "{half:?}");
    assert_eq!(half.verdict, Verdict::TooFew);
}

#[test]
fn no_more_sets_than_stated_are_found_to_differ_from_their_own_profile() {
    let (traffic, profile) = log(rows(1, 4000, 1, 3));
    let all: Vec<RowFacts> = traffic.rows().map(|row| row.facts()).collect();
    let mut again = 0;
    for seed in 0..300 {
        // Rows at random, which lie farther from the profile than those drawn by strata.
        let mut stream = Stream::new(seed, "at random");
        let sample = |number: usize| {
            let row = all[stream.below(all.len() as u64) as usize];
            let group = if row.call == Call::Completion { "complete" } else { "other" };
            let lengths =
                Lengths { input: row.input_tokens.map(u64::from), output: row.output_tokens.map(u64::from) };
            Sample { group: group.to_owned(), lengths, ..Sample::new(format!("{number}"), Vec::new()) }
        };
        let set = SampleSet { measured: (0..150).map(sample).collect(), ..SampleSet::default() };
        again += u64::from(drift(&set, &profile).verdict == Verdict::SampleAgain);
    }
    assert!(again <= 15, "{again} of 300, where 5 % are allowed");
}

#[test]
fn a_set_made_of_rows_leaves_assumed_groups_out_and_that_is_no_drift() {
    let (traffic, _) = log(rows(1, 900, 1, 3));
    let card = Card::parse(
        "[[assumed]]\nname = \"long\"\ncovers = \"long_inputs\"\nshare = 0.25\n\
         input_tokens = { min = 2000, typical = 4000, max = 9000 }\nby = \"me\"\nbasis = \"contract\"\n",
    )
    .expect("a card");
    let mut traffic = traffic;
    let facts = ProfileFacts { card, ..facts(&mut traffic) };
    let profile = build(&traffic, &facts).expect("a profile");
    let drawing = Drawing::new("rows", 1);
    let rows =
        from_rows(&traffic, &profile, &drawing, &mut Texts::new(None, Ratios::default())).expect("a set");
    let message = serde_json::json!([{ "role": "user", "content": "Where is my parcel?" }]);
    let messages: Vec<_> = serde_json::from_value(message).expect("messages");
    let prompts = (0..900).map(|row| Prompt { row, messages: messages.clone() }).collect();
    let kept =
        from_texts(&traffic, &profile, &drawing, prompts, jiff::civil::date(2027, 1, 31)).expect("a set");
    for drawn in [rows, kept] {
        assert_eq!(drawn.account.assumed_left_out, ["long"]);
        let groups = &drawn.set.facts.as_ref().expect("facts").groups;
        assert!(groups.iter().all(|group| group.name != "long"), "{groups:?}");
        assert!((groups.iter().map(|group| group.share).sum::<f64>() - 1.0).abs() < 2e-6);
        let drift = drift(&drawn.set, &profile);
        assert_eq!((drift.verdict, drift.left_out), (Verdict::Matches, vec!["long".to_owned()]));
        assert!(drift.only_in_profile.is_empty() && drift.comparisons.iter().all(|it| it.distance < 0.001));
    }
    let mut nobody_knows = draw(&profile, 200, 1);
    nobody_knows.measured.retain(|sample| sample.group != "long");
    assert_eq!(
        drift(&nobody_knows, &profile).verdict,
        Verdict::SampleAgain,
        "one drawn from the profile has it"
    );
}

#[test]
fn assumptions_are_held_against_their_ranges() {
    let card = |typical: u32| {
        let text = format!(
            "[[assumed]]\nname = \"plan\"\ncovers = \"planned_traffic\"\nshare = 1\nby = \"me\"\nbasis = \"plan\"\n\
             input_tokens = {{ min = 50, typical = {typical}, max = 900 }}\noutput_tokens = {{ min = 5, typical = 9, max = 20 }}\n"
        );
        assume(&Card::parse(&text).expect("a card"), "plan", "test").expect("a profile")
    };
    let set = draw(&card(200), 100, 1);
    let same = drift(&set, &card(200));
    assert_eq!((same.verdict, same.comparisons.len()), (Verdict::Matches, 2));
    assert!(
        same.comparisons.iter().all(|comparison| comparison.m.is_none() && comparison.distance < 0.03),
        "{same:?}"
    );
    assert_eq!(drift(&set, &card(500)).verdict, Verdict::SampleAgain);
}

fn text(sample: &Sample) -> &str {
    sample.messages[0]["content"].as_str().unwrap_or_default()
}

#[test]
fn a_folder_gives_the_set_again_and_what_was_changed_is_refused() {
    let (_, profile) = log(rows(1, 300, 1, 3));
    let set = draw(&profile, 20, 1);
    let folder = set.to_folder_texts().expect("a drawn set");
    let read = |samples: &str, facts: &str| SampleSet::from_folder_texts(samples, facts);
    assert_eq!(read(&folder.samples, &folder.facts), Ok(set.clone()));
    assert_eq!(folder.samples.lines().count(), 20, "warm-ups are no part of it");
    assert_eq!(SampleSet::default().to_folder_texts(), None);

    let other = folder.samples.replacen("\"input\":", "\"input\":1", 1);
    assert!(matches!(read(&other, &folder.facts), Err(SetError::Digest { .. })));
    let newer = folder.facts.replacen("\"format\": 1", "\"format\": 2", 1);
    assert_eq!(read(&folder.samples, &newer), Err(SetError::Facts(SetFactsError::NewerFormat { found: 2 })));
    let told = read(&folder.samples, "{").map_err(|error| error.to_string());
    assert!(told.is_err_and(|told| told.starts_with("read sample-set.json: ")));

    // Sets whose digest holds, since somebody made it anew.
    let said = |change: &dyn Fn(&mut SampleSet)| {
        let mut changed = set.clone();
        change(&mut changed);
        let folder = changed.to_folder_texts().expect("texts");
        read(&folder.samples, &folder.facts).map_err(|error| error.to_string()).err().unwrap_or_default()
    };
    let turn = |number| Some(workload_model::Turn { session: "c1".to_owned(), number, think_us: 0 });
    type Change<'a> = (&'a dyn Fn(&mut SampleSet), &'a str);
    let changes: [Change<'_>; 9] = [
        (&|set| set.measured[3].messages.clear(), "cannot be sent: its list of messages is empty"),
        (
            &|set| drop(set.measured[3].messages[0].remove("role")),
            "cannot be sent: a message has no \"role\"",
        ),
        (&|set| drop(set.measured[3].messages[0].remove("content")), "cannot be sent: no message has text"),
        (&|set| set.measured[3].id = set.measured[2].id.clone(), "is there twice"),
        (&|set| set.measured[3].group = "nobody's".to_owned(), "where sample-set.json says"),
        (&|set| set.measured[3].turn = turn(2), "turn 2 of conversation \"c1\" comes after turn 0"),
        (
            &|set| (set.measured[3].arrival_us, set.measured[4].arrival_us) = (Some(4), Some(3)),
            "it arrived before",
        ),
        (
            &|set| set.measured[3].origin = workload_model::Origin::Recorded,
            "1 samples are somebody's own words",
        ),
        (
            &|set| set.facts.iter_mut().for_each(|facts| facts.retain_until = Some("soon".to_owned())),
            "\"soon\"",
        ),
    ];
    for (change, words) in changes {
        assert!(said(change).contains(words), "{words}: {}", said(change));
    }
}

#[test]
fn a_set_tells_what_it_holds() {
    let session = |at: u64| Some(Pseudonym(at));
    let mut made = Vec::new();
    for (second, (input, of)) in [(100, 1), (300, 1), (90, 2), (80, 0), (85, 0)].into_iter().enumerate() {
        let session = if of > 0 { session(of) } else { None };
        made.push(RowFacts { input_tokens: Some(input), session, ..at(second as i64 * 9) });
    }
    made.push(RowFacts { call: Call::Completion, ..at(99) });
    let (traffic, profile) = log(made);
    let Drawn { set, .. } =
        from_rows(&traffic, &profile, &Drawing::new("rows", 1), &mut Texts::new(None, Ratios::default()))
            .expect("a set");
    let holds = holdings(&set);
    assert_eq!(
        holds.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(),
        ["other", "complete"]
    );
    let other = &holds.groups[0];
    assert_eq!((other.samples, other.input_tokens, other.output_tokens), (5, 655, 50));
    assert_eq!(other.conversations, BTreeMap::from([(1, 1), (2, 1)]));
    assert_eq!(other.input.map(|input| (input.min, input.p50, input.max)), Some((80.0, 90.0, 300.0)));
    assert_eq!(other.origins, BTreeMap::from([(metrics_core::Origin::Real, 5)]));
    assert_eq!((holds.all.samples, holds.all.duplicates, holds.all.shared_prefixes), (6, 0, 0.0));
}

#[test]
fn prompts_with_a_common_beginning_share_a_prefix() {
    let (traffic, profile) = log(rows(1, 4, 1, 3));
    let system = "You answer questions of customers. ".repeat(30);
    let prompt = |row: u64, question: &str| {
        let messages = serde_json::json!([{ "role": "system", "content": system }, { "role": "user", "content": question }]);
        Prompt { row, messages: serde_json::from_value(messages).expect("messages") }
    };
    let prompts = vec![
        prompt(0, "Where is my parcel?"),
        prompt(1, "Where is my parcel?"),
        prompt(2, "May I return it?"),
    ];
    let day = jiff::civil::date(2027, 1, 31);
    let set = from_texts(&traffic, &profile, &Drawing::new("kept", 1), prompts, day).expect("a set").set;
    let holds = holdings(&set).all;
    assert_eq!((holds.samples, holds.duplicates), (3, 1));
    assert!((0.55..0.67).contains(&holds.shared_prefixes), "two of three: {}", holds.shared_prefixes);
    assert_eq!(set.facts.as_ref().map(|facts| facts.openings), Some(Openings::Shared));
    let folder = set.to_folder_texts().expect("texts");
    assert_eq!(SampleSet::from_folder_texts(&folder.samples, &folder.facts), Ok(set));
}

#[test]
fn two_sets_are_told_apart() {
    let (_, profile) = log(rows(1, 300, 1, 3));
    let set = draw(&profile, 20, 1);
    let same = diff(&set, &set);
    assert!(same.sends_the_same() && same.facts.is_empty() && same.same == 20);
    assert_eq!(same.groups[0].first, same.groups[0].second);

    let mut changed = set.clone();
    changed.measured[0].messages = set.measured[1].messages.clone();
    changed.measured[2].lengths.output = None;
    changed.measured.swap(4, 5);
    changed.measured.pop();
    let mut new = set.measured[0].clone();
    (new.id, new.group) = ("s-new".to_owned(), "new".to_owned());
    changed.measured.push(new);
    let told = diff(&set, &changed);
    let id = |at: usize| vec![set.measured[at].id.clone()];
    assert_eq!((told.other_messages.clone(), told.other_facts.clone()), (id(0), id(2)));
    assert_eq!((told.only_first.clone(), told.only_second.clone()), (id(19), vec!["s-new".to_owned()]));
    assert!(!told.same_order && !told.sends_the_same() && told.same == 17);
    let new = told.groups.iter().find(|group| group.name == "new").expect("the group");
    assert!(new.first.is_none() && new.second.as_ref().is_some_and(|group| group.samples == 1));

    let other = draw(&profile, 20, 2);
    let told = diff(&set, &other);
    assert_eq!((told.same, told.only_first.len()), (0, 20));
    assert_ne!(text(&set.measured[0]), text(&other.measured[0]));
    let keys: Vec<&str> = told.facts.iter().map(|fact| fact.what).collect();
    assert_eq!(keys, ["samples_sha256", "seed"]);
}
