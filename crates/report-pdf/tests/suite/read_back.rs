//! A PDF, read back by another author's reader.

use hayro_syntax::{
    Pdf,
    object::{Array, Dict, Name, Object, Stream, String as PdfString},
};
use report_pdf::{PdfOptions, render_pdf};
use report_render::Document;

pub(crate) struct ReadBack {
    pdf: Pdf,
}

/// A file inside the PDF.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attached {
    pub(crate) name: String,
    pub(crate) relationship: String,
    pub(crate) description: String,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn rendered(document: &Document, options: &PdfOptions) -> ReadBack {
    let bytes = render_pdf(document, options).unwrap_or_else(|error| panic!("failed to {error}"));
    ReadBack { pdf: Pdf::new(bytes).expect("a PDF that can be read") }
}

impl ReadBack {
    pub(crate) fn pages(&self) -> usize {
        self.pdf.pages().len()
    }

    /// Pages on which something is marked as a watermark.
    pub(crate) fn pages_with_watermark(&self) -> usize {
        let marked = |stream: &[u8]| stream.windows(9).any(|word| word == b"Watermark");
        self.pdf.pages().iter().filter(|page| page.page_stream().is_some_and(marked)).count()
    }

    /// What draws the first page.
    pub(crate) fn first_page(&self) -> String {
        let pages = self.pdf.pages();
        let stream = pages.first().and_then(|page| page.page_stream()).expect("a first page");
        String::from_utf8_lossy(stream).into_owned()
    }

    pub(crate) fn metadata(&self) -> String {
        let metadata: Stream<'_> = self.catalog().get("Metadata").expect("metadata");
        String::from_utf8(metadata.decoded().expect("metadata can be read").to_vec())
            .expect("metadata is text")
    }

    pub(crate) fn language(&self) -> String {
        words(&self.catalog().get::<PdfString<'_>>("Lang").expect("a language"))
    }

    pub(crate) fn has_structure(&self) -> bool {
        self.catalog().contains_key("StructTreeRoot")
    }

    /// Headings of the first level, as the list of bookmarks names them.
    pub(crate) fn bookmarks(&self) -> Vec<String> {
        let outlines: Dict<'_> = self.catalog().get("Outlines").expect("bookmarks");
        let mut titles = Vec::new();
        let mut next = outlines.get::<Dict<'_>>("First");
        while let Some(entry) = next {
            titles.push(words(&entry.get::<PdfString<'_>>("Title").expect("a title")));
            next = entry.get("Next");
        }
        titles
    }

    pub(crate) fn attachments(&self) -> Vec<Attached> {
        let names: Dict<'_> = self.catalog().get("Names").expect("names");
        let files: Dict<'_> = names.get("EmbeddedFiles").expect("files");
        let list: Array<'_> = files.get("Names").expect("a list");
        let found = list.iter::<Object<'_>>().filter_map(Object::into_dict);
        found
            .map(|file| {
                let streams: Dict<'_> = file.get("EF").expect("a stream");
                let stream: Stream<'_> = streams.get("F").expect("a stream");
                Attached {
                    name: words(&file.get::<PdfString<'_>>("UF").expect("a name")),
                    relationship: name(&file, "AFRelationship"),
                    description: words(&file.get::<PdfString<'_>>("Desc").expect("a description")),
                    bytes: stream.decoded().expect("bytes").to_vec(),
                }
            })
            .collect()
    }

    /// Fonts by their names, without the letters that mark a subset.
    pub(crate) fn fonts(&self) -> Vec<String> {
        let mut fonts = self.names_at("FontName");
        fonts.iter_mut().for_each(|font| *font = font.split_once('+').expect("a subset").1.to_owned());
        fonts.sort();
        fonts.dedup();
        fonts
    }

    /// Text alternatives of figures.
    pub(crate) fn alternatives(&self) -> Vec<String> {
        let dicts = self.pdf.objects().into_iter().filter_map(|object| dict_of(&object));
        dicts.filter_map(|dict| dict.get::<PdfString<'_>>("Alt")).map(|alt| words(&alt)).collect()
    }

    fn names_at(&self, key: &str) -> Vec<String> {
        let dicts = self.pdf.objects().into_iter().filter_map(|object| dict_of(&object));
        dicts.filter(|dict| dict.contains_key(key)).map(|dict| name(&dict, key)).collect()
    }

    fn catalog(&self) -> Dict<'_> {
        self.pdf.xref().get(self.pdf.xref().root_id()).expect("a catalog")
    }
}

fn dict_of<'a>(object: &Object<'a>) -> Option<Dict<'a>> {
    match object {
        Object::Dict(dict) => Some(dict.clone()),
        Object::Stream(stream) => Some(stream.dict().clone()),
        _ => None,
    }
}

fn name(dict: &Dict<'_>, key: &str) -> String {
    let name: Name<'_> = dict.get(key).expect("a name");
    String::from_utf8_lossy(&name).into_owned()
}

/// Text in a PDF is UTF-16 with a mark of its order, or else plain letters.
fn words(text: &PdfString<'_>) -> String {
    match text.as_bytes() {
        [0xFE, 0xFF, rest @ ..] => {
            let units: Vec<u16> =
                rest.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&units).expect("UTF-16")
        }
        plain => String::from_utf8_lossy(plain).into_owned(),
    }
}
