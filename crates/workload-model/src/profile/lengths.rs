//! Lengths of inputs and outputs, together.

use metrics_core::six_decimals;

use super::{
    Cell, Lengths, bins,
    quantiles::{self, listed},
};
use crate::traffic::RowFacts;

/// Fewest rows of which a correlation is told.
const LEAST_OF_A_CORRELATION: usize = 10;

/// Lengths of these rows, which are gone over several times so that no more than 4 bytes of each are held at once.
pub(crate) fn of(rows: &(impl Iterator<Item = RowFacts> + Clone), bins_per_octave: u32) -> Lengths {
    let mut lengths = Lengths { bins_per_octave, ..Lengths::default() };
    for row in rows.clone() {
        *match kind(&row) {
            Kind::Both(..) => &mut lengths.both,
            Kind::Cut(..) => &mut lengths.cut,
            Kind::Input(_) => &mut lengths.input_only,
            Kind::Output => &mut lengths.output_only,
            Kind::Neither => &mut lengths.neither,
        } += 1;
    }
    lengths.input = quantiles::of_lengths(listed(rows.clone().filter_map(|row| row.input_tokens)));
    let whole = rows.clone().filter(|row| !row.output_cut);
    lengths.output = quantiles::of_lengths(listed(whole.filter_map(|row| row.output_tokens)));
    let both = rows.clone().filter_map(|row| match kind(&row) {
        Kind::Both(input, output) => Some((input, output)),
        _ => None,
    });
    let cut = rows.clone().filter_map(|row| match kind(&row) {
        Kind::Cut(input, output) => Some((input, output)),
        _ => None,
    });
    let input = rows.clone().filter_map(|row| match kind(&row) {
        Kind::Input(input) => Some((input, 0)),
        _ => None,
    });
    lengths.rank_correlation = rank_correlation(&both);
    lengths.cells = cells(both, bins_per_octave);
    lengths.cut_cells = cells(cut, bins_per_octave);
    lengths.input_cells = cells(input, bins_per_octave);
    lengths
}

/// What is known of a row's lengths.
enum Kind {
    Both(u32, u32),
    Cut(u32, u32),
    Input(u32),
    Output,
    Neither,
}

fn kind(row: &RowFacts) -> Kind {
    match (row.input_tokens, row.output_tokens) {
        (Some(input), Some(output)) if row.output_cut => Kind::Cut(input, output),
        (Some(input), Some(output)) => Kind::Both(input, output),
        (Some(input), None) => Kind::Input(input),
        (None, Some(_)) => Kind::Output,
        (None, None) => Kind::Neither,
    }
}

/// Pairs by their bins, in order.
fn cells(pairs: impl Iterator<Item = (u32, u32)> + Clone, bins_per_octave: u32) -> Vec<Cell> {
    let place = |length| u32::from(bins::place(length, bins_per_octave));
    let mut places = listed(pairs.map(|(input, output)| place(input) << 16 | place(output)));
    places.sort_unstable();
    let lowest = |place: u32| bins::at_place(place as u16, bins_per_octave);
    let same = places.chunk_by(|one, other| one == other);
    same.map(|same| Cell(lowest(same[0] >> 16), lowest(same[0] & 0xffff), same.len() as u64)).collect()
}

/// Spearman's rank correlation: Pearson's correlation of the ranks, equal values sharing the mean of their ranks (Kendall &
/// Gibbons, *Rank Correlation Methods*, 5th ed., chapter 3). The short form 1 − 6 Σd² / (n³ − n) holds without ties alone.
///
/// Ranks are held doubled, so that all sums are whole numbers.
fn rank_correlation(pairs: &(impl Iterator<Item = (u32, u32)> + Clone)) -> Option<f64> {
    let inputs = Ranks::of(listed(pairs.clone().map(|(input, _)| input)));
    let outputs = Ranks::of(listed(pairs.clone().map(|(_, output)| output)));
    if inputs.n < LEAST_OF_A_CORRELATION || inputs.spread() == 0 || outputs.spread() == 0 {
        return None;
    }
    let together: i128 =
        pairs.clone().map(|(input, output)| inputs.offset(input) * outputs.offset(output)).sum();
    let spread = (inputs.spread() as f64).sqrt() * (outputs.spread() as f64).sqrt();
    Some(six_decimals(together as f64 / spread).clamp(-1.0, 1.0))
}

