//! The document model as PDF/A, typeset in process, with the fonts it needs.
#![doc = include_str!("../README.md")]

mod error;
mod fonts;
mod glyphs;
mod options;
mod render;
mod world;

pub use error::{Diagnostic, PdfError};
pub use options::{Attachment, PdfOptions};
pub use render::render_pdf;
pub use report_render::{PdfStandard, UnknownStandard};
