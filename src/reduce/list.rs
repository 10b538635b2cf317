//! Lists in a derivation tree: nodes of one nonterminal, each the first or the last child of the one before. So are
//! repetitions written in a grammar, by its author (`<elts> ::= <elt> "," <elts> | <elt>`) or by an operator of the
//! notation (`<elt>*`). Papers that have trees with nodes for `*` and `+` call these quantified nodes.
//!
//! A node of the list stands for its element, which is what it has besides the rest of the list. Elements are left out by
//! linking the nodes around them. Where the last nodes of the chain go, the one that is the last then is expanded by a rule that
//! needs no rest.

use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::minimize::Minimizer;
use super::workpiece::{Edit, Workpiece};

/// A list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// The chain of nodes, from the outermost.
    chain: Vec<NodeId>,
    /// Whether the innermost node is an empty rest, which is no element.
    has_empty_rest: bool,
}

impl List {
    /// The list that begins at `node`, if one does.
    pub(super) fn at(piece: &Workpiece<'_>, node: NodeId) -> Option<Self> {
        if piece.tree().parent(node).is_some_and(|parent| rest(piece, parent) == Some(node)) {
            return None;
        }
        let mut chain = vec![node];
        while let Some(next) = chain.last().and_then(|&last| rest(piece, last)) {
            chain.push(next);
        }
        let has_empty_rest = ends_empty(piece, &chain);
        (chain.len() > 1).then_some(Self { chain, has_empty_rest })
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.chain.len() - usize::from(self.has_empty_rest)
    }

    /// The node of an element.
    pub(super) fn node(&self, element: usize) -> NodeId {
        self.chain[element]
    }

    /// From now on another node stands for the element of `old`.
    pub(super) fn replace(&mut self, old: NodeId, new: NodeId) {
        self.chain.iter_mut().filter(|node| **node == old).for_each(|node| *node = new);
    }

    /// Forgets the nodes that are no longer in the tree.
    pub(super) fn forget_dead(&mut self, piece: &Workpiece<'_>) {
        let rest = self.chain.last().copied().filter(|_| self.has_empty_rest);
        self.chain.retain(|&node| piece.is_live(node));
        let has_kept_rest = rest.is_some() && self.chain.last().copied() == rest;
        self.has_empty_rest = has_kept_rest || ends_empty(piece, &self.chain);
    }

    /// The nodes of an element: the children of its node but for the rest of the list.
    pub(super) fn parts<'p>(
        &self,
        piece: &'p Workpiece<'_>,
        element: usize,
    ) -> impl Iterator<Item = NodeId> + use<'p> {
        let node = self.chain[element];
        let rest = rest(piece, node);
        piece.tree().children(node).iter().copied().filter(move |&child| Some(child) != rest)
    }

    /// Leaves out as many elements as possible. Says whether any was. When it is halted, what failed last is what is left.
    pub(super) fn minimize(
        &mut self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        let weights: Vec<usize> = (0..self.len()).map(|element| self.tokens(piece, element)).collect();
        let mut found = None;
        let ended = minimizer.minimize(&weights, &mut |kept| {
            let Some(edits) = self.leaving(piece, kept) else { return Ok(false) };
            let fails = piece.fails_with(&edits, judge)?;
            if fails {
                found = Some(edits);
            }
            Ok(fails)
        });
        let is_changed = found.is_some();
        for (old, new) in found.map(|edits| piece.apply_all(&edits)).into_iter().flatten() {
            self.replace(old, new);
        }
        self.forget_dead(piece);
        ended.map(|_| is_changed)
    }

    /// The number of tokens of an element; at least 1, as elements are weighed by it.
    pub(super) fn tokens(&self, piece: &Workpiece<'_>, element: usize) -> usize {
        self.parts(piece, element).map(|part| piece.tokens(part)).sum::<usize>().max(1)
    }

    /// The edits that leave these elements, ascending, and no others. `None` if the grammar does not allow that.
    pub(super) fn leaving(&self, piece: &Workpiece<'_>, kept: &[usize]) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut next = 0;
        for &element in kept.iter().chain(std::iter::once(&self.len())) {
            if element > next {
                edits.push(self.without_run(piece, next, element)?);
            }
            next = element + 1;
        }
        Some(edits)
    }

    /// The edits that leave out these elements, ascending, and no others. `None` if the grammar does not allow that.
    pub(super) fn leaving_out(&self, piece: &Workpiece<'_>, out: &[usize]) -> Option<Vec<Edit>> {
        let runs = out.chunk_by(|a, b| a + 1 == *b);
        runs.map(|run| self.without_run(piece, run[0], run[0] + run.len())).collect()
    }

    /// The edit that leaves out the elements `begin..end`.
    fn without_run(&self, piece: &Workpiece<'_>, begin: usize, end: usize) -> Option<Edit> {
        match self.chain.get(end) {
            // Something follows.
            Some(&after) => Some(Edit::Hoist(self.chain[begin], after)),
            // The end of the list.
            None if begin == 0 => Some(Edit::Empty(self.chain[0])),
            None => ending(piece, self.chain[begin - 1], self.chain[begin]),
        }
    }
}