/// Ranks of values: each that occurs, with how often and with the sum of its first and its last rank.
struct Ranks {
    n: usize,
    values: Vec<(u32, u32, u64)>,
}

impl Ranks {
    fn of(mut values: Vec<u32>) -> Self {
        values.sort_unstable();
        let n = values.len();
        let mut before = 0;
        let ranked = values.chunk_by(|one, other| one == other).map(|same| {
            let doubled = 2 * before as u64 + same.len() as u64 + 1;
            before += same.len();
            (same[0], same.len() as u32, doubled)
        });
        Self { values: ranked.collect(), n }
    }

    /// How far a value's doubled rank lies from the mean of all.
    fn offset(&self, value: u32) -> i128 {
        let at = self.values.partition_point(|(other, ..)| *other < value);
        self.values.get(at).map_or(0, |(.., doubled)| i128::from(*doubled) - self.n as i128 - 1)
    }

    fn spread(&self) -> i128 {
        let square = |doubled: u64| (i128::from(doubled) - self.n as i128 - 1).pow(2);
        self.values.iter().map(|(_, count, doubled)| i128::from(*count) * square(*doubled)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the definition: ranks counted one by one.
    fn oracle(pairs: &[(u32, u32)]) -> f64 {
        let rank = |all: Vec<u32>, value: u32| {
            let below = all.iter().filter(|other| **other < value).count() as f64;
            let same = all.iter().filter(|other| **other == value).count() as f64;
            below + (same + 1.0) / 2.0
        };
        let inputs = || pairs.iter().map(|pair| pair.0).collect::<Vec<_>>();
        let outputs = || pairs.iter().map(|pair| pair.1).collect::<Vec<_>>();
        let ranks: Vec<(f64, f64)> =
            pairs.iter().map(|pair| (rank(inputs(), pair.0), rank(outputs(), pair.1))).collect();
        let n = ranks.len() as f64;
        let mean = (n + 1.0) / 2.0;
        let sum = |of: fn(f64, f64) -> f64| ranks.iter().map(|(x, y)| of(x - mean, y - mean)).sum::<f64>();
        sum(|x, y| x * y) / (sum(|x, _| x * x) * sum(|_, y| y * y)).sqrt()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_rank_correlation_is_that_of_its_definition(pairs in proptest::collection::vec((0_u32..8, 0_u32..30), 10..40)) {
            let found = rank_correlation(&pairs.iter().copied());
            let expected = oracle(&pairs);
            match found {
                Some(found) => prop_assert!((found - expected).abs() < 1e-6, "{found} {expected}"),
                None => prop_assert!(expected.is_nan()),
            }
        }

        #[test]
        fn cells_hold_every_pair_once_and_stand_in_order(pairs in proptest::collection::vec((0_u32..5000, any::<u32>()), 0..60)) {
            let cells = cells(pairs.iter().copied(), 16);
            prop_assert!(cells.is_sorted_by(|one, other| (one.0, one.1) < (other.0, other.1)));
            for Cell(input, output, rows) in &cells {
                let inside = pairs.iter().filter(|pair| {
                    bins::bin_range(*input, 16).contains(&pair.0) && bins::bin_range(*output, 16).contains(&pair.1)
                });
                prop_assert_eq!(inside.count() as u64, *rows);
            }
            prop_assert_eq!(cells.iter().map(|cell| cell.2).sum::<u64>(), pairs.len() as u64);
        }
    }

    #[test]
    fn a_correlation_of_few_rows_or_of_one_length_is_none() {
        let rising = |n: u32| (0..n).map(|at| (at, at * at)).collect::<Vec<_>>();
        assert_eq!(rank_correlation(&rising(9).into_iter()), None);
        assert_eq!(rank_correlation(&rising(10).into_iter()), Some(1.0));
        assert_eq!(rank_correlation(&(0..20).map(|at| (7, at))), None);
    }
}
