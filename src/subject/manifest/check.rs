//! From a manifest as it is written to one that can be relied on.
//!
//! All complaints are collected, so that one round of corrections is enough.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::limits::Written;
use super::wire::{self, Input, Kind, Texts};
use super::{
    Bug, Check, CommandRun, CorpusFolder, DEFAULT_GRAMMAR, Delivery, GrammarFile, Manifest, Preparation,
    RuleSet, Run, VersionCheck,
};
use crate::base::diagnostic::{Diagnostic, Diagnostics, Source, nearest_file};
use crate::subject::execution::RunLimits;
use crate::subject::quantity::TextSize;
use crate::subject::rules::{Condition, ExitTest, Rules, VerdictRule};
use crate::subject::signal;
use crate::subject::template::{self, Placeholder, Template, TemplateError};

/// The number of folders in which a README is looked for: that of the subject, that of all subjects, and the one around it.
const FOLDERS_WITH_README: usize = 3;

/// Checks `wire`, whose text is `source` and whose files are in `folder`.
pub fn check(source: &Arc<Source>, folder: &Path, wire: wire::Manifest) -> Result<Manifest, Diagnostics> {
    Checker { source, folder, complaints: Vec::new() }.manifest(wire)
}

pub(super) struct Checker<'a> {
    pub(super) source: &'a Arc<Source>,
    folder: &'a Path,
    complaints: Vec<Diagnostic>,
}

