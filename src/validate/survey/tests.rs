//! What a survey says of a tree is what its definition says.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::one_by_one;
use super::*;
use crate::base::diagnostic::Source;
use crate::base::limits::Limits;
use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
use crate::grammar::{Grammar, format};
use crate::parse::Parser;
use crate::pattern::arbitrary::{
    bound_expression, bound_referring_expression, recipes, referring_expression, referring_recipes, with_gaps,
};
use crate::pattern::read_expression;
use crate::tree::trees_up_to;
use crate::validate::{AutomatonValidator, Validator};

fn of<'a>(expression: &'a Expression, forest: &'a Forest) -> Survey<'a> {
    Survey::with_trees(expression, forest, 1_000_000, &Limits::default()).unwrap()
}

fn as_in_all_trees_one_by_one(grammar: &Arc<Grammar>, expression: &Expression) -> Result<(), TestCaseError> {
    let parser = Arc::new(Parser::new(Arc::clone(grammar)));
    let shared = Arc::new(expression.clone());
    let by_names = expression.without_surroundings(grammar);
    let validator = AutomatonValidator::new(Arc::clone(&parser), shared, Limits::default()).unwrap();
    for input in strings(5) {
        let Ok(forest) = parser.parse(&input) else { continue };
        let Some(trees) = forest.trees(1_000) else { continue };
        let wanted = one_by_one(expression, grammar, &trees);
        let shown = String::from_utf8_lossy(&input).into_owned();
        prop_assert_eq!(of(&by_names, &forest).answer(), wanted, "{}", shown);
        prop_assert_eq!(validator.validate(&input), Ok(wanted), "{}", shown);
    }
    Ok(())
}

