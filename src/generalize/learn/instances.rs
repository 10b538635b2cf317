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

use super::features::{ExampleId, Feature, Features, FeaturesOfNode, LEAST_SUPPORT};
use super::input::Input;

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

/// A node with features below it.
struct Node {
    nonterminal: NonterminalId,
    node: NodeId,
    /// The range of the features of its subtree in those of its tree.
    features: (usize, usize),
}

/// The features and nodes of one example.
struct Outline {
    side: usize,
    example: ExampleId,
    input: Rc<Input>,
    /// The numbers of the features, in document order.
    features: Vec<usize>,
    nodes: Vec<Node>,
}

/// The outlines of all examples.
struct Outlines {
    all: Vec<Outline>,
    /// What the numbers of features stand for.
    parts: Vec<Part>,
}

/// Calls `with` with the instances of each nonterminal that may tell examples apart by what is below one node.
pub(super) fn for_each(features: &Features, grammar: &Grammar, mut with: impl FnMut(&Instances)) {
    let outlines = Outlines::of(features, grammar);
    let mut occurrences = 0;
    for nonterminal in outlines.nonterminals(grammar, features.examples[0].len()) {
        let instances = outlines.instances(nonterminal);
        occurrences += instances.features.iter().map(|(_, having)| having.len()).sum::<usize>();
        if occurrences > MOST_OCCURRENCES {
            return;
        }
        with(&instances);
    }
}

impl Outlines {
    fn of(features: &Features, grammar: &Grammar) -> Self {
        let (mut all, mut parts) = (Vec::new(), Vec::<Part>::new());
        let mut numbers: HashMap<Feature, usize> = HashMap::new();
        for (side, examples) in features.examples.iter().enumerate() {
            for (example, input) in examples.iter().enumerate() {
                let mut outline = Outline {
                    side,
                    example: ExampleId::new(example),
                    input: Rc::clone(input),
                    features: Vec::new(),
                    nodes: Vec::new(),
                };
                for FeaturesOfNode { node, features, end } in features.by_node(grammar, &input.tree) {
                    let begin = outline.features.len();
                    for feature in features {
                        outline.features.push(*numbers.entry(feature.clone()).or_insert_with(|| {
                            parts.push(Part { feature, at: (Rc::clone(input), node) });
                            parts.len() - 1
                        }));
                    }
                    let nonterminal = input.tree.nonterminal(grammar, node);
                    outline.nodes.extend(nonterminal.map(|nonterminal| Node {
                        nonterminal,
                        node,
                        features: (begin, end),
                    }));
                }
                all.push(outline);
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
        for (number, outline) in self.all.iter().enumerate() {
            let mut known: BitSet<NonterminalId> = BitSet::new();
            for Node { nonterminal, node, .. } in &outline.nodes {
                (number, outline.input.spans[*node]).hash(texts.entry(*nonterminal).or_default());
                if known.insert(*nonterminal) {
                    having.entry(*nonterminal).or_insert_with(|| {
                        order.push(*nonterminal);
                        [0, 0]
                    })[outline.side] += 1;
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

    fn instances(&self, nonterminal: NonterminalId) -> Instances {
        let mut instances = Instances {
            nonterminal,
            examples: Vec::new(),
            nodes: Vec::new(),
            weights: Vec::new(),
            features: Vec::new(),
        };
        let mut having: HashMap<usize, Vec<u32>> = HashMap::new();
        for outline in &self.all {
            let nodes: Vec<&Node> =
                outline.nodes.iter().filter(|node| node.nonterminal == nonterminal).collect();
            for node in &nodes {
                let instance = instances.examples.len() as u32;
                instances.examples.push((outline.side, outline.example));
                instances.nodes.push((Rc::clone(&outline.input), node.node));
                instances.weights.push(1.0 / nodes.len() as f64);
                for &feature in &outline.features[node.features.0..node.features.1] {
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
