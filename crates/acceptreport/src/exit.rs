//! Exit codes, the same for both programs.

use std::process::ExitCode;

use verdict_rules::Judgement;

/// What a program ends with. Scripts rely on these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: passed, or done.
    Passed,
    /// 1: not passed.
    Failed,
    /// 2: wrong use, or a file that cannot be used.
    Usage,
    /// 3: inconclusive.
    Inconclusive,
    /// 4: evidence invalid or damaged, or it could not be kept.
    Evidence,
    /// 5: the target cannot be reached, or refuses to serve at all.
    Target,
}

impl Exit {
    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Inconclusive => 3,
            Self::Evidence => 4,
            Self::Target => 5,
        }
    }
}

impl From<Judgement> for Exit {
    fn from(decision: Judgement) -> Self {
        match decision {
            Judgement::Pass => Self::Passed,
            Judgement::Fail => Self::Failed,
            Judgement::Inconclusive => Self::Inconclusive,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
