//! The ways from the start symbol to a nonterminal: in which rules, and at which of their symbols, trees lead to it.
//!
//! That something stands nowhere beside a node is said along the way to it: each step says it of what stands beside the next one.

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::analysis::{reachable, uses};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

/// The most steps that an expression has for one way.
const MOST_STEPS: usize = 400;

/// A rule, and the number of the child through which a way goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Step {
    pub(super) rule: RuleId,
    pub(super) child: usize,
}

/// The steps of each nonterminal that can lead to `target`, for those that the start symbol leads to.
pub(super) fn steps(grammar: &Grammar, target: NonterminalId) -> IdVec<NonterminalId, Vec<Step>> {
    let uses = uses(grammar);
    let from_start = reachable(grammar, grammar.start());
    let mut on_way: BitSet<NonterminalId> = BitSet::from_iter([target]);
    let mut steps: IdVec<NonterminalId, Vec<Step>> = IdVec::filled(Vec::new(), grammar.nonterminals().len());
    let mut open = vec![target];
    while let Some(inner) = open.pop() {
        for &(rule, child) in &uses[inner] {
            let outer = grammar.rule(rule).lhs;
            if from_start.contains(outer) {
                steps[outer].push(Step { rule, child });
                if on_way.insert(outer) {
                    open.push(outer);
                }
            }
        }
    }
    steps
}

/// Whether an expression can say what stands beside the ways to a nonterminal: not where a single character of a class
/// stands there, of which no pattern can say that it may be any, nor where there are too many.
pub(super) fn are_sayable(grammar: &Grammar, target: NonterminalId) -> bool {
    let steps = steps(grammar, target);
    let has_class =
        |step: &Step| grammar.rule(step.rule).symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_)));
    let mut all = steps.iter().flatten();
    steps.iter().map(Vec::len).sum::<usize>() <= MOST_STEPS && !all.any(has_class)
}
