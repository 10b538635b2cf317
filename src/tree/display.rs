//! A derivation tree as an indented outline, a line a node.
//!
//! What is written is linear in the size of the tree, however deep it is.

use std::fmt;

use crate::grammar::Grammar;

use super::arena::{Label, NodeId, Tree};

/// Lines of at most this many levels are indented by all of them. Deeper ones are indented by this many and begin
/// with their level, as indentation without limit would make the output quadratic.
const MOST_INDENTED: usize = 40;

/// Shows a tree: `<name>` for nonterminals, quoted text for terminals, children indented.
///
/// A chain of nodes with one child each stays on one line, as `<json> <elt> <object>`. From level 41 on a
/// line begins with its level in place of further indentation, as `(41) <elt>`.
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    depth: usize,
}

impl<'a> Outline<'a> {
    /// The outline of the whole of `tree`.
    pub fn new(grammar: &'a Grammar, tree: &'a Tree) -> Self {
        Self { grammar, tree, depth: usize::MAX }
    }

    /// The outline down to the nodes `depth` edges below the root. Of a nonterminal there, the text that it
    /// derives is shown: `<elt> =>* "[1, 2]"`.
    #[must_use]
    pub fn down_to(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The text of a terminal as it stands between quotes; nothing for a nonterminal.
    fn write_text(&self, node: NodeId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tree.label(node) {
            Label::Rule(_) => Ok(()),
            Label::Literal(literal) => write!(f, "{}", self.grammar.literal(literal).escape_ascii()),
            Label::Char(c) => write!(f, "{}", c.escape_debug()),
        }
    }

    fn write_node(&self, node: NodeId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tree.label(node) {
            Label::Rule(rule) => write!(f, "{}", self.grammar.name(self.grammar.rule(rule).lhs)),
            Label::Literal(_) | Label::Char(_) => {
                f.write_str("\"")?;
                self.write_text(node, f)?;
                f.write_str("\"")
            }
        }
    }
}

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nodes with the level of their line and their depth, which differ because of chains.
        let mut open = vec![(self.tree.root(), 0, 0)];
        while let Some((mut node, level, mut depth)) = open.pop() {
            write!(f, "{:1$}", "", 2 * level.min(MOST_INDENTED))?;
            if level > MOST_INDENTED {
                write!(f, "({level}) ")?;
            }
            loop {
                self.write_node(node, f)?;
                let children = self.tree.children(node);
                if depth == self.depth && !children.is_empty() {
                    f.write_str(" =>* \"")?;
                    self.tree.preorder(node).try_for_each(|below| self.write_text(below, f))?;
                    f.write_str("\"")?;
                    break;
                }
                depth += 1;
                match children {
                    [only] => {
                        f.write_str(" ")?;
                        node = *only;
                    }
                    children => {
                        open.extend(children.iter().rev().map(|&child| (child, level + 1, depth)));
                        break;
                    }
                }
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}
