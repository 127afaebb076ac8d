//! How long inputs and outputs of a group are, together.

use std::collections::BTreeMap;

use workload_model::profile::{Cell, Lengths, ProfileGroup, Quantiles};

use crate::{
    chart::{Chart, Heat, HeatAxis, HeatCell, HeatMark, Plot},
    document::legible,
    language::Language,
    number,
};

use super::figures;

/// Beginnings of the file names of the drawings: that of the largest group first.
pub(super) const STEMS: [&str; 12] = [
    "lengths-1",
    "lengths-2",
    "lengths-3",
    "lengths-4",
    "lengths-5",
    "lengths-6",
    "lengths-7",
    "lengths-8",
    "lengths-9",
    "lengths-10",
    "lengths-11",
    "lengths-12",
];

/// Most edges of an axis that are named.
const MOST_NAMES: usize = 9;

/// The drawing of a group; `None` where no row has both lengths.
pub(super) fn chart(group: &ProfileGroup, stem: &'static str, l: Language) -> Option<Chart> {
    let lengths = &group.lengths;
    let cells = if lengths.cells.is_empty() { &lengths.cut_cells } else { &lengths.cells };
    if cells.is_empty() {
        return None;
    }
    let cut_only = lengths.cells.is_empty();
    let input = Grid::holding(cells.iter().map(|cell| cell.0), lengths.bins_per_octave);
    let output = Grid::holding(cells.iter().map(|cell| cell.1), lengths.bins_per_octave);
    let name = legible(&group.name);
    let title = l.say(
        format!("Lengths of inputs and outputs together: {name}"),
        format!("输入长度与输出长度的联合分布：{name}"),
    );
    let heat = Heat {
        cells: counted(cells, &input, &output, l),
        across: input.axis(l.say("Input length (tokens)", "输入长度（Token）"), lengths.input.as_ref()),
        up: output.axis(
            l.say("Output length (tokens)", "输出长度（Token）"),
            lengths.output.as_ref().filter(|_| !cut_only),
        ),
        legend: l.say("Requests in a cell:", "每格请求数：").to_owned(),
    };
    Some(Chart {
        stem,
        title,
        description: description(group, &heat, l),
        caption: caption(cut_only, l).into(),
        plot: Plot::Heat(Box::new(heat)),
    })
}

/// Cells of the profile, put together into those of the drawing.
fn counted(cells: &[Cell], input: &Grid, output: &Grid, l: Language) -> Vec<HeatCell> {
    let mut counts: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for Cell(in_from, out_from, rows) in cells {
        let count = counts.entry((input.cell(*in_from), output.cell(*out_from))).or_default();
        *count = count.saturating_add(*rows);
    }
    let all: u64 = counts.values().fold(0, |sum, count| sum.saturating_add(*count));
    let cells = counts.into_iter().map(|((across, up), count)| {
        let (ins, outs) = (input.range(across), output.range(up));
        let (requests, share) = (figures::requests(count, l), figures::share_of(count, all));
        let words = l.say(
            format!("Input {ins}, output {outs}: {requests} ({share})"),
            format!("输入 {ins}，输出 {outs}：{requests}（{share}）"),
        );
        HeatCell { across, up, count, words }
    });
    cells.collect()
}

/// Edges of cells along one axis: whole octaves, halves or quarters of them, each of which is the edge of a bin as well, so
/// that no bin is divided.
struct Grid {
    edges: Vec<u64>,
}

impl Grid {
    fn holding(values: impl Iterator<Item = u32> + Clone, bins_per_octave: u32) -> Self {
        let highest = u64::from(values.clone().max().unwrap_or(0)).max(1);
        let with_zero = values.clone().any(|value| value == 0);
        let lowest = u64::from(values.filter(|value| *value > 0).min().unwrap_or(1));
        let (from, until) = (lowest.ilog2(), highest.ilog2() + 1);
        let wanted: u64 = match until - from {
            0..=4 => 4,
            5..=9 => 2,
            _ => 1,
        };
        let divides = |parts: &u64| u64::from(bins_per_octave).is_multiple_of(*parts) && bins_per_octave > 0;
        let parts = [wanted, 2, 1].into_iter().find(|parts| *parts <= wanted && divides(parts)).unwrap_or(1);
        let mut edges = if with_zero { vec![0] } else { Vec::new() };
        for octave in from..until {
            let whole = 1_u64 << octave;
            // Shorter than one token no cell can be.
            edges.extend(
                (0..parts)
                    .filter(|part| (whole * part).is_multiple_of(parts))
                    .map(|part| whole + whole * part / parts),
            );
        }
        edges.push(1 << until);
        Self { edges }
    }

    fn cell(&self, value: u32) -> usize {
        self.edges
            .partition_point(|edge| *edge <= u64::from(value))
            .saturating_sub(1)
            .min(self.edges.len() - 2)
    }

    /// The lengths of a cell: `512–767`. In the first there is nothing but 0, where anything is 0.
    fn range(&self, cell: usize) -> String {
        let (from, until) = (self.edges[cell], self.edges[cell + 1] - 1);
        if from == until || from == 0 {
            number::grouped(from)
        } else {
            format!("{}–{}", number::grouped(from), number::grouped(until))
        }
    }

