//! What must hold of a profile, whoever wrote it.

use std::collections::BTreeSet;

use super::{
    Arrivals, AssumedShape, Cell, Lengths, Origin, PROFILE_FORMAT, Profile, ProfileError, ProfileGroup,
    Quantiles, Sessions, Source, Terms, assumed::SHARES_OFF, bins, build::share,
};

use crate::check_load::check_figures;

type Checked = Result<(), ProfileError>;

pub(crate) fn validate(profile: &Profile) -> Checked {
    let source = &profile.source;
    check(profile.format == PROFILE_FORMAT, "format", || format!("{} is none", profile.format))?;
    check_source(source)?;
    let bins = &profile.deidentification;
    check(bins.token_bin > 0, "deidentification.token_bin", || "0 tokens hold nothing".to_owned())?;
    check(bins.time_bin_s.get() >= 0.0, "deidentification.time_bin_s", || "it is below 0".to_owned())?;
    let rows = || profile.groups.iter().map(|group| group.rows);
    adds_up("groups", rows(), source.kept, "rows that were kept")?;
    let assumed: f64 = profile.assumed_groups().map(|(group, _)| group.share).sum();
    let fits =
        if source.kept > 0 { assumed < 1.0 } else { assumed == 0.0 || (assumed - 1.0).abs() < SHARES_OFF };
    check(fits, "groups", || format!("the assumed ones are {assumed} of all that is sent"))?;
    let names: BTreeSet<&str> = profile.groups.iter().map(|group| group.name.as_str()).collect();
    check(names.len() == profile.groups.len(), "groups", || "two have the same name".to_owned())?;
    check_arrivals(&profile.arrivals, "arrivals", source, source.kept)?;
    profile.groups.iter().try_for_each(|group| check_group(group, source))?;
    for (at, segment) in source.segments.iter().enumerate() {
        let of = |arrivals: &Arrivals| arrivals.rates.get(at).map_or(0, counted);
        let what = "rows of the segment";
        let place = format!("source.segments[{at}]");
        adds_up(&place, profile.groups.iter().map(|group| of(&group.arrivals)), segment.rows, what)?;
        adds_up(&place, [of(&profile.arrivals)], segment.rows, what)?;
    }
    Ok(())
}

fn check(holds: bool, at: &str, what: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(ProfileError::Impossible { at: at.to_owned(), what: what() }) }
}

fn adds_up(at: &str, parts: impl IntoIterator<Item = u64>, whole: u64, what: &str) -> Checked {
    let sum: u128 = parts.into_iter().map(u128::from).sum();
    check(sum == u128::from(whole), at, || format!("the parts make {sum}, and the {what} are {whole}"))
}

