//! The vocabulary of one measured request, and every figure computed from many.
#![doc = include_str!("../README.md")]

mod aggregate;
mod binomial;
mod calibration;
mod control;
mod course;
mod curve;
mod failed;
mod figures;
mod generator;
mod headroom;
mod judgement;
mod lengths;
mod limit;
mod metric;
mod observed;
mod order_statistics;
mod origins;
mod outcome;
mod per_request;
mod population;
mod quantity;
mod record;
mod summary;
mod support;
mod throughput;
mod timeline;
mod warnings;

pub use calibration::{
    CALIBRATION_MAX_AGE, CALIBRATION_VERSION, CalibratedHost, CalibratedTool, Calibration, CalibrationDoubt,
    CalibrationError, CalibrationUse, Ceiling, Spread, StreamsLimit, Timing, WriteSpeed,
};
pub use control::{
    CONTROL_COMPARABLE, CONTROL_GROWTH, Control, ControlChange, ControlFigures, ControlRates, ControlResult,
    PlannedControl,
};
pub use course::{LoadColumn, LoadCourse, LoadStep, StepKind, load_course};
pub use curve::{Curve, CurveStep, TierCurves, latency_curves};
pub use failed::{FailedRequest, failed_requests};
pub use figures::{Conditions, Input, PlannedCount, summarize};
pub use generator::{BUSY_CPU, allowed_delay};
pub use headroom::{COMFORTABLE_HEADROOM, LEAST_HEADROOM};
pub use judgement::{LimitEvidence, Over, judge_limit};
pub use lengths::{AskedAndReceived, LengthFigures, LengthRatio};
pub use limit::{BadLimit, Comparison, Limit};
pub use metric::{Latency, Metric, Rate, Share, Statistic, UnknownMetric};
pub use observed::{ClientSample, Event, Happening};
pub use order_statistics::{Percent, bound_ranks, percentile};
pub use origins::OriginFigures;
pub use outcome::{Outcome, SuccessRule, classify};
pub use quantity::{Micros, Seconds, TokenSource, Tokens, six_decimals};
pub use record::{ConnectFault, Ended, Facts, Fault, FaultKind, Origin, Phase, Record, UnknownEnding};
pub use summary::{
    Bound, Bounds, CalibrationFigures, ClientFigures, ClientLimit, Distribution, Figures, FromSent, Group,
    Headroom, HeadroomOf, LimitHit, Peak, RunFacts, SUMMARY_SCHEMA, Summary, Tier, Totals, Turn, Warning,
    WarningCode,
};
pub use support::{Support, further_requests, success_rate_low, support, support_share};
pub use throughput::SustainedAbsent;
pub use timeline::{RequestSpan, TierTimeline, tier_timelines};
