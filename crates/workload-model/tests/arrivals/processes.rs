//! Each process is the one that it is called.

use workload_model::Arrival;

use crate::{
    first,
    statistics::{
        KS_BOUND, counts, dispersion, exponential, gamma, gaps, kolmogorov_smirnov, lag_one, mean, variance,
    },
};

const COUNT: usize = 200_000;
/// Three and a half standard deviations: four in ten thousand lie outside.
const DEVIATIONS: f64 = 3.5;

/// The mean of the gaps lies where chance may put it. `dispersion` is that of counts over a long time.
fn has_rate(instants: &[u64], rate: f64, dispersion: f64) -> bool {
    let seconds = instants[instants.len() - 1] as f64 / 1e6;
    let expected = rate * seconds;
    let one_at_the_start = 1.5;
    (instants.len() as f64 - expected).abs() < DEVIATIONS * (dispersion * expected).sqrt() + one_at_the_start
}

/// Neighbouring gaps have nothing to do with each other.
fn is_independent(gaps: &[f64]) -> bool {
    lag_one(gaps).abs() < DEVIATIONS / (gaps.len() as f64).sqrt()
}

#[test]
fn constant_arrivals_are_constant() {
    let instants = first(Arrival::Constant, 7.0, 1, COUNT);
    for (number, at) in instants.iter().enumerate() {
        let exact = number as f64 * 1e6 / 7.0;
        assert!((*at as f64 - exact).abs() <= 0.5, "{number}: {at} instead of {exact}");
    }
    assert!(dispersion(&instants, 10_000_000) < 0.05);
    assert!(has_rate(&instants, 7.0, 0.0));
    // What these checks are worth.
    let poisson = first(Arrival::Poisson, 7.0, 1, COUNT);
    assert!(dispersion(&poisson, 10_000_000) > 0.9);
    assert!(!has_rate(&poisson, 7.0, 0.0));
}

#[test]
fn poisson_arrivals_have_independent_exponential_gaps() {
    for seed in 1..=5 {
        let instants = first(Arrival::Poisson, 40.0, seed, COUNT);
        let gaps = gaps(&instants);
        let distance = kolmogorov_smirnov(&gaps, exponential(25_000.0));
        assert!(distance < KS_BOUND, "seed {seed}: {distance}");
        assert!(is_independent(&gaps), "seed {seed}: {}", lag_one(&gaps));
        assert!(has_rate(&instants, 40.0, 1.0), "seed {seed}");
        for window in [250_000, 2_500_000] {
            let (found, windows) = (dispersion(&instants, window), counts(&instants, window).len() as f64);
            let allowed = DEVIATIONS * (2.0 / windows).sqrt();
            assert!((found - 1.0).abs() < allowed, "seed {seed}, windows of {window}: {found}");
        }
    }
}

#[test]
fn the_checks_of_poisson_arrivals_refuse_every_other_process() {
    let distance = |instants: &[u64]| kolmogorov_smirnov(&gaps(instants), exponential(25_000.0));
    assert!(distance(&first(Arrival::Constant, 40.0, 1, COUNT)) > 100.0 * KS_BOUND);
    assert!(distance(&first(Arrival::Gamma { gap_cv: 1.1 }, 40.0, 1, COUNT)) > KS_BOUND);
    assert!(distance(&first(Arrival::Poisson, 41.0, 1, COUNT)) > KS_BOUND);
    let bursts = first(Arrival::Bursts { times: 3.0, share: 0.2, mean_s: 5.0 }, 40.0, 1, COUNT);
    assert!(distance(&bursts) > KS_BOUND);
    assert!(!is_independent(&gaps(&bursts)));
    assert!(dispersion(&bursts, 2_500_000) > 1.5);
    assert!(!has_rate(&first(Arrival::Poisson, 41.0, 1, COUNT), 40.0, 1.0));
}

#[test]
fn gamma_arrivals_have_independent_gamma_gaps_of_their_variation() {
    for (gap_cv, rate) in [(0.3, 5.0), (0.7, 40.0), (1.0, 40.0), (2.0, 40.0), (4.0, 11.0)] {
        let instants = first(Arrival::Gamma { gap_cv }, rate, 1, COUNT);
        let gaps = gaps(&instants);
        let mean_gap = 1e6 / rate;
        let distance = kolmogorov_smirnov(&gaps, gamma(mean_gap, gap_cv));
        assert!(distance < KS_BOUND, "{gap_cv}: {distance}");
        let found = variance(&gaps).sqrt() / mean(&gaps);
        assert!((found / gap_cv - 1.0).abs() < 0.03, "{gap_cv}: {found}");
        assert!(is_independent(&gaps), "{gap_cv}: {}", lag_one(&gaps));
        assert!(has_rate(&instants, rate, gap_cv * gap_cv), "{gap_cv}");
        let found = dispersion(&instants, (500.0 * mean_gap) as u64);
        assert!((found / (gap_cv * gap_cv) - 1.0).abs() < 0.25, "{gap_cv}: dispersion {found}");
    }
    let other = first(Arrival::Gamma { gap_cv: 2.0 }, 40.0, 1, COUNT);
    assert!(kolmogorov_smirnov(&gaps(&other), gamma(25_000.0, 2.1)) > KS_BOUND);
    assert!(kolmogorov_smirnov(&gaps(&other), exponential(25_000.0)) > KS_BOUND);
}

