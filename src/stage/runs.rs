//! How often the program under test ran for a task.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::oracle::Execution;

/// How often the program ran for a task.
#[derive(Debug, Default)]
pub struct Runs {
    first: AtomicU64,
    again: AtomicU64,
}

impl Runs {
    /// Counts an execution.
    pub fn add(&self, execution: &Execution) {
        self.first.fetch_add(u64::from(!execution.is_confirmation), Ordering::Relaxed);
        self.again.fetch_add(u64::from(execution.examination.is_judged_again), Ordering::Relaxed);
    }

    /// How often it ran to judge an input.
    pub fn first(&self) -> u64 {
        self.first.load(Ordering::Relaxed)
    }

    /// How often it ran to judge one again.
    pub fn again(&self) -> u64 {
        self.again.load(Ordering::Relaxed)
    }
}
