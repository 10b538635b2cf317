//! Learning what fails from many inputs.
//!
//! DDSET ([`super::ddset`]) abstracts one reduced input to one pattern. Here that pattern is the first hypothesis about
//! which inputs fail. It is compared with the program on inputs that may show it wrong: changed failing inputs, random
//! ones, and ones drawn from the hypothesis. A failing input that is rejected widens it ([`positive`]), a passing one
//! that is accepted narrows it ([`negative`]), until enough answers in a row were right on each side.
//!
//! Programs end at the first mistake, so what fails in one input may be masked in the next. Therefore the smallest part
//! of the pattern with which random inputs fail is looked for ([`root`]), and a passing input that is accepted shows what masks it
//! ([`masking`]).
//!
//! A hypothesis is a regular tree grammar over the base grammar ([`hypothesis`]), and what it asks of numbers ([`values`]). Learning such a grammar from
//! membership queries and counterexamples follows Angluin ("Learning regular sets from queries and counterexamples",
//! 1987) and its extension to trees (Sakakibara, "Learning context-free grammars from structural data in polynomial time",
//! 1990) in outline only: the program answers queries about whole inputs, some of which it refuses, and equivalence
//! is sampled.

mod alike;
mod approaching;
mod asked;
mod bare_text;
mod binding;
mod blame;
mod boundary;
mod cases;
mod changes;
mod choosing;
mod clauses_expression;
mod comparing;
mod composing;
mod context;
mod control;
mod copying;
mod covering;
mod describing;
mod dividing;
mod examples;
mod expression;
mod feature_patterns;
mod features;
mod fills;
mod formula;
mod gaps;
mod having;
mod host;
mod hypothesis;
mod input;
mod instances;
mod interchangeable;
mod joint;
mod lifting;
mod masking;
mod matched;
mod matching;
mod members;
mod merging;
mod near_miss;
mod needs;
mod negative;
mod orders;
mod outline;
mod pairs;
mod places;
mod planting;
mod positive;
mod probing;
mod program_words;
mod pruning;
mod quotation;
mod reaching;
mod revealing;
mod root;
mod samples;
mod session;
mod sharing;
mod shifts;
mod shrinking;
mod splitting;
mod taking_over;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_comparing;
#[cfg(test)]
mod tests_of_control;
#[cfg(test)]
mod tests_of_covering;
#[cfg(test)]
mod tests_of_having;
#[cfg(test)]
mod tests_of_lists;
#[cfg(test)]
mod tests_of_members;
#[cfg(test)]
mod tests_of_shares;
#[cfg(test)]
mod tests_of_shrinking;
#[cfg(test)]
mod tests_of_values;
#[cfg(test)]
mod tests_of_words;
mod unmasked;
mod values;
mod words;

use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;

use crate::base::budget::StopReason;
use crate::base::keys::Keys;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge, Verdict};

use super::ddset::Ddset;
use super::{
    ContextSampler, Example, GeneralizeError, Generalized, Generalizer, GeneralizerSettings, MakeGeneralizer,
    Phase,
};
use comparing::Comparison;
use formula::Cover;
use hypothesis::{ClassId, Hypothesis};
use input::Input;
use session::Learning;
use taking_over::When;

/// How much evidence learning asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LearnSettings {
    /// The number of inputs in a row, on each side, about which the hypothesis must be right: 300 show with 95 %
    /// confidence that fewer than one in 100 is judged wrongly.
    pub right: usize,
    /// The number of executions after which learning ends, those of the first generalization included.
    pub executions: u64,
    /// The number of inputs that must fail before something is taken for a part of the hypothesis.
    pub screening: usize,
    /// The most checks of the first generalization: what it finds is questioned anyway.
    pub first_checks: usize,
    /// The checks of the generalization that makes a further root class.
    pub root_checks: usize,
    /// The number of inputs in which a new alternative of a class is tried.
    pub contexts: usize,
    /// The number of exceptions that may be made to admit one alternative.
    pub repairs: usize,
    /// The length in bytes of the longest part that may be taken just as it is.
    pub longest_exact: usize,
}

impl Default for LearnSettings {
    fn default() -> Self {
        Self {
            right: 200,
            executions: 3_000,
            screening: 8,
            first_checks: 40,
            root_checks: 16,
            contexts: 6,
            repairs: 8,
            longest_exact: 16,
        }
    }
}

