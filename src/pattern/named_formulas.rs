//! Formulas that have names: `<json X | D> where X is E & !N`. Each use of a name is replaced by its formula.

use std::ops::Range;
use std::sync::Arc;

use crate::base::diagnostic::{Diagnostic, Source};

use super::expression::Formula;
use super::formula_text::read_with;

/// Named formulas within named formulas beyond this are refused: reading them, and all that is done with the
/// formula, is recursive.
const MOST_LEVELS: usize = 20;

/// More uses of named formulas, counted in what they are replaced by as well, are refused: a few lines can ask
/// for more than there is memory.
const MOST_USES: usize = 10_000;

/// Formulas that refer to each other by name.
pub(super) struct NamedFormulas<'a> {
    source: &'a Arc<Source>,
    names: &'a [String],
    formulas: &'a [(String, Range<usize>)],
    /// The formulas that are being read, from the outside in.
    open: Vec<usize>,
    /// How often a name has been replaced by its formula.
    uses: usize,
}

impl<'a> NamedFormulas<'a> {
    /// Those of a text, with the names of its patterns.
    pub fn new(source: &'a Arc<Source>, names: &'a [String], formulas: &'a [(String, Range<usize>)]) -> Self {
        Self { source, names, formulas, open: Vec::new(), uses: 0 }
    }

    /// Reads the formula in `span`, with everything that it refers to in its place.
    pub fn read(&mut self, span: Range<usize>) -> Result<Formula, Diagnostic> {
        let (source, names) = (self.source, self.names);
        read_with(source, span, names, &mut |name| {
            let index = self.formulas.iter().position(|(known, _)| known == name)?;
            let span = self.formulas[index].1.clone();
            if self.open.contains(&index) {
                let error = Diagnostic::error(format!("`{name}` is defined by itself"));
                return Some(Err(error.at(source, span, "this formula needs its own value")));
            }
            self.uses += 1;
            if self.open.len() >= MOST_LEVELS || self.uses > MOST_USES {
                let what = match self.open.len() >= MOST_LEVELS {
                    true => format!("formulas refer to each other more than {MOST_LEVELS} deep"),
                    false => format!("the formula uses named formulas more than {MOST_USES} times"),
                };
                return Some(Err(Diagnostic::error(what).at(source, span, "in the end it needs this one")));
            }
            self.open.push(index);
            let formula = self.read(span);
            self.open.pop();
            Some(formula)
        })
    }
}
