//! What formulas ask for with nothing before it that masks it.
//!
//! A program that ends at the first mistake in its input never comes to the second one. To a clause over whole inputs that mistake is something that
//! must not be there, and what fails before it is rejected as well. So once clauses are fitted to examples ([`super::covering`]), it is tried to say for one of those that ask
//! for something that none of some others stands before what it asks for, in the place of those that say that something is nowhere. What comes of that
//! is fitted by the same covering: the feature is taken that stands before it in most passing examples.

use std::collections::HashMap;
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::Grammar;
use crate::tree::{NodeId, Tree};

use super::covering::{Left, Manner};
use super::features::{Clause, ExampleId, Feature, FeatureId, Features, FeaturesOfNode};
use super::input::Input;
use super::masking::are_few;
use super::outline::{Outline, OutlinedNode};

/// The most features that a clause may be masked by.
const MOST_MASKS: usize = 40;

/// The most exceptions of one of them.
const MOST_EXCEPTIONS: usize = 6;

/// The most places of features before others that are kept to be looked at again: with more of them, they take too much memory.
const MOST_PLACES: usize = 4_000_000;

/// A feature masks what is asked for, rather than that it must be nowhere, if it rejects at least so much of what it would reject then.
const ALIKE: f64 = 0.95;

/// A node that has one of some features, before which none of some others stands.
pub(super) struct Unmasked {
    pub(super) wanted: Vec<FeatureId>,
    pub(super) masks: Vec<Excepting>,
}

/// A feature, but where its node has one of some others in what the feature leaves open.
#[derive(Clone, Debug)]
pub(super) struct Excepting {
    pub(super) feature: FeatureId,
    pub(super) except: Vec<FeatureId>,
}

/// The nodes of a tree with those of their features that examples have.
pub(super) type KnownFeatures = Outline<Option<FeatureId>>;

/// What stands before what clauses ask for, as far as it was looked at.
pub(super) struct Preceding {
    /// The features of all examples.
    outlines: [Vec<KnownFeatures>; 2],
    /// By what is asked for; nothing for what may not be masked.
    before: HashMap<Vec<FeatureId>, Option<Rc<Before>>>,
    /// The number of places in all of these.
    places: usize,
}

/// What stands before the first node that a clause asks for.
struct Before {
    /// The examples that have such a node.
    having: Left,
    /// The features of what stands before it, in their order.
    preceding: Vec<OfFeature>,
}

/// A feature of what stands before something.
struct OfFeature {
    feature: FeatureId,
    /// The nodes that have it, and the examples in which they are.
    places: Vec<Place>,
    masked: Left,
}

/// A node of an example.
#[derive(Clone, Copy)]
struct Place {
    side: usize,
    example: ExampleId,
    /// The number of the node in the outline.
    node: usize,
}

/// A mask with the examples in which it masks something.
struct FoundMask {
    mask: Excepting,
    masked: Left,
}

/// How many examples each feature frees of what masks. Counting them so is faster than sorting what stands in all nodes.
struct Tally {
    /// How many nodes of an example have a feature in them; none between two examples.
    nodes: Vec<usize>,
    /// The failing and passing examples that a feature frees, and the features that free any.
    free: Vec<[u32; 2]>,
    freeing: Vec<FeatureId>,
}

impl Tally {
    fn new(features: usize) -> Self {
        Self { nodes: vec![0; features], free: vec![[0; 2]; features], freeing: Vec::new() }
    }

    /// Keeps each feature once, and one not at all.
    fn keep_distinct(&mut self, features: &mut Vec<FeatureId>, but: FeatureId) {
        features.retain(|&it| it != but && std::mem::replace(&mut self.nodes[it.index()], 1) == 0);
        features.iter().for_each(|it| self.nodes[it.index()] = 0);
    }

