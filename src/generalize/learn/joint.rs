//! What one node has and has not.
//!
//! Clauses over whole inputs say that this is somewhere and that is nowhere. In a list of articles one of which has no year, others have one. So clauses
//! are fitted to the nodes of one nonterminal as well, by the same covering as to whole examples ([`super::covering`]): they hold of an example if they all hold of one of
//! its nodes. What is found is a feature like any other.

use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::{Grammar, NonterminalId};
use crate::tree::{NodeId, Tree};

use super::covering::{Left, price};
use super::features::{FeaturesOfNode, LEAST_SUPPORT};
use super::input::Input;
use super::instances::{Instances, Part};

/// The number of passing examples that a clause has to reject for each of its features: of simple conditions and of exact ones.
const GAINS: [f64; 2] = [24.0, 6.0];

/// The number of rejected passing examples that make good for a rejected failing one.
const PRICE: f64 = 10.0;

/// The most clauses.
const MOST_CLAUSES: usize = 5;

/// What a node of a nonterminal has to have in its subtree, and what it must not have.
#[derive(Clone)]
pub(super) struct Joint {
    pub(super) nonterminal: NonterminalId,
    pub(super) clauses: Vec<JointClause>,
}

/// Features of which the subtree has to have one, or must not have any.
#[derive(Clone)]
pub(super) struct JointClause {
    pub(super) parts: Vec<Part>,
    pub(super) is_positive: bool,
}

/// A joint with a node for which it holds and the examples for which it does.
pub(super) struct FoundJoint {
    pub(super) joint: Joint,
    pub(super) at: (Rc<Input>, NodeId),
    pub(super) examples: Left,
}

/// Clauses while they are fitted: the numbers of their features.
type Fitted = Vec<(Vec<usize>, bool)>;

/// What a feature comes to among the instances that are left.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// The failing examples with an instance that has it.
    failing: usize,
    /// Those in which all instances that are left have it.
    all_of_failing: usize,
    /// The weight of the passing instances that have it.
    passing: f64,
}

/// Fits clauses to instances.
struct Fitting<'i> {
    instances: &'i Instances,
    /// The instances for which the clauses hold so far.
    left: Vec<bool>,
    /// The number of them in each failing example.
    of_failing: Vec<u32>,
    /// For each failing example the number of instances counted for the present feature, and what that is.
    counted: Vec<(usize, u32)>,
    turn: usize,
    price: f64,
}

impl Joint {
    /// The number of features in it.
    pub(super) fn size(&self) -> usize {
        self.clauses.iter().map(|clause| clause.parts.len()).sum()
    }

    /// It with a clause turned round: what it is without that, but for what the clause rejects.
    pub(super) fn turned_round(&self, clause: usize) -> Self {
        let mut joint = self.clone();
        joint.clauses[clause].is_positive ^= true;
        joint
    }

    /// The first node of a tree, of which these are the features, for which it holds.
    pub(super) fn node_in(
        &self,
        grammar: &Grammar,
        tree: &Tree,
        by_node: &[FeaturesOfNode],
    ) -> Option<NodeId> {
        // The clauses that are met at each place.
        let mut met: Vec<(usize, usize)> = Vec::new();
        let mut nodes: Vec<(NodeId, usize, usize)> = Vec::new();
        let mut place = 0;
        for FeaturesOfNode { node, features, end } in by_node {
            if tree.nonterminal(grammar, *node) == Some(self.nonterminal) {
                nodes.push((*node, place, *end));
            }
            for feature in features {
                let asks = |clause: &JointClause| clause.parts.iter().any(|part| part.feature == *feature);
                let asking = self.clauses.iter().enumerate().filter(|(_, clause)| asks(clause));
                met.extend(asking.map(|(number, _)| (place, number)));
                place += 1;
            }
        }
        let holds = |&(_, begin, end): &(NodeId, usize, usize)| {
            let from = met.partition_point(|&(place, _)| place < begin);
            let has = |number: usize| {
                let mut below = met[from..].iter().take_while(|(place, _)| *place < end);
                below.any(|&(_, met)| met == number)
            };
            self.clauses.iter().enumerate().all(|(number, clause)| has(number) == clause.is_positive)
        };
        nodes.into_iter().find(holds).map(|(node, ..)| node)
    }
}

