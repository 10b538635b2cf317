//! Features: small parts of trees, and which examples have them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::pattern::{Openness, Pattern};
use crate::tree::{NodeId, Tree};

use super::input::Input;
use super::matching::bare_text;

/// The longest text that is a feature, in bytes.
const LONGEST_TEXT: usize = 16;

/// The fewest examples that have to have a feature.
pub(super) const LEAST_SUPPORT: usize = 3;

/// A small part of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Feature {
    /// A node that is expanded by this rule.
    Rule(RuleId),
    /// A node that is expanded by this rule, with a child of this number that is expanded by the other.
    Child(RuleId, usize, RuleId),
    /// A node with this text.
    Text(NonterminalId, Vec<u8>),
}

/// A feature, with what has it.
pub(super) struct Seen {
    feature: Feature,
    /// A node that has it.
    at: (Rc<Input>, NodeId),
    /// The examples that have it, first those that fail.
    pub(super) examples: [Vec<usize>; 2],
}

/// The features of all examples.
pub(super) struct Features {
    pub(super) seen: Vec<Seen>,
    places: HashMap<Feature, usize>,
    /// Of each example, first of those that fail.
    pub(super) of_example: [Vec<Vec<usize>>; 2],
}

impl Features {
    /// The features of examples, first of those that fail.
    pub(super) fn of(grammar: &Grammar, examples: [&[Rc<Input>]; 2]) -> Self {
        let mut seen: Vec<Seen> = Vec::new();
        let mut places: HashMap<Feature, usize> = HashMap::new();
        for (side, examples) in examples.into_iter().enumerate() {
            for (number, input) in examples.iter().enumerate() {
                for (node, feature) in features(grammar, &input.tree) {
                    let place = *places.entry(feature.clone()).or_insert_with(|| {
                        seen.push(Seen {
                            feature,
                            at: (Rc::clone(input), node),
                            examples: [Vec::new(), Vec::new()],
                        });
                        seen.len() - 1
                    });
                    let found = &mut seen[place].examples[side];
                    if found.last() != Some(&number) {
                        found.push(number);
                    }
                }
            }
        }
        // Of features that the same examples have the simplest one is taken.
        seen.sort_by_key(|seen| match seen.feature {
            Feature::Rule(_) => 0,
            Feature::Child(..) => 1,
            Feature::Text(..) => 2,
        });
        let mut known: HashSet<[Vec<usize>; 2]> = HashSet::new();
        seen.retain(|seen| {
            seen.examples.iter().map(Vec::len).sum::<usize>() >= LEAST_SUPPORT
                && known.insert(seen.examples.clone())
        });
        let mut of_example = examples.map(|examples| vec![Vec::new(); examples.len()]);
        for (feature, seen) in seen.iter().enumerate() {
            for (side, numbers) in seen.examples.iter().enumerate() {
                numbers.iter().for_each(|&number| of_example[side][number].push(feature));
            }
        }
        let places = seen.iter().enumerate().map(|(place, seen)| (seen.feature.clone(), place)).collect();
        Self { seen, places, of_example }
    }

    /// The features that a tree has, in their order.
    pub(super) fn of_tree(&self, grammar: &Grammar, tree: &Tree) -> Vec<usize> {
        let features = features(grammar, tree);
        let mut known: Vec<usize> =
            features.iter().filter_map(|(_, feature)| self.places.get(feature).copied()).collect();
        known.sort_unstable();
        known
    }
}

/// The features of a tree, each with a node that has it, the simplest of a node first.
fn features(grammar: &Grammar, tree: &Tree) -> Vec<(NodeId, Feature)> {
    let mut features = Vec::new();
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        // What stands between words tells nothing.
        let Some(rule) = tree.rule(node).filter(|&rule| !is_gap(grammar, grammar.rule(rule).lhs)) else {
            continue;
        };
        open.extend(tree.children(node).iter().rev());
        if !grammar.rule(rule).has_class() {
            features.push((node, Feature::Rule(rule)));
            for (place, &child) in tree.children(node).iter().enumerate() {
                let below = tree.rule(child).filter(|&below| !grammar.rule(below).has_class());
                if let Some(below) = below.filter(|&below| !is_gap(grammar, grammar.rule(below).lhs)) {
                    features.push((node, Feature::Child(rule, place, below)));
                }
            }
        }
        let text = bare_text(grammar, tree, node);
        if (1..=LONGEST_TEXT).contains(&text.len()) {
            features.push((node, Feature::Text(grammar.rule(rule).lhs, text)));
        }
    }
    features
}

impl Seen {
    /// The pattern of what has the feature.
    pub(super) fn pattern(&self, grammar: &Grammar) -> Pattern {
        let (tree, node) = (&self.at.0.tree, self.at.1);
        Pattern::from_tree(grammar, tree, node, |at, nonterminal| {
            let is_concrete = match self.feature {
                Feature::Rule(_) => at == node,
                Feature::Child(_, place, _) => at == node || at == tree.children(node)[place],
                Feature::Text(..) => !is_gap(grammar, nonterminal),
            };
            (!is_concrete).then_some(Openness::Abstract)
        })
    }
}
