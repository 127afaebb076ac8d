//! Profiles as they are made of rows.

mod common;

use common::{SECOND, START, arrivals, at, facts, traffic};
use metrics_core::Micros;
use proptest::prelude::*;
use workload_model::{
    profile::{
        Binning, BuildError, Card, Facet, Groups, LEAST_ROWS, Origin, Profile, ProfileFacts, STEP_NS,
        Segments, SegmentsError, build,
    },
    traffic::{Call, Ending, Facets, Grouping, Pseudonym, RowFacts, StampKind, Traffic},
};

/// Lines of every stretch, in their order.
fn lines(traffic: &Traffic) -> Vec<Vec<u64>> {
    let segments = Segments::find(traffic, STEP_NS).expect("a file in some order");
    let line = |row: &u32| traffic.get(*row as usize).map(|row| row.facts().line).unwrap_or_default();
    (0..segments.len()).map(|segment| segments.rows(segment).iter().map(line).collect()).collect()
}

#[test]
fn a_clock_that_begins_anew_begins_a_stretch_of_its_own() {
    let week = [603_806, 603_838, 603_830, 604_453, 0, 82, 90];
    let log = traffic(StampKind::Arrival, true, arrivals(&week));
    assert_eq!(lines(&log), [vec![1, 3, 2, 4], vec![5, 6, 7]]);
}

#[test]
fn a_log_with_the_newest_first_is_read_from_its_end() {
    let mut newest_first = vec![20, 10, 90_000, 80_000, 80_000, 70_000];
    let log = traffic(StampKind::Arrival, false, arrivals(&newest_first));
    assert_eq!(lines(&log), [vec![6, 5, 4, 3], vec![2, 1]]);
    newest_first.reverse();
    let log = traffic(StampKind::Arrival, false, arrivals(&newest_first));
    assert_eq!(lines(&log), [vec![1, 2, 3, 4], vec![5, 6]]);
}

#[test]
fn one_jump_is_a_clock_that_began_anew_and_several_are_a_sparse_log_read_from_its_end() {
    let of = |seconds: &[i64]| lines(&traffic(StampKind::Arrival, true, arrivals(seconds)));
    assert_eq!(of(&[604_452, 0]), [vec![1], vec![2]]);
    assert_eq!(of(&[20_000, 10_000, 0]), [vec![3, 2, 1]]);
    assert_eq!(of(&[604_452, 0, 9, 4_000_000, 0, 9]), [vec![1], vec![2, 3, 4], vec![5, 6]]);
    assert_eq!(of(&[9, 0, 604_452]), [vec![2, 1, 3]]);
    // One small disorder does not turn a sparse log round.
    assert_eq!(of(&[30_000, 20_000, 20_001, 10_000, 0]), [vec![5, 4, 2, 3, 1]]);
}

#[test]
fn nobody_knows_what_arrived_where_no_file_holds_the_time() {
    let of_file = |file: u16, second: i64| RowFacts { file, ..at(second) };
    let monday = [of_file(0, 0), of_file(0, 60), of_file(1, 30), of_file(1, 90)];
    let friday = [of_file(2, 400_000), of_file(2, 400_060)];
    let rows = monday.into_iter().chain(friday);
    let segments = Segments::find(&traffic(StampKind::Arrival, false, rows), STEP_NS).expect("an order");
    assert_eq!((segments.len(), segments.rows(0).len(), segments.rows(1).len()), (2, 4, 2));
    let near = [of_file(0, 0), of_file(1, 1_700)];
    let segments = Segments::find(&traffic(StampKind::Arrival, false, near), STEP_NS).expect("an order");
    assert_eq!(segments.len(), 1, "rotated in between");
}

