//! The parser against the naive one, and against what must hold of any forest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::base::diagnostic::Source;
use crate::base::id::Id;
use crate::base::limits::Limits;
use crate::grammar::arbitrary::{GrammarShape, acyclic_grammars, grammars, lexical_grammars, strings};
use crate::grammar::{CharClass, Grammar, GrammarBuilder, Name, Symbol};
use crate::tree::{Label, Outline, Tree, trees_up_to};

use super::naive::Spans;
use super::{Child, Expected, Forest, ForestNodeId, Found, ParseError, Parser, SyntaxError};

/// Long enough rules that some are cut more than once.
const SHAPE: GrammarShape = GrammarShape { nonterminals: 4, rules: 3, symbols: 4 };

fn labels(tree: &Tree) -> Vec<Label> {
    tree.preorder(tree.root()).map(|node| tree.label(node)).collect()
}

fn fits(grammar: &Grammar, symbol: Symbol, label: Label) -> bool {
    match (symbol, label) {
        (Symbol::Literal(a), Label::Literal(b)) => a == b,
        (Symbol::Class(class), Label::Char(c)) => grammar.class(class).contains(c),
        (Symbol::Nonterminal(a), Label::Rule(rule)) => grammar.rule(rule).lhs == a,
        _ => false,
    }
}

fn assert_is_derivation(grammar: &Grammar, tree: &Tree, input: &[u8]) {
    assert_eq!(tree.text(grammar), input);
    assert!(fits(grammar, Symbol::Nonterminal(grammar.start()), tree.label(tree.root())));
    for node in tree.preorder(tree.root()) {
        let Some(rule) = tree.rule(node) else { continue };
        let symbols = &grammar.rule(rule).symbols;
        assert_eq!(symbols.len(), tree.children(node).len());
        for (&symbol, &child) in symbols.iter().zip(tree.children(node)) {
            assert!(fits(grammar, symbol, tree.label(child)));
        }
    }
}

/// Groups have children before parents, and hold exactly what the root leads to.
fn assert_groups_are_in_order(forest: &Forest) {
    let mut done: HashSet<ForestNodeId> = HashSet::new();
    let mut needed = HashSet::from([forest.root()]);
    for (group, is_cycle) in forest.groups() {
        assert!(is_cycle || group.len() == 1);
        let mut inside = false;
        for &node in group {
            assert!(node.index() < forest.node_bound());
            assert!(!done.contains(&node));
            for alternative in forest.alternatives(node) {
                for child in alternative.children {
                    if let Child::Node(child) = child {
                        needed.insert(child);
                        inside |= group.contains(&child);
                        assert!(done.contains(&child) || is_cycle && group.contains(&child));
                    }
                }
            }
        }
        assert_eq!(inside, is_cycle);
        done.extend(group);
    }
    assert_eq!(done, needed);
}

