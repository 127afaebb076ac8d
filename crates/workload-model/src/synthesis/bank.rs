//! The sentences from which texts are put together.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use serde::Deserialize;

use super::Tongue;
use crate::random::Stream;

/// Sentences, questions and words of one tongue, taken apart into the pieces that are counted once.
#[derive(Debug)]
pub(super) struct Bank {
    /// Every piece of text that may occur, by its number.
    pub units: Vec<String>,
    /// What stands between two sentences of a paragraph.
    pub between: &'static str,
    /// Ends a sentence.
    pub stop: usize,
    /// Ends a paragraph; it stands behind a stop, and is counted as what it adds to one.
    pub line: usize,
    /// A stop and a line break.
    pub stop_line: usize,
    pub openers: Vec<Template>,
    pub lead_ins: Vec<Template>,
    pub sentences: Vec<Template>,
    pub closings: Vec<Template>,
    pub questions: Vec<Template>,
    /// Ask for an answer of some length; `{words}` stands for it.
    pub lengths: Vec<String>,
    /// Stand before the words that bring a text to its length.
    pub fill_heads: Vec<usize>,
    /// The words that do so, as the first of a list and as a later one.
    pub fillers: Vec<Filler>,
}

/// A word in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filler {
    /// Its unit where it comes first.
    pub first: usize,
    /// Its unit where it follows another, with what stands between them.
    pub next: usize,
}

/// A sentence with places for words.
#[derive(Debug)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    /// A unit.
    Fixed(usize),
    /// One of several units.
    Slot(Vec<usize>),
}

/// The file of one tongue.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    openers: Vec<String>,
    lead_ins: Vec<String>,
    sentences: Vec<String>,
    fillers: Vec<String>,
    closings: Vec<String>,
    lengths: Vec<String>,
    fill_heads: Vec<String>,
    questions: Vec<String>,
    words: BTreeMap<String, Vec<String>>,
}

impl Bank {
    /// The bank of a tongue.
    pub(super) fn of(tongue: Tongue) -> &'static Self {
        static ZH: OnceLock<Bank> = OnceLock::new();
        static EN: OnceLock<Bank> = OnceLock::new();
        match tongue {
            Tongue::Zh => {
                ZH.get_or_init(|| Self::read(include_str!("../../prompts/texts.zh.toml"), "", "。", "、"))
            }
            Tongue::En => {
                EN.get_or_init(|| Self::read(include_str!("../../prompts/texts.en.toml"), " ", ".", ", "))
            }
        }
    }

    fn read(text: &str, between: &'static str, stop: &'static str, comma: &str) -> Self {
        let file: File = toml::from_str(text).expect("the bank of sentences is TOML of its form");
        let mut units = Units::default();
        let mut parse = |list: &[String], stop: &str| -> Vec<Template> {
            let parse =
                |line: &String| units.template(&format!("{between}{}{stop}", line.trim_end()), &file.words);
            list.iter().map(parse).collect()
        };
        let openers = parse(&file.openers, "");
        let lead_ins = parse(&file.lead_ins, "");
        let sentences = parse(&file.sentences, stop);
        let closings = parse(&file.closings, "");
        let questions = parse(&file.questions, "");
        let fill_heads = file.fill_heads.iter().map(|head| units.number(head.trim_end())).collect();
        let filler = |word: &String| Filler {
            first: units.number(&format!("{between}{word}")),
            next: units.number(&format!("{comma}{word}")),
        };
        let fillers = file.fillers.iter().map(filler).collect();
        let (stop, line) = (units.number(stop), units.number("\n"));
        let stop_line = units.number(&format!("{}\n", units.list[stop]));
        Self {
            units: units.list,
            between,
            stop,
            line,
            stop_line,
            openers,
            lead_ins,
            sentences,
            closings,
            questions,
            lengths: file.lengths,
            fill_heads,
            fillers,
        }
    }
}

impl Template {
    /// The units of one way to fill it.
    pub(super) fn filled(&self, stream: &mut Stream, units: &mut Vec<usize>) {
        units.extend(self.0.iter().map(|piece| match piece {
            Piece::Fixed(unit) => *unit,
            Piece::Slot(list) => list[stream.below(list.len() as u64) as usize],
        }));
    }
}

/// Units under numbers, each text once.
#[derive(Default)]
struct Units {
    list: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Units {
    fn number(&mut self, text: &str) -> usize {
        *self.numbers.entry(text.to_owned()).or_insert_with(|| {
            self.list.push(text.to_owned());
            self.list.len() - 1
        })
    }

    /// Takes a line apart. A space before a word belongs to the word, since that is how most tokenizers cut.
    fn template(&mut self, line: &str, words: &BTreeMap<String, Vec<String>>) -> Template {
        let mut pieces = Vec::new();
        let mut rest = line;
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, inner)| Some((before, inner.split_once('}')?)))
        {
            let (fixed, space) = match before.strip_suffix(' ') {
                Some(fixed) => (fixed, " "),
                None => (before, ""),
            };
            if !fixed.is_empty() {
                pieces.push(Piece::Fixed(self.number(fixed)));
            }
            let list = words.get(name).expect("every place in a sentence has a list of words");
            pieces
                .push(Piece::Slot(list.iter().map(|word| self.number(&format!("{space}{word}"))).collect()));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Fixed(self.number(rest)));
        }
        Template(pieces)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn both_banks_hold_enough_sentences_and_no_line_twice() {
        for text in [include_str!("../../prompts/texts.zh.toml"), include_str!("../../prompts/texts.en.toml")]
        {
            let file: File = toml::from_str(text).expect("TOML");
            assert!(file.sentences.len() >= 150, "{}", file.sentences.len());
            let lists = [
                &file.openers,
                &file.lead_ins,
                &file.sentences,
                &file.closings,
                &file.questions,
                &file.fillers,
            ];
            for list in lists.into_iter().chain(file.words.values()) {
                let unlike: BTreeSet<_> = list.iter().collect();
                assert_eq!(unlike.len(), list.len(), "{list:?}");
            }
            for line in &file.lengths {
                assert_eq!(line.matches("{words}").count(), 1, "{line}");
            }
        }
    }

    #[test]
    fn units_joined_give_the_sentence() {
        for (tongue, end) in [(Tongue::Zh, "。"), (Tongue::En, ".")] {
            let bank = Bank::of(tongue);
            let mut stream = Stream::new(1, "bank");
            for template in &bank.sentences {
                let mut units = Vec::new();
                template.filled(&mut stream, &mut units);
                let text: String = units.iter().map(|unit| bank.units[*unit].as_str()).collect();
                assert!(text.ends_with(end) && !text.contains(['{', '}']) && !text.contains("  "), "{text}");
                assert!(text.starts_with(bank.between), "{text}");
            }
        }
    }
}
