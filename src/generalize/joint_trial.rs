//! A trial in which several groups vary together.
//!
//! Ideally all vary in every input. But where a program refuses many inputs, a few groups that are refused
//! half of the time each leave hardly an input that is judged when all of them vary. So each input varies as
//! many as can be expected to be judged often enough, those first that have varied least; the trial is
//! complete when each group has varied in as many failing inputs as were asked for. How often a group is refused is
//! learned from its screening and from the trial itself. What a group has shown is not asked for again when another one
//! turns out to be a culprit, and the trial begins anew.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::ddset::{Generalization, NodeGroup, Substitution};
use super::trial::{TrialOutcome, TrialSize, UNRESOLVED_KEPT, binomial_tail};

/// The share of inputs that should be judged when groups are put together.
const WANTED_SHARE: f64 = 0.4;

/// A group by itself that is resolved this often is not counted as refused.
const QUIET_SHARE: f64 = 0.95;

/// How often inputs in which a group varied were judged, and how often not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ResolvedRate {
    judged: f64,
    refused: f64,
}

impl ResolvedRate {
    /// The share that is judged, taking an unknown group for a quiet one.
    fn share(self) -> f64 {
        (self.judged + 2.0) / (self.judged + self.refused + 2.0)
    }

    /// Remembers an input, or a part of one.
    fn learn(&mut self, is_judged: bool, weight: f64) {
        *(if is_judged { &mut self.judged } else { &mut self.refused }) += weight;
    }
}

/// What is known of groups that vary together.
#[derive(Debug, Default)]
pub(super) struct JointStatistics {
    /// The resolved rate of each group, by its first node.
    resolved_rates: HashMap<NodeId, ResolvedRate>,
    /// In how many failing inputs each group varied.
    counts: HashMap<NodeGroup, usize>,
    /// These inputs, and all others that were asked about.
    seen: HashSet<Vec<u8>>,
}

impl JointStatistics {
    fn share(&self, group: &NodeGroup) -> f64 {
        self.resolved_rates.get(&group[0]).copied().unwrap_or_default().share()
    }

    fn count(&self, group: &NodeGroup) -> usize {
        self.counts.get(group).copied().unwrap_or_default()
    }
}

impl Generalization<'_, '_, '_> {
    /// The share of inputs that are judged when this group varies, as far as is known.
    pub(super) fn resolved_rate(&self, group: &NodeGroup) -> f64 {
        self.joint.share(group)
    }

    /// Remembers how an input went in which just these groups varied.
    pub(super) fn learn(&mut self, groups: &[&NodeGroup], is_judged: bool) {
        // What is refused is laid to the charge of those that are refused most.
        let blames: Vec<f64> = groups.iter().map(|group| 1.01 - self.joint.share(group)).collect();
        let total: f64 = blames.iter().sum();
        for (group, blame) in groups.iter().zip(blames) {
            let weight = if is_judged { 1.0 } else { blame / total };
            self.joint.resolved_rates.entry(group[0]).or_default().learn(is_judged, weight);
        }
    }

    /// Lets `groups` vary together, as many in each input as the program bears. The inputs that `first` says
    /// come first.
    pub(super) fn vary_jointly(
        &mut self,
        groups: &[NodeGroup],
        size: TrialSize,
        first: Vec<Vec<Substitution>>,
    ) -> Result<TrialOutcome<Vec<Substitution>>, Halt> {
        let settings = size.settings;
        let mut likely: Vec<VecDeque<Vec<u8>>> =
            groups.iter().map(|group| self.likely_texts(group, size.wanted).into()).collect();
        let mut first = VecDeque::from(first);
        let mut rejected: VecDeque<Vec<Substitution>> = VecDeque::new();
        let (mut failed, mut unresolved, mut repetitions) = (0, 0, 0);
        while repetitions < settings.repetitions
            && groups.iter().any(|group| self.joint.count(group) < size.wanted)
        {
            let substitutions = match first.pop_front() {
                Some(substitutions) => substitutions,
                None => {
                    let chosen = self.choose(groups, size.wanted);
                    let Some(substitutions) = self.fill(groups, &chosen, &mut likely) else { break };
                    substitutions
                }
            };
            let text = self.splicer().splice_groups(&substitutions);
            if self.joint.seen.contains(&text) || !self.example.parser.recognizes(&text)? {
                repetitions += 1;
                continue;
            }
            repetitions = 0;
            let varied: Vec<&NodeGroup> = substitutions.iter().map(|(group, _)| group).collect();
            match self.judge.judge(&text)? {
                Verdict::Fail => {
                    failed += 1;
                    self.learn(&varied, true);
                    for group in varied {
                        *self.joint.counts.entry(group.clone()).or_default() += 1;
                    }
                }
                Verdict::Pass => return Ok(TrialOutcome::Refuted(substitutions)),
                Verdict::Unresolved | Verdict::Timeout => {
                    unresolved += 1;
                    self.learn(&varied, false);
                    rejected.push_back(substitutions);
                    if rejected.len() > UNRESOLVED_KEPT {
                        rejected.pop_front();
                    }
                    if binomial_tail(failed, failed + unresolved, settings.resolved_share())
                        < super::trial::GIVE_UP_PROBABILITY
                    {
                        return Ok(TrialOutcome::Unclear(rejected.into()));
                    }
                }
            }
            self.joint.seen.insert(text);
        }
        let has_shown = failed > 0 || groups.iter().all(|group| self.joint.count(group) > 0);
        Ok(if has_shown { TrialOutcome::Holds(failed) } else { TrialOutcome::Unclear(rejected.into()) })
    }

    /// Which groups vary in the next input: those first that did least often, as long as enough inputs can be
    /// expected to be judged.
    fn choose(&mut self, groups: &[NodeGroup], wanted: usize) -> Vec<usize> {
        let mut order: Vec<(usize, usize, usize)> = (0..groups.len())
            .map(|index| (self.joint.count(&groups[index]).min(wanted), self.stream.below(1 << 20), index))
            .collect();
        order.sort_unstable();
        let mut expected = 1.0;
        let mut chosen = Vec::new();
        for (.., index) in order {
            let resolved_rate = self.joint.share(&groups[index]);
            if resolved_rate >= QUIET_SHARE || chosen.is_empty() || expected * resolved_rate >= WANTED_SHARE {
                if resolved_rate < QUIET_SHARE {
                    expected *= resolved_rate;
                }
                chosen.push(index);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// Texts for these groups, every other one of them a likely counterexample.
    fn fill(
        &mut self,
        groups: &[NodeGroup],
        chosen: &[usize],
        likely: &mut [VecDeque<Vec<u8>>],
    ) -> Option<Vec<Substitution>> {
        let mut substitutions = Vec::with_capacity(chosen.len());
        for &index in chosen {
            let group = &groups[index];
            let listed = if self.stream.below(2) == 0 { likely[index].pop_front() } else { None };
            let text = match listed {
                Some(text) => text,
                None => {
                    let mut text = Vec::new();
                    let nonterminal = self.nonterminal(group);
                    self.example.producer.produce(nonterminal, self.stream, &mut text).ok()?;
                    text
                }
            };
            substitutions.push((group.clone(), text));
        }
        Some(substitutions)
    }
}
