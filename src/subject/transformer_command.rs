//! The command line of an external transformer, as a user writes it.
//!
//! Programs run in an empty folder of their own, where the name of a file would mean nothing. So a word
//! that names a file, as seen from the folder of the config (on the command line: from the current
//! folder), becomes the file's whole path. These files are what results depend on.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::command::Command;
use super::contents::Digest;
use super::execution::RunLimits;
use super::pool::Pool;
use super::transformer::CommandTransformer;
use crate::base::diagnostic::Diagnostic;
use crate::base::digest::digest;

/// What is run to specialize a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransformerCommand {
    /// The words as they are written.
    written: Vec<String>,
    /// With the whole paths of files.
    words: Vec<OsString>,
    /// Differs whenever a word or a file does.
    digest: String,
    limits: RunLimits,
}

impl TransformerCommand {
    /// The command that `written` means in `folder`. `timeout` is how long it may take; there is a default.
    ///
    /// # Errors
    /// When there is no such program, a placeholder is unknown, or a file cannot be read.
    pub fn in_folder(
        written: Vec<String>,
        folder: &Path,
        timeout: Option<Duration>,
    ) -> Result<Self, Diagnostic> {
        let mut digest = Digest::new();
        let mut words = Vec::new();
        for (index, word) in written.iter().enumerate() {
            digest.add(word.as_bytes());
            let path = folder.join(word);
            // A program's name without `/` is looked up on PATH.
            let is_looked_up = index == 0 && !word.contains('/');
            let is_file = !is_looked_up && path.is_file();
            if is_file {
                digest.add_files(folder, std::slice::from_ref(word)).map_err(|(path, error)| {
                    Diagnostic::error(format!("cannot read `{}`: {error}", path.display()))
                })?;
            }
            if is_file || (index == 0 && !is_looked_up) {
                let whole = std::path::absolute(&path)
                    .map_err(|error| Diagnostic::error(format!("`{}`: {error}", path.display())))?;
                words.push(whole.into_os_string());
            } else {
                words.push(word.into());
            }
        }
        Command::check(&words)?;
        let mut limits = CommandTransformer::limits();
        if let Some(timeout) = timeout {
            (limits.timeout, limits.wall) = (timeout, RunLimits::wall_of(timeout));
        }
        Ok(Self { written, words, digest: digest.finish(), limits })
    }

    /// The words as they are written.
    pub fn written(&self) -> &[String] {
        &self.written
    }

    /// Differs whenever the results may: of the words, the files that they name, and the limits. What
    /// the program itself uses besides is not known.
    pub fn digest(&self) -> String {
        digest(&(&self.digest, &self.limits))
    }

    /// The transformer that runs this, called `name`.
    ///
    /// # Errors
    /// When the program is not there any more.
    pub fn transformer(&self, name: &str, pool: &Arc<Pool>) -> Result<CommandTransformer, Diagnostic> {
        CommandTransformer::new(name, pool, &self.words, self.limits.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(folder: &Path, words: &[&str]) -> Result<TransformerCommand, Diagnostic> {
        TransformerCommand::in_folder(words.iter().map(|word| (*word).to_owned()).collect(), folder, None)
    }

    #[test]
    fn words_that_name_files_become_whole_paths() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("mine.py"), "pass").unwrap();
        std::fs::write(folder.path().join("sh"), "not the shell").unwrap();
        let made = command(folder.path(), &["sh", "mine.py", "other.py", "{file}", "."]).unwrap();
        let whole = folder.path().join("mine.py");
        assert_eq!(made.words, ["sh", whole.to_str().unwrap(), "other.py", "{file}", "."]);
    }

    #[test]
    fn the_digest_knows_words_files_and_limits() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("mine.py");
        std::fs::write(&script, "pass").unwrap();
        let digest = |words: &[&str]| command(folder.path(), words).unwrap().digest();
        let before = digest(&["sh", "mine.py"]);
        assert_eq!(digest(&["sh", "mine.py"]), before);
        assert_ne!(digest(&["sh", "./mine.py"]), before);
        assert_ne!(digest(&["sh", "mine.py", ""]), before);
        let slow = TransformerCommand::in_folder(
            vec!["sh".into(), "mine.py".into()],
            folder.path(),
            Some(Duration::from_secs(1)),
        );
        assert_ne!(slow.unwrap().digest(), before);
        std::fs::write(&script, "fail").unwrap();
        assert_ne!(digest(&["sh", "mine.py"]), before);
    }

    #[test]
    fn what_cannot_run_is_told_at_once() {
        let error = |words: &[&str]| command(Path::new("/"), words).unwrap_err().message().to_owned();
        assert_eq!(error(&["no-such-program"]), "there is no program `no-such-program` on PATH");
        assert_eq!(error(&["./no/such"]), "there is no program `/no/such`");
        assert_eq!(error(&[]), "there is no program to run");
        assert_eq!(error(&["sh", "{bug}"]), "`{bug}` stands for nothing on the command line");
    }
}
