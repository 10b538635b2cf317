//! Tests of the reader as a whole.

mod any_text;
mod joined;
mod lexers;
mod modes;

use std::sync::Arc;

use crate::base::diagnostic::{Diagnostics, Source};
use crate::parse::Parser;
use crate::tree::Outline;

use super::super::ebnf;
use super::super::format::Read;
use super::super::model::{Grammar, HelperKind, Role};
use super::read;

fn source(text: &str) -> Arc<Source> {
    Source::new("G.g4", text)
}

fn read_all(text: &str, others: &[(&str, &str)]) -> Result<Read, Diagnostics> {
    read(&source(text), None, &|name| {
        let (_, text) = others.iter().find(|(known, _)| *known == name)?;
        Some(Source::new(format!("{name}.g4"), *text))
    })
}

/// The grammar of a text that is right.
fn grammar(text: &str) -> Grammar {
    read_all(text, &[]).unwrap_or_else(|errors| panic!("{errors}")).grammar
}

/// The grammar of a text in which nothing is dropped or doubtful.
fn clean(text: &str) -> Grammar {
    let read = read_all(text, &[]).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(read.warnings.is_empty(), "{}", Diagnostics(read.warnings));
    read.grammar
}

/// All definitions in our own notation.
fn notation(grammar: &Grammar) -> String {
    ebnf::write(grammar)
}

#[track_caller]
fn derives(grammar: &Grammar, right: &[&str], wrong: &[&str]) {
    let parser = Parser::new(Arc::new(grammar.clone()));
    for text in right {
        assert!(parser.recognizes(text.as_bytes()).unwrap(), "{text:?} should parse\n{}", notation(grammar));
    }
    for text in wrong {
        assert!(
            !parser.recognizes(text.as_bytes()).unwrap(),
            "{text:?} should not parse\n{}",
            notation(grammar)
        );
    }
}