    fn axis(&self, title: &str, quantiles: Option<&Quantiles>) -> HeatAxis {
        let octaves: Vec<usize> = (0..self.edges.len())
            .filter(|at| self.edges[*at] == 0 || self.edges[*at].is_power_of_two())
            .collect();
        let every = octaves.len().div_ceil(MOST_NAMES).max(1);
        let names = octaves.into_iter().step_by(every).map(|at| (at, shown(self.edges[at]))).collect();
        let marks = quantiles.map(marks).unwrap_or_default();
        HeatAxis {
            title: title.to_owned(),
            edges: self.edges.iter().map(|edge| *edge as f64).collect(),
            names,
            marks,
        }
    }
}

/// P50, P90 and P99; those that are one value have one name.
fn marks(found: &Quantiles) -> Vec<HeatMark> {
    let named = [("P50", found.p50), ("P90", found.p90), ("P99", found.p99)];
    let mut marks: Vec<(&str, &str, f64)> = Vec::new();
    for (name, value) in named {
        match marks.last_mut() {
            Some((_, until, before)) if *before == value => *until = name,
            _ => marks.push((name, name, value)),
        }
    }
    let label = |(from, until, value): (&str, &str, f64)| {
        let name = if from == until { from.to_owned() } else { format!("{from}–{until}") };
        HeatMark { label: format!("{name} {}", figures::tokens(value)), value }
    };
    marks.into_iter().map(label).collect()
}

/// A power of two as it is said of lengths: `512`, `4k`.
fn shown(edge: u64) -> String {
    match edge {
        0..1_024 => edge.to_string(),
        1_024..1_048_576 => format!("{}k", edge >> 10),
        _ => format!("{}M", edge >> 20),
    }
}

fn caption(cut_only: bool, l: Language) -> String {
    let which = if cut_only {
        l.say(
            "All outputs of this group were cut short: each stands at the least length that was wanted.",
            "该组输出全部被截断，图中为需求长度的下限。",
        )
    } else {
        l.say(
            "Requests of which both lengths are known and the output came to its own end.",
            "仅含两种长度均已知且输出自然结束的请求。",
        )
    };
    let how = l.say(
        "The stronger the colour of a cell, the more requests; both axes are logarithmic, and 1k is 1,024. Dashed lines mark P50, P90 and P99 of each length over all requests of which it is known.",
        "格子颜色越浓，请求越多；两轴均为对数刻度，1k 即 1,024。虚线为各长度在全部已知请求中的 P50、P90 与 P99。",
    );
    format!("{which}{}{how}", l.say(" ", ""))
}

/// The percentiles of both lengths and the most frequent cell in words.
fn description(group: &ProfileGroup, heat: &Heat, l: Language) -> String {
    let lengths = &group.lengths;
    let percentiles = |of: &Option<Quantiles>| match of {
        Some(found) => figures::percentiles(found, figures::tokens, l),
        None => l.say("unknown", "未知").to_owned(),
    };
    let (input, output) = (percentiles(&lengths.input), percentiles(&lengths.output));
    let (name, requests) = (legible(&group.name), figures::requests(lengths.both, l));
    let most = heat.cells.iter().max_by_key(|cell| cell.count).map_or("", |cell| cell.words.as_str());
    l.say(
        format!("{name}, {requests} with both lengths. Input tokens: {input}. Output tokens: {output}. Most frequent: {most}."),
        format!("{name}，两种长度均已知的共 {requests}。输入 Token：{input}。输出 Token：{output}。最集中处：{most}。"),
    )
}

/// How the two lengths go together.
pub(super) fn correlation(lengths: &Lengths, l: Language) -> String {
    let Some(found) = lengths.rank_correlation else {
        return l
            .say(
                "not told: fewer than 10 requests with both lengths, or one of them never changes",
                "不给出：两种长度均已知的请求不足 10 个，或其中一种长度不变",
            )
            .to_owned();
    };
    let said = if found > 0.3 {
        l.say("longer inputs go with longer outputs", "输入越长，输出往往越长")
    } else if found < -0.3 {
        l.say("longer inputs go with shorter outputs", "输入越长，输出往往越短")
    } else {
        l.say("the two hardly depend on each other", "两者关系不大")
    };
    let found = number::ratio(found);
    l.say(format!("{found}: {said}"), format!("{found}：{said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_those_of_octaves_and_of_bins() {
        let grid = |values: &[u32], bins| Grid::holding(values.iter().copied(), bins).edges;
        assert_eq!(grid(&[1], 16), [1, 2]);
        assert_eq!(grid(&[0], 16), [0, 1, 2]);
        assert_eq!(grid(&[9, 20], 16), [8, 10, 12, 14, 16, 20, 24, 28, 32]);
        assert_eq!(
            grid(&[1, 300], 16),
            [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512]
        );
        assert_eq!(grid(&[9, 20], 1), [8, 16, 32]);
        assert_eq!(grid(&[1, u32::MAX], 16).len(), 33);
    }

    #[test]
    fn every_length_lies_in_the_cell_whose_range_holds_it() {
        let grid = Grid::holding([0, 1, 40_000].into_iter(), 16);
        for value in (0..40_000).step_by(7).chain([0, 1, 2, 32_767, 32_768]) {
            let at = grid.cell(value);
            assert!((grid.edges[at]..grid.edges[at + 1]).contains(&u64::from(value)), "{value}");
        }
        assert_eq!(grid.range(grid.cell(1_500)), "1,024–2,047");
        let long = Grid::holding([0, 40_000].into_iter(), 16);
        assert_eq!([0, 40_000].map(|value| long.range(long.cell(value))), ["0", "32,768–40,959"]);
    }
}
