//! Reading and verifying a package of which one file holds any bytes: every change is found, without a panic.
#![no_main]

#[path = "../../../crates/evidence-pack/tests/checks/package.rs"]
mod checks;
#[path = "../../../crates/evidence-pack/tests/common/mod.rs"]
mod common;

use std::sync::LazyLock;

static VICTIM: LazyLock<checks::Victim> = LazyLock::new(checks::Victim::new);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| VICTIM.check(bytes));
