//! Isolation: which of the nodes that may vary alone may vary together. (ISSTA 2020, section 4.2.)
//!
//! All vary at once, in a full trial. When such an input passes, as many nodes as possible
//! are given back their own texts: those that are left are the culprits, each of which is needed. Equal
//! ones may perhaps vary as one; else the smallest becomes concrete, which loses least, and its parts
//! are asked about instead. Too many unresolved inputs are dealt with in the same way: the node
//! that most often makes an input unresolved becomes concrete. Then all is verified again. An input that
//! passed earlier, in whatever phase, and that the abstract input stands for, is dealt with first.

use std::collections::{BTreeMap, HashMap};

use crate::oracle::{Halt, Verdict};
use crate::tree::{NodeId, Tree};

use super::Example;
use super::ddset::{Generalization, NodeGroup, Substitution};
use super::trial::{TrialOutcome, TrialSize};

impl Generalization<'_, '_, '_> {
    /// Makes nodes concrete until all that are left may vary together.
    pub(super) fn isolate(&mut self) -> Result<(), Halt> {
        loop {
            let groups: Vec<NodeGroup> =
                self.groups.iter().filter(|group| !self.fixed.contains(group[0])).cloned().collect();
            if groups.is_empty() {
                return Ok(());
            }
            let mut refuting = self.known()?;
            if refuting.is_none() {
                refuting = self.probe(&groups)?;
            }
            let refuting = match refuting {
                Some(substitutions) => TrialOutcome::Refuted(substitutions),
                None => self.vary_all(&groups)?,
            };
            let (culprits, passes) = match refuting {
                TrialOutcome::Holds(_) => return Ok(()),
                TrialOutcome::Refuted(substitutions) => (self.needed(substitutions, Verdict::Pass)?.0, true),
                TrialOutcome::Unclear(unresolved) => self.most_unresolved(unresolved)?,
            };
            if let ([(group, fill)], true) = (culprits.as_slice(), passes) {
                // A node that makes the input pass on its own was not found by its screening. Those below
                // it with the same text are asked about next.
                let nonterminal = self.nonterminal(group);
                self.likely.remember(nonterminal, fill);
                let whole = self.splicer().splice_groups(std::slice::from_ref(&culprits[0]));
                self.evidence.tried(self.example.parser, self.spans[group[0]], fill, &whole);
            }
            let refuting = (!culprits.is_empty()).then(|| culprits.clone());
            let culprits: Vec<NodeGroup> = culprits.into_iter().map(|(group, _)| group).collect();
            let culprits = if culprits.is_empty() { groups } else { culprits };
            self.settle_culprits(&culprits, refuting.as_deref())?;
        }
    }

    /// An input that passed and is an instance of the present abstract input.
    fn known(&mut self) -> Result<Option<Vec<Substitution>>, Halt> {
        self.evidence.read(self.example.parser, self.judge);
        let stood_for: Vec<Vec<Substitution>> =
            self.evidence.passed(self.judge).filter_map(|tree| self.substitutions(tree)).collect();
        for substitutions in stood_for.into_iter().filter(|substitutions| !substitutions.is_empty()) {
            if self.judge_with(&substitutions)? == Verdict::Pass {
                return Ok(Some(substitutions));
            }
        }
        Ok(None)
    }

    /// What stands at the groups in another input, if the two are the same otherwise. Gaps between words count
    /// for nothing.
    fn substitutions(&self, other: &Tree) -> Option<Vec<Substitution>> {
        let Example { grammar, tree, .. } = self.example;
        let (text, spans) = (other.text(grammar), other.spans(grammar));
        let text_at = |node: NodeId| &text[spans[node].0..spans[node].1];
        let mut there: HashMap<NodeId, NodeId> = HashMap::new();
        let mut open = vec![(tree.root(), other.root())];
        while let Some((node, twin)) = open.pop() {
            if self.abstract_nodes.contains(node) {
                if tree.nonterminal(grammar, node) != other.nonterminal(grammar, twin) {
                    return None;
                }
                there.insert(node, twin);
            } else if tree.rule(node).is_none() || tree.rule(node) != other.rule(twin) {
                if !self.is_skip(node) && self.text_of(node) != text_at(twin) {
                    return None;
                }
            } else {
                open.extend(tree.children(node).iter().copied().zip(other.children(twin).iter().copied()));
            }
        }
        let mut substitutions = Vec::new();
        for group in &self.groups {
            let fill = text_at(*there.get(&group[0])?);
            if group.iter().any(|node| there.get(node).is_none_or(|&twin| text_at(twin) != fill)) {
                return None;
            }
            if fill != self.text_of(group[0]) {
                substitutions.push((group.clone(), fill.to_vec()));
            }
        }
        Some(substitutions)
    }

    /// Lets each vary alone to what passed elsewhere at the same nonterminal.
    fn probe(&mut self, groups: &[NodeGroup]) -> Result<Option<Vec<Substitution>>, Halt> {
        for group in groups {
            let nonterminal = self.nonterminal(group);
            let Some(passed) = self.likely.last_passed(nonterminal) else { continue };
            let substitutions = vec![(group.clone(), passed.to_vec())];
            let text = self.splicer().splice_groups(&substitutions);
            if self.example.parser.recognizes(&text)? && self.judge.judge(&text)? == Verdict::Pass {
                return Ok(Some(substitutions));
            }
        }
        Ok(None)
    }

    /// Lets all vary, in a full trial.
    fn vary_all(&mut self, groups: &[NodeGroup]) -> Result<TrialOutcome<Vec<Substitution>>, Halt> {
        let cheapest: Vec<Substitution> = groups
            .iter()
            .filter_map(|group| {
                Some((group.clone(), self.likely.cheapest.string(self.nonterminal(group))?.to_vec()))
            })
            .collect();
        let mut first = vec![cheapest];
        if let [group] = groups {
            // What it was screened with serves here too.
            let screened = self.screened.get(&group[0]).into_iter().flatten();
            first.extend(screened.map(|text| vec![(group.clone(), text.clone())]));
        }
        match groups {
            [_] => self.vary(groups, TrialSize::full(self.settings), first),
            _ => self.vary_jointly(groups, TrialSize::full(self.settings), first),
        }
    }

    /// Of inputs that are unresolved, the substitutions that make them so; those of the group that does it most
    /// often, if none passes with fewer.
    fn most_unresolved(&mut self, inputs: Vec<Vec<Substitution>>) -> Result<(Vec<Substitution>, bool), Halt> {
        let mut counts: BTreeMap<usize, (usize, Substitution)> = BTreeMap::new();
        for substitutions in inputs {
            let verdict = self.judge_with(&substitutions)?;
            let (substitutions, verdict) = self.needed(substitutions, verdict)?;
            if verdict == Verdict::Pass {
                return Ok((substitutions, true));
            }
            for fill in substitutions {
                counts.entry(self.order[fill.0[0]]).or_insert((0, fill)).0 += 1;
            }
        }
        let most =
            counts.into_values().rev().max_by_key(|(count, (group, _))| (!self.is_skip(group[0]), *count));
        Ok((most.into_iter().map(|(_, fill)| fill).collect(), false))
    }

    /// Makes one of the culprits concrete, or all of them one. `refuting` is what stood there in the input that says so.
    fn settle_culprits(
        &mut self,
        culprits: &[NodeGroup],
        refuting: Option<&[Substitution]>,
    ) -> Result<(), Halt> {
        let nodes: Vec<NodeId> = culprits.iter().flat_map(|group| group.iter().copied()).collect();
        let first = (self.nonterminal(&culprits[0]), self.text_of(nodes[0]).to_vec());
        let are_equal = culprits
            .iter()
            .all(|group| self.nonterminal(group) == first.0 && self.text_of(group[0]) == first.1.as_slice());
        if culprits.len() > 1 && are_equal && !first.1.is_empty() {
            for group in culprits {
                self.close(group);
            }
            if self.try_group(&nodes)? {
                return Ok(());
            }
            for group in culprits {
                self.open(group.clone());
            }
        }
        let tree = self.example.tree;
        // A gap between words stays open when it is not alone to blame: a pattern's text has no other gaps.
        let culprit = culprits
            .iter()
            .min_by_key(|group| (self.is_skip(group[0]), self.text_of(group[0]).len(), tree.size(group[0])))
            .cloned();
        let Some(culprit) = culprit else { return Ok(()) };
        self.close(&culprit);
        self.does_not_vary(&culprit, refuting);
        // Else it would be found again.
        for &node in culprit.iter() {
            self.spaces.remove(node);
        }
        self.unshared.insert(culprit.clone());
        if culprit.len() == 1 && !self.is_token(culprit[0]) && !self.is_skip(culprit[0]) {
            self.explore(tree.children(culprit[0]).iter().copied())?;
        }
        self.share()
    }
}
