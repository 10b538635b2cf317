//! What `reduce` and `generalize` work on: a program of one's own, or a bug of a subject.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::base::budget::{Budget, Interrupt};
use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::limits::{self, Sizes};
use crate::grammar::Grammar;
use crate::grammar::format::Format;
use crate::oracle::{
    self, CachedOracle, Examination, Execution, Halt, Judge, Judgement, JudgementCache, Oracle, OracleError,
    Rate, Speculation, TimeoutAs, Trouble, Verdict,
};
use crate::parse::Parser;
use crate::subject::catalogue::{Catalogue, FOLDER, folder_of_bug};
use crate::subject::command::{Command, CommandOracle};
use crate::subject::dictionary::ProgramDictionary;
use crate::subject::execution::RunLimits;
use crate::subject::fail_on::{self, FailOn};
use crate::subject::manifest::{GrammarFile, Manifest};
use crate::subject::pool::{OWN_EXECUTABLE, Pool};
use crate::subject::prepare::{Progress, cache_folder, prepare};
use crate::subject::prepared::Prepared;
use crate::subject::quantity::duration;
use crate::subject::rules::{Rules, VerdictRule};
use crate::subject::worker::Policy;
use crate::tree::Tree;

use super::arguments::SandboxArguments;
use super::escaped::InputArguments;
use super::exit::{Code, Failure};
use super::search_progress::SearchProgress;
use super::text;

/// A program and a failing input of it.
#[derive(Args, Debug)]
pub struct TargetArguments {
    /// The grammar file; without it only reducers that need none can work
    #[arg(long, short, value_name = "FILE")]
    grammar: Option<String>,
    /// The grammar's format, when neither its name nor its content tells: ebnf, fuzzingbook, canonical, antlr
    #[arg(long, value_name = "FORMAT")]
    grammar_format: Option<Format>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME", requires = "grammar")]
    start: Option<String>,
    /// The file with the failing input; `-` is standard input
    #[arg(long, short, value_name = "FILE")]
    input: Option<String>,
    #[command(flatten)]
    encoding: InputArguments,
    /// What a failing run looks like: `exit 139`, `exit !=0`, `signal SIGSEGV`, `stdout "text"`, `stderr
    /// "text"`, or several of these joined by `and`; or `timeout`
    #[arg(long, value_name = "CONDITION", conflicts_with = "bug")]
    fail_on: Option<String>,
    /// What a run looks like that says nothing, such as one on an input that the program refuses: conditions as for `--fail-on`, which decides
    /// first; may be given several times. Without it, whatever does not fail passes
    #[arg(long, value_name = "CONDITION", requires = "fail_on")]
    unresolved_on: Vec<String>,
    /// A bug of a subject instead of a program of your own; grammar and input come with it
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    bug: Option<String>,
    /// Which of the subject's grammars, when it has several
    #[arg(long, value_name = "NAME", requires = "bug", conflicts_with = "grammar")]
    subject_grammar: Option<String>,
    /// The folder that holds the subjects
    #[arg(long, value_name = "DIR", default_value = FOLDER)]
    subjects: PathBuf,
    /// How much processor time one run of the program may take; the limit of wall-clock time is ten times as long, and not
    /// less than ten seconds
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    timeout: Duration,
    /// The maximum number of steps of work to parse an input, or to make the parser: a million of them takes about ten
    /// milliseconds
    #[arg(long, value_name = "N", default_value_t = Sizes::default().steps)]
    max_steps: u64,
    /// Stop after this many executions, with the best result so far
    #[arg(long, value_name = "N")]
    max_executions: Option<u64>,
    /// Stop after this time, such as 10m, with the best result so far
    #[arg(long, value_name = "TIME", value_parser = duration)]
    max_time: Option<Duration>,
    #[command(flatten)]
    sandbox: SandboxArguments,
    /// Judge each input by a fresh process, though the subject has workers
    #[arg(long)]
    no_workers: bool,
    /// Show no progress. Elsewhere than on a terminal it is a line every ten seconds
    #[arg(long, short)]
    quiet: bool,
    /// The program and its arguments. `{file}` stands for a file that holds the input, `{input}` for the
    /// input itself, `{words}` for its words; without any, the input goes to standard input
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// A failing input, ready for work.
pub struct Target {
    /// The grammar, if one is given.
    pub grammar: Option<Arc<Grammar>>,
    /// The input.
    pub input: Vec<u8>,
    name: String,
    oracle: Arc<dyn Oracle>,
    dictionary: ProgramDictionary,
    timeout_as: TimeoutAs,
    budget: Budget,
    /// Whether no progress is shown.
    quiet: bool,
    /// The limits of parsing.
    parsing: limits::Limits,
    /// What to do when the input does not fail.
    way_out: &'static str,
}

impl TargetArguments {
    /// Reads the files and makes the program ready to be run this number of times at once.
    pub fn open(&self, interrupt: Interrupt, runs: usize) -> Result<Target, Failure> {
        let pool = self.sandbox.pool(runs)?;
        let budget = Budget { executions: self.max_executions, interrupt, ..Budget::default() };
        let budget = match self.max_time {
            Some(time) => budget.within(time),
            None => budget,
        };
        match &self.bug {
            Some(name) => self.open_bug(name, pool, budget),
            None => self.open_command(&pool, budget),
        }
    }

