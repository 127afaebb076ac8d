//! Names that only whoever holds the secret can make again.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use workload_model::traffic::Pseudonym;

/// What pseudonyms are made with. Made for one import and forgotten, nobody can link them to anything afterwards; kept, they
/// stay the same over several imports.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

/// What a name is the name of. The same name stands under another pseudonym in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A caller.
    Caller,
    /// A conversation.
    Session,
    /// A label of the log's own.
    Label,
}

impl Secret {
    /// Takes the secret's bytes, of which there should be 32 that nobody can guess.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        // No key is too long or too short for an HMAC.
        Self(Hmac::new_from_slice(bytes).unwrap_or_else(|_| Hmac::new(&Default::default())))
    }

    /// The pseudonym of a name: the first 64 bits of HMAC-SHA-256(secret, kind ‖ 0 ‖ name).
    #[must_use]
    pub fn pseudonym(&self, kind: Named, name: &str) -> Pseudonym {
        let kind: &[u8] = match kind {
            Named::Caller => b"caller\0",
            Named::Session => b"session\0",
            Named::Label => b"label\0",
        };
        let mut mac = self.0.clone();
        mac.update(kind);
        mac.update(name.as_bytes());
        let code = mac.finalize().into_bytes();
        Pseudonym(code.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pseudonym_is_the_start_of_an_hmac() {
        let secret = Secret::new(&[7; 32]);
        // python3 -c "import hmac; print(hmac.new(bytes([7])*32, b'caller\0alice', 'sha256').hexdigest()[:16])"
        assert_eq!(secret.pseudonym(Named::Caller, "alice").to_string(), "6e4c9a2ff97f8219");
        assert_ne!(secret.pseudonym(Named::Caller, "alice"), secret.pseudonym(Named::Session, "alice"));
        assert_ne!(
            secret.pseudonym(Named::Caller, "alice"),
            Secret::new(b"").pseudonym(Named::Caller, "alice")
        );
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
