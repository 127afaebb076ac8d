//! What may stand in the name of a group, and in its rule.

use std::fmt::Write as _;

use super::{
    card::{OTHER_GROUP, Rule},
    pattern::{OneOrMany, Pattern},
};
use crate::traffic::Pseudonym;

/// A rule in words that name nobody: labels and callers that were named exactly stand under their pseudonyms, and patterns
/// are counted. `labels` and `callers` say under which pseudonym a name of the rule came up, by its place.
pub(crate) fn told(rule: &Rule, labels: &[(usize, Pseudonym)], callers: &[(usize, Pseudonym)]) -> String {
    let mut parts = Vec::new();
    if let Some(OneOrMany(calls)) = &rule.call {
        parts.push(format!(
            "call = {}",
            calls.iter().map(|call| call.as_str()).collect::<Vec<_>>().join(" | ")
        ));
    }
    if let Some(OneOrMany(models)) = &rule.model {
        parts.push(format!("model = {}", models.iter().map(Pattern::as_str).collect::<Vec<_>>().join(" | ")));
    }
    if let Some(OneOrMany(paths)) = &rule.path {
        let shown = |path: &&Pattern| {
            known_path(path.as_str()).is_some_and(|end| path.as_str().trim_start_matches('*') == end)
        };
        parts.push(mixed(
            "path",
            paths.iter().filter(shown).map(|path| path.as_str().to_owned()),
            paths.len(),
        ));
    }
    for (kind, patterns, seen) in [("label", &rule.label, labels), ("caller", &rule.caller, callers)] {
        if let Some(OneOrMany(patterns)) = patterns {
            let mut seen = seen.to_vec();
            seen.sort_unstable();
            let names = seen.iter().map(|(_, pseudonym)| format!("{kind}-{pseudonym}"));
            parts.push(mixed(kind, names, patterns.len()));
        }
    }
    for (kind, band) in [("input_tokens", &rule.input_tokens), ("output_tokens", &rule.output_tokens)] {
        if let Some(band) = band {
            parts.push(format!("{kind} = {band}"));
        }
    }
    if let Some(stream) = rule.stream {
        parts.push(format!("stream = {stream}"));
    }
    if parts.is_empty() { "all that no rule above takes".to_owned() } else { parts.join(", ") }
}

/// What may be shown, and how many there are beside.
fn mixed(kind: &str, shown: impl Iterator<Item = String>, of: usize) -> String {
    let shown: Vec<String> = shown.collect();
    let hidden = of - shown.len();
    let mut text = format!("{kind} = {}", shown.join(" | "));
    if hidden > 0 {
        let joint = if shown.is_empty() { "" } else { " | " };
        let _ = write!(text, "{joint}({hidden} not shown)");
    }
    text
}

/// The text, where it looks like the name of a model.
pub(crate) fn model_name(text: &str) -> Option<&str> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:/+".contains(&byte);
    let looks_like_one = text.len() <= 96
        && text != OTHER_GROUP
        && text.bytes().all(allowed)
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !text.starts_with("sk-")
        && !text.contains("://");
    looks_like_one.then_some(text)
}

/// Ends of paths of known interfaces, longer ones first.
const KNOWN_PATHS: [&str; 18] = [
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/embeddings",
    "/v1/rerank",
    "/v1/score",
    "/v1/responses",
    "/v1/messages",
    "/v1/images/generations",
    "/v1/audio/speech",
    "/v1/audio/transcriptions",
    "/chat/completions",
    "/completions",
    "/embeddings",
    "/rerank",
    "/api/chat",
    "/api/generate",
    "/responses",
    "/messages",
];

/// The end of a path that is one of a known interface.
pub(crate) fn known_path(path: &str) -> Option<&str> {
    KNOWN_PATHS.into_iter().find(|known| path.ends_with(known))
}
