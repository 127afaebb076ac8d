//! Shows a text of every language in a wanted length. With the feature `tokenizers` and the path of a tokenizer.json it says
//! as well how many characters of such texts there are to a token, and how near to its length a text comes with a counter
//! that counts all, one that counts little, and none.
//!
//! ```console
//! $ cargo run -p workload-model --features tokenizers --example texts -- 200 path/to/tokenizer.json
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use workload_model::{
    random::Stream,
    synthesis::{Ratios, Texts, Tongue},
};

const TONGUES: [Tongue; 2] = [Tongue::Zh, Tongue::En];

fn main() -> Result<(), Box<dyn Error>> {
    let tokens: u64 = std::env::args().nth(1).map_or(Ok(200), |tokens| tokens.parse())?;
    let mut texts = Texts::new(None, Ratios::default());
    for tongue in TONGUES {
        let made = texts.request(&mut Stream::new(1, "an example"), &[(tongue, 1)], tokens, Some(300))?;
        println!("{}\n", made.text);
    }
    measured::measured()
}

#[cfg(not(feature = "tokenizers"))]
mod measured {
    pub(super) fn measured() -> Result<(), Box<dyn std::error::Error>> {
        Ok(())
    }
}

#[cfg(feature = "tokenizers")]
mod measured {
    use workload_model::{
        SizedBy, opening,
        synthesis::{CountError, Effort, TokenCounter, TokenizerCounter},
    };

    use super::*;

    /// A counter that is asked for pieces and for no whole text.
    struct Costly(TokenizerCounter);

    impl TokenCounter for Costly {
        fn count(&mut self, text: &str) -> Result<u64, CountError> {
            self.0.count(text)
        }

        fn effort(&self) -> Effort {
            Effort::Checks(0)
        }

        fn by(&self) -> SizedBy {
            SizedBy::Service
        }
    }

    pub(super) fn measured() -> Result<(), Box<dyn Error>> {
        let Some(path) = std::env::args().nth(2) else { return Ok(()) };
        let mut counter = TokenizerCounter::from_bytes(&std::fs::read(path)?)?;
        let mut all = Texts::new(Some(Box::new(counter.clone())), Ratios::default());
        let mut ratios = Ratios::default();
        for tongue in TONGUES {
            let (mut tokens, mut characters) = (0, 0);
            for seed in 0..40 {
                let made = all.text(&mut Stream::new(seed, "ratios"), &[(tongue, 1)], 1000)?;
                tokens += counter.count(&made.text)?;
                characters += made.text.chars().count();
            }
            let ratio = characters as f64 / tokens as f64;
            match tongue {
                Tongue::Zh => ratios.zh = ratio,
                Tongue::En => ratios.en = ratio,
            }
            println!("{tongue:?}: {ratio:.3} characters to a token");
        }
        let openings: u64 =
            (0..64).map(|seq| counter.count(&opening("an example", seq))).sum::<Result<_, _>>()?;
        println!("an opening: {:.1} tokens", openings as f64 / 64.0);
        let mut few = Texts::new(Some(Box::new(Costly(counter.clone()))), Ratios::default());
        let mut none = Texts::new(None, ratios);
        for tongue in TONGUES {
            for wanted in [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000] {
                let [all, few, none] =
                    [&mut all, &mut few, &mut none].map(|texts| errors(texts, &mut counter, tongue, wanted));
                println!(
                    "{tongue:?} {wanted:>6}: mean and worst error all {}, few {}, none {}",
                    all?, few?, none?
                );
            }
            for wanted in [16, 512] {
                let mut joined = String::new();
                for id in 0..32 {
                    joined.push_str(&all.block(1, id, &[(tongue, 1)], wanted)?);
                }
                println!("{tongue:?} 32 blocks of {wanted}: {} tokens", counter.count(&joined)?);
            }
        }
        Ok(())
    }

    fn errors(
        texts: &mut Texts,
        counter: &mut TokenizerCounter,
        tongue: Tongue,
        wanted: u64,
    ) -> Result<String, CountError> {
        const TEXTS: u64 = 30;
        let (mut sum, mut worst) = (0, 0);
        for seed in 0..TEXTS {
            let made = texts.text(&mut Stream::new(seed, "errors"), &[(tongue, 1)], wanted)?;
            let off = counter.count(&made.text)?.abs_diff(wanted);
            sum += off;
            worst = worst.max(off);
        }
        Ok(format!("{:.1} {worst}", sum as f64 / TEXTS as f64))
    }
}
