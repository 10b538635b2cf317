//! The smallest failing input so far, in a file: what is left of a reduction that is killed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::oracle::{News, OracleError};

/// The smallest input that failed, kept in a file.
pub struct BestSoFar {
    file: PathBuf,
    /// The length of what is in the file.
    length: Mutex<usize>,
}

impl BestSoFar {
    /// Nothing is written before the first input fails.
    pub fn new(file: &Path) -> Self {
        Self { file: file.into(), length: Mutex::new(usize::MAX) }
    }

    /// Keeps an input that failed, if it is smaller than what is kept, or if smaller ones do not count any more.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn hear(&self, news: News<'_>) -> Result<(), OracleError> {
        let (News::Failed(input) | News::Left(input)) = news;
        let mut length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        if input.len() < *length || news == News::Left(input) {
            let wrong =
                |error| OracleError::Broken(format!("cannot write `{}`: {error}", self.file.display()));
            replace(&self.file, input).map_err(wrong)?;
            *length = input.len();
        }
        Ok(())
    }
}

/// Puts `text` into the place of a file, at once or not at all.
pub fn replace(file: &Path, text: &[u8]) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".grambench-").tempfile_in(folder)?;
    io::Write::write_all(&mut new, text)?;
    new.persist(file).map(drop).map_err(|error| error.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_the_smallest_failing_input_at_any_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("best");
        let best = BestSoFar::new(&file);
        assert!(!file.exists());
        for (input, left) in [("ab!c", "ab!c"), ("b!c", "b!c"), ("xx!!", "b!c"), ("!", "!")] {
            best.hear(News::Failed(input.as_bytes())).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), left);
        }
        best.hear(News::Left(b"ab!c")).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "ab!c");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        let nowhere = BestSoFar::new(Path::new("/nowhere/best"));
        assert!(nowhere.hear(News::Failed(b"!")).unwrap_err().to_string().contains("/nowhere/best"));
    }
}
