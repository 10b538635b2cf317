//! A derivation tree as an indented outline, a line a node.

use std::fmt;

use crate::grammar::Grammar;

use super::arena::{Label, NodeId, Tree};

/// Shows a subtree: `<name>` for nonterminals, quoted text for terminals, children indented.
///
/// A chain of nodes with one child each stays on one line, as `<json> <elt> <object>`.
#[derive(Clone, Copy, Debug)]
pub struct Outline<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    node: NodeId,
}

impl<'a> Outline<'a> {
    /// The outline of the whole of `tree`.
    pub fn new(grammar: &'a Grammar, tree: &'a Tree) -> Self {
        Self { grammar, tree, node: tree.root() }
    }
}

impl fmt::Display for Outline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![(self.node, 0)];
        while let Some((mut node, depth)) = open.pop() {
            write!(f, "{:1$}", "", 2 * depth)?;
            loop {
                match self.tree.label(node) {
                    Label::Rule(rule) => write!(f, "{}", self.grammar.name(self.grammar.rule(rule).lhs))?,
                    Label::Literal(literal) => {
                        write!(f, "\"{}\"", self.grammar.literal(literal).escape_ascii())?
                    }
                    Label::Char(c) => write!(f, "\"{}\"", c.escape_debug())?,
                }
                match self.tree.children(node) {
                    [only] => {
                        f.write_str(" ")?;
                        node = *only;
                    }
                    children => {
                        open.extend(children.iter().rev().map(|&child| (child, depth + 1)));
                        break;
                    }
                }
            }
            f.write_str("\n")?;
        }
        Ok(())
    }
}
