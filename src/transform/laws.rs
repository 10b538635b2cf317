//! What must hold of every transformer that claims to be exact, on random grammars and expressions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::automaton::counts;
use crate::base::id::Id;
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, analysis};
use crate::pattern::arbitrary::{expression, recipes};
use crate::pattern::{Expression, Formula, PatternId};
use crate::tree::{Label, Tree, trees_up_to};

use super::{AutomatonTransformer, Specialization, Transformer};

fn specialize(grammar: &Arc<Grammar>, expression: Expression) -> Specialization {
    AutomatonTransformer::default().specialize(grammar, &Arc::new(expression)).unwrap()
}

fn labels(tree: &Tree) -> Vec<Label> {
    tree.preorder(tree.root()).map(|node| tree.label(node)).collect()
}

/// How often each tree of the base grammar with at most `size` nodes is a tree of the specialized one.
fn base_trees(base: &Grammar, special: &Specialization, size: usize) -> HashMap<Vec<Label>, usize> {
    let mut found = HashMap::new();
    for tree in trees_up_to(&special.grammar, special.grammar.start(), size) {
        let base_tree = special.base_tree(base, &tree);
        assert_eq!(base_tree.text(base), tree.text(&special.grammar));
        *found.entry(labels(&base_tree)).or_insert(0) += 1;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_trees_of_a_specialization_are_those_that_satisfy_the_expression_each_once(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
        let special = specialize(&grammar, expression.clone());
        let size = 5;
        let found = base_trees(&grammar, &special, size);
        let trees = trees_up_to(&grammar, grammar.start(), size);
        let wanted: HashSet<Vec<Label>> =
            trees.iter().filter(|tree| expression.holds(&grammar, tree)).map(labels).collect();
        prop_assert!(found.values().all(|&times| times == 1), "a tree is derived twice");
        prop_assert_eq!(found.into_keys().collect::<HashSet<_>>(), wanted);
    }

    #[test]
    fn a_specialized_grammar_has_no_useless_part_and_no_name_twice(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
        let special = specialize(&grammar, expression);
        let count = special.grammar.nonterminals().len();
        prop_assert_eq!(special.base_nonterminals.len(), count);
        prop_assert_eq!(analysis::reachable(&special.grammar, special.grammar.start()).len(), count);
        if !special.is_empty() {
            prop_assert_eq!(analysis::productive(&special.grammar).len(), count);
        }
    }

    #[test]
    fn the_laws_of_boolean_algebra_hold_in_numbers(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
        other in recipes(),
    ) {
        // Where some input has infinitely many trees there are no numbers.
        let Ok(base) = counts(&grammar, grammar.start(), 6) else { return Ok(()) };
        let grammar = Arc::new(grammar);
        let Some(first) = expression(&grammar, &recipe) else { return Ok(()) };
        let Some(second) = expression(&grammar, &other) else { return Ok(()) };
        // Both formulas over the patterns of both.
        let shift = first.patterns.len();
        let mut renamed: Vec<_> = second.patterns.iter().cloned().collect();
        renamed.iter_mut().for_each(|named| named.name.push('2'));
        let patterns = first.patterns.iter().cloned().chain(renamed).collect();
        let e = first.formula.clone();
        let f = shifted(&second.formula, shift);
        let all = Expression { patterns, ..first };
        let number = |formula: Formula| {
            let special = specialize(&grammar, Expression { formula, ..all.clone() });
            counts(&special.grammar, special.grammar.start(), 6)
        };
        let sum = |a: &[u128], b: &[u128]| -> Vec<u128> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        let (of_e, of_f) = (number(e.clone()).unwrap(), number(f.clone()).unwrap());
        let of_both = number(e.clone() & f.clone()).unwrap();
        let of_either = number(e.clone() | f.clone()).unwrap();
        prop_assert_eq!(sum(&of_e, &number(!e.clone()).unwrap()), base, "complement");
        prop_assert_eq!(sum(&of_both, &number(e.clone() & !f.clone()).unwrap()), of_e.clone(), "split");
        prop_assert_eq!(sum(&of_both, &of_either), sum(&of_e, &of_f), "inclusion and exclusion");
        prop_assert_eq!(number(!(e.clone() & f.clone())).unwrap(), number(!e | !f).unwrap(), "De Morgan");
    }
}

fn shifted(formula: &Formula, by: usize) -> Formula {
    let shift = |inner: &Formula| Box::new(shifted(inner, by));
    let move_on = |pattern: &PatternId| PatternId::new(pattern.index() + by);
    match formula {
        Formula::Constant(value) => Formula::Constant(*value),
        Formula::Contains(pattern) => Formula::Contains(move_on(pattern)),
        Formula::Count(bound, number, pattern) => Formula::Count(*bound, *number, move_on(pattern)),
        Formula::Inside(a, b) => Formula::Inside(move_on(a), move_on(b)),
        Formula::Before(a, b) => Formula::Before(move_on(a), move_on(b)),
        Formula::Root(pattern) => Formula::Root(move_on(pattern)),
        Formula::Not(a) => Formula::Not(shift(a)),
        Formula::And(a, b) => Formula::And(shift(a), shift(b)),
        Formula::Or(a, b) => Formula::Or(shift(a), shift(b)),
        Formula::Xor(a, b) => Formula::Xor(shift(a), shift(b)),
        Formula::Implies(a, b) => Formula::Implies(shift(a), shift(b)),
    }
}
