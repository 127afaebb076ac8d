//! What was sent: the sample set, where its requests come from, and whether they were as long as asked for.

use metrics_core::{AskedAndReceived, LengthFigures, Origin, OriginFigures};
use workload_model::{DrawnFrom, Openings, SetFacts, SetGroup, SizedBy};

use crate::{
    document::{Block, Cell, Column, Line, Pair, Row, Table},
    language::Language,
    material::Material,
    number::{self, plural},
    words,
};

pub(crate) fn heading(l: Language) -> &'static str {
    l.say("Samples and their origin", "样本与来源")
}

/// Empty where neither the set nor its rows tell anything, as in older packages.
pub(crate) fn blocks(m: &Material, l: Language) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(set) = &m.sample_set {
        blocks.push(Block::Pairs(facts(set, l)));
        blocks.push(Block::Table(groups(set, l)));
    }
    let origins = &m.summary.totals.origins;
    if !origins.is_empty() {
        blocks.push(Block::Table(by_origin(origins, m.summary.totals.planned, l)));
        blocks.push(Block::Note(
            l.say(
                "Origin is that of a request's shape: its lengths, and that it is sent at all. Real was measured in a log of real use, synthetic was made by a program or written for testing, assumed rests on somebody's word; of a file of the user's own it is not known. Texts are another matter: they are made, unless prompts of real use were sent.",
                "来源针对请求的形态，即其长度以及是否出现。真实：实测自真实业务日志；合成：由程序生成或为测试编写；假定：仅凭提出者的判断；用户自备的文件无从得知。文本内容另当别论：除使用真实提示词外，均为合成文本。",
            )
            .into(),
        ));
    }
    let lengths = lengths(m, l);
    if !lengths.rows.is_empty() {
        blocks.push(Block::Table(lengths));
        blocks.push(Block::Note(
            l.say(
                "Asked: what a sample was made to have, or what output was asked for. Received: what the service counted, over answers that came to their end. The ratio is received over asked, request by request; 1.00 is as asked.",
                "要求：样本设定的输入长度或请求的输出长度。实收：服务端计数，仅统计自然结束的响应。比值为逐请求的“实收 / 要求”，1.00 即完全一致。",
            )
            .into(),
        ));
    }
    blocks
}

fn facts(set: &SetFacts, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: Line| Pair { name: name.to_owned(), value };
    let source = &set.source;
    let made = match set.synthesis {
        Some(version) => l.say(
            format!("{}, seed {}, synthesis version {version}", set.made_by, set.seed),
            format!("{}，种子 {}，文本合成第 {version} 版", set.made_by, set.seed),
        ),
        None => l.say(
            format!("{}, seed {}", set.made_by, set.seed),
            format!("{}，种子 {}", set.made_by, set.seed),
        ),
    };
    let mut pairs = vec![
        pair(l.say("Sample set", "样本集"), Line::from(&set.name)),
        pair(l.say("Digest (SHA-256)", "样本摘要（SHA-256）"), Line::new().code(&set.samples_sha256)),
        pair(l.say("Made by", "生成"), made.into()),
        pair(
            l.say("Drawn from", "抽样依据"),
            Line::from(drawn_from(set, l))
                .plain(l.say("; SHA-256 of the profile ", "；画像 SHA-256 "))
                .code(&source.profile_sha256),
        ),
        pair(l.say("Period of the log", "日志时段"), period(set, l).into()),
        pair(l.say("Text lengths", "文本定长"), sizing(set, l).into()),
        pair(l.say("Openings", "请求开头"), openings(set.openings, l).into()),
    ];
    if let Some(day) = &set.retain_until {
        let why = match set.source.drawn_from {
            DrawnFrom::Text => l.say(", since it holds somebody's own words", "（含真实用户原文，到期删除）"),
            DrawnFrom::Profile | DrawnFrom::Rows => "",
        };
        pairs.push(pair(l.say("To be deleted by", "保存期限"), Line::new().strong(day).plain(why)));
    }
    pairs
}

