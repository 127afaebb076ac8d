//! Instants in files.

/// RFC 3339 in UTC, with as many digits of a second as it has.
pub(crate) fn timestamp(ns: i64) -> String {
    let instant = jiff::Timestamp::from_nanosecond(i128::from(ns));
    // Nanoseconds in 64 bits reach from 1677 to 2262, all of which can be told.
    instant.map_or_else(|_| ns.to_string(), |instant| instant.to_string())
}
