//! The vocabulary of one measured request, and every figure computed from many.
#![doc = include_str!("../README.md")]

mod figures;
mod limit;
mod observed;
mod outcome;
mod quantity;
mod record;
mod summary;

pub use figures::{Conditions, Input, PlannedCount, summarize};
pub use limit::{LimitEvidence, Support};
pub use observed::{ClientSample, Event, Happening};
pub use outcome::{Outcome, SuccessRule, classify};
pub use quantity::{Micros, Seconds, TokenSource, Tokens, six_decimals};
pub use record::{ConnectFault, Ended, Facts, Fault, FaultKind, Phase, Record, UnknownEnding};
pub use summary::{
    Bound, Bounds, ClientFigures, ClientLimit, Distribution, Figures, FromSent, Group, LimitHit, Peak,
    RunFacts, SUMMARY_SCHEMA, Summary, Tier, Totals, Warning, WarningCode,
};
