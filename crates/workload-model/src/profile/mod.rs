//! A profile: what a customer's traffic is like, without anything of the customer's in it.

mod arrivals;
mod assumed;
mod binning;
mod bins;
mod build;
mod bursts;
mod card;
mod groups;
mod instants;
mod json;
mod lengths;
mod model;
mod naming;
mod overlap;
mod pattern;
mod peaks;
mod quantiles;
mod rates;
mod segments;
mod sessions;
mod timestamp;
mod validate;
mod words;

pub use assumed::{AssumedShape, Covers, Range, assume};
pub use binning::{BadBinning, Binning};
pub use bins::{BINS_PER_OCTAVE, bin_of, bin_range, is_bins_per_octave};
pub use build::{BuildError, ProfileFacts, build};
pub use card::{Card, CardError, CardFault, OTHER_GROUP};
pub use groups::{Facet, GroupRule, Grouped, Groups, LEAST_ROWS, UnknownFacet};
pub use json::ProfileError;
pub use model::{
    Arrivals, Assumption, Cell, Deidentification, Dispersion, Ends, Languages, Lengths, Origin,
    PROFILE_FORMAT, Peak, Period, Profile, ProfileGroup, Quantiles, Rate, Segment, Sessions, Source,
    Streaming, Terms, Ties, Way,
};
pub use pattern::Pattern;
pub(crate) use quantiles::of_lengths;
pub use segments::{STEP_NS, Segments, SegmentsError};
pub(crate) use timestamp::timestamp;
