//! Profiles of traffic that never was. Requests are made by arithmetic alone; figures are those that the requests give.

use std::collections::BTreeMap;

use metrics_core::{Percent, Seconds, percentile};
use workload_model::{
    profile::{
        Arrivals, Assumption, Cell, Deidentification, Dispersion, Lengths, Origin, PROFILE_FORMAT, Peak,
        Period, Profile, ProfileGroup, Quantiles, Rate, Segment, Sessions, Source, Streaming, Terms, Ties,
        Way,
    },
    traffic::Call,
};

use crate::{Project, WorkloadFacts};

use super::DIGEST;

/// 2026-11-20, 06:00 in China.
const MORNING: i64 = 1_795_125_600;
const HOUR: i64 = 3_600;

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

/// Three groups over a day and a half in two segments, with conversations, and terms for two of the groups.
pub fn full() -> Profile {
    let mut made = Made::new(vec![(MORNING, 20 * HOUR), (MORNING + 18 * HOUR, 16 * HOUR)]);
    let qa = made.group(
        9_000,
        |hour| [1, 1, 1, 1, 1, 2, 4, 9, 22, 26, 20, 12][usize::from(hour / 2)],
        (64, 4),
        (32, 4),
    );
    let reports = made.group(2_600, |hour| if (9..18).contains(&hour) { 12 } else { 1 }, (900, 4), (500, 2));
    let batch = made.group(1_700, |hour| if !(2..22).contains(&hour) { 30 } else { 0 }, (2_000, 3), (8, 3));
    let mut p = made.profile("政务问答平台 11 月工作日", Origin::Real);
    p.source.description = "市政务问答平台网关日志（new-api），2026 年 11 月两个工作日".to_owned();
    p.source.traffic_share = Some(0.85);
    p.source.log_format = "new-api".to_owned();
    p.source.period.window = Some("2026-11-20T06:00+08:00..2026-11-21T18:00+08:00".to_owned());
    p.source.arrivals_from = BTreeMap::from([("created_at - use_time".to_owned(), p.source.kept)]);
    p.source.notes =
        counts(&[("output_cut", 412), ("zero_is_unknown", 180), ("cache_hit", 96), ("stream_inferred", 35)]);
    drop_rows(&mut p, &[("no_request", 620), ("outside_window", 233), ("bad_json", 4), ("bad_number", 2)]);
    p.deidentification = Deidentification {
        key_kept: false,
        token_bin: 1,
        time_bin_s: Seconds::new(0.0),
        least_rows: 5,
        labels_merged: 3,
        rows_merged: 7,
    };
    p.not_covered = vec![
        "春节与高考出分日等高峰".to_owned(),
        "微信小程序渠道（12 月上线）".to_owned(),
        "经专线接入的公安业务".to_owned(),
    ];
    p.assumptions = vec![Assumption {
        what: "小程序渠道上线后，online-qa 的到达速率按 1.3 倍计".to_owned(),
        by: "王工（业务运营科）".to_owned(),
        basis: "2025 年同类渠道上线后的增幅".to_owned(),
    }];
    let sessions = Sessions {
        rows: 8_100,
        sessions: 3_000,
        turns: BTreeMap::from([(1, 1_260), (2, 840), (3, 390), (4, 210), (5, 120), (8, 180)]),
        think_time_s: Some(quantiles((0..5_100).map(|at| f64::from(at % 1_700) * 0.09 + 1.5).collect())),
        between_s: Some(quantiles((0..5_100).map(|at| f64::from(at % 1_700) * 0.1 + 6.0).collect())),
        overlapping: 14,
    };
    for (at, name, rule) in [
        (qa, "online-qa", "label = label-3f2a91c07be4d518, stream = true"),
        (reports, "report-generation", "label = label-9d40e2, output_tokens = 500.."),
        (batch, "nightly-batch", "caller = caller-77c1*, stream = false"),
    ] {
        (p.groups[at].name, p.groups[at].rule) = (name.to_owned(), rule.to_owned());
    }
    let streamed = |rows: u64| Streaming { yes: rows - rows / 40, no: rows / 40, unknown: 0 };
    let group = &mut p.groups[qa];
    group.sessions = sessions;
    group.streaming = streamed(group.rows);
    group.ends = counts(&[("ok", 8_730), ("client_gone", 180), ("error", 60), ("timeout", 30)]);
    cut(&mut group.lengths, 180);
    group.ttft_s = Some(quantiles((0..900).map(|at| 0.21 + f64::from(at) * 0.002).collect()));
    group.duration_s = Some(quantiles((0..900).map(|at| 1.2 + f64::from(at) * 0.03).collect()));
    group.terms = Terms {
        priority: Some(1),
        ttft_limit_s: Some(2.0),
        deadline_s: Some(60.0),
        failing: Some(Way::Queue),
        by: Some("王工（业务运营科）".to_owned()),
        basis: Some("《窗口服务规范》第 7 条：群众等待不超过 2 秒".to_owned()),
    };
    let group = &mut p.groups[reports];
    group.streaming = streamed(group.rows);
    cut(&mut group.lengths, 232);
    group.terms = Terms {
        priority: Some(2),
        deadline_s: Some(300.0),
        failing: Some(Way::Retry),
        by: Some("李处（办公室）".to_owned()),
        ..Terms::default()
    };
    let group = &mut p.groups[batch];
    group.streaming = Streaming { yes: 0, no: group.rows, unknown: 0 };
    p
}

