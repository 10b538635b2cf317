//! The transformers of a campaign: the built-in ones, and the programs that a config names.

use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::base::diagnostic::Diagnostic;
use crate::base::keys::Document;
use crate::base::limits::Limits;
use crate::subject::pool::Pool;
use crate::subject::quantity::duration;
use crate::subject::transformer_command::TransformerCommand;
use crate::transform::{self, TRANSFORMERS, Transformer};

use super::SpecializeSettings;

/// A program that specializes grammars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalTransformer {
    /// What the config calls it.
    pub name: String,
    /// What is run.
    pub command: TransformerCommand,
}

/// An entry `[[command_transformers]]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    name: Spanned<String>,
    command: Spanned<Vec<String>>,
    timeout: Option<Spanned<String>>,
}

impl Entry {
    /// What the config calls it, whatever else is wrong with it.
    pub(super) fn name(&self) -> String {
        self.name.get_ref().clone()
    }
}

/// Checks the entries of a config.
pub(super) fn read(document: &Document<'_>, entries: Vec<Entry>) -> Vec<ExternalTransformer> {
    let mut read: Vec<ExternalTransformer> = Vec::new();
    for Entry { name, command, timeout } in entries {
        let (text, span) = (name.get_ref(), name.span());
        if text.trim().is_empty() || text.contains(|c: char| c == '/' || c.is_control()) {
            let message = format!("`{}` is no name of a transformer", text.escape_default());
            let error = Diagnostic::error(message).at(document.source(), span, "");
            document.wrong(error.help("tasks are called after it"));
        } else if TRANSFORMERS.names().any(|name| name == text)
            || read.iter().any(|known| known.name == *text)
        {
            document.wrong_at(span, format!("there is a transformer called `{text}` already"));
        }
        let timeout = timeout.and_then(|timeout| match duration(timeout.get_ref()) {
            Ok(duration) => Some(duration),
            Err(message) => {
                document.wrong_at(timeout.span(), message);
                None
            }
        });
        let span = command.span();
        match TransformerCommand::in_folder(command.into_inner(), document.folder(), timeout) {
            Ok(command) => read.push(ExternalTransformer { name: name.into_inner(), command }),
            Err(error) => document.wrong(error.at(document.source(), span, "")),
        }
    }
    read
}

/// The transformer called `name`, a built-in one with its settings and these limits, or one of the config, whose program runs in
/// `pool`.
///
/// # Errors
/// When there is none of that name, or its program is gone.
pub fn by_name(
    name: &str,
    settings: &SpecializeSettings,
    pool: &Arc<Pool>,
    limits: &Limits,
) -> Result<Box<dyn Transformer>, String> {
    if let Some(found) = settings.external.iter().find(|external| external.name == name) {
        let found = found.command.transformer(name, pool).map_err(|error| error.message().to_owned())?;
        return Ok(Box::new(found));
    }
    // Expressions can name others than those that take part elsewhere.
    match settings.variants.get(name) {
        Ok(make) => Ok(make(limits)),
        Err(_) => transform::transformer(name, limits).map_err(|error| error.to_string()),
    }
}
