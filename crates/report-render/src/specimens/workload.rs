//! Profiles of traffic that never was.

use std::collections::BTreeMap;

use workload_model::{
    profile::{Assumption, Card, Profile, Terms, Way, assume},
    traffic::{Dropped, Note},
};

use crate::{Project, WorkloadFacts};

use super::{
    DIGEST,
    traffic::{HOUR, Kind, Log, Made},
};

/// 2026-11-20, 06:00 in China.
const MORNING: i64 = 1_795_125_600;

const GATEWAY: Log = Log {
    format: "new-api",
    stamp: "created_at - use_time",
    tick: 0,
    relative: false,
    tokens: true,
    durations: true,
};

/// What an operator wrote about a service of a city.
const FULL_CARD: &str = r#"
[profile]
name = "政务问答平台 11 月工作日"
description = "市政务问答平台网关日志（new-api），2026 年 11 月两个工作日"
origin = "real"
traffic_share = 0.85
not_covered = ["春节与高考出分日等高峰", "微信小程序渠道（12 月上线）", "经专线接入的公安业务"]

[[group]]
name = "online-qa"
match = { label = "qa" }
priority = 1
ttft_limit_s = 2.0
deadline_s = 60.0
failing = "queue"
by = "王工（业务运营科）"
basis = "《窗口服务规范》第 7 条：群众等待不超过 2 秒"

[[group]]
name = "report-generation"
match = { label = "report" }
priority = 2
deadline_s = 300.0
failing = "retry"
by = "李处（办公室）"

[[group]]
name = "nightly-batch"
match = { label = "batch" }

[[assumed]]
name = "contract-review"
covers = "long_inputs"
share = 0.05
input_tokens = { min = 20000, typical = 40000, max = 100000 }
output_tokens = { min = 200, typical = 800, max = 2000 }
arrival = { process = "bursts", times = 5.0, share = 0.1, mean_s = 30.0 }
by = "李工（法务信息化）"
basis = "明年一月起审阅合同全文，日志中没有 8000 Token 以上的输入"
deadline_s = 120

[[assumption]]
what = "小程序渠道上线后，online-qa 的到达速率按 1.3 倍计"
by = "王工（业务运营科）"
basis = "2025 年同类渠道上线后的增幅"
"#;

/// Names and the digest that go with every specimen.
pub fn workload_facts() -> WorkloadFacts {
    WorkloadFacts {
        project: Project {
            name: Some("某市政务智能问答平台".to_owned()),
            customer: Some("某市政务数据中心".to_owned()),
            supplier: Some("某云科技有限公司".to_owned()),
            contract: Some("HT-2026-0417".to_owned()),
            ..Project::default()
        },
        profile_sha256: DIGEST.to_owned(),
    }
}

/// Every specimen by name.
pub fn profiles() -> Vec<(&'static str, Profile)> {
    vec![
        ("full", full()),
        ("nginx", nginx()),
        ("mooncake-like", mooncake_like()),
        ("assumed-only", assumed_only()),
        ("one-row", one_row()),
        ("crowd", crowd()),
    ]
}

fn all_day(_: i64) -> u64 {
    30
}

fn office_hours(hour: i64) -> u64 {
    if (9..18).contains(&hour) { 12 } else { 1 }
}

