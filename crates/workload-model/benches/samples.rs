//! What texts cost that have exactly the wanted tokens: 100,000 of 100 to 2,000 tokens, each as likely on a logarithmic scale,
//! half Chinese and half English, on every core.
//!
//! `cargo xtask bench samples` runs it with a byte-pair tokenizer that is trained here on texts of the same kind;
//! `cargo xtask bench samples FILE [TEXTS]` with a model's tokenizer.json, by its
//! absolute path. Which thread makes a text changes nothing of it.
#![expect(clippy::print_stdout, reason = "a benchmark prints")]

use std::{
    error::Error,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

use sha2::{Digest, Sha256};
use tokenizers::{
    AddedToken, TokenizerBuilder,
    models::bpe::{BPE, BpeTrainer},
    pre_tokenizers::byte_level::ByteLevel,
};
use workload_model::{
    random::Stream,
    synthesis::{CountError, Ratios, Texts, TokenizerCounter, Tongue},
};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Millions of tokens of finished text a second on two cores that must be reached.
const LEAST_RATE: f64 = 0.25;
const TEXTS: u64 = 100_000;
const LEAST: f64 = 100.0;
const MOST: f64 = 2_000.0;
const BOTH: [(Tongue, u32); 2] = [(Tongue::Zh, 1), (Tongue::En, 1)];

/// What the texts of a set came to.
#[derive(Default)]
struct Sum {
    tokens: u64,
    bytes: u64,
    off: u64,
    /// Of each text, so that no order counts.
    digest: [u8; 32],
}

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        return Ok(());
    }
    let mut words = arguments.iter().filter(|word| *word != "--bench");
    let (name, bytes) = match words.next() {
        Some(path) => (path.as_str(), std::fs::read(path)?),
        None => ("a byte-pair tokenizer trained here", trained()?),
    };
    let texts = words.next().map_or(Ok(TEXTS), |texts| texts.parse())?;
    let counter = TokenizerCounter::from_bytes(&bytes)?;
    let cores = thread::available_parallelism()?.get();
    let begun = clock();
    let sum = set(&counter, texts, cores)?;
    let seconds = begun.elapsed().as_secs_f64();
    let rate = sum.tokens as f64 / 1e6 / seconds;
    println!(
        "{texts} texts with {name}: {seconds:.1} s on {cores} cores, {:.1} million tokens, {:.1} MB; {rate:.2} million tokens/s (floor {LEAST_RATE}); {} tokens off in all; digest {}",
        sum.tokens as f64 / 1e6,
        sum.bytes as f64 / 1e6,
        sum.off,
        hex::encode(&sum.digest[..6]),
    );
    // The first hundred again, by one thread and by several.
    let same = set(&counter, 100, 1)?.digest == set(&counter, 100, 3)?.digest;
    println!("the same by one thread and by three: {}", if same { "yes" } else { "NO" });
    let met = rate >= LEAST_RATE && sum.off == 0 && same;
    println!("{}", if met { "every floor met" } else { "NOT every floor met" });
    Ok(())
}

/// Texts by so many threads, each of which takes the next that nobody has.
fn set(counter: &TokenizerCounter, texts: u64, threads: usize) -> Outcome<Sum> {
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        let share = || {
            let mut maker = Texts::new(Some(Box::new(counter.clone())), Ratios::default());
            let mut sum = Sum::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= texts {
                    return Ok(sum);
                }
                one(&mut maker, number, &mut sum)?;
            }
        };
        let shares: Vec<_> = (0..threads).map(|_| scope.spawn(share)).collect();
        let mut all = Sum::default();
        for share in shares {
            let sum: Result<Sum, CountError> = share.join().map_err(|_| "a thread ended in a panic")?;
            let sum = sum?;
            all.tokens += sum.tokens;
            all.bytes += sum.bytes;
            all.off += sum.off;
            mix(&mut all.digest, &sum.digest);
        }
        Ok(all)
    })
}

fn one(maker: &mut Texts, number: u64, sum: &mut Sum) -> Result<(), CountError> {
    let mut stream = Stream::new(1, &format!("bench:{number}"));
    let tokens = (LEAST * libm::pow(MOST / LEAST, stream.unit())).round() as u64;
    let made = maker.text(&mut stream, &BOTH, tokens)?;
    sum.tokens += tokens;
    sum.bytes += made.text.len() as u64;
    sum.off += made.counted.map_or(tokens, |counted| counted.abs_diff(tokens));
    mix(&mut sum.digest, &Sha256::digest(format!("{number}:{}", made.text)).into());
    Ok(())
}

fn mix(digest: &mut [u8; 32], other: &[u8; 32]) {
    for (byte, other) in digest.iter_mut().zip(other) {
        *byte ^= other;
    }
}

/// A tokenizer.json of 8,000 byte pairs, learnt from estimated texts of both languages.
fn trained() -> Outcome<Vec<u8>> {
    let mut texts = Texts::new(None, Ratios::default());
    let mut lines = Vec::new();
    for number in 0..400 {
        let made = texts.text(&mut Stream::new(2, &format!("bench:training:{number}")), &BOTH, 1000)?;
        lines.push(made.text);
    }
    let mut trainer = BpeTrainer::builder()
        .vocab_size(8_000)
        .show_progress(false)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .special_tokens(vec![AddedToken::from("<|end|>", true)])
        .build();
    let mut tokenizer = TokenizerBuilder::default()
        .with_model(BPE::default())
        .with_normalizer(None::<tokenizers::NormalizerWrapper>)
        .with_pre_tokenizer(Some(ByteLevel::new(false, true, true)))
        .with_post_processor(None::<tokenizers::PostProcessorWrapper>)
        .with_decoder(None::<tokenizers::DecoderWrapper>)
        .build()?;
    tokenizer.train(&mut trainer, lines.into_iter())?;
    Ok(tokenizer.to_string(false)?.into_bytes())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn clock() -> Instant {
    Instant::now()
}