/// An access log: when, how long and how it ended, and not one token.
pub fn nginx() -> Profile {
    let mut made = Made::new(vec![(MORNING, 24 * HOUR)]);
    made.group(4_200, |hour| if (8..20).contains(&hour) { 9 } else { 2 }, (64, 4), (32, 4));
    let mut p = made.profile("nginx 访问日志，一天", Origin::Real);
    p.source.log_format = "nginx-json".to_owned();
    p.source.arrivals_from = BTreeMap::from([("msec - request_time".to_owned(), p.source.kept)]);
    drop_rows(&mut p, &[("other_path", 18_204), ("bad_encoding", 61), ("no_time", 3), ("bad_json", 402)]);
    let group = &mut p.groups[0];
    (group.name, group.rule) = ("all".to_owned(), "path = /v1/chat/completions".to_owned());
    group.lengths = Lengths { neither: group.rows, bins_per_octave: 16, ..Lengths::default() };
    group.ends = counts(&[("ok", 4_100), ("rejected", 71), ("client_gone", 29)]);
    group.duration_s = Some(quantiles((0..900).map(|at| 0.4 + f64::from(at) * 0.04).collect()));
    p
}

/// A public trace: relative time in ticks of three seconds, and block ids that are not kept.
pub fn mooncake_like() -> Profile {
    let mut made = Made::new(vec![(0, 3_540)]);
    made.group(2_300, |_| 5, (700, 7), (12, 6));
    made.arrivals.iter_mut().for_each(|request| request.at -= request.at % 3);
    let mut p = made.profile("mooncake-conversation", Origin::Real);
    p.source.relative_time = true;
    p.source.description = "Public trace of a chat assistant, first hour".to_owned();
    p.source.log_format = "mooncake".to_owned();
    p.source.period.zone = "+00:00".to_owned();
    p.source.arrivals_from = BTreeMap::from([("timestamp".to_owned(), p.source.kept)]);
    p.groups[0].name = "chat".to_owned();
    p.groups[0].rule = "call = chat".to_owned();
    p.deidentification.time_bin_s = Seconds::new(60.0);
    p.deidentification.token_bin = 64;
    for arrivals in [&mut p.arrivals, &mut p.groups[0].arrivals] {
        arrivals.gap_cv = None;
        arrivals.by_hour = Vec::new();
        arrivals.ties = Ties { instants: 1_180, most: 9, tick_s: Some(Seconds::new(3.0)), too_coarse: true };
    }
    p
}

