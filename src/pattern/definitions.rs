//! The names of an expression while it is read: a name may be used before it is defined, and defined for one
//! nonterminal after the other.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::{Id, IdVec};
use crate::grammar::NonterminalId;

use super::expression::{NamedPattern, PatternId};
use super::model::Pattern;
use super::reference::circular;

/// Where something stands.
type Place = (Arc<Source>, Range<usize>);

/// A name, as far as it is known.
struct Entry {
    name: String,
    alternatives: Vec<Pattern>,
    /// Where it was defined first.
    defined: Option<Place>,
    /// Where it was used first.
    used: Option<Place>,
}

/// The names met so far. Until all are read, a name's number says when it was met.
#[derive(Default)]
pub struct Definitions {
    entries: IdVec<PatternId, Entry>,
    /// The names that are defined, in that order.
    defined: Vec<PatternId>,
}

impl Definitions {
    fn entry(&mut self, name: &str) -> PatternId {
        let known = self.entries.entries().find(|(_, entry)| entry.name == name).map(|(id, _)| id);
        known.unwrap_or_else(|| {
            let name = name.to_owned();
            self.entries.push(Entry { name, alternatives: Vec::new(), defined: None, used: None })
        })
    }

    /// The number of a name that is used.
    pub fn used(&mut self, name: &str, source: &Arc<Source>, span: Range<usize>) -> PatternId {
        let id = self.entry(name);
        self.entries[id].used.get_or_insert_with(|| (Arc::clone(source), span));
        id
    }

    /// Takes note of a definition.
    ///
    /// # Errors
    /// When the name has one for this nonterminal.
    pub fn define(
        &mut self,
        name: &str,
        nonterminal: NonterminalId,
        alternatives: Vec<Pattern>,
        source: &Arc<Source>,
        span: Range<usize>,
    ) -> Result<(), Diagnostic> {
        let id = self.entry(name);
        let entry = &mut self.entries[id];
        match &entry.defined {
            None => {
                entry.defined = Some((Arc::clone(source), span));
                self.defined.push(id);
            }
            Some((first, place)) => {
                if entry.alternatives.iter().any(|pattern| pattern.characteristic() == nonterminal) {
                    return Err(Diagnostic::error(format!("`{name}` is defined twice"))
                        .at(source, span, "here")
                        .at(first, place.clone(), "and here")
                        .help("write all its texts in one definition: `is \"...\" | \"...\"`"));
                }
            }
        }
        entry.alternatives.extend(alternatives);
        Ok(())
    }

    /// Whether a pattern has this name, and where it is defined.
    pub fn place(&self, name: &str) -> Option<&Place> {
        self.entries.iter().find(|entry| entry.name == name)?.defined.as_ref()
    }

    /// All names with their patterns, in the order in which they were defined.
    ///
    /// # Errors
    /// When a name is used and not defined, or depends on itself at one node. `formulas` are the names of formulas.
    pub fn finish(self, formulas: &[&str]) -> Result<IdVec<PatternId, NamedPattern>, Diagnostic> {
        let names: Vec<&str> = self.defined.iter().map(|&id| &*self.entries[id].name).collect();
        for entry in self.entries.iter().filter(|entry| entry.defined.is_none()) {
            let Some((source, span)) = &entry.used else { continue };
            let error = Diagnostic::error(format!("there is no pattern called `{}`", entry.name))
                .at(source, span.clone(), "used here")
                .suggest(&entry.name, names.iter().copied());
            return Err(match formulas.contains(&&*entry.name) {
                true => error.help("it is a formula; a placeholder asks for patterns"),
                false if names.is_empty() => error,
                false => error.help(format!("the patterns are: {}", names.join(", "))),
            });
        }
        let mut numbers = IdVec::filled(PatternId::new(0), self.entries.len());
        for (number, &id) in self.defined.iter().enumerate() {
            numbers[id] = PatternId::new(number);
        }
        let named = |&id: &PatternId| {
            let Entry { name, alternatives, .. } = &self.entries[id];
            let alternatives = alternatives.iter().map(|pattern| pattern.renamed(|name| numbers[name]));
            NamedPattern { name: name.clone(), alternatives: alternatives.collect() }
        };
        let patterns: IdVec<PatternId, NamedPattern> = self.defined.iter().map(named).collect();
        let Some(name) = circular(&patterns) else { return Ok(patterns) };
        let entry = &self.entries[self.defined[name.index()]];
        let error = Diagnostic::error(format!("whether `{}` occurs at a node depends on itself", entry.name));
        let error = match &entry.defined {
            Some((source, span)) => error.at(source, span.clone(), "defined here"),
            None => error,
        };
        Err(error.help("a name may refer to itself in a part of its text, but not as the whole of it"))
    }
}
