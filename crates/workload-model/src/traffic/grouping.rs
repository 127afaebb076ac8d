//! Which group a request belongs to.

use super::{Call, Pseudonym};

/// What a request may be grouped by. It is at hand while its log is read, and not afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facets<'a> {
    /// What was asked for.
    pub call: Call,
    /// Name of the model; `None` also where what stands in its place has the form of an address, a number or a key.
    pub model: Option<&'a str>,
    /// Path of the request, without its query.
    pub path: Option<&'a str>,
    /// A label of the log's own: a tenant, a route, a user group.
    pub label: Option<&'a str>,
    /// The same under the pseudonym of this import.
    pub label_pseudonym: Option<Pseudonym>,
    /// Who called.
    pub caller: Option<&'a str>,
    /// The same under the pseudonym of this import.
    pub caller_pseudonym: Option<Pseudonym>,
    /// Tokens of input.
    pub input_tokens: Option<u32>,
    /// Tokens of output.
    pub output_tokens: Option<u32>,
    /// It was streamed.
    pub stream: Option<bool>,
}

/// Puts requests into groups. Names of groups reach files, so that none may be a caller's or a label's own.
pub trait Grouping {
    /// Index of the request's group in [`names`](Self::names).
    fn group_of(&mut self, facets: &Facets<'_>) -> u16;

    /// Names of all groups so far.
    fn names(&self) -> Vec<String>;
}
