//! The evidence package: layout, append-only rows with a hash chain, digests, and their verification.
