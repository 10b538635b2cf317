//! Features: small parts of trees, which examples have them, and clauses that ask for them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::id_type;
use crate::tree::{NodeId, Tree};

use super::bare_text::{bare_text, bare_text_with};
use super::cases::Cases;
use super::examples::Examples;
use super::hypothesis::{ClassId, Hypothesis};
use super::input::Input;
use super::joint::{FoundJoint, Joint};
use super::matching::Matcher;
use super::unmasked::Unmasked;

/// The longest text that is a feature, in bytes, and the longest one of a single word.
const LONGEST_TEXT: usize = 16;
const LONGEST_WORD: usize = 64;

/// The fewest examples that have to have a feature.
pub(super) const LEAST_SUPPORT: usize = 3;

/// The most occurrences of features below nodes in all examples: with more of them, they take too much memory and time.
const MOST_BELOW: usize = 50_000_000;

/// How much the gain of a feature below another node, or of a joint, counts beside that of others.
const BELOW: f64 = 0.8;

id_type!(
    /// An example: its number among those of its verdict.
    ExampleId
);

id_type!(
    /// A feature of some examples.
    FeatureId
);

/// A small part of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    /// A node at which the hypothesis holds.
    Own,
    /// A node at which this root class of the hypothesis holds, and nothing masks it.
    Root(ClassId),
    /// A node of this nonterminal, which has several rules.
    Kind(NonterminalId),
    /// A node that is expanded by this rule.
    Rule(RuleId),
    /// A node that is expanded by this rule, with a child of this number that is expanded by the other.
    Child(RuleId, usize, RuleId),
    /// A node with this text, whose letters are small where upper and lower case are the same.
    Text(NonterminalId, Vec<u8>),
    /// A node that is expanded by this rule, with another feature, but for those of children, in the subtree of its child of this number.
    Below(Way, FeatureId),
    /// A node that has and has not what the joint of this number says.
    Joint(usize),
    /// A node that is what the [`Unmasked`] of this number asks for.
    Unmasked(usize),
}

/// A step down from a node: the rule that expands it, and the number of the child.
type Way = (RuleId, usize);

/// The steps by which a node is reached, each with the first node from which it was taken.
type Ways = Rc<[(Way, NodeId)]>;

/// A feature, with what has it.
pub(super) struct Seen {
    pub(super) feature: Feature,
    /// A node that has it.
    pub(super) at: (Rc<Input>, NodeId),
    /// The examples that have it, first those that fail.
    pub(super) examples: [BitSet<ExampleId>; 2],
}

/// A clause of features, of which an input has to have one, or must not have any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) features: Vec<FeatureId>,
    pub(super) is_positive: bool,
}

impl Feature {
    /// Whether it comes of fitting others to examples.
    pub(super) fn is_fitted(&self) -> bool {
        matches!(self, Self::Joint(_) | Self::Unmasked(_))
    }

    /// How simple it is: the simplest ones come first, and of texts the shortest.
    pub(super) fn simplicity(&self) -> (usize, usize) {
        match self {
            Self::Own => (0, 0),
            Self::Root(_) => (1, 0),
            Self::Kind(_) => (2, 0),
            Self::Rule(_) => (3, 0),
            Self::Child(..) => (4, 0),
            Self::Text(_, text) => (5, text.len()),
            Self::Below(..) => (6, 0),
            Self::Joint(_) => (7, 0),
            Self::Unmasked(_) => (8, 0),
        }
    }
}

/// A node of a tree in which there are features, with those that it has by itself, and the number of features up to the end of its subtree.
pub(super) struct FeaturesOfNode {
    pub(super) node: NodeId,
    pub(super) features: Vec<Feature>,
    pub(super) end: usize,
}

