//! The lexical layer by itself; that the parser heeds it is tested there.

use super::super::ebnf;
use super::*;
use crate::base::diagnostic::Source;

fn grammar(text: &str) -> Grammar {
    ebnf::read(&Source::new("words.ebnf", text)).expect("the grammar is right").grammar
}

const WORDS: &str = r##"
@skip <space>
<s> ::= "return" <e> | "-" <e> | "--" <e> | <e>
<e> ::= <name> | <number> | <text> | "(" ")" | <last>
@token <last> ::= '##' [^]*
@token(except: <keyword>, not-before: [A-Z]) <name> ::= [a-z]+
@token <number> ::= <number> [0-9] | [0-9]
@token <text> ::= '"' [^"]* '"'
<keyword> ::= "return"
<space> ::= ([ \n] | "#" [^\n]* "\n")+
"##;

#[test]
fn words_end_where_they_cannot_go_on() {
    let grammar = grammar(WORDS);
    let lexis = Lexis::new(&grammar).expect("there are tokens");
    let token = |name: &str| Word::Token(grammar.find(name).expect("it is defined"));
    let literal = |text: &str| {
        let found = grammar.literals().entries().find(|(_, literal)| ***literal == *text.as_bytes());
        Word::Literal(found.expect("it occurs").0)
    };
    let holds = |word, text: &str, end| lexis.holds(word, text.as_bytes(), 0, end);
    assert!(holds(token("name"), "ab c", 2));
    assert!(!holds(token("name"), "abc", 2), "it goes on");
    assert!(!holds(token("name"), "abC", 2), "it must not stand there");
    assert!(!holds(token("name"), "return", 6), "it is a keyword");
    assert!(holds(token("name"), "returns", 7));
    assert!(holds(token("number"), "12a", 2));
    assert!(!holds(token("number"), "12", 1));
    assert!(holds(literal("return"), "return x", 6));
    assert!(!holds(literal("return"), "returns", 6));
    assert!(!holds(literal("-"), "--", 1));
    assert!(holds(literal("-"), "- -", 1));
    assert_eq!(lexis.word(Symbol::Nonterminal(grammar.find("e").expect("it is defined"))), None);
}

#[test]
fn what_runs_together_is_kept_apart() {
    let grammar = grammar(WORDS);
    let lexis = Lexis::new(&grammar).expect("there are tokens");
    for (left, right, separator) in [
        ("return", "x", " "),
        ("x", "1", ""),
        ("x", "A", " "),
        ("1", "2", " "),
        ("-", "-", " "),
        ("\"a\"", "x", ""),
        ("x", "\"a\"", ""),
        ("-", "#", ""),
        ("return ", "x", ""),
        ("(", ")", ""),
        ("", "x", ""),
    ] {
        let found = lexis.separator(left.as_bytes(), right.as_bytes());
        assert_eq!(found, separator.as_bytes(), "{left:?} {right:?}");
    }
}

/// `013` is one word, though no rule asks for it, and so is ` `, where another word than what is skipped is named first.
#[test]
fn what_a_lexer_takes_for_one_word_is_kept_apart() {
    let words =
        "@skip <gap>\n@lexer <word>\n<s> ::= <number> <number>\n@token <number> ::= \"0\" | [1-9] [0-9]*
        @token <digits> ::= [0-9]+\n@token <space> ::= [ ]\n@token <any> ::= [ _]";
    for (list, separator, is_skipped) in [
        ("<any> | <number> | <digits>", " ", true),
        ("<any> | <number>", "", true),
        ("<any> | <space> | <number> | <digits>", " ", true),
        ("<space> | <any> | <number> | <digits>", " ", false),
    ] {
        let grammar = grammar(&format!("{words}\n<gap> ::= <any>*\n<word> ::= {list}"));
        let lexis = Lexis::new(&grammar).expect("there are tokens");
        assert_eq!(lexis.separator(b"0", b"13"), separator.as_bytes(), "{list}");
        assert_eq!(lexis.is_separator_skipped(), is_skipped, "{list}");
    }
}

#[test]
fn a_token_that_is_not_regular_is_told() {
    let grammar =
        grammar("<s> ::= <nested> <a>\n@token <nested> ::= \"(\" <nested>? \")\"\n@token <a> ::= \"a\"+");
    let lexis = Lexis::new(&grammar).expect("there are tokens");
    assert_eq!(lexis.irregular(), [grammar.find("nested").expect("it is defined")]);
    assert!(lexis.holds(Word::Token(lexis.irregular()[0]), b"(())", 0, 2));
    assert!(Lexis::new(&self::grammar("<s> ::= \"a\"")).is_none());
}

#[test]
fn a_lexer_may_have_words_that_it_takes_or_not_and_there_may_be_several() {
    let grammar = grammar(
        "@lexer <word>\n<s> ::= <name> | <end> | <long> | <text> | \"+\"\n<word> ::= <plain> | <quoted>
        <plain> ::= \"+\" | <end>? | <name> | <long>?\n<quoted> ::= <text>
        @token <end> ::= \"end\"\n@token <name> ::= [a-z]+\n@token <long> ::= [a-z]+ \"!\"*\n@token <text> ::= [^\\n]+",
    );
    let lexis = Lexis::new(&grammar).expect("there are tokens");
    let token = |name: &str| Word::Token(grammar.find(name).expect("it is defined"));
    let holds = |word, text: &str, end| lexis.holds(word, text.as_bytes(), 0, end);
    assert!(holds(token("end"), "end", 3) && holds(token("name"), "end", 3), "it is either");
    assert!(!holds(token("end"), "ends", 3), "a certain word is longer");
    assert!(!holds(token("long"), "end", 3), "a certain word comes before it");
    assert!(holds(token("long"), "end!!", 5) && !holds(token("long"), "end!!", 4), "its own longest match");
    assert!(holds(token("name"), "end!!", 3), "it may be there without the other");
    assert!(holds(token("text"), "end!! +", 7) && !holds(token("text"), "end!! +", 3), "another lexer");
}

#[test]
fn the_words_before_it_tell_the_mode_of_a_word() {
    let grammar = grammar(
        "@lexer <word>\n<s> ::= (<text> | <open> | <close> | <name>)*\n<word> ::= <outside> | <inside>
        <outside> ::= <open> <inside> | <text>\n<inside> ::= <close> <back> | <name> | <open> <back> <outside>
        <back> ::= \"\"\n@token <open> ::= \"<\"\n@token <close> ::= \">\"\n@token <text> ::= [^<]+\n@token <name> ::= [a-z]+",
    );
    let lexis = Lexis::new(&grammar).expect("there are tokens");
    let token = |name: &str| Word::Token(grammar.find(name).expect("it is defined"));
    let holds = |word, text: &str, begin, end| lexis.holds(word, text.as_bytes(), begin, end);
    assert!(holds(token("text"), "ab<c>d", 0, 2) && !holds(token("name"), "ab<c>d", 0, 2));
    assert!(holds(token("name"), "ab<c>d", 3, 4) && !holds(token("text"), "ab<c>d", 3, 6));
    assert!(holds(token("close"), "ab<c>d", 4, 5) && !holds(token("close"), ">", 0, 1));
    assert!(holds(token("text"), "ab<c>d", 5, 6), "it is back");
    assert!(holds(token("text"), "<<c>d", 2, 5), "the mode was left for another one");
    assert!(!holds(token("text"), "ab", 1, 2), "no word begins there");
}
