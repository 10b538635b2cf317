//! Files that a reader never sees half written.

use std::fs;
use std::io;
use std::path::Path;

/// Writes `text` to `path`: first beside it, then in its place.
///
/// # Errors
/// When the file cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // Half a file takes room on a disk that may be full.
        let _ = fs::remove_file(&beside);
    }
    written
}
