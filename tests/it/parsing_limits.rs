//! Nothing that has to do with parsing hangs: what would take more than linear time or memory ends by a limit, with
//! an error that names it, or is fast.
//!
//! Nothing here looks at a clock. What used to hang does not end in a test's time.

use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::base::limits::{Exceeded, Limits, Sizes};
use grambench::grammar::Grammar;
use grambench::grammar::format::{self, Format};
use grambench::parse::ambiguity::search;
use grambench::parse::health::Health;
use grambench::parse::{ParseError, Parser};
use grambench::pattern::read_expression;
use grambench::produce::{PRODUCERS, ProducerError, ProducerSpec};
use grambench::validate::{AutomatonValidator, Survey, Unanswered, Validator};

/// A fraction of the default, so that tests without optimization end soon.
const STEPS: u64 = 30_000_000;

fn limits() -> Limits {
    Limits::of(Sizes { steps: STEPS, ..Sizes::default() })
}

fn grammar_in(format: Format, text: &str) -> Arc<Grammar> {
    Arc::new(format::read(&Source::new("grammar", text), Some(format)).unwrap().grammar)
}

fn grammar(text: &str) -> Arc<Grammar> {
    grammar_in(Format::Ebnf, text)
}

fn parser(text: &str) -> Parser {
    Parser::within(grammar(text), &limits()).unwrap()
}

/// The three ways to read an input reach the limit; so they do again.
fn is_too_much(text: &str, input: &str) {
    let parser = parser(text);
    for _ in 0..2 {
        assert_eq!(parser.parse(input.as_bytes()).err(), Some(ParseError::Exceeded(Exceeded::Steps(STEPS))));
        assert_eq!(parser.recognizes(input.as_bytes()), Err(Exceeded::Steps(STEPS)));
    }
}

#[test]
fn very_ambiguous_inputs_end_by_the_limit() {
    is_too_much("<s> ::= <s> <s> | \"x\"", &"x".repeat(5_000));
    is_too_much("<s> ::= <s> <s> <s> | <s> <s> | \"x\"?", &"x".repeat(2_000));
    is_too_much("<e> ::= <e> \"+\" <e> | <e> \"*\" <e> | \"a\"", &"a+".repeat(5_000));
}

#[test]
fn an_error_at_the_end_of_a_very_ambiguous_input_ends_by_the_limit() {
    is_too_much("<s> ::= <s> <s> | \"x\"", &format!("{}y", "x".repeat(5_000)));
}

#[test]
fn chains_of_rules_for_each_character_end_by_the_limit() {
    let chain: String = (0..10_000).map(|index| format!("<s{index}> ::= <s{}>\n", index + 1)).collect();
    let text = format!("<s> ::= <s0>*\n{chain}<s10000> ::= \"x\"");
    is_too_much(&text, &"x".repeat(100_000));
}

#[test]
fn words_that_look_ahead_to_the_end_of_the_input_end_by_the_limit() {
    let text = "@skip <gap> <s> ::= (\"-\" | <id>)* @token <id> ::= [a-z]+\n\
        @token <comment> ::= \"-\" [^\"]* \"\\\"\" <gap> ::= (\" \" | <comment>)*";
    let Ok(read) = format::read(&Source::new("grammar", text), Some(Format::Ebnf)) else { return };
    let parser = Parser::within(Arc::new(read.grammar), &limits()).unwrap();
    let parsed = parser.recognizes("-".repeat(50_000).as_bytes());
    assert!(matches!(parsed, Ok(_) | Err(Exceeded::Steps(STEPS))));
}

#[test]
fn the_tables_of_rules_with_very_many_symbols_that_may_be_empty_end_by_the_limit() {
    let nonterminals: String =
        (0..20_000).map(|index| format!("<n{index}> ::= \"\" | \"x{index}\"\n")).collect();
    let rule: String = (0..20_000).map(|index| format!("<n{index}> ")).collect();
    for text in [format!("<s> ::= {rule}\n{nonterminals}"), format!("<s> ::= {}", "\"a\"* ".repeat(100_000))]
    {
        let grammar = grammar(&text);
        assert_eq!(Parser::within(Arc::clone(&grammar), &limits()).err(), Some(Exceeded::Steps(STEPS)));
        // What needs no tables goes on without: nothing is proved, and the search has its budget.
        let health = Health::of(&grammar, 1, 1_000, &limits()).unwrap();
        assert!(!health.is_proved_unambiguous);
    }
}

#[test]
fn tables_of_very_many_classes_end_by_the_limit() {
    let chars = (0..6_000u32).filter_map(|index| char::from_u32(0x4e00 + index));
    let classes: String = chars.map(|c| format!("| [^{c}] \"{c}\"\n")).collect();
    let classes = format!("<s> ::= \"\" {classes}");
    assert_eq!(Parser::within(grammar(&classes), &limits()).err(), Some(Exceeded::Steps(STEPS)));
}

#[test]
fn an_interrupt_and_the_clock_end_parsing() {
    let limits = Limits::default();
    let text = "<s> ::= <s> <s> | \"x\"";
    let parser = Parser::within(grammar(text), &limits).unwrap();
    limits.interrupt.raise();
    let input = "x".repeat(5_000);
    assert_eq!(parser.parse(input.as_bytes()).err(), Some(ParseError::Exceeded(Exceeded::Interrupted)));
    assert_eq!(parser.recognizes(input.as_bytes()), Err(Exceeded::Interrupted));
    assert_eq!(Parser::within(grammar(text), &limits).err(), Some(Exceeded::Interrupted));
    let time = std::time::Duration::ZERO;
    let limits = Limits { time: Some(time), ..Limits::default() };
    assert_eq!(Parser::within(grammar(text), &limits).err(), Some(Exceeded::Time(time)));
}

