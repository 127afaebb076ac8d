//! How many requests a limit on a percentile needs, and what a number of requests can say at best.
//!
//! `cargo run -p metrics-core --example how_many`
#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

use metrics_core::{Percent, bound_ranks, further_requests, success_rate_low};

fn main() {
    let percents =
        [("P50", Percent::P50), ("P90", Percent::P90), ("P95", Percent::P95), ("P99", Percent::P99)];

    println!("requests needed to support a limit, by how many of them exceed it");
    println!("exceeding{}", percents.map(|(name, _)| format!("{name:>8}")).concat());
    for exceeding in [0, 1, 2, 5, 10] {
        // Starting from the smallest sample that such a number can come from.
        let needed = percents.map(|(_, percent)| match smallest_sample(exceeding, percent) {
            Some(n) => format!("{n:>8}"),
            None => format!("{:>8}", "-"),
        });
        println!("{exceeding:>9}{}", needed.concat());
    }

    println!(
        "\nupper bound of a percentile, as a rank among n values; and the success rate that n of n supports"
    );
    println!("        n{}   success", percents.map(|(name, _)| format!("{name:>8}")).concat());
    for n in [20, 40, 72, 180, 400, 1_000] {
        let ranks = percents.map(|(_, percent)| match bound_ranks(n, percent).1 {
            Some(rank) => format!("{rank:>8}"),
            None => format!("{:>8}", "none"),
        });
        let low = success_rate_low(n, n).unwrap_or_default();
        println!("{n:>9}{}   ≥{:>5.1} %", ranks.concat(), low * 100.0);
    }
}

/// The smallest n of which `exceeding` requests support the limit.
fn smallest_sample(exceeding: u64, percent: Percent) -> Option<u64> {
    // A sample in which the share that exceeds is exactly the allowed one decides nothing yet.
    let undecided = exceeding * 1_000 / u64::from(percent.complement().per_mille());
    Some(undecided + further_requests(undecided, exceeding, percent)?)
}
