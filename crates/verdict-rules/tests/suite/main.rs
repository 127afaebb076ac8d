//! Cases made from rows, through the same figures as in a real run.
#![expect(clippy::unwrap_used, reason = "a test may fail loudly, in its helpers as well")]

mod advice;
mod capacity;
mod causes;
mod criteria;
mod decision;
mod groups;
mod headroom;
mod properties;
mod rows;
mod run;
mod shape;
