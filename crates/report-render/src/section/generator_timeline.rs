//! The generator over the run, second by second.

use metrics_core::{BUSY_CPU, Tier, allowed_delay};

use crate::{
    chart::{Across, Chart, Limit, Panel, Panels, Plot, Series, Step, Times},
    language::Language,
    material::{GeneratorSample, Material},
    number,
    section::over_time::{Unit, highest_in_words},
};

/// Most columns of the chart: of a longer run each shows the highest of several seconds.
const MOST_COLUMNS: usize = 240;

/// Longest time that one sample can tell of; what lies before it was not sampled.
const LONGEST_SAMPLE_S: f64 = 2.5;

/// `None` where nothing was sampled.
pub(crate) fn chart(m: &Material, l: Language) -> Option<Chart> {
    let samples = spans(&m.generator);
    let until_s = samples.last()?.until_s;
    let columns = (until_s.ceil() as usize).clamp(1, MOST_COLUMNS);
    let unit = Unit::of(until_s);
    let steps = steps(&samples, l, unit.seconds);
    let times = Times { columns, until: until_s / unit.seconds, unit: unit.name(l), steps };
    let series = |name: &str, figure: fn(&GeneratorSample) -> Option<f64>| Series {
        name: name.to_owned(),
        values: highest(&samples, columns, until_s, figure),
    };
    let busy = number::percent_as_agreed(BUSY_CPU);
    let panels = vec![
        Panel {
            title: l.say("CPU", "CPU 占用").to_owned(),
            unit: "%",
            reach: 0.0,
            series: vec![
                series(l.say("process", "进程"), |sample| sample.cpu.map(|share| share * 100.0)),
                series(l.say("host", "主机"), |sample| sample.host_cpu.map(|share| share * 100.0)),
            ],
            limits: vec![Limit {
                label: l.say(format!("busy above {busy}"), format!("超过 {busy} 计为繁忙")),
                value: BUSY_CPU * 100.0,
                at: None,
            }],
        },
        Panel {
            title: l.say("Timer delay, P99 of each second", "定时器延迟（每秒 P99）").to_owned(),
            unit: "ms",
            reach: 0.0,
            series: vec![series("P99", |sample| sample.timer_delay_p99.map(|delay| delay.get() * 1e3))],
            limits: strictest(&m.summary.tiers, l).into_iter().collect(),
        },
        Panel {
            title: l.say("Open connections", "打开的连接数").to_owned(),
            unit: l.say("connections", "个"),
            reach: 0.0,
            series: vec![series(l.say("connections", "连接"), |sample| Some(sample.connections as f64))],
            limits: ceiling(m, l).into_iter().collect(),
        },
        Panel {
            title: l.say("Rows waiting for the writer", "写队列深度").to_owned(),
            unit: l.say("rows", "行"),
            reach: 0.0,
            series: vec![series(l.say("rows", "行数"), |sample| Some(sample.queue_depth as f64))],
            limits: Vec::new(),
        },
    ];
    Some(Chart {
        stem: "generator",
        title: l.say("The generator over the run", "测试端运行时间线").to_owned(),
        description: description(&samples, &times, &panels, l),
        caption: caption(columns, until_s, l).into(),
        plot: Plot::Panels(Panels {
            axis: unit.axis(l),
            across: Across::Times(times),
            guides: Vec::new(),
            panels,
        }),
    })
}

/// A sample and the time that it tells of.
struct Span<'a> {
    sample: &'a GeneratorSample,
    from_s: f64,
    until_s: f64,
}

/// From the sample before to its own end, in order. One that is not after the one before tells of no time.
fn spans(samples: &[GeneratorSample]) -> Vec<Span<'_>> {
    let mut before = 0.0;
    let mut spans = Vec::with_capacity(samples.len());
    for sample in samples {
        let until_s = sample.at.get();
        if until_s.is_finite() && until_s > before {
            let from_s = if until_s - before > LONGEST_SAMPLE_S { until_s - 1.0 } else { before };
            spans.push(Span { sample, from_s, until_s });
            before = until_s;
        }
    }
    spans
}

