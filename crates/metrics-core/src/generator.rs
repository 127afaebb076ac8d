//! Whether the generator may speak about the service, or was itself at its limits.

use crate::{
    control::ControlFigures,
    figures::Input,
    headroom::{headroom, too_little},
    observed::ClientSample,
    order_statistics::{Percent, percentile},
    population::{Selection, Settled},
    quantity::{Micros, Seconds, six_decimals},
    record::Facts,
    summary::{CalibrationFigures, ClientFigures, ClientLimit, Distribution, Figures, LimitHit},
};

/// CPU of the process above which a second counts as busy, as a share of what it may use.
pub const BUSY_CPU: f64 = 0.8;
/// Share of busy seconds that is allowed.
const BUSY_SECONDS: f64 = 0.1;
/// With fewer timer delays than this in a tier, the delays of the whole run are used.
const ENOUGH_TIMERS: usize = 100;
/// A window of this length holds a whole sampled second.
const SAMPLED_WINDOW_S: f64 = 2.0;
/// Delay that is always allowed, against the time to first token.
const TTFT_FLOOR_S: f64 = 5e-3;
/// The same against the time per output token.
const TPOT_FLOOR_S: f64 = 0.5e-3;
/// Lateness of an open loop that is always allowed.
const LATENESS_FLOOR_S: f64 = 10e-3;
/// Share of the figure that a delay may reach.
const SHARE: f64 = 0.05;
/// Share of the median gap up to which single gaps can be trusted.
const GAP_SHARE: f64 = 0.25;

/// Requests that are judged together: a closed-loop tier, or a stage without tiers.
pub(crate) struct Part<'c, 'a> {
    pub(crate) tier: Option<u32>,
    pub(crate) selection: Selection<'c, 'a>,
    pub(crate) figures: Figures,
}

/// Figures of the generator over the whole run, and the limits that it hit in each part.
///
/// Seconds of a control are left out: in it the generator is another.
pub(crate) fn generator(
    input: &Input<'_>,
    parts: &[Part<'_, '_>],
    control: Option<&ControlFigures>,
) -> ClientFigures {
    let of_control = |sample: &&ClientSample| {
        input.controls.iter().any(|control| sample.stage.as_deref() == Some(&control.stage))
    };
    let all: Vec<&ClientSample> = input.client.iter().filter(|sample| !of_control(sample)).collect();
    let timers = sorted(&all, |sample| &sample.timer_delay_us);
    let delays = sorted(&all, |sample| &sample.run_delay_us);
    let run = Delays { timers: p99(&timers), threads: p99(&delays) };

    let mut limits_hit = Vec::new();
    let mut headrooms = Vec::new();
    let mut unsampled = false;
    // Where nothing was sent there are no figures to doubt.
    for part in parts.iter().filter(|part| part.selection.requests().any(Settled::was_sent)) {
        let stages: Vec<&str> = part.selection.stages().collect();
        let samples: Vec<&ClientSample> =
            all.iter().copied().filter(|sample| sampled_in(sample, part.tier, &stages)).collect();
        unsampled |= is_unsampled(part, &samples);
        limits_hit.extend(cpu(part, &samples));
        let delays = Delays::of(&samples).unwrap_or(run);
        limits_hit.extend(waits(
            part,
            delays.timers,
            ClientLimit::TimerDelay,
            ClientLimit::TimerDelayPerToken,
        ));
        limits_hit.extend(waits(part, delays.threads, ClientLimit::RunDelay, ClientLimit::RunDelayPerToken));
        if part.tier.is_none() {
            limits_hit.extend(lateness(part));
        }
        if let Some(calibration) = input.calibration {
            let found = headroom(part, calibration);
            limits_hit.extend(too_little(&found));
            headrooms.push(found);
        }
    }
    limits_hit.extend(control.and_then(ControlFigures::limit_hit));

    let cpu: Vec<f64> = all.iter().filter_map(|sample| sample.cpu).collect();
    let judged = run.timers.is_some() || run.threads.is_some() || !cpu.is_empty();
    ClientFigures {
        valid: match limits_hit.iter().any(|hit| !hit.inter_event_only) {
            true => Some(false),
            false => (judged && !unsampled).then_some(true),
        },
        limits_hit,
        co_located: input.conditions.co_located,
        unoptimised: input.conditions.unoptimised,
        samples: all.len() as u64,
        cpu_mean: (!cpu.is_empty()).then(|| six_decimals(cpu.iter().sum::<f64>() / cpu.len() as f64)),
        cpu_max: highest(cpu.iter().copied()),
        host_cpu_max: highest(all.iter().filter_map(|sample| sample.host_cpu)),
        timer_delay_p99_s: run.timers.map(Seconds::from),
        run_delay_p99_s: run.threads.map(Seconds::from),
        rss_max_bytes: all.iter().filter_map(|sample| sample.rss_bytes).max(),
        connections_max: all.iter().map(|sample| sample.connections).max(),
        queue_depth_max: all.iter().map(|sample| sample.queue_depth).max(),
        calibration: input.calibration.map(|calibration| CalibrationFigures {
            measured_at: calibration.measured_at.clone(),
            age_s: calibration.age_at(&input.run.started_at),
            fingerprint: calibration.host.fingerprint.clone(),
            took_s: calibration.took_s,
            io_threads: calibration.io_threads,
            doubts: calibration.doubts.clone(),
        }),
        headroom: headrooms,
    }
}

/// The 99th percentiles of both kinds of delay.
#[derive(Debug, Clone, Copy)]
struct Delays {
    timers: Option<Micros>,
    threads: Option<Micros>,
}

