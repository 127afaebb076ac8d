use std::collections::{BTreeMap, BTreeSet};

use metrics_core::Micros;

use super::*;
use crate::{
    DrawnFrom, Openings, Sample, SampleSet,
    profile::{Card, Facet, Groups, LEAST_ROWS, Profile, ProfileFacts, assume, build},
    random::Stream,
    synthesis::{Ratios, Texts, Tongue},
    traffic::{
        Call, Ending, Facets, Grouping as _, Pseudonym, Row, RowFacts, StampKind, StampSource, Traffic,
    },
};

const SECOND: i64 = 1_000_000_000;

fn row(second: i64, input: u32, output: u32) -> RowFacts {
    RowFacts {
        arrival_ns: 1_795_046_400 * SECOND + second * SECOND,
        source: 0,
        file: 0,
        line: 1,
        group: 0,
        call: Call::Chat,
        ending: Ending::Ok,
        stream: Some(true),
        input_tokens: Some(input),
        output_tokens: Some(output),
        output_cut: false,
        ttft: None,
        duration: Some(Micros(2_000_000)),
        caller: None,
        session: None,
    }
}

/// Traffic of these rows by call, and its profile.
fn log(
    rows: impl IntoIterator<Item = RowFacts>,
    change: impl Fn(ProfileFacts) -> ProfileFacts,
) -> (Traffic, Profile) {
    grouped(Groups::of_facet(Facet::Call), rows, change)
}

/// Traffic of these rows in groups, by who called, and its profile.
fn grouped(
    mut groups: Groups,
    rows: impl IntoIterator<Item = RowFacts>,
    change: impl Fn(ProfileFacts) -> ProfileFacts,
) -> (Traffic, Profile) {
    let mut traffic = Traffic::default();
    traffic.sources.push(StampSource {
        words: "time".to_owned(),
        kind: StampKind::Arrival,
        resolution_ns: 1,
        relative: false,
    });
    for facts in rows {
        let group = groups.group_of(&Facets {
            call: facts.call,
            model: None,
            path: None,
            label: None,
            label_pseudonym: None,
            caller: None,
            caller_pseudonym: facts.caller,
            input_tokens: facts.input_tokens,
            output_tokens: facts.output_tokens,
            stream: facts.stream,
        });
        traffic.push(Row::new(RowFacts { group, ..facts }));
    }
    let facts = change(ProfileFacts::new(groups.settle(&mut traffic, LEAST_ROWS), "jsonl"));
    let profile = build(&traffic, &facts).expect("a profile");
    (traffic, profile)
}

/// Languages of the blocks of groups of which no language is known.
const BLOCK_TONGUES: [(Tongue, u32); 2] = [(Tongue::Zh, 1), (Tongue::En, 1)];

fn texts() -> Texts {
    Texts::new(None, Ratios::default())
}

/// A day of requests of two calls, in conversations of up to four turns whose inputs grow; `secret` changes pseudonyms alone.
fn conversations(secret: u64) -> Vec<RowFacts> {
    let mut stream = Stream::new(3, "a log");
    let mut rows = Vec::new();
    for conversation in 0..300_u64 {
        let mut input = 60 + stream.below(400) as u32;
        let mut second = stream.below(80_000) as i64;
        let call = if conversation % 3 == 0 { Call::Completion } else { Call::Chat };
        for _ in 0..1 + stream.below(4) {
            let output = 20 + stream.below(300) as u32;
            let pseudonym = |name: u64| Some(Pseudonym(Stream::new(secret, &format!("{name}")).bits()));
            rows.push(RowFacts {
                call,
                session: pseudonym(conversation),
                caller: pseudonym(1_000_000 + conversation % 7),
                ..row(second, input, output)
            });
            input += output + 10 + stream.below(200) as u32;
            second += 3 + stream.below(60) as i64;
        }
    }
    rows.sort_by_key(|row| row.arrival_ns);
    rows
}

fn by_profile(profile: &Profile, requests: u64) -> Drawn {
    from_profile(profile, &Drawing::new("a set", requests), &mut texts()).expect("a set")
}

fn by_rows(traffic: &Traffic, profile: &Profile, take: Take) -> Drawn {
    let drawing = Drawing { take, ..Drawing::new("a set", 1) };
    from_rows(traffic, profile, &drawing, &mut texts()).expect("a set")
}

