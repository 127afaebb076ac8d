//! What Typst may see: files in memory and the embedded fonts. No file system, no clock, no network, no packages.

use std::collections::HashMap;

use typst::{
    Feature, Library, LibraryExt as _, World,
    diag::{FileError, FileResult},
    foundations::{Bytes, Datetime, Duration},
    syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot},
    text::{Font, FontBook},
    utils::LazyHash,
};

use crate::fonts::FONTS;

/// Where the template begins.
pub(crate) const MAIN: &str = "/main.typ";

/// The cover where a template has none.
pub(crate) const BUILT_IN_COVER: &str = "/cover.typ";

/// Where the files of a company's template lie.
pub(crate) const TEMPLATE: &str = "/template/";

/// A world of files in memory.
#[derive(Debug)]
pub(crate) struct SealedWorld {
    library: LazyHash<Library>,
    main: FileId,
    sources: HashMap<FileId, Source>,
    files: HashMap<FileId, Bytes>,
}

impl SealedWorld {
    pub(crate) fn new() -> Self {
        let features = [Feature::A11yExtras].into_iter().collect();
        Self {
            library: LazyHash::new(Library::builder().with_features(features).build()),
            main: id(MAIN),
            sources: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// Adds a file of Typst. The path begins with a slash.
    pub(crate) fn add_source(&mut self, path: &str, text: String) {
        self.sources.insert(id(path), Source::new(id(path), text));
    }

    /// Adds a file of any kind.
    pub(crate) fn add_file(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(id(path), Bytes::new(bytes));
    }
}

fn id(path: &str) -> FileId {
    let path = VirtualPath::new(path).expect("paths are our own, or checked before");
    RootedPath::new(VirtualRoot::Project, path).intern()
}

impl World for SealedWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &FONTS.book
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        self.sources.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| missing(id))
    }

    fn font(&self, index: usize) -> Option<Font> {
        FONTS.fonts.get(index).cloned()
    }

    fn today(&self, _offset: Option<Duration>) -> Option<Datetime> {
        None
    }
}

fn missing(id: FileId) -> FileError {
    FileError::NotFound(id.get().vpath().get_without_slash().into())
}
