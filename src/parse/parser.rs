//! The parser of a grammar.

use std::ops::Range;
use std::sync::Arc;

use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{Grammar, Lexis, Symbol, Word};
use crate::tree::Tree;

use super::alphabet::Alphabet;
use super::error::{ParseError, SyntaxError};
use super::forest::Forest;
use super::index::VariableId;
use super::lookahead;
use super::lr0::Automaton;
use super::packed::PackedForest;
use super::productions::{Meaning, Plan, Production, Productions, RhsSymbol, lower};
use super::run::{Outcome, Run};
use super::semantics::Recognition;
use super::table::Tables;

/// A parser for the strings that a grammar derives from its start symbol.
///
/// Built once, and used by any number of threads at once.
#[derive(Debug)]
pub struct Parser {
    pub(super) plan: Arc<Plan>,
    pub(super) productions: Productions,
    pub(super) automaton: Automaton,
    pub(super) tables: Tables,
    limits: Limits,
}

impl Parser {
    /// The parser of a grammar that is known to be of a reasonable size, within the default limits.
    ///
    /// # Panics
    /// When its tables reach a limit; for grammars of others there is [`Self::within`].
    pub fn new(grammar: Arc<Grammar>) -> Self {
        Self::within(grammar, &Limits::default()).expect("the tables of the grammar are within the limits")
    }

    /// The parser of `grammar`. The limits hold for its tables, and then for each input anew.
    ///
    /// # Errors
    /// When the tables reach a limit.
    pub fn within(grammar: Arc<Grammar>, limits: &Limits) -> Result<Self, Exceeded> {
        Self::with_lookaheads(grammar, limits, lookahead::MOST_TRANSITIONS)
    }

