//! The automaton of an expression.
//!
//! The transition of a rule is never tabulated over tuples of child states. It is a fold over the
//! rule's symbols from left to right with a small intermediate state, a [`Fold`]: which concrete
//! pattern nodes with this rule are still alive, and what is left of the formula. The states that
//! subtrees of a nonterminal can have are found by running all folds at once to a fixpoint, each
//! step once.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::interner::Interner;
use crate::grammar::{CharClass, ClassId, Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;
use crate::pattern::{Expression, PatternId};
use crate::tree::{Label, NodeId, Tree};

use super::residual::{ResidualId, Residuals};
use super::table::{ConcreteId, Table, Want};

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
}

/// What matters of the first few children of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fold {
    /// The concrete pattern nodes of the rule that those children allow.
    alive: BitSet<ConcreteId>,
    /// What is left of the formula after the patterns found in those children.
    residual: ResidualId,
}

/// Some of the characters of a class, which a fold does not tell apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The characters.
    pub class: CharClass,
    /// The fold after any of them.
    pub fold: FoldId,
}

/// The automaton needs more states than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the expression needs more than {limit} automaton states on this grammar; simplify it, or allow more"
)]
pub struct TooLarge {
    /// How many were allowed.
    pub limit: usize,
}

/// A deterministic bottom-up automaton over the derivation trees of a grammar.
#[derive(Clone, Debug)]
pub struct Automaton {
    grammar: Arc<Grammar>,
    expression: Arc<Expression>,
    table: Table,
    residuals: Residuals,
    states: Interner<StateId, State>,
    folds: Interner<FoldId, Fold>,
    /// The states that subtrees of each nonterminal have, in the order in which they were found.
    reachable: IdVec<NonterminalId, Vec<StateId>>,
    /// For each rule and number of symbols read, the folds that are reached.
    reached: IdVec<RuleId, Vec<Vec<FoldId>>>,
    steps: HashMap<(FoldId, u32, StateId), FoldId>,
}

impl Automaton {
    /// So many states and folds are allowed unless said otherwise.
    pub const DEFAULT_LIMIT: usize = 1_000_000;

    /// The automaton of `expression` over the derivation trees of `grammar`.
    ///
    /// # Errors
    /// When it needs more than `limit` states and folds together.
    pub fn new(grammar: Arc<Grammar>, expression: Arc<Expression>, limit: usize) -> Result<Self, TooLarge> {
        let table = Table::new(&grammar, &expression);
        let residuals = Residuals::new(&expression.formula, expression.patterns.len());
        let reachable = IdVec::filled(Vec::new(), grammar.nonterminals().len());
        let reached = grammar.rules().iter().map(|rule| vec![Vec::new(); rule.symbols.len() + 1]).collect();
        let mut automaton = Self {
            grammar,
            expression,
            table,
            residuals,
            states: Interner::new(),
            folds: Interner::new(),
            reachable,
            reached,
            steps: HashMap::new(),
        };
        automaton.explore(limit)?;
        Ok(automaton)
    }

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

    /// The states that subtrees of `nonterminal` have: none when it derives nothing.
    pub fn reachable(&self, nonterminal: NonterminalId) -> &[StateId] {
        &self.reachable[nonterminal]
    }

    /// The folds that are reached after `position` symbols of `rule`.
    pub fn reached(&self, rule: RuleId, position: usize) -> &[FoldId] {
        &self.reached[rule][position]
    }

    /// Whether a tree in this state satisfies the expression.
    pub fn accepts(&self, state: StateId) -> bool {
        self.residuals.value(self.states[state].residual)
    }

    /// The fold before the first symbol of `rule`.
    pub fn begin(&mut self, rule: RuleId) -> FoldId {
        let residual = self.residuals.formula();
        let alive = self.table.of_rule(rule).iter().copied().collect();
        self.fold(alive, residual)
    }

    /// The fold after one more symbol, a nonterminal whose subtree is in `state`.
    pub fn step(&mut self, fold: FoldId, position: usize, state: StateId) -> FoldId {
        let key = (fold, position as u32, state);
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        let Fold { alive, residual } = &self.folds[fold];
        let State { matched, residual: of_child } = &self.states[state];
        let alive = alive
            .iter()
            .filter(|&concrete| match self.table.concrete()[concrete].wants[position] {
                Want::Any => true,
                Want::Node(wanted) => matched.contains(wanted),
                Want::Char(_) => false,
            })
            .collect();
        let residual = self.residuals.join(*residual, *of_child);
        let next = self.fold(alive, residual);
        self.steps.insert(key, next);
        next
    }

