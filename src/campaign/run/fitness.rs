//! Whether a bug is fit for use, and its worker: what the tasks of the stage `check` find out.

use std::sync::atomic::Ordering;

use crate::oracle::{OracleError, Sample};
use crate::store::{self, Event, Record};
use crate::subject::fitness::Finding;
use crate::subject::manifest::{Bug, Manifest};
use crate::subject::worker::Policy;

use super::super::config::Settings;
use super::super::stage::{Done, StageError};
use super::runner::Runner;

impl Runner<'_> {
    /// Prepares a subject and looks whether a bug is fit for use.
    pub(super) fn check(&self, subject: &Manifest, bug: &Bug) -> Done {
        let unfit = |reason: String| {
            if self.interrupt.is_raised() {
                return StageError::Interrupted;
            }
            self.unfit.fetch_add(1, Ordering::Relaxed);
            self.send(Event::SubjectUnfit {
                subject: subject.name.clone(),
                bug: Some(bug.name.clone()),
                reason: reason.clone(),
            });
            StageError::Failed(reason)
        };
        let (prepared, syntax) = self.workshop.subject(subject).map_err(unfit)?;
        self.workshop.watch(subject, bug).map_err(unfit)?;
        syntax.parse(&format!("input of {}", bug.name), &bug.input).map_err(unfit)?;
        let broken = |error: OracleError| unfit(error.to_string());
        let mut findings: Vec<Finding> = prepared.check_version().map_err(broken)?.into_iter().collect();
        findings.extend(prepared.check_bug(bug).map_err(broken)?);
        let of_worker = match self.policy(bug)?.is_used {
            true => prepared.check_worker(bug).map_err(broken)?,
            false => Vec::new(),
        };
        let complaints: Vec<String> =
            findings.iter().filter(|finding| !finding.is_fit).map(Finding::statement).collect();
        if !complaints.is_empty() {
            return Err(unfit(complaints.join("; ")));
        }
        self.send(Event::SubjectFit {
            subject: subject.name.clone(),
            bug: Some(bug.name.clone()),
            version: subject.version.clone(),
            digest: prepared.digest(bug),
        });
        // Without its worker a bug is as good as ever, only slower.
        let findings = findings.iter().chain(&of_worker).map(|finding| store::Finding {
            bug: finding.bug.clone(),
            text: match finding.is_fit {
                true => finding.to_string(),
                false => format!("no worker is used: {}", finding.statement()),
            },
            holds: finding.is_fit,
        });
        Ok((Record::Check(store::Check { findings: findings.collect() }), 0))
    }

    /// Whether workers judge inputs of a bug: not where its check found that they cannot.
    pub(super) fn policy(&self, bug: &Bug) -> Result<Policy, StageError> {
        let Settings { uses_workers, judged_again, .. } = self.config.settings;
        let is_fit = match self.records.check(&bug.name)?.as_deref() {
            Some(Record::Check(check)) => check.findings.iter().all(|finding| finding.holds),
            _ => true,
        };
        let judged_again = Sample { share: judged_again, seed: self.config.seed };
        Ok(Policy { is_used: uses_workers && is_fit, judged_again })
    }
}
