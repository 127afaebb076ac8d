//! Whole documents, as they are written.

use report_render::{Document, Language, Material, charts, prometheus_rules, render_html, render_markdown};

use crate::{cases, sample};

fn check(name: &str, material: &Material) {
    for language in Language::ALL {
        let document = Document::new(material, language);
        let code = language.code();
        insta::assert_snapshot!(format!("{name}.{code}.md"), render_markdown(&document));
        insta::assert_snapshot!(format!("{name}.{code}.html"), render_html(&document));
        for (file, svg) in charts(&document) {
            insta::assert_snapshot!(format!("{name}.{file}"), svg);
        }
    }
}

#[test]
fn a_passed_sweep_gives_the_customer_edition() {
    check("passed", &sample::passed());
}

#[test]
fn monitoring_rules_hold_the_figures_of_the_recommended_tier() {
    insta::assert_snapshot!("passed.prometheus-rules.yml", prometheus_rules(&sample::passed()));
    let mut without = sample::passed();
    without.verdict.advice.interactive = None;
    let none = prometheus_rules(&without);
    assert!(!none.contains("alert:") && none.contains("record:"), "without a tier nothing is alerted on");
}

#[test]
fn monitoring_rules_of_a_run_that_was_not_accepted_say_so() {
    let rules = prometheus_rules(&cases::failed());
    assert!(rules.contains("NOT accepted") && rules.contains("未通过验收"));
    assert!(rules.contains("alert:") && !rules.contains("its acceptance baseline"));
    assert!(prometheus_rules(&cases::interrupted()).contains("cut short"));
    assert!(prometheus_rules(&cases::demonstration()).contains("built-in simulator"));
}

#[test]
fn a_failed_sweep_gives_the_internal_edition() {
    check("failed", &cases::failed());
}

#[test]
fn an_interrupted_sweep_says_how_far_it_came() {
    check("interrupted", &cases::interrupted());
}

#[test]
fn one_tier_gives_a_document() {
    check("one_tier", &cases::one_tier());
}
