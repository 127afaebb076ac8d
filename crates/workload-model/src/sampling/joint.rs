//! Lengths of inputs and outputs, drawn together.

use std::ops::RangeInclusive;

use crate::{
    profile::{Cell, ProfileGroup, Quantiles, Range, bin_range},
    random::Stream,
};

/// Lengths of one request, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) input: u64,
    /// `None` where the log does not tell.
    pub(super) output: Option<u64>,
}

/// Rows whose lengths lie in these ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bin {
    pub(crate) input: RangeInclusive<u32>,
    /// `None` where the log does not tell.
    pub(crate) output: Option<RangeInclusive<u32>>,
    pub(crate) rows: u64,
}

/// Where lengths of a measured group lie, in the order of inputs: of all rows whose input is known. Outputs that were cut
/// count as long as they were.
pub(crate) fn bins(group: &ProfileGroup) -> Vec<Bin> {
    let lengths = &group.lengths;
    let range = |lowest, known: Option<Quantiles>| {
        let bin = bin_range(lowest, lengths.bins_per_octave);
        let Some(Quantiles { min, max, .. }) = known else { return bin };
        // Bins of a binned profile lie within what was rounded.
        let (low, high) = ((*bin.start()).max(min as u32), (*bin.end()).min(max as u32));
        if low <= high { low..=high } else { bin }
    };
    let bin = |cell: &Cell, output: Option<RangeInclusive<u32>>| Bin {
        input: range(cell.0, lengths.input),
        output,
        rows: cell.2,
    };
    let whole = lengths.cells.iter().map(|cell| bin(cell, Some(range(cell.1, lengths.output))));
    let cut = lengths.cut_cells.iter().map(|cell| bin(cell, Some(range(cell.1, None))));
    let input = lengths.input_cells.iter().map(|cell| bin(cell, None));
    let mut bins: Vec<Bin> = whole.chain(cut).chain(input).collect();
    bins.sort_by_key(|bin| (*bin.input.start(), bin.output.as_ref().map(|output| *output.start())));
    bins
}

/// Draws so many pairs from bins; none from no bin.
///
/// Rows are laid out in as many strips as the square root of `n`, each with as many rows, by input, and within a strip by output,
/// upwards and downwards in turn. Of this line every n-th part gives one pair, from a place in it that is drawn. So the inputs of a
/// small set already have the quantiles of the rows, and so do the outputs, with an error that falls as n⁻³ᐟ⁴ where that of pairs
/// that know nothing of each other falls as n⁻¹ᐟ² (stratified sampling; Cochran, *Sampling Techniques*, 3rd ed., chapter 5).
pub(super) fn draw(bins: &[Bin], n: u64, stream: &mut Stream) -> Vec<Pair> {
    let line = strips(bins, n.isqrt().max(1));
    let rows: u64 = line.iter().map(|(_, rows)| rows).sum();
    let mut pairs = Vec::with_capacity(usize::try_from(n).unwrap_or(0));
    let mut parts = line.iter();
    let (mut bin, mut end) = (0, 0);
    for nth in 0..n {
        if rows == 0 {
            break;
        }
        // The place is exact in whole numbers: 53 bits below the part's number.
        let place = (u128::from(nth) << 53 | u128::from(stream.bits() >> 11)) * u128::from(rows);
        let place = (place / (u128::from(n) << 53)) as u64;
        while place >= end {
            let Some((next, rows)) = parts.next() else { break };
            bin = *next;
            end += rows;
        }
        let Bin { input, output, .. } = &bins[bin];
        let input = within(input, stream);
        pairs.push(Pair { input, output: output.as_ref().map(|output| within(output, stream)) });
    }
    pairs
}

/// The line of all rows: places of bins, with how many rows of each. A bin that lies in several strips is in it several times.
fn strips(bins: &[Bin], strips: u64) -> Vec<(usize, u64)> {
    let all: u128 = bins.iter().map(|bin| u128::from(bin.rows)).sum();
    let mut parts = Vec::with_capacity(bins.len());
    let mut at = 0;
    for (place, bin) in bins.iter().enumerate() {
        let mut rest = u128::from(bin.rows);
        let output = u64::from(bin.output.as_ref().map_or(0, |output| *output.start()));
        while rest > 0 {
            let strip = at * u128::from(strips) / all;
            let end = ((strip + 1) * all).div_ceil(u128::from(strips));
            let rows = rest.min(end - at);
            let along = if strip.is_multiple_of(2) { output } else { u64::MAX - output };
            parts.push(((strip, along, place), rows as u64));
            at += rows;
            rest -= rows;
        }
    }
    parts.sort_unstable();
    parts.into_iter().map(|((.., place), rows)| (place, rows)).collect()
}

/// A length within a range, every ratio as likely as every other of the same size.
fn within(range: &RangeInclusive<u32>, stream: &mut Stream) -> u64 {
    let unit = stream.unit();
    let (low, high) = (f64::from((*range.start()).max(1)), f64::from(*range.end()) + 1.0);
    let length = between(low, high, unit) as u64;
    length.clamp(u64::from(*range.start()), u64::from(*range.end()))
}

/// The number that a share of numbers between two is below, every ratio as likely as every other of the same size.
fn between(low: f64, high: f64, share: f64) -> f64 {
    low * libm::exp(share * libm::log(high / low))
}

/// Draws so many pairs of an assumed shape. Inputs and outputs know nothing of each other; each have one value in every n-th
/// part of their range.
pub(super) fn draw_assumed(input: Range, output: Option<Range>, n: u64, stream: &mut Stream) -> Vec<Pair> {
    let mut lengths = |range: Range| -> Vec<u64> {
        let share = |nth: u64, unit: f64| (nth as f64 + unit) / n as f64;
        (0..n).map(|nth| of_range(range, share(nth, stream.unit()))).collect()
    };
    let inputs = lengths(input);
    let mut outputs = output.map(lengths);
    if let Some(outputs) = &mut outputs {
        stream.shuffle(outputs);
    }
    let output = |at: usize| outputs.as_ref().and_then(|outputs| outputs.get(at).copied());
    inputs.iter().enumerate().map(|(at, input)| Pair { input: *input, output: output(at) }).collect()
}