    /// Counts an example of which these are the distinct features in each node that masks: it is free if all of these have the feature.
    fn count<'f>(&mut self, side: usize, of_nodes: impl ExactSizeIterator<Item = &'f [FeatureId]> + Clone) {
        let number = of_nodes.len();
        of_nodes.clone().flatten().for_each(|it| self.nodes[it.index()] += 1);
        for feature in of_nodes.flatten() {
            if std::mem::take(&mut self.nodes[feature.index()]) == number {
                let free = &mut self.free[feature.index()];
                if *free == [0, 0] {
                    self.freeing.push(*feature);
                }
                free[side] += 1;
            }
        }
    }

    /// The features that free any examples, with the number of them, which are counted anew then.
    fn take(&mut self) -> impl Iterator<Item = (FeatureId, [u32; 2])> {
        let free = &mut self.free;
        self.freeing.drain(..).map(|feature| (feature, std::mem::take(&mut free[feature.index()])))
    }
}

impl Place {
    fn is_in_example_of(&self, other: &Self) -> bool {
        (self.side, self.example) == (other.side, other.example)
    }
}

impl KnownFeatures {
    /// The first node that has one of some features, and where its features begin.
    fn first(&self, all: &Features, tree: &Tree, wanted: &[FeatureId]) -> Option<(NodeId, usize)> {
        let numbers = 0..self.nodes.len();
        let mut found = numbers.filter(|&number| wanted.iter().any(|&it| self.has(all, tree, number, it)));
        found.next().map(|number| (self.nodes[number].node, self.nodes[number].begin))
    }

    /// Whether a node has a feature that is about a node or what is below it.
    fn has(&self, all: &Features, tree: &Tree, number: usize, feature: FeatureId) -> bool {
        let Feature::Below((rule, place), inner) = all.seen[feature.index()].feature else {
            return self.of_node(number).flatten().any(|it| it == feature);
        };
        let node = self.nodes[number].node;
        if tree.rule(node) != Some(rule) {
            return false;
        }
        let child = tree.children(node)[place];
        let mut of_child = self.below(number).map(|below| self.nodes[below]).filter(|it| it.node == child);
        of_child.any(|it| self.features[it.begin..it.end].contains(&Some(inner)))
    }

    /// The features in what a feature of a node leaves open.
    fn open(&self, all: &Features, tree: &Tree, number: usize, feature: FeatureId) -> Vec<FeatureId> {
        let OutlinedNode { node, begin, end } = self.nodes[number];
        let child = match all.seen[feature.index()].feature {
            Feature::Kind(_) => return self.features[begin..end].iter().flatten().copied().collect(),
            Feature::Rule(_) => None,
            Feature::Child(_, place, _) => Some(tree.children(node)[place]),
            _ => return Vec::new(),
        };
        let below = self.below(number).filter(|&below| Some(self.nodes[below].node) != child);
        below.flat_map(|below| self.of_node(below).flatten()).collect()
    }

    /// Whether something is masked by a node.
    fn masks(&self, all: &Features, tree: &Tree, number: usize, mask: &Excepting) -> bool {
        self.of_node(number).flatten().any(|feature| feature == mask.feature)
            && (mask.except.is_empty()
                || !self.open(all, tree, number, mask.feature).iter().any(|it| mask.except.contains(it)))
    }
}

impl OfFeature {
    fn new(feature: FeatureId) -> Self {
        Self { feature, places: Vec::new(), masked: [BitSet::new(), BitSet::new()] }
    }
}

impl Excepting {
    /// A feature without exceptions.
    pub(super) fn of(feature: FeatureId) -> Self {
        Self { feature, except: Vec::new() }
    }
}

impl Unmasked {
    /// The number of features in it.
    pub(super) fn size(&self) -> usize {
        let of_masks = self.masks.iter().map(|mask| 1 + mask.except.len());
        self.wanted.len() + of_masks.sum::<usize>()
    }

