//! The two languages of every document.

use std::str::FromStr;

use serde::Serialize;
use verdict_rules::{Text, terms::Term};

/// A language that documents are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Chinese, simplified.
    Zh,
    /// English.
    En,
}

impl Language {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Zh, Self::En];

    /// Chooses between the two wordings of one statement. Since it takes both, none can be forgotten.
    #[must_use]
    pub fn say<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// The same for a statement that comes as a pair.
    #[must_use]
    pub fn text(self, text: &Text) -> &str {
        self.say(&text.en, &text.zh)
    }

    /// The same for a name of a closed vocabulary.
    pub(crate) fn term(self, term: Term) -> &'static str {
        self.say(term.en, term.zh)
    }

    /// Short code, as in file names: `zh` or `en`.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.say("en", "zh")
    }

    /// Language tag (BCP 47) of the HTML document.
    #[must_use]
    pub fn tag(self) -> &'static str {
        self.say("en", "zh-CN")
    }

    /// Joins the members of an enumeration: `a, b` or `a、b`.
    pub(crate) fn list<S: AsRef<str>>(self, members: &[S]) -> String {
        let members: Vec<&str> = members.iter().map(AsRef::as_ref).collect();
        members.join(self.say(", ", "、"))
    }
}

/// A code that names neither language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("write in language `{0}` (documents are written in zh or en)")]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|known| known.code() == code)
            .ok_or_else(|| UnknownLanguage(code.to_owned()))
    }
}
