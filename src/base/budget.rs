//! Limits on work, and the reasons for which work stops.
//!
//! Long work never fails because of a limit: it returns what it has together with a
//! [`StopReason`], which ends up in the reports.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a piece of work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// There was nothing left to do.
    Done,
    /// The allowed number of oracle executions was used up.
    Budget,
    /// The allowed time was used up.
    Time,
    /// The program did not end in time for too many inputs.
    Hanging,
    /// The user asked to stop.
    Interrupted,
}

impl StopReason {
    /// The word used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Budget => "budget",
            Self::Time => "time",
            Self::Hanging => "hanging",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A switch that is shared by all threads and is thrown when the user asks to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    is_raised: AtomicBool,
    is_handled: AtomicBool,
}

impl Interrupt {
    /// A switch that has not been thrown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks all work that watches this switch to stop.
    pub fn raise(&self) {
        self.0.is_raised.store(true, Ordering::Relaxed);
    }

    /// Whether the switch was thrown.
    pub fn is_raised(&self) -> bool {
        self.0.is_raised.load(Ordering::Relaxed)
    }

    /// Declares that the caller handles the switch: it shuts down in order soon after the switch is thrown, even where
    /// some work does not check it. Otherwise the program is ended a moment later, whatever it does.
    pub fn handle(&self) {
        self.0.is_handled.store(true, Ordering::Relaxed);
    }

    /// Whether a caller handles the switch.
    pub fn is_handled(&self) -> bool {
        self.0.is_handled.load(Ordering::Relaxed)
    }
}

/// How much work is allowed. The default allows everything.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The maximum number of oracle executions.
    pub executions: Option<u64>,
    /// No oracle execution is begun after this moment.
    pub deadline: Option<Instant>,
    /// The user's switch.
    pub interrupt: Interrupt,
}

impl Budget {
    /// A budget of `executions`, without a limit in time.
    pub fn of_executions(executions: u64) -> Self {
        Self { executions: Some(executions), ..Self::default() }
    }

    /// This budget, ending `time` from now at the latest.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self { deadline: Some(Instant::now() + time), ..self }
    }

    /// Why no further execution may begin after `executions` of them, if so.
    pub fn exhausted(&self, executions: u64) -> Option<StopReason> {
        if self.interrupt.is_raised() {
            Some(StopReason::Interrupted)
        } else if self.executions.is_some_and(|most| executions >= most) {
            Some(StopReason::Budget)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::Time)
        } else {
            None
        }
    }
}