/// No log at all: shares, lengths and terms by somebody's word.
pub fn assumed_only() -> Profile {
    let mut p = Made::new(Vec::new()).profile("New assistant, first quarter", Origin::Assumed);
    let group = |name: &str, share: f64, input: f64, output: f64, terms: Terms| ProfileGroup {
        name: name.to_owned(),
        rule: String::new(),
        origin: Origin::Assumed,
        rows: 0,
        share,
        calls: BTreeMap::new(),
        streaming: Streaming::default(),
        ends: BTreeMap::new(),
        lengths: Lengths {
            input: Some(quantiles(vec![input / 2.0, input, input * 4.0])),
            output: Some(quantiles(vec![output / 2.0, output, output * 4.0])),
            bins_per_octave: 16,
            ..Lengths::default()
        },
        arrivals: Arrivals::default(),
        sessions: Sessions::default(),
        ttft_s: None,
        duration_s: None,
        terms,
    };
    let terms = Terms {
        priority: Some(1),
        ttft_limit_s: Some(1.5),
        deadline_s: Some(30.0),
        failing: Some(Way::Degrade),
        by: Some("Head of service desk".to_owned()),
        basis: Some("Interviews with eight agents".to_owned()),
    };
    p.groups = vec![
        group("questions", 0.8, 900.0, 240.0, terms),
        group(
            "summaries",
            0.2,
            6_000.0,
            700.0,
            Terms {
                failing: Some(Way::Never),
                by: Some("Head of service desk".to_owned()),
                ..Terms::default()
            },
        ),
    ];
    p.assumptions = vec![
        Assumption {
            what: "Twelve thousand requests on a working day, two in three of them between 9 and 17"
                .to_owned(),
            by: "Head of service desk".to_owned(),
            basis: "Tickets of 2025".to_owned(),
        },
        Assumption {
            what: "Lengths as in the pilot".to_owned(),
            by: "Pilot team".to_owned(),
            basis: String::new(),
        },
    ];
    p
}

/// A single request.
pub fn one_row() -> Profile {
    let mut made = Made::new(vec![(MORNING, 0)]);
    made.group(1, |_| 1, (1_024, 0), (1, 0));
    made.profile("one", Origin::Synthetic)
}

/// Whatever is long, many or hostile at once: a thousand million rows, 60 groups, 30 segments, names that few fonts have.
pub fn crowd() -> Profile {
    const HOSTILE: &str = "<script>alert(1)</script> | `tick` **bold**\n# heading \u{202E}$x$ &amp; \"q\"";
    let segments: Vec<(i64, i64)> = (0..30).map(|at| (MORNING + at * 600, 1_800 + at * 120)).collect();
    let mut made = Made::new(segments);
    for at in 0..60 {
        made.group(40 + 8 * (60 - at), |_| 1, (1, 12), (0, 9));
    }
    let mut p = made.profile(HOSTILE, Origin::Synthetic);
    p.source.description = format!("{HOSTILE} {}", "某某大模型推理网关的访问日志；".repeat(20));
    p.source.log_format = HOSTILE.to_owned();
    p.source.period.window = Some(HOSTILE.to_owned());
    p.source.arrivals_from = BTreeMap::from([(HOSTILE.to_owned(), 3)]);
    p.source.files_sha256 = vec![DIGEST.to_owned(); 40];
    p.source.notes = counts(&[("partial_export", 1_000_000_000), ("vendor_<b>", 3)]);
    drop_rows(
        &mut p,
        &[
            ("vendor_<script>", 999_999_999),
            ("bad_row", u64::from(u32::MAX)),
            ("too_long", 1),
            ("field_count", 12),
        ],
    );
    p.not_covered = vec![HOSTILE.to_owned(); 12];
    p.assumptions =
        vec![Assumption { what: HOSTILE.to_owned(), by: HOSTILE.to_owned(), basis: HOSTILE.to_owned() }; 3];
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
    let huge = 1_000_000_000;
    p.source.kept += huge;
    p.source.rows_read += huge;
    let first = &mut p.groups[0];
    first.rows += huge;
    first.lengths.both += huge;
    if let Some(cell) = first.lengths.cells.first_mut() {
        cell.2 += huge;
    }
    p
}

fn counts(words: &[(&str, u64)]) -> BTreeMap<String, u64> {
    words.iter().map(|(word, count)| ((*word).to_owned(), *count)).collect()
}

fn drop_rows(p: &mut Profile, dropped: &[(&str, u64)]) {
    p.source.dropped = counts(dropped);
    p.source.rows_read = p.source.kept + p.source.dropped.values().sum::<u64>();
}

/// Some of the outputs did not come to their own end.
fn cut(lengths: &mut Lengths, rows: u64) {
    let mut left = rows;
    for cell in &mut lengths.cells {
        let taken = left.min(cell.2 / 2);
        (cell.2, left) = (cell.2 - taken, left - taken);
        if taken > 0 {
            lengths.cut_cells.push(Cell(cell.0, cell.1, taken));
        }
    }
    (lengths.both, lengths.cut) = (lengths.both - (rows - left), rows - left);
}

/// One request.
#[derive(Clone, Copy)]
struct Request {
    group: usize,
    segment: usize,
    at: i64,
    input: u32,
    output: u32,
}