#[test]
fn the_order_of_a_log_that_is_written_at_the_end_is_that_of_the_ends() {
    // Both arrived before the first row, the second of them an hour, and were written in the order of their ends.
    let row =
        |second: i64, lasted_s: u64| RowFacts { duration: Some(Micros(lasted_s * 1_000_000)), ..at(second) };
    let rows =
        [row(9_000, 1), row(10_000, 1), row(9_990, 60), row(6_400, 3_700), row(10_200, 1), row(10_300, 1)];
    assert_eq!(lines(&traffic(StampKind::End, false, rows)), [vec![4, 1, 3, 2, 5, 6]]);
    // Such a request is no jump of a clock that writes down arrivals either.
    assert_eq!(lines(&traffic(StampKind::Arrival, false, rows)), [vec![4, 1, 3, 2, 5, 6]]);
    // Without its duration nobody knows.
    let unknown = rows.map(|row| RowFacts { duration: None, ..row });
    assert_eq!(lines(&traffic(StampKind::Arrival, false, unknown)), [vec![1, 3, 2], vec![4, 5, 6]]);
}

#[test]
fn files_of_one_clock_are_one_traffic_and_files_of_relative_clocks_are_not() {
    let file = |file: u16, seconds: &[i64]| {
        arrivals(seconds).into_iter().map(move |row| RowFacts { file, ..row }).collect::<Vec<_>>()
    };
    let rows = || [file(0, &[7_000, 7_001, 9_000]), file(1, &[0, 3_000, 7_001])].concat();
    assert_eq!(lines(&traffic(StampKind::Arrival, false, rows())), [vec![4, 5, 1, 2, 6, 3]]);
    assert_eq!(lines(&traffic(StampKind::Arrival, true, rows())), [vec![1, 2, 3], vec![4, 5, 6]]);
}

#[test]
fn a_file_in_no_order_of_time_is_refused_with_a_remedy() {
    let sorted_by_caller = (0..101).flat_map(|_| [0, 4_000, 8_000, 12_000]).collect::<Vec<_>>();
    let log = traffic(StampKind::Arrival, false, arrivals(&sorted_by_caller));
    let error = Segments::find(&log, STEP_NS).unwrap_err();
    assert_eq!(error, SegmentsError::NoOrder { file: 1, step_s: 1800 });
    assert!(error.to_string().contains("export it in the order of time"), "{error}");
    assert_eq!(Segments::find(&log, 20_000 * SECOND as u64).map(|segments| segments.len()), Ok(1));
}

#[test]
fn an_export_that_is_sorted_by_caller_can_be_told_from_a_clock_that_was_put_back() {
    let overlapping = |relative, seconds: &[i64]| {
        let mut log = traffic(StampKind::Arrival, relative, arrivals(seconds));
        let facts = facts(&mut log);
        build(&log, &facts).unwrap().source.overlapping_segments()
    };
    let by_caller = [0, 4_000, 8_000, 10, 4_010, 8_010, 20, 4_020, 8_020];
    assert_eq!(overlapping(false, &by_caller), 2);
    assert_eq!(overlapping(true, &by_caller), 0);
    assert_eq!(overlapping(false, &[20_000, 21_000, 22_000, 0, 1_000, 2_000]), 0);
}

#[test]
fn no_row_is_no_profile() {
    let mut none = traffic(StampKind::Arrival, false, []);
    let facts = facts(&mut none);
    assert_eq!(build(&none, &facts), Err(BuildError::NothingKept { read: 0 }));
}

#[test]
fn windows_and_bins_shorter_than_the_resolution_of_a_clock_are_not_told() {
    let minutes = (0..200).map(|minute| at(minute * 60));
    let mut log = traffic(StampKind::Arrival, false, minutes);
    log.sources[0].resolution_ns = 60 * SECOND as u64;
    let facts = facts(&mut log);
    let arrivals = build(&log, &facts).unwrap().arrivals;
    assert_eq!(arrivals.peaks.iter().map(|peak| peak.window_s.get()).collect::<Vec<_>>(), [60.0, 600.0]);
    assert_eq!(arrivals.dispersion.first().map(|counts| counts.window_s.get()), Some(60.0));
    assert_eq!(arrivals.rates[0].bin_s.get(), 60.0);
}