/// Ids, lengths, turns and texts, without the group.
fn bodies(set: &SampleSet) -> Vec<Sample> {
    set.measured.iter().map(|sample| Sample { group: String::new(), ..sample.clone() }).collect()
}

/// Turns of every conversation, which are complete and in order.
fn turns(set: &SampleSet) -> BTreeMap<String, Vec<&Sample>> {
    let mut turns: BTreeMap<String, Vec<&Sample>> = BTreeMap::new();
    for sample in &set.measured {
        if let Some(turn) = &sample.turn {
            let turns = turns.entry(turn.session.clone()).or_default();
            turns.push(sample);
            assert_eq!(turn.number as usize, turns.len(), "{}", sample.id);
            assert_eq!(turns[0].group, sample.group);
        }
    }
    turns
}

fn inputs<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Vec<u64> {
    samples.into_iter().filter_map(|sample| sample.lengths.input).collect()
}

#[test]
fn the_same_profile_and_seed_give_the_same_set_and_another_seed_gives_another() {
    let (_, profile) = log(conversations(1), |facts| facts);
    let (one, again) = (by_profile(&profile, 200), by_profile(&profile, 200));
    assert_eq!(one, again);
    let other = Drawing { seed: 2, ..Drawing::new("a set", 200) };
    let other = from_profile(&profile, &other, &mut texts()).expect("a set");
    let ids =
        |drawn: &Drawn| drawn.set.measured.iter().map(|sample| sample.id.clone()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&one).len(), 200, "ids are unique");
    assert!(ids(&one).is_disjoint(&ids(&other)));
    assert!(one.set.measured.iter().all(|sample| sample.id.starts_with("s-")));
    let facts = one.set.facts.as_ref().expect("facts");
    assert_eq!(
        (facts.source.drawn_from, facts.openings, facts.seed),
        (DrawnFrom::Profile, Openings::Unique, 1)
    );
    assert_eq!(facts.groups.iter().map(|group| group.samples).sum::<u64>(), 200);
    assert_eq!(facts.source.profile_sha256, profile.digest());
}

#[test]
fn no_secret_of_an_import_enters_ids_or_texts() {
    let ((first, profile), (second, other)) =
        (log(conversations(1), |facts| facts), log(conversations(2), |facts| facts));
    assert_ne!(first.rows().next().map(Row::session), second.rows().next().map(Row::session));
    assert_eq!(by_profile(&profile, 150).set, by_profile(&other, 150).set);
    assert_eq!(by_rows(&first, &profile, Take::All).set, by_rows(&second, &other, Take::All).set);
    // Where groups are called by pseudonyms, these are in no id and no text.
    let by_caller = |secret| grouped(Groups::of_facet(Facet::Caller), conversations(secret), |facts| facts);
    let ((first, profile), (second, other)) = (by_caller(1), by_caller(2));
    assert_ne!(profile.groups[0].name, other.groups[0].name);
    assert_eq!(bodies(&by_profile(&profile, 150).set), bodies(&by_profile(&other, 150).set));
    let rows = |traffic, profile| bodies(&by_rows(traffic, profile, Take::All).set);
    assert_eq!(rows(&first, &profile), rows(&second, &other));
}

#[test]
fn a_set_has_the_conversations_of_its_profile() {
    let (_, profile) = log(conversations(1), |facts| facts);
    let drawn = by_profile(&profile, 400);
    let all = turns(&drawn.set);
    for group in &profile.groups {
        let of_group: Vec<usize> =
            all.values().filter(|turns| turns[0].group == group.name).map(Vec::len).collect();
        let samples: usize = of_group.iter().sum();
        for (turns, count) in &group.sessions.turns {
            let due = *count as f64 / group.sessions.rows as f64 * samples as f64;
            let found = of_group.iter().filter(|length| **length == *turns as usize).count() as f64;
            assert!((found - due).abs() <= 2.0, "{turns} turns: {found} of {due} in {}", group.name);
        }
    }
    assert!(drawn.account.lengthened < 8, "{:?}", drawn.account);
    for turns in all.values() {
        for pair in turns.windows(2) {
            let [before, after] = [pair[0].lengths, pair[1].lengths];
            let history = before.input.unwrap_or(0) + before.output.unwrap_or(0);
            assert!(after.input.is_some_and(|input| input >= history + LEAST_NEW_TOKENS), "{}", pair[1].id);
        }
    }
    // Answers took two seconds of the three at least between requests.
    let waits: Vec<u64> = drawn
        .set
        .measured
        .iter()
        .filter_map(|sample| sample.turn.as_ref())
        .map(|turn| turn.think_us)
        .collect();
    let later: Vec<u64> = waits.into_iter().filter(|wait| *wait > 0).collect();
    assert!(later.iter().all(|wait| (1_000_000..=60_000_000).contains(wait)), "{later:?}");
    let mean = later.iter().sum::<u64>() as f64 / later.len() as f64;
    assert!((27e6..34e6).contains(&mean), "{mean}");
}

