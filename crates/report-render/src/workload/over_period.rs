//! Drawings of arrivals: over the period, and over the hours of the day.

use workload_model::profile::{Arrivals, Peak, Profile, Rate, Segment};

use crate::{
    chart::{Chart, Columns, ColumnsPanel, MarkedSpan, Plot, Stretch},
    language::Language,
    number,
};

use super::{
    assumed,
    clock::{Clock, seconds},
    figures,
};

/// Most columns of a drawing.
const MOST_COLUMNS: f64 = 240.0;
/// Most groups that have a panel of their own.
const MOST_GROUPS: usize = 5;
/// Most named instants along the axis.
const MOST_TICKS: usize = 9;
/// Up to this peak a minute tells more than a second.
const SLOW: f64 = 0.2;

/// Arrivals over the whole period, segment by segment; `None` where there is no rate.
pub(super) fn chart(p: &Profile, l: Language) -> Option<Chart> {
    p.arrivals.mean_rate?;
    let raster = Raster::of(p)?;
    let all = raster.rates(&p.arrivals);
    let highest = all.iter().copied().fold(0.0, f64::max);
    let (unit, factor) = if highest < SLOW { ("req/min", 60.0) } else { ("req/s", 1.0) };
    let panel = |title: String, rates: Vec<f64>, marked: Option<MarkedSpan>| ColumnsPanel {
        title,
        unit,
        values: rates.into_iter().map(|rate| Some(rate * factor)).collect(),
        marked,
    };
    let clock = Clock::of(p);
    let marked = figures::headline(&p.arrivals).and_then(|peak| marked(p, peak, &raster, &clock, l));
    let mut panels = vec![panel(together(p, l), all, marked)];
    if assumed::measured(p).count() > 1 {
        let groups = assumed::measured(p).take(MOST_GROUPS);
        panels.extend(
            groups.map(|group| panel(figures::short_name(&group.name), raster.rates(&group.arrivals), None)),
        );
    }
    let longest = p.source.segments.iter().map(|segment| segment.duration_s.get()).fold(0.0, f64::max);
    Some(Chart {
        stem: "arrivals",
        title: l.say("Arrivals over the period", "时段内的到达速率").to_owned(),
        description: description(p, &clock, l),
        caption: caption(p, raster.column_s, l).into(),
        plot: Plot::Columns(Columns {
            axis: clock.axis(longest, p.source.segments.len(), l),
            stretches: raster.stretches(p, &clock, l),
            panels,
        }),
    })
}

fn together(p: &Profile, l: Language) -> String {
    match assumed::measured(p).count() {
        0 | 1 => l.say("All requests", "全部请求").to_owned(),
        _ => l.say("All groups together", "全部分组合计").to_owned(),
    }
}

/// Columns of equal length over all segments.
struct Raster {
    column_s: f64,
    /// Columns of each segment.
    columns: Vec<usize>,
}

impl Raster {
    fn of(p: &Profile) -> Option<Self> {
        let every = || [&p.arrivals].into_iter().chain(p.groups.iter().map(|group| &group.arrivals));
        let bin =
            every().flat_map(|arrivals| &arrivals.rates).map(|rate| rate.bin_s.get()).fold(0.0, f64::max);
        let counted = p.arrivals.rates.iter().any(|rate| rate.counts.iter().any(|count| *count > 0));
        if !(bin > 0.0 && bin.is_finite() && counted) {
            return None;
        }
        let lengths: Vec<f64> =
            p.source.segments.iter().enumerate().map(|(at, segment)| length(p, at, segment)).collect();
        let columns = |column_s: f64| {
            lengths.iter().map(|length| (length / column_s).ceil().max(1.0)).collect::<Vec<f64>>()
        };
        let all: f64 = lengths.iter().sum();
        let fewest = (lengths.len() as f64).max(MOST_COLUMNS);
        let mut times = (all / fewest / bin).ceil().max(1.0);
        while columns(bin * times).iter().sum::<f64>() > fewest && times < 1e9 {
            times += (times / 16.0).ceil();
        }
        let column_s = bin * times;
        Some(Self { column_s, columns: columns(column_s).into_iter().map(|count| count as usize).collect() })
    }

    /// Arrivals a second in each column of all segments.
    fn rates(&self, arrivals: &Arrivals) -> Vec<f64> {
        let mut rates = Vec::new();
        for (at, columns) in self.columns.iter().enumerate() {
            let mut counts = vec![0_u64; *columns];
            if let Some(rate) = arrivals.rates.get(at) {
                for (bin, count) in rate.counts.iter().enumerate() {
                    let column = (middle(rate, bin) / self.column_s).floor().max(0.0) as usize;
                    if let Some(sum) = counts.get_mut(column.min(columns - 1)) {
                        *sum = sum.saturating_add(*count);
                    }
                }
            }
            rates.extend(counts.into_iter().map(|count| count as f64 / self.column_s));
        }
        rates
    }

