//! Files that an argument names: read whole, where they are plain files of a size that such a file has.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// Reads a plain file of at most `most` bytes. What is none, such as a pipe or a device, is not waited for.
pub(crate) fn read(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most} bytes")));
    }
    Ok(bytes)
}

/// The same for UTF-8 text.
pub(crate) fn read_text(path: &Path, most: usize) -> io::Result<String> {
    String::from_utf8(read(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_kind_or_size_is_refused() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").expect("it can be written");
        assert_eq!(read(&path, 5).ok(), Some(b"12345".to_vec()));
        assert_eq!(read(&path, 4).map_err(|error| error.kind()), Err(io::ErrorKind::FileTooLarge));
        assert!(read(folder.path(), 5).is_err(), "a folder is no file");
        std::fs::write(&path, b"\xE9").expect("it can be written");
        assert_eq!(read_text(&path, 5).map_err(|error| error.kind()), Err(io::ErrorKind::InvalidData));
    }
}
