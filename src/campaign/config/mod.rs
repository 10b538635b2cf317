//! The config file of a campaign.
//!
//! Each key is taken by the code that it is about: here what concerns the campaign as a whole, and by the stages
//! what is theirs ([`crate::stage::settings`]). Every key has a default that reproduces the papers' setting, and
//! unknown keys are errors.

mod selection;
#[cfg(test)]
mod tests;

pub(super) use selection::matches_glob;
pub use selection::{Chosen, Selection};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use selection::BugEntry;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::keys::{Document, Keys};
use crate::compare::CompareSettings;
use crate::stage::{Settings, StageSettings};
use crate::subject::catalogue::Catalogue;

/// What a campaign does, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// What the user calls the campaign.
    pub title: String,
    /// The folder that holds the subjects.
    pub subject_folder: PathBuf,
    /// Which bugs take part.
    pub bugs: Selection,
    /// How the stages work.
    pub settings: Settings,
    /// What counts as a regression when runs of it are compared.
    pub compare: CompareSettings,
}

impl Config {
    /// Reads the config file `source`, which lies at `path`: folders are relative to it.
    ///
    /// # Errors
    /// Everything that is wrong in the file, with its place.
    pub fn read(source: &Arc<Source>, path: &Path) -> Result<Self, Diagnostics> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let document = Document::new(source, folder);
        let mut keys = document.keys()?;
        let title = title(&mut keys).or(stem).unwrap_or_default();
        let subject_folder = folder.join(keys.or("subject_folder", "../subjects".to_owned()));
        let bugs = keys.take::<Vec<Spanned<BugEntry>>>("bugs").map(Spanned::into_inner);
        let grammars = keys.take::<Vec<Spanned<String>>>("grammars").map(Spanned::into_inner);
        let settings = Settings::read(&mut keys);
        let compare = CompareSettings::read(&mut keys);
        let bugs = Selection::new(source, bugs, grammars, !settings.specialize.expressions.is_empty());
        keys.end();
        let config = Self { title, subject_folder, bugs, settings, compare };
        if document.has_errors()
            && let Ok(catalogue) = Catalogue::load(&config.subject_folder)
            && let Err(Diagnostics(more)) = config.bugs.choose(&catalogue)
        {
            // Otherwise names are looked up by the plan, which needs all that is right.
            more.into_iter().for_each(|error| document.wrong(error));
        }
        document.finish(config)
    }
}

/// A title is the name of a folder too.
fn title(keys: &mut Keys<'_>) -> Option<String> {
    let title = keys.take::<String>("title")?;
    let text = title.get_ref();
    if text.is_empty() || text.starts_with('.') || text.contains(['/', '\0']) {
        let document = keys.document();
        let error = Diagnostic::error(format!("`{}` is no title", text.escape_default()));
        let help = "results are put into a folder of that name: it has no `/` and begins with no dot";
        document.wrong(error.at(document.source(), title.span(), "").help(help));
    }
    Some(title.into_inner())
}