/// Learns what fails.
#[derive(Clone, Copy, Debug)]
pub struct Learn {
    first: GeneralizerSettings,
    settings: LearnSettings,
}

impl Learn {
    /// Learning that begins with a generalization with settings `first`.
    pub fn new(first: GeneralizerSettings, settings: LearnSettings) -> Self {
        Self { first, settings }
    }
}

pub(super) const PLUG_IN: PlugIn<MakeGeneralizer> = PlugIn::of::<LearnSettings>();

impl PlugInSettings<MakeGeneralizer> for LearnSettings {
    const NAME: &'static str = "learn";

    fn read(keys: &mut Keys<'_>) -> Self {
        let defaults = Self::default();
        let executions = keys.positive("executions", defaults.executions);
        Self { right: keys.positive("right", defaults.right), executions, ..defaults }
    }

    fn make(self) -> MakeGeneralizer {
        Arc::new(move |checks| {
            Box::new(Learn::new(GeneralizerSettings::of_checks(checks.min(self.first_checks)), self))
        })
    }
}

impl Generalizer for Learn {
    fn generalize(
        &self,
        example: Example<'_>,
        sampler: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<Generalized, GeneralizeError> {
        self.learn(example, sampler, judge, stream).map(|(_, found)| found)
    }
}

/// The part of all executions, one in this number, that one counterexample may take, and generalizing the given input by itself.
const COUNTEREXAMPLE: u64 = 8;
const GIVEN: u64 = 3;

/// The part of all executions, one in this number, that the first generalization may take.
const FIRST: u64 = 4;

/// The same for trying others in the place of words and rules.
const WORDS: u64 = 3;

/// The part of all executions, one in this number, that is kept to compare the hypothesis with what [`covering`] says.
const COVERING: u64 = 10;

/// The same, kept for choosing how simple a formula is to be that took over early.
const CHOOSING: u64 = 20;

/// The parts of all executions, in fifths, after which it is seen whether a formula says more: what one is for is not learned by a hypothesis, however long.
const EARLY: [u64; 3] = [2, 3, 4];
const PARTS: u64 = 5;

/// The most fifths of the executions that the first generalization leaves that are spent before the hypothesis is compared with new inputs, and the fewest that
/// go to comparing it before a formula may take its place.
const BEFORE: u64 = 3;
const COMPARED: u64 = 1;

/// The number of executions that may be spent before that comparison in any case: with fewer there is hardly anything to compare.
const LEAST_BEFORE: u64 = 200;

/// The phase in which the hypothesis is compared with the program on inputs that may show it wrong.
const COMPARISON: &str = "comparison";

/// The phase in which a formula is compared with the hypothesis, and with the program.
const FORMULA: &str = "formula";

/// The phase in which it is chosen how simple the formula is to be.
const CHOICE: &str = "choice";

impl Learn {
    /// Learns a hypothesis; with the expression that says what fails and the reason for which learning ended.
    fn learn(
        &self,
        example: Example<'_>,
        sampler: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<(Hypothesis, Generalized), GeneralizeError> {
        judge.within(self.settings.executions, |judge| {
            let began = judge.executions();
            let plain = Learning::new(self.settings, example, sampler, judge, stream).plain_input();
            // Without an answer it stays as it is.
            let plain = plain.or_else(|halt| halt.reason::<GeneralizeError>().map(|_| None))?;
            let tree = plain.as_deref().map_or(example.tree, |input: &Input| &input.tree);
            let example = Example { tree, ..example };
            let simplifying = judge.executions() - began;
            let mut found = judge.within(self.settings.executions / FIRST, |judge| {
                Ddset::new(self.first).generalize(example, sampler, judge, stream)
            })?;
            found.phases.insert(0, Phase { name: "simplification", executions: simplifying });
            match found.stop {
                // What it did not come to is questioned as all of it is.
                StopReason::Done | StopReason::Budget => {
                    let left = self.settings.executions.saturating_sub(judge.executions() - began);
                    Learning::new(self.settings, example, sampler, judge, stream).learn_from(found, left)
                }
                _ => Ok((Hypothesis::default(), found)),
            }
        })
    }
}

impl Learning<'_, '_, '_> {
    /// The failing input to begin with, if it is not the reduced one.
    fn plain_input(&mut self) -> Result<Option<Rc<Input>>, Halt> {
        let simplified = self.simplified()?;
        let reduced = match &simplified {
            Some(simplified) => Some(Rc::clone(simplified)),
            None => self.parsed(self.example.tree.text(self.example.grammar))?,
        };
        let controlled = match reduced {
            Some(reduced) => self.controlled(&reduced)?,
            None => None,
        };
        Ok(controlled.or(simplified))
    }

