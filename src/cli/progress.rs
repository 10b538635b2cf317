//! Shows how a campaign goes on: bars on a terminal, plain lines elsewhere.
//!
//! The only place that knows the terminal. It is fed by the same events as the store.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::store::{CampaignOutcome, Event, Listener, Stored};

/// A listener that shows progress on standard error; nothing but what went wrong when `quiet`. `way_on` is what goes on after
/// an interruption.
pub fn listener(quiet: bool, way_on: &'static str) -> Vec<Box<dyn Listener + Send>> {
    if quiet {
        vec![Box::new(Errors)]
    } else if std::io::stderr().is_terminal() {
        vec![Box::new(Bars::new(way_on))]
    } else {
        vec![Box::new(Lines::new(way_on))]
    }
}

/// What a task could not do.
fn failure(result: &Result<Stored, String>) -> Option<String> {
    match result {
        Ok(stored) => stored.failure.clone(),
        Err(reason) => Some(reason.clone()),
    }
}

/// A line when a task fails.
struct Errors;

impl Listener for Errors {
    fn event(&mut self, event: &Event) {
        if let Event::TaskEnded { name, result, .. } = event
            && let Some(reason) = failure(result)
        {
            let _ = writeln!(std::io::stderr(), "{name}: FAILED: {reason}");
        }
    }
}

/// A line when a task ends, and when something takes long.
struct Lines {
    begin: Instant,
    done: usize,
    total: usize,
    executions: u64,
    way_on: &'static str,
}

impl Lines {
    fn new(way_on: &'static str) -> Self {
        Self { begin: Instant::now(), done: 0, total: 0, executions: 0, way_on }
    }

    fn line(&self, text: &str) {
        let seconds = self.begin.elapsed().as_secs();
        // Whoever reads along may have gone (`| head`): no reason to stop a campaign.
        let _ = writeln!(
            std::io::stderr(),
            "[{:>3}:{:02}] [{}/{}] {text}",
            seconds / 60,
            seconds % 60,
            self.done,
            self.total
        );
    }
}

impl Listener for Lines {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Planned { tasks, left_out, finished } => {
                self.total = tasks.len() - left_out;
                self.done = finished.len();
                if self.done > 0 {
                    self.line("going on where an earlier run ended");
                }
            }
            Event::Executed { execution, .. } => {
                self.executions += u64::from(!execution.is_confirmation);
            }
            Event::TaskEnded { name, result, wall, executions, .. } => {
                self.done += 1;
                match failure(result) {
                    None => {
                        self.line(&format!("{name} ({executions} executions, {:.1} s)", wall.as_secs_f64()))
                    }
                    Some(reason) => self.line(&format!("{name}: FAILED: {reason}")),
                }
            }
            Event::Note { text } => self.line(text),
            Event::Warning { task, text } => {
                self.line(&format!(
                    "warning: {}{text}",
                    task.as_ref().map(|task| format!("{task}: ")).unwrap_or_default()
                ));
            }
            Event::Ended { outcome } => self.line(&format!(
                "{}, {} executions in this run",
                match outcome {
                    CampaignOutcome::Complete if self.done < self.total =>
                        "complete, but for tasks that need one that failed".to_owned(),
                    CampaignOutcome::Complete => "complete".to_owned(),
                    CampaignOutcome::Interrupted => format!("interrupted; {} goes on from here", self.way_on),
                },
                self.executions
            )),
            Event::SubjectFit { .. }
            | Event::SubjectUnfit { .. }
            | Event::TaskBegun { .. }
            | Event::FingerprintChecked { .. }
            | Event::Forgotten { .. } => {}
        }
    }
}

/// A bar for the whole, and a line for each task that runs.
struct Bars {
    screen: MultiProgress,
    whole: ProgressBar,
    tasks: HashMap<String, ProgressBar>,
    note: Option<ProgressBar>,
    executions: u64,
    begin: Instant,
    way_on: &'static str,
}

impl Bars {
    fn new(way_on: &'static str) -> Self {
        let screen = MultiProgress::new();
        let whole = screen.add(ProgressBar::new(0));
        let template = "{elapsed_precise} [{wide_bar}] {pos}/{len} tasks, {msg}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            whole.set_style(style.progress_chars("=> "));
        }
        whole.enable_steady_tick(Duration::from_millis(500));
        Self {
            screen,
            whole,
            tasks: HashMap::new(),
            note: None,
            executions: 0,
            begin: Instant::now(),
            way_on,
        }
    }

    fn line(&self, name: &str) -> ProgressBar {
        let bar = self.screen.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn speed(&self) -> String {
        let rate = self.executions as f64 / self.begin.elapsed().as_secs_f64().max(0.001);
        format!("{} executions, {rate:.0}/s", self.executions)
    }
}

impl Listener for Bars {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Planned { tasks, left_out, finished } => {
                self.whole.set_length((tasks.len() - left_out) as u64);
                self.whole.set_position(finished.len() as u64);
                self.whole.reset_eta();
            }
            Event::TaskBegun { name } => {
                let bar = self.line(name);
                self.tasks.insert(name.clone(), bar);
            }
            Event::Executed { execution, .. } => {
                self.executions += u64::from(!execution.is_confirmation);
                if self.executions.is_multiple_of(32) {
                    self.whole.set_message(self.speed());
                }
            }
            Event::TaskEnded { name, result, .. } => {
                if let Some(bar) = self.tasks.remove(name) {
                    bar.finish_and_clear();
                }
                if let Some(bar) = self.note.take() {
                    bar.finish_and_clear();
                }
                if let Some(reason) = failure(result) {
                    let _ = self.screen.println(format!("{name}: FAILED: {reason}"));
                }
                self.whole.inc(1);
                self.whole.set_message(self.speed());
            }
            Event::Note { text } => {
                let bar = self.note.take().unwrap_or_else(|| self.line(""));
                bar.set_message(text.chars().take(100).collect::<String>());
                self.note = Some(bar);
            }
            Event::Warning { task, text } => {
                let task = task.as_ref().map(|task| format!("{task}: ")).unwrap_or_default();
                let _ = self.screen.println(format!("warning: {task}{text}"));
            }
            Event::Ended { outcome } => {
                for (_, bar) in self.tasks.drain() {
                    bar.finish_and_clear();
                }
                if let Some(bar) = self.note.take() {
                    bar.finish_and_clear();
                }
                self.whole.set_message(self.speed());
                match outcome {
                    CampaignOutcome::Complete => self.whole.finish(),
                    CampaignOutcome::Interrupted => {
                        self.whole
                            .abandon_with_message(format!("interrupted; {} goes on from here", self.way_on));
                    }
                }
            }
            Event::SubjectFit { .. }
            | Event::SubjectUnfit { .. }
            | Event::FingerprintChecked { .. }
            | Event::Forgotten { .. } => {}
        }
    }
}