#[test]
fn instants_that_no_log_should_have_are_no_fault() {
    let row = |arrival_ns| RowFacts { arrival_ns, duration: Some(Micros(u64::MAX)), ..at(0) };
    let rows = [i64::MIN, i64::MIN, START, i64::MAX - 1, i64::MAX].map(row);
    let mut log = traffic(StampKind::End, false, rows);
    let facts = facts(&mut log);
    for seconds in [0, 7, u32::MAX] {
        let binning = Binning { tokens: u32::MAX, seconds };
        let profile = build(&log, &ProfileFacts { binning, ..facts.clone() }).unwrap();
        assert_eq!(profile.source.kept, 5);
        assert!(profile.arrivals.rates[0].counts.len() <= 720);
        assert!(Profile::from_json(&profile.to_json()).is_ok());
    }
}

#[test]
fn ticks_of_a_clock_are_told_and_no_variation_is_made_of_them() {
    let ticks =
        (0..100).flat_map(|tick| vec![tick * 3; usize::try_from(tick % 28 + 1).unwrap()]).collect::<Vec<_>>();
    let mut log = traffic(StampKind::Arrival, true, arrivals(&ticks));
    let facts = facts(&mut log);
    let profile = build(&log, &facts).unwrap();
    let ties = profile.arrivals.ties;
    assert_eq!((ties.instants, ties.most, ties.tick_s.map(|tick| tick.get())), (100, 28, Some(3.0)));
    assert!(ties.too_coarse && profile.arrivals.gap_cv.is_none());
    let windows: Vec<f64> = profile.arrivals.peaks.iter().map(|peak| peak.window_s.get()).collect();
    assert_eq!(windows, [10.0, 60.0]);
    assert!(profile.arrivals.by_hour.is_empty() && profile.source.relative_time);
}

#[test]
fn groups_of_a_card_carry_the_terms_of_whoever_stands_for_them() {
    let card = Card::parse(
        r#"
        [profile]
        name = "Service"
        origin = "synthetic"
        [[group]]
        name = "first"
        match = { caller = ["alice", "bo*"], input_tokens = "0..4096" }
        priority = 1
        by = "Head"
        [[group]]
        name = "nobody"
        match = { label = "x" }
        "#,
    )
    .unwrap();
    let mut groups = Groups::of_card(&card);
    let mut ask = |caller: &str, tokens| {
        groups.group_of(&Facets {
            call: Call::Chat,
            model: None,
            path: None,
            label: None,
            label_pseudonym: None,
            caller: Some(caller),
            caller_pseudonym: Some(Pseudonym(caller.len() as u64)),
            input_tokens: tokens,
            output_tokens: None,
            stream: None,
        })
    };
    let rows =
        [("alice", Some(4096)), ("alice", Some(4097)), ("bob", Some(0)), ("bob", None), ("carol", Some(1))];
    let rows = rows.map(|(caller, input_tokens)| RowFacts {
        group: ask(caller, input_tokens),
        input_tokens,
        ..at(0)
    });
    let mut log = traffic(StampKind::Arrival, false, rows);
    let grouped = groups.settle(&mut log, LEAST_ROWS);
    let profile = build(&log, &ProfileFacts { card, ..ProfileFacts::new(grouped, "jsonl") }).unwrap();
    let told: Vec<_> =
        profile.groups.iter().map(|group| (group.name.as_str(), group.rows, group.origin)).collect();
    let expected =
        [("other", 3, Origin::Synthetic), ("first", 2, Origin::Synthetic), ("nobody", 0, Origin::Assumed)];
    assert_eq!(told, expected);
    let rule = &profile.groups[1].rule;
    assert_eq!(rule, "caller = caller-0000000000000005 | (1 not shown), input_tokens = 0..4096");
    assert_eq!(profile.groups[1].terms.by.as_deref(), Some("Head"));
    assert_eq!(profile.name, "Service");
}

