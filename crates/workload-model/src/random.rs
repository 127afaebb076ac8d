//! Random numbers that are the same on every machine.
//!
//! One seed gives as many streams as there are things to draw, each by its name, so that a change of one (more
//! samples, say) leaves the others as they were. Nothing here asks the operating system or its mathematics: the generator is
//! ChaCha8, and functions of real numbers are those of the `libm` crate, bit for bit the same everywhere.

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use sha2::{Digest, Sha256};

/// The seed of whatever nobody gave one.
pub const DEFAULT_SEED: u64 = 1;

/// One stream of random numbers.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of that name under a seed. Its key is SHA-256 over the seed (8 bytes, most significant first) and the
    /// name.
    #[must_use]
    pub fn new(seed: u64, name: &str) -> Self {
        let key = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(name.as_bytes()).finalize();
        Self(ChaCha8Rng::from_seed(key.into()))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A whole number below `end`, each as likely as every other (Lemire's method); 0 where `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        loop {
            let product = u128::from(self.bits()) * u128::from(end);
            let low = product as u64;
            if low >= end || low >= end.wrapping_neg() % end.max(1) {
                return (product >> 64) as u64;
            }
        }
    }

    /// An exponential number of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Puts a list into an order of which every one is as likely as every other (Fisher–Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let at = self.below(last as u64 + 1) as usize;
            list.swap(last, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_the_same_on_every_machine() {
        let mut stream = Stream::new(DEFAULT_SEED, "golden");
        let bits: Vec<u64> = (0..4).map(|_| stream.bits()).collect();
        insta::assert_debug_snapshot!(bits);
        let mut stream = Stream::new(DEFAULT_SEED, "golden");
        let numbers: Vec<u64> = (0..4).map(|_| stream.exponential().to_bits()).collect();
        insta::assert_debug_snapshot!(numbers);
    }

    #[test]
    fn names_and_seeds_give_streams_of_their_own() {
        let first = |seed, name| Stream::new(seed, name).bits();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
        assert_ne!(first(1, "a"), first(2, "a"));
    }

    #[test]
    fn numbers_below_a_bound_are_evenly_spread() {
        let mut stream = Stream::new(1, "below");
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        let chi: f64 = counts.iter().map(|count| (f64::from(*count) - 1e4).powi(2) / 1e4).sum();
        assert!(chi < 20.5, "chi-square of 5 degrees, 0.1 %: {chi} {counts:?}");
        assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    }

    #[test]
    fn a_shuffled_list_holds_what_it_held() {
        let mut list: Vec<u32> = (0..100).collect();
        Stream::new(1, "shuffle").shuffle(&mut list);
        assert_ne!(list, (0..100).collect::<Vec<_>>());
        list.sort_unstable();
        assert_eq!(list, (0..100).collect::<Vec<_>>());
    }
}
