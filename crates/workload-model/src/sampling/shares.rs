//! Whole numbers in given proportions.

/// Parts a number by weights: each part is its share of it, rounded down, and what is left goes to those with the largest
/// remainders (Hamilton's method), the first of equal ones. All are 0 where no weight is above 0.
pub(super) fn by_largest_remainder(all: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return vec![0; weights.len()];
    }
    let quota = |weight: &f64| all as f64 * (weight / sum);
    let mut parts: Vec<u64> = weights.iter().map(|weight| quota(weight) as u64).collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|at| weights[*at] > 0.0).collect();
    let remainder = |at: &usize| quota(&weights[*at]) - parts[*at] as f64;
    let remainders: Vec<f64> = order.iter().map(remainder).collect();
    let mut ranked: Vec<(f64, usize)> = remainders.into_iter().zip(order.drain(..)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let left = all.saturating_sub(parts.iter().sum());
    for (_, at) in ranked.into_iter().cycle().take(usize::try_from(left).unwrap_or(0)) {
        parts[at] += 1;
    }
    parts
}

/// The same, but every part with a weight is 1 at least, as far as there is enough: the largest parts give what is missing.
pub(super) fn with_one_each(all: u64, weights: &[f64]) -> Vec<u64> {
    let mut parts = by_largest_remainder(all, weights);
    for at in 0..parts.len() {
        if parts[at] > 0 || weights[at] <= 0.0 {
            continue;
        }
        let largest = (0..parts.len()).max_by_key(|other| (parts[*other], std::cmp::Reverse(*other)));
        if let Some(largest) = largest.filter(|largest| parts[*largest] > 1) {
            parts[largest] -= 1;
            parts[at] = 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_shares_and_make_the_whole() {
        assert_eq!(by_largest_remainder(10, &[0.5, 0.25, 0.25]), [5, 3, 2]);
        assert_eq!(by_largest_remainder(100, &[0.7, 0.0, 0.2999, 0.0001]), [70, 0, 30, 0]);
        assert_eq!(by_largest_remainder(7, &[0.0, 0.0]), [0, 0]);
        assert_eq!(by_largest_remainder(3, &[1e-9, 1e-9, 1e-9]), [1, 1, 1]);
        for all in 0..50 {
            assert_eq!(by_largest_remainder(all, &[0.61, 0.17, 0.13, 0.09]).iter().sum::<u64>(), all);
        }
    }

    #[test]
    fn every_group_is_there_as_far_as_there_is_enough() {
        assert_eq!(with_one_each(100, &[0.7, 0.0, 0.2999, 0.0001]), [69, 0, 30, 1]);
        assert_eq!(with_one_each(3, &[0.98, 0.01, 0.005, 0.005]), [1, 1, 1, 0]);
        assert_eq!(with_one_each(0, &[1.0, 1.0]), [0, 0]);
    }
}
