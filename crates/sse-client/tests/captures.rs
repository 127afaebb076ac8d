//! The decoder against bytes that real services sent. They stay outside the repository, so this runs where they are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use sse_client::{Terminal, decode};

#[test]
fn captures_of_real_services_are_decoded() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/captures"));
    if !folder.exists() {
        println!("skipped: no captures here");
        return;
    }
    let mut answers = 0;
    for service in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(service.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if !name.ends_with(".response.raw") {
                continue;
            }
            let request =
                std::fs::read_to_string(path.with_file_name(name.replace(".response.raw", ".request.json")));
            check(&path, &name, &decode(&std::fs::read(&path).unwrap()), &request.unwrap());
            answers += 1;
        }
    }
    assert!(answers > 20, "{answers}");
}

fn check(path: &Path, name: &str, decoded: &sse_client::Decoded, request: &str) {
    let shown = format!("{}: {decoded:?}", path.display());
    if decoded.status != Some(200) {
        assert_eq!(decoded.terminal, Terminal::StreamError, "{shown}");
        assert!(!decoded.error.as_ref().unwrap().message.is_empty(), "{shown}");
        assert!(decoded.notes[0].starts_with("The service answered with status 4"), "{shown}");
    } else if name.starts_with("nostream") {
        assert_eq!(decoded.terminal, Terminal::StreamError, "{shown}");
        assert!(decoded.notes[0].contains("without streaming"), "{shown}");
    } else {
        assert_eq!(decoded.terminal, Terminal::Complete, "{shown}");
        assert!(decoded.done && decoded.malformed == 0, "{shown}");
        assert!(!decoded.text.is_empty() || !decoded.reasoning.is_empty(), "{shown}");
        assert!(decoded.token_events > 0, "{shown}");
        if let Some(usage) = decoded.usage {
            assert!(usage.completion_tokens.unwrap() > 0 && usage.prompt_tokens.unwrap() > 0, "{shown}");
        }
        assert!(decoded.usage.is_some() || !request.contains("include_usage\": true"), "{shown}");
    }
}
