//! Rows of a business log, normalised and without anything that names a person or a text.

mod blocks;
mod ending;
mod grouping;
mod reason;
mod row;
mod rows_file;
mod store;

pub use ending::{Call, Ending};
pub use grouping::{Facets, Grouping};
pub use reason::{Dropped, Note};
pub(crate) use row::PackedMicros;
pub use row::{Pseudonym, Row, RowFacts, StampKind, StampSource};
pub use rows_file::write_rows;
pub use store::Traffic;
