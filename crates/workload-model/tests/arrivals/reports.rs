//! What public reports tell of other tools, each as a test that it is not so here.

use workload_model::Arrival;

use crate::{
    first,
    statistics::{dispersion, gaps, mean, variance},
};

/// A rate of 1 became 3,787 requests a second (kubernetes-sigs/inference-perf#141).
#[test]
fn inference_perf_141_a_rate_of_one_is_one_a_second() {
    for arrival in [
        Arrival::Constant,
        Arrival::Poisson,
        Arrival::Gamma { gap_cv: 1.5 },
        Arrival::Bursts { times: 5.0, share: 0.2, mean_s: 10.0 },
    ] {
        let instants = first(arrival, 1.0, 1, 20_000);
        let a_second = 20_000.0 / (instants[19_999] as f64 / 1e6);
        assert!((a_second - 1.0).abs() < 0.1, "{arrival:?}: {a_second} a second");
    }
}

/// "constant" had exponential gaps (inference-perf).
#[test]
fn constant_gaps_differ_by_no_more_than_rounding() {
    let gaps = gaps(&first(Arrival::Constant, 3.0, 1, 10_000));
    let (least, most) =
        gaps.iter().fold((f64::MAX, 0.0_f64), |(least, most), gap| (least.min(*gap), most.max(*gap)));
    assert!(most - least <= 1.0, "from {least} to {most}");
}

/// Gaps were rescaled until the run lasted exactly requests / rate (vLLM, EvalScope), which takes from a Poisson process what
/// makes it one: how long a hundred arrivals take must differ from run to run, by a tenth.
#[test]
fn a_poisson_run_is_not_rescaled_to_its_mean() {
    let lasts: Vec<f64> =
        (1..=2_000).map(|seed| first(Arrival::Poisson, 10.0, seed, 100)[99] as f64 / 1e6).collect();
    let (found, deviation) = (mean(&lasts), variance(&lasts).sqrt());
    assert!((found - 10.0).abs() < 0.08, "{found} s");
    assert!((deviation - 1.0).abs() < 0.06, "{deviation} s");
}

/// What is taken of a process does not depend on how much is taken.
#[test]
fn a_longer_run_begins_as_a_shorter_one() {
    for arrival in [Arrival::Poisson, Arrival::Gamma { gap_cv: 2.0 }] {
        assert_eq!(first(arrival, 10.0, 1, 1_000)[..100], first(arrival, 10.0, 1, 100));
    }
}

/// The same random seed in every worker sent every request several times at once (GuideLLM). Streams of other names, and of
/// other seeds, have nothing in common.
#[test]
fn two_seeds_share_no_instant() {
    let (one, two) = (first(Arrival::Poisson, 1.0, 1, 500), first(Arrival::Poisson, 1.0, 2, 500));
    assert!(one.iter().all(|at| !two.contains(at)));
    let mut both = [one, two].concat();
    both.sort_unstable();
    let found = dispersion(&both, 10_000_000);
    assert!(found < 2.0, "both together are Poisson again, not pairs: {found}");
}