    /// The parser of `grammar`, with LALR lookaheads if its automaton has at most `most_transitions` transitions
    /// by variables.
    pub(super) fn with_lookaheads(
        grammar: Arc<Grammar>,
        limits: &Limits,
        most_transitions: usize,
    ) -> Result<Self, Exceeded> {
        let meter = &mut limits.meter();
        let (plan, productions) = lower(grammar, meter)?;
        let automaton = Automaton::new(&plan, &productions, meter)?;
        let reductions = lookahead::reductions(&plan, &productions, &automaton, most_transitions, meter)?;
        let tables = Tables::new(&plan, &productions, &automaton, &reductions, meter)?;
        Ok(Self { plan: Arc::new(plan), productions, automaton, tables, limits: limits.clone() })
    }

    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.plan.grammar
    }

    /// The lexical layer of the grammar, if it has one.
    pub fn lexis(&self) -> Option<&Lexis> {
        self.plan.lexis.as_ref()
    }

    /// The limits of each input.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Parses `input`.
    ///
    /// # Errors
    /// When the grammar does not derive `input`, with where it goes wrong; or when a limit is reached.
    pub fn parse(&self, input: &[u8]) -> Result<Forest, ParseError> {
        Ok(self.parse_within(input, usize::MAX)?.expect("there is no limit"))
    }

    /// Parses `input`, unless it is so ambiguous that its forest has more than `most` nodes and further
    /// alternatives of nodes: then `None`.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_within(&self, input: &[u8], most: usize) -> Result<Option<Forest>, ParseError> {
        self.parse_limited(input, most, &self.limits)
    }

    /// As [`Self::parse_within`], with limits of its own.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_limited(
        &self,
        input: &[u8],
        most: usize,
        limits: &Limits,
    ) -> Result<Option<Forest>, ParseError> {
        let forest = PackedForest::new(Arc::clone(&self.plan), most);
        let finish = |forest, root, meter: &mut Meter| {
            let forest = Forest::new(Arc::clone(&self.plan), input, forest, root);
            // A tree is as large as it is, however small its forest.
            meter.spend(forest.order.empty_nodes().saturating_mul(16))?;
            Ok(Some(forest))
        };
        let mut meter = limits.meter();
        if input.is_empty() && self.derives_nothing() {
            return finish(forest, None, &mut meter);
        }
        let mut run = Run::new(self, input, forest, &mut meter);
        match run.run(usize::MAX)? {
            Outcome::Accepted(root) => finish(run.semantics, Some(root), &mut meter),
            Outcome::GivenUp => Ok(None),
            Outcome::Failed(offset) => Err(SyntaxError::new(self, input, offset, &mut meter)?.into()),
            Outcome::Paused => unreachable!("the input ends before the pause"),
        }
    }

    /// The first derivation tree of `input`; `None` when the grammar does not derive it.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn first_tree(&self, input: &[u8]) -> Result<Option<Tree>, Exceeded> {
        match self.parse(input) {
            Ok(forest) => Ok(Some(forest.first_tree())),
            Err(ParseError::Syntax(_)) => Ok(None),
            Err(ParseError::Exceeded(exceeded)) => Err(exceeded),
        }
    }

    /// Whether the grammar derives `input`. Cheaper than [`Self::parse`].
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn recognizes(&self, input: &[u8]) -> Result<bool, Exceeded> {
        if input.is_empty() {
            return Ok(self.derives_nothing());
        }
        let mut meter = self.limits.meter();
        let mut run = Run::new(self, input, Recognition, &mut meter);
        Ok(matches!(run.run(usize::MAX)?, Outcome::Accepted(_)))
    }

    /// Whether the grammar derives the empty string.
    pub(super) fn derives_nothing(&self) -> bool {
        self.plan.empty.preferred(self.plan.grammar.start()).is_some()
    }

    pub(super) fn alphabet(&self) -> &Alphabet {
        &self.productions.alphabet
    }

    /// The word that a symbol in a rule of a variable has to be, if it has to be one.
    pub(super) fn word_in(&self, variable: VariableId, symbol: Symbol) -> Option<Word> {
        let lexis = self.plan.lexis.as_ref()?;
        let has_words = match self.productions.meanings[variable] {
            Meaning::Nonterminal(nonterminal) => lexis.has_words(nonterminal),
            Meaning::Rest(rest) => !self.plan.rests.is_lexical(rest),
            Meaning::Start | Meaning::Character(_) | Meaning::Word(_) => false,
        };
        if has_words { lexis.word(symbol) } else { None }
    }

    /// How many units some of a production's symbols have, which are no nonterminals.
    pub(super) fn units(&self, made: &Production, places: Range<u32>) -> u32 {
        let units = |place: u32| match self.productions.rhs[made.first.plus(place)] {
            RhsSymbol::Variable(variable) => match self.productions.meanings[variable] {
                Meaning::Word(Word::Literal(literal)) => {
                    self.alphabet().units_of(self.grammar().literal(literal))
                }
                _ => 1,
            },
            RhsSymbol::Set(_) | RhsSymbol::End(_) => 1,
        };
        places.map(units).sum()
    }

    /// Whether the tables prove that the grammar is unambiguous: every input has one derivation tree.
    /// It can be unambiguous without this proof, as ambiguity cannot be decided.
    pub fn is_proved_unambiguous(&self) -> bool {
        let nonterminals = self.grammar().nonterminals();
        self.tables.is_deterministic()
            && self.plan.loops.is_empty()
            && self.plan.readings.iter().all(|readings| readings.len() <= 1)
            && nonterminals.ids().all(|nonterminal| self.plan.empty.rules(nonterminal).len() <= 1)
    }

    /// How large the tables are.
    pub fn size(&self) -> ParserSize {
        ParserSize {
            productions: self.plan.productions.len(),
            states: self.tables.states(),
            table_bytes: self.tables.bytes(),
        }
    }
}

/// How large a parser is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParserSize {
    /// The number of productions that the rules were turned into.
    pub productions: usize,
    /// The number of states.
    pub states: usize,
    /// The memory that the tables take.
    pub table_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_proved_unambiguous_has_one_tree_for_each_input(grammar in grammars(GrammarShape::default())) {
            let parser = Parser::new(Arc::new(grammar));
            if parser.is_proved_unambiguous() {
                for text in strings(5) {
                    if let Ok(forest) = parser.parse(&text) {
                        prop_assert_eq!(forest.count_trees(), Some(1), "{}", text.escape_ascii());
                    }
                }
            }
        }
    }
}