    /// The fold after one more symbol, a class of which `c` was read.
    pub fn step_char(&mut self, fold: FoldId, position: usize, c: char) -> FoldId {
        self.step_class(fold, position, |wanted| wanted == c)
    }

    /// The ways in which a class can go on: its characters grouped by what the fold makes of them.
    pub fn outcomes(&mut self, fold: FoldId, position: usize, class: ClassId) -> Vec<Outcome> {
        let grammar = Arc::clone(&self.grammar);
        let class = grammar.class(class);
        let mut wanted: Vec<char> = self.folds[fold]
            .alive
            .iter()
            .filter_map(|concrete| match self.table.concrete()[concrete].wants[position] {
                Want::Char(c) if class.contains(c) => Some(c),
                Want::Char(_) | Want::Any | Want::Node(_) => None,
            })
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let rest = class.difference(&CharClass::of(wanted.iter().copied()));
        let mut outcomes = Vec::with_capacity(wanted.len() + 1);
        for &c in &wanted {
            let fold = self.step_char(fold, position, c);
            outcomes.push(Outcome { class: CharClass::of([c]), fold });
        }
        if !rest.is_empty() {
            let fold = self.step_class(fold, position, |_| false);
            outcomes.push(Outcome { class: rest, fold });
        }
        outcomes
    }

    /// The state of a node expanded by `rule` after all symbols were read.
    pub fn end(&mut self, rule: RuleId, fold: FoldId) -> StateId {
        let Fold { alive, residual } = &self.folds[fold];
        let mut found = self.table.everywhere(self.grammar.rule(rule).lhs).clone();
        for concrete in alive.iter() {
            found.union_with(&self.table.concrete()[concrete].completes);
        }
        let mut matched = alive.clone();
        let residual = self.residuals.find(*residual, &found);
        self.keep_relevant(&mut matched, residual);
        self.states.intern(State { matched, residual })
    }

    /// The states of all nodes of the subtree of `tree` at `root`, which ends with the state of
    /// `root` itself.
    pub fn run(&mut self, tree: &Tree, root: NodeId) -> StateId {
        let mut states: HashMap<NodeId, StateId> = HashMap::new();
        let mut last = None;
        for node in tree.postorder(root) {
            let Label::Rule(rule) = tree.label(node) else { continue };
            let mut fold = self.begin(rule);
            for (position, &child) in tree.children(node).iter().enumerate() {
                fold = match tree.label(child) {
                    Label::Literal(_) => fold,
                    Label::Char(c) => self.step_char(fold, position, c),
                    Label::Rule(_) => self.step(fold, position, states[&child]),
                };
            }
            let state = self.end(rule, fold);
            states.insert(node, state);
            last = Some(state);
        }
        last.expect("the root of a tree is a nonterminal, and the last in postorder")
    }

    fn step_class(&mut self, fold: FoldId, position: usize, is: impl Fn(char) -> bool) -> FoldId {
        let Fold { alive, residual } = &self.folds[fold];
        let alive = alive
            .iter()
            .filter(|&concrete| match self.table.concrete()[concrete].wants[position] {
                Want::Any => true,
                Want::Char(wanted) => is(wanted),
                Want::Node(_) => false,
            })
            .collect();
        let residual = *residual;
        self.fold(alive, residual)
    }

    fn fold(&mut self, mut alive: BitSet<ConcreteId>, residual: ResidualId) -> FoldId {
        self.keep_relevant(&mut alive, residual);
        self.folds.intern(Fold { alive, residual })
    }

    /// Drops the concrete nodes of patterns that no longer matter.
    fn keep_relevant(&self, nodes: &mut BitSet<ConcreteId>, residual: ResidualId) {
        if nodes.is_empty() {
            return;
        }
        let support: &BitSet<PatternId> = self.residuals.support(residual);
        *nodes = nodes
            .iter()
            .filter(|&concrete| self.table.concrete()[concrete].patterns.intersects(support))
            .collect();
    }

