//! Texts of patterns and expressions are read as they are written, and what is wrong with them is told.

use super::*;
use crate::grammar::arbitrary::{GrammarShape, acyclic_grammars, grammars};
use crate::grammar::format;
use crate::pattern::arbitrary::{
    bound_expression, bound_referring_expression, recipes, referring_recipes, with_gaps,
};
use proptest::prelude::*;

fn json() -> Grammar {
    let source = Source::new("json.ebnf", include_str!("../../../grammars/json.ebnf"));
    format::read(&source, None).unwrap().grammar
}

fn statement(text: &str) -> Result<Pattern, Diagnostic> {
    read_statement(&Source::new("pattern", text), 0..text.len(), &json())
}

fn expression(text: &str) -> Result<Expression, Diagnostic> {
    read_expression(&Source::new("expression", text), &json())
}

#[test]
fn a_pattern_is_written_as_it_was_read() {
    let grammar = json();
    for text in [
        r#"<item> is "\"\": <elt>""#,
        r#"<item> is "<string>: null""#,
        r#"<array> is "[[<$elt:1>, <$elt:1>]]""#,
        r#"<elt> is "<elt>""#,
        r#"<chars> is """#,
    ] {
        assert_eq!(statement(text).unwrap().statement(&grammar), text);
    }
}

