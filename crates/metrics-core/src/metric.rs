//! The names by which agreements call figures.

use std::{fmt, str::FromStr};

use crate::{
    order_statistics::Percent,
    quantity::Seconds,
    record::Facts,
    summary::{Distribution, Figures},
};

/// A figure that a limit can be set on, by the name that it has in `summary.json`: `ttft_s.p95`,
/// `success_rate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// A statistic of a latency, in seconds: `e2e_s`, `ttft_s`, `tpot_s`, `inter_event_s`, `e2e_per_token_s`,
    /// `from_sent.ttft_s` or `from_sent.e2e_s`, with `.mean`, `.p50`, `.p90`, `.p95`, `.p99`, `.max` or
    /// `.min`.
    Latency(Latency, Statistic),
    /// `success_rate` or `attainment`, from 0 to 1.
    Share(Share),
    /// A number a second: `output_tps`, `total_tps`, `rps`, `sustained_output_tps`, `goodput_rps`.
    Rate(Rate),
}

/// A latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latency {
    /// `e2e_s`
    E2e,
    /// `ttft_s`
    Ttft,
    /// `tpot_s`
    Tpot,
    /// `inter_event_s`
    InterEvent,
    /// `e2e_per_token_s`
    E2ePerToken,
    /// `from_sent.ttft_s`
    TtftFromSent,
    /// `from_sent.e2e_s`
    E2eFromSent,
}

/// What is taken from a latency's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// `mean`
    Mean,
    /// `p50`, `p90`, `p95`, `p99`
    Percentile(Percent),
    /// `max`
    Max,
    /// `min`
    Min,
}

/// A share of planned requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// `success_rate`
    SuccessRate,
    /// `attainment`
    Attainment,
}

/// A number a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rate {
    /// `output_tps`
    OutputTps,
    /// `total_tps`
    TotalTps,
    /// `rps`
    Rps,
    /// `sustained_output_tps`
    SustainedOutputTps,
    /// `goodput_rps`
    GoodputRps,
}

const LATENCIES: [(&str, Latency); 7] = [
    ("e2e_s", Latency::E2e),
    ("ttft_s", Latency::Ttft),
    ("tpot_s", Latency::Tpot),
    ("inter_event_s", Latency::InterEvent),
    ("e2e_per_token_s", Latency::E2ePerToken),
    ("from_sent.ttft_s", Latency::TtftFromSent),
    ("from_sent.e2e_s", Latency::E2eFromSent),
];

const STATISTICS: [(&str, Statistic); 7] = [
    ("mean", Statistic::Mean),
    ("p50", Statistic::Percentile(Percent::P50)),
    ("p90", Statistic::Percentile(Percent::P90)),
    ("p95", Statistic::Percentile(Percent::P95)),
    ("p99", Statistic::Percentile(Percent::P99)),
    ("max", Statistic::Max),
    ("min", Statistic::Min),
];

const SHARES_AND_RATES: [(&str, Metric); 7] = [
    ("success_rate", Metric::Share(Share::SuccessRate)),
    ("attainment", Metric::Share(Share::Attainment)),
    ("output_tps", Metric::Rate(Rate::OutputTps)),
    ("total_tps", Metric::Rate(Rate::TotalTps)),
    ("rps", Metric::Rate(Rate::Rps)),
    ("sustained_output_tps", Metric::Rate(Rate::SustainedOutputTps)),
    ("goodput_rps", Metric::Rate(Rate::GoodputRps)),
];

impl Metric {
    /// Every metric.
    pub fn all() -> impl Iterator<Item = Self> {
        let latencies = LATENCIES.iter().flat_map(|(_, latency)| {
            STATISTICS.iter().map(|(_, statistic)| Self::Latency(*latency, *statistic))
        });
        latencies.chain(SHARES_AND_RATES.iter().map(|(_, metric)| *metric))
    }

    /// The figure of this name; `None` where it does not exist there. Latencies are over effective requests
    /// alone.
    #[must_use]
    pub fn observed(self, figures: &Figures) -> Option<f64> {
        match self {
            Self::Latency(latency, statistic) => statistic.of(latency.values(figures)).map(Seconds::get),
            Self::Share(Share::SuccessRate) => figures.success_rate,
            Self::Share(Share::Attainment) => figures.attainment,
            Self::Rate(Rate::OutputTps) => figures.output_tps,
            Self::Rate(Rate::TotalTps) => figures.total_tps,
            Self::Rate(Rate::Rps) => figures.rps,
            Self::Rate(Rate::SustainedOutputTps) => figures.sustained_output_tps,
            Self::Rate(Rate::GoodputRps) => figures.goodput_rps,
        }
    }
}

