//! Whether the generator may speak about the service.

use metrics_core::{ClientFigures, ClientLimit, LEAST_HEADROOM, LimitHit};
use verdict_rules::{limit_allowed, limit_observed};

use crate::{
    document::{Block, Callout, Cell, Column, Line, Pair, Row, Table, Tone},
    language::Language,
    material::Material,
    number,
    section::{calibration, control, generator_timeline},
    words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Validity of the generator", "测试端有效性")
}

pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let client = &m.summary.client;
    let mut blocks = vec![Block::Callout(finding(client, l))];
    if !client.limits_hit.is_empty() {
        blocks.push(Block::Table(limits(&client.limits_hit, l)));
    }
    let mut remarks = Vec::new();
    if client.co_located {
        remarks.push(Line::from(l.say(
            "The service ran on the generator's host and shared its CPU and memory. The figures hold no network delay.",
            "服务与测试端同机部署，共享 CPU 与内存；数值不含网络时延。",
        )));
    }
    if client.unoptimised {
        remarks.push(Line::from(l.say(
            "The client was built without optimisation. Its own cost is larger than that of a release build.",
            "测试端为未优化构建，自身开销高于 release 构建。",
        )));
    }
    if !remarks.is_empty() {
        blocks.push(Block::List { ordered: false, items: remarks });
    }
    if client.samples > 0 {
        blocks.push(Block::Pairs(figures(client, l)));
    }
    blocks.extend(calibration::blocks(m, l));
    blocks.extend(control::blocks(m, l));
    if let Some(chart) = generator_timeline::chart(m, l) {
        blocks.push(Block::Heading(l.say("Over the run", "运行时间线").to_owned()));
        blocks.push(Block::Chart(chart));
    }
    blocks
}

/// What each kind of limit says of the figures: samples that the generator was slow, headroom that it may have been, and a
/// control that it cannot be excluded.
fn reached(hits: &[LimitHit], l: Language) -> Vec<Line> {
    let any = |kind: fn(ClientLimit) -> bool| hits.iter().any(|hit| !hit.inter_event_only && kind(hit.limit));
    let kinds = [
        (
            any(|limit| !matches!(limit, ClientLimit::Headroom | ClientLimit::Control)),
            l.say(
                "The generator reached a limit of its own in tiers named below. Their figures may show the generator, and are no evidence of what the service can do.".to_owned(),
                "测试端在下列档位触及自身上限，测得的数值可能受测试端影响，不能作为服务能力的证据。".to_owned(),
            ),
        ),
        (
            any(|limit| limit == ClientLimit::Headroom),
            l.say(
                format!("The load of tiers named below came so near to the generator's calibrated ceiling (less than {LEAST_HEADROOM} times the load) that the generator cannot be excluded as the bottleneck."),
                format!("下列档位中，有的负载距测试端标定上限过近（余量不足 {LEAST_HEADROOM} 倍），不能排除瓶颈在测试端。"),
            ),
        ),
        (
            any(|limit| limit == ClientLimit::Control),
            l.say(
                "A client with more to work with got more out of a tier named below: the generator cannot be excluded as the bottleneck there.".to_owned(),
                "对照试验中，测试端增加资源后结果随之增长，不能排除该档瓶颈在测试端。".to_owned(),
            ),
        ),
    ];
    kinds.into_iter().filter(|(holds, _)| *holds).map(|(_, said)| said.into()).collect()
}

fn finding(client: &ClientFigures, l: Language) -> Callout {
    let partly = !client.limits_hit.is_empty() && client.limits_hit.iter().all(|hit| hit.inter_event_only);
    let (tone, title, line) = match client.valid {
        Some(true) if partly => (
            Tone::Unsure,
            l.say("Valid, except for gaps between events", "有效，但事件间隔除外"),
            l.say(
                "The generator kept within the limits that matter for requests. Its timing was too coarse for single gaps in the tiers named below.",
                "测试端未触及影响请求级数值的上限；在下列档位，其计时精度不足以支持单个事件间隔。",
            ),
        ),
        Some(true) => (
            Tone::Good,
            l.say("Valid", "有效"),
            l.say(
                "The generator stayed within its own limits in every tier. The figures describe the service and the way to it.",
                "测试端在各档位均未触及自身上限，数值反映的是服务及其链路。",
            ),
        ),
        Some(false) => {
            let (title, lines) =
                (l.say("Not valid in part", "部分无效"), reached(&client.limits_hit, l));
            return Callout { tone: Tone::Unsure, title: title.into(), lines };
        }
        None => (
            Tone::Unsure,
            l.say("Not known", "未知"),
            l.say(
                "The generator was not sampled. It cannot be excluded as the bottleneck.",
                "未对测试端采样，不能排除测试端是瓶颈。",
            ),
        ),
    };
    Callout { tone, title: title.into(), lines: vec![line.into()] }
}

