//! Texts of a wanted length, with counters that are made up here.

use std::collections::BTreeSet;

use proptest::prelude::*;
use workload_model::{
    SizedBy,
    random::Stream,
    synthesis::{CountError, Effort, MOST_TEXT_TOKENS, Made, Ratios, Texts, TokenCounter, Tongue},
};

/// Cuts as byte-pair encodings do: words with the space before them, Chinese runs between punctuation, line breaks with what
/// stands before them; of a run so many characters to a token, which joins what stands beside each other.
#[derive(Clone, Copy)]
struct Pairs {
    letters: usize,
    characters: usize,
    effort: Effort,
}

impl TokenCounter for Pairs {
    fn count(&mut self, text: &str) -> Result<u64, CountError> {
        let (mut tokens, mut run, mut kind) = (0, 0_usize, ' ');
        for character in text.chars().chain(['\0']) {
            let next = match character {
                '\0' => '\0',
                'a'..='z' | 'A'..='Z' => 'a',
                '0'..='9' => '0',
                ' ' => ' ',
                wide if wide.is_alphabetic() => 'z',
                _ => '.',
            };
            let goes_on = next == kind || (kind == ' ' && run == 1 && next == 'a');
            if !goes_on {
                tokens += match kind {
                    'a' => run.div_ceil(self.letters),
                    'z' => run.div_ceil(self.characters),
                    '0' => run,
                    _ => run.min(1),
                };
                run = 0;
            }
            kind = next;
            run += 1;
        }
        Ok(tokens as u64)
    }

    fn effort(&self) -> Effort {
        self.effort
    }

    fn by(&self) -> SizedBy {
        SizedBy::Tokenizer
    }
}

const PAIRS: Pairs = Pairs { letters: 7, characters: 2, effort: Effort::Every };
const BOTH: [(Tongue, u32); 2] = [(Tongue::Zh, 1), (Tongue::En, 1)];

fn texts(counter: Pairs) -> Texts {
    Texts::new(Some(Box::new(counter)), Ratios::default())
}

fn made(texts: &mut Texts, seed: u64, tongues: &[(Tongue, u32)], tokens: u64) -> Made {
    texts.text(&mut Stream::new(seed, "tests"), tongues, tokens).expect("it counts")
}

