//! Ids for requests: random, new for every send, so that no service sees one twice.

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
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the operating system gives randomness");
    hex::encode(bytes)
}