impl Instances {
    /// What one instance has and has not in the failing examples of some, and in none or few of the passing ones; with the examples for which it holds, of all.
    pub(super) fn joints(&self, of: &Left) -> Vec<FoundJoint> {
        let mut known: Vec<Fitted> = Vec::new();
        for least_gain in GAINS {
            let clauses = Fitting::of(self, of).fit(least_gain);
            if !clauses.is_empty() && !known.contains(&clauses) {
                known.push(clauses);
            }
        }
        known.into_iter().filter_map(|clauses| self.found(&clauses)).collect()
    }

    fn joint(&self, clauses: &Fitted) -> Joint {
        let part = |&feature: &usize| self.features[feature].0.clone();
        let clauses = clauses.iter().map(|(features, is_positive)| JointClause {
            parts: features.iter().map(part).collect(),
            is_positive: *is_positive,
        });
        Joint { nonterminal: self.nonterminal, clauses: clauses.collect() }
    }

    /// Clauses with the instances for which they hold, if there are any.
    fn found(&self, clauses: &Fitted) -> Option<FoundJoint> {
        let mut held = vec![true; self.examples.len()];
        for (features, is_positive) in clauses {
            keep(&mut held, &self.having(features), *is_positive);
        }
        let held: Vec<usize> = (0..held.len()).filter(|&instance| held[instance]).collect();
        let mut examples = [BitSet::new(), BitSet::new()];
        for &instance in &held {
            let (side, example) = self.examples[instance];
            examples[side].insert(example);
        }
        let at = self.nodes[*held.first()?].clone();
        Some(FoundJoint { joint: self.joint(clauses), at, examples })
    }

    /// Which instances have one of some features.
    fn having(&self, features: &[usize]) -> Vec<bool> {
        let mut having = vec![false; self.examples.len()];
        for &feature in features {
            for &instance in &self.features[feature].1 {
                having[instance as usize] = true;
            }
        }
        having
    }
}

/// Keeps the instances that have something, or those that have not.
fn keep(left: &mut [bool], having: &[bool], is_positive: bool) {
    left.iter_mut().zip(having).for_each(|(left, &has)| *left &= has == is_positive);
}

impl<'i> Fitting<'i> {
    fn of(instances: &'i Instances, examples: &Left) -> Self {
        let is_in = |&(side, example): &(usize, _)| examples[side].contains(example);
        let left: Vec<bool> = instances.examples.iter().map(is_in).collect();
        let failing = instances.examples.iter().filter(|(side, _)| *side == 0);
        let number = failing.map(|(_, example)| example.index() + 1).max().unwrap_or(0);
        let mut fitting = Self {
            instances,
            left,
            of_failing: Vec::new(),
            counted: vec![(0, 0); number],
            turn: 0,
            price: price(PRICE, examples),
        };
        fitting.of_failing = fitting.numbers_of_failing(&fitting.left);
        fitting
    }

    fn fit(mut self, least_gain: f64) -> Fitted {
        let mut clauses = Fitted::new();
        let all = self.left.clone();
        while clauses.len() < MOST_CLAUSES {
            let both = [self.needed(), self.unwanted()].into_iter().flatten();
            let gains = both.map(|clause| (self.gain(&clause), clause));
            let Some((gain, clause)) = gains.max_by(|(a, _), (b, _)| a.total_cmp(b)) else { break };
            if gain < least_gain * clause.0.len() as f64 {
                break;
            }
            keep(&mut self.left, &self.instances.having(&clause.0), clause.1);
            self.of_failing = self.numbers_of_failing(&self.left);
            clauses.push(clause);
        }
        self.without_idle_clauses(&mut clauses, &all, least_gain);
        clauses
    }

