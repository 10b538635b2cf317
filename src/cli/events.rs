//! The events of a campaign as lines of JSON on standard output: for dashboards, with `run --format json`.
//!
//! docs/events.md describes them. What each input came to is left out: `grambench inputs` has it, and there may be millions.

use std::io::Write;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::store::{CampaignOutcome, Event, Listener};

/// Writes a line for each event.
pub struct EventLines {
    executions: u64,
}

impl EventLines {
    /// One that has written nothing yet.
    pub fn new() -> Self {
        Self { executions: 0 }
    }

    /// What is to be said of an event, if anything is.
    fn line(&mut self, event: &Event) -> Option<Value> {
        Some(match event {
            Event::Planned { tasks, left_out, finished } => json!({
                "event": "planned",
                "tasks": tasks.len() - left_out,
                "finished": finished.len(),
            }),
            Event::SubjectFit { subject, bug, grammar, version, digest } => json!({
                "event": "subject_fit",
                "subject": subject,
                "bug": bug,
                "grammar": grammar,
                "version": version,
                "digest": digest,
            }),
            Event::SubjectUnfit { subject, bug, grammar, reason } => json!({
                "event": "subject_unfit",
                "subject": subject,
                "bug": bug,
                "grammar": grammar,
                "reason": reason,
            }),
            Event::TaskBegun { name } => json!({ "event": "task_begun", "task": name }),
            Event::TaskEnded { name, result, wall, executions, runs, judged_again } => {
                let failure = match result {
                    Ok(stored) => stored.failure.as_deref(),
                    Err(reason) => Some(reason.as_str()),
                };
                json!({
                    "event": "task_ended",
                    "task": name,
                    "state": if failure.is_none() { "done" } else { "failed" },
                    "error": failure,
                    "seconds": wall.as_secs_f64(),
                    "executions": executions,
                    "runs": runs,
                    "judged_again": judged_again,
                })
            }
            Event::Warning { task, text } => json!({ "event": "warning", "task": task, "text": text }),
            Event::Note { text } => json!({ "event": "note", "text": text }),
            Event::Ended { outcome } => json!({
                "event": "ended",
                "state": match outcome {
                    CampaignOutcome::Complete => "complete",
                    CampaignOutcome::Interrupted => "interrupted",
                },
                "executions": self.executions,
            }),
            Event::Executed { execution, .. } => {
                self.executions += u64::from(!execution.is_confirmation);
                return None;
            }
            Event::FingerprintChecked { .. } | Event::Forgotten { .. } => return None,
        })
    }
}

impl Listener for EventLines {
    fn event(&mut self, event: &Event) {
        let Some(mut line) = self.line(event) else { return };
        line["time"] = json!(Timestamp::now());
        // Each line when it comes. Whoever reads along may have gone: no reason to stop a campaign.
        let mut output = std::io::stdout().lock();
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }
}
