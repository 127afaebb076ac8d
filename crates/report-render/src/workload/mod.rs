//! A picture of the workload: a profile as a document that a business can confirm and sign as the agreed distribution of
//! requests.

mod arrivals;
mod assumed;
mod burstiness;
mod clock;
mod conclusion;
mod cover;
mod coverage;
mod definitions;
mod deidentification;
mod detail;
mod figures;
mod groups;
mod lengths;
mod missing;
mod over_period;
mod signatures;
mod terms;
mod vocabulary;

use workload_model::profile::Profile;

use crate::{
    document::{Block, Document, Section},
    html::render_html,
    language::Language,
    markdown::{charts, render_markdown},
    material::Project,
    words,
};

/// What a document of a profile says beside the profile.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkloadFacts {
    /// Names on the cover and where parties sign. The customer is who owns the business.
    pub project: Project,
    /// SHA-256 of `profile.json`, in hexadecimal: what is signed.
    pub profile_sha256: String,
}

/// Writes down what a profile says, in one language. The same profile and facts give the same document.
#[must_use]
pub fn workload_document(profile: &Profile, facts: &WorkloadFacts, language: Language) -> Document {
    let (p, l) = (profile, language);
    Document {
        language,
        edition: None,
        title: cover::title(facts, l),
        subtitle: cover::subtitle(p, l),
        edition_name: cover::purpose(l).to_owned(),
        banner: None,
        notices: cover::notices(p, l),
        facts: cover::facts(p, facts, l),
        contents: words::contents(l).to_owned(),
        sections: sections(p, facts, l),
        footer: cover::footer(facts, l),
        started_at: started_at(p),
    }
}

/// The files that show a profile, in both languages, by name: `profile.LANG.html`, `profile.LANG.md`, and the charts that the
/// latter links.
#[must_use]
pub fn workload_files(profile: &Profile, facts: &WorkloadFacts) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for language in Language::ALL {
        let document = workload_document(profile, facts, language);
        let code = language.code();
        files.push((format!("profile.{code}.html"), render_html(&document)));
        files.push((format!("profile.{code}.md"), render_markdown(&document)));
        files.extend(charts(&document));
    }
    files
}

/// The first arrival; the beginning of 1970 where nothing arrived.
fn started_at(p: &Profile) -> String {
    let from = &p.source.period.from;
    if clock::seconds(from).is_some() { from.clone() } else { "1970-01-01T00:00:00Z".to_owned() }
}

fn sections(p: &Profile, facts: &WorkloadFacts, l: Language) -> Vec<Section> {
    let parts: [(&'static str, &str, Vec<Block>); 8] = [
        ("conclusion", conclusion::heading(l), conclusion::blocks(p, l)),
        ("groups", groups::heading(l), groups::blocks(p, l)),
        ("arrivals", arrivals::heading(l), arrivals::blocks(p, l)),
        ("detail", detail::heading(l), detail::blocks(p, l)),
        ("coverage", coverage::heading(l), coverage::blocks(p, l)),
        ("deidentification", deidentification::heading(l), deidentification::blocks(p, l)),
        ("definitions", definitions::heading(l), definitions::blocks(l)),
        ("signatures", signatures::heading(l), signatures::blocks(facts, l)),
    ];
    let numbered = parts.into_iter().enumerate();
    numbered
        .map(|(at, (id, heading, blocks))| Section { id, heading: format!("{} {heading}", at + 1), blocks })
        .collect()
}
