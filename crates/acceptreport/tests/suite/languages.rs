//! What the program prints, in either language.

use serde_json::Value;

use crate::{
    packages::{complete, sound},
    program::{run, run_where},
};

const LOCALE: &str = "LC_ALL";

#[test]
fn a_verdict_is_the_summary_of_the_document_in_the_language_asked_for() {
    let made = sound();
    run("verdict", &made.dir, &["--lang", "zh"])
        .ends(0, &["〔客户提交版〕", "1 总体结论\n【通过】", "C2 推荐 边界", "测试完整性      通过"]);
    run("verdict", &made.dir, &["--lang", "en"]).ends(
        0,
        &["〔Customer edition〕", "1 Conclusion\nPASSED – ", "C2 recommended boundary", "Test integrity"],
    );
}

#[test]
fn without_one_asked_for_it_is_that_of_the_locale() {
    let made = sound();
    for command in ["verdict", "verify"] {
        let chinese = run_where(&[(LOCALE, "zh_CN.UTF-8")], command, &made.dir, &[]);
        let english = run_where(&[(LOCALE, "de_DE.UTF-8")], command, &made.dir, &[]);
        assert!(chinese.stdout.contains("证据摘要"), "{chinese:#?}");
        assert!(english.stdout.to_lowercase().contains("evidence digest"), "{english:#?}");
        let asked = run_where(&[(LOCALE, "zh_CN.UTF-8")], command, &made.dir, &["--lang", "en"]);
        assert_eq!(asked.stdout, english.stdout);
    }
}

#[test]
fn problems_are_told_in_chinese_too_and_as_json_in_english() {
    let zh = &["--lang", "zh"];
    let made = sound();
    run("verify", &made.dir, zh).ends(
        0,
        &[
            "已读取 40 条原始记录，重算全部数值与判定结果，并重新生成 ",
            " 份文档逐一比对",
            "证据摘要 ",
            "\n完好\n",
        ],
    );
    std::fs::write(made.path("data/reports/report.zh.md"), "另一份\n").unwrap();
    std::fs::write(made.path("data/analysis/summary.json"), "{}\n").unwrap();
    std::fs::write(made.path("data/raw/notes.txt"), "").unwrap();
    run("verify", &made.dir, zh).ends(
        4,
        &[
            "问题：data/reports/report.zh.md 已被改动，与 manifest-sha256.txt 中的摘要不符",
            "问题：data/reports/report.zh.md 与由证据包重新生成的内容不符",
            "问题：data/analysis/summary.json 与原始记录重算的结果不符",
            "问题：data/raw/notes.txt 系事后加入，data/evidence-sha256.txt 中未列出",
            "\n不完好\n",
        ],
    );
    let json = run_where(&[(LOCALE, "zh_CN.UTF-8")], "verify", &made.dir, &["--json"]);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    let problems = found["problems"].as_array().unwrap();
    assert!(problems.iter().any(|one| one == "data/analysis/summary.json is not what the raw rows give"));

    let missing = complete(|slot| slot.seq != 7);
    run("verify", &missing.dir, zh).ends(4, &["与计划不符：1 个计划请求没有记录"]);
}