/// The features of all examples.
pub(super) struct Features {
    /// The hypothesis, which may be right about a part of what fails.
    pub(super) hypothesis: Hypothesis,
    /// The inputs that have them.
    pub(super) examples: Examples,
    pub(super) seen: Vec<Seen>,
    places: HashMap<Feature, FeatureId>,
    /// Those that are looked for below nodes.
    inner: Vec<bool>,
    /// The nonterminals of words, the parts of which are no features.
    words: BitSet<NonterminalId>,
    pub(super) cases: Cases,
    /// What single nodes have and have not; these features come last.
    pub(super) joints: Vec<Joint>,
    /// What clauses ask for that nothing masks; these features come behind all others.
    pub(super) unmasked: Vec<Unmasked>,
}

impl Features {
    /// The features of examples. Of `words` only the whole ones are features.
    pub(super) fn of(
        grammar: &Grammar,
        words: BitSet<NonterminalId>,
        cases: Cases,
        hypothesis: Hypothesis,
        examples: Examples,
    ) -> Self {
        let mut features = Self {
            hypothesis,
            examples,
            seen: Vec::new(),
            places: HashMap::new(),
            inner: Vec::new(),
            words,
            cases,
            joints: Vec::new(),
            unmasked: Vec::new(),
        };
        features.add(|features, tree| features.simple(grammar, tree), usize::MAX);
        // Of features that the same examples have the simplest one is taken.
        features.seen.sort_by_key(|seen| seen.feature.simplicity());
        features.keep_distinct();
        // What only inputs of one verdict have says as much by itself as below another node.
        features.inner = Vec::from_iter(features.seen.iter().map(|seen| {
            matches!(seen.feature, Feature::Kind(_) | Feature::Rule(_) | Feature::Text(..))
                && seen.examples.iter().all(|examples| examples.len() >= LEAST_SUPPORT)
        }));
        features.add(|features, tree| features.below(grammar, tree), MOST_BELOW);
        features.keep_distinct();
        features
    }

    /// Adds what `find` finds in the trees of examples, if that is no more than `most`.
    fn add(&mut self, find: impl Fn(&Self, &Tree) -> Vec<(NodeId, Feature)>, most: usize) {
        let (before, mut number) = (self.seen.len(), 0);
        for side in 0..self.examples.len() {
            for example in 0..self.examples[side].len() {
                let input = Rc::clone(&self.examples[side][example]);
                let found = find(self, &input.tree);
                number += found.len();
                if number > most {
                    self.places.retain(|_, place| place.index() < before);
                    self.seen.truncate(before);
                    return;
                }
                for (node, feature) in found {
                    let seen = &mut self.seen;
                    let place = *self.places.entry(feature.clone()).or_insert_with(|| {
                        let at = (Rc::clone(&input), node);
                        seen.push(Seen { feature, at, examples: [BitSet::new(), BitSet::new()] });
                        FeatureId::new(seen.len() - 1)
                    });
                    self.seen[place.index()].examples[side].insert(ExampleId::new(example));
                }
            }
        }
    }

    /// Keeps the features that enough examples have, and the first of those that the same examples have.
    fn keep_distinct(&mut self) {
        let mut known: HashSet<[BitSet<ExampleId>; 2]> = HashSet::new();
        self.seen.retain(|seen| {
            seen.examples.iter().map(BitSet::len).sum::<usize>() >= LEAST_SUPPORT
                && known.insert(seen.examples.clone())
        });
        self.places = self
            .seen
            .iter()
            .enumerate()
            .map(|(place, seen)| (seen.feature.clone(), FeatureId::new(place)))
            .collect();
    }

    /// Takes these joints for features, in the place of those that there were and of what is masked, each with a node for which it holds and the examples for which it does.
    pub(super) fn set_joints(&mut self, joints: Vec<FoundJoint>) {
        self.seen.retain(|seen| !seen.feature.is_fitted());
        self.places.retain(|feature, _| !feature.is_fitted());
        self.joints.clear();
        self.unmasked.clear();
        let mut known: HashSet<[BitSet<ExampleId>; 2]> =
            self.seen.iter().map(|seen| seen.examples.clone()).collect();
        for FoundJoint { joint, at, examples } in joints {
            if known.insert(examples.clone()) {
                self.add_fitted(Feature::Joint(self.joints.len()), at, examples);
                self.joints.push(joint);
            }
        }
    }

