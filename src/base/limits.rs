//! How large what is made of a grammar, an expression or an input may become, and how long that may take.
//!
//! An operation that is asked for too much ends with an error that names the limit, instead of filling
//! the memory or running for hours. Sizes depend on the input of the operation alone, so the same
//! operation always ends in the same way; of time that cannot be said, so it has the last word only
//! where a user waits. All are counted by a [`Meter`], which is passed down to all work.

use std::time::{Duration, Instant};

use super::budget::Interrupt;

/// Limits on sizes: they are reached, or not, wherever and whenever the same thing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// States of an automaton, the intermediate ones included.
    pub states: usize,
    /// Rules of a specialized grammar.
    pub rules: usize,
    /// Steps of work. What takes memory or much time counts as several steps: a million of them takes
    /// about ten milliseconds, and a few hundred kilobytes at most.
    pub steps: u64,
}

impl Default for Sizes {
    /// Enough for what anybody could read or use, and too little for more than about half a minute, or
    /// for more than a gigabyte or so.
    fn default() -> Self {
        Self { states: 1_000_000, rules: 2_000_000, steps: 1_500_000_000 }
    }
}

/// How large what an operation makes may become, and how long it may take.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The sizes.
    pub sizes: Sizes,
    /// The time; without a limit unless one is given.
    pub time: Option<Duration>,
    /// The user's switch.
    pub interrupt: Interrupt,
}

impl Limits {
    /// These sizes, in any time.
    pub fn of(sizes: Sizes) -> Self {
        Self { sizes, ..Self::default() }
    }

    /// The fewest steps with which `work` ends.
    #[cfg(test)]
    pub(crate) fn fewest_steps(work: impl Fn(&Self) -> bool) -> u64 {
        fewest(|steps| work(&Self::of(Sizes { steps, ..Sizes::default() })))
    }

    /// A meter at which nothing has been spent; its time begins now.
    pub fn meter(&self) -> Meter {
        let deadline = self.time.and_then(|time| Instant::now().checked_add(time));
        Meter { limits: self.clone(), deadline, spent: 0, next_check: 0 }
    }
}

/// The least number that is enough, where all larger ones are enough too.
#[cfg(test)]
pub(crate) fn fewest(is_enough: impl Fn(u64) -> bool) -> u64 {
    let (mut few, mut enough) = (0, 1);
    while !is_enough(enough) {
        (few, enough) = (enough, 2 * enough);
    }
    while few + 1 < enough {
        let middle = few.midpoint(enough);
        if is_enough(middle) { enough = middle } else { few = middle }
    }
    enough
}

/// Which limit ended an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Exceeded {
    /// The automaton has too many states.
    #[error(
        "the expression needs more than {0} automaton states on this grammar; simplify it, or allow more states"
    )]
    States(usize),
    /// The specialized grammar has too many rules.
    #[error(
        "the specialized grammar needs more than {0} rules; simplify the expression, or allow more rules"
    )]
    Rules(usize),
    /// There was too much to do.
    #[error(
        "this takes more than {0} steps; simplify the grammar, the expression or the input, ask for less, or allow more steps"
    )]
    Steps(u64),
    /// It took too long.
    #[error(
        "this takes longer than {0:?}; simplify the grammar, the expression or the input, ask for less, or allow more time"
    )]
    Time(Duration),
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Counts what an operation spends, and ends it at its limits.
#[derive(Clone, Debug)]
pub struct Meter {
    limits: Limits,
    deadline: Option<Instant>,
    spent: u64,
    /// The clock and the switch are checked when this much has been spent.
    next_check: u64,
}

impl Meter {
    /// The number of steps between two checks of the clock: a hundredth of a second or less.
    const CHECK_INTERVAL: u64 = 1 << 18;

    /// Spends some steps.
    ///
    /// # Errors
    /// When the steps, the time or the user's patience are at an end.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), Exceeded> {
        self.spent = self.spent.saturating_add(steps);
        if self.spent < self.next_check { Ok(()) } else { self.check() }
    }

    /// Makes sure that there are no more states than allowed.
    ///
    /// # Errors
    /// When there are.
    #[inline]
    pub fn check_states(&self, states: usize) -> Result<(), Exceeded> {
        let most = self.limits.sizes.states;
        if states > most { Err(Exceeded::States(most)) } else { Ok(()) }
    }

    /// Makes sure that there are no more rules than allowed.
    ///
    /// # Errors
    /// When there are.
    #[inline]
    pub fn check_rules(&self, rules: usize) -> Result<(), Exceeded> {
        let most = self.limits.sizes.rules;
        if rules > most { Err(Exceeded::Rules(most)) } else { Ok(()) }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Checks the limits that do not depend on what is spent from here on, without spending anything.
    ///
    /// # Errors
    /// As [`Self::spend`].
    #[cold]
    pub fn check(&mut self) -> Result<(), Exceeded> {
        let Limits { sizes, time, interrupt } = &self.limits;
        if interrupt.is_raised() {
            return Err(Exceeded::Interrupted);
        }
        if self.spent > sizes.steps {
            return Err(Exceeded::Steps(sizes.steps));
        }
        if let (Some(time), Some(deadline)) = (time, self.deadline)
            && Instant::now() >= deadline
        {
            return Err(Exceeded::Time(*time));
        }
        // One past the last step, so that the limit is exact.
        self.next_check = (self.spent + Self::CHECK_INTERVAL).min(sizes.steps.saturating_add(1));
        Ok(())
    }
}

impl Default for Meter {
    fn default() -> Self {
        Limits::default().meter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_exactly_at_their_limit_however_they_are_spent() {
        for limit in [0, 1, 10, Meter::CHECK_INTERVAL, 3 * Meter::CHECK_INTERVAL + 7] {
            for stride in [1, 3, 1000, u64::MAX] {
                let mut meter = Limits::of(Sizes { steps: limit, ..Sizes::default() }).meter();
                let mut spent: u64 = 0;
                while meter.spend(stride).is_ok() {
                    spent += stride;
                    assert!(spent <= limit);
                }
                assert!(spent.saturating_add(stride) > limit);
                assert_eq!(meter.spend(0), Err(Exceeded::Steps(limit)));
            }
        }
    }

    #[test]
    fn the_switch_and_the_clock_end_what_has_steps_left() {
        let limits = Limits::default();
        limits.interrupt.raise();
        assert_eq!(limits.meter().spend(1), Err(Exceeded::Interrupted));
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        assert_eq!(limits.meter().spend(1), Err(Exceeded::Time(Duration::ZERO)));
    }
}