fn drawn_from(set: &SetFacts, l: Language) -> String {
    let profile = &set.source.profile;
    match set.source.drawn_from {
        DrawnFrom::Profile => l.say(
            format!("distributions of the profile {profile}"),
            format!("流量画像“{profile}”的分布"),
        ),
        DrawnFrom::Rows => l.say(
            format!("rows of the log behind the profile {profile}, with their arrivals and conversations; texts are made"),
            format!("流量画像“{profile}”所依据日志的记录，保留到达时刻与会话；文本为合成"),
        ),
        DrawnFrom::Text => l.say(
            format!("rows of the log behind the profile {profile}, with the words of whoever wrote them"),
            format!("流量画像“{profile}”所依据日志的记录，含使用者原文"),
        ),
    }
}

fn period(set: &SetFacts, l: Language) -> String {
    let source = &set.source;
    match (&source.from, &source.until) {
        (Some(from), Some(until)) => {
            let (from, until) = (number::instant(from), number::instant(until));
            let rows = number::grouped(source.rows);
            l.say(format!("{from} to {until}, {rows} rows"), format!("{from} 至 {until}，共 {rows} 条记录"))
        }
        _ => l.say("no log was read", "未读取任何日志").to_owned(),
    }
}

fn sizing(set: &SetFacts, l: Language) -> String {
    let sizing = &set.sizing;
    let counter = sizing.counter.as_deref().unwrap_or_default();
    let by = match sizing.by {
        SizedBy::Nothing => return l.say("nothing was made to a length", "未按长度生成文本").to_owned(),
        SizedBy::Estimate => {
            l.say("estimated by characters, not counted", "按字符数估算，未经分词器计数").to_owned()
        }
        SizedBy::Tokenizer => {
            l.say(format!("counted by the tokenizer {counter}"), format!("由分词器 {counter} 计数"))
        }
        SizedBy::Service => l.say(
            format!("counted by the service's own tokenizer ({counter})"),
            format!("由服务自身的分词接口计数（{counter}）"),
        ),
        SizedBy::Usage => l.say(
            format!("calibrated against the usage that the service reported ({counter})"),
            format!("按服务返回的 usage 校准（{counter}）"),
        ),
    };
    let error = match sizing.worst_error {
        Some(error) => l.say(
            format!("; largest error {} in {}", plural(error, "token"), plural(sizing.counted, "text")),
            format!("；复核 {} 条文本，最大误差 {error} 个 Token", sizing.counted),
        ),
        None => l.say("; no text was counted afterwards", "；生成后未复核").to_owned(),
    };
    let added = match sizing.added_tokens {
        0 => String::new(),
        added => l.say(
            format!("; {} that the service adds to every request are counted in", plural(added, "token")),
            format!("；已计入服务为每个请求附加的 {added} 个 Token"),
        ),
    };
    format!("{by}{error}{added}")
}

fn openings(openings: Openings, l: Language) -> &'static str {
    match openings {
        Openings::Unique => l.say(
            "unique: no request shares a prefix with another but the turns of one conversation",
            "唯一：除同一会话的各轮外，请求之间没有公共前缀",
        ),
        Openings::Shared => l.say(
            "shared as in the log within one round through the set; never between rounds, tiers or runs",
            "同一轮样本内按日志共享前缀；不同轮、不同档位、不同测试之间从不共享",
        ),
    }
}

fn groups(set: &SetFacts, l: Language) -> Table {
    let row = |group: &SetGroup| {
        let origin = words::of_profile(group.origin);
        let words_of = |text: &Option<String>| text.clone().unwrap_or_else(|| number::ABSENT.to_owned());
        let name = Cell::from(group.name.as_str());
        // No rule finds the rows of a group that somebody assumed.
        let name = if origin == Origin::Assumed { name } else { name.below(&group.rule) };
        Row::of([
            name,
            Line::new().mark(words::origin_tone(origin), words::origin(l, origin)).into(),
            number::percent(Some(group.share)).into(),
            number::grouped(group.samples).into(),
            words_of(&group.by).into(),
            words_of(&group.basis).into(),
        ])
    };
    Table {
        caption: l.say("Groups of the sample set", "样本集分组").to_owned(),
        columns: vec![
            Column::left(l.say("Group", "分组")),
            Column::left(l.say("Origin", "来源")),
            Column::right(l.say("Share", "占比")),
            Column::right(l.say("Samples", "样本数")),
            Column::left(l.say("Assumed by", "提出者")),
            Column::left(l.say("Why", "理由")),
        ],
        rows: set.groups.iter().map(row).collect(),
    }
}

