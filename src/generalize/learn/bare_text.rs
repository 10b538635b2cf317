//! Texts without what stands between words.

use crate::grammar::Grammar;
use crate::grammar::lexis::is_gap;
use crate::tree::{Label, NodeId, Tree};

/// The text below a node, without what stands between words.
pub(super) fn bare_text(grammar: &Grammar, tree: &Tree, node: NodeId) -> Vec<u8> {
    bare_text_with(grammar, tree, node, |_, c| c)
}

/// The same with other characters in the place of those of nodes.
pub(super) fn bare_text_with(
    grammar: &Grammar,
    tree: &Tree,
    node: NodeId,
    character: impl Fn(NodeId, char) -> char,
) -> Vec<u8> {
    let mut text = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match tree.label(node) {
            Label::Literal(literal) => text.extend_from_slice(grammar.literal(literal)),
            Label::Char(c) => text.extend_from_slice(character(node, c).encode_utf8(&mut [0; 4]).as_bytes()),
            Label::Rule(rule) if is_gap(grammar, grammar.rule(rule).lhs) => {}
            Label::Rule(_) => open.extend(tree.children(node).iter().rev()),
        }
    }
    text
}
