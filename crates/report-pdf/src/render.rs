//! From a document to the bytes of a PDF.

use std::collections::BTreeSet;

use jiff::{Timestamp as Instant, tz::Offset};
use report_render::{Block, Document, Palette, PdfStandard, Template, svg};
use serde_json::{Value, json};
use typst::{
    diag::SourceResult,
    foundations::{Datetime, Smart},
};
use typst_layout::PagedDocument;
use typst_pdf::{PdfStandard as Standard, PdfStandards, Timestamp};

use crate::{
    error::{PdfError, told},
    glyphs::{show_document, showable, showable_by_main},
    options::PdfOptions,
    world::{BUILT_IN_COVER, MAIN, SealedWorld, TEMPLATE},
};

/// The document as PDF. Equal documents and options give equal bytes: the date is that of the run.
///
/// # Errors
///
/// A document of our own always becomes a PDF. What fails is a template or an attachment that cannot be used, or a
/// document whose `started_at` is no instant.
pub fn render_pdf(document: &Document, options: &PdfOptions) -> Result<Vec<u8>, PdfError> {
    let date = date(&document.started_at)?;
    let made = typeset(document, options, date, showable);
    // Fonts may show each character of a text and yet not the text, where marks and scripts meet. Then the main font alone
    // shows it, and what that has not is noted. Where that fails too, it was not for the document's text.
    let made = match made {
        Err(first @ PdfError::Typst(_)) => {
            typeset(document, options, date, showable_by_main).map_err(|_| first)
        }
        made => made,
    };
    // What Typst keeps for the next time would pile up in a program that writes many reports.
    comemo::evict(0);
    made
}

fn typeset(
    document: &Document,
    options: &PdfOptions,
    date: Datetime,
    shown: fn(&str) -> String,
) -> Result<Vec<u8>, PdfError> {
    let mut world = SealedWorld::new();
    world.add_source(MAIN, include_str!("../typst/main.typ").to_owned());
    world.add_source("/blocks.typ", include_str!("../typst/blocks.typ").to_owned());
    world.add_source("/tables.typ", include_str!("../typst/tables.typ").to_owned());
    world.add_source("/style.typ", include_str!("../typst/style.typ").to_owned());
    add_document(&mut world, document, shown);
    add_template(&mut world, &options.template);
    add_attachments(&mut world, options)?;

    export(&world, options, date).map_err(|errors| told(&world, &options.template, &errors))
}

fn export(world: &SealedWorld, options: &PdfOptions, date: Datetime) -> SourceResult<Vec<u8>> {
    let standards: &[Standard] = match options.standard {
        PdfStandard::A3b => &[Standard::A_3b],
        PdfStandard::A3aUa => &[Standard::A_3a, Standard::Ua_1],
    };
    let settings = typst_pdf::PdfOptions {
        ident: Smart::Custom(options.identifier.clone()),
        creator: Smart::Custom(Some(concat!("report-pdf ", env!("CARGO_PKG_VERSION")).to_owned())),
        timestamp: Some(Timestamp::new_utc(date)),
        standards: PdfStandards::new(standards).expect("the standards agree with each other"),
        ..Default::default()
    };
    let pages = typst::compile::<PagedDocument>(world).output?;
    typst_pdf::pdf(&pages, &settings)
}

fn date(started_at: &str) -> Result<Datetime, PdfError> {
    let unusable = || PdfError::Date(started_at.to_owned());
    let instant: Instant = started_at.parse().map_err(|_| unusable())?;
    let at = Offset::UTC.to_datetime(instant);
    // None of these is negative, or else the date is refused.
    let part = |part: i8| u8::try_from(part).unwrap_or(u8::MAX);
    Datetime::from_ymd_hms(
        at.year().into(),
        part(at.month()),
        part(at.day()),
        part(at.hour()),
        part(at.minute()),
        part(at.second()),
    )
    .ok_or_else(unusable)
}

/// The document goes to the template as data, and is never read as markup. Its charts are drawings beside it.
fn add_document(world: &mut SealedWorld, document: &Document, shown: fn(&str) -> String) {
    let mut data = serde_json::to_value(document).expect("a document has nothing that JSON cannot hold");
    show_document(&mut data, shown);
    world.add_file("/document.json", data.to_string().into_bytes());
    for block in document.sections.iter().flat_map(|section| &section.blocks) {
        if let Block::Chart(chart) = block {
            let drawing = showable_by_main(&svg(chart, &Palette::PAPER));
            world.add_file(&format!("/charts/{}.svg", chart.stem), drawing.into_bytes());
        }
    }
}

fn add_template(world: &mut SealedWorld, template: &Template) {
    let path = |name: &str| format!("{TEMPLATE}{name}");
    let own = template.typst_cover();
    let cover = match own {
        Some((name, source)) => {
            world.add_source(&path(name), source.to_owned());
            path(name)
        }
        None => {
            world.add_source(BUILT_IN_COVER, include_str!("../typst/cover.typ").to_owned());
            BUILT_IN_COVER.to_owned()
        }
    };
    let logo = template.logo().map(|logo| {
        world.add_file(&path(logo.name), logo.bytes.to_vec());
        path(logo.name)
    });
    let told = json!({ "cover": cover, "own": own.is_some(), "logo": logo });
    world.add_file("/template.json", told.to_string().into_bytes());
}

fn add_attachments(world: &mut SealedWorld, options: &PdfOptions) -> Result<(), PdfError> {
    let mut names = BTreeSet::new();
    let mut list = Vec::new();
    for file in &options.attachments {
        if !names.insert(plain_name(&file.name)?) {
            return Err(PdfError::Twice(file.name.clone()));
        }
        world.add_file(&format!("/attachments/{}", file.name), file.bytes.clone());
        list.push(json!({ "name": file.name, "mime": file.mime, "description": file.description }));
    }
    world.add_file("/attachments.json", Value::Array(list).to_string().into_bytes());
    Ok(())
}

/// A name that stays what it is inside the world of the template.
fn plain_name(name: &str) -> Result<&str, PdfError> {
    let plain = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| !c.is_control() && !matches!(c, '/' | '\\' | ':'));
    if plain { Ok(name) } else { Err(PdfError::FileName(name.to_owned())) }
}