fn by_origin(origins: &[OriginFigures], planned: u64, l: Language) -> Table {
    let row = |counts: &OriginFigures| {
        let share = (planned > 0).then(|| counts.planned as f64 / planned as f64);
        Row::of([
            Cell::from(Line::new().mark(words::origin_tone(counts.origin), words::origin(l, counts.origin))),
            number::grouped(counts.planned).into(),
            number::percent(share).into(),
            number::grouped(counts.finished).into(),
            number::grouped(counts.effective).into(),
        ])
    };
    Table {
        caption: l.say("Requests by origin", "按来源统计的请求").to_owned(),
        columns: vec![
            Column::left(l.say("Origin", "来源")),
            Column::right(l.say("Planned", "计划")),
            Column::right(l.say("Share", "占比")),
            Column::right(l.say("Finished", "完成")),
            Column::right(l.say("Effective", "有效")),
        ],
        rows: origins.iter().map(row).collect(),
    }
}

/// Asked against received, group by group: an average over groups would hide one that was missed.
fn lengths(m: &Material, l: Language) -> Table {
    let rows = m.summary.groups.iter().flat_map(|group| {
        let of =
            |kind: &str, found: Option<&AskedAndReceived>| found.map(|f| length_row(&group.name, kind, f));
        let found: Option<&LengthFigures> = group.figures.lengths.as_ref();
        let input = of(l.say("input", "输入"), found.and_then(|found| found.input.as_ref()));
        let output = of(l.say("output", "输出"), found.and_then(|found| found.output.as_ref()));
        input.into_iter().chain(output)
    });
    Table {
        caption: l.say("Lengths, asked and received", "长度：要求与实收").to_owned(),
        columns: vec![
            Column::left(l.say("Group", "分组")),
            Column::left(l.say("Length", "长度")),
            Column::right("n"),
            Column::right(l.say("Asked", "要求")).in_unit("tok"),
            Column::right(l.say("Received", "实收")).in_unit("tok"),
            Column::right(l.say("Ratio P50", "比值 P50")),
            Column::right("P5"),
            Column::right("P95"),
            Column::right(l.say("Min", "最小")),
            Column::right(l.say("Max", "最大")),
        ],
        rows: rows.collect(),
    }
}

fn length_row(group: &str, kind: &str, found: &AskedAndReceived) -> Row {
    let ratio = |value: f64| Cell::from(number::ratio(Some(value)));
    Row::of([
        Cell::from(group),
        kind.into(),
        found.n.to_string().into(),
        number::grouped(found.asked).into(),
        number::grouped(found.received).into(),
        ratio(found.ratio.p50),
        ratio(found.ratio.p5),
        ratio(found.ratio.p95),
        ratio(found.ratio.min),
        ratio(found.ratio.max),
    ])
}

/// Who assumed which groups, and why.
pub(crate) fn assumptions(set: &SetFacts, l: Language) -> Vec<Line> {
    let assumed = set.groups.iter().filter(|group| words::of_profile(group.origin) == Origin::Assumed);
    let line = |group: &SetGroup| {
        let by = group.by.as_deref().unwrap_or(l.say("nobody named", "未署名"));
        let why = group.basis.as_deref().unwrap_or(l.say("no reason given", "未说明理由"));
        Line::new()
            .strong(&group.name)
            .plain(l.say(format!(": assumed by {by} – {why}"), format!("：提出者 {by}；理由：{why}")))
    };
    assumed.map(line).collect()
}