/// As many as there are ways to cut the input into the parts of a rule: each is an alternative of the root.
#[test]
fn trees_are_counted_without_looking_at_each_alternative() {
    let parser = parser("<s> ::= <a> <a> <a> <a> <a> <a> <a> <a>\n<a> ::= \"x\" | \"x\" <a>");
    let forest = parser.parse("x".repeat(60).as_bytes()).unwrap();
    // Compositions of 60 into 8 parts.
    assert_eq!(forest.count_trees(), Some(341_149_446));
    let with_empty = self::parser("<s> ::= <a> <a> <a> <a> <a> <a>\n<a> ::= \"x\"*");
    let forest = with_empty.parse("x".repeat(100).as_bytes()).unwrap();
    // Compositions of 100 into 6 parts that may be 0.
    assert_eq!(forest.count_trees(), Some(96_560_646));
}

/// The tree of the empty string is exponential in the grammar.
#[test]
fn exponential_trees_of_the_empty_string_end_by_the_limit() {
    let doubling: String =
        (0..60).map(|index| format!("<s{index}> ::= <s{0}> <s{0}>\n", index + 1)).collect();
    let text = format!("<s> ::= <s0> \"x\" | \"y\" | \"\"\n{doubling}<s60> ::= \"\"");
    let parser = parser(&text);
    let limit = ParseError::Exceeded(Exceeded::Steps(STEPS));
    assert_eq!(parser.parse(b"x").err(), Some(limit));
    assert_eq!(parser.first_tree(b"x"), Err(Exceeded::Steps(STEPS)));
    assert!(parser.first_tree(b"y").unwrap().is_some());
    assert_eq!(parser.recognizes(b"x"), Ok(true));
}

#[test]
fn the_search_for_ambiguity_of_very_long_rules_ends() {
    let long = format!("<s> ::= {}\n<a> ::= \"x\" | \"y\" | \"\"", "<a> ".repeat(5_000));
    let found = search(&grammar(&long), 8, u64::MAX, &limits()).unwrap();
    assert!(found.complete.is_none_or(|length| length < 8));
}

#[test]
fn surveys_end_by_the_limit() {
    let grammar = grammar("<s> ::= <a> <a> <a> <a> <a> <a> <a> <a>\n<a> ::= \"x\"*");
    let text = r#"<s A> where <s A> is "<$a:1><$a:1><a><a><a><$a:2><$a:2><a>""#;
    let expression = read_expression(&Source::new("expression", text), &grammar).unwrap();
    let parser = Parser::within(Arc::clone(&grammar), &limits()).unwrap();
    let forest = parser.parse("x".repeat(80).as_bytes()).unwrap();
    let survey = Survey::new(&expression, &forest, usize::MAX, &limits());
    assert_eq!(survey.err(), Some(Unanswered::Exceeded(Exceeded::Steps(STEPS))));
    let stopped = Limits::default();
    stopped.interrupt.raise();
    let survey = Survey::new(&expression, &forest, usize::MAX, &stopped);
    assert_eq!(survey.err(), Some(Unanswered::Exceeded(Exceeded::Interrupted)));
    let validator = AutomatonValidator::new(Arc::new(parser), Arc::new(expression), limits()).unwrap();
    assert!(validator.validate("x".repeat(80).as_bytes()).is_err());
}

#[test]
fn what_a_producer_counts_ends_by_the_limit() {
    let grammar = grammar("<s> ::= <s> <s> <s> | \"x\" | \"y\" <s>");
    let limits = Limits::of(Sizes { steps: 1_000, ..Sizes::default() });
    let uniform = PRODUCERS.parse("{ name = \"uniform\", length = \"0..500\" }", &[]).unwrap();
    let spec = ProducerSpec { grammar: &grammar, words: None, depth: 0, limits: &limits };
    let failed = (uniform.make)(spec).err().unwrap();
    assert!(matches!(failed, ProducerError::Uncountable(_)), "{failed}");
    assert!(failed.to_string().contains("more than 1000 steps"), "{failed}");
}

/// Each `~K` is the same nonterminal; of different ones there may be so many.
#[test]
fn many_negated_tokens_of_an_antlr_grammar() {
    let tokens: String = (0..2_000).map(|index| format!("K{index} : 'k{index}' ;\n")).collect();
    let text = format!("grammar g; s : {} ;\n{tokens}", "~K7 ".repeat(2_000));
    let read = grammar_in(Format::Antlr, &text);
    assert!(read.rules().len() < 10_000);
    let different: String = (0..2_000).map(|index| format!("~K{index} ")).collect();
    let text = format!("grammar g; s : {different} ;\n{tokens}");
    let errors = format::read(&Source::new("grammar", text), Some(Format::Antlr)).unwrap_err();
    assert!(errors.0[0].message().contains("more than 500000 tokens"), "{errors}");
}

#[test]
fn a_token_that_ends_with_a_very_long_text_is_read() {
    for tail in ["a".repeat(100_000), "ab".repeat(50_000)] {
        let text = format!("grammar g; s : T ; T : .*? '{tail}' ;");
        grammar_in(Format::Antlr, &text);
        let text = format!("grammar g; s : T* ; T : [a-z]*? '{tail}' ; U : [a-z]+ ;");
        grammar_in(Format::Antlr, &text);
    }
    let chars: String = (0..20_000u32).filter_map(|index| char::from_u32(0x4e00 + index)).collect();
    grammar_in(Format::Antlr, &format!("grammar g; s : T ; T : .*? [{chars}] ;"));
}
