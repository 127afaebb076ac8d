//! Is anything of a log in what was made from it?
//!
//! Two searches, since neither finds everything: for every value of the log that names somebody or may do so, and for
//! whatever has the form of an identity number, a telephone number, an address or a key, wherever it comes from.

mod classes;
mod haystack;
mod source;

pub use classes::Class;
pub use haystack::{Haystack, LEAST_DIGITS, LEAST_LETTERS, Place};
pub use source::{Audited, Leak, audit};
