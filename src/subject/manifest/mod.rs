//! What `subject.toml` says of a program under test: how to get it, how to run it, and its bugs.
//!
//! A manifest is checked as a whole before anything is done with it (`check`), and every complaint
//! points at its place. The format is described in `docs/subject.md`.

mod check;
mod limits;
mod wire;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::execution::RunLimits;
use super::quantity::TextSize;
use super::rules::{Condition, Rules};
use super::template::Template;
use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::base::digest::digest;

/// The file that makes a folder a subject.
pub const FILE: &str = "subject.toml";

/// A program under test.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Where it comes from.
    pub origin: Option<String>,
    /// Whether its bugs were put back into a release that does not have them.
    pub reintroduced: bool,
    /// Its folder, absolute.
    pub folder: PathBuf,
    /// Its grammars; the first is the default. At least one, and each has a name of its own.
    pub grammars: Vec<GrammarFile>,
    /// Where there are inputs of it that people wrote.
    pub corpus: Vec<CorpusFolder>,
    /// How to get it; nothing if there is nothing to get.
    pub preparation: Option<Preparation>,
    /// How to run it.
    pub run: Run,
    /// How to have it judge many inputs in one process; only of programs that are run as a process.
    pub worker: Option<WorkerRun>,
    /// How to see that it is what it should be.
    pub version_check: Option<VersionCheck>,
    /// Its bugs, in the order of the file; at least one.
    pub bugs: Vec<Bug>,
}

/// A folder with inputs that people wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusFolder {
    /// Named relative to the subject's folder.
    OfSubject(String),
    /// Named relative to the folder of the prepared program: what came with its sources.
    OfBuild(String),
}

/// A grammar of a subject's inputs. What a grammar says of an input decides what can be learned of it, so a subject may
/// have several to compare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GrammarFile {
    /// Its name.
    pub name: String,
    /// Its file, absolute.
    pub file: PathBuf,
    /// The nonterminal that takes the place of the start symbol that the file names.
    pub start: Option<String>,
}

/// What the default grammar of a subject can always be called, whatever its name is; the name of an only one.
pub const DEFAULT_GRAMMAR: &str = "default";

/// How to get a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preparation {
    /// The script, absolute.
    pub script: PathBuf,
    /// Files and folders that the result depends on, relative to the subject's folder. The script is one.
    pub inputs: Vec<String>,
    /// Programs that must be there.
    pub needs: Vec<String>,
    /// What to install where one of them is missing. No part of the key: it changes no build.
    pub install: Option<String>,
}

/// How to run a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Run {
    /// As a process.
    Command(Box<CommandRun>),
    /// As a function of this program, known by the bug's name.
    Builtin,
}

/// How to run a program as a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct CommandRun {
    /// Its command line.
    pub argv: Template,
    /// How it gets its input.
    pub delivery: Delivery,
    /// What the name of the file that holds the input ends in.
    pub extension: Option<String>,
    /// What it may use.
    pub limits: RunLimits,
}

/// How to run a program as a worker: a process that judges one input after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct WorkerRun {
    /// The command line that starts it.
    pub argv: Template,
    /// The words that are sent with each input.
    pub arguments: Template,
    /// The number of inputs after which it is ended; the next input gets a new one.
    pub restart_after: u32,
    /// How long its start may take, in wall-clock time.
    pub start_timeout: Duration,
    /// What it may use. The time is that of one input.
    pub limits: RunLimits,
}

/// How a program gets its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Delivery {
    /// In a file.
    File,
    /// On standard input.
    Stdin,
    /// As one argument, or a part of one.
    Argument,
    /// As several arguments.
    CommandLine,
}

/// A run whose output must contain a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct VersionCheck {
    /// Its command line.
    pub argv: Template,
    /// The text.
    pub output: String,
}

/// A bug of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bug {
    /// Its name, which no other bug of any subject has.
    pub name: String,
    /// What it is.
    pub title: String,
    /// The input that fails.
    pub input: Vec<u8>,
    /// An input that passes.
    pub passing: Vec<u8>,
    /// The expected abstraction of the failing input.
    pub pattern: Option<String>,
    /// An expression given by hand.
    pub expression: Option<String>,
    /// The words that its program needs besides those of the others.
    pub arguments: Vec<String>,
    /// How an outcome becomes a verdict. Builtin ones have none.
    pub rules: Rules,
    /// How the papers' own predicate decides, if it is known and another.
    pub paper_rules: Option<Rules>,
    /// Which rule set `rules` is.
    pub rule_set: RuleSet,
    /// What must hold of the prepared program.
    pub checks: Vec<Check>,
    /// How large its failing input is to be, if it is to be made larger than the one that is given.
    pub inflation: Option<Inflation>,
}

