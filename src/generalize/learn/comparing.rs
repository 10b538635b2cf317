//! Comparing the hypothesis with the program, on inputs that may show it wrong.
//!
//! Equivalence is sampled: from what is known to fail, from what the hypothesis says of it, from what it describes, and from the grammar.

use std::rc::Rc;

use crate::base::budget::StopReason;
use crate::oracle::{Halt, Verdict};

use super::COUNTEREXAMPLE;
use super::binding::Bindings;
use super::hypothesis::Hypothesis;
use super::input::Input;
use super::session::Learning;

/// Where the inputs come from that may show a hypothesis wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A failing input with one change, or two.
    Neighbour(usize),
    /// A passing input with a change: what fails in another way is not near what fails in this one.
    PassingNeighbour,
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

/// The number of rounds without a new input after which there seem to be no more.
pub(super) const MOST_IDLE: usize = 400;

/// The number of passing inputs that have to be accepted for all that was tried, before members of the hypothesis are weighed against them.
const SOME_GIVEN_UP: usize = 16;

/// How far the comparison has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Comparison {
    right: Right,
    turn: usize,
    idle: usize,
}

/// The right answers in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) failing: usize,
    pub(super) passing: usize,
    pub(super) random: usize,
    pub(super) drawn: usize,
}

impl Comparison {
    /// Where the next input is to come from.
    fn next_source(&mut self, wanted: usize) -> Source {
        let turn = self.turn;
        self.turn += 1;
        // Enough is known of both sides then, but not of what the hypothesis describes.
        let is_all_but_drawn = self.right.failing >= wanted && self.right.passing >= wanted;
        if is_all_but_drawn { Source::Drawn } else { SOURCES[turn % SOURCES.len()] }
    }
}

impl Right {
    fn is_enough(&self, wanted: usize) -> bool {
        self.failing >= wanted && self.passing >= wanted && self.drawn >= wanted
    }

    /// Whether the answer about one more input says anything that is not known well enough.
    fn needs(&self, source: Source, is_accepted: bool, wanted: usize) -> bool {
        match (source, is_accepted) {
            (Source::Drawn, _) => self.drawn < wanted,
            (_, true) => self.failing < wanted,
            (Source::Random, false) => self.random < wanted / 2,
            (_, false) => self.passing < wanted,
        }
    }

    /// Counts an answer that was right.
    fn count(&mut self, source: Source, verdict: Verdict) {
        match (verdict, source) {
            (Verdict::Fail, _) => {
                self.failing += 1;
                self.drawn += usize::from(source == Source::Drawn);
            }
            // Most random inputs have nothing to do with what fails.
            (_, Source::Random) => self.random += 1,
            (_, _) => self.passing += 1,
        }
    }
}

impl Learning<'_, '_, '_> {
    /// Looks for counterexamples until there seem to be no more, or so many executions were made in all.
    ///
    /// # Errors
    /// There may be no more executions, or the program cannot be asked.
    pub(super) fn refine(
        &mut self,
        stable: &mut Hypothesis,
        comparison: &mut Comparison,
        until: u64,
    ) -> Result<(), Halt> {
        let wanted = self.settings.right;
        while comparison.idle < MOST_IDLE && !comparison.right.is_enough(wanted) {
            if self.judge.executions() >= until {
                return Err(Halt::Stop(StopReason::Budget));
            }
            let source = comparison.next_source(wanted);
            let text = self.next(source)?.filter(|text| !self.judge.knows(text));
            let input = match text {
                Some(text) => self.parsed(text)?,
                None => None,
            };
            let is_accepted = input.as_ref().is_some_and(|input| self.accepts(input));
            let Some(input) = input.filter(|_| comparison.right.needs(source, is_accepted, wanted)) else {
                comparison.idle += 1;
                continue;
            };
            comparison.idle = 0;
            let Some((verdict, input)) = self.ask(input.text.clone())? else { continue };
            self.compared.push((verdict, Rc::clone(&input)));
            match (verdict, is_accepted) {
                (Verdict::Fail, true) | (Verdict::Pass, false) => comparison.right.count(source, verdict),
                (Verdict::Fail, false) => self.widen_by(&input, stable, &mut comparison.right)?,
                (Verdict::Pass, true) => self.narrow_by(&input, stable, &mut comparison.right)?,
                (Verdict::Unresolved | Verdict::Timeout, _) => {}
            }
        }
        Ok(())
    }

    /// Learns from a failing input that was rejected.
    fn widen_by(
        &mut self,
        input: &Rc<Input>,
        stable: &mut Hypothesis,
        right: &mut Right,
    ) -> Result<(), Halt> {
        if self.reconsider_values(input, true) {
            *right = Right::default();
        } else if self.counterexample(input)? {
            *right = Right { passing: right.passing, ..Right::default() };
            self.prune();
            self.try_merging()?;
        } else {
            // What was tried showed inputs that pass, and what was learned of them went with it.
            self.within(COUNTEREXAMPLE, Self::is_right_about_passing)?;
            // What is accepted all the same would stand in the way of all that comes.
            while let Some(wrong) = self.wrongly_accepted() {
                self.give_up(&wrong);
            }
            right.passing = 0;
        }
        *stable = self.hypothesis.clone();
        Ok(())
    }

    /// Learns from a passing input that was accepted.
    pub(super) fn narrow_by(
        &mut self,
        input: &Rc<Input>,
        stable: &mut Hypothesis,
        right: &mut Right,
    ) -> Result<(), Halt> {
        let is_narrowed = self.reconsider_values(input, false)
            || self.within(COUNTEREXAMPLE, |session| session.negative(input))?;
        if is_narrowed {
            *right = Right { failing: right.failing, ..Right::default() };
            *stable = self.hypothesis.clone();
            self.try_boundaries()?;
            *stable = self.hypothesis.clone();
        } else {
            self.give_up(input);
            (right.failing, right.drawn) = (0, 0);
            // Seldom, as it looks at all that is known.
            if self.given_up() >= SOME_GIVEN_UP && self.given_up().is_power_of_two() {
                self.prune_wrong();
                *stable = self.hypothesis.clone();
            }
        }
        Ok(())
    }

    /// The next input of a source.
    pub(super) fn next(&mut self, source: Source) -> Result<Option<Vec<u8>>, Halt> {
        Ok(match source {
            Source::Neighbour(changes) => {
                let mut input = self.base();
                let mut text = None;
                for _ in 0..changes {
                    text = self.neighbour(&input);
                    match text.clone() {
                        Some(changed) => match self.parsed(changed)? {
                            Some(changed) => input = changed,
                            None => return Ok(None),
                        },
                        None => return Ok(None),
                    }
                }
                text
            }
            Source::PassingNeighbour => match self.passing_base() {
                Some(input) => self.neighbour(&input),
                None => None,
            },
            Source::Edge => {
                let input = self.base();
                self.edge(&input)
            }
            Source::Random => self.random_input()?,
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

    /// A passing input to change: the shorter one of two.
    pub(super) fn passing_base(&mut self) -> Option<Rc<Input>> {
        if self.passing.is_empty() {
            return None;
        }
        let [one, other] = [(); 2].map(|()| self.stream.pick(&self.passing));
        let shorter = if other.text.len() < one.text.len() { other } else { one };
        Some(Rc::clone(shorter))
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
        let input = self.parsed(text)?;
        Ok(input.filter(|input| self.accepts(input)))
    }
}
