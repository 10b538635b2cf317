//! Is a program still the one that was measured at first? Somebody may install another version, or build
//! it anew, while a campaign runs.
//!
//! The files that it is made of are listed and read once. After that the system is asked about them, which
//! costs next to nothing; only when it says that one was touched are they read again. Files that come
//! later are not watched: they may be what the program itself leaves behind.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::contents::{Digest, walk};
use crate::base::fingerprint::Fingerprint;
use crate::oracle::OracleError;

/// Watches the files of a program.
#[derive(Debug)]
pub struct ProgramWatch {
    files: Vec<PathBuf>,
    first: Fingerprint,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The metadata of the files when they were last found unchanged.
    outside: String,
    /// Which file was replaced, once that was seen: from then on every check fails.
    replaced: Option<String>,
}

impl ProgramWatch {
    /// Watches files, and what is in folders now.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn new(roots: Vec<PathBuf>) -> Result<Self, OracleError> {
        let mut files = Vec::new();
        for root in roots {
            // What a link points to is watched too: the alternatives of a system are such links.
            let target = root.canonicalize().map_err(|error| unreadable(&root, &error))?;
            for path in [&root, &target] {
                let folder = path.parent().unwrap_or(path);
                let name = path.file_name().map_or_else(|| ".".into(), |name| name.to_string_lossy());
                let found = walk(folder, &[name.into_owned()], |name, metadata| {
                    if !metadata.is_dir() {
                        files.push(folder.join(name));
                    }
                    Ok(())
                });
                found.map_err(|(path, error)| unreadable(&path, &error))?;
                if root == target {
                    break;
                }
            }
        }
        files.sort();
        files.dedup();
        // In this order: what is changed in between is seen by the first check.
        let outside = outside(&files);
        let first = Fingerprint { outside: outside.clone(), inside: inside(&files)? };
        Ok(Self { files, first, state: Mutex::new(State { outside, replaced: None }) })
    }

    /// The fingerprint of the files, if they are unchanged.
    ///
    /// # Errors
    /// When a file was replaced, now or before.
    pub fn check_unchanged(&self) -> Result<Fingerprint, OracleError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(replaced) = &state.replaced {
            return Err(OracleError::Broken(replaced.clone()));
        }
        let now = outside(&self.files);
        if now != state.outside {
            if inside(&self.files).ok().as_ref() != Some(&self.first.inside) {
                let text = self.replaced();
                state.replaced = Some(text.clone());
                return Err(OracleError::Broken(text));
            }
            state.outside = now;
        }
        Ok(Fingerprint { outside: state.outside.clone(), inside: self.first.inside.clone() })
    }

    fn replaced(&self) -> String {
        let newest = self.files.iter().max_by_key(|path| {
            let touched = |metadata: fs::Metadata| (metadata.ctime(), metadata.ctime_nsec());
            // What is gone is the first to be named.
            fs::symlink_metadata(path).map_or((i64::MAX, 0), touched)
        });
        format!(
            "the program under test was replaced while it was measured (`{}` is not what it was); what it \
             said since the end of the last task is not used: put it back and run the same command again, \
             or begin anew with --fresh",
            newest.map_or_else(String::new, |path| path.display().to_string())
        )
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> OracleError {
    OracleError::Broken(format!(
        "cannot read `{}`, which the program under test is made of: {error}",
        path.display()
    ))
}

/// What the system says of files. One that is gone is as good as one that was changed.
fn outside(files: &[PathBuf]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut digest = Digest::new();
    for path in files {
        match fs::symlink_metadata(path) {
            Ok(metadata) => digest.add_outside(&metadata),
            Err(error) => digest.add(error.to_string().as_bytes()),
        }
    }
    digest.finish()
}

/// What is in files. Not where they lie: builds may be moved.
fn inside(files: &[PathBuf]) -> Result<String, OracleError> {
    if files.is_empty() {
        return Ok(String::new());
    }
    let mut digest = Digest::new();
    for path in files {
        let add = |digest: &mut Digest| digest.add_contents(path, &fs::symlink_metadata(path)?);
        add(&mut digest).map_err(|error| unreadable(path, &error))?;
    }
    Ok(digest.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_replaced_is_seen_and_what_is_only_touched_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("build")).unwrap();
        for name in ["build/a", "build/b", "program"] {
            fs::write(path(name), name).unwrap();
        }
        std::os::unix::fs::symlink("program", path("link")).unwrap();
        let watch = ProgramWatch::new(vec![path("build"), path("link")]).unwrap();
        let first = watch.check_unchanged().unwrap();
        assert_eq!(watch.check_unchanged().unwrap(), first);
        // The same again in another file; and a new one, which may be the program's own.
        fs::write(path("copy"), "build/a").unwrap();
        fs::rename(path("copy"), path("build/a")).unwrap();
        fs::write(path("build/c"), "new").unwrap();
        let second = watch.check_unchanged().unwrap();
        assert!(second.inside == first.inside && second.outside != first.outside);
        // What the link points to.
        fs::write(path("program"), "Program").unwrap();
        let error = watch.check_unchanged().unwrap_err().to_string();
        assert!(error.contains("/program` is not what it was") && error.contains("--fresh"), "{error}");
        // Once is enough, though it is put back.
        fs::write(path("program"), "program").unwrap();
        assert_eq!(watch.check_unchanged().unwrap_err().to_string(), error);
        assert!(ProgramWatch::new(vec![path("missing")]).is_err());
        assert_eq!(ProgramWatch::new(Vec::new()).unwrap().check_unchanged(), Ok(Fingerprint::default()));
    }
}
