//! How evenly requests arrive.

use workload_model::profile::Arrivals;

use crate::{document::Pair, language::Language, number};

use super::{figures, missing};

/// Up to here gaps vary as those of independent arrivals do; below the other they are more even.
const LIKE_POISSON: (f64, f64) = (0.8, 1.25);

/// Mean rate, variation of gaps and dispersion of counts.
pub(super) fn pairs(arrivals: &Arrivals, rounded: bool, l: Language) -> Vec<Pair> {
    let pair = |name: &str, value: String| Pair { name: name.to_owned(), value: value.into() };
    let Some(mean) = arrivals.mean_rate else {
        return vec![pair(l.say("Arrival rate", "到达速率"), missing::rates(l).to_owned())];
    };
    let mean = figures::rate(Some(mean));
    let mut pairs = vec![
        pair(
            l.say("Mean arrival rate", "平均到达速率"),
            l.say(format!("{mean} requests a second"), format!("每秒 {mean} 个请求")),
        ),
        pair(
            l.say("Gaps between arrivals", "到达间隔"),
            match arrivals.gap_cv {
                Some(cv) => {
                    let (value, said) = (number::ratio(cv), compared(cv, l));
                    l.say(
                        format!("coefficient of variation {value}: {said}"),
                        format!("变异系数 {value}：{said}"),
                    )
                }
                None => missing::gap_cv(arrivals, rounded, l),
            },
        ),
    ];
    if !arrivals.dispersion.is_empty() {
        let parts: Vec<String> = arrivals
            .dispersion
            .iter()
            .map(|found| {
                let (window, index) = (figures::window(found.window_s.get(), l), number::ratio(found.index));
                l.say(format!("{window}: {index}"), format!("{window} {index}"))
            })
            .collect();
        let parts = parts.join(l.say("; ", "，"));
        pairs.push(pair(
            l.say("Index of dispersion", "离散指数"),
            l.say(
                format!("{parts}. 1 is what independent arrivals give; more means that they come in bursts"),
                format!("{parts}。相互独立的到达为 1，越大越集中"),
            ),
        ));
    }
    pairs
}

fn compared(cv: f64, l: Language) -> &'static str {
    let (from, until) = LIKE_POISSON;
    if cv > until {
        l.say("requests come in bursts", "请求成簇到达，有突发")
    } else if cv < from {
        l.say("requests come more evenly than independent ones would", "到达比相互独立的请求更均匀")
    } else {
        l.say(
            "about that of independent arrivals (a Poisson process has 1)",
            "接近相互独立的到达（泊松过程为 1）",
        )
    }
}
