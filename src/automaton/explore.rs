//! Finds everything that derivation trees can lead to: folds, states, and the steps between them.
//!
//! The states that subtrees of a nonterminal can have are the least fixpoint of all rules' folds. A
//! worklist runs them: each new fold is offered all known states of the next symbol, each new state
//! is offered to all folds that wait for its nonterminal, so each step is computed once. From then on
//! the automaton only looks up.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{ClassId, Grammar, NonterminalId, RuleId, Symbol, analysis};
use crate::pattern::Expression;
#[cfg(test)]
use crate::tree::{Label, NodeId, Tree};

use super::machine::{CharTransition, FoldId, Machine, State, StateId};
use super::residual::Residuals;
use super::table::Table;

/// The whole automaton of an expression over the derivation trees of a grammar.
///
/// All questions are about what derivation trees can lead to: asking for a step that no tree takes
/// is a mistake in the program, and panics. As in a [`Machine`], a place in a rule is given by how many of
/// its symbols are left, the next one included.
#[derive(Clone, Debug)]
pub struct Automaton {
    machine: Machine,
    /// The states that subtrees of each nonterminal have, in the order in which they were found.
    reachable: IdVec<NonterminalId, Vec<StateId>>,
    /// For each rule and number of symbols read, the folds that are reached.
    reached: Vec<SmallVec<[FoldId; 2]>>,
    /// Where in `reached` the positions of a rule begin.
    sites: IdVec<RuleId, u32>,
}

impl Automaton {
    /// The automaton of `expression` over the derivation trees of `grammar`.
    ///
    /// # Errors
    /// When it is larger than allowed.
    pub fn new(
        grammar: Arc<Grammar>,
        expression: Arc<Expression>,
        meter: &mut Meter,
    ) -> Result<Self, Exceeded> {
        let mut sites = IdVec::new();
        let mut number = 0;
        for rule in grammar.rules().iter() {
            sites.push(number as u32);
            number += rule.symbols.len() + 1;
        }
        let automaton = Self {
            reachable: IdVec::filled(Vec::new(), grammar.nonterminals().len()),
            reached: vec![SmallVec::new(); number],
            sites,
            machine: Machine::new(grammar, expression, meter)?,
        };
        Explorer::new(automaton).explore(meter)
    }

    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.machine.grammar
    }

    /// The expression.
    pub fn expression(&self) -> &Arc<Expression> {
        &self.machine.expression
    }

    /// The concrete pattern nodes.
    pub fn table(&self) -> &Table {
        &self.machine.table
    }

    /// The residual formulas.
    pub fn residuals(&self) -> &Residuals {
        &self.machine.residuals
    }

    /// All states.
    pub fn states(&self) -> &IdVec<StateId, State> {
        self.machine.states.values()
    }

    /// The number of folds.
    pub fn folds(&self) -> usize {
        self.machine.folds.len()
    }

    /// The states that subtrees of `nonterminal` have: none when it derives nothing.
    pub fn reachable(&self, nonterminal: NonterminalId) -> &[StateId] {
        &self.reachable[nonterminal]
    }

    /// The folds that are reached after `position` symbols of `rule`.
    pub fn reached(&self, rule: RuleId, position: usize) -> &[FoldId] {
        &self.reached[self.sites[rule] as usize + position]
    }

    /// Whether a tree in this state satisfies the expression.
    pub fn accepts(&self, state: StateId) -> bool {
        self.machine.accepts(state)
    }

    /// The fold before the first symbol of `rule`.
    pub fn begin(&self, rule: RuleId) -> FoldId {
        self.machine.begins[rule].expect("exploring begins every rule")
    }

    /// The fold after one more symbol, a nonterminal whose subtree is in `state`.
    pub fn step(&self, fold: FoldId, left: usize, state: StateId) -> FoldId {
        self.machine.steps[&(fold, self.machine.place(fold, left), state)]
    }

    /// The ways in which a class can go on: its characters grouped by what the fold makes of them.
    pub fn outcomes(&self, fold: FoldId, left: usize, class: ClassId) -> &[CharTransition] {
        &self.machine.outcomes[&(fold, self.machine.place(fold, left), class)]
    }

    /// The fold after one more symbol, a class of which `c` was read.
    #[cfg(test)]
    pub fn step_char(&self, fold: FoldId, left: usize, class: ClassId, c: char) -> FoldId {
        let outcome = self.outcomes(fold, left, class).iter().find(|outcome| outcome.class.contains(c));
        outcome.expect("the character is one of the class").fold
    }

    /// The state of a node expanded by `rule` after all symbols were read.
    pub fn end(&self, rule: RuleId, fold: FoldId) -> StateId {
        self.machine.ends[&(self.table().ending(self.grammar(), rule), fold)]
    }

    /// The state of the subtree of `tree` at `root`, a nonterminal.
    #[cfg(test)]
    pub fn run(&self, tree: &Tree, root: NodeId) -> StateId {
        let mut states: Vec<StateId> = Vec::new();
        for node in tree.postorder(root) {
            let Label::Rule(rule) = tree.label(node) else { continue };
            let symbols = &self.grammar().rule(rule).symbols;
            let below = symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))).count();
            let mut of_children = states.drain(states.len() - below..);
            let mut fold = self.begin(rule);
            for (position, (&symbol, &child)) in symbols.iter().zip(tree.children(node)).enumerate() {
                let left = symbols.len() - position;
                fold = match (symbol, tree.label(child)) {
                    (Symbol::Class(class), Label::Char(c)) => self.step_char(fold, left, class, c),
                    (Symbol::Nonterminal(_), _) => {
                        let state = of_children.next().expect("one state for each nonterminal");
                        self.step(fold, left, state)
                    }
                    _ => fold,
                };
            }
            drop(of_children);
            states.push(self.end(rule, fold));
        }
        states.pop().expect("the root of a tree is a nonterminal, and the last in postorder")
    }
}

