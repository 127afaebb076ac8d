//! SHA-256 in hexadecimal, and the `sha256sum` lists that carry it.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use sha2::{Digest, Sha256};

use crate::files::FileError;

/// SHA-256 of some bytes, in lower-case hexadecimal.
#[must_use]
pub fn sha256_hex(bytes: &(impl AsRef<[u8]> + ?Sized)) -> String {
    let mut hasher = Hasher::default();
    hasher.update(bytes.as_ref());
    hasher.finish()
}

/// A digest in the making.
#[derive(Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finish(self) -> String {
        let mut digits = [0; 64];
        hex::encode_to_slice(self.0.finalize(), &mut digits).expect("two digits a byte");
        String::from_utf8_lossy(&digits).into_owned()
    }
}

/// Digest and length of a file.
pub(crate) fn of_file(path: &Path) -> Result<(String, u64), FileError> {
    let mut file = File::open(path).map_err(FileError::of("open", path))?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut length = 0;
    loop {
        let read = match file.read(&mut buffer) {
            Ok(0) => return Ok((hasher.finish(), length)),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FileError::of("read", path)(error)),
        };
        hasher.update(&buffer[..read]);
        length += read as u64;
    }
}

/// `DIGEST  path` lines, in the order given.
///
/// Paths are encoded as RFC 8493 asks: `%`, CR and LF as `%25`, `%0D` and `%0A`.
pub(crate) fn list<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    entries.fold(String::new(), |mut text, (path, digest)| {
        text.push_str(digest);
        text.push_str("  ");
        text.push_str(&path.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"));
        text.push('\n');
        text
    })
}

/// The entries of such a list by path. Lines that are none are left out: who needs to know compares bytes.
pub(crate) fn parse_list(bytes: &[u8]) -> BTreeMap<String, String> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(digest, path)| {
            (path.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%"), digest.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn lists_come_back_as_they_were_written() {
        let entries =
            BTreeMap::from([("a b".to_owned(), "00".to_owned()), ("c%0A\n".to_owned(), "11".to_owned())]);
        let text = list(entries.iter().map(|(path, digest)| (path.as_str(), digest.as_str())));
        assert_eq!(text, "00  a b\n11  c%250A%0A\n");
        assert_eq!(parse_list(text.as_bytes()), entries);
    }
}
