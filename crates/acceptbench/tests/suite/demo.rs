//! The demonstration, whole.

use serde_json::Value;

use crate::program::run;

#[test]
fn the_demonstration_leaves_a_judged_package_in_both_languages() {
    let ran = run(&["demo", "--quiet", "--json", "--out", "OUT"]);
    ran.ends(&[0, 3]);
    assert_eq!(ran.stderr, "");
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    let check = ran.intact();
    assert!(!check.interrupted);
    assert_eq!(check.requests, 196);

    let summary = ran.summary();
    let totals = &summary["totals"];
    for key in ["planned", "sent", "finished", "effective"] {
        assert_eq!(totals[key], 180, "{key}");
    }
    let tiers: Vec<_> =
        summary["tiers"].as_array().unwrap().iter().map(|tier| &tier["concurrency"]).collect();
    assert_eq!(tiers, [1, 2, 4, 8, 16]);

    let calibration: Value =
        serde_json::from_str(&std::fs::read_to_string(ran.out.join("data/calibration.json")).unwrap())
            .unwrap();
    assert!(calibration["ceiling"]["events_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{calibration}");
    assert_eq!(summary["client"]["calibration"]["age_s"], 0.0, "measured within the run");
    let headroom = summary["client"]["headroom"].as_array().unwrap();
    assert!(
        headroom.iter().all(|tier| tier["least"].as_f64().is_some_and(|least| least > 0.0)),
        "{headroom:?}"
    );

    let verdict = ran.verdict();
    let criteria: Vec<_> = verdict["criteria"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(
        criteria,
        [
            "test_integrity",
            "service_availability",
            "stability",
            "peak_throughput",
            "delivery_advice",
            "data_traceability"
        ]
    );
    if ran.code == Some(0) {
        assert_eq!(verdict["advice"]["interactive"], 4);
        assert_eq!(verdict["advice"]["boundary"], 16);
        assert_eq!(verdict["edition"], "customer");
    } else {
        assert_eq!(summary["client"]["valid"], false, "inconclusive though the generator was sound");
    }
    assert_eq!(result["decision"], verdict["decision"]);
    for name in ["report.zh.md", "report.zh.html", "report.en.md", "report.en.html"] {
        assert!(ran.report(name).len() > 5_000, "{name}");
        let listed = |path: &Value| path.as_str().is_some_and(|path| path.ends_with(name));
        assert!(result["documents"].as_array().unwrap().iter().any(listed), "{name}");
    }
}
