//! What a service is really sent.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    program::{Ran, SOUND, program, run_with, sweep_args},
    services::{STREAM, always, scripted},
};

/// A request as the service read it.
struct Request {
    head: String,
    body: Value,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1);
        lines
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|it| it.1)
    }

    /// The first text of its messages.
    fn text(&self) -> &str {
        self.body["messages"][0]["content"].as_str().unwrap()
    }

    /// Its first 16 characters.
    fn opening(&self) -> &str {
        let text = self.text();
        text.char_indices().nth(16).map_or(text, |(end, _)| &text[..end])
    }
}

/// Sweeps, and gives back every request that the service was sent, and the chats among them.
fn sent(more: &[&str]) -> (Ran, Vec<Request>, Vec<Request>) {
    let service = scripted(always("200 OK", "text/event-stream", STREAM));
    let mut command = program();
    command.env("OPENAI_API_KEY", "");
    let ran = run_with(command, &sweep_args(&service.url(), more));
    ran.ends(SOUND);
    let requests = service.log.requests().into_iter().map(|bytes| {
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Request { head: head.to_owned(), body: serde_json::from_str(body).unwrap_or_default() }
    });
    let (chats, others) = requests.partition(|request: &Request| request.head.starts_with("POST "));
    (ran, chats, others)
}

fn distinct<'r>(chats: &'r [Request], of: impl Fn(&'r Request) -> &'r str) -> usize {
    chats.iter().map(of).collect::<BTreeSet<_>>().len()
}

#[test]
fn every_request_can_be_told_from_every_other() {
    let (_, chats, others) = sent(&["--tiers", "1,2", "--requests", "12", "--warmup", "4"]);
    assert_eq!(chats.len(), 1 + 4 + 24);
    assert_eq!(distinct(&chats, Request::opening), chats.len(), "openings differ within 16 characters");
    let all = chats.iter().chain(&others);
    let ids: BTreeSet<_> = all.clone().map(|request| request.header("x-request-id").unwrap()).collect();
    assert_eq!(ids.len(), chats.len() + others.len());
    assert!(ids.iter().all(|id| id.len() < 64), "{ids:?}");
    let agent = concat!("acceptbench/", env!("CARGO_PKG_VERSION"));
    assert!(all.clone().all(|request| request.header("user-agent") == Some(agent)));
    assert!(all.clone().all(|request| request.header("authorization").is_none()), "an empty key is no key");
}

#[test]
fn nothing_is_asked_for_that_was_not_asked_for() {
    let (ran, chats, _) = sent(&[]);
    for chat in &chats {
        let keys: Vec<_> = chat.body.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["messages", "model", "stream", "stream_options"]);
        assert_eq!(chat.body["stream_options"]["include_usage"], true);
    }
    assert!(!ran.report("report.en.md").contains("max_tokens = "));
    let (_, chats, _) = sent(&["--max-tokens", "64", "--temperature", "0"]);
    assert!(chats.iter().all(|chat| chat.body["max_tokens"] == 64 && chat.body["temperature"] == 0.0));
}

#[test]
fn prompts_of_ones_own_are_sent_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prompts.jsonl");
    let prompts = "{\"messages\": [{\"role\": \"system\", \"content\": \"Be brief.\"}, {\"role\": \"user\", \"content\": \"Wie spät?\"}]}\n\
                   [{\"role\": \"user\", \"content\": \"今天几号？\"}]\n";
    std::fs::write(&path, prompts).unwrap();
    let (ran, chats, _) = sent(&["--prompts", path.to_str().unwrap()]);
    let kept = std::fs::read_to_string(ran.out.join("data/samples.jsonl")).unwrap();
    assert!(kept.contains("Wie spät?") && kept.contains("今天几号？"), "{kept}");
    let own = |chat: &&Request| chat.text().ends_with("Be brief.") || chat.text().ends_with("今天几号？");
    let (measured, others): (Vec<_>, Vec<_>) = chats.iter().partition(own);
    assert_eq!((measured.len(), others.len()), (4, 2), "preflight and warm-up use other prompts");
    assert_eq!(distinct(&chats, Request::opening), chats.len());
    let plan = std::fs::read_to_string(ran.out.join("data/plan.toml")).unwrap();
    assert!(plan.contains("file:prompts.jsonl") && !plan.contains(folder.path().to_str().unwrap()), "{plan}");
    // Each tier sends the same prompts.
    for tier in [1, 2] {
        let rows = ran.rows();
        let of_tier = rows.iter().filter(|row| row["tier"] == tier && row["stage"] == "sweep");
        assert_eq!(of_tier.map(|row| row["sample"].as_str().unwrap()).collect::<BTreeSet<_>>().len(), 2);
    }
}
