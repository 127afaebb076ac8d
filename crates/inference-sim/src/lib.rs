//! A simulated inference service: a continuous-batching engine with known truth, and scripted faults.
