//! Which lexer mode is at work where.

use super::*;

const TAGS: &str = r#"
    lexer grammar TagLexer;
    OPEN : '<' -> pushMode(TAG) ;
    TEXT : ~[<]+ ;
    mode TAG;
    CLOSE : '>' -> popMode ;
    QUOTE : '"' -> mode(VALUE) ;
    NAME : [a-z]+ ;
    INNER : '<' -> type(OPEN), pushMode(TAG) ;
    mode VALUE;
    TEXT_IN : ~["]+ -> type(TEXT) ;
    END : '"' -> type(QUOTE), mode(TAG) ;
"#;

fn tags(rule: &str) -> Read {
    let parser = format!("parser grammar P; options {{ tokenVocab = TagLexer; }} {rule}");
    read_all(&parser, &[("TagLexer", TAGS)]).expect("right")
}

#[test]
fn a_word_is_one_of_the_mode_that_the_words_before_it_lead_to() {
    let read = tags("s : (TEXT | OPEN | CLOSE | NAME | QUOTE)* EOF ;");
    assert!(read.warnings.is_empty(), "{}", Diagnostics(read.warnings));
    // All that the rules ask for is that words follow each other, so only the lexer refuses anything.
    derives(
        &read.grammar,
        &["a b<a>c>d", "<a<b>c>d e", "<a\"b c<\"<b>>e f", "<a<", "", "x\"y"],
        &["<a b>", "<a<b>c d>", "<A", "<a>b<\"c\"d e"],
    );
}

#[test]
fn what_leads_to_modes_reads_back() {
    let read = tags("s : (TEXT | OPEN | CLOSE | NAME | QUOTE)* EOF ;");
    let text = notation(&read.grammar);
    assert!(text.contains("<OPEN> <TAG-words>") && text.contains("<CLOSE> <mode-before>"), "{text}");
    let again = ebnf::read(&Source::new("", &text)).expect("its own notation").grammar;
    derives(&again, &["<a<b>c>d e", "<a\"b c<\"<b>>e f"], &["<a b>", "<a<b>c d>"]);
}

#[test]
fn a_token_that_leads_to_several_modes_is_several() {
    let lexer = r"
        lexer grammar L;
        A : 'a' -> mode(M) | 'b' -> mode(N) | 'c' ;
        ALL : A A -> skip ;
        mode M; X : 'x' -> mode(DEFAULT_MODE) ;
        mode N; Y : 'y' -> mode(DEFAULT_MODE) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (A | X | Y)* ~A EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    assert!(read.warnings.is_empty(), "{}", Diagnostics(read.warnings));
    derives(&read.grammar, &["ax", "axby", "byaaax", "abax"], &["ay", "bx", "aax", "a", "bc"]);
}

#[test]
fn what_code_does_leaves_all_modes_open() {
    let lexer = r"
        lexer grammar L;
        A : 'a' -> mode(M) ;
        CODE : 'c' { leave(); } ;
        mode M; X : 'x' -> mode(DEFAULT_MODE) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (A | X | CODE)* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    assert!(Diagnostics(read.warnings).to_string().contains("which lexer mode applies"), "it is said");
    derives(&read.grammar, &["ax", "axcxxaa", "cc"], &["aa", "xx", "acc", "axxc"]);
}

#[test]
fn a_mode_to_which_no_command_leads_may_be_anywhere() {
    let lexer = "lexer grammar L; A : 'a' -> mode(M) ; mode M; X : 'x' ; mode N; Y : 'y' ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (A | X | Y)* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    assert!(Diagnostics(read.warnings).to_string().contains("which lexer mode applies"), "it is said");
    derives(&read.grammar, &["aayxx"], &["b"]);
}

#[test]
fn a_token_that_is_taken_or_not_leaves_several_modes() {
    let lexer = r"
        lexer grammar L;
        A : {may()}? 'a' -> pushMode(M) ;
        B : 'a' ;
        mode M; X : 'x' -> popMode ; C : 'a' -> pushMode(M) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (A | B | C | X)* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["aaa", "aaxx", "axaax"], &["x", "axx", "aaxxx", "aaxaxxx"]);
}

