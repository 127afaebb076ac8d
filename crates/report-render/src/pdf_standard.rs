//! Which standard a PDF keeps to: a choice that is kept with the documents, whether or not a build writes PDF.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A standard for archives. Both carry attachments of any kind, embed every font, and hold all colours on a stated profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PdfStandard {
    /// PDF/A-3b: looks the same for good.
    #[default]
    #[serde(rename = "a-3b")]
    A3b,
    /// PDF/A-3a with PDF/UA-1: also can be read by a screen reader, with everything tagged and all text mapped to Unicode.
    #[serde(rename = "a-3a-ua")]
    A3aUa,
}

impl PdfStandard {
    /// Both.
    pub const ALL: [Self; 2] = [Self::A3b, Self::A3aUa];

    /// Its name on the command line: `a-3b` or `a-3a-ua`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::A3b => "a-3b",
            Self::A3aUa => "a-3a-ua",
        }
    }
}

impl fmt::Display for PdfStandard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that stands for no standard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("write PDF by the standard `{0}` (a-3b or a-3a-ua)")]
pub struct UnknownStandard(pub String);

impl FromStr for PdfStandard {
    type Err = UnknownStandard;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| UnknownStandard(name.to_owned()))
    }
}
