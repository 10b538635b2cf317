//! Random patterns and expressions for property tests: patterns are cut out of random derivation
//! trees of the grammar, so that they occur now and then.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::base::diagnostic::Source;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, ebnf, format};
use crate::tree::{NodeId, Tree, trees_up_to};

use super::reference::circular;
use super::{
    Bound, Condition, Constraint, Expression, Formula, NamedPattern, Openness, Pattern, PatternId,
    PatternNode, Quantity, Relation, Side, Surrounding,
};

/// A formula over `patterns` patterns, without `some .. with ..`.
pub(crate) fn formulas(patterns: usize) -> impl Strategy<Value = Formula> {
    formulas_of(statements(patterns).boxed())
}

/// A formula over `patterns` patterns.
pub(crate) fn formulas_with_surroundings(patterns: usize) -> impl Strategy<Value = Formula> {
    let some = (names(patterns), vec(surroundings(patterns), 1..3));
    let some = some.prop_map(|(name, surroundings)| Formula::Some(name, surroundings));
    formulas_of(prop_oneof![4 => statements(patterns), 1 => some].boxed())
}

fn names(patterns: usize) -> impl Strategy<Value = PatternId> {
    (0..patterns).prop_map(<PatternId as crate::base::id::Id>::new)
}

fn statements(patterns: usize) -> impl Strategy<Value = Formula> {
    let pattern = move || names(patterns);
    prop_oneof![
        8 => pattern().prop_map(Formula::Contains),
        2 => (0usize..3, 0u32..4, pattern()).prop_map(|(b, n, p)| Formula::Count(Bound::ALL[b], n, p)),
        1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Inside(p, q)),
        1 => (pattern(), pattern()).prop_map(|(p, q)| Formula::Before(p, q)),
        1 => pattern().prop_map(Formula::Root),
        1 => any::<bool>().prop_map(Formula::Constant),
    ]
}

