//! How long a task's own work takes, without what is done only to check it.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Runs from when it is made until it is stopped, or read.
#[derive(Debug)]
pub struct Stopwatch {
    begin: Instant,
    stopped: OnceLock<Duration>,
}

impl Stopwatch {
    /// A stopwatch that runs.
    pub fn start() -> Self {
        Self { begin: Instant::now(), stopped: OnceLock::new() }
    }

    /// Stops it, the first time that this is called.
    pub fn stop(&self) {
        self.stopped.get_or_init(|| self.begin.elapsed());
    }

    /// How long it ran, or has run so far.
    pub fn elapsed(&self) -> Duration {
        self.stopped.get().copied().unwrap_or_else(|| self.begin.elapsed())
    }
}
