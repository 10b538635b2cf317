//! `grambench run`: a campaign.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::base::budget::Interrupt;
use crate::base::diagnostic::Source;
use crate::campaign::{Called, CampaignError, Config, Given, Options, Plan, Shard, Summary, plan, run};
use crate::page;
use crate::stage::Results;
use crate::stage::tables::{self, Tables};
use crate::store::{CampaignOutcome, Listener};
use crate::subject::manifest;

use super::Done;
use super::arguments::{OutputFormat, SandboxArguments, jobs, processors};
use super::events::EventLines;
use super::exit::{Code, Failure};
use super::{progress, text};

/// Run a campaign: everything that a config file describes
///
/// Each failing input is reduced and generalized to a pattern; the grammar is specialized to the pattern
/// and to its negation; inputs are produced from both and judged by the program. The tables are shown and
/// written as CSV files.
///
/// What an earlier run finished is not done again: after Ctrl-C or a power cut, the same command goes on
/// where it was.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  grambench run configs/quick.toml\n  \
    grambench run configs/find.toml --jobs 2 --output results/runs/find\n  \
    grambench run configs/find.toml --only find-dbcb10e9 --only find-07b941b1 --list\n  \
    grambench run configs/find.toml --grammar manual --grammar tailored --output results/runs/two\n  \
    grambench run configs/paper.toml --verdict paper --output results/runs/paper-verdicts")]
pub struct Run {
    /// The config file; docs/config.md says what it may hold
    config: String,
    /// How many tasks run at once [default: the number of processors]
    #[arg(long, short, value_name = "N", value_parser = jobs())]
    jobs: Option<u16>,
    /// The seed of all random choices, instead of the config's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How often everything is done, each time with other random choices, instead of the config's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repetitions: Option<u32>,
    /// How many substitutions for a part must fail before it becomes abstract, instead of the config's
    #[arg(long, value_name = "N", value_parser = super::generalize::at_least_one)]
    checks: Option<usize>,
    /// Which rules decide what an outcome of a program means, instead of the config's: ours, on the
    /// specific failure, or those of the papers' artifact
    #[arg(long, value_enum, value_name = "RULES")]
    verdict: Option<RuleSet>,
    /// A grammar with which the bugs are examined, where their subjects have it, instead of the config's; `default` is
    /// each subject's own choice. May be given several times
    #[arg(long, value_name = "NAME")]
    grammar: Vec<String>,
    /// The folder for the store and the tables [default: results/runs/TITLE]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Show the plan, one task on each line, and stop
    #[arg(long)]
    list: bool,
    /// Run only tasks whose name contains this (`*` stands for anything), and those that they need. May be given
    /// several times
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Run one of N parts of the plan, such as 3/16, each with all tasks of some bugs; `grambench merge` puts them together
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Throw away what an earlier run left in the folder
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// Judge each input by a fresh process, though subjects have workers
    #[arg(long)]
    no_workers: bool,
    /// Show neither progress nor tables, only what went wrong
    #[arg(long, short)]
    quiet: bool,
    /// `json` writes what happens as lines of JSON to standard output, in place of progress and tables; docs/events.md has
    /// them
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A rule set that decides verdicts.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum RuleSet {
    /// On the specific failure.
    Own,
    /// Those of the papers' artifact, which are laxer.
    Paper,
}

impl From<RuleSet> for manifest::RuleSet {
    fn from(rule_set: RuleSet) -> Self {
        match rule_set {
            RuleSet::Own => Self::Own,
            RuleSet::Paper => Self::Paper,
        }
    }
}

impl Run {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let source = text::read_source(&self.config)?;
        let config = self.read_config(&source)?;
        let (catalogue, whole) = plan(&config)?;
        let plan = self.chosen(&whole)?;
        if self.list {
            let lines: String = plan.tasks().iter().map(|planned| format!("{}\n", planned.name)).collect();
            text::print(lines.as_bytes())?;
            return Ok(Code::Success);
        }
        let options = self.options(&config, interrupt);
        if interrupt.is_raised() {
            return Ok(Code::Interrupted);
        }
        // From here on tables are written, however the campaign ends.
        interrupt.handle();
        let given = Given {
            config: Arc::new(config),
            catalogue: Arc::new(catalogue),
            plan: Arc::new(plan),
            whole: Arc::new(whole),
        };
        let (summary, store) = run(&given, source.text(), &options, self.listeners())
            .map_err(|error: CampaignError| Failure::usage(error))?;
        let results = Results::read(&store).map_err(Failure::usage)?;
        let made = Tables::of(&results);
        let mut files = made.write(&options.folder).map_err(Failure::usage)?;
        let page = page::write_html(&made, &store, &options.folder, &options.folder);
        files.push(page.map_err(Failure::usage)?);
        if !self.quiet && self.format == OutputFormat::Text {
            text::print(format!("\n{}\n", made.summary(&files)).as_bytes())?;
        }
        for bug in tables::flaky(&results) {
            // Whoever reads along may have gone: no reason for another exit code.
            let _ = writeln!(std::io::stderr(), "warning: {bug}");
        }
        // The program ends now. To free them one by one takes as long as a third of the tables.
        std::mem::forget(made);
        std::mem::forget((results, given));
        Ok(exit_code(&summary))
    }