#[test]
fn letters_are_in_either_case_where_the_grammar_has_both() {
    let grammar = json();
    for text in [
        r#"<item> is %i"\"ab\": <elt>""#,
        r#"<item> is %i"\"ab" "C\": null""#,
        r#"<item> is "\"A" %i"b\": <elt>""#,
    ] {
        assert_eq!(statement(text).unwrap().statement(&grammar), text);
    }
    for (text, same) in [
        (r#"<item> is %i"\"AB\": <elt>""#, r#"<item> is %i"\"ab\": <elt>""#),
        (r#"<item> is %i"\"1\": <elt>""#, r#"<item> is "\"1\": <elt>""#),
        (r#"<elt> is %i"null""#, r#"<elt> is "null""#),
    ] {
        assert_eq!(statement(text).unwrap(), statement(same).unwrap(), "{text}");
    }
    let parser = crate::parse::Parser::new(Arc::new(grammar));
    let holds = |pattern: &str, input: &str| {
        let read = expression(&format!("<json E> where <item E> is {pattern}")).unwrap();
        read.holds(parser.grammar(), &parser.first_tree(input.as_bytes()).unwrap().unwrap())
    };
    for input in ["{\"ab\": 1}", "{\"AB\": 1}", "{\"aB\": 1}", "{\"Ab\": 1}", "{\"ac\": 1}", "{\"a\": 1}"] {
        let one_by_one = r#"{"\"ab\"" | "\"Ab\"" | "\"aB\"" | "\"AB\""} ": <elt>""#;
        assert_eq!(holds(r#"%i"\"ab\": <elt>""#, input), holds(one_by_one, input), "{input}");
    }
}

#[test]
fn a_whole_expression_is_written_as_it_was_read() {
    let grammar = json();
    let text = r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#;
    let read = expression(text).unwrap();
    assert_eq!(read.text(&grammar), text);
    assert_eq!(read.formula_text(), "E & !N");
    assert_eq!(read.patterns.len(), 2);
}

#[test]
fn a_pattern_alone_is_the_expression_in_which_it_occurs() {
    let read = expression(r#"<item> is "\"\": <elt>""#).unwrap();
    assert_eq!(read.text(&json()), r#"<json F> where <item F> is "\"\": <elt>""#);
}

#[test]
fn patterns_and_whole_expressions_that_stand_for_each_other_are_told_apart() {
    let pattern = |text: &str| {
        read_patterns(&[Source::new("--pattern", text)], &json()).map(|_| ()).unwrap_err().to_string()
    };
    let error = pattern(r#"<elt F> where <elt F> is "1""#);
    assert!(error.contains("in a pattern `<elt>` stands alone"), "{error}");
    assert!(error.contains("`F=<elt> is") && error.contains("`<elt F> where"), "{error}");
    let error = pattern(r#"<elt F & !N> where <elt F> is "1""#);
    assert!(!error.contains("name comes first") && error.contains("`<elt F & !N> where"), "{error}");
    assert!(pattern(r#"<elm F> is "1""#).contains("no nonterminal `<elm F>`"));
    let error = expression(r#"<elt F> is "1""#).unwrap_err().to_string();
    assert!(error.contains("what a name is stands behind `where`"), "{error}");
    assert!(error.contains(r#"`<json F> where <elt F> is "..."`"#), "{error}");
}

#[test]
fn names_with_alternatives_and_conditions_are_written_as_they_were_read() {
    let grammar = json();
    for text in [
        r#"<json E> where <item E> is "\"\": <elt>" | "<string>: null""#,
        r#"<json E> where <item E> is "\"\": <elt>" | "<item>", <elt E> is "null""#,
        r#"<json A> where <items A> is "<item E>" | "<item E>, <items A>", <item E> is "\"\": <elt>""#,
        r#"<json L> where <array L> is "[<elts L>]", <elts L> is "<$elt:1>, <elts M>" | "<elt>, <elts L>", <elts M> is "<$elt:1>" | "<elt>, <elts M>""#,
        r#"<json X> where <elt X> is "<elt !Y & (has Z | Y) ^ true implies Y>", <elt Y> is "1", <number Z> is "2""#,
        r#"<json X> where <item X> is "<$string:1 S>: <$elt:1>", <string S> is "\"\"""#,
    ] {
        assert_eq!(expression(text).unwrap().text(&grammar), text);
    }
    let one = r#"<json E> where <item E> is {"\"a\": " | "\"b\"" ": "} '<elt>' | "<item>""#;
    let other = r#"<json E> where <item E> is "\"a\": <elt>" | "\"b\": <elt>" | "<item>""#;
    assert_eq!(expression(one).unwrap(), expression(other).unwrap());
    let options = [
        r#"A=<items> is "<item E>" | "<item E>, <items A>""#,
        r#"E=<item> is "\"\": <elt>", <elt> is "null""#,
    ];
    let sources = options.map(|text| Source::new("--pattern", text));
    let whole = r#"<json A> where <items A> is "<item E>" | "<item E>, <items A>", <item E> is "\"\": <elt>", <elt E> is "null""#;
    assert_eq!(read_patterns(&sources, &grammar).unwrap().value, expression(whole).unwrap().patterns);
}

#[test]
fn a_number_may_be_written_in_either_notation() {
    let limited = |limit: &str| {
        expression(&format!(r#"<json E> where <array E> is "[<$number:1>]" if int($1) > {limit}"#)).unwrap()
    };
    assert_eq!(limited("0x7ff"), limited("2047"));
    assert_eq!(limited("-0X10"), limited("-16"));
}

#[test]
fn what_is_wrong_with_references_is_told_with_its_place() {
    let errors = [
        r#"<json X> where <elt X> is "[<elts Y>]""#,
        r#"<json X> where <elt X> is "[<elts F>]", F is !X"#,
        r#"<json X> where <elt X> is "<elt X>""#,
        r#"<json X> where <elt X> is "<elt !Y>" | "1", <elt Y> is "<elt Z>", <elt Z> is "<elt has X>""#,
        r#"<json X> where <elt X> is "[<elts at least 2 X>]""#,
        r#"<json X> where <elt X> is "[<elts X &>]""#,
        r#"<json X> where <elt X> is "1" | <elt>"#,
        r#"<json X> where <elt X> is "1", <item X> is "<item>", <elt X> is "2""#,
        r#"<json has> where <elt has> is "1""#,
        r#"<json X> where <elt X> is "[<elt X Y>]""#,
        r#"<json X> where <elt X> is "[<$elt:1x X>]""#,
        r#"<json X> where <elt X> is {"1" | "2" "<elt>""#,
        r#"<json X> where <elt X> is {"1" | "2"} "a""#,
        r#"<json X> where <elt X> is {"1" | "2"} "3" choice 1"#,
        r#"<json X> where <elt X> is {} "3""#,
    ]
    .map(|text| expression(text).unwrap_err().to_string());
    insta::assert_snapshot!(errors.join("\n\n"));
    // At nodes of other nonterminals there is nothing to depend on.
    assert!(expression(r#"<json X> where <elt X> is "<elt Y>", <item Y> is "<item X>""#).is_ok());
}

const SUMS: &str = r#"<s> ::= <s> "+" <s> | "1" | <s> "-" <s>"#;

fn sums() -> Grammar {
    format::read(&Source::new("sums.ebnf", SUMS), None).unwrap().grammar
}

#[test]
fn an_ambiguous_text_is_told_and_its_trees_can_be_chosen() {
    let grammar = sums();
    let read = |text: &str| read_patterns(&[Source::new("--pattern", text)], &grammar);
    let first = read(r#"<s> is "1+1-<s>""#).unwrap();
    insta::assert_snapshot!(first.warnings[0].to_string());
    let choices = [1, 2].map(|choice| read(&format!(r#"<s> is "1+1-<s>" choice {choice}"#)).unwrap());
    assert!(choices.iter().all(|choice| choice.warnings.is_empty()));
    let [one, two] = choices.map(|choice| choice.value);
    assert_eq!(one, first.value);
    assert_ne!(one, two);
    let wrong = [r#""1+1-<s>" choice 3"#, r#""1+1-<s>" choice"#, r#""1" choice 0"#, r#""1" choose"#];
    let errors = wrong.map(|wrong| read(&format!("<s> is {wrong}")).unwrap_err().to_string());
    insta::assert_snapshot!("choices_that_are_not_there", errors.join("\n\n"));
    let follows = [r#""1" 2"#, r#""1+1-<s>" choice 2 2"#, r#""<$s:1>" if len($1) > 1 2"#, r#""1" | {"1"} 2"#];
    for (wrong, may_follow) in follows.into_iter().zip([
        "`|`, `,`, `choice`, `if` or the end",
        "`|`, `,`, `if` or the end",
        "`&`, `|`, `,` or the end",
        "`|`, `,`, `choice`, `if` or the end",
    ]) {
        let error = read(&format!("<s> is {wrong}")).unwrap_err();
        assert_eq!(error.message(), format!("expected {may_follow}, found `2`"), "{wrong}");
    }
    let many = read(&format!(r#"<s> is "{}1""#, "1+".repeat(9))).unwrap();
    assert!(many.warnings[0].to_string().contains("more than 100 trees"));
}

#[test]
fn a_named_formula_stands_for_itself() {
    let patterns = r#"<item E> is "\"\": <elt>", <item N> is "<string>: null""#;
    let one =
        expression(&format!("<json X & !Y> where Y is and(N, E before N), X is E | Y, {patterns}")).unwrap();
    let other =
        expression(&format!("<json (E | N & E before N) & !(N & E before N)> where {patterns}")).unwrap();
    assert_eq!(one.formula, other.formula);
}

#[test]
fn named_formulas_that_grow_beyond_measure_are_refused() {
    let chain = |levels: usize, formula: fn(usize) -> String| {
        let all: Vec<String> = (0..levels).map(|n| format!("a{n} is {}", formula(n + 1))).collect();
        let end = format!(r#"a{levels} is E, <item E> is "<item>""#);
        expression(&format!("<json a0> where {}, {end}", all.join(", "))).map_err(|error| error.to_string())
    };
    let error = chain(20_000, |next| format!("!a{next}")).unwrap_err();
    assert!(error.contains("more than 20 deep"), "{error}");
    let error = chain(18, |next| format!("a{next} & a{next}")).unwrap_err();
    assert!(error.contains("more than 10000 times"), "{error}");
    assert!(chain(10, |next| format!("a{next} ^ a{next}")).is_ok());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let patterns = [
        r#"<itme> is "x""#,
        r#"<item> is "\"\": <elf>""#,
        r#"<item> is "\"\": ""#,
        r#"<item> is "\"\" <elt>""#,
        r#"<item> is "\"\q""#,
        r#"<item> is "<string"#,
        r#"<item> are"#,
        r#"<item> is %"a""#,
        r#"<item> is %i a"#,
        r#"<item> is "\"a b\": <elt>""#,
        r#"<item> is "<$string:x>: <elt>""#,
        "item",
        "",
    ];
    let expressions = [
        r#"<json>"#,
        r#"<jsn E> where <item E> is "<item>""#,
        r#"<json E & F> where <item E> is "<item>""#,
        r#"<json E> where <item E> is "<item>", <item E> is "<item>""#,
        r#"<json E> where <item> is "<item>""#,
        r#"<json X> where X is Y | E, Y is !X, <item E> is "<item>""#,
        r#"<json X> where X is E &, <item E> is "<item>""#,
        r#"<json X> where "E""#,
        r#"<json not> where <item not> is "<item>""#,
    ];
    let errors: Vec<String> = patterns
        .into_iter()
        .map(|text| statement(text).unwrap_err().to_string())
        .chain(expressions.into_iter().map(|text| expression(text).unwrap_err().to_string()))
        .collect();
    insta::assert_snapshot!(errors.join("\n\n"));
}

#[test]
fn a_closed_gap_is_written_with_what_stands_in_it() {
    let text = include_str!("../../../tests/cmd/files/calls.ebnf");
    let grammar = format::read(&Source::new("calls.ebnf", text), None).unwrap().grammar;
    let read = |text: &str| read_statement(&Source::new("pattern", text), 0..text.len(), &grammar);
    for text in [
        r#"<call> is "f<"">(<call>)""#,
        r#"<call> is "f<"  ">(x<" ">)""#,
        r#"<call> is "f(x)""#,
        r#"<call> is "<name>(<$name:1>(<$call:1>)<"<blank>">)""#,
    ] {
        assert_eq!(read(text).unwrap().statement(&grammar), text);
    }
    assert_eq!(read(r#"<call> is "f ( x )""#), read(r#"<call> is "f(x)""#));
    assert_ne!(read(r#"<call> is "f<" ">(x)""#), read(r#"<call> is "f(x)""#));
    let errors = [
        r#"<call> is "f<"x">(x)""#,
        r#"<call> is "f<" "(x)""#,
        r#"<call> is "f<" (x)""#,
        r#"<call> is "f<"<" ">">(x)""#,
        r#"<call> is "f(<" ">x)" choice 2"#,
    ]
    .map(|text| read(text).unwrap_err().to_string());
    let none = statement(r#"<item> is "<string><"">: <elt>""#).unwrap_err().to_string();
    insta::assert_snapshot!(format!("{}\n\n{none}", errors.join("\n\n")));
}

#[test]
fn random_patterns_have_gaps_that_are_closed() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut tried, mut closed) = (0, 0);
    for number in 0..300 {
        let grammar = grammars(GrammarShape::default()).new_tree(&mut runner).unwrap().current();
        let recipe = referring_recipes().new_tree(&mut runner).unwrap().current();
        let Some(grammar) = with_gaps(&grammar, number % 4, number % 6) else { continue };
        let Some(expression) = bound_expression(&grammar, &recipe) else { continue };
        for pattern in expression.patterns.iter().flat_map(|named| &named.alternatives) {
            tried += 1;
            closed += usize::from(pattern.text(&grammar).contains("<\""));
        }
    }
    assert!(tried > 300 && closed * 10 > tried, "{closed} of {tried}");
}

proptest! {
    #[test]
    fn every_pattern_of_an_ambiguous_grammar_reads_back(
        grammar in grammars(GrammarShape::default()),
        recipe in recipes(),
    ) {
        let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
        for pattern in expression.patterns.iter().flat_map(|named| &named.alternatives) {
            let text = pattern.statement(&grammar);
            let source = Source::new("pattern", text.clone());
            let read = read_statement(&source, 0..text.len(), &grammar).unwrap();
            // Where the text has too many trees, or infinitely many, the first one is read.
            let is_chosen = read == *pattern;
            prop_assert!(is_chosen || pattern.choice(&grammar).is_none(), "{}", text);
        }
    }

    #[test]
    fn patterns_with_gaps_between_words_read_back(
        grammar in grammars(GrammarShape::default()),
        skip in 0usize..4,
        token in 0usize..6,
        recipe in referring_recipes(),
    ) {
        let Some(grammar) = with_gaps(&grammar, skip, token) else { return Ok(()) };
        let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
        for pattern in expression.patterns.iter().flat_map(|named| &named.alternatives) {
            let text = pattern.statement(&grammar);
            let read = read_statement(&Source::new("pattern", text.clone()), 0..text.len(), &grammar);
            let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
            let are_few = pattern.choices(&grammar).is_some_and(|choices| choices.all().is_some());
            prop_assert!(read == *pattern || !are_few, "{}", text);
        }
    }

    #[test]
    fn whole_expressions_read_back(
        grammar in acyclic_grammars(GrammarShape::default()),
        recipe in referring_recipes(),
    ) {
        let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
        let text = expression.text(&grammar);
        let read = read_expression(&Source::new("expression", text.clone()), &grammar).unwrap();
        prop_assert_eq!(read.patterns.len(), expression.patterns.len());
        for (read, named) in read.patterns.iter().zip(&expression.patterns) {
            prop_assert_eq!(&read.name, &named.name);
            prop_assert_eq!(read.alternatives.len(), named.alternatives.len());
            for (read, pattern) in read.alternatives.iter().zip(&named.alternatives) {
                prop_assert!(read == pattern || pattern.choice(&grammar).is_none(), "{}", text);
            }
        }
    }

    #[test]
    fn no_text_makes_the_readers_panic(
        text in r#"(<(item|elt|json|x| E|\$elt:1| has E| !)>| is |"|\||where| choice 2|[\\a-z:,{}\[\]0é]){0,14}"#,
    ) {
        let grammar = json();
        let source = Source::new("text", text.clone());
        let _ = read_statement(&source, 0..text.len(), &grammar);
        let _ = read_named(&source, 1, &grammar);
        let _ = read_expression(&source, &grammar);
    }
}
