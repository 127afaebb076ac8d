//! A company's own cover, logo and order of sections.

use std::collections::BTreeMap;

use report_render::{
    Document, Language, Template, TemplateError, render_html, render_html_with, render_markdown,
    render_markdown_with, specimens,
};

const LOGO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><rect width="4" height="1" fill="#123"/></svg>"##;

fn template(files: &[(&str, &str)]) -> Result<Template, TemplateError> {
    let bytes = |(name, text): &(&str, &str)| ((*name).to_owned(), text.as_bytes().to_vec());
    Template::new(files.iter().map(bytes).collect::<BTreeMap<_, _>>())
}

fn sound(files: &[(&str, &str)]) -> Template {
    template(files).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn an_empty_template_changes_nothing() {
    let empty = sound(&[]);
    for (name, material) in specimens::all() {
        let document = Document::new(&material, Language::Zh);
        assert_eq!(document, Document::arranged(&material, Language::Zh, &empty), "{name}");
        assert_eq!(render_html_with(&document, &empty).as_ref(), Ok(&render_html(&document)), "{name}");
        assert_eq!(
            render_markdown_with(&document, &empty).as_ref(),
            Ok(&render_markdown(&document)),
            "{name}"
        );
    }
}

#[test]
fn sections_come_in_the_order_wished_for_and_none_is_lost() {
    let wishes = sound(&[("template.toml", "sections = [\"sla\", \"signatures\", \"next-steps\"]\n")]);
    for material in [specimens::passed(), specimens::failed()] {
        let usual = Document::new(&material, Language::En);
        let arranged = Document::arranged(&material, Language::En, &wishes);
        let ids =
            |document: &Document| document.sections.iter().map(|section| section.id).collect::<Vec<_>>();
        assert_eq!(ids(&arranged)[..2], ["sla", "signatures"]);
        assert!(
            arranged.sections[0].heading.starts_with("1 ") && arranged.sections[1].heading.starts_with("2 ")
        );
        let sorted = |mut ids: Vec<&'static str>| {
            ids.sort_unstable();
            ids
        };
        assert_eq!(sorted(ids(&arranged)), sorted(ids(&usual)));
    }
}

#[test]
fn an_own_cover_takes_neither_banner_nor_notices_away() {
    let cover = "{% for fact in facts %}{{ fact.name }}={{ fact.value }};{% endfor %}{{ title }}|{{ edition }}|{{ logo }}";
    let own = sound(&[("cover.html", cover), ("cover.md", cover), ("logo.svg", LOGO)]);
    let document = Document::new(&specimens::failed(), Language::Zh);
    let banner = document.banner.clone().unwrap_or_default();
    for text in [render_html_with(&document, &own), render_markdown_with(&document, &own)] {
        let text = text.unwrap_or_else(|error| panic!("{error}"));
        assert!(text.contains("客户=某市政务数据中心;") && text.contains(&banner));
        let cover = text.find("客户=").unwrap_or_default();
        for notice in &document.notices {
            let at = text.find(notice.title.words().as_str());
            assert!(at.is_some_and(|at| at < cover), "{:?} stands above the cover", notice.title);
        }
        assert!(!document.notices.is_empty());
    }
    let html = render_html_with(&document, &own).unwrap_or_default();
    assert!(html.contains("img-src data:;") && !render_html(&document).contains("img-src"));
    assert!(html.contains("|data:image&#x2f;svg+xml;base64,PHN2Zy"));
    assert!(render_markdown_with(&document, &own).unwrap_or_default().contains("|template/logo.svg"));
}

#[test]
fn what_a_cover_is_given_is_text_in_its_format() {
    let own = sound(&[("cover.html", "<p>{{ facts[0].value }}</p>"), ("cover.md", "* {{ facts[0].value }}")]);
    let mut material = specimens::passed();
    material.scope.project.customer = Some("<b> & *stars* {{ title }}".to_owned());
    let document = Document::new(&material, Language::En);
    let html = render_html_with(&document, &own).unwrap_or_default();
    assert!(html.contains("<p>&lt;b&gt; &amp; *stars* {{ title }}</p>"), "{html}");
    let markdown = render_markdown_with(&document, &own).unwrap_or_default();
    assert!(markdown.contains("* \\<b\\> \\& \\*stars\\* {{ title }}"), "{markdown}");
}

