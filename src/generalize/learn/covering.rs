//! What fails, said by what inputs have and have not: for who has no pattern that tells it.
//!
//! Some failures have no one part of the input as their cause. A program crashes with any of some options beside any of some others, wherever
//! they stand. A pattern that is widened then gets one member for each pair, and there are always more of them. So the inputs that were met in
//! learning are taken as examples, and a formula is fitted to them that has, of each of some sets of *signs*, at least one, and of
//! another set none. A sign is a small part of a tree: a rule, a rule below another one, or a short text.
//!
//! Each set is found by covering, as in FOIL (Quinlan, "Learning logical definitions from relations", 1990): the sign that gains most is
//! taken, and the examples that have it are put aside, until no failing one is left. Whether the formula says more than the hypothesis that was
//! learned is decided by examples to which it was not fitted.

use crate::base::budget::StopReason;
use crate::base::id::Id;
use crate::grammar::Grammar;
use crate::oracle::{Halt, Verdict};
use crate::pattern::{Expression, Formula, NamedPattern, PatternId};

use super::super::{EXPRESSION_NAME, GeneralizeError};
use super::expression::{MASK_NAME, NEED_NAME, side_by_side};
use super::input::Input;
use super::session::Learning;
use super::signs::{LEAST_SUPPORT, Signs};
use super::{MOST_IDLE, Source, stop_reason};

/// The fewest examples of each verdict from which something can be seen.
const FEWEST_EXAMPLES: usize = 40;

/// The most nodes of the trees of all examples: with more of them, signs take too much memory.
const MOST_NODES: usize = 4_000_000;

/// The number of passing examples that a set has to reject for each of its signs, from the simplest formulas to the most exact ones. How many it
/// should be is found by what they say of other examples.
const GAINS: [usize; 5] = [48, 24, 12, 6, 3];

/// The number of rejected passing examples that make good for a rejected failing one.
const PRICE: usize = 4;

/// How many times the error of the best formula that of a simpler one may be.
const SIMPLER: f64 = 1.1;

/// The most sets.
const MOST_SETS: usize = 40;

/// How often each set is found anew, when the others are known.
const TURNS: usize = 2;

/// The parts into which examples are divided: what is fitted to all others is measured on each.
const FOLDS: usize = 3;

/// The number of inputs about which the program is asked, because the formula and the hypothesis differ about them, before the formula is fitted
/// anew. From fewer than the second number nothing can be seen.
const MOST_DIFFERENT: usize = 60;
const FEWEST_DIFFERENT: usize = 8;

/// The most times that it is fitted anew.
const ROUNDS: usize = 4;

/// Where these inputs come from, in turn.
const SOURCES_OF_COVER: [Source; 4] =
    [Source::Neighbour(1), Source::Neighbour(2), Source::Neighbour(1), Source::Random];

/// The formula takes the place of a hypothesis if it is right so many times as often: three times for each two.
const BETTER: (usize, usize) = (3, 2);

/// The same where the program cannot be asked, about the examples.
const MUCH_BETTER: f64 = 4.0;

/// Which examples there are still, first of those that fail.
type Left = [Vec<bool>; 2];

/// A set of signs, of which an input has to have one, or must not have any.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set {
    signs: Vec<usize>,
    is_there: bool,
}

/// The formula, and how to ask it.
pub(super) struct Cover {
    signs: Signs,
    sets: Vec<Set>,
    /// How often the formula is wrong about examples to which it was not fitted, and how often the hypothesis is about all of them.
    error: f64,
    own: f64,
}

