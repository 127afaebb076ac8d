//! What is told of a sample set that was made.

use report_render::{Language, origin};
use serde_json::{Value, json};
use workload_model::{DrawnFrom, SizedBy, sampling::LeftOut};

use crate::samples::SetMade;

pub(in crate::cli) fn set_json(made: &SetMade) -> Value {
    let account = &made.account;
    let left_out: serde_json::Map<String, Value> =
        account.left_out.iter().map(|(reason, rows)| (reason.as_str().to_owned(), (*rows).into())).collect();
    json!({
        "out": made.out,
        "set": made.facts,
        "left_out": left_out,
        "groups_left_out": account.groups_left_out,
        "mixed_groups": account.mixed_groups,
        "assumed_left_out": account.assumed_left_out,
        "lengths_drawn": account.lengths_drawn,
        "shortened": account.shortened,
        "lengthened": account.lengthened,
        "prompts_unusable": made.unusable,
    })
}

/// What is told of a set, a line at a time, in English and Chinese.
pub(in crate::cli) fn set_lines(made: &SetMade) -> Vec<(String, String)> {
    let (facts, account) = (&made.facts, &made.account);
    let samples: u64 = facts.groups.iter().map(|group| group.samples).sum();
    let from = match facts.source.drawn_from {
        DrawnFrom::Profile => ("drawn from the profile", "按画像抽取"),
        DrawnFrom::Rows => ("one for each row of the log", "按日志逐行生成"),
        DrawnFrom::Text => ("with the words of those who wrote them", "含使用者原文"),
    };
    let dir = made.out.display();
    let mut lines = vec![(
        format!("sample set {dir}: {samples} samples, {}, seed {}", from.0, facts.seed),
        format!("样本集 {dir}：{samples} 个样本，{}，种子 {}", from.1, facts.seed),
    )];
    for group in &facts.groups {
        let (name, samples, share) = (&group.name, group.samples, group.share * 100.0);
        let [zh, en] = [Language::Zh, Language::En].map(|l| origin(l, group.origin.into()));
        lines.push((
            format!("  group {name}: {samples} samples ({share:.1} % of the traffic), {en}"),
            format!("  分组 {name}：{samples} 个样本（占流量 {share:.1} %），{zh}"),
        ));
    }
    let error = facts.sizing.worst_error.map_or_else(|| "—".to_owned(), |error| error.to_string());
    let counted = facts.sizing.counted;
    let named = facts.sizing.counter.as_deref().unwrap_or_default();
    lines.push(match facts.sizing.by {
        SizedBy::Nothing => ("  no text was made".to_owned(), "  未生成文本".to_owned()),
        SizedBy::Estimate => (
            "  lengths estimated: nobody counted tokens (give --tokenizer, or --size-by with --url)"
                .to_owned(),
            "  文本长度为估算值，未统计 Token（可用 --tokenizer，或 --size-by 配合 --url）".to_owned(),
        ),
        SizedBy::Tokenizer | SizedBy::Service | SizedBy::Usage => (
            format!("  lengths by {named}: {counted} texts counted whole, largest error {error} tokens"),
            format!("  文本长度由 {named} 统计：完整统计 {counted} 条，最大误差 {error} 个 Token"),
        ),
    });
    for (reason, rows) in &account.left_out {
        let why = match reason {
            LeftOut::OtherCall => ("no chat and no completion", "非对话或补全请求"),
            LeftOut::NoLength => ("no input length is known", "输入长度未知"),
            LeftOut::NoText => ("their words are not in the log", "日志中没有原文"),
        };
        lines.push((format!("  {rows} rows left out: {}", why.0), format!("  未采用 {rows} 行：{}", why.1)));
    }
    for name in &account.groups_left_out {
        lines.push((
            format!("  WARNING: nothing could be drawn of the group {name}: none of its lengths is known, or it has no chat"),
            format!("  警告：分组 {name} 无法抽取样本：长度未知，或不含对话请求"),
        ));
    }
    for name in &account.mixed_groups {
        lines.push((
            format!("  WARNING: the group {name} has other calls beside chats; its lengths are those of all of them"),
            format!("  警告：分组 {name} 还含对话以外的调用，其长度分布取自全部调用"),
        ));
    }
    for name in &account.assumed_left_out {
        lines.push((
            format!("  the group {name} is assumed, and no row is of it (`acceptbench samples make` draws it from the profile)"),
            format!("  分组 {name} 为假定分组，日志中没有对应记录（可用 `acceptbench samples make` 按画像抽取）"),
        ));
    }
    for (count, en, zh) in [
        (
            account.lengthened,
            "longer than they were to be: too little room for a text of their own",
            "长于应有长度：留给自身文本的空间不足",
        ),
        (
            account.shortened,
            "shorter than they were to be: no text is made so long",
            "短于应有长度：超出可生成的最大长度",
        ),
    ] {
        if count > 0 {
            lines.push((format!("  {count} requests are {en}"), format!("  {count} 个请求{zh}")));
        }
    }
    if account.lengths_drawn > 0 {
        let drawn = account.lengths_drawn;
        lines.push((
            format!("  {drawn} rows have no input length; it was drawn from those of their group"),
            format!("  {drawn} 行缺少输入长度，按同组分布抽取"),
        ));
    }
    lines.push((
        format!("  samples.jsonl SHA-256 {}", facts.samples_sha256),
        format!("  samples.jsonl 摘要（SHA-256）{}", facts.samples_sha256),
    ));
    lines
}
