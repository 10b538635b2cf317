//! Tests of the notation as a whole.

use std::sync::Arc;

use crate::base::diagnostic::Source;

use super::super::model::{Grammar, HelperKind, Role, Symbol};
use super::read;

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
