//! The automaton of an expression.
//!
//! The transition of a rule is never tabulated over tuples of child states. It is a fold over the
//! rule's symbols from left to right with a small intermediate state, a [`Fold`]: which concrete
//! pattern nodes with this rule are still alive, and what is left of the formula. Everything that
//! derivation trees of the grammar can lead to is found once, by [`super::explore`]; from then on the
//! automaton only looks up.
//!
//! Most rules of a large grammar stand in no pattern. Their folds have nothing alive, and what such a
//! fold makes of a state depends neither on the rule nor on the position: it is kept once for all.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::interner::Interner;
use crate::grammar::{CharClass, ClassId, Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;
use crate::pattern::{Expression, PatternId};
use crate::tree::{Label, NodeId, Tree};

use super::residual::{ResidualId, Residuals};
use super::table::{ConcreteId, Table};

id_type!(
    /// A state of a subtree.
    StateId
);
id_type!(
    /// An intermediate state of a rule's fold.
    FoldId
);

/// What matters of a subtree to the trees around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The concrete pattern nodes that match at its root, of patterns that still matter.
    pub matched: BitSet<ConcreteId>,
    /// What is left of the formula after the patterns found inside.
    pub residual: ResidualId,
    /// How often each pattern occurs inside, as far as that matters; nothing when none matters.
    pub counts: Counts,
    /// The patterns that occur at its root, of those for which that matters.
    pub at_root: BitSet<PatternId>,
}

/// How often each pattern occurs, by its number; empty when all are 0.
pub type Counts = Box<[u32]>;

/// What matters of the first few children of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fold {
    /// The concrete pattern nodes of the rule that those children allow.
    pub alive: BitSet<ConcreteId>,
    /// What is left of the formula after the patterns found in those children.
    pub residual: ResidualId,
    /// How often each pattern occurs in those children, as far as that matters.
    pub counts: Counts,
}

/// Some of the characters of a class, which a fold does not tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The characters.
    pub class: CharClass,
    /// The fold after any of them.
    pub fold: FoldId,
}

/// A deterministic bottom-up automaton over the derivation trees of a grammar.
///
/// All questions are about what derivation trees can lead to: asking for a step that no tree takes
/// is a mistake in the program, and panics.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub(super) grammar: Arc<Grammar>,
    pub(super) expression: Arc<Expression>,
    pub(super) table: Table,
    pub(super) residuals: Residuals,
    pub(super) states: Interner<StateId, State>,
    pub(super) folds: Interner<FoldId, Fold>,
    /// The states that subtrees of each nonterminal have, in the order in which they were found.
    pub(super) reachable: IdVec<NonterminalId, Vec<StateId>>,
    /// For each rule and number of symbols read, the folds that are reached.
    pub(super) reached: Vec<SmallVec<[FoldId; 2]>>,
    /// Where in `reached` the positions of a rule begin.
    pub(super) sites: IdVec<RuleId, u32>,
    pub(super) begins: IdVec<RuleId, FoldId>,
    pub(super) steps: FxHashMap<(FoldId, u32, StateId), FoldId>,
    pub(super) outcomes: FxHashMap<(FoldId, u32, ClassId), Box<[Outcome]>>,
    pub(super) ends: FxHashMap<(Option<RuleId>, FoldId), StateId>,
}

impl Automaton {
    /// The grammar.
    pub fn grammar(&self) -> &Arc<Grammar> {
        &self.grammar
    }

    /// The expression.
    pub fn expression(&self) -> &Arc<Expression> {
        &self.expression
    }

    /// The concrete pattern nodes.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The residual formulas.
    pub fn residuals(&self) -> &Residuals {
        &self.residuals
    }

    /// All states.
    pub fn states(&self) -> &IdVec<StateId, State> {
        self.states.values()
    }

    /// The number of folds.
    pub fn folds(&self) -> usize {
        self.folds.len()
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
        let State { residual, at_root, .. } = &self.states[state];
        self.residuals.value(*residual, |pattern| at_root.contains(pattern))
    }

    /// The fold before the first symbol of `rule`.
    pub fn begin(&self, rule: RuleId) -> FoldId {
        self.begins[rule]
    }

    /// The fold after one more symbol, a nonterminal whose subtree is in `state`.
    pub fn step(&self, fold: FoldId, position: usize, state: StateId) -> FoldId {
        self.steps[&(fold, self.place(fold, position), state)]
    }

    /// The ways in which a class can go on: its characters grouped by what the fold makes of them.
    pub fn outcomes(&self, fold: FoldId, position: usize, class: ClassId) -> &[Outcome] {
        &self.outcomes[&(fold, self.place(fold, position), class)]
    }

    /// The fold after one more symbol, a class of which `c` was read.
    pub fn step_char(&self, fold: FoldId, position: usize, class: ClassId, c: char) -> FoldId {
        match self.outcomes(fold, position, class) {
            [only] => only.fold,
            outcomes => {
                let outcome = outcomes.iter().find(|outcome| outcome.class.contains(c));
                outcome.expect("the character is one of the class").fold
            }
        }
    }

    /// The state of a node expanded by `rule` after all symbols were read.
    pub fn end(&self, rule: RuleId, fold: FoldId) -> StateId {
        self.ends[&(self.table.ending(&self.grammar, rule), fold)]
    }

    /// The position as far as it matters to what the fold makes of a symbol there.
    pub(super) fn place(&self, fold: FoldId, position: usize) -> u32 {
        if self.folds[fold].alive.is_empty() { 0 } else { position as u32 }
    }

    /// The state of the subtree of `tree` at `root`, a nonterminal.
    pub fn run(&self, tree: &Tree, root: NodeId) -> StateId {
        let mut states: Vec<StateId> = Vec::new();
        for node in tree.postorder(root) {
            let Label::Rule(rule) = tree.label(node) else { continue };
            let symbols = &self.grammar.rule(rule).symbols;
            let below = symbols.iter().filter(|symbol| matches!(symbol, Symbol::Nonterminal(_))).count();
            let mut of_children = states.drain(states.len() - below..);
            let mut fold = self.begin(rule);
            for (position, (&symbol, &child)) in symbols.iter().zip(tree.children(node)).enumerate() {
                fold = match (symbol, tree.label(child)) {
                    (Symbol::Class(class), Label::Char(c)) => self.step_char(fold, position, class, c),
                    (Symbol::Nonterminal(_), _) => {
                        let state = of_children.next().expect("one state for each nonterminal");
                        self.step(fold, position, state)
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
