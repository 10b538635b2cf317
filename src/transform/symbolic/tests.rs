//! The algebra against the definition on counted occurrences, and against the automaton on the
//! papers' own grammar.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;

use crate::automaton::counts;
use crate::base::diagnostic::Source;
use crate::base::id::{Id, IdVec};
use crate::base::limits::Meter;
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, ebnf};
use crate::pattern::arbitrary::{expression, recipes};
use crate::pattern::{
    Expression, Formula, NamedPattern, PatternId, read_expression, read_formula, read_named,
};
use crate::transform::{AutomatonTransformer, TransformError, Transformer};
use crate::tree::{Label, Tree, trees_up_to};

use super::condition::Condition;
use super::{SinglePattern, SymbolicTransformer};

fn json() -> Arc<Grammar> {
    let source = Source::new("json.ebnf", include_str!("../../../grammars/json.ebnf"));
    Arc::new(ebnf::read(&source).unwrap().grammar)
}

/// An empty key, a null item, a doubled bracket, an empty object.
fn patterns(grammar: &Grammar) -> IdVec<PatternId, NamedPattern> {
    [
        r#"E=<item> is "\"\": <elt>""#,
        r#"N=<item> is "<string>: null""#,
        r#"D=<array> is "[[<elts>]]""#,
        r#"O=<elt> is "{}""#,
    ]
    .iter()
    .map(|text| read_named(&Source::new("pattern", *text), 1, grammar).unwrap())
    .collect()
}

fn of_json(grammar: &Grammar, formula: &str) -> Arc<Expression> {
    let patterns = patterns(grammar);
    let names: Vec<String> = patterns.iter().map(|named| named.name.clone()).collect();
    let formula = read_formula(&Source::new("formula", formula), 0..formula.len(), &names).unwrap();
    Arc::new(Expression { start: grammar.start(), patterns, formula })
}

#[test]
fn both_transformers_count_the_same_on_the_papers_grammar() {
    let grammar = json();
    for formula in [
        "E",
        "!E",
        "E & N",
        "E & !N",
        "E | N",
        "!(E | N)",
        "D",
        "!D",
        "E & D",
        "D & !E",
        "N | D",
        "E ^ D",
        "E implies D",
        "E & N & D",
        "!(E & N & D)",
        "E | N | D",
        "E & N | !D",
        "E & N & D & O",
        "E inside D",
        "!(E inside D)",
        "E before N",
        "!(E before N) & E & N",
        "root O | E inside E",
        "exactly 2 N",
        "at most 1 E & at least 1 N",
    ] {
        let expression = of_json(&grammar, formula);
        let number = |transformer: &dyn Transformer| {
            let special = transformer.specialize(&grammar, &expression).unwrap().grammar;
            counts(&special, special.start(), 21).unwrap()
        };
        let symbolic = number(&SymbolicTransformer::default());
        assert_eq!(symbolic, number(&AutomatonTransformer::default()), "{formula}");
        assert!(symbolic.iter().any(|&number| number > 0), "{formula}");
    }
}

#[test]
fn the_grammar_of_an_empty_key_reads_like_the_papers() {
    let grammar = json();
    let special = SymbolicTransformer::default().specialize(&grammar, &of_json(&grammar, "E & !N")).unwrap();
    insta::assert_snapshot!(ebnf::write(&special.grammar));
}

