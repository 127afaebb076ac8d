//! `analysis/verdict.json`, declared again: a key that comes or goes is seen here.

use std::collections::BTreeSet;

use serde_json::Value;
use verdict_rules::{CriterionId, Verdict};

use crate::run::{Run, judge};

const AGREEMENT: &str = "
[[sla]]
item = \"首 Token 时延 P95\"
metric = \"ttft_s.p95\"
tier = 4
limit = \"<= 0.2\"
";

#[test]
fn the_keys_of_a_verdict() {
    let verdict = judge(&Run::sweep().case(AGREEMENT));
    let json = serde_json::to_value(&verdict).unwrap();
    keys(
        &json,
        "schema evidence_digest agreement_digest agreed decision edition advice criteria sla findings supplementary",
    );
    keys(&json["advice"], "interactive boundary reason supported_up_to levelled_off_at by_rule by");
    keys(&json["advice"]["reason"], "en zh");
    let finding = "result contract support observed threshold n explanation";
    each(&json["criteria"], &format!("id {finding}"));
    each(&json["findings"], &format!("rule {finding}"));
    each(&json["sla"], "item metric tier limit source contract support further observed n");
    each(&json["supplementary"], "id condition owner environment due state");
    assert_eq!(json["schema"], "acceptbench.verdict/1");
    assert_eq!((&json["decision"], &json["edition"]), (&"fail".into(), &"internal".into()));
    assert_eq!(json["advice"]["by"], "rule");
    assert_eq!(json["sla"][0]["support"], "refuted");
    let ids: Vec<&str> =
        json["criteria"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(
        ids,
        [
            "test_integrity",
            "service_availability",
            "stability",
            "peak_throughput",
            "delivery_advice",
            "data_traceability"
        ]
    );
    assert_eq!(ids, CriterionId::ALL.map(CriterionId::as_str));
}

#[test]
fn a_verdict_is_read_back_as_it_was_and_is_the_same_every_time() {
    let case = Run::sweep().case(AGREEMENT);
    let verdict = judge(&case);
    let text = serde_json::to_string(&verdict).unwrap();
    assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
    assert_eq!(serde_json::to_string(&judge(&case)).unwrap(), text);
}

fn each(list: &Value, expected: &str) {
    let list = list.as_array().unwrap();
    assert!(!list.is_empty());
    list.iter().for_each(|item| keys(item, expected));
}

fn keys(object: &Value, expected: &str) {
    let found: BTreeSet<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(found, expected.split(' ').collect::<BTreeSet<_>>());
}