#[test]
fn a_group_is_in_random_order_so_that_its_first_samples_are_like_all_of_it() {
    let rows = (0..3000).map(|at| row(at, 20 + at as u32, 5 + at as u32 / 3));
    let (_, profile) = log(rows, |facts| facts);
    let set = by_profile(&profile, 600).set;
    let mean = |samples: &[Sample]| inputs(samples).iter().sum::<u64>() as f64 / samples.len() as f64;
    let (first, all) = (mean(&set.measured[..100]), mean(&set.measured));
    assert!((all - 1520.0).abs() < 10.0, "{all}");
    assert!((first - all).abs() < 300.0, "{first} {all}");
}

#[test]
fn assumed_groups_are_drawn_by_their_ranges_and_say_so() {
    let card = Card::parse(
        "[[assumed]]\nname = \"long\"\ncovers = \"long_inputs\"\nshare = 0.25\n\
         input_tokens = { min = 2000, typical = 4000, max = 9000 }\nby = \"me\"\nbasis = \"contract\"\n",
    )
    .expect("a card");
    let rows = (0..300).map(|at| row(at, 100 + at as u32, 50));
    let (_, profile) = log(rows, |facts| ProfileFacts { card: card.clone(), ..facts });
    let set = by_profile(&profile, 40).set;
    let long: Vec<&Sample> = set.measured.iter().filter(|sample| sample.group == "long").collect();
    assert_eq!(long.len(), 10);
    assert!(long.iter().all(|sample| sample.counted_as() == metrics_core::Origin::Assumed));
    assert_eq!(inputs(long.iter().copied()).iter().filter(|input| **input <= 4000).count(), 5);
    let chat = set.measured.iter().find(|sample| sample.group == "chat").expect("a chat");
    assert_eq!(chat.counted_as(), metrics_core::Origin::Real);
    let facts = set.facts.expect("facts");
    assert_eq!(facts.groups[1].by.as_deref(), Some("me"));

    let card = Card::parse(
        "[[assumed]]\nname = \"only\"\ncovers = \"planned_traffic\"\nshare = 1\n\
         input_tokens = { min = 20, typical = 40, max = 90 }\nby = \"me\"\nbasis = \"plan\"\n",
    )
    .expect("a card");
    let set = by_profile(&assume(&card, "plan", "test").expect("a profile"), 7).set;
    assert_eq!(set.measured.len(), 7);
    assert_eq!(set.facts.map(|facts| (facts.source.rows, facts.source.from)), Some((0, None)));
}

#[test]
fn what_cannot_be_drawn_is_left_out_and_told() {
    let embeddings = |at| RowFacts { call: Call::Embeddings, output_tokens: None, ..row(at, 300, 0) };
    let unknown = |at| RowFacts { call: Call::Completion, input_tokens: None, ..row(at, 300, 9) };
    let rows = (0..90).map(|at| match at % 3 {
        0 => embeddings(at),
        1 => unknown(at),
        _ if at == 2 => RowFacts { input_tokens: None, ..row(at, 0, 9) },
        _ => row(at, 200, 9),
    });
    let (traffic, profile) = log(rows, |facts| facts);
    let drawn = by_profile(&profile, 10);
    assert!(drawn.set.measured.iter().all(|sample| sample.group == "chat"));
    assert_eq!(drawn.account.groups_left_out.len(), 2);
    let drawn = by_rows(&traffic, &profile, Take::All);
    let left = BTreeMap::from([(LeftOut::OtherCall, 30), (LeftOut::NoLength, 30)]);
    assert_eq!((drawn.account.left_out, drawn.account.lengths_drawn), (left, 1));
    assert_eq!(inputs(&drawn.set.measured), vec![200; 30], "one of the group where none is told");
    assert_eq!(drawn.set.facts.map(|facts| facts.source.rows), Some(30));

    assert!(drawn.account.mixed_groups.is_empty());

    let (traffic, profile) = log((0..9).map(unknown), |facts| facts);
    assert_eq!(from_profile(&profile, &Drawing::new("", 3), &mut texts()), Err(SamplingError::NothingToDraw));
    assert_eq!(
        from_rows(&traffic, &profile, &Drawing::new("", 3), &mut texts()),
        Err(SamplingError::NothingToDraw)
    );
    assert_eq!(from_profile(&profile, &Drawing::new("", 0), &mut texts()), Err(SamplingError::Requests(0)));
    let (other, _) = log((0..8).map(unknown), |facts| facts);
    let told =
        from_rows(&other, &profile, &Drawing::new("", 3), &mut texts()).map_err(|fault| fault.to_string());
    assert!(told.is_err_and(|told| told.contains("which has 9 rows, and these are 8")));
}