    fn stretches(&self, p: &Profile, clock: &Clock, l: Language) -> Vec<Stretch> {
        let all: usize = self.columns.iter().sum();
        let many = p.source.segments.len() > 1;
        let segments = p.source.segments.iter().zip(&self.columns).enumerate();
        segments
            .map(|(at, (segment, columns))| {
                let duration = *columns as f64 * self.column_s;
                // Among many segments there is no room for a clock of each.
                let ticks = match MOST_TICKS * columns / all.max(1) {
                    0 => Vec::new(),
                    most => clock.ticks(&segment.from, duration, most),
                };
                let name = l.say(format!("segment {}", at + 1), format!("第 {} 段", at + 1));
                Stretch {
                    label: if many { name.clone() } else { String::new() },
                    columns: *columns,
                    names: (0..*columns)
                        .map(|column| self.name(segment, column, clock, many.then_some(&name), l))
                        .collect(),
                    ticks: ticks.into_iter().map(|(after, label)| (after / self.column_s, label)).collect(),
                }
            })
            .collect()
    }

    /// A column in words: when it begins.
    fn name(
        &self,
        segment: &Segment,
        column: usize,
        clock: &Clock,
        of: Option<&String>,
        l: Language,
    ) -> String {
        let after = column as f64 * self.column_s;
        let instant = seconds(&segment.from)
            .and_then(|from| jiff::Timestamp::from_second((from + after).floor() as i64).ok())
            .map_or_else(String::new, |at| clock.short(&at.to_string(), l));
        let of = of.map_or_else(String::new, |name| format!("{name} · "));
        format!("{of}{instant} + {}", figures::window(self.column_s, l))
    }
}

/// From a segment's first arrival to the middle of a bin.
fn middle(rate: &Rate, bin: usize) -> f64 {
    rate.from_s.get() + (bin as f64 + 0.5) * rate.bin_s.get()
}

/// How long a segment is, its last bin included.
fn length(p: &Profile, at: usize, segment: &Segment) -> f64 {
    let bins = p
        .arrivals
        .rates
        .get(at)
        .map_or(0.0, |rate| rate.from_s.get() + rate.counts.len() as f64 * rate.bin_s.get());
    let length = segment.duration_s.get().max(bins);
    if length.is_finite() { length } else { 0.0 }
}

/// Where the peak lies. Segments may overlap in time: of those that hold its beginning it is that with most arrivals there.
fn marked(p: &Profile, peak: &Peak, raster: &Raster, clock: &Clock, l: Language) -> Option<MarkedSpan> {
    let begin = seconds(&peak.from)?;
    let window = peak.window_s.get();
    let candidates = p.source.segments.iter().enumerate().filter_map(|(at, segment)| {
        let after = begin - seconds(&segment.from)?;
        let rate = p.arrivals.rates.get(at)?;
        let within = (-1e-3..=length(p, at, segment)).contains(&after);
        let touched = |bin: usize| {
            let from = rate.from_s.get() + bin as f64 * rate.bin_s.get();
            from < after + window && from + rate.bin_s.get() > after
        };
        let arrivals: u64 =
            rate.counts.iter().enumerate().filter(|(bin, _)| touched(*bin)).map(|(_, count)| *count).sum();
        within.then_some((arrivals, std::cmp::Reverse(at), after))
    });
    let (_, std::cmp::Reverse(stretch), after) = candidates.max_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)))?;
    let (window_words, from) = (figures::window(window, l), clock.short(&peak.from, l));
    let requests = figures::requests(peak.requests, l);
    Some(MarkedSpan {
        stretch,
        from: after / raster.column_s,
        until: (after + window) / raster.column_s,
        label: l.say(
            format!("busiest {window_words}: {from}, {requests}"),
            format!("最繁忙的 {window_words}：{from}，{requests}"),
        ),
    })
}

fn caption(p: &Profile, column_s: f64, l: Language) -> String {
    let column = figures::window(column_s, l);
    let mut words = l.say(
        format!("Each column is {column}, and its height the mean rate in it: a peak over a shorter window is higher than its column. Every panel has its own scale. The last column of a segment, which the log did not fill, shows too little."),
        format!("每格 {column}，高度为格内平均到达速率；更短窗口的峰值高于所在的格。各图纵轴刻度不同。每段末格未满，数值偏低。"),
    );
    if p.source.segments.len() > 1 {
        words += l.say(
            " Where the log's clock jumps back a new segment begins; segments stand side by side and are never laid over each other.",
            "日志时钟回跳处另起一段；各段并列绘出，不相互叠加。",
        );
    }
    if assumed::measured(p).count() > MOST_GROUPS {
        words += &l.say(
            format!(" The {MOST_GROUPS} groups with most requests are drawn."),
            format!("仅绘出请求数最多的 {MOST_GROUPS} 组。"),
        );
    }
    words
}

