//! What holds for every document, whatever it says.

use metrics_core::{Outcome, Seconds, Tier};
use report_render::{
    Document, Edition, FailureExample, Language, Material, Transport, UnknownLanguage, charts, render_html,
    render_markdown, specimens,
};
use verdict_rules::{Judgement, Text};

fn each(material: &Material, check: impl Fn(&str, &str)) {
    for language in Language::ALL {
        let document = Document::new(material, language);
        check(&render_markdown(&document), &render_html(&document));
    }
}

/// Data of others in every place that takes any.
fn hostile() -> Material {
    const WORDS: &str = "<script>alert(1)</script> | `tick` **bold**\n# heading \u{202E}$x$ &amp; \"q\"";
    let mut m = specimens::failed();
    m.scope.model = WORDS.to_owned();
    m.scope.backend = Some(WORDS.to_owned());
    m.scope.endpoint = format!("http://user:sk-secret@host/v1{WORDS}?key=sk-secret");
    m.scope.project.name = Some(WORDS.to_owned());
    m.scope.project.customer = Some(WORDS.to_owned());
    m.verdict.advice.reason = Text::verbatim(WORDS);
    m.verdict.sla[0].item = WORDS.to_owned();
    m.verdict.sla[0].limit = format!("<= 8.0{WORDS}");
    m.verdict.criteria[0].explanation = Text::verbatim(WORDS);
    m.verdict.supplementary[0].id = WORDS.to_owned();
    m.failures = vec![FailureExample {
        seq: 1,
        tier: Some(4),
        outcome: Outcome::StreamError,
        request_id: Some(WORDS.to_owned()),
        message: Some(WORDS.to_owned()),
        at: Some(WORDS.to_owned()),
    }];
    m.archive[0].path = WORDS.to_owned();
    m.summary.run.id = WORDS.to_owned();
    m
}

#[test]
fn nothing_of_others_is_a_mark_in_html() {
    each(&hostile(), |_, html| {
        for (mark, times) in [("<script", 1), ("<style", 1), ("</style", 1), ("style=", 0), ("onclick", 0)] {
            assert_eq!(html.matches(mark).count(), times, "{mark}");
        }
        assert!(!html.contains("sk-secret"));
        assert!(!html.contains('\u{202E}'));
        assert!(html.contains("&#60;script&#62;"));
    });
}

#[test]
fn nothing_of_others_is_a_mark_in_markdown() {
    each(&hostile(), |markdown, _| {
        assert!(!markdown.contains("sk-secret"));
        let code_removed = without_code(markdown);
        assert!(!code_removed.replace("\\<", "").contains("<script"));
        assert!(!markdown.contains("\n# heading"));
        for table in markdown.split("\n\n").filter(|block| block.starts_with('|')) {
            let widths: Vec<usize> = table.lines().map(cells).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{widths:?}\n{table}");
        }
    });
}

/// Cells of a row as GitHub's dialect counts them: pipes that no backslash escapes.
fn cells(row: &str) -> usize {
    let mut escaped = false;
    row.chars()
        .filter(|c| {
            let counts = *c == '|' && !escaped;
            escaped = *c == '\\' && !escaped;
            counts
        })
        .count()
}

/// Markdown without its code spans, in which marks are text.
fn without_code(markdown: &str) -> String {
    let mut rest = markdown;
    let mut out = String::new();
    while let Some(at) = rest.find('`') {
        if rest[..at].ends_with('\\') {
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        }
        out.push_str(&rest[..at]);
        let fence: String = rest[at..].chars().take_while(|c| *c == '`').collect();
        let inside = &rest[at + fence.len()..];
        let end = inside.find(&fence).map_or(inside.len(), |end| end + fence.len());
        rest = &inside[end..];
    }
    out + rest
}

#[test]
fn the_same_material_gives_the_same_bytes() {
    let render = |material: &Material| {
        let document = Document::new(material, Language::Zh);
        (render_markdown(&document), render_html(&document), charts(&document))
    };
    assert_eq!(render(&specimens::failed()), render(&specimens::failed()));
}

#[test]
fn an_english_document_is_english() {
    let mut m = specimens::failed();
    (m.scope.project, m.scope.client_location) = (Default::default(), None);
    m.verdict.advice.reason = Text::default();
    m.verdict.supplementary[0].owner = None;
    let document = Document::new(&m, Language::En);
    for text in [render_markdown(&document), render_html(&document)] {
        let chinese = text.lines().find(|line| line.chars().any(|c| ('\u{3000}'..='\u{9FFF}').contains(&c)));
        // The edition stands in the lenticular brackets of both languages.
        let chinese = chinese.filter(|line| !line.contains('〔'));
        assert_eq!(chinese, None);
    }
}

#[test]
fn the_internal_edition_is_marked_at_every_section() {
    for (language, name) in [(Language::Zh, "内部版"), (Language::En, "Internal edition")] {
        let document = Document::new(&specimens::failed(), language);
        assert_eq!(document.edition, Some(Edition::Internal));
        let (markdown, html) = (render_markdown(&document), render_html(&document));
        assert!(markdown.lines().filter(|line| line.starts_with("## ")).all(|line| line.contains(name)));
        let report = html.split_once("<main").expect("a page has a report").1;
        assert!(report.lines().filter(|line| line.starts_with("<h2")).all(|line| line.contains(name)));
        assert!(html.contains("@top-center"));
    }
}