    /// The node for which it holds, if there is one: the first one that is asked for.
    pub(super) fn node_in(&self, all: &Features, tree: &Tree, outline: &KnownFeatures) -> Option<NodeId> {
        let (node, begin) = outline.first(all, tree, &self.wanted)?;
        let masks = |number: usize| self.masks.iter().any(|mask| outline.masks(all, tree, number, mask));
        (!outline.before(begin).any(masks)).then_some(node)
    }
}

impl Features {
    /// What a clause asks for that nothing masks, and what would mask it.
    pub(super) fn unmasked(&self, feature: FeatureId) -> Option<&Unmasked> {
        match self.seen[feature.index()].feature {
            Feature::Unmasked(number) => Some(&self.unmasked[number]),
            _ => None,
        }
    }

    /// Takes what is not masked for a feature, for which these examples hold.
    pub(super) fn add_unmasked(&mut self, unmasked: Unmasked, examples: [BitSet<ExampleId>; 2]) -> FeatureId {
        let at = self.seen[unmasked.wanted[0].index()].at.clone();
        let id = self.add_fitted(Feature::Unmasked(self.unmasked.len()), at, examples);
        self.unmasked.push(unmasked);
        id
    }

    /// A clause as several: what it asks for that nothing masks, and what would mask it.
    pub(super) fn plain_clauses(&self, clause: &Clause) -> Vec<Clause> {
        let of_feature = |&feature: &FeatureId| match self.unmasked(feature) {
            Some(Unmasked { wanted, masks }) => {
                vec![
                    Clause::wanted(wanted.clone()),
                    Clause::unwanted(masks.iter().map(|mask| mask.feature).collect()),
                ]
            }
            None => Vec::new(),
        };
        let parts: Vec<Clause> = clause.features.iter().flat_map(of_feature).collect();
        if parts.is_empty() { vec![clause.clone()] } else { parts }
    }

    /// The nodes of a tree, of which these are the features, with those that examples have.
    pub(super) fn outline(&self, by_node: &[FeaturesOfNode]) -> KnownFeatures {
        Outline::new(by_node, |feature, _| self.number(feature))
    }

    /// What is known before any clause was looked at.
    pub(super) fn preceding(&self, grammar: &Grammar) -> Preceding {
        let outlines = self.examples.each_ref().map(|examples| {
            let of_example = |input: &Rc<Input>| self.outline(&self.by_node(grammar, &input.tree));
            examples.iter().map(of_example).collect()
        });
        Preceding { outlines, before: HashMap::new(), places: 0 }
    }

    /// Clauses, of which one may ask for what nothing masks, in the place of others that say what must be nowhere: as they are if that says no more of examples.
    pub(super) fn with_masks(
        &mut self,
        grammar: &Grammar,
        preceding: &mut Preceding,
        clauses: &[Clause],
        examples: &Left,
        manner: Manner,
    ) -> Vec<Clause> {
        let wanted: Vec<Clause> = clauses.iter().filter(|clause| clause.is_positive).cloned().collect();
        let mut best = (self.worth(clauses, examples, manner), clauses.to_vec());
        for number in 0..wanted.len() {
            let features = &wanted[number].features;
            let Some(before) = self.known_before(grammar, preceding, features) else { continue };
            let (masks, unwanted) = self.find_masks(&preceding.outlines, &before, &wanted, examples, manner);
            if masks.is_empty() {
                continue;
            }
            let mut having = before.having.clone();
            for FoundMask { masked, .. } in &masks {
                having.iter_mut().zip(masked).for_each(|(having, masked)| having.subtract(masked));
            }
            let masks = masks.into_iter().map(|found| found.mask).collect();
            let unmasked = Unmasked { wanted: wanted[number].features.clone(), masks };
            let feature = self.add_unmasked(unmasked, having);
            let mut with_masks = wanted.clone();
            with_masks[number] = Clause::wanted(vec![feature]);
            with_masks.extend(unwanted);
            self.without_idle_clauses(&mut with_masks, examples, manner);
            let worth = self.worth(&with_masks, examples, manner);
            if worth > best.0 {
                best = (worth, with_masks);
            }
        }
        best.1
    }

