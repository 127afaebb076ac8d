//! What a service adds to every request, and how long its tokens are, from the `usage` of a few chat completions.

use std::time::Duration;

use load_engine::Service;
use serde_json::json;
use sse_client::TcpConnector;
use workload_model::{
    SizedBy,
    random::Stream,
    synthesis::{CountError, Ratios, Texts, TokenCounter, Tongue},
};

use super::asker::{Asker, CountingError, answered};

/// Asks a service for chat completions of one token, to learn how many tokens their prompts have.
///
/// It waits for each answer on a runtime of its own, so that it must not be used from asynchronous code.
pub struct UsageProbe {
    asker: Asker,
    model: String,
    requests: u64,
}

impl UsageProbe {
    /// A probe; nothing is asked yet.
    ///
    /// # Errors
    /// Where no runtime can be had.
    pub fn new(
        service: &Service<TcpConnector>,
        model: &str,
        within: Duration,
    ) -> Result<Self, CountingError> {
        Ok(Self { asker: Asker::new(service, within)?, model: model.to_owned(), requests: 0 })
    }

    /// Chat completions asked for so far.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// `usage.prompt_tokens` of one user message.
    ///
    /// # Errors
    /// Where the service does not answer, refuses, or counts nothing.
    pub fn prompt_tokens(&mut self, text: &str) -> Result<u64, CountingError> {
        let path = self.asker.endpoint().chat_path();
        let body = json!({
            "model": self.model,
            "messages": [{ "role": "user", "content": text }],
            "max_tokens": 1,
            "stream": false,
        });
        self.requests += 1;
        let answer = self.asker.ask(&path, &body)?;
        if answer.0 != 200 {
            return Err(answered(&path, &answer));
        }
        let tokens = answer.1["usage"]["prompt_tokens"].as_u64();
        tokens.filter(|tokens| *tokens > 0).ok_or(CountingError::NoUsage)
    }

    /// Tokens that the service adds to the one message of a request, its chat template: what a text has more in a request
    /// than the counter says. One request.
    ///
    /// # Errors
    /// As [`UsageProbe::prompt_tokens`], and where the counter counts more than the service.
    pub fn added_tokens(&mut self, counter: &mut dyn TokenCounter) -> Result<u64, CountingError> {
        const TEXT: &str = "Which of the two offers should we accept, and why?";
        let senseless = |error: CountError| CountingError::Senseless(error.to_string());
        let (whole, text) = (self.prompt_tokens(TEXT)?, counter.count(TEXT).map_err(senseless)?);
        whole.checked_sub(text).ok_or_else(|| {
            let words = format!("the service counts {whole} tokens in a request whose text alone has {text}");
            CountingError::Senseless(words)
        })
    }

    /// Characters to a token of each language, and the tokens that the service adds to every request, from eight requests:
    /// two of a word once and twice, whose difference is the word, and three texts of every language.
    ///
    /// # Errors
    /// As [`UsageProbe::prompt_tokens`], and where longer texts have no more tokens.
    pub fn ratios(&mut self) -> Result<Ratios, CountingError> {
        const LENGTHS: [u64; 3] = [150, 600, 600];
        let (once, twice) = (self.prompt_tokens("the")?, self.prompt_tokens("the the")?);
        let added_tokens = once.saturating_sub(twice.saturating_sub(once));
        let mut texts = Texts::new(None, Ratios::default());
        let mut ratio = |tongue, probe: &mut Self| {
            let (mut characters, mut tokens) = (0, 0);
            for (number, length) in LENGTHS.into_iter().enumerate() {
                let mut stream = Stream::new(number as u64, "calibration by usage");
                let made = texts.text(&mut stream, &[(tongue, 1)], length);
                let text = made.map_err(|error| CountingError::Senseless(error.to_string()))?.text;
                characters += text.chars().count();
                tokens += probe.prompt_tokens(&text)?.saturating_sub(added_tokens);
            }
            if tokens == 0 {
                let words = format!("texts of {characters} characters have no more tokens than a word");
                return Err(CountingError::Senseless(words));
            }
            Ok(characters as f64 / tokens as f64)
        };
        let (zh, en) = (ratio(Tongue::Zh, self)?, ratio(Tongue::En, self)?);
        Ok(Ratios { zh, en, added_tokens, by: SizedBy::Usage, name: Some(self.model.clone()) })
    }
}
