//! What sample sets are drawn and their texts are made with.

use std::path::PathBuf;

use acceptreport::{Exit, cli::CommandError};
use jiff::{Timestamp, civil::Date, tz::Offset};
use workload_model::{
    random::DEFAULT_SEED,
    synthesis::{Ratios, Texts, TokenCounter},
};

#[derive(Debug, clap::Args)]
pub(super) struct DrawingArguments {
    /// What samples are drawn with: the same seed, the same samples on every machine.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
    /// Tokenizer of the model (tokenizer.json), by which texts are brought to their lengths [default: so many characters to a
    /// token].
    #[arg(long, value_name = "FILE")]
    pub(super) tokenizer: Option<PathBuf>,
}

impl DrawingArguments {
    /// What texts are made with, without asking any service.
    pub(super) fn texts(&self) -> Result<Texts, CommandError> {
        Ok(Texts::new(self.counter()?, Ratios::default()))
    }

    #[cfg(feature = "tokenizers")]
    pub(super) fn counter(&self) -> Result<Option<Box<dyn TokenCounter>>, CommandError> {
        let Some(path) = &self.tokenizer else { return Ok(None) };
        let wrong = |reason: String| {
            let hint = "name the tokenizer.json of the model";
            CommandError::new(Exit::Usage, format!("read {}: {reason} ({hint})", path.display()))
        };
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let counter = workload_model::synthesis::TokenizerCounter::from_bytes(&bytes)
            .map_err(|error| CommandError::new(Exit::Usage, format!("{error} in {}", path.display())))?;
        Ok(Some(Box::new(counter.named(&name))))
    }

    #[cfg(not(feature = "tokenizers"))]
    pub(super) fn counter(&self) -> Result<Option<Box<dyn TokenCounter>>, CommandError> {
        match &self.tokenizer {
            None => Ok(None),
            Some(path) => Err(CommandError::new(
                Exit::Usage,
                format!(
                    "read {}: this program was built without tokenizers (build it with --features tokenizers)",
                    path.display()
                ),
            )),
        }
    }
}

/// A day (`YYYY-MM-DD`) that has not passed.
pub(super) fn retention(text: &str) -> Result<Date, String> {
    let day: Date = text.parse().map_err(|_| format!("{text:?} is no day (write it as 2027-03-31)"))?;
    if day < Offset::UTC.to_datetime(Timestamp::now()).date() {
        return Err(format!("{day} has passed (name the day by which the words are to be deleted)"));
    }
    Ok(day)
}
