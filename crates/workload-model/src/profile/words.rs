//! What stands in a profile and is no figure and no word of this crate's own.

use super::{Assumption, Profile, ProfileGroup};

impl Profile {
    /// Every text that came from outside: the operator's words, names of groups and their rules, what an importer says of
    /// itself. Whatever else a profile holds is a figure, an instant, a digest or a word of a closed list, so that only these
    /// could carry anything of a log.
    #[must_use]
    pub fn words(&self) -> Vec<&str> {
        let source = &self.source;
        let mut words = vec![
            self.made_by.as_str(),
            &self.name,
            &source.description,
            &source.log_format,
            &source.period.zone,
        ];
        words.extend(source.period.window.as_deref());
        words.extend(source.dropped.keys().map(String::as_str));
        words.extend(source.notes.keys().map(String::as_str));
        words.extend(source.arrivals_from.keys().map(String::as_str));
        words.extend(self.not_covered.iter().map(String::as_str));
        words.extend(self.assumptions.iter().flat_map(of_assumption));
        words.extend(self.groups.iter().flat_map(of_group));
        words
    }
}

fn of_assumption(assumption: &Assumption) -> [&str; 3] {
    let Assumption { what, by, basis } = assumption;
    [what, by, basis]
}

fn of_group(group: &ProfileGroup) -> impl Iterator<Item = &str> {
    let terms = [&group.terms.by, &group.terms.basis];
    let assumed = group.assumed.iter().flat_map(|shape| [&shape.by, &shape.basis]);
    [&group.name, &group.rule]
        .into_iter()
        .chain(assumed)
        .chain(terms.into_iter().flatten())
        .map(String::as_str)
        .chain(group.ends.keys().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{
        profile::{Card, Groups, ProfileFacts, build},
        traffic::{Call, Ending, Grouping as _, Row, RowFacts, StampKind, StampSource, Traffic},
    };

    fn profile() -> Profile {
        let mut traffic = Traffic::default();
        let card = Card::parse(
            "[profile]\nname = \"Q1\"\ndescription = \"Q2\"\nnot_covered = [\"Q3\"]\n[[group]]\nname = \"Q4\"\n\
             match = { model = \"Q5*\" }\npriority = 1\nby = \"Q6\"\nbasis = \"Q7\"\n[[assumption]]\nwhat = \"Q8\"\n\
             by = \"Q9\"\nbasis = \"Q10\"\n[[assumed]]\nname = \"Q15\"\ncovers = \"bursts\"\nshare = 0.5\n\
             input_tokens = { min = 1, typical = 2, max = 3 }\nby = \"Q16\"\nbasis = \"Q17\"\n",
        )
        .expect("a card");
        let groups = Groups::of_card(&card);
        traffic.sources = vec![StampSource {
            words: "Q11".to_owned(),
            kind: StampKind::Arrival,
            resolution_ns: 1,
            relative: false,
        }];
        traffic.groups = groups.names();
        for second in 0..50 {
            traffic.push(Row::new(RowFacts {
                arrival_ns: 1_795_050_000_000_000_000 + second * 1_000_000_000,
                source: 0,
                file: 0,
                line: 1,
                group: 1,
                call: Call::Chat,
                ending: Ending::Ok,
                stream: Some(true),
                input_tokens: Some(10),
                output_tokens: Some(20),
                output_cut: false,
                ttft: None,
                duration: None,
                caller: None,
                session: None,
            }));
        }
        let grouped = groups.settle(&mut traffic, 5);
        let facts = ProfileFacts {
            card,
            made_by: "Q12".to_owned(),
            window: Some("Q13".to_owned()),
            files_sha256: vec!["0".repeat(64)],
            ..ProfileFacts::new(grouped, "Q14")
        };
        build(&traffic, &facts).expect("a profile")
    }

    /// Texts of a JSON value, keys among them.
    fn texts(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
            Value::Object(fields) => {
                for (key, value) in fields {
                    found.push(key.clone());
                    texts(value, found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn no_text_of_a_profile_is_left_out() {
        let profile = profile();
        let mut found = Vec::new();
        texts(&serde_json::from_str(&profile.to_json()).expect("it is JSON"), &mut found);
        let words = profile.words();
        let marked: Vec<&String> = found.iter().filter(|text| text.contains('Q')).collect();
        assert!(marked.len() >= 12, "{marked:?}");
        for text in marked {
            assert!(words.contains(&text.as_str()), "{text} is not among the words");
        }
    }

    #[test]
    fn all_else_is_of_a_closed_form() {
        let profile = profile();
        let mut found = Vec::new();
        texts(&serde_json::from_str(&profile.to_json()).expect("it is JSON"), &mut found);
        let words = profile.words();
        let is_instant = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
        let is_digest = |text: &str| text.len() == 64;
        let is_word = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        for text in found {
            let closed = is_instant(&text) || is_digest(&text) || is_word(&text);
            assert!(closed || words.contains(&text.as_str()), "{text}");
        }
    }
}
