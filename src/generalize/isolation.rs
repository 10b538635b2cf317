//! Isolation: which of the nodes that may vary alone may vary together. (ISSTA 2020, section 4.2.)
//!
//! All vary at once, for a whole row of checks. When such an input passes, as many nodes as possible
//! are given back their own texts: those that are left are the culprits, each of which is needed. Equal
//! ones may perhaps vary as one; else the smallest becomes concrete, which loses least, and its parts
//! are asked about instead. Too many unresolved inputs are dealt with in the same way: the node
//! that most often makes an input unresolved becomes concrete. Then all is verified again. An input that
//! passed earlier, in whatever phase, and that the abstract input stands for, is dealt with first.

use std::collections::{BTreeMap, HashMap};

use crate::oracle::{Halt, Verdict};
use crate::tree::{NodeId, Tree};

use super::Example;
use super::ddset::{Fill, Session, Unit};
use super::row::{Length, Outcome};

impl Session<'_, '_, '_> {
    /// Makes nodes concrete until all that are left may vary together.
    pub(super) fn isolate(&mut self) -> Result<(), Halt> {
        loop {
            let units: Vec<Unit> =
                self.units.iter().filter(|unit| !self.fixed.contains(unit[0])).cloned().collect();
            if units.is_empty() {
                return Ok(());
            }
            let mut refuting = self.known()?;
            if refuting.is_none() {
                refuting = self.probe(&units)?;
            }
            let refuting = match refuting {
                Some(fills) => Outcome::Refuted(fills),
                None => self.vary_all(&units)?,
            };
            let (culprits, passes) = match refuting {
                Outcome::Holds(_) => return Ok(()),
                Outcome::Refuted(fills) => (self.needed(fills, Verdict::Pass)?.0, true),
                Outcome::Unclear(unresolved) => self.most_unresolved(unresolved)?,
            };
            if let ([(unit, fill)], true) = (culprits.as_slice(), passes) {
                // A node that makes the input pass on its own was not found out by its look. Those below
                // it with the same text are asked about next.
                let nonterminal = self.nonterminal(unit);
                self.likely.remember(nonterminal, fill);
                let whole = self.places().splice(std::slice::from_ref(&culprits[0]));
                self.evidence.tried(self.example.parser, self.spans[unit[0]], fill, &whole);
            }
            let culprits: Vec<Unit> = culprits.into_iter().map(|(unit, _)| unit).collect();
            let culprits = if culprits.is_empty() { units } else { culprits };
            self.settle_culprits(&culprits)?;
        }
    }

    /// An input that passed, and that the abstract input as it is now stands for.
    fn known(&mut self) -> Result<Option<Vec<Fill>>, Halt> {
        self.evidence.read(self.example.parser, self.judge);
        let stood_for: Vec<Vec<Fill>> =
            self.evidence.passed(self.judge).filter_map(|tree| self.fills(tree)).collect();
        for fills in stood_for.into_iter().filter(|fills| !fills.is_empty()) {
            if self.judge_with(&fills)? == Verdict::Pass {
                return Ok(Some(fills));
            }
        }
        Ok(None)
    }

    /// What stands at the units in another input, if the two are the same otherwise. Gaps between words count
    /// for nothing.
    fn fills(&self, other: &Tree) -> Option<Vec<Fill>> {
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
        let mut fills = Vec::new();
        for unit in &self.units {
            let fill = text_at(*there.get(&unit[0])?);
            if unit.iter().any(|node| there.get(node).is_none_or(|&twin| text_at(twin) != fill)) {
                return None;
            }
            if fill != self.text_of(unit[0]) {
                fills.push((unit.clone(), fill.to_vec()));
            }
        }
        Some(fills)
    }

    /// Lets each vary alone to what passed elsewhere at the same nonterminal.
    fn probe(&mut self, units: &[Unit]) -> Result<Option<Vec<Fill>>, Halt> {
        for unit in units {
            let nonterminal = self.nonterminal(unit);
            let Some(passed) = self.likely.last_passed(nonterminal) else { continue };
            let fills = vec![(unit.clone(), passed.to_vec())];
            let text = self.places().splice(&fills);
            if self.example.parser.recognizes(&text)? && self.judge.judge(&text)? == Verdict::Pass {
                return Ok(Some(fills));
            }
        }
        Ok(None)
    }

    /// Lets all vary, for a whole row of checks.
    fn vary_all(&mut self, units: &[Unit]) -> Result<Outcome<Vec<Fill>>, Halt> {
        let cheapest: Vec<Fill> = units
            .iter()
            .filter_map(|unit| {
                Some((unit.clone(), self.likely.cheapest.string(self.nonterminal(unit))?.to_vec()))
            })
            .collect();
        let mut first = vec![cheapest];
        if let [unit] = units {
            // What it was looked at with is as good here.
            let looked = self.looked.get(&unit[0]).into_iter().flatten();
            first.extend(looked.map(|text| vec![(unit.clone(), text.clone())]));
        }
        match units {
            [_] => self.vary(units, Length::full(self.settings), first),
            _ => self.vary_together(units, Length::full(self.settings), first),
        }
    }

    /// Of inputs that are unresolved, the fills that make them so; those of the unit that does it most
    /// often, if none passes with fewer.
    fn most_unresolved(&mut self, inputs: Vec<Vec<Fill>>) -> Result<(Vec<Fill>, bool), Halt> {
        let mut counts: BTreeMap<usize, (usize, Fill)> = BTreeMap::new();
        for fills in inputs {
            let verdict = self.judge_with(&fills)?;
            let (fills, verdict) = self.needed(fills, verdict)?;
            if verdict == Verdict::Pass {
                return Ok((fills, true));
            }
            for fill in fills {
                counts.entry(self.order[fill.0[0]]).or_insert((0, fill)).0 += 1;
            }
        }
        let most =
            counts.into_values().rev().max_by_key(|(count, (unit, _))| (!self.is_skip(unit[0]), *count));
        Ok((most.into_iter().map(|(_, fill)| fill).collect(), false))
    }

    /// Makes one of the culprits concrete, or all of them one.
    fn settle_culprits(&mut self, culprits: &[Unit]) -> Result<(), Halt> {
        let nodes: Vec<NodeId> = culprits.iter().flat_map(|unit| unit.iter().copied()).collect();
        let first = (self.nonterminal(&culprits[0]), self.text_of(nodes[0]).to_vec());
        let are_equal = culprits
            .iter()
            .all(|unit| self.nonterminal(unit) == first.0 && self.text_of(unit[0]) == first.1.as_slice());
        if culprits.len() > 1 && are_equal && !first.1.is_empty() {
            for unit in culprits {
                self.close(unit);
            }
            if self.try_unit(&nodes)? {
                return Ok(());
            }
            for unit in culprits {
                self.open(unit.clone());
            }
        }
        let tree = self.example.tree;
        // A gap between words stays open when it is not alone to blame: a pattern's text has no other gaps.
        let culprit = culprits
            .iter()
            .min_by_key(|unit| (self.is_skip(unit[0]), self.text_of(unit[0]).len(), tree.size(unit[0])))
            .cloned();
        let Some(culprit) = culprit else { return Ok(()) };
        self.close(&culprit);
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
