//! External transformers: the example under scripts/ against the definition, and programs that fail.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use crate::programs::settings;
use grambench::base::diagnostic::Source;
use grambench::grammar::{Grammar, ebnf};
use grambench::pattern::{Expression, read_expression};
use grambench::subject::pool::Pool;
use grambench::subject::program;
use grambench::subject::transformer::CommandTransformer;
use grambench::transform::{Specialization, TransformError, Transformer};
use grambench::tree::trees_up_to;

/// Unambiguous, with a class of which a pattern wants one character.
const LISTS: &str = r#"
<list>  ::= "[" <items> "]" | "[]"
<items> ::= <item> | <item> "," <items>
<item>  ::= <list> | <char>
<char>  ::= [ab]
"#;

fn lists() -> Arc<Grammar> {
    Arc::new(ebnf::read(&Source::new("lists.ebnf", LISTS)).unwrap().grammar)
}

fn expression(grammar: &Grammar, text: &str) -> Arc<Expression> {
    Arc::new(read_expression(&Source::new("expression", text), grammar).unwrap())
}

fn specialize(words: &[&str], expression_text: &str) -> Result<Specialization, TransformError> {
    let folder = tempfile::tempdir().unwrap();
    let pool = Arc::new(Pool::new(settings(folder.path())).unwrap());
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let limits = CommandTransformer::limits();
    let transformer = CommandTransformer::new("mine", &pool, &words, limits).unwrap();
    let grammar = lists();
    transformer.specialize(&grammar, &expression(&grammar, expression_text))
}

fn reason(words: &[&str]) -> String {
    let error = specialize(words, r#"<list E> where <item E> is "a""#).unwrap_err();
    error.to_string()
}

#[test]
fn the_example_makes_the_inputs_with_at_least_one_occurrence() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/reaching-grammar");
    if program::find("python3".as_ref()).is_err() {
        return;
    }
    let grammar = lists();
    for text in [
        r#"<list E> where <item E> is "a""#,
        r#"<list E> where <item E> is "[<item>]""#,
        r#"<list E> where <list E> is "[]""#,
        r#"<list E> where <char E> is "<char>""#,
    ] {
        let expression = expression(&grammar, text);
        let special = specialize(&["python3", script.to_str().unwrap()], text).unwrap();
        assert_eq!(special.origin, None);
        // JSON spells the class as one more nonterminal, so the trees of the example are larger.
        let texts = |grammar: &Grammar, size: usize, keep: &dyn Fn(&grambench::tree::Tree) -> bool| {
            trees_up_to(grammar, grammar.start(), size)
                .iter()
                .filter(|tree| keep(tree))
                .map(|tree| tree.text(grammar))
                .filter(|text| text.len() <= 5)
                .collect::<BTreeSet<_>>()
        };
        let wanted = texts(&grammar, 8, &|tree| expression.holds(&grammar, tree));
        assert_eq!(texts(&special.grammar, 10, &|_| true), wanted, "{text}");
        assert!(!wanted.is_empty());
    }
}

#[test]
fn the_request_holds_grammar_and_expression() {
    let request = r#"<list E & !N> where <item E> is "[a]", <char N> is "b""#;
    // Writes the request into the grammar that it answers with.
    let script = r#"r=$(tr -d '\\' | tr '"' "'"); printf '{"<start>": [["%s"]]}' "$r""#;
    let special = specialize(&["sh", "-c", script], request).unwrap().grammar;
    let trees = trees_up_to(&special, special.start(), 1);
    let text = String::from_utf8(trees[0].text(&special)).unwrap();
    for part in [
        "'[start]':'<list>'",
        "'<items>':[['<item>'],['<item>',',','<items>']]",
        "'start':'<list>'",
        "'formula':'E & !N'",
        "{'nonterminal':'<char>','rule':0,'children':[{'text':'a'}]}",
        "{'nonterminal':'<items>','rule':0,'children':[{'node':1}]}",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn a_program_that_fails_is_an_error_that_says_how() {
    let begin = "the transformer `mine` failed: ";
    assert_eq!(
        reason(&["sh", "-c", "echo no such thing >&2; exit 3"]),
        format!("{begin}exit 3: no such thing")
    );
    assert_eq!(reason(&["sh", "-c", "kill -SEGV $$"]), format!("{begin}SIGSEGV"));
    assert!(
        reason(&["sh", "-c", "echo nothing"]).starts_with(&format!("{begin}what it wrote is no grammar: "))
    );
    assert_eq!(reason(&["printf", r"\377"]), format!("{begin}what it wrote is not UTF-8"));
}
