//! What other systems load.

use crate::{
    packages::{complete, sound},
    program::run,
};

const RULES: [&str; 2] = ["--to", "prometheus-rules"];

#[test]
fn monitoring_rules_are_those_of_the_package_or_of_the_engine_asked_for() {
    let made = sound();
    let standing = made.read("data/reports/prometheus-rules.yml");
    let own = run("export", &made.dir, &RULES);
    own.ends(0, &["# Metric names are vLLM's.", "does not name this engine"]);
    assert_eq!(own.stdout, standing);
    for (engine, says) in [
        ("sglang", "sglang:time_to_first_token_seconds_bucket"),
        ("llamacpp", "llamacpp:tokens_predicted_total"),
        ("tgi", "tgi_request_duration_bucket"),
    ] {
        run("export", &made.dir, &[&RULES[..], &["--engine", engine]].concat()).ends(0, &[says]);
    }
    let out = made.dir.parent().unwrap().join("rules.yml");
    run("export", &made.dir, &[&RULES[..], &["--out", out.to_str().unwrap()]].concat()).ends(0, &[]);
    assert_eq!(std::fs::read_to_string(out).unwrap(), standing);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
}

#[test]
fn only_what_there_is_can_be_exported_and_only_of_sound_evidence() {
    let made = sound();
    run("export", &made.dir, &["--to", "parquet"]).ends(2, &["prometheus-rules"]);
    run("export", &made.dir, &[&RULES[..], &["--engine", "triton"]].concat()).ends(2, &["llamacpp"]);
    run("export", &made.dir, &[&RULES[..], &["--out", "/no/such/folder/x"]].concat()).fails(2, &["--out"]);
    run("export", &complete(|slot| slot.seq != 7).dir, &RULES).fails(4, &["damaged"]);
}
