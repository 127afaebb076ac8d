//! What is wrong with a TOML file, in one line.

use serde::de::DeserializeOwned;

/// What is wrong with a TOML file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TomlFault {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, in the parser's words.
    pub words: String,
}

/// Reads a TOML file whose keys are all known.
///
/// # Errors
/// Where the text is no TOML, or not what is asked for.
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, TomlFault> {
    toml::from_str(text).map_err(|error| {
        // The parser's own words may run over several lines.
        let words = error.message().split('\n').map(str::trim).collect::<Vec<_>>().join(", ");
        TomlFault { line: line_at(text, error.span().map_or(0, |span| span.start)), words }
    })
}

/// The line, counted from 1, in which a byte of a text stands.
pub(crate) fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
