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
    keys(
        &json["advice"],
        "interactive boundary reason supported_up_to levelled_off_at levelled_off by_rule by",
    );
    keys(&json["advice"]["reason"], "en zh");
    let finding = "result cause contract support observed threshold n explanation";
    each(&json["criteria"], &format!("id {finding}"));
    each(&json["findings"], &format!("rule {finding}"));
    each(&json["sla"], "item metric tier limit source contract cause support further observed n exceeding");
    each(&json["supplementary"], "id condition owner environment due state");
    assert_eq!(json["schema"], "acceptbench.verdict/1");
    assert_eq!((&json["decision"], &json["edition"]), (&"fail".into(), &"internal".into()));
    assert_eq!(json["advice"]["by"], "rule");
    assert_eq!(json["sla"][0]["support"], "refuted");
    assert_eq!(
        (&json["sla"][0]["cause"], &json["sla"][0]["exceeding"]),
        (&"limit_missed".into(), &20.into())
    );
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

/// A verdict of an earlier version has no causes.
#[test]
fn a_verdict_without_causes_is_read() {
    let mut json = serde_json::to_value(judge(&Run::sweep().case(AGREEMENT))).unwrap();
    json["advice"].as_object_mut().unwrap().remove("levelled_off");
    for list in ["criteria", "findings", "sla"] {
        for item in json[list].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().retain(|key, _| key != "cause" && key != "exceeding");
        }
    }
    let verdict: Verdict = serde_json::from_value(json).unwrap();
    assert!(verdict.sla.iter().all(|item| item.cause.is_none() && item.exceeding.is_none()));
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
