//! Judging ahead of need: while one candidate is judged, idle cores judge those that are likely to be asked about next.
//!
//! The session asks one input after the other, as it does without: what is accepted, and what is counted, depends on its questions and
//! on the verdicts alone. This oracle stands between the session and the program. When it is asked about an input that was judged ahead, it
//! gives that judgement, once; when it is being judged, it waits for it; otherwise it judges it at once, whatever runs already.
//! So no prediction changes a result, however wrong it is: it only costs executions, which are counted apart.
//!
//! What is likely to be asked next, copies of the work say, which run ahead on guessed verdicts ([`super::lookahead`]). One of them leads.
//! When a verdict is not what it guessed, what it asked since is not judged any more, and what is being judged is left to end; its
//! judgement is kept, since the work may ask for it all the same. Of inputs, only digests are kept.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::judgement_cache::{InputDigest, digest};
use super::{Examination, Judgement, Oracle, OracleError, TimeoutAs, Verdict};

/// The number of guessed verdicts that the leader may go by at a time, for each execution that may run at once.
const GUESSES: usize = 2;

/// How sure the guess can become that an input fails, or that it does not.
const SUREST: i8 = 3;

/// By how much of the text they take away candidates are told apart: at least a half of it, a quarter, an eighth, or less.
const SHARES: usize = 4;

/// An oracle that judges ahead. Executions that are under way when it is dropped are left to end.
pub struct Speculation {
    shared: Arc<Shared>,
}

/// What it took to judge ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    /// The number of executions that were begun ahead of need.
    pub begun: u64,
    /// The number of those whose judgement was asked for later.
    pub used: u64,
}

impl Ahead {
    /// The number of executions ahead of need whose judgement was not asked for.
    pub fn in_vain(self) -> u64 {
        self.begun - self.used
    }
}

struct Shared {
    oracle: Arc<dyn Oracle>,
    timeout_as: TimeoutAs,
    jobs: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_closed: bool,
    /// What waits to be judged ahead, in the order in which it is likely to be asked about.
    queue: VecDeque<(InputDigest, Box<[u8]>)>,
    /// What is judged ahead now.
    running: HashSet<InputDigest>,
    /// What was judged ahead, and was not asked for since.
    judged: HashMap<InputDigest, Judgement>,
    /// The number of executions under way.
    executions: usize,
    /// What the session asks for now.
    asked: Option<InputDigest>,
    /// The verdicts of the session, as they count.
    verdicts: HashMap<InputDigest, Verdict>,
    /// The number of executions that the session may still begin.
    left: Option<u64>,
    /// The piece of work that is looked ahead of.
    work: Option<u64>,
    works: u64,
    /// How often a verdict has changed that copies of the work may have gone by.
    epoch: u64,
    lookaheads: u64,
    leader: Option<u64>,
    /// What the leader guessed of inputs that the session has not asked about yet: whether they fail.
    guesses: HashMap<InputDigest, bool>,
    /// The length of the input that failed last.
    length: usize,
    recent: Recent,
    ahead: Ahead,
}

/// What became of the candidates of late, by how much they took away: what takes away much fails less often, whatever the reducer.
///
/// Each number rises with each input that fails and falls with each that does not, as far as it may: the saturating counters that predict
/// branches in processors (Smith, "A Study of Branch Prediction Strategies", ISCA 1981). Above 0, the next one is taken to fail.
#[derive(Clone, Copy, Debug, Default)]
struct Recent([i8; SHARES]);

impl Recent {
    /// The number that a candidate of `length` bytes goes by, where the last input that failed had `before`.
    fn place(length: usize, before: usize) -> usize {
        let gone = before.saturating_sub(length);
        (1..SHARES).find(|&share| gone << share >= before).map_or(SHARES - 1, |share| share - 1)
    }

    fn add(&mut self, length: usize, before: usize, fails: bool) {
        let counter = &mut self.0[Self::place(length, before)];
        *counter = (*counter + if fails { 1 } else { -1 }).clamp(-SUREST, SUREST);
    }

    /// Whether a candidate is likely to fail.
    fn guess(&self, length: usize, before: usize) -> bool {
        self.0[Self::place(length, before)] > 0
    }
}

impl Speculation {
    /// Judges with `oracle`, up to `jobs` executions at once. When all of these are in vain, the session does not wait for one to
    /// end: for that moment one more runs.
    pub fn new(oracle: Arc<dyn Oracle>, timeout_as: TimeoutAs, jobs: usize) -> Self {
        let state = Mutex::default();
        let shared = Arc::new(Shared { oracle, timeout_as, jobs, state, changed: Condvar::new() });
        for _ in 0..jobs {
            let shared = Arc::clone(&shared);
            // Not waited for: who has a result need not wait for what was in vain.
            thread::spawn(move || shared.judge_ahead());
        }
        Self { shared }
    }

