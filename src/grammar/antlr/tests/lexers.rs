//! What a lexer of its own takes: modes that only hidden tokens lead to, and tokens with predicates.

use std::sync::Arc;

use crate::base::limits::{Limits, Sizes};

use super::{Outline, Parser, derives, grammar, read_all};

const DIRECTIVES: &str = r"
lexer grammar DirectiveLexer;
NAME : [a-z]+ ;
SPACE : [ \n]+ -> skip ;
SHARP : '#' -> channel(DIRECTIVES), mode(DIRECTIVE) ;
OPEN : '<' -> channel(DIRECTIVES), pushMode(OPTION) ;
mode DIRECTIVE;
WORD : [a-z0-9]+ -> channel(DIRECTIVES) ;
BLANK : ' ' -> skip ;
INNER : '<' -> channel(DIRECTIVES), pushMode(OPTION) ;
LINE : '\n'+ -> channel(DIRECTIVES), mode(DEFAULT_MODE) ;
mode OPTION;
DIGIT : [0-9] -> channel(DIRECTIVES) ;
CLOSE : '>' -> channel(DIRECTIVES), popMode ;
";

#[test]
fn skipped_tokens_lead_from_mode_to_mode() {
    let parser = "parser grammar P; options { tokenVocab = DirectiveLexer; } names : NAME+ EOF ;";
    let read = read_all(parser, &[("DirectiveLexer", DIRECTIVES)]).expect("right");
    derives(
        &read.grammar,
        &["a", "a b", "#if 1\na", "#if 1\n\n\n a\n#x\nb #3", "a <12> b", "#a <1> 2 <> \n b <3"],
        // Words of modes in which the lexer is not.
        &["1 a", "a 12", "#if\n12 a", "<a> b", "a > b", "a <1 2> b", "a #x 3 <1> 2 <b>", "#a", "#if 1 <2"],
    );
}

#[test]
fn what_is_skipped_is_as_long_as_it_can_be() {
    let grammar = grammar(
        "grammar S; s : (SPACED | NAME)+ EOF ; SPACED : ' a' ; NAME : [a-z]+ ; SPACE : ' '+ -> skip ; STARS : '*'* -> skip ;",
    );
    // With two spaces the first is not skipped alone, before the second begins a longer word.
    let parser = Parser::new(Arc::new(grammar.clone()));
    let words = |text: &str| {
        let forest = parser.parse(text.as_bytes()).expect("right");
        assert!(!forest.is_ambiguous(), "{text:?}");
        Outline::new(&grammar, &forest.first_tree()).to_string()
    };
    assert!(words(" a").contains("SPACED"));
    assert!(!words("  a").contains("SPACED"));
    assert!(words("**a").contains("NAME"));
    derives(&grammar, &[" a", "  a", " a b", "a  ab", "**a*"], &["  A", " "]);
}

#[test]
fn long_words_take_steps_in_proportion() {
    let grammar = grammar(
        "grammar S; s : (NAME | TEXT)+ EOF ; NAME : [a-z]+ ; TEXT : '\"' ~'\"'* '\"' ; SPACE : ' '+ -> skip ;",
    );
    let limits = Limits::of(Sizes { steps: 3_000_000, ..Sizes::default() });
    let parser = Parser::new(Arc::new(grammar));
    for (filling, mark) in [(" ", ""), ("a", ""), (" ", "\"")] {
        let text = format!("a {mark}{}{mark} b", filling.repeat(20_000));
        assert!(parser.parse_limited(text.as_bytes(), usize::MAX, &limits).is_ok(), "{filling:?} {mark:?}");
    }
}

#[test]
fn what_a_token_matches_without_predicates_is_one_word() {
    let grammar = grammar(
        r"grammar G; s : 'private'? 'class' NAME EOF ; NAME : FIRST REST* ; SPACE : ' ' -> skip ;
        fragment FIRST : [a-z] | ~[\u0000-\u007f] { isStart() }? ;
        fragment REST : FIRST | [0-9] ;",
    );
    derives(
        &grammar,
        &["private class a", "class é1", "class class1"],
        &["privateclass a", "classa", "private classa", "class class"],
    );
}

#[test]
fn a_token_that_is_an_automaton_inside_another_one_is_told_from_the_words_before_it() {
    // The text in brackets is an automaton with many ways through it, and stands within another token.
    let grammar = grammar(
        r#"grammar G; s : (TRUE | AND | NAME | RAW | MARKED)+ EOF ; SPACE : ' ' -> skip ;
        TRUE : 'true' ; AND : 'and' ; NAME : [a-z]+ ; RAW : TEXT ; MARKED : TEXT NAME ;
        fragment TEXT : 'R"' ('\\' ["()] | ~[ (])*? '(' ~[)]*? ')' ('\\' ["()] | ~["])*? '"' ;"#,
    );
    let lexis = crate::grammar::Lexis::new(&grammar).expect("there are tokens");
    assert_eq!(lexis.irregular(), [], "all tokens are regular");
    derives(&grammar, &["true and x", "R\"x(y)z\"", "R\"(a b) c\"d trueand"], &["R\"x(y)", "R\"x y(z)\""]);
}

#[test]
fn a_token_whose_part_was_cut_off_has_a_part_that_is_certain() {
    let grammar = grammar(
        r"grammar G; s : (LONG | NAME)+ EOF ; NAME : [a-z]+ ; SPACE : ' ' -> skip ;
        LONG : '[' NESTED ']' | '<' NAME '>' ; fragment NESTED : '=' NESTED '=' | '[' .*? ']' ;",
    );
    derives(&grammar, &["[[a]b]]", "[=[a]=] <b> c"], &["[=[a]]", "<b c"]);
}

#[test]
fn what_an_input_may_end_with_is_there_only_where_a_rule_ends_with_the_input() {
    for (end, is_there) in [(" EOF", true), ("", false)] {
        let parser =
            format!("parser grammar P; options {{ tokenVocab = DirectiveLexer; }} names : NAME+{end} ;");
        let read = read_all(&parser, &[("DirectiveLexer", DIRECTIVES)]).expect("right");
        assert_eq!(read.grammar.find("text-at-end").is_some(), is_there, "{end}");
    }
}

/// What `more` puts together is a token of the mode in which it begins.
#[test]
fn where_tokens_are_put_together_what_is_skipped_leads_through_modes() {
    let parser = "parser grammar P; options { tokenVocab = MacroLexer; } sum : NAME (SLASH NAME)* EOF ;";
    let lexer = r"
        lexer grammar MacroLexer;
        NAME : [a-z]+ ;
        SLASH : '/' ;
        SHARP : '#' -> channel(MACROS), mode(MACRO) ;
        mode MACRO;
        TEXT : ~[/\n]+ -> channel(MACROS) ;
        PART : '/' -> more ;
        REST : ~'\n' -> channel(MACROS) ;
        LINE : '\n' -> skip, mode(DEFAULT_MODE) ;";
    let read = read_all(parser, &[("MacroLexer", lexer)]).expect("right");
    assert!(read.grammar.find("between-tokens-MACRO").is_some());
    derives(
        &read.grammar,
        &["a/b", "a#x\n/b", "a#x/y//z\n/b", "a/b#x", "a#/x"],
        &["", "#1", "#x\na/b/c/", "a/"],
    );
}
