//! Columns of a table, by their names.

use workload_model::traffic::Dropped;

use crate::value::{Field, RowFault};
use crate::{Start, StartError, detect::listed};

/// Where a table's columns stand.
pub(super) struct Columns {
    names: Vec<String>,
    comma: bool,
}

impl Columns {
    pub(super) fn of(start: &Start<'_>) -> Self {
        Self {
            names: start.header.iter().map(|name| name.trim().to_owned()).collect(),
            comma: start.separator == Some(';'),
        }
    }

    /// Refuses a table that lacks one of these.
    pub(super) fn require(&self, names: &[&str]) -> Result<(), StartError> {
        match names.iter().find(|name| !self.names.iter().any(|own| own == **name)) {
            None => Ok(()),
            Some(missing) => Err(StartError {
                reason: format!("there is no column {missing}"),
                hint: format!("its columns are {}", listed(&self.names)),
            }),
        }
    }

    /// The field of a record in a column; one without a value where there is no such column.
    pub(super) fn field<'a>(&self, record: &[&'a str], name: &str) -> Field<'a> {
        let at = self.names.iter().position(|own| own == name);
        at.and_then(|at| record.get(at)).map_or_else(Field::default, |raw| Field::plain(raw, self.comma))
    }
}

/// A text where a record of a table is due.
pub(super) fn no_record() -> RowFault {
    RowFault::new(Dropped::BadRow, "no record of a table, which this format is")
}
