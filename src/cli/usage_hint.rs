//! A hint for command lines that clap refuses.

use std::path::Path;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The option that names a grammar.
const GRAMMAR: &str = "--grammar";

/// An error with a hint where a file stands alone that is meant for an option.
pub(super) fn with_hint(mut error: clap::Error) -> clap::Error {
    let names_grammar =
        error.get(ContextKind::Usage).is_some_and(|usage| usage.to_string().contains(GRAMMAR));
    let hint = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::UnknownArgument, Some(ContextValue::String(file)))
            if names_grammar && Path::new(file).is_file() =>
        {
            StyledStr::from(format!("a grammar stands behind its option: {GRAMMAR} {file}"))
        }
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint]));
    error
}