#[test]
fn a_logo_stands_on_the_usual_cover_as_well() {
    let own = sound(&[("logo.svg", LOGO)]);
    let document = Document::new(&specimens::passed(), Language::En);
    assert!(
        render_html_with(&document, &own)
            .unwrap_or_default()
            .contains("<img src=\"data:image/svg+xml;base64,")
    );
    assert!(
        render_markdown_with(&document, &own).unwrap_or_default().starts_with("![](template/logo.svg)\n\n# ")
    );
}

#[test]
fn a_broken_template_is_named_with_file_and_line() {
    let cases: [(&[(&str, &str)], &str); 10] = [
        (
            &[("template.toml", "sections = [\n  \"sla\",\n  \"slq\",\n]\n")],
            "template.toml, line 3: there is no section \"slq\"",
        ),
        (
            &[("template.toml", "sections = [\"sla\",\n\"sla\"]")],
            "template.toml, line 2: section \"sla\" is named twice",
        ),
        (&[("template.toml", "\n[colours]\n")], "template.toml, line 2: unknown field"),
        (&[("template.toml", "sections = 3")], "template.toml, line 1"),
        (&[("cover.html", "<h1>\n{{ title }\n</h1>")], "cover.html, line 2"),
        (&[("cover.md", "a\n\n{% for x in %}")], "cover.md, line 3"),
        (&[("cover.doc", "")], "cover.doc: a template has no such file"),
        (&[("logo.png", "GIF89a")], "logo.png: it is no picture"),
        (&[("logo.svg", LOGO), ("logo.png", "\u{89}PNG")], "logo.png"),
        (&[("logo.jpg", "")], "logo.jpg: it is no picture"),
    ];
    for (files, says) in cases {
        let error = template(files).expect_err(says).to_string();
        assert!(error.contains(says), "{error} should say {says}");
    }
    let latin1 =
        Template::new([("cover.html".to_owned(), b"a\n\xE9".to_vec())].into()).expect_err("it is not UTF-8");
    assert_eq!((latin1.file.as_str(), latin1.line), ("cover.html", Some(2)));
}

#[test]
fn a_cover_that_asks_for_what_there_is_not_is_named_with_file_and_line() {
    let document = Document::new(&specimens::passed(), Language::En);
    for (source, line) in
        [("<p>\n\n{{ customer }}</p>", 3), ("{{ facts[99].name }}", 1), ("\n{% include 'x' %}", 2)]
    {
        let error = template(&[("cover.html", source)])
            .and_then(|template| render_html_with(&document, &template).map(drop))
            .expect_err(source);
        assert_eq!((error.file.as_str(), error.line), ("cover.html", Some(line)), "{error}");
    }
    let taking: [(&str, &str, Option<usize>); 6] = [
        ("cover.html", "<h1>{{ title }}</h1>\n<div class=\"facts\">\n", Some(2)),
        ("cover.html", "\n\n<!--", Some(3)),
        ("cover.html", "<p>a</p>\n<p>\n<p hidden>b</p>", Some(3)),
        ("cover.html", "{% for fact in facts %}\n<b>{% endfor %}\n<b>", None),
        ("cover.md", "# {{ title }}\n\n<div hidden>\n", Some(3)),
        ("cover.md", "# {{ title }}\n\n```text\n{{ subtitle }}\n", Some(3)),
    ];
    for (file, source, line) in taking {
        let own = sound(&[(file, source)]);
        let written = if file == "cover.md" { render_markdown_with } else { render_html_with };
        let error = written(&document, &own).expect_err(source);
        assert_eq!((error.file.as_str(), error.line), (file, line), "{error}");
    }
    let endless = sound(&[(
        "cover.html",
        "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
    )]);
    assert!(render_html_with(&document, &endless).is_err(), "a cover has an end");
}

#[test]
fn the_example_of_the_documentation_is_written_as_it_stands() {
    let own = sound(&[
        ("cover.html", include_str!("../../../../fixtures/template/cover.html")),
        ("cover.md", include_str!("../../../../fixtures/template/cover.md")),
        ("logo.svg", LOGO),
    ]);
    for material in [specimens::passed(), specimens::failed()] {
        let document = Document::new(&material, Language::Zh);
        let html = render_html_with(&document, &own).unwrap_or_else(|error| panic!("{error}"));
        assert!(html.contains("alt=\"\" width=\"160\"></p>\n<p class=\"edition\">"), "{html}");
        assert!(html.contains("<dl class=\"pairs facts\">\n<div><dt>"), "{html}");
        render_markdown_with(&document, &own).unwrap_or_else(|error| panic!("{error}"));
    }
}
