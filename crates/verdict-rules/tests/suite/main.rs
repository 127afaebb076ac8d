//! Cases made from rows, through the same figures as in a real run.

mod advice;
mod criteria;
mod decision;
mod properties;
mod run;
mod shape;