#[test]
fn rows_keep_arrivals_conversations_and_lengths_and_stretches_follow_each_other() {
    let turn = |at, input, output| RowFacts { session: Some(Pseudonym(9)), ..row(at, input, output) };
    // The clock begins anew behind the fourth row; the same conversation id is another one then.
    let rows = [
        turn(100, 500, 100),
        row(101, 700, 30),
        turn(110, 650, 40),
        RowFacts { duration: None, ..turn(111, 60, 10) },
        turn(-9000, 90, 10),
        row(-8990, 33, 3),
    ];
    let (traffic, profile) = log(rows, |facts| facts);
    let drawn = by_rows(&traffic, &profile, Take::All);
    let arrivals: Vec<u64> = drawn.set.measured.iter().filter_map(|sample| sample.arrival_us).collect();
    let second = 1_000_000;
    let after = 11 * second + SEGMENT_GAP_US;
    assert_eq!(arrivals, [0, second, 10 * second, 11 * second, after, after + 10 * second]);
    let all = turns(&drawn.set);
    assert_eq!(all.keys().collect::<Vec<_>>(), ["c1", "c2"]);
    let waits: Vec<u64> =
        all["c1"].iter().filter_map(|sample| sample.turn.as_ref()).map(|turn| turn.think_us).collect();
    assert_eq!(
        waits,
        [0, 8 * second, 0],
        "ten seconds less two of the answer; and one that came before its end"
    );
    assert_eq!(inputs(all["c1"].iter().copied()), [500, 650, 650 + 40 + LEAST_NEW_TOKENS]);
    assert_eq!(drawn.account.lengthened, 1);
    assert_eq!(drawn.set.facts.as_ref().map(|facts| facts.openings), Some(Openings::Unique));
    // The first rows are the same samples whatever follows.
    let first = by_rows(&traffic, &profile, Take::First(4)).set;
    assert_eq!(first.measured, drawn.set.measured[..4]);
    assert_eq!(first.facts.map(|facts| (facts.source.rows, facts.groups[0].samples)), Some((6, 4)));
}

#[test]
fn a_set_of_a_binned_profile_tells_no_more_than_the_profile() {
    let rows = || (0..200).map(|at| row(at, 101 + at as u32, 50));
    let binned =
        |facts| ProfileFacts { binning: "tokens=64,seconds=60".parse().expect("a binning"), ..facts };
    let (traffic, profile) = log(rows(), binned);
    let set = by_rows(&traffic, &profile, Take::All).set;
    assert!(inputs(&set.measured).iter().all(|input| input % 64 == 0));
    let arrivals: Vec<u64> = set.measured.iter().filter_map(|sample| sample.arrival_us).collect();
    assert!(arrivals.is_sorted() && arrivals.iter().any(|arrival| arrival % 1_000_000 != 0), "{arrivals:?}");
    let exact = log(rows(), |facts| facts);
    let exact = by_rows(&exact.0, &exact.1, Take::All).set;
    assert!(exact.measured.iter().all(|sample| sample.arrival_us.is_some_and(|at| at % 1_000_000 == 0)));
}

/// Samples of rows that have these blocks, of so many tokens each, and these inputs.
fn of_blocks(tokens: u32, rows: &[(&[u32], u32)]) -> Drawn {
    let (without, profile) = log(rows.iter().zip(0..).map(|(of, at)| row(at, of.1, 9)), |facts| facts);
    let mut traffic = Traffic::default();
    traffic.block_tokens = Some(tokens);
    (traffic.sources, traffic.groups) = (without.sources.clone(), without.groups.clone());
    for (row, (blocks, _)) in without.rows().zip(rows) {
        traffic.push_with_blocks(*row, blocks);
    }
    by_rows(&traffic, &profile, Take::All)
}

