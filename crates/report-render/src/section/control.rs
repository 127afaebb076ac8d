//! The control: whether a client with more threads, or with less to record, got more out of the service.

use metrics_core::{
    CONTROL_COMPARABLE, CONTROL_GROWTH, Control, ControlFigures, ControlRates, ControlResult,
};
use verdict_rules::terms;

use crate::{
    document::{Block, Column, Row, Table},
    language::Language,
    material::Material,
    number,
};

/// The comparison and what follows from it; that there was none, where there was none.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let heading = Block::Heading(l.say("Control", "对照试验").to_owned());
    let Some(figures) = &m.summary.control else {
        let none = l.say(
            "No control was made: the highest tier was not repeated with more threads or less recording.",
            "未做对照试验：没有以更多线程或精简记录重复最高档位。",
        );
        return vec![heading, Block::Paragraph(none.into())];
    };
    let mut blocks =
        vec![heading, Block::Paragraph(conclusion(figures, l).into()), Block::Table(table(figures, l))];
    if let Some(failed) = failed(figures, l) {
        blocks.push(Block::Paragraph(failed.into()));
    }
    let growth = number::percent_as_agreed(CONTROL_GROWTH - 1.0);
    blocks.push(Block::Note(
        l.say(
            format!(
                "Each control repeats the highest tier with the same prompts and fresh openings, and enters no other figure. Arrivals are requests sent per second, from the first due to the last end. Request by request it is compared with the tier. It grew where arrivals or output rose by more than {growth} and more requests were faster than chance gives in 1.25 of 100 cases (5 of 100 for all four comparisons of both controls); it did not grow where neither rose so far and of both more requests kept within {growth} than chance gives as rarely; otherwise the two are not told apart. A change in the service between them counts as growth as well."
            ),
            format!(
                "每次对照以相同的提示词（开头各不相同）重复最高档位，不计入其他统计。到达率为首个请求应发至最后一个请求结束期间每秒发出的请求数。对照与该档逐请求比较：到达率或 Output TPS 提高超过 {growth}，且若纯属偶然，出现这么多更快请求的概率不超过 1.25%（两次对照共四项比较合计不超过 5%），判为增长；两者均未超过 {growth}，且两项中若纯属偶然，出现这么多提速在 {growth} 以内的请求的概率均不超过 1.25%，判为未增长；其余为无法区分。两次之间服务自身的变化也会表现为增长。"
            ),
        )
        .into(),
    ));
    blocks
}

fn conclusion(figures: &ControlFigures, l: Language) -> String {
    let tier = number::tier(figures.tier);
    let has = |result| figures.controls.iter().any(|control| control.result == result);
    if has(ControlResult::Grew) {
        l.say(
            format!("A client with more to work with got more out of {tier}: the generator may have held it up, and its figures are no evidence of the service's limit."),
            format!("测试端增加资源后，{tier} 档的到达率或 Output TPS 随之增长：瓶颈可能在测试端，该档数值不能作为服务能力上限的证据。"),
        )
    } else if has(ControlResult::NotFinished) {
        l.say(
            format!("The control of {tier} did not run to its end: nothing follows from it."),
            format!("{tier} 档的对照试验未执行完，不作结论，也不影响其他结果。"),
        )
    } else if figures.controls.iter().any(|control| too_few_pairs(figures, control)) {
        let least = number::percent_as_agreed(CONTROL_COMPARABLE);
        l.say(
            format!("Too many requests of {tier} or of its control failed for the two to be compared: fewer than {least} were effective in both."),
            format!("{tier} 档或其对照中未成功的请求过多（两次均有效的不足 {least}），无法比较。"),
        )
    } else if has(ControlResult::NotToldApart) {
        l.say(
            format!("Whether the generator held up {tier} cannot be told from chance with so many requests."),
            format!("按现有请求数，无法区分 {tier} 档的变化是测试端所致还是偶然波动。"),
        )
    } else {
        l.say(
            format!("Neither more threads nor less recording got more out of {tier}: the generator's threads and its recording were not the bottleneck."),
            format!("增加线程、精简记录均未使 {tier} 档增长：瓶颈不在测试端的线程与记录。"),
        )
    }
}

fn too_few_pairs(figures: &ControlFigures, control: &Control) -> bool {
    let planned = figures.baseline.planned.max(control.rates.planned);
    control.result == ControlResult::NotToldApart
        && (control.pairs as f64) < CONTROL_COMPARABLE * planned as f64
}

fn table(figures: &ControlFigures, l: Language) -> Table {
    let tier = number::tier(figures.tier);
    let baseline = row(tier.clone(), &figures.baseline, None, l);
    let controls = figures.controls.iter().map(|control| Row {
        marked: control.result == ControlResult::Grew,
        ..row(name(control, l), &control.rates, Some(control), l)
    });
    Table {
        caption: l.say(format!("{tier} and its controls"), format!("{tier} 档与对照")),
        columns: vec![
            Column::left(l.say("Client", "测试端")),
            Column::right(l.say("Effective / planned", "有效 / 计划")),
            Column::right(l.say("Arrivals", "到达率")).in_unit("req/s"),
            Column::right(l.say("ratio", "倍数")),
            Column::right("Output TPS").in_unit("tok/s"),
            Column::right(l.say("ratio", "倍数")),
            Column::left(l.say("Growth", "增长")),
        ],
        rows: std::iter::once(baseline).chain(controls).collect(),
    }
}

fn row(name: String, rates: &ControlRates, control: Option<&Control>, l: Language) -> Row {
    let ratio =
        |value: fn(&Control) -> Option<f64>| number::ratio_against(control.and_then(value), CONTROL_GROWTH);
    Row::of([
        name,
        format!("{} / {}", rates.effective, rates.planned),
        number::requests_per_second(rates.arrivals_per_s),
        ratio(|control| control.arrivals_ratio),
        number::tokens_per_second(rates.output_tps),
        ratio(|control| control.output_ratio),
        control.map_or(number::ABSENT, |control| said(control.result, l)).to_owned(),
    ])
}

fn name(control: &Control, l: Language) -> String {
    let threads = control.change.io_threads.map(|threads| {
        let threads = u64::from(threads);
        l.say(number::plural(threads, "IO thread"), format!("{threads} 个 IO 线程"))
    });
    let reduced = control.change.reduced_recording.then(|| l.say("recording reduced", "精简记录").to_owned());
    l.list(&threads.into_iter().chain(reduced).collect::<Vec<_>>())
}

fn said(result: ControlResult, l: Language) -> &'static str {
    match result {
        ControlResult::Grew => l.say("grew", "增长"),
        ControlResult::NotGrown => l.say("did not grow", "未增长"),
        ControlResult::NotToldApart => l.say("not told apart", "无法区分"),
        ControlResult::NotFinished => l.say("not finished", "未执行完"),
    }
}

/// What went wrong in the controls; they count against nothing.
fn failed(figures: &ControlFigures, l: Language) -> Option<String> {
    let each: Vec<String> = figures
        .controls
        .iter()
        .filter_map(|control| {
            let failures = terms::failures(&control.rates.outcomes)?;
            let (name, failures) = (name(control, l), l.text(&failures));
            Some(l.say(format!("{name}: {failures}"), format!("{name}：{failures}")))
        })
        .collect();
    let all = each.join(l.say("; ", "；"));
    (!each.is_empty()).then(|| {
        l.say(
            format!("Requests of the controls that failed, which count against nothing: {all}."),
            format!("对照试验中未成功的请求（不计入成功率）：{all}。"),
        )
    })
}
