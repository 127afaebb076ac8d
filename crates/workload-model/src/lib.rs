//! What is asked of a service: plan, stages, groups, samples and their order.
