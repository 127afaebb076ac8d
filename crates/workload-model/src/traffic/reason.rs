//! Why a row is not in the traffic, and what is to be known of those that are.

/// Why a row was not kept. Every row that was read is kept or counted under one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dropped {
    /// The line is no JSON value, or more than one.
    BadJson,
    /// The line is JSON, and no object of this format.
    BadRow,
    /// The record has more or fewer fields than the header.
    FieldCount,
    /// The line is not text in the file's encoding.
    BadEncoding,
    /// The line is longer than a line may be.
    TooLong,
    /// There is no time.
    NoTime,
    /// The time cannot be read.
    BadTime,
    /// A number cannot be read, is negative or out of range.
    BadNumber,
    /// It tells of something else than a request to a model: a top-up, a health check, a tool call.
    NoRequest,
    /// It tells of another path than that of a chat or text completion, in a log that has nothing else to tell calls apart.
    OtherPath,
    /// It belongs to a request of which another line tells.
    PartOfAnother,
    /// It lies outside the window that was asked for.
    OutsideWindow,
    /// What an importer of somebody else's counts.
    Custom(&'static str),
}

impl Dropped {
    /// Every reason but those of others' importers, in the order in which they are listed.
    pub const ALL: [Self; 12] = [
        Self::BadJson,
        Self::BadRow,
        Self::FieldCount,
        Self::BadEncoding,
        Self::TooLong,
        Self::NoTime,
        Self::BadTime,
        Self::BadNumber,
        Self::NoRequest,
        Self::OtherPath,
        Self::PartOfAnother,
        Self::OutsideWindow,
    ];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BadJson => "bad_json",
            Self::BadRow => "bad_row",
            Self::FieldCount => "field_count",
            Self::BadEncoding => "bad_encoding",
            Self::TooLong => "too_long",
            Self::NoTime => "no_time",
            Self::BadTime => "bad_time",
            Self::BadNumber => "bad_number",
            Self::NoRequest => "no_request",
            Self::OtherPath => "other_path",
            Self::PartOfAnother => "part_of_another",
            Self::OutsideWindow => "outside_window",
            Self::Custom(word) => word,
        }
    }

    /// It is the row that is at fault, rather than the choice of what is imported. `--max-bad` bounds these.
    #[must_use]
    pub fn is_bad(self) -> bool {
        !matches!(
            self,
            Self::NoRequest | Self::OtherPath | Self::PartOfAnother | Self::OutsideWindow | Self::Custom(_)
        )
    }
}

/// What whoever reads figures of kept rows is to know. Each is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Note {
    /// The time has no zone; that of the import was taken.
    ZoneAssumed,
    /// The time has no year; that of the import was taken.
    YearAssumed,
    /// The time of arrival is that of the end, since no duration is known.
    ArrivalIsEnd,
    /// A count of 0 tokens was taken as unknown: no request has none, or it ended in an error.
    ZeroIsUnknown,
    /// The output was cut short: by the caller, a time limit or a limit on its length.
    OutputCut,
    /// A first-token time was left out, since it is a mark for none, or the whole duration of an answer that was not
    /// streamed.
    NoFirstToken,
    /// It was answered from a cache and put no load on a model.
    CacheHit,
    /// It is known to be streamed, or not, only from other fields.
    StreamInferred,
    /// The file says that it is a part of more rows: the rest is not covered.
    PartialExport,
    /// The counts are an application's and may come from several calls of a model.
    ApplicationCounts,
}

impl Note {
    /// Every note, in the order in which they are listed.
    pub const ALL: [Self; 10] = [
        Self::ZoneAssumed,
        Self::YearAssumed,
        Self::ArrivalIsEnd,
        Self::ZeroIsUnknown,
        Self::OutputCut,
        Self::NoFirstToken,
        Self::CacheHit,
        Self::StreamInferred,
        Self::PartialExport,
        Self::ApplicationCounts,
    ];

    /// The word that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ZoneAssumed => "zone_assumed",
            Self::YearAssumed => "year_assumed",
            Self::ArrivalIsEnd => "arrival_is_end",
            Self::ZeroIsUnknown => "zero_is_unknown",
            Self::OutputCut => "output_cut",
            Self::NoFirstToken => "no_first_token",
            Self::CacheHit => "cache_hit",
            Self::StreamInferred => "stream_inferred",
            Self::PartialExport => "partial_export",
            Self::ApplicationCounts => "application_counts",
        }
    }
}
