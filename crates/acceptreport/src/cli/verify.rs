//! `acceptreport verify`.

use report_render::Language;

use super::{CommandError, Lang, PackArgument, terminal};
use crate::{
    exit::Exit,
    verify::{Check, check},
};

#[derive(Debug, clap::Args)]
pub(super) struct Verify {
    #[command(flatten)]
    pack: PackArgument,
    /// Language [default: that of the locale, Chinese or English].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print what was found as JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing; the exit code says it.
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
}

impl Verify {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let check = check(&self.pack.pack)?;
        if self.json {
            terminal::print_json(&check);
        } else if !self.quiet {
            terminal::print(&text(&check, terminal::spoken(self.lang)));
        }
        Ok(if check.intact { Exit::Passed } else { Exit::Evidence })
    }
}

fn text(check: &Check, l: Language) -> String {
    let mut text = String::new();
    let mut say = |en: String, zh: String| {
        text.push_str(&l.say(en, zh));
        text.push('\n');
    };
    for problem in &check.problems {
        say(format!("wrong: {}", problem.en), format!("问题：{}", problem.zh));
    }
    if check.torn {
        say(
            "the last row was being written when the run was cut off; it is dropped".to_owned(),
            "测试中断时末行记录尚未写完，已舍弃".to_owned(),
        );
    }
    if check.interrupted {
        say(
            "the run was interrupted: it did not do all of its plan".to_owned(),
            "测试提前中止，计划未执行完毕".to_owned(),
        );
    }
    let (rows, documents) = (check.requests, check.documents);
    if check.recomputed {
        say(
            format!(
                "{rows} rows read, every figure and the verdict computed again, {documents} documents made again"
            ),
            format!(
                "已读取 {rows} 条原始记录，重算全部数值与判定结果，并重新生成 {documents} 份文档逐一比对"
            ),
        );
    } else {
        say(
            format!("{rows} rows read; there are no figures to compare with"),
            format!("已读取 {rows} 条原始记录；没有可供比对的数值"),
        );
    }
    if let Some(digest) = &check.evidence_digest {
        say(format!("evidence digest {digest}"), format!("证据摘要 {digest}"));
    }
    if !check.intact && check.evidence_intact {
        say(
            "the evidence is intact: what was made from it can be made again with `acceptreport render`"
                .to_owned(),
            "证据完好；由证据生成的内容可用 `acceptreport render` 重新生成".to_owned(),
        );
    }
    if check.intact {
        say("intact".to_owned(), "完好".to_owned());
    } else {
        say("NOT intact".to_owned(), "不完好".to_owned());
    }
    text
}
