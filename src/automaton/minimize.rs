//! Which states of an automaton can be told apart.
//!
//! Two states of one nonterminal are the same when no surrounding tree tells one from the other: in any
//! context, either both lead to a tree that satisfies the expression or neither does. The coarsest
//! such partition is found by refinement (Moore's algorithm, for the fold of a rule as well as for the
//! states): at first only the start symbol's states are split, into those that satisfy and those that
//! do not; then whatever leads into different parts is split, until nothing changes.
//!
//! The states that exploring finds are few already, since they keep only what may still matter. How
//! many of them matter in truth is what `grambench explain` shows. A specialized grammar hardly gains from
//! merging the others: its sets of states are unions of these classes already, because child states from
//! which a rule can go on in equal ways are put into one set (see `transform::boxes`), except where the
//! characters of a class are told apart in another order.

use std::collections::HashMap;
use std::hash::Hash;

use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{CharClass, NonterminalId, RuleId, Symbol, analysis};

use super::explore::Automaton;
use super::machine::{FoldId, StateId};

/// The states of each nonterminal of an automaton, in classes that cannot be told apart.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The class of each state that subtrees of a nonterminal have, in the order of
    /// [`Automaton::reachable`]; classes of one nonterminal are numbered from 0 in this order.
    classes: IdVec<NonterminalId, Vec<usize>>,
}

impl Partition {
    /// The coarsest partition of the states of `automaton` that keeps what it decides.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn new(automaton: &Automaton, meter: &mut Meter) -> Result<Self, Exceeded> {
        let start = automaton.expression().start;
        let grammar = automaton.grammar();
        let classes: IdVec<NonterminalId, Vec<usize>> = grammar
            .nonterminals()
            .ids()
            .map(|nonterminal| {
                let accepts = |&state| nonterminal == start && automaton.accepts(state);
                numbered(automaton.reachable(nonterminal).iter().map(accepts))
            })
            .collect();
        let uses = analysis::uses(grammar);
        let mut partition = Self { classes };
        loop {
            let folds = grammar.rules().ids().map(|rule| partition.folds(automaton, rule, meter));
            let folds: IdVec<RuleId, Vec<Folds>> = folds.collect::<Result<_, _>>()?;
            let mut classes = IdVec::new();
            for nonterminal in grammar.nonterminals().ids() {
                let states = automaton.reachable(nonterminal).iter();
                let mut signatures = Vec::with_capacity(states.len());
                for (&state, &class) in states.zip(&partition.classes[nonterminal]) {
                    let mut signature = vec![class];
                    for &(rule, position) in &uses[nonterminal] {
                        let left = grammar.rule(rule).symbols.len() - position;
                        signature.extend(
                            automaton
                                .reached(rule, position)
                                .iter()
                                .map(|&fold| folds[rule][position + 1][&automaton.step(fold, left, state)]),
                        );
                    }
                    meter.spend(CHECK_INTERVAL * signature.len() as u64)?;
                    signatures.push(signature);
                }
                classes.push(numbered(signatures.into_iter()));
            }
            let refined = Self { classes };
            if refined.len() == partition.len() {
                return Ok(refined);
            }
            partition = refined;
        }
    }

    /// The classes of the folds of a rule, for each number of symbols read.
    fn folds(&self, automaton: &Automaton, rule: RuleId, meter: &mut Meter) -> Result<Vec<Folds>, Exceeded> {
        let symbols = &automaton.grammar().rule(rule).symbols;
        let lhs = automaton.grammar().rule(rule).lhs;
        let states = automaton.reachable(lhs).iter();
        let classes: HashMap<StateId, usize> =
            states.copied().zip(self.classes[lhs].iter().copied()).collect();
        let last = automaton.reached(rule, symbols.len()).iter();
        let mut later: Folds = last.map(|&fold| (fold, classes[&automaton.end(rule, fold)])).collect();
        let mut all = Vec::new();
        for (position, &symbol) in symbols.iter().enumerate().rev() {
            let folds = automaton.reached(rule, position);
            let left = symbols.len() - position;
            let choices = match symbol {
                Symbol::Literal(_) | Symbol::Class(_) => 1,
                Symbol::Nonterminal(nonterminal) => automaton.reachable(nonterminal).len(),
            };
            meter.spend(CHECK_INTERVAL * (folds.len() * choices) as u64)?;
            let classes = numbered(folds.iter().map(|&fold| match symbol {
                Symbol::Literal(_) => Ahead::States(vec![later[&fold]]),
                Symbol::Nonterminal(nonterminal) => {
                    let states = automaton.reachable(nonterminal).iter();
                    Ahead::States(states.map(|&state| later[&automaton.step(fold, left, state)]).collect())
                }
                Symbol::Class(class) => {
                    let mut ahead: Vec<(usize, Vec<(char, char)>)> = Vec::new();
                    for outcome in automaton.outcomes(fold, left, class) {
                        let ranges = outcome.class.ranges().iter().copied();
                        let class = later[&outcome.fold];
                        match ahead.iter_mut().find(|known| known.0 == class) {
                            Some(known) => known.1.extend(ranges),
                            None => ahead.push((class, ranges.collect())),
                        }
                    }
                    ahead.sort_unstable_by_key(|known| known.0);
                    let classes = ahead.into_iter();
                    Ahead::Chars(classes.map(|(class, ranges)| (class, CharClass::new(ranges))).collect())
                }
            }));
            all.push(std::mem::replace(&mut later, folds.iter().copied().zip(classes).collect()));
        }
        all.push(later);
        all.reverse();
        Ok(all)
    }

    /// The class of a state that subtrees of `nonterminal` have.
    #[cfg(test)]
    fn class(&self, automaton: &Automaton, nonterminal: NonterminalId, state: StateId) -> usize {
        let mut states = automaton.reachable(nonterminal).iter();
        let place = states.position(|&known| known == state).expect("an end of a rule is reachable");
        self.classes[nonterminal][place]
    }

    /// How many classes the states of one nonterminal fall into.
    pub fn of(&self, nonterminal: NonterminalId) -> usize {
        self.classes[nonterminal].iter().max().map_or(0, |&most| most + 1)
    }

    /// How many classes there are of all nonterminals together.
    pub fn len(&self) -> usize {
        self.classes.ids().map(|nonterminal| self.of(nonterminal)).sum()
    }

    /// Whether no nonterminal derives anything.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The steps that two looks into tables count as.
