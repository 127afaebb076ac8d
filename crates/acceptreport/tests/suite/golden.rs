//! Packages of earlier versions stay readable, and their raw rows give the figures that they gave.
//!
//! Documents are not compared: a later version may word them anew.

use std::path::PathBuf;

use acceptreport::{Assessment, Under};
use evidence_pack::{Pack, verify_bytes};
use metrics_core::Summary;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/packages")).join(name)
}

#[test]
fn a_sweep_of_version_0_1_0_gives_the_same_figures() {
    let dir = golden("sweep-v1");
    let verification = verify_bytes(&dir).unwrap();
    assert_eq!(verification.problems, [], "every byte is as it was written");
    assert_eq!(verification.requests, 10);

    let pack = Pack::open(&dir).unwrap();
    let stored: Summary = serde_json::from_str(&pack.summary_text().unwrap().unwrap()).unwrap();
    let computed = Assessment::of(&pack, &Under::Run).unwrap().summary;
    assert_eq!(computed.evidence_digest, stored.evidence_digest);
    assert_eq!(computed.totals, stored.totals);
    assert_eq!(computed.tiers, stored.tiers);
    assert_eq!(computed.peak, stored.peak);
    assert_eq!(computed.client, stored.client);
}
