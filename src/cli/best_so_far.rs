//! The smallest failing input so far, in a file: what is left of a reduction that is killed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::oracle::{Examination, Judgement, Oracle, OracleError, TimeoutAs, Verdict};

/// An oracle that keeps the smallest input that failed in a file.
pub struct BestSoFar<'o> {
    oracle: &'o dyn Oracle,
    timeout_as: TimeoutAs,
    file: PathBuf,
    /// The length of what is in the file.
    length: Mutex<usize>,
}

impl<'o> BestSoFar<'o> {
    /// Nothing is written before the first input fails.
    pub fn new(oracle: &'o dyn Oracle, timeout_as: TimeoutAs, file: &Path) -> Self {
        Self { oracle, timeout_as, file: file.into(), length: Mutex::new(usize::MAX) }
    }

    fn see(&self, input: &[u8], verdict: Verdict) -> Result<(), OracleError> {
        let mut length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        if self.timeout_as.count(verdict) == Verdict::Fail && input.len() < *length {
            let wrong =
                |error| OracleError::Broken(format!("cannot write `{}`: {error}", self.file.display()));
            replace(&self.file, input).map_err(wrong)?;
            *length = input.len();
        }
        Ok(())
    }
}

impl Oracle for BestSoFar<'_> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let judgement = self.oracle.judge(input)?;
        self.see(input, judgement.verdict)?;
        Ok(judgement)
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        let examination = self.oracle.examine(input)?;
        self.see(input, examination.judgement.verdict)?;
        Ok(examination)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.oracle.repeat(input)
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        self.oracle.judge_again(input, earlier)
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

    struct Contains(u8);

    impl Oracle for Contains {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            let verdict = if input.contains(&self.0) { Verdict::Fail } else { Verdict::Pass };
            Ok(Judgement::new(verdict, ""))
        }
    }

    #[test]
    fn the_file_has_the_smallest_failing_input_at_any_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("best");
        let oracle = Contains(b'!');
        let best = BestSoFar::new(&oracle, TimeoutAs::Pass, &file);
        best.judge(b"a").unwrap();
        assert!(!file.exists());
        for (input, left) in [("ab!c", "ab!c"), ("b!c", "b!c"), ("bc", "b!c"), ("xx!!", "b!c"), ("!", "!")] {
            best.judge(input.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), left);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        let nowhere = BestSoFar::new(&oracle, TimeoutAs::Pass, Path::new("/nowhere/best"));
        assert!(nowhere.judge(b"!").unwrap_err().to_string().contains("/nowhere/best"));
    }
}
