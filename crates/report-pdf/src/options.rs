//! What a PDF is made with, besides its document.

use std::{fmt, str::FromStr};

/// What a PDF is made with, besides its document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PdfOptions {
    /// Which standard it keeps to.
    pub standard: PdfStandard,
    /// Files that travel inside it.
    pub attachments: Vec<Attachment>,
    /// Names the document and stays the same when it is made again, such as the id of the run. It is hashed into the
    /// file's identifier and not printed.
    pub identifier: String,
    /// A company's own cover and logo.
    pub design: Design,
}

/// A standard for archives. Both carry attachments of any kind, embed every font, and hold all colours on a stated profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PdfStandard {
    /// PDF/A-3b: looks the same for good.
    #[default]
    A3b,
    /// PDF/A-3a with PDF/UA-1: also can be read by a screen reader, with everything tagged and all text mapped to Unicode.
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

/// A file that travels inside the PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// File name, without folders.
    pub name: String,
    /// Media type, such as `application/json`.
    pub mime: String,
    /// What it is, in the document's language.
    pub description: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A company's own cover and logo. Neither can take away what marks the internal edition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Design {
    /// Typst source that defines `cover(document, logo: none)`, in place of the built-in cover.
    pub cover: Option<DesignFile>,
    /// The logo: SVG, PNG, JPEG, GIF or WebP, told apart by the end of the file name.
    pub logo: Option<DesignFile>,
}

/// A file of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesignFile {
    /// File name, without folders: errors name it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
