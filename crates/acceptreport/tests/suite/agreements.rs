//! The same package under another agreement.

use crate::{
    packages::{Made, sound},
    program::run,
};

fn agreement(made: &Made, text: &str) -> String {
    let path = made.dir.parent().unwrap().join("agreement.toml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn limits_decide_and_leave_the_evidence_alone() {
    for (text, code, says) in [
        ("[acceptance]\nsuccess_rate = 0.9\n", 0, "\nPASSED – "),
        ("[acceptance]\noutput_tps = 100000.0\n", 1, "Peak throughput [not passed]"),
        ("[acceptance]\ntiers = [1, 2, 4]\n", 1, "Test integrity [not passed]"),
        (
            "[[sla]]\nitem = \"first token\"\nmetric = \"ttft_s.p95\"\ntier = 2\nlimit = \"<= 0.1\"\n",
            1,
            "first token [not passed]",
        ),
        (
            "[[sla]]\nitem = \"first token\"\nmetric = \"ttft_s.p95\"\ntier = 2\nlimit = \"<= 0.5\"\n",
            0,
            "1 of 1 agreed limits met",
        ),
    ] {
        let made = sound();
        let path = agreement(&made, text);
        let digests = made.read("data/evidence-sha256.txt");
        run("verdict", &made.dir, &["--agreement", &path]).ends(code, &[says]);
        run("render", &made.dir, &["--agreement", &path]).ends(0, &[]);
        run("verify", &made.dir, &[]).ends(0, &["intact"]);
        assert_eq!(made.read("data/evidence-sha256.txt"), digests);
        run("verdict", &made.dir, &[]).ends(0, &["\nPASSED – "]);
    }
}

#[test]
fn an_agreement_that_is_none_is_refused() {
    let made = sound();
    let report = made.read("data/reports/report.en.md");
    for (text, says) in
        [("[acceptance]\nsuccess_rate = 99\n", "0.99"), ("nonsense", "line 1"), ("[limits]\n", "limits")]
    {
        let path = agreement(&made, text);
        for command in ["verdict", "render"] {
            run(command, &made.dir, &["--agreement", &path]).fails(2, &[says]);
        }
    }
    run("verdict", &made.dir, &["--agreement", "/no/such.toml"]).fails(2, &["/no/such.toml", "TOML"]);
    assert_eq!(made.read("data/reports/report.en.md"), report);
}

#[test]
fn another_tier_in_the_agreement_draws_other_charts_and_takes_the_old_ones_away() {
    let made = sound();
    let timelines = |made: &Made| {
        ["requests-recommended", "requests-highest"]
            .map(|stem| made.path(&format!("data/reports/{stem}.zh.svg")).exists())
    };
    let before = timelines(&made);
    for interactive in [1, 2] {
        let text = format!("[advice]\ninteractive = {interactive}\nreason = \"agreed\"\n");
        run("render", &made.dir, &["--agreement", &agreement(&made, &text), "--format", "md"]).ends(0, &[]);
        run("verify", &made.dir, &[]).ends(0, &["intact"]);
        assert_eq!(timelines(&made), [true, interactive == 1], "the highest tier is C2");
    }
    run("render", &made.dir, &["--format", "md"]).ends(0, &[]);
    run("verify", &made.dir, &[]).ends(0, &["intact"]);
    assert_eq!(timelines(&made), before);
}
