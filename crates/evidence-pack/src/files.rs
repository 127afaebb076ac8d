//! Files that only their owner reads, written so that a cut leaves the old or the new content and nothing between.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::layout;

/// A file or folder could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{action} {}: {cause}{}", path.display(), hint(cause))]
pub struct FileError {
    action: &'static str,
    path: PathBuf,
    // Not the error's source: the message tells it already.
    cause: io::Error,
}

impl FileError {
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self { action, path: path.to_owned(), cause }
    }

    /// The file or folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Something in the package is gone or not what it was, rather than out of reach or out of room.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        use io::ErrorKind::{InvalidData, IsADirectory, NotADirectory, NotFound};
        matches!(self.kind(), NotFound | NotADirectory | IsADirectory | InvalidData)
    }

    /// What the system said.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.cause.kind()
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (free some space, or use another disk)"
        }
        io::ErrorKind::PermissionDenied => " (check who owns it; packages are readable by their owner alone)",
        io::ErrorKind::NotFound => " (is this the package's folder, and is it whole?)",
        _ => "",
    }
}

/// Creates a folder and those above it, for the owner alone, and waits until their names are on the disk; one that
/// exists stays as it is.
pub(crate) fn create_dir(path: &Path) -> Result<(), FileError> {
    let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let new: Vec<&Path> = path.ancestors().take_while(is_new).collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(FileError::of("create", path))?;
    for folder in new {
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_dir(parent.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Opens a new file for appending, for the owner alone; one that exists is an error.
pub(crate) fn create_file(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    owner_only(&mut options);
    options.open(path).map_err(FileError::of("create", path))
}

/// Writes a new file and waits until it is on the disk.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = create_file(path)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(FileError::of("write", path))
}

/// Puts a file in place of whatever stood there, through a rename.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Staged::new(path, bytes)?.put()
}

/// A file that is written beside the one that it is to replace. Where it does not come to that, it goes.
#[derive(Debug)]
pub(crate) struct Staged {
    path: PathBuf,
    partial: PathBuf,
}

impl Staged {
    pub(crate) fn new(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let staged = Self { path: path.to_owned(), partial: folder.join(layout::partial_name(&name)) };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        owner_only(&mut options);
        let mut file = options.open(&staged.partial).map_err(FileError::of("create", &staged.partial))?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(FileError::of("write", &staged.partial))?;
        Ok(staged)
    }

    /// Puts it in its place, and waits until that is on the disk.
    pub(crate) fn put(self) -> Result<(), FileError> {
        fs::rename(&self.partial, &self.path).map_err(FileError::of("write", &self.path))?;
        sync_dir(self.path.parent().unwrap_or(Path::new(".")))
    }
}

impl Drop for Staged {
    /// What was put in its place is not there any more under the name that it was written by.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.partial);
    }
}

/// Waits until the names in a folder are on the disk, where the file system can do that for a folder, and where it
/// may be opened: one above the package may be open to new names only.
pub(crate) fn sync_dir(path: &Path) -> Result<(), FileError> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(path).and_then(|folder| folder.sync_all()) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced.map_err(FileError::of("sync", path)),
    }
}

/// Reads a file; `None` where there is none.
pub(crate) fn read_if_any(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(FileError::of("read", path)(error)),
    }
}

/// Whether a folder is not there yet, or empty.
pub(crate) fn is_vacant(folder: &Path) -> Result<bool, FileError> {
    if !folder.is_dir() {
        return Ok(true);
    }
    let listing = list(folder)?;
    Ok(listing.files.is_empty() && listing.unfit.is_empty())
}

/// Everything in a folder and below that is no folder.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Plain files, by path relative to the folder with `/` between names, in no order.
    pub(crate) files: Vec<String>,
    /// Links, sockets, devices, and names that are not UTF-8: nothing that a package may hold.
    pub(crate) unfit: Vec<String>,
}

pub(crate) fn list(folder: &Path) -> Result<Listing, FileError> {
    let mut listing = Listing::default();
    let mut open = vec![(folder.to_owned(), String::new())];
    while let Some((path, prefix)) = open.pop() {
        for entry in fs::read_dir(&path).map_err(FileError::of("read", &path))? {
            let entry = entry.map_err(FileError::of("read", &path))?;
            let kind = entry.file_type().map_err(FileError::of("read", &entry.path()))?;
            let name = entry.file_name();
            let relative = format!("{prefix}{}", name.to_string_lossy());
            if name.to_str().is_none() || !(kind.is_file() || kind.is_dir()) {
                listing.unfit.push(relative);
            } else if kind.is_dir() {
                open.push((entry.path(), format!("{relative}/")));
            } else {
                listing.files.push(relative);
            }
        }
    }
    Ok(listing)
}

fn owner_only(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
