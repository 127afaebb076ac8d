//! What can be wrong with a value, and with the row that has it.

use workload_model::traffic::Dropped;

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadValue {
    /// It is no number.
    #[error("it is no number")]
    NoNumber,
    /// It is negative.
    #[error("it is negative")]
    Negative,
    /// It has a fraction.
    #[error("it is no whole number")]
    Fraction,
    /// It is larger than can be.
    #[error("it is too large")]
    TooLarge,
    /// It is neither yes nor no.
    #[error("it is neither true nor false")]
    NoFlag,
    /// It is no time in any known form.
    #[error("it is no time in a known form")]
    NoTime,
    /// It has no year.
    #[error("it has no year (give it with --year)")]
    NoYear,
    /// It lies outside the years 1970 to 2262.
    #[error("it lies outside the years 1970 to 2262")]
    OutOfRange,
    /// It is a list or an object where one value is due.
    #[error("it is a list or an object")]
    NotScalar,
}

impl BadValue {
    /// The reason for which its row is not kept.
    #[must_use]
    pub fn reason(self) -> Dropped {
        match self {
            Self::NoNumber | Self::Negative | Self::Fraction | Self::TooLarge => Dropped::BadNumber,
            Self::NoTime | Self::NoYear | Self::OutOfRange => Dropped::BadTime,
            Self::NoFlag | Self::NotScalar => Dropped::BadRow,
        }
    }

    /// The same as the fault of a row whose field has this name.
    #[must_use]
    pub fn of(self, field: &str) -> RowFault {
        RowFault { reason: self.reason(), detail: format!("{field}: {self}") }
    }
}

/// Why a row is not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct RowFault {
    /// The reason under which it is counted.
    pub reason: Dropped,
    /// What is wrong, by the names of fields, without any text of the row.
    pub detail: String,
}

impl RowFault {
    /// A row that is not kept for this reason.
    #[must_use]
    pub fn new(reason: Dropped, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }

    /// A row without the time that it is to have in this field.
    #[must_use]
    pub fn no_time(field: &str) -> Self {
        Self::new(Dropped::NoTime, format!("{field}: there is no time"))
    }
}