    /// Finds all folds and states that are reached.
    fn explore(&mut self, limit: usize) -> Result<(), TooLarge> {
        let grammar = Arc::clone(&self.grammar);
        let mut uses: IdVec<NonterminalId, Vec<(RuleId, usize)>> =
            IdVec::filled(Vec::new(), grammar.nonterminals().len());
        for (id, rule) in grammar.rules().entries() {
            for (position, &symbol) in rule.symbols.iter().enumerate() {
                if let Symbol::Nonterminal(nonterminal) = symbol {
                    uses[nonterminal].push((id, position));
                }
            }
        }
        // Folds whose successors are not known yet, and states that have not been offered yet.
        let mut folds: Vec<(RuleId, usize, FoldId)> = Vec::new();
        let mut states: Vec<(NonterminalId, StateId)> = Vec::new();
        let mut has_fold: IdVec<RuleId, Vec<BitSet<FoldId>>> =
            grammar.rules().iter().map(|rule| vec![BitSet::new(); rule.symbols.len() + 1]).collect();
        let mut has_state: IdVec<NonterminalId, BitSet<StateId>> =
            IdVec::filled(BitSet::new(), grammar.nonterminals().len());
        for rule in grammar.rules().ids() {
            let fold = self.begin(rule);
            self.reach(&mut has_fold, &mut folds, rule, 0, fold);
        }
        loop {
            if self.states.len() + self.folds.len() > limit {
                return Err(TooLarge { limit });
            }
            if let Some((rule, position, fold)) = folds.pop() {
                match grammar.rule(rule).symbols.get(position) {
                    None => {
                        let state = self.end(rule, fold);
                        let lhs = grammar.rule(rule).lhs;
                        if has_state[lhs].insert(state) {
                            self.reachable[lhs].push(state);
                            states.push((lhs, state));
                        }
                    }
                    Some(Symbol::Literal(_)) => {
                        self.reach(&mut has_fold, &mut folds, rule, position + 1, fold)
                    }
                    Some(&Symbol::Class(class)) => {
                        for outcome in self.outcomes(fold, position, class) {
                            self.reach(&mut has_fold, &mut folds, rule, position + 1, outcome.fold);
                        }
                    }
                    Some(&Symbol::Nonterminal(nonterminal)) => {
                        for index in 0..self.reachable[nonterminal].len() {
                            let state = self.reachable[nonterminal][index];
                            let next = self.step(fold, position, state);
                            self.reach(&mut has_fold, &mut folds, rule, position + 1, next);
                        }
                    }
                }
            } else if let Some((nonterminal, state)) = states.pop() {
                for &(rule, position) in &uses[nonterminal] {
                    for index in 0..self.reached[rule][position].len() {
                        let fold = self.reached[rule][position][index];
                        let next = self.step(fold, position, state);
                        self.reach(&mut has_fold, &mut folds, rule, position + 1, next);
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn reach(
        &mut self,
        has_fold: &mut IdVec<RuleId, Vec<BitSet<FoldId>>>,
        folds: &mut Vec<(RuleId, usize, FoldId)>,
        rule: RuleId,
        position: usize,
        fold: FoldId,
    ) {
        if has_fold[rule][position].insert(fold) {
            self.reached[rule][position].push(fold);
            folds.push((rule, position, fold));
        }
    }
}

/// The residual formulas, for those who ask what is certain of a state.
impl Automaton {
    /// The patterns that certainly occur in every tree in this state.
    pub fn certain(&mut self, state: StateId) -> BitSet<PatternId> {
        self.residuals.certain(self.states[state].residual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::Id;

    #[test]
    fn a_limit_on_states_is_an_error_and_not_a_full_memory() {
        let mut builder = crate::grammar::GrammarBuilder::new();
        let s = builder.nonterminal(crate::grammar::Name::base("s"));
        builder.rule(s, []);
        let grammar = Arc::new(builder.finish(s));
        let expression = Arc::new(Expression {
            start: s,
            patterns: IdVec::new(),
            formula: crate::pattern::Formula::Constant(true),
        });
        assert_eq!(
            Automaton::new(Arc::clone(&grammar), Arc::clone(&expression), 0).err(),
            Some(TooLarge { limit: 0 })
        );
        let automaton = Automaton::new(grammar, expression, 100).unwrap();
        assert_eq!(automaton.reachable(s).len(), 1);
        assert_eq!(StateId::new(0), automaton.reachable(s)[0]);
    }
}
