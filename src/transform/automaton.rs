//! The `automaton` transformer: exact for every expression.
//!
//! The specialized grammar's nonterminals are pairs of a base nonterminal and a set of states in which
//! its subtree may end; the pair with all states is the base nonterminal itself. Each rule of the base
//! grammar becomes one rule for each box (see [`super::boxes`]). Boxes are disjoint, so each derivation
//! tree of the base grammar that satisfies the expression appears exactly once, and the result is
//! unambiguous whenever the base grammar is. (DESIGN, section 2; the construction is the product of a
//! grammar with a tree automaton, Comon et al., "Tree Automata Techniques and Applications", 1.5.)

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::automaton::describe::Describer;
use crate::automaton::{Automaton, StateId};
use crate::base::id::IdVec;
use crate::grammar::{Grammar, GrammarBuilder, NonterminalId, Symbol};
use crate::pattern::Expression;

use super::boxes::{Boxes, SetId, Side};
use super::{Origin, Specialization, TransformError, Transformer, free_name, without_bound_nodes};

/// Specializes by tree automata.
#[derive(Clone, Copy, Debug)]
pub struct AutomatonTransformer {
    /// The automaton may have so many states and folds.
    pub most_states: usize,
    /// The specialized grammar may have so many rules.
    pub most_rules: usize,
}

impl Default for AutomatonTransformer {
    fn default() -> Self {
        Self { most_states: Automaton::DEFAULT_LIMIT, most_rules: 2_000_000 }
    }
}

impl Transformer for AutomatonTransformer {
    fn name(&self) -> &str {
        "automaton"
    }

    fn specialize(
        &self,
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
    ) -> Result<Specialization, TransformError> {
        let expression = &without_bound_nodes(expression);
        let automaton = Automaton::new(Arc::clone(grammar), Arc::clone(expression), self.most_states)?;
        let accepted: Box<[StateId]> = automaton
            .reachable(expression.start)
            .iter()
            .copied()
            .filter(|&state| automaton.accepts(state))
            .collect();
        Specializer::new(&automaton, self.most_rules).run(expression.start, accepted)
    }
}

/// A specialized nonterminal: a base nonterminal and a set of its states.
type Pair = (NonterminalId, SetId);

struct Specializer<'a> {
    base: &'a Grammar,
    describer: Describer<'a>,
    boxes: Boxes<'a>,
    most_rules: usize,
    builder: GrammarBuilder,
    pairs: HashMap<Pair, NonterminalId>,
    origin: Origin,
    work: VecDeque<Pair>,
}

impl<'a> Specializer<'a> {
    fn new(automaton: &'a Automaton, most_rules: usize) -> Self {
        Self {
            base: automaton.grammar(),
            describer: Describer::new(automaton),
            boxes: Boxes::new(automaton),
            most_rules,
            builder: GrammarBuilder::new(),
            pairs: HashMap::new(),
            origin: Origin { nonterminals: IdVec::new(), rules: IdVec::new() },
            work: VecDeque::new(),
        }
    }

    fn run(
        mut self,
        start: NonterminalId,
        accepted: Box<[StateId]>,
    ) -> Result<Specialization, TransformError> {
        let set = self.boxes.sets.intern(accepted);
        let start = self.pair((start, set));
        while let Some((nonterminal, set)) = self.work.pop_front() {
            self.expand(nonterminal, set)?;
        }
        Ok(Specialization { grammar: Arc::new(self.builder.finish(start)), origin: Some(self.origin) })
    }

    /// The specialized nonterminal of a pair, which is queued if it is new.
    fn pair(&mut self, pair: Pair) -> NonterminalId {
        if let Some(&known) = self.pairs.get(&pair) {
            return known;
        }
        let (nonterminal, set) = pair;
        let base = self.base.nonterminal(nonterminal);
        let condition = self.describer.condition(nonterminal, &self.boxes.sets[set]);
        let id = self.builder.nonterminal(free_name(&self.builder, &base.name, condition));
        self.builder.set_role(id, base.role);
        debug_assert_eq!(
            self.origin.nonterminals.len(),
            crate::base::id::Id::index(id),
            "each pair has its own name"
        );
        self.origin.nonterminals.push(nonterminal);
        self.pairs.insert(pair, id);
        self.work.push_back(pair);
        id
    }

    fn expand(&mut self, nonterminal: NonterminalId, set: SetId) -> Result<(), TransformError> {
        let lhs = self.pairs[&(nonterminal, set)];
        for &rule in self.base.rules_of(nonterminal) {
            let room = self.most_rules - self.origin.rules.len();
            let boxes = self
                .boxes
                .of_rule(rule, set, room)
                .ok_or(TransformError::TooManyRules { limit: self.most_rules })?;
            for sides in boxes {
                let symbols: Vec<Symbol> = sides
                    .into_iter()
                    .zip(&self.base.rule(rule).symbols)
                    .filter_map(|(side, &symbol)| match (side, symbol) {
                        (Side::Chars(class), _) => Some(self.builder.class(class)),
                        (Side::States(set), Symbol::Nonterminal(child)) => {
                            Some(Symbol::Nonterminal(self.pair((child, set))))
                        }
                        (Side::Literal, Symbol::Literal(literal)) => {
                            self.builder.literal(self.base.literal(literal))
                        }
                        (side, symbol) => unreachable!("{side:?} for {symbol:?}"),
                    })
                    .collect();
                self.builder.rule(lhs, symbols);
                self.origin.rules.push(rule);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::format::{self, Format};
    use crate::pattern::read_expression;

    /// The expression of the paper's Fig. 1, whose specialized grammar has 31 nonterminals.
    #[test]
    fn the_papers_example_is_small_and_readable() {
        let source = Source::new("json.ebnf", include_str!("../../grammars/json.ebnf"));
        let grammar = Arc::new(format::read(&source, None).unwrap().grammar);
        let text = r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#;
        let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
        let special = AutomatonTransformer::default().specialize(&grammar, &expression).unwrap().grammar;
        assert_eq!(special.nonterminals().len(), 31);
        insta::assert_snapshot!(format::write(&special, Format::Ebnf, false).unwrap());
    }
}
