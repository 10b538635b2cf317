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
mod blame;
mod boundary;
mod changes;
mod context;
mod covering;
mod describing;
mod dividing;
mod expression;
mod features;
mod fills;
mod gaps;
mod having;
mod host;
mod hypothesis;
mod input;
mod masking;
mod matched;
mod matching;
mod merging;
mod needs;
mod negative;
mod orders;
mod planting;
mod positive;
mod probing;
mod program_words;
mod pruning;
mod root;
mod session;
mod shifts;
mod shrinking;
mod splitting;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_covering;
#[cfg(test)]
mod tests_of_having;
#[cfg(test)]
mod tests_of_lists;
#[cfg(test)]
mod tests_of_members;
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
use hypothesis::{ClassId, Hypothesis};
use input::Input;
use matching::Bindings;
use session::Learning;

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
        let executions = keys.positive("executions", defaults.executions as usize);
        Self { right: keys.positive("right", defaults.right), executions: executions as u64, ..defaults }
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

/// Where the inputs come from that may show a hypothesis wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A failing input with one change, or two.
    Neighbour(usize),
    /// A failing input with a change where the hypothesis says something of it.
    Edge,
    /// A random input of the grammar.
    Random,
    /// An input that the hypothesis describes.
    Drawn,
    /// Such an input with a change.
    DrawnNeighbour,
}

/// The sources, in turn.
const SOURCES: [Source; 8] = [
    Source::Neighbour(1),
    Source::Edge,
    Source::Drawn,
    Source::Random,
    Source::Neighbour(2),
    Source::Edge,
    Source::DrawnNeighbour,
    Source::Neighbour(1),
];

/// The part of all executions, one in this number, that one counterexample may take, and generalizing the given input by itself.
const COUNTEREXAMPLE: u64 = 8;
const GIVEN: u64 = 3;

/// The part of all executions, one in this number, that the first generalization may take.
const FIRST: u64 = 4;

/// The part of all executions, one in this number, that is kept to compare the hypothesis with what [`covering`] says.
const COVERING: u64 = 10;

/// The phase in which the hypothesis is compared with the program on inputs that may show it wrong.
const COMPARISON: &str = "comparison";

/// The number of rounds without a new input after which there seem to be no more.
const MOST_IDLE: usize = 400;

/// The number of passing inputs that have to be accepted for all that was tried, before members of the hypothesis are weighed against them.
const SOME_GIVEN_UP: usize = 16;

/// The right answers in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Right {
    failing: usize,
    passing: usize,
    random: usize,
    drawn: usize,
}

