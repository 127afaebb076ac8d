//! Verifies an evidence package, recomputes and judges it, and writes the documents.
#![doc = include_str!("../README.md")]

mod assess;
mod availability;
mod calibration;
pub mod cli;
mod documents;
mod exit;
mod foreign;
mod material;
mod report;
mod settings;
mod signatures;
mod verify;
mod workload;

pub use assess::{AssessError, Assessment, Under};
pub use documents::{DocumentError, Written, write_documents};
pub use exit::Exit;
pub use report::{DocumentFile, Format, MONITORING, Report, ReportError};
pub use settings::{MetaError, Settings, SettingsError, TemplateFolderError};
pub use signatures::{SignatureFound, TrustedKey};
pub use verify::{Check, CheckError, check};
pub use workload::{
    WorkloadCheck, WorkloadError, WorkloadReport, check_workload, workload_report, write_workload_documents,
};