#[test]
fn labels_that_few_rows_carry_are_no_groups() {
    let mut groups = Groups::of_facet(Facet::Model);
    let mut ask = |model: Option<&str>| {
        groups.group_of(&Facets {
            call: Call::Chat,
            model,
            path: None,
            label: None,
            label_pseudonym: None,
            caller: None,
            caller_pseudonym: None,
            input_tokens: None,
            output_tokens: None,
            stream: None,
        })
    };
    let mut rows = Vec::new();
    for (model, count) in
        [("qwen3-32b", 6), ("rare", 4), ("13800138000", 9), ("who@example.com", 9), ("other", 9)]
    {
        rows.extend((0..count).map(|_| RowFacts { group: ask(Some(model)), ..at(0) }));
    }
    rows.push(RowFacts { group: ask(None), ..at(0) });
    let mut log = traffic(StampKind::Arrival, false, rows);
    let grouped = groups.settle(&mut log, LEAST_ROWS);
    assert_eq!((grouped.labels_merged, grouped.rows_merged), (4, 31));
    let profile = build(&log, &ProfileFacts::new(grouped, "jsonl")).unwrap();
    let told: Vec<_> = profile.groups.iter().map(|group| (group.name.as_str(), group.rows)).collect();
    assert_eq!(told, [("other", 31), ("qwen3-32b", 6), ("no model", 1)]);
}

#[test]
fn conversations_think_between_the_end_of_an_answer_and_the_next_request() {
    let row = |second, session, lasted: Option<u64>| RowFacts {
        session: Some(Pseudonym(session)),
        duration: lasted.map(|lasted| Micros(lasted * 1_000_000)),
        ..at(second)
    };
    let rows = [
        row(0, 7, Some(10)),
        row(5, 9, Some(60)),
        row(40, 7, Some(5)),
        row(50, 9, None),
        row(100, 7, Some(1)),
        row(101, 8, None),
        at(102),
    ];
    let mut log = traffic(StampKind::Arrival, false, rows);
    let facts = facts(&mut log);
    let sessions = &build(&log, &facts).unwrap().groups[0].sessions;
    assert_eq!((sessions.rows, sessions.sessions, sessions.overlapping), (6, 3, 1));
    assert_eq!(
        sessions.turns.iter().map(|(turns, count)| (*turns, *count)).collect::<Vec<_>>(),
        [(1, 1), (2, 1), (3, 1)]
    );
    let think = sessions.think_time_s.unwrap();
    assert_eq!((think.n, think.min, think.max), (2, 30.0, 55.0));
    let between = sessions.between_s.unwrap();
    assert_eq!((between.n, between.min, between.p50, between.max), (3, 40.0, 45.0, 60.0));
}

/// Rows of some files, groups and sessions, with gaps of all kinds in what is known.
fn any_rows() -> impl Strategy<Value = Vec<RowFacts>> {
    let tokens = || proptest::option::of(0_u32..3_000);
    let row = (
        (0_i64..100_000, 0_u16..3, 0_u16..4, 0_u64..5),
        (tokens(), tokens(), any::<bool>(), proptest::option::of(any::<bool>())),
        (proptest::option::of(0_u64..5_000_000_000), 0_usize..7, 0_usize..6),
    );
    let row = row.prop_map(
        |((second, file, group, session), (input_tokens, output_tokens, output_cut, stream), rest)| {
            let (duration, ending, call) = rest;
            RowFacts {
                file,
                group,
                call: Call::ALL[call],
                ending: Ending::ALL[ending],
                stream,
                input_tokens,
                output_tokens,
                output_cut,
                ttft: duration.map(|micros| Micros(micros / 2)),
                duration: duration.map(Micros),
                session: (session > 0).then_some(Pseudonym(session)),
                ..at(second)
            }
        },
    );
    proptest::collection::vec(row, 1..80).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.file);
        rows
    })
}