    fn parsing(&self, budget: &Budget) -> limits::Limits {
        let sizes = Sizes { steps: self.max_steps, ..Sizes::default() };
        limits::Limits { interrupt: budget.interrupt.clone(), ..limits::Limits::of(sizes) }
    }

    fn open_command(&self, pool: &Arc<Pool>, budget: Budget) -> Result<Target, Failure> {
        let Some(condition) = &self.fail_on else {
            return Err(Diagnostic::error("it is not specified when an input fails")
                .help("give --fail-on, for instance `--fail-on 'exit 139' -- ./program {file}`, or --bug")
                .into());
        };
        if self.command.is_empty() {
            return Err(Diagnostic::error("there is no program to run")
                .help("give it after `--`, for instance `-- ./program {file}`")
                .into());
        }
        let Some(file) = &self.input else {
            return Err(Diagnostic::error("there is no failing input").help("give --input FILE").into());
        };
        let (mut rules, mut timeout_as) = match fail_on::parse(&Source::new("--fail-on", condition))? {
            FailOn::Condition(condition) => (Rules::failing_on(vec![condition]), TimeoutAs::Pass),
            FailOn::Timeout => (Rules::failing_on(Vec::new()), TimeoutAs::Fail),
        };
        for condition in &self.unresolved_on {
            let source = Source::new("--unresolved-on", condition);
            match fail_on::parse(&source)? {
                FailOn::Condition(condition) => {
                    rules.0.push(VerdictRule { condition, verdict: Verdict::Unresolved });
                }
                FailOn::Timeout if timeout_as == TimeoutAs::Fail => {
                    let whole = 0..source.text().len();
                    return Err(Diagnostic::error("a run that does not end in time fails already")
                        .at(&source, whole, "--fail-on says so")
                        .into());
                }
                FailOn::Timeout => timeout_as = TimeoutAs::Unresolved,
            }
        }
        let extension = Path::new(file).extension().and_then(|extension| extension.to_str());
        let limits = RunLimits::of_timeout(self.timeout);
        let command = Command::ad_hoc(pool, &self.command, extension, limits)?;
        let oracle = CommandOracle::new(command, rules);
        Ok(Target {
            grammar: self.grammar()?,
            input: self.encoding.read(file)?,
            name: text::shown(file).to_owned(),
            dictionary: oracle.dictionary(),
            oracle: Arc::new(oracle),
            timeout_as,
            quiet: self.quiet,
            parsing: self.parsing(&budget),
            budget,
            way_out: "what --fail-on says must hold of a run on this input; the program runs in an empty folder of \
                its own, so give absolute paths of other files that it needs",
        })
    }