    /// What clauses are worth: the passing examples that they reject, less what rejected failing ones and features cost.
    fn worth(&self, clauses: &[Clause], examples: &Left, manner: Manner) -> f64 {
        let held = self.held(clauses, examples);
        let rejected = |side: usize| (examples[side].len() - held[side].len()) as f64;
        let size: usize = clauses.iter().map(|clause| self.size(clause)).sum();
        rejected(1) - manner.price * rejected(0) - (manner.least_gain * size) as f64
    }

    /// Whether it may be said of what has a feature that nothing stands before it.
    fn may_be_masked(&self, grammar: &Grammar, feature: FeatureId) -> bool {
        let seen = &self.seen[feature.index()];
        let is_simple = !matches!(
            seen.feature,
            Feature::Own | Feature::Root(_) | Feature::Joint(_) | Feature::Unmasked(_)
        );
        is_simple && self.nonterminal_of(grammar, feature).is_some_and(|it| are_few(grammar, it))
    }

    /// What stands before the first node of each example that has one of some features; nothing if that may not be masked.
    fn known_before(
        &self,
        grammar: &Grammar,
        preceding: &mut Preceding,
        wanted: &[FeatureId],
    ) -> Option<Rc<Before>> {
        if !preceding.before.contains_key(wanted) {
            let may_be_masked = wanted.iter().all(|&feature| self.may_be_masked(grammar, feature));
            let before = may_be_masked.then(|| Rc::new(self.before(&preceding.outlines, wanted)));
            let places = before.iter().flat_map(|before| &before.preceding).map(|of_it| of_it.places.len());
            preceding.places += places.sum::<usize>();
            if preceding.places > MOST_PLACES {
                preceding.before.clear();
                preceding.places = 0;
            }
            preceding.before.insert(wanted.to_vec(), before);
        }
        preceding.before[wanted].clone()
    }

    fn before(&self, outlines: &[Vec<KnownFeatures>; 2], wanted: &[FeatureId]) -> Before {
        let mut having = [BitSet::new(), BitSet::new()];
        let mut nodes: HashMap<FeatureId, OfFeature> = HashMap::new();
        for (side, outlines) in outlines.iter().enumerate() {
            for example in self.having(wanted, side).iter() {
                let outline = &outlines[example.index()];
                let tree = &self.examples[side][example.index()].tree;
                let Some((_, begin)) = outline.first(self, tree, wanted) else { continue };
                having[side].insert(example);
                for node in outline.before(begin) {
                    for feature in outline.of_node(node).flatten() {
                        let of_it = nodes.entry(feature).or_insert_with(|| OfFeature::new(feature));
                        of_it.places.push(Place { side, example, node });
                        of_it.masked[side].insert(example);
                    }
                }
            }
        }
        let mut preceding: Vec<OfFeature> = nodes.into_values().collect();
        preceding.sort_unstable_by_key(|of_it| of_it.feature);
        Before { having, preceding }
    }