    /// Takes what was fitted to examples for a feature.
    pub(super) fn add_fitted(
        &mut self,
        feature: Feature,
        at: (Rc<Input>, NodeId),
        examples: [BitSet<ExampleId>; 2],
    ) -> FeatureId {
        let id = FeatureId::new(self.seen.len());
        self.places.insert(feature.clone(), id);
        self.seen.push(Seen { feature, at, examples });
        id
    }

    /// Looks in trees for nothing that was fitted any more but for what clauses ask for.
    pub(super) fn keep_fitted_of<'c>(&mut self, clauses: impl Iterator<Item = &'c Clause>) {
        let asked: BitSet<FeatureId> = clauses.flat_map(|clause| clause.features.iter().copied()).collect();
        self.places.retain(|feature, id| !feature.is_fitted() || asked.contains(*id));
    }

    /// The number of a feature of examples.
    pub(super) fn number(&self, feature: &Feature) -> Option<FeatureId> {
        self.places.get(feature).copied()
    }

    /// The nonterminal of the nodes that have a feature.
    pub(super) fn nonterminal_of(&self, grammar: &Grammar, feature: FeatureId) -> Option<NonterminalId> {
        let (input, node) = &self.seen[feature.index()].at;
        input.tree.nonterminal(grammar, *node)
    }

    /// The features that a tree has, in their order.
    pub(super) fn of_tree(&self, grammar: &Grammar, tree: &Tree) -> BitSet<FeatureId> {
        let by_node = self.by_node(grammar, tree);
        let is_known = |feature: &Feature| self.places.contains_key(feature);
        let joints = (0..self.joints.len()).filter(|&number| is_known(&Feature::Joint(number)));
        let joints = joints.filter(|&number| self.joints[number].node_in(grammar, tree, &by_node).is_some());
        let mut fitted: Vec<Feature> = joints.map(Feature::Joint).collect();
        let unmasked = (0..self.unmasked.len()).filter(|&number| is_known(&Feature::Unmasked(number)));
        let unmasked: Vec<usize> = unmasked.collect();
        if !unmasked.is_empty() {
            let outline = self.outline(&by_node);
            let holds = |&number: &usize| self.unmasked[number].node_in(self, tree, &outline).is_some();
            fitted.extend(unmasked.into_iter().filter(holds).map(Feature::Unmasked));
        }
        let simple = by_node.into_iter().flat_map(|of_node| of_node.features);
        let others = self.of_hypothesis(grammar, tree).into_iter().chain(self.below(grammar, tree));
        let features = simple.chain(others.map(|(_, feature)| feature)).chain(fitted);
        features.filter_map(|feature| self.number(&feature)).collect()
    }

    /// The features of a tree that are about single nodes and children, each with a node that has it, the simplest of a node first.
    fn simple(&self, grammar: &Grammar, tree: &Tree) -> Vec<(NodeId, Feature)> {
        let mut features = self.of_hypothesis(grammar, tree);
        for FeaturesOfNode { node, features: of_node, .. } in self.by_node(grammar, tree) {
            features.extend(of_node.into_iter().map(|feature| (node, feature)));
        }
        features
    }

    /// The nodes of a tree in document order with their features: those that are about single nodes and children, the simplest ones first.
    pub(super) fn by_node(&self, grammar: &Grammar, tree: &Tree) -> Vec<FeaturesOfNode> {
        let mut nodes: Vec<FeaturesOfNode> = Vec::new();
        let mut number = 0;
        // Of a node that was seen the number among them.
        let mut open: Vec<Result<NodeId, usize>> = vec![Ok(tree.root())];
        while let Some(next) = open.pop() {
            let node = match next {
                Ok(node) => node,
                Err(seen) => {
                    nodes[seen].end = number;
                    continue;
                }
            };
            let Some((rule, children)) = self.inside(grammar, tree, node) else { continue };
            open.push(Err(nodes.len()));
            open.extend(children.iter().rev().map(|&child| Ok(child)));
            let features = self.of_node(grammar, tree, node, rule, children);
            number += features.len();
            nodes.push(FeaturesOfNode { node, features, end: number });
        }
        nodes
    }

    fn of_node(
        &self,
        grammar: &Grammar,
        tree: &Tree,
        node: NodeId,
        rule: RuleId,
        children: &[NodeId],
    ) -> Vec<Feature> {
        let mut features: Vec<Feature> = kind_of(grammar, rule).into_iter().collect();
        if !grammar.rule(rule).has_class() {
            features.push(Feature::Rule(rule));
            for (place, &child) in children.iter().enumerate() {
                let below = tree.rule(child).filter(|&below| !grammar.rule(below).has_class());
                if let Some(below) = below.filter(|&below| !is_gap(grammar, grammar.rule(below).lhs)) {
                    features.push(Feature::Child(rule, place, below));
                }
            }
        }
        features.extend(self.text_of(grammar, tree, node, rule));
        features
    }

    /// The nodes of a tree at which the hypothesis holds.
    fn of_hypothesis(&self, grammar: &Grammar, tree: &Tree) -> Vec<(NodeId, Feature)> {
        if self.hypothesis.roots().is_empty() {
            return Vec::new();
        }
        let matcher = Matcher::new(grammar, &self.hypothesis);
        let occurrences = matcher.occurrences(tree, &matcher.matched(tree)).into_iter();
        occurrences.flat_map(|(root, node)| [(node, Feature::Own), (node, Feature::Root(root))]).collect()
    }

    /// The features of a tree that are below others, each with a node that has it.
    fn below(&self, grammar: &Grammar, tree: &Tree) -> Vec<(NodeId, Feature)> {
        let mut found: HashMap<(Way, FeatureId), NodeId> = HashMap::new();
        let mut open: Vec<(NodeId, Ways)> = vec![(tree.root(), Rc::new([]))];
        while let Some((node, ways)) = open.pop() {
            let Some((rule, children)) = self.inside(grammar, tree, node) else { continue };
            let of_rule = (!grammar.rule(rule).has_class()).then_some(Feature::Rule(rule));
            let features = kind_of(grammar, rule)
                .into_iter()
                .chain(of_rule)
                .chain(self.text_of(grammar, tree, node, rule));
            for feature in features {
                if let Some(&inner) = self.places.get(&feature)
                    && self.inner.get(inner.index()).is_some_and(|is_inner| *is_inner)
                {
                    for &(way, from) in ways.iter() {
                        found.entry((way, inner)).or_insert(from);
                    }
                }
            }
            for (place, &child) in children.iter().enumerate() {
                let way = (rule, place);
                let is_new = children.len() > 1 && ways.iter().all(|(known, _)| *known != way);
                let below = if is_new {
                    ways.iter().copied().chain([(way, node)]).collect()
                } else {
                    Rc::clone(&ways)
                };
                open.push((child, below));
            }
        }
        let mut found = Vec::from_iter(found);
        found.sort_unstable_by_key(|&(feature, _)| feature);
        found.into_iter().map(|((way, inner), node)| (node, Feature::Below(way, inner))).collect()
    }

    /// A node of a tree that has a feature; of one below another the innermost.
    pub(super) fn node_of(&self, grammar: &Grammar, tree: &Tree, feature: FeatureId) -> Option<NodeId> {
        let node = self.outermost(grammar, tree, feature)?;
        let Feature::Below((_, place), inner) = self.seen[feature.index()].feature else { return Some(node) };
        let inner = &self.seen[inner.index()].feature;
        let within: HashSet<NodeId> = tree.preorder(tree.children(node)[place]).collect();
        let has = |(node, feature): &(NodeId, Feature)| feature == inner && within.contains(node);
        self.simple(grammar, tree).into_iter().find(has).map(|(node, _)| node)
    }

    /// A node of a tree that has a feature.
    pub(super) fn outermost(&self, grammar: &Grammar, tree: &Tree, feature: FeatureId) -> Option<NodeId> {
        let wanted = &self.seen[feature.index()].feature;
        let mut found = match wanted {
            &Feature::Joint(number) => {
                return self.joints[number].node_in(grammar, tree, &self.by_node(grammar, tree));
            }
            &Feature::Unmasked(number) => {
                let outline = self.outline(&self.by_node(grammar, tree));
                return self.unmasked[number].node_in(self, tree, &outline);
            }
            Feature::Below(..) => self.below(grammar, tree),
            Feature::Own | Feature::Root(_) => self.of_hypothesis(grammar, tree),
            Feature::Kind(_) | Feature::Rule(_) | Feature::Child(..) | Feature::Text(..) => {
                self.simple(grammar, tree)
            }
        };
        found.retain(|(_, feature)| feature == wanted);
        found.first().map(|&(node, _)| node)
    }

    /// The text of a node as a feature, if it is short.
    fn text_of(&self, grammar: &Grammar, tree: &Tree, node: NodeId, rule: RuleId) -> Option<Feature> {
        let (nonterminal, text) = (grammar.rule(rule).lhs, bare_text(grammar, tree, node));
        let longest = if self.words.contains(nonterminal) { LONGEST_WORD } else { LONGEST_TEXT };
        let small = |at, c: char| match self.cases.are_same(grammar, tree, at) {
            true => c.to_ascii_lowercase(),
            false => c,
        };
        (1..=longest)
            .contains(&text.len())
            .then(|| Feature::Text(nonterminal, bare_text_with(grammar, tree, node, small)))
    }

    /// The rule of a node and the children in which there are features: what stands between words tells nothing.
    fn inside<'t>(&self, grammar: &Grammar, tree: &'t Tree, node: NodeId) -> Option<(RuleId, &'t [NodeId])> {
        let rule = tree.rule(node)?;
        let nonterminal = grammar.rule(rule).lhs;
        let children = if self.words.contains(nonterminal) { &[] } else { tree.children(node) };
        (!is_gap(grammar, nonterminal)).then_some((rule, children))
    }

    /// The joint that a feature is.
    pub(super) fn joint(&self, feature: FeatureId) -> Option<&Joint> {
        match self.seen[feature.index()].feature {
            Feature::Joint(number) => Some(&self.joints[number]),
            _ => None,
        }
    }

    /// The root classes of the hypothesis by which a node has a feature; none if it is about other things.
    pub(super) fn roots(&self, feature: FeatureId) -> &[ClassId] {
        match &self.seen[feature.index()].feature {
            Feature::Own => self.hypothesis.roots(),
            Feature::Root(root) => std::slice::from_ref(root),
            _ => &[],
        }
    }
}