impl Learning<'_, '_, '_> {
    /// The hypothesis as an expression, if there is one.
    pub(super) fn own_expression(&self) -> Option<Expression> {
        (!self.hypothesis.roots().is_empty()).then(|| self.hypothesis.expression(self.example.grammar))
    }

    /// Whether a formula over signs says more than the hypothesis of the inputs that are known.
    pub(super) fn may_be_covered(&self) -> bool {
        self.cover().is_some_and(|cover| cover.error < cover.own)
    }

    /// The expression that says what fails: that of the hypothesis, or a formula over signs that is right more often where the two differ.
    /// The program is asked about inputs on which they do, as long as it may be.
    ///
    /// # Errors
    /// The program cannot be asked.
    pub(super) fn better_expression(&mut self) -> Result<Option<Expression>, GeneralizeError> {
        let mut right = [0, 0];
        let mut cover = self.cover();
        for _ in 0..ROUNDS {
            let Some(known) = cover.as_ref().filter(|cover| cover.error < cover.own) else { break };
            let before = std::mem::take(&mut right);
            let ended = stop_reason(self.compared_with(known, &mut right))?;
            cover = self.cover();
            if right[0] + right[1] < FEWEST_DIFFERENT {
                // They hardly differ, or no more may be asked.
                right = if ended == StopReason::Done { right } else { before };
                break;
            }
        }
        let is_better = |cover: &Cover| match right {
            [of_hypothesis, of_cover] if of_hypothesis + of_cover >= FEWEST_DIFFERENT => {
                BETTER.1 * of_cover > BETTER.0 * of_hypothesis
            }
            _ => cover.error * MUCH_BETTER < cover.own,
        };
        Ok(match cover.filter(is_better) {
            Some(cover) => Some(cover.signs.expression(self.example.grammar, &cover.sets)),
            None => self.own_expression(),
        })
    }

    /// The formula over signs that tells the inputs that are known to fail from those that are known to pass, if there is one.
    fn cover(&self) -> Option<Cover> {
        if self.failing.len().min(self.passing.len()) < FEWEST_EXAMPLES {
            return None;
        }
        let inputs = [&self.failing, &self.passing];
        if inputs.into_iter().flatten().map(|input| input.spans.len()).sum::<usize>() > MOST_NODES {
            return None;
        }
        let own = error(inputs.map(Vec::len), |side, number| self.accepts(&inputs[side][number]));
        let signs = Signs::of(self.example.grammar, [&self.failing, &self.passing]);
        let errors = GAINS.map(|gain| (signs.cross_validated(gain), gain));
        let error = errors.iter().map(|(error, _)| *error).fold(f64::INFINITY, f64::min);
        let (_, gain) = errors.into_iter().find(|(of_gain, _)| *of_gain <= error * SIMPLER)?;
        let sets = signs.fit(signs.all(), gain);
        sets.iter().any(|set| set.is_there).then_some(Cover { signs, sets, error, own })
    }

    /// Counts how often the hypothesis and the formula are right about new inputs on which they differ.
    fn compared_with(&mut self, cover: &Cover, right: &mut [usize; 2]) -> Result<(), Halt> {
        let (mut turn, mut idle) = (0, 0);
        while right[0] + right[1] < MOST_DIFFERENT && idle < MOST_IDLE {
            let source = SOURCES_OF_COVER[turn % SOURCES_OF_COVER.len()];
            turn += 1;
            idle += 1;
            let text = self.next(source)?;
            let Some(text) = text.filter(|text| !self.judge.knows(text)) else { continue };
            let Some(input) = Input::parse(self.example.parser, text)? else { continue };
            let is_accepted = self.accepts(&input);
            if cover.accepts(self.example.grammar, &input) == is_accepted {
                continue;
            }
            let verdict = self.ask(input.text.clone())?.map(|(verdict, _)| verdict);
            if let Some(verdict @ (Verdict::Fail | Verdict::Pass)) = verdict {
                idle = 0;
                let is_hypothesis = (verdict == Verdict::Fail) == is_accepted;
                right[usize::from(!is_hypothesis)] += 1;
            }
        }
        Ok(())
    }
}

impl Cover {
    fn accepts(&self, grammar: &Grammar, input: &Input) -> bool {
        input.trees().any(|tree| holds(&self.sets, &self.signs.of_tree(grammar, tree)))
    }
}

/// The mean of the shares of failing and of passing examples that are judged wrongly.
fn error(numbers: [usize; 2], accepts: impl Fn(usize, usize) -> bool) -> f64 {
    let share = |side: usize| {
        let wrong = (0..numbers[side]).filter(|&number| accepts(side, number) == (side == 1));
        wrong.count() as f64 / numbers[side].max(1) as f64
    };
    f64::midpoint(share(0), share(1))
}

