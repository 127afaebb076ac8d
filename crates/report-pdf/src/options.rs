//! What a PDF is made with, besides its document.

use report_render::{PdfStandard, Template};

/// What a PDF is made with, besides its document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PdfOptions {
    /// Which standard it keeps to.
    pub standard: PdfStandard,
    /// Files that travel inside it.
    pub attachments: Vec<Attachment>,
    /// Names the document and stays the same when it is made again, such as the id of the run. It is hashed into the
    /// file's identifier and not printed.
    pub identifier: String,
    /// A company's own cover and logo. Neither can take away what marks the internal edition.
    pub template: Template,
}

/// A file that travels inside the PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// File name, without folders.
    pub name: String,
    /// Media type, such as `application/json`.
    pub mime: String,
    /// What it is, in the document's language.
    pub description: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}
