//! `acceptbench samples make`.

use std::{path::PathBuf, time::Duration};

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use evidence_pack::{Redactor, SampleFolder};
use report_render::{Language, legible};
use sse_client::Endpoint;
use workload_model::{
    sampling::SamplingError,
    synthesis::{Ratios, Texts, TokenCounter},
};

use super::{set_json, set_lines};
use crate::{
    cli::{drawing::DrawingArguments, target::ContactArguments},
    counting::{CountingError, ServiceCounter, UsageProbe},
    samples::{MakeSetError, drawing, make_set, open_profile},
    sweep::{Confidence, redactor, service},
    terminal::print,
};

/// What of a service counts tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SizeBy {
    /// Its /tokenize.
    Tokenize,
    /// The usage of eight requests of one token each.
    Usage,
}

/// The longest wait for an answer about tokens.
const WITHIN: Duration = Duration::from_secs(120);

#[derive(Debug, clap::Args)]
pub(super) struct Make {
    /// Folder of the profile.
    #[arg(value_name = "PROFILE")]
    profile: PathBuf,
    /// How many samples to draw, over all groups by their shares.
    #[arg(long, value_name = "N", default_value_t = 400)]
    requests: u64,
    #[command(flatten)]
    drawing: DrawingArguments,
    /// Bring texts to their lengths by what a service counts.
    #[arg(long, value_enum, value_name = "HOW", requires = "url", conflicts_with = "tokenizer")]
    size_by: Option<SizeBy>,
    /// Base of that service, up to and including /v1. With --tokenizer it is asked once how much it adds to every request.
    #[arg(long, requires = "model")]
    url: Option<String>,
    /// Model name, as the service knows it.
    #[arg(long, requires = "url")]
    model: Option<String>,
    #[command(flatten)]
    contact: ContactArguments,
    /// What the set is called [default: as the profile].
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Folder for the set: new, or empty [default: PROFILE.samples].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Language of what is printed [default: that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Make {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let profile = open_profile(&self.profile)?;
        let mut drawing = drawing(&profile, self.requests, self.drawing.seed);
        if let Some(name) = &self.name {
            drawing.name.clone_from(name);
        }
        let out = self.out.clone().unwrap_or_else(|| crate::out::beside(&self.profile, "samples"));
        SampleFolder::check_vacant(&out).map_err(MakeSetError::from)?;
        let confidence =
            self.url.as_ref().map_or_else(|| Ok(Confidence::default()), |_| self.contact.confidence())?;
        let redactor = redactor(&confidence);
        let mut texts = self.texts(&confidence, &redactor, l)?;
        // What a service answers may hold the key.
        let made = make_set(&profile, &drawing, &mut texts, &out).map_err(|error| match error {
            MakeSetError::Sampling(SamplingError::Count(error)) => {
                CommandError::new(Exit::Target, redactor.scrub(&error.to_string()).into_owned())
            }
            error => error.into(),
        })?;
        if self.json {
            print_json(&set_json(&made));
        } else {
            for (en, zh) in set_lines(&made) {
                print(&legible(&l.say(en, zh)));
            }
        }
        Ok(Exit::Passed)
    }

    /// What texts are made with.
    fn texts(
        &self,
        confidence: &Confidence,
        redactor: &Redactor,
        l: Language,
    ) -> Result<Texts, CommandError> {
        let counter = self.drawing.counter()?;
        let (Some(url), Some(model)) = (&self.url, &self.model) else {
            return Ok(Texts::new(counter, Ratios::default()));
        };
        let unasked = |error: CountingError| {
            CommandError::new(Exit::Target, redactor.scrub(&error.to_string()).into_owned())
        };
        let wrong = |error: &dyn std::fmt::Display| CommandError::new(Exit::Usage, error.to_string());
        let endpoint = Endpoint::parse(url).map_err(|error| wrong(&error))?;
        let service =
            service(&endpoint, confidence, &self.contact.tls(url, l)).map_err(|error| wrong(&error))?;
        let mut probe = UsageProbe::new(&service, model, WITHIN).map_err(unasked)?;
        let counter: Option<Box<dyn TokenCounter>> = match self.size_by {
            Some(SizeBy::Usage) => return Ok(Texts::new(None, probe.ratios().map_err(unasked)?)),
            Some(SizeBy::Tokenize) => {
                Some(Box::new(ServiceCounter::connect(&service, model, WITHIN).map_err(unasked)?))
            }
            None => counter,
        };
        let mut ratios = Ratios::default();
        let Some(mut counter) = counter else {
            let hint = "say what it is asked for with --size-by, or give --tokenizer";
            return Err(wrong(&format!("ask {url} for tokens: nothing is to be asked ({hint})")));
        };
        ratios.added_tokens = probe.added_tokens(&mut *counter).map_err(unasked)?;
        Ok(Texts::new(Some(counter), ratios))
    }
}
