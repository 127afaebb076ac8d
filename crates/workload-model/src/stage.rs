//! Stages: what is done to the service, in order.

use serde::{Deserialize, Deserializer, Serialize, de};

/// One stage of a plan.
///
/// Its load is a closed loop (`concurrency`), in which a request is due when its place is free, or an open one (`rate`,
/// `arrival`), in which a request is due when the schedule says, whatever became of those before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its name, unique in the plan.
    pub name: String,
    /// What it is for.
    pub kind: StageKind,
    /// Closed loop: requests in flight, one step each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub concurrency: Vec<u32>,
    /// Closed loop: from the end of an answer to when the next request of its place is due, in seconds, where samples do
    /// not say (turns of a conversation have pauses of their own).
    #[serde(default, skip_serializing_if = "Pause::is_none")]
    pub think: Pause,
    /// Open loop: requests a second. A conversation counts as one: its later turns follow from the answers before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Open loop: how requests arrive; Poisson where a rate stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
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

/// How requests of an open loop arrive. The mean rate is the stage's; [`crate::arrival`] says what each does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "process", rename_all = "snake_case", deny_unknown_fields)]
pub enum Arrival {
    /// Gaps of exactly 1 / rate.
    Constant,
    /// Exponential gaps.
    Poisson,
    /// Gamma-distributed gaps.
    Gamma {
        /// Coefficient of variation of the gaps: 1 is Poisson, more comes in bursts, less is more even.
        gap_cv: f64,
    },
    /// A Poisson process whose rate switches between a low and a high one, each for exponential times (a Markov-modulated
    /// Poisson process of two states).
    Bursts {
        /// High rate over low rate, above 1.
        times: f64,
        /// Share of time in the high rate, above 0 and below 1.
        share: f64,
        /// Mean duration of a burst in seconds.
        mean_s: f64,
    },
    /// As the samples' own arrivals were recorded, over and over; where the stage names a rate, brought to it.
    Trace {
        /// How it is brought to the stage's rate.
        #[serde(default)]
        scale: TraceScale,
    },
}

/// How recorded arrivals are brought to another rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceScale {
    /// Time runs faster or slower; gaps keep their proportions.
    #[default]
    Time,
    /// Time runs as recorded; requests are left out, or sent more than once, at random.
    Rate,
}

/// A pause between an answer and the next request.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// Its mean in seconds; 0 is none.
    pub mean_s: f64,
    /// Exponentially distributed; otherwise every pause is the mean.
    #[serde(default)]
    pub exponential: bool,
}

impl Pause {
    /// There is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.mean_s == 0.0
    }
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
    /// A closed loop without anything particular. Unchecked: see [`crate::Plan::parse`].
    #[must_use]
    pub fn closed(name: &str, kind: StageKind, concurrency: Vec<u32>, requests: Vec<u64>) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            concurrency,
            think: Pause::default(),
            rate: None,
            arrival: None,
            requests,
            io_threads: None,
            recording: Recording::Full,
        }
    }

    /// Requests are due when the schedule says, whatever became of those before.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.rate.is_some() || self.arrival.is_some()
    }

    /// How requests of an open loop arrive: Poisson where it has a rate alone. `None` of a closed loop.
    #[must_use]
    pub fn process(&self) -> Option<Arrival> {
        self.arrival.or_else(|| self.rate.map(|_| Arrival::Poisson))
    }

    /// Concurrency (`None` of an open loop, which has one step) and number of requests of every step, in order.
    pub fn loads(&self) -> impl Iterator<Item = (Option<u32>, u64)> + '_ {
        let open = self.is_open().then(|| (None, self.requests.first().copied().unwrap_or(0)));
        self.steps().map(|(concurrency, requests)| (Some(concurrency), requests)).chain(open)
    }

    /// Concurrency and number of requests of every step of a closed loop, in order.
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
