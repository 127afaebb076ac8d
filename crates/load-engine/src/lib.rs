//! Runs a plan against a target and emits one ordered stream of run events.