impl Signs {
    /// All examples.
    fn all(&self) -> Left {
        [0, 1].map(|side| vec![true; self.of_example[side].len()])
    }

    /// The error on examples of what is fitted to others.
    fn cross_validated(&self, least_gain: usize) -> f64 {
        let of_folds: Vec<Vec<Set>> = (0..FOLDS)
            .map(|fold| {
                let mut left = self.all();
                for side in &mut left {
                    side.iter_mut().skip(fold).step_by(FOLDS).for_each(|is_left| *is_left = false);
                }
                self.fit(left, least_gain)
            })
            .collect();
        let numbers = [0, 1].map(|side| self.of_example[side].len());
        error(numbers, |side, number| holds(&of_folds[number % FOLDS], &self.of_example[side][number]))
    }

    /// The number of examples that have a sign, of those that are left.
    fn count(&self, sign: usize, side: usize, left: &Left) -> usize {
        self.seen[sign].examples[side].iter().filter(|&&number| left[side][number]).count()
    }

    /// Sets that tell the failing examples that are left from the passing ones.
    fn fit(&self, mut left: Left, least_gain: usize) -> Vec<Set> {
        let all = left.clone();
        let mut sets: Vec<Set> = Vec::new();
        while sets.len() < MOST_SETS {
            let both = [self.needed(&left), self.unwanted(&left)];
            let gains = both.into_iter().flatten().map(|set| (self.gain(&set, &left), set));
            let Some((gain, set)) = gains.max_by_key(|(gain, _)| *gain) else { break };
            if gain < (least_gain * set.signs.len()) as i64 {
                break;
            }
            for (side, left) in left.iter_mut().enumerate() {
                for (signs, is_left) in self.of_example[side].iter().zip(left) {
                    *is_left &= set.holds(signs);
                }
            }
            sets.push(set);
        }
        for _ in 0..TURNS {
            for index in 0..sets.len() {
                self.fit_again(&mut sets, index, &all);
            }
        }
        self.without_idle_sets(&mut sets, &all, least_gain);
        sets
    }

    /// Finds one of the sets anew, now that the others are known: what they reject counts no more.
    fn fit_again(&self, sets: &mut [Set], index: usize, examples: &Left) {
        if !sets[index].is_there {
            return;
        }
        let others = without(sets, index);
        let mut left = examples.clone();
        for (side, left) in left.iter_mut().enumerate() {
            for (signs, is_left) in self.of_example[side].iter().zip(left) {
                *is_left &= holds(&others, signs);
            }
        }
        if let Some(new) = self.needed(&left)
            && self.gain(&new, &left) > self.gain(&sets[index], &left)
        {
            sets[index] = new;
        }
    }

    /// The number of passing examples that a set rejects, of those that are left, less what the failing ones cost that it rejects.
    fn gain(&self, set: &Set, left: &Left) -> i64 {
        let rejected = |side: usize| {
            let of_left = self.of_example[side].iter().zip(&left[side]).filter(|(_, is_left)| **is_left);
            of_left.filter(|(signs, _)| !set.holds(signs)).count() as i64
        };
        rejected(1) - PRICE as i64 * rejected(0)
    }

