//! The expressions that a config gives by hand, each with its grammar.
//!
//! They are about no program: transformers are compared on them. Everything is read when the config
//! is, so that errors are reported before anything runs.

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source, help_for_missing};
use crate::base::digest::digest;
use crate::base::keys::{self, Document, Names};
use crate::grammar::Grammar;
use crate::pattern::{Expression, WithWarnings, read_expression_in};
use crate::store::Identity;

use super::super::settings::PlugInNames;
use super::super::target::{GrammarError, read_grammar};

/// An expression, and the grammar that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenExpression {
    /// What the config calls it.
    pub name: String,
    /// The grammar's file, as the config calls it.
    pub file: String,
    /// The grammar.
    pub grammar: Arc<Grammar>,
    /// The expression.
    pub expression: Arc<Expression>,
    /// The names of the transformers that are compared on it.
    pub transformers: PlugInNames,
    /// That texts of its patterns are ambiguous.
    pub warnings: Vec<Diagnostic>,
}

/// An entry `[[expressions]]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    name: Spanned<String>,
    grammar: Spanned<String>,
    expression: Option<Spanned<String>>,
    expression_file: Option<Spanned<String>>,
    transformers: Option<Names>,
}

/// Checks the entries of a config. `known` are the transformers that there are, `all` those that take part
/// for an entry that names none.
pub(super) fn read(
    document: &Document<'_>,
    entries: Vec<Entry>,
    known: &[&str],
    all: &[Arc<str>],
) -> Vec<GivenExpression> {
    let mut reader = Reader { document, grammars: HashMap::new() };
    let mut given: Vec<GivenExpression> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let default: Vec<&str> = all.iter().map(|name| &**name).collect();
    for entry in entries {
        reader.check_name(&entry.name, &mut names);
        let grammar = reader.grammar(&entry.grammar);
        let text = reader.text(&entry);
        let transformers = match entry.transformers {
            Some(names) => keys::names(document, names, "transformer", known, &default),
            None => all.to_vec(),
        };
        let (Some(grammar), Some((text, span))) = (grammar, text) else { continue };
        match read_expression_in(&text, span, &grammar) {
            Ok(WithWarnings { value: expression, warnings }) => given.push(GivenExpression {
                name: entry.name.into_inner(),
                file: entry.grammar.into_inner(),
                grammar,
                expression: Arc::new(expression),
                transformers,
                warnings,
            }),
            Err(error) => document.wrong(error),
        }
    }
    given
}

/// Adds what results depend on. Of a grammar its model and not its text: it can be put together from several
/// files.
pub(super) fn identify(expressions: &[GivenExpression], identity: &mut Identity) {
    let names: Vec<&str> = expressions.iter().map(|given| given.name.as_str()).collect();
    identity.add(None, "the list of expressions", digest(&names));
    for (index, GivenExpression { name, file, grammar, expression, .. }) in expressions.iter().enumerate() {
        if !expressions[..index].iter().any(|before| before.file == *file) {
            let words = (grammar.skip(), grammar.lexer());
            let rules = (grammar.nonterminals(), grammar.rules(), grammar.start(), words);
            let model = (rules, grammar.literals(), grammar.classes());
            identity.add(None, format!("the grammar `{file}`"), digest(&model));
        }
        let model = (file, &**expression, expression.text(grammar));
        identity.add(None, format!("the expression `{name}`"), digest(&model));
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
    /// The grammars that were read, by file; `None` when an error in it was reported already.
    grammars: HashMap<PathBuf, Option<Arc<Grammar>>>,
}

impl Reader<'_> {
    /// A name is a part of the names of tasks.
    fn check_name(&mut self, name: &Spanned<String>, names: &mut Vec<String>) {
        let text = name.get_ref();
        if text.trim().is_empty() || text.contains(|c: char| c == '/' || c.is_control()) {
            self.document.wrong(
                Diagnostic::error(format!("`{}` is no name of an expression", text.escape_default()))
                    .at(self.document.source(), name.span(), "")
                    .help("tasks are called after it: it is not empty, and has no `/` and no line breaks"),
            );
        } else if names.contains(text) {
            let message = format!("two expressions are called `{text}`");
            self.document.wrong(Diagnostic::error(message).at(
                self.document.source(),
                name.span(),
                "the second",
            ));
        }
        names.push(text.clone());
    }

    fn grammar(&mut self, file: &Spanned<String>) -> Option<Arc<Grammar>> {
        let path = self.document.folder().join(file.get_ref());
        if let Some(known) = self.grammars.get(&path) {
            return known.clone();
        }
        let grammar = match read_grammar(&path, None) {
            Ok(grammar) => Some(Arc::new(grammar)),
            Err(GrammarError::Unreadable(error)) => {
                let error = self.unreadable(file, &path, &error);
                self.document.wrong(error);
                None
            }
            Err(GrammarError::Wrong(Diagnostics(more))) => {
                more.into_iter().for_each(|error| self.document.wrong(error));
                None
            }
        };
        self.grammars.insert(path, grammar.clone());
        grammar
    }

    /// The text that holds the expression, and where in it.
    fn text(&mut self, entry: &Entry) -> Option<(Arc<Source>, Range<usize>)> {
        match (&entry.expression, &entry.expression_file) {
            (Some(text), None) => Some(self.inline(entry.name.get_ref(), text)),
            (None, Some(file)) => {
                let path = self.document.folder().join(file.get_ref());
                match std::fs::read(&path) {
                    Ok(text) => Some(whole(Source::from_bytes(path.display().to_string(), &text))),
                    Err(error) => {
                        let error = self.unreadable(file, &path, &error);
                        self.document.wrong(error);
                        None
                    }
                }
            }
            (None, None) => {
                let message = format!("the expression `{}` has no text", entry.name.get_ref());
                self.document.wrong(
                    Diagnostic::error(message)
                        .at(self.document.source(), entry.name.span(), "")
                        .help("give `expression`, or `expression_file`"),
                );
                None
            }
            (Some(_), Some(file)) => {
                let message = format!(
                    "the expression `{}` is given twice, as text and as a file",
                    entry.name.get_ref()
                );
                self.document.wrong(Diagnostic::error(message).at(self.document.source(), file.span(), ""));
                None
            }
        }
    }

    /// Where the text of a TOML string is in the config itself, so that errors have their places there;
    /// an own source when escapes stand between.
    fn inline(&self, name: &str, text: &Spanned<String>) -> (Arc<Source>, Range<usize>) {
        let (value, span) = (text.get_ref(), text.span());
        let written = self.document.source().text().get(span.clone()).unwrap_or_default();
        match written.find(value.as_str()) {
            Some(at) => {
                let start = span.start + at;
                (Arc::clone(self.document.source()), start..start + value.len())
            }
            None => {
                whole(Source::new(format!("expression `{name}` of {}", self.document.source().name()), value))
            }
        }
    }

    fn unreadable(
        &self,
        file: &Spanned<String>,
        path: &std::path::Path,
        error: &std::io::Error,
    ) -> Diagnostic {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no file `{}`", path.display()),
            _ => format!("cannot read `{}`: {error}", path.display()),
        };
        let diagnostic = Diagnostic::error(message).at(self.document.source(), file.span(), "");
        let otherwise = || "files are named as seen from the folder of the config".into();
        diagnostic.help(help_for_missing(path).unwrap_or_else(otherwise))
    }
}

fn whole(source: Arc<Source>) -> (Arc<Source>, Range<usize>) {
    let span = 0..source.text().len();
    (source, span)
}