fn description(p: &Profile, clock: &Clock, l: Language) -> String {
    let mut sentences = vec![match p.arrivals.mean_rate {
        Some(mean) => {
            let (mean, span) = (figures::rate(Some(mean)), figures::span(figures::covered_s(p), l));
            l.say(
                format!("Mean of {mean} requests a second over {span}."),
                format!("{span}内平均每秒 {mean} 个请求。"),
            )
        }
        None => String::new(),
    }];
    for peak in &p.arrivals.peaks {
        let (window, requests) =
            (figures::window(peak.window_s.get(), l), figures::requests(peak.requests, l));
        let from = clock.instant(&peak.from, l);
        sentences.push(l.say(
            format!("Busiest {window}: {requests}, from {from}."),
            format!("最繁忙的 {window}：{requests}，起于 {from}。"),
        ));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(l.say(" ", ""))
}

/// Arrivals in each hour of a mean day; `None` where hours are not known.
pub(super) fn hours(p: &Profile, l: Language) -> Option<Chart> {
    let mean = |arrivals: &Arrivals| -> Option<Vec<Option<f64>>> {
        let known = arrivals.by_hour.len() == 24;
        known.then(|| {
            arrivals
                .by_hour
                .iter()
                .map(|(count, days)| (*days > 0).then(|| *count as f64 / f64::from(*days)))
                .collect()
        })
    };
    let all = mean(&p.arrivals)?;
    let unit = l.say("requests an hour", "个/小时");
    let panel = |title: String, values: Vec<Option<f64>>| ColumnsPanel { title, unit, values, marked: None };
    let hour = |at: usize| format!("{at:02}:00–{:02}:00", at + 1);
    let known = |values: &[Option<f64>]| {
        values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect::<Vec<_>>()
    };
    let described: Vec<String> = known(&all)
        .into_iter()
        .map(|(at, value)| format!("{} {}", hour(at), number::plain((value * 10.0).round() / 10.0)))
        .collect();
    let without: Vec<usize> = (0..24).filter(|at| all[*at].is_none()).collect();
    let mut panels = vec![panel(together(p, l), all)];
    if assumed::measured(p).count() > 1 {
        let groups = assumed::measured(p).take(MOST_GROUPS);
        panels.extend(
            groups.filter_map(|group| Some(panel(figures::short_name(&group.name), mean(&group.arrivals)?))),
        );
    }
    let clock = Clock::of(p);
    let zone = clock.zone();
    Some(Chart {
        stem: "hours",
        title: l.say("Arrivals in each hour of the day", "一天各时段的到达量").to_owned(),
        description: l.say(
            format!("Mean number of requests in each hour of a day ({zone}): {}.", l.list(&described)),
            format!("一天各时段（{zone}）的平均请求数：{}。", l.list(&described)),
        ),
        caption: hours_caption(&without, l).into(),
        plot: Plot::Columns(Columns {
            axis: l.say(format!("Hour of the day ({zone})"), format!("时段（{zone}）")),
            stretches: vec![Stretch {
                label: String::new(),
                columns: 24,
                names: (0..24).map(hour).collect(),
                ticks: (0..=24).step_by(2).map(|at| (f64::from(at), format!("{at:02}"))).collect(),
            }],
            panels,
        }),
    })
}

fn hours_caption(without: &[usize], l: Language) -> String {
    let mut words = l
        .say(
            "Requests in each hour, divided by the number of days whose hour the log covers, in part or whole.",
            "各时段的请求数除以日志覆盖该时段（全部或部分）的天数。",
        )
        .to_owned();
    let listed =
        |hours: &[usize]| l.list(&hours.iter().map(|at| format!("{at:02}")).collect::<Vec<String>>());
    if without.len() > 12 {
        let known: Vec<usize> = (0..24).filter(|at| !without.contains(at)).collect();
        let hours = listed(&known);
        words += &l.say(
            format!(" The log covers nothing but these hours: {hours}."),
            format!("日志仅覆盖以下时段：{hours}。"),
        );
    } else if !without.is_empty() {
        let hours = listed(without);
        words += &l.say(
            format!(" Of these hours the log holds nothing: {hours}."),
            format!("日志未覆盖的时段：{hours}。"),
        );
    }
    words
}