/// Requests in the making.
struct Made {
    /// Beginning and length of each segment, in seconds.
    segments: Vec<(i64, i64)>,
    groups: usize,
    arrivals: Vec<Request>,
    state: u64,
}

impl Made {
    fn new(segments: Vec<(i64, i64)>) -> Self {
        Self { segments, groups: 0, arrivals: Vec::new(), state: 7 }
    }

    /// The next number of a linear congruential sequence.
    fn next(&mut self, below: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % below.max(1)
    }

    /// A length of so many tokens, doubled by so many throws of a coin.
    fn length(&mut self, base: u32, doublings: u32) -> u32 {
        let doubled = (0..doublings).map(|_| self.next(2) as u32).sum::<u32>();
        let part = self.next(1_000) as u32;
        (base << doubled) + (u64::from(base << doubled) * u64::from(part) / 1_000) as u32
    }

    /// Adds requests of a group by the weights of the hours in China, in bursts of a few.
    fn group(
        &mut self,
        rows: u64,
        weight: impl Fn(u8) -> u64,
        input: (u32, u32),
        output: (u32, u32),
    ) -> usize {
        let group = self.groups;
        self.groups += 1;
        let hour_of = |at: i64| u8::try_from((at + 8 * HOUR).rem_euclid(86_400) / HOUR).unwrap_or(0);
        let all: i64 = self.segments.iter().map(|(_, length)| length.max(&1)).sum();
        let mut left = rows;
        while left > 0 {
            let mut place = self.next(all as u64) as i64;
            let mut segment = 0;
            while place > self.segments[segment].1 {
                place -= self.segments[segment].1.max(1);
                segment += 1;
            }
            let at = self.segments[segment].0 + place;
            if self.next(30) >= weight(hour_of(at)).max(u64::from(all < 86_400) * 30) {
                continue;
            }
            for _ in 0..(1 + self.next(3)).min(left) {
                let latest = self.segments[segment].0 + self.segments[segment].1;
                let at = (at + self.next(5) as i64).min(latest);
                let input = self.length(input.0, input.1);
                // Longer inputs have somewhat longer outputs.
                let output = self.length(output.0, output.1) + input / 20;
                self.arrivals.push(Request { group, segment, at, input, output });
                left -= 1;
            }
        }
        group
    }

    fn profile(mut self, name: &str, origin: Origin) -> Profile {
        self.arrivals.sort_by_key(|request| (request.segment, request.at));
        let kept = self.arrivals.len() as u64;
        let segments: Vec<Segment> = self
            .segments
            .iter()
            .enumerate()
            .map(|(at, (from, length))| Segment {
                from: instant(*from),
                duration_s: Seconds::new(*length as f64),
                rows: self.arrivals.iter().filter(|request| request.segment == at).count() as u64,
            })
            .collect();
        let from = self.segments.iter().map(|(from, _)| *from).min();
        let until = self.segments.iter().map(|(from, length)| from + length).max();
        let groups = (0..self.groups)
            .map(|at| {
                let of: Vec<Request> =
                    self.arrivals.iter().filter(|request| request.group == at).copied().collect();
                ProfileGroup {
                    name: format!("group-{at}"),
                    rule: String::new(),
                    origin,
                    rows: of.len() as u64,
                    share: of.len() as f64 / kept as f64,
                    calls: BTreeMap::from([(Call::Chat, of.len() as u64)]),
                    streaming: Streaming { unknown: of.len() as u64, ..Streaming::default() },
                    ends: counts(&[("ok", of.len() as u64)]),
                    lengths: lengths(&of),
                    arrivals: self.arrivals_of(&of),
                    sessions: Sessions::default(),
                    ttft_s: None,
                    duration_s: None,
                    terms: Terms::default(),
                }
            })
            .collect();
        Profile {
            format: PROFILE_FORMAT,
            made_by: "acceptbench 0.1.0".to_owned(),
            name: name.to_owned(),
            source: Source {
                origin,
                description: String::new(),
                traffic_share: None,
                log_format: "jsonl".to_owned(),
                files_sha256: if kept > 0 { vec![DIGEST.to_owned()] } else { Vec::new() },
                period: Period {
                    from: from.map_or_else(String::new, instant),
                    until: until.map_or_else(String::new, instant),
                    window: None,
                    zone: "+08:00".to_owned(),
                },
                rows_read: kept,
                kept,
                dropped: BTreeMap::new(),
                notes: BTreeMap::new(),
                arrivals_from: BTreeMap::new(),
                relative_time: false,
                segments,
            },
            deidentification: Deidentification {
                key_kept: true,
                token_bin: 1,
                time_bin_s: Seconds::new(0.0),
                least_rows: 5,
                labels_merged: 0,
                rows_merged: 0,
            },
            groups,
            arrivals: self.arrivals_of(&self.arrivals),
            not_covered: Vec::new(),
            assumptions: Vec::new(),
        }
    }

