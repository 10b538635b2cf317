//! Isolation: which of the nodes that may vary alone may vary together. (ISSTA 2020, section 4.2.)
//!
//! All vary at once, for a whole row of checks. When such an input passes, as many nodes as possible
//! are given back their own texts: those that are left are the culprits, each of which is needed. Equal
//! ones may perhaps vary as one; else the smallest becomes concrete, which loses least, and its parts
//! are asked about instead. Too many unresolved inputs are dealt with in the same way: the node
//! that most often makes an input unresolved becomes concrete. Then all is verified again.

use std::collections::BTreeMap;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

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
            let refuting = match self.probe(&units)? {
                Some(fills) => Outcome::Refuted(fills),
                None => self.vary_all(&units)?,
            };
            let (culprits, passes) = match refuting {
                Outcome::Holds(_) => return Ok(()),
                Outcome::Refuted(fills) => (self.needed(fills, Verdict::Pass)?.0, true),
                Outcome::Unclear(unresolved) => self.most_unresolved(unresolved)?,
            };
            if let ([(unit, fill)], true) = (culprits.as_slice(), passes) {
                // A node that makes the input pass on its own was not found out by its look.
                let nonterminal = self.nonterminal(unit);
                self.likely.remember(nonterminal, fill);
            }
            let culprits: Vec<Unit> = culprits.into_iter().map(|(unit, _)| unit).collect();
            let culprits = if culprits.is_empty() { units } else { culprits };
            self.settle_culprits(&culprits)?;
        }
    }

    /// Lets each vary alone to what passed elsewhere at the same nonterminal.
    fn probe(&mut self, units: &[Unit]) -> Result<Option<Vec<Fill>>, Halt> {
        for unit in units {
            let nonterminal = self.nonterminal(unit);
            let Some(passed) = self.likely.last_passed(nonterminal) else { continue };
            let fills = vec![(unit.clone(), passed.to_vec())];
            let text = self.places().splice(&fills);
            if self.example.parser.recognizes(&text) && self.judge.judge(&text)? == Verdict::Pass {
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
