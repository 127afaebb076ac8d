//! What is wrong with a TOML file, in one line.

use serde::de::DeserializeOwned;

/// What is wrong, and in which line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TomlFault {
    pub(crate) line: usize,
    pub(crate) words: String,
}

/// Reads a TOML file whose keys are all known.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, TomlFault> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(text));
        // The parser's own words may run over several lines.
        let words = error.message().split('\n').map(str::trim).collect::<Vec<_>>().join(", ");
        TomlFault { line: before.matches('\n').count() + 1, words }
    })
}
