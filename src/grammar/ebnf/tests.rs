//! Tests of the notation as a whole.

use std::sync::Arc;

use proptest::prelude::*;

use crate::base::diagnostic::{Diagnostics, Source};

use super::super::model::{Grammar, GrammarBuilder, HelperKind, Name, NonterminalId, Role, Symbol};
use super::super::{any, numbering};
use super::{read, write};

fn source(text: &str) -> Arc<Source> {
    Source::new("g.ebnf", text)
}

/// The grammar of a text that is right.
fn grammar(text: &str) -> Grammar {
    read(&source(text)).unwrap_or_else(|errors| panic!("{errors}")).grammar
}

/// Each rule on a line, as plain as can be.
fn plain(grammar: &Grammar) -> String {
    let mut text = String::new();
    for rule in grammar.rules() {
        text += &format!("{} :", grammar.name(rule.lhs));
        for &symbol in &rule.symbols {
            text += " ";
            text += &match symbol {
                Symbol::Literal(literal) => String::from_utf8_lossy(grammar.literal(literal)).into_owned(),
                Symbol::Class(class) => grammar.class(class).to_string(),
                Symbol::Nonterminal(nonterminal) => grammar.name(nonterminal).to_string(),
            };
        }
        text += "\n";
    }
    text
}

#[test]
fn operators_become_the_helpers_that_the_model_documents() {
    let grammar = grammar(
        "<s> ::= <a>* (\"x\" | \"y\") (\"p\" <a>)+ (\"v\" \"w\")
         <a> ::= ([a-z] | (\"1\" \"2\"?)*)? | \"\" |",
    );
    assert_eq!(
        plain(&grammar),
        "<s> : <s*1> <s|1> <s+1> v w\n\
         <a> : <a?1>\n<a> :\n<a> :\n\
         <s*1> :\n<s*1> : <a> <s*1>\n\
         <s|1> : x\n<s|1> : y\n\
         <s+1> : p <a>\n<s+1> : p <a> <s+1>\n\
         <a?1> :\n<a?1> : <a|1>\n\
         <a|1> : [a-z]\n<a|1> : <a*1>\n\
         <a*1> :\n<a*1> : 1 <a?2> <a*1>\n\
         <a?2> :\n<a?2> : 2\n"
    );
    let kind = |name: &str| grammar.nonterminal(grammar.find(name).expect(name)).role;
    assert_eq!(kind("s*1"), Role::Helper(HelperKind::Star));
    assert_eq!(kind("s|1"), Role::Helper(HelperKind::Group));
    assert_eq!(kind("s"), Role::Named);
}

#[test]
fn what_is_skipped_stands_after_every_token_and_once_at_the_beginning() {
    let grammar = grammar(
        "@skip <space>
         <s> ::= <number> (\",\" [a-z] <t>)?
         <t> ::= \"x\"
         @token(except: <zero>, not-before: [0-9]) <number> ::= <digit>+
         <digit> ::= [0-9]
         <zero> ::= \"0\"
         <space> ::= \" \"+",
    );
    assert_eq!(
        plain(&grammar),
        "<s> : <skip1> <number> <skip1> <s?1>\n\
         <t> : x <skip1>\n\
         <number> : <number+1>\n\
         <digit> : [0-9]\n\
         <zero> : 0\n\
         <space> : <space+1>\n\
         <s?1> :\n<s?1> : , <skip1> [a-z] <skip1> <t>\n\
         <number+1> : <digit>\n<number+1> : <digit> <number+1>\n\
         <space+1> :  \n<space+1> :   <space+1>\n\
         <skip1> :\n<skip1> : <space>\n"
    );
    assert_eq!(grammar.skip(), grammar.find("space"));
    let token = grammar.nonterminal(grammar.find("number").expect("number")).token.as_ref().expect("a token");
    assert_eq!(token.except, [grammar.find("zero").expect("zero")]);
}

#[test]
fn a_start_symbol_that_rules_use_is_wrapped_so_that_nothing_is_skipped_twice() {
    let grammar = grammar("@skip <ws> <e> ::= \"(\" <e> \")\" | \"x\" <ws> ::= \" \"*");
    assert_eq!(
        plain(&grammar),
        "<e> : ( <skip1> <e> ) <skip1>\n\
         <e> : x <skip1>\n\
         <ws> : <ws*1>\n\
         <ws*1> :\n<ws*1> :   <ws*1>\n\
         <skip1> : <ws>\n\
         <start1> : <skip1> <e>\n"
    );
    assert_eq!(grammar.name(grammar.start()).text(), "start1");
}

#[test]
fn the_grammar_of_the_paper_reads_without_a_warning() {
    let read =
        read(&Source::new("json.ebnf", include_str!("../../../grammars/json.ebnf"))).expect("it is right");
    assert_eq!(read.warnings, []);
    assert_eq!(read.grammar.nonterminals().len(), 13);
}

#[test]
fn comments_escapes_and_conditions_are_read() {
    let grammar =
        grammar("# before\n<item E & !N> ::= '\\x41\\u{e9}\\'' # after <\n | [^\\]\\n-] <item E & !N>");
    assert_eq!(plain(&grammar), "<item E & !N> : Aé'\n<item E & !N> : [^\\n\\-\\]] <item E & !N>\n");
    let name = grammar.name(grammar.start());
    assert_eq!((name.base.as_str(), name.condition.as_deref()), ("item", Some("E & !N")));
}

/// What is wrong with each of these texts, one after the other.
fn report(cases: &[(&str, &str)]) -> String {
    let mut report = String::new();
    for (title, text) in cases {
        let found = match read(&source(text)) {
            Ok(read) if read.warnings.is_empty() => "nothing is wrong".to_owned(),
            Ok(read) => Diagnostics(read.warnings).to_string(),
            Err(errors) => errors.to_string(),
        };
        report += &format!("== {title}\n{found}\n\n");
    }
    report
}

#[test]
fn mistakes_in_a_lexeme_are_shown() {
    let found = report(&[
        ("a name without an end", "<s ::= \"x\"\n<t> ::= \"y\""),
        ("an empty name", "<s> ::= <>"),
        ("a name that begins with a space", "<s> ::= < s>"),
        ("a literal without an end", "<s> ::= \"x\n<t> ::= \"y\" <u>"),
        ("an escape that is none", "<s> ::= \"a\\q\" '\\x4' \"\\u{110000}\" [\\d]"),
        ("a class without an end", "<s> ::= [a-z\n"),
        ("an empty class", "<s> ::= [] [^\\0-\\u{10ffff}]"),
        ("a reversed range", "<s> ::= [z-a]"),
        ("a bracket in a class", "<s> ::= [[:alpha:]]"),
        ("a range that goes on", "<s> ::= [a-c-e]"),
        ("a byte in a class", "<s> ::= [\\xff]"),
        ("another sign for a definition", "<s> := \"x\"\n<t> = <s>\n<u> -> <t>"),
        ("a terminator", "<s> ::= \"x\";"),
        ("characters that mean nothing", "<s> ::= {<s>} // no comment"),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn mistakes_in_the_order_of_lexemes_are_shown() {
    let found = report(&[
        ("a word", "<s> ::= <t> x <t>\n<t> ::= \"x\""),
        ("no name before the sign", "\"x\" ::= <s>"),
        ("no sign after the name", "<s> \"x\"\n<t> ::= <s>"),
        ("a colon", "<s> : \"x\""),
        ("an operator without an operand", "<s> ::= * \"x\""),
        ("two operators", "<s> ::= \"x\"+?"),
        ("a group that stays open", "<s> ::= (\"x\" | (\"y\")\n<t> ::= <s>"),
        ("a group that was not opened", "<s> ::= \"x\")"),
        ("groups in groups", &format!("<s> ::= {}\"x\"{}", "(".repeat(201), ")".repeat(201))),
        ("an unknown directive", "@sart <s>\n@import <s>\n<s> ::= \"x\""),
        ("a start symbol that is missing", "@start\n<s> ::= \"x\""),
        ("two start symbols", "@start <s>\n@start <t>\n<s> ::= <t>\n<t> ::= \"x\""),
        ("two things to skip", "@skip <t>\n@skip <t>\n<s> ::= \"x\"\n<t> ::= \" \""),
        ("an unknown option", "@token(excpt: <s>) <s> ::= \"x\"\n@helper(sar) <s>"),
        ("an option without its value", "@token(not-before: <s>) <s> ::= \"x\""),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn mistakes_in_what_names_mean_are_shown() {
    let found = report(&[
        ("nothing at all", "# only a comment\n"),
        ("a directive only", "@start <s>"),
        ("an undefined name", "<item> ::= <strin> \": \" <strin>\n<string> ::= <other>"),
        ("an undefined start symbol", "@start <itm>\n<item> ::= \"x\""),
        (
            "undefined names in directives",
            "@skip <spce>\n@token(except: <kw>) <s> ::= \"x\"\n@helper <t>\n<space> ::= \" \"",
        ),
        ("two definitions", "<s> ::= \"x\"\n<t> ::= <s>\n<s> ::= \"y\""),
        ("two kinds of helper", "@helper(star) <t>\n@helper(plus) <t>\n<s> ::= <t>\n<t> ::= \"x\""),
        (
            "a nonterminal inside and outside of a token",
            "@skip <space>\n<s> ::= <number> <digit>\n@token <number> ::= <digit>+\n<digit> ::= [0-9]\n<space> ::= \" \"",
        ),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn what_may_not_be_meant_is_shown_as_a_warning() {
    let found = report(&[
        ("not used", "<s> ::= \"x\"\n<t> ::= <u>+\n<u> ::= <t> \"y\" | \"z\""),
        ("no end", "<s> ::= \"x\" | <t>\n<t> ::= \"(\" <t> \")\""),
        ("a cycle", "<s> ::= <t> | \"x\"\n<t> ::= <s> <u>\n<u> ::= \"y\"?"),
        ("a cycle in an operator", "<s> ::= (\"x\"?)*"),
        ("an empty token", "<s> ::= <t> \"x\"\n@token <t> ::= [a-z]*"),
        ("used as an exception", "@token(except: <k>) <s> ::= [a-z]+\n<k> ::= \"if\""),
        ("declared to derive nothing", "<s> ::= \"x\" | <t>\n@nothing <t>"),
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn not_more_errors_are_shown_than_are_read() {
    let text = "<s> ::= \"\\q\" <undefined>\n".repeat(100);
    assert_eq!(read(&source(&text)).expect_err("wrong").0.len(), 20);
    let text = (0..100).map(|number| format!("<s> ::= <t{number}>\n")).collect::<String>();
    assert_eq!(read(&source(&text)).expect_err("wrong").0.len(), 20);
}

#[test]
fn a_long_grammar_is_written_in_lines_that_can_be_read() {
    let grammar = grammar(
        "@start <statement> @skip <space> @token(except: <keyword>, not-before: [a-z0-9]) <name> ::= [a-z] [a-z0-9]*
         <statement> ::= \"if\" <condition> \"then\" <statement> (\"elif\" <condition> \"then\" <statement>)* (\"else\" <statement>)? \"end\"
           | \"while\" <condition> \"do\" <statement>+ \"end\" | <name> \"=\" <condition> | \"return\"
         <condition> ::= <name> (\"==\" | \"!=\" | \"<\" | \">\") <name> | \"(\" <condition> \")\"
         <keyword> ::= \"if\" | \"then\" | \"elif\" | \"else\" | \"end\" | \"while\" | \"do\" | \"return\" | \"break\" | \"continue\" | \"goto\"
         <space> ::= ([ \\t\\n] | \"#\" [^\\n]* \"\\n\")*
         @helper(star) <odd> <odder> <odd> ::= <odder> <odder> <odder> ::= \"\" | \"x\" @nothing <never>",
    );
    insta::assert_snapshot!(write(&grammar));
}

#[test]
fn helpers_nested_beyond_the_limit_are_given_definitions() {
    let mut builder = GrammarBuilder::new();
    let a = builder.nonterminal(Name::base("a"));
    let helpers: Vec<NonterminalId> = (0..1000).map(|_| builder.helper("a*", HelperKind::Star)).collect();
    let x = builder.literal(b"x").expect("not empty");
    builder.rule(a, [Symbol::Nonterminal(helpers[0])]);
    for (index, &helper) in helpers.iter().enumerate() {
        let inner = helpers.get(index + 1).map_or(x, |&inner| Symbol::Nonterminal(inner));
        builder.rule(helper, []);
        builder.rule(helper, [inner, x, Symbol::Nonterminal(helper)]);
    }
    let nested = builder.finish(a);
    let text = write(&nested);
    assert!(text.contains(&"(".repeat(199)), "{text}");
    assert!(numbering::same(&grammar(&text), &nested));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn what_is_written_reads_back_as_the_same_grammar(grammar in any::grammar()) {
        let text = write(&grammar);
        let again = read(&source(&text)).map_err(|errors| TestCaseError::fail(format!("{text}\n{errors}")))?.grammar;
        prop_assert!(numbering::same(&again, &grammar), "{}\n{}", text, write(&again));
        prop_assert_eq!(write(&again), text);
    }

    #[test]
    fn what_was_read_reads_back_with_the_same_numbers(text in any::ebnf()) {
        // A text may use names inside and outside of tokens; that is an error of its own.
        if let Ok(read_) = read(&source(&text)) {
            let written = write(&read_.grammar);
            let again = read(&source(&written)).map_err(|errors| TestCaseError::fail(format!("{written}\n{errors}")))?;
            prop_assert_eq!(&again.grammar, &read_.grammar, "{}", written);
            prop_assert!(!written.contains("@helper"), "{}", written);
        }
    }

    #[test]
    fn a_grammar_with_one_change_reads_back_as_the_same_grammar(
        text in any::ebnf(),
        change in any::change(),
    ) {
        if let Ok(read_) = read(&source(&text)) {
            let grammar = change.of(&read_.grammar);
            let written = write(&grammar);
            let again = read(&source(&written)).map_err(|errors| TestCaseError::fail(format!("{written}\n{errors}")))?;
            prop_assert!(numbering::same(&again.grammar, &grammar), "{}", written);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text: String) {
        let _ = read(&source(&text)).map_err(|errors| errors.to_string());
    }

    #[test]
    fn no_mixture_of_the_notation_makes_the_reader_panic(text in any::fragments(&FRAGMENTS)) {
        match read(&source(&text)) {
            Ok(read_) => {
                let warnings = Diagnostics(read_.warnings).to_string();
                let again = read(&source(&write(&read_.grammar)));
                prop_assert!(again.is_ok_and(|again| numbering::same(&again.grammar, &read_.grammar)), "{}\n{}", text, warnings);
            }
            Err(errors) => prop_assert!(!errors.to_string().is_empty() && !errors.0.is_empty()),
        }
    }

    #[test]
    fn no_damage_to_a_grammar_makes_the_reader_panic(text in any::ebnf(), damage in any::damage()) {
        let text = damage.of(&text);
        let _ = read(&source(&text)).map_err(|errors| errors.to_string());
    }
}

const FRAGMENTS: [&str; 36] = [
    "<a> ::=",
    "<b> ::=",
    "<c E> ::=",
    "<a>",
    "<b>",
    "<c E>",
    "<",
    ">",
    "\"x\"",
    "'y'",
    "\"",
    "'",
    "\\",
    "\\x4",
    "\\u{e9}",
    "[a-z]",
    "[^]",
    "[",
    "]",
    "-",
    "^",
    "(",
    ")",
    "*",
    "+",
    "?",
    "|",
    "\n",
    "# ",
    "@start ",
    "@skip ",
    "@token ",
    "@token(except: <a>, not-before: [a]) ",
    "@helper(star) ",
    "@nothing ",
    "é",
];
