//! What must hold of every transformer that claims to be exact, on random grammars and expressions.
//!
//! Each transformer runs through the same laws. A transformer may give up on an expression that is too
//! large for it, with an error; the laws then have nothing to say. How rare that is, is a test as well.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::automaton::counts;
use crate::base::id::Id;
use crate::base::limits::{Exceeded, Limits, Sizes};
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, analysis};
use crate::pattern::arbitrary::{expression, recipes, referring_expression, referring_recipes};
use crate::pattern::{Expression, Formula, PatternId};
use crate::tree::{Label, Tree, trees_up_to};

use super::{AutomatonTransformer, Origin, Specialization, SymbolicTransformer, TransformError, Transformer};

/// The transformers whose grammars have exactly the trees that satisfy the expression, each once.
fn exact() -> [Box<dyn Transformer>; 3] {
    [
        Box::new(AutomatonTransformer::default()),
        // Makes nonterminals for the ends of rules wherever that saves anything.
        Box::new(AutomatonTransformer { most_boxes: 0, ..AutomatonTransformer::default() }),
        Box::new(SymbolicTransformer { most_rules: 20_000, ..SymbolicTransformer::default() }),
    ]
}

fn specialize(
    transformer: &dyn Transformer,
    grammar: &Arc<Grammar>,
    expression: &Expression,
) -> Option<Specialization> {
    let special = transformer.specialize(grammar, &Arc::new(expression.clone()));
    assert!(special.is_ok() || transformer.name() == "symbolic", "{special:?}");
    special.ok()
}

fn origin(special: &Specialization) -> &Origin {
    special.origin.as_ref().unwrap()
}

fn labels(tree: &Tree) -> Vec<Label> {
    tree.preorder(tree.root()).map(|node| tree.label(node)).collect()
}

/// How often each tree of the base grammar with at most `size` nodes is a tree of the specialized one.
fn base_trees(base: &Grammar, special: &Specialization, size: usize) -> HashMap<Vec<Label>, usize> {
    let mut found = HashMap::new();
    for tree in trees_up_to(&special.grammar, special.grammar.start(), size) {
        let base_tree = origin(special).base_tree(base, &special.grammar, &tree);
        assert_eq!(base_tree.text(base), tree.text(&special.grammar));
        *found.entry(labels(&base_tree)).or_insert(0) += 1;
    }
    found
}

