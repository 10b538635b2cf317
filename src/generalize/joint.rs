//! A row of checks in which several units vary together.
//!
//! Ideally all vary in every input. But where a program refuses many inputs, a few units that are refused
//! half of the time each leave hardly an input that is judged when all of them vary. So each input varies as
//! many as can be expected to be judged often enough, those first that have varied least; the row is
//! complete when each unit has varied in as many failing inputs as were asked for. How often a unit is refused is
//! learned from its look and from the row itself. What a unit has shown is not asked for again when another one
//! turns out to be a culprit, and the row begins anew.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::ddset::{Fill, Session, Unit};
use super::row::{Length, Outcome, UNRESOLVED_KEPT, chance};

/// The share of inputs that should be judged when units are put together.
const WANTED_SHARE: f64 = 0.4;

/// A unit by itself that is judged so often is not counted as refused.
const QUIET_SHARE: f64 = 0.95;

/// How often inputs in which a unit varied were judged, and how often not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Luck {
    judged: f64,
    refused: f64,
}

impl Luck {
    /// The share that is judged, taking an unknown unit for a quiet one.
    fn share(self) -> f64 {
        (self.judged + 2.0) / (self.judged + self.refused + 2.0)
    }

    /// Remembers an input, or a part of one.
    fn learn(&mut self, is_judged: bool, weight: f64) {
        *(if is_judged { &mut self.judged } else { &mut self.refused }) += weight;
    }
}

/// What is known of units that vary together.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// The luck of each unit, by its first node.
    lucks: HashMap<NodeId, Luck>,
    /// In how many failing inputs each unit varied.
    counts: HashMap<Unit, usize>,
    /// These inputs, and all others that were asked about.
    seen: HashSet<Vec<u8>>,
}

impl Together {
    fn share(&self, unit: &Unit) -> f64 {
        self.lucks.get(&unit[0]).copied().unwrap_or_default().share()
    }

    fn count(&self, unit: &Unit) -> usize {
        self.counts.get(unit).copied().unwrap_or_default()
    }
}

impl Session<'_, '_, '_> {
    /// The share of inputs that are judged when this unit varies, as far as is known.
    pub(super) fn luck(&self, unit: &Unit) -> f64 {
        self.together.share(unit)
    }

    /// Remembers how an input went in which just these units varied.
    pub(super) fn learn(&mut self, units: &[&Unit], is_judged: bool) {
        // What is refused is laid to the charge of those that are refused most.
        let blames: Vec<f64> = units.iter().map(|unit| 1.01 - self.together.share(unit)).collect();
        let total: f64 = blames.iter().sum();
        for (unit, blame) in units.iter().zip(blames) {
            let weight = if is_judged { 1.0 } else { blame / total };
            self.together.lucks.entry(unit[0]).or_default().learn(is_judged, weight);
        }
    }

    /// Lets `units` vary together, as many in each input as the program bears. The inputs that `first` says
    /// come first.
    pub(super) fn vary_together(
        &mut self,
        units: &[Unit],
        length: Length,
        first: Vec<Vec<Fill>>,
    ) -> Result<Outcome<Vec<Fill>>, Halt> {
        let settings = length.settings;
        let mut likely: Vec<VecDeque<Vec<u8>>> =
            units.iter().map(|unit| self.likely_texts(unit, length.wanted).into()).collect();
        let mut first = VecDeque::from(first);
        let mut rejected: VecDeque<Vec<Fill>> = VecDeque::new();
        let (mut failed, mut unresolved, mut repetitions) = (0, 0, 0);
        while repetitions < settings.repetitions
            && units.iter().any(|unit| self.together.count(unit) < length.wanted)
        {
            let fills = match first.pop_front() {
                Some(fills) => fills,
                None => {
                    let chosen = self.choose(units, length.wanted);
                    let Some(fills) = self.fill(units, &chosen, &mut likely) else { break };
                    fills
                }
            };
            let text = self.places().splice(&fills);
            if self.together.seen.contains(&text) || !self.example.parser.recognizes(&text)? {
                repetitions += 1;
                continue;
            }
            repetitions = 0;
            let varied: Vec<&Unit> = fills.iter().map(|(unit, _)| unit).collect();
            match self.judge.judge(&text)? {
                Verdict::Fail => {
                    failed += 1;
                    self.learn(&varied, true);
                    for unit in varied {
                        *self.together.counts.entry(unit.clone()).or_default() += 1;
                    }
                }
                Verdict::Pass => return Ok(Outcome::Refuted(fills)),
                Verdict::Unresolved | Verdict::Timeout => {
                    unresolved += 1;
                    self.learn(&varied, false);
                    rejected.push_back(fills);
                    if rejected.len() > UNRESOLVED_KEPT {
                        rejected.pop_front();
                    }
                    if chance(failed, failed + unresolved, settings.resolved_share()) < super::row::CHANCE {
                        return Ok(Outcome::Unclear(rejected.into()));
                    }
                }
            }
            self.together.seen.insert(text);
        }
        let has_shown = failed > 0 || units.iter().all(|unit| self.together.count(unit) > 0);
        Ok(if has_shown { Outcome::Holds(failed) } else { Outcome::Unclear(rejected.into()) })
    }

    /// Which units vary in the next input: those first that did least often, as long as enough inputs can be
    /// expected to be judged.
    fn choose(&mut self, units: &[Unit], wanted: usize) -> Vec<usize> {
        let mut order: Vec<(usize, usize, usize)> = (0..units.len())
            .map(|index| (self.together.count(&units[index]).min(wanted), self.stream.below(1 << 20), index))
            .collect();
        order.sort_unstable();
        let mut expected = 1.0;
        let mut chosen = Vec::new();
        for (.., index) in order {
            let luck = self.together.share(&units[index]);
            if luck >= QUIET_SHARE || chosen.is_empty() || expected * luck >= WANTED_SHARE {
                if luck < QUIET_SHARE {
                    expected *= luck;
                }
                chosen.push(index);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Texts for these units, every other one of them a likely counterexample.
    fn fill(
        &mut self,
        units: &[Unit],
        chosen: &[usize],
        likely: &mut [VecDeque<Vec<u8>>],
    ) -> Option<Vec<Fill>> {
        let mut fills = Vec::with_capacity(chosen.len());
        for &index in chosen {
            let unit = &units[index];
            let listed = if self.stream.below(2) == 0 { likely[index].pop_front() } else { None };
            let text = match listed {
                Some(text) => text,
                None => {
                    let mut text = Vec::new();
                    let nonterminal = self.nonterminal(unit);
                    self.example.producer.produce(nonterminal, self.stream, &mut text).ok()?;
                    text
                }
            };
            fills.push((unit.clone(), text));
        }
        Some(fills)
    }
}
