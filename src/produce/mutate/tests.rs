//! Tests of changes: what must hold of all, on random grammars, and what each kind does to lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::producer;
use super::*;
use crate::base::diagnostic::Source;
use crate::base::limits::Limits;
use crate::grammar::analysis::productive;
use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::format;

/// The parser of a grammar, and a producer that chooses freely down to a depth.
struct Language {
    parser: Parser,
    producer: Box<dyn Producer>,
}

impl Language {
    fn of(grammar: Grammar, depth: u32) -> Self {
        let parser = Parser::new(Arc::new(grammar));
        let producer = producer("limit", parser.grammar(), parser.lexis(), depth, &Limits::default());
        Self { producer: producer.expect("`limit` works on any grammar"), parser }
    }

    fn read(text: &str) -> Self {
        let source = Source::new("g.ebnf", text);
        Self::of(format::read(&source, None).expect("the grammar is right").grammar, 6)
    }

    fn tree(&self, text: &str) -> Tree {
        self.parser.first_tree(text.as_bytes()).expect("no limit").expect("it parses")
    }

    /// All that changes of a kind make of a text in many draws.
    fn results(&self, kind: ChangeKind, text: &str) -> BTreeSet<String> {
        let tree = self.tree(text);
        let mutator = Mutator::new(&self.parser, &*self.producer);
        let mut stream = RandomStream::derive(1, text);
        let draws =
            (0..3_000).filter_map(|_| mutator.change_of_kind(kind, &tree, &mut stream).expect("no limit"));
        draws.map(|text| String::from_utf8(text).expect("the grammar is text")).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_changed_parses_even_before_it_is_asked_for_and_the_stream_determines_it(
        grammar in grammars(GrammarShape { nonterminals: 6, ..GrammarShape::default() }),
        seed: u64,
    ) {
        if !productive(&grammar).contains(grammar.start()) {
            return Ok(());
        }
        let language = Language::of(grammar, 5);
        let mutator = Mutator::new(&language.parser, &*language.producer);
        let mut stream = RandomStream::derive(seed, "changes");
        for _ in 0..5 {
            let mut text = Vec::new();
            language.producer.produce(mutator.grammar().start(), &mut stream, &mut text).unwrap();
            let tree = language.parser.first_tree(&text).unwrap().expect("what is produced parses");
            for kind in ChangeKind::ALL {
                let draft = Draft::new(mutator.grammar(), None, &tree);
                let places = mutator.places(kind, &tree);
                if let Some(changes) = mutator.draw(kind, &places, &draft, &tree, &mut stream) {
                    let changed = draft.write(&changes);
                    let (kind, text) = (format!("{kind:?}"), text.escape_ascii());
                    prop_assert!(language.parser.recognizes(&changed).unwrap(), "{}: {} to {}", kind, text, changed.escape_ascii());
                }
                let mut again = stream.clone();
                let change = mutator.change_of_kind(kind, &tree, &mut stream).unwrap();
                prop_assert_eq!(&change, &mutator.change_of_kind(kind, &tree, &mut again).unwrap());
                prop_assert!(change.is_none_or(|change| change != text), "{:?} changes nothing", kind);
            }
            for number in 1..5 {
                if let Some(changed) = mutator.changes(&tree, number, &mut stream).unwrap() {
                    prop_assert!(language.parser.recognizes(&changed).unwrap());
                    prop_assert_ne!(changed, tree.text(mutator.grammar()));
                }
            }
        }
    }
}

/// Lists of `a`, `b` and `c` in all ways to write one, with what stands between its elements.
const LISTS: [(&str, &str); 7] = [
    (r#"<s> ::= "[" <x>* "]" <x> ::= [a-z]"#, ""),
    (r#"<s> ::= "[" <x>+ "]" <x> ::= [a-z]"#, ""),
    (r#"<s> ::= "[" (<x> (", " <x>)*)? "]" <x> ::= [a-z]"#, ", "),
    (r#"<s> ::= "[" (<x> ", ")* <x> "]" <x> ::= [a-z]"#, ", "),
    (r#"<s> ::= "[" <l> "]" <l> ::= <x> | <x> ", " <l> <x> ::= [a-z]"#, ", "),
    (r#"<s> ::= "[" <l> "]" <l> ::= <x> | <l> "+" <x> <x> ::= [a-z]"#, "+"),
    (r#"<s> ::= "[" <l> "]" <l> ::= "" | <l> <x> <x> ::= [a-z]"#, ""),
];

/// A list of these elements.
fn list(elements: &[&str], between: &str) -> String {
    format!("[{}]", elements.join(between))
}

#[test]
fn an_element_is_inserted_at_each_place_of_a_list() {
    for (grammar, between) in LISTS {
        let found = Language::read(grammar).results(ChangeKind::Insert, &list(&["a", "b", "c"], between));
        for place in 0..=3 {
            let mut elements = vec!["a", "b", "c"];
            elements.insert(place, "x");
            let wanted = list(&elements, between);
            assert!(found.contains(&wanted), "{wanted} of {grammar}: {found:?}");
        }
        let rest = |text: &str| text.len() - list(&["a", "b", "c"], between).len();
        assert!(found.iter().any(|text| rest(text) == 1 + between.len()), "{grammar}: {found:?}");
    }
}

#[test]
fn each_element_of_a_list_is_deleted() {
    for (grammar, between) in LISTS {
        let found = Language::read(grammar).results(ChangeKind::Delete, &list(&["a", "b", "c"], between));
        for place in 0..3 {
            let mut elements = vec!["a", "b", "c"];
            elements.remove(place);
            let wanted = list(&elements, between);
            // In a list that must have one, what is last is not left out by itself.
            let is_last = grammar.contains("<l> ::= <x>") && place == if between == "+" { 0 } else { 2 };
            assert!(is_last || found.contains(&wanted), "{wanted} of {grammar}: {found:?}");
        }
    }
}

#[test]
fn elements_of_a_list_are_duplicated_and_moved() {
    for (grammar, between) in LISTS {
        let language = Language::read(grammar);
        let text = list(&["a", "b", "c"], between);
        let found = language.results(ChangeKind::Duplicate, &text);
        for element in ["a", "b", "c"] {
            let is_twice = |text: &&String| {
                text.matches(element).count() == 2 && text.matches(char::is_alphabetic).count() == 4
            };
            assert!(found.iter().any(|text| is_twice(&text)), "{element} of {grammar}: {found:?}");
        }
        let found = language.results(ChangeKind::Move, &text);
        assert!(!found.is_empty(), "{grammar}");
        for moved in found.iter().chain(&language.results(ChangeKind::Swap, &text)) {
            let mut letters: Vec<char> = moved.chars().filter(|c| c.is_alphabetic()).collect();
            letters.sort_unstable();
            assert_eq!(letters, ['a', 'b', 'c'], "{moved} of {grammar}");
        }
        let swapped = language.results(ChangeKind::Swap, &text);
        for other in [["b", "a", "c"], ["c", "b", "a"], ["a", "c", "b"]] {
            assert!(swapped.contains(&list(&other, between)), "{grammar}: {swapped:?}");
        }
    }
}

#[test]
fn what_is_optional_is_put_in_and_left_out() {
    let language = Language::read(r#"<s> ::= "a" ("b" <x>)? <x> ::= "1" | "2""#);
    assert_eq!(language.results(ChangeKind::Insert, "a"), ["ab1", "ab2"].map(String::from).into());
    assert_eq!(language.results(ChangeKind::Delete, "ab1"), ["a".to_owned()].into());
    assert_eq!(language.results(ChangeKind::Replace, "ab1"), ["a", "ab2"].map(String::from).into());
}

const STATEMENTS: &str = r##"
    @start <program>
    @skip <space>
    <program>   ::= <statement>+
    <statement> ::= "return" <sum>? ";" | <name> ("," <name>)* "=" <sum>
    <sum>       ::= <sum> ("+" | "-") <value> | <value>
    <value>     ::= <name> | <number> | "(" <sum> ")"
    @token(except: <keyword>, not-before: [a-z0-9]) <name> ::= [a-z] [a-z0-9]*
    @token(not-before: [a-z0-9]) <number> ::= [0-9]+
    <keyword>   ::= "return"
    <space>     ::= [ \n]+
"##;

#[test]
fn words_are_kept_apart() {
    let language = Language::read(STATEMENTS);
    let mutator = Mutator::new(&language.parser, &*language.producer);
    let tree = language.tree("a, b = x + 1 - (y) return z; return; c = 2");
    let mut stream = RandomStream::derive(1, "words");
    for kind in ChangeKind::ALL {
        let draft = Draft::new(mutator.grammar(), mutator.lexis(), &tree);
        let places = mutator.places(kind, &tree);
        let drafts = (0..500).filter_map(|_| mutator.draw(kind, &places, &draft, &tree, &mut stream));
        let texts: Vec<Vec<u8>> = drafts.map(|changes| draft.write(&changes)).collect();
        let wrong = texts.iter().filter(|text| !language.parser.recognizes(text).expect("no limit"));
        // Only where a word itself is changed, inside, can it become one that it must not be.
        let wrong = wrong.count();
        assert!(texts.len() > 200 && wrong * 20 < texts.len(), "{kind:?}: {wrong} of {}", texts.len());
    }
}

#[test]
fn a_text_is_put_into_the_place_of_a_node() {
    let language = Language::read(STATEMENTS);
    let mutator = Mutator::new(&language.parser, &*language.producer);
    let tree = language.tree("return(y);");
    let value = mutator.grammar().find("value").expect("there is one");
    let node =
        tree.preorder(tree.root()).find(|&node| tree.nonterminal(mutator.grammar(), node) == Some(value));
    let put =
        |text: &str| mutator.replaced(&tree, node.expect("there is one"), text.as_bytes()).expect("no limit");
    assert_eq!(put("x").as_deref(), Some(&b"return x;"[..]));
    assert_eq!(put("(y)"), None);
    assert_eq!(put("return"), None);
}
