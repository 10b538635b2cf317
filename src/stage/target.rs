//! A bug made ready for work: its subject's grammar, the parser, and the oracle.

use std::path::Path;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::Grammar;
use crate::grammar::{antlr, format};
use crate::oracle::{CachedOracle, Oracle};
use crate::parse::{ParseError, Parser};
use crate::produce::{Producer, all_producers, producer};
use crate::store::Input;
use crate::subject::manifest::{Bug, GrammarFile};
use crate::tree::Tree;

use super::error::StageError;

/// Why a file gives no grammar.
#[derive(Debug)]
pub enum GrammarError {
    /// It cannot be read.
    Unreadable(std::io::Error),
    /// It is no grammar.
    Wrong(Diagnostics),
}

/// Reads the grammar in a file; what it needs is looked for beside it. The nonterminal `start` takes the place of its start symbol.
///
/// # Errors
/// When the file cannot be read, or is no grammar.
pub fn read_grammar(path: &Path, start: Option<&str>) -> Result<Grammar, GrammarError> {
    let text = std::fs::read(path).map_err(GrammarError::Unreadable)?;
    let source = Source::from_utf8(path.display().to_string(), &text)
        .map_err(|error| GrammarError::Wrong(error.into()))?;
    let read = format::read_with(&source, None, start, &antlr::beside(path)).map_err(GrammarError::Wrong)?;
    Ok(read.grammar)
}

/// The syntax of a subject: a grammar of it, and the grammar's parser.
#[derive(Clone)]
pub struct Syntax {
    /// The grammar.
    pub grammar: Arc<Grammar>,
    /// The parser.
    pub parser: Arc<Parser>,
}

impl Syntax {
    /// Reads a grammar. The limits are those of its parser.
    ///
    /// # Errors
    /// When the file cannot be read, or is no grammar: with its places. When its tables reach a limit.
    pub fn read(GrammarFile { file, start, .. }: &GrammarFile, limits: &Limits) -> Result<Self, StageError> {
        let grammar = read_grammar(file, start.as_deref()).map_err(|error| match error {
            GrammarError::Unreadable(error) => {
                StageError::failed(format!("cannot read `{}`: {error}", file.display()))
            }
            GrammarError::Wrong(errors) => StageError::failed(in_file(errors, file)),
        })?;
        let grammar = Arc::new(grammar);
        let parser = Parser::within(Arc::clone(&grammar), limits)?;
        Ok(Self { grammar, parser: Arc::new(parser) })
    }

    /// The first derivation tree of an input, which its user knows by `name`.
    ///
    /// # Errors
    /// When it does not parse: with the place. When a limit is reached.
    pub fn parse(&self, name: &str, input: &[u8]) -> Result<Tree, StageError> {
        match self.parser.parse(input) {
            Ok(forest) => Ok(forest.first_tree()),
            Err(ParseError::Syntax(error)) => {
                Err(StageError::failed(error.diagnostic(&Source::from_bytes(name, input))))
            }
            Err(ParseError::Exceeded(Exceeded::Interrupted)) => Err(StageError::Interrupted),
            Err(ParseError::Exceeded(exceeded)) => {
                Err(StageError::failed(format!("{name}: {}", with_setting(exceeded))))
            }
        }
    }
}

/// What is wrong with a grammar; what has no place in its text, such as a start symbol that it does not have, names its file.
fn in_file(Diagnostics(errors): Diagnostics, file: &Path) -> Diagnostics {
    let with_file = |error: Diagnostic| match error.offset() {
        Some(_) => error,
        None => error.help(format!("the grammar is that of `{}`", file.display())),
    };
    Diagnostics(errors.into_iter().map(with_file).collect())
}

/// What a limit says, with the setting of a config that allows more.
pub fn with_setting(exceeded: Exceeded) -> String {
    let setting = match exceeded {
        Exceeded::States(_) => "states",
        Exceeded::Rules(_) => "rules",
        Exceeded::Steps(_) => "steps",
        Exceeded::Time(_) | Exceeded::Interrupted => return exceeded.to_string(),
    };
    format!("{exceeded} (`transform.{setting}` in the config)")
}

/// The oracle of a bug, shared by all its tasks.
pub type BugOracle = CachedOracle<Box<dyn Oracle>>;

/// A bug as one task works on it.
pub struct Target<'a> {
    /// The bug.
    pub bug: &'a Bug,
    /// Its failing input, if it is not the one that is given.
    pub inflated: Option<Input>,
    /// The subject's grammar, and the grammar's parser.
    pub syntax: Syntax,
    /// Judges inputs; executions are reported as the task's.
    pub oracle: Box<dyn Oracle>,
}

impl Target<'_> {
    /// The subject's grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.syntax.grammar
    }

    /// The grammar's parser.
    pub fn parser(&self) -> &Arc<Parser> {
        &self.syntax.parser
    }

    /// The failing input of the bug.
    pub fn failing(&self) -> &[u8] {
        self.inflated.as_ref().map_or(&self.bug.input, Input::bytes)
    }

    /// The first derivation tree of an input.
    ///
    /// # Errors
    /// When it does not parse: with the place.
    pub fn parse(&self, input: &[u8]) -> Result<Tree, StageError> {
        self.syntax.parse(&format!("input of {}", self.bug.name), input)
    }

    /// The producer that fills placeholders and makes held-out inputs.
    ///
    /// # Errors
    /// When it cannot work on the grammar.
    pub fn filler(&self, depth: u32, limits: &Limits) -> Result<Box<dyn Producer>, StageError> {
        Ok(producer("limit", self.grammar(), self.parser().lexis(), depth, limits)?)
    }

    /// The producers that make random inputs of the whole grammar, in turn.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn producers(&self, depth: u32, limits: &Limits) -> Result<Vec<Box<dyn Producer>>, StageError> {
        Ok(all_producers(self.grammar(), self.parser().lexis(), depth, limits)?)
    }
}
