//! Verifies an evidence package, recomputes and judges it, and writes the documents.
