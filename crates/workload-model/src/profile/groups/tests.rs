//! Who is told under which name.

use super::*;
use crate::traffic::{Ending, Row, RowFacts};

fn facets() -> Facets<'static> {
    Facets {
        call: Call::Chat,
        model: None,
        path: None,
        label: None,
        label_pseudonym: None,
        caller: None,
        caller_pseudonym: None,
        input_tokens: None,
        output_tokens: None,
        stream: None,
    }
}

/// Names and rules of groups, and labels and rows that were merged, after these requests.
fn settled<'a>(
    mut groups: Groups,
    requests: impl IntoIterator<Item = Facets<'a>>,
) -> (Vec<String>, u64, u64) {
    let mut traffic = Traffic::default();
    for facets in requests {
        traffic.push(Row::new(RowFacts {
            arrival_ns: 0,
            source: 0,
            file: 0,
            line: 1,
            group: groups.group_of(&facets),
            call: facets.call,
            ending: Ending::Ok,
            stream: facets.stream,
            input_tokens: None,
            output_tokens: None,
            output_cut: false,
            ttft: None,
            duration: None,
            caller: None,
            session: None,
        }));
    }
    let grouped = groups.settle(&mut traffic, 2);
    assert_eq!(traffic.groups, grouped.groups.iter().map(|group| group.name.clone()).collect::<Vec<_>>());
    let told = |row: &Row| grouped.groups[usize::from(row.group())].name.clone();
    (traffic.rows().map(told).collect(), grouped.labels_merged, grouped.rows_merged)
}

#[test]
fn callers_and_labels_stand_under_pseudonyms_and_rare_ones_not_at_all() {
    let call = |caller, pseudonym| Facets {
        caller: Some(caller),
        caller_pseudonym: Some(Pseudonym(pseudonym)),
        label: Some(caller),
        label_pseudonym: Some(Pseudonym(pseudonym + 256)),
        ..facets()
    };
    let calls = || [call("alice", 10), call("bob", 11), call("alice", 10), call("carol", 12), facets()];
    let (names, labels, rows) = settled(Groups::of_facet(Facet::Caller), calls());
    let alice = "caller-000000000000000a";
    assert_eq!(names, [alice, "other", alice, "other", "no caller"]);
    assert_eq!((labels, rows), (2, 2));
    let (names, ..) = settled(Groups::of_facet(Facet::Label), calls());
    assert_eq!(names[0], "label-000000000000010a");
}

#[test]
fn others_are_never_too_few_to_hide_among() {
    let caller = |pseudonym| Facets { caller_pseudonym: Some(Pseudonym(pseudonym)), ..facets() };
    let (names, labels, rows) =
        settled(Groups::of_facet(Facet::Caller), [10, 10, 10, 11, 11, 12].map(caller));
    let alice = "caller-000000000000000a";
    assert_eq!(names, [alice, alice, alice, "other", "other", "other"]);
    assert_eq!((labels, rows), (2, 3));
}

#[test]
fn paths_are_told_by_the_end_that_everybody_knows() {
    let path = |path| Facets { path: Some(path), ..facets() };
    let tenants = ["/acme/v1/chat/completions", "/v1/chat/completions", "/acme/secret", "/acme/other"];
    let (names, labels, rows) = settled(Groups::of_facet(Facet::Path), tenants.map(path));
    assert_eq!(names, ["/v1/chat/completions", "/v1/chat/completions", "other", "other"]);
    assert_eq!((labels, rows), (2, 2));
}

#[test]
fn calls_and_streaming_name_nobody_and_stay_however_few_they_are() {
    let calls = [Call::Chat, Call::Other, Call::Rerank].map(|call| Facets { call, ..facets() });
    let (names, labels, _) = settled(Groups::of_facet(Facet::Call), calls);
    assert_eq!((names, labels), (["chat", "other calls", "rerank"].map(str::to_owned).to_vec(), 0));
    let streams = [Some(true), Some(false), None].map(|stream| Facets { stream, ..facets() });
    let (names, ..) = settled(Groups::of_facet(Facet::Stream), streams);
    assert_eq!(names, ["streamed", "not streamed", "stream unknown"]);
}

#[test]
fn more_callers_than_there_can_be_groups_are_others() {
    let caller = |at: u64| Facets { caller_pseudonym: Some(Pseudonym(at)), ..facets() };
    let many = MOST_GROUPS as u64 + 10;
    let (names, labels, rows) =
        settled(Groups::of_facet(Facet::Caller), (0..many).chain(0..many).map(caller));
    assert_eq!(names[0], "caller-0000000000000000");
    assert_eq!(names.last().map(String::as_str), Some("other"));
    let others = many - MOST_TOLD as u64;
    assert_eq!((labels, rows), (others, 2 * others));
}

#[test]
fn rules_are_told_without_anything_that_names_somebody() {
    let card = Card::parse(
        r#"
        [[group]]
        name = "a"
        match = { call = ["chat", "completion"], model = "qwen3-*", path = ["*/chat/completions", "/acme/*"], stream = false }
        [[group]]
        name = "b"
        match = { label = ["acme", "beta-*"], output_tokens = "10.." }
        [[group]]
        name = "c"
        "#,
    );
    let mut groups = Groups::of_card(&card.unwrap());
    let request = Facets {
        label: Some("acme"),
        label_pseudonym: Some(Pseudonym(7)),
        output_tokens: Some(10),
        ..facets()
    };
    assert_eq!(groups.group_of(&request), 2);
    assert_eq!(groups.group_of(&facets()), 3);
    let grouped = groups.settle(&mut Traffic::default(), LEAST_ROWS);
    let rules: Vec<&str> = grouped.groups.iter().map(|group| group.rule.as_str()).collect();
    assert_eq!(
        rules,
        [
            "all others",
            "call = chat | completion, model = qwen3-*, path = */chat/completions | (1 not shown), stream = false",
            "label = label-0000000000000007 | (1 not shown), output_tokens = 10..",
            "all that no rule above takes",
        ]
    );
}
