//! `acceptbench samples show`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use report_render::{Language, legible};
use serde_json::json;
use workload_model::{
    Openings, SampleSet,
    profile::Quantiles,
    set::{GroupHoldings, holdings},
};

use crate::{
    samples::{expired, open_set},
    terminal::print,
};

#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// Folder of the set.
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Language of what is printed [default: that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let set = open_set(&self.set)?;
        if self.json {
            print_json(&json!({ "set": set.facts, "holds": holdings(&set) }));
        } else {
            for line in lines(&set, l) {
                print(&legible(&line));
            }
        }
        Ok(Exit::Passed)
    }
}

fn lines(set: &SampleSet, l: Language) -> Vec<String> {
    let held = holdings(set);
    let mut lines = Vec::new();
    if let Some(facts) = &set.facts {
        let (name, seed, profile) = (&facts.name, facts.seed, &facts.source.profile);
        lines.push(l.say(
            format!("{name}: seed {seed}, drawn from the profile {profile:?}"),
            format!("{name}：种子 {seed}，取自画像“{profile}”"),
        ));
        if let (Some(from), Some(until)) = (&facts.source.from, &facts.source.until) {
            let rows = facts.source.rows;
            lines.push(l.say(
                format!("log from {from} to {until}, {rows} rows"),
                format!("日志时段 {from} 至 {until}，{rows} 行"),
            ));
        }
        lines.push(match facts.openings {
            Openings::Unique => {
                l.say("every request has an opening of its own", "每个请求的开头互不相同").to_owned()
            }
            Openings::Shared => l
                .say("requests of one round share prefixes as in the log", "同一轮内的请求按日志共享前缀")
                .to_owned(),
        });
        if let Some(until) = expired(facts) {
            lines.push(l.say(
                format!(
                    "WARNING: somebody's own words, which were to be deleted by {until}: that day has passed"
                ),
                format!("警告：含使用者原文，应于 {until} 前删除，该日期已过"),
            ));
        } else if let Some(until) = &facts.retain_until {
            lines.push(l.say(
                format!("WARNING: somebody's own words, to be deleted by {until}"),
                format!("警告：含使用者原文，须于 {until} 前删除"),
            ));
        }
        lines.push(format!("SHA-256 {}", facts.samples_sha256));
    }
    for group in &held.groups {
        lines.extend(of_group(
            &l.say(format!("group {}", group.name), format!("分组 {}", group.name)),
            group,
            l,
        ));
    }
    if held.groups.len() > 1 {
        // Sums alone: an average over groups would describe no request that anybody sends.
        let all = &held.all;
        let (samples, input, output) = (all.samples, all.input_tokens, all.output_tokens);
        lines.push(l.say(
            format!("in all: {samples} samples, {input} input tokens, {output} output tokens"),
            format!("合计：{samples} 个样本，输入 {input} 个 Token，输出 {output} 个 Token"),
        ));
    }
    lines
}

fn of_group(name: &str, group: &GroupHoldings, l: Language) -> Vec<String> {
    let (samples, share) = (group.samples, group.share * 100.0);
    if samples == 0 {
        return vec![l.say(format!("{name}: no sample"), format!("{name}：没有样本"))];
    }
    let origins: Vec<&str> = group.origins.keys().map(|origin| report_render::origin(l, *origin)).collect();
    let origins = origins.join(l.say(", ", "、"));
    let mut lines = vec![l.say(
        format!("{name}: {samples} samples ({share:.1} %), {origins}"),
        format!("{name}：{samples} 个样本（{share:.1} %），{origins}"),
    )];
    for (en, zh, lengths, all) in [
        ("input", "输入", &group.input, group.input_tokens),
        ("output", "输出", &group.output, group.output_tokens),
    ] {
        if let Some(Quantiles { min, p50, p90, p99, max, .. }) = lengths {
            lines.push(l.say(
                format!("  {en} tokens: {min} to {max}, P50 {p50}, P90 {p90}, P99 {p99}, {all} in all"),
                format!("  {zh} Token：{min} 至 {max}，P50 {p50}，P90 {p90}，P99 {p99}，合计 {all}"),
            ));
        }
    }
    if !group.conversations.is_empty() {
        let conversations: u64 = group.conversations.values().sum();
        let most = group.conversations.keys().max().copied().unwrap_or(1);
        lines.push(l.say(
            format!("  {conversations} conversations of up to {most} turns"),
            format!("  {conversations} 个会话，最多 {most} 轮"),
        ));
    }
    if group.shared_prefixes > 0.0 {
        let share = group.shared_prefixes * 100.0;
        lines.push(l.say(
            format!("  {share:.1} % of the text stands in prefixes that an earlier request has as well"),
            format!("  {share:.1} % 的文本位于与之前请求共享的前缀中"),
        ));
    }
    if group.duplicates > 0 {
        let duplicates = group.duplicates;
        lines.push(l.say(
            format!("  {duplicates} samples have the messages of an earlier one"),
            format!("  {duplicates} 个样本与之前的样本内容相同"),
        ));
    }
    lines
}
