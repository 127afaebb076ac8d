//! `acceptbench samples check`.

use std::path::PathBuf;

use acceptreport::{
    Exit,
    cli::{CommandError, Lang, print_json, spoken},
};
use report_render::{Language, legible};
use serde_json::json;
use workload_model::set::{Comparison, Drift, Finding, Quantity, Verdict, drift};

use crate::{
    samples::{open_profile, open_set},
    terminal::print,
};

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Folder of the set.
    #[arg(value_name = "SET")]
    set: PathBuf,
    /// Folder of the profile: the one that it was drawn from, or a newer one.
    #[arg(long, value_name = "DIR")]
    profile: PathBuf,
    /// Language of what is printed [default: that of the locale].
    #[arg(long, value_enum)]
    lang: Option<Lang>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(&self) -> Result<Exit, CommandError> {
        let l = spoken(self.lang);
        let (set, profile) = (open_set(&self.set)?, open_profile(&self.profile)?);
        let found = drift(&set, &profile);
        let drawn_from_it =
            set.facts.as_ref().is_some_and(|facts| facts.source.profile_sha256 == profile.digest());
        if self.json {
            print_json(&json!({ "drawn_from_this_profile": drawn_from_it, "drift": found }));
        } else {
            for line in lines(&found, drawn_from_it, l) {
                print(&legible(&line));
            }
        }
        Ok(match found.verdict {
            Verdict::Matches => Exit::Passed,
            Verdict::SampleAgain => Exit::Failed,
            Verdict::TooFew => Exit::Inconclusive,
        })
    }
}

fn lines(found: &Drift, drawn_from_it: bool, l: Language) -> Vec<String> {
    let mut lines = vec![if drawn_from_it {
        l.say("the set was drawn from this profile", "样本集取自该画像").to_owned()
    } else {
        l.say("the set was drawn from another profile", "样本集取自另一画像").to_owned()
    }];
    lines.extend(found.comparisons.iter().map(|comparison| of_comparison(comparison, l)));
    for name in &found.only_in_set {
        lines.push(l.say(
            format!("group {name}: the profile has none of this name: DRIFTED"),
            format!("分组 {name}：画像中没有该组：已漂移"),
        ));
    }
    for name in &found.only_in_profile {
        lines.push(l.say(
            format!("group {name}: the set has none of it: DRIFTED"),
            format!("分组 {name}：样本集中没有该组：已漂移"),
        ));
    }
    for name in &found.left_out {
        lines.push(l.say(
            format!("group {name}: it is assumed, and the set was made of a log's rows: not compared"),
            format!("分组 {name}：为假定分组，样本集按日志生成，不作比较"),
        ));
    }
    lines.push(
        match found.verdict {
            Verdict::Matches => l.say("the set still matches the profile", "样本集与画像相符"),
            Verdict::SampleAgain => l.say(
                "the set no longer matches: draw it again (`acceptbench samples make`)",
                "样本集与画像不再相符：请重新抽样（`acceptbench samples make`）",
            ),
            Verdict::TooFew => l.say(
                "nothing drifted, and something could not be told: a group of the set or of the profile is too small (draw more: `acceptbench samples make --requests N`)",
                "未见漂移，但有比较无法判断：样本集或画像中某组数量过少（可抽取更大的样本集：`acceptbench samples make --requests N`）",
            ),
        }
        .to_owned(),
    );
    lines
}

fn of_comparison(comparison: &Comparison, l: Language) -> String {
    let Comparison { group, distance, bound, n, m, .. } = comparison;
    let what = match comparison.what {
        Quantity::Share => l.say("share", "占比"),
        Quantity::Input => l.say("input lengths", "输入长度"),
        Quantity::Output => l.say("output lengths", "输出长度"),
    };
    let finding = match comparison.finding {
        Finding::Matches => l.say("matches", "相符"),
        Finding::Drifted => l.say("DRIFTED", "已漂移"),
        Finding::TooFew => l.say("too few to tell", "样本过少，无法判断"),
    };
    let of = m.map_or_else(|| l.say("an assumption", "假定").to_owned(), |m| m.to_string());
    l.say(
        format!(
            "group {group}, {what}: distance {distance:.4}, bound {bound:.4} ({n} against {of}): {finding}"
        ),
        format!("分组 {group}，{what}：距离 {distance:.4}，界限 {bound:.4}（{n} 对 {of}）：{finding}"),
    )
}
