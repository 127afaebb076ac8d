//! How figures of a profile are written.

use workload_model::profile::{Arrivals, Peak, Profile, ProfileGroup, Quantiles, Streaming};

use crate::{document::legible, language::Language, number};

/// A number of tokens: whole.
pub(super) fn tokens(value: f64) -> String {
    if value.is_finite() && value >= 0.0 {
        number::grouped(value.round() as u64)
    } else {
        number::ABSENT.to_owned()
    }
}

/// Requests a second. Slow rates keep their digits.
pub(super) fn rate(value: Option<f64>) -> String {
    match value {
        Some(slow) if slow > 0.0 && slow < 0.0001 => {
            let zeros = (-slow.log10()).floor().min(12.0) as usize;
            format!("{slow:.*}", zeros + 3)
        }
        Some(slow) if slow > 0.0 && slow < 0.1 => format!("{slow:.5}"),
        value => number::requests_per_second(value),
    }
}

/// A length of time in the unit that is easiest to read: `90 s`, `36.5 h`.
pub(super) fn span(seconds: f64, l: Language) -> String {
    let (unit, en, zh) = match seconds {
        long if long >= 96.0 * 3_600.0 => (86_400.0, "days", "天"),
        long if long >= 2.0 * 3_600.0 => (3_600.0, "h", "小时"),
        long if long > 120.0 => (60.0, "min", "分钟"),
        _ => (1.0, "s", "秒"),
    };
    let value = number::plain((seconds / unit * 10.0).round() / 10.0);
    l.say(format!("{value} {en}"), format!("{value} {zh}"))
}

/// A length of time that is a round one: `1 s`, `10 min`.
pub(super) fn window(seconds: f64, l: Language) -> String {
    match seconds {
        whole if whole >= 3_600.0 && whole % 3_600.0 == 0.0 => {
            let value = number::plain(whole / 3_600.0);
            l.say(format!("{value} h"), format!("{value} 小时"))
        }
        whole if whole >= 60.0 && whole % 60.0 == 0.0 => {
            let value = number::plain(whole / 60.0);
            l.say(format!("{value} min"), format!("{value} 分钟"))
        }
        _ => {
            let value = number::plain(seconds);
            l.say(format!("{value} s"), format!("{value} 秒"))
        }
    }
}

/// `1 request`, `1,200 requests`.
pub(super) fn requests(count: u64, l: Language) -> String {
    let grouped = number::grouped(count);
    l.say(
        format!("{grouped} {}", if count == 1 { "request" } else { "requests" }),
        format!("{grouped} 个请求"),
    )
}

/// A part of a whole; a dash of nothing.
pub(super) fn share_of(part: u64, whole: u64) -> String {
    number::percent((whole > 0).then(|| part as f64 / whole as f64))
}

/// The share that was streamed, of those of which it is known.
pub(super) fn streamed(streaming: &Streaming) -> Option<f64> {
    let known = streaming.yes + streaming.no;
    (known > 0).then(|| streaming.yes as f64 / known as f64)
}

/// P50, P90 and P99.
pub(super) fn percentiles(of: &Quantiles, write: impl Fn(f64) -> String, l: Language) -> String {
    let written = [("P50", of.p50), ("P90", of.p90), ("P99", of.p99)]
        .map(|(name, value)| format!("{name} {}", write(value)));
    l.list(&written)
}

/// The peak that stands for all: that over a minute, or over the longest window below, where a minute has none.
pub(super) fn headline(arrivals: &Arrivals) -> Option<&Peak> {
    let up_to_a_minute = arrivals.peaks.iter().filter(|peak| peak.window_s.get() <= 60.0);
    up_to_a_minute.max_by(|a, b| a.window_s.get().total_cmp(&b.window_s.get()))
}

/// Rows of all segments, from the first arrival of each to its last.
pub(super) fn covered_s(p: &Profile) -> f64 {
    p.source.segments.iter().map(|segment| segment.duration_s.get()).sum()
}

/// Names of groups with their shares; of many those with most rows, and the rest together.
pub(super) fn shares<'p>(groups: impl Iterator<Item = &'p ProfileGroup>, l: Language) -> String {
    const MOST: usize = 5;
    let groups: Vec<&ProfileGroup> = groups.collect();
    let shown = if groups.len() > MOST + 1 { MOST } else { groups.len() };
    let mut parts: Vec<String> = groups[..shown]
        .iter()
        .map(|group| format!("{} {}", short_name(&group.name), number::percent(group.share)))
        .collect();
    if shown < groups.len() {
        let rest = &groups[shown..];
        let share = number::percent(rest.iter().map(|group| group.share).sum::<f64>());
        parts.push(l.say(
            format!("{} further groups {share}", rest.len()),
            format!("其余 {} 组合计 {share}", rest.len()),
        ));
    }
    l.list(&parts)
}

/// A group's name inside a sentence: the beginning of a long one.
pub(super) fn short_name(name: &str) -> String {
    const MOST: usize = 32;
    let name = legible(name);
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_written_in_the_unit_that_is_easiest_to_read() {
        for (seconds, en) in
            [(0.0, "0 s"), (90.0, "90 s"), (600.0, "10 min"), (131_400.0, "36.5 h"), (864_000.0, "10 days")]
        {
            assert_eq!(span(seconds, Language::En), en);
        }
        assert_eq!(
            [1.0, 60.0, 600.0, 3_600.0, 90.0].map(|s| window(s, Language::Zh)),
            ["1 秒", "1 分钟", "10 分钟", "1 小时", "90 秒"]
        );
    }

    #[test]
    fn slow_rates_keep_their_digits() {
        assert_eq!(
            [Some(1.5), Some(0.012_34), Some(0.0), None].map(rate),
            ["1.500", "0.01234", "0.000", "—"]
        );
    }
}
