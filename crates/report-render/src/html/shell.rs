//! The style and the script of a page, and the policy that lets it run these and nothing else.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use crate::document::Document;

const STYLE: &str = include_str!("../../templates/style.css");
const SCRIPT: &str = include_str!("../../templates/page.js");

/// What stands in the head of a page.
#[derive(Debug)]
pub(super) struct Shell {
    pub(super) style: String,
    pub(super) script: &'static str,
    /// The page has pictures, each written out in it.
    pictures: bool,
}

impl Shell {
    pub(super) fn of(document: &Document, pictures: bool) -> Self {
        Self { style: format!("{STYLE}{}", margins(document)), script: SCRIPT, pictures }
    }

    /// The content security policy: this very style, this very script, and neither network nor forms.
    pub(super) fn policy(&self) -> String {
        format!(
            "default-src 'none'; style-src '{}'; script-src '{}';{} base-uri 'none'; form-action 'none'",
            hash(&self.style),
            hash(self.script),
            if self.pictures { " img-src data:;" } else { "" }
        )
    }
}

/// A hash as policies name it.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// What stands in the margins of every sheet: the edition above, run and evidence below.
fn margins(document: &Document) -> String {
    let above = match &document.banner {
        Some(banner) => {
            format!("@top-center {{ content: {}; font-weight: 700; color: #8f1b2c; }}", quoted(banner))
        }
        None => format!("@top-right {{ content: {}; }}", quoted(&document.edition_name)),
    };
    let below = quoted(&document.footer.words());
    format!("@page {{ {above} @bottom-left {{ content: {below}; }} }}\n")
}

/// A text as a string of CSS. Every sign that could end the string, or the style sheet, is written by its number.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for sign in text.chars() {
        if sign == ' ' || sign.is_alphanumeric() {
            quoted.push(sign);
        } else {
            // Writing to a string does not fail, so that its result says nothing.
            let _ = write!(quoted, "\\{:x} ", u32::from(sign));
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_string_or_the_style_sheet() {
        assert_eq!(quoted("内部版 a1"), "\"内部版 a1\"");
        assert_eq!(quoted("\"</style>\\\n"), "\"\\22 \\3c \\2f style\\3e \\5c \\a \"");
    }

    #[test]
    fn a_hash_is_that_of_the_standard() {
        // The example of CSP Level 2, 7.17.1, whose digest `openssl dgst -sha256 -binary | base64` gives too.
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }
}