/// Begun with an arrival, a process of variation 4 would have 8 arrivals too many on average, all at the beginning.
#[test]
fn gamma_arrivals_are_as_many_from_the_first_second_on() {
    let of_first_second = |seed| {
        let instants = first(Arrival::Gamma { gap_cv: 2.0 }, 20.0, seed, 400);
        instants.iter().filter(|at| **at < 1_000_000).count() as f64
    };
    let counts: Vec<f64> = (1..=4_000).map(of_first_second).collect();
    let allowed = DEVIATIONS * (variance(&counts) / counts.len() as f64).sqrt();
    let found = mean(&counts);
    assert!((found - 20.0).abs() < allowed, "{found} ± {allowed}");
    assert!(allowed < 0.8, "an excess of (4 − 1) / 2 would be seen: {allowed}");
}

#[test]
fn bursts_have_the_rates_the_shares_and_the_dispersion_of_their_formulas() {
    let (rate, times, share, mean_s) = (100.0, 50.0, 0.1, 1.0);
    let low = rate / (1.0 - share + times * share);
    let high = low * times;
    let sigma = 1.0 / (mean_s * (1.0 - share));
    let instants = first(Arrival::Bursts { times, share, mean_s }, rate, 1, 1_000_000);

    // 17 arrivals in 20 ms of a burst, 0.3 in 20 ms between two.
    let counts = counts(&instants, 20_000);
    let in_bursts: Vec<f64> = counts.iter().copied().filter(|count| *count > 5.0).collect();
    let time = in_bursts.len() as f64 / counts.len() as f64;
    assert!((time / share - 1.0).abs() < 0.1, "share of time in bursts: {time}");
    let arrivals = in_bursts.iter().sum::<f64>() / counts.iter().sum::<f64>();
    let expected = share * high / rate;
    assert!((arrivals / expected - 1.0).abs() < 0.03, "share of arrivals in bursts: {arrivals}, {expected}");
    let within = mean(&in_bursts) * 50.0;
    assert!((within / high - 1.0).abs() < 0.04, "rate within bursts: {within} instead of {high}");

    for seconds in [0.2, 1.0, 10.0] {
        let st = sigma * seconds;
        let excess = 2.0 * share * (1.0 - share) * (high - low).powi(2) / (rate * sigma);
        let expected = 1.0 + excess * (1.0 - (1.0 - f64::exp(-st)) / st);
        let found = dispersion(&instants, (seconds * 1e6) as u64);
        assert!((found / expected - 1.0).abs() < 0.2, "{seconds} s: {found} instead of {expected}");
        let poisson = dispersion(&first(Arrival::Poisson, rate, 1, COUNT), (seconds * 1e6) as u64);
        assert!(poisson < expected / 10.0, "a Poisson process has {poisson}");
    }
    let long_run = 1.0 + 2.0 * share * (1.0 - share) * (high - low).powi(2) / (rate * sigma);
    assert!(has_rate(&instants, rate, long_run));
}

/// What a run sees first depends on the state in which bursts begin: that of their share of time, in the mean.
#[test]
fn bursts_begin_in_a_burst_as_often_as_there_is_one() {
    let begins_high = |seed| {
        let instants = first(Arrival::Bursts { times: 1000.0, share: 0.25, mean_s: 60.0 }, 100.0, seed, 50);
        f64::from(instants[49] < 1_000_000)
    };
    let share = mean(&(1..=2_000).map(begins_high).collect::<Vec<_>>());
    assert!((share - 0.25).abs() < 0.034, "{share}");
}

#[test]
fn no_process_ever_steps_back() {
    for arrival in [
        Arrival::Constant,
        Arrival::Poisson,
        Arrival::Gamma { gap_cv: 8.0 },
        Arrival::Gamma { gap_cv: 0.01 },
        Arrival::Bursts { times: 500.0, share: 0.01, mean_s: 0.1 },
    ] {
        for rate in [0.001, 1.0, 50_000.0] {
            let instants = first(arrival, rate, 1, 20_000);
            assert!(instants.is_sorted(), "{arrival:?} at {rate}");
        }
    }
}
