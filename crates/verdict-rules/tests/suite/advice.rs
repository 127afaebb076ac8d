//! The recommended tier, the boundary, and the reasons that are given for them.

use verdict_rules::{Advice, AdvisedBy, DEFAULT_TIER, advise};

use crate::run::{Run, SWEEP, TierSpec, http_error, not_sent, uncounted};

fn sweep_with(changed: &[TierSpec]) -> Run {
    let mut tiers = SWEEP;
    for spec in changed {
        for tier in tiers.iter_mut().filter(|tier| tier.0 == spec.0) {
            *tier = *spec;
        }
    }
    Run::of(&tiers)
}

fn advice(run: &Run, agreement: &str) -> Advice {
    let advice = advise(&run.case(agreement));
    assert!(!advice.reason.en.is_empty() && !advice.reason.zh.is_empty());
    advice
}

#[test]
fn the_default_is_confirmed_with_its_figures() {
    let advice = advice(&Run::sweep(), "");
    assert_eq!((advice.interactive, advice.boundary), (Some(DEFAULT_TIER), Some(16)));
    assert_eq!((advice.by, advice.by_rule), (AdvisedBy::Rule, None));
    for (text, expected) in [
        (
            &advice.reason.en,
            "the median TTFT at C4 is 0.390 s (1.95 times; 2.0 allowed, or under 0.5 s), and the median end-to-end time per output token 0.0140 s (1.40 times; 1.5 allowed)",
        ),
        (&advice.reason.zh, "C4 的首 Token 时延中位数为 0.390 秒（1.95 倍，允许 2.0 倍或低于 0.5 秒）"),
        (&advice.reason.en, "C4 and every lower tier meet the 100% success target."),
        (&advice.reason.zh, "C4 及以下各档成功率达到目标 100%。"),
        (&advice.reason.en, "Concurrency beyond C16 needs another test."),
        (&advice.reason.zh, "C16 以上的并发需另行测试。"),
        (&advice.reason.en, "a property of capacity, not a fault"),
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text:?}");
    }
}

#[test]
fn what_the_growth_rule_gives() {
    for (name, changed, interactive, supported) in [
        ("as measured", vec![], Some(4), Some(4)),
        ("over twice, yet under the floor", vec![(4, 20, 499, 1_400)], Some(4), Some(4)),
        ("over twice and at the floor", vec![(4, 20, 500, 1_400)], Some(2), Some(2)),
        ("end-to-end time per token grew too much", vec![(4, 20, 390, 1_501)], Some(2), Some(2)),
        ("just bearable", vec![(4, 20, 390, 1_500)], Some(4), Some(4)),
        ("a higher tier is only supported", vec![(8, 40, 395, 1_450)], Some(4), Some(8)),
        ("no further than without a gap", vec![(16, 80, 395, 1_450)], Some(4), Some(4)),
        ("nothing above the lowest stands", vec![(2, 20, 900, 3_000), (4, 20, 900, 3_000)], Some(1), Some(1)),
    ] {
        let advice = advice(&sweep_with(&changed), "");
        assert_eq!((advice.interactive, advice.supported_up_to), (interactive, supported), "{name}");
    }
}

#[test]
fn success_bounds_both_ends() {
    for (name, failing, interactive, boundary) in [
        ("the highest tier", 16, Some(4), Some(8)),
        ("the default", 4, Some(2), Some(16)),
        ("a lower tier takes the higher ones with it", 2, Some(1), Some(16)),
        ("the lowest", 1, None, Some(16)),
    ] {
        let mut run = Run::sweep();
        run.first(failing, 1).for_each(http_error);
        let advice = advice(&run, "");
        assert_eq!((advice.interactive, advice.boundary), (interactive, boundary), "{name}");
    }
}

#[test]
fn other_sweeps() {
    let flat = |tier: u32| (tier, 20, 200, 1_000);
    let of = |tiers: &[u32]| {
        let tiers: Vec<TierSpec> = tiers.iter().copied().map(flat).collect();
        let advice = advice(&Run::of(&tiers), "");
        (advice.interactive, advice.boundary, advice.supported_up_to)
    };
    assert_eq!(of(&[4, 1, 2]), (Some(4), Some(4), Some(4)), "the order in which they ran does not matter");
    assert_eq!(of(&[1, 3, 8]), (Some(3), Some(8), Some(8)), "the default was not tested");
    assert_eq!(of(&[8, 16]), (None, Some(16), None), "nothing up to the default was tested");
    assert_eq!(of(&[]), (None, None, None));
    let mut run = Run::sweep();
    run.all().for_each(uncounted);
    assert_eq!(advice(&run, "").interactive, None, "growth per token cannot be told without counts");
}

/// Where throughput rose by no more than 5 %, at any tier and not only up to the top.
#[test]
fn every_tier_at_which_throughput_levelled_off_is_named() {
    // Twice the load in twice the time gives the same rate.
    for (name, tiers, expected) in [
        ("never", vec![(1, 20, 200, 1_000), (2, 20, 200, 1_000), (4, 40, 200, 1_000)], vec![]),
        ("at the top", vec![(1, 20, 200, 1_000), (2, 20, 200, 1_000), (4, 40, 200, 2_000)], vec![4]),
        ("everywhere", vec![(1, 20, 200, 1_000), (2, 20, 200, 2_000), (4, 40, 200, 4_000)], vec![2, 4]),
        ("at a step", vec![(1, 20, 200, 1_000), (2, 20, 200, 2_000), (4, 40, 200, 1_500)], vec![2]),
    ] {
        let advice = advice(&Run::of(&tiers), "");
        let found: Vec<u32> = advice.levelled_off.iter().map(|level| level.tier).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(advice.levelled_off_at, expected.first().copied(), "{name}");
        assert_eq!(advice.reason.en.matches("Throughput had levelled off").count(), expected.len(), "{name}");
    }
}

