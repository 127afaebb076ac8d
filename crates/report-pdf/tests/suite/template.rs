//! A company's own cover and logo.

use report_pdf::{PdfError, PdfOptions, render_pdf};
use report_render::{Document, Language, Template, specimens};

use crate::read_back::rendered;

fn document() -> Document {
    Document::new(&specimens::one_tier(), Language::Zh)
}

fn with(files: &[(&str, &[u8])]) -> PdfOptions {
    let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec()));
    let template = Template::new(files.collect()).unwrap_or_else(|error| panic!("{error}"));
    PdfOptions { template, ..PdfOptions::default() }
}

fn with_cover(cover: &str) -> PdfOptions {
    with(&[("cover.typ", cover.as_bytes())])
}

#[test]
fn a_cover_of_ones_own_takes_the_place_of_the_built_in_one_and_hides_no_mark() {
    let own = with(&[
        ("cover.typ", include_bytes!("../../../../fixtures/template/cover.typ")),
        ("logo.svg", include_bytes!("../../../../fixtures/template/logo.svg")),
    ]);
    let own = rendered(&document(), &own);
    assert_eq!(own.pages_with_watermark(), own.pages());

    let hiding = with_cover(
        "#let cover(document, logo: none) = place(dx: -50%, dy: -60mm, \
         rect(width: 300%, height: 300%, fill: rgb(\"#336699\")))",
    );
    let document = Document::new(&specimens::failed(), Language::Zh);
    assert!(!document.notices.is_empty() && document.banner.is_some());
    let hiding = rendered(&document, &hiding);
    assert_eq!(hiding.pages_with_watermark(), hiding.pages());
    // What is drawn later stands in front. The notices are drawn earlier, outside the path that the cover is cut to.
    let page = hiding.first_page();
    let cover = page.find("0.2 0.4 0.6 scn").expect("the cover is drawn");
    let marks = page.find("/Watermark").expect("the edition is marked");
    assert!(cover < marks, "the mark stands in front of the cover");
    let cut = page[..cover].rfind("\nW\n").expect("the cover is cut to its block");
    assert!(!page[cut..cover].contains("Q\n"), "the cut holds for the cover: {}", &page[cut..cover]);
    assert!(page[..cut].contains("Tj") || page[..cut].contains("TJ"), "the notices are not cut");
}

#[test]
fn what_is_wrong_with_a_cover_is_told_by_file_and_line() {
    let cases = [
        ("#let cover(document, logo: none) = [\n  one", "cover.typ, line 1: unclosed delimiter"),
        (
            "#let cover(document, logo: none) = {\n  document.nothing\n}",
            "cover.typ, line 2: dictionary does not contain key \"nothing\"",
        ),
        (
            "#let cover(document, logo: none) = {\n\n  set page(header: none, foreground: none)\n  [x]\n}",
            "cover.typ, line 3: page configuration is not allowed inside of containers",
        ),
        (
            "#let cover(document, logo: none) = {\n  read(\"/etc/passwd\")\n}",
            "cover.typ, line 2: file not found",
        ),
        (
            "#let cover(document, logo: none) = {\n  datetime.today()\n}",
            "cover.typ, line 2: unable to get the current date",
        ),
        ("#let front(document) = []", "cover.typ: unresolved import"),
        (
            "#let cover(document) = []",
            "cover.typ: unexpected argument: logo (define `#let cover(document, logo: none)",
        ),
        ("#let cover(document, logo: none) = [\u{1F680}]", "could not be displayed"),
    ];
    for (cover, expected) in cases {
        let message = match render_pdf(&document(), &with_cover(cover)) {
            Err(error @ PdfError::Typst(_)) => error.to_string(),
            other => panic!("{cover}: {:?}", other.map(|pdf| pdf.len())),
        };
        assert!(message.contains(expected), "{cover}\n{message}");
        assert!(message.contains("cover.typ"), "{cover}\n{message}");
    }
}

#[test]
fn a_logo_that_is_no_picture_is_named() {
    let broken = with(&[("logo.png", b"\x89PNG\r\n\x1a\nno picture")]);
    let failed = render_pdf(&document(), &broken);
    let message = failed.expect_err("it is no picture").to_string();
    assert!(message.contains("logo.png"), "{message}");
}
