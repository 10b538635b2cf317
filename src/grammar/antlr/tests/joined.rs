//! Texts that `more` puts together, and what ends with the input.

use super::{derives, grammar, read_all};

const STRINGS: &str = r#"
lexer grammar StringLexer;
NAME : [a-z]+ ;
SPACE : [ \n]+ -> skip ;
OPEN : '"' -> more, mode(STRING) ;
NOTE : '/' -> more, pushMode(NESTED) ;
mode STRING;
ESCAPE : '\\' -> more, pushMode(ESCAPED) ;
CLOSE : '"' -> type(TEXT), mode(DEFAULT_MODE) ;
DOUBLE : (~["\\] | '""') -> more ;
mode ESCAPED;
ANY : . -> more, popMode ;
mode NESTED;
END : '/' -> skip, popMode ;
CHARACTERS : ~[/]+ -> more ;
"#;

#[test]
fn what_is_put_together_is_one_token() {
    let parser = "parser grammar P; options { tokenVocab = StringLexer; } texts : (NAME | TEXT)+ EOF ;";
    let read = read_all(parser, &[("StringLexer", STRINGS)]).expect("right");
    derives(
        &read.grammar,
        &[
            "\"\"",
            "a\"b\"",
            "\"a\\\"b\" c",
            "\"a\"\"b\"",
            "\"\\\\\"a\"\"",
            "a /x y/ b",
            "a/(x)/b",
            "a //b/c/",
        ],
        // An end that is part of something longer, or of an escape; what is a piece and no token.
        &["\"", "\"a", "\"a\"\"", "\"a\\\"", "\"a\" b\"", "\\ a", "a /x", "a (x)", "a / b"],
    );
}

#[test]
fn the_longest_piece_is_taken_and_of_one_length_the_first() {
    // `ab` is longer than `a`, so that `abc!` has the pieces `ab` and `c`; and `c` is no `d`.
    let parser = "parser grammar P; options { tokenVocab = L; } s : (X | Y)+ EOF ;";
    let lexer = r"lexer grammar L; BEGIN : '<' -> more, mode(IN) ; SPACE : ' ' -> skip ;
        mode IN; A : 'a' -> more ; AB : 'ab' -> more, mode(ONE) ; C : 'c' -> more, mode(TWO) ; D : [cd] -> more, mode(ONE) ;
        mode ONE; X : '!' -> mode(DEFAULT_MODE) ;
        mode TWO; Y : '?' -> mode(DEFAULT_MODE) ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(
        &read.grammar,
        &["<ab!", "<aaab!", "<c?", "<ac? <d!", "<ad!"],
        &["<abb!", "<abc?", "<c!", "<d?", "<aabab!", "<a!"],
    );
}

#[test]
fn a_token_that_only_begins_others_is_a_part_of_them_nevertheless() {
    let parser = "parser grammar P; options { tokenVocab = L; } s : X+ EOF ;";
    let lexer =
        r"lexer grammar L; SHARP : '#' -> more, mode(IN) ; mode IN; X : [a-z] SHARP -> mode(DEFAULT_MODE) ; ";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["#a#", "#a##b#"], &["#", "a#", "#a", "#a#b#"]);
}

#[test]
fn what_nests_too_deep_is_left_out_and_told() {
    let lexer = r"lexer grammar L; A : '(' -> more, pushMode(IN) ; mode IN; B : '(' -> more, pushMode(IN) ; C : ')' -> more, popMode ; D : '.' -> popMode ;";
    let read = read_all("parser grammar P; options { tokenVocab = L; } s : D EOF ;", &[("L", lexer)])
        .expect("right");
    derives(&read.grammar, &["(.", "(().", "(((()).", "((((((."], &["((((((((.", "(", "(()"]);
    let warned = crate::base::diagnostic::Diagnostics(read.warnings).to_string();
    assert!(warned.contains("`more` is followed through"), "{warned}");
}

#[test]
fn the_end_of_the_input_is_where_nothing_follows() {
    let grammar = grammar(
        r"grammar G; s : item* rest? EOF ; item : 'a' end ; end : ';' | EOF ; rest : '[' item* ']' | 'b' end ';'? ;",
    );
    derives(
        &grammar,
        &["", "a", "a;", "a;a", "a;a;b", "b;", "b", "[a;]", "a;[a;a;]", "b;;"],
        &["aa", "aa;", "[a]", "[a;a]", "ab", "ba", "b;a"],
    );
    // What always ends with the input keeps its name.
    let grammar = super::grammar("grammar G; s : 'a' last | 'b' ; last : 'c' EOF ;");
    derives(&grammar, &["ac", "b"], &["a", "c", "acc"]);
    assert!(grammar.find("last").is_some() && grammar.find("last-at-end").is_none());
}

#[test]
fn a_rule_that_leads_to_itself_may_be_the_start_and_end_with_the_input() {
    let grammar = grammar("grammar G; list : '(' list ')' | 'x' end ; end : '.' | EOF ;");
    derives(&grammar, &["x", "x.", "(x.)", "((x.))"], &["(x)", "(x", "x.x"]);
}

#[test]
fn a_token_that_is_empty_at_the_end_never_comes() {
    let grammar = grammar(
        "grammar G; s : (A* END)* EOF ; A : 'a' ; END : '\\n' | EOF ; NOTE : '#' .*? ('\\n' | EOF) ;",
    );
    derives(&grammar, &["", "a\n", "aa\na\n"], &["a", "a\na"]);
}

#[test]
fn a_fragment_and_a_token_may_have_one_name() {
    let parser = "parser grammar P; options { tokenVocab = L; } s : ID+ EOF ;";
    let lexer = "lexer grammar L; tokens { ID } WORD : ID -> type(ID) ; VAR : '$' ID -> Type(ID) ; fragment ID : [a-z] ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["a", "$a", "a$bc"], &["", "$"]);
}

#[test]
fn a_rule_has_options_of_its_own() {
    let grammar = grammar(
        "grammar G; s : (A | B | C)+ EOF ; A options { caseInsensitive = true; } : 'yes' ; B : 'no' ; C : 'x' ;",
    );
    derives(&grammar, &["YESnox", "yEs"], &["NO", "yesX"]);
}

#[test]
fn a_greedy_end_behind_a_non_greedy_operator_is_as_long_as_it_can_be() {
    let grammar = grammar("grammar G; s : (NOTE | ';')+ EOF ; NOTE : '/+' .*? '+/' ';'? ;");
    derives(&grammar, &["/+a+/", "/+a+/;", "/+a+/;;", ";/+;+/;"], &["/+a", "/+a+"]);
    let grammar = super::grammar("grammar G; s : NOTE EOF ; NOTE : '/+' .*? '+/' ';'? ;");
    derives(&grammar, &["/+a+/;"], &["/+a+/;;"]);
}

#[test]
fn a_token_in_any_case_may_be_named_by_its_literal() {
    let parser = "parser grammar P; options { tokenVocab = L; } s : WITH 'WITH' NAME EOF ;";
    let lexer = "lexer grammar L; options { caseInsensitive = true; } WITH : 'WITH' ; NAME : [A-Z]+ ; SPACE : ' ' -> skip ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["WITH with a", "with WITH a"], &["with with with", "WITH a b"]);
}

/// Where a statement may end with nothing, as far as the grammar knows, it is no other statement at the end of the input.
#[test]
fn an_end_that_may_be_nothing_is_one_at_the_end_of_the_input_too() {
    let grammar = grammar("grammar G; s : item+ EOF ; item : 'a' end ; end : ';' | EOF | {isNewLine()}? ;");
    assert!(grammar.find("item").is_some() && grammar.find("item-at-end").is_none());
}

#[test]
fn what_is_moved_to_a_token_leaves_its_own_rule_as_it_is() {
    // An end that is not greedy, and a literal of the parser; texts that `more` puts together are of both tokens.
    let parser = "parser grammar P; options { tokenVocab = L; } s : ':' TEXT EOF ;";
    let lexer = r#"lexer grammar L; TEXT : '"' .*? '"' ; COLON : ':' ; OPEN : '!' -> more, mode(IN) ; NOTE : '{' -> more, pushMode(NOTES) ;
        mode IN; CLOSE : '!' -> type(TEXT), mode(DEFAULT_MODE) ; ANY : ~[!] -> more ;
        mode NOTES; END : '}' -> more, popMode ; IGNORED : [a-z] -> more ;"#;
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(
        &read.grammar,
        &[":!x!", ":\"x\"", "{a}:!x!", ":{b}\"!\"", "{}:{b}!x\"!"],
        &[":", ":!x", ":\"x", ":\"x\"x\"", "{a:!x!", ":{b}x", ":!x!!"],
    );
}
