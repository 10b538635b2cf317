//! Choosing in the end how simple a formula is to be.
//!
//! Formulas are fitted to the same examples in several manners, from the simplest to the most exact one. By what they say of examples that are left out
//! ([`super::covering`]) they are much the same: these are inputs like those to which they are fitted. So the program is asked about new inputs, up to
//! five changes away from failing ones, or made of passing ones and what a formula asks for ([`super::composing`]), on which they differ. One that is
//! clearly worse than the best one is asked about no more (a race: Maron, Moore, "Hoeffding races", 1994). The manner that comes out best is taken, and a formula fitted in it to all that is known then.
//! Two formulas that were fitted one after the other are compared in the same way.

use crate::base::budget::StopReason;
use crate::oracle::Halt;

use super::super::GeneralizeError;
use super::comparing::Source;
use super::features::Clause;
use super::formula::{Cover, asks_for_any};
use super::input::Input;
use super::session::Learning;

/// Where the inputs come from, in turn.
const SOURCES: [Source; 8] = [
    Source::Neighbour(1),
    Source::Neighbour(3),
    Source::Neighbour(2),
    Source::Random,
    Source::Neighbour(5),
    Source::Neighbour(1),
    Source::Neighbour(4),
    Source::Random,
];

/// The fewest inputs that say anything.
pub(super) const FEWEST: usize = 8;

/// A formula is clearly worse if it is wrong more often than the best one by more than so many standard deviations of what chance alone would bring.
const DEVIATIONS: f64 = 2.0;

/// What some formulas say of inputs about which the program was asked.
struct Race {
    /// The number of features in each formula, each of which counts as one mistake: simpler ones are right more often about inputs unlike those that
    /// are known.
    sizes: Vec<usize>,
    /// For each input whether it fails, and which formulas accept it.
    answers: Vec<(bool, Vec<bool>)>,
    /// The formulas that are still in it.
    left: Vec<usize>,
}

impl Race {
    fn new(sizes: Vec<usize>, left: Vec<usize>) -> Self {
        Self { sizes, answers: Vec::new(), left }
    }

    /// Whether those that are left say something else of an input, which these accept.
    fn is_open(&self, accepted: &[bool]) -> bool {
        self.left.windows(2).any(|pair| accepted[pair[0]] != accepted[pair[1]])
    }

    /// Takes note of an input, and leaves out what is clearly worse than the best one.
    fn count(&mut self, fails: bool, accepted: Vec<bool>) {
        self.answers.push((fails, accepted));
        let Some(best) = self.best() else { return };
        let left = self.left.iter().copied().filter(|&one| !self.is_worse(one, best));
        self.left = left.collect();
    }

    /// What a failing and a passing input count: as much together on either side.
    fn weights(&self) -> [f64; 2] {
        let failing = self.answers.iter().filter(|(fails, _)| *fails).count();
        let weight = |number: usize| self.answers.len() as f64 / (2 * number.max(1)) as f64;
        match failing == 0 || failing == self.answers.len() {
            true => [1.0; 2],
            false => [failing, self.answers.len() - failing].map(weight),
        }
    }

    /// What a formula is wrong about.
    fn wrong(&self, formula: usize) -> f64 {
        let weights = self.weights();
        let wrong = self.answers.iter().filter(|(fails, accepted)| *fails != accepted[formula]);
        wrong.map(|(fails, _)| weights[usize::from(!*fails)]).sum()
    }

    /// The best one of those that are left, the first one of several; none before enough is known.
    fn best(&self) -> Option<usize> {
        let cost = |formula: usize| self.wrong(formula) + self.sizes[formula] as f64;
        let costs = self.left.iter().map(|&formula| (cost(formula), formula));
        let best = costs.min_by(|(one, _), (other, _)| one.total_cmp(other));
        best.filter(|_| self.answers.len() >= FEWEST).map(|(_, formula)| formula)
    }

    /// Whether one formula is wrong more often than another by more than chance may bring. How large they are does not count here: what a larger one is right about
    /// more often may still come.
    fn is_worse(&self, one: usize, other: usize) -> bool {
        let weights = self.weights();
        let differing = self.answers.iter().filter(|(_, accepted)| accepted[one] != accepted[other]);
        let variance: f64 = differing.map(|(fails, _)| weights[usize::from(!*fails)].powi(2)).sum();
        self.wrong(one) - self.wrong(other) > DEVIATIONS * variance.sqrt()
    }
}

