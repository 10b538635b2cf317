//! A root class that does not fail in every context.
//!
//! That a root class holds somewhere is said by classes from the start symbol down to it, one for each nonterminal on
//! the way, whose alternatives are the steps by which failing inputs got there. What stands beside the way is
//! an open place then, and may be excepted as any other one.

use std::collections::BTreeMap;

use crate::grammar::analysis::recursive;
use crate::grammar::{Grammar, NonterminalId, Symbol};
use crate::pattern::ways::Step;
use crate::tree::NodeId;

use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

impl Learning<'_, '_, '_> {
    /// Lets the root class of an accepted input hold only in contexts like those of inputs that fail. Says
    /// whether there is anything new: a root class that holds at the root of the tree has no context.
    pub(super) fn lift(&mut self, input: &Input) -> bool {
        let grammar = self.example.grammar;
        let start = grammar.start();
        let accepted = self.accepted();
        let root = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            matcher.occurrences(&input.tree, &matched).first().map(|&(root, _)| root)
        };
        let is_recursive = recursive(grammar).contains(start);
        let has_context = |root: &ClassId| {
            !self.narrowed.contains(root)
                && !self.hypothesis.is_anchored(*root)
                && (is_recursive || self.hypothesis.class(*root).nonterminal != start)
        };
        let Some(root) = root.filter(has_context) else { return false };
        let target = self.hypothesis.class(root).nonterminal;
        let mut steps: BTreeMap<NonterminalId, Vec<Step>> = BTreeMap::new();
        {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            for &index in &accepted {
                let failing = &self.failing[index];
                let matched = matcher.matched(&failing.tree);
                let occurrences = matcher.occurrences(&failing.tree, &matched);
                // Where it stands several times, nobody knows which one it is that fails.
                if let [(found, node)] = occurrences.as_slice()
                    && *found == root
                {
                    add_steps(grammar, failing, *node, &mut steps);
                }
            }
        }
        if target == start {
            steps.entry(start).or_default();
        }
        let before = self.hypothesis.clone();
        let ways: BTreeMap<NonterminalId, ClassId> = steps
            .keys()
            .map(|&nonterminal| (nonterminal, self.hypothesis.add(nonterminal, Vec::new())))
            .collect();
        let Some(&top) = ways.get(&start) else {
            self.hypothesis = before;
            return false;
        };
        for (nonterminal, steps) in &steps {
            let Some(&class) = ways.get(nonterminal) else { continue };
            if *nonterminal == target {
                for alternative in self.hypothesis.class(root).alternatives.clone() {
                    self.hypothesis.widen(class, alternative);
                }
            }
            for step in steps {
                let symbols = &grammar.rule(step.rule).symbols;
                let Symbol::Nonterminal(next) = symbols[step.child] else { continue };
                if grammar.rule(step.rule).has_class() {
                    // A pattern has no way to say that any character of a class may stand there.
                    self.hypothesis = before;
                    return false;
                }
                let want = Want::In(ways.get(&next).copied().unwrap_or(root));
                let alternative = Alternative::of_rule_with(grammar, step.rule, [(step.child, want)]);
                self.hypothesis.widen(class, alternative);
            }
        }
        let roots =
            self.hypothesis.roots().iter().copied().filter(|&other| other != root).chain([top]).collect();
        // What is asked of the numbers in it is asked wherever it stands.
        let constraint = self.hypothesis.constraint(root).cloned();
        self.hypothesis.set_roots(roots);
        self.hypothesis.constrain(top, constraint);
        if is_recursive {
            self.hypothesis.anchor(top);
        }
        if self.keeps(&accepted) {
            return true;
        }
        self.hypothesis = before;
        false
    }
}

/// Adds the steps from the root of an input's tree to a node.
fn add_steps(grammar: &Grammar, input: &Input, node: NodeId, steps: &mut BTreeMap<NonterminalId, Vec<Step>>) {
    let mut node = node;
    while let Some(parent) = input.tree.parent(node) {
        if let (Some(rule), Some(child)) =
            (input.tree.rule(parent), input.tree.children(parent).iter().position(|&child| child == node))
        {
            let step = Step { rule, child };
            let of = steps.entry(grammar.rule(rule).lhs).or_default();
            if !of.contains(&step) {
                of.push(step);
            }
        }
        node = parent;
    }
}
