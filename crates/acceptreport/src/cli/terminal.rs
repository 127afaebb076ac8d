//! What goes to the terminal, and in which language.

use evidence_pack::Pack;
use report_render::{Document, Language, render_terminal};

use super::Lang;
use crate::{assess::Assessment, exit::Exit, report::Report, settings::Settings};

/// Prints a text to stdout; a reader that has gone away is no error. Where it cannot be written for another reason, such as
/// a full disk, the program ends with [`Exit::Usage`]: whoever reads half of an answer is to know.
pub fn print(text: &str) {
    use std::io::{ErrorKind, Write as _};
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            warn(&format!("failed to write the answer: {error} (free some space, or print elsewhere)"));
            std::process::exit(Exit::Usage.code().into());
        }
        _ => {}
    }
}

/// Prints a line to stderr.
pub(crate) fn warn(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints a value as JSON to stdout.
pub fn print_json(value: &impl serde::Serialize) {
    print(&crate::assess::json_text(value));
}

/// What a package came to, in short: conclusion, tiers, criteria and agreed limits, of the document that a report is
/// written from, with the names that stand on its cover. Where those cannot be read, they are the plan's: the figures are
/// the same, and `verify` says what is wrong.
#[must_use]
pub fn summary_text(pack: &Pack, assessment: &Assessment, language: Language) -> String {
    let reports = pack.reports().unwrap_or_default().into_iter().collect();
    let settings = Settings::of(&reports).unwrap_or_default();
    let report = Report::new(assessment, pack, &assessment.verdict, &settings);
    render_terminal(&Document::arranged(report.material(), language, &settings.template))
}

/// The language that a program speaks: the one asked for, else that of the locale, Chinese or English.
#[must_use]
pub fn spoken(asked: Option<Lang>) -> Language {
    asked.map_or_else(|| of_locale(|name| std::env::var(name).ok()), Language::from)
}

/// By the first of the variables that says anything, as the C library reads them for messages.
fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Language {
    let mut said = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(variable);
    match said.find(|value| !value.is_empty()) {
        Some(locale) if locale.starts_with("zh") => Language::Zh,
        _ => Language::En,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_says_anything_decides() {
        let language = |values: &[(&str, &str)]| {
            of_locale(|name| {
                let found = values.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(language(&[]), Language::En);
        assert_eq!(language(&[("LANG", "zh_CN.UTF-8")]), Language::Zh);
        assert_eq!(language(&[("LANG", "de_DE.UTF-8")]), Language::En);
        assert_eq!(language(&[("LC_ALL", ""), ("LC_MESSAGES", "zh_TW"), ("LANG", "C")]), Language::Zh);
        assert_eq!(language(&[("LC_ALL", "C.UTF-8"), ("LANG", "zh_CN.UTF-8")]), Language::En);
    }
}
