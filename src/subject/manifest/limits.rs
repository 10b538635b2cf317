//! The limits of the program's processes. The sections `[run]` and `[worker]` say them by the same keys.

use std::ops::Range;

use toml::Spanned;

use super::check::Checker;
use super::wire;
use crate::subject::execution::RunLimits;
use crate::subject::quantity;

/// The limits that a section says, as they are written.
pub(super) struct Written<'a> {
    timeout: Option<&'a Spanned<String>>,
    wall: Option<&'a Spanned<String>>,
    cpu: Option<&'a Spanned<String>>,
    memory: Option<&'a Spanned<String>>,
    output: Option<&'a Spanned<String>>,
    file_size: Option<&'a Spanned<String>>,
    processes: Option<&'a Spanned<u32>>,
}

impl<'a> From<&'a wire::Run> for Written<'a> {
    fn from(run: &'a wire::Run) -> Self {
        Self {
            timeout: run.timeout.as_ref(),
            wall: run.wall.as_ref(),
            cpu: run.cpu.as_ref(),
            memory: run.memory.as_ref(),
            output: run.output.as_ref(),
            file_size: run.file_size.as_ref(),
            processes: run.processes.as_ref(),
        }
    }
}

impl<'a> From<&'a wire::Worker> for Written<'a> {
    fn from(worker: &'a wire::Worker) -> Self {
        Self {
            timeout: worker.timeout.as_ref(),
            // It is one process for many inputs. What it does not answer in time a fresh process judges, by that one's limits.
            wall: None,
            cpu: None,
            memory: worker.memory.as_ref(),
            output: worker.output.as_ref(),
            file_size: worker.file_size.as_ref(),
            processes: worker.processes.as_ref(),
        }
    }
}

impl Written<'_> {
    /// The place of the first of them, if there are any.
    pub(super) fn first(&self) -> Option<Range<usize>> {
        let texts = [self.timeout, self.wall, self.cpu, self.memory, self.output, self.file_size];
        let spans = texts.into_iter().flatten().map(Spanned::span);
        spans.chain(self.processes.map(Spanned::span)).min_by_key(|span| span.start)
    }
}

impl Checker<'_> {
    /// `limits`, but for those that are written.
    pub(super) fn limits(&mut self, written: &Written<'_>, mut limits: RunLimits) -> RunLimits {
        if let Some(text) = written.timeout {
            limits.timeout = self.quantity(text, quantity::duration).unwrap_or(limits.timeout);
            limits.wall = RunLimits::wall_of(limits.timeout);
        }
        if let Some(text) = written.wall {
            limits.wall = self.quantity(text, quantity::duration).unwrap_or(limits.wall);
        }
        if let Some(text) = written.cpu {
            limits.cpu = self.unless_unlimited(text, quantity::duration);
        }
        if let Some(text) = written.memory {
            limits.memory = self.unless_unlimited(text, quantity::size);
        }
        if let Some(text) = written.output {
            limits.output = self.quantity(text, quantity::size).unwrap_or(limits.output);
        }
        if let Some(text) = written.file_size {
            limits.file_size = self.unless_unlimited(text, quantity::size);
        }
        if let Some(count) = written.processes {
            if *count.get_ref() == 0 {
                let complaint = self.error(count.span(), "the program itself is a process");
                self.complain(complaint);
            }
            limits.processes = Some(*count.get_ref());
        }
        limits
    }

    /// A duration or a size, which `read` reads.
    pub(super) fn quantity<T>(
        &mut self,
        text: &Spanned<String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        match read(text.get_ref()) {
            Ok(quantity) => Some(quantity),
            Err(help) => {
                let complaint = self.error(text.span(), format!("`{}` cannot be read", text.get_ref()));
                self.complain(complaint.help(help));
                None
            }
        }
    }

    fn unless_unlimited<T>(
        &mut self,
        text: &Spanned<String>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        if text.get_ref() == "unlimited" { None } else { self.quantity(text, read) }
    }
}