const CHECK_INTERVAL: u64 = 20;

/// The classes of folds.
type Folds = HashMap<FoldId, usize>;

/// Where a fold leads, by classes.
#[derive(PartialEq, Eq, Hash)]
enum Ahead {
    /// With a literal, or with each state of a nonterminal.
    States(Vec<usize>),
    /// With the characters of a class.
    Chars(Vec<(usize, CharClass)>),
}

/// Numbers for items, equal ones for equal items, in the order in which they are met.
fn numbered<T: Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<usize> {
    let mut known: HashMap<T, usize> = HashMap::new();
    items
        .map(|item| {
            let next = known.len();
            *known.entry(item).or_insert(next)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::grammar::Grammar;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::pattern::arbitrary::{referring_expression, referring_recipes};
    use crate::tree::{Label, Tree, trees_up_to};

    /// The state of a tree when after each node the first state of the same class is taken instead.
    fn run(automaton: &Automaton, partition: &Partition, tree: &Tree) -> StateId {
        let grammar: &Grammar = automaton.grammar();
        let mut states: HashMap<_, StateId> = HashMap::new();
        for node in tree.postorder(tree.root()) {
            let Label::Rule(rule) = tree.label(node) else { continue };
            let mut fold = automaton.begin(rule);
            let symbols = &grammar.rule(rule).symbols;
            for (position, (&symbol, &child)) in symbols.iter().zip(tree.children(node)).enumerate() {
                let left = symbols.len() - position;
                fold = match (symbol, tree.label(child)) {
                    (Symbol::Class(class), Label::Char(c)) => automaton.step_char(fold, left, class, c),
                    (Symbol::Nonterminal(_), _) => automaton.step(fold, left, states[&child]),
                    _ => fold,
                };
            }
            let lhs = grammar.rule(rule).lhs;
            let class = partition.class(automaton, lhs, automaton.end(rule, fold));
            let first = partition.classes[lhs].iter().position(|&other| other == class).unwrap();
            states.insert(node, automaton.reachable(lhs)[first]);
        }
        states[&tree.root()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn merged_states_decide_the_same(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let grammar = Arc::new(grammar);
            let expression = Arc::new(expression);
            let automaton = Automaton::new(Arc::clone(&grammar), Arc::clone(&expression), &mut Meter::default()).unwrap();
            let partition = Partition::new(&automaton, &mut Meter::default()).unwrap();
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                let merged = automaton.accepts(run(&automaton, &partition, &tree));
                prop_assert_eq!(merged, expression.holds(&grammar, &tree));
            }
            let mut all = 0;
            for nonterminal in grammar.nonterminals().ids() {
                let states = automaton.reachable(nonterminal);
                let classes: BTreeSet<usize> =
                    states.iter().map(|&state| partition.class(&automaton, nonterminal, state)).collect();
                prop_assert_eq!(partition.of(nonterminal), classes.len());
                prop_assert!(classes.len() <= states.len());
                all += classes.len();
            }
            prop_assert_eq!(partition.len(), all);
        }

        #[test]
        fn states_that_no_tree_tells_apart_are_one(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            // A formula that is always false, though not plainly so, tells nothing apart.
            let Some(mut expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let grammar = Arc::new(grammar);
            let first = expression.formula.clone();
            expression.formula = first.clone() & !first;
            let automaton = Automaton::new(Arc::clone(&grammar), Arc::new(expression), &mut Meter::default()).unwrap();
            let partition = Partition::new(&automaton, &mut Meter::default()).unwrap();
            for nonterminal in grammar.nonterminals().ids() {
                prop_assert!(partition.of(nonterminal) <= 1);
            }
        }
    }
}
