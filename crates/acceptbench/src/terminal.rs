//! Results to stdout, all else to stderr. A reader that has gone away is no error.

use std::io::Write as _;

/// A result.
pub(crate) fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Progress, or a warning.
pub(crate) fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