impl Learning<'_, '_, '_> {
    /// Chooses the manner in which a formula is fitted, by asking about inputs on which those differ that are fitted in several, as long as it may; and fits it
    /// to all that is known. The given input is accepted in any case.
    ///
    /// # Errors
    /// The program cannot be asked, or who waits for it has ended it.
    pub(super) fn choose_manner(&mut self, cover: &mut Cover) -> Result<(), Halt> {
        let sizes = cover
            .formulas
            .iter()
            .map(|formula| formula.iter().map(|clause| cover.features.size(clause)).sum());
        let mut race = Race::new(sizes.collect(), self.ways_to_fit(cover));
        let grammar = self.example.grammar;
        let raced = self.run(
            &mut race,
            |input| cover.accepted(grammar, input),
            |number| (cover, &cover.formulas[number]),
        );
        match raced {
            Ok(()) | Err(Halt::Stop(StopReason::Budget)) => {}
            Err(halt) => return Err(halt),
        }
        if let Some(best) = race.best() {
            cover.taken = best;
            if let Some(anew) = self.fitted_as(best).filter(|anew| self.has_given(anew)) {
                *cover = anew;
            }
        }
        Ok(())
    }

    /// The formulas that ask for something and accept the given input.
    fn ways_to_fit(&self, cover: &Cover) -> Vec<usize> {
        let grammar = self.example.grammar;
        let of_given: Vec<Vec<bool>> = self.given().map(|given| cover.accepted(grammar, given)).collect();
        let is_one = |&formula: &usize| {
            asks_for_any(&cover.formulas[formula]) && of_given.iter().all(|accepted| accepted[formula])
        };
        (0..cover.formulas.len()).filter(is_one).collect()
    }

    /// The one of two formulas that is right more often about inputs on which they differ, as long as it may ask about them; the first one, which is fitted to more,
    /// if both are right as often or hardly differ.
    ///
    /// # Errors
    /// The program cannot be asked.
    pub(super) fn better_of(&mut self, anew: Cover, compared: Cover) -> Result<Cover, GeneralizeError> {
        let mut covers = [anew, compared];
        let grammar = self.example.grammar;
        let mut race = Race::new(vec![0; covers.len()], vec![0, 1]);
        let raced = self.run(
            &mut race,
            |input| covers.iter().map(|cover| cover.accepts(grammar, input)).collect(),
            |number| (&covers[number], covers[number].clauses()),
        );
        Halt::stop_reason::<GeneralizeError>(raced)?;
        let best = race.best().unwrap_or(0);
        covers.swap(0, best);
        let [best, _] = covers;
        Ok(best)
    }

    /// Asks about inputs on which the formulas that are left differ.
    fn run<'c>(
        &mut self,
        race: &mut Race,
        accepted: impl Fn(&Input) -> Vec<bool>,
        formula: impl Fn(usize) -> (&'c Cover, &'c [Clause]),
    ) -> Result<(), Halt> {
        let mut turn = 0;
        while race.left.len() > 1 {
            let differ = |_: &Self, input: &Input| {
                let accepted = accepted(input);
                race.is_open(&accepted).then_some(accepted)
            };
            let draw = |session: &mut Self, turn: usize| {
                let (cover, clauses) = formula(*session.stream.pick(&race.left));
                session.new_input_or_composed(cover, clauses, &SOURCES, turn)
            };
            match self.next_answer(draw, &mut turn, usize::MAX, differ)? {
                Some((fails, accepted)) => race.count(fails, accepted),
                None => break,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random_stream::RandomStream;

    /// The formula that comes out of a race of some that are wrong about so many of a hundred failing and passing inputs.
    fn best_of(seed: u64, formulas: &[([usize; 2], usize)], number: usize) -> Option<usize> {
        let mut stream = RandomStream::derive(seed, "inputs");
        let sizes = formulas.iter().map(|(_, size)| *size).collect();
        let mut race = Race::new(sizes, (0..formulas.len()).collect());
        for _ in 0..number {
            let fails = stream.below(4) == 0;
            let is_wrong = |&(wrong, _): &([usize; 2], usize)| stream.below(100) < wrong[usize::from(!fails)];
            let accepted: Vec<bool> = formulas.iter().map(is_wrong).map(|wrong| fails != wrong).collect();
            if race.is_open(&accepted) {
                race.count(fails, accepted);
            }
        }
        race.best()
    }

    #[test]
    fn the_formula_that_is_wrong_least_is_chosen_on_whichever_side_the_others_are_wrong() {
        for seed in 0..40 {
            let formulas = [([60, 0], 3), ([0, 40], 3), ([5, 5], 3), ([30, 30], 3)];
            assert_eq!(best_of(seed, &formulas, 150), Some(2), "{seed}");
        }
    }

    #[test]
    fn of_two_that_are_wrong_as_often_the_simpler_one_is_chosen_and_one_that_is_right_more_often_before_both()
    {
        for seed in 0..40 {
            let formulas = [([10, 10], 40), ([10, 10], 3), ([10, 10], 30)];
            assert_eq!(best_of(seed, &formulas, 150), Some(1), "{seed}");
            let formulas = [([80, 80], 2), ([0, 0], 12)];
            assert_eq!(best_of(seed, &formulas, 150), Some(1), "{seed}");
        }
    }

    #[test]
    fn nothing_is_chosen_by_a_few_inputs() {
        assert_eq!(best_of(1, &[([90, 90], 1), ([0, 0], 1)], FEWEST - 1), None);
    }
}
