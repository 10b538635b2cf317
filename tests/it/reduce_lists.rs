//! Lists in the notation of docs/grammar.md, `x (sep x)*`, lose any of their elements, the first as well.

use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::grammar::format;
use grambench::oracle::{Judge, Judgement, Oracle, OracleError, Verdict};
use grambench::parse::Parser;
use grambench::reduce::{Failing, Syntax, reducer};

const JSON: &str = r#"
<json>   ::= <object> | <array> | <string> | "true" | "false" | "null"
<object> ::= "{" (<string> ": " <json> (", " <string> ": " <json>)*)? "}"
<array>  ::= "[" (<json> (", " <json>)*)? "]"
<string> ::= '"' [^"]* '"'
"#;

/// Fails on what begins with a bracket and contains a text.
struct Contains(&'static str);

impl Oracle for Contains {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let text = std::str::from_utf8(input).unwrap();
        let fails = text.starts_with(['[', '{']) && text.contains(self.0);
        Ok(Judgement::new(if fails { Verdict::Fail } else { Verdict::Pass }, ""))
    }
}

fn reduced(input: &str, needed: &'static str) -> String {
    let grammar = Arc::new(format::read(&Source::new("json.ebnf", JSON), None).unwrap().grammar);
    let parser = Parser::new(Arc::clone(&grammar));
    let parse = |text: &[u8]| parser.first_tree(text);
    let tree = parse(input.as_bytes()).unwrap().expect("the input is of the grammar");
    let derives = |text: &[u8]| parser.recognizes(text);
    let syntax = Syntax { grammar: &grammar, tree: &tree, parse: &parse, derives: &derives };
    let failing = Failing { text: input.as_bytes(), syntax: Some(syntax) };
    let oracle = Contains(needed);
    let reduced = reducer("perses").unwrap().reduce(failing, &mut Judge::new(&oracle)).unwrap();
    assert_eq!(reduced.tree.unwrap().text(&grammar), reduced.text, "the tree is of the text");
    String::from_utf8(reduced.text).unwrap()
}

#[test]
fn an_array_ends_with_the_element_that_matters() {
    assert_eq!(reduced(r#"["a", "b", true, "zz"]"#, "\"zz\""), r#"["zz"]"#);
    assert_eq!(reduced(r#"["zz", "b", true, "a"]"#, "\"zz\""), r#"["zz"]"#);
    assert_eq!(reduced(r#"["a", "zz", true, "b"]"#, "\"zz\""), r#"["zz"]"#);
}

#[test]
fn an_element_may_have_several_parts() {
    assert_eq!(reduced(r#"{"a": true, "b": null, "zz": false}"#, "\"zz\": false"), r#"{"zz": false}"#);
}
