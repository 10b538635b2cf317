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

/// A feature masks what is asked for, rather than that it must be nowhere, if it rejects at least so much of what it would reject then.
const ALIKE: f64 = 0.95;

/// A node that has one of some features, before which none of some others stands.
pub(super) struct Unmasked {
    pub(super) wanted: Vec<FeatureId>,
    pub(super) masks: Vec<Mask>,
}

/// A feature that masks what stands behind it, but where its node has one of some others in what the feature leaves open.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    pub(super) feature: FeatureId,
    pub(super) except: Vec<FeatureId>,
}

/// The nodes of a tree with those of their features that examples have.
pub(super) type KnownFeatures = Outline<Option<FeatureId>>;

/// Those of all examples.
pub(super) type Outlines = [Vec<KnownFeatures>; 2];

/// What stands before the first node that a clause asks for.
struct Before {
    /// The examples that have such a node.
    having: Left,
    /// The nodes with a feature that stand before it.
    nodes: HashMap<FeatureId, Vec<Place>>,
}

/// A node of an example.
#[derive(Clone, Copy)]
struct Place {
    side: usize,
    example: ExampleId,
    /// The number of the node in the outline.
    node: usize,
}

/// A mask with the examples in which it masks something, and what it is worth for those that are left.
struct FoundMask {
    mask: Mask,
    masked: Left,
    worth: f64,
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
    fn masks(&self, all: &Features, tree: &Tree, number: usize, mask: &Mask) -> bool {
        self.of_node(number).flatten().any(|feature| feature == mask.feature)
            && (mask.except.is_empty()
                || !self.open(all, tree, number, mask.feature).iter().any(|it| mask.except.contains(it)))
    }
}