fn text(set: &SampleSet, at: usize) -> &str {
    set.measured[at].messages[0]["content"].as_str().unwrap_or_default()
}

/// Holds what samples share against what their rows shared; of each row with how many blocks that are whole.
fn share_as_rows(tokens: u32, set: &SampleSet, rows: &[(&[u32], usize)]) {
    let joined = |blocks: &[u32]| -> String {
        let mut made = texts();
        let mut text = |block: &u32| made.block(1, u64::from(*block), &BLOCK_TONGUES, u64::from(tokens));
        blocks.iter().map(|block| text(block).expect("a text")).collect()
    };
    for (at, (blocks, whole)) in rows.iter().enumerate() {
        let begins = joined(&blocks[..*whole]);
        assert!(text(set, at).starts_with(&begins) && text(set, at).len() > begins.len(), "{at}");
        for (other, (others, of_other)) in rows.iter().enumerate().take(at) {
            let common = blocks.iter().zip(*others).take_while(|(one, other)| one == other).count();
            let due = joined(&blocks[..common.min(*whole).min(*of_other)]).len();
            let same = text(set, at).bytes().zip(text(set, other).bytes());
            let found = same.take_while(|(one, other)| one == other).count();
            let alike = blocks == others && set.measured[at].lengths == set.measured[other].lengths;
            // Texts may begin with the same words.
            let fits =
                if alike { text(set, at) == text(set, other) } else { (due..due + 60).contains(&found) };
            assert!(fits, "{at} and {other} share {found} of {due}");
        }
    }
}

#[test]
fn samples_share_the_blocks_that_their_rows_shared() {
    let blocks: [&[u32]; 6] = [&[0, 1, 2], &[0, 1, 3], &[0], &[4, 1], &[0, 1, 2], &[5, 6, 7, 8]];
    let drawn = of_blocks(64, &blocks.map(|blocks| (blocks, blocks.len() as u32 * 64 - 20)));
    assert_eq!(drawn.set.facts.as_ref().map(|facts| facts.openings), Some(Openings::Shared));
    share_as_rows(64, &drawn.set, &blocks.map(|blocks| (blocks, blocks.len() - 1)));
    assert_eq!(drawn.set.measured[4].id, format!("{}-2", drawn.set.measured[0].id), "the same request again");
    assert_eq!(drawn.account.lengthened, 0);
    assert_eq!(inputs(&drawn.set.measured), [172, 172, 44, 108, 172, 236]);
}

#[test]
fn blocks_that_are_whole_stay_so_and_a_request_comes_behind_them() {
    let blocks: [&[u32]; 6] = [&[0, 1, 2, 3], &[0, 1, 2], &[0, 1], &[0, 1, 2], &[0, 9], &[8]];
    let drawn = of_blocks(16, &blocks.map(|blocks| (blocks, blocks.len() as u32 * 16)));
    share_as_rows(16, &drawn.set, &blocks.map(|blocks| (blocks, blocks.len())));
    assert_eq!(drawn.account.lengthened, 6, "opening and request come on top");
    let inputs_of = inputs(&drawn.set.measured);
    assert!(inputs_of.iter().zip(&blocks).all(|(input, blocks)| *input == blocks.len() as u64 * 16 + 12 + 8));
    // What the log has behind the last block, and no number for, is each row's own.
    let drawn = of_blocks(16, &[(&[0, 1], 90), (&[0, 1], 90), (&[0, 1, 2, 3, 4, 5], 90)]);
    share_as_rows(16, &drawn.set, &[(&[0, 1, 6], 2), (&[0, 1, 7], 2), (&[0, 1, 2, 3, 4, 5], 5)]);
    assert_eq!((inputs(&drawn.set.measured), drawn.account.lengthened), (vec![90, 90, 100], 1));
}

