//! The characteristic node: the smallest subtree of the abstract input that fails in every
//! context.
//!
//! The seeds' way ("Specializing Context-Free Grammars for Inducing Faults") goes down from the root
//! as long as the failure is reproduced. Whatever contains a subtree that always fails always fails as
//! well, so one may also go by halves: of the subtrees that are left, the one is asked about that has
//! half of them below it. If it does not always fail, none of those does; if it seems to, only those
//! are left. The answer is verified by a full trial, everything else is only screened; and what passed
//! earlier, in whatever phase, refutes all that occurs in it for nothing.

use crate::grammar::analysis::recursive;
use crate::oracle::Halt;
use crate::tree::{NodeId, Tree};

use super::abstract_input::pattern_of;
use super::context::{hides, instantiate};
use super::ddset::Generalization;
use super::trial::{Candidate, TrialOutcome, TrialSize, known_first, run_trial};
use super::{ContextSampler, Example, Question, Refutation};

impl Generalization<'_, '_, '_> {
    /// The smallest subtree that fails in every context, and whether that was verified.
    pub(super) fn ask_characteristic(
        &mut self,
        sampler: &mut dyn ContextSampler,
    ) -> Result<(NodeId, bool), Halt> {
        let (grammar, tree) = (self.example.grammar, self.example.tree);
        let root = tree.root();
        if self.abstract_nodes.contains(root) {
            return Ok((root, true));
        }
        let mut left = self.candidates();
        // Each is below the one before.
        let mut seem = vec![root];
        loop {
            while let Some(node) = self.middle(&left) {
                if self.always_fails(node, sampler, TrialSize::context_screening(self.settings))? {
                    left.retain(|&other| other != node && self.is_below(other, node));
                    seem.push(node);
                } else {
                    left.retain(|&other| !self.is_below(other, node));
                }
            }
            let Some(node) = seem.pop() else { return Ok((root, false)) };
            // A start symbol that never occurs inside occurs nowhere but at the root, and there
            // it was verified before.
            let is_verified = node == root && !recursive(grammar).contains(grammar.start());
            if is_verified || self.always_fails(node, sampler, TrialSize::full(self.settings))? {
                return Ok((node, true));
            }
            if let Some(&above) = seem.last() {
                // What was refuted is refuted again, for nothing.
                left = self.candidates();
                left.retain(|&other| {
                    other != above && self.is_below(other, above) && !self.is_below(other, node)
                });
            }
        }
    }

    /// Of the candidates that are left, the one with about half of them below it.
    fn middle(&self, left: &[NodeId]) -> Option<NodeId> {
        // They are in document order: what is below a node follows it.
        let below = |index: usize| left[index..].partition_point(|&other| self.is_below(other, left[index]));
        let index = (0..left.len()).min_by_key(|&index| (2 * below(index)).abs_diff(left.len()))?;
        Some(left[index])
    }

    /// The smallest subtree that holds all concrete terminals; the root when there are none.
    pub(super) fn static_characteristic(&self) -> NodeId {
        let tree = self.example.tree;
        let concrete = self.concrete_nodes();
        let is_terminal = |&&node: &&NodeId| tree.rule(node).is_none();
        let all = concrete.iter().filter(is_terminal).count();
        let mut found = tree.root();
        if all == 0 {
            return found;
        }
        let mut below = vec![0; concrete.len()];
        let index_of: std::collections::HashMap<NodeId, usize> =
            concrete.iter().enumerate().map(|(index, &node)| (node, index)).collect();
        // Children stand behind their parents: the last node with all of them is the lowest.
        for (index, &node) in concrete.iter().enumerate().rev() {
            below[index] += usize::from(tree.rule(node).is_none());
            if below[index] == all && self.may_be_characteristic(node) {
                found = node;
                break;
            }
            if let Some(parent) = tree.parent(node) {
                let sum = below[index];
                below[index_of[&parent]] += sum;
            }
        }
        found
    }

    /// The concrete nodes, parents before children, from left to right.
    fn concrete_nodes(&self) -> Vec<NodeId> {
        let tree = self.example.tree;
        let mut nodes = Vec::new();
        let mut open = vec![tree.root()];
        while let Some(node) = open.pop() {
            if !self.abstract_nodes.contains(node) {
                nodes.push(node);
                open.extend(tree.children(node).iter().rev());
            }
        }
        nodes
    }

    /// A pattern is shown by the name of its nonterminal; those made from operators have
    /// none that says anything.
    fn may_be_characteristic(&self, node: NodeId) -> bool {
        let (grammar, tree): (_, &Tree) = (self.example.grammar, self.example.tree);
        node == tree.root()
            || tree
                .nonterminal(grammar, node)
                .is_some_and(|nonterminal| !grammar.nonterminal(nonterminal).is_helper())
    }

    /// The candidates below the root, parents before children, from left to right.
    fn candidates(&self) -> Vec<NodeId> {
        let mut nodes = self.concrete_nodes();
        nodes.retain(|&node| {
            node != self.example.tree.root() && self.may_be_characteristic(node) && !self.is_empty(node)
        });
        nodes
    }

    /// Whether the subtree at `node` fails in every context, in a trial of this size.
    fn always_fails(
        &mut self,
        node: NodeId,
        sampler: &mut dyn ContextSampler,
        size: TrialSize,
    ) -> Result<bool, Halt> {
        let Example { grammar, tree, parser, .. } = self.example;
        let pattern = pattern_of(grammar, tree, node, &self.grouped_abstract_nodes());
        if let Some(input) = self.evidence.refutes(parser, self.judge, &pattern) {
            self.does_not_fail_everywhere(node, Some(input));
            return Ok(false);
        }
        let target = pattern.characteristic();
        let start = grammar.start();
        let most = size.wanted / 2;
        let own = self.text_of(node).to_vec();
        let Self { judge, stream, likely, .. } = self;
        let check = |text: Vec<u8>| Candidate { origin: text.clone(), text };
        // The concrete node in the smallest context; the smallest of its kind there; then in
        // contexts of each kind, among cheap strings and among such as made the input pass before.
        let mut first: Vec<Candidate<Vec<u8>>> =
            likely.cheapest.around(start, target, &own).into_iter().map(check).collect();
        let smallest = instantiate(grammar, parser.lexis(), &pattern, |inner| {
            likely.cheapest.string(inner).map(<[u8]>::to_vec)
        });
        if let Some(smallest) = smallest {
            first.extend(likely.cheapest.around(start, target, &smallest).map(check));
        }
        let passed = likely.all_last_passed();
        let beside = |inner| passed.get(&inner).cloned();
        let among_passed = likely.cheapest.contexts(start, target, most / 2, beside, &own);
        let among_cheap = likely.cheapest.contexts(start, target, most / 2, |_| None, &own);
        first.extend(among_cheap.into_iter().chain(among_passed).map(check));
        first.retain(|candidate| !hides(parser, &pattern, &candidate.text));
        known_first(&mut first, judge);
        let mut first = first.into_iter();
        let outcome = run_trial(
            size,
            judge,
            |text| parser.recognizes(text),
            || first.next().or_else(|| sampler.sample(&pattern, stream).map(check)),
        )?;
        let refuting = match outcome {
            TrialOutcome::Holds(_) => return Ok(true),
            TrialOutcome::Refuted(input) => Some(input),
            TrialOutcome::Unclear(mut unresolved) => unresolved.pop(),
        };
        self.does_not_fail_everywhere(node, refuting);
        Ok(false)
    }

    /// Remembers the input that says that the subtree at `node` does not fail in every context.
    fn does_not_fail_everywhere(&mut self, node: NodeId, input: Option<Vec<u8>>) {
        let question = Question::FailsEverywhere;
        if !self.refutations.iter().any(|known| known.node == node && known.question == question) {
            let verdict = input.as_ref().and_then(|input| self.judge.known(input));
            self.refutations.push(Refutation { node, question, tried: None, input, verdict });
        }
    }
}