const JSON: &str = r#"
// All of JSON.
grammar Json;
json : value EOF ;
obj : '{' pair (',' pair)* '}' | '{' '}' ;
pair : key=STRING ':' val=value ;
arr : '[' elements+=value (',' elements+=value)* ']' | '[' ']' ;
value : STRING # text | NUMBER # number | obj # object | arr # array | 'true' # yes | 'false' # no | 'null' # none ;
STRING : '"' (ESC | SAFE)* '"' ;
fragment ESC : '\\' (["\\/bfnrt] | UNICODE) ;
fragment UNICODE : 'u' HEX HEX HEX HEX ;
fragment HEX : [0-9a-fA-F] ;
fragment SAFE : ~["\\\u0000-\u001F] ;
NUMBER : '-'? INT ('.' [0-9]+)? ([eE] [+\-]? [0-9]+)? ;
fragment INT : '0' | [1-9] [0-9]* ;
WS : [ \t\n\r]+ -> skip ;
"#;

const ARITHMETIC: &str = r"
grammar Arithmetic;
options { language = Java; }
start returns [int v] locals [int i = 0] : e=expr { System.out.println($e.v); } EOF ;
expr returns [int v]
    : <assoc=right> a=expr '^' b=expr  # power
    | a=expr op=('*' | '/') b=expr     # product
    | a=expr op=('+' | '-') b=expr     # sum
    | { isUnary() }? '-' expr          # minus
    | INT                              # int
    | '(' expr ')'                     # parens
    ;
    catch [RecognitionException e] { throw e; }
    finally { done(); }
INT : [0-9]+ ;
SPACE : ' ' -> channel(HIDDEN) ;
";

const STATEMENTS: &str = r#"
grammar Statements;
@header { import java.util.*; /* } */ }
@lexer::members { String s = "}"; }
program : statement* EOF ;
statement
    : 'if' condition 'then' statement+ ('else' statement+)? END
    | WHILE condition 'do' statement+ END
    | ID '=' condition ';'
    | 'print' (STRING | condition) ';'
    ;
condition : term (('==' | '!=' | '<') term)* ;
term : ID | NUMBER | '(' condition ')' ;
WHILE : 'while' ;
END : 'end' ;
ID : [a-zA-Z_\u00e9] [a-zA-Z0-9_]* ;
NUMBER : '0'..'9'+ ;
STRING : '\'' .*? '\'' ;
LINE : '//' ~[\r\n]* -> skip ;
BLOCK : '/*' .*? '*/' -> skip ;
WS : ([ \t] | '\r'? '\n')+ -> skip ;
"#;

#[test]
fn json_is_read_without_a_warning() {
    let grammar = clean(JSON);
    insta::assert_snapshot!(notation(&grammar));
    derives(
        &grammar,
        &["{}", " { \"a\" : [ 1 , -2.5e+7 ] }\n", "\"\\u00e9\\n é\"", "null", "[[],[{}]]"],
        &["", "{\"a\"}", "[1,]", "01", "\"\\x\"", "\"a\nb\"", "nul"],
    );
}

#[test]
fn arithmetic_keeps_its_language_and_reports_the_rest() {
    let read = read_all(ARITHMETIC, &[]).expect("right");
    insta::assert_snapshot!(Diagnostics(read.warnings).to_string());
    derives(&read.grammar, &["1", "1 + 2*3^4", "-(1)", "1--2"], &["", "1+", "()", "1 2", "1\n"]);
}

#[test]
fn a_language_with_keywords_comments_and_strings_is_read() {
    let read = read_all(STATEMENTS, &[]).expect("right");
    insta::assert_snapshot!(Diagnostics(read.warnings).to_string());
    insta::assert_snapshot!(notation(&read.grammar));
    derives(
        &read.grammar,
        &[
            "",
            "x = 1;",
            "if x == 1 then y = 2; else print 'a b'; end",
            "/* one */ while é < 2 do // two\n x = x; end /** three **/",
            "print '';",
        ],
        &["x = ;", "/* a */ b */ x = 1;", "if x then end", "print 'a' b';", "/* x = 1;"],
    );
}

#[test]
fn keywords_are_excluded_from_the_tokens_after_them() {
    let grammar = grammar(STATEMENTS);
    let id = grammar.find("ID").expect("ID");
    let token = grammar.nonterminal(id).token.as_ref().expect("a token");
    let except: Vec<String> = token.except.iter().map(|&id| grammar.name(id).text()).collect();
    assert_eq!(except, ["WHILE", "END", "ID-keywords"]);
    let keywords = grammar.find("ID-keywords").expect("keywords");
    assert_eq!(grammar.rules_of(keywords).len(), 5);
    let number = grammar.find("NUMBER").expect("NUMBER");
    assert_eq!(grammar.nonterminal(number).token.as_ref().expect("a token").except, []);
}

const LEXER: &str = r"
lexer grammar MarkupLexer;
OPEN : '<' -> pushMode(INSIDE) ;
TEXT : ~[<&]+ ;
ENTITY : '&' [a-z]+ ';' ;
mode INSIDE;
CLOSE : '>' -> popMode ;
SLASH : '/' ;
NAME : [a-z]+ ;
SPACE : [ \t]+ -> skip ;
QUOTE : '\u0022' -> more, mode(STRING) ;
mode STRING;
STRING : '\u0022' -> mode(INSIDE), type(NAME) ;
";

#[test]
fn a_parser_grammar_takes_its_tokens_from_a_lexer_grammar() {
    let parser = r"
        parser grammar Markup;
        options { tokenVocab = MarkupLexer; }
        content : (TEXT | ENTITY | element)* EOF ;
        element : OPEN NAME CLOSE content2 OPEN SLASH NAME CLOSE | OPEN NAME SLASH CLOSE ;
        content2 : (TEXT | ENTITY | element)* ;";
    let read = read_all(parser, &[("MarkupLexer", LEXER)]).expect("right");
    assert!(read.warnings.is_empty(), "{}", Diagnostics(read.warnings));
    derives(&read.grammar, &["", "a <b>c &lt; </b>", "<br />"], &["<b>", "<b></b", "&lt"]);
    let errors = read_all(parser, &[]).expect_err("the lexer is missing").to_string();
    assert!(errors.contains("the grammar `MarkupLexer` was not found"), "{errors}");
}

#[test]
fn a_lexer_grammar_alone_derives_lists_of_tokens() {
    let grammar = grammar("lexer grammar L; A : 'a' ; B : 'b'+ ; WS : ' ' -> skip ; fragment F : 'f' ;");
    derives(&grammar, &["", "a b  a", "bb"], &["f", "c"]);
}

#[test]
fn imports_add_the_rules_that_are_not_there_yet() {
    let main = "grammar M; import Base; a : b INT ; b : 'x' ;";
    let base = "grammar Base; b : 'y' ; INT : [0-9]+ ;";
    let read = read_all(main, &[("Base", base)]).expect("right");
    derives(&read.grammar, &["x1"], &["y1"]);
    assert!(Diagnostics(read.warnings).to_string().contains("the grammar's own rules apply"));
}

#[test]
fn negation_and_the_dot_stand_for_tokens_in_rules_of_the_parser() {
    let grammar =
        clean("grammar T; s : ~(A | 'x') . ~A t? ; A : 'a' ; B : 'b' ; C : 'c' 'd' ; t : '!' 'x' ;");
    derives(&grammar, &["bab", "cdxx", "bcdcd", "!ab!x"], &["aab", "xab", "baa", "bab.", "bdb"]);
}

#[test]
fn one_character_is_what_sets_and_their_negations_derive() {
    let grammar = clean(
        r"grammar S; s : A ; A : ~[a-c\]\-] [\u00e9\u{1F600}] ~('x' | [y] | D) . 'p'..'r' [^\n] '\u0041\\' ;
          fragment D : 'd' ;",
    );
    derives(&grammar, &["dé..q^A\\", "x\u{1f600}aar\nA\\"], &["aé..q^A\\", "dé.", "déd.q^A\\"]);
}

#[test]
fn a_token_ends_at_the_first_end_that_a_non_greedy_operator_allows() {
    let grammar = clean(
        r"grammar N; s : (A | B | C)* ;
          A : '<!--' .*? '-->' ; B : '//' .*? ('\r'? '\n' | EOF) ; C : 'c' [a-c]+? 'x' ;",
    );
    derives(
        &grammar,
        &["<!---->", "<!-- a -- -> --->", "// a\r\n//", "caxcbbx<!---->"],
        &["<!-- --> -->", "<!-->", "cx", "<!--", "//\nx"],
    );
    // Nothing runs on behind its end, so there is one tree for each.
    let parser = Parser::new(Arc::new(grammar));
    for text in ["<!-- a --><!-- b -->", "// a\n// b\r\n//"] {
        assert!(!parser.parse(text.as_bytes()).expect(text).is_ambiguous(), "{text}");
    }
}

#[test]
fn a_string_ends_at_the_first_quote_that_is_not_escaped() {
    let rules = ["'\\\\\"' | .", "ESC | ~[\\n]", "'\\\\' . | ."];
    for rule in rules {
        let grammar = clean(&format!(
            "grammar Q; s : A* ; A : '\"' ({rule})*? '\"' ; {} ;",
            if rule.contains("ESC") { "fragment ESC : '\\\\' [\"\\\\]" } else { "B : 'b' -> skip" }
        ));
        derives(
            &grammar,
            &[r#""""#, r#""a\"b""#, r#""a\n" "#.trim(), r#""a""c""#],
            &[r#""a"b""#, r#"""""#, r#"""#],
        );
        let parser = Parser::new(Arc::new(grammar));
        assert!(!parser.parse(br#""a\"b""\\\"""#).expect(rule).is_ambiguous());
    }
    // Two backslashes are an escape only where the grammar says so.
    let ends = |rule: &str| {
        let grammar = grammar(&format!("grammar Q; s : A ; A : '\"' ({rule})*? '\"' ;"));
        Parser::new(Arc::new(grammar)).recognizes(br#""a\\""#).unwrap()
    };
    assert!(ends("'\\\\' . | .") && !ends("'\\\\\"' | ."));
}

#[test]
fn what_is_skipped_has_one_tree() {
    let grammar =
        clean("grammar W; s : 'a' 'b' ; WS : [ \\t]+ -> skip ; C : '#' .*? '\\n' -> channel(HIDDEN) ;");
    let parser = Parser::new(Arc::new(grammar));
    assert!(!parser.parse(b"  a \t  # x\n b  ").expect("right").is_ambiguous());
}

#[test]
fn upper_and_lower_case_are_one_where_the_grammar_says_so() {
    let grammar = clean(
        "grammar Sql; options { caseInsensitive = true; } q : 'select' (NAME | '*') FROM NAME ;
         FROM : 'FROM' ; NAME : [a-z]+ ; WS : ' '+ -> skip ;",
    );
    derives(&grammar, &["SELECT * from T", "select A FROM b"], &["select from"]);
    assert!(grammar.find("literal-select").is_some());
}

#[test]
fn ends_of_tokens_that_have_no_case_are_exact_where_case_counts_for_nothing() {
    let grammar = grammar(
        "grammar Sql; options { caseInsensitive = true; } q : DROP TRIGGER ID ';' ; DROP : 'drop' ; TRIGGER : 'trigger' ;
         ID : [a-z_]+ ; C : '/*' .*? ('*/' | EOF) -> skip ; L : '--' ~[\\r\\n]* ('\\r'? '\\n' | EOF) -> skip ; WS : [ \\n]+ -> skip ;",
    );
    let right = ["DROP trigger on_user;", "drop /* a */ trigger b /* '*/ ; -- c", "drop trigger/**/dropt;"];
    derives(
        &grammar,
        &right,
        &["DROPTRIGGERon_user;", "droptrigger x;", "drop triggerx;", "drop /* */ */ trigger x;"],
    );
    let letters = clean("grammar E; options { caseInsensitive = true; } q : A+ ; A : 'x' .*? 'end' ;");
    derives(&letters, &["xEnd", "Xaenend", "xendXEND"], &["xen", "xend end"]);
}

#[test]
fn non_greedy_operators_within_a_token_are_exact() {
    let read = |rule: &str| clean(&format!("grammar N; s : (A | B)* ; A : {rule} ; B : [a-z] ;"));
    // Only what comes behind the operator may still be taken as often as it can.
    derives(&read("'<' ('ab' | .)*? 'x'+"), &["<x", "<abx", "<axxb", "<axbx"], &["<ab", "<"]);
    derives(&read("'(' [a-z]*? ')' '!'*"), &["(a)", "()!!(b)"], &["(a", "(a)b!"]);
    // A part that ends too early is no end of the whole.
    let nested = "grammar N; s : A ; A : C ';' ; fragment C : '/*' .*? '*/' ;";
    derives(&clean(nested), &["/* a */;", "/* a */ b */;"], &["/* a */", "/* */; */;"]);
    // Of what leads to itself, only so much is followed.
    let read = read_all("grammar N; s : 'a' ; C : '/*' (C | .)*? '*/' -> skip ;", &[]).expect("right");
    derives(&read.grammar, &["a/* */", "/* /* */ */a", "/* /* */a"], &["a/* */ */", "a/*"]);
    assert!(Diagnostics(read.warnings).to_string().contains("non-greedy"), "it is said");
}

#[test]
fn words_are_those_of_a_mode() {
    let lexer = "lexer grammar L; OPEN : '<' -> pushMode(IN) ; TEXT : ~[<]+ ; mode IN; CLOSE : '>' -> popMode ;
        NAME : [a-z]+ ; DOT : '.' ; STRING : '\"' ~[\"]* '\"' ; LONG : '..' -> type(DOT) ; WS : ' '+ -> skip ;";
    let parser =
        "parser grammar P; options { tokenVocab = L; } s : (TEXT | OPEN NAME (NAME | DOT)* CLOSE)* EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    assert!(read.warnings.is_empty(), "{}", Diagnostics(read.warnings));
    derives(&read.grammar, &["a b<c d>", "<a.b>>", "<a..b>", "x"], &["<ab\">", "<a>b>c<", "<>"]);
    // Within a mode the longest word wins: here `b<c` is no text of the default mode.
    assert!(notation(&read.grammar).contains("<DEFAULT_MODE-words> | <IN-words>"));
}

#[test]
fn a_token_of_another_mode_keeps_its_mode() {
    let lexer = "lexer grammar L; ID : [a-z]+ ; Q : '\"' -> mode(IN) ; mode IN; CHARS : ~[\"]+ -> type(ID) ; E : '\"' -> mode(DEFAULT_MODE), type(Q) ;";
    let parser = "parser grammar P; options { tokenVocab = L; } s : (ID | Q ID Q)* ~ID EOF ;";
    let read = read_all(parser, &[("L", lexer)]).expect("right");
    derives(&read.grammar, &["a\"b c\"\"", "\""], &["a", "a\"b\"c"]);
    let text = notation(&read.grammar);
    assert!(text.contains("<ID> | <ID-IN>") || text.contains("(<ID> | <ID-IN>)"), "{text}");
}

#[test]
fn a_token_with_a_predicate_is_taken_or_not() {
    let grammar = grammar(
        "grammar P; s : (WORD | ID | '/' | REGEX | 'let')* ; WORD : {atStart()}? 'word' ; LET : {strict()}? 'let' ; ID : [a-z]+ ;
         REGEX : {may()}? '/' ~[/]+ '/' ; WS : ' '+ -> skip ;",
    );
    derives(&grammar, &["word", "a/b/c", "/b c/", "words", "let"], &["wo rd!"]);
    // Whether it is taken is not known, so there are two parses of what is either; what is longer wins still.
    let parser = Parser::new(Arc::new(grammar));
    assert!(parser.parse(b"word").expect("right").is_ambiguous());
    assert!(!parser.parse(b"words").expect("right").is_ambiguous());
}

#[test]
fn a_token_that_nothing_defines_derives_nothing() {
    let read = read_all("grammar G; s : ITEN | ITEM ; ITEM : 'y' ;", &[]).expect("as for ANTLR");
    assert!(Diagnostics(read.warnings).to_string().contains("did you mean `ITEM`?"));
    derives(&read.grammar, &["y"], &["", "ITEN"]);
}

#[test]
fn unicode_properties_are_sets() {
    let grammar = clean("grammar P; s : A ; A : [\\p{Lu}\\p{Nd}] [\\P{L}] ~[\\p{White_Space}] ;");
    derives(&grammar, &["Ä1x", "7.é"], &["ä1x", "Aax", "A1 "]);
}

#[test]
fn parts_that_no_token_has_are_left_out() {
    let read = read_all(
        "grammar F; s : A ; A : 'a' ~D ; fragment D : 'd' ; fragment U : D D .*? 'xy' ; WS : ' ' -> skip ;",
        &[],
    )
    .expect("right");
    assert!(read.grammar.find("D").is_none() && read.grammar.find("U-rest-1").is_none());
    let warnings = Diagnostics(read.warnings).to_string();
    assert!(warnings.contains("`U` is not used") && !warnings.contains("`D`"), "{warnings}");
}

#[test]
fn what_was_made_for_states_is_hidden() {
    let grammar = clean("grammar N; s : A ; A : '/*' .*? '*/' ;");
    let role = |name: &str| grammar.nonterminal(grammar.find(name).expect(name)).role;
    assert_eq!(role("A-rest-1"), Role::Helper(HelperKind::Group));
}

/// What is wrong with each of these texts, one after the other.
fn report(cases: &[(&str, &str)]) -> String {
    let mut report = String::new();
    for (title, text) in cases {
        let found = match read_all(text, &[]) {
            Ok(read) if read.warnings.is_empty() => "nothing is wrong".to_owned(),
            Ok(read) => Diagnostics(read.warnings).to_string(),
            Err(errors) => errors.to_string(),
        };
        report += &format!("== {title}\n{found}\n\n");
    }
    report
}

#[test]
fn mistakes_are_shown_at_their_places() {
    let nested = format!("grammar G; s : {}'x'{} ;", "(".repeat(201), ")".repeat(201));
    insta::assert_snapshot!(report(&[
        ("no head", "s : 'x' ;"),
        ("our own notation", "<s> ::= \"x\""),
        ("nothing", "grammar G;"),
        ("an undefined rule", "grammar G; s : iten ITEN ; item : 'x' ; ITEM : 'y' ;"),
        ("two definitions", "grammar G; s : 'x' ; s : 'y' ;"),
        ("no end of a rule", "grammar G; s : 'x' t : 'y' ;"),
        ("no end of a group", "grammar G; s : ('x' | 'y' ;"),
        ("no end of a literal", "grammar G; s : 'x ;\nt : s ;"),
        ("an empty literal", "grammar G; s : '' ;"),
        ("an escape that is none", "grammar G; s : '\\q' A ; A : [\\w] '\\u12' ;"),
        ("an unknown property", "grammar G; s : A ; A : [\\p{Klingon}] ;"),
        ("half a character", "grammar G; s : A ; A : [\\uD800-\\uDBFF] ;"),
        ("a reversed range", "grammar G; s : A ; A : [z-a] | 'z'..'a' ;"),
        ("a range of the parser", "grammar G; s : 'a'..'z' ;"),
        ("a set without an end", "grammar G; s : A ; A : [a-z ;\n"),
        ("an empty set", "grammar G; s : A ; A : [] | ~[\\u{0}-\\u{10FFFF}] ;"),
        ("no set", "grammar G; s : A ; A : ~('ab' | B) ; B : 'b'+ ;"),
        ("two negations", "grammar G; s : A ; A : ~~'a' ;"),
        ("a fragment in the parser", "grammar G; s : F ; A : F ; fragment F : 'f' ;"),
        ("a rule of the parser in a token", "grammar G; s : A ; A : s ;"),
        ("a command that is none", "grammar G; s : A ; A : 'a' -> skp ; B : 'b' -> channel ;"),
        ("an action without an end", "grammar G; s : { x( 'y' ;"),
        ("double quotes", "grammar G; s : \"x\" ;"),
        ("two operators", "grammar G; s : 'x'*+ ;"),
        ("groups in groups", &nested),
        ("an import that is missing", "grammar G; import X; s : 'x' ;"),
    ]));
}

#[test]
fn what_is_not_expressed_is_shown_as_a_warning() {
    insta::assert_snapshot!(report(&[
        ("EOF in the middle", "grammar G; s : (t | EOF) 'x' ; t : 'y' EOF ;"),
        ("non-greedy operators", "grammar G; s : .*? A ; A : '<' ('a' 'b' | .)*? 'x'+ ;"),
        ("a token without a rule", "grammar G; tokens { INDENT, DEDENT } s : INDENT | 'x' ;"),
        ("a skipped token", "grammar G; s : 'x' WS 'y' ; WS : ' ' -> skip ;"),
        ("many actions", &format!("grammar G;\ns : {} ;", "{ f(); } 'x'\n".repeat(12))),
        ("arguments", "grammar G; s[int a] throws E, F : t[1] ; t : 'x' ;"),
        ("channels", "grammar G; channels { NOTES } s : 'x' ; N : 'n' -> channel(NOTES) ;"),
        ("an unused fragment", "grammar G; s : A ; A : 'a' ; fragment F : A ; WS : ' ' -> skip ;"),
        ("a cycle", "grammar G; s : s | 'x'? ;"),
    ]));
}
