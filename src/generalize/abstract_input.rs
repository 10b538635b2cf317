//! An abstract input: an input of which some parts may vary.

use crate::grammar::Grammar;
use crate::pattern::{Openness, Pattern, PatternNode};
use crate::tree::{NodeId, Tree};

use super::AbstractNodes;

/// A failing input of which some parts may vary.
#[derive(Clone, Debug)]
pub struct AbstractInput {
    /// The derivation tree of the input.
    pub tree: Tree,
    /// What may vary.
    pub abstract_nodes: AbstractNodes,
    /// The whole input as a pattern.
    pub pattern: Pattern,
}

impl AbstractInput {
    /// The input with derivation tree `tree`, of which these parts may vary.
    pub fn new(grammar: &Grammar, tree: &Tree, abstract_nodes: AbstractNodes) -> Self {
        let pattern = pattern_of(grammar, tree, tree.root(), &abstract_nodes);
        Self { tree: tree.clone(), abstract_nodes, pattern }
    }

    /// The number of abstract nodes that the grammar's author named.
    pub fn visible_nonterminals(&self, grammar: &Grammar) -> usize {
        self.count_abstract_nodes(grammar, false)
    }

    /// The number of abstract nodes that an operator of the notation made.
    pub fn invisible_nonterminals(&self, grammar: &Grammar) -> usize {
        self.count_abstract_nodes(grammar, true)
    }

    fn count_abstract_nodes(&self, grammar: &Grammar, helpers: bool) -> usize {
        let is_counted = |node: &&PatternNode| {
            node.open().is_some_and(|nonterminal| grammar.nonterminal(nonterminal).is_helper() == helpers)
        };
        self.pattern.nodes().iter().filter(is_counted).count()
    }

    /// The number of characters of the input that stayed as they were.
    pub fn concrete_chars(&self, grammar: &Grammar) -> usize {
        let chars = |node: &PatternNode| match node {
            PatternNode::Literal(literal) => {
                String::from_utf8_lossy(grammar.literal(*literal)).chars().count()
            }
            PatternNode::Char(_) | PatternNode::Letter(_) => 1,
            _ => 0,
        };
        self.pattern.nodes().iter().map(chars).sum()
    }

    /// The abstract input as a person wants to read it: placeholders for what the grammar's author named, and
    /// the input's own text for all else, such as white space and repetitions. (ISSTA 2020, section 5: the
    /// papers call this the compact form, and what it does not show invisible.)
    ///
    /// For example `var <$name:1> = <expression>`.
    pub fn compact(&self, grammar: &Grammar) -> String {
        let tree = &self.tree;
        let spans = tree.spans(grammar);
        let text = tree.text(grammar);
        let openness = self.abstract_nodes.below(tree, tree.root());
        let mut compact = String::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            let (begin, end) = spans[node];
            let own = || String::from_utf8_lossy(&text[begin..end]);
            let Some(nonterminal) = tree.nonterminal(grammar, node) else {
                compact.push_str(&own());
                continue;
            };
            match openness.get(&node) {
                None => open.extend(tree.children(node).iter().rev()),
                Some(_) if grammar.nonterminal(nonterminal).is_helper() => compact.push_str(&own()),
                Some(Openness::Abstract | Openness::Where(None, _)) => {
                    compact.push_str(&grammar.name(nonterminal).to_string())
                }
                Some(Openness::Bound(number) | Openness::Where(Some(number), _)) => {
                    compact.push_str(&format!("<${}:{number}>", grammar.name(nonterminal).text()));
                }
            }
        }
        compact
    }
}

/// The subtree at `root` as a pattern, open where nodes may vary.
pub(super) fn pattern_of(
    grammar: &Grammar,
    tree: &Tree,
    root: NodeId,
    abstract_nodes: &AbstractNodes,
) -> Pattern {
    let open = abstract_nodes.below(tree, root);
    Pattern::from_tree(grammar, tree, root, |node, _| open.get(&node).cloned())
}