    /// Drops the clauses, the first ones first, without which hardly a passing instance more is accepted: later ones say more.
    fn without_idle_clauses(&self, clauses: &mut Fitted, all: &[bool], least_gain: f64) {
        let mut index = 0;
        while index < clauses.len() {
            let mut left = all.to_vec();
            for (features, is_positive) in clauses[..index].iter().chain(&clauses[index + 1..]) {
                keep(&mut left, &self.instances.having(features), *is_positive);
            }
            let (features, is_positive) = &clauses[index];
            let mut held = left.clone();
            keep(&mut held, &self.instances.having(features), *is_positive);
            if self.rejected(&left, &held) < least_gain * features.len() as f64 {
                clauses.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// The weight of the passing instances of some that are not among others.
    fn rejected(&self, of: &[bool], held: &[bool]) -> f64 {
        let passing = (0..of.len()).filter(|&instance| self.instances.examples[instance].0 == 1);
        let rejected = passing.filter(|&instance| of[instance] && !held[instance]);
        rejected.map(|instance| self.instances.weights[instance]).sum()
    }

    /// The number of instances of each failing example, of some.
    fn numbers_of_failing(&self, left: &[bool]) -> Vec<u32> {
        let mut numbers = vec![0; self.counted.len()];
        for (&(side, example), _) in self.instances.examples.iter().zip(left).filter(|(_, left)| **left) {
            if side == 0 {
                numbers[example.index()] += 1;
            }
        }
        numbers
    }

    /// What a feature comes to among the instances that are left and `open`, in the failing examples that are.
    fn tally(&mut self, feature: usize, open: Option<(&[bool], &[bool])>) -> Tally {
        self.turn += 1;
        let mut tally = Tally::default();
        for &instance in &self.instances.features[feature].1 {
            let instance = instance as usize;
            if !self.left[instance] || open.is_some_and(|(instances, _)| !instances[instance]) {
                continue;
            }
            let (side, example) = self.instances.examples[instance];
            if side == 1 {
                tally.passing += self.instances.weights[instance];
                continue;
            }
            let example = example.index();
            if open.is_some_and(|(_, examples)| !examples[example]) {
                continue;
            }
            let counted = &mut self.counted[example];
            if counted.0 != self.turn {
                *counted = (self.turn, 0);
                tally.failing += 1;
            }
            counted.1 += 1;
            tally.all_of_failing += usize::from(counted.1 == self.of_failing[example]);
        }
        tally
    }

    /// The weight of the passing instances that a clause rejects, less what the failing examples cost of which none is left.
    fn gain(&self, (features, is_positive): &(Vec<usize>, bool)) -> f64 {
        let mut held = self.left.clone();
        keep(&mut held, &self.instances.having(features), *is_positive);
        let lost = self.of_failing.iter().zip(self.numbers_of_failing(&held));
        let lost = lost.filter(|&(&before, after)| before > 0 && after == 0).count();
        self.rejected(&self.left, &held) - self.price * lost as f64
    }

    /// A clause of which each failing example has a feature at one of its instances, and few passing instances have.
    fn needed(&mut self) -> Option<(Vec<usize>, bool)> {
        let mut instances = self.left.clone();
        let mut examples: Vec<bool> = self.of_failing.iter().map(|&number| number > 0).collect();
        let mut features: Vec<usize> = Vec::new();
        loop {
            let failing = examples.iter().filter(|open| **open).count();
            let passing: f64 = (0..instances.len())
                .filter(|&instance| instances[instance] && self.instances.examples[instance].0 == 1)
                .map(|instance| self.instances.weights[instance])
                .sum();
            if failing == 0 || passing == 0.0 {
                break;
            }
            let bits = |fail: f64, pass: f64| (fail / (fail + pass)).log2();
            let before = bits(failing as f64, passing);
            let mut best: Option<(f64, usize)> = None;
            for feature in 0..self.instances.features.len() {
                let of_it = self.tally(feature, Some((&instances, &examples)));
                if of_it.failing < LEAST_SUPPORT {
                    continue;
                }
                let fail = of_it.failing as f64;
                let gain = fail * (bits(fail, of_it.passing) - before);
                if gain > best.map_or(0.0, |(most, _)| most) {
                    best = Some((gain, feature));
                }
            }
            let Some((_, feature)) = best else { break };
            for &instance in &self.instances.features[feature].1 {
                let instance = instance as usize;
                let (side, example) = self.instances.examples[instance];
                if side == 0 && instances[instance] {
                    examples[example.index()] = false;
                }
                instances[instance] = false;
            }
            features.push(feature);
        }
        (!features.is_empty()).then_some((features, true))
    }

    /// The feature that most passing instances have, such that few failing examples have it at all of their instances.
    fn unwanted(&mut self) -> Option<(Vec<usize>, bool)> {
        let mut best: Option<(f64, usize)> = None;
        for feature in 0..self.instances.features.len() {
            let of_it = self.tally(feature, None);
            let worth = of_it.passing - self.price * of_it.all_of_failing as f64;
            if worth > best.map_or(0.0, |(most, _)| most) {
                best = Some((worth, feature));
            }
        }
        best.map(|(_, feature)| (vec![feature], false))
    }
}