/// Whether the innermost node of a list is an empty rest.
fn ends_empty(piece: &Workpiece<'_>, chain: &[NodeId]) -> bool {
    chain.len() > 1 && chain.last().is_some_and(|&last| piece.length(last) == 0)
}

/// The node that continues the list at `node`, if one does.
pub(super) fn rest(piece: &Workpiece<'_>, node: NodeId) -> Option<NodeId> {
    let nonterminal = piece.editable(node)?;
    let children = piece.tree().children(node);
    let (first, last) = (*children.first()?, *children.last()?);
    let continues = |&child: &NodeId| piece.editable(child) == Some(nonterminal);
    if children.len() < 2 {
        return None;
    }
    [last, first].into_iter().find(continues)
}

/// The edit by which `node` is the last of its list, without `rest`: the one that keeps most of it.
pub(super) fn ending(piece: &Workpiece<'_>, node: NodeId, rest: NodeId) -> Option<Edit> {
    let edits = piece.rules_without(node, rest).into_iter();
    let left = |edit: &Edit| piece.candidate_length(*edit).unwrap_or(0);
    edits.max_by_key(left)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{grammar, parsed};
    use super::*;

    /// The texts that come of leaving out elements of the longest list of a text, by which are kept.
    fn texts(lines: &[&str], text: &str, kept: &[&[usize]]) -> Vec<Option<String>> {
        let grammar = grammar(lines);
        let piece = Workpiece::new(&grammar, parsed(&grammar, text.as_bytes()));
        let nodes: Vec<NodeId> = piece.tree().preorder(piece.tree().root()).collect();
        let lists = nodes.into_iter().filter_map(|node| List::at(&piece, node));
        let list = lists.max_by_key(List::len).unwrap();
        let text = |edits: Vec<Edit>| {
            let text = piece.candidate_of(&edits)?;
            let mut edited = Workpiece::new(&grammar, piece.tree().clone());
            edited.apply_all(&edits);
            assert_eq!(edited.text(), text);
            assert_eq!(edited.tree(), &parsed(&grammar, &text), "{}", text.escape_ascii());
            Some(String::from_utf8(text).unwrap())
        };
        kept.iter().map(|kept| list.leaving(&piece, kept).and_then(text)).collect()
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn elements_are_left_out_wherever_they_stand() {
        let kept: [&[usize]; 6] = [&[1, 2, 3], &[0, 2, 3], &[0, 1, 2], &[1], &[0, 3], &[0]];
        let right = texts(&["a = [ es ]", "es = e , es | e", "e = x | y | z | w"], "[x,y,z,w]", &kept);
        assert_eq!(right, some(&["[y,z,w]", "[x,z,w]", "[x,y,z]", "[y]", "[x,w]", "[x]"]));
        let star = texts(&["a = ( es )", "es = e es | {}", "e = x | y | z | w"], "(xyzw)", &kept);
        assert_eq!(star, some(&["(yzw)", "(xzw)", "(xyz)", "(y)", "(xw)", "(x)"]));
        // The outermost node of a list that grows to the left has the last element.
        let left = texts(&["es = es + e | e", "e = x | y | z | w"], "x+y+z+w", &kept);
        assert_eq!(left, some(&["x+y+z", "x+y+w", "y+z+w", "z", "x+w", "w"]));
    }

    #[test]
    fn all_are_left_out_where_the_grammar_says_so() {
        assert_eq!(texts(&["a = ( es )", "es = e es | {}", "e = x"], "(xxx)", &[&[]]), some(&["()"]));
        assert_eq!(texts(&["a = ( es )", "es = e es | e", "e = x"], "(xxx)", &[&[]]), [None]);
    }

    #[test]
    fn what_must_follow_a_list_stays() {
        let of = |kept: &[usize]| texts(&["es = x es | ;"], "xx;", &[kept]);
        assert_eq!(of(&[2]), some(&[";"]));
        assert_eq!(of(&[0]), [None]);
    }
}