fn limits(hits: &[LimitHit], l: Language) -> Table {
    let allowed = |hit: &LimitHit| match hit.limit {
        ClientLimit::Headroom => format!("≥ {}", limit_allowed(hit)),
        _ => limit_allowed(hit),
    };
    let rows = hits.iter().map(|hit| {
        Row::of([
            Cell::from(
                hit.tier.map_or_else(|| l.say("stage without tiers", "未分档阶段").to_owned(), number::tier),
            ),
            words::client_limit(l, hit).into(),
            limit_observed(hit).into(),
            allowed(hit).into(),
            if hit.inter_event_only {
                l.say("gaps between events only", "仅事件间隔").into()
            } else {
                l.say("all figures of the tier", "该档全部数值").into()
            },
        ])
    });
    Table {
        caption: l.say("Limits that were hit", "触及的上限").to_owned(),
        columns: vec![
            Column::left(l.say("Tier", "档位")),
            Column::left(l.say("Limit", "上限")),
            Column::right(l.say("Observed", "实测")),
            Column::right(l.say("Allowed", "允许")),
            Column::left(l.say("Unsupported", "不可采信")),
        ],
        rows: rows.collect(),
    }
}

fn figures(client: &ClientFigures, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    vec![
        pair(l.say("Samples (one a second)", "采样数（每秒一次）"), client.samples.to_string()),
        pair(l.say("CPU of the process, mean", "进程 CPU 均值"), number::percent(client.cpu_mean)),
        pair(l.say("CPU of the process, highest second", "进程 CPU 最高值"), number::percent(client.cpu_max)),
        pair(
            l.say("CPU of the host, highest second", "主机 CPU 最高值"),
            number::percent(client.host_cpu_max),
        ),
        pair(l.say("Timer delay, P99", "定时器延迟 P99"), number::milliseconds(client.timer_delay_p99_s)),
        pair(l.say("CPU wait, P99", "等待 CPU P99"), number::milliseconds(client.run_delay_p99_s)),
        pair(l.say("Peak memory", "内存峰值"), number::mebibytes(client.rss_max_bytes)),
        pair(l.say("Peak connections", "最大连接数"), number::count(client.connections_max)),
        pair(l.say("Peak write-queue depth", "写队列最大深度"), number::count(client.queue_depth_max)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_limit_says_no_more_than_it_proves() {
        use ClientLimit::{Control, Cpu, Headroom};
        let said = |limits: &[ClientLimit], language| -> Vec<String> {
            let hit = |limit| LimitHit {
                limit,
                tier: Some(4),
                observed: 1.0,
                allowed: 2.0,
                inter_event_only: false,
            };
            let hits: Vec<LimitHit> = limits.iter().copied().map(hit).collect();
            reached(&hits, language).iter().map(Line::words).collect()
        };
        for (limit, en, zh) in [
            (Cpu, "reached a limit of its own", "触及自身上限"),
            (Headroom, "less than 2 times the load", "余量不足 2 倍"),
            (Control, "got more out of", "结果随之增长"),
        ] {
            for (language, words) in [(Language::En, en), (Language::Zh, zh)] {
                let alone = said(&[limit], language);
                assert!(alone.len() == 1 && alone[0].contains(words), "{alone:?}");
                assert!(said(&[Cpu, Headroom, Control], language).concat().contains(words));
            }
        }
        assert_eq!(said(&[Headroom, Headroom], Language::En).len(), 1);
    }
}
