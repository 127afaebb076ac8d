//! Samples drawn from logs that were imported.

mod common;

use common::{fixture, format, public_trace};
use log_import::{ImportOptions, Input, Secret, import};
use workload_model::{
    Openings, SampleSet,
    profile::{Facet, Groups, LEAST_ROWS, Profile, ProfileFacts, build},
    sampling::{Drawing, Take, from_profile, from_rows},
    synthesis::{Ratios, Texts, Tongue},
    traffic::Traffic,
};

/// The rows of a file and their profile, by call, under a secret.
fn imported(file: &std::path::Path, secret: u8) -> (Traffic, Profile) {
    let mut groups = Groups::of_facet(Facet::Call);
    let options = ImportOptions::default();
    let secret = Secret::new(&[secret; 32]);
    let imported = import(vec![Input::file(file)], format("auto"), &options, &secret, &mut groups, &mut ());
    let mut traffic = imported.expect("rows").traffic;
    let grouped = groups.settle(&mut traffic, LEAST_ROWS);
    let profile = build(&traffic, &ProfileFacts::new(grouped, "log")).expect("a profile");
    (traffic, profile)
}

fn texts() -> Texts {
    Texts::new(None, Ratios::default())
}

fn of_rows(traffic: &Traffic, profile: &Profile, take: Take) -> SampleSet {
    let drawing = Drawing { take, ..Drawing::new("rows", 1) };
    from_rows(traffic, profile, &drawing, &mut texts()).expect("a set").set
}

#[test]
fn a_set_is_the_same_whatever_the_secret_of_the_import() {
    for file in ["traces/bailian.jsonl", "traces/ragpulse.jsonl", "new-api.logs.jsonl"] {
        let ((first, profile), (second, other)) = (imported(&fixture(file), 1), imported(&fixture(file), 2));
        assert_eq!(of_rows(&first, &profile, Take::All), of_rows(&second, &other, Take::All), "{file}");
        let drawn =
            |profile| from_profile(profile, &Drawing::new("profile", 20), &mut texts()).expect("a set").set;
        assert_eq!(drawn(&profile), drawn(&other), "{file}");
    }
    let (traffic, profile) = imported(&fixture("traces/bailian.jsonl"), 1);
    let turns: Vec<_> = of_rows(&traffic, &profile, Take::All)
        .measured
        .into_iter()
        .filter_map(|sample| sample.turn)
        .map(|turn| (turn.session, turn.number))
        .collect();
    let turn = |session: &str, number| (session.to_owned(), number);
    assert_eq!(turns, [turn("c1", 1), turn("c2", 1), turn("c1", 2)]);
}

#[test]
fn any_two_samples_of_mooncake_share_the_blocks_that_their_rows_shared() {
    let Some(file) = public_trace("mooncake/conversation_trace.first2000.jsonl") else { return };
    let (traffic, profile) = imported(&file, 1);
    let set = of_rows(&traffic, &profile, Take::First(30));
    assert_eq!(set.facts.as_ref().map(|facts| facts.openings), Some(Openings::Shared));
    let mut made = texts();
    let tongues = [(Tongue::Zh, 1), (Tongue::En, 1)];
    let mut length = |blocks: &[u32]| -> usize {
        let text = |block: &u32| made.block(1, u64::from(*block), &tongues, 512).expect("a text").len();
        blocks.iter().map(text).sum()
    };
    let text = |at: usize| set.measured[at].messages[0]["content"].as_str().unwrap_or_default();
    let mut sharing = 0;
    for one in 0..set.measured.len() {
        for other in 0..one {
            let (first, second) = (traffic.blocks(one), traffic.blocks(other));
            let common = first.iter().zip(second).take_while(|(one, other)| one == other).count();
            // The last block of each is cut to its length.
            let whole = common.min(first.len() - 1).min(second.len() - 1);
            let same = text(one).bytes().zip(text(other).bytes()).take_while(|(one, other)| one == other);
            let same = same.count();
            let due = length(&first[..whole]);
            let beyond = first.get(whole).map_or(0, |next| length(&[*next]));
            assert!(
                (due..due + beyond.max(1)).contains(&same) || first == second,
                "rows {one} and {other}: {same}"
            );
            sharing += usize::from(whole > 0);
        }
    }
    assert!(sharing > 100, "the trace shares prefixes: {sharing} pairs");
}
