//! The `symbolic` transformer: the rule algebra of the papers, as corrected.
//!
//! Gopinath, Nemati, Zeller: "Input Algebras" (ICSE 2021), sections III and IV, with the corrections
//! of its update notes, and the two articles on inducing (multiple) faults. It is the reference to
//! compare [`super::AutomatonTransformer`] with: made from rules rather than from states, and nothing
//! of the construction is shared. One noun a file, from small to large:
//!
//! - [`literal`]: what can be said of one tree: a pattern occurs in it, a pattern node matches it;
//! - [`condition`]: and / or / neg of literals;
//! - [`algebra`]: what is plain of a nonterminal, and how much may be made;
//! - [`token`], [`rule`], [`ruleset`], [`definition`]: and / or / neg of these;
//! - [`pattern_grammar`]: the trees that match a pattern's node, and those that do not;
//! - [`reaching`]: the trees in which a pattern occurs, or does not;
//! - [`structure`]: the trees in which one pattern occurs inside or before another;
//! - [`construction`]: grammars, by reconstruction of undefined nonterminals;
//! - [`garbage`]: what cannot be completed or is not used is collected.
//!
//! **What is exact.** Each specialized nonterminal has a condition, and its trees are those of its base
//! nonterminal that satisfy it, *each once*: the rules of a definition never have a tree in common,
//! since `or` adds to the first operand only what it lacks, the reaching grammar reaches at the first
//! place that does, and the negation of a rule misses at the first place that misses. This is where it
//! departs from the papers, whose grammars are ambiguous as soon as a pattern can occur twice.
//!
//! **What it costs.** Conditions of several patterns are split by and / neg, so the result is larger
//! than the automaton's, which knows what a tree can still lead to; `docs/transformers.md` has figures. All
//! rules are counted, those made on the way included, and there is a limit.

pub mod algebra;
pub mod condition;
mod construction;
mod definition;
mod garbage;
pub mod literal;
mod pattern_grammar;
mod reaching;
mod rule;
mod ruleset;
mod structure;
mod token;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::Serialize;

use crate::base::id::IdVec;
use crate::base::limits::Limits;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::{Grammar, NonterminalId};
use crate::pattern::{Expression, NamedPattern, Pattern, PatternId};

use self::algebra::Algebra;
use self::condition::Condition;
use self::construction::Construction;
use super::{
    MakeTransformer, Specialization, TransformError, Transformer, only_single_patterns, without_bound_nodes,
};

/// Specializes by the rule algebra of the papers.
#[derive(Clone, Debug)]
pub struct SymbolicTransformer {
    /// The maximum number of rules, intermediate ones included.
    pub most_rules: usize,
    /// How much may be done, and how large the result may become.
    pub limits: Limits,
}

impl Default for SymbolicTransformer {
    fn default() -> Self {
        Self::within(Limits::default())
    }
}

impl SymbolicTransformer {
    /// A transformer with these limits.
    pub fn within(limits: Limits) -> Self {
        Self { most_rules: limits.sizes.rules.min(1_000_000), limits }
    }

    /// The grammar of the trees of `start` that satisfy a condition, which may count occurrences.
    ///
    /// # Errors
    /// When too much would have to be made.
    pub fn specialize_condition(
        &self,
        grammar: &Grammar,
        start: NonterminalId,
        patterns: &IdVec<PatternId, SinglePattern>,
        condition: &Condition,
    ) -> Result<Specialization, TransformError> {
        construct(&Algebra::new(grammar, patterns, self.most_rules, self.limits.meter()), start, condition)
    }
}

/// A name with the one pattern that it stands for.
#[derive(Clone, Debug)]
pub struct SinglePattern {
    /// The name.
    pub name: String,
    /// The pattern, whose nodes have no conditions.
    pub pattern: Pattern,
}

impl SinglePattern {
    /// The names that stand for one pattern without conditions: all that the algebra knows.
    pub fn all(patterns: &IdVec<PatternId, NamedPattern>) -> IdVec<PatternId, Self> {
        let single =
            |named: &NamedPattern| Some(Self { name: named.name.clone(), pattern: named.only()?.clone() });
        patterns.iter().filter_map(single).collect()
    }
}

fn construct(
    algebra: &Algebra<'_>,
    start: NonterminalId,
    condition: &Condition,
) -> Result<Specialization, TransformError> {
    let (grammar, origin) = Construction::new(algebra).run(start, condition)?;
    Ok(garbage::collect(&grammar, &origin))
}

pub(super) const PLUG_IN: PlugIn<MakeTransformer> = PlugIn::of::<Settings>();

/// There is nothing to set.
#[derive(Default, Serialize)]
struct Settings;

impl PlugInSettings<MakeTransformer> for Settings {
    const NAME: &'static str = "symbolic";

    fn make(self) -> MakeTransformer {
        Arc::new(|limits| Box::new(SymbolicTransformer::within(limits.clone())))
    }
}

impl Transformer for SymbolicTransformer {
    fn name(&self) -> &str {
        Settings::NAME
    }

    fn specialize(
        &self,
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
    ) -> Result<Specialization, TransformError> {
        only_single_patterns(expression, Settings::NAME)?;
        let expression = without_bound_nodes(expression);
        let patterns = SinglePattern::all(&expression.patterns);
        let algebra = Algebra::new(grammar, &patterns, self.most_rules, self.limits.meter());
        let at_root = |pattern| algebra.at_root(expression.start, pattern);
        let condition = Condition::of_formula(&expression.formula, &at_root, &mut algebra.meter())?;
        construct(&algebra, expression.start, &condition)
    }
}