#[test]
fn the_customer_edition_is_never_written_over_a_criterion_that_did_not_pass() {
    let mut m = specimens::passed();
    assert_eq!(m.edition(), Edition::Customer);
    m.verdict.criteria[2].result = Judgement::Inconclusive;
    assert_eq!(m.edition(), Edition::Internal);

    let mut m = specimens::passed();
    m.verdict.criteria.pop();
    assert_eq!(m.edition(), Edition::Internal);

    let mut m = specimens::passed();
    m.verdict.sla[0].contract = Judgement::Fail;
    assert_eq!(m.edition(), Edition::Internal);
}

#[test]
fn charts_take_extreme_and_missing_figures() {
    let passed = specimens::passed();
    let set = |values: &[Option<f64>]| {
        let mut m = passed.clone();
        let like = m.summary.tiers[0].clone();
        m.summary.tiers = values
            .iter()
            .enumerate()
            .map(|(at, value)| {
                let mut tier = Tier { concurrency: 1 << at.min(31), ..like.clone() };
                tier.figures.output_tps = *value;
                tier.figures.e2e_s.p95 = value.map(Seconds::new);
                tier
            })
            .collect();
        m
    };
    let every = [
        vec![],
        vec![None],
        vec![Some(0.0)],
        vec![Some(1e-9), None, Some(1e12)],
        vec![Some(f64::NAN), Some(f64::INFINITY), Some(-1.0)],
        vec![Some(3.0); 24],
    ];
    for values in every {
        for (name, svg) in charts(&Document::new(&set(&values), Language::Zh)) {
            assert!(name.ends_with(".zh.svg"), "{name}");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}, {values:?}");
        }
    }
}

#[test]
fn charts_stay_small_however_many_requests_there_are_and_say_what_they_leave_out() {
    let material = specimens::crowded();
    assert!(material.summary.totals.planned > 600);
    for (language, says) in [
        (Language::En, "640 requests of the tier begun. 128 are shown: one in 5"),
        (Language::Zh, "共发起 640 个请求。按应发顺序自首个起每 5 个取 1 个，共绘出 128 个"),
    ] {
        let document = Document::new(&material, language);
        let markdown = render_markdown(&document);
        assert!(markdown.contains(says), "{markdown}");
        for (name, svg) in charts(&document) {
            assert!(svg.len() < 60_000, "{name} has {} bytes", svg.len());
        }
    }
}

#[test]
fn connections_under_http_2_are_held_against_no_ceiling_of_streams() {
    let drawn = |http: &str| {
        let mut m = specimens::passed();
        m.scope.transport =
            Some(Transport { http: http.to_owned(), tls: None, unchecked: false, client_cert: None });
        let charts = charts(&Document::new(&m, Language::En));
        charts.iter().any(|(_, svg)| svg.contains("calibrated ceiling"))
    };
    assert!(drawn("http/1.1"));
    assert!(!drawn("h2"));
}

#[test]
fn a_demonstration_is_no_acceptance() {
    each(&specimens::demonstration(), |markdown, html| {
        for text in [markdown, html] {
            let said = ["本报告不构成任何验收", "not an acceptance of any service"];
            assert!(said.iter().any(|words| text.contains(words)));
        }
    });
    each(&specimens::passed(), |markdown, _| {
        assert!(!markdown.contains("simulator") && !markdown.contains("模拟"))
    });
}

#[test]
fn names_are_filled_in_by_hand_where_the_customer_edition_has_none() {
    let handed_over = Document::new(&specimens::demonstration(), Language::Zh);
    assert!(render_markdown(&handed_over).contains("- **客户**：\\_\\_"));
    assert!(render_html(&handed_over).contains("<dt>客户</dt><dd><span class=\"blank\"></span></dd>"));
    let inside = Document::new(&specimens::one_tier(), Language::Zh);
    assert!(render_markdown(&inside).contains("- **客户**：未填写"));
}

#[test]
fn each_document_lists_the_files_of_its_own_language() {
    for (language, own, other) in [(Language::Zh, "zh", "en"), (Language::En, "en", "zh")] {
        let markdown = render_markdown(&Document::new(&specimens::passed(), language));
        assert!(markdown.contains(&format!("`data/reports/trend.{own}.svg`")));
        assert!(!markdown.contains(&format!("`data/reports/trend.{other}.svg`")));
        assert!(
            markdown.contains("`data/analysis/summary.json`") && markdown.contains("prometheus-rules.yml")
        );
    }
}

#[test]
fn a_language_that_is_not_written_is_named() {
    assert_eq!("fr".parse::<Language>(), Err(UnknownLanguage("fr".to_owned())));
    assert_eq!("zh".parse(), Ok(Language::Zh));
}

#[test]
fn every_chart_is_known_by_the_name_of_its_file() {
    let mut seen = std::collections::BTreeSet::new();
    for (name, material) in specimens::all() {
        for language in Language::ALL {
            for (file, _) in charts(&Document::new(&material, language)) {
                assert!(report_render::is_chart_file(&file), "{name}: {file}");
                seen.insert(file);
            }
        }
    }
    assert_eq!(seen.len(), 14, "each of them is seen: {seen:?}");
    assert!(!report_render::is_chart_file("notes.zh.svg"));
}

#[test]
fn prompts_of_real_use_are_told_before_anything_else() {
    let mut material = specimens::passed();
    material.scope.prompts.recorded = 3;
    for (language, notice, scope) in [
        (Language::En, "Real prompts of users were sent", "3 prompts of real use"),
        (Language::Zh, "测试使用了真实用户提示词", "其中 3 条取自真实业务日志"),
    ] {
        let text = render_markdown(&Document::new(&material, language));
        let (notice, section) = (text.find(notice), text.find("\n## "));
        assert!(notice.is_some() && notice < section, "the notice stands above the first section");
        assert!(text.contains(scope), "{scope}");
    }
}
