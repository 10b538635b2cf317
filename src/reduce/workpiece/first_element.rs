//! The first element of a list `x (sep x)*`, which stands before the repetition: it is left out when the second one takes its
//! place.

use crate::grammar::{HelperKind, Role, Symbol};
use crate::tree::NodeId;

use super::{Edit, Workpiece};

impl Workpiece<'_> {
    /// The edits of `node` that take the first element out of a list among its children.
    pub(in crate::reduce) fn without_first(&self, node: NodeId) -> Vec<Edit> {
        let places = 0..self.editable(node).map_or(0, |_| self.tree.children(node).len());
        let lists = places.filter(|&place| self.second_element(node, place).is_some());
        lists.map(|place| Edit::DropFirst(node, place)).collect()
    }

    /// Of a list `x (sep x)*` whose repetition is a child of `node`, in this place: the children of the repetition
    /// that take the place of as many before it, and of the repetition itself. An element is what stands alike before both.
    pub(super) fn second_element(&self, node: NodeId, place: usize) -> Option<&[NodeId]> {
        let repetition = self.tree.children(node)[place];
        let id = self.tree.nonterminal(self.grammar, repetition)?;
        if self.grammar.nonterminal(id).role != Role::Helper(HelperKind::Star) {
            return None;
        }
        let symbols = &self.grammar.rule(self.tree.rule(node)?).symbols[..place];
        let (last, again) = self.grammar.rule(self.tree.rule(repetition)?).symbols.split_last()?;
        let alike =
            symbols.iter().rev().zip(again.iter().rev()).take_while(|(one, other)| one == other).count();
        let is_element =
            again[again.len() - alike..].iter().any(|symbol| !matches!(symbol, Symbol::Literal(_)));
        if *last != Symbol::Nonterminal(id) || !is_element {
            return None;
        }
        Some(&self.tree.children(repetition)[again.len() - alike..])
    }
}
