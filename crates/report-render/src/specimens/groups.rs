//! A run of a sample set: one group measured in a log and sent in conversations, another assumed.

use metrics_core::{Facts, FaultKind, Micros, Origin, Record, SuccessRule, Tokens};
use workload_model::{
    DrawnFrom, Group, Openings, SET_FORMAT, SetFacts, SetGroup, SetSource, SizedBy, Sizing, profile,
};

use crate::material::{Material, PromptSource, Prompts};

use super::{
    fail,
    run::{Run, SWEEP},
};

const TERMS: &str = r#"
[acceptance]
success_rate = 0.95

[[acceptance.group]]
name = "客服问答"
success_rate = 1.0

[[sla]]
item = "客服问答首 Token 时延 P95"
metric = "ttft_s.p95"
tier = 4
group = "客服问答"
limit = "<= 2.0"
source = "合同附件 3 §2"

[[sla]]
item = "合同审查 E2E P95"
metric = "e2e_s.p95"
tier = 8
group = "合同审查"
limit = "<= 30"
"#;

/// Of four requests three are the turns of a conversation, and the fourth is a long document.
const TURNS: u64 = 4;

/// A sweep of two groups: conversations that were drawn from a log, and long documents that somebody assumed, some of which
/// fail at the highest tier.
pub fn groups() -> Material {
    let mut run = Run::of(&[]);
    for load in [SWEEP[0], SWEEP[2], SWEEP[3], SWEEP[4]] {
        let before = run.records.len();
        run.add(&load, |at, facts| match at % TURNS {
            3 => long_document(facts, load.concurrency == 16 && at % 8 == 3),
            turn => conversation(facts, turn),
        });
        for (at, record) in (0..).zip(&mut run.records[before..]) {
            let long = at % TURNS == TURNS - 1;
            (if long { "合同审查" } else { "客服问答" }).clone_into(&mut record.group);
            record.origin = Some(if long { Origin::Assumed } else { Origin::Real });
            record.turn = (!long).then(|| u32::try_from(at % TURNS).unwrap_or(0) + 1);
        }
    }
    mend(&mut run.records);
    let deadline = Micros(30_000_000);
    let rule = SuccessRule { deadline: Some(deadline), ..SuccessRule::default() };
    run.rules.insert("合同审查".to_owned(), rule);
    run.conditions.unique_prompts = false;
    let mut m = run.material(Some(TERMS));
    m.scope.groups = [("客服问答", Some(2.0), None), ("合同审查", None, Some(30.0))]
        .map(|(name, ttft_limit_s, deadline_s)| Group { ttft_limit_s, deadline_s, ..Group::new(name) })
        .to_vec();
    (m.scope.groups[0].retries, m.scope.groups[0].retry_wait_s) = (1, 0.5);
    m.scope.sending.conversations = true;
    let set = sample_set();
    m.scope.prompts =
        Prompts { source: PromptSource::Set { name: set.name.clone() }, unique_opening: false, recorded: 0 };
    m.sample_set = Some(set);
    m
}

/// Two conversations at C8 began with a refusal, half a second before the answer that is in the figures.
fn mend(records: &mut Vec<Record>) {
    let begins = |record: &&mut Record| record.tier == Some(8) && record.turn == Some(1);
    let mut refused = Vec::new();
    for record in records.iter_mut().filter(begins).take(2) {
        let mut first = record.clone();
        fail(&mut first.facts, 503, FaultKind::Http, "503 Service Unavailable");
        first.facts.end = Some(record.facts.due);
        first.facts.due = Micros(record.facts.due.0 - 500_000);
        first.facts.sent = Some(first.facts.due);
        record.attempt = 1;
        refused.push(first);
    }
    records.append(&mut refused);
}

/// Nobody measured anything of what was sent.
pub fn assumed() -> Material {
    let mut run = Run::of(&SWEEP[..4]);
    for record in &mut run.records {
        record.origin = Some(Origin::Assumed);
        record.facts.asked_input = Some(Tokens(150));
    }
    let mut m = run.material(None);
    let mut set = sample_set();
    set.groups.remove(0);
    (set.groups[0].name, set.groups[0].share, set.groups[0].samples) = ("all".to_owned(), 1.0, 500);
    (set.source.from, set.source.until, set.source.rows) = (None, None, 0);
    m.sample_set = Some(set);
    m
}

/// A turn has the history before it in its input, most of which the service keeps.
fn conversation(facts: &mut Facts, turn: u64) {
    let history = turn * 520;
    let input = facts.prompt_tokens.unwrap_or_default().0 + history;
    facts.prompt_tokens = Some(Tokens(input));
    facts.asked_input = Some(Tokens(input + turn));
    facts.cached_tokens = Some(Tokens(history / 16 * 16));
}

fn long_document(facts: &mut Facts, fails: bool) {
    let input = facts.prompt_tokens.unwrap_or_default().0 * 40;
    facts.prompt_tokens = Some(Tokens(input));
    facts.asked_input = Some(Tokens(input * 8 / 7));
    let read = 300 * input;
    let Facts { first_byte, first_token, first_visible, last_token, end, .. } = facts;
    for instant in [first_byte, first_token, first_visible, last_token, end].into_iter().flatten() {
        instant.0 += read;
    }
    if fails {
        fail(facts, 500, FaultKind::Http, "500 Internal Server Error: KV cache exhausted");
    }
}

fn sample_set() -> SetFacts {
    let group = |name: &str, origin, rule: &str, samples, share| SetGroup {
        name: name.to_owned(),
        origin,
        rule: rule.to_owned(),
        samples,
        share,
        by: None,
        basis: None,
        terms: profile::Terms::default(),
    };
    SetFacts {
        format: SET_FORMAT,
        made_by: "acceptbench 0.1.0".to_owned(),
        synthesis: Some(1),
        name: "kefu-2026-11".to_owned(),
        samples_sha256: "7b52009b64fd0a2a49e6d8a939753077792b0554aa1e7d3c2f5f1a6c0de5b947".to_owned(),
        seed: 0,
        source: SetSource {
            drawn_from: DrawnFrom::Rows,
            profile_sha256: "f4df0ab6e4b07d9a1c0bb3c1b0fbfe9d5c93f0a3ab1e7fd5d1e8c1a9a7d06e21".to_owned(),
            profile: "智能客服 2026-11".to_owned(),
            from: Some("2026-11-02T00:00:04Z".to_owned()),
            until: Some("2026-11-08T23:59:51Z".to_owned()),
            rows: 48_211,
        },
        sizing: Sizing {
            by: SizedBy::Tokenizer,
            counter: Some("tokenizer.json".to_owned()),
            sha256: Some("1c0bb3c1b0fbfe9d".repeat(4)),
            added_tokens: 9,
            counted: 2_000,
            worst_error: Some(1),
        },
        openings: Openings::Shared,
        retain_until: Some("2027-03-31".to_owned()),
        groups: vec![
            group("客服问答", profile::Origin::Real, "path = /v1/chat", 1_500, 0.75),
            SetGroup {
                by: Some("王工（法务系统组）".to_owned()),
                basis: Some("合同审查系统 2027 年一季度上线，按 40 页合同估算".to_owned()),
                ..group("合同审查", profile::Origin::Assumed, "added by hand", 500, 0.25)
            },
        ],
    }
}
