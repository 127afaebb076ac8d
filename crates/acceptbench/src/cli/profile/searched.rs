//! What an audit looks through.

use std::collections::BTreeMap;

use acceptreport::{Format, ReportError, WorkloadError, cli::CommandError, workload_report};
use evidence_pack::{PROFILE_FILE, ProfileFolder};
use log_import::audit::{Class, Place};
use report_render::Language;
use serde_json::Value;

/// A profile's folder, as an audit sees it.
pub(super) struct Searched {
    /// How many files there are.
    pub(super) files: usize,
    /// What is looked through for values of the log, each with the name of its file.
    ///
    /// Of a profile, and of documents that are what it gives, these are the words that came from somewhere; whatever else
    /// stands in the folder is looked through to the letter, and once more with the marks of HTML and JSON taken away. Who
    /// signed may be in the log as well, so that signatures are left out.
    pub(super) texts: Vec<(String, String)>,
    /// What has the form of a sensitive value, in any file.
    pub(super) formed: Vec<Formed>,
    /// Files that are no text and not what the profile gives, and links: nobody can tell what is in them.
    pub(super) opaque: Vec<String>,
    /// Where only the words of the profile are looked through: the line of its file for each line of them.
    lines: BTreeMap<u64, u64>,
}

/// Something in a file that has the form of a sensitive value.
pub(super) struct Formed {
    /// The file.
    pub(super) file: String,
    /// Line, from 1.
    pub(super) line: u64,
    /// The form.
    pub(super) class: Class,
}

impl Searched {
    pub(super) fn of(folder: &ProfileFolder) -> Result<Self, CommandError> {
        let mut files = folder.files().map_err(WorkloadError::from)?;
        let mut searched = Self {
            files: files.len(),
            texts: Vec::new(),
            formed: Vec::new(),
            opaque: folder.unfit().map_err(WorkloadError::from)?,
            lines: BTreeMap::new(),
        };
        let names = files.keys().cloned().collect::<Vec<_>>().join("\n");
        searched.look("file names", &names);
        searched.texts.push(("file names".to_owned(), names));
        searched.made(folder, &mut files)?;
        for (name, bytes) in files {
            let Ok(text) = String::from_utf8(bytes) else {
                searched.opaque.push(name);
                continue;
            };
            searched.look(&name, &text);
            if name.starts_with("signatures/") {
                continue;
            }
            let plain = without_marks(&text);
            if plain != text {
                searched.look(&name, &plain);
                searched.texts.push((name.clone(), plain));
            }
            searched.texts.push((name, text));
        }
        Ok(searched)
    }

    /// Puts the line of the profile's file in place of that of its words.
    pub(super) fn locate(&self, place: &mut Place) {
        if let Some(line) = self.lines.get(&place.line).filter(|_| place.text == PROFILE_FILE) {
            place.line = *line;
        }
    }

    /// Nothing was found without the log.
    pub(super) fn is_clean(&self) -> bool {
        self.formed.is_empty() && self.opaque.is_empty()
    }

    /// Takes what the profile gives out of the files, and its words in.
    fn made(
        &mut self,
        folder: &ProfileFolder,
        files: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<(), CommandError> {
        let Ok(report) = workload_report(folder) else { return Ok(()) };
        let profile = report.profile();
        if profile.to_json().as_bytes() == folder.profile() {
            let file = files.remove(PROFILE_FILE).unwrap_or_default();
            let file = String::from_utf8_lossy(&file);
            let words = profile.words();
            self.look(PROFILE_FILE, &file);
            self.lines = (1..).zip(words.iter().flat_map(|word| lines_of(word, &file))).collect();
            self.texts.push((PROFILE_FILE.to_owned(), words.join("\n")));
        }
        for language in Language::ALL {
            for format in Format::ALL {
                if !files.keys().any(|name| report.has(name, language, format)) {
                    continue;
                }
                let made = match report.files(language, &[format]) {
                    Err(ReportError::NoPdf(_)) => continue,
                    made => made.map_err(WorkloadError::from)?,
                };
                for file in made {
                    if files.get(&file.name) == Some(&file.bytes) {
                        files.remove(&file.name);
                        if let Ok(text) = String::from_utf8(file.bytes) {
                            self.look(&file.name, &text);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks for forms.
    fn look(&mut self, file: &str, text: &str) {
        for class in Class::ALL {
            let found = class.find(text).into_iter();
            let found =
                found.map(|range| Formed { file: file.to_owned(), line: line(text, range.start), class });
            for formed in found {
                let known = |other: &Formed| {
                    (&other.file, other.line, other.class) == (&formed.file, formed.line, class)
                };
                if !self.formed.iter().any(known) {
                    self.formed.push(formed);
                }
            }
        }
    }
}

/// For each line of a word, the line of the profile's file on which the word stands first.
fn lines_of(word: &str, file: &str) -> Vec<u64> {
    let at = file.find(&Value::from(word).to_string()).unwrap_or_default();
    vec![line(file, at); word.split('\n').count()]
}

/// The line of this place in a text, from 1.
fn line(text: &str, at: usize) -> u64 {
    1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() as u64
}

/// The text with the marks of HTML (`&amp;`, `&#39;`) and the escapes of JSON (`\\u738b`, `\\/`) replaced by what they stand for.
/// Lines stay lines.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['&', '\\']) {
        let (before, mark) = rest.split_at(at);
        plain.push_str(before);
        let (sign, length) = html(mark).or_else(|| json(mark)).unwrap_or_else(|| {
            let first = mark.chars().next().unwrap_or_default();
            (first, first.len_utf8())
        });
        plain.push(sign);
        rest = &mark[length..];
    }
    plain.push_str(rest);
    plain
}

/// The sign that an entity at the start of the text stands for, and the entity's length.
fn html(text: &str) -> Option<(char, usize)> {
    let (name, _) = text.strip_prefix('&')?.split_once(';').filter(|(name, _)| name.len() <= 8)?;
    let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
    let sign = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => match name.strip_prefix('#')? {
            digits if digits.starts_with(['x', 'X']) => number(&digits[1..], 16)?,
            digits => number(digits, 10)?,
        },
    };
    Some((sign, name.len() + 2))
}

/// The sign that an escape at the start of the text stands for, and the escape's length.
fn json(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('\\')?;
    match rest.chars().next()? {
        sign @ ('"' | '\\' | '/') => Some((sign, 2)),
        'u' => {
            let digits = rest.get(1..5)?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(|sign| (sign, 6))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_for_what_they_stand_for() {
        let cases = [
            ("O&#39;Neil &amp; &lt;b&gt;", "O'Neil & <b>"),
            ("&#x738b;小明 \\u738b\\/x", "王小明 王/x"),
            ("a & b; \\n \\u12 &unknown; &", "a & b; \\n \\u12 &unknown; &"),
        ];
        for (text, plain) in cases {
            assert_eq!(without_marks(text), plain);
        }
    }
}