#[test]
fn a_word_that_is_not_regular_leads_to_a_mode_where_the_rules_end_it() {
    let lexer = r"
        lexer grammar L;
        NAME : [a-z]+ ;
        LIST : LISTED -> mode(M) ;
        fragment LISTED : '(' (LISTED | 'x')* ')' ;
        mode M; DOT : '.' ; END : ';' -> mode(DEFAULT_MODE) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (NAME | LIST | DOT | END)* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["a((x)x).;b", "(x)", "a"], &[".", "(x)()", "(x)a", "(x).;.", "((x)"]);
}

#[test]
fn a_literal_is_no_token_where_another_rule_stands_before_its_own() {
    let grammar = grammar(
        "grammar G; s : (ID | any) ';' ; any : '_' '_' ; ID : [a-z_] [a-z]* ; ANY : '_' ; WS : ' ' -> skip ;",
    );
    derives(&grammar, &["_;", "_a;"], &["__;", "_ _;"]);
}

#[test]
fn what_a_token_that_ends_with_itself_repeats_it_repeats_itself() {
    let grammar = grammar("grammar G; s : NUMBER+ EOF ; NUMBER : [0-9]+ ('E' NUMBER)* ; WS : ' ' -> skip ;");
    derives(&grammar, &["12", "1E2E3", "1 2E3 4"], &["1E", "E2", ""]);
    let parser = Parser::new(Arc::new(grammar));
    for text in ["12", "1E2E3", "1 2E3 4"] {
        assert!(!parser.parse(text.as_bytes()).expect("right").is_ambiguous(), "{text}");
    }
}

#[test]
fn a_fragment_in_a_rule_of_the_parser_is_a_token_that_no_rule_makes() {
    let read = read_all("grammar G; s : A | F ; A : F 'a' ; fragment F : 'f' ;", &[]).expect("as for ANTLR");
    assert!(Diagnostics(read.warnings).to_string().contains("leave out `fragment`"), "it is said");
    derives(&read.grammar, &["fa"], &["f", ""]);
}

#[test]
fn a_literal_is_its_token_in_all_modes() {
    let lexer = r"
        lexer grammar L;
        OPEN : '(' -> pushMode(IN) ;
        CLOSE : ')' -> popMode ;
        COMMA : ',' ;
        NAME : [a-z]+ ;
        mode IN;
        IN_CLOSE : CLOSE -> popMode, type(CLOSE) ;
        IN_COMMA : ',' -> type(COMMA) ;
        IN_NAME : NAME -> type(NAME) ;
        SPACE : ' ' -> skip ;";
    let parser =
        "parser grammar P; options { tokenVocab = L; } s : (NAME | '(' NAME (',' NAME)* ')') ',' EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["a,", "(a),", "( a, b ),"], &["a ,", "(a) ,", "(a,b"]);
    let parser = Parser::new(Arc::new(read.grammar));
    assert!(!parser.parse(b"(a,b),").expect("right").is_ambiguous());
}

#[test]
fn what_an_input_ends_with_is_divided_into_words_too() {
    let lexer = r"
        lexer grammar L;
        NAME : [a-z]+ ;
        SHARP : '#' -> skip, mode(DIRECTIVE) ;
        SPACE : [ \n]+ -> skip ;
        mode DIRECTIVE;
        LONG : 'long' -> skip, mode(DEFAULT_MODE) ;
        WORD : [a-z] -> skip ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : NAME* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["a", "a #lon", "a#longb", "#xlong"], &["#long1", "#1", "a#lonx1"]);
    // These would be words of the directive if `long` did not end it.
    derives(&read.grammar, &["#long a"], &["#longa1", "#lon g"]);
}

/// Go's lexer leaves the mode in which a new line ends a statement by a token without text.
#[test]
fn a_token_without_text_that_leads_to_a_mode_leaves_open_which_is_at_work() {
    let lexer = r"lexer grammar L; NAME : [a-z]+ -> mode(END) ; OPEN : '(' ; CLOSE : ')' -> mode(END) ;
        mode END; EOS : [;\n]+ -> mode(DEFAULT_MODE) ; OTHER : -> mode(DEFAULT_MODE), channel(HIDDEN) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (call EOS)* EOF ; call : NAME (OPEN call? CLOSE)* ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["", "a;", "a()\n", "a(b())(c);b\n"], &["a", "a(;", ";"]);
}