    /// Drops the sets, the first ones first, without which hardly a passing example more is accepted: later ones say more.
    fn without_idle_sets(&self, sets: &mut Vec<Set>, examples: &Left, least_gain: usize) {
        let mut index = 0;
        while index < sets.len() {
            let others = without(sets, index);
            let passing = self.of_example[1].iter().zip(&examples[1]).filter(|(_, is_in)| **is_in);
            let of_it =
                passing.filter(|(signs, _)| holds(&others, signs) && !sets[index].holds(signs)).count();
            if of_it < least_gain * sets[index].signs.len() {
                sets.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// A set of which each failing example that is left has a sign, and few passing ones have.
    fn needed(&self, left: &Left) -> Option<Set> {
        let mut open = left.clone();
        let mut signs = Vec::new();
        loop {
            let [failing, passing] = [0, 1].map(|side| open[side].iter().filter(|is| **is).count());
            if failing == 0 || passing == 0 {
                break;
            }
            let bits = |fail: usize, pass: usize| (fail as f64 / (fail + pass) as f64).log2();
            let before = bits(failing, passing);
            let best = (0..self.seen.len())
                .map(|sign| {
                    let [fail, pass] = [0, 1].map(|side| self.count(sign, side, &open));
                    let is_enough = fail >= LEAST_SUPPORT;
                    (if is_enough { fail as f64 * (bits(fail, pass) - before) } else { 0.0 }, sign)
                })
                .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
            let Some((gain, sign)) = best else { break };
            if gain <= 0.0 {
                break;
            }
            for (side, open) in open.iter_mut().enumerate() {
                self.seen[sign].examples[side].iter().for_each(|&number| open[number] = false);
            }
            signs.push(sign);
        }
        self.without_idle(&mut signs, left);
        (!signs.is_empty()).then_some(Set { signs, is_there: true })
    }

    /// Drops the signs that too many passing examples have alone for the failing ones that do.
    fn without_idle(&self, signs: &mut Vec<usize>, left: &Left) {
        for index in (0..signs.len()).rev() {
            let alone = [0, 1].map(|side| {
                let numbers =
                    self.seen[signs[index]].examples[side].iter().filter(|&&number| left[side][number]);
                let has_other = |number: &usize| {
                    let own = &self.of_example[side][*number];
                    signs.iter().any(|&sign| sign != signs[index] && own.binary_search(&sign).is_ok())
                };
                numbers.filter(|number| !has_other(number)).count()
            });
            if PRICE * alone[0] <= alone[1] {
                signs.remove(index);
            }
        }
    }

    /// The sign that most passing examples have that are left, and no or few failing ones.
    fn unwanted(&self, left: &Left) -> Option<Set> {
        let worth = |sign: usize| self.count(sign, 1, left).saturating_sub(PRICE * self.count(sign, 0, left));
        let best = (0..self.seen.len()).max_by_key(|&sign| (worth(sign), std::cmp::Reverse(sign)))?;
        Some(Set { signs: vec![best], is_there: false })
    }

    /// The sets as an expression.
    fn expression(&self, grammar: &Grammar, sets: &[Set]) -> Expression {
        let mut names: Vec<(String, Vec<usize>)> = Vec::new();
        for set in sets.iter().filter(|set| set.is_there) {
            let name = match names.len() {
                0 => EXPRESSION_NAME.to_owned(),
                number => format!("{NEED_NAME}{number}"),
            };
            names.push((name, set.signs.clone()));
        }
        let mut formulas: Vec<Formula> =
            (0..names.len()).map(|number| Formula::Contains(PatternId::new(number))).collect();
        let unwanted = sets.iter().filter(|set| !set.is_there).flat_map(|set| set.signs.iter().copied());
        let unwanted: Vec<usize> = unwanted.collect();
        if !unwanted.is_empty() {
            formulas.push(!Formula::Contains(PatternId::new(names.len())));
            names.push((format!("{MASK_NAME}1"), unwanted));
        }
        let patterns = names.into_iter().map(|(name, signs)| {
            let patterns = signs.into_iter().map(|sign| self.seen[sign].pattern(grammar)).collect();
            NamedPattern { name, alternatives: side_by_side(patterns) }
        });
        let formula = formulas.into_iter().reduce(|all, next| all & next);
        Expression {
            start: grammar.start(),
            patterns: patterns.collect(),
            formula: formula.unwrap_or(Formula::Constant(false)),
        }
    }
}

impl Set {
    fn holds(&self, signs: &[usize]) -> bool {
        self.signs.iter().any(|sign| signs.binary_search(sign).is_ok()) == self.is_there
    }
}

/// All sets but one.
fn without(sets: &[Set], index: usize) -> Vec<Set> {
    let mut others = sets.to_vec();
    others.remove(index);
    others
}

fn holds(sets: &[Set], signs: &[usize]) -> bool {
    sets.iter().all(|set| set.holds(signs))
}