/// The highest value in each column: that of the samples whose time holds its middle, and of those that are shorter than
/// a column and lie within it.
fn highest(
    samples: &[Span<'_>],
    columns: usize,
    until_s: f64,
    figure: fn(&GeneratorSample) -> Option<f64>,
) -> Vec<Option<f64>> {
    let mut highest = vec![None; columns];
    let column = |instant: f64| ((instant / until_s * columns as f64) as usize).min(columns - 1);
    let width = until_s / columns as f64;
    for span in samples {
        let Some(value) = figure(span.sample).filter(|value| value.is_finite()) else { continue };
        let own = column(f64::midpoint(span.from_s, span.until_s));
        let held = |at: &usize| {
            let middle = (*at as f64 + 0.5) * width;
            *at == own || (span.from_s..span.until_s).contains(&middle)
        };
        for at in (column(span.from_s)..=column(span.until_s)).filter(held) {
            highest[at] = Some(highest[at].map_or(value, |before: f64| before.max(value)));
        }
    }
    highest
}

/// What was under way, in the unit of the axis.
fn steps(samples: &[Span<'_>], l: Language, unit_s: f64) -> Vec<Step> {
    let name = |sample: &GeneratorSample| match (sample.warm_up, sample.control) {
        (true, _) => Some(l.say("warm-up", "预热").to_owned()),
        (false, true) => Some(l.say("control", "对照").to_owned()),
        (false, false) => sample.tier.map(number::tier),
    };
    let mut steps: Vec<Step> = Vec::new();
    for span in samples {
        let Some(label) = name(span.sample) else { continue };
        let (from, until) = (span.from_s / unit_s, span.until_s / unit_s);
        match steps.last_mut().filter(|last| last.label == label) {
            Some(last) => last.until = until,
            None => steps.push(Step { label, from, until }),
        }
    }
    steps
}

/// The tier that allows the least delay; another allows more.
fn strictest(tiers: &[Tier], l: Language) -> Option<Limit> {
    let allowed = tiers.iter().filter(|tier| tier.figures.finished > 0);
    let allowed = allowed.map(|tier| (allowed_delay(tier.figures.ttft_s.p50), tier.concurrency));
    let (least, tier) = allowed.min_by(|one, other| one.0.get().total_cmp(&other.0.get()))?;
    let (shown, tier) = (number::milliseconds(least), number::tier(tier));
    Some(Limit {
        label: l.say(
            format!("allowed against TTFT at {tier}: {shown}"),
            format!("{tier} 档对照 TTFT 允许 {shown}"),
        ),
        value: least.get() * 1e3,
        at: None,
    })
}

/// `None` under HTTP/2, where one connection carries many streams.
fn ceiling(m: &Material, l: Language) -> Option<Limit> {
    if m.scope.transport.as_ref().is_some_and(|spoken| spoken.http == "h2") {
        return None;
    }
    let streams = m.calibration.as_ref()?.ceiling.streams?;
    Some(Limit {
        label: l.say(format!("calibrated ceiling {streams}"), format!("标定上限 {streams}")),
        value: streams as f64,
        at: None,
    })
}

fn caption(columns: usize, until_s: f64, l: Language) -> String {
    let of_several = if until_s > columns as f64 + 1.0 {
        let seconds = format!("{:.1}", until_s / columns as f64);
        l.say(
            format!(" Each step is the highest of {seconds} s."),
            format!("每级取 {seconds} 秒内的最高值。"),
        )
    } else {
        String::new()
    };
    l.say(
        format!("One sample a second, and one at every border of tiers. Limits are dotted; one off the scale is named above its panel.{of_several}"),
        format!("每秒采样一次，档位切换时另采一次；限值以点线标出，超出量程的写在图上方。{of_several}"),
    )
}

/// The highest value of every series in every step, and how many samples there are.
fn description(samples: &[Span<'_>], times: &Times, panels: &[Panel], l: Language) -> String {
    let count = samples.len();
    let count = l.say(format!("{count} samples."), format!("共 {count} 次采样。"));
    format!("{}{}{count}", highest_in_words(times, panels, l), l.say(" ", ""))
}

#[cfg(test)]
mod tests {
    use metrics_core::Seconds;

    use super::*;

    fn sample(at: f64, tier: Option<u32>, queue_depth: u64) -> GeneratorSample {
        GeneratorSample {
            at: Seconds::new(at),
            tier,
            warm_up: false,
            control: false,
            cpu: None,
            host_cpu: None,
            timer_delay_p99: None,
            connections: 0,
            queue_depth,
        }
    }

    /// One a second, with these depths.
    fn seconds(depths: &[u64], second: f64) -> Vec<GeneratorSample> {
        let ends = (1..).map(|at| f64::from(at) * second);
        ends.zip(depths).map(|(at, depth)| sample(at, None, *depth)).collect()
    }

    fn depths(samples: &[GeneratorSample], columns: usize) -> Vec<Option<f64>> {
        let spans = spans(samples);
        let until_s = spans.last().unwrap().until_s;
        highest(&spans, columns, until_s, |sample| Some(sample.queue_depth as f64))
    }

    #[test]
    fn samples_that_do_not_fall_on_columns_leave_no_hole() {
        assert!(depths(&seconds(&[7; 10], 1.04), 11).iter().all(Option::is_some));
        assert_eq!(depths(&seconds(&[1, 2, 3, 4], 1.0), 4), [Some(1.0), Some(2.0), Some(3.0), Some(4.0)]);
    }

    #[test]
    fn a_column_of_a_long_run_shows_the_highest_and_a_pause_is_a_gap() {
        let long = seconds(&[1, 2, 3, 0, 1, 2, 3, 0, 1], 1.0);
        assert_eq!(depths(&long, 3), [Some(3.0), Some(2.0), Some(3.0)]);
        let short = [sample(1.0, None, 1), sample(1.01, None, 9), sample(2.0, None, 2)];
        assert_eq!(depths(&short, 2), [Some(1.0), Some(9.0)], "a short sample is not passed over");
        let pause = [sample(1.0, None, 1), sample(9.0, None, 2)];
        assert_eq!(depths(&pause, 9).iter().filter(|value| value.is_none()).count(), 7);
    }

    #[test]
    fn steps_are_the_tiers_in_order() {
        let run =
            [sample(1.0, Some(1), 0), sample(2.0, Some(1), 0), sample(3.0, None, 0), sample(4.0, Some(2), 0)];
        let found = steps(&spans(&run), Language::En, 1.0);
        let found: Vec<_> = found.iter().map(|step| (step.label.as_str(), step.from, step.until)).collect();
        assert_eq!(found, [("C1", 0.0, 2.0), ("C2", 3.0, 4.0)]);
    }
}
