//! What a check does.

use crate::grammar::ebnf;
use crate::store::{Event, Judged};
use crate::subject::fitness::FitnessFinding;

use super::super::{BugKey, Context, StageError};
use super::{CheckRecord, Fact};

/// Prepares the subject of a bug and checks whether the bug is fit for use.
pub(super) fn check(key: &BugKey, context: &Context<'_>) -> Result<CheckRecord, StageError> {
    let (manifest, bug) = context.resources.manifest(key)?;
    let examine = || {
        let syntax = context.resources.syntax(manifest, &key.grammar)?;
        let prepared = context.resources.prepared(manifest)?;
        context.resources.watch(manifest, bug)?;
        syntax.parse(&format!("input of {}", bug.name), &bug.input)?;
        let mut findings: Vec<FitnessFinding> = prepared.check_version()?.into_iter().collect();
        findings.extend(prepared.check_bug(bug)?);
        let complaints: Vec<String> =
            findings.iter().filter(|finding| !finding.is_fit).map(FitnessFinding::statement).collect();
        // Without its worker a bug is as good as ever, only slower.
        let of_worker = match complaints.is_empty() && context.settings.workers.are_used {
            true => prepared.check_worker(bug)?,
            false => Vec::new(),
        };
        if !complaints.is_empty() {
            return Err(StageError::Failed(complaints.join("; ")));
        }
        Ok((syntax, prepared, findings, of_worker))
    };
    let (syntax, prepared, findings, of_worker) = examine().map_err(StageError::unfit)?;
    context.send(Event::SubjectFit {
        subject: manifest.name.clone(),
        bug: Some(bug.name.clone()),
        grammar: key.grammar.name.clone(),
        version: manifest.version.clone(),
        digest: prepared.digest(bug),
    });
    let (judged, judged_by_worker) = (judged(&findings), judged(&of_worker));
    let inputs = [judged.len() as u64, judged_by_worker.len() as u64];
    let findings = findings.iter().chain(&of_worker).map(|finding| Fact {
        bug: finding.bug.clone(),
        text: match finding.is_fit {
            true => finding.to_string(),
            false => format!("no worker is used: {}", finding.statement()),
        },
        holds: finding.is_fit,
    });
    Ok(CheckRecord {
        findings: findings.collect(),
        inputs,
        judged: judged.into_iter().chain(judged_by_worker).collect(),
        grammar: ebnf::write(&syntax.grammar),
    })
}

/// The inputs that were tried, with their verdicts.
fn judged(findings: &[FitnessFinding]) -> Vec<Judged> {
    let judged =
        |finding: &FitnessFinding| Some(Judged::new(finding.subject.input()?, finding.judgement.as_ref()?));
    findings.iter().filter_map(judged).collect()
}
