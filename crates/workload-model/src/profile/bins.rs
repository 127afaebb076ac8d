//! Bins of lengths, as HdrHistogram has them: exact while small, and a fixed number an octave above.

use std::ops::RangeInclusive;

/// Bins an octave, where nobody says otherwise: a bin is at most 1/16 (6.25 %) of its lengths wide.
pub const BINS_PER_OCTAVE: u32 = 16;

/// Most bins an octave.
const MOST: u32 = 1024;

/// Whether this may be a number of bins an octave: a power of two up to 1024.
#[must_use]
pub fn is_bins_per_octave(bins: u32) -> bool {
    bins.is_power_of_two() && bins <= MOST
}

/// The lowest length of the bin in which a length lies. Lengths below `2 * bins_per_octave` have a bin each; from there on
/// each octave has `bins_per_octave` of them, all of one width.
///
/// A number that is none of bins an octave ([`is_bins_per_octave`]) is taken as the next lower one that is.
///
/// ```
/// use workload_model::profile::bin_of;
///
/// assert_eq!([31, 32, 33, 34, 1000].map(|length| bin_of(length, 16)), [31, 32, 32, 34, 992]);
/// ```
#[must_use]
pub fn bin_of(length: u32, bins_per_octave: u32) -> u32 {
    let shift = shift(length, bins_per_octave);
    (length >> shift) << shift
}

/// The lengths of the bin in which a length lies.
#[must_use]
pub fn bin_range(length: u32, bins_per_octave: u32) -> RangeInclusive<u32> {
    let shift = shift(length, bins_per_octave);
    let lowest = (length >> shift) << shift;
    lowest..=lowest | ((1 << shift) - 1)
}

/// How many low bits of a length its bin leaves out.
fn shift(length: u32, bins_per_octave: u32) -> u32 {
    let octave = |value: u32| value.max(1).ilog2();
    octave(length).saturating_sub(octave(bins_per_octave.min(MOST)))
}

/// The place of a length's bin among all bins; longer lengths are never in an earlier one.
pub(crate) fn place(length: u32, bins_per_octave: u32) -> u16 {
    let shift = shift(length, bins_per_octave);
    let bins = 1 << bins_per_octave.clamp(1, MOST).ilog2();
    // With at most 1024 bins an octave the last place is 21 * 1024 + 2047.
    u16::try_from(shift * bins + (length >> shift)).unwrap_or(u16::MAX)
}

/// The lowest length of the bin at a place.
pub(crate) fn at_place(place: u16, bins_per_octave: u32) -> u32 {
    let bins = 1_u32 << bins_per_octave.clamp(1, MOST).ilog2();
    let place = u32::from(place);
    let shift = (place / bins).saturating_sub(1);
    (place - shift * bins) << shift
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Octaves and bins as they are defined, without bits.
    fn lowest_of_all(bins: u32) -> Vec<u64> {
        let mut lowest: Vec<u64> = (0..u64::from(2 * bins)).collect();
        let (mut octave, mut width) = (u64::from(2 * bins), 2);
        while octave <= u64::from(u32::MAX) {
            lowest.extend((0..u64::from(bins)).map(|bin| octave + bin * width));
            (octave, width) = (octave * 2, width * 2);
        }
        lowest
    }

    #[test]
    fn every_boundary_is_where_the_definition_has_it() {
        for bins in [1, 2, 16, 1024] {
            let lowest = lowest_of_all(bins);
            let ends = lowest.iter().skip(1).map(|next| next - 1).chain([u64::from(u32::MAX)]);
            for (at, (low, high)) in lowest.iter().zip(ends).enumerate() {
                let (low, high) = (*low as u32, high as u32);
                for length in [low, low + (high - low) / 2, high] {
                    assert_eq!(bin_of(length, bins), low, "{length} of {bins}");
                    assert_eq!(bin_range(length, bins), low..=high, "{length} of {bins}");
                    assert_eq!(usize::from(place(length, bins)), at, "{length} of {bins}");
                }
                assert_eq!(at_place(at as u16, bins), low, "{at} of {bins}");
            }
        }
    }

    #[test]
    fn no_bin_is_wider_than_a_sixteenth_of_its_lengths() {
        for low in lowest_of_all(16).into_iter().map(|low| low as u32) {
            let range = bin_range(low, 16);
            assert!(u64::from(range.end() - range.start()) * 16 < u64::from(low).max(16), "{low}");
        }
    }

    #[test]
    fn what_is_no_number_of_bins_is_taken_as_one() {
        assert!(is_bins_per_octave(16) && !is_bins_per_octave(0) && !is_bins_per_octave(17));
        assert!(!is_bins_per_octave(2048));
        assert_eq!(bin_of(1000, 17), bin_of(1000, 16));
        assert_eq!(place(1000, 17), place(1000, 16));
        assert_eq!(bin_of(7, 0), bin_of(7, 1));
    }
}
