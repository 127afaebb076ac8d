//! Whole documents, as they are written.

use report_render::{
    Document, Engine, Language, Material, charts, prometheus_rules, render_html, render_markdown,
    render_terminal, specimens,
};

fn check(name: &str, material: &Material) {
    for language in Language::ALL {
        let document = Document::new(material, language);
        let code = language.code();
        insta::assert_snapshot!(format!("{name}.{code}.md"), render_markdown(&document));
        insta::assert_snapshot!(format!("{name}.{code}.html"), body(&render_html(&document)));
        insta::assert_snapshot!(format!("{name}.{code}.txt"), render_terminal(&document));
        for (file, svg) in charts(&document) {
            insta::assert_snapshot!(format!("{name}.{file}"), svg);
        }
    }
}

/// What a page says: style and script have files of their own to be read in, and so have the drawings.
fn body(html: &str) -> String {
    let mut rest = &html[html.find("<body").expect("a page has a body")..];
    let mut body = String::new();
    while let Some((before, from)) = rest.split_once("<svg ") {
        body += before;
        body += "<svg/>";
        rest = from.split_once("</svg>").expect("a drawing has an end").1;
    }
    body + rest
}

#[test]
fn a_passed_sweep_gives_the_customer_edition() {
    check("passed", &specimens::passed());
}

#[test]
fn monitoring_rules_hold_the_figures_of_the_recommended_tier() {
    for engine in Engine::ALL {
        let name = format!("passed.prometheus-rules.{}.yml", engine.code());
        insta::assert_snapshot!(name, prometheus_rules(&specimens::passed(), engine));
    }
    let mut without = specimens::passed();
    without.verdict.advice.interactive = None;
    let none = prometheus_rules(&without, Engine::Vllm);
    assert!(!none.contains("alert:") && none.contains("record:"), "without a tier nothing is alerted on");
}

#[test]
fn monitoring_rules_of_a_run_that_was_not_accepted_say_so() {
    let rules = |material: &Material| prometheus_rules(material, Engine::Vllm);
    let failed = rules(&specimens::failed());
    assert!(failed.contains("NOT accepted") && failed.contains("未通过验收"));
    assert!(failed.contains("alert:") && !failed.contains("its acceptance baseline"));
    assert!(rules(&specimens::interrupted()).contains("cut short"));
    assert!(rules(&specimens::demonstration()).contains("built-in simulator"));
}

#[test]
fn what_an_engine_does_not_tell_is_left_out_and_said_to_be() {
    let rules = |engine| prometheus_rules(&specimens::passed(), engine);
    let llama = rules(Engine::LlamaCpp);
    assert!(
        llama.contains("# Left out: P95 time to first token, since it has no histogram of it."),
        "{llama}"
    );
    assert!(!llama.contains("AcceptanceTTFTAboveBaseline") && llama.contains("AcceptanceTPOTAboveBaseline"));
    assert!(!rules(Engine::Vllm).contains("Left out"));
    let names = |engine: Engine| {
        let mut passed = specimens::passed();
        passed.scope.backend = Some(engine.name().to_owned());
        prometheus_rules(&passed, engine)
    };
    for engine in Engine::ALL {
        assert!(names(engine).contains(&format!("# Metric names are {}'s.", engine.name())));
        assert!(!names(engine).contains("does not name this engine"), "{engine:?}");
    }
}

#[test]
fn a_failed_sweep_gives_the_internal_edition() {
    check("failed", &specimens::failed());
}

#[test]
fn a_run_of_several_groups_gives_each_its_own_figures_first() {
    check("groups", &specimens::groups());
}

#[test]
fn what_was_assumed_is_said_before_anything_else() {
    let says = |material: &Material, en: &str, zh: &str| {
        for (language, words) in [(Language::En, en), (Language::Zh, zh)] {
            let text = render_markdown(&Document::new(material, language));
            let notice = text.find(words).unwrap_or_else(|| panic!("no {words:?} in {text}"));
            assert!(text.find("## 1 ").is_some_and(|first| notice < first), "{words:?} stands too late");
        }
    };
    let mut groups = specimens::groups();
    says(&groups, "40 of 160 requests follow assumptions", "160 个请求中有 40 个依据假定");
    says(
        &groups,
        "assumed by 王工（法务系统组） – 合同审查系统",
        "提出者 王工（法务系统组）；理由：合同审查系统",
    );
    says(&specimens::assumed(), "every request follows an assumption", "全部请求均为假定");
    // Without the facts of a set it is said all the same.
    groups.sample_set = None;
    says(&groups, "40 of 160 requests follow assumptions", "160 个请求中有 40 个依据假定");
    let passed = render_markdown(&Document::new(&specimens::passed(), Language::En));
    assert!(!passed.contains("follow assumptions"), "nothing was assumed");
}

#[test]
fn an_interrupted_sweep_says_how_far_it_came() {
    check("interrupted", &specimens::interrupted());
}

/// What stands under a heading, up to the next.
fn part<'t>(text: &'t str, heading: &str) -> &'t str {
    let from = text.find(heading).unwrap_or_else(|| panic!("no {heading:?} in {text}"));
    let rest = &text[from..];
    let to = rest[heading.len()..].find("\n#").map_or(rest.len(), |to| to + heading.len());
    rest[..to].trim_end()
}

#[test]
fn the_validity_of_the_generator_tells_of_its_control() {
    for (name, material) in [
        ("grew", specimens::controlled(80)),
        ("not_grown", specimens::controlled(100)),
        ("cut_short", specimens::control_cut_short()),
        ("too_many_failed", specimens::control_with_failures()),
        ("none", specimens::one_tier()),
    ] {
        for (language, heading) in [(Language::En, "### Control"), (Language::Zh, "### 对照试验")] {
            let text = render_markdown(&Document::new(&material, language));
            insta::assert_snapshot!(format!("control.{name}.{}", language.code()), part(&text, heading));
        }
    }
}

#[test]
fn a_generator_that_its_control_outran_is_not_valid_and_the_limit_is_named() {
    let material = specimens::controlled(80);
    assert_eq!(material.summary.client.valid, Some(false));
    for (language, says) in [
        (Language::En, "growth with more threads or less recording in C4 (1.25 observed, 1.05 allowed)"),
        (Language::Zh, "C4 档增加线程或精简记录后的增长倍数（实测 1.25，允许 1.05）"),
    ] {
        let text = render_markdown(&Document::new(&material, language));
        assert!(text.contains(says), "{text}");
    }
    let scope = render_markdown(&Document::new(&material, Language::En));
    assert!(scope.contains("40 requests at the highest tier"), "{scope}");
    assert!(specimens::controlled(100).summary.client.valid == Some(true));
}

#[test]
fn one_tier_gives_a_document() {
    check("one_tier", &specimens::one_tier());
}