/// Every row is in exactly one group and under exactly one of every account.
fn sums(profile: &Profile, relative: bool) -> Result<(), TestCaseError> {
    let kept = profile.source.kept;
    prop_assert_eq!(profile.groups.iter().map(|group| group.rows).sum::<u64>(), kept);
    prop_assert_eq!(profile.source.segments.iter().map(|segment| segment.rows).sum::<u64>(), kept);
    prop_assert!((profile.groups.iter().map(|group| group.share).sum::<f64>() - 1.0).abs() < 1e-5);
    for group in &profile.groups {
        let rows = group.rows;
        let lengths = &group.lengths;
        prop_assert_eq!(group.calls.values().sum::<u64>(), rows);
        prop_assert_eq!(group.ends.values().sum::<u64>(), rows);
        prop_assert_eq!(group.streaming.yes + group.streaming.no + group.streaming.unknown, rows);
        let known = lengths.both + lengths.cut + lengths.input_only + lengths.output_only;
        prop_assert_eq!(known + lengths.neither, rows);
        prop_assert_eq!(lengths.cells.iter().map(|cell| cell.2).sum::<u64>(), lengths.both);
        prop_assert_eq!(lengths.cut_cells.iter().map(|cell| cell.2).sum::<u64>(), lengths.cut);
        prop_assert_eq!(lengths.input_cells.iter().map(|cell| cell.2).sum::<u64>(), lengths.input_only);
        prop_assert_eq!(group.arrivals.rates.iter().flat_map(|rate| &rate.counts).sum::<u64>(), rows);
        let hours = group.arrivals.by_hour.iter().map(|hour| hour.0).sum::<u64>();
        let told = !group.arrivals.by_hour.is_empty();
        prop_assert!(!(relative && told));
        prop_assert_eq!(hours, if told { rows } else { 0 });
        let turns: u64 = group.sessions.turns.iter().map(|(turns, count)| u64::from(*turns) * count).sum();
        prop_assert!(turns <= group.sessions.rows);
        prop_assert_eq!(group.sessions.turns.values().sum::<u64>(), group.sessions.sessions);
    }
    let rates = |arrivals: &workload_model::profile::Arrivals| -> u64 {
        arrivals.rates.iter().flat_map(|rate| &rate.counts).sum()
    };
    prop_assert_eq!(rates(&profile.arrivals), kept);
    let json = profile.to_json();
    let read = Profile::from_json(&json).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&read, profile);
    prop_assert_eq!(read.to_json(), json);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_row_is_counted_once_under_each_heading(rows in any_rows(), end in any::<bool>(), relative in any::<bool>(), tokens in 1_u32..200, seconds in 0_u32..90) {
        let kind = if end { StampKind::End } else { StampKind::Arrival };
        let mut log = traffic(kind, relative, rows);
        let card = "[[group]]\nname='a'\nmatch.call='chat'\n[[group]]\nname='b'\nmatch.call='media'\n[[group]]\nname='c'";
        let grouped = Groups::of_card(&Card::parse(card).unwrap()).settle(&mut log, LEAST_ROWS);
        let exact = ProfileFacts::new(grouped, "jsonl");
        let profile = build(&log, &exact).unwrap();
        sums(&profile, relative)?;
        let binned = ProfileFacts { binning: Binning { tokens, seconds }, ..exact };
        let binned = build(&log, &binned).unwrap();
        sums(&binned, relative)?;
        let lengths = binned.groups.iter().flat_map(|group| [group.lengths.input, group.lengths.output]).flatten();
        for lengths in lengths {
            for length in [lengths.min, lengths.p50, lengths.p90, lengths.p95, lengths.p99, lengths.max] {
                prop_assert_eq!(length % f64::from(tokens), 0.0);
            }
        }
    }

    #[test]
    fn stretches_hold_every_row_once_by_arrival_and_in_the_order_of_reading(rows in any_rows()) {
        let log = traffic(StampKind::Arrival, false, rows.clone());
        let Ok(segments) = Segments::find(&log, STEP_NS) else { return Ok(()) };
        let mut seen = Vec::new();
        for segment in 0..segments.len() {
            let arrivals: Vec<i64> =
                segments.rows(segment).iter().map(|row| log.get(*row as usize).unwrap().arrival_ns()).collect();
            prop_assert!(arrivals.is_sorted());
            seen.extend_from_slice(segments.rows(segment));
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..u32::try_from(rows.len()).unwrap()).collect::<Vec<_>>());
    }
}