/// Alternatives are distinct, follow their rules, cover their spans, and come in the promised order.
fn assert_alternatives_are_in_order(forest: &Forest) {
    for node in forest.groups().flat_map(|(group, _)| group) {
        let alternatives = forest.alternatives(*node);
        assert!(!alternatives.is_empty());
        let mut last = None;
        for alternative in alternatives {
            let grammar = forest.grammar();
            let rule = grammar.rule(alternative.rule);
            assert_eq!(rule.lhs, forest.nonterminal(*node));
            assert_eq!(rule.symbols.len(), alternative.children.len());
            let begin = forest.span(*node).map_or(0, |span| span.start);
            let mut offset = begin;
            let mut ends = Vec::new();
            for (&symbol, &child) in rule.symbols.iter().zip(&alternative.children) {
                offset += match (symbol, child) {
                    (Symbol::Literal(a), Child::Literal(b)) if a == b => grammar.literal(a).len(),
                    (Symbol::Class(a), Child::Char(c)) if grammar.class(a).contains(c) => c.len_utf8(),
                    (Symbol::Nonterminal(a), Child::Node(child)) if a == forest.nonterminal(child) => {
                        let span = forest.span(child).unwrap_or(offset..offset);
                        assert_eq!(span.start, offset);
                        span.len()
                    }
                    _ => panic!("{child:?} is no child for {symbol:?}"),
                };
                ends.push(std::cmp::Reverse(offset));
            }
            assert_eq!(offset, forest.span(*node).map_or(0, |span| span.end));
            let key = Some((alternative.rule, ends));
            assert!(last < key);
            last = key;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn exactly_the_strings_of_the_language_parse(grammar in grammars(SHAPE)) {
        let grammar = Arc::new(grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        for input in strings(5) {
            let expected = Spans::new(&grammar, &input).is_member();
            prop_assert_eq!(parser.recognizes(&input).unwrap(), expected);
            let forest = parser.parse(&input);
            prop_assert_eq!(forest.is_ok(), expected);
            let Ok(forest) = forest else { continue };
            assert_groups_are_in_order(&forest);
            assert_alternatives_are_in_order(&forest);
            let tree = forest.first_tree();
            assert_is_derivation(&grammar, &tree, &input);
            prop_assert_eq!(forest.count_trees().is_none(), forest.is_cyclic());
            prop_assert_eq!(forest.count_trees() != Some(1), forest.is_ambiguous());
            prop_assert_eq!(!forest.ambiguous_nonterminals().is_empty(), forest.is_ambiguous());
            let again = Parser::new(Arc::clone(&grammar)).parse(&input).expect("it parsed before");
            prop_assert_eq!(again.first_tree(), tree);
        }
    }

    #[test]
    fn a_derivation_counts_if_all_its_words_are_good((plain, grammar) in lexical_grammars(SHAPE), most in 0usize..2) {
        let [plain, grammar] = [plain, grammar].map(Arc::new);
        // With lookaheads of either kind.
        let parser = Parser::with_lookaheads(Arc::clone(&grammar), &Limits::default(), most * 1_000_000).unwrap();
        let plain = Parser::new(plain);
        for input in strings(4) {
            let Ok(all) = plain.parse(&input) else {
                prop_assert!(!parser.recognizes(&input).unwrap());
                continue;
            };
            if all.count_trees().is_some_and(|count| count > 5_000) {
                continue;
            }
            let mut expected = Spans::new(&grammar, &input).trees();
            let forest = parser.parse(&input);
            let shown = input.escape_ascii();
            prop_assert_eq!(forest.is_ok(), !expected.is_empty(), "{}", shown);
            prop_assert_eq!(parser.recognizes(&input).unwrap(), !expected.is_empty(), "{}", shown);
            let Ok(forest) = forest else { continue };
            let mut found: Vec<Vec<Label>> = forest.trees(5_000).unwrap_or_default().iter().map(labels).collect();
            let key = |tree: &Vec<Label>| format!("{tree:?}");
            found.sort_by_cached_key(key);
            expected.sort_by_cached_key(key);
            prop_assert_eq!(found, expected, "{}", shown);
        }
    }

    #[test]
    fn the_forest_holds_each_derivation_tree_once(grammar in acyclic_grammars(SHAPE)) {
        let grammar = Arc::new(grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        for input in strings(4) {
            let Ok(forest) = parser.parse(&input) else { continue };
            // A grammar can have millions of trees for four characters: more than there is memory.
            if forest.count_trees().is_some_and(|count| count > 50_000) {
                continue;
            }
            let mut expected = Spans::new(&grammar, &input).trees();
            prop_assert_eq!(forest.count_trees(), Some(expected.len() as u64));
            let Some(trees) = forest.trees(2_000) else { continue };
            prop_assert_eq!(trees.first(), Some(&forest.first_tree()));
            let mut found: Vec<Vec<Label>> = trees.iter().map(labels).collect();
            let key = |tree: &Vec<Label>| format!("{tree:?}");
            found.sort_by_cached_key(key);
            expected.sort_by_cached_key(key);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn lookaheads_change_nothing_but_the_speed(grammar in grammars(SHAPE)) {
        let grammar = Arc::new(grammar);
        let [precise, rough] = [usize::MAX, 0].map(|most| Parser::with_lookaheads(Arc::clone(&grammar), &Limits::default(), most).unwrap());
        for input in strings(5) {
            match (precise.parse(&input), rough.parse(&input)) {
                (Ok(a), Ok(b)) => {
                    prop_assert_eq!(a.count_trees(), b.count_trees());
                    prop_assert_eq!(a.first_tree(), b.first_tree());
                    let kinds = |forest: &Forest| {
                        let nodes = forest.groups().flat_map(|(group, _)| group);
                        let mut all: Vec<_> = nodes.map(|&node| {
                            let begin = forest.span(node).map_or((0, 0), |span| (span.start, span.end));
                            (forest.nonterminal(node), begin, forest.alternatives(node).len())
                        }).collect();
                        all.sort();
                        all
                    };
                    prop_assert_eq!(kinds(&a), kinds(&b));
                }
                (a, b) => prop_assert_eq!(a.err(), b.err()),
            }
        }
    }

    /// The other way round: whatever a grammar derives is in the forest of its text.
    #[test]
    fn every_tree_of_the_grammar_is_in_the_forest_of_its_text(
        grammar in acyclic_grammars(GrammarShape { nonterminals: 3, rules: 3, symbols: 4 }),
    ) {
        let grammar = Arc::new(grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        let mut by_text: HashMap<Vec<u8>, Vec<Tree>> = HashMap::new();
        for tree in trees_up_to(&grammar, grammar.start(), 4).into_iter().take(400) {
            by_text.entry(tree.text(&grammar)).or_default().push(tree);
        }
        for (text, trees) in by_text {
            let forest = parser.parse(&text).expect("the grammar derives it");
            let Some(all) = forest.trees(1_000) else { continue };
            prop_assert!(trees.iter().all(|tree| all.contains(tree)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn an_error_is_where_the_longest_viable_prefix_ends_and_expects_what_can_follow(
        grammar in grammars(SHAPE),
    ) {
        let parser = Parser::new(Arc::new(grammar));
        let grammar = parser.grammar();
        for input in strings(4) {
            let Err(ParseError::Syntax(error)) = parser.parse(&input) else { continue };
            let viable = |text: &[u8]| Spans::new(grammar, text).is_viable();
            let offset = error.offset();
            let next = |letter| viable(&[&input[..offset], &[letter]].concat());
            let is_empty = !viable(b"");
            prop_assert!(is_empty && offset == 0 || viable(&input[..offset]));
            prop_assert!(input.get(offset).is_none_or(|&letter| !next(letter)));
            for letter in [b'a', b'b'] {
                let expected = error.expected().iter().any(|expected| match expected {
                    Expected::Literal { missing, .. } => missing[0] == letter,
                    Expected::Class(_) => true,
                    Expected::Nonterminal(_) | Expected::End => false,
                });
                prop_assert_eq!(next(letter), expected);
            }
            let is_member = Spans::new(grammar, &input[..offset]).is_member();
            prop_assert_eq!(is_member, error.expected().contains(&Expected::End));
        }
    }
}

/// Where an input that the grammar does not derive goes wrong.
fn syntax_error(parser: &Parser, input: &[u8]) -> SyntaxError {
    match parser.parse(input) {
        Err(ParseError::Syntax(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// A grammar from a table: the first nonterminal is the start symbol; `<x>` are nonterminals, `[..]`
/// classes of single characters, all other words literals.
pub(super) fn grammar(rules: &[(&str, &str)]) -> Arc<Grammar> {
    let mut builder = GrammarBuilder::new();
    let start = builder.nonterminal(Name::base(rules[0].0));
    for (lhs, alternatives) in rules {
        let lhs = builder.nonterminal(Name::base(*lhs));
        for alternative in alternatives.split(" | ") {
            let symbols: Vec<Symbol> = alternative
                .split_whitespace()
                .map(|word| match word.as_bytes() {
                    [b'<', .., b'>'] => {
                        Symbol::Nonterminal(builder.nonterminal(Name::base(&word[1..word.len() - 1])))
                    }
                    [b'[', .., b']'] => builder.class(CharClass::of(word[1..word.len() - 1].chars())),
                    bytes => builder.literal(bytes).expect("words are not empty"),
                })
                .collect();
            builder.rule(lhs, symbols);
        }
    }
    Arc::new(builder.finish(start))
}

#[test]
fn deep_and_long_inputs_need_no_stack() {
    let brackets = Parser::new(grammar(&[("e", "( <e> ) | x")]));
    let deep = [vec![b'('; 100_000], vec![b'x'], vec![b')'; 100_000]].concat();
    assert_eq!(brackets.parse(&deep).expect("balanced").first_tree().text(brackets.grammar()), deep);
    assert_eq!(syntax_error(&brackets, &deep[..deep.len() - 1]).offset(), 200_000);
    for rules in ["x | x <e>", "x | <e> x", "<o> x | <e> x", "x <o> | x <e>"] {
        let list = Parser::new(grammar(&[("e", rules), ("o", "<o> y | ")]));
        let long = vec![b'x'; 300_000];
        let forest = list.parse(&long).expect("a list");
        assert_eq!(forest.count_trees(), Some(1));
        assert_eq!(forest.first_tree().text(list.grammar()), long);
    }
}

#[test]
fn characters_beyond_ascii_are_one_leaf() {
    let parser = Parser::new(grammar(&[("s", "[aäß€😀] <s> | é [é€]")]));
    let text = "äa€😀ßé€";
    let forest = parser.parse(text.as_bytes()).expect("all of these are in the class");
    let tree = forest.first_tree();
    assert_is_derivation(parser.grammar(), &tree, text.as_bytes());
    let chars = tree.preorder(tree.root()).filter(|&node| matches!(tree.label(node), Label::Char(_)));
    assert_eq!(chars.count(), 6);
    for (wrong, offset) in [("ää", 4), ("äö", 2), ("äé\u{e8}", 4)] {
        assert_eq!(syntax_error(&parser, wrong.as_bytes()).offset(), offset);
    }
    let error = syntax_error(&parser, b"\xc3\xa4\xc3");
    assert_eq!((error.offset(), error.found()), (2, Found::Byte(0xc3)));
}

/// Such a grammar is read byte by byte, and a character may be put together from two literals.
#[test]
fn literals_that_are_not_utf8_stand_beside_classes() {
    let mut builder = GrammarBuilder::new();
    let s = builder.nonterminal(Name::base("s"));
    let [high, low] = [b"\xc3", b"\xa9"].map(|bytes| builder.literal(bytes).expect("not empty"));
    let any = builder.class(CharClass::any());
    builder.rule(s, [high, low]);
    builder.rule(s, [any]);
    builder.rule(s, [any, high, Symbol::Nonterminal(s)]);
    let parser = Parser::new(Arc::new(builder.finish(s)));
    assert_eq!(parser.parse("é".as_bytes()).expect("in two ways").count_trees(), Some(2));
    for (input, trees) in [(&b"x\xc3\xc3\xa9"[..], 2), (b"\xe2\x82\xac\xc3\xf0\x9f\x98\x80", 1), (b"x", 1)] {
        let forest = parser.parse(input).expect("it is of the language");
        assert_eq!(forest.count_trees(), Some(trees));
        assert_groups_are_in_order(&forest);
        assert_alternatives_are_in_order(&forest);
        assert_is_derivation(parser.grammar(), &forest.first_tree(), input);
    }
    for wrong in [&b"\xc3"[..], b"\xff", b"\xed\xa0\x80", b"x\xc3"] {
        assert!(!parser.recognizes(wrong).unwrap());
    }
}

#[test]
fn the_first_tree_prefers_the_first_rule_and_then_long_left_children() {
    let first = |rules: &[(&str, &str)], input: &str| {
        let parser = Parser::new(grammar(rules));
        let forest = parser.parse(input.as_bytes()).expect("it parses");
        Outline::new(parser.grammar(), &forest.first_tree()).to_string()
    };
    insta::assert_snapshot!(first(&[("e", "<e> + <e> | a")], "a+a+a"));
    insta::assert_snapshot!(
        "cycle",
        first(&[("e", "<f> | a"), ("f", "<e> | <e> <o>"), ("o", " | <o>")], "a")
    );
    insta::assert_snapshot!(
        "long_left_children",
        first(&[("s", "<a> <b> <c>"), ("a", " | x <a>"), ("b", " | x <b>"), ("c", " | x <c>")], "xx")
    );
}

#[test]
fn a_syntax_error_says_what_was_found_and_what_was_expected() {
    let json = Parser::new(grammar(&[
        ("json", "<elt>"),
        ("elt", "<object> | <array> | <string> | <number> | true | false | null"),
        ("object", "{} | { <items> }"),
        ("items", "<item> | <item> , <items>"),
        ("item", "<string> : <elt>"),
        ("array", "[] | <open> <elts> ]"),
        ("open", "["),
        ("elts", "<elt> | <elt> , <elts>"),
        ("string", "\" <chars> \""),
        ("chars", " | <char> <chars>"),
        ("char", "[abc\u{e9}] | \\ [n\\]"),
        ("number", "<digits> | - <digits>"),
        ("digits", "[0123456789] | [0123456789] <digits>"),
    ]));
    let messages: Vec<String> = ["", "{\"a\":1", "[1,,2]", "{\"é\n", "[tru]", "{}}", "[1,-x]"]
        .iter()
        .map(|input| json.parse(input.as_bytes()).expect_err("wrong").to_string())
        .collect();
    insta::assert_snapshot!(messages.join("\n"));
    let input = b"[\"\xc3\xa9\",-\xff]";
    let error = json.parse(input).expect_err("wrong");
    insta::assert_snapshot!(
        "diagnostic",
        error.diagnostic(&Source::from_bytes("bad.json", input)).to_string()
    );
}