    /// What was judged ahead so far.
    pub fn ahead(&self) -> Ahead {
        self.shared.lock().ahead
    }

    /// The session may begin this number of executions more.
    pub(super) fn allow(&self, executions: Option<u64>) {
        self.shared.lock().left = executions;
    }

    /// The session has a verdict on an input, as it counts; where it asked about it now, the input has this length.
    pub(super) fn answer(&self, digest: InputDigest, length: Option<usize>, verdict: Verdict) {
        let mut state = self.shared.lock();
        state.asked = None;
        let before = state.verdicts.insert(digest, verdict);
        if before.is_some_and(|before| before != verdict) {
            state.epoch += 1;
            state.depose();
        }
        let fails = verdict == Verdict::Fail;
        if let Some(length) = length {
            let before = state.length;
            // The first input takes nothing away.
            if before > 0 {
                state.recent.add(length, before, fails);
            }
            if fails {
                state.length = length;
            }
        }
        match state.guesses.remove(&digest) {
            Some(guess) if guess == fails => {}
            // The work has gone elsewhere.
            None if state.guesses.is_empty() => {}
            Some(_) | None => state.depose(),
        }
        self.shared.changed.notify_all();
    }

    /// A piece of work begins that is looked ahead of; `None` if it is part of one.
    pub(super) fn begin_work(&self) -> Option<u64> {
        let mut state = self.shared.lock();
        if state.work.is_some() {
            return None;
        }
        state.works += 1;
        state.work = Some(state.works);
        state.work
    }

    /// The piece of work has ended.
    pub(super) fn end_work(&self) {
        let mut state = self.shared.lock();
        state.work = None;
        state.depose();
        self.shared.changed.notify_all();
    }

    /// A copy of the work begins to look ahead, unless the work has ended.
    pub(super) fn look_ahead(&self, work: u64) -> Option<Lookahead<'_>> {
        let mut state = self.shared.lock();
        if state.work != Some(work) {
            return None;
        }
        state.lookaheads += 1;
        let (number, epoch) = (state.lookaheads, state.epoch);
        let place = Mutex::new(Place { role: Role::Follows, length: state.length });
        Some(Lookahead { shared: &self.shared, work, number, epoch, place })
    }
}

impl Drop for Speculation {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

impl Oracle for Speculation {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let digest = digest(input);
        let mut state = self.shared.lock();
        state.asked = Some(digest);
        while state.running.contains(&digest) {
            state = self.shared.wait(state);
        }
        if let Some(judgement) = state.judged.remove(&digest) {
            state.ahead.used += 1;
            return Ok(judgement);
        }
        state.queue.retain(|(queued, _)| *queued != digest);
        state.executions += 1;
        drop(state);
        let judgement = self.shared.oracle.judge(input);
        self.shared.lock().executions -= 1;
        self.shared.changed.notify_all();
        judgement
    }

    fn examine(&self, input: &[u8]) -> Result<Examination, OracleError> {
        self.shared.oracle.examine(input)
    }

    fn repeat(&self, input: &[u8]) -> Result<Verdict, OracleError> {
        self.shared.oracle.repeat(input)
    }

