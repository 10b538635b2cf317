//! Random patterns and expressions for property tests: patterns are cut out of random derivation
//! trees of the grammar, so that they occur now and then.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::grammar::Grammar;
use crate::tree::{NodeId, Tree, trees_up_to};

use super::{Bound, Expression, Formula, NamedPattern, Openness, Pattern, PatternId};

/// A formula over `patterns` patterns.
pub(crate) fn formulas(patterns: usize) -> impl Strategy<Value = Formula> {
    let pattern = move || (0..patterns).prop_map(<PatternId as crate::base::id::Id>::new);
    let leaf = prop_oneof![
        8 => pattern().prop_map(Formula::Contains),
        2 => (0usize..3, 0u32..4, pattern()).prop_map(|(b, n, p)| Formula::Count(Bound::ALL[b], n, p)),
        1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Inside(p, q)),
        1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Before(p, q)),
        1 => pattern().prop_map(Formula::Root),
        1 => any::<bool>().prop_map(Formula::Constant),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        let pair = || (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            inner.clone().prop_map(|a| Formula::Not(Box::new(a))),
            pair().prop_map(|(a, b)| Formula::And(a, b)),
            pair().prop_map(|(a, b)| Formula::Or(a, b)),
            pair().prop_map(|(a, b)| Formula::Xor(a, b)),
            pair().prop_map(|(a, b)| Formula::Implies(a, b)),
        ]
    })
}

/// Numbers from which [`expression`] makes an expression over up to three patterns of any grammar.
pub(crate) fn recipes() -> impl Strategy<Value = (Vec<Vec<u16>>, Formula)> {
    (1usize..=3).prop_flat_map(|patterns| (vec(vec(any::<u16>(), 12), patterns), formulas(patterns)))
}

/// The expression of a recipe; `None` when the grammar derives nothing.
pub(crate) fn expression(grammar: &Grammar, recipe: &(Vec<Vec<u16>>, Formula)) -> Option<Expression> {
    expression_with(grammar, recipe, |number| (number % 3 == 0).then_some(Openness::Abstract))
}

/// The expression of a recipe with many bound nodes.
pub(crate) fn bound_expression(grammar: &Grammar, recipe: &(Vec<Vec<u16>>, Formula)) -> Option<Expression> {
    expression_with(grammar, recipe, |number| match number % 6 {
        0 | 1 => None,
        2 => Some(Openness::Abstract),
        3 => Some(Openness::Bound(2)),
        _ => Some(Openness::Bound(1)),
    })
}

/// The expression of a recipe, whose numbers say which nodes are open, and how.
fn expression_with(
    grammar: &Grammar,
    recipe: &(Vec<Vec<u16>>, Formula),
    openness: impl Fn(u16) -> Option<Openness>,
) -> Option<Expression> {
    let trees = trees_up_to(grammar, grammar.start(), 5);
    let trees: Vec<&Tree> = trees.iter().take(300).collect();
    if trees.is_empty() {
        return None;
    }
    let patterns = recipe
        .0
        .iter()
        .enumerate()
        .map(|(index, numbers)| {
            let tree = trees[usize::from(numbers[0]) % trees.len()];
            let inner: Vec<NodeId> =
                tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).collect();
            let root = inner[usize::from(numbers[1]) % inner.len()];
            let open: HashMap<NodeId, Openness> = inner
                .iter()
                .zip(numbers[2..].iter().cycle())
                .filter(|&(&node, number)| node != root || number % 5 == 0)
                .filter_map(|(&node, &number)| Some((node, openness(number)?)))
                .collect();
            let pattern = Pattern::from_tree(grammar, tree, root, |node, _| open.get(&node).copied());
            NamedPattern { name: ["A", "B", "C"][index].to_owned(), pattern }
        })
        .collect::<crate::base::id::IdVec<PatternId, _>>();
    Some(Expression { start: grammar.start(), patterns, formula: recipe.1.clone() })
}
