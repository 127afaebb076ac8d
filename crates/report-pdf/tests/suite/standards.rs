//! Archives: standards, attachments, language, title, date, fonts.

use report_pdf::{Attachment, PdfError, PdfOptions, PdfStandard, UnknownStandard, render_pdf};
use report_render::{Block, Document, Language, specimens};

use crate::read_back::{Attached, rendered};

fn attachment(name: &str, mime: &str, text: &str) -> Attachment {
    let (name, mime) = (name.to_owned(), mime.to_owned());
    Attachment { name, mime, description: "证据".to_owned(), bytes: text.as_bytes().to_vec() }
}

#[test]
fn an_archive_carries_the_evidence_and_says_what_it_is() {
    let document = Document::new(&specimens::passed(), Language::Zh);
    let options = PdfOptions {
        attachments: vec![
            attachment("evidence-sha256.txt", "text/plain", "0123  plan.toml\n"),
            attachment("summary.json", "application/json", "{\"schema\":1}"),
        ],
        identifier: "9f2c41d07be6".to_owned(),
        ..PdfOptions::default()
    };
    let pdf = rendered(&document, &options);

    let attached = |name: &str, text: &str| Attached {
        name: name.to_owned(),
        relationship: "Data".to_owned(),
        description: "证据".to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let expected =
        [attached("evidence-sha256.txt", "0123  plan.toml\n"), attached("summary.json", "{\"schema\":1}")];
    assert_eq!(pdf.attachments(), expected);

    let metadata = pdf.metadata();
    for part in [
        "<pdfaid:part>3</pdfaid:part>",
        "<pdfaid:conformance>B</pdfaid:conformance>",
        "2026-11-30T06:12:09",
        "智能客服推理平台 · 项目测试验收报告 – 客户提交版",
    ] {
        assert!(metadata.contains(part), "{part} is missing: {metadata}");
    }
    assert_eq!(pdf.language(), "zh-CN");
    assert!(pdf.pages() > 5, "{} pages", pdf.pages());
    assert_eq!(pdf.pages_with_watermark(), 0);

    let headings: Vec<&str> = document.sections.iter().map(|section| section.heading.as_str()).collect();
    assert_eq!(pdf.bookmarks(), headings);

    assert_eq!(
        render_pdf(&document, &options).expect("it was rendered before"),
        render_pdf(&document, &options).expect("it was rendered before"),
        "the same document gives the same bytes"
    );
}

#[test]
fn an_accessible_archive_reads_its_figures_aloud_and_marks_every_page_of_the_internal_edition() {
    let document = Document::new(&specimens::failed(), Language::En);
    let options = PdfOptions { standard: PdfStandard::A3aUa, ..PdfOptions::default() };
    let pdf = rendered(&document, &options);

    let metadata = pdf.metadata();
    for part in ["<pdfaid:conformance>A</pdfaid:conformance>", "<pdfuaid:part>1</pdfuaid:part>"] {
        assert!(metadata.contains(part), "{part} is missing: {metadata}");
    }
    assert!(pdf.has_structure());
    assert_eq!(pdf.language(), "en");
    assert_eq!(pdf.pages_with_watermark(), pdf.pages());

    let alternatives = pdf.alternatives();
    let blocks = document.sections.iter().flat_map(|section| &section.blocks);
    let charts = blocks.filter_map(|block| match block {
        Block::Chart(chart) => Some(&chart.description),
        _ => None,
    });
    for description in charts {
        assert!(alternatives.contains(description), "no text alternative: {description}");
    }
}

#[test]
fn only_the_embedded_fonts_are_used() {
    let document = Document::new(&specimens::extreme(), Language::Zh);
    let fonts = rendered(&document, &PdfOptions::default()).fonts();
    assert!(fonts.iter().all(|font| font.starts_with("NotoSans")), "{fonts:?}");
    for font in ["NotoSansSC-Regular", "NotoSansSC-Bold", "NotoSansSupplementHan-Bold"] {
        assert!(fonts.iter().any(|found| found == font), "{font} is missing: {fonts:?}");
    }
}

#[test]
fn what_cannot_be_archived_is_named() {
    let document = Document::new(&specimens::one_tier(), Language::En);
    let with = |files: &[&str]| {
        let attachments = files.iter().map(|name| attachment(name, "text/plain", "")).collect();
        render_pdf(&document, &PdfOptions { attachments, ..PdfOptions::default() })
    };
    assert_eq!(with(&["a.txt", "a.txt"]), Err(PdfError::Twice("a.txt".to_owned())));
    for name in ["", "../a", "a/b", "a\\b", "c:d", ".hidden"] {
        assert_eq!(with(&[name]), Err(PdfError::FileName(name.to_owned())));
    }
    let undated = Document { started_at: "yesterday".to_owned(), ..document };
    let failed = render_pdf(&undated, &PdfOptions::default());
    assert_eq!(failed, Err(PdfError::Date("yesterday".to_owned())));
}

#[test]
fn standards_go_by_their_names() {
    for standard in PdfStandard::ALL {
        assert_eq!(standard.to_string().parse(), Ok(standard));
    }
    assert_eq!("a-1b".parse::<PdfStandard>(), Err(UnknownStandard("a-1b".to_owned())));
}