impl Checker<'_> {
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(self.source, span, "")
    }

    pub(super) fn complain(&mut self, complaint: Diagnostic) {
        self.complaints.push(complaint);
    }

    fn manifest(mut self, wire: wire::Manifest) -> Result<Manifest, Diagnostics> {
        self.name(&wire.name, "subject");
        let folder = self.folder.file_name().unwrap_or_default();
        if folder != wire.name.get_ref().as_str() {
            let message = format!("the subject in the folder `{}` is called otherwise", folder.display());
            let complaint = self.error(wire.name.span(), message);
            self.complain(complaint.help("a subject has the name of its folder"));
        }
        let grammars = self.grammars(wire.grammar, wire.start, wire.grammars);
        let is_prepared = wire.prepare.is_some();
        let corpus = wire.corpus.iter().map(|folder| self.corpus(folder, is_prepared)).collect();
        let preparation = wire.prepare.map(|prepare| self.preparation(prepare));
        let run_span = wire.run.span();
        let run = self.run(run_span.clone(), wire.run.into_inner(), is_prepared);
        let worker = wire.worker.and_then(|worker| self.worker(worker, run.as_ref(), is_prepared));
        let version_check = wire.version_check.map(|check| self.version_check(check, is_prepared));
        if wire.bug.is_empty() {
            let complaint = self.error(0..0, "the subject has no bug");
            self.complain(complaint.help("describe one under `[[bug]]`"));
        }
        let mut names = HashMap::new();
        let mut bugs = Vec::new();
        for bug in wire.bug {
            let (span, bug) = (bug.span(), bug.into_inner());
            let name = bug.name.get_ref().clone();
            if let Some(first) = names.insert(name.clone(), bug.name.span()) {
                let complaint = self
                    .error(bug.name.span(), format!("there are two bugs called `{name}`"))
                    .at(self.source, first, "the first");
                self.complain(complaint);
            }
            let inflate = bug.inflate.clone();
            let bug = self.bug(span, bug, run.as_ref());
            let inflated = inflate.and_then(|size| self.inflated(bug.as_ref()?, &size));
            bugs.push(bug);
            bugs.extend(inflated.map(Some));
        }
        match (run, bugs.into_iter().collect(), self.complaints.is_empty()) {
            (Some(run), Some(bugs), true) => Ok(Manifest {
                name: wire.name.into_inner(),
                title: wire.title,
                version: wire.version,
                origin: wire.origin,
                reintroduced: wire.reintroduced,
                folder: self.folder.to_path_buf(),
                grammars,
                corpus,
                preparation,
                run,
                worker,
                version_check: version_check.flatten(),
                bugs,
            }),
            _ => Err(Diagnostics(self.complaints)),
        }
    }

    /// One grammar, or several with names.
    fn grammars(
        &mut self,
        one: Option<Spanned<String>>,
        start: Option<Spanned<String>>,
        several: Option<Spanned<Vec<wire::GrammarFile>>>,
    ) -> Vec<GrammarFile> {
        let several = match (one, several) {
            (Some(file), None) => {
                let start = start.map(Spanned::into_inner);
                return vec![GrammarFile { name: DEFAULT_GRAMMAR.to_owned(), file: self.file(&file), start }];
            }
            (None, Some(several)) => several,
            (None, None) => {
                let complaint = self.error(0..0, "missing key `grammar`");
                self.complain(complaint.help("the file with the grammar of the subject's inputs"));
                return Vec::new();
            }
            (Some(_), Some(several)) => {
                let complaint = self.error(several.span(), "`grammar` and `grammars` cannot both be given");
                self.complain(complaint.help("the first of `grammars` is the default"));
                several
            }
        };
        if let Some(start) = start {
            let complaint = self.error(start.span(), "`start` and `grammars` cannot both be given");
            self.complaints.push(complaint.help("each of `grammars` may have a `start` of its own"));
        }
        if several.get_ref().is_empty() {
            let complaint = self.error(several.span(), "the subject has no grammar");
            self.complain(complaint);
        }
        let mut names = HashMap::new();
        let mut grammars = Vec::new();
        for (place, grammar) in several.into_inner().into_iter().enumerate() {
            self.name(&grammar.name, "grammar");
            let (span, name) = (grammar.name.span(), grammar.name.into_inner());
            if let Some(first) = names.insert(name.clone(), span.clone()) {
                let complaint = self
                    .error(span.clone(), format!("there are two grammars called `{name}`"))
                    .at(self.source, first, "the first");
                self.complain(complaint);
            }
            if name == DEFAULT_GRAMMAR && place > 0 {
                let complaint =
                    self.error(span, format!("the first grammar is `{DEFAULT_GRAMMAR}`, not this one"));
                self.complain(complaint);
            }
            grammars.push(GrammarFile { name, file: self.file(&grammar.file), start: grammar.start });
        }
        grammars
    }

    /// Names become parts of paths and of CSV files.
    fn name(&mut self, name: &Spanned<String>, of: &str) {
        let text = name.get_ref();
        let is_good = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if text.is_empty() || text.starts_with(['.', '-']) || !text.bytes().all(is_good) {
            let message = format!("`{text}` is no name for a {of}");
            let complaint = self.error(name.span(), message);
            self.complain(complaint.help("a name consists of letters, digits, `-`, `_` and `.`"));
        }
    }

    /// A path of a file or folder that must be there. It may begin with `..`, since subjects share grammars
    /// and scripts, but not at the root: then it would hold on one machine only.
    fn file(&mut self, name: &Spanned<String>) -> PathBuf {
        let path = self.folder.join(name.get_ref());
        let below: Vec<_> = Path::new(name.get_ref())
            .components()
            .skip_while(|part| matches!(part, std::path::Component::ParentDir))
            .collect();
        let is_relative = below.iter().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_relative || below.is_empty() {
            let message = format!("`{}` is no path that begins at the subject's folder", name.get_ref());
            let complaint = self.error(name.span(), message);
            self.complain(complaint.help("such as `grammar.ebnf` or `../shared/grammar.ebnf`"));
        } else if !path.exists() {
            let mut complaint = self.error(name.span(), format!("there is no file `{}`", name.get_ref()));
            let near = nearest_file(&path).and_then(|near| near.file_name()?.to_str().map(str::to_owned));
            if let Some(near) = near {
                let near = Path::new(name.get_ref()).with_file_name(near);
                complaint = complaint.help(format!("did you mean `{}`?", near.display()));
            } else if let Some(readme) = self.readme() {
                complaint = complaint
                    .help(format!("`{readme}` may say how to get it"))
                    .of_kind("files that are not there");
            }
            self.complain(complaint);
        }
        path
    }

    /// What is to be read about a subject, or about those beside it, as seen from its folder: files that are not kept with a manifest are got in some way.
    fn readme(&self) -> Option<String> {
        let folders = self.folder.ancestors().take(FOLDERS_WITH_README).enumerate();
        let mut readmes = folders.filter(|(_, folder)| folder.join("README.md").is_file());
        readmes.next().map(|(up, _)| format!("{}README.md", "../".repeat(up)))
    }

    /// A folder with inputs that people wrote.
    fn corpus(&mut self, name: &Spanned<String>, is_prepared: bool) -> CorpusFolder {
        let Some(of_build) = name.get_ref().strip_prefix("{build}/") else {
            self.file(name);
            return CorpusFolder::OfSubject(name.get_ref().clone());
        };
        let mut parts = Path::new(of_build).components();
        if !parts.all(|part| matches!(part, std::path::Component::Normal(_))) {
            let complaint = self.error(name.span(), format!("`{}` leads out of the build", name.get_ref()));
            self.complain(complaint);
        } else if !is_prepared {
            let complaint = self.error(name.span(), "`{build}` stands for nothing: there is no `[prepare]`");
            self.complain(complaint);
        }
        CorpusFolder::OfBuild(of_build.to_owned())
    }

    /// A text that is given in the manifest or in a file of its own.
    fn text(
        &mut self,
        place: Range<usize>,
        key: &str,
        inline: Option<Spanned<String>>,
        file: Option<Spanned<String>>,
    ) -> Vec<u8> {
        match (inline, file) {
            (Some(text), None) => text.into_inner().into_bytes(),
            (None, Some(name)) => {
                let before = self.complaints.len();
                let path = self.file(&name);
                match std::fs::read(&path) {
                    Ok(bytes) => bytes,
                    Err(error) => {
                        if self.complaints.len() == before {
                            let message = format!("cannot read `{}`: {error}", name.get_ref());
                            let complaint = self.error(name.span(), message);
                            self.complain(complaint);
                        }
                        Vec::new()
                    }
                }
            }
            (None, None) => {
                let complaint = self.error(place, format!("missing key `{key}`"));
                self.complain(complaint.help(format!("or `{key}_file`, the name of a file")));
                Vec::new()
            }
            (Some(_), Some(second)) => {
                let message = format!("`{key}` and `{key}_file` cannot both be given");
                let complaint = self.error(second.span(), message);
                self.complain(complaint);
                Vec::new()
            }
        }
    }

    fn preparation(&mut self, wire: wire::Prepare) -> Preparation {
        let script = self.file(&wire.script);
        let mut inputs = vec![wire.script.into_inner()];
        for input in wire.inputs {
            self.file(&input);
            inputs.push(input.into_inner());
        }
        inputs.sort();
        inputs.dedup();
        Preparation { script, inputs, needs: wire.needs, install: wire.install }
    }

    fn run(&mut self, span: Range<usize>, wire: wire::Run, is_prepared: bool) -> Option<Run> {
        let written = Written::from(&wire);
        let has_limits = written.first();
        let limits = self.limits(&written, RunLimits::default());
        let wire::Run { kind, argv, input, extension, .. } = wire;
        if kind == Kind::Builtin {
            let stray = argv.as_ref().map(Spanned::span).or(input.as_ref().map(Spanned::span));
            if let Some(stray) = stray.or(extension.as_ref().map(Spanned::span)).or(has_limits) {
                let complaint = self.error(stray, "a builtin subject is not run as a process");
                self.complain(complaint);
            }
            return Some(Run::Builtin);
        }
        let Some(argv) = argv else {
            let complaint = self.error(span, "missing key `argv`");
            self.complain(
                complaint.help("a command line, such as `argv = [\"{build}/program\", \"{file}\"]`"),
            );
            return None;
        };
        let delivery = match input.as_ref().map(|input| *input.get_ref()) {
            None | Some(Input::File) => Delivery::File,
            Some(Input::Stdin) => Delivery::Stdin,
            Some(Input::Argument) => Delivery::Argument,
            Some(Input::CommandLine) => Delivery::CommandLine,
        };
        let place = input.map_or(argv.span(), |input| input.span());
        let argv = self.template(argv, is_prepared)?;
        self.delivery(place, delivery, ("argv", &argv));
        let extension = extension.map(|extension| {
            let text = extension.get_ref();
            if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                let complaint =
                    self.error(extension.span(), format!("`{text}` is no extension of a file name"));
                self.complain(complaint.help("give it without a dot, such as `js`"));
            }
            extension.into_inner()
        });
        Some(Run::Command(Box::new(CommandRun { argv, delivery, extension, limits })))
    }

    /// Whether the words under a key have a place for the input where they should, and none where they
    /// should not.
    pub(super) fn delivery(
        &mut self,
        place: Range<usize>,
        delivery: Delivery,
        (of, argv): (&str, &Template),
    ) {
        let (key, wanted): (_, &[Placeholder]) = match delivery {
            Delivery::File => ("file", &[Placeholder::File]),
            Delivery::Stdin => ("stdin", &[]),
            Delivery::Argument => ("argument", &[Placeholder::Input]),
            Delivery::CommandLine => ("command-line", &[Placeholder::Words, Placeholder::Arguments]),
        };
        if !wanted.is_empty() && !wanted.iter().any(|&wanted| argv.uses(wanted)) {
            let names: Vec<_> = wanted.iter().map(|wanted| format!("`{{{}}}`", wanted.name())).collect();
            let message = format!("with `input = \"{key}\"`, `{of}` must have {}", names.join(" or "));
            let complaint = self.error(place.clone(), message);
            self.complain(complaint);
        }
        let of_input = [Placeholder::File, Placeholder::Input, Placeholder::Words, Placeholder::Arguments];
        if let Some(stray) = of_input.iter().find(|stray| !wanted.contains(stray) && argv.uses(**stray)) {
            let message = format!("`{{{}}}` in `{of}` does not go with `input = \"{key}\"`", stray.name());
            let complaint = self.error(place, message);
            self.complain(complaint);
        }
    }

    pub(super) fn template(
        &mut self,
        argv: Spanned<Vec<Spanned<String>>>,
        is_prepared: bool,
    ) -> Option<Template> {
        self.words(argv, is_prepared, Template::parse)
    }

    /// Words with placeholders, which `parse` reads.
    pub(super) fn words(
        &mut self,
        argv: Spanned<Vec<Spanned<String>>>,
        is_prepared: bool,
        parse: impl Fn(&[String]) -> Result<Template, TemplateError>,
    ) -> Option<Template> {
        let span = argv.span();
        let (spans, words): (Vec<_>, Vec<_>) =
            argv.into_inner().into_iter().map(|word| (word.span(), word.into_inner())).unzip();
        match parse(&words) {
            Ok(template) if !is_prepared && template.uses(Placeholder::Build) => {
                let complaint = self.error(span, "`{build}` stands for nothing: there is no `[prepare]`");
                self.complain(complaint);
                None
            }
            Ok(template) => Some(template),
            Err(error) => {
                let mut complaint = self.error(spans.get(error.word).cloned().unwrap_or(span), error.message);
                if let Some(name) = error.unknown {
                    complaint = complaint.suggest(&name, template::NAMES).help(format!(
                        "placeholders are {}; a brace is written `{{{{`",
                        template::NAMES.join(", ")
                    ));
                }
                self.complain(complaint);
                None
            }
        }
    }

    fn version_check(&mut self, wire: wire::VersionCheck, is_prepared: bool) -> Option<VersionCheck> {
        let span = wire.argv.span();
        let argv = self.template(wire.argv, is_prepared)?;
        let fixed = [Placeholder::Build, Placeholder::Subject];
        if let Some(stray) = argv.placeholders().find(|place| !fixed.contains(place)) {
            let message = format!("`{{{}}}` stands for nothing when the version is asked", stray.name());
            let complaint = self.error(span, message);
            self.complain(complaint);
            return None;
        }
        Some(VersionCheck { argv, output: wire.output })
    }

    fn bug(&mut self, span: Range<usize>, wire: wire::Bug, run: Option<&Run>) -> Option<Bug> {
        self.name(&wire.name, "bug");
        let place = wire.name.span();
        let input = self.text(place.clone(), "input", wire.input, wire.input_file);
        let passing = self.text(place.clone(), "passing", wire.passing, wire.passing_file);
        let can_fail = wire.verdict.iter().any(|rule| rule.get_ref().is == wire::Is::Fail);
        let has_paper = !wire.paper_verdict.is_empty();
        let can_paper_fail = wire.paper_verdict.iter().any(|rule| rule.get_ref().is == wire::Is::Fail);
        let rules: Vec<VerdictRule> = wire.verdict.into_iter().filter_map(|rule| self.rule(rule)).collect();
        let paper_rules: Vec<VerdictRule> =
            wire.paper_verdict.into_iter().filter_map(|rule| self.rule(rule)).collect();
        let is_builtin = matches!(run, Some(Run::Builtin));
        if is_builtin && !(rules.is_empty() && !has_paper && wire.check.is_empty()) {
            let complaint = self.error(span, "a builtin bug has no verdict rules and no checks");
            self.complain(complaint);
        } else if !is_builtin && !can_fail {
            let complaint = self.error(place, "no rule of this bug says `is = \"fail\"`");
            self.complain(complaint.help("say under `[[bug.verdict]]` what its failure looks like"));
        } else if has_paper && !can_paper_fail {
            let complaint = self.error(place, "no rule under `paper_verdict` says `is = \"fail\"`");
            self.complain(complaint.help("say what the papers took for this failure, or leave it out"));
        }
        let arguments = self.bug_arguments(wire.arguments, run);
        let checks = wire.check.into_iter().map(|check| self.check(check)).collect();
        Some(Bug {
            name: wire.name.into_inner(),
            title: wire.title,
            input,
            passing,
            pattern: wire.pattern,
            expression: wire.expression,
            arguments,
            rules: Rules(rules),
            paper_rules: has_paper.then_some(Rules(paper_rules)),
            rule_set: RuleSet::Own,
            checks,
            inflation: None,
        })
    }

    /// The bug that has a large failing input beside the given one.
    fn inflated(&mut self, bug: &Bug, size: &Spanned<String>) -> Option<Bug> {
        match size.get_ref().parse::<TextSize>() {
            Ok(size) => Some(bug.inflated(&size)),
            Err(expected) => {
                let complaint =
                    self.error(size.span(), format!("`{}` is no size of an input", size.get_ref()));
                self.complain(complaint.help(expected));
                None
            }
        }
    }

    fn rule(&mut self, wire: Spanned<wire::Rule>) -> Option<VerdictRule> {
        let span = wire.span();
        let wire::Rule { exit, signal, stdout, stderr, stdout_empty, is } = wire.into_inner();
        let condition = self.condition(span, "verdict rule", exit, signal, [stdout, stderr], stdout_empty)?;
        Some(VerdictRule { condition, verdict: is.into() })
    }

    fn check(&mut self, wire: Spanned<wire::Check>) -> Check {
        let span = wire.span();
        let wire::Check { input, input_file, exit, signal, stdout, stderr, stdout_empty } = wire.into_inner();
        let input = self.text(span.clone(), "input", input, input_file);
        let expected = self.condition(span, "check", exit, signal, [stdout, stderr], stdout_empty);
        Check { input, expected: expected.unwrap_or_default() }
    }

    fn condition(
        &mut self,
        span: Range<usize>,
        of: &str,
        exit: Option<i32>,
        signal: Option<Spanned<String>>,
        [stdout, stderr]: [Texts; 2],
        stdout_empty: Option<bool>,
    ) -> Option<Condition> {
        let signal = match signal {
            Some(name) => match signal::number(name.get_ref()) {
                Some(number) => Some(number),
                None => {
                    let complaint = self
                        .error(name.span(), format!("there is no signal `{}`", name.get_ref()))
                        .suggest(name.get_ref(), signal::names());
                    self.complain(complaint);
                    return None;
                }
            },
            None => None,
        };
        let exit = exit.map(ExitTest::Is);
        let condition = Condition { exit, signal, stdout: stdout.0, stderr: stderr.0, stdout_empty };
        if condition.is_empty() {
            let complaint = self.error(span, format!("a {of} without a condition"));
            self.complain(complaint.help("conditions are exit, signal, stdout, stderr, stdout_empty"));
            return None;
        }
        Some(condition)
    }
}
