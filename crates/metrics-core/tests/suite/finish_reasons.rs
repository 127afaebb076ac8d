//! What every finish reason amounts to, by the table that all crates share.

use metrics_core::{Ended, Facts, Micros, Outcome, SuccessRule, Tokens, classify};
use serde_json::Value;

fn outcome(reason: &str) -> Outcome {
    let facts = Facts {
        status: Some(200),
        ended: Ended::Done,
        done: true,
        first_token: Some(Micros(1)),
        end: Some(Micros(2)),
        output_tokens: Some(Tokens(5)),
        finish_reason: Some(reason.to_owned()),
        ..Facts::default()
    };
    classify(&facts, &SuccessRule::default())
}

#[test]
fn every_reason_of_the_table_in_any_case_is_classified_as_it_says() {
    let table: Value =
        serde_json::from_str(include_str!("../../../../fixtures/finish-reasons.json")).unwrap();
    for (list, expected) in [
        ("aborted", Outcome::Aborted),
        ("filtered", Outcome::Filtered),
        ("cut", Outcome::Capped),
        ("whole", Outcome::Effective),
    ] {
        for reason in table[list].as_array().unwrap() {
            let reason = reason.as_str().unwrap();
            for written in [reason.to_owned(), reason.to_uppercase()] {
                assert_eq!(outcome(&written), expected, "{written}");
            }
        }
    }
}