fn counted(rate: &super::Rate) -> u64 {
    rate.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

fn check_source(source: &Source) -> Checked {
    let parts = std::iter::once(source.kept).chain(source.dropped.values().copied());
    adds_up("source", parts, source.rows_read, "rows that were read")?;
    adds_up(
        "source.arrivals_from",
        source.arrivals_from.values().copied(),
        source.kept,
        "rows that were kept",
    )?;
    let segments = source.segments.iter().map(|segment| segment.rows);
    adds_up("source.segments", segments, source.kept, "rows that were kept")?;
    for (note, rows) in &source.notes {
        check(*rows <= source.kept, &format!("source.notes.{note}"), || {
            format!("{rows} rows are more than were kept")
        })?;
    }
    if let Some(share) = source.traffic_share {
        check(share > 0.0 && share <= 1.0, "source.traffic_share", || {
            format!("{share} is no share of the traffic")
        })?;
    }
    for digest in &source.files_sha256 {
        let is_one = digest.len() == 64 && digest.bytes().all(|digit| digit.is_ascii_hexdigit());
        check(is_one, "source.files_sha256", || format!("{digest:?} is no SHA-256"))?;
    }
    if source.kept > 0 {
        check_instant("source.period.from", &source.period.from)?;
        check_instant("source.period.until", &source.period.until)?;
    }
    check(is_zone(&source.period.zone), "source.period.zone", || {
        format!("{:?} is no offset such as +08:00", source.period.zone)
    })?;
    for (at, segment) in source.segments.iter().enumerate() {
        check_instant(&format!("source.segments[{at}].from"), &segment.from)?;
        check(segment.duration_s.get() >= 0.0, &format!("source.segments[{at}]"), || {
            "it lasts less than 0 s".to_owned()
        })?;
    }
    Ok(())
}

fn check_instant(at: &str, text: &str) -> Checked {
    check(text.parse::<jiff::Timestamp>().is_ok(), at, || format!("{text:?} is no instant (RFC 3339)"))
}

fn is_zone(text: &str) -> bool {
    let Some((hours, minutes)) = text.strip_prefix(['+', '-']).and_then(|digits| digits.split_once(':'))
    else {
        return false;
    };
    let below =
        |digits: &str, most: u8| digits.len() == 2 && digits.parse::<u8>().is_ok_and(|value| value < most);
    below(hours, 26) && below(minutes, 60)
}

fn check_group(group: &ProfileGroup, source: &Source) -> Checked {
    let place = |key: &str| format!("group {:?}, {key}", group.name);
    let rows = group.rows;
    adds_up(&place("calls"), group.calls.values().copied(), rows, "rows")?;
    adds_up(&place("ends"), group.ends.values().copied(), rows, "rows")?;
    let streaming = [group.streaming.yes, group.streaming.no, group.streaming.unknown];
    adds_up(&place("streaming"), streaming, rows, "rows")?;
    if let Some(shape) = &group.assumed {
        return check_assumed(group, shape, source);
    }
    let close = source.kept == 0 || (group.share - share(rows, source.kept)).abs() < 2e-6;
    check((0.0..=1.0).contains(&group.share) && close, &place("share"), || {
        format!("{} is not the share of {rows} of {} rows", group.share, source.kept)
    })?;
    check_lengths(&group.lengths, &place("lengths"), rows)?;
    check_arrivals(&group.arrivals, &place("arrivals"), source, rows)?;
    check_sessions(&group.sessions, &place("sessions"), rows)?;
    check_quantiles(group.ttft_s.as_ref(), &place("ttft_s"), 0, rows)?;
    check_quantiles(group.duration_s.as_ref(), &place("duration_s"), 0, rows)?;
    check_terms(&group.terms, &place("terms"))?;
    let measured = group.origin != Origin::Assumed || source.origin == Origin::Assumed || rows == 0;
    check(measured, &place("origin"), || "its rows come from a log, so that it is not assumed".to_owned())
}

/// Nobody counted anything of it, and somebody stands for it.
fn check_assumed(group: &ProfileGroup, shape: &AssumedShape, source: &Source) -> Checked {
    let place = format!("group {:?}, assumed", group.name);
    let says = |holds: bool, what: &str| check(holds, &place, || what.to_owned());
    says(group.rows == 0 && group.origin == Origin::Assumed, "what has rows is not assumed")?;
    says((0.0..=1.0).contains(&group.share), "its share is none")?;
    says(shape.input_tokens.is_one(), "its inputs are no range")?;
    says(shape.output_tokens.is_none_or(|range| range.is_one()), "its outputs are no range")?;
    says(
        !shape.by.trim().is_empty() && !shape.basis.trim().is_empty(),
        "nobody stands for it, or without a reason",
    )?;
    if let Some(arrival) = &shape.arrival
        && let Err(error) = check_figures(arrival, || "its arrivals".to_owned())
    {
        return check(false, &place, || error.to_string());
    }
    check_lengths(&group.lengths, &place, 0)?;
    check_arrivals(&group.arrivals, &place, source, 0)?;
    check_sessions(&group.sessions, &place, 0)?;
    check_terms(&group.terms, &place)
}

fn check_lengths(lengths: &Lengths, at: &str, rows: u64) -> Checked {
    let Lengths { both, cut, input_only, output_only, neither, .. } = *lengths;
    adds_up(at, [both, cut, input_only, output_only, neither], rows, "rows")?;
    let bins = lengths.bins_per_octave;
    check(bins::is_bins_per_octave(bins) || rows == 0, at, || {
        format!("{bins} is no number of bins an octave")
    })?;
    for (key, cells, of) in [
        ("cells", &lengths.cells, both),
        ("cut_cells", &lengths.cut_cells, cut),
        ("input_cells", &lengths.input_cells, input_only),
    ] {
        let place = format!("{at}.{key}");
        adds_up(&place, cells.iter().map(|cell| cell.2), of, "rows")?;
        let in_order = cells.is_sorted_by(|one, other| (one.0, one.1) < (other.0, other.1));
        check(in_order, &place, || "cells are not in the order of their lengths, each once".to_owned())?;
        let lowest = |length| bins::bin_of(length, bins) == length;
        let odd =
            cells.iter().find(|Cell(input, output, rows)| *rows == 0 || !lowest(*input) || !lowest(*output));
        check(odd.is_none(), &place, || format!("{odd:?} is no bin with rows"))?;
    }
    let inputs = both + cut + input_only;
    check_quantiles(lengths.input.as_ref(), &format!("{at}.input"), inputs, inputs)?;
    check_quantiles(lengths.output.as_ref(), &format!("{at}.output"), both, both + output_only)?;
    let correlation = lengths.rank_correlation.is_none_or(|rho| (-1.0..=1.0).contains(&rho));
    check(correlation, &format!("{at}.rank_correlation"), || "it is not from -1 to 1".to_owned())
}

/// Quantiles of as many values as there can be; none only where there may be no value.
fn check_quantiles(quantiles: Option<&Quantiles>, at: &str, least: u64, most: u64) -> Checked {
    let n = quantiles.map_or(0, |quantiles| quantiles.n);
    check((least..=most).contains(&n), at, || format!("{n} values where there are {least} to {most}"))?;
    let Some(&Quantiles { n, mean, min, p50, p90, p95, p99, max }) = quantiles else { return Ok(()) };
    check(n > 0 && min >= 0.0, at, || "of no value, or of one below 0".to_owned())?;
    check([min, p50, p90, p95, p99, max].is_sorted(), at, || "the percentiles fall".to_owned())?;
    check((min - 1e-6..=max + 1e-6).contains(&mean), at, || "the mean lies outside all values".to_owned())
}

fn check_arrivals(arrivals: &Arrivals, at: &str, source: &Source, rows: u64) -> Checked {
    adds_up(&format!("{at}.rates"), arrivals.rates.iter().map(counted), rows, "rows")?;
    let segments = source.segments.len();
    let of = arrivals.rates.len();
    check(of == segments, &format!("{at}.rates"), || format!("{of} of {segments} segments"))?;
    let widths = arrivals.rates.iter().all(|rate| rate.bin_s.get() > 0.0 && rate.from_s.get() >= 0.0);
    check(widths, &format!("{at}.rates"), || "a bin is 0 s wide, or begins before its segment".to_owned())?;
    let hours = &arrivals.by_hour;
    if !hours.is_empty() {
        let place = format!("{at}.by_hour");
        check(hours.len() == 24 && !source.relative_time, &place, || {
            "these are no hours of a day".to_owned()
        })?;
        adds_up(&place, hours.iter().map(|hour| hour.0), rows, "rows")?;
        check(hours.iter().all(|hour| hour.0 == 0 || hour.1 > 0), &place, || {
            "rows in an hour of no day".to_owned()
        })?;
    }
    for peak in &arrivals.peaks {
        let window = peak.window_s.get();
        let place = format!("{at}.peaks of {window} s");
        check(window > 0.0 && peak.lasted_s.get() >= window, &place, || {
            "it lasted less than its window".to_owned()
        })?;
        check(peak.requests <= rows, &place, || format!("{} requests of {rows}", peak.requests))?;
        let rate = peak.requests as f64 / window;
        check((rate - peak.rate).abs() < 2e-6 * rate.max(1.0), &place, || {
            "rate and requests differ".to_owned()
        })?;
        check_instant(&place, &peak.from)?;
    }
    let counts = [arrivals.mean_rate, arrivals.gap_cv].into_iter().flatten();
    let indices = arrivals.dispersion.iter().map(|dispersion| dispersion.index);
    check(counts.chain(indices).all(|figure| figure >= 0.0), at, || "a figure is below 0".to_owned())?;
    let ties = arrivals.ties;
    let possible = ties.instants <= rows && ties.most <= rows && (ties.instants > 0) == (ties.most > 0);
    check(possible, &format!("{at}.ties"), || format!("{} instants of {rows} rows", ties.instants))
}

fn check_sessions(sessions: &Sessions, at: &str, rows: u64) -> Checked {
    check(sessions.rows <= rows && sessions.sessions <= sessions.rows, at, || {
        "more than there are rows".to_owned()
    })?;
    adds_up(&format!("{at}.turns"), sessions.turns.values().copied(), sessions.sessions, "conversations")?;
    let turns: u128 =
        sessions.turns.iter().map(|(turns, count)| u128::from(*turns) * u128::from(*count)).sum();
    check(turns <= u128::from(sessions.rows), &format!("{at}.turns"), || "more turns than rows".to_owned())?;
    let follow = sessions.rows - sessions.sessions;
    check(sessions.overlapping <= follow, &format!("{at}.overlapping"), || format!("more than {follow}"))?;
    check_quantiles(sessions.between_s.as_ref(), &format!("{at}.between_s"), 0, follow)?;
    check_quantiles(
        sessions.think_time_s.as_ref(),
        &format!("{at}.think_time_s"),
        0,
        follow - sessions.overlapping,
    )
}

fn check_terms(terms: &Terms, at: &str) -> Checked {
    let limits = [terms.ttft_limit_s, terms.deadline_s];
    check(limits.into_iter().flatten().all(|limit| limit > 0.0), at, || {
        "a limit is not above 0 s".to_owned()
    })?;
    check(terms.priority != Some(0), at, || "0 is no priority".to_owned())?;
    let asks = terms.priority.is_some() || terms.failing.is_some() || limits.iter().any(Option::is_some);
    check(!asks || terms.by.is_some(), at, || "nobody stands for them".to_owned())
}
