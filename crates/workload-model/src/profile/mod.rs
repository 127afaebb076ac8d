//! A profile: what a customer's traffic is like, without anything of the customer's in it.

mod model;

pub use model::{
    Arrivals, Assumption, Cell, Deidentification, Dispersion, Ends, Lengths, Origin, PROFILE_FORMAT, Peak,
    Period, Profile, ProfileGroup, Quantiles, Rate, Segment, Sessions, Source, Streaming, Terms, Ties, Way,
};