/// A bug that has a large failing input beside the one that is given. As another bug it has a name of its own, such as `json-check@20kB`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inflation {
    /// The name of the bug that it is, with the input that is given.
    pub of: String,
    /// The number of bytes that the input is to have, about.
    pub bytes: u64,
}

impl Bug {
    /// The name by which the program knows the bug: that of the bug with the input that is given.
    pub fn given_name(&self) -> &str {
        self.inflation.as_ref().map_or(&self.name, |inflation| &inflation.of)
    }

    /// The same bug with a failing input that is to be made as large as `size` says. Nothing is said of that input by hand.
    #[must_use]
    pub fn inflated(&self, size: &TextSize) -> Self {
        let of = self.given_name().to_owned();
        Self {
            name: size.name(&of),
            pattern: None,
            expression: None,
            inflation: Some(Inflation { of, bytes: size.bytes }),
            ..self.clone()
        }
    }
}

/// Which rule set decides what an outcome means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleSet {
    /// Ours, on the specific failure.
    #[default]
    Own,
    /// Those of the papers' artifact, which are laxer.
    Paper,
}

/// A fact that must hold of a prepared program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Check {
    /// The input.
    pub input: Vec<u8>,
    /// What must hold of its run.
    pub expected: Condition,
}

impl Manifest {
    /// Reads the manifest in `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load(folder: &Path) -> Result<Self, Diagnostics> {
        let path = folder.join(FILE);
        let unreadable = |error| Diagnostic::error(format!("cannot read `{}`: {error}", path.display()));
        let bytes = std::fs::read(&path).map_err(unreadable)?;
        let folder = folder.canonicalize().map_err(unreadable)?;
        Self::read(&Source::from_utf8(path.display().to_string(), &bytes)?, &folder)
    }

    /// Reads a manifest whose files are in `folder`, an absolute path.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(source: &Arc<Source>, folder: &Path) -> Result<Self, Diagnostics> {
        let wire = crate::base::toml::read(source)?;
        check::check(source, folder, wire)
    }

    /// Has the rules of `rule_set` decide, for the bugs that have such.
    pub fn use_rule_set(&mut self, rule_set: RuleSet) {
        for bug in self.bugs.iter_mut().filter(|_| rule_set == RuleSet::Paper) {
            if let Some(rules) = bug.paper_rules.take() {
                bug.rules = rules;
                bug.rule_set = rule_set;
            }
        }
    }

    /// The version, for reports on `bug`: they say so when the papers' rules decided.
    pub fn version_shown(&self, bug: &Bug) -> String {
        match bug.rule_set {
            RuleSet::Own => self.version.clone(),
            RuleSet::Paper => format!("{}; verdicts of the papers", self.version),
        }
    }

    /// The default grammar.
    ///
    /// # Panics
    /// Never: a manifest without a grammar is refused.
    pub fn default_grammar(&self) -> &GrammarFile {
        self.grammars.first().expect("a manifest has a grammar")
    }

    /// The grammar called `name`; [`DEFAULT_GRAMMAR`] is the first.
    pub fn grammar(&self, name: &str) -> Option<&GrammarFile> {
        match name {
            DEFAULT_GRAMMAR => self.grammars.first(),
            _ => self.grammars.iter().find(|grammar| grammar.name == name),
        }
    }

    /// The bug called `name`.
    pub fn bug(&self, name: &str) -> Option<&Bug> {
        self.bugs.iter().find(|bug| bug.name == name)
    }

    /// A digest of all that the verdicts on inputs of `bug` depend on; verdicts are kept under it. For a
    /// prepared program, `build` is the key of its build.
    pub fn digest(&self, bug: &Bug, build: Option<&str>) -> String {
        let program = env!("CARGO_PKG_VERSION");
        let run = (&self.run, &self.worker, &bug.arguments);
        digest(&(&self.name, &self.version, run, &bug.name, &bug.rules, build, program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::rules::ExitTest;
    use proptest::prelude::*;
    use std::time::Duration;

    const GOOD: &str = r#"
name = "find"
title = "GNU find 4.9.0"
version = "4.9.0"
grammar = "find.ebnf"
reintroduced = true
origin = "somewhere"

[prepare]
script = "prepare.sh"
inputs = ["patches"]
needs = ["cc"]

[run]
argv = ["{build}/{bug}/find", "{arguments}"]
input = "command-line"
timeout = "500ms"
memory = "unlimited"
processes = 8

[version_check]
argv = ["{build}/original/find", "--version"]
output = "4.9.0"

[[bug]]
name = "find-1"
title = "a bug"
input_file = "bug.txt"
passing = "find ."

[[bug.verdict]]
exit = 139
stderr = ["a", "b"]
is = "fail"

[[bug.check]]
input = "find . -links 2"
exit = 0
"#;

    fn subject() -> tempfile::TempDir {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("find");
        std::fs::create_dir_all(folder.join("patches")).unwrap();
        for (name, text) in [
            ("find.ebnf", ""),
            ("prepare.sh", ""),
            ("bug.txt", "find . -regex '.*'"),
            ("../README.md", "Get them."),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
        }
        parent
    }

    fn read(text: &str) -> Result<Manifest, Diagnostics> {
        let parent = subject();
        Manifest::read(&Source::new("subject.toml", text), &parent.path().join("find"))
    }

    #[test]
    fn a_manifest_is_read_whole() {
        let manifest = read(GOOD).unwrap();
        let Run::Command(run) = &manifest.run else { panic!("not a command") };
        assert_eq!(run.delivery, Delivery::CommandLine);
        assert_eq!(run.limits.timeout, Duration::from_millis(500));
        assert_eq!((run.limits.memory, run.limits.processes), (None, Some(8)));
        let preparation = manifest.preparation.as_ref().unwrap();
        assert_eq!(preparation.inputs, ["patches", "prepare.sh"]);
        let bug = manifest.bug("find-1").unwrap();
        assert_eq!(bug.input, b"find . -regex '.*'");
        assert_eq!(bug.rules.0[0].condition.stderr, ["a", "b"]);
        assert_eq!(bug.checks[0].expected.exit, Some(ExitTest::Is(0)));
    }

    #[test]
    fn a_bug_with_a_large_input_is_another_bug() {
        let of = |size: &str| {
            read(&GOOD.replace(
                "title = \"a bug\"",
                &format!("title = \"a bug\"\npattern = \"x\"\ninflate = \"{size}\""),
            ))
        };
        let manifest = of("20 kB").unwrap();
        let [given, large] = &manifest.bugs[..] else { panic!("{:?}", manifest.bugs) };
        assert_eq!(
            (given.name.as_str(), large.name.as_str(), large.given_name()),
            ("find-1", "find-1@20kB", "find-1")
        );
        assert_eq!(large.inflation.as_ref().map(|inflation| inflation.bytes), Some(20_000));
        assert_eq!((given.pattern.as_deref(), &large.pattern), (Some("x"), &None));
        assert_ne!(manifest.digest(given, None), manifest.digest(large, None));
        let error = of("20 KB").unwrap_err().to_string();
        assert!(error.contains("no size of an input") && error.contains("such as `20kB`"), "{error}");
    }

    #[test]
    fn a_file_that_is_not_there_is_one_near_it_or_to_be_got_as_a_readme_says() {
        let read = |grammar: &str, readme: &str| {
            let parent = subject();
            std::fs::write(parent.path().join(readme), "Get it.").unwrap();
            let text = GOOD.replace("find.ebnf", grammar);
            let folder = parent.path().join("find");
            Manifest::read(&Source::new("subject.toml", text), &folder).unwrap_err().to_string()
        };
        let error = read("fnid.ebnf", "README.md");
        assert!(error.contains("did you mean `find.ebnf`?") && !error.contains("README"), "{error}");
        for (readme, told) in [("README.md", "`../README.md`"), ("find/README.md", "`README.md`")] {
            let error = read("Other.g4", readme);
            assert!(error.contains(&format!("{told} may say how to get it")), "{error}");
        }
    }

    #[test]
    fn a_corpus_is_of_the_subject_or_comes_with_its_program() {
        let of =
            |folder: &str| read(&GOOD.replace("[prepare]", &format!("corpus = [{folder}]\n\n[prepare]")));
        let corpus = of("\"patches\", \"{build}/tests/all\"").unwrap().corpus;
        let expected = [CorpusFolder::OfSubject("patches".into()), CorpusFolder::OfBuild("tests/all".into())];
        assert_eq!(corpus, expected);
        assert_eq!(read(GOOD).unwrap().corpus, []);
        for (folder, complaint) in [
            ("\"none\"", "there is no file `none`"),
            ("\"/tmp\"", "`/tmp` is no path that begins at the subject's folder"),
            ("\"{build}/../x\"", "`{build}/../x` leads out of the build"),
        ] {
            let errors = of(folder).unwrap_err().to_string();
            assert!(errors.contains(complaint), "{errors}");
        }
    }

    #[test]
    fn the_papers_rules_decide_when_asked_for() {
        let paper = "[[bug.paper_verdict]]\nexit = 1\nis = \"fail\"\n\n[[bug.check]]";
        let mut manifest = read(&GOOD.replace("[[bug.check]]", paper)).unwrap();
        let digest = manifest.digest(&manifest.bugs[0], None);
        assert_eq!(digest, read(GOOD).unwrap().digest(&read(GOOD).unwrap().bugs[0], None));
        manifest.use_rule_set(RuleSet::Own);
        assert_eq!(digest, manifest.digest(&manifest.bugs[0], None));
        assert_eq!(manifest.version_shown(&manifest.bugs[0]), "4.9.0");
        manifest.use_rule_set(RuleSet::Paper);
        assert_ne!(digest, manifest.digest(&manifest.bugs[0], None));
        assert_eq!(manifest.bugs[0].rules.0[0].condition.exit, Some(ExitTest::Is(1)));
        assert_eq!(manifest.version_shown(&manifest.bugs[0]), "4.9.0; verdicts of the papers");
        // A bug without such rules keeps its own, and reports say so.
        let mut manifest = read(GOOD).unwrap();
        manifest.use_rule_set(RuleSet::Paper);
        assert_eq!(digest, manifest.digest(&manifest.bugs[0], None));
        assert_eq!(manifest.version_shown(&manifest.bugs[0]), "4.9.0");
    }

    #[test]
    fn a_digest_changes_with_what_verdicts_depend_on() {
        let digest = |text: &str, build| {
            let manifest = read(text).unwrap();
            manifest.digest(&manifest.bugs[0], build)
        };
        assert_eq!(digest(GOOD, None), digest(&GOOD.replace("a bug", "the bug"), None));
        assert_ne!(digest(GOOD, None), digest(GOOD, Some("key")));
        assert_ne!(digest(GOOD, None), digest(&GOOD.replace("139", "1"), None));
        assert_ne!(digest(GOOD, None), digest(&GOOD.replace("500ms", "600ms"), None));
    }

    #[test]
    fn every_complaint_points_at_its_place() {
        let changes = [
            ("name = \"find\"", "name = \"fnid\""),
            ("find.ebnf", "fnid.ebnf"),
            ("find.ebnf", "../find.ebnf"),
            ("find.ebnf", "/find.ebnf"),
            ("find.ebnf", "patches/../find.ebnf"),
            ("{bug}", "{bgu}"),
            ("\"{arguments}\"", "\"{file}\""),
            ("\"command-line\"", "\"comand-line\""),
            ("500ms", "500"),
            ("processes = 8", "processes = 0"),
            ("processes = 8", "procesess = 8"),
            ("unlimited", "2 GB"),
            ("[prepare]\nscript = \"prepare.sh\"\ninputs = [\"patches\"]\nneeds = [\"cc\"]", ""),
            ("{build}/original/find", "{bug}"),
            ("input_file = \"bug.txt\"", ""),
            ("input_file = \"bug.txt\"", "input_file = \"bag.txt\"\ninput = \"x\""),
            ("input_file = \"bug.txt\"", "input_file = \"patches\""),
            ("exit = 139\nstderr = [\"a\", \"b\"]", ""),
            ("exit = 139", "signal = \"SIGSEG\""),
            ("[\"a\", \"b\"]", "7"),
            ("is = \"fail\"", "is = \"pass\""),
            ("[[bug.check]]", "[[bug.paper_verdict]]\nexit = 1\nis = \"pass\"\n[[bug.check]]"),
            (
                "[[bug.check]]",
                "[[bug]]\nname = \"find-1\"\ntitle = \"\"\ninput = \"\"\npassing = \"\"\nverdict = [{ exit = 1, is = \"fail\" }]\n[[bug.check]]",
            ),
            ("argv = [\"{build}/{bug}/find\", \"{arguments}\"]", ""),
            ("[run]", "[run]\nkind = \"builtin\""),
        ];
        let mut all = Vec::new();
        for (from, to) in changes {
            assert!(GOOD.contains(from), "{from}");
            all.push(read(&GOOD.replace(from, to)).unwrap_err().to_string());
        }
        insta::assert_snapshot!(all.join("\n\n"));
    }

    #[test]
    fn a_folder_without_a_manifest_is_an_error() {
        let parent = tempfile::tempdir().unwrap();
        let error = Manifest::load(parent.path()).unwrap_err().to_string();
        assert!(error.contains("subject.toml`: No such file"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_text_makes_it_panic(start in 0..GOOD.len(), length in 0usize..40, text: String) {
            let end = (start + length).min(GOOD.len());
            let _ = read(&[&GOOD[..start], &text, &GOOD[end..]].concat()).map_err(|error| error.to_string());
        }
    }
}
