//! Further headers, whose values come from the environment and are secret.

use std::env;

use sse_client::Secret;

/// A header that every request carries.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Secret,
}

/// A header cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// No `NAME=VAR`. What was given is not repeated: it may be the secret itself.
    #[error("read --header-env: it is NAME=VAR, with VAR the name of a variable that holds the value")]
    NoPair,
    /// The variable is not set. Its name is not repeated: it may be the secret itself, put there by mistake.
    #[error(
        "read header {name} from its variable: no such variable is set (export it; after the = stands the name of a variable, and never the value)"
    )]
    NotSet {
        /// The header.
        name: String,
    },
    /// The variable holds nothing.
    #[error("read header {name} from the variable {variable}: it is empty (set it, or leave the header out)")]
    Empty {
        /// The header.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The variable holds no text.
    #[error("read header {name} from the variable {variable}: it holds bytes that are no text")]
    NotText {
        /// The header.
        name: String,
        /// The variable.
        variable: String,
    },
}

/// The header that `NAME=VAR` asks for: NAME, with the value of the variable VAR.
///
/// # Errors
/// Where it is no such pair, or the variable holds nothing to send.
pub fn header_of(given: &str) -> Result<Header, HeaderError> {
    let pair = given.split_once('=').filter(|(name, variable)| !name.is_empty() && is_variable(variable));
    let (name, variable) = pair.ok_or(HeaderError::NoPair)?;
    let (name, variable) = (name.to_owned(), variable.to_owned());
    match env::var(&variable) {
        Ok(text) => match Secret::new(&text) {
            Some(value) => Ok(Header { name, value }),
            None => Err(HeaderError::Empty { name, variable }),
        },
        Err(env::VarError::NotPresent) => Err(HeaderError::NotSet { name }),
        Err(env::VarError::NotUnicode(_)) => Err(HeaderError::NotText { name, variable }),
    }
}

/// Whether it is written as names of variables are. What is not may be a value, put there by mistake.
fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_the_secret_itself_is_not_repeated() {
        for given in ["x-key=sk_0123456789abcdef", "x-key=sk-0123456789abcdef", "sk-0123456789abcdef"] {
            let said = header_of(given).expect_err("no such variable").to_string();
            assert!(!said.contains("0123456789abcdef"), "{said}");
        }
    }
}
