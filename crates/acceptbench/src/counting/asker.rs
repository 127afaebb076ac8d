//! Questions to a service from code that waits for the answer.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use load_engine::{Service, random_hex};
use serde_json::Value;
use sse_client::{Clock, Endpoint, RuntimeClock, Session, TcpConnector};
use tokio::{runtime::Runtime, task::JoinSet};

/// Questions that are under way at the same time at most.
const AT_ONCE: usize = 8;

/// The service could not be asked how many tokens a text has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountingError {
    /// No answer.
    #[error("ask {path} for tokens: {reason}")]
    Unanswered {
        /// Path of the request.
        path: String,
        /// Why.
        reason: String,
    },
    /// 401 or 403.
    #[error(
        "ask {path} for tokens: status {status} (set the key in the variable that --api-key-env names, OPENAI_API_KEY by default, or give --api-key-file)"
    )]
    Credentials {
        /// Path of the request.
        path: String,
        /// Status.
        status: u16,
    },
    /// Any other status, or an answer of another form.
    #[error("ask {path} for tokens: status {status}: {words}")]
    Answered {
        /// Path of the request.
        path: String,
        /// Status.
        status: u16,
        /// What came, cut short.
        words: String,
    },
    /// No form of `/tokenize` is known to the service.
    #[error(
        "find a /tokenize of the service: none of the forms of vLLM, SGLang, llama.cpp and TGI was answered (tried {tried}; give the model's tokenizer.json, or have lengths calibrated by usage)"
    )]
    NoTokenize {
        /// What was tried, and the statuses that came.
        tried: String,
    },
    /// A chat completion came without `usage.prompt_tokens`.
    #[error(
        "calibrate lengths by usage: the service answers without usage.prompt_tokens (give the model's tokenizer.json, or make texts by estimate)"
    )]
    NoUsage,
    /// Counts that no tokenizer gives.
    #[error(
        "calibrate lengths by usage: {0} (a gateway that changes prompts, or counts them by itself, does so; give the model's tokenizer.json)"
    )]
    Senseless(String),
    /// No runtime for the questions.
    #[error("ask the service for tokens: start a runtime: {0}")]
    Runtime(String),
}

/// Asks, and waits for the answer. It has a runtime of its own and must not be used from within another.
pub(super) struct Asker {
    runtime: Runtime,
    sessions: Vec<Session<TcpConnector>>,
    endpoint: Endpoint,
    within: Duration,
}

/// A status and a body.
pub(super) type Answer = (u16, Value);

impl Asker {
    pub(super) fn new(service: &Service<TcpConnector>, within: Duration) -> Result<Self, CountingError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| CountingError::Runtime(error.to_string()))?;
        let clock: Arc<dyn Clock> = Arc::new(RuntimeClock::start());
        let session = || {
            let (target, connector) = (Arc::clone(&service.target), Arc::clone(&service.connector));
            Session::new(target, connector, Arc::clone(&clock)).connecting_within(within)
        };
        let sessions = (0..AT_ONCE).map(|_| session()).collect();
        Ok(Self { runtime, sessions, endpoint: service.target.endpoint().clone(), within })
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Posts one body.
    pub(super) fn ask(&mut self, path: &str, body: &Value) -> Result<Answer, CountingError> {
        let mut answers = self.ask_all(path, std::slice::from_ref(body))?;
        answers.pop().ok_or_else(|| unanswered(path, "no answer was read"))
    }

    /// Posts several bodies, some at a time; answers come in their order.
    pub(super) fn ask_all(&mut self, path: &str, bodies: &[Value]) -> Result<Vec<Answer>, CountingError> {
        let shares = AT_ONCE.min(bodies.len()).max(1);
        let mut tasks = JoinSet::new();
        let mut sessions = std::mem::take(&mut self.sessions);
        let resting = sessions.split_off(shares.min(sessions.len()));
        for (share, mut session) in sessions.into_iter().enumerate() {
            let own = bodies.iter().enumerate().skip(share).step_by(shares);
            let own: Vec<(usize, Bytes)> = own.map(|(at, body)| (at, body.to_string().into())).collect();
            let (path, within) = (path.to_owned(), self.within);
            let work = async move {
                let mut answers = Vec::with_capacity(own.len());
                for (at, body) in own {
                    let answer = session.post(&path, body, &random_hex(), within).await;
                    let failed = answer.is_err();
                    answers.push((at, answer.map_err(|error| unanswered(&path, &error.to_string()))));
                    if failed {
                        break;
                    }
                }
                (session, answers)
            };
            tasks.spawn_on(work, self.runtime.handle());
        }
        let done = self.runtime.block_on(tasks.join_all());
        let mut answers = Vec::with_capacity(bodies.len());
        for (session, own) in done {
            self.sessions.push(session);
            answers.extend(own);
        }
        self.sessions.extend(resting);
        answers.sort_by_key(|(at, _)| *at);
        let read = |(_, answer): (usize, Result<sse_client::Plain, CountingError>)| {
            let answer = answer?;
            let status = answer.status;
            if matches!(status, 401 | 403) {
                return Err(CountingError::Credentials { path: path.to_owned(), status });
            }
            let body = serde_json::from_slice(&answer.body);
            Ok((status, body.unwrap_or_else(|_| String::from_utf8_lossy(&answer.body).into())))
        };
        answers.into_iter().map(read).collect()
    }
}

fn unanswered(path: &str, reason: &str) -> CountingError {
    CountingError::Unanswered { path: path.to_owned(), reason: reason.to_owned() }
}

/// An answer that cannot be used, in the service's own words.
pub(super) fn answered(path: &str, (status, body): &Answer) -> CountingError {
    const MOST: usize = 200;
    let words = match body {
        Value::String(words) => words.clone(),
        body => body["error"]["message"].as_str().map_or_else(|| body.to_string(), str::to_owned),
    };
    CountingError::Answered {
        path: path.to_owned(),
        status: *status,
        words: words.chars().take(MOST).collect(),
    }
}