impl Mask {
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
    pub(super) fn parts(&self, clause: &Clause) -> Vec<Clause> {
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

    /// The outlines of all examples.
    pub(super) fn outlines(&self, grammar: &Grammar) -> Outlines {
        self.examples.each_ref().map(|examples| {
            let of_example = |input: &Rc<Input>| self.outline(&self.by_node(grammar, &input.tree));
            examples.iter().map(of_example).collect()
        })
    }

    /// Clauses, of which one may ask for what nothing masks, in the place of others that say what must be nowhere: as they are if that says no more of examples.
    pub(super) fn with_masks(
        &mut self,
        grammar: &Grammar,
        outlines: &Outlines,
        clauses: &[Clause],
        examples: &Left,
        manner: Manner,
    ) -> Vec<Clause> {
        let wanted: Vec<Clause> = clauses.iter().filter(|clause| clause.is_positive).cloned().collect();
        let mut best = (self.worth(clauses, examples, manner), clauses.to_vec());
        for number in 0..wanted.len() {
            let features = &wanted[number].features;
            let may_be_masked = features.iter().all(|&feature| self.may_be_masked(grammar, feature));
            if !may_be_masked {
                continue;
            }
            let before = self.before(outlines, &wanted[number].features);
            let (masks, unwanted) = self.masks(outlines, &before, &wanted, examples, manner);
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

    /// What stands before the first node of each example that has one of some features.
    fn before(&self, outlines: &Outlines, wanted: &[FeatureId]) -> Before {
        let mut before = Before { having: [BitSet::new(), BitSet::new()], nodes: HashMap::new() };
        for (side, outlines) in outlines.iter().enumerate() {
            for example in self.having(wanted, side).iter() {
                let outline = &outlines[example.index()];
                let tree = &self.examples[side][example.index()].tree;
                let Some((_, begin)) = outline.first(self, tree, wanted) else { continue };
                before.having[side].insert(example);
                for node in outline.before(begin) {
                    for feature in outline.of_node(node).flatten() {
                        before.nodes.entry(feature).or_default().push(Place { side, example, node });
                    }
                }
            }
        }
        before
    }

    /// The features that mask what a clause asks for, and the clauses that say what must be nowhere, beside all those that ask for something.
    fn masks(
        &self,
        outlines: &Outlines,
        before: &Before,
        wanted: &[Clause],
        examples: &Left,
        manner: Manner,
    ) -> (Vec<FoundMask>, Vec<Clause>) {
        let (mut masks, mut unwanted) = (Vec::new(), Vec::new());
        let mut left = self.held(wanted, examples);
        let mut features: Vec<FeatureId> = before.nodes.keys().copied().collect();
        features.sort_unstable();
        let masked: Vec<Left> = features
            .iter()
            .map(|feature| {
                let mut masked = [BitSet::new(), BitSet::new()];
                before.nodes[feature].iter().for_each(|place| {
                    masked[place.side].insert(place.example);
                });
                masked
            })
            .collect();
        while masks.len() + unwanted.len() < MOST_MASKS {
            let mut order: Vec<(usize, usize)> =
                masked.iter().map(|masked| masked[1].common(&left[1])).enumerate().collect();
            order.retain(|(_, passing)| *passing >= manner.least_gain);
            order.sort_by_key(|&(place, passing)| (std::cmp::Reverse(passing), place));
            let mut best: Option<FoundMask> = None;
            for (place, passing) in order {
                // It rejects no more with exceptions.
                let most = passing as f64;
                if best.as_ref().is_some_and(|best| best.worth >= most) {
                    break;
                }
                let failing = masked[place][0].common(&left[0]) as f64;
                let plain = FoundMask {
                    mask: Mask::of(features[place]),
                    masked: masked[place].clone(),
                    worth: most - manner.price * failing,
                };
                let found = match failing > 0.0 {
                    true => self.with_exceptions(outlines, before, plain, &left, manner),
                    false => plain,
                };
                if best.as_ref().is_none_or(|best| found.worth > best.worth) {
                    best = Some(found);
                }
            }
            let simple = self.numbers().filter(|feature| !self.seen[feature.index()].feature.is_fitted());
            let nowhere = self.unwanted(simple, &left, manner);
            let worth_of_nowhere = nowhere.as_ref().map_or(0.0, |clause| self.gain(clause, &left, manner));
            let best = best.filter(|best| best.worth >= ALIKE * worth_of_nowhere);
            let least = manner.least_gain as f64;
            match (best, nowhere) {
                (Some(mask), _) if mask.worth >= least => {
                    left.iter_mut().zip(&mask.masked).for_each(|(left, masked)| left.subtract(masked));
                    masks.push(mask);
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

    /// A mask with the exceptions that are worth most.
    fn with_exceptions(
        &self,
        outlines: &Outlines,
        before: &Before,
        mut found: FoundMask,
        left: &Left,
        manner: Manner,
    ) -> FoundMask {
        let feature = found.mask.feature;
        // What masks in the examples that are left, with what each has in it.
        let mut places: Vec<(Place, Vec<FeatureId>)> = Vec::new();
        for &place in before.nodes[&feature].iter().filter(|place| left[place.side].contains(place.example)) {
            let tree = &self.examples[place.side][place.example.index()].tree;
            let mut open = outlines[place.side][place.example.index()].open(self, tree, place.node, feature);
            open.retain(|&inner| inner != feature);
            open.sort_unstable();
            open.dedup();
            places.push((place, open));
        }
        for _ in 0..MOST_EXCEPTIONS {
            // The number of nodes that mask in each example, and of those in it that have a feature.
            let mut masking: HashMap<(usize, ExampleId), usize> = HashMap::new();
            let mut having: HashMap<FeatureId, HashMap<(usize, ExampleId), usize>> = HashMap::new();
            for (place, open) in &places {
                *masking.entry((place.side, place.example)).or_default() += 1;
                for &inner in open {
                    let of_it = having.entry(inner).or_default();
                    *of_it.entry((place.side, place.example)).or_default() += 1;
                }
            }
            let best = having
                .into_iter()
                .map(|(inner, of_it)| {
                    let freed = of_it.into_iter().filter(|(example, number)| masking[example] == *number);
                    let mut of_side = [0, 0];
                    freed.for_each(|((side, _), _)| of_side[side] += 1);
                    let gain = manner.price * f64::from(of_side[0]) - f64::from(of_side[1]);
                    (gain, inner)
                })
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((gain, inner)) = best.filter(|(gain, _)| *gain >= manner.least_gain as f64) else {
                break;
            };
            found.worth += gain - manner.least_gain as f64;
            found.mask.except.push(inner);
            places.retain(|(_, open)| open.binary_search(&inner).is_err());
        }
        if !found.mask.except.is_empty() {
            found.masked = [BitSet::new(), BitSet::new()];
            for &Place { side, example, node } in &before.nodes[&feature] {
                let tree = &self.examples[side][example.index()].tree;
                if outlines[side][example.index()].masks(self, tree, node, &found.mask) {
                    found.masked[side].insert(example);
                }
            }
        }
        found
    }
}
