//! What holds for every PDF, read back from its bytes.

mod glyphs;
mod read_back;
mod standards;
mod template;
