//! `acceptbench demo`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, agreement_text, spoken},
};
use inference_sim::{SimConfig, spawn_thread};
use report_render::Language;
use workload_model::{Project, STANDARD_TIERS, Target, builtin, standard_warm_up, sweep_plan};

use super::{block_on, calibration::CalibrationArguments, conclude};
use crate::{
    out::default_out,
    sweep::{Confidence, Sweep, sweep},
    terminal::warn,
};

#[derive(Debug, clap::Args)]
pub(super) struct Demo {
    /// Folder of the package: new, or empty [default: acceptance/demo-TIME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Language of the documents and of what is printed [default: documents in both, the rest in that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Agreement (TOML).
    #[arg(long, value_name = "FILE")]
    agreement: Option<PathBuf>,
    #[command(flatten)]
    calibration: CalibrationArguments,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    /// No progress on the way.
    #[arg(long)]
    quiet: bool,
}

impl Demo {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let language = spoken(self.lang);
        let config = SimConfig::demo();
        let model = config.model.clone();
        let service = spawn_thread(config, "127.0.0.1:0").map_err(|error| {
            CommandError::new(Exit::Target, format!("start the simulated service: {error}"))
        })?;
        if !self.quiet {
            let url = service.base_url();
            warn(&language.say(
                format!("a simulated service listens at {url}; this takes about a minute"),
                format!("模拟服务已在 {url} 就绪，全程约一分钟"),
            ));
        }
        let target = Target {
            url: service.base_url(),
            model,
            service_version: None,
            backend: Some("inference-sim (simulated, no model behind it)".to_owned()),
            quantisation: Some(String::new()),
            hardware: Some(String::new()),
        };
        let mut plan = sweep_plan(target, &STANDARD_TIERS, &[], standard_warm_up(&STANDARD_TIERS));
        plan.project = Some(Project { name: Some("acceptbench demo".to_owned()), ..Project::default() });
        let asked = Sweep {
            plan,
            samples: builtin(),
            confidence: Confidence::default(),
            tls: sse_client::TlsOptions::default(),
            calibrating: self.calibration.calibrating(),
            agreement: agreement_text(self.agreement.as_deref())?,
            out: self.out.clone().unwrap_or_else(|| default_out("demo")),
            languages: self.lang.map_or_else(|| Language::ALL.to_vec(), |language| vec![language.into()]),
            language,
            quiet: self.quiet,
        };
        let swept = block_on(sweep(asked))??;
        conclude(&swept, language, self.json)
    }
}