impl Latency {
    /// Its values in a set of figures.
    #[must_use]
    pub fn values(self, figures: &Figures) -> &Distribution {
        match self {
            Self::E2e => &figures.e2e_s,
            Self::Ttft => &figures.ttft_s,
            Self::Tpot => &figures.tpot_s,
            Self::InterEvent => &figures.inter_event_s,
            Self::E2ePerToken => &figures.e2e_per_token_s,
            Self::TtftFromSent => &figures.from_sent.ttft_s,
            Self::E2eFromSent => &figures.from_sent.e2e_s,
        }
    }

    /// Its values in one request: several for gaps between events, one or none otherwise.
    #[must_use]
    pub fn of(self, facts: &Facts) -> Vec<Seconds> {
        let one = match self {
            Self::InterEvent => return facts.inter_event_gaps().map(Seconds::from).collect(),
            Self::E2e => facts.e2e().map(Seconds::from),
            Self::Ttft => facts.ttft().map(Seconds::from),
            Self::Tpot => facts.tpot(),
            Self::E2ePerToken => facts.e2e_per_token(),
            Self::TtftFromSent => facts.ttft_from_sent().map(Seconds::from),
            Self::E2eFromSent => facts.e2e_from_sent().map(Seconds::from),
        };
        one.into_iter().collect()
    }

    /// It lasts until the end of the response.
    pub(crate) fn is_end_to_end(self) -> bool {
        matches!(self, Self::E2e | Self::E2ePerToken | Self::E2eFromSent)
    }
}

impl Statistic {
    fn of(self, values: &Distribution) -> Option<Seconds> {
        match self {
            Self::Mean => values.mean,
            Self::Percentile(Percent::P50) => values.p50,
            Self::Percentile(Percent::P90) => values.p90,
            Self::Percentile(Percent::P95) => values.p95,
            Self::Percentile(Percent::P99) => values.p99,
            Self::Percentile(_) => None,
            Self::Max => values.max,
            Self::Min => values.min,
        }
    }
}

impl FromStr for Metric {
    type Err = UnknownMetric;

    fn from_str(name: &str) -> Result<Self, UnknownMetric> {
        let unknown = || UnknownMetric(name.to_owned());
        if let Some(metric) = find(&SHARES_AND_RATES, name) {
            return Ok(metric);
        }
        let (latency, statistic) = name.rsplit_once('.').ok_or_else(unknown)?;
        match (find(&LATENCIES, latency), find(&STATISTICS, statistic)) {
            (Some(latency), Some(statistic)) => Ok(Self::Latency(latency, statistic)),
            _ => Err(unknown()),
        }
    }
}

fn find<T: Copy>(names: &[(&str, T)], wanted: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == wanted).map(|(_, named)| *named)
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = SHARES_AND_RATES.iter().find(|(_, metric)| metric == self) {
            return f.write_str(name);
        }
        let Self::Latency(latency, statistic) = self else { return Ok(()) };
        for (name, _) in LATENCIES.iter().filter(|(_, known)| known == latency) {
            write!(f, "{name}")?;
        }
        match statistic {
            Statistic::Percentile(percent) => write!(f, ".p{}", f64::from(percent.per_mille()) / 10.0),
            Statistic::Mean => f.write_str(".mean"),
            Statistic::Max => f.write_str(".max"),
            Statistic::Min => f.write_str(".min"),
        }
    }
}

/// There is no metric of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "find metric {0:?} (there are e2e_s, ttft_s, tpot_s, inter_event_s, e2e_per_token_s, from_sent.ttft_s and \
     from_sent.e2e_s, each with .mean, .p50, .p90, .p95, .p99, .max or .min; and success_rate, attainment, \
     output_tps, total_tps, rps, sustained_output_tps, goodput_rps)"
)]
pub struct UnknownMetric(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_read_back_from_its_name() {
        let names: Vec<String> = Metric::all().map(|metric| metric.to_string()).collect();
        assert_eq!(names.len(), 7 * 7 + 7);
        for (metric, name) in Metric::all().zip(&names) {
            assert_eq!(name.parse(), Ok(metric), "{name}");
        }
        assert!(names.contains(&"from_sent.ttft_s.p95".to_owned()));
    }

    /// tenstorrent/tt-inference-server#4779: a filter on a wrong name left zero criteria, and acceptance said
    /// PASS.
    #[test]
    fn a_wrong_name_is_an_error() {
        for name in
            ["", "ttft", "ttft_s", "ttft_s.p95 ", "ttft_s.p42", "from_sent.tpot_s.p50", "TTFT_S.p95", ".p95"]
        {
            let message = name.parse::<Metric>().unwrap_err().to_string();
            assert!(message.contains("sustained_output_tps"), "{name:?}: {message}");
        }
    }
}