/// The length that a share of a range lies below.
fn of_range(range: Range, share: f64) -> u64 {
    let [min, typical, max] = [range.min, range.typical, range.max].map(|length| f64::from(length.max(1)));
    let length = match share < 0.5 {
        true => between(min, typical, share * 2.0),
        false => between(typical, max, share * 2.0 - 1.0),
    };
    ((length + 0.5) as u64).clamp(u64::from(range.min), u64::from(range.max))
}

/// The share of a range that is drawn as this length or a shorter one.
pub(crate) fn below_of_range(range: Range, length: u64) -> f64 {
    let [min, typical, max] = [range.min, range.typical, range.max].map(|length| f64::from(length.max(1)));
    // Drawn lengths are rounded to the nearest token.
    let at = length as f64 + 0.5;
    let half = |low: f64, high: f64| match () {
        () if at >= high => 1.0,
        () if at <= low => 0.0,
        () => libm::log(at / low) / libm::log(high / low),
    };
    (half(min, typical) + half(typical, max)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bin(input: u32, output: u32, rows: u64) -> Bin {
        Bin { input: bin_range(input, 16), output: Some(bin_range(output, 16)), rows }
    }

    /// Rows of two lengths that go with each other loosely.
    fn wide() -> Vec<Bin> {
        let mut stream = Stream::new(7, "rows");
        let mut rows: Vec<(u32, u32)> = (0..5000)
            .map(|_| {
                let input = between(40.0, 30_000.0, (stream.unit() + stream.unit()) / 2.0) as u32;
                let output = between(5.0, 2000.0, (stream.unit() + f64::from(input) / 30_000.0) / 2.0) as u32;
                (*bin_range(input, 16).start(), *bin_range(output, 16).start())
            })
            .collect();
        rows.sort_unstable();
        rows.chunk_by(|one, other| one == other)
            .map(|same| bin(same[0].0, same[0].1, same.len() as u64))
            .collect()
    }

    fn quantile(mut values: Vec<u64>, share: f64) -> f64 {
        values.sort_unstable();
        values[((values.len() as f64 * share) as usize).min(values.len() - 1)] as f64
    }

    #[test]
    fn two_hundred_pairs_have_the_quantiles_of_all_rows() {
        let bins = wide();
        let mut all = Stream::new(9, "all");
        let rows: Vec<Pair> = draw(&bins, 5000, &mut all);
        for seed in 0..20 {
            let pairs = draw(&bins, 200, &mut Stream::new(seed, "few"));
            assert_eq!(pairs.len(), 200);
            for share in [0.1, 0.25, 0.5, 0.75, 0.9] {
                for (of, most) in [
                    (Box::new(|pair: &Pair| pair.input) as Box<dyn Fn(&Pair) -> u64>, 1.13),
                    (Box::new(|pair: &Pair| pair.output.unwrap_or(0)), 1.25),
                ] {
                    let found = quantile(pairs.iter().map(&of).collect(), share);
                    let known = quantile(rows.iter().map(&of).collect(), share);
                    let ratio = found.max(known) / found.min(known);
                    assert!(ratio < most, "seed {seed}, {share}: {found} where {known} is due");
                }
            }
        }
    }

    #[test]
    fn every_row_is_drawn_once_where_as_many_are_drawn_as_there_are() {
        let bins = [bin(10, 3, 5), bin(100, 7, 1), bin(5000, 900, 30)];
        let pairs = draw(&bins, 36, &mut Stream::new(1, "all"));
        for bin in &bins {
            let holds = |pair: &&Pair| {
                bin.input.contains(&(pair.input as u32))
                    && bin
                        .output
                        .as_ref()
                        .is_some_and(|output| output.contains(&(pair.output.unwrap_or(0) as u32)))
            };
            assert_eq!(pairs.iter().filter(holds).count() as u64, bin.rows);
        }
        assert!(draw(&[], 10, &mut Stream::new(1, "none")).is_empty());
        assert!(draw(&bins, 0, &mut Stream::new(1, "none")).is_empty());
    }

    #[test]
    fn half_of_an_assumed_range_lies_on_either_side_of_the_typical_length() {
        let range = Range { min: 100, typical: 1000, max: 64_000 };
        let pairs =
            draw_assumed(range, Some(Range { min: 1, typical: 1, max: 9 }), 1000, &mut Stream::new(1, "a"));
        let below = pairs.iter().filter(|pair| pair.input < 1000).count();
        assert!((495..=500).contains(&below), "{below}");
        assert!(pairs.iter().all(|pair| (100..=64_000).contains(&pair.input)));
        assert!(pairs.iter().all(|pair| pair.output.is_some_and(|output| (1..=9).contains(&output))));
        // They are drawn as their distribution says.
        for length in [100, 130, 999, 1000, 5000, 63_999, 64_000] {
            let drawn = pairs.iter().filter(|pair| pair.input <= length).count() as f64 / 1000.0;
            let due = below_of_range(range, length);
            assert!((drawn - due).abs() < 0.002, "{length}: {drawn} {due}");
        }
        assert_eq!(below_of_range(range, 99), 0.0);
        assert_eq!(below_of_range(Range { min: 5, typical: 5, max: 5 }, 5), 1.0);
        assert_eq!(below_of_range(Range { min: 5, typical: 5, max: 5 }, 4), 0.0);
    }
}
