//! The decoder against bytes that real services sent. They stay outside the repository: in `data/captures` of the folder
//! that `ACCEPTBENCH_SHARED` names, or of a folder `shared` beside the repository or above. Without them nothing is run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use sse_client::{Decoded, Terminal, decode};

fn captures() -> Option<PathBuf> {
    let within = |shared: PathBuf| shared.join("data/captures");
    if let Some(named) = std::env::var_os("ACCEPTBENCH_SHARED") {
        let folder = within(named.into());
        assert!(folder.exists(), "ACCEPTBENCH_SHARED names a folder without captures: {}", folder.display());
        return Some(folder);
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| within(folder.join("shared"))).find(|folder| folder.exists())
}

/// What stands in a capture, read the simple way.
#[derive(Debug, Default)]
struct Plainly {
    text: String,
    reasoning: String,
    reasoning_field: Option<&'static str>,
    finish_reason: Option<String>,
    /// The finish reason came with the last text.
    finished_with_text: bool,
    usages: Vec<Value>,
    done: bool,
}

fn read_plainly(capture: &str) -> Plainly {
    let mut read = Plainly::default();
    for data in capture.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if data == "[DONE]" {
            read.done = true;
            continue;
        }
        let event: Value = serde_json::from_str(data).unwrap();
        if event["usage"].is_object() {
            read.usages.push(event["usage"].clone());
        }
        let choices = event["choices"].as_array().unwrap();
        let Some(choice) = choices.iter().find(|choice| choice["index"] == 0) else { continue };
        let text = choice["delta"]["content"].as_str().unwrap_or_default();
        read.text.push_str(text);
        for field in ["reasoning", "reasoning_content"] {
            if let Some(thought) = choice["delta"][field].as_str() {
                read.reasoning.push_str(thought);
                read.reasoning_field = Some(field);
            }
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            read.finish_reason = Some(reason.to_owned());
            read.finished_with_text = !text.is_empty();
        }
    }
    read
}

/// What must be among the captures, so that none of it is checked by nobody.
#[derive(Debug, Default, PartialEq, Eq)]
struct Covered {
    streams: usize,
    refusals: usize,
    whole_answers: usize,
    without_usage: bool,
    usage_with_every_event: bool,
    reasoning: bool,
    reasoning_content: bool,
    finished_with_text: bool,
    finished_alone: bool,
    several_choices: bool,
}

#[test]
fn captures_of_real_services_are_decoded() {
    let Some(folder) = captures() else {
        println!("skipped: no captures here");
        return;
    };
    let mut covered = Covered::default();
    for service in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(service.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".response.raw") else { continue };
            let request = std::fs::read(path.with_file_name(format!("{name}.request.json"))).unwrap();
            // One request was broken on purpose.
            let request = serde_json::from_slice(&request).unwrap_or_default();
            let capture = std::fs::read(&path).unwrap();
            check(&decode(&capture), &String::from_utf8(capture).unwrap(), &request, &mut covered);
        }
    }
    assert!(covered.streams > 15 && covered.refusals > 5 && covered.whole_answers > 1, "{covered:?}");
    let all = Covered {
        without_usage: true,
        usage_with_every_event: true,
        reasoning: true,
        reasoning_content: true,
        finished_with_text: true,
        finished_alone: true,
        several_choices: true,
        ..covered
    };
    assert_eq!(covered, all);
}

fn check(decoded: &Decoded, capture: &str, request: &Value, covered: &mut Covered) {
    if decoded.status != Some(200) {
        assert_eq!(decoded.terminal, Terminal::StreamError, "{decoded:?}");
        assert!(!decoded.error.as_ref().unwrap().message.is_empty(), "{decoded:?}");
        assert!(decoded.notes[0].starts_with("The service answered with status 4"), "{decoded:?}");
        covered.refusals += 1;
    } else if request["stream"] != true {
        assert_eq!(decoded.terminal, Terminal::StreamError, "{decoded:?}");
        assert!(decoded.notes[0].contains("without streaming"), "{decoded:?}");
        covered.whole_answers += 1;
    } else {
        check_stream(decoded, &read_plainly(capture), request, covered);
    }
}

fn check_stream(decoded: &Decoded, plainly: &Plainly, request: &Value, covered: &mut Covered) {
    let shown = format!("{decoded:?} {plainly:?}");
    assert_eq!((decoded.terminal, decoded.malformed), (Terminal::Complete, 0), "{shown}");
    assert_eq!((&decoded.text, &decoded.reasoning), (&plainly.text, &plainly.reasoning), "{shown}");
    assert_eq!((&decoded.finish_reason, decoded.done), (&plainly.finish_reason, plainly.done), "{shown}");
    assert!(decoded.token_events > 0 && decoded.done, "{shown}");
    let asked = request["stream_options"]["include_usage"] == true;
    assert_eq!((decoded.usage.is_some(), !plainly.usages.is_empty()), (asked, asked), "{shown}");
    if let (Some(usage), Some(last)) = (&decoded.usage, plainly.usages.last()) {
        assert_eq!(usage.prompt_tokens, last["prompt_tokens"].as_u64(), "{shown}");
        assert_eq!(usage.completion_tokens, last["completion_tokens"].as_u64(), "{shown}");
        assert!(usage.completion_tokens > Some(0) && usage.prompt_tokens > Some(0), "{shown}");
    }
    covered.streams += 1;
    covered.without_usage |= !asked;
    covered.usage_with_every_event |= plainly.usages.len() > 2;
    covered.reasoning |= plainly.reasoning_field == Some("reasoning");
    covered.reasoning_content |= plainly.reasoning_field == Some("reasoning_content");
    covered.finished_with_text |= plainly.finished_with_text;
    covered.finished_alone |= !plainly.finished_with_text;
    covered.several_choices |= request["n"] == 2;
}