    /// As many at once as may be.
    fn repeat_times(&self, input: &[u8], times: u32) -> Result<Vec<Verdict>, OracleError> {
        let oracle = &self.shared.oracle;
        let jobs = (self.shared.jobs as u32).min(times);
        let share = |job: u32| times / jobs + u32::from(job < times % jobs);
        thread::scope(|scope| {
            let runs = (0..jobs).map(|job| scope.spawn(move || oracle.repeat_times(input, share(job))));
            let runs: Vec<_> = runs.collect();
            let mut verdicts = Vec::new();
            for run in runs {
                match run.join() {
                    Ok(found) => verdicts.extend(found?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(verdicts)
        })
    }

    fn judge_again(&self, input: &[u8], earlier: Verdict) -> Result<Option<Judgement>, OracleError> {
        self.shared.oracle.judge_again(input, earlier)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Judges what is queued, until the end.
    fn judge_ahead(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            if state.executions >= self.jobs {
                state = self.wait(state);
                continue;
            }
            let Some((digest, input)) = state.queue.pop_front() else {
                state = self.wait(state);
                continue;
            };
            state.running.insert(digest);
            state.executions += 1;
            state.ahead.begun += 1;
            drop(state);
            let judged = self.oracle.judge(&input);
            state = self.lock();
            state.executions -= 1;
            state.running.remove(&digest);
            // What went wrong goes wrong again, or does not, when the session asks.
            if let Ok(judgement) = judged {
                let fails = self.timeout_as.count(judgement.verdict) == Verdict::Fail;
                if state.guesses.get(&digest).is_some_and(|&guess| guess != fails) {
                    // The next leader will know better.
                    state.depose();
                }
                state.judged.insert(digest, judgement);
            }
            self.changed.notify_all();
        }
    }
}

impl State {
    /// What the leader guessed is wrong.
    fn depose(&mut self) {
        self.leader = None;
        self.guesses.clear();
        self.queue.clear();
    }

    fn is_judged_or_will_be(&self, digest: &InputDigest) -> bool {
        self.asked == Some(*digest)
            || self.running.contains(digest)
            || self.judged.contains_key(digest)
            || self.queue.iter().any(|(queued, _)| queued == digest)
    }
}

/// The oracle of a copy of the work that looks ahead.
pub(super) struct Lookahead<'s> {
    shared: &'s Shared,
    work: u64,
    number: u64,
    epoch: u64,
    place: Mutex<Place>,
}

/// Where a copy of the work stands.
#[derive(Clone, Copy, Debug)]
struct Place {
    role: Role,
    /// The length of the input that failed last, as it was said to.
    length: usize,
}

/// What a copy of the work does at an input that the session has not asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It waits for the session's verdict.
    Follows,
    /// It guesses.
    Leads,
}

impl Lookahead<'_> {
    /// Whether it has gone by what is not so, or the work has ended.
    fn is_over(&self, state: &State, role: Role) -> bool {
        state.work != Some(self.work)
            || state.epoch != self.epoch
            || (role == Role::Leads && state.leader != Some(self.number))
    }

    /// Waits until what it did is worth nothing any more.
    pub(super) fn rest(&self) {
        let role = self.place.lock().unwrap_or_else(PoisonError::into_inner).role;
        let mut state = self.shared.lock();
        while !self.is_over(&state, role) {
            if role == Role::Leads && state.guesses.is_empty() {
                // All guesses were right; if the work goes on all the same, another copy knows how.
                state.depose();
                self.shared.changed.notify_all();
                return;
            }
            state = self.shared.wait(state);
        }
    }
}

impl Oracle for Lookahead<'_> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let digest = digest(input);
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.shared.lock();
        loop {
            if self.is_over(&state, place.role) {
                return Err(OracleError::Interrupted);
            }
            if let Some(&verdict) = state.verdicts.get(&digest) {
                if verdict == Verdict::Fail {
                    place.length = input.len();
                }
                return Ok(Judgement::new(verdict, ""));
            }
            if state.leader.is_none() {
                state.leader = Some(self.number);
                place.role = Role::Leads;
            }
            let may_guess = state.guesses.len() < GUESSES * self.shared.jobs
                && state.left.is_none_or(|left| (state.guesses.len() as u64) < left);
            if place.role == Role::Leads && may_guess {
                break;
            }
            state = self.shared.wait(state);
        }
        let count = |judgement: &Judgement| self.shared.timeout_as.count(judgement.verdict) == Verdict::Fail;
        let likely = state.recent.guess(input.len(), place.length);
        let guess = state.judged.get(&digest).map_or(likely, count);
        if guess {
            place.length = input.len();
        }
        state.guesses.insert(digest, guess);
        if !state.is_judged_or_will_be(&digest) {
            state.queue.push_back((digest, input.into()));
            self.shared.changed.notify_all();
        }
        Ok(Judgement::new(if guess { Verdict::Fail } else { Verdict::Pass }, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_told_apart_by_what_they_take_away() {
        let places: Vec<usize> =
            [0, 50, 51, 75, 76, 87, 88, 100].map(|length| Recent::place(length, 100)).to_vec();
        assert_eq!(places, [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!((Recent::place(0, 0), Recent::place(7, 5)), (0, 3));
    }

    #[test]
    fn what_takes_away_little_is_guessed_to_fail_where_that_did_so_of_late() {
        let mut recent = Recent::default();
        for _ in 0..10 {
            recent.add(10, 100, false);
            recent.add(99, 100, true);
        }
        assert!(!recent.guess(20, 100) && recent.guess(95, 100));
        for _ in 0..SUREST {
            recent.add(99, 100, false);
        }
        assert!(!recent.guess(95, 100));
    }
}
