//! Whether a formula takes the place of the hypothesis.
//!
//! The program is asked about new inputs on which the two differ. The formula is then fitted to these as well, and compared once more. What is fitted
//! last was never compared: with the last executions it is compared with the one that was.

use crate::base::budget::StopReason;
use crate::oracle::Halt;

use super::super::GeneralizeError;
use super::FORMULA;
use super::choosing::FEWEST;
use super::comparing::Source;
use super::formula::Cover;
use super::input::Input;
use super::session::Learning;

/// The number of inputs about which the program is asked, because the formula and the hypothesis differ about them, before the formula is fitted
/// anew.
const MOST_DIFFERENT: usize = 60;

/// The number of inputs that are drawn for that, at most.
const MOST_DRAWN: usize = 1_200;

/// Where these inputs come from, in turn. Most of what passing inputs are changed to passes, which says little about which of two is right more often.
const SOURCES: [Source; 4] =
    [Source::Neighbour(1), Source::Neighbour(2), Source::Neighbour(1), Source::Random];

/// The formula takes the place of a hypothesis if it is right so many times as often: three times for each two.
const BETTER: (usize, usize) = (3, 2);

/// The part of all executions, one in this number, that is kept for comparing the formula that is fitted last with the one before it: fitted to more, it may say too
/// much.
const RACE: u64 = 40;

/// When a formula is compared with the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// While the hypothesis is still being learned.
    Early,
    /// With the executions that are kept for it.
    Last,
}

impl When {
    /// How many times the error of the hypothesis on what is known that of a formula may be: in the end the hypothesis was made for the very examples by which it
    /// is measured.
    pub(super) fn times(self) -> f64 {
        match self {
            Self::Early => 1.0,
            Self::Last => 2.0,
        }
    }

    /// The most times that the formula is fitted anew.
    fn rounds(self) -> usize {
        match self {
            Self::Early => 2,
            Self::Last => 4,
        }
    }
}

/// What comes of comparing a formula with the hypothesis.
struct Rounds {
    /// What is fitted to all that is known in the end.
    cover: Cover,
    /// What was compared with the hypothesis before that.
    compared: Option<Cover>,
    /// How often the hypothesis and the formula were right then.
    right: [usize; 2],
}

impl Learning<'_, '_, '_> {
    /// The formula if it is right more often than the hypothesis.
    pub(super) fn better(&mut self, cover: Cover, when: When) -> Result<Option<Cover>, GeneralizeError> {
        self.phase(FORMULA, |session| session.if_better(cover, when))
    }

    /// The formula, fitted to more inputs, if it is right more often than the hypothesis where the two differ. The program is asked about inputs on which they
    /// do, as long as it may be. The given input is accepted in any case.
    ///
    /// # Errors
    /// The program cannot be asked.
    pub(super) fn if_better(&mut self, cover: Cover, when: When) -> Result<Option<Cover>, GeneralizeError> {
        // From too few answers nothing is chosen.
        let kept = match (when, self.settings.executions / RACE) {
            (When::Last, kept) if kept >= FEWEST as u64 => kept,
            (When::Last | When::Early, _) => 0,
        };
        let all = self.judge.allow(self.judge.executions_left().saturating_sub(kept));
        let rounds = self.compare_in_rounds(cover, when);
        self.judge.set_budget(all);
        let Some(Rounds { mut cover, compared, right: [of_hypothesis, of_cover] }) = rounds? else {
            return Ok(None);
        };
        let is_better = of_hypothesis + of_cover >= FEWEST && BETTER.1 * of_cover > BETTER.0 * of_hypothesis;
        if !is_better {
            return Ok(None);
        }
        // What an early one is fitted to is not all that it will be.
        if let Some(compared) = compared.filter(|_| when == When::Last) {
            cover = self.better_of(cover, compared)?;
        }
        Ok(Some(cover).filter(|cover| self.has_given(cover)))
    }

    /// Compares the formula with the hypothesis and fits it anew, as often as it may be. None if the hypothesis is not worse, or no formula can be fitted.
    fn compare_in_rounds(&mut self, cover: Cover, when: When) -> Result<Option<Rounds>, GeneralizeError> {
        let mut rounds = Rounds { cover, compared: None, right: [0, 0] };
        for _ in 0..when.rounds() {
            let mut of_round = [0, 0];
            let cover = &rounds.cover;
            let probed = self.probe(&cover.features, cover.clauses());
            Halt::stop_reason::<GeneralizeError>(probed)?;
            let ended = Halt::stop_reason::<GeneralizeError>(self.compared_with(cover, &mut of_round))?;
            if of_round[0] + of_round[1] < FEWEST {
                if ended == StopReason::Done {
                    // They hardly differ.
                    rounds.right = of_round;
                }
                break;
            }
            rounds.right = of_round;
            // The hypothesis has still to become what it can be.
            if when == When::Early && of_round[0] >= of_round[1] {
                return Ok(None);
            }
            let Some(next) = self.cover(when) else { return Ok(None) };
            rounds.compared = Some(std::mem::replace(&mut rounds.cover, next));
        }
        Ok(Some(rounds))
    }

    /// Counts how often the hypothesis and the formula are right about new inputs on which they differ.
    fn compared_with(&mut self, cover: &Cover, right: &mut [usize; 2]) -> Result<(), Halt> {
        let grammar = self.example.grammar;
        let mut turn = 0;
        while right[0] + right[1] < MOST_DIFFERENT {
            let differ = |session: &Self, input: &Input| {
                let is_accepted = session.accepts(input);
                (cover.accepts(grammar, input) != is_accepted).then_some(is_accepted)
            };
            let draw = |session: &mut Self, turn: usize| session.new_input(&SOURCES, turn);
            let answer = self.next_answer(draw, &mut turn, MOST_DRAWN, differ)?;
            let Some((fails, is_accepted)) = answer else { break };
            right[usize::from(fails != is_accepted)] += 1;
        }
        Ok(())
    }
}
