//! What arrivals are looked at with. The mathematics here is the platform's: no figure of it leaves a test.

/// Gaps between arrivals, in microseconds; that from the start to the first one is left out.
pub(crate) fn gaps(instants: &[u64]) -> Vec<f64> {
    instants.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
}

/// Arrivals in windows of a length, in microseconds; the last one, which is not whole, is left out.
pub(crate) fn counts(instants: &[u64], window: u64) -> Vec<f64> {
    let windows = instants.last().map_or(0, |last| last / window) as usize;
    let mut counts = vec![0.0; windows];
    for at in instants {
        if let Some(count) = counts.get_mut((at / window) as usize) {
            *count += 1.0;
        }
    }
    counts
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

/// Index of dispersion of counts: variance over mean. 1 of a Poisson process, 0 of one without any chance.
pub(crate) fn dispersion(instants: &[u64], window: u64) -> f64 {
    let counts = counts(instants, window);
    variance(&counts) / mean(&counts)
}

/// Correlation of every value with the one after it.
pub(crate) fn lag_one(values: &[f64]) -> f64 {
    let mean = mean(values);
    let products = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean));
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    products.sum::<f64>() / squares
}

/// Kolmogorov and Smirnov: the largest distance between the values and a distribution, times the root of their number.
/// Values of that distribution exceed 1.95 once in a thousand times.
///
/// Gaps between whole microseconds are up to one shorter or longer than they were drawn, and are held against the
/// distribution there: where many are shorter than a microsecond, they would all be off at 0 otherwise.
pub(crate) fn kolmogorov_smirnov(values: &[f64], distribution: impl Fn(f64) -> f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let mut below = 0.0;
    let mut farthest = 0.0_f64;
    for same in sorted.chunk_by(|one, other| one == other) {
        let above = below + same.len() as f64 / count;
        let (least, most) = (distribution(same[0] - 1.0), distribution(same[0] + 1.0));
        farthest = farthest.max(least - below).max(above - most);
        below = above;
    }
    farthest * count.sqrt()
}

/// One in a thousand, see [`kolmogorov_smirnov`].
pub(crate) const KS_BOUND: f64 = 1.95;

/// The exponential distribution of a mean.
pub(crate) fn exponential(mean: f64) -> impl Fn(f64) -> f64 {
    move |value| 1.0 - (-value.max(0.0) / mean).exp()
}

/// The gamma distribution of a mean and a coefficient of variation.
pub(crate) fn gamma(mean: f64, cv: f64) -> impl Fn(f64) -> f64 {
    let shape = 1.0 / (cv * cv);
    move |value| incomplete_gamma(shape, value * shape / mean)
}

/// The regularised lower incomplete gamma function P(a, x): the series below a + 1, Lentz's continued fraction above
/// (Press et al., Numerical Recipes, 6.2).
fn incomplete_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum) = (1.0 / a, 1.0 / a);
        let mut n = a;
        while term > sum * 1e-15 {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return front * sum;
    }
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / 1e-300;
    let mut d = 1.0 / b;
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - front * fraction
}

#[test]
fn the_incomplete_gamma_function_has_the_values_of_the_tables() {
    for (a, x, value) in [
        (1.0, 1.0, 0.632_120_558_8),
        (0.5, 0.5, 0.682_689_492_1),
        (2.0, 3.0, 0.800_851_726_5),
        (9.0, 5.0, 0.068_093_636_1),
        (0.25, 4.0, 0.998_457_3),
    ] {
        let found = incomplete_gamma(a, x);
        assert!((found - value).abs() < 1e-7, "P({a}, {x}) = {found}, not {value}");
    }
}
