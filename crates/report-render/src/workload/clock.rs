//! Instants of a profile, as a reader's clock shows them.

use jiff::{Timestamp, civil::DateTime, tz::Offset};
use workload_model::profile::Profile;

use crate::{language::Language, number};

/// Distances between named places of an axis, in seconds.
const STEPS: [i64; 22] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400,
    172_800, 604_800, 2_592_000, 31_536_000,
];

/// The clock of a profile: its zone, or none where the log's time is relative.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    offset: Offset,
    zone: String,
    pub(super) relative: bool,
}

impl Clock {
    pub(super) fn of(p: &Profile) -> Self {
        let zone = p.source.period.zone.as_str();
        let offset = offset(zone);
        let zone = match offset {
            Some(offset) if offset.seconds() == 0 => "UTC".to_owned(),
            Some(_) => format!("UTC{zone}"),
            None => "UTC".to_owned(),
        };
        Self { offset: offset.unwrap_or(Offset::UTC), zone, relative: p.source.relative_time }
    }

    /// The zone, as people name it: `UTC+08:00`.
    pub(super) fn zone(&self) -> &str {
        &self.zone
    }

    fn local(&self, instant: &str) -> Option<DateTime> {
        Some(self.offset.to_datetime(instant.parse::<Timestamp>().ok()?))
    }

    /// An RFC 3339 instant in the profile's zone, to the second: `2026-11-20 10:04:00`. Of relative time, hours, minutes
    /// and seconds of the log's own clock. What is no instant stays as it is.
    pub(super) fn instant(&self, instant: &str, l: Language) -> String {
        if self.relative {
            return match seconds(instant) {
                Some(seconds) => {
                    let whole = seconds.max(0.0).floor() as u64;
                    let shown = format!("{}:{:02}:{:02}", whole / 3_600, whole / 60 % 60, whole % 60);
                    l.say(format!("{shown} on the log's clock"), format!("日志时钟 {shown}"))
                }
                None => instant.to_owned(),
            };
        }
        self.local(instant).map_or_else(|| instant.to_owned(), written)
    }

    /// The same to the minute, without the year.
    pub(super) fn short(&self, instant: &str, l: Language) -> String {
        match self.local(instant) {
            Some(at) if !self.relative => {
                format!("{:02}-{:02} {:02}:{:02}", at.month(), at.day(), at.hour(), at.minute())
            }
            _ => self.instant(instant, l),
        }
    }

    /// Round instants of a stretch, at most so many: how many seconds after its beginning, and what the clock shows.
    pub(super) fn ticks(&self, from: &str, duration_s: f64, most: usize) -> Vec<(f64, String)> {
        let wanted = duration_s / most.max(1) as f64;
        let Some(step) = STEPS.into_iter().find(|step| *step as f64 >= wanted) else { return Vec::new() };
        let begin = if self.relative {
            Some(0.0)
        } else {
            seconds(from).map(|s| s + f64::from(self.offset.seconds()))
        };
        let Some(begin) = begin else { return Vec::new() };
        let first = (begin / step as f64).ceil() as i64;
        (first..)
            .map(|at| at * step)
            .map(|at| (at as f64 - begin, at))
            .take_while(|(after, _)| *after <= duration_s)
            .map(|(after, at)| (after, self.label(at, step, duration_s)))
            .collect()
    }

    /// What the clock shows at so many local seconds from 1970.
    fn label(&self, at: i64, step: i64, duration_s: f64) -> String {
        if self.relative {
            return number::plain(at as f64 / self.unit(duration_s));
        }
        let Ok(instant) = Timestamp::from_second(at) else { return String::new() };
        let local = Offset::UTC.to_datetime(instant);
        match (step, at.rem_euclid(86_400)) {
            (86_400.., _) | (_, 0) => format!("{:02}-{:02}", local.month(), local.day()),
            (60.., _) => format!("{:02}:{:02}", local.hour(), local.minute()),
            _ => format!("{:02}:{:02}:{:02}", local.hour(), local.minute(), local.second()),
        }
    }

    fn unit(&self, duration_s: f64) -> f64 {
        if duration_s > 2.0 * 3_600.0 {
            3_600.0
        } else if duration_s > 600.0 {
            60.0
        } else {
            1.0
        }
    }

    /// Name of an axis of time, whose longest segment is as long as this.
    pub(super) fn axis(&self, duration_s: f64, segments: usize, l: Language) -> String {
        if !self.relative {
            let zone = &self.zone;
            return l.say(format!("Time ({zone})"), format!("时间（{zone}）"));
        }
        let unit = match self.unit(duration_s) {
            3_600.0 => l.say("h", "小时"),
            60.0 => l.say("min", "分钟"),
            _ => l.say("s", "秒"),
        };
        if segments > 1 {
            return l.say(
                format!("Time from the beginning of each segment ({unit})"),
                format!("自各段起点的时间（{unit}）"),
            );
        }
        l.say(format!("Time from the beginning of the log ({unit})"), format!("自日志起点的时间（{unit}）"))
    }
}

fn written(at: DateTime) -> String {
    let date = format!("{:04}-{:02}-{:02}", at.year(), at.month(), at.day());
    format!("{date} {:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

/// Seconds from 1970.
pub(super) fn seconds(instant: &str) -> Option<f64> {
    let instant: Timestamp = instant.parse().ok()?;
    Some(instant.as_second() as f64 + f64::from(instant.subsec_nanosecond()) / 1e9)
}

/// `+08:00`, `-03:30`, `Z`.
fn offset(zone: &str) -> Option<Offset> {
    if matches!(zone, "Z" | "UTC") {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-" | "−", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(zone: &str, relative: bool) -> Clock {
        Clock { offset: offset(zone).unwrap_or(Offset::UTC), zone: zone.to_owned(), relative }
    }

    #[test]
    fn instants_are_told_in_the_profiles_zone() {
        let china = clock("+08:00", false);
        assert_eq!(china.instant("2026-11-19T18:04:00.5Z", Language::En), "2026-11-20 02:04:00");
        assert_eq!(china.short("2026-11-19T18:04:00Z", Language::Zh), "11-20 02:04");
        assert_eq!(
            clock("-03:30", false).instant("2026-11-20T00:00:00Z", Language::En),
            "2026-11-19 20:30:00"
        );
        assert_eq!(china.instant("soon", Language::En), "soon");
    }

    #[test]
    fn relative_time_is_told_from_the_logs_beginning() {
        let relative = clock("+08:00", true);
        assert_eq!(relative.instant("1970-01-01T01:00:00Z", Language::En), "1:00:00 on the log's clock");
        assert_eq!(relative.instant("1970-01-01T00:00:30Z", Language::Zh), "日志时钟 0:00:30");
        let ticks = relative.ticks("1970-01-01T00:00:00Z", 3_540.0, 6);
        assert_eq!(
            ticks.iter().map(|tick| tick.1.as_str()).collect::<Vec<_>>(),
            ["0", "10", "20", "30", "40", "50"]
        );
    }

    #[test]
    fn a_day_is_named_where_it_begins() {
        let ticks = clock("+08:00", false).ticks("2026-11-19T12:30:00Z", 43_200.0, 8);
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(labels, ["22:00", "11-20", "02:00", "04:00", "06:00", "08:00"]);
        assert_eq!(ticks[0].0, 5_400.0);
    }
}