impl Delays {
    /// `None` with too few timers: then neither kind is enough to speak for a tier by itself.
    fn of(samples: &[&ClientSample]) -> Option<Self> {
        let timers = sorted(samples, |sample| &sample.timer_delay_us);
        let threads = || p99(&sorted(samples, |sample| &sample.run_delay_us));
        (timers.len() >= ENOUGH_TIMERS).then(|| Self { timers: p99(&timers), threads: threads() })
    }
}

/// It ran for long enough to be sampled, and there is nothing to judge the generator by: the sampler had died.
fn is_unsampled(part: &Part<'_, '_>, samples: &[&ClientSample]) -> bool {
    let says = |sample: &&ClientSample| {
        sample.cpu.is_some() || !sample.timer_delay_us.is_empty() || !sample.run_delay_us.is_empty()
    };
    let long = part.figures.window_s.is_some_and(|window| window.get() >= SAMPLED_WINDOW_S);
    long && !samples.iter().any(says)
}

fn sampled_in(sample: &ClientSample, tier: Option<u32>, stages: &[&str]) -> bool {
    let in_stage = sample.stage.as_deref().map(|stage| stages.contains(&stage));
    // A tier alone names its second well enough; a stage without tiers must be named.
    sample.tier == tier && in_stage.unwrap_or(tier.is_some())
}

fn cpu(part: &Part<'_, '_>, samples: &[&ClientSample]) -> Option<LimitHit> {
    let seconds: Vec<f64> = samples.iter().filter_map(|sample| sample.cpu).collect();
    let busy = seconds.iter().filter(|share| **share > BUSY_CPU).count();
    (busy * 10 > seconds.len()).then(|| LimitHit {
        limit: ClientLimit::Cpu,
        tier: part.tier,
        observed: six_decimals(busy as f64 / seconds.len() as f64),
        allowed: BUSY_SECONDS,
        inter_event_only: false,
    })
}

/// One kind of delay against time to first token, time per output token and single gaps.
fn waits(
    part: &Part<'_, '_>,
    delay: Option<Micros>,
    against_first: ClientLimit,
    against_each: ClientLimit,
) -> Vec<LimitHit> {
    let Some(delay) = delay.map(Micros::as_secs_f64) else { return Vec::new() };
    let hit = |limit, observed: f64, allowed: f64, inter_event_only| {
        (observed > allowed).then(|| LimitHit {
            limit,
            tier: part.tier,
            observed: Seconds::new(observed).get(),
            allowed: Seconds::new(allowed).get(),
            inter_event_only,
        })
    };
    let per_token = tokens_after_first_read(part).and_then(|tokens| {
        hit(against_each, delay / tokens, larger_of(TPOT_FLOOR_S, part.figures.tpot_s.p50), false)
    });
    let single_gap =
        part.figures.inter_event_s.p50.and_then(|gap| hit(against_first, delay, GAP_SHARE * gap.get(), true));
    hit(against_first, delay, allowed_delay(part.figures.ttft_s.p50).get(), false)
        .into_iter()
        .chain(per_token)
        .chain(single_gap)
        .collect()
}

/// The delay of a timer or a thread at P99 up to which a tier with this median time to first token is valid: the larger
/// of 5 ms and 5 % of it.
#[must_use]
pub fn allowed_delay(ttft_p50: Option<Seconds>) -> Seconds {
    Seconds::new(larger_of(TTFT_FLOOR_S, ttft_p50))
}

fn larger_of(floor: f64, figure: Option<Seconds>) -> f64 {
    figure.map_or(floor, |figure| floor.max(SHARE * figure.get()))
}

/// The median over effective requests.
fn tokens_after_first_read(part: &Part<'_, '_>) -> Option<f64> {
    let mut counts: Vec<f64> =
        part.selection.effective().filter_map(Facts::tokens_after_first_read).collect();
    counts.sort_by(f64::total_cmp);
    percentile(&counts, Percent::P50)
}

/// How late requests of an open loop left. Connecting is the service's and the network's share and is taken
/// off.
fn lateness(part: &Part<'_, '_>) -> Option<LimitHit> {
    let mut due: Vec<Micros> = part.selection.requests().map(|request| request.facts.due).collect();
    due.sort_unstable();
    let (first, last) = (due.first()?, due.last()?);
    let mean_gap = last.since(*first).as_secs_f64() / (due.len().max(2) - 1) as f64;
    let late = part.selection.requests().filter_map(|request| {
        let facts = &request.facts;
        Some(facts.sent?.since(request.due_of_try).since(facts.connect.unwrap_or_default()))
    });
    let late = Distribution::of(late.map(Seconds::from).collect(), 0).p99?.get();
    let allowed = LATENESS_FLOOR_S.max(SHARE * mean_gap);
    (late > allowed).then(|| LimitHit {
        limit: ClientLimit::Lateness,
        tier: part.tier,
        observed: late,
        allowed: Seconds::new(allowed).get(),
        inter_event_only: false,
    })
}

fn sorted(samples: &[&ClientSample], values: impl Fn(&ClientSample) -> &Vec<u64>) -> Vec<u64> {
    let mut all: Vec<u64> = samples.iter().flat_map(|sample| values(sample)).copied().collect();
    all.sort_unstable();
    all
}

fn p99(sorted: &[u64]) -> Option<Micros> {
    percentile(sorted, Percent::P99).map(Micros)
}

fn highest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.max_by(f64::total_cmp).map(six_decimals)
}
