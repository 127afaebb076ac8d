//! Verifies an evidence package, recomputes and judges it, and writes the documents.
#![doc = include_str!("../README.md")]

mod assess;
mod availability;
mod calibration;
pub mod cli;
mod documents;
mod exit;
mod material;
mod verify;

pub use assess::{AssessError, Assessment, Under};
pub use documents::{
    DocumentError, DocumentFile, Format, MONITORING, Written, document_files, monitoring_file,
    write_documents,
};
pub use exit::Exit;
pub use verify::{Check, CheckError, check};
