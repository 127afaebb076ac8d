//! `acceptbench samples diff`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use report_render::{Language, legible};
use serde_json::json;
use workload_model::set::{GroupHoldings, SetDiff, diff};

use crate::{samples::open_set, terminal::print};

/// Ids that are listed of each kind; further ones are counted.
const LISTED: usize = 10;

#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// Folder of one set.
    #[arg(value_name = "SET")]
    first: PathBuf,
    /// Folder of the other.
    #[arg(value_name = "OTHER")]
    second: PathBuf,
    /// Language of what is printed [default: that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let found = diff(&open_set(&self.first)?, &open_set(&self.second)?);
        if self.json {
            print_json(&json!({ "sends_the_same": found.sends_the_same(), "differences": found }));
        } else {
            for line in lines(&found, l) {
                print(&legible(&line));
            }
        }
        Ok(if found.sends_the_same() { Exit::Passed } else { Exit::Failed })
    }
}

fn lines(found: &SetDiff, l: Language) -> Vec<String> {
    let mut lines = Vec::new();
    for fact in &found.facts {
        lines.push(format!("{}: {} | {}", fact.what, fact.first, fact.second));
    }
    for (en, zh, ids) in [
        ("only in the first", "仅第一个样本集有", &found.only_first),
        ("only in the second", "仅第二个样本集有", &found.only_second),
        ("with other messages", "内容不同", &found.other_messages),
        ("with another group, length, turn or arrival", "分组、长度、轮次或到达时刻不同", &found.other_facts),
    ] {
        if !ids.is_empty() {
            let listed = ids.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(" ");
            let more = if ids.len() > LISTED { " …" } else { "" };
            let count = ids.len();
            lines.push(l.say(
                format!("{count} samples {en}: {listed}{more}"),
                format!("{count} 个样本{zh}：{listed}{more}"),
            ));
        }
    }
    if !found.same_order {
        lines.push(l.say("what both have stands in another order", "共有样本的顺序不同").to_owned());
    }
    for group in &found.groups {
        let (first, second) = (side(group.first.as_ref(), l), side(group.second.as_ref(), l));
        let name = &group.name;
        lines.push(
            l.say(format!("group {name}: {first} | {second}"), format!("分组 {name}：{first} | {second}")),
        );
    }
    let same = found.same;
    lines.push(if found.sends_the_same() {
        l.say(
            format!("both send the same {same} requests in the same order"),
            format!("两个样本集发送相同的 {same} 个请求，顺序一致"),
        )
    } else {
        l.say(
            format!("they do NOT send the same: {same} samples are alike in everything"),
            format!("两个样本集不一致：完全相同的样本有 {same} 个"),
        )
    });
    lines
}

fn side(group: Option<&GroupHoldings>, l: Language) -> String {
    let Some(group) = group else { return "—".to_owned() };
    let median = |lengths: &Option<workload_model::profile::Quantiles>| {
        lengths.as_ref().map_or_else(|| "—".to_owned(), |lengths| lengths.p50.to_string())
    };
    let (samples, input, output) = (group.samples, median(&group.input), median(&group.output));
    l.say(
        format!("{samples} samples, P50 {input} in, {output} out"),
        format!("{samples} 个样本，P50 输入 {input}、输出 {output}"),
    )
}
