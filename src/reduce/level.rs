//! The levels of a derivation tree, as hierarchical delta debugging sees it: the elements of a list are on one level, however
//! deep their nodes are ("flattened recursion" in later papers).

use crate::oracle::{Halt, Judge};
use crate::tree::NodeId;

use super::list::{List, rest};
use super::minimize::Minimizer;
use super::workpiece::{Edit, Workpiece};

/// A part of a tree that a level has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A node that is no element of a list.
    Node(NodeId),
    /// An element of one of the level's lists: which list, and which element.
    Element(usize, usize),
}

/// A level of a tree.
#[derive(Clone, Debug)]
pub(super) struct Level {
    lists: Vec<List>,
    parts: Vec<Part>,
}

impl Level {
    /// The level of the root.
    pub(super) fn first(piece: &Workpiece<'_>) -> Self {
        Self { lists: Vec::new(), parts: vec![Part::Node(piece.tree().root())] }
    }

    /// Prunes level after level from the root down. What `then` does with a level that was pruned, it says whether it changed
    /// anything. Says whether anything changed.
    pub(super) fn prune_all<'g>(
        piece: &mut Workpiece<'g>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
        mut then: impl FnMut(&mut Self, &mut Workpiece<'g>, &mut Judge<'_>) -> Result<bool, Halt>,
    ) -> Result<bool, Halt> {
        let mut level = Self::first(piece);
        let mut is_changed = false;
        while !level.is_empty() {
            is_changed |= level.prune(piece, minimizer, judge)?;
            is_changed |= then(&mut level, piece, judge)?;
            level = level.next(piece);
        }
        Ok(is_changed)
    }

    /// Whether there is nothing on the level.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Has `edit` edit each node of the level that is still in the tree when its turn comes: an edit of one may leave out another one. `edit` says which node
    /// stands in the place of its node then, if that is another one. Says whether anything changed.
    pub(super) fn edit_each<'g>(
        &mut self,
        piece: &mut Workpiece<'g>,
        mut edit: impl FnMut(&mut Workpiece<'g>, NodeId) -> Result<Option<NodeId>, Halt>,
    ) -> Result<bool, Halt> {
        let mut is_changed = false;
        for node in self.nodes(piece) {
            if piece.is_live(node)
                && let Some(new) = edit(piece, node)?
            {
                self.replace(node, new);
                is_changed = true;
            }
        }
        Ok(is_changed)
    }

    /// The nodes of the level that are still in the tree.
    fn nodes(&self, piece: &Workpiece<'_>) -> Vec<NodeId> {
        let node = |part: &Part| match *part {
            Part::Node(node) => node,
            Part::Element(list, element) => self.lists[list].node(element),
        };
        self.parts.iter().map(node).filter(|&node| piece.is_live(node)).collect()
    }

    /// From now on `new` stands where `old` stood.
    pub(super) fn replace(&mut self, old: NodeId, new: NodeId) {
        for part in &mut self.parts {
            if *part == Part::Node(old) {
                *part = Part::Node(new);
            }
        }
        self.lists.iter_mut().for_each(|list| list.replace(old, new));
    }

    /// The level below those parts of this one that are still in the tree.
    pub(super) fn next(&self, piece: &Workpiece<'_>) -> Self {
        let mut next = Self { lists: Vec::new(), parts: Vec::new() };
        for part in &self.parts {
            match *part {
                Part::Node(node) if piece.is_live(node) => {
                    if let Some(list) = List::at(piece, node) {
                        let place = next.lists.len();
                        next.parts.extend((0..list.len()).map(|element| Part::Element(place, element)));
                        next.lists.push(list);
                    } else {
                        next.add(piece, piece.tree().children(node).iter().copied());
                    }
                }
                Part::Element(list, element) => {
                    let node = self.lists[list].node(element);
                    if piece.is_live(node) {
                        // Its node may have another rest now.
                        let rest = rest(piece, node);
                        let children = piece.tree().children(node).iter().copied();
                        next.add(piece, children.filter(|&child| Some(child) != rest));
                    }
                }
                Part::Node(_) => {}
            }
        }
        next
    }

    fn add(&mut self, piece: &Workpiece<'_>, nodes: impl Iterator<Item = NodeId>) {
        self.parts.extend(nodes.filter(|&node| piece.editable(node).is_some()).map(Part::Node));
    }

    /// Prunes the level: leaves out elements of lists and makes other nodes as short as they can be, as many as possible.
    /// Says whether anything was pruned.
    pub(super) fn prune(
        &mut self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        let prunable = self.prunable(piece);
        let weight = |part: &Part| match *part {
            Part::Node(node) => piece.tokens(node).max(1),
            Part::Element(list, element) => self.lists[list].tokens(piece, element),
        };
        let weights: Vec<usize> = prunable.iter().map(weight).collect();
        let mut found: Option<Vec<Edit>> = None;
        let ended = minimizer.minimize(&weights, &mut |kept| {
            let Some(edits) = self.pruning(piece, &prunable, kept) else { return Ok(false) };
            let fails = piece.fails_with(&edits, judge)?;
            if fails {
                found = Some(edits);
            }
            Ok(fails)
        });
        let is_changed = found.is_some();
        if let Some(edits) = found {
            self.apply(piece, &edits);
        }
        ended.map(|_| is_changed)
    }

    /// Leaves out all subsets of `size` neighbouring parts, the larger ones first; with `is_thrifty` only those that stand side by side. A
    /// node whose shortest string has more tokens stays. Says whether anything was left out.
    pub(super) fn prune_windows(
        &mut self,
        piece: &mut Workpiece<'_>,
        size: usize,
        is_thrifty: bool,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        let mut is_changed = false;
        let mut begin = 0;
        // Nodes of the level may have been edited since it was made.
        self.forget_dead(piece);
        let mut prunable = self.with_no_more_tokens(piece);
        while begin < prunable.len() {
            let end = (begin + size).min(prunable.len());
            let mut subsets: Vec<u32> = (1..1 << (end - begin)).collect();
            if is_thrifty {
                // Ones without a gap.
                subsets.retain(|subset| ((subset >> subset.trailing_zeros()) + 1).is_power_of_two());
            }
            subsets.sort_by_key(|subset| std::cmp::Reverse(subset.count_ones()));
            let mut found = None;
            for subset in subsets {
                let is_out =
                    |place: &usize| (begin..end).contains(place) && subset >> (place - begin) & 1 == 1;
                let out: Vec<usize> = (begin..end).filter(is_out).collect();
                let Some(edits) = self.pruning_few(piece, &prunable, &out) else { continue };
                if piece.fails_with(&edits, judge)? {
                    found = Some(edits);
                    break;
                }
            }
            match found {
                Some(edits) => {
                    is_changed = true;
                    self.apply(piece, &edits);
                    prunable = self.with_no_more_tokens(piece);
                }
                None => begin += 1,
            }
        }
        Ok(is_changed)
    }

    /// The prunable parts that have no more tokens when they are pruned.
    fn with_no_more_tokens(&self, piece: &Workpiece<'_>) -> Vec<Part> {
        let mut parts = self.prunable(piece);
        parts.retain(|part| match *part {
            Part::Node(node) => piece.minimal_tokens(node).is_some_and(|least| least <= piece.tokens(node)),
            Part::Element(..) => true,
        });
        parts
    }

    /// The edits that leave out these of the prunable parts: those of [`Self::pruning`], found without a look at the other parts.
    fn pruning_few(&self, piece: &Workpiece<'_>, prunable: &[Part], out: &[usize]) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut elements: Vec<(usize, usize)> = Vec::new();
        for &place in out {
            match prunable[place] {
                Part::Node(node) => edits.push(Edit::Minimal(node)),
                Part::Element(list, element) => elements.push((list, element)),
            }
        }
        // The lists in their order, which is that of the parts.
        for of_list in elements.chunk_by(|a, b| a.0 == b.0) {
            let elements: Vec<usize> = of_list.iter().map(|&(_, element)| element).collect();
            edits.extend(self.lists[of_list[0].0].leaving_out(piece, &elements)?);
        }
        Some(edits)
    }

    /// Makes edits, and forgets what is no longer in the tree.
    fn apply(&mut self, piece: &mut Workpiece<'_>, edits: &[Edit]) {
        for (old, new) in piece.apply_all(edits) {
            self.replace(old, new);
        }
        self.forget_dead(piece);
    }

    /// Forgets the elements of lists that are no longer in the tree.
    fn forget_dead(&mut self, piece: &Workpiece<'_>) {
        self.lists.iter_mut().for_each(|list| list.forget_dead(piece));
        let parts = std::mem::take(&mut self.parts);
        let mut last = None;
        for part in parts {
            match part {
                Part::Node(_) => self.parts.push(part),
                // The elements of a list stand in a row.
                Part::Element(list, _) if last == Some(list) => {}
                Part::Element(list, _) => {
                    let elements = 0..self.lists[list].len();
                    self.parts.extend(elements.map(|element| Part::Element(list, element)));
                    last = Some(list);
                }
            }
        }
    }

    /// The parts that can be pruned and are still in the tree.
    fn prunable(&self, piece: &Workpiece<'_>) -> Vec<Part> {
        let is_prunable = |part: &&Part| match **part {
            Part::Node(node) => piece.is_live(node) && piece.can_be_shorter(node),
            Part::Element(list, element) => piece.is_live(self.lists[list].node(element)),
        };
        self.parts.iter().filter(is_prunable).copied().collect()
    }

    /// The edits that leave of the prunable parts only those whose places are `kept`.
    fn pruning(&self, piece: &Workpiece<'_>, prunable: &[Part], kept: &[usize]) -> Option<Vec<Edit>> {
        let mut edits = Vec::new();
        let mut of_lists: Vec<Vec<usize>> = vec![Vec::new(); self.lists.len()];
        let mut kept = kept.iter().peekable();
        for (place, part) in prunable.iter().enumerate() {
            let is_kept = kept.next_if_eq(&&place).is_some();
            match *part {
                Part::Node(node) if !is_kept => edits.push(Edit::Minimal(node)),
                Part::Element(list, element) if is_kept => of_lists[list].push(element),
                Part::Node(_) | Part::Element(..) => {}
            }
        }
        for (list, elements) in self.lists.iter().zip(of_lists) {
            if elements.len() < list.len() {
                edits.extend(list.leaving(piece, &elements)?);
            }
        }
        Some(edits)
    }
}
