//! An expression ready for work, with what was made of it: specialized grammars and a validator, each made once
//! for all tasks that work with the expression.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::base::limits::{Exceeded, Limits};
use crate::grammar::Grammar;
use crate::parse::Parser;
use crate::pattern::Expression;
use crate::transform::{TransformError, Transformer};
use crate::validate::AutomatonValidator;

use super::produce::Side;

/// What a transformer made of one side of an expression.
type Specialized = Result<Arc<Grammar>, TransformError>;

/// An expression, and the grammar that it is about.
pub struct Evocative {
    /// The grammar's file, as its user calls it.
    pub file: String,
    /// The grammar.
    pub grammar: Arc<Grammar>,
    /// The expression.
    pub expression: Arc<Expression>,
    specialized: Mutex<HashMap<(String, Side), Specialized>>,
    validator: OnceLock<Result<Arc<AutomatonValidator>, Exceeded>>,
}

impl Evocative {
    /// An expression of which nothing has been made.
    pub fn new(file: String, grammar: Arc<Grammar>, expression: Arc<Expression>) -> Self {
        Self { file, grammar, expression, specialized: Mutex::default(), validator: OnceLock::new() }
    }

    /// The specialized grammar of one side, made now: the transformer is timed. Other tasks get it from
    /// [`Self::specialized`].
    pub fn specialize(&self, transformer: &dyn Transformer, side: Side) -> Specialized {
        let expression = match side {
            Side::F => Arc::clone(&self.expression),
            Side::NotF => Arc::new(self.expression.negated()),
        };
        let made = transformer.specialize(&self.grammar, &expression).map(|made| made.grammar);
        let key = (transformer.name().to_owned(), side);
        self.specialized.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    }

    /// The specialized grammar of one side, made now if no task has made it before.
    pub fn specialized(&self, transformer: &dyn Transformer, side: Side) -> Specialized {
        let key = (transformer.name().to_owned(), side);
        let known = self.specialized.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        known.unwrap_or_else(|| self.specialize(transformer, side))
    }

    /// The validator. Its limits are for each input, so it does not matter which task asks first.
    ///
    /// # Errors
    /// When the formula is too large.
    pub fn validator(
        &self,
        parser: &Arc<Parser>,
        limits: Limits,
    ) -> Result<Arc<AutomatonValidator>, Exceeded> {
        let make = || {
            AutomatonValidator::new(Arc::clone(parser), Arc::clone(&self.expression), limits).map(Arc::new)
        };
        self.validator.get_or_init(make).clone()
    }
}
