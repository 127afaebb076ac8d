//! `acceptreport export`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use evidence_pack::Pack;
use report_render::Engine;

use super::{CommandError, PackArgument, terminal};
use crate::{
    assess::{AssessError, Assessment, Under},
    exit::Exit,
    report::Report,
    settings::Settings,
};

#[derive(Debug, clap::Args)]
pub(super) struct Export {
    #[command(flatten)]
    pack: PackArgument,
    /// What to make.
    #[arg(long, value_enum)]
    to: Target,
    /// Where to write it; to the terminal where left out.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Whose metric names monitoring rules have [default: the engine that the package names, else vLLM].
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Recording and alert rules with the figures of the run as the baseline.
    PrometheusRules,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EngineName {
    Vllm,
    Sglang,
    Llamacpp,
    Tgi,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Vllm => Self::Vllm,
            EngineName::Sglang => Self::Sglang,
            EngineName::Llamacpp => Self::LlamaCpp,
            EngineName::Tgi => Self::Tgi,
        }
    }
}

impl Export {
    /// Figures are computed again from the rows, so that what is exported is never what somebody wrote into the package.
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let pack = Pack::open(&self.pack.pack).map_err(AssessError::from)?;
        let assessment = Assessment::of(&pack, &Under::Run)?;
        if let Some(problem) = assessment.evidence.problems.first() {
            let dir = self.pack.pack.display();
            let message = format!("export {dir}: its evidence is damaged: {problem}");
            return Err(CommandError::new(Exit::Evidence, message));
        }
        let report = Report::new(&assessment, &pack, &assessment.verdict, &Settings::default());
        let text = match self.to {
            Target::PrometheusRules => report.rules(self.engine.map(Engine::from)),
        };
        match &self.out {
            None => terminal::print(&text),
            Some(path) if is_within(path, pack.dir()) => {
                let message =
                    format!("write {}: it lies within the package (name another --out)", path.display());
                return Err(CommandError::new(Exit::Usage, message));
            }
            Some(path) => std::fs::write(path, text).map_err(|error| {
                let path = path.display();
                CommandError::new(Exit::Usage, format!("write {path}: {error} (name another --out)"))
            })?,
        }
        Ok(Exit::Passed)
    }
}

/// A file there would stand among those of the package, which is not its own then.
fn is_within(path: &Path, dir: &Path) -> bool {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (parent.canonicalize(), dir.canonicalize()) {
        (Ok(parent), Ok(dir)) => parent.starts_with(dir),
        _ => false,
    }
}
