//! Lengths and origins by brute force.

use metrics_core::{
    AskedAndReceived, Ended, Facts, LengthFigures, Origin, OriginFigures, Outcome, TokenSource, Tokens,
};

use crate::oracle::Row;

pub(crate) fn check_lengths(found: Option<&LengthFigures>, rows: &[&Row]) {
    let of = |asked: fn(&Facts) -> Option<Tokens>, received: fn(&Facts) -> Option<Tokens>| {
        let (mut sums, mut ratios) = ((0, 0), Vec::new());
        for row in rows {
            let whole = matches!(row.facts.ended, Ended::Done | Ended::Eof);
            if !whole || row.facts.finish_reason.is_none() {
                continue;
            }
            if let (Some(asked), Some(received)) = (asked(&row.facts), received(&row.facts))
                && asked.0 > 0
            {
                sums = (sums.0 + asked.0, sums.1 + received.0);
                ratios.push(received.0 as f64 / asked.0 as f64);
            }
        }
        ratios.sort_by(f64::total_cmp);
        (sums, ratios)
    };
    let check = |found: Option<&AskedAndReceived>, ((asked, received), ratios): ((u64, u64), Vec<f64>)| {
        let Some(found) = found else {
            assert!(ratios.is_empty());
            return;
        };
        assert_eq!((found.n, found.asked, found.received), (ratios.len() as u64, asked, received));
        let at = |percent: usize| ratios[(percent * ratios.len()).div_ceil(100).max(1) - 1];
        for (found, expected) in [
            (found.ratio.min, ratios[0]),
            (found.ratio.p5, at(5)),
            (found.ratio.p50, at(50)),
            (found.ratio.p95, at(95)),
            (found.ratio.max, at(100)),
        ] {
            assert!((found - expected).abs() <= 6e-7, "{found}, not {expected}");
        }
    };
    let input = of(|f| f.asked_input, |f| f.prompt_tokens);
    let output =
        of(|f| f.asked_output, |f| f.output_tokens.filter(|_| f.token_source != Some(TokenSource::Events)));
    check(found.and_then(|found| found.input.as_ref()), input);
    check(found.and_then(|found| found.output.as_ref()), output);
}

/// Rows by origin, and the requests of the schedule that have none; the sums are those of the whole.
pub(crate) fn check_origins(found: &[OriginFigures], rows: &[&Row], whole: (u64, u64, u64), told: bool) {
    if !told {
        assert!(found.is_empty());
        return;
    }
    let sum = |count: fn(&OriginFigures) -> u64| found.iter().map(count).sum::<u64>();
    assert_eq!((sum(|o| o.planned), sum(|o| o.finished), sum(|o| o.effective)), whole);
    assert!(found.windows(2).all(|pair| pair[0].origin < pair[1].origin));
    for origin in [Origin::Real, Origin::Synthetic, Origin::Assumed, Origin::Unknown] {
        let mine = || rows.iter().filter(|row| row.origin.unwrap_or(Origin::Unknown) == origin);
        let effective = mine().filter(|row| row.outcome == Outcome::Effective).count() as u64;
        match found.iter().find(|figures| figures.origin == origin) {
            Some(found) => {
                assert_eq!(found.effective, effective);
                assert!(found.planned >= mine().count() as u64);
            }
            None => assert_eq!(mine().count(), 0),
        }
    }
}
