//! Other rules by which a node could be expanded, with some of its children.

use crate::grammar::{RuleId, Symbol};
use crate::tree::NodeId;

use super::{Edit, Workpiece};

impl Workpiece<'_> {
    /// The edits of `node` that change its rule.
    pub(in crate::reduce) fn shorter_rules(&self, node: NodeId) -> Vec<Edit> {
        let Some(nonterminal) = self.editable(node) else { return Vec::new() };
        self.grammar
            .rules_of(nonterminal)
            .iter()
            .filter(|&&rule| Some(rule) != self.tree.rule(node))
            .filter(|&&rule| self.kept(node, rule).is_some())
            .map(|&rule| Edit::Shorten(node, rule))
            .collect()
    }

    /// The rules by which `node` could be expanded instead so that the child `dropped` is gone.
    pub(in crate::reduce) fn rules_without(&self, node: NodeId, dropped: NodeId) -> Vec<Edit> {
        let children = self.tree.children(node);
        let mut edits = self.shorter_rules(node);
        edits.retain(|edit| {
            let Edit::Shorten(_, rule) = *edit else { return false };
            self.kept(node, rule)
                .is_some_and(|kept| kept.into_iter().flatten().all(|index| children[index] != dropped))
        });
        edits
    }

    /// For each symbol of `rule` the child of `node` that can stand for it; `None` for literals,
    /// whose bytes must all occur in the literals of the node's own rule.
    pub(super) fn kept(&self, node: NodeId, rule: RuleId) -> Option<Vec<Option<usize>>> {
        let symbols = &self.grammar.rule(self.tree.rule(node)?).symbols;
        let wanted = &self.grammar.rule(rule).symbols;
        let mut bytes = self.literal_bytes(symbols);
        if !self.literal_bytes(wanted).all(|byte| bytes.any(|found| found == byte)) {
            return None;
        }
        let mut next = 0;
        wanted
            .iter()
            .map(|wanted| {
                if matches!(wanted, Symbol::Literal(_)) {
                    return Some(None);
                }
                let index = next + symbols[next..].iter().position(|symbol| symbol == wanted)?;
                next = index + 1;
                Some(Some(index))
            })
            .collect()
    }

    fn literal_bytes<'s>(&'s self, symbols: &'s [Symbol]) -> impl Iterator<Item = u8> + 's {
        symbols
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Literal(literal) => Some(self.grammar.literal(*literal)),
                Symbol::Class(_) | Symbol::Nonterminal(_) => None,
            })
            .flatten()
            .copied()
    }
}