    fn open_bug(&self, name: &str, pool: Arc<Pool>, budget: Budget) -> Result<Target, Failure> {
        // What a config calls a bug with a large input is known without the config.
        let size_in_name = |bug: &str| name.strip_prefix(bug)?.strip_prefix('@')?.parse().ok();
        let catalogue = Catalogue::load(&self.subjects)?;
        let catalogue = catalogue.with_inflated(|bug| size_in_name(bug).into_iter().collect());
        let found = catalogue.subjects().iter().find_map(|subject| Some((subject, subject.bug(name)?)));
        let Some((manifest, bug)) = found else {
            let bugs = catalogue.subjects().iter().flat_map(|subject| &subject.bugs);
            let names: Vec<&str> = bugs.map(|bug| bug.name.as_str()).collect();
            let error = Diagnostic::error(format!("there is no bug called `{name}`"));
            let error = match folder_of_bug(name) {
                Some(other) => {
                    error.help(format!("`{0}` has a bug of this name: --subjects {0}", other.display()))
                }
                None => error
                    .suggest(name, names.iter().copied())
                    .help(format!("there are: {}", names.join(", ")))
                    .help(format!(
                        "these are in `{}`: --subjects names another folder",
                        self.subjects.display()
                    )),
            };
            return Err(error.into());
        };
        let build =
            prepare(manifest, &cache_folder(), OWN_EXECUTABLE.as_ref(), &budget.interrupt, &mut Notes)
                .map_err(|error| Failure::new(Code::Unfit, format!("error: {error}")))?;
        let prepared = Prepared { manifest: Arc::new(manifest.clone()), build, pool };
        let policy = Policy { is_used: !self.no_workers, ..Policy::default() };
        let unfit = |error: OracleError| Failure::new(Code::Unfit, format!("error: {error}"));
        let oracle = prepared.oracle(bug, &policy).map_err(unfit)?;
        let dictionary = prepared.dictionary(bug).map_err(unfit)?;
        let oracle =
            Arc::new(CachedOracle::new(oracle, JudgementCache::default())).observed(0, report_trouble);
        let grammar = match self.grammar()? {
            Some(grammar) => grammar,
            None => {
                let grammar = self.subject_grammar(manifest)?;
                Arc::new(read_grammar(&grammar.file.display().to_string(), None, grammar.start.as_deref())?)
            }
        };
        let (input, name) = match &self.input {
            Some(file) => (self.encoding.read(file)?, text::shown(file).to_owned()),
            None if bug.inflation.is_some() => {
                return Err(Diagnostic::error(format!("the failing input of `{name}` is made by campaigns"))
                    .help(format!(
                        "give one with --input, or take the small one: `--bug {}`",
                        bug.given_name()
                    ))
                    .into());
            }
            None => (bug.input.clone(), format!("input of {name}")),
        };
        Ok(Target {
            grammar: Some(grammar),
            input,
            name,
            oracle: Arc::new(oracle),
            dictionary,
            timeout_as: TimeoutAs::Pass,
            quiet: self.quiet,
            parsing: self.parsing(&budget),
            budget,
            way_out: match self.input {
                Some(_) => "leave out --input to take the bug's own failing input",
                None => "`grambench check` tells whether the subject is fit for use",
            },
        })
    }

    fn subject_grammar<'m>(&self, manifest: &'m Manifest) -> Result<&'m GrammarFile, Diagnostic> {
        let Some(name) = &self.subject_grammar else { return Ok(manifest.default_grammar()) };
        manifest.grammar(name).ok_or_else(|| {
            let names: Vec<&str> = manifest.grammars.iter().map(|grammar| grammar.name.as_str()).collect();
            Diagnostic::error(format!("`{}` has no grammar called `{name}`", manifest.name))
                .suggest(name, names.iter().copied())
                .help(format!("there are: {}", names.join(", ")))
        })
    }

    fn grammar(&self) -> Result<Option<Arc<Grammar>>, Failure> {
        let Some(file) = &self.grammar else { return Ok(None) };
        Ok(Some(Arc::new(read_grammar(file, self.grammar_format, self.start.as_deref())?)))
    }
}

fn read_grammar(file: &str, format: Option<Format>, start: Option<&str>) -> Result<Grammar, Failure> {
    let read = text::read_grammar(file, format, start)?;
    text::mention_warnings(file, &read.warnings);
    Ok(read.grammar)
}

impl Target {
    /// What shows the progress of work on the input.
    pub fn progress(&self, phase: &'static str) -> SearchProgress {
        SearchProgress::new(self.quiet, self.input.len(), phase)
    }

