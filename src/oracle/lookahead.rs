//! Work that is looked ahead of: copies of it find out what it is likely to ask next.
//!
//! Work that asks a [`Judge`] and depends on its state and the verdicts alone can be done again from a copy of the state. A copy
//! goes by the verdicts that the session has; where there is none yet, one copy leads and goes on by guesses, the other waits. When
//! a guess was wrong, the one that waited leads, as it stands where the work stands, and the other begins anew.
//! So that it soon gets there, work is done in steps: a copy begins with the step that the work is in.
//!
//! This needs nothing of a reducer but its steps, and helps each of them wherever it asks.

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::speculation::Speculation;
use super::{Halt, Judge};

/// The number of copies: the one that leads, and the one that comes after it.
const COPIES: usize = 2;

impl Judge<'_> {
    /// Does work in steps until `step` says that there is no more to do. What a step does must depend on its state and on verdicts
    /// alone; where the session judges ahead of need, steps are also done on copies of the state, with other sessions.
    ///
    /// # Errors
    /// When a step does not end; the state is as the step left it.
    pub fn in_steps<S: Clone + Send>(
        &mut self,
        state: &mut S,
        step: impl Fn(&mut S, &mut Judge<'_>) -> Result<bool, Halt> + Sync,
    ) -> Result<(), Halt> {
        let speculation = self.speculation();
        let Some((speculation, work)) = speculation.and_then(|s| s.begin_work().map(|work| (s, work))) else {
            while step(state, self)? {}
            return Ok(());
        };
        let latest = Mutex::new(state.clone());
        thread::scope(|scope| {
            let _ending = Ending(speculation);
            for _ in 0..COPIES {
                scope.spawn(|| look_ahead(speculation, work, &latest, &step));
            }
            while step(state, self)? {
                *latest.lock().unwrap_or_else(PoisonError::into_inner) = state.clone();
            }
            Ok(())
        })
    }
}

/// Ends the work however it ends, since its copies are waited for.
struct Ending<'s>(&'s Speculation);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end_work();
    }
}

/// Does copies of the work, one after the other, until the work has ended.
fn look_ahead<S: Clone>(
    speculation: &Speculation,
    work: u64,
    latest: &Mutex<S>,
    step: &(impl Fn(&mut S, &mut Judge<'_>) -> Result<bool, Halt> + Sync),
) {
    while let Some(oracle) = speculation.look_ahead(work) {
        let mut state = latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut judge = Judge::new(&oracle);
        while let Ok(true) = step(&mut state, &mut judge) {}
        oracle.rest();
    }
}
