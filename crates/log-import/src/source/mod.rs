//! A file becomes text: unpacked, decoded to UTF-8, and with a digest of the bytes as they came.

mod encoding;
mod hashed;
mod text;
mod unpack;

pub(crate) use encoding::named;
pub(crate) use text::Text;

/// How many bytes are read at once.
pub(crate) const CHUNK: usize = 1 << 18;

/// A file cannot be read as text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It cannot be opened or read.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// It is a folder.
    #[error("is a folder (name the log files in it)")]
    Folder,
    /// It has no bytes, or unpacks to none.
    #[error("is empty (it holds no row, and not even a header)")]
    Empty,
    /// It is a file of some other kind.
    #[error("is {0} and no text (unpack it or export it as text first; gzip and zstd are read as they are)")]
    NotText(&'static str),
    /// It is compressed, and damaged or cut short.
    #[error("is {compression} and damaged or cut short ({what}): {unpacked} bytes of text came out before")]
    Damaged {
        /// `gzip` or `zstd`.
        compression: &'static str,
        /// Bytes of text that it held before the damage.
        unpacked: u64,
        /// What the decompressor says.
        what: String,
    },
}

/// What is known of a file once it was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceAccount {
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) compression: Option<&'static str>,
    pub(crate) encoding: &'static str,
    pub(crate) encoding_why: &'static str,
}