impl Learning<'_, '_, '_> {
    /// Looks for counterexamples until there seem to be no more.
    fn refine(&mut self, stable: &mut Hypothesis) -> Result<(), Halt> {
        let mut right = Right::default();
        let (mut turn, mut idle) = (0, 0);
        while idle < MOST_IDLE {
            let wanted = self.settings.right;
            if right.failing >= wanted && right.passing >= wanted && right.drawn >= wanted {
                return Ok(());
            }
            // Enough is known of both sides then, but not of what the hypothesis describes.
            let is_all_but_drawn = right.failing >= wanted && right.passing >= wanted;
            let source = if is_all_but_drawn { Source::Drawn } else { SOURCES[turn % SOURCES.len()] };
            turn += 1;
            let text = self.next(source)?;
            let Some(text) = text.filter(|text| !self.judge.knows(text)) else {
                idle += 1;
                continue;
            };
            let Some(input) = Input::parse(self.example.parser, text)? else {
                idle += 1;
                continue;
            };
            let is_accepted = self.accepts(&input);
            let needed = match (source, is_accepted) {
                (Source::Drawn, _) => right.drawn < wanted,
                (_, true) => right.failing < wanted,
                (Source::Random, false) => right.random < wanted / 2,
                (_, false) => right.passing < wanted,
            };
            if !needed {
                idle += 1;
                continue;
            }
            idle = 0;
            let Some((verdict, input)) = self.ask(input.text.clone())? else { continue };
            self.compared.push((verdict, Rc::clone(&input)));
            match (verdict, is_accepted) {
                (Verdict::Fail, true) => {
                    right.failing += 1;
                    right.drawn += usize::from(source == Source::Drawn);
                }
                // Most random inputs have nothing to do with what fails.
                (Verdict::Pass, false) if source == Source::Random => right.random += 1,
                (Verdict::Pass, false) => right.passing += 1,
                (Verdict::Fail, false) => {
                    if self.reconsider_values(&input, true) {
                        right = Right::default();
                        *stable = self.hypothesis.clone();
                    } else if self.within(COUNTEREXAMPLE, |session| session.positive(&input))? {
                        right = Right { passing: right.passing, ..Right::default() };
                        self.prune();
                        self.try_merging()?;
                        *stable = self.hypothesis.clone();
                    } else {
                        // What was tried showed inputs that pass, and what was learned of them went with it.
                        self.within(COUNTEREXAMPLE, Self::is_right_about_passing)?;
                        *stable = self.hypothesis.clone();
                        // What is accepted all the same would stand in the way of all that comes.
                        while let Some(wrong) = self.wrongly_accepted() {
                            self.give_up(&wrong);
                        }
                    }
                }
                (Verdict::Pass, true) => {
                    if self.reconsider_values(&input, false)
                        || self.within(COUNTEREXAMPLE, |session| session.negative(&input))?
                    {
                        right = Right { failing: right.failing, ..Right::default() };
                        *stable = self.hypothesis.clone();
                        self.try_boundaries()?;
                        *stable = self.hypothesis.clone();
                    } else {
                        self.give_up(&input);
                        // Seldom, as it looks at all that is known.
                        if self.given_up() >= SOME_GIVEN_UP && self.given_up().is_power_of_two() {
                            self.prune_wrong();
                            *stable = self.hypothesis.clone();
                        }
                    }
                }
                (Verdict::Unresolved | Verdict::Timeout, _) => {}
            }
        }
        Ok(())
    }

    /// The next input of a source.
    fn next(&mut self, source: Source) -> Result<Option<Vec<u8>>, Halt> {
        Ok(match source {
            Source::Neighbour(changes) => {
                let mut input = self.base();
                let mut text = None;
                for _ in 0..changes {
                    text = self.neighbour(&input);
                    match text.clone() {
                        Some(changed) => match Input::parse(self.example.parser, changed)? {
                            Some(changed) => input = changed,
                            None => return Ok(None),
                        },
                        None => return Ok(None),
                    }
                }
                text
            }
            Source::Edge => {
                let input = self.base();
                self.edge(&input)
            }
            Source::Random => {
                let mut text = Vec::new();
                let start = self.example.grammar.start();
                self.example.producer.produce(start, self.stream, &mut text).ok().map(|()| text)
            }
            Source::Drawn => self.drawn()?.map(|input| input.text.clone()),
            Source::DrawnNeighbour => match self.drawn()? {
                Some(input) => self.neighbour(&input),
                None => None,
            },
        })
    }

    /// A failing input to change: one of the first ones or of the latest ones.
    fn base(&mut self) -> Rc<Input> {
        let count = self.failing.len();
        let index = match self.stream.below(3) {
            0 => 0,
            1 => self.stream.below(count.min(10)),
            _ => self.stream.below(count),
        };
        Rc::clone(&self.failing[index])
    }

    /// An input that the hypothesis describes, in a random context or in that of a failing input.
    fn drawn(&mut self) -> Result<Option<Rc<Input>>, Halt> {
        let roots = self.hypothesis.roots().to_vec();
        if roots.is_empty() {
            return Ok(None);
        }
        let root = *self.stream.pick(&roots);
        let Some(member) = self.member(root, Bindings::new()) else { return Ok(None) };
        let text = if self.hypothesis.is_anchored(root) {
            Some(member)
        } else if self.stream.below(2) == 0 {
            let target = self.hypothesis.class(root).nonterminal;
            match self.in_context(target, &member) {
                Some(context) => self.completed(root, context.text)?,
                None => None,
            }
        } else {
            self.first_place(root).map(|(input, node)| input.with(self.example, &[(node, member)]))
        };
        let Some(text) = text else { return Ok(None) };
        let input = Input::parse(self.example.parser, text)?;
        Ok(input.filter(|input| self.accepts(input)))
    }
}

