//! The nodes of one nonterminal in all examples, each with the features of its subtree.
//!
//! An example fails if one of the nodes does for what it has and has not; it passes if none does. So it is a bag of instances, of which one has to
//! be right (multiple-instance learning: Dietterich, Lathrop, Lozano-Pérez, "Solving the multiple instance problem with axis-parallel rectangles",
//! 1997).

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::{Grammar, NonterminalId};
use crate::tree::NodeId;

use super::features::{ExampleId, Feature, Features, LEAST_SUPPORT};
use super::input::Input;
use super::outline::{Outline, OutlinedNode};

/// The most nonterminals whose nodes are looked at, and the most occurrences of features in all of these.
const MOST_NONTERMINALS: usize = 24;
const MOST_OCCURRENCES: usize = 6_000_000;

/// One in this number of the failing examples has to have a nonterminal.
const SHARE_OF_FAILING: usize = 8;

/// A feature, and a node that has it.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) feature: Feature,
    pub(super) at: (Rc<Input>, NodeId),
}

/// The nodes of a nonterminal.
pub(super) struct Instances {
    pub(super) nonterminal: NonterminalId,
    /// The example in which each of them is, and its side: 0 for those that fail.
    pub(super) examples: Vec<(usize, ExampleId)>,
    pub(super) nodes: Vec<(Rc<Input>, NodeId)>,
    /// How much each of them counts: those of one example together as much as those of another one.
    pub(super) weights: Vec<f64>,
    /// The features, each with the instances that have it, no two of which the same ones have.
    pub(super) features: Vec<(Part, Vec<u32>)>,
}

/// The features and nodes of one example.
struct OfExample {
    side: usize,
    example: ExampleId,
    input: Rc<Input>,
    /// With the numbers of the features.
    outline: Outline<usize>,
}

/// All examples.
struct OfExamples {
    all: Vec<OfExample>,
    /// What the numbers of features stand for.
    parts: Vec<Part>,
}

/// Calls `with` with the instances of each nonterminal that may tell examples apart by what is below one node.
pub(super) fn for_each(features: &Features, grammar: &Grammar, mut with: impl FnMut(&Instances)) {
    let examples = OfExamples::of(features, grammar);
    let mut occurrences = 0;
    for nonterminal in examples.nonterminals(grammar, features.examples[0].len()) {
        let instances = examples.instances(grammar, nonterminal);
        occurrences += instances.features.iter().map(|(_, having)| having.len()).sum::<usize>();
        if occurrences > MOST_OCCURRENCES {
            return;
        }
        with(&instances);
    }
}

impl OfExamples {
    fn of(features: &Features, grammar: &Grammar) -> Self {
        let (mut all, mut parts) = (Vec::new(), Vec::<Part>::new());
        let mut numbers: HashMap<Feature, usize> = HashMap::new();
        for (side, examples) in features.examples.iter().enumerate() {
            for (example, input) in examples.iter().enumerate() {
                let by_node = features.by_node(grammar, &input.tree);
                let outline = Outline::new(&by_node, |feature, node| match numbers.get(feature) {
                    Some(&number) => number,
                    None => {
                        parts.push(Part { feature: feature.clone(), at: (Rc::clone(input), node) });
                        numbers.insert(feature.clone(), parts.len() - 1);
                        parts.len() - 1
                    }
                });
                let (example, input) = (ExampleId::new(example), Rc::clone(input));
                all.push(OfExample { side, example, input, outline });
            }
        }
        Self { all, parts }
    }

    /// The nonterminals that many failing examples have, and some passing ones, those that most failing ones have first. Of several that have the same
    /// texts only the outermost is one of them.
    fn nonterminals(&self, grammar: &Grammar, failing: usize) -> Vec<NonterminalId> {
        let mut having: HashMap<NonterminalId, [usize; 2]> = HashMap::new();
        let mut texts: HashMap<NonterminalId, DefaultHasher> = HashMap::new();
        let mut order: Vec<NonterminalId> = Vec::new();
        for (number, OfExample { side, input, outline, .. }) in self.all.iter().enumerate() {
            let mut known: BitSet<NonterminalId> = BitSet::new();
            for &OutlinedNode { node, .. } in &outline.nodes {
                let Some(nonterminal) = input.tree.nonterminal(grammar, node) else { continue };
                (number, input.spans[node]).hash(texts.entry(nonterminal).or_default());
                if known.insert(nonterminal) {
                    having.entry(nonterminal).or_insert_with(|| {
                        order.push(nonterminal);
                        [0, 0]
                    })[*side] += 1;
                }
            }
        }
        let mut seen: HashSet<u64> = HashSet::new();
        order.retain(|nonterminal| {
            let [fail, pass] = having[nonterminal];
            *nonterminal != grammar.start()
                && fail >= LEAST_SUPPORT.max(failing / SHARE_OF_FAILING)
                && pass >= LEAST_SUPPORT
                && seen.insert(texts[nonterminal].finish())
        });
        order.sort_by_key(|nonterminal| std::cmp::Reverse(having[nonterminal][0]));
        order.truncate(MOST_NONTERMINALS);
        order
    }

    fn instances(&self, grammar: &Grammar, nonterminal: NonterminalId) -> Instances {
        let mut instances = Instances {
            nonterminal,
            examples: Vec::new(),
            nodes: Vec::new(),
            weights: Vec::new(),
            features: Vec::new(),
        };
        let mut having: HashMap<usize, Vec<u32>> = HashMap::new();
        for OfExample { side, example, input, outline } in &self.all {
            let is_one = |it: &&OutlinedNode| input.tree.nonterminal(grammar, it.node) == Some(nonterminal);
            let nodes: Vec<&OutlinedNode> = outline.nodes.iter().filter(is_one).collect();
            for &&OutlinedNode { node, begin, end } in &nodes {
                let instance = instances.examples.len() as u32;
                instances.examples.push((*side, *example));
                instances.nodes.push((Rc::clone(input), node));
                instances.weights.push(1.0 / nodes.len() as f64);
                for &feature in &outline.features[begin..end] {
                    let having = having.entry(feature).or_default();
                    if having.last() != Some(&instance) {
                        having.push(instance);
                    }
                }
            }
        }
        let mut having = Vec::from_iter(having);
        // Of those that the same instances have the simplest one is taken.
        having.sort_unstable_by_key(|(feature, _)| (self.parts[*feature].feature.simplicity(), *feature));
        let all = instances.examples.len();
        let mut known: HashSet<Vec<u32>> = HashSet::new();
        having.retain(|(_, of_it)| {
            of_it.len() >= LEAST_SUPPORT && of_it.len() < all && known.insert(of_it.clone())
        });
        let with_part = |(feature, of_it): (usize, Vec<u32>)| (self.parts[feature].clone(), of_it);
        instances.features = having.into_iter().map(with_part).collect();
        instances
    }
}
