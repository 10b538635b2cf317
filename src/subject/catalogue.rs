//! All subjects of a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::manifest::{FILE, Manifest, RuleSet};
use super::quantity::TextSize;
use crate::base::diagnostic::{Diagnostic, Diagnostics};

/// How a user says where the subjects are.
const PLACE: &str = "--subjects says where they are, or `subject_folder` in a config";

/// What a folder of subjects is called if nobody says anything else.
pub const FOLDER: &str = "subjects";

/// The most levels between the folder in which others of that name are looked for and one that holds such a folder.
const MOST_LEVELS: usize = 2;

/// Subjects by name.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    subjects: Vec<Manifest>,
}

impl Catalogue {
    /// Reads all subjects in `folder`: each of its folders that holds a manifest.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, and bugs of two subjects that have the same name.
    pub fn load(folder: &Path) -> Result<Self, Diagnostics> {
        let (catalogue, broken) = Self::load_readable(folder)?;
        if broken.0.is_empty() { Ok(catalogue) } else { Err(broken) }
    }

    /// Reads those subjects in `folder` with which nothing is wrong; and what is wrong with the others.
    ///
    /// # Errors
    /// When the folder cannot be read or has no subjects.
    pub fn load_readable(folder: &Path) -> Result<(Self, Diagnostics), Diagnostics> {
        let unreadable = |error| {
            Diagnostic::error(format!("cannot read the subjects in `{}`: {error}", folder.display()))
                .help(PLACE)
        };
        let mut complaints = Vec::new();
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.join(FILE).is_file() {
                folders.push(path);
            }
        }
        if folders.is_empty() {
            return Err(Diagnostic::error(format!("there are no subjects in `{}`", folder.display()))
                .help(format!("a subject is a folder with a file `{FILE}`"))
                .help(PLACE)
                .into());
        }
        folders.sort();
        let mut subjects = Vec::new();
        for folder in folders {
            match Manifest::load(&folder) {
                Ok(manifest) => subjects.push(manifest),
                Err(Diagnostics(more)) => complaints.extend(more),
            }
        }
        let mut owners = HashMap::new();
        for subject in &subjects {
            for bug in &subject.bugs {
                if let Some(other) = owners.insert(bug.name.as_str(), subject.name.as_str())
                    && other != subject.name
                {
                    let message =
                        format!("`{other}` and `{}` both have a bug called `{}`", subject.name, bug.name);
                    complaints.push(Diagnostic::error(message));
                }
            }
        }
        Ok((Self { subjects }, Diagnostics(complaints)))
    }

    /// The same subjects, with the rules of `rule_set` to decide.
    #[must_use]
    pub fn with_rule_set(mut self, rule_set: RuleSet) -> Self {
        for subject in &mut self.subjects {
            subject.use_rule_set(rule_set);
        }
        self
    }

    /// The same subjects, with bugs that have large failing inputs: for each bug whose name `is_meant`, one for each size that it says.
    #[must_use]
    pub fn with_inflated(mut self, is_meant: impl Fn(&str) -> Vec<TextSize>) -> Self {
        for subject in &mut self.subjects {
            let given = subject.bugs.iter().filter(|bug| bug.inflation.is_none());
            let inflated =
                given.flat_map(|bug| is_meant(&bug.name).into_iter().map(|size| bug.inflated(&size)));
            for bug in inflated.collect::<Vec<_>>() {
                if subject.bug(&bug.name).is_none() {
                    subject.bugs.push(bug);
                }
            }
        }
        self
    }

    /// All subjects, by name.
    pub fn subjects(&self) -> &[Manifest] {
        &self.subjects
    }

    /// The subjects with these names; all of them when there are no names.
    ///
    /// # Errors
    /// When there is none of a name.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<&Manifest>, Diagnostic> {
        if names.is_empty() {
            return Ok(self.subjects.iter().collect());
        }
        names.iter().map(|name| self.subject(name)).collect()
    }

    /// The subject called `name`.
    ///
    /// # Errors
    /// When there is none: with the nearest name.
    pub fn subject(&self, name: &str) -> Result<&Manifest, Diagnostic> {
        let found = self.subjects.iter().find(|subject| subject.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.subjects.iter().map(|subject| subject.name.as_str()).collect();
            let error = Diagnostic::error(format!("there is no subject `{name}`"));
            match self.subjects.iter().find(|subject| subject.bug(name).is_some()) {
                Some(owner) => error.help(format!("`{name}` is a bug of the subject `{}`", owner.name)),
                None => error
                    .suggest(name, names.iter().copied())
                    .help(format!("there are: {}", names.join(", "))),
            }
        })
    }
}

/// A folder of subjects that has a bug, of those in the working folder and not far below it: who has read of a bug of an example need not know where that is.
/// What a manifest names need not be there yet: grammars of examples are fetched.
pub fn folder_of_bug(bug: &str) -> Option<PathBuf> {
    let mut level = vec![PathBuf::from(".")];
    for depth in 0..=MOST_LEVELS {
        if depth > 0 {
            level = level.iter().flat_map(|folder| folders_in(folder)).collect();
        }
        let mut places = level.iter().map(|folder| folder.join(FOLDER));
        let is_there = |place: &PathBuf| folders_in(place).iter().any(|subject| names_bug(subject, bug));
        if let Some(found) = places.find(is_there) {
            return Some(found.strip_prefix(".").map(Path::to_owned).unwrap_or(found));
        }
    }
    None
}

/// The folders in one, by name, but for those that are hidden; none if it cannot be read.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_shown = |entry: &std::fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut folders: Vec<PathBuf> = entries.filter(is_shown).map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

/// Whether the manifest of a subject has a bug of a name.
fn names_bug(subject: &Path, bug: &str) -> bool {
    let text = std::fs::read_to_string(subject.join(FILE)).unwrap_or_default();
    let manifest: toml::Table = text.parse().unwrap_or_default();
    let bugs = manifest.get("bug").and_then(toml::Value::as_array);
    bugs.into_iter().flatten().any(|it| it.get("name").and_then(toml::Value::as_str) == Some(bug))
}
