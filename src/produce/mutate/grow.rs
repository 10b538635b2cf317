//! Many insertions at once, by which a tree becomes larger: elements of lists, and what is optional. Which of them are made is up to the caller, who
//! can try all of them, or some.
//!
//! Some insertions are new at random; the others have what earlier ones put into other places that were of use. So a program that refuses
//! most random parts gets more of those that it takes.

use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::grammar::{NonterminalId, RuleId};
use crate::tree::{NodeId, Tree};

use rustc_hash::FxHashMap;

use super::draft::{Changes, Draft, Part};
use super::lists::Recursion;
use super::places::Place;
use super::{ChangeKind, Mutator};

/// The number of insertions that are drawn in vain in a row before there are taken to be no more.
const MOST_IN_VAIN: usize = 1_000;

/// So many of the new insertions of a step are expected to be refused, at most: to find each of them takes some executions.
const MOST_REFUSED: usize = 4;

/// Something that can be put into a tree.
#[derive(Clone, Debug)]
pub struct Insertion {
    node: NodeId,
    /// What then stands in the place of the node, itself included if it is an element of a list.
    parts: Vec<Part>,
    /// The rule that the parts follow, and the place of the node in it.
    kind: (RuleId, Option<usize>),
    /// Whether it was made of an earlier one.
    is_known: bool,
    /// The number of bytes that it adds, about.
    bytes: usize,
}

impl Insertion {
    /// The number of bytes that it adds, but for what keeps words apart.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Makes trees larger.
pub struct Grower<'a> {
    mutator: &'a Mutator<'a>,
    /// What was of use, by what it was for.
    known: FxHashMap<(RuleId, Option<usize>), Vec<Vec<Part>>>,
    /// The number of insertions with something new that were tried, and that were of use.
    tried: usize,
    of_use: usize,
}

/// A tree that is to become larger.
pub struct Growing<'a> {
    tree: &'a Tree,
    draft: Draft<'a>,
    /// Where something can be inserted, by nonterminal.
    places: Vec<(NonterminalId, Vec<NodeId>)>,
}

impl<'a> Grower<'a> {
    /// What is new in the trees is made by the mutator.
    pub fn new(mutator: &'a Mutator<'a>) -> Self {
        Self { mutator, known: FxHashMap::default(), tried: 0, of_use: 0 }
    }

    /// Looks for the places in a tree where something can be inserted.
    pub fn begin<'t>(&self, tree: &'t Tree) -> Growing<'t>
    where
        'a: 't,
    {
        let mut places: Vec<(NonterminalId, Vec<NodeId>)> = Vec::new();
        let mut all = self.mutator.places(ChangeKind::Insert, tree);
        // Within a nonterminal they stay in the order of the tree.
        all.sort_by_key(|&(id, _)| id);
        for (id, place) in all {
            let (Place::Node(node) | Place::Variant(node)) = place else { continue };
            match places.last_mut() {
                Some((known, nodes)) if *known == id => nodes.push(node),
                _ => places.push((id, vec![node])),
            }
        }
        Growing { tree, draft: Draft::new(self.mutator.grammar(), self.mutator.lexis(), tree), places }
    }

    /// Draws insertions of about this number of bytes in all, none of which is larger; fewer or none if there are not as many.
    pub fn draw(&self, growing: &Growing<'_>, bytes: usize, stream: &mut RandomStream) -> Vec<Insertion> {
        let (mut drawn, mut sum, mut in_vain) = (Vec::new(), 0, 0);
        let mut new_left = MOST_REFUSED * (self.tried + 2) / (self.tried - self.of_use + 1);
        while sum < bytes && in_vain < MOST_IN_VAIN && !growing.places.is_empty() {
            let insertion = self.draw_one(growing, new_left > 0, stream);
            match insertion.filter(|insertion| (1..=bytes - sum).contains(&insertion.bytes)) {
                Some(insertion) => {
                    in_vain = 0;
                    sum += insertion.bytes;
                    new_left = new_left.saturating_sub(usize::from(!insertion.is_known));
                    drawn.push(insertion);
                }
                None => in_vain += 1,
            }
        }
        drawn
    }

    /// Draws one; where it must not be new, one that was of use before, if there is any for the place.
    fn draw_one(
        &self,
        growing: &Growing<'_>,
        may_be_new: bool,
        stream: &mut RandomStream,
    ) -> Option<Insertion> {
        let (_, nodes) = stream.pick(&growing.places);
        let node = *stream.pick(nodes);
        let tree = growing.tree;
        let recursions: Vec<Recursion> =
            super::lists::recursions(self.mutator.grammar(), tree.rule(node)?).collect();
        let (mut parts, kind) = if recursions.is_empty() {
            let variants: Vec<_> = self.mutator.insertions(tree, node).collect();
            if variants.is_empty() {
                return None;
            }
            let variant = *stream.pick(&variants);
            let children = tree.children(node);
            let own = |place: usize, _| variant.places[place].map(|place| children[place]);
            (self.mutator.parts(variant.rule, stream, own)?, (variant.rule, None))
        } else {
            let recursion = *stream.pick(&recursions);
            let parts = self.mutator.around(node, recursion, stream, |_, _| None)?;
            (parts, (recursion.rule, Some(recursion.position)))
        };
        // As many are new as new ones were of use so far.
        let known = self.known.get(&kind).filter(|_| kind.1.is_some());
        let known = known.filter(|_| !may_be_new || stream.below(self.tried + 2) > self.of_use);
        let is_known = known.is_some();
        if !is_known && !may_be_new {
            return None;
        }
        if let Some(known) = known {
            parts = stream.pick(known).clone();
            if let Some(own) = kind.1.and_then(|place| parts.get_mut(place)) {
                *own = Part::Node(node);
            }
        }
        let length = |part: &Part| match part {
            Part::Text(text) => text.len(),
            Part::Node(node) => growing.draft.text_of(*node).len(),
        };
        let after: usize = parts.iter().map(length).sum();
        let bytes = after.saturating_sub(growing.draft.text_of(node).len());
        Some(Insertion { node, parts, kind, is_known, bytes })
    }

    /// The text with these insertions; `None` when it does not parse. Of several at one node that is no element of a list the last is made.
    ///
    /// # Errors
    /// When the user interrupts.
    pub fn with(
        &self,
        growing: &Growing<'_>,
        insertions: &[&Insertion],
    ) -> Result<Option<Vec<u8>>, Exceeded> {
        let mut changes = Changes::default();
        for Insertion { node, parts, kind: (_, place), .. } in insertions {
            let inner = changes.remove(node).filter(|_| place.is_some());
            let inner = inner.unwrap_or_else(|| vec![Part::Node(*node)]);
            let mut all = Vec::with_capacity(parts.len() + inner.len());
            for (at, part) in parts.iter().enumerate() {
                match *place == Some(at) {
                    true => all.extend(inner.iter().cloned()),
                    false => all.push(part.clone()),
                }
            }
            changes.insert(*node, all);
        }
        self.mutator.checked(&growing.draft, &changes)
    }

    /// An insertion was tried: whether it was of use.
    pub fn learn(&mut self, insertion: &Insertion, is_of_use: bool) {
        if insertion.is_known {
            return;
        }
        self.tried += 1;
        if is_of_use {
            self.of_use += 1;
            let known = self.known.entry(insertion.kind).or_default();
            known.push(insertion.parts.clone());
        }
    }
}
