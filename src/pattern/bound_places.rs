//! Where a name occurs, or would but for the texts of its bound nodes: what a producer has to repair.

use crate::grammar::Grammar;
use crate::tree::{NodeId, Tree};

use super::bound::BoundNames;
use super::expression::{Expression, Formula, PatternId};
use super::matching::Matching;

impl Expression {
    /// For each node at which a name with bound nodes occurs (`occurs`), or would but for texts that should be equal and are not, or a
    /// constraint that is not met: the nodes whose texts matter, with their numbers, in document order. Where there are several
    /// ways in which the name does, `pick` is given their number and chooses one.
    pub fn bound_places(
        &self,
        grammar: &Grammar,
        tree: &Tree,
        occurs: bool,
        mut pick: impl FnMut(usize) -> usize,
    ) -> Vec<Vec<(u32, NodeId)>> {
        let mut pick = |ways| if ways == 1 { 0 } else { pick(ways) };
        let bound = BoundNames::new(&self.patterns);
        let relaxed = self.relaxed();
        let (equal, all) =
            (Matching::new(grammar, &self.patterns, tree), Matching::new(grammar, &relaxed.patterns, tree));
        let order: Vec<NodeId> = tree.preorder(tree.root()).collect();
        let mut found = Vec::new();
        for name in self.patterns.ids().filter(|&name| bound.depends(name)) {
            let is_wanted = |node| all.occurs(name, node) && equal.occurs(name, node) == occurs;
            for &node in order.iter().filter(|&&node| is_wanted(node)) {
                let mut nodes = Way { expression: self, relaxed: &relaxed, grammar, tree, all: &all }
                    .nodes((name, node), &mut pick);
                nodes.sort_by_key(|&(_, node)| order.iter().position(|&other| other == node));
                nodes.dedup();
                found.push(nodes);
            }
        }
        found
    }
}

/// Where names occur but for the equality of texts.
struct Way<'a> {
    expression: &'a Expression,
    relaxed: &'a Expression,
    grammar: &'a Grammar,
    tree: &'a Tree,
    all: &'a Matching<'a>,
}

impl Way<'_> {
    /// The bound nodes of one way in which a name occurs at a node, with their numbers.
    fn nodes(&self, place: (PatternId, NodeId), pick: &mut impl FnMut(usize) -> usize) -> Vec<(u32, NodeId)> {
        let mut nodes = Vec::new();
        let mut open = vec![place];
        while let Some((name, node)) = open.pop() {
            let alternatives: Vec<_> = self.expression.patterns[name]
                .alternatives
                .iter()
                .zip(&self.relaxed.patterns[name].alternatives)
                .filter(|(_, relaxed)| {
                    Some(relaxed.characteristic()) == self.tree.nonterminal(self.grammar, node)
                })
                .filter_map(|(pattern, relaxed)| {
                    let found = relaxed.open_nodes(self.tree, node)?;
                    let is_met = |&(wanted, node): &_| {
                        let condition = relaxed.node(wanted).condition();
                        condition.is_none_or(|condition| self.holds(condition.formula(), node))
                    };
                    found.iter().all(is_met).then_some((pattern, found))
                })
                .collect();
            if alternatives.is_empty() {
                continue;
            }
            let (pattern, found) = &alternatives[pick(alternatives.len())];
            for &(wanted, node) in found {
                nodes.extend(pattern.node(wanted).number().map(|number| (number, node)));
                if let Some(condition) = pattern.node(wanted).condition() {
                    self.references(condition.formula(), node, &mut open, pick);
                }
            }
        }
        nodes
    }

    /// The names by which a condition holds at a node, with the nodes at which they occur: what is under a negation
    /// binds nothing.
    fn references(
        &self,
        formula: &Formula,
        node: NodeId,
        open: &mut Vec<(PatternId, NodeId)>,
        pick: &mut impl FnMut(usize) -> usize,
    ) {
        match formula {
            Formula::Root(name) if self.all.occurs(*name, node) => open.push((*name, node)),
            Formula::Contains(name) => {
                let below = self.tree.preorder(node).filter(|&node| self.all.occurs(*name, node));
                let below: Vec<NodeId> = below.collect();
                if !below.is_empty() {
                    open.push((*name, below[pick(below.len())]));
                }
            }
            Formula::And(left, right) => {
                self.references(left, node, open, pick);
                self.references(right, node, open, pick);
            }
            Formula::Or(left, right) | Formula::Xor(left, right) => {
                let sides: Vec<_> = [left, right].into_iter().filter(|side| self.holds(side, node)).collect();
                if !sides.is_empty() {
                    self.references(sides[pick(sides.len())], node, open, pick);
                }
            }
            Formula::Implies(_, right) if self.holds(right, node) => {
                self.references(right, node, open, pick);
            }
            _ => {}
        }
    }

    fn holds(&self, formula: &Formula, node: NodeId) -> bool {
        formula.value(&mut |statement| match statement {
            Formula::Root(name) => self.all.occurs(*name, node),
            Formula::Contains(name) => self.tree.preorder(node).any(|node| self.all.occurs(*name, node)),
            other => unreachable!("{other:?} is no statement about a node"),
        })
    }
}
