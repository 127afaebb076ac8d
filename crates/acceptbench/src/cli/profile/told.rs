//! What is told of a profile that was made.

use std::{fmt::Write as _, path::Path};

use report_render::{Language, legible};
use serde_json::{Value, json};
use workload_model::profile::{ProfileGroup, Quantiles};

use super::super::samples::{set_json, set_lines};
use crate::profile::Profiled;

pub(super) fn as_json(made: &Profiled, rows: Option<&Path>) -> Value {
    let (profile, source) = (&made.profile, &made.profile.source);
    let file = |file: &log_import::FileAccount| {
        json!({
            "name": file.name,
            "sha256": file.sha256,
            "bytes": file.bytes,
            "compression": file.compression,
            "encoding": file.encoding,
            "lines": file.lines,
            "blank_lines": file.blank_lines,
            "rows": file.rows,
            "kept": file.kept,
            "encoding_why": file.encoding_why,
        })
    };
    json!({
        "out": made.folder.dir(),
        "profile_sha256": made.folder.digest(),
        "documents": made.documents,
        "format": source.log_format,
        "format_why": made.why,
        "rows_read": source.rows_read,
        "kept": source.kept,
        "dropped": source.dropped,
        "notes": source.notes,
        "relative_time": source.relative_time,
        "segments": source.segments.len(),
        "segment_list": source.segments,
        "files": made.files.iter().map(file).collect::<Vec<_>>(),
        "groups": profile.groups.iter().map(group).collect::<Vec<_>>(),
        "rows": rows,
        "samples": made.samples.as_ref().map(set_json),
    })
}

fn group(group: &ProfileGroup) -> Value {
    json!({
        "name": group.name,
        "rule": group.rule,
        "origin": group.origin,
        "rows": group.rows,
        "share": group.share,
        "streaming": group.streaming,
        "ends": group.ends,
        "input_tokens": group.lengths.input,
        "output_tokens": group.lengths.output,
    })
}

pub(super) fn as_text(made: &Profiled, l: Language) -> String {
    let (profile, source) = (&made.profile, &made.profile.source);
    let mut text = String::new();
    let mut line = |en: String, zh: String| {
        // Names of files and groups are words of others: nothing in them that a terminal obeys.
        let _ = writeln!(text, "{}", legible(&l.say(en, zh)));
    };
    let (read, kept, format) = (source.rows_read, source.kept, &source.log_format);
    let dropped: u64 = source.dropped.values().sum();
    if read == 0 {
        line("no log was read: everything is assumed".to_owned(), "未读取日志：全部内容均为假定".to_owned());
    } else {
        line(
            format!("{read} rows read as {format}: {kept} kept, {dropped} dropped"),
            format!("按 {format} 格式读取 {read} 行：保留 {kept} 行，剔除 {dropped} 行"),
        );
    }
    if let Some(why) = &made.why {
        line(format!("  it is taken for {format}, since {why}"), format!("  格式自动识别为 {format}：{why}"));
    }
    for (reason, rows) in &source.dropped {
        line(format!("  dropped: {reason} {rows}"), format!("  剔除：{reason} {rows}"));
    }
    for (note, rows) in &source.notes {
        line(format!("  note: {note} {rows}"), format!("  说明：{note} {rows}"));
    }
    if source.rates_are_too_low() {
        line(
            "  WARNING: stretches of this log hold the same time: it is not in the order of time, and rates are too low (export it in the order of time)".to_owned(),
            "  警告：日志各段时间重叠，未按时间排序，到达速率偏低（请按时间顺序重新导出）".to_owned(),
        );
    }
    let (from, until) = (&source.period.from, &source.period.until);
    let segments = source.segments.len();
    let stretches = if segments == 1 { "one segment".to_owned() } else { format!("{segments} segments") };
    if read == 0 {
    } else if source.relative_time {
        line(
            format!("a clock that counts from an unknown instant, {stretches}"),
            format!("相对时间（起点未知），共 {segments} 段"),
        );
    } else {
        line(format!("{from} to {until}, {stretches}"), format!("{from} 至 {until}，共 {segments} 段"));
    }
    for (group, shape) in profile.assumed_groups() {
        let (name, share, by) = (&group.name, group.share * 100.0, &shape.by);
        let input = shape.input_tokens;
        line(
            format!(
                "  group {name}: assumed by {by}, {share:.1} % of what is sent, input {} to {}",
                input.min, input.max
            ),
            format!(
                "  分组 {name}：由 {by} 假定，占待发送请求的 {share:.1} %，输入 {} 至 {}",
                input.min, input.max
            ),
        );
    }
    for group in profile.groups.iter().filter(|group| group.assumed.is_none()) {
        let (name, rows, share) = (&group.name, group.rows, group.share * 100.0);
        let (input, output) = (lengths(group.lengths.input.as_ref()), lengths(group.lengths.output.as_ref()));
        line(
            format!(
                "  group {name}: {rows} rows ({share:.1} %), input P50/P99 {input}, output P50/P99 {output}"
            ),
            format!("  分组 {name}：{rows} 行（{share:.1} %），输入 P50/P99 {input}，输出 P50/P99 {output}"),
        );
    }
    let (dir, digest) = (made.folder.dir().display(), made.folder.digest());
    line(format!("profile {dir}, SHA-256 {digest}"), format!("画像 {dir}，SHA-256 {digest}"));
    for document in made.documents.iter().filter(|name| name.ends_with(".html")) {
        line(format!("{dir}/{document}"), format!("{dir}/{document}"));
    }
    if let Some(set) = &made.samples {
        for (en, zh) in set_lines(set) {
            line(en, zh);
        }
    }
    text.trim_end().to_owned()
}

fn lengths(of: Option<&Quantiles>) -> String {
    of.map_or_else(|| "—".to_owned(), |of| format!("{}/{}", of.p50, of.p99))
}