#[test]
fn conditions_say_of_a_node_what_they_should() {
    let text = include_str!("../../../grammars/json.ebnf");
    let grammar = Arc::new(format::read(&Source::new("json.ebnf", text), None).unwrap().grammar);
    let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
    // What names at one node depend on is known before, in whatever order they are defined.
    let chain =
        r#"<array X> is "[<elt A>]", <elt A> is "<elt !B>", <elt B> is "<elt C>" | "1", <elt C> is "null""#;
    let back =
        r#"<elt C> is "null", <elt B> is "<elt C>" | "1", <elt A> is "<elt !B>", <array X> is "[<elt A>]""#;
    let has = r#"<array X> is "[<elt has N>]", <item N> is "\"\": <elt>""#;
    // Each of both binds in a way of its own, so that it takes both to disagree.
    let both =
        r#"<array X> is "[<elt !(A & B)>]", <elt A> is "[<$elt:1>, <elt>]", <elt B> is "[<elt>, <$elt:1>]""#;
    let own = r#"<object X> is "{\"a\": <$elt:1>, \"b\": <elt !Y>}", <elt Y> is "[<$elt:1>, <$elt:1>]""#;
    let join = r#"<array X> is "[<$elt:1>, <elt Y>]", <elt Y> is "[<$elt:1>]""#;
    let below = r#"<array X> is "[<$elt:1>, <elt has Y>]", <item Y> is "\"k\": <$elt:1>""#;
    let bound = r#"<array X> is "[<$elt:1 !Y>, <$elt:1>]", <elt Y> is "1""#;
    let xor = r#"<array X> is "[<elt A ^ has B>]", <elt A> is "[<elts>]", <elt B> is "1""#;
    let implies = r#"<array X> is "[<elt has B implies A>]", <elt A> is "[<elts>]", <elt B> is "1""#;
    let less = r#"<array X> is "[<$number:1>, <$number:2>]" if int($1) < int($2) & int($1) != 7"#;
    let length = r#"<array X> is "[<$elt:1>]" if (len($1) = 3 | len($1) > 9)"#;
    // The number of a name that a condition refers to.
    let inner = r#"<array X> is "[<$number:1>, <elt Y>]" if int($1) > int($2), <elt Y> is "[<$number:2>]""#;
    let whole = r#"<elt X> is "<$elt:1 Y>" if len($1) > 2, <elt Y> is "<number>""#;
    let negated = r#"<array X> is "[<elt !Y>]", <elt Y> is "<$elt:1>" if len($1) < 3"#;
    for (patterns, yes, no) in [
        (
            less,
            &["[1, 2]", "[99999999999999999999, 100000000000000000000]"][..],
            &["[2, 1]", "[1, 1]", "[7, 8]"][..],
        ),
        (length, &["[123]", "[1234567890]"], &["[1]", "[1234]"]),
        (inner, &["[2, [1]]"], &["[1, [2]]", "[2, 1]"]),
        (whole, &["123", "[1, 123]"], &["12", "[12, [1]]"]),
        (negated, &["[123]"], &["[12]"]),
        (chain, &["[2]", "[[1]]"][..], &["[1]", "[null]"][..]),
        (back, &["[2]", "[[1]]"], &["[1]", "[null]"]),
        (
            has,
            &[r#"[{"": 1, "a": 2}]"#, r#"[{"a": 1, "": 2}]"#, r#"[[{"a": {"": 1}}, 2]]"#],
            &[r#"[{"a": 1}]"#, "[1]"],
        ),
        (both, &["[[1, 2]]", "[1]"], &["[[1, 1]]"]),
        (
            own,
            &[r#"{"a": 1, "b": [2, 3]}"#, r#"{"a": 1, "b": [1, 2]}"#, r#"{"a": 1, "b": 1}"#],
            &[r#"{"a": 1, "b": [2, 2]}"#, r#"{"a": 1, "b": [1, 1]}"#],
        ),
        (join, &["[1, [1]]"], &["[1, [2]]", "[1, 1]"]),
        (
            below,
            &[r#"[1, {"a": 2, "k": 1}]"#, r#"[1, [{"k": 2}, {"k": 1}, 3]]"#],
            &[r#"[1, {"k": 2}]"#, "[1, 1]"],
        ),
        (bound, &["[2, 2]"], &["[1, 1]", "[2, 3]"]),
        (xor, &["[[2]]", "[1]"], &["[[1, 1]]", "[2]"]),
        (implies, &["[[1]]", "[2]", "[[2]]"], &["[1]", r#"[{"a": 1}]"#]),
    ] {
        let text = format!("<json X> where {patterns}");
        let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
        let validator =
            AutomatonValidator::new(Arc::clone(&parser), Arc::clone(&expression), Limits::default()).unwrap();
        for (inputs, answer) in [(yes, Answer::Every), (no, Answer::None)] {
            for input in inputs {
                let forest = parser.parse(input.as_bytes()).unwrap();
                assert_eq!(validator.validate(input.as_bytes()), Ok(answer), "{patterns}: {input}");
                assert_eq!(of(&expression, &forest).answer(), answer, "{patterns}: {input}");
                let holds = expression.holds(&grammar, &forest.first_tree());
                assert_eq!(holds, answer == Answer::Every, "{patterns}: {input}");
            }
        }
    }
}

#[test]
fn texts_are_equal_whatever_stands_between_words_behind_them() {
    let text = include_str!("../../../tests/cmd/files/calls.ebnf");
    let grammar = Arc::new(format::read(&Source::new("calls.ebnf", text), None).unwrap().grammar);
    // A name is a word; what follows it is a part of the call.
    let text = r#"<call E> where <call E> is "<$name:1>(<$call:1>)""#;
    let read = read_expression(&Source::new("expression", text), &grammar).unwrap();
    let expression = Arc::new(Expression { start: grammar.start(), ..read });
    let parser = Arc::new(Parser::new(grammar));
    let validator = AutomatonValidator::new(parser, expression, Limits::default()).unwrap();
    for (input, answer) in [
        ("f(f)", Answer::Every),
        ("f (f )", Answer::Every),
        (" f(  f  )", Answer::Every),
        ("g(f(f ) )", Answer::Every),
        ("f(g)", Answer::None),
        ("f(ff)", Answer::None),
    ] {
        assert_eq!(validator.validate(input.as_bytes()), Ok(answer), "{input}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn bound_nodes_are_judged_as_in_all_trees_one_by_one(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
        as_in_all_trees_one_by_one(&grammar, &expression)?;
    }

    #[test]
    fn so_they_are_where_names_refer_to_each_other(
        grammar in grammars(GrammarShape::default()),
        recipe in referring_recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
        as_in_all_trees_one_by_one(&grammar, &expression)?;
    }

    /// What is skipped may be letters, and an input may be cut into words in several ways.
    #[test]
    fn so_they_are_where_texts_end_in_gaps(
        grammar in grammars(GrammarShape::default()),
        skip in 2usize..4,
        token in 0usize..6,
        recipe in referring_recipes(),
    ) {
        let Some(grammar) = with_gaps(&grammar, skip, token) else { return Ok(()) };
        let grammar = Arc::new(grammar);
        let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
        as_in_all_trees_one_by_one(&grammar, &expression)?;
    }

    #[test]
    fn the_trees_that_are_shown_bear_out_the_answer_on_cyclic_grammars_too(
        grammar in grammars(GrammarShape::default()),
        recipe in referring_recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
        let expression = expression.without_surroundings(&grammar).into_owned();
        let parser = Parser::new(Arc::clone(&grammar));
        for tree in trees_up_to(&grammar, grammar.start(), 5) {
            let input = tree.text(&grammar);
            let forest = parser.parse(&input).unwrap();
            // A cycle can have so many findings that the survey ends by its limit.
            let survey = Survey::with_trees(&expression, &forest, 20_000, &Limits::default());
            let Ok(survey) = survey else { continue };
            let possible = if expression.holds(&grammar, &tree) { Answer::Every } else { Answer::None };
            prop_assert!(survey.answer() == possible || survey.answer() == Answer::Some);
            for satisfies in [true, false] {
                let shown = survey.tree(satisfies);
                let none = if satisfies { Answer::None } else { Answer::Every };
                prop_assert_eq!(shown.is_none(), survey.answer() == none);
                if let Some(shown) = shown {
                    prop_assert_eq!(shown.text(&grammar), input.clone());
                    prop_assert_eq!(expression.holds(&grammar, &shown), satisfies);
                }
            }
        }
    }

    #[test]
    fn without_bound_nodes_the_automaton_says_the_same(
        grammar in grammars(GrammarShape::default()),
        recipe in referring_recipes(),
    ) {
        let grammar = Arc::new(grammar);
        let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
        let expression = expression.without_surroundings(&grammar).into_owned();
        let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
        let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone()), Limits::default()).unwrap();
        for input in strings(5) {
            let Ok(forest) = parser.parse(&input) else { continue };
            prop_assert_eq!(validator.validate(&input), Ok(of(&expression, &forest).answer()));
        }
    }
}
