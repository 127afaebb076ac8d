//! Values as people and programs write them into logs: counts, durations, times, flags, names.
//!
//! Every function takes text without a value (`""`, `-`, `null` and their like) for unknown and gives `None`; what it cannot
//! read is a [`BadValue`], which names what is wrong and never repeats the text. No value passes through a floating-point
//! number on its way.

mod decimal;
mod fault;
mod field;
mod json;
mod number;
mod time;

pub use fault::{BadValue, RowFault};
pub use field::Field;
pub use json::read_json;
pub(crate) use json::read_json_with;
pub use number::{count, flag, millis, seconds, unknown};
pub use time::{Clock, Time, since, time};