#[test]
fn every_short_length_is_exact_in_both_tongues() {
    let mut texts = texts(PAIRS);
    for tongue in [Tongue::Zh, Tongue::En] {
        for tokens in 1..=400 {
            let made = made(&mut texts, tokens, &[(tongue, 1)], tokens);
            assert_eq!(made.counted, Some(tokens), "{tongue:?}: {}", made.text);
            assert_eq!(PAIRS.clone().count(&made.text), Ok(tokens), "what is said is what the text has");
        }
    }
    let sizing = texts.sizing();
    assert_eq!((sizing.counted, sizing.worst_error), (800, Some(0)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lengths_are_exact_and_texts_the_same_for_the_same_seed(
        seed in any::<u64>(),
        power in 0.0_f64..1.0,
        letters in 3_usize..9,
        characters in 1_usize..4,
    ) {
        let tokens = 20_000_f64.powf(power).round() as u64;
        let counter = Pairs { letters, characters, ..PAIRS };
        let one = made(&mut texts(counter), seed, &BOTH, tokens);
        let off = one.counted.map(|counted| counted.abs_diff(tokens));
        // No word of the bank is one token of so small pieces.
        prop_assert!(off <= Some(if tokens < 4 { 1 } else { 0 }), "{tokens}: {one:?}");
        let mut others = texts(counter);
        made(&mut others, seed ^ 1, &BOTH, 300);
        prop_assert_eq!(made(&mut others, seed, &BOTH, tokens), one);
    }
}

#[test]
fn a_costly_counter_is_asked_for_pieces_and_a_few_whole_texts() {
    let mut texts = texts(Pairs { effort: Effort::Checks(5), ..PAIRS });
    let mut errors = Vec::new();
    for seed in 0..60 {
        let tokens = 50 + seed * 40;
        let made = made(&mut texts, seed, &BOTH, tokens);
        assert_eq!(made.counted.is_some(), seed < 5);
        let counted = PAIRS.clone().count(&made.text).expect("it counts");
        errors.push(counted.abs_diff(tokens) as f64 / tokens as f64);
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors[30] < 0.01 && errors[57] < 0.05, "{errors:?}");
    assert_eq!(texts.sizing().counted, 5);
}

#[test]
fn without_a_counter_characters_make_the_length() {
    let mut texts = Texts::new(None, Ratios { zh: 2.0, en: 5.0, ..Ratios::default() });
    for (tongue, ratio) in [(Tongue::Zh, 2.0), (Tongue::En, 5.0)] {
        for tokens in [30, 300, 3000] {
            let made = made(&mut texts, tokens, &[(tongue, 1)], tokens);
            let characters = made.text.chars().count() as f64;
            let wanted = tokens as f64 * ratio;
            assert!((characters - wanted).abs() < 20.0 + wanted / 100.0, "{tongue:?} {tokens}: {characters}");
            assert_eq!(made.counted, None);
        }
    }
    assert_eq!((texts.sizing().by, texts.sizing().worst_error), (SizedBy::Estimate, None));
}

#[test]
fn joined_blocks_keep_their_counts_and_follow_from_their_numbers_alone() {
    let mut texts = texts(PAIRS);
    for tokens in [16, 64, 512] {
        let mut joined = String::new();
        for id in 0..20 {
            let block = texts.block(7, id, &BOTH, tokens).expect("it counts");
            assert!(block.ends_with('\n'), "{block}");
            joined.push_str(&block);
        }
        assert_eq!(PAIRS.clone().count(&joined), Ok(20 * tokens), "{joined}");
        let block = texts.block(7, 3, &BOTH, tokens);
        assert_eq!(block, self::texts(PAIRS).block(7, 3, &BOTH, tokens));
        assert_ne!(block, texts.block(8, 3, &BOTH, tokens));
        assert_ne!(block, texts.block(7, 4, &BOTH, tokens));
    }
}

#[test]
fn no_sentence_of_a_very_long_text_comes_twice() {
    let mut texts = texts(PAIRS);
    for (tongue, stop) in [(Tongue::Zh, '。'), (Tongue::En, '.')] {
        let made = made(&mut texts, 1, &[(tongue, 1)], 100_000);
        assert_eq!(made.counted, Some(100_000));
        let sentences: Vec<&str> =
            made.text.split([stop, '\n']).map(str::trim).filter(|sentence| !sentence.is_empty()).collect();
        assert!(sentences.len() > 3000, "{}", sentences.len());
        let unlike: BTreeSet<&&str> = sentences.iter().collect();
        assert_eq!(unlike.len(), sentences.len());
    }
}

#[test]
fn texts_longer_than_all_that_can_be_said_have_their_length() {
    for (seed, tokens) in [(1, 300_000), (2, 300_000), (3, 1_000_000)] {
        for tongue in [Tongue::Zh, Tongue::En] {
            let counted = made(&mut texts(PAIRS), seed, &[(tongue, 1)], tokens);
            assert_eq!(counted.counted, Some(tokens), "{tongue:?}, seed {seed}");
            assert_eq!(PAIRS.clone().count(&counted.text), Ok(tokens));
            let ratios = Ratios::default();
            let ratio = if tongue == Tongue::Zh { ratios.zh } else { ratios.en };
            let estimated = made(&mut Texts::new(None, ratios), seed, &[(tongue, 1)], tokens);
            let characters = estimated.text.chars().count() as f64;
            let wanted = tokens as f64 * ratio;
            assert!((characters / wanted - 1.0).abs() < 0.005, "{tongue:?}, seed {seed}: {characters}");
        }
    }
    let stream = &mut Stream::new(1, "tests");
    let told = Texts::new(None, Ratios::default()).text(stream, &BOTH, MOST_TEXT_TOKENS + 1);
    let told = told.map_err(|error| error.to_string()).err().unwrap_or_default();
    assert!(told.contains("to have 16777217, and a text has at most 16777216"), "{told}");
}

#[test]
fn a_counter_that_counts_next_to_nothing_comes_to_an_end() {
    /// Counts a token in a text of any length, none in a piece of one.
    struct Whole;
    impl TokenCounter for Whole {
        fn count(&mut self, text: &str) -> Result<u64, CountError> {
            Ok(u64::from(text.len() > 100))
        }
        fn by(&self) -> SizedBy {
            SizedBy::Service
        }
    }
    let mut texts = Texts::new(Some(Box::new(Whole)), Ratios::default());
    assert_eq!(made(&mut texts, 1, &BOTH, 9000).counted, Some(1));
}

#[test]
fn texts_begin_in_many_ways() {
    let mut texts = texts(PAIRS);
    for tongue in [Tongue::Zh, Tongue::En] {
        let openings: BTreeSet<String> = (0..300)
            .map(|seed| made(&mut texts, seed, &[(tongue, 1)], 200).text.chars().take(16).collect())
            .collect();
        let least = if tongue == Tongue::Zh { 150 } else { 20 };
        assert!(openings.len() >= least, "{}", openings.len());
    }
}

#[test]
fn a_text_asks_for_an_answer_of_about_the_length_that_is_wanted() {
    let mut texts = texts(PAIRS);
    // 400 tokens are about so much; see `Ratios`.
    for (tongue, unit, about) in [(Tongue::Zh, "字", "640"), (Tongue::En, "words", "330")] {
        let mut request = |output| {
            texts.request(&mut Stream::new(1, "tests"), &[(tongue, 1)], 300, output).expect("it counts")
        };
        let (with, without) = (request(Some(400)), request(None));
        assert_eq!((with.counted, without.counted), (Some(300), Some(300)));
        let last = with.text.lines().last().expect("a text has lines");
        assert!(last.contains(unit) && last.contains(about), "{last}");
        assert_ne!(with.text, without.text);
    }
}

#[test]
fn a_text_is_the_same_on_every_machine() {
    let mut texts = texts(PAIRS);
    let list: Vec<String> = [1, 5, 12, 30, 90, 260]
        .into_iter()
        .flat_map(|tokens| {
            [Tongue::Zh, Tongue::En].map(|tongue| made(&mut texts, 1, &[(tongue, 1)], tokens).text)
        })
        .collect();
    insta::assert_snapshot!(list.join("\n---\n"));
    insta::assert_snapshot!(texts.block(1, 1, &[(Tongue::En, 1)], 64).expect("it counts"));
}

#[test]
fn a_counter_that_fails_or_counts_nothing_is_an_error() {
    struct Broken(Result<u64, CountError>);
    impl TokenCounter for Broken {
        fn count(&mut self, _: &str) -> Result<u64, CountError> {
            self.0.clone()
        }
        fn by(&self) -> SizedBy {
            SizedBy::Service
        }
    }
    for (answer, words) in [
        (Err(CountError("the line is cut".to_owned())), "count the tokens of a text: the line is cut"),
        (Ok(0), "count the tokens of a text: no token was counted in any of several whole texts"),
    ] {
        let mut texts = Texts::new(Some(Box::new(Broken(answer))), Ratios::default());
        let error = texts.text(&mut Stream::new(1, "tests"), &BOTH, 100).expect_err("it is broken");
        assert_eq!(error.to_string(), words);
    }
}
