//! A profile as text.

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{PROFILE_FORMAT, Profile, validate::validate};

/// A profile cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// No JSON, or not the keys of a profile.
    #[error("read the profile: {0}")]
    Syntax(String),
    /// Written by a newer version.
    #[error(
        "read the profile: its format is {found}, and this version knows up to {PROFILE_FORMAT} (update the tool)"
    )]
    NewerFormat {
        /// The format it states.
        found: u32,
    },
    /// It says what no rows can be like.
    #[error("read the profile: {at}: {what} (it was changed after it was made: make it again from its log)")]
    Impossible {
        /// Where.
        at: String,
        /// What is impossible.
        what: String,
    },
}

#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Profile {
    /// The profile as a file. The same profile gives the same bytes: pretty, lists of numbers on one line each, and one line
    /// break at the end.
    ///
    /// # Panics
    /// Never: whatever a profile holds has a form in JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let pretty = serde_json::to_string_pretty(self).expect("a profile is JSON");
        let mut text = numbers_on_one_line(&pretty);
        text.push('\n');
        text
    }

    /// Reads a profile and checks that rows can be like that.
    ///
    /// # Errors
    /// Where the text is no profile, with line and column; where a newer version wrote it; and where its counts do not add
    /// up, as when somebody changed them.
    pub fn from_json(text: &str) -> Result<Self, ProfileError> {
        let syntax = |error: serde_json::Error| ProfileError::Syntax(error.to_string());
        let Head { format } = serde_json::from_str(text).map_err(syntax)?;
        if format > PROFILE_FORMAT {
            return Err(ProfileError::NewerFormat { found: format });
        }
        let profile: Self = serde_json::from_str(text).map_err(syntax)?;
        validate(&profile)?;
        Ok(profile)
    }

    /// SHA-256 of the profile's file, in hexadecimal: what a signature is about.
    #[must_use]
    pub fn digest(&self) -> String {
        hex::encode(Sha256::digest(self.to_json()))
    }
}

/// Pretty JSON in which lists that hold nothing but numbers take one line each. A text never spans lines, so that a line
/// that ends in a bracket opens a list.
fn numbers_on_one_line(pretty: &str) -> String {
    let lines: Vec<&str> = pretty.lines().collect();
    let mut text = String::with_capacity(pretty.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if at > 0 {
            text.push('\n');
        }
        text.push_str(line);
        at += 1;
        if !line.ends_with('[') {
            continue;
        }
        let number = |line: &&&str| {
            line.trim_start().starts_with(|first: char| first == '-' || first.is_ascii_digit())
        };
        let numbers = lines[at..].iter().take_while(number).count();
        if numbers > 0 && lines.get(at + numbers).is_some_and(|line| line.trim_start().starts_with(']')) {
            let joined: Vec<&str> = lines[at..=at + numbers].iter().map(|line| line.trim_start()).collect();
            text.push_str(&joined[..numbers].join(" "));
            text.push_str(joined[numbers]);
            at += numbers + 1;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::numbers_on_one_line;

    #[test]
    fn lists_of_numbers_take_one_line_and_all_else_stays() {
        let value = serde_json::json!({"a": [[1, -2, 3.5], []], "b": ["1", "x ["], "c": [1, null], "d": [7], "e [": {}});
        let pretty = serde_json::to_string_pretty(&value).expect("JSON");
        let text = numbers_on_one_line(&pretty);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("still JSON"), value);
        assert!(text.contains("\n    [1, -2, 3.5],\n    []\n"), "{text}");
        assert!(text.contains("\"d\": [7],\n"), "{text}");
        assert!(text.contains("    \"1\",\n"), "{text}");
    }
}
