//! Texts of a size that nobody writes by hand: readers and the parser come to an end on them, with a result or
//! with an error that has a place, in memory and time linear in the text.
//!
//! Nothing here looks at a clock. What used to take the square of the length does not end in a test's time.

use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::grammar::Grammar;
use grambench::grammar::format::{self, Format};
use grambench::parse::Parser;
use grambench::pattern::{read_expression, read_formula, read_named};
use grambench::tree::{JsonTree, Outline};

const MANY: usize = 100_000;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Reads a grammar; each error has a place in the text.
fn read(format: Format, text: &str) -> Option<Arc<Grammar>> {
    match format::read(&Source::new("grammar", text), Some(format)) {
        Ok(read) => {
            assert!(read.warnings.len() <= 20);
            Some(Arc::new(read.grammar))
        }
        Err(errors) => {
            assert!(!errors.0.is_empty());
            for error in errors.0 {
                assert!(error.position().is_some(), "{}", error.message());
            }
            None
        }
    }
}

#[test]
fn grammars_in_the_projects_notation() {
    let unreadable = [
        format!("<s> ::= {}\"x\"{}", "(".repeat(MANY), ")".repeat(MANY)),
        format!("<s> ::= {}", "(".repeat(MANY)),
        format!("<s> ::= \"a\"{}", "*".repeat(MANY)),
        format!("<s> ::= {}{}", "[".repeat(MANY), "]".repeat(MANY)),
        format!("<s> ::= {}", "'".repeat(MANY + 1)),
        "<".repeat(MANY),
        "; ".repeat(MANY),
        "@start ".repeat(MANY),
        format!("<s> ::= {}", lines(MANY, |index| format!("<u{index}> "))),
        format!("<s> ::= \"{}\" ; $", "a".repeat(MANY)),
    ];
    for text in unreadable {
        assert!(read(Format::Ebnf, &text).is_none(), "{}", &text[..40]);
    }
    let readable = [
        format!("<s> ::= {}\"b\"", "\"a\" | ".repeat(MANY)),
        format!("<s> ::= {}", "\"a\"* ".repeat(MANY)),
        format!("<s> ::= \"{}\"", "a".repeat(MANY)),
        format!("<s> ::= [{}]", "a".repeat(MANY)),
        lines(MANY, |index| format!("<s{index}> ::= <s{}>\n", (index + 1) % MANY)),
        format!("<s> ::= \"a\"\n{}", lines(MANY, |index| format!("<u{index}> ::= \"a\"\n"))),
    ];
    for text in readable {
        assert!(read(Format::Ebnf, &text).is_some(), "{}", &text[..40]);
    }
}

#[test]
fn grammars_in_json() {
    let unreadable = [
        format!("{{\"<start>\": {}{}}}", "[".repeat(MANY), "]".repeat(MANY)),
        format!("{}1{}", "{\"a\":".repeat(MANY), "}".repeat(MANY)),
        format!("{{\"<start>\": [\"{}\"]}}", lines(MANY, |index| format!("<u{index}>"))),
    ];
    for text in unreadable {
        assert!(read(Format::Fuzzingbook, &text).is_none(), "{}", &text[..40]);
    }
    let readable = [
        format!("{{\"<start>\": [\"{}\"], \"<a>\": [\"x\"]}}", "<a>".repeat(MANY)),
        format!("{{\"<start>\": [{}\"b\"]}}", "\"a\",".repeat(MANY)),
    ];
    for text in readable {
        assert!(read(Format::Fuzzingbook, &text).is_some(), "{}", &text[..40]);
    }
}

#[test]
fn grammars_of_antlr() {
    let unreadable = [
        format!("grammar g; s : {}'x'{};", "(".repeat(MANY), ")".repeat(MANY)),
        format!("grammar g; s : {}", "(".repeat(MANY)),
        format!("grammar g; s : {}", "{".repeat(MANY)),
        format!("grammar g; s : T; T : {}'x';", "~".repeat(MANY)),
        format!("grammar g; {}", "/*".repeat(MANY)),
        format!("grammar g; s : {};", lines(MANY, |index| format!("u{index} "))),
    ];
    for text in unreadable {
        assert!(read(Format::Antlr, &text).is_none(), "{}", &text[..40]);
    }
    let readable = [
        format!("grammar g; s : {}'b';", "'a' | ".repeat(MANY)),
        format!(
            "grammar g; {}s20000 : 'x';",
            lines(20_000, |i| format!("s{i} : 'l{i}' 'm{i}' s{} ;", i + 1))
        ),
        format!("grammar g; s : {}'x';", "'a'* ".repeat(MANY)),
    ];
    for text in readable {
        assert!(read(Format::Antlr, &text).is_some(), "{}", &text[..40]);
    }
}

