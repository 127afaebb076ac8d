//! The six criteria of an acceptance, a file each.

mod availability;
mod delivery;
mod integrity;
mod stability;
mod throughput;
mod traceability;

pub(crate) use availability::ServiceAvailability;
pub(crate) use delivery::DeliveryAdvice;
pub(crate) use integrity::TestIntegrity;
pub(crate) use stability::Stability;
pub(crate) use throughput::PeakThroughput;
pub(crate) use traceability::DataTraceability;

pub(crate) use availability::ENOUGH_REQUESTS;
