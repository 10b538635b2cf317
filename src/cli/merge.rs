//! `grambench merge`: the shards of a run become one.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::base::diagnostic::Diagnostic;
use crate::page;
use crate::report::provenance::Provenance;
use crate::stage::Results;
use crate::stage::results::TaskState;
use crate::stage::tables::Tables;
use crate::store::{Event, Identity, PlannedTask, Store, merge};

use super::Done;
use super::exit::{Code, Failure};
use super::text;

/// Put the shards of a run together, which may come from several machines
///
/// The tables are those of a run of the whole, byte for byte, but for timings.csv. Shards may be given twice, overlap, or be
/// unfinished; what is missing is done by the command of the run with the same `--output`. The exit code is 3 if tasks failed or have not been run.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  grambench run configs/find.toml --shard 1/2 --output results/runs/find-1\n  \
    grambench run configs/find.toml --shard 2/2 --output results/runs/find-2\n  \
    grambench merge results/runs/find-1 results/runs/find-2 --output results/runs/find"
)]
pub struct Merge {
    /// The folders of the shards
    #[arg(required = true)]
    shards: Vec<PathBuf>,
    /// The folder of the whole; what is there already is kept
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// Do not show the tables
    #[arg(long, short)]
    quiet: bool,
}

impl Merge {
    pub(super) fn run(&self) -> Done {
        if let Some(shard) = self.shards.iter().find(|shard| is_same(shard, &self.output)) {
            return Err(Failure::usage(format!(
                "`{}` is a shard and the folder of the whole",
                shard.display()
            )));
        }
        let read = |folder: &PathBuf| Store::read(&folder.join(Store::FILE_NAME)).map_err(Failure::usage);
        let sources = self.shards.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let campaign = sources[0].campaign().map_err(Failure::usage)?;
        let plan = sources[0].plan().map_err(Failure::usage)?;
        for (source, folder) in sources.iter().zip(&self.shards).skip(1) {
            self.check(folder, &campaign.identity, &source.campaign().map_err(Failure::usage)?.identity)?;
            if source.plan().map_err(Failure::usage)? != plan {
                let error = Diagnostic::error(format!(
                    "`{}` and `{}` have other tasks",
                    self.shards[0].display(),
                    folder.display()
                ));
                return Err(error
                    .help("shards of one plan are made by `run --shard K/N` with the same options")
                    .into());
            }
        }
        let mut into =
            Store::create_or_open(&self.output.join(Store::FILE_NAME), &campaign).map_err(Failure::usage)?;
        let rows = Results::read(&sources[0]).map_err(Failure::usage)?.tasks;
        let tasks: Vec<PlannedTask> = rows.iter().map(|row| row.task.planned(row.name.clone())).collect();
        into.apply(&Event::Planned { tasks: tasks.into(), left_out: 0, finished: Vec::new() })
            .and_then(|()| merge(&mut into, &sources))
            .map_err(Failure::usage)?;
        self.write_provenance()?;
        let results = Results::read(&into).map_err(Failure::usage)?;
        let tables = Tables::of(&results);
        let mut files = tables.write(&self.output).map_err(Failure::usage)?;
        files.push(page::write_html(&tables, &into, &self.output, &self.output).map_err(Failure::usage)?);
        if !self.quiet {
            text::print(format!("{}\n", tables.summary(&files)).as_bytes())?;
        }
        let count =
            |is_it: fn(&TaskState) -> bool| results.tasks.iter().filter(|row| is_it(&row.state)).count();
        let missing = count(|state| matches!(state, TaskState::NotRun));
        let failed = count(|state| matches!(state, TaskState::Failed(_)));
        if missing + failed > 0 {
            eprintln!("of {} tasks {missing} have not been run, and {failed} failed", results.tasks.len());
        }
        Ok(if missing + failed > 0 { Code::Tasks } else { Code::Success })
    }

    /// Refuses what is of another campaign.
    fn check(&self, folder: &Path, wanted: &Identity, found: &Identity) -> Result<(), Failure> {
        let mut differences: Vec<&str> = Vec::new();
        for part in wanted.differences(found) {
            if !differences.contains(&part.what.as_str()) {
                differences.push(&part.what);
            }
        }
        if differences.is_empty() {
            return Ok(());
        }
        let first = self.shards[0].display();
        let error =
            Diagnostic::error(format!("`{first}` and `{}` are not of the same run", folder.display()));
        Err(differences.iter().fold(error, |error, what| error.help(format!("they differ in {what}"))).into())
    }

    /// The provenance of the first shard, with the sittings of all.
    fn write_provenance(&self) -> Result<(), Failure> {
        let mut whole: Option<Provenance> = None;
        for folder in std::iter::once(&self.output).chain(&self.shards) {
            let Some(provenance) = Provenance::read(folder).map_err(Failure::usage)? else { continue };
            match &mut whole {
                None => whole = Some(provenance),
                Some(whole) => {
                    for sitting in provenance.sittings {
                        if !whole.sittings.contains(&sitting) {
                            whole.sittings.push(sitting);
                        }
                    }
                }
            }
        }
        let Some(mut whole) = whole else { return Ok(()) };
        whole
            .sittings
            .sort_by(|one, other| (one.begin, &one.arguments).cmp(&(other.begin, &other.arguments)));
        let path = self.output.join(Provenance::FILE_NAME);
        whole
            .write(&self.output)
            .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
    }
}

/// Whether two names are of one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
