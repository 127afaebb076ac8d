//! What the generator can do on its host, and how far above the load that lies.

use metrics_core::{
    COMFORTABLE_HEADROOM, Calibration, ClientFigures, Headroom, HeadroomOf, LEAST_HEADROOM, Seconds, Spread,
};
use verdict_rules::terms;

use crate::{
    document::{Block, Column, Line, Pair, Row, Table},
    language::Language,
    material::Material,
    number,
};

/// Calibration and headroom; that there is none, where there is none.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let heading = Block::Heading(l.say("Calibration and headroom", "标定与余量").to_owned());
    let Some(calibration) = &m.calibration else {
        let none = l.say(
            "No calibration of the generator speaks for this run. How far its ceiling lies above the load is not known; whether it was at its limits follows from its samples alone.",
            "没有适用于本次测试的测试端标定，上限高出负载多少不得而知；是否触及上限，仅由运行中的采样判断。",
        );
        return vec![heading, Block::Paragraph(none.into())];
    };
    let client = &m.summary.client;
    let mut blocks = vec![heading, Block::Paragraph(when(calibration, client, l).into())];
    if !calibration.doubts.is_empty() {
        let items =
            calibration.doubts.iter().map(|doubt| Line::from(l.term(terms::calibration_doubt(*doubt))));
        blocks.push(Block::List { ordered: false, items: items.collect() });
    }
    blocks.push(Block::Pairs(ceilings(calibration, l)));
    blocks.extend(errors(calibration, l).map(Block::Table));
    if !client.headroom.is_empty() {
        blocks.push(Block::Table(headroom(&client.headroom, l)));
        blocks.push(Block::Note(
            l.say(
                format!(
                    "Headroom is the ceiling divided by what the tier asked for: requests in flight, token events a second and requests a second over its window. Ceilings take every event as a read of its own, and hold for short events over HTTP/1.1 without TLS; TLS, HTTP/2 and longer events cost the generator more, so that less is left than this table shows. Below {COMFORTABLE_HEADROOM} it is warned of; below {LEAST_HEADROOM} the tier is no evidence about the service. Streams that open files or ports limit are shown and not judged: nothing gets slower short of the last of them, and whether there are enough is checked before a run."
                ),
                format!(
                    "余量 = 标定上限 ÷ 该档实际负载（并发流数、每秒 Token 事件数、每秒请求数）。上限按每次读取只含一个事件测得，适用于未加密的 HTTP/1.1 与较短的事件；使用 TLS、HTTP/2 或事件较长时测试端开销更大，实际余量小于表中数值。低于 {COMFORTABLE_HEADROOM} 倍时提示，低于 {LEAST_HEADROOM} 倍时该档数值不能作为服务的证据。受限于可打开文件数或可用端口数的并发流上限只列出、不参与判断：数量用尽之前不影响性能，是否够用在测试前已检查。"
                ),
            )
            .into(),
        ));
    }
    blocks
}

fn when(calibration: &Calibration, client: &ClientFigures, l: Language) -> String {
    let at = number::instant(&calibration.measured_at);
    let took = number::seconds(calibration.took_s);
    let threads = calibration.io_threads;
    let age = client.calibration.as_ref().and_then(|told| told.age_s).map(|age| age.get() / 3_600.0);
    let (en, zh) = match age {
        Some(hours) if hours > 0.0 => {
            (format!("{hours:.1} hours before the run"), format!("测试开始前 {hours:.1} 小时"))
        }
        Some(_) => ("within the run".to_owned(), "在本次测试之内".to_owned()),
        None => ("at an unknown age".to_owned(), "距测试开始多久不详".to_owned()),
    };
    let (en_threads, zh_threads) = (number::plural(threads.into(), "IO thread"), threads);
    l.say(
        format!("Measured on {at}, {en}, on this host, against a server whose true instants are known; it took {took} s. It holds for {en_threads}."),
        format!("标定时间 {at}（{zh}），在测试端主机上对照真实时刻已知的服务测得，用时 {took} 秒，适用于 {zh_threads} 个 IO 线程。"),
    )
}

fn ceilings(calibration: &Calibration, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    let ceiling = &calibration.ceiling;
    let streams = match (ceiling.streams, ceiling.streams_limited_by) {
        (Some(streams), Some(by)) => {
            let by = l.term(terms::streams_limit(by));
            let gap = terms::gap_before(by);
            l.say(format!("{streams}, limited by {by}"), format!("{streams}，受限于{gap}{by}"))
        }
        (streams, _) => number::count(streams),
    };
    let write = calibration.write.as_ref();
    let megabytes = write.map(|write| write.bytes_per_s / 1e6);
    let rows = number::whole(write.map(|write| write.rows_per_s));
    let mut pairs = vec![
        pair(l.say("Streams at once, ceiling", "并发流上限"), streams),
        pair(
            l.say("Token events a second, one a read", "每秒 Token 事件上限（每次读取一个）"),
            number::whole(ceiling.events_per_s),
        ),
        pair(
            l.say("Token events a second, many a read", "每秒 Token 事件上限（每次读取多个）"),
            number::whole(ceiling.coalesced_events_per_s),
        ),
        pair(l.say("Short requests a second", "每秒短请求上限"), number::whole(ceiling.requests_per_s)),
        pair(
            l.say("Rows of evidence written a second", "证据写入（行/秒）"),
            match megabytes {
                Some(megabytes) => {
                    l.say(format!("{rows} ({megabytes:.1} MB/s)"), format!("{rows}（{megabytes:.1} MB/s）"))
                }
                None => rows,
            },
        ),
    ];
    pairs.push(pair(
        l.say("Protocol of the calibration", "标定所用协议"),
        l.say("HTTP/1.1, without TLS", "HTTP/1.1，未使用 TLS").to_owned(),
    ));
    pairs.push(pair(l.say("Host fingerprint", "主机指纹"), calibration.host.fingerprint.clone()));
    pairs
}