    /// The features that mask what a clause asks for, and the clauses that say what must be nowhere, beside all those that ask for something.
    fn find_masks(
        &self,
        outlines: &[Vec<KnownFeatures>; 2],
        before: &Before,
        wanted: &[Clause],
        examples: &Left,
        manner: Manner,
    ) -> (Vec<FoundMask>, Vec<Clause>) {
        let (mut masks, mut unwanted) = (Vec::new(), Vec::new());
        let mut left = self.held(wanted, examples);
        let mut tally = Tally::new(self.seen.len());
        while masks.len() + unwanted.len() < MOST_MASKS {
            let passing = before.preceding.iter().map(|of_it| (of_it.masked[1].common(&left[1]), of_it));
            let mut order: Vec<(usize, &OfFeature)> =
                passing.filter(|(passing, _)| *passing >= manner.least_gain).collect();
            order.sort_by_key(|(passing, of_it)| (std::cmp::Reverse(*passing), of_it.feature));
            let mut best: Option<(f64, Excepting, &OfFeature)> = None;
            for (passing, of_it) in order {
                // It rejects no more with exceptions.
                let most = passing as f64;
                if best.as_ref().is_some_and(|(worth, ..)| *worth >= most) {
                    break;
                }
                let failing = of_it.masked[0].common(&left[0]) as f64;
                let mut mask = Excepting::of(of_it.feature);
                let mut worth = most - manner.price * failing;
                if failing > 0.0 {
                    worth +=
                        self.add_exceptions(outlines, &mut mask, &of_it.places, &left, manner, &mut tally);
                }
                if best.as_ref().is_none_or(|(most, ..)| worth > *most) {
                    best = Some((worth, mask, of_it));
                }
            }
            let simple = self.numbers().filter(|feature| !self.seen[feature.index()].feature.is_fitted());
            let nowhere = self.unwanted(simple, &left, manner);
            let worth_of_nowhere = nowhere.as_ref().map_or(0.0, |clause| self.gain(clause, &left, manner));
            let best = best.filter(|(worth, ..)| *worth >= ALIKE * worth_of_nowhere);
            let least = manner.least_gain as f64;
            match (best, nowhere) {
                (Some((worth, mask, of_it)), _) if worth >= least => {
                    let masked = self.masked(outlines, &mask, of_it);
                    left.iter_mut().zip(&masked).for_each(|(left, masked)| left.subtract(masked));
                    masks.push(FoundMask { mask, masked });
                }
                (None, Some(clause)) if worth_of_nowhere >= least => {
                    left = self.held([&clause], &left);
                    unwanted.push(clause);
                }
                _ => break,
            }
        }
        (masks, unwanted)
    }

    /// The examples in which something is masked by a feature with its exceptions.
    fn masked(&self, outlines: &[Vec<KnownFeatures>; 2], mask: &Excepting, of_it: &OfFeature) -> Left {
        if mask.except.is_empty() {
            return of_it.masked.clone();
        }
        let mut masked = [BitSet::new(), BitSet::new()];
        for &Place { side, example, node } in &of_it.places {
            let tree = &self.examples[side][example.index()].tree;
            if outlines[side][example.index()].masks(self, tree, node, mask) {
                masked[side].insert(example);
            }
        }
        masked
    }

    /// Adds the exceptions that are worth most to a mask, which masks at these places, in the order of their examples; with what they are worth.
    fn add_exceptions(
        &self,
        outlines: &[Vec<KnownFeatures>; 2],
        mask: &mut Excepting,
        places: &[Place],
        left: &Left,
        manner: Manner,
        tally: &mut Tally,
    ) -> f64 {
        // What has the feature in the examples that are left, with what is in it.
        let mut masking: Vec<(Place, Vec<FeatureId>)> = Vec::new();
        for &place in places.iter().filter(|it| left[it.side].contains(it.example)) {
            let Place { side, example, node } = place;
            let tree = &self.examples[side][example.index()].tree;
            let mut open = outlines[side][example.index()].open(self, tree, node, mask.feature);
            tally.keep_distinct(&mut open, mask.feature);
            masking.push((place, open));
        }
        let mut worth = 0.0;
        for _ in 0..MOST_EXCEPTIONS {
            let is_same = |(one, _): &(Place, _), (other, _): &(Place, _)| one.is_in_example_of(other);
            for of_example in masking.chunk_by(is_same) {
                tally.count(of_example[0].0.side, of_example.iter().map(|(_, open)| &open[..]));
            }
            let gain = |free: [u32; 2]| manner.price * f64::from(free[0]) - f64::from(free[1]);
            let gains = tally.take().map(|(inner, free)| (gain(free), inner));
            let best = gains.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((gain, inner)) = best.filter(|(gain, _)| *gain >= manner.least_gain as f64) else {
                break;
            };
            worth += gain - manner.least_gain as f64;
            mask.except.push(inner);
            masking.retain(|(_, open)| !open.contains(&inner));
        }
        worth
    }
}
