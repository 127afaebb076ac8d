//! Samples of the user's own, and the bodies that are made of them.

use serde_json::{Value, json};
use workload_model::{History, Origin, Output, RequestShape, Sample, SampleSet, Template, builtin, opening};

#[test]
fn prompts_keep_their_ids_whatever_file_they_stand_in() {
    let line = r#"{"messages":[{"role":"user","content":"你好"}]}"#;
    let alone = SampleSet::from_prompts(line).expect("one prompt");
    let text = format!("\u{feff}[{{\"role\":\"user\",\"content\":\"hello\"}}]\n\n{line}\n{line}\n");
    let text = format!("{text}{{\"id\":\"mine\",{}\n", &line[1..]);
    let set = SampleSet::from_prompts(&text).expect("four prompts");
    assert_eq!(set.measured.len(), 4);
    assert_eq!(set.measured[3].id, format!("{}-3", alone.measured[0].id));
    assert_eq!(set.measured[1].id, alone.measured[0].id);
    assert_ne!(set.measured[2].id, set.measured[1].id, "ids are unique even where prompts repeat");
    assert_eq!(set.measured[0].origin, Origin::Given);
    assert!(!set.warm_up.is_empty(), "the warm-up uses other prompts");
}

#[test]
fn prompts_of_real_use_stay_told_apart() {
    let line = r#"{"messages":[{"role":"user","content":"你好"}],"origin":"recorded"}"#;
    let set = SampleSet::from_prompts(line).expect("one prompt");
    assert_eq!(set.measured[0].origin, Origin::Recorded);
    assert!(set.measured[0].id.starts_with("recorded-"));
    assert_eq!(set.recorded(), 1);
    assert_eq!(SampleSet::from_jsonl(&set.to_jsonl()), Ok(set));
    assert_eq!(builtin().recorded(), 0);
}

#[test]
fn what_is_no_prompt_is_named_by_line() {
    for (text, says) in [
        ("[]", "line 1"),
        ("{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n{oops", "line 2"),
        ("{\"prompt\":\"x\"}", "no \"messages\""),
        ("[{\"content\":\"x\"}]", "no \"role\""),
        ("7", "neither an object nor a list"),
        (
            "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"tools\":[]}",
            "\"tools\" would not be sent",
        ),
        (
            "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}",
            "\"max_tokens\" would not",
        ),
        ("[{\"role\":\"user\"}]", "no message has text"),
        ("[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]", "no message has text"),
        (
            r#"{"messages":[{"role":"user","content":"x"}],"origin":"real"}"#,
            "its \"origin\" is \"real\" (leave it out",
        ),
        ("\n \n", "holds none"),
    ] {
        let said = SampleSet::from_prompts(text).expect_err("must be refused").to_string();
        assert!(said.contains(says), "{said:?} should say {says:?}");
    }
}

#[test]
fn a_body_asks_for_what_the_plan_names_and_nothing_else() {
    let set = builtin();
    let plain = RequestShape { include_usage: false, ..RequestShape::default() };
    let body: Value = serde_json::from_str(&set.measured[0].body("m", &plain, "[x] ")).expect("JSON");
    let keys: Vec<_> = body.as_object().expect("an object").keys().cloned().collect();
    assert_eq!(keys, ["messages", "model", "stream"]);
    let asked = RequestShape { max_tokens: Some(8), temperature: Some(0.5), ..RequestShape::default() };
    let body: Value = serde_json::from_str(&set.measured[0].body("m", &asked, "[x] ")).expect("JSON");
    assert_eq!(body["max_tokens"], json!(8));
    assert_eq!(body["temperature"], json!(0.5));
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
}

#[test]
fn the_opening_stands_first_even_before_a_shared_system_prompt() {
    let text = r#"[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]}]"#;
    let sample = SampleSet::from_prompts(text).expect("one prompt").measured.remove(0);
    let open = opening("nonce", 7);
    let body: Value = serde_json::from_str(&sample.body("m", &RequestShape::default(), &open)).expect("JSON");
    assert_eq!(body["messages"][0]["content"], json!(format!("{open}Be brief.")));
    assert_eq!(body["messages"][1]["content"][0]["text"], json!("Hi"));
    let parts = r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"Hi"}]}]"#;
    let sample = SampleSet::from_prompts(parts).expect("one prompt").measured.remove(0);
    let body: Value = serde_json::from_str(&sample.body("m", &RequestShape::default(), &open)).expect("JSON");
    assert_eq!(body["messages"][0]["content"][1]["text"], json!(format!("{open}Hi")));
}