impl Learn {
    /// Learns a hypothesis; with the expression that says what fails and the reason for which learning ended.
    fn learn(
        &self,
        example: Example<'_>,
        sampler: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<(Hypothesis, Generalized), GeneralizeError> {
        let began = judge.executions();
        let budget = judge.allow(self.settings.executions);
        let mut simplified = None;
        let done = Learning::new(self.settings, example, sampler, judge, stream).simplify(&mut simplified);
        if let Err(error) = Halt::stop_reason::<GeneralizeError>(done) {
            judge.set_budget(budget);
            return Err(error);
        }
        let example = Example { tree: simplified.as_deref().map_or(example.tree, |input: &Input| &input.tree), ..example };
        let simplifying = judge.executions() - began;
        let all = judge.allow(self.settings.executions / FIRST);
        let first = Ddset::new(self.first).generalize(example, sampler, judge, stream);
        judge.set_budget(all);
        // What it did not come to is questioned as all of it is.
        let found = first.map(|mut found| {
            if found.stop == StopReason::Budget {
                found.stop = StopReason::Done;
            }
            if simplifying > 0 {
                found.phases.insert(0, Phase { name: "simplification", executions: simplifying });
            }
            found
        });
        let learned = found.and_then(|mut found| {
            let mut learning = Learning::new(self.settings, example, sampler, judge, stream);
            let mut stable = Hypothesis::default();
            if found.stop == StopReason::Done {
                // Some are kept for a second opinion.
                let used = learning.judge.executions() - began;
                let kept = self.settings.executions / COVERING;
                let all = learning.judge.allow(self.settings.executions.saturating_sub(used + kept));
                let worked = learning.work(&found, &mut stable);
                learning.judge.set_budget(all);
                found.stop = Halt::stop_reason::<GeneralizeError>(worked)?;
                learning.hypothesis = stable.clone();
                let mut cover = if found.stop == StopReason::Done { None } else { learning.cover() };
                if found.stop == StopReason::Budget && cover.is_none() {
                    let refined = learning.phase(COMPARISON, |session| session.refine(&mut stable));
                    found.stop = Halt::stop_reason::<GeneralizeError>(refined)?;
                    learning.hypothesis = stable;
                    cover = if found.stop == StopReason::Done { None } else { learning.cover() };
                }
                learning.prune_wrong();
                learning.accept_given();
                learning.prune();
                learning.prune_masks();
                let better = match cover {
                    Some(cover) => learning.phase("formula", |session| session.if_better(cover))?,
                    None => None,
                };
                let expression = better.or_else(|| learning.own_expression());
                let is_done = found.stop == StopReason::Done;
                stable = learning.hypothesis;
                found.phases.extend(learning.phases);
                if let Some(expression) = expression {
                    // What was changed since is verified by the inputs in a row that were right.
                    found = Generalized { expression, verified: is_done, ..found };
                }
            }
            Ok((stable, found))
        });
        judge.set_budget(budget);
        learned
    }
}

impl Learning<'_, '_, '_> {
    fn work(&mut self, found: &Generalized, stable: &mut Hypothesis) -> Result<(), Halt> {
        // What was reduced stands first.
        self.ask(self.example.tree.text(self.example.grammar))?;
        self.recall()?;
        let root =
            found.pattern().and_then(|pattern| self.hypothesis.add_pattern(self.example.grammar, pattern));
        if let Some(root) = root {
            self.hypothesis.add_root(root);
            *stable = self.hypothesis.clone();
            self.phase("root", |session| session.find_root(root))?;
        }
        self.phase("lists", |session| {
            session.is_right_about_passing()?;
            session.try_lists()?;
            session.try_alike()?;
            session.try_orders()
        })?;
        *stable = self.hypothesis.clone();
        let given = self.phase("given input", |session| session.widen_for_given(stable))?;
        self.phase("words", |session| {
            session.try_known_words()?;
            session.try_rules()?;
            session.try_other_words()?;
            session.try_program_words()?;
            session.try_like_rules()
        })?;
        self.phase("boundaries", Self::try_boundaries)?;
        *stable = self.hypothesis.clone();
        // By itself it says little, and takes much.
        if let Some(given) = given.filter(|given| !self.accepts(given))
            && self
                .phase("given input", |session| session.within(GIVEN, |session| session.root_of(&given)))?
        {
            *stable = self.hypothesis.clone();
        }
        self.phase(COMPARISON, |session| session.refine(stable))
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
        if !self.learn_values(root)? {
            if self.is_often_refused() {
                self.make_host()?;
            }
            if !self.narrow_root(root)? {
                self.split_root(root)?;
            }
        }
        Ok(())
    }

    /// Widens the hypothesis for the failing input that was given, of which one smaller was generalized; says which it is if it is not accepted
    /// for all that.
    fn widen_for_given(&mut self, stable: &mut Hypothesis) -> Result<Option<Rc<Input>>, Halt> {
        let Some((Verdict::Fail, input)) = self.ask(self.example.given.to_vec())? else { return Ok(None) };
        // It may differ in several places.
        let most = self.judge.executions() + self.settings.executions / COUNTEREXAMPLE;
        while !self.accepts(&input)
            && self.judge.executions() < most
            && self.within(COUNTEREXAMPLE, |session| session.positive(&input))?
        {
            *stable = self.hypothesis.clone();
        }
        Ok(Some(input).filter(|input| !self.accepts(input)))
    }
}
