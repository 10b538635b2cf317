//! Trees as text and as JSON: what is written stays linear in the number of nodes, whatever their depth.

use proptest::prelude::*;
use serde_json::Value;

use crate::grammar::arbitrary::{GrammarShape, grammars};
use crate::grammar::{Grammar, GrammarBuilder, Name, Symbol};

use super::{JsonTree, Label, Outline, Tree, TreeBuilder, trees_up_to};

/// `<e> ::= "(" <e> ")" | "x"`, and a tree with this many pairs of brackets.
fn brackets(depth: usize) -> (Grammar, Tree) {
    let mut builder = GrammarBuilder::new();
    let e = builder.nonterminal(Name::base("e"));
    let symbols = ["(", ")", "x"].map(|text| builder.literal(text.as_bytes()).expect("not empty"));
    let [open, close, x] = symbols;
    let nest = builder.rule(e, [open, Symbol::Nonterminal(e), close]);
    let leaf = builder.rule(e, [x]);
    let label = |symbol| match symbol {
        Symbol::Literal(literal) => Label::Literal(literal),
        _ => unreachable!("a literal"),
    };
    let mut tree = TreeBuilder::new();
    let x = tree.leaf(label(x));
    let mut node = tree.node(leaf, &[x]);
    for _ in 0..depth {
        let [open, close] = [open, close].map(|symbol| tree.leaf(label(symbol)));
        node = tree.node(nest, &[open, node, close]);
    }
    (builder.finish(e), tree.finish(node))
}

#[test]
fn the_output_grows_with_the_number_of_nodes_and_not_with_their_depth() {
    for depth in [1_000, 33_000, 300_000] {
        let (grammar, tree) = brackets(depth);
        let nodes = tree.size(tree.root());
        let text = Outline::new(&grammar, &tree).to_string();
        assert_eq!(text.lines().count(), nodes - 1, "one line holds the innermost chain");
        assert!(text.len() <= 100 * nodes, "{} bytes for {nodes} nodes", text.len());
        let json = JsonTree::new(&grammar, &tree).to_string();
        assert!(json.len() <= 10 * nodes, "{} bytes for {nodes} nodes", json.len());
        let value: Value = serde_json::from_str(&json).expect("it is JSON that is not nested");
        assert_eq!(value["preorder"].as_array().map(Vec::len), Some(nodes));
    }
}

#[test]
fn deep_lines_begin_with_their_level() {
    let (grammar, tree) = brackets(42);
    let text = Outline::new(&grammar, &tree).to_string();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("<e>")).collect();
    let indent = " ".repeat(80);
    assert_eq!(lines[40], format!("{indent}<e>"));
    assert_eq!(lines[41], format!("{indent}(41) <e>"));
    assert_eq!(lines[42], format!("{indent}(42) <e> \"x\""));
}

#[test]
fn what_is_below_the_depth_is_shown_as_text() {
    let (grammar, tree) = brackets(500);
    let outline = Outline::new(&grammar, &tree).down_to(1).to_string();
    let inner = format!("{}x{}", "(".repeat(499), ")".repeat(499));
    assert_eq!(outline, format!("<e>\n  \"(\"\n  <e> =>* \"{inner}\"\n  \")\"\n"));
    let json = JsonTree::new(&grammar, &tree).down_to(1).to_string();
    assert_eq!(json, format!("[\"<e>\",[\"(\",[\"<e>\",null,\"{inner}\"],\")\"]]"));
    // Nothing is below the last nonterminal but its terminal, which is no deeper than the tree.
    let all = JsonTree::new(&grammar, &tree).to_string();
    assert_eq!(JsonTree::new(&grammar, &tree).down_to(501).to_string(), all);
}

/// The tree that a value in JSON means, as the list of its nodes: names with numbers of children, and texts.
fn nodes_of(value: &Value) -> Vec<(String, Option<usize>)> {
    let mut nodes = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if let Some(text) = value.as_str() {
            nodes.push((text.to_owned(), None));
            continue;
        }
        let name = value[0].as_str().expect("a name").to_owned();
        match (value[1].as_u64(), value[1].as_array()) {
            (Some(arity), _) => nodes.push((name, Some(arity as usize))),
            (None, children) => {
                let children = children.expect("a list of children");
                nodes.push((name, Some(children.len())));
                open.extend(children.iter().rev());
            }
        }
    }
    nodes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn both_forms_in_json_tell_the_same_tree(grammar in grammars(GrammarShape::default())) {
        for tree in trees_up_to(&grammar, grammar.start(), 4) {
            let json = JsonTree::new(&grammar, &tree);
            let nested: Value = serde_json::from_str(&json.to_string()).expect("it is JSON");
            let listed = json.nested_up_to(0).to_string();
            let listed: Value = serde_json::from_str(&listed).expect("it is JSON");
            let Some(listed) = listed["preorder"].as_array() else {
                prop_assert_eq!(tree.size(tree.root()), 1);
                continue;
            };
            let listed: Vec<_> = listed.iter().flat_map(nodes_of).collect();
            prop_assert_eq!(nodes_of(&nested), listed);
        }
    }

    #[test]
    fn the_text_is_in_the_outline_at_every_depth(
        grammar in grammars(GrammarShape::default()),
        depth in 0usize..6,
    ) {
        for tree in trees_up_to(&grammar, grammar.start(), 4) {
            let value = JsonTree::new(&grammar, &tree).down_to(depth).to_string();
            let value: Value = serde_json::from_str(&value).expect("it is JSON");
            let mut text = String::new();
            let mut open = vec![(&value, 0)];
            while let Some((value, above)) = open.pop() {
                prop_assert!(above <= depth);
                if let Some(terminal) = value.as_str() {
                    text.push_str(terminal);
                } else if let Some(children) = value[1].as_array() {
                    open.extend(children.iter().rev().map(|child| (child, above + 1)));
                } else {
                    prop_assert_eq!(above, depth);
                    text.push_str(value[2].as_str().expect("the text below"));
                }
            }
            prop_assert_eq!(text, String::from_utf8_lossy(&tree.text(&grammar)).into_owned());
        }
    }
}