/// Three groups over a day and a half in two segments, with conversations, and terms for two of the groups.
pub fn full() -> Profile {
    let mut made = Made::new(vec![(MORNING, 20 * HOUR), (MORNING + 18 * HOUR, 16 * HOUR)]);
    let by_day = |hour: i64| {
        [1, 1, 1, 1, 1, 2, 4, 9, 22, 26, 20, 12, 24, 25, 22, 18, 9, 6, 5, 5, 4, 3, 2, 1]
            [hour.unsigned_abs() as usize % 24]
    };
    let at_night = |hour: i64| if (2..22).contains(&hour) { 0 } else { 30 };
    made.add(Kind {
        label: "qa",
        rows: 9_000,
        weight: by_day,
        input: (64, 4),
        output: (32, 4),
        stream: Some(true),
        talks: true,
    });
    made.add(Kind {
        label: "report",
        rows: 2_600,
        weight: office_hours,
        input: (900, 4),
        output: (500, 2),
        stream: Some(true),
        talks: false,
    });
    made.add(Kind {
        label: "batch",
        rows: 1_700,
        weight: at_night,
        input: (2_000, 3),
        output: (8, 3),
        stream: Some(false),
        talks: false,
    });
    let mut p = made.profile(GATEWAY, FULL_CARD, |traffic| {
        traffic.notes.extend([(Note::OutputCut, 412), (Note::ZeroIsUnknown, 180), (Note::CacheHit, 96)]);
        traffic.dropped.extend([
            (Dropped::NoRequest, 620),
            (Dropped::OutsideWindow, 233),
            (Dropped::BadJson, 4),
            (Dropped::BadNumber, 2),
        ]);
    });
    p.source.period.window = Some("2026-11-20T06:00+08:00..2026-11-21T18:00+08:00".to_owned());
    (p.deidentification.labels_merged, p.deidentification.rows_merged) = (3, 7);
    p
}

/// An access log: when, how long and how it ended, and not one token.
pub fn nginx() -> Profile {
    let mut made = Made::new(vec![(MORNING, 24 * HOUR)]);
    made.add(Kind {
        label: "all",
        rows: 4_200,
        weight: office_hours,
        input: (64, 4),
        output: (32, 4),
        stream: None,
        talks: false,
    });
    let log = Log { format: "nginx-json", stamp: "msec - request_time", tokens: false, ..GATEWAY };
    made.profile(log, "[profile]\nname = \"nginx 访问日志，一天\"\n", |traffic| {
        traffic.dropped.extend([
            (Dropped::OtherPath, 18_204),
            (Dropped::BadJson, 402),
            (Dropped::BadEncoding, 61),
            (Dropped::NoTime, 3),
        ]);
    })
}

/// A public trace: relative time in ticks of three seconds, and neither durations nor conversations.
pub fn mooncake_like() -> Profile {
    let mut made = Made::new(vec![(0, 3_540)]);
    made.add(Kind {
        label: "chat",
        rows: 2_300,
        weight: all_day,
        input: (700, 7),
        output: (12, 6),
        stream: None,
        talks: false,
    });
    let log =
        Log { format: "mooncake", stamp: "timestamp", tick: 3, relative: true, durations: false, ..GATEWAY };
    let card = "[profile]\nname = \"mooncake-conversation\"\ndescription = \"Public trace of a chat assistant, first hour\"\n";
    let mut p = made.profile(log, card, |_| {});
    p.deidentification.token_bin = 64;
    p
}

/// No log at all: two groups that somebody expects.
pub fn assumed_only() -> Profile {
    const CARD: &str = r#"
[profile]
name = "New assistant, first quarter"

[[assumed]]
name = "questions"
covers = "planned_traffic"
share = 0.8
input_tokens = { min = 100, typical = 900, max = 12000 }
output_tokens = { min = 20, typical = 240, max = 2000 }
priority = 1
ttft_limit_s = 2
deadline_s = 30
failing = "queue"
by = "Head of service desk"
basis = "Tickets of 2025, two in three of them between 9 and 17"

[[assumed]]
name = "summaries"
covers = "planned_traffic"
share = 0.2
input_tokens = { min = 2000, typical = 6000, max = 30000 }
by = "Pilot team"
basis = "Lengths as in the pilot"

[[assumption]]
what = "Twelve thousand requests on a working day"
by = "Head of service desk"
basis = "Tickets of 2025"
"#;
    let card = Card::parse(CARD).expect("a card");
    assume(&card, "assumed", "acceptbench 0.1.0").expect("a profile")
}