/// The nonterminal of a rule as a feature, if it has others.
fn kind_of(grammar: &Grammar, rule: RuleId) -> Option<Feature> {
    let nonterminal = grammar.rule(rule).lhs;
    (grammar.rules_of(nonterminal).len() > 1).then_some(Feature::Kind(nonterminal))
}

impl Features {
    /// The number of features that a clause asks for: a joint asks for several.
    pub(super) fn size(&self, clause: &Clause) -> usize {
        let size = |&feature: &FeatureId| match self.unmasked(feature) {
            Some(unmasked) => unmasked.size(),
            None => self.joint(feature).map_or(1, Joint::size),
        };
        clause.features.iter().map(size).sum()
    }
}

impl Clause {
    /// Whether it holds for who has these features.
    pub(super) fn holds(&self, features: &BitSet<FeatureId>) -> bool {
        self.features.iter().any(|&feature| features.contains(feature)) == self.is_positive
    }

    /// A clause that asks for one of some features.
    pub(super) fn wanted(features: Vec<FeatureId>) -> Self {
        Self { features, is_positive: true }
    }

    /// A clause that says that none of some features is there.
    pub(super) fn unwanted(features: Vec<FeatureId>) -> Self {
        Self { features, is_positive: false }
    }
}

impl Seen {
    /// How much the gain of a feature counts: where it stands has to matter.
    pub(super) fn weight(&self) -> f64 {
        match self.feature {
            Feature::Below(..) | Feature::Joint(_) => BELOW,
            _ => 1.0,
        }
    }
}
