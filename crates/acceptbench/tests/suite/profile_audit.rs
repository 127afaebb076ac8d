//! The search of a profile for anything of its source.

use std::path::Path;

use serde_json::{Value, json};

use crate::{
    profiles::{Planted, planted, profile},
    program::{Ran, run},
};

/// A long prompt of a user.
const PROMPT: &str = "Please draft the letter of notice to tenant Wu in the Riverside building, flat twelve.";

/// A profile, and the log that it was made from, in which a row carries the prompt.
struct Made {
    log: Planted,
    ran: Ran,
}

fn made() -> Made {
    let log = planted();
    let text = std::fs::read_to_string(&log.path).unwrap();
    let content = &log.values.iter().find(|(field, _)| field == "content").unwrap().1;
    assert!(text.contains(content));
    std::fs::write(&log.path, text.replacen(content, PROMPT, 1)).unwrap();
    let ran = profile(&log.path, &[]);
    ran.ends(&[0]);
    Made { log, ran }
}

impl Made {
    fn audit(&self, more: &[&str]) -> Ran {
        let out = self.ran.out.to_str().unwrap();
        run(&[&["profile", "audit", out, "--source", &self.log.path], more].concat())
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.ran.out.join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.ran.out.join(name), text).unwrap();
    }
}

/// What is planted, and what the finding is called: a class of patterns, or the field of the log that holds it.
fn plants(log: &Planted) -> Vec<(String, &'static str, bool)> {
    let user = log.values.iter().find(|(field, _)| field == "username").unwrap().1.clone();
    vec![
        ("11010519491231002X".to_owned(), "chinese_identity", true),
        ("13800138000".to_owned(), "chinese_phone", true),
        ("zhang.san@example.com.cn".to_owned(), "email", true),
        ("Bearer abc.def-1234".to_owned(), "key", true),
        ("198.51.100.7".to_owned(), "ip_address", true),
        ("2001:db8::7".to_owned(), "ip_address", true),
        (user, "username", false),
        (PROMPT.to_owned(), "content", false),
        (PROMPT[20..60].to_owned(), "content", false),
    ]
}

#[test]
fn a_profile_as_it_was_made_is_clean() {
    let made = made();
    let clean = made.audit(&[]);
    clean.ends(&[0]);
    assert!(clean.stdout.ends_with("nothing sensitive found\n"), "{}", clean.stdout);
    assert!(made.audit(&["--lang", "zh"]).stdout.ends_with("未发现敏感内容\n"));
    let found: Value = serde_json::from_str(&made.audit(&["--json"]).stdout).unwrap();
    assert_eq!(
        (&found["clean"], &found["rows"], &found["format"]),
        (&json!(true), &json!(9), &json!("new-api"))
    );
    assert!(found["values"].as_u64().unwrap() > 50, "{found}");
    assert_eq!(found["files"], std::fs::read_dir(&made.ran.out).unwrap().count());
}

#[test]
fn whatever_is_planted_is_found_with_file_and_line() {
    let made = made();
    let before = ["profile.json", "profile.en.html"].map(|name| (name, made.read(name)));
    for (plant, called, is_pattern) in plants(&made.log) {
        for place in ["profile.json", "profile.en.html", "notes.txt"] {
            let text = match place {
                "profile.json" => {
                    let empty = "\"description\": \"\"";
                    assert!(before[0].1.contains(empty));
                    before[0].1.replacen(empty, &format!("\"description\": \"{plant}\""), 1)
                }
                "profile.en.html" => {
                    before[1].1.replacen("</body>", &format!("\n<p>{plant}</p>\n</body>"), 1)
                }
                _ => format!("first\nsecond: {plant}.\n"),
            };
            let line = 1 + text[..text.find(&plant).unwrap()].matches('\n').count();
            made.write(place, &text);
            if place == "profile.json" {
                serde_json::from_str::<Value>(&text).unwrap();
            }
            let ran = made.audit(&["--json"]);
            ran.ends(&[1]);
            let found: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_eq!(found["clean"], false);
            let (list, other, name) = if is_pattern {
                (&found["patterns_found"], &found["values_found"], "class")
            } else {
                (&found["values_found"], &found["patterns_found"], "field")
            };
            let [only] = &list.as_array().unwrap()[..] else { panic!("{plant} in {place}: {found:#}") };
            assert_eq!(other, &json!([]), "{plant} in {place}");
            assert_eq!(only[name], called, "{plant} in {place}: {only}");
            assert_eq!((&only["file"], &only["line"]), (&json!(place), &json!(line)), "{plant}: {only}");

            let told = made.audit(&[]);
            told.ends(&[1]);
            assert!(told.stdout.contains(&format!("found: {place}:{line} holds ")), "{}", told.stdout);
            assert!(told.stdout.contains("NOT clean"), "{}", told.stdout);
            assert!(!told.stdout.contains(&plant), "what was found is repeated: {}", told.stdout);
            let chinese = made.audit(&["--lang", "zh"]);
            assert!(chinese.stdout.contains(&format!("发现：{place}:{line} ")), "{}", chinese.stdout);

            std::fs::remove_file(made.ran.out.join("notes.txt")).ok();
            before.iter().for_each(|(name, text)| made.write(name, text));
        }
    }
    made.audit(&[]).ends(&[0]);
}

#[test]
fn a_name_that_the_operator_gave_away_is_found() {
    let log = planted();
    let user = &log.values.iter().find(|(field, _)| field == "username").unwrap().1;
    let card = log.folder.path().join("card.toml");
    std::fs::write(&card, format!("[[group]]\nname = \"use of {user}\"\nmatch = {{ call = \"chat\" }}\n"))
        .unwrap();
    let ran = profile(&log.path, &["--card", card.to_str().unwrap()]);
    ran.ends(&[0]);
    let made = Made { log, ran };
    let text = made.read("profile.json");
    let line = 1 + text[..text.find("use of ").unwrap()].matches('\n').count();
    let found = made.audit(&[]);
    found.ends(&[1]);
    let wanted = format!("found: profile.json:{line} holds a value of the field username, line 1 of the log");
    assert!(found.stdout.contains(&wanted), "{}", found.stdout);
}

#[test]
fn what_cannot_be_searched_is_no_clean_profile() {
    let made = made();
    let out = made.ran.out.to_str().unwrap().to_owned();
    run(&["profile", "audit", &out, "--source", "/no/such.jsonl"]).ends(&[2]).says(&["/no/such.jsonl"]);
    let empty = tempfile::tempdir().unwrap();
    let empty: &Path = empty.path();
    run(&["profile", "audit", empty.to_str().unwrap(), "--source", &made.log.path])
        .ends(&[2])
        .says(&["no profile.json in it"]);
    made.audit(&["--format", "nope"]).ends(&[2]).says(&["\"nope\""]);
    run(&["profile", "audit", &out]).ends(&[2]);
}
