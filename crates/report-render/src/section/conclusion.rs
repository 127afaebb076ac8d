//! The conclusion, which a reader may stop at.

use verdict_rules::{AdvisedBy, Judgement, Verdict};

use crate::{
    document::{Block, Callout, Line, Tile},
    language::Language,
    material::Material,
    number,
    section::groups,
    words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Conclusion", "总体结论")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let verdict = &m.verdict;
    let callout = Callout {
        tone: words::tone(verdict.decision),
        title: Line::new()
            .strong(words::decision(l, verdict.decision))
            .plain(l.say(" – ", ""))
            .plain(sentence(verdict, l)),
        lines: vec![basis(verdict, l).into()],
    };
    let mut blocks = vec![Block::Callout(callout), Block::Tiles(tiles(m, l))];
    blocks.extend(groups::beside_the_whole(m, l));
    let reason = l.text(&verdict.advice.reason);
    if !reason.is_empty() {
        let by = match verdict.advice.by {
            AdvisedBy::Rule => l.say("Capacity advice: ", "容量建议依据："),
            AdvisedBy::Agreement => {
                l.say("Capacity advice, set by the agreement: ", "容量建议依据（由验收约定指定）：")
            }
        };
        blocks.push(Block::Paragraph(Line::new().strong(by).plain(reason)));
    }
    blocks
}

fn sentence(verdict: &Verdict, l: Language) -> String {
    let not_passed = |result: Judgement| -> Vec<&str> {
        let criteria = verdict.criteria.iter().filter(|found| found.result == result);
        let mut names: Vec<&str> = criteria.map(|found| words::criterion(l, found.id)).collect();
        names
            .extend(verdict.sla.iter().filter(|item| item.contract == result).map(|item| item.item.as_str()));
        names
    };
    match verdict.decision {
        Judgement::Pass => l
            .say("The test is complete, and the results are fit for hand-over.", "测试完整，指标可交付。")
            .to_owned(),
        Judgement::Fail => match not_passed(Judgement::Fail) {
            names if names.is_empty() => {
                l.say("The service is not accepted as tested.", "按本次测试结果不予验收。").to_owned()
            }
            names => {
                let names = l.list(&names);
                l.say(format!("Not met: {names}."), format!("未达标：{names}。"))
            }
        },
        Judgement::Inconclusive => match not_passed(Judgement::Inconclusive) {
            names if names.is_empty() => {
                l.say("The evidence does not suffice.", "现有证据不足以作出判定。").to_owned()
            }
            names => {
                let names = l.list(&names);
                l.say(
                    format!("The evidence does not suffice for: {names}."),
                    format!("现有证据不足以判定：{names}。"),
                )
            }
        },
    }
}

fn basis(verdict: &Verdict, l: Language) -> String {
    let passed = verdict.criteria.iter().filter(|found| found.result == Judgement::Pass).count();
    let all = verdict.criteria.len();
    let criteria =
        l.say(format!("{passed} of {all} criteria passed."), format!("{all} 项验收标准中 {passed} 项通过。"));
    let sla = if verdict.sla.is_empty() {
        l.say(" No SLA was agreed.", "未约定 SLA。").to_owned()
    } else {
        let (met, items) =
            (verdict.sla.iter().filter(|item| item.contract == Judgement::Pass).count(), verdict.sla.len());
        l.say(format!(" {met} of {items} agreed limits met."), format!("{items} 项 SLA 中 {met} 项达标。"))
    };
    let terms = if verdict.agreed {
        ""
    } else {
        l.say(" Judged by the default terms: no agreement was given.", "未提供验收约定，按默认标准判定。")
    };
    format!("{criteria}{sla}{terms}")
}

fn tiles(m: &Material, l: Language) -> Vec<Tile> {
    let (summary, verdict) = (&m.summary, &m.verdict);
    let totals = &summary.totals;
    let tile =
        |label: &str, value: String, note: String| Tile { label: label.to_owned(), value, note: Some(note) };
    let at = |tier: Option<u32>| match tier {
        Some(tier) if m.is_cut_short(tier) => l.say(
            format!("tok/s, at C{tier}, which was not finished"),
            format!("tok/s，出现在未测完的 C{tier}"),
        ),
        Some(tier) => l.say(format!("tok/s, at C{tier}"), format!("tok/s，出现在 C{tier}")),
        None => "tok/s".to_owned(),
    };
    let low = number::percent(totals.success_rate_low);
    vec![
        tile(
            l.say("Completeness", "测试完整性"),
            format!("{} / {}", totals.finished, totals.planned),
            l.say("requests finished / planned", "完成 / 计划请求数").to_owned(),
        ),
        tile(
            l.say("Success rate, all requests", "总成功率"),
            number::percent(totals.success_rate),
            l.say(
                format!("{} of {}; 95% lower bound {low}", totals.effective, totals.planned),
                format!("{} / {}，95% 置信下限 {low}", totals.effective, totals.planned),
            ),
        ),
        tile(
            l.say("Peak Output TPS", "峰值 Output TPS"),
            number::tokens_per_second(summary.peak.output_tps),
            at(summary.peak.output_tps_tier),
        ),
        tile(
            l.say("Peak Total TPS", "峰值 Total TPS"),
            number::tokens_per_second(summary.peak.total_tps),
            at(summary.peak.total_tps_tier),
        ),
        tile(
            l.say("Recommended interactive concurrency", "推荐交互并发"),
            number::tier_or_absent(verdict.advice.interactive),
            match verdict.advice.interactive {
                Some(_) => l.say("starting capacity for interactive use", "交互服务的初始容量").to_owned(),
                None => l.say("none can be recommended", "无法给出推荐").to_owned(),
            },
        ),
        tile(
            l.say("Throughput boundary", "吞吐边界"),
            number::tier_or_absent(verdict.advice.boundary),
            match verdict.advice.boundary {
                Some(_) => l.say("for batch and offline work only", "仅用于批量与离线任务").to_owned(),
                None => l.say("none can be named", "无法给出边界").to_owned(),
            },
        ),
    ]
}
