//! From what a report says to the document that says it.

use verdict_rules::Edition;

use crate::{
    document::{Block, Document, Section},
    language::Language,
    material::Material,
    section::{
        advice, archive, conclusion, cover, criteria, definitions, detail, generator, next_steps, outcomes,
        results, scope, signatures, sla, trend, warnings,
    },
    words,
};

impl Document {
    /// Writes down what the material says, in one language.
    #[must_use]
    pub fn new(material: &Material, language: Language) -> Self {
        let (m, l) = (material, language);
        let edition = m.edition();
        Self {
            language,
            edition,
            title: cover::title(m, l),
            subtitle: cover::subtitle(l),
            edition_name: words::edition(l, edition).to_owned(),
            banner: cover::banner(edition, l),
            notices: cover::notices(m, l),
            facts: cover::facts(m, l),
            sections: sections(m, l, edition),
            footer: cover::footer(m, l),
        }
    }
}

fn sections(m: &Material, l: Language, edition: Edition) -> Vec<Section> {
    let mut parts: Vec<(&'static str, &str, Vec<Block>)> =
        vec![("conclusion", conclusion::heading(l), conclusion::blocks(m, l))];
    if edition == Edition::Internal {
        parts.push(("next-steps", next_steps::heading(l), next_steps::blocks(m, l)));
    }
    parts.extend([
        ("scope", scope::heading(l), scope::blocks(m, l)),
        ("results", results::heading(l), results::blocks(m, l)),
        ("trend", trend::heading(l), trend::blocks(m, l)),
        ("outcomes", outcomes::heading(l), outcomes::blocks(m, l)),
        ("detail", detail::heading(l), detail::blocks(m, l)),
        ("generator", generator::heading(l), generator::blocks(m, l)),
        ("warnings", warnings::heading(l), warnings::blocks(m, l)),
        ("criteria", criteria::heading(l), criteria::blocks(m, l)),
        ("sla", sla::heading(l), sla::blocks(m, l)),
        ("advice", advice::heading(l), advice::blocks(m, l)),
        ("definitions", definitions::heading(l), definitions::blocks(l)),
        ("archive", archive::heading(l), archive::blocks(m, l)),
        ("signatures", signatures::heading(l), signatures::blocks(m, l)),
    ]);
    let numbered = parts.into_iter().enumerate();
    numbered
        .map(|(at, (id, heading, blocks))| Section { id, heading: format!("{} {heading}", at + 1), blocks })
        .collect()
}