fn formulas_of(statements: BoxedStrategy<Formula>) -> impl Strategy<Value = Formula> {
    statements.prop_recursive(4, 12, 2, |inner| {
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

fn surroundings(patterns: usize) -> impl Strategy<Value = Surrounding> {
    let within = proptest::option::of(names(patterns));
    (any::<bool>(), 0usize..3, names(patterns), within).prop_map(|(is_there, side, name, within)| {
        let side = Side::ALL[side];
        Surrounding { is_there, side, name, within: within.filter(|_| side == Side::Around) }
    })
}

/// Numbers from which expressions over up to three names of any grammar are made: for each alternative of each name
/// twelve of them.
pub(crate) type Recipe = (Vec<Vec<Vec<u16>>>, Formula);

/// Recipes of names with one alternative, for formulas without `some .. with ..`.
pub(crate) fn recipes() -> impl Strategy<Value = Recipe> {
    recipes_of(1, |names| formulas(names).boxed())
}

/// Recipes of names with up to three alternatives, for [`referring_expression`].
pub(crate) fn referring_recipes() -> impl Strategy<Value = Recipe> {
    recipes_of(3, |names| formulas_with_surroundings(names).boxed())
}

fn recipes_of(most: usize, formulas: fn(usize) -> BoxedStrategy<Formula>) -> impl Strategy<Value = Recipe> {
    let name = move || vec(vec(any::<u16>(), 12), 1..=most);
    (1usize..=3).prop_flat_map(move |names| (vec(name(), names), formulas(names)))
}

/// The expression of a recipe; `None` when the grammar derives nothing.
pub(crate) fn expression(grammar: &Grammar, recipe: &Recipe) -> Option<Expression> {
    expression_with(grammar, recipe, |number| (number % 3 == 0).then_some(Openness::Abstract))
}

/// The expression of a recipe with many bound nodes.
pub(crate) fn bound_expression(grammar: &Grammar, recipe: &Recipe) -> Option<Expression> {
    expression_with(grammar, recipe, |number| match number % 6 {
        0 | 1 => None,
        2 => Some(Openness::Abstract),
        3 => Some(Openness::Bound(2)),
        _ => Some(Openness::Bound(1)),
    })
}

/// The expression of a recipe whose placeholders have many conditions.
pub(crate) fn referring_expression(grammar: &Grammar, recipe: &Recipe) -> Option<Expression> {
    let names = recipe.0.len();
    let openness = |number: u16| match number % 6 {
        0..=2 => None,
        3 => Some(Openness::Abstract),
        _ => Some(Openness::Where(None, condition(number / 6, names))),
    };
    expression_with(grammar, recipe, openness)
}

/// The expression of a recipe with conditions and bound nodes.
pub(crate) fn bound_referring_expression(grammar: &Grammar, recipe: &Recipe) -> Option<Expression> {
    let names = recipe.0.len();
    let openness = |number: u16| match number % 8 {
        0 | 1 => None,
        2 => Some(Openness::Abstract),
        3 => Some(Openness::Bound(2)),
        4 | 5 => Some(Openness::Bound(1)),
        6 => Some(Openness::Where(Some(1), condition(number / 8, names))),
        _ => Some(Openness::Where(None, condition(number / 8, names))),
    };
    expression_with(grammar, recipe, openness)
}

/// A condition over this number of names.
fn condition(number: u16, names: usize) -> Condition {
    let name = |number: u16| <PatternId as crate::base::id::Id>::new(usize::from(number) % names);
    let (one, other) = (Condition::at(name(number / 10)), name(number / 40));
    match number % 10 {
        0..=2 => one,
        3 => !one,
        4 => Condition::has(other),
        5 => !Condition::has(other),
        6 => one & !Condition::at(other),
        7 => one | Condition::has(other),
        8 => one & Condition::has(other),
        _ => {
            let (one, other) = (one.formula().clone(), Formula::Root(other));
            let either = Formula::Xor(Box::new(one), Box::new(other));
            Condition::of_formula(&either).expect("it is one about a node")
        }
    }
}

/// The expression of a recipe, whose numbers say which nodes are open, and how.
fn expression_with(
    grammar: &Grammar,
    recipe: &Recipe,
    openness: impl Fn(u16) -> Option<Openness>,
) -> Option<Expression> {
    let trees = trees_up_to(grammar, grammar.start(), 5);
    let trees: Vec<&Tree> = trees.iter().take(300).collect();
    if trees.is_empty() {
        return None;
    }
    let pattern = |numbers: &Vec<u16>| {
        let tree = trees[usize::from(numbers[0]) % trees.len()];
        let inner: Vec<NodeId> =
            tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).collect();
        let root = inner[usize::from(numbers[1]) % inner.len()];
        let open: HashMap<NodeId, Openness> = inner
            .iter()
            .zip(numbers[2..].iter().cycle())
            .filter(|&(&node, number)| node != root || number % 5 == 0)
            .filter_map(|(&node, &number)| match openness(number)? {
                // What stands between words has no name to be asked for.
                _ if tree.nonterminal(grammar, node).is_some_and(|it| is_gap(grammar, it))
                    && node != root =>
                {
                    Some((node, Openness::Abstract))
                }
                openness => Some((node, openness)),
            })
            .collect();
        let is_in_either_case =
            |node| numbers[0].is_multiple_of(2) && tree.class_of_both_cases(grammar, node).is_some();
        let openness = |node, _| open.get(&node).cloned();
        let pattern = Pattern::from_tree_in_either_case(grammar, tree, root, openness, is_in_either_case);
        let constraint = constraint(&pattern, numbers[0] / 300);
        pattern.constrained(constraint)
    };
    let named = recipe.0.iter().zip(["A", "B", "C"]).map(|(alternatives, name)| {
        let mut alternatives: Vec<Pattern> = alternatives.iter().map(pattern).collect();
        // As texts have them.
        alternatives.sort_by_key(Pattern::characteristic);
        NamedPattern { name: name.to_owned(), alternatives }
    });
    let mut patterns: crate::base::id::IdVec<PatternId, NamedPattern> = named.collect();
    while let Some(name) = circular(&patterns) {
        for pattern in &mut patterns[name].alternatives {
            if pattern.node(pattern.root()).condition().is_some() {
                *pattern = Pattern::placeholder(pattern.characteristic(), Openness::Abstract);
            }
        }
    }
    Some(Expression { start: grammar.start(), patterns, formula: recipe.1.clone() })
}

/// A constraint on the bound nodes of a pattern, for some numbers.
fn constraint(pattern: &Pattern, number: u16) -> Option<Constraint> {
    let mut numbers: Vec<u32> = pattern.nodes().iter().filter_map(PatternNode::number).collect();
    numbers.dedup();
    let (&one, &other) = (numbers.first()?, numbers.last()?);
    let lengths = |one, comparison, other| {
        Constraint::Quantities(Quantity::Length(one), comparison, Quantity::Length(other))
    };
    let constant = |comparison, value| {
        Constraint::Quantities(Quantity::Length(other), comparison, Quantity::Constant(value))
    };
    Some(match number % 12 {
        0 => constant(Relation::Less, 2),
        1 => constant(Relation::AtLeast, 1),
        2 => lengths(one, Relation::AtMost, other) & constant(Relation::Unequal, 1),
        3 => lengths(one, Relation::More, other) | constant(Relation::Equal, 2),
        4 => Constraint::Texts(one, false, other),
        5 => Constraint::Not(Box::new(Constraint::Texts(one, true, other))) | constant(Relation::Less, 1),
        _ => return None,
    })
}

/// The grammar with something that may stand between words, and perhaps a token.
pub(crate) fn with_gaps(grammar: &Grammar, skip: usize, token: usize) -> Option<Grammar> {
    let (skipped, rules) = match skip {
        0 | 1 => ("blank", "<blank> ::= <space> | <space> <blank>\n<space> ::= \" \" | \"#\""),
        2 => ("blank", "<blank> ::= <space> | <blank> <blank>\n<space> ::= \" \" | \"a\""),
        _ => ("t", ""),
    };
    let token = match grammar.nonterminals().iter().nth(token) {
        Some(nonterminal) => format!("@token <{}>\n", nonterminal.name),
        None => String::new(),
    };
    let text = format!("@skip <{skipped}>\n{token}{}\n{rules}\n", ebnf::write(grammar));
    Some(format::read(&Source::new("gaps.ebnf", text), None).ok()?.grammar)
}
