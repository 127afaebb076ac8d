//! Business logs of gateways, services and public traces, read row by row into traffic that names nobody.
#![doc = include_str!("../README.md")]

pub mod audit;
mod detect;
mod entry;
pub mod formats;
mod framing;
mod import;
mod importer;
mod input;
mod secret;
mod source;
pub mod value;

pub use detect::{Finding, recognise, with_opening};
pub use entry::{Blocks, Entry, Notes, Prompt, Stamp};
pub use import::{
    BadLine, Choice, FileAccount, ImportError, ImportOptions, Imported, MaxBad, Watch, Window, import,
};
pub use importer::{Framing, Importer, Opening, ReadOptions, RowReader, Sink, Start, StartError, Unit};
pub use input::Input;
pub use secret::{Named, Secret};
pub use source::SourceError;
