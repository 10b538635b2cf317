//! Where in a tree something can be changed, and one change drawn there.

use crate::base::random_stream::RandomStream;
use crate::grammar::{NonterminalId, Symbol};
use crate::tree::{NodeId, Tree};

use super::draft::{Changes, Draft, Part};
use super::lists::{Link, Recursion, Variant, chain, links, recursions};
use super::{ChangeKind, Mutator};

/// The number of pairs that are tried when two subtrees are looked for that can change places.
const MOST_PAIRS: usize = 10;

/// Where something can be changed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// At a node.
    Node(NodeId),
    /// At an element of a list.
    Link(Link),
    /// At a node that can be derived by a rule that says more, or less.
    Variant(NodeId),
    /// At the element of a list that stands outside of its chain.
    Outer(OuterElement),
}

/// The element of a list that stands outside of its chain, as the first `x` of `x ("," x)*`.
#[derive(Clone, Copy, Debug)]
pub(super) struct OuterElement {
    /// Where it stands.
    element: NodeId,
    /// The node of the chain that is next to it.
    next: NodeId,
    /// The rule by which the chain has more elements, and the element's place in it.
    recursion: Recursion,
    place: usize,
}

impl Mutator<'_> {
    /// Where a change of this kind can be made, each place with the nonterminal that it counts to.
    pub(super) fn places(&self, kind: ChangeKind, tree: &Tree) -> Vec<(NonterminalId, Place)> {
        let mut places = Vec::new();
        for node in tree.preorder(tree.root()) {
            let Some(rule) = tree.rule(node) else { continue };
            let mut push = |place| places.push((self.grammar().rule(rule).lhs, place));
            let is_list = recursions(self.grammar(), rule).next().is_some();
            match kind {
                ChangeKind::Replace | ChangeKind::Swap => {
                    if node != tree.root() {
                        push(Place::Node(node));
                    }
                }
                ChangeKind::Insert => {
                    if is_list {
                        push(Place::Node(node));
                        self.outer_elements(tree, node).into_iter().map(Place::Outer).for_each(&mut push);
                    }
                    if self.insertions(tree, node).next().is_some() {
                        push(Place::Variant(node));
                    }
                }
                ChangeKind::Delete => {
                    links(self.grammar(), tree, node).map(Place::Link).for_each(&mut push);
                    if !self.lists.shorter[rule].is_empty() {
                        push(Place::Variant(node));
                    }
                    if is_list {
                        let outer = self.outer_elements(tree, node).into_iter();
                        let outer = outer.filter(|outer| self.next_to(tree, *outer).is_some());
                        outer.map(Place::Outer).for_each(&mut push);
                    }
                }
                ChangeKind::Duplicate => {
                    let mut own = links(self.grammar(), tree, node).map(Place::Link).peekable();
                    if own.peek().is_none() && is_list {
                        push(Place::Node(node));
                    }
                    own.for_each(&mut push);
                    if is_list {
                        self.outer_elements(tree, node).into_iter().map(Place::Outer).for_each(&mut push);
                    }
                }
                ChangeKind::Move => links(self.grammar(), tree, node).map(Place::Link).for_each(&mut push),
            }
        }
        places
    }

    /// Draws one change at one of the places; `None` when it does not work out.
    pub(super) fn draw(
        &self,
        kind: ChangeKind,
        places: &[(NonterminalId, Place)],
        draft: &Draft<'_>,
        tree: &Tree,
        stream: &mut RandomStream,
    ) -> Option<Changes> {
        let (nonterminal, place) = pick(places, stream)?;
        let changes = match (kind, place) {
            (ChangeKind::Replace, Place::Node(node)) => {
                vec![(node, vec![Part::Text(self.produced(nonterminal, stream)?)])]
            }
            (ChangeKind::Swap, Place::Node(node)) => {
                let other = |&&(of, _): &&(NonterminalId, Place)| of == nonterminal;
                let others: Vec<_> = places.iter().filter(other).collect();
                let node = (0..MOST_PAIRS).find_map(|_| match stream.pick(&others).1 {
                    Place::Node(other) if can_swap(draft, tree, node, other) => Some((node, other)),
                    _ => None,
                });
                let (one, other) = node?;
                vec![(one, vec![Part::Node(other)]), (other, vec![Part::Node(one)])]
            }
            (ChangeKind::Insert, Place::Node(node)) => {
                let recursion = self.recursion(tree, node, stream)?;
                vec![(node, self.around(node, recursion, stream, |_, _| None)?)]
            }
            (ChangeKind::Insert, Place::Variant(node)) => {
                let variants: Vec<&Variant> = self.insertions(tree, node).collect();
                let Variant { rule, places } = *stream.pick(&variants);
                let children = tree.children(node);
                let own = |place: usize, _| places[place].map(|place| children[place]);
                vec![(node, self.parts(*rule, stream, own)?)]
            }
            (ChangeKind::Insert, Place::Outer(outer)) => {
                let OuterElement { element, next, recursion, place } = outer;
                let moved = |at, _| (at == place).then_some(element);
                let new = self.produced(tree.nonterminal(self.grammar(), element)?, stream)?;
                vec![(next, self.around(next, recursion, stream, moved)?), (element, vec![Part::Text(new)])]
            }
            (ChangeKind::Delete, Place::Link(Link { node, position })) => {
                vec![(node, vec![Part::Node(tree.children(node)[position])])]
            }
            (ChangeKind::Delete, Place::Variant(node)) => {
                let Variant { places, .. } = stream.pick(&self.lists.shorter[tree.rule(node)?]);
                let children = tree.children(node).iter().zip(places);
                let kept = children.filter(|(_, place)| place.is_some());
                vec![(node, kept.map(|(&child, _)| Part::Node(child)).collect())]
            }
            (ChangeKind::Delete, Place::Outer(outer)) => {
                let (link, found) = self.next_to(tree, outer)?;
                let rest = tree.children(link.node)[link.position];
                vec![(outer.element, vec![Part::Node(found)]), (link.node, vec![Part::Node(rest)])]
            }
            (ChangeKind::Duplicate, Place::Link(link)) => {
                let target = *stream.pick(&chain(self.grammar(), tree, link));
                vec![(target, element(tree, link, target))]
            }
            (ChangeKind::Duplicate, Place::Node(node)) => {
                // The last element of a list that cannot be empty.
                let recursion = self.recursion(tree, node, stream)?;
                let parts =
                    self.around(node, recursion, stream, |_, symbol| self.child(tree, node, symbol))?;
                vec![(node, parts)]
            }
            (ChangeKind::Duplicate, Place::Outer(outer)) => {
                let OuterElement { element, next, recursion, place } = outer;
                let copied = |at, _| (at == place).then_some(element);
                vec![(next, self.around(next, recursion, stream, copied)?)]
            }
            (ChangeKind::Move, Place::Link(link)) => {
                let rest = tree.children(link.node)[link.position];
                let mut targets = chain(self.grammar(), tree, link);
                targets.retain(|&target| target != link.node && target != rest);
                if targets.is_empty() {
                    return None;
                }
                let target = *stream.pick(&targets);
                vec![(link.node, vec![Part::Node(rest)]), (target, element(tree, link, target))]
            }
            _ => return None,
        };
        Some(changes.into_iter().collect())
    }

    fn produced(&self, nonterminal: NonterminalId, stream: &mut RandomStream) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        self.producer.produce(nonterminal, stream, &mut text).ok()?;
        Some(text)
    }

    /// One of the rules by which a list goes on at a node.
    fn recursion(&self, tree: &Tree, node: NodeId, stream: &mut RandomStream) -> Option<Recursion> {
        let all: Vec<Recursion> = recursions(self.grammar(), tree.rule(node)?).collect();
        Some(*stream.pick(&all))
    }

    /// The rules with more in them by which a node could be derived. Where nothing stands, an element is not put before a
    /// whole list.
    pub(super) fn insertions<'t>(&'t self, tree: &Tree, node: NodeId) -> impl Iterator<Item = &'t Variant> {
        let rule = tree.rule(node);
        let is_empty = tree.children(node).is_empty();
        let variants = rule.map_or(&[][..], |rule| &self.lists.longer[rule]);
        variants.iter().filter(move |variant| {
            let new = self.grammar().rule(variant.rule);
            !is_empty || !new.symbols.contains(&Symbol::Nonterminal(new.lhs))
        })
    }

    /// The child of a node for a symbol.
    fn child(&self, tree: &Tree, node: NodeId, symbol: Symbol) -> Option<NodeId> {
        let Symbol::Nonterminal(wanted) = symbol else { return None };
        let mut children = tree.children(node).iter().copied();
        children
            .find(|&child| tree.nonterminal(self.grammar(), child) == Some(wanted) && !self.is_gap(wanted))
    }

    /// The elements outside of the chain that are next to one of its ends, if `node` is this end.
    fn outer_elements(&self, tree: &Tree, node: NodeId) -> Vec<OuterElement> {
        let own = tree.nonterminal(self.grammar(), node);
        let is_last = links(self.grammar(), tree, node).next().is_none();
        let mut head = node;
        while is_last
            && let Some(parent) = tree.parent(head)
            && tree.nonterminal(self.grammar(), parent) == own
        {
            head = parent;
        }
        let (Some(rule), Some(parent)) = (tree.rule(node), tree.parent(head)) else { return Vec::new() };
        let is_first = head == node;
        if (!is_first && !is_last) || tree.nonterminal(self.grammar(), parent) == own {
            return Vec::new();
        }
        let siblings: Vec<NodeId> =
            tree.children(parent).iter().copied().filter(|&child| !self.is_gap_node(tree, child)).collect();
        let Some(index) = siblings.iter().position(|&child| child == head) else { return Vec::new() };
        let before = index.checked_sub(1).map(|index| siblings[index]);
        let after = siblings.get(index + 1).copied();
        let mut found = Vec::new();
        for recursion in recursions(self.grammar(), rule) {
            for (place, &symbol) in self.grammar().rule(recursion.rule).symbols.iter().enumerate() {
                for (element, is_before) in [(before, true), (after, false)] {
                    let Some(element) = element else { continue };
                    let id = tree.nonterminal(self.grammar(), element);
                    // An element that stands before the rest of its list is next to the first node of the chain when
                    // it comes before the chain, and next to the last one when it comes after it.
                    let is_next = if (place < recursion.position) == is_before { is_first } else { is_last };
                    if is_next
                        && place != recursion.position
                        && id.is_some_and(|id| symbol == Symbol::Nonterminal(id))
                    {
                        found.push(OuterElement { element, next: node, recursion, place });
                    }
                }
            }
        }
        found
    }

    /// The element of the chain that is next to an outer one: its link, and what of it can take the outer one's place.
    fn next_to(&self, tree: &Tree, outer: OuterElement) -> Option<(Link, NodeId)> {
        let OuterElement { next, recursion, place, .. } = outer;
        let is_end = |node: NodeId| tree.rule(node) == Some(recursion.rule);
        let link = if is_end(next) {
            Link { node: next, position: recursion.position }
        } else {
            // The chain's last node has no element: the one before it has.
            Link { node: tree.parent(next).filter(|&parent| is_end(parent))?, position: recursion.position }
        };
        Some((link, *tree.children(link.node).get(place)?))
    }

    fn is_gap_node(&self, tree: &Tree, node: NodeId) -> bool {
        tree.nonterminal(self.grammar(), node).is_some_and(|id| self.is_gap(id))
    }
}

