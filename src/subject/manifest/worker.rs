//! The section `[worker]`, and the words that single bugs need: how one process judges many inputs.

use std::time::Duration;

use toml::Spanned;

use super::check::Checker;
use super::limits::Written;
use super::wire;
use super::{CommandRun, Delivery, Run, WorkerRun};
use crate::subject::quantity;
use crate::subject::template::{Placeholder, Template};

/// How many inputs a worker judges, unless the manifest says otherwise.
const RESTART_AFTER: u32 = 1000;
/// How long its start may take, unless the manifest says otherwise.
const START_TIMEOUT: Duration = Duration::from_secs(30);

impl Checker<'_> {
    /// The worker of a program that is otherwise run as `run` says.
    pub(super) fn worker(
        &mut self,
        wire: Spanned<wire::Worker>,
        run: Option<&Run>,
        is_prepared: bool,
    ) -> Option<WorkerRun> {
        let span = wire.span();
        let wire = wire.into_inner();
        let cold = match run? {
            Run::Command(run) => run,
            Run::Builtin => {
                let complaint = self.error(span, "a builtin subject has no worker");
                self.complain(complaint);
                return None;
            }
        };
        if cold.delivery == Delivery::Stdin {
            let complaint = self.error(span.clone(), "a worker cannot get its input on standard input");
            self.complain(complaint.help("there it gets messages; choose `input = \"file\"`"));
        }
        if cold.limits.cpu.is_some() {
            let message = "a worker cannot keep to `cpu`: it is one process for many inputs";
            let complaint = self.error(span, message);
            self.complain(complaint.help("leave `cpu` out of `[run]`; `timeout` holds for each input"));
        }
        let restart_after = match &wire.restart_after {
            Some(count) if *count.get_ref() == 0 => {
                let complaint = self.error(count.span(), "a worker judges at least one input");
                self.complain(complaint);
                RESTART_AFTER
            }
            count => count.as_ref().map_or(RESTART_AFTER, |count| *count.get_ref()),
        };
        let start_timeout = wire.start_timeout.as_ref();
        let start_timeout = start_timeout.and_then(|text| self.quantity(text, quantity::duration));
        let limits = self.limits(&Written::from(&wire), cold.limits.clone());
        let argv = self.start(wire.argv, is_prepared);
        let arguments = self.arguments(wire.arguments, cold, is_prepared);
        Some(WorkerRun {
            argv: argv?,
            arguments: arguments?,
            restart_after,
            start_timeout: start_timeout.unwrap_or(START_TIMEOUT),
            limits,
        })
    }

    /// The command line that starts a worker. No input is known then.
    fn start(&mut self, argv: Spanned<Vec<Spanned<String>>>, is_prepared: bool) -> Option<Template> {
        let span = argv.span();
        let argv = self.template(argv, is_prepared)?;
        let fixed = [Placeholder::Build, Placeholder::Subject, Placeholder::Bug];
        if let Some(stray) = argv.placeholders().find(|place| !fixed.contains(place)) {
            let message = format!("`{{{}}}` stands for nothing when a worker is started", stray.name());
            let complaint = self.error(span, message);
            self.complain(complaint.help("what differs from input to input is sent: see `arguments`"));
            return None;
        }
        Some(argv)
    }

    /// The words that are sent with each input.
    fn arguments(
        &mut self,
        arguments: Spanned<Vec<Spanned<String>>>,
        cold: &CommandRun,
        is_prepared: bool,
    ) -> Option<Template> {
        let span = arguments.span();
        let arguments = self.words(arguments, is_prepared, Template::parse_arguments)?;
        if cold.delivery != Delivery::Stdin {
            self.delivery(span.clone(), cold.delivery, ("arguments", &arguments));
        }
        if cold.argv.uses(Placeholder::BugArguments) != arguments.uses(Placeholder::BugArguments) {
            let message = "`{bug_arguments}` must be in `argv` of `[run]` and in `arguments`, or in neither";
            let complaint = self.error(span, message);
            self.complain(complaint);
        }
        Some(arguments)
    }

    /// The words that a bug's program needs besides.
    pub(super) fn bug_arguments(
        &mut self,
        words: Option<Spanned<Vec<String>>>,
        run: Option<&Run>,
    ) -> Vec<String> {
        let Some(words) = words else { return Vec::new() };
        let is_used = match run {
            Some(Run::Command(run)) => run.argv.uses(Placeholder::BugArguments),
            Some(Run::Builtin) => false,
            None => true,
        };
        if !is_used {
            let complaint = self.error(words.span(), "nobody is given these words");
            self.complain(complaint.help("put `{bug_arguments}` into `argv` of `[run]` where they belong"));
        }
        words.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Manifest;
    use super::*;
    use crate::base::diagnostic::{Diagnostics, Source};

    const GOOD: &str = r#"
name = "js"
title = "A compiler"
version = "1"
grammar = "js.ebnf"

[prepare]
script = "prepare.sh"

[run]
argv = ["{build}/js", "{bug_arguments}", "{file}"]
timeout = "2s"
memory = "unlimited"

[worker]
argv = ["{build}/driver", "{bug}", "{subject}"]
arguments = ["{bug_arguments}", "{file}"]
restart_after = 7
processes = 3

[[bug]]
name = "js-1"
title = "a bug"
arguments = ["-O", "{file}"]
input = "x"
passing = "y"
verdict = [{ exit = 1, is = "fail" }]
"#;

    fn read(text: &str) -> Result<Manifest, Diagnostics> {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("js");
        std::fs::create_dir(&folder).unwrap();
        for name in ["js.ebnf", "prepare.sh"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        Manifest::read(&Source::new("subject.toml", text), &folder)
    }

    #[test]
    fn a_worker_has_the_limits_of_the_program_and_its_own() {
        let manifest = read(GOOD).unwrap();
        let worker = manifest.worker.as_ref().unwrap();
        assert_eq!((worker.restart_after, worker.start_timeout), (7, START_TIMEOUT));
        let limits = &worker.limits;
        assert_eq!(
            (limits.timeout, limits.memory, limits.processes),
            (Duration::from_secs(2), None, Some(3))
        );
        assert_eq!(manifest.bugs[0].arguments, ["-O", "{file}"]);
        let digest = |text: &str| {
            let manifest = read(text).unwrap();
            manifest.digest(&manifest.bugs[0], None)
        };
        assert_ne!(digest(GOOD), digest(&GOOD.replace("after = 7", "after = 8")));
        assert_ne!(digest(GOOD), digest(&GOOD.replace("\"-O\"", "\"-P\"")));
    }

    #[test]
    fn every_complaint_points_at_its_place() {
        let changes = [
            ("restart_after = 7", "restart_after = 0"),
            ("restart_after = 7", "restart_afer = 7"),
            ("processes = 3", "processes = 0"),
            ("processes = 3", "start_timeout = \"soon\""),
            ("\"{bug}\"", "\"{file}\""),
            ("\"{bug}\"", "\"{bug_arguments}\""),
            ("arguments = [\"{bug_arguments}\", \"{file}\"]\n", ""),
            ("arguments = [\"{bug_arguments}\", \"{file}\"]", "arguments = [\"{bug_arguments}\"]"),
            ("arguments = [\"{bug_arguments}\", \"{file}\"]", "arguments = [\"{file}\"]"),
            (
                "arguments = [\"{bug_arguments}\", \"{file}\"]",
                "arguments = [\"{bug_arguments}\", \"{input}\"]",
            ),
            (
                "arguments = [\"{bug_arguments}\", \"{file}\"]",
                "arguments = [\"-{bug_arguments}\", \"{file}\"]",
            ),
            ("\"{bug_arguments}\", \"{file}\"]\ntimeout", "\"{bug_arguments}\"]\ninput = \"stdin\"\ntimeout"),
            ("timeout = \"2s\"", "cpu = \"2s\""),
            ("js\", \"{bug_arguments}\", ", "js\", "),
            (
                "argv = [\"{build}/js\", \"{bug_arguments}\", \"{file}\"]\ntimeout = \"2s\"\nmemory = \"unlimited\"",
                "kind = \"builtin\"",
            ),
        ];
        let mut all = Vec::new();
        for (from, to) in changes {
            assert!(GOOD.contains(from), "{from}");
            let error = read(&GOOD.replace(from, to)).map(|_| panic!("{to}")).unwrap_err();
            all.push(error.to_string());
        }
        insta::assert_snapshot!(all.join("\n\n"));
    }
}
