//! Makes the specialized grammar of an expression, and that of its negation.

use std::sync::Arc;

use crate::grammar::Grammar;
use crate::pattern::Expression;
use crate::store::{Record, Side, Size, Specialize};
use crate::transform::{Specialization, Transformer, transformer};

use super::super::bench::Bench;
use super::{Done, StageError};

/// The transformer called `name`.
pub(super) fn by_name(name: &str) -> Result<Box<dyn Transformer>, StageError> {
    transformer(name).ok_or_else(|| StageError::failed(format!("there is no transformer called `{name}`")))
}

/// The specialized grammar of one side.
pub(super) fn side(
    bench: &Bench,
    expression: &Arc<Expression>,
    transformer: &dyn Transformer,
    side: Side,
) -> Result<Specialization, StageError> {
    let expression = match side {
        Side::F => Arc::clone(expression),
        Side::NotF => Arc::new(expression.negated()),
    };
    transformer.specialize(&bench.grammar, &expression).map_err(StageError::failed)
}

/// Specializes the bench's grammar both ways, and tells the sizes.
pub fn specialize(bench: &Bench, expression: &Arc<Expression>, transformer: &str) -> Done {
    let plug_in = by_name(transformer)?;
    let size = |grammar: &Grammar| Size {
        nonterminals: grammar.nonterminals().len() as u64,
        rules: grammar.rules().len() as u64,
    };
    let record = Specialize {
        transformer: transformer.to_owned(),
        expression: expression.text(&bench.grammar),
        base: size(&bench.grammar),
        specialized: size(&side(bench, expression, &*plug_in, Side::F)?.grammar),
        negated: size(&side(bench, expression, &*plug_in, Side::NotF)?.grammar),
    };
    Ok((Record::Specialize(record), 0))
}
