//! From what a report says to the document that says it.

use verdict_rules::Edition;

use crate::{
    document::{Block, Document, Section},
    language::Language,
    material::Material,
    section::{
        advice, archive, conclusion, course, cover, criteria, definitions, detail, generator, next_steps,
        outcomes, results, samples, scope, signatures, sla, trend, turns, warnings,
    },
    template::Template,
    words,
};

impl Document {
    /// Writes down what the material says, in one language.
    #[must_use]
    pub fn new(material: &Material, language: Language) -> Self {
        Self::arranged(material, language, &Template::default())
    }

    /// The same, with the sections in the order of a template.
    #[must_use]
    pub fn arranged(material: &Material, language: Language, template: &Template) -> Self {
        let (m, l) = (material, language);
        let edition = m.edition();
        Self {
            language,
            edition: Some(edition),
            title: cover::title(m, l),
            subtitle: cover::subtitle(l),
            edition_name: words::edition(l, edition).to_owned(),
            banner: cover::banner(edition, l),
            notices: cover::notices(m, l),
            facts: cover::facts(m, l),
            contents: words::contents(l).to_owned(),
            sections: sections(m, l, edition, template.sections()),
            footer: cover::footer(m, l),
            started_at: m.summary.run.started_at.clone(),
        }
    }
}

/// Names of the sections, in their usual order.
pub(crate) const SECTIONS: [&str; 18] = [
    "conclusion",
    "next-steps",
    "scope",
    "samples",
    "results",
    "trend",
    "turns",
    "outcomes",
    "detail",
    "course",
    "generator",
    "warnings",
    "criteria",
    "sla",
    "advice",
    "definitions",
    "archive",
    "signatures",
];

fn sections(m: &Material, l: Language, edition: Edition, first: &[&str]) -> Vec<Section> {
    let mut parts: Vec<(&'static str, &str, Vec<Block>)> =
        vec![("conclusion", conclusion::heading(l), conclusion::blocks(m, l))];
    if edition == Edition::Internal {
        parts.push(("next-steps", next_steps::heading(l), next_steps::blocks(m, l)));
    }
    parts.extend([
        ("scope", scope::heading(l), scope::blocks(m, l)),
        ("samples", samples::heading(l), samples::blocks(m, l)),
        ("results", results::heading(l), results::blocks(m, l)),
        ("trend", trend::heading(l), trend::blocks(m, l)),
        ("turns", turns::heading(l), turns::blocks(m, l)),
        ("outcomes", outcomes::heading(l), outcomes::blocks(m, l)),
        ("detail", detail::heading(l), detail::blocks(m, l)),
        ("course", course::heading(l), course::blocks(m, l)),
        ("generator", generator::heading(l), generator::blocks(m, l)),
        ("warnings", warnings::heading(l), warnings::blocks(m, l)),
        ("criteria", criteria::heading(l), criteria::blocks(m, l)),
        ("sla", sla::heading(l), sla::blocks(m, l)),
        ("advice", advice::heading(l), advice::blocks(m, l)),
        ("definitions", definitions::heading(l), definitions::blocks(l)),
        ("archive", archive::heading(l), archive::blocks(m, l)),
        ("signatures", signatures::heading(l), signatures::blocks(m, l)),
    ]);
    // A section that has nothing to say is none, such as that of conversations where none was sent.
    parts.retain(|(_, _, blocks)| !blocks.is_empty());
    // Those that are not named keep their order behind those that are.
    parts.sort_by_key(|(id, _, _)| first.iter().position(|wish| wish == id).unwrap_or(first.len()));
    let numbered = parts.into_iter().enumerate();
    numbered
        .map(|(at, (id, heading, blocks))| Section { id, heading: format!("{} {heading}", at + 1), blocks })
        .collect()
}

#[cfg(all(test, feature = "specimens"))]
mod tests {
    use super::*;
    use crate::specimens;

    #[test]
    fn every_section_has_its_name_in_the_list() {
        let ids = |material: &Material| {
            let document = Document::new(material, Language::En);
            document.sections.iter().map(|section| section.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(&specimens::groups()), SECTIONS);
        let without: Vec<&str> =
            SECTIONS.into_iter().filter(|name| !["samples", "turns"].contains(name)).collect();
        assert_eq!(ids(&specimens::failed()), without);
    }
}