#[test]
fn golden_openings() {
    assert_eq!(opening("", 0), "[af5570f5a181] ");
    assert_eq!(opening("run", 1).len(), 15);
}

#[test]
fn a_set_survives_its_own_file() {
    let set = builtin();
    let text = set.to_jsonl();
    assert_eq!(SampleSet::from_jsonl(&text).expect("readable"), set);
    let cut = &text[..text.len() - 10];
    assert_eq!(SampleSet::from_jsonl(cut).expect_err("must be refused").line, 28);
    assert_eq!(SampleSet::from_jsonl("").expect("empty"), SampleSet::default());
}

#[test]
fn a_template_gives_the_very_bodies_of_its_sample() {
    let odd = r#"[{"role":"user","content":"<0> \"<1>\" \u0000 你好"}]"#;
    let parts = r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"<0>"}},{"type":"text","text":""}]}]"#;
    let given = SampleSet::from_prompts(&format!("{odd}\n{parts}")).expect("two prompts");
    let mut mute = given.measured[0].clone();
    mute.messages[0].remove("content");
    let shape = RequestShape { max_tokens: Some(7), temperature: Some(0.1), ..RequestShape::default() };
    for sample in builtin().measured.iter().chain(&given.measured).chain([&mute]) {
        for shape in [&shape, &RequestShape::default()] {
            let template = Template::new(sample, "m<0>", shape);
            for opening in ["", "[0123456789ab] ", "\"\n<0>"] {
                assert_eq!(template.body(opening), sample.body("m<0>", shape, opening), "{}", sample.id);
            }
        }
    }
}

#[test]
fn an_output_is_asked_for_as_long_as_sample_and_plan_say() {
    let own = |output| {
        let mut sample = builtin().measured.remove(0);
        sample.lengths.output = output;
        sample
    };
    let asked = |output, max_tokens, own_output| {
        let (sample, shape) =
            (own(own_output), RequestShape { output, max_tokens, ..RequestShape::default() });
        let body: Value = serde_json::from_str(&sample.body("m", &shape, "")).expect("JSON");
        let keys = ["max_tokens", "min_tokens", "ignore_eos"].map(|key| body.get(key).cloned());
        (sample.asked_output(&shape), keys.map(|value| value.map(|value| value.to_string())))
    };
    let keys = |keys: [&str; 3]| keys.map(|key| Some(key.to_owned()).filter(|key| !key.is_empty()));
    for (output, max_tokens, own_output, expected) in [
        (Output::Natural, None, Some(9), (None, keys(["", "", ""]))),
        (Output::Natural, Some(5), Some(9), (None, keys(["5", "", ""]))),
        (Output::Capped, None, Some(9), (Some(9), keys(["9", "", ""]))),
        (Output::Capped, Some(5), Some(9), (Some(5), keys(["5", "", ""]))),
        (Output::Capped, Some(12), Some(9), (Some(9), keys(["9", "", ""]))),
        (Output::Capped, Some(12), None, (None, keys(["12", "", ""]))),
        (Output::Fixed, None, Some(9), (Some(9), keys(["9", "9", "true"]))),
        (Output::Fixed, Some(5), Some(9), (Some(5), keys(["5", "5", "true"]))),
        (Output::Fixed, Some(5), Some(0), (None, keys(["5", "", ""]))),
        (Output::Fixed, None, None, (None, keys(["", "", ""]))),
    ] {
        assert_eq!(
            asked(output, max_tokens, own_output),
            expected,
            "{output:?} {max_tokens:?} {own_output:?}"
        );
    }
}

#[test]
fn a_turn_is_sent_with_all_that_was_said_before_it() {
    let of = |text: &str| SampleSet::from_prompts(text).expect("a prompt").measured.remove(0);
    let first = of(r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"One?"}]"#);
    let second = of(r#"[{"role":"user","content":"Two?"}]"#);
    let template = |sample: &Sample| Template::new(sample, "m", &RequestShape::default());
    let mut history = History::default();
    let body = template(&first).next_turn(&mut history, "[x] ");
    assert_eq!(body, first.body("m", &RequestShape::default(), "[x] "));
    history.answered("Eins \"1\"\n");
    let body: Value = serde_json::from_str(&template(&second).next_turn(&mut history, "")).expect("JSON");
    assert_eq!(
        body["messages"],
        json!([
            { "role": "system", "content": "[x] Be brief." },
            { "role": "user", "content": "One?" },
            { "role": "assistant", "content": "Eins \"1\"\n" },
            { "role": "user", "content": "Two?" },
        ])
    );
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
}