/// `None` where nothing of it was measured.
fn errors(calibration: &Calibration, l: Language) -> Option<Table> {
    let timing = calibration.timing.as_ref();
    let rows: Vec<Row> = [
        (l.say("error of TTFT", "TTFT 误差"), timing.and_then(|timing| timing.ttft_error_s)),
        (l.say("error of gaps", "事件间隔误差"), timing.and_then(|timing| timing.gap_error_s)),
        (l.say("timer delay", "定时器延迟"), calibration.timer_delay_s),
    ]
    .into_iter()
    .filter_map(|(name, spread)| Some(spread_row(name, &spread?)))
    .collect();
    let caption = l.say(
        match timing.map(|timing| timing.streams) {
            Some(streams) => format!("Timing error of the generator at {streams} streams, in milliseconds"),
            None => "Timing error of the generator, in milliseconds".to_owned(),
        },
        match timing.map(|timing| timing.streams) {
            Some(streams) => format!("测试端计时误差（{streams} 路并发流，毫秒）"),
            None => "测试端计时误差（毫秒）".to_owned(),
        },
    );
    let columns = ["P50", "P95", "P99"].map(|name| Column::right(name).in_unit("ms"));
    let mut all = vec![Column::left(l.say("What", "项目"))];
    all.extend(columns);
    all.push(Column::right(l.say("max", "最大")).in_unit("ms"));
    all.push(Column::right("n"));
    (!rows.is_empty()).then_some(Table { caption, columns: all, rows })
}

fn spread_row(name: &str, spread: &Spread) -> Row {
    let ms = |value: Seconds| format!("{:.3}", value.get() * 1e3);
    Row::of([
        name.to_owned(),
        ms(spread.p50),
        ms(spread.p95),
        ms(spread.p99),
        ms(spread.max),
        spread.n.to_string(),
    ])
}

fn headroom(tiers: &[Headroom], l: Language) -> Table {
    // Past a hundred nobody asks for decimals.
    let ratio = |value: Option<f64>| match value {
        Some(value) if value >= 100.0 => number::whole(Some(value)),
        value => number::ratio_against(value, LEAST_HEADROOM),
    };
    let rows = tiers.iter().map(|found| Row {
        marked: found.least.is_some_and(|least| least < COMFORTABLE_HEADROOM),
        ..Row::of([
            found.tier.map_or_else(|| l.say("stage without tiers", "未分档阶段").to_owned(), number::tier),
            ratio(found.streams),
            ratio(found.events),
            ratio(found.requests),
            ratio(found.least),
            found.limited_by.map_or(number::ABSENT, |of| of_what(of, l)).to_owned(),
            said(found, l).to_owned(),
        ])
    });
    Table {
        caption: l.say("Headroom, tier by tier (ceiling / load)", "各档余量（上限 ÷ 负载）").to_owned(),
        columns: vec![
            Column::left(l.say("Tier", "档位")),
            Column::right(l.say("streams", "并发流")),
            Column::right(l.say("token events", "Token 事件")),
            Column::right(l.say("requests", "请求")),
            Column::right(l.say("least", "最小")),
            Column::left(l.say("limited by", "取决于")),
            Column::left(l.say("Headroom", "余量")),
        ],
        rows: rows.collect(),
    }
}

/// What is known suffices to call it too little, never to call it enough while something is unknown.
fn said(found: &Headroom, l: Language) -> &'static str {
    match found.least {
        Some(least) if least < LEAST_HEADROOM => l.say("too little", "不足"),
        Some(least) if least < COMFORTABLE_HEADROOM => l.say("low", "偏低"),
        None => l.say("not known", "未知"),
        Some(_) if !found.unknown.is_empty() => l.say("not known", "未知"),
        Some(_) => l.say("enough", "充足"),
    }
}

fn of_what(of: HeadroomOf, l: Language) -> &'static str {
    match of {
        HeadroomOf::Streams => l.say("streams", "并发流"),
        HeadroomOf::Events => l.say("token events", "Token 事件"),
        HeadroomOf::Requests => l.say("requests", "请求"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(least: Option<f64>, unknown: &[HeadroomOf]) -> Headroom {
        Headroom {
            tier: Some(4),
            streams: least,
            events: None,
            requests: None,
            least,
            limited_by: least.map(|_| HeadroomOf::Streams),
            unknown: unknown.to_vec(),
        }
    }

    #[test]
    fn what_is_not_wholly_known_is_never_called_enough() {
        let events = [HeadroomOf::Events];
        for (least, unknown, expected) in [
            (Some(6.0), &events[..0], "充足"),
            (Some(6.0), &events[..], "未知"),
            (Some(3.0), &events[..], "偏低"),
            (Some(1.0), &events[..], "不足"),
            (None, &events[..], "未知"),
        ] {
            assert_eq!(said(&found(least, unknown), Language::Zh), expected, "{least:?} {unknown:?}");
        }
    }
}