/// The service collapses at C2: that is neither a plateau nor the price of capacity.
#[test]
fn a_collapse_is_reported_and_not_excused() {
    let collapsed = Run::of(&[(1, 20, 200, 1_000), (2, 20, 2_000, 12_000)]);
    let advice = advice(&collapsed, "");
    let [level] = advice.levelled_off.as_slice() else { panic!("{:?}", advice.levelled_off) };
    assert_eq!((level.tier, level.before), (2, 1));
    assert!((-0.9..-0.8).contains(&level.gain), "{level:?}");
    for expected in
        ["The sustained Output TPS at C2 is 8", "below that at C1: more concurrency brought no more output."]
    {
        assert!(advice.reason.en.contains(expected), "{}", advice.reason.en);
    }
    assert!(advice.reason.zh.contains("C2 的持续 Output TPS 较 C1 下降 8"), "{}", advice.reason.zh);
    assert!(advice.reason.zh.contains("提高并发未带来更多产出"));
    assert!(!advice.reason.zh.contains("并非故障") && !advice.reason.en.contains("not a fault"));
    assert_eq!(advice.boundary, Some(2), "its success still meets the target");
}

/// A tier without the figure is left out of the comparison, and hides nothing.
#[test]
fn a_tier_that_did_not_finish_hides_no_collapse_and_is_not_tested() {
    let mut run = Run::of(&[
        (1, 20, 200, 1_000),
        (2, 20, 2_000, 12_000),
        (4, 20, 390, 1_400),
        (8, 40, 700, 1_800),
        (16, 80, 1_500, 2_600),
    ]);
    run.interrupted = true;
    for (tier, requests) in [(4, 15), (8, 40), (16, 80)] {
        run.first(tier, requests).for_each(not_sent);
    }
    let case = run.case("");
    let run_tiers: Vec<u32> = case.tiers_run().iter().map(|tier| tier.concurrency).collect();
    assert_eq!((run_tiers.as_slice(), case.highest_finished()), ([1, 2, 4].as_slice(), Some(2)));
    let advice = advice(&run, "");
    assert_eq!(advice.levelled_off_at, Some(2));
    assert_eq!((advice.interactive, advice.boundary), (Some(1), Some(2)));
    for (text, expected) in [
        (
            &advice.reason.en,
            "The highest tier that finished is C2, and concurrency beyond it needs another test; C4, C8 and C16 were not finished, and nothing is concluded from that.",
        ),
        (&advice.reason.zh, "最高完成的测试并发为 C2，更高的并发需另行测试；C4、C8、C16 未完成，不作结论。"),
        (&advice.reason.en, "Nothing is concluded about C4, since C4 was not finished (5 of 20)."),
        (&advice.reason.zh, "C4 不作结论：C4 档未完成（完成 5 / 20）。"),
    ] {
        assert!(text.contains(expected), "{expected:?} is not in {text:?}");
    }
}

fn ttft_limit(tier: u32, limit: &str) -> String {
    format!("[[sla]]\nitem = \"TTFT {tier}\"\nmetric = \"ttft_s.p95\"\ntier = {tier}\nlimit = \"{limit}\"\n")
}

#[test]
fn agreed_limits_take_the_place_of_growth() {
    let run = Run::sweep();
    for (name, agreement, interactive, supported) in [
        ("a limit that holds recommends a higher tier", ttft_limit(8, "<= 1.0"), Some(8), Some(8)),
        ("one that does not leaves the default", ttft_limit(8, "<= 0.5"), Some(4), Some(4)),
        ("one on the default that fails", ttft_limit(4, "<= 0.3"), Some(2), Some(2)),
        ("one below that fails takes the default with it", ttft_limit(2, "<= 0.1"), Some(1), Some(1)),
        (
            "one that fails below spoils the one above",
            ttft_limit(4, "<= 0.3") + &ttft_limit(8, "<= 1.0"),
            Some(2),
            Some(2),
        ),
        ("one of a tier that did not run", ttft_limit(32, "<= 1.0"), Some(4), Some(4)),
    ] {
        let advice = advice(&run, &agreement);
        assert_eq!((advice.interactive, advice.supported_up_to), (interactive, supported), "{name}");
    }
    let grown = sweep_with(&[(4, 20, 900, 3_000)]);
    assert_eq!(advice(&grown, &ttft_limit(4, "<= 1.0")).interactive, Some(4), "what was agreed is enough");
    let rate = "[[sla]]\nitem = \"rate\"\nmetric = \"output_tps\"\ntier = 16\nlimit = \">= 100\"\n";
    assert_eq!(
        advice(&run, rate).interactive,
        Some(4),
        "a limit on throughput recommends nothing for interactive use"
    );
}

#[test]
fn the_agreement_sets_another_tier_and_the_rules_own_stays_beside_it() {
    let advice = advice(&Run::sweep(), "[advice]\ninteractive = 8\nreason = \"合同约定交互并发 8\"");
    assert_eq!((advice.interactive, advice.by_rule, advice.by), (Some(8), Some(4), AdvisedBy::Agreement));
    assert!(advice.reason.en.starts_with("The agreement sets C8 for interactive use (合同约定交互并发 8)."));
    assert!(advice.reason.zh.contains("按规则得出的推荐为 C4"));
    assert_eq!(advice.boundary, Some(16));
}
