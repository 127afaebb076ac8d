//! A sentence in both languages of the documents.

use serde::{Deserialize, Serialize};

/// One statement, written in English and in Chinese, so that a missing translation does not compile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

impl Text {
    /// The same statement in both languages.
    #[must_use]
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    /// One text for both: a name, a quotation, words that the customer wrote.
    #[must_use]
    pub fn verbatim(words: impl Into<String>) -> Self {
        let words = words.into();
        Self { en: words.clone(), zh: words }
    }

    /// This sentence and then the next one. English sentences stand a space apart, Chinese ones do not.
    #[must_use]
    pub fn then(mut self, next: &Self) -> Self {
        if !self.en.is_empty() && !next.en.is_empty() {
            self.en.push(' ');
        }
        self.en.push_str(&next.en);
        self.zh.push_str(&next.zh);
        self
    }
}