/// A single request of five rows.
pub fn one_row() -> Profile {
    let mut made = Made::new(vec![(MORNING, 0)]);
    made.add(Kind {
        label: "one",
        rows: 1,
        weight: all_day,
        input: (1_024, 0),
        output: (1, 0),
        stream: None,
        talks: false,
    });
    made.profile(GATEWAY, "[profile]\nname = \"one\"\norigin = \"synthetic\"\n", |traffic| {
        traffic.dropped.extend([(Dropped::OutsideWindow, 3), (Dropped::NoTime, 1)]);
    })
}

/// Whatever is long, many or hostile at once: a thousand million rows, 60 groups, 30 segments, names that few fonts have.
pub fn crowd() -> Profile {
    const HOSTILE: &str = "<script>alert(1)</script> | `tick` **bold**\n# heading \u{202E}$x$ &amp; \"q\"";
    const LABELS: [&str; 60] = [
        "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0", "b1", "b2", "b3", "b4", "b5", "b6",
        "b7", "b8", "b9", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "d0", "d1", "d2", "d3",
        "d4", "d5", "d6", "d7", "d8", "d9", "e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9", "f0",
        "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9",
    ];
    // Each segment begins an hour before the one before it ends.
    let mut made = Made::new((0..30).map(|at| (MORNING + at * 600, HOUR + 1_800 + at * 60)).collect());
    let mut card = "[profile]\nname = \"crowd\"\norigin = \"synthetic\"\n".to_owned();
    for (at, label) in (0..).zip(LABELS) {
        made.add(Kind {
            label,
            rows: 40 + 8 * (60 - at),
            weight: all_day,
            input: (1, 12),
            output: (0, 9),
            stream: None,
            talks: false,
        });
        card += &format!("[[group]]\nname = \"{label}\"\nmatch = {{ label = \"{label}\" }}\n");
    }
    let huge = 1_000_000_000;
    let mut p = made.profile(GATEWAY, &card, |traffic| {
        traffic.notes.insert(Note::PartialExport, huge);
        traffic.dropped.extend([
            (Dropped::Custom("vendor_<script>"), huge - 1),
            (Dropped::BadRow, u64::from(u32::MAX)),
            (Dropped::FieldCount, 12),
            (Dropped::TooLong, 1),
        ]);
    });
    p.name = HOSTILE.to_owned();
    p.source.description = format!("{HOSTILE} {}", "某某大模型推理网关的访问日志；".repeat(20));
    p.source.log_format = HOSTILE.to_owned();
    p.source.period.window = Some(HOSTILE.to_owned());
    p.source.arrivals_from = BTreeMap::from([(HOSTILE.to_owned(), 3)]);
    p.source.files_sha256 = vec![DIGEST.to_owned(); 40];
    p.not_covered = vec![HOSTILE.to_owned(); 12];
    let assumption =
        Assumption { what: HOSTILE.to_owned(), by: HOSTILE.to_owned(), basis: HOSTILE.to_owned() };
    p.assumptions = vec![assumption; 3];
    for (at, group) in p.groups.iter_mut().enumerate() {
        group.name = match at % 4 {
            0 => format!("{at}-{}", "面向市民热线坐席的知识问答与工单草拟（高优先级）".repeat(3)),
            1 => format!("caller-{at:016x}"),
            2 => format!("{HOSTILE}{at}"),
            _ => format!("organisation/deepseek-r1-distill-qwen-32b-instruct-awq-int4-{at}"),
        };
        group.rule = format!("model = {}", group.name);
        group.terms = Terms {
            priority: Some(u32::MAX),
            ttft_limit_s: Some(0.123_456),
            deadline_s: Some(1e9),
            failing: Some(Way::Degrade),
            by: Some(HOSTILE.to_owned()),
            basis: Some(HOSTILE.to_owned()),
        };
    }
    p.source.kept += huge;
    p.source.rows_read += huge;
    let first = &mut p.groups[0];
    (first.rows, first.lengths.both) = (first.rows + huge, first.lengths.both + huge);
    if let Some(cell) = first.lengths.cells.first_mut() {
        cell.2 += huge;
    }
    p
}