fn just_the_trees_that_satisfy(grammar: &Arc<Grammar>, expression: &Expression) -> Result<(), TestCaseError> {
    let size = 5;
    let trees = trees_up_to(grammar, grammar.start(), size);
    let wanted: HashSet<Vec<Label>> =
        trees.iter().filter(|tree| expression.holds(grammar, tree)).map(labels).collect();
    for transformer in exact() {
        let Some(special) = specialize(&*transformer, grammar, expression) else { continue };
        let found = base_trees(grammar, &special, size);
        prop_assert!(
            found.values().all(|&times| times == 1),
            "{}: a tree is derived twice",
            transformer.name()
        );
        prop_assert_eq!(&found.into_keys().collect::<HashSet<_>>(), &wanted, "{}", transformer.name());
    }
    Ok(())
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
        just_the_trees_that_satisfy(&grammar, &expression)?;
    }

    #[test]
    fn so_they_are_when_names_have_alternatives_and_refer_to_each_other(
        grammar in grammars(GrammarShape::default()),
        recipe in referring_recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
        just_the_trees_that_satisfy(&grammar, &expression)?;
    }

    #[test]
    fn a_specialized_grammar_has_no_useless_part_and_no_name_twice(
        grammar in grammars(GrammarShape::default()),
        recipe in referring_recipes(),
        refers in any::<bool>(),
    ) {
        let grammar = Arc::new(grammar);
        let made = if refers { referring_expression(&grammar, &recipe) } else { expression(&grammar, &recipe) };
        let Some(expression) = made else { return Ok(()) };
        for transformer in exact() {
            let Some(special) = specialize(&*transformer, &grammar, &expression) else { continue };
            let count = special.grammar.nonterminals().len();
            prop_assert_eq!(origin(&special).nonterminals.len(), count);
            prop_assert_eq!(analysis::reachable(&special.grammar, special.grammar.start()).len(), count);
            if !special.is_empty() {
                prop_assert_eq!(analysis::productive(&special.grammar).len(), count);
            }
        }
    }

    #[test]
    fn a_small_limit_ends_with_its_error_and_changes_no_grammar(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
        states in 0usize..60,
        rules in 0usize..60,
        steps in 0u64..50_000,
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
        let expression = Arc::new(expression);
        // Enough for nearly all of them, and little enough for the few that take all that is allowed.
        let ample = Sizes { steps: 30_000_000, ..Sizes::default() };
        for (sizes, error) in [
            (Sizes { states, ..ample }, Exceeded::States(states)),
            (Sizes { rules, ..ample }, Exceeded::Rules(rules)),
            (Sizes { steps, ..ample }, Exceeded::Steps(steps)),
        ] {
            let [limits, ample] = [sizes, ample].map(Limits::of);
            let pairs: [(Box<dyn Transformer>, Box<dyn Transformer>); 2] = [
                (Box::new(AutomatonTransformer::within(limits.clone())), Box::new(AutomatonTransformer::within(ample.clone()))),
                (Box::new(SymbolicTransformer::within(limits)), Box::new(SymbolicTransformer::within(ample))),
            ];
            for (limited, whole) in pairs {
                match (limited.specialize(&grammar, &expression), whole.specialize(&grammar, &expression)) {
                    (limited, Err(TransformError::Exceeded(_))) => prop_assert!(limited.is_err()),
                    (Err(TransformError::Exceeded(exceeded)), _) => prop_assert_eq!(exceeded, error),
                    (Err(TransformError::TooManySteps { limit }), _) => prop_assert_eq!(limit, sizes.rules),
                    (Ok(limited), Ok(whole)) => {
                        prop_assert!(limited.grammar.rules().len() <= sizes.rules);
                        prop_assert_eq!(limited.grammar.rules(), whole.grammar.rules());
                    }
                    (limited, whole) => prop_assert_eq!(limited.err(), whole.err()),
                }
            }
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
        let f = second.formula.renamed(&|name| PatternId::new(name.index() + shift));
        let all = Expression { patterns, ..first };
        for transformer in exact() {
            let number = |formula: Formula| {
                let expression = Expression { formula, ..all.clone() };
                let special = specialize(&*transformer, &grammar, &expression)?;
                Some(counts(&special.grammar, special.grammar.start(), 6).unwrap())
            };
            let numbers = [
                e.clone(), f.clone(), !e.clone(), e.clone() & f.clone(), e.clone() & !f.clone(),
                e.clone() | f.clone(), !(e.clone() & f.clone()), !e.clone() | !f.clone(),
            ].map(number);
            let [Some(of_e), Some(of_f), Some(not_e), Some(both), Some(just_e), Some(either), Some(not_both),
                Some(not_either)] = numbers else { continue };
            let sum = |a: &[u128], b: &[u128]| -> Vec<u128> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
            let name = transformer.name();
            prop_assert_eq!(&sum(&of_e, &not_e), &base, "complement, {}", name);
            prop_assert_eq!(&sum(&both, &just_e), &of_e, "split, {}", name);
            prop_assert_eq!(sum(&both, &either), sum(&of_e, &of_f), "inclusion and exclusion, {}", name);
            prop_assert_eq!(not_both, not_either, "De Morgan, {}", name);
        }
    }
}

#[test]
fn no_transformer_gives_up_on_small_things() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut given_up) = (0, 0);
    for _ in 0..150 {
        let grammar = Arc::new(grammars(GrammarShape::default()).new_tree(&mut runner).unwrap().current());
        let recipe = recipes().new_tree(&mut runner).unwrap().current();
        let Some(expression) = expression(&grammar, &recipe) else { continue };
        tried += 1;
        given_up += usize::from(exact().iter().any(|it| specialize(&**it, &grammar, &expression).is_none()));
    }
    assert!(given_up * 10 <= tried, "{given_up} of {tried}");
}