/// The element of a link around `target`.
fn element(tree: &Tree, link: Link, target: NodeId) -> Vec<Part> {
    let children = tree.children(link.node).iter().enumerate();
    children.map(|(place, &child)| Part::Node(if place == link.position { target } else { child })).collect()
}

/// Whether two nodes can change places, and that changes something.
fn can_swap(draft: &Draft<'_>, tree: &Tree, one: NodeId, other: NodeId) -> bool {
    let is_above = |above: NodeId, node: NodeId| {
        let mut next = Some(node);
        while let Some(node) = next.filter(|&node| node != above) {
            next = tree.parent(node);
        }
        next.is_some()
    };
    draft.text_of(one) != draft.text_of(other) && !is_above(one, other) && !is_above(other, one)
}

/// A nonterminal, and then one of its places.
fn pick(places: &[(NonterminalId, Place)], stream: &mut RandomStream) -> Option<(NonterminalId, Place)> {
    let mut nonterminals: Vec<NonterminalId> = places.iter().map(|&(id, _)| id).collect();
    nonterminals.sort_unstable();
    nonterminals.dedup();
    if nonterminals.is_empty() {
        return None;
    }
    let id = *stream.pick(&nonterminals);
    let of_it: Vec<Place> = places.iter().filter(|&&(of, _)| of == id).map(|&(_, place)| place).collect();
    Some((id, *stream.pick(&of_it)))
}