    /// The config with what the command line says instead of it. What is odd about it is told.
    fn read_config(&self, source: &Arc<Source>) -> Result<Config, Failure> {
        let mut config = Config::read(source, Path::new(&self.config))?;
        for warning in config.settings.specialize.expressions.iter().flat_map(|given| &given.warnings) {
            eprintln!("{warning}\n");
        }
        if let Some(seed) = self.seed {
            config.settings.seed = seed;
        }
        if let Some(repetitions) = self.repetitions {
            config.settings.repetitions = repetitions;
        }
        let expressions = config.settings.specialize.expressions.len();
        if config.settings.repetitions > 1 && expressions > 0 && !self.quiet {
            let many = if expressions == 1 { "expression" } else { "expressions" };
            eprintln!(
                "note: {expressions} {many} of the config: specialized once, there is nothing random to repeat"
            );
        }
        config.settings.workers.are_used &= !self.no_workers;
        if let Some(checks) = self.checks {
            config.settings.generalize.checks = checks;
        }
        if let Some(rule_set) = self.verdict {
            config.settings.oracle.rule_set = rule_set.into();
        }
        if !self.grammar.is_empty() {
            config.bugs.use_grammars("--grammar", &self.grammar);
        }
        Ok(config)
    }

    /// The tasks of a plan that the command line asks for.
    fn chosen(&self, whole: &Plan) -> Result<Plan, Failure> {
        let mut plan = whole.clone();
        if !self.only.is_empty() {
            plan.only(&self.only)?;
        }
        if let Some(shard) = self.shard {
            plan.keep_shard(shard);
        }
        Ok(plan)
    }

    fn options(&self, config: &Config, interrupt: &Interrupt) -> Options {
        let words = std::env::args_os().skip(1);
        let arguments = words.map(|word| word.to_string_lossy().into_owned()).collect();
        Options {
            called: Called { config: self.config.clone(), arguments },
            jobs: self.jobs.map_or_else(processors, usize::from),
            folder: self.output.clone().unwrap_or_else(|| Path::new("results/runs").join(&config.title)),
            is_shard: self.shard.is_some(),
            fresh: self.fresh,
            confinement: self.sandbox.confinement(),
            interrupt: interrupt.clone(),
        }
    }

    /// Who is told how the campaign goes on.
    fn listeners(&self) -> Vec<Box<dyn Listener + Send>> {
        // What --fresh throws away would be all that there is by then.
        let way_on = if self.fresh { "the same command without --fresh" } else { "the same command" };
        match self.format {
            OutputFormat::Text => progress::listener(self.quiet, way_on),
            OutputFormat::Json => vec![Box::new(EventLines::new())],
        }
    }
}

/// The exit code of a campaign that ended so.
fn exit_code(summary: &Summary) -> Code {
    let is_any_wrong = summary.failed > 0 || summary.disagreements > 0 || summary.flaky > 0;
    match summary.outcome {
        CampaignOutcome::Interrupted => Code::Interrupted,
        CampaignOutcome::Complete if summary.unfit > 0 => Code::Unfit,
        CampaignOutcome::Complete if is_any_wrong => Code::Tasks,
        CampaignOutcome::Complete => Code::Success,
    }
}
