//! The requests of two tiers, one by one.

use metrics_core::{Micros, Outcome, RequestSpan, Seconds, TierTimeline};

use crate::{
    chart::{Chart, Plot, Timeline, TimelineRow},
    document::Block,
    language::Language,
    material::Material,
    number,
    section::over_time::Unit,
    words,
};

/// Of the recommended tier, and of the highest in which a request was begun.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let begun = || m.requests.timelines.iter().filter(|timeline| !timeline.requests.is_empty());
    let recommended = begun().find(|timeline| Some(timeline.concurrency) == m.verdict.advice.interactive);
    let highest = begun().max_by_key(|timeline| timeline.concurrency);
    let highest =
        highest.filter(|highest| recommended.is_none_or(|other| other.concurrency != highest.concurrency));
    let charts = [
        recommended.map(|timeline| chart("requests-recommended", l.say("recommended", "推荐"), timeline, l)),
        highest.map(|timeline| {
            chart("requests-highest", l.say("the highest tier run", "执行的最高档位"), timeline, l)
        }),
    ];
    let charts: Vec<Block> = charts.into_iter().flatten().map(Block::Chart).collect();
    if charts.is_empty() {
        return charts;
    }
    let heading = Block::Heading(l.say("Requests one by one", "逐请求时序").to_owned());
    [heading, Block::Paragraph(reading(l).into())].into_iter().chain(charts).collect()
}

fn chart(stem: &'static str, mark: &str, found: &TierTimeline, l: Language) -> Chart {
    let tier = number::tier(found.concurrency);
    let start = found.requests.iter().map(|request| request.due).min().unwrap_or_default();
    let until = found.requests.iter().filter_map(|request| request.end).max().unwrap_or(start);
    let until_s = until.since(start).as_secs_f64();
    let unit = Unit::of(until_s);
    let name = unit.name(l);
    Chart {
        stem,
        title: l
            .say(format!("Requests of {tier} ({mark}) over time"), format!("{tier} 档（{mark}）逐请求时序")),
        description: description(found, until_s, l),
        caption: caption(found, l).into(),
        plot: Plot::Timeline(Timeline {
            axis: l.say(
                format!("Time since the first request of the tier was due ({name})"),
                format!("自该档首个请求应发时刻起的时间（{name}）"),
            ),
            unit: name,
            until: until_s / unit.seconds,
            waiting: l.say("due, not sent", "应发至发送").to_owned(),
            answering: l.say("sent, no token yet", "发送至首 Token").to_owned(),
            generating: l.say("first token to end", "首 Token 至结束").to_owned(),
            unsuccessful: l.say("not effective", "未成功").to_owned(),
            every: found.every,
            rows: found.requests.iter().map(|request| row(request, start, unit, l)).collect(),
        }),
    }
}

fn row(request: &RequestSpan, start: Micros, unit: Unit, l: Language) -> TimelineRow {
    let at = |instant: Micros| instant.since(start).as_secs_f64() / unit.seconds;
    TimelineRow {
        words: row_words(request, start, l),
        due: at(request.due),
        sent: request.sent.map(at),
        first_token: request.first_token.map(at),
        end: request.end.map(at),
        effective: request.outcome == Outcome::Effective,
    }
}

/// The number of the request in the rows, its instants since it was due, and its outcome.
fn row_words(request: &RequestSpan, start: Micros, l: Language) -> String {
    let after = |instant: Micros| number::seconds(Seconds::from(instant.since(request.due)));
    let mut words = vec![format!("seq {}", request.seq)];
    let due = number::seconds(Seconds::from(request.due.since(start)));
    words.push(l.say(format!("due at {due} s"), format!("应发 {due} 秒")));
    let instants = [
        (request.sent, l.say("sent", "发送")),
        (request.first_token, l.say("first token", "首 Token")),
        (request.end, l.say("end", "结束")),
    ];
    for (instant, name) in instants {
        words.extend(instant.map(|instant| format!("{name} +{}", after(instant))));
    }
    words.push(words::outcome(l, request.outcome).to_owned());
    words.join(" · ")
}

fn reading(l: Language) -> &'static str {
    l.say(
        "A row for each request, in the order in which they were due. The thin line is the time before sending: the client, and connecting. The open bar is the wait for the first token: the network, the service's queue, and reading the prompt. The filled bar is the time of output. Open bars that grow from row to row show a queue in the service; thin lines that can be seen show one before it. A cross ends a request that was not effective.",
        "每个请求一行，按应发时刻排列。细线为发送之前（测试端与建立连接），空心条为等待首 Token（网络、服务端排队与预填充），实心条为持续输出。空心条逐行变长，说明服务端出现排队；细线明显可见，说明请求在发出之前已有等待。叉号表示该请求未成功。",
    )
}

fn caption(found: &TierTimeline, l: Language) -> String {
    let count = found.begun;
    let mut words = l.say(
        format!("From the raw rows; {} of the tier begun.", number::plural(count, "request")),
        format!("由原始记录绘出；该档共发起 {count} 个请求。"),
    );
    if found.every > 1 {
        let (every, shown) = (found.every, found.requests.len());
        let failed = |requests: &[RequestSpan]| {
            requests.iter().filter(|request| request.outcome != Outcome::Effective).count()
        };
        let (seen, failed) = (failed(&found.requests), found.unsuccessful);
        words += &l.say(
            format!(" {shown} are shown: one in {every} in the order of being due, from the first. Of {failed} that were not effective, {seen} are among them."),
            format!("按应发顺序自首个起每 {every} 个取 1 个，共绘出 {shown} 个；{failed} 个未成功的请求中有 {seen} 个在图中。"),
        );
    }
    if found.never_sent > 0 {
        let count = found.never_sent;
        words += &l.say(
            format!(
                " {} planned and never sent, and not shown.",
                if count == 1 { "1 request was".to_owned() } else { format!("{count} requests were") }
            ),
            format!("另有 {count} 个计划内请求从未发送，不在图中。"),
        );
    }
    words
}

/// How many requests, how they ended, and their shortest and longest waits.
fn description(found: &TierTimeline, until_s: f64, l: Language) -> String {
    let range = |from: fn(&RequestSpan) -> Option<Micros>, to: fn(&RequestSpan) -> Option<Micros>| {
        let spans: Vec<Micros> =
            found.requests.iter().filter_map(|request| Some(to(request)?.since(from(request)?))).collect();
        let (least, most) = (spans.iter().min()?, spans.iter().max()?);
        let s = |span: &Micros| number::seconds(Seconds::from(*span));
        Some(l.say(format!("{} to {} s", s(least), s(most)), format!("{} 至 {} 秒", s(least), s(most))))
    };
    let (begun, failed, shown) = (found.begun, found.unsuccessful, found.requests.len());
    let until = number::seconds(Seconds::new(until_s));
    let mut words = l.say(
        format!("{begun} requests, {failed} of them not effective, {shown} shown, over {until} s."),
        format!("共 {begun} 个请求，其中未成功 {failed} 个，绘出 {shown} 个，历时 {until} 秒。"),
    );
    let parts = [
        (l.say("Due to sent", "应发至发送"), range(|r| Some(r.due), |r| r.sent)),
        (l.say("Sent to first token", "发送至首 Token"), range(|r| r.sent, |r| r.first_token)),
        (l.say("First token to end", "首 Token 至结束"), range(|r| r.first_token, |r| r.end)),
    ];
    for (name, range) in parts {
        if let Some(range) = range {
            words += &l.say(format!(" {name}: {range}."), format!("{name}：{range}。"));
        }
    }
    words
}