    /// Learns from the generalization of one input, with so many executions; with the expression that says what fails.
    fn learn_from(
        mut self,
        found: Generalized,
        executions: u64,
    ) -> Result<(Hypothesis, Generalized), GeneralizeError> {
        let began = self.judge.executions();
        // Some are kept for a second opinion.
        let all = self.judge.allow(executions.saturating_sub(self.settings.executions / COVERING));
        let (mut stable, mut comparison) = (Hypothesis::default(), Comparison::default());
        let before = (executions * BEFORE / PARTS).max(LEAST_BEFORE);
        let worked = self.until(began + before, |session| session.work(&found, &mut stable)).map(|_| ());
        self.hypothesis = stable;
        let mut stop = Halt::stop_reason::<GeneralizeError>(worked)?;
        let mut better = None;
        if stop == StopReason::Done {
            let compared = self.judge.executions() + executions * COMPARED / PARTS;
            let pauses = EARLY.map(|part| (began + executions * part / PARTS).max(compared));
            (stop, better) = self.compare_with_pauses(&mut comparison, &pauses)?;
        }
        self.judge.set_budget(all);
        if let Some(cover) = &mut better {
            stop = self.refine_and_choose(cover, began + executions)?;
        } else if stop != StopReason::Done {
            if let Some(cover) = self.cover(When::Last) {
                better = self.better(cover, When::Last)?;
            }
            if better.is_none() && stop == StopReason::Budget {
                stop = self.compare(&mut comparison, u64::MAX)?;
            }
        }
        self.prune_wrong();
        self.accept_given();
        self.prune();
        self.prune_masks();
        let better = better.map(|cover| cover.expression(self.example.grammar));
        let expression = better.or_else(|| self.own_expression());
        let mut found = Generalized { stop, ..found };
        found.phases.extend(self.phases);
        if let Some(expression) = expression {
            // What was changed since is verified by the inputs in a row that were right.
            found = Generalized { expression, verified: stop == StopReason::Done, ..found };
        }
        Ok((self.hypothesis, found))
    }

    /// Compares the hypothesis with the program. After so many executions in all it is seen whether a formula says more of what is known; one that is right
    /// more often ends it, and if it is not, there is no other: the hypothesis lacks what trying one takes.
    fn compare_with_pauses(
        &mut self,
        comparison: &mut Comparison,
        pauses: &[u64],
    ) -> Result<(StopReason, Option<Cover>), GeneralizeError> {
        for &pause in pauses {
            // Nothing new is known since the last one.
            if self.judge.executions() >= pause {
                continue;
            }
            let stop = self.compare(comparison, pause)?;
            if stop != StopReason::Budget {
                return Ok((stop, None));
            }
            // No formula compares numbers.
            if self.values.is_empty()
                && let Some(cover) = self.cover(When::Early)
            {
                match self.better(cover, When::Early)? {
                    Some(better) => return Ok((stop, Some(better))),
                    None => break,
                }
            }
        }
        Ok((self.compare(comparison, u64::MAX)?, None))
    }

    /// Compares the hypothesis with the program until so many executions were made in all, as if there were no others.
    fn compare(&mut self, comparison: &mut Comparison, until: u64) -> Result<StopReason, GeneralizeError> {
        let mut stable = self.hypothesis.clone();
        let refined = self.phase(COMPARISON, |session| session.refine(&mut stable, comparison, until));
        self.hypothesis = stable;
        Halt::stop_reason::<GeneralizeError>(refined)
    }