#[test]
fn a_block_is_in_the_languages_of_the_first_group_that_has_it() {
    let call = |at: i64| if at < 20 { Call::Chat } else { Call::Completion };
    let (without, mut profile) =
        log((0..40).map(|at| RowFacts { call: call(at), ..row(at, 64, 9) }), |facts| facts);
    assert_eq!(profile.groups[0].name, "chat");
    profile.groups[0].languages = [(Tongue::Zh, 3)].into();
    profile.groups[1].languages = [(Tongue::En, 1)].into();
    let mut traffic = Traffic::default();
    traffic.block_tokens = Some(64);
    (traffic.sources, traffic.groups) = (without.sources.clone(), without.groups.clone());
    for (row, at) in without.rows().zip(0_u32..) {
        // The first completion has a block that a chat had before it.
        traffic.push_with_blocks(*row, &[if at == 20 { 3 } else { at }]);
    }
    let set = by_rows(&traffic, &profile, Take::All).set;
    for at in 0..40 {
        let chinese = text(&set, at).lines().next().is_some_and(|line| !line.is_ascii());
        assert_eq!(chinese, at <= 20, "{at}: {}", text(&set, at));
    }
}

#[test]
fn a_sample_of_blocks_ends_in_a_request_for_the_answer_that_is_wanted() {
    let drawn = of_blocks(64, &[(&[0, 1], 250), (&[0, 1, 2, 3], 256)]);
    let last = |at| text(&drawn.set, at).lines().last().unwrap_or_default();
    assert!(last(0).contains("words") || last(0).contains('字'), "{}", last(0));
    assert!(!text(&drawn.set, 1).ends_with('\n'), "the block is not the last of it: {}", last(1));
}

#[test]
fn requests_shorter_than_what_stands_around_them_are_counted_as_longer() {
    let (traffic, profile) = log((0..40).map(|at| row(at, 5 + at as u32, 9)), |facts| facts);
    // The opening has twelve tokens, and the text one.
    let drawn = by_rows(&traffic, &profile, Take::All);
    assert_eq!((drawn.account.lengthened, inputs(&drawn.set.measured)[0]), (8, 13));
    assert_eq!(by_profile(&profile, 40).account.lengthened, 8);
}

#[test]
fn groups_whose_lengths_are_those_of_several_calls_are_told() {
    let all = |secret| grouped(Groups::of_facet(Facet::Caller), conversations(secret), |facts| facts).1;
    assert!(by_profile(&all(1), 50).account.mixed_groups.is_empty());
    let embeddings = |row: RowFacts| match row.call {
        Call::Completion => RowFacts { call: Call::Embeddings, output_tokens: None, ..row },
        _ => row,
    };
    let rows = || conversations(1).into_iter().map(embeddings);
    let unknown = rows().enumerate().map(|(at, row)| match at % 5 {
        0 => RowFacts { input_tokens: None, ..row },
        _ => row,
    });
    let (_, profile) = grouped(Groups::of_facet(Facet::Caller), rows(), |facts| facts);
    let names: Vec<String> = profile.groups.iter().map(|group| group.name.clone()).collect();
    assert_eq!(by_profile(&profile, 50).account.mixed_groups, names);
    let (traffic, profile) = grouped(Groups::of_facet(Facet::Caller), unknown, |facts| facts);
    assert_eq!(by_rows(&traffic, &profile, Take::All).account.mixed_groups, names);
}

#[test]
fn prompts_are_taken_word_for_word_until_a_day() {
    let (traffic, profile) = log((0..9).map(|at| row(at, 40, 9)), |facts| facts);
    let prompt = |row, text: &str| Prompt {
        row,
        messages: serde_json::from_value(serde_json::json!([{ "role": "user", "content": text }]))
            .expect("messages"),
    };
    let until = jiff::civil::date(2027, 1, 31);
    let draw = |prompts| from_texts(&traffic, &profile, &Drawing::new("kept", 1), prompts, until);
    let drawn = draw(vec![prompt(5, "second"), prompt(2, "first")]).expect("a set");
    assert_eq!((drawn.account.left_out[&LeftOut::NoText], drawn.set.recorded()), (7, 2));
    let facts = drawn.set.facts.as_ref().expect("facts");
    assert_eq!((facts.retain_until.as_deref(), facts.synthesis), (Some("2027-01-31"), None));
    let first = &drawn.set.measured[0];
    assert_eq!((first.messages[0]["content"].as_str(), first.arrival_us), (Some("first"), Some(0)));
    assert_eq!(drawn.set.measured[1].arrival_us, Some(3_000_000));
    assert!(first.id.starts_with("recorded-"));
    let told = draw(vec![Prompt { row: 2, messages: Vec::new() }]).map_err(|fault| fault.to_string());
    assert!(told.is_err_and(|told| told.contains("row 2, counted from 0, its list of messages is empty")));
    assert_eq!(draw(Vec::new()), Err(SamplingError::NothingToDraw));
}