#[test]
fn patterns_and_formulas() {
    let grammar = read(Format::Ebnf, "<s> ::= \"(\" <s> \")\" | <s> <s> | \"x\"").unwrap();
    let source = |text: String| Source::new("expression", text);
    let pattern = source(format!("A=<s> is \"{}<s>{}\"", "(".repeat(MANY), ")".repeat(MANY)));
    assert!(read_named(&pattern, 1, &grammar).is_ok());
    let names = ["A".to_owned()];
    for text in [
        format!("{}A{}", "(".repeat(MANY), ")".repeat(MANY)),
        "(".repeat(MANY),
        format!("{}A", "!".repeat(MANY)),
        format!("{}A", "A -> ".repeat(MANY)),
        format!("{}A", "not ".repeat(MANY)),
        format!("A{}", " &".repeat(MANY)),
        format!("A{}", " & A".repeat(MANY)),
        format!("A{}", " | A".repeat(MANY)),
        format!("A{}", " ^ A".repeat(MANY)),
        format!("A{}", " & A | A".repeat(MANY)),
    ] {
        let source = source(text);
        let span = 0..source.text().len();
        if let Err(error) = read_formula(&source, span, &names) {
            assert!(error.position().is_some());
        }
    }
    for text in [
        format!("<s {}A> where <s A> is \"x\"", "!".repeat(MANY)),
        format!("<s A> where {}", "<s A> is \"x\", ".repeat(MANY)),
        format!("<s A> where <s A> is \"{}\"", "<s>".repeat(20)),
        format!("<s {}", "(".repeat(MANY)),
        "<".repeat(MANY),
    ] {
        if let Err(error) = read_expression(&source(text), &grammar) {
            assert!(error.position().is_some());
        }
    }
}

/// How the rules of a long or deep grammar are kept.
#[test]
fn long_rules_and_chains_of_rules_are_parsed() {
    let long = format!("<s> ::= {}\n<a> ::= \"x\" | \"y\"", "<a> ".repeat(20_000));
    let chain =
        lines(MANY, |index| format!("<s{index}> ::= <s{}>\n", index + 1)) + &format!("<s{MANY}> ::= \"x\"");
    for (text, input) in [(long, "x".repeat(20_000)), (chain, "x".to_owned())] {
        let grammar = read(Format::Ebnf, &text).unwrap();
        let forest = Parser::new(Arc::clone(&grammar)).parse(input.as_bytes()).unwrap();
        let tree = forest.first_tree();
        assert_eq!(tree.text(&grammar), input.as_bytes());
        let nodes = tree.size(tree.root());
        assert!(Outline::new(&grammar, &tree).to_string().len() < 30 * nodes);
        assert!(JsonTree::new(&grammar, &tree).to_string().len() < 30 * nodes);
    }
}

/// The first tree of an input with a cycle through many rules.
#[test]
fn long_cycles_have_a_first_tree() {
    let count = 20_000;
    let text = lines(count, |index| format!("<s{index}> ::= <s{}>\n", index + 1));
    for end in ["\"\" | <s0>", "\"x\" | <s0>"] {
        let grammar = read(Format::Ebnf, &format!("{text}<s{count}> ::= {end}")).unwrap();
        let input = if end.starts_with("\"x") { "x" } else { "" };
        let forest = Parser::new(Arc::clone(&grammar)).parse(input.as_bytes()).unwrap();
        assert!(forest.is_cyclic());
        assert_eq!(forest.count_trees(), None);
        let tree = forest.first_tree();
        assert_eq!(tree.text(&grammar), input.as_bytes());
        assert_eq!(tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).count(), count + 1);
    }
}

#[test]
fn deep_and_long_inputs_are_parsed() {
    let grammar = read(Format::Ebnf, "<s> ::= \"(\" <s> \")\" | [a-z]*").unwrap();
    let parser = Parser::new(Arc::clone(&grammar));
    for input in [format!("{}{}", "(".repeat(MANY), ")".repeat(MANY)), "a".repeat(MANY)] {
        let forest = parser.parse(input.as_bytes()).unwrap();
        assert_eq!(forest.first_tree().text(&grammar), input.as_bytes());
    }
    for input in ["(".repeat(MANY), format!("{}1", "a".repeat(MANY)), ")".repeat(MANY)] {
        let error = parser.parse(input.as_bytes()).unwrap_err();
        assert_eq!(error.syntax().unwrap().line(), 1);
        let shown = error.diagnostic(&Source::new("input", input)).to_string();
        assert!(shown.len() < 10_000, "a long line is shown in part");
    }
}
