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
}

/// What a stage is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageKind {
    /// Brings the service to its working temperature; enters no figure.
    WarmUp,
    /// Load rises step by step.
    Step,
}

impl StageKind {
    /// Its requests enter figures.
    #[must_use]
    pub fn measured(self) -> bool {
        self != Self::WarmUp
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