struct Explorer {
    automaton: Automaton,
    grammar: Arc<Grammar>,
    /// Where each nonterminal stands in a rule.
    uses: IdVec<NonterminalId, Vec<(RuleId, usize)>>,
    /// The folds that each site has, where they are many.
    has_fold: FxHashSet<(u32, FoldId)>,
    has_state: IdVec<NonterminalId, BitSet<StateId>>,
    /// Folds whose successors are not known yet.
    folds: Vec<(RuleId, usize, FoldId)>,
    /// States that have not been offered yet.
    states: Vec<(NonterminalId, StateId)>,
}

impl Explorer {
    fn new(automaton: Automaton) -> Self {
        let grammar = Arc::clone(automaton.grammar());
        Self {
            uses: analysis::uses(&grammar),
            has_fold: FxHashSet::default(),
            has_state: IdVec::filled(BitSet::new(), grammar.nonterminals().len()),
            folds: Vec::new(),
            states: Vec::new(),
            automaton,
            grammar,
        }
    }

    fn explore(mut self, meter: &mut Meter) -> Result<Automaton, Exceeded> {
        let grammar = Arc::clone(&self.grammar);
        for rule in grammar.rules().ids() {
            let fold = self.automaton.machine.begin(rule, meter)?;
            self.reach(rule, 0, fold);
        }
        loop {
            // What is known already costs a look into a table.
            meter.spend(1)?;
            if let Some((rule, position, fold)) = self.folds.pop() {
                let left = grammar.rule(rule).symbols.len() - position;
                match grammar.rule(rule).symbols.get(position) {
                    None => {
                        let state = self.automaton.machine.end(rule, fold, meter)?;
                        let lhs = grammar.rule(rule).lhs;
                        if self.has_state[lhs].insert(state) {
                            self.automaton.reachable[lhs].push(state);
                            self.states.push((lhs, state));
                        }
                    }
                    Some(Symbol::Literal(_)) => self.reach(rule, position + 1, fold),
                    Some(&Symbol::Class(class)) => {
                        let outcomes = self.automaton.machine.outcomes(fold, left, class, meter)?;
                        let next: SmallVec<[FoldId; 8]> =
                            outcomes.iter().map(|outcome| outcome.fold).collect();
                        next.into_iter().for_each(|next| self.reach(rule, position + 1, next));
                    }
                    Some(&Symbol::Nonterminal(nonterminal)) => {
                        for index in 0..self.automaton.reachable[nonterminal].len() {
                            let state = self.automaton.reachable[nonterminal][index];
                            self.step(rule, position, fold, state, meter)?;
                        }
                    }
                }
            } else if let Some((nonterminal, state)) = self.states.pop() {
                for index in 0..self.uses[nonterminal].len() {
                    let (rule, position) = self.uses[nonterminal][index];
                    for index in 0..self.automaton.reached(rule, position).len() {
                        let fold = self.automaton.reached(rule, position)[index];
                        self.step(rule, position, fold, state, meter)?;
                    }
                }
            } else {
                return Ok(self.automaton);
            }
        }
    }

    fn step(
        &mut self,
        rule: RuleId,
        position: usize,
        fold: FoldId,
        state: StateId,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        meter.spend(CHECK_INTERVAL)?;
        let left = self.grammar.rule(rule).symbols.len() - position;
        let next = self.automaton.machine.step(fold, left, state, meter)?;
        self.reach(rule, position + 1, next);
        Ok(())
    }

    fn reach(&mut self, rule: RuleId, position: usize, fold: FoldId) {
        const MANY: usize = 8;
        let site = self.automaton.sites[rule] + position as u32;
        let reached = &mut self.automaton.reached[site as usize];
        let is_new = if reached.len() < MANY {
            !reached.contains(&fold)
        } else {
            if reached.len() == MANY {
                self.has_fold.extend(reached.iter().map(|&known| (site, known)));
            }
            self.has_fold.insert((site, fold))
        };
        if is_new {
            reached.push(fold);
            self.folds.push((rule, position, fold));
        }
    }
}

/// The steps that two looks into tables count as.
const CHECK_INTERVAL: u64 = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::Id;
    use crate::base::limits::{Limits, Sizes};
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::{GrammarBuilder, Name};
    use crate::pattern::Formula;
    use crate::pattern::arbitrary::{referring_expression, referring_recipes};
    use crate::tree::trees_up_to;
    use proptest::prelude::*;

    #[test]
    fn a_limit_on_states_is_an_error_and_not_a_full_memory() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        builder.rule(s, []);
        let grammar = Arc::new(builder.finish(s));
        let expression =
            Arc::new(Expression { start: s, patterns: IdVec::new(), formula: Formula::Constant(true) });
        let limited = |sizes| {
            Automaton::new(Arc::clone(&grammar), Arc::clone(&expression), &mut Limits::of(sizes).meter())
        };
        let none = Sizes { states: 0, ..Sizes::default() };
        assert_eq!(limited(none).err(), Some(Exceeded::States(0)));
        assert_eq!(limited(Sizes::default()).unwrap().reachable(s), [StateId::new(0)]);
    }
    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn trees_end_in_states_that_say_whether_the_expression_holds(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let (grammar, expression) = (Arc::new(grammar), Arc::new(expression));
            let automaton =
                Automaton::new(Arc::clone(&grammar), Arc::clone(&expression), &mut Meter::default()).unwrap();
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                let state = automaton.run(&tree, tree.root());
                prop_assert!(automaton.reachable(grammar.start()).contains(&state));
                prop_assert_eq!(automaton.accepts(state), expression.holds(&grammar, &tree));
            }
        }
    }
}
