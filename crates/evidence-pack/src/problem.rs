//! What can be wrong with a package, each with a sentence for whoever has to act on it.

use crate::layout;

/// Something in a package is not as it was written. Paths are relative to the package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A file is gone.
    #[error("{path} is missing; {listed_in} names it")]
    Missing {
        /// The file.
        path: String,
        /// The list that names it.
        listed_in: &'static str,
    },
    /// A file was put in.
    #[error("{path} was put in later; {listed_in} does not name it")]
    Extra {
        /// The file.
        path: String,
        /// The list that should name it.
        listed_in: &'static str,
    },
    /// A file has another digest.
    #[error("{path} was changed; {listed_in} has another digest")]
    Changed {
        /// The file.
        path: String,
        /// The list that names it.
        listed_in: &'static str,
    },
    /// A list, `bagit.txt` or `bag-info.txt` is not the text that the files give.
    #[error("{path} was changed; it is not the text that the package's files give")]
    Altered {
        /// The file.
        path: String,
    },
    /// A file that every complete package has is gone.
    #[error("{path} is missing; every complete package has it")]
    Absent {
        /// The file.
        path: String,
    },
    /// Something at the top, or beside figures and verdicts, is no part of a package.
    #[error("{path} does not belong to the package (take it out)")]
    Foreign {
        /// The file or folder.
        path: String,
    },
    /// A link, a device, or a name that is not UTF-8.
    #[error("{path} is no plain file")]
    Unfit {
        /// What it is called.
        path: String,
    },
    /// Rows cannot be read.
    #[error("{path} is damaged: {reason}")]
    Rows {
        /// The file.
        path: String,
        /// Where and how.
        reason: String,
    },
    /// The environment cannot be read.
    #[error("{path} is damaged: {reason}")]
    Environment {
        /// The file.
        path: String,
        /// How.
        reason: String,
    },
    /// The schedule cannot be laid out again from plan and samples.
    #[error("{path} and the samples give no schedule: {reason}")]
    NoSchedule {
        /// The file.
        path: String,
        /// Why.
        reason: String,
    },
    /// Rows and schedule differ.
    #[error(
        "{path} is not what was planned: {missing} planned requests have no row, {unplanned} rows were not planned, {duplicated} rows stand twice"
    )]
    Schedule {
        /// The file.
        path: String,
        /// See [`ScheduleCheck::missing`](crate::ScheduleCheck::missing).
        missing: u64,
        /// See [`ScheduleCheck::unplanned`](crate::ScheduleCheck::unplanned).
        unplanned: u64,
        /// See [`ScheduleCheck::duplicated`](crate::ScheduleCheck::duplicated).
        duplicated: u64,
    },
    /// The package was cut short and not completed.
    #[error("{path} is missing: the package was cut short (complete it with `acceptbench finalize`)")]
    CutShort {
        /// The file that a complete package has.
        path: String,
    },
}

impl Problem {
    /// The same sentence in Chinese. What a parser or the system said in it stays in English.
    #[must_use]
    pub fn in_chinese(&self) -> String {
        match self {
            Self::Missing { path, listed_in } => format!("缺少 {path}，{listed_in} 中列有该文件"),
            Self::Extra { path, listed_in } => format!("{path} 系事后加入，{listed_in} 中未列出"),
            Self::Changed { path, listed_in } => format!("{path} 已被改动，与 {listed_in} 中的摘要不符"),
            Self::Altered { path } => format!("{path} 已被改动，与证据包内文件应得的内容不符"),
            Self::Absent { path } => format!("缺少 {path}，完整的证据包必有该文件"),
            Self::Foreign { path } => format!("{path} 不属于证据包（请移出）"),
            Self::Unfit { path } => format!("{path} 不是普通文件"),
            Self::Rows { path, reason } | Self::Environment { path, reason } => {
                format!("{path} 已损坏：{reason}")
            }
            Self::NoSchedule { path, reason } => format!("由 {path} 与样本无法排出请求计划：{reason}"),
            Self::Schedule { path, missing, unplanned, duplicated } => format!(
                "{path} 与计划不符：{missing} 个计划请求没有记录，{unplanned} 条记录不在计划内，{duplicated} 条记录重复"
            ),
            Self::CutShort { path } => {
                format!("缺少 {path}：证据包写入中断（可用 `acceptbench finalize` 补全）")
            }
        }
    }

    /// It is about what was measured or fixed before, rather than about what was made from that, or about the
    /// bag around both.
    #[must_use]
    pub fn concerns_evidence(&self) -> bool {
        let in_data = self.path().strip_prefix("data/");
        in_data.is_some_and(|path| path == layout::EVIDENCE || layout::is_evidence(path))
    }

    /// The file or folder that it is about, relative to the package.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Missing { path, .. }
            | Self::Extra { path, .. }
            | Self::Changed { path, .. }
            | Self::Altered { path }
            | Self::Absent { path }
            | Self::Foreign { path }
            | Self::Unfit { path }
            | Self::Rows { path, .. }
            | Self::Environment { path, .. }
            | Self::NoSchedule { path, .. }
            | Self::Schedule { path, .. }
            | Self::CutShort { path } => path,
        }
    }
}