#[test]
fn an_or_of_many_patterns_ends() {
    let grammar = json();
    let patterns: IdVec<PatternId, NamedPattern> = (0..10)
        .map(|digit| {
            let text = format!(r#"P{digit}=<item> is "\"{digit}\": <elt>""#);
            read_named(&Source::new("pattern", &*text), 1, &grammar).unwrap()
        })
        .collect();
    let formula = patterns.ids().map(Formula::Contains).reduce(|all, next| all | next).unwrap();
    let expression = Arc::new(Expression { start: grammar.start(), patterns, formula });
    let number = |transformer: &dyn Transformer| {
        let special = transformer.specialize(&grammar, &expression).unwrap().grammar;
        counts(&special, special.start(), 16).unwrap()
    };
    assert_eq!(number(&SymbolicTransformer::default()), number(&AutomatonTransformer::default()));
}

#[test]
fn a_limit_on_rules_is_an_error_and_not_a_full_memory() {
    let grammar = json();
    let expression = of_json(&grammar, "E & N & D & O");
    let limited = SymbolicTransformer { most_rules: 100, ..SymbolicTransformer::default() }
        .specialize(&grammar, &expression);
    assert_eq!(limited.err(), Some(TransformError::TooManySteps { limit: 100 }));
}

#[test]
fn names_of_patterns_may_look_like_names_of_their_nodes() {
    let grammar = json();
    let mut expression = Arc::unwrap_or_clone(of_json(&grammar, "E & !N"));
    let number = |transformer: &dyn Transformer, expression: &Expression| {
        let special = transformer.specialize(&grammar, &Arc::new(expression.clone())).unwrap().grammar;
        counts(&special, special.start(), 16).unwrap()
    };
    // A string with one letter is called what the string of an empty key, a node of E, is called.
    let text = r#"S=<string> is "\"a\"""#;
    expression.patterns = patterns(&grammar).iter().take(1).cloned().collect();
    expression.patterns.push(read_named(&Source::new("pattern", text), 1, &grammar).unwrap());
    let wanted = number(&AutomatonTransformer::default(), &expression);
    expression.patterns[PatternId::new(1)].name = "E.1".to_owned();
    assert_eq!(number(&SymbolicTransformer::default(), &expression), wanted);
    assert_eq!(number(&AutomatonTransformer::default(), &expression), wanted);
}

fn labels(tree: &Tree) -> Vec<Label> {
    tree.preorder(tree.root()).map(|node| tree.label(node)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn grammars_of_counted_faults_have_the_trees_with_that_many_each_once(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
        number in 0u32..4,
    ) {
        let Some(Expression { patterns, .. }) = expression(&grammar, &recipe) else { return Ok(()) };
        let singles = SinglePattern::all(&patterns);
        let pattern = PatternId::new(0);
        let size = 5;
        let trees = trees_up_to(&grammar, grammar.start(), size);
        for (condition, numbers) in [
            (Condition::at_least(number, pattern), number..=u32::MAX),
            (Condition::at_most(number, pattern), 0..=number),
            (Condition::exactly(number, pattern, &mut Meter::default()).unwrap(), number..=number),
        ] {
            let special = SymbolicTransformer::default()
                .specialize_condition(&grammar, grammar.start(), &singles, &condition)
                .unwrap();
            let found: Vec<Vec<Label>> = trees_up_to(&special.grammar, special.grammar.start(), size)
                .iter()
                .map(|tree| labels(&special.origin.as_ref().unwrap().base_tree(&grammar, &special.grammar, tree)))
                .collect();
            let wanted: HashSet<Vec<Label>> = trees
                .iter()
                .filter(|tree| {
                    numbers.contains(&(singles[pattern].pattern.occurrences(&grammar, tree).len() as u32))
                })
                .map(labels)
                .collect();
            prop_assert_eq!(found.len(), wanted.len());
            prop_assert_eq!(found.into_iter().collect::<HashSet<_>>(), wanted);
        }
    }
}

/// Few rules come of it, and very many pairs of them are visited.
#[test]
fn a_long_rule_ends_with_an_error_and_not_after_minutes() {
    let source = Source::new("row.ebnf", include_str!("../../../grammars/row.ebnf"));
    let grammar = Arc::new(ebnf::read(&source).unwrap().grammar);
    let text = r#"<row at most 3 B & X & O> where <mark X> is "x", <mark O> is "o", <cell B> is ".""#;
    let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
    let error = SymbolicTransformer { most_rules: 2_000, ..SymbolicTransformer::default() }
        .specialize(&grammar, &expression)
        .err();
    assert_eq!(error, Some(TransformError::TooManySteps { limit: 2_000 }));
}
