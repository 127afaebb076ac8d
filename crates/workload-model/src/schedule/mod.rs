//! The frozen order of requests: which sample is sent as which request of which step, and when.
//!
//! Nothing about it is random but arrivals and pauses, each drawn from a stream of its own under the plan's seed:
//! `arrivals:STAGE` and `pauses:STAGE`. More samples, another order or another pause leave the arrivals as they were.
//!
//! *Order.* Every step begins at the first sample again, so that steps differ in load alone. Groups take turns in proportion to
//! their weights: those of the plan, else the shares of the set, else the numbers of samples. It is a smooth weighted round
//! robin, so that the first ten requests of every step are in proportion as nearly as ten can be. Within a group samples follow each other
//! as in the set, over and over. A warm-up sends its samples in their order, and so does a trace, with the arrivals that were
//! recorded.
//!
//! *Conversations.* The turns of one follow each other in the schedule, and each but the first is due so long after the answer before
//! as its sample says. In an open loop arrivals are those of conversations and of single requests. The number of
//! requests of a step is kept: where a conversation would go beyond it, its last turns are left out.
//!
//! *Openings.* A request has the opening of its own number, and the turns of a conversation have that of the first. Where the
//! set shares prefixes, all of one round through it, within one step, have that of the first request of the round.

mod jsonl;
mod layout;
mod names;
mod order;
mod slot;
mod units;

use names::Names;

pub use jsonl::ScheduleError;
pub use slot::{Schedule, Slot, SlotTurn};
