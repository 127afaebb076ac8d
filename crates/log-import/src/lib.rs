//! Business logs of gateways, services and public traces, read row by row into traffic that names nobody.
#![doc = include_str!("../README.md")]

pub mod audit;
mod entry;
pub mod formats;
mod importer;
pub mod value;

pub use entry::{Entry, Notes, Prompt, Stamp};
pub use importer::{Framing, Importer, Opening, ReadOptions, RowReader, Sink, Start, StartError, Unit};
