//! Stages: what is done to the service, in order.

use serde::{Deserialize, Deserializer, Serialize, de};

/// One stage of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its name, unique in the plan.
    pub name: String,
    /// What it is for.
    pub kind: StageKind,
    /// Closed loop: requests in flight, one step each.
    pub concurrency: Vec<u32>,
    /// Requests of each step; a single number in the file stands for every step.
    #[serde(deserialize_with = "one_or_many")]
    pub requests: Vec<u64>,
    /// What a control does otherwise: threads that read sockets, more of them than the rest of the run has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_threads: Option<u32>,
    /// What a control does otherwise: how much of an answer is recorded.
    #[serde(default, skip_serializing_if = "Recording::is_full")]
    pub recording: Recording,
}

/// What a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// Brings the service to its working temperature; enters no figure.
    WarmUp,
    /// Load rises step by step.
    Step,
    /// The highest step once more with a client that has more or does less, to see whether the service then gets more
    /// requests; enters no figure but that comparison.
    Control,
}

/// How much of an answer is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    /// The instant of every read with tokens, and a digest of the text.
    #[default]
    Full,
    /// Counts, the first and the last token and the end alone. It costs the client less.
    Reduced,
}

impl Recording {
    /// Nothing is left out.
    #[must_use]
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }
}

impl StageKind {
    /// Its requests enter figures.
    #[must_use]
    pub fn measured(self) -> bool {
        self == Self::Step
    }
}

impl Stage {
    /// Concurrency and number of requests of every step, in order.
    pub fn steps(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let requests = |step: usize| match self.requests.as_slice() {
            [every] => *every,
            each => each.get(step).copied().unwrap_or(0),
        };
        self.concurrency.iter().enumerate().map(move |(step, concurrency)| (*concurrency, requests(step)))
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    struct OneOrMany;

    impl<'de> de::Visitor<'de> for OneOrMany {
        type Value = Vec<u64>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("a number of requests, or a list with one number a step")
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
            u64::try_from(value)
                .map(|value| vec![value])
                .map_err(|_| E::custom("requests must not be negative"))
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
            Ok(vec![value])
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = seq.next_element()? {
                values.push(value);
            }
            Ok(values)
        }
    }

    deserializer.deserialize_any(OneOrMany)
}
