//! `grambench inputs`: the inputs behind the figures of a run.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::base::diagnostic::Diagnostic;
use crate::campaign::{means_task, no_task};
use crate::oracle::Verdict;
use crate::stage::results::{Results, TaskRow, TaskState};
use crate::store::{Input, Store};

use super::Done;
use super::arguments::OutputFormat;
use super::exit::{Code, Failure};
use super::text;

/// Show the inputs behind the figures of a run, in the order in which they were judged
///
/// Each is a line with its verdict, where it comes from, and the input, with tabs between them. Inputs are escaped, as in
/// the tables: --escaped of the other commands reads them.
///
/// The verdict is what was seen: `fail`, `pass`, `unresolved` or `timeout`. An input comes from a `reduction`, a
/// `generalization`, is an `instance`, was made from `F` or `not F`, is a `random` one, or a `mutation` of the failing
/// input.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  grambench inputs results/runs/quick --list\n  \
    grambench inputs results/runs/quick 'json-check/*produce limit F'\n  \
    grambench inputs results/runs/quick 'recognize neighbours' --misjudged --format json\n  \
    grambench inputs results/runs/quick 'expr-zero-divisor*recognize seen' --verdict fail | cut -f 3 |\n      \
    grambench validate --grammar subjects/expr/expr.ebnf --expression-file F --lines - --escaped")]
pub struct Inputs {
    /// The folder of the run
    run: PathBuf,
    /// The task, or a part of its name (`*` stands for anything), as `run --only` takes it; needed without --list
    task: Option<String>,
    /// Show the tasks that have inputs, each with their number, and stop
    #[arg(long)]
    list: bool,
    /// Only inputs with this verdict: fail, pass, unresolved or timeout. May be given several times
    #[arg(long, value_name = "VERDICT")]
    verdict: Vec<Verdict>,
    /// Only inputs that are not as they should be: of F that did not fail, of not F that failed, failing ones that F
    /// rejects, passing ones that it accepts
    #[arg(long)]
    misjudged: bool,
    /// `json` writes a JSON object for each input
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Inputs {
    pub(super) fn run(&self) -> Done {
        let store = Store::read(&self.run.join(Store::FILE_NAME)).map_err(Failure::usage)?;
        let results = Results::read(&store).map_err(Failure::usage)?;
        let chosen = self.chosen(&results)?;
        let has_several = chosen.len() > 1;
        let mut has_any = false;
        for row in chosen {
            let TaskState::Done(record) = &row.state else { continue };
            let Some(judged) = store.judged(&row.name).map_err(Failure::usage)? else { continue };
            let record = record.with_judged(judged);
            let inputs = record.inputs();
            has_any |= !inputs.is_empty();
            if self.list {
                text::print(format!("{}\t{}\n", inputs.len(), row.name).as_bytes())?;
                continue;
            }
            let incidents = record.incidents();
            let wrong = incidents.iter().filter(|incident| matches!(incident.kind, "escape" | "mistake"));
            let wrong: HashSet<&Input> = wrong.filter_map(|incident| incident.input).collect();
            let mut lines = String::new();
            for (place, (source, judged)) in inputs.iter().enumerate() {
                let is_misjudged = wrong.contains(&judged.input);
                let is_wanted = self.verdict.is_empty() || self.verdict.contains(&judged.verdict);
                if !is_wanted || self.misjudged && !is_misjudged {
                    continue;
                }
                let (verdict, input) = (judged.verdict.as_str(), judged.input.to_escaped());
                lines += &match self.format {
                    OutputFormat::Json => format!(
                        "{}\n",
                        json!({
                            "task": row.name,
                            "number": place + 1,
                            "verdict": verdict,
                            "source": source,
                            "misjudged": is_misjudged,
                            "cut": judged.cut,
                            "input": input,
                        })
                    ),
                    OutputFormat::Text if has_several => {
                        format!("{}\t{verdict}\t{source}\t{input}\n", row.name)
                    }
                    OutputFormat::Text => format!("{verdict}\t{source}\t{input}\n"),
                };
            }
            text::print(lines.as_bytes())?;
        }
        if has_any { Ok(Code::Success) } else { Err(self.nothing(&results)) }
    }

    /// The tasks that are meant.
    fn chosen<'r>(&self, results: &'r Results) -> Result<Vec<&'r TaskRow>, Failure> {
        match &self.task {
            None if !self.list => {
                let help = "name one, or a part of its name; `--list` shows the tasks that have inputs";
                Err(Diagnostic::error("no task is given whose inputs are to be shown").help(help).into())
            }
            None => Ok(results.tasks.iter().collect()),
            Some(pattern) => Ok(chosen(results, pattern)?),
        }
    }

    /// Why there are no inputs.
    fn nothing(&self, results: &Results) -> Failure {
        let chosen = self.chosen(results).unwrap_or_default();
        let reason = match chosen[..] {
            [row] => match results.error(row) {
                Some(error) => format!("`{}` has no inputs: {error}", row.name),
                None => format!("`{}` has no input judged", row.name),
            },
            _ => "no task that is meant has inputs".to_owned(),
        };
        Diagnostic::error(reason).help("--list shows the tasks that have inputs").into()
    }
}

/// The tasks of a run that a pattern means: the one of that name, or else all that match.
///
/// # Errors
/// When there is none.
pub(super) fn chosen<'r>(results: &'r Results, pattern: &str) -> Result<Vec<&'r TaskRow>, Diagnostic> {
    if let Some(row) = results.tasks.iter().find(|row| row.name == *pattern) {
        return Ok(vec![row]);
    }
    let chosen: Vec<&TaskRow> = results.tasks.iter().filter(|row| means_task(pattern, &row.name)).collect();
    if chosen.is_empty() {
        return Err(no_task(pattern, "run", results.tasks.iter().map(|row| row.name.as_str()))
            .help("`grambench inputs RUN --list` shows the tasks that have inputs, timings.csv all"));
    }
    Ok(chosen)
}
