//! Arrival processes: when the requests of an open loop are due.
//!
//! Every process gives whole microseconds from the start of its step, never decreasing and without an end, drawn from one
//! [`Stream`](crate::random::Stream). The same stream gives the same instants on every machine. An instant never depends on
//! how many are taken: nothing is rescaled afterwards to make a mean come out, which would leave the process another one.
//!
//! | process | gaps | index of dispersion of counts |
//! |---|---|---|
//! | constant | the k-th request (from 0) is due at k / rate, rounded | about 0 |
//! | Poisson | exponential, mean 1 / rate | 1 |
//! | gamma | gamma, mean 1 / rate, of the stage's coefficient of variation | its square, over long times |
//! | bursts | Poisson at one of two rates, between which it switches | above 1, see [`instants()`] |
//! | trace | as recorded, see [`Trace`] | as recorded |
//!
//! Random processes are stationary: they are looked at from an instant that has nothing to do with them, so that the expected
//! number of arrivals is rate × time from the first microsecond on.
//!
//! Nothing is lost over long runs. A constant process and a trace compute each instant from its number alone; the others add
//! gaps to a sum whose whole microseconds are an integer and whose rest is a float below 1, so that ten million additions are
//! off by less than a thousandth of a microsecond.

mod bursts;
mod elapsed;
mod gamma;
mod instants;
mod trace;

pub use instants::{Instants, instants};
pub use trace::{Trace, TraceArrival, recorded_rate};
