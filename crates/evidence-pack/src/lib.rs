//! The evidence package: layout, append-only rows with a hash chain, digests, and their verification.
#![doc = include_str!("../README.md")]

mod append;
mod bag;
mod calibration;
mod chain;
mod digest;
mod environment;
mod failures;
mod files;
mod finalize;
mod key;
mod layout;
mod pack;
mod pattern;
mod place;
mod problem;
mod profile_folder;
mod redact;
mod rows;
mod schedule;
mod signature;
mod statement;
mod verify;
mod writer;

pub use append::{AppendError, Sink};
pub use bag::SealError;
pub use calibration::{CalibrationFileError, calibration_json, parse_calibration};
pub use chain::{ReadError, Rows};
pub use digest::sha256_hex;
pub use environment::{Clock, Environment, EnvironmentError, Host, Target, Tool};
pub use failures::{FAILURE_LIMIT, FAILURES_LIMIT};
pub use files::FileError;
pub use finalize::{FinalizeError, Finalized, finalize};
pub use key::{KeyError, PublicKey, SigningKey, make_key};
pub use layout::FORMAT;
pub use pack::{OpenError, Pack, State, TextError};
pub use place::{PlaceError, StagedReports};
pub use problem::Problem;
pub use profile_folder::{PROFILE_FILE, ProfileFolder, ProfileFolderError, ProfileStatement};
pub use redact::{MASK, Redactor};
pub use rows::{ClientRow, EventRow, RequestRow};
pub use schedule::{ScheduleCheck, schedule_gaps};
pub use signature::{SignError, Signature, SignatureFault, Signer};
pub use statement::Statement;
pub use verify::{Verification, VerifyError, verify_bytes};
pub use writer::{CreateError, FinishError, Frozen, Writer};
