//! Files beside a profile.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::MakeProfileError;

/// A file beside the profile that its owner alone reads. It stands under its name only once it is whole, and in place of
/// nothing but an empty file; what is no plain file, such as a pipe, is written to as it is.
pub(super) struct Beside {
    pub(super) path: PathBuf,
    pub(super) out: BufWriter<Out>,
}

pub(super) enum Out {
    New(NamedTempFile),
    Standing(File),
}

impl Beside {
    pub(super) fn create(path: &Path) -> Result<Self, MakeProfileError> {
        let standing = std::fs::metadata(path).ok();
        if standing.as_ref().is_some_and(|standing| standing.is_file() && standing.len() > 0) {
            return Err(MakeProfileError::Standing(path.to_owned()));
        }
        let out = if standing.is_some_and(|standing| !standing.is_file()) {
            OpenOptions::new().write(true).open(path).map(Out::Standing)
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // Should the program be stopped meanwhile, its name says what it is.
            let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
            let mut builder = tempfile::Builder::new();
            builder
                .prefix(&name)
                .suffix(".partial")
                .tempfile_in(folder.unwrap_or(Path::new(".")))
                .map(Out::New)
        };
        Ok(Self { path: path.to_owned(), out: BufWriter::new(out.map_err(wrote(path))?) })
    }

    pub(super) fn finish(self) -> Result<(), MakeProfileError> {
        let Self { path, out } = self;
        let done = out.into_inner().map_err(io::IntoInnerError::into_error).and_then(|out| match out {
            Out::New(file) => file.persist(&path).map(drop).map_err(|error| error.error),
            Out::Standing(_) => Ok(()),
        });
        done.map_err(wrote(&path))
    }
}

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::New(file) => file.write(bytes),
            Self::Standing(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::New(file) => file.flush(),
            Self::Standing(file) => file.flush(),
        }
    }
}

pub(super) fn wrote(path: &Path) -> impl FnOnce(io::Error) -> MakeProfileError {
    move |error| MakeProfileError::Write { path: path.to_owned(), error }
}
