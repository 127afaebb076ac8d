//! Ids for requests: random, new for every send, so that no service sees one twice.

use std::cell::RefCell;

/// `ab-` and 32 hexadecimal digits (35 characters; services take up to 64).
///
/// # Panics
/// Where the operating system has no randomness to give.
#[must_use]
pub fn request_id() -> String {
    format!("ab-{}", random_hex())
}

/// 128 random bits in hexadecimal.
///
/// # Panics
/// Where the operating system has no randomness to give.
#[must_use]
pub fn random_hex() -> String {
    let mut digits = [0_u8; 2 * BYTES];
    let bytes = RANDOM.with_borrow_mut(Random::take);
    hex::encode_to_slice(bytes, &mut digits).expect("two digits a byte");
    String::from_utf8_lossy(&digits).into_owned()
}

const BYTES: usize = 16;

/// Bytes taken from the operating system at once: asking for every id takes longer than writing it.
const STOCK: usize = 256 * BYTES;

thread_local! {
    static RANDOM: RefCell<Random> = const { RefCell::new(Random { stock: [0; STOCK], left: 0 }) };
}

/// Random bytes, of which the first `left` have not been given away.
struct Random {
    stock: [u8; STOCK],
    left: usize,
}

impl Random {
    fn take(&mut self) -> [u8; BYTES] {
        if self.left == 0 {
            getrandom::fill(&mut self.stock).expect("the operating system gives randomness");
            self.left = STOCK;
        }
        self.left -= BYTES;
        let mut taken = [0; BYTES];
        taken.copy_from_slice(&self.stock[self.left..self.left + BYTES]);
        taken
    }
}