    fn arrivals_of(&self, requests: &[Request]) -> Arrivals {
        let length: i64 = self.segments.iter().map(|(_, length)| length).sum();
        if length == 0 {
            return Arrivals::default();
        }
        let bin = if length > 4 * HOUR { 300 } else { 30 };
        let rates = self.segments.iter().enumerate().map(|(segment, (from, length))| {
            let mut counts = vec![0; usize::try_from(length / bin + 1).unwrap_or(1)];
            for request in requests.iter().filter(|request| request.segment == segment) {
                counts[usize::try_from((request.at - from) / bin).unwrap_or(0)] += 1;
            }
            Rate { bin_s: Seconds::new(bin as f64), from_s: Seconds::new(0.0), counts }
        });
        let mut by_hour = vec![(0, 0); 24];
        for (from, length) in &self.segments {
            for hour in (from / HOUR)..=((from + length - 1) / HOUR) {
                by_hour[((hour + 8) % 24) as usize].1 += 1;
            }
        }
        for request in requests {
            by_hour[((request.at / HOUR + 8) % 24) as usize].0 += 1;
        }
        Arrivals {
            mean_rate: Some(requests.len() as f64 / length as f64),
            rates: rates.collect(),
            by_hour,
            peaks: [1, 10, 60, 600].into_iter().filter_map(|window| peak(requests, window)).collect(),
            gap_cv: Some(1.62),
            dispersion: [(1.0, 1.3), (10.0, 2.1), (60.0, 4.85), (600.0, 19.4)]
                .map(|(window, index)| Dispersion {
                    window_s: Seconds::new(window),
                    windows: (length as f64 / window) as u64,
                    index,
                })
                .to_vec(),
            ties: Ties::default(),
        }
    }
}

fn instant(at: i64) -> String {
    jiff::Timestamp::from_second(at).map_or_else(|_| String::new(), |at| at.to_string())
}

fn peak(requests: &[Request], window: i64) -> Option<Peak> {
    let most = (0..requests.len()).map(|first| {
        let within = requests[first..].iter().take_while(|other| {
            other.segment == requests[first].segment && other.at < requests[first].at + window
        });
        (within.count() as u64, std::cmp::Reverse(first))
    });
    let (count, first) = most.max()?;
    Some(Peak {
        window_s: Seconds::new(window as f64),
        requests: count,
        rate: count as f64 / window as f64,
        from: instant(requests[first.0].at),
        lasted_s: Seconds::new(window as f64 * 1.4),
    })
}

fn lengths(requests: &[Request]) -> Lengths {
    let mut cells: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for request in requests {
        *cells.entry((lowest(request.input), lowest(request.output))).or_default() += 1;
    }
    Lengths {
        both: requests.len() as u64,
        input: Some(quantiles(requests.iter().map(|request| f64::from(request.input)).collect())),
        output: Some(quantiles(requests.iter().map(|request| f64::from(request.output)).collect())),
        rank_correlation: (requests.len() >= 10).then_some(0.41),
        bins_per_octave: 16,
        cells: cells.into_iter().map(|((input, output), rows)| Cell(input, output, rows)).collect(),
        ..Lengths::default()
    }
}

/// The lowest length of a bin: exact up to 32 tokens, then 16 bins an octave.
fn lowest(length: u32) -> u32 {
    let shift = length.max(1).ilog2().saturating_sub(4);
    length >> shift << shift
}

fn quantiles(mut values: Vec<f64>) -> Quantiles {
    values.sort_by(f64::total_cmp);
    let at = |percent| percentile(&values, percent).unwrap_or(0.0);
    Quantiles {
        n: values.len() as u64,
        mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
        min: values.first().copied().unwrap_or(0.0),
        p50: at(Percent::P50),
        p90: at(Percent::P90),
        p95: at(Percent::P95),
        p99: at(Percent::P99),
        max: values.last().copied().unwrap_or(0.0),
    }
}
