//! What charts over time have in common.

use crate::{
    chart::{Panel, Step, Times},
    language::Language,
    number,
};

/// The unit of an axis of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// How many seconds it has.
    pub(crate) seconds: f64,
    en: &'static str,
    zh: &'static str,
}

impl Unit {
    /// One in which the end is written with few digits.
    pub(crate) fn of(until_s: f64) -> Self {
        let (seconds, en, zh) = match until_s {
            short if short <= 600.0 => (1.0, "s", "秒"),
            long if long <= 36_000.0 => (60.0, "min", "分钟"),
            _ => (3_600.0, "h", "小时"),
        };
        Self { seconds, en, zh }
    }

    /// Its name.
    pub(crate) fn name(self, l: Language) -> &'static str {
        l.say(self.en, self.zh)
    }

    /// The name of an axis from the run's start.
    pub(crate) fn axis(self, l: Language) -> String {
        let unit = self.name(l);
        l.say(format!("Time from the run's start ({unit})"), format!("自测试开始的时间（{unit}）"))
    }
}

/// The highest value of every series in every step, in words.
pub(crate) fn highest_in_words(times: &Times, panels: &[Panel], l: Language) -> String {
    let mut sentences = Vec::new();
    for panel in panels {
        for series in &panel.series {
            let columns = series.values.len().max(1);
            let width = times.until / columns as f64;
            let within = |step: &Step| {
                let holds = |at: usize| (step.from..step.until).contains(&((at as f64 + 0.5) * width));
                // A step that is shorter than a column has the value of the one that it lies in.
                let only = ((f64::midpoint(step.from, step.until) / width) as usize).min(columns - 1);
                let any = (0..columns).any(holds);
                let own =
                    series.values.iter().enumerate().filter(|(at, _)| holds(*at) || !any && *at == only);
                own.filter_map(|(_, value)| *value).max_by(f64::total_cmp)
            };
            let points: Vec<String> = times
                .steps
                .iter()
                .filter_map(|step| Some(format!("{} {}", step.label, shown(within(step)?))))
                .collect();
            if points.is_empty() {
                continue;
            }
            let (title, name, unit, points) = (&panel.title, &series.name, panel.unit, points.join(", "));
            sentences.push(l.say(
                format!("{title}, {name}, highest ({unit}): {points}."),
                format!("{title}，{name}，最高值（{unit}）：{points}。"),
            ));
        }
    }
    sentences.join(l.say(" ", ""))
}

fn shown(value: f64) -> String {
    number::plain((value * 100.0).round() / 100.0)
}
