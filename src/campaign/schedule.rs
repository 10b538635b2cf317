//! Runs a graph of tasks on a number of threads.
//!
//! One thread, the caller's, decides what may run; the others only carry out orders and report
//! back. These are threads of their own and not rayon's, which are there to compute: a task waits for
//! processes most of its time.

use std::collections::BTreeSet;
use std::thread;

use crossbeam::channel::{Sender, unbounded};

use crate::base::budget::Interrupt;

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It has done its work.
    Done,
    /// It could not; the tasks that need it cannot run either.
    Failed,
    /// It was interrupted; nothing was recorded.
    Interrupted,
}

/// The tasks that each task needs, by position; a task's needs come before it.
pub type Needs = Vec<Vec<usize>>;

/// Runs all tasks that are not `finished`, each after those that it needs, at most `jobs` at a time.
///
/// `work` does a task; `skip` is called with a task that cannot run and the one that is to blame. Says
/// how each task ended; the finished ones end as given.
///
/// # Panics
/// When `work` panics: once all threads have stopped.
pub fn run(
    needs: &Needs,
    finished: &[Option<Ending>],
    jobs: usize,
    interrupt: &Interrupt,
    work: impl Fn(usize) -> Ending + Sync,
    mut skip: impl FnMut(usize, usize),
) -> Vec<Option<Ending>> {
    let mut endings: Vec<Option<Ending>> = finished.to_vec();
    let (order, orders) = unbounded::<usize>();
    let (report, reports) = unbounded::<(usize, Option<Ending>)>();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            let (orders, report, work) = (orders.clone(), report.clone(), &work);
            scope.spawn(move || {
                for task in orders {
                    let mut end = End { task, ending: None, report: &report };
                    end.ending = Some(work(task));
                }
            });
        }
        // The number of tasks that each task waits for; a task that has ended is visited once, for those that
        // need it.
        let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
        let mut waits_for: Vec<usize> = vec![0; needs.len()];
        for (task, needs) in needs.iter().enumerate() {
            for &need in needs {
                needed_by[need].push(task);
                waits_for[task] += usize::from(endings[need] != Some(Ending::Done));
            }
        }
        let is_open = |endings: &[Option<Ending>], task: usize| endings[task].is_none();
        // In the order of the list: what comes first there is begun first.
        let mut ready: BTreeSet<usize> =
            (0..needs.len()).filter(|&task| is_open(&endings, task) && waits_for[task] == 0).collect();
        let mut failed: Vec<usize> =
            (0..needs.len()).filter(|&task| endings[task] == Some(Ending::Failed)).collect();
        let mut running = 0;
        let mut has_panicked = false;
        loop {
            while let Some(blame) = failed.pop() {
                for &task in &needed_by[blame] {
                    if is_open(&endings, task) {
                        skip(task, blame);
                        endings[task] = Some(Ending::Failed);
                        failed.push(task);
                    }
                }
            }
            while running < jobs.max(1) && !has_panicked && !interrupt.is_raised() {
                let Some(task) = ready.pop_first() else { break };
                running += 1;
                // The receivers live as long as this scope.
                let _ = order.send(task);
            }
            if running == 0 {
                break;
            }
            let Ok((task, ending)) = reports.recv() else { break };
            running -= 1;
            match ending {
                Some(ending) => {
                    match &ending {
                        Ending::Done => {
                            for &next in &needed_by[task] {
                                waits_for[next] -= 1;
                                if waits_for[next] == 0 && is_open(&endings, next) {
                                    ready.insert(next);
                                }
                            }
                        }
                        Ending::Failed => failed.push(task),
                        Ending::Interrupted => {}
                    }
                    endings[task] = Some(ending);
                }
                None => has_panicked = true,
            }
        }
        drop(order);
    });
    endings
}

/// Reports the end of a task, also when the work panics: the others are not kept waiting then.
struct End<'a> {
    task: usize,
    ending: Option<Ending>,
    report: &'a Sender<(usize, Option<Ending>)>,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        let _ = self.report.send((self.task, self.ending.take()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::sync::Mutex;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_task_runs_once_and_after_what_it_needs(
            edges in proptest::collection::vec((0usize..12, 0usize..12), 0..20),
            jobs in 1usize..5,
            broken in 0usize..16,
        ) {
            let mut needs: Needs = vec![Vec::new(); 12];
            for (a, b) in edges {
                if a < b {
                    needs[b].push(a);
                }
            }
            let log = Mutex::new(Vec::new());
            let mut skipped = Vec::new();
            let endings = run(&needs, &vec![None; 12], jobs, &Interrupt::new(), |task| {
                log.lock().unwrap().push(task);
                if task == broken { Ending::Failed } else { Ending::Done }
            }, |task, _| skipped.push(task));
            let log = log.into_inner().unwrap();
            for (place, task) in log.iter().enumerate() {
                prop_assert!(!log[..place].contains(task));
                prop_assert!(needs[*task].iter().all(|need| log[..place].contains(need)));
            }
            prop_assert_eq!(log.len() + skipped.len(), 12);
            for task in 0..12 {
                let blocked = needs[task].iter().any(|&need| endings[need] == Some(Ending::Failed));
                prop_assert_eq!(endings[task] == Some(Ending::Failed), blocked || task == broken);
            }
        }
    }

    #[test]
    fn an_interrupt_lets_running_tasks_end_and_begins_no_others() {
        let interrupt = Interrupt::new();
        let needs: Needs = vec![vec![], vec![0], vec![]];
        let work = |_| {
            interrupt.raise();
            Ending::Interrupted
        };
        let endings = run(&needs, &[None, None, None], 1, &interrupt, work, |_, _| {});
        assert_eq!(endings, [Some(Ending::Interrupted), None, None]);
    }

    #[test]
    fn what_is_finished_does_not_run_again() {
        let needs: Needs = vec![vec![], vec![0]];
        let work = |task| {
            assert_eq!(task, 1);
            Ending::Done
        };
        let endings = run(&needs, &[Some(Ending::Done), None], 2, &Interrupt::new(), work, |_, _| {});
        assert_eq!(endings, [Some(Ending::Done), Some(Ending::Done)]);
    }
}
