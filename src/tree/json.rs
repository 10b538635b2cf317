//! A derivation tree as JSON, for other programs.
//!
//! The nested form is the fuzzingbook's. Readers of JSON have a limit of nesting, and derivation trees
//! have none, so a tree that is too deep is written as the list of its nodes instead.

use std::fmt::{self, Write};

use crate::grammar::Grammar;

use super::arena::{Label, NodeId, Tree};

/// The depth of the deepest trees that are nested: two lists for each level stay well below 1000, which is
/// where Python's reader gives up.
const MOST_NESTED: usize = 400;

/// Writes a tree as a value of JSON.
///
/// A terminal is a string, in which what is not UTF-8 becomes replacement characters. A nonterminal is
/// `["<name>", [children]]`, or `["<name>", null, "text"]` when what is below it was left out. A tree deeper than
/// 400 levels becomes `{"preorder": [...]}`: all its nodes, parents before children, from left to right, where a
/// nonterminal is `["<name>", number of children]`.
#[derive(Clone, Copy, Debug)]
pub struct JsonTree<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    depth: usize,
    most_nested: usize,
}

/// What is left to be written.
enum Step {
    Node(NodeId, usize),
    /// Between two nodes.
    Comma,
    /// Behind the children of a node.
    Close,
}

impl<'a> JsonTree<'a> {
    /// The whole of `tree`.
    pub fn new(grammar: &'a Grammar, tree: &'a Tree) -> Self {
        Self { grammar, tree, depth: usize::MAX, most_nested: MOST_NESTED }
    }

    /// Only the nodes at most `depth` edges below the root.
    #[must_use]
    pub fn down_to(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// The list of the nodes of every tree that is deeper than `depth`.
    #[cfg(test)]
    #[must_use]
    pub(super) fn nested_up_to(self, depth: usize) -> Self {
        Self { most_nested: depth, ..self }
    }

    /// Whether some node that is shown is further below the root than `depth` edges.
    fn is_deeper_than(&self, depth: usize) -> bool {
        if depth >= self.depth {
            return false;
        }
        let mut open = vec![(self.tree.root(), 0)];
        while let Some((node, above)) = open.pop() {
            if above > depth {
                return true;
            }
            open.extend(self.tree.children(node).iter().map(|&child| (child, above + 1)));
        }
        false
    }

    /// Begins a nonterminal; says whether its children are left out.
    fn write_name(
        &self,
        node: NodeId,
        name: &str,
        depth: usize,
        f: &mut fmt::Formatter<'_>,
    ) -> Result<bool, fmt::Error> {
        f.write_str("[")?;
        write_string(name, f)?;
        let is_cut = depth == self.depth && !self.tree.children(node).is_empty();
        if is_cut {
            let mut text = Vec::new();
            self.tree.write_yield(self.grammar, node, &mut text);
            f.write_str(",null,")?;
            write_string(&String::from_utf8_lossy(&text), f)?;
            f.write_str("]")?;
        }
        Ok(is_cut)
    }

    fn write(&self, is_nested: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![Step::Node(self.tree.root(), 0)];
        while let Some(step) = open.pop() {
            let (node, depth) = match step {
                Step::Node(node, depth) => (node, depth),
                Step::Comma => {
                    f.write_char(',')?;
                    continue;
                }
                Step::Close => {
                    f.write_str("]]")?;
                    continue;
                }
            };
            let rule = match self.tree.label(node) {
                Label::Rule(rule) => rule,
                Label::Literal(literal) => {
                    write_string(&String::from_utf8_lossy(self.grammar.literal(literal)), f)?;
                    continue;
                }
                Label::Char(c) => {
                    write_string(c.encode_utf8(&mut [0; 4]), f)?;
                    continue;
                }
            };
            let name = self.grammar.name(self.grammar.rule(rule).lhs).to_string();
            if self.write_name(node, &name, depth, f)? {
                continue;
            }
            let children = self.tree.children(node);
            if is_nested {
                f.write_str(",[")?;
                open.push(Step::Close);
            } else {
                write!(f, ",{}]", children.len())?;
            }
            for (index, &child) in children.iter().enumerate().rev() {
                open.push(Step::Node(child, depth + 1));
                // In a list of all nodes a comma stands before the first child, too.
                if index > 0 || !is_nested {
                    open.push(Step::Comma);
                }
            }
        }
        Ok(())
    }
}

fn write_string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

impl fmt::Display for JsonTree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_deeper_than(self.most_nested) {
            return self.write(true, f);
        }
        f.write_str("{\"preorder\":[")?;
        self.write(false, f)?;
        f.write_str("]}")
    }
}
