//! The API key: from the environment or a file, never from an argument.

use std::{env, fs, path::Path};

use sse_client::Secret;

/// The variable that holds the key where none is named.
pub const DEFAULT_KEY_ENV: &str = "OPENAI_API_KEY";

/// The key cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The variable that was named is not set.
    #[error("read the API key: the variable {0} is not set (export it, or set it to nothing for no key)")]
    NotSet(String),
    /// The variable holds no text.
    #[error("read the API key: the variable {0} holds bytes that are no text")]
    NotText(String),
    /// The file cannot be read.
    #[error("read the API key from {path}: {error} (name a file that holds the key and nothing else)")]
    File {
        /// The file.
        path: String,
        /// Why.
        error: std::io::Error,
    },
}

/// Reads the key from a file, or from a variable: the one named, which must be set, or the default one, which need
/// not be. An empty variable or file means no key.
///
/// # Errors
/// Where what was named is not there.
pub fn api_key(named_env: Option<&str>, file: Option<&Path>) -> Result<Option<Secret>, KeyError> {
    if let Some(path) = file {
        let text = fs::read_to_string(path)
            .map_err(|error| KeyError::File { path: path.display().to_string(), error })?;
        return Ok(Secret::new(&text));
    }
    let name = named_env.unwrap_or(DEFAULT_KEY_ENV);
    match env::var(name) {
        Ok(key) => Ok(Secret::new(&key)),
        Err(env::VarError::NotPresent) if named_env.is_none() => Ok(None),
        Err(env::VarError::NotPresent) => Err(KeyError::NotSet(name.to_owned())),
        Err(env::VarError::NotUnicode(_)) => Err(KeyError::NotText(name.to_owned())),
    }
}
