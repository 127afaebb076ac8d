//! What was archived, with digests.

use verdict_rules::Evidence;

use crate::{
    document::{Block, Callout, Cell, Column, Line, Row, Table, Tone},
    language::Language,
    material::{ArchiveEntry, Material},
    number,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Archive", "附录：归档清单")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let mut blocks = vec![Block::Paragraph(
        Line::new()
            .strong(l.say("Evidence digest (SHA-256): ", "证据摘要（SHA-256）："))
            .code(&m.summary.evidence_digest),
    )];
    blocks.push(Block::Paragraph(
        l.say(
            "It covers everything that was measured or fixed before the run. Every figure in this report can be computed again from the raw rows under it.",
            "证据摘要覆盖测试前固定的全部内容与全部原始记录；本报告的每个数值都可由其下的原始记录重新计算。",
        )
        .into(),
    ));
    blocks.push(Block::Callout(check(m.evidence.as_ref(), l)));
    let listed = m.archive.iter().filter(|entry| entry.language.is_none_or(|language| language == l));
    let listed: Vec<&ArchiveEntry> = listed.collect();
    if !listed.is_empty() {
        let without_digest = listed.iter().any(|entry| entry.sha256.is_none());
        if without_digest {
            blocks.push(Block::Note(
                l.say(
                    "Documents, charts and monitoring rules are made from the other files listed here, and cannot hold their own digests: those stand in manifest-sha256.txt of the package. They can be made again from the evidence at any time.",
                    "报告、图表与监控规则由下表其余文件生成，无法在正文中列出自身摘要，其摘要见证据包内的 manifest-sha256.txt；任何时候均可由证据重新生成。",
                )
                .into(),
            ));
        }
        blocks.push(Block::Table(table(&listed, l)));
    }
    blocks
}

fn check(evidence: Option<&Evidence>, l: Language) -> Callout {
    let Some(found) = evidence else {
        return Callout {
            tone: Tone::Unsure,
            title: l.say("The evidence was not checked for this report", "出具本报告时未校验证据").into(),
            lines: Vec::new(),
        };
    };
    let whole = found.rows_missing == 0 && found.rows_unplanned == 0 && found.problems.is_empty();
    let (tone, title) = match (found.chain_intact, found.digests_match) {
        (Some(true), Some(true)) if whole => (Tone::Good, l.say("Evidence intact", "证据完好")),
        (Some(false), _) | (_, Some(false)) => (Tone::Bad, l.say("Evidence damaged", "证据受损")),
        _ if whole => (Tone::Unsure, l.say("Evidence checked in part", "证据仅部分校验")),
        _ => (Tone::Bad, l.say("Evidence incomplete", "证据不完整")),
    };
    let state = |held: Option<bool>| match held {
        Some(true) => l.say("holds", "相符"),
        Some(false) => l.say("does not hold", "不符"),
        None => l.say("not checked", "未校验"),
    };
    let (chain, digests) = (state(found.chain_intact), state(found.digests_match));
    let (missing, extra) = (found.rows_missing, found.rows_unplanned);
    let mut lines = vec![Line::from(l.say(
        format!("Chain of raw rows: {chain}. Digests: {digests}. Rows missing: {missing}. Rows unplanned: {extra}."),
        format!("原始记录链：{chain}；文件摘要：{digests}；缺失记录 {missing} 条；计划外记录 {extra} 条。"),
    ))];
    lines.extend(found.problems.iter().map(Line::from));
    Callout { tone, title: title.into(), lines }
}

fn table(entries: &[&ArchiveEntry], l: Language) -> Table {
    let rows = entries.iter().map(|entry| {
        let what = entry.what.as_deref().or_else(|| described(&entry.path, l)).unwrap_or(number::ABSENT);
        Row::of([
            Cell::from(Line::new().code(&entry.path)),
            what.into(),
            match &entry.sha256 {
                Some(digest) => Line::new().code(digest).into(),
                None => l.say("where made, in the manifest", "如已生成，见 manifest").into(),
            },
        ])
    });
    Table {
        caption: l.say("Files of the package", "证据包文件").to_owned(),
        columns: vec![
            Column::left(l.say("File", "文件")),
            Column::left(l.say("What it is", "内容")),
            Column::left("SHA-256"),
        ],
        rows: rows.collect(),
    }
}

/// What a file of a package is, by its path in it (`data/` may be left out); `None` where the path is not known.
#[must_use]
pub fn described(path: &str, l: Language) -> Option<&'static str> {
    let name = path.strip_prefix("data/").unwrap_or(path);
    Some(match name {
        "evidence-sha256.txt" => l.say("digests of all evidence", "全部证据的摘要"),
        "plan.toml" => l.say("plan, as frozen before the run", "测试计划（运行前冻结）"),
        "samples.jsonl" => l.say("what was sent", "发送的样本"),
        "environment.json" => l.say("target and client as observed", "被测服务与测试端环境"),
        "calibration.json" => l.say("the generator's own limits", "测试端标定"),
        "raw/requests.jsonl" => l.say("raw rows, one a request", "原始记录（每请求一行）"),
        "raw/events.jsonl" => l.say("stages, faults, probes", "过程事件"),
        "raw/client.jsonl" => l.say("the generator's timeline", "测试端时间线"),
        "schedule.jsonl" => l.say("schedule, as frozen before the run", "请求计划表（运行前冻结）"),
        "agreement.toml" => l.say("agreement", "验收约定"),
        "reports/settings.toml" => l.say("names and choices for the documents", "文档设置"),
        "reports/prometheus-rules.yml" => l.say("monitoring rules (Prometheus)", "监控规则（Prometheus）"),
        "raw/server.jsonl" => l.say("the service's metrics", "服务端指标时间线"),
        "analysis/summary.json" => l.say("every figure", "全部数值"),
        "analysis/verdict.json" => l.say("findings and decision", "判定结果"),
        _ if name.starts_with("analysis/verdicts/") && name.ends_with(".toml") => {
            l.say("agreement that this report judges by", "本报告所依据的验收约定")
        }
        _ if name.starts_with("analysis/verdicts/") => {
            l.say("findings and decision under that agreement", "该约定下的判定结果")
        }
        _ if name.starts_with("reports/template/") => l.say("template of the documents", "文档模板"),
        _ if name.starts_with("raw/failures/") => l.say("raw bytes of a failed answer", "失败响应原文"),
        _ if name.starts_with("reports/") && name.ends_with(".svg") => l.say("chart", "图表"),
        _ if name.starts_with("reports/") && name.ends_with(".md") => {
            l.say("report in Markdown", "报告（Markdown）")
        }
        _ if name.starts_with("reports/") && name.ends_with(".html") => {
            l.say("report in HTML", "报告（HTML）")
        }
        _ if name.starts_with("reports/") && name.ends_with(".pdf") => l.say("report in PDF", "报告（PDF）"),
        _ => return None,
    })
}