    /// Asks about inputs that may show a formula wrong, and with the last executions, of so many in all, how simple it is to be, unless nothing
    /// shows it wrong before.
    fn refine_and_choose(&mut self, cover: &mut Cover, most: u64) -> Result<StopReason, GeneralizeError> {
        let before = most.saturating_sub(self.settings.executions / CHOOSING);
        let all = self.judge.allow(before.saturating_sub(self.judge.executions()));
        let refined = self.phase(FORMULA, |session| session.refine_cover(cover));
        self.judge.set_budget(all);
        let stop = Halt::stop_reason::<GeneralizeError>(refined)?;
        if stop != StopReason::Budget {
            return Ok(stop);
        }
        let chosen = self.phase(CHOICE, |session| session.choose_manner(cover));
        match Halt::stop_reason::<GeneralizeError>(chosen)? {
            StopReason::Done => Ok(stop),
            other => Ok(other),
        }
    }

    fn work(&mut self, found: &Generalized, stable: &mut Hypothesis) -> Result<(), Halt> {
        // What was reduced stands first.
        self.ask(self.example.tree.text(self.example.grammar))?;
        self.recall()?;
        let root =
            found.pattern().and_then(|pattern| self.hypothesis.add_pattern(self.example.grammar, pattern));
        if let Some(root) = root {
            self.hypothesis.add_root(root);
            self.phase("equal parts", |session| session.lift_bound(root))?;
            *stable = self.hypothesis.clone();
            self.phase("root", |session| session.find_root(root))?;
            self.phase("cases", Self::try_cases)?;
            *stable = self.hypothesis.clone();
        }
        self.phase("lists", |session| {
            session.is_right_about_passing()?;
            session.try_lists()?;
            session.try_alike()?;
            session.try_orders()
        })?;
        *stable = self.hypothesis.clone();
        let given = self.phase("given input", |session| session.widen_for_given(stable))?;
        self.phase("words", |session| session.try_words(stable))?;
        self.phase("boundaries", Self::try_boundaries)?;
        *stable = self.hypothesis.clone();
        // By itself it says little, and takes much.
        if let Some(given) = given.filter(|given| !self.accepts(given))
            && self
                .phase("given input", |session| session.within(GIVEN, |session| session.root_of(&given)))?
        {
            *stable = self.hypothesis.clone();
        }
        Ok(())
    }

    /// Tries others in the place of the words and rules that the hypothesis asks for, as far as their share of the executions goes. Each of them is taken or not by
    /// itself.
    fn try_words(&mut self, stable: &mut Hypothesis) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / WORDS;
        let tried = self.until(most, |session| {
            session.try_values_elsewhere()?;
            session.try_quotation()?;
            session.try_pairs()?;
            session.try_known_words()?;
            session.try_rules()?;
            session.try_other_words()?;
            session.try_program_words()?;
            session.try_like_rules()?;
            // Of other programs random inputs show these.
            if session.is_often_refused() {
                session.try_sharing_rules()?;
            }
            Ok(())
        });
        *stable = self.hypothesis.clone();
        tried.map(|_| ())
    }

    /// Does a part of the work, whose executions are reported by themselves, whether it ends or not.
    fn phase<T, E>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let begin = self.judge.executions();
        let done = work(self);
        let executions = self.judge.executions() - begin;
        match self.phases.iter_mut().find(|phase| phase.name == name) {
            Some(phase) => phase.executions += executions,
            None => self.phases.push(Phase { name, executions }),
        }
        done
    }

    /// Looks for the smallest part of the pattern of a root class with which inputs fail.
    fn find_root(&mut self, root: ClassId) -> Result<(), Halt> {
        // Numbers may say more about the whole than a part of it does.
        let are_values_known = self.learn_values(root)?;
        if self.is_often_refused() {
            self.make_host()?;
        }
        if are_values_known {
            self.narrow_values()?;
        } else if self.narrow_root(root)?.is_none() && !self.split_root(root)? {
            // Of a program that refuses most inputs what it takes tells more than random ones.
            self.is_hosting = self.is_often_refused();
        }
        Ok(())
    }

    /// Widens the hypothesis for the failing input that was given, of which one smaller was generalized; says which it is if it is not accepted
    /// for all that.
    fn widen_for_given(&mut self, stable: &mut Hypothesis) -> Result<Option<Rc<Input>>, Halt> {
        let Some((Verdict::Fail, input)) = self.ask(self.example.given.to_vec())? else { return Ok(None) };
        // It may differ in several places.
        let most = self.judge.executions() + self.settings.executions / COUNTEREXAMPLE;
        let widened = self.positive_in_steps(&input, most);
        *stable = self.hypothesis.clone();
        widened?;
        Ok(Some(input).filter(|input| !self.accepts(input)))
    }
}