    /// A session with another oracle that asks this one, within the user's limits.
    pub fn judge_by<'o>(&self, oracle: &'o dyn Oracle) -> Judge<'o> {
        Judge::new(oracle).with_timeout_as(self.timeout_as).with_budget(self.budget.clone())
    }

    /// What judges inputs.
    pub fn oracle(&self) -> &dyn Oracle {
        &*self.oracle
    }

    /// The words of the program.
    pub fn dictionary(&self) -> &ProgramDictionary {
        &self.dictionary
    }

    /// What judges inputs, and up to `jobs` at once of those that are likely to be asked about; nothing where that is 1.
    pub fn speculation(&self, jobs: usize) -> Option<Speculation> {
        (jobs > 1).then(|| Speculation::new(Arc::clone(&self.oracle), self.timeout_as, jobs))
    }

    /// How a timeout counts.
    pub fn timeout_as(&self) -> TimeoutAs {
        self.timeout_as
    }

    /// How often the input fails, judged by `oracle`, which asks this target's.
    pub fn rate(&self, oracle: &dyn Oracle) -> Result<Rate, Failure> {
        match Rate::measured(oracle, self.timeout_as, &self.input) {
            Ok(rate) => Ok(rate),
            // The work that follows ends at once.
            Err(OracleError::Interrupted) => Ok(Rate::default()),
            Err(error) => Err(Failure::usage(error)),
        }
    }

    /// Refuses a condition that holds of anything: of the empty input, and of two that nobody would give to the program. Unless
    /// `any_failure` counts, they must fail as the input does.
    pub fn refuse_if_all_fails(&self, any_failure: bool) -> Result<(), Failure> {
        let given = self.oracle.judge(&self.input).ok();
        for input in [&b""[..], b"\x01\x02 no input of anything \xff", b"0"] {
            let is_same = |judgement: &Judgement| {
                let given = given.as_ref().map(oracle::Failure::seen);
                any_failure || given.is_none_or(|given| given == oracle::Failure::seen(judgement))
            };
            match self.oracle.judge(input) {
                Ok(found) if self.timeout_as.count(found.verdict) == Verdict::Fail && is_same(&found) => {}
                _ => return Ok(()),
            }
        }
        let error = Diagnostic::error("every input fails, the empty one too: there is nothing to reduce");
        let help =
            "--fail-on must tell a failing run from others; does the program run at all in an empty folder?";
        Err(error.help(help).into())
    }

    /// Confirms that a result fails, since a worker may have judged it.
    pub fn make_sure(&self, judge: &mut Judge<'_>, result: &[u8]) -> Result<(), Failure> {
        match judge.judge_confirmed(result) {
            Ok(Verdict::Fail) | Err(Halt::Stop(_)) => Ok(()),
            Ok(verdict) => Err(Diagnostic::error(format!(
                "the reduced input fails in a worker, but the verdict of a fresh process is {verdict}"
            ))
            .help("with --no-workers all inputs are judged by fresh processes")
            .into()),
            Err(Halt::Broken(error)) => Err(Failure::usage(error)),
            Err(Halt::Exceeded(exceeded)) => Err(exceeded.into()),
        }
    }

    /// What to tell when `judge` found that the input does not fail to begin with.
    pub fn does_not_fail(&self, judge: &Judge<'_>) -> Failure {
        let seen = match judge.log().first() {
            Some((_, judgement)) => {
                format!(": its verdict is `{}` ({})", judgement.verdict, judgement.evidence)
            }
            None => String::new(),
        };
        Diagnostic::error(format!("`{}` does not fail{seen}", self.name)).help(self.way_out).into()
    }

    /// The limits of parsing, and of all else that is made of the grammar.
    pub fn parsing(&self) -> &limits::Limits {
        &self.parsing
    }

    /// The parser of the target's grammar; its limits hold for each input anew.
    pub fn parser(&self, grammar: &Arc<Grammar>) -> Result<Parser, Failure> {
        Ok(Parser::within(Arc::clone(grammar), &self.parsing)?)
    }

    /// The first derivation tree of an input, which is the target's or comes from it.
    pub fn parse(&self, parser: &Parser, input: &[u8]) -> Result<Tree, Failure> {
        match parser.parse(input) {
            Ok(forest) => Ok(forest.first_tree()),
            Err(error) => Err(Failure::unparsed(&error, &self.name, input)),
        }
    }
}

/// Reports on standard error what went wrong with a worker.
fn report_trouble(execution: &Execution) {
    let Examination { trouble, judgement, .. } = &execution.examination;
    if let Some(trouble) = trouble {
        let about = match trouble {
            Trouble::NotStarted(_) => String::new(),
            _ => format!("{:?}: ", String::from_utf8_lossy(&execution.input)),
        };
        eprintln!("error: {about}{}", trouble.text(judgement.verdict));
    }
}

/// Reports the progress of a build on standard error.
struct Notes;

impl Progress for Notes {
    fn begin(&mut self, what: &str) {
        eprintln!("{what}");
    }
}
