//! Building a subject, keeping the build, and looking whether it is fit for use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::programs::*;
use grambench::base::budget::Interrupt;
use grambench::subject::fitness::FitnessFinding;
use grambench::subject::manifest::Manifest;
use grambench::subject::pool::Pool;
use grambench::subject::prepare::{Build, PrepareError, Progress, Silent, is_there, prepare};
use grambench::subject::prepared::Prepared;
use grambench::subject::worker::Policy;

const MANIFEST: &str = r#"
name = "toy"
title = "A toy"
version = "1.2"
grammar = "toy.ebnf"
[prepare]
script = "prepare.sh"
inputs = ["patches"]
needs = ["sh"]
[run]
argv = ["{build}/{bug}", "{input}"]
input = "argument"
[version_check]
argv = ["{build}/toy-1", "--version"]
output = "toy 1.2"
[[bug]]
name = "toy-1"
title = "fails on 3"
input = "3"
passing = "0"
verdict = [{ exit = 3, is = "fail" }]
check = [{ input = "4", exit = 4 }, { input = "5", stdout = "five" }]
"#;

const SCRIPT: &str = "#!/bin/sh
echo making toy
echo x >> ../count
cat patches/one > $GRAMBENCH_OUT/toy-1
chmod +x $GRAMBENCH_OUT/toy-1
";

const PROGRAM: &str = "#!/bin/sh\n[ \"$1\" = --version ] && { echo toy 1.2; exit 0; }; exit $1\n";

struct Toy {
    parent: tempfile::TempDir,
}

impl Toy {
    fn new() -> Self {
        let toy = Self { parent: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(toy.folder().join("patches")).unwrap();
        for (name, text) in
            [("subject.toml", MANIFEST), ("prepare.sh", SCRIPT), ("patches/one", PROGRAM), ("toy.ebnf", "")]
        {
            toy.write(name, text);
        }
        toy
    }

    fn folder(&self) -> PathBuf {
        self.parent.path().join("toy")
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder().join(name), text).unwrap();
    }

    fn manifest(&self) -> Manifest {
        Manifest::load(&self.folder()).unwrap()
    }

    fn cache(&self) -> PathBuf {
        self.parent.path().join("cache")
    }

    fn prepare(&self) -> Result<Build, PrepareError> {
        let build = prepare(&self.manifest(), &self.cache(), launcher(), &Interrupt::new(), &mut Silent)?;
        Ok(build.unwrap())
    }

    /// Has the script begin, and interrupts it when it runs processes with `token` among their arguments.
    fn interrupt_script(&self, token: &str) {
        let interrupt = Interrupt::new();
        std::thread::scope(|scope| {
            let build =
                scope.spawn(|| prepare(&self.manifest(), &self.cache(), launcher(), &interrupt, &mut Silent));
            while processes_with(token).len() < 2 {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.raise();
            assert_eq!(build.join().unwrap(), Err(PrepareError::Interrupted));
        });
    }

    /// How often the script has run.
    fn runs(&self) -> usize {
        std::fs::read_to_string(self.parent.path().join("count")).unwrap_or_default().lines().count()
    }

    fn findings(&self) -> Vec<FitnessFinding> {
        let pool = Arc::new(Pool::new(settings(self.parent.path())).unwrap());
        let build = Some(self.prepare().unwrap());
        Prepared { manifest: Arc::new(self.manifest()), build, pool }.check(&Policy::default()).unwrap()
    }
}

fn left(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn folders(folder: &Path) -> Vec<String> {
    left(folder).into_iter().filter(|name| folder.join(name).is_dir()).collect()
}

#[test]
fn a_build_is_made_once_and_again_when_something_changes() {
    let toy = Toy::new();
    let first = toy.prepare().unwrap();
    assert_eq!(toy.prepare().unwrap(), first);
    assert_eq!(toy.runs(), 1);
    toy.write("patches/two", "");
    let second = toy.prepare().unwrap();
    assert_ne!(second, first);
    assert_eq!(toy.runs(), 2);
    toy.write("other", "not an input");
    assert_eq!(toy.prepare().unwrap(), second);
    toy.write("subject.toml", &MANIFEST.replace("needs = [\"sh\"]", "needs = [\"sh\", \"cat\"]"));
    assert_ne!(toy.prepare().unwrap(), second);
    let status = std::process::Command::new("chmod").arg("+x").arg(toy.folder().join("prepare.sh")).status();
    assert!(status.unwrap().success());
    toy.prepare().unwrap();
    assert_eq!(toy.runs(), 4, "the executable bit counts");
    assert_eq!(left(&toy.cache().join("builds")).len(), 8, "four builds and their locks");
}

#[test]
fn several_at_once_make_one_build() {
    let toy = Toy::new();
    toy.write("prepare.sh", &SCRIPT.replace("echo making", "sleep 0.1; echo making"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| toy.prepare().unwrap());
        }
    });
    assert_eq!(toy.runs(), 1);
}

#[test]
fn lines_are_told_while_the_script_runs() {
    struct Lines(Vec<String>);
    impl Progress for Lines {
        fn begin(&mut self, what: &str) {
            self.0.push(format!("[{what}]"));
        }
        fn line(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
    }
    let toy = Toy::new();
    toy.write("prepare.sh", &format!("{SCRIPT}\nprintf 'no end of line' >&2"));
    let mut lines = Lines(Vec::new());
    prepare(&toy.manifest(), &toy.cache(), launcher(), &Interrupt::new(), &mut lines).unwrap();
    assert_eq!(lines.0, ["[building toy 1.2]", "making toy", "no end of line"]);
}

#[test]
fn a_failing_script_shows_the_end_of_its_output_and_keeps_it() {
    let toy = Toy::new();
    toy.write("prepare.sh", "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); done; exit 7");
    let error = toy.prepare().unwrap_err();
    let PrepareError::Failed { status, log, last, .. } = &error else { panic!("{error}") };
    assert_eq!((status.as_str(), last.len()), ("exit 7", 15));
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 40);
    assert!(error.to_string().ends_with("\n  line 38\n  line 39"), "{error}");
    toy.write("prepare.sh", SCRIPT);
    toy.prepare().unwrap();
}

#[test]
fn what_is_missing_is_said_before_anything_runs() {
    let toy = Toy::new();
    toy.write("subject.toml", &MANIFEST.replace("[\"sh\"]", "[\"sh\", \"no-such-1\", \"no-such-2\"]"));
    let error = toy.prepare().unwrap_err().to_string();
    assert_eq!(error, "`toy` cannot be built: `no-such-1`, `no-such-2` are not on PATH");
    let told = MANIFEST.replace("[\"sh\"]", "[\"no-such-1\"]\ninstall = \"the package such\"");
    toy.write("subject.toml", &told);
    let error = toy.prepare().unwrap_err().to_string();
    assert_eq!(error, "`toy` cannot be built: `no-such-1` is not on PATH; install the package such");
    assert_eq!(toy.runs(), 0);
}

#[test]
fn what_a_script_puts_into_its_temporary_folder_does_not_stay() {
    let toy = Toy::new();
    let builds = toy.cache().join("builds");
    let has_scratch = || left(&builds).iter().any(|name| name.ends_with(".scratch"));
    toy.write("prepare.sh", "echo x > $TMPDIR/x; exit 1");
    toy.prepare().unwrap_err();
    assert!(!has_scratch());
    // As it is left behind when the one who builds is killed.
    let lock = left(&builds).into_iter().find(|name| name.ends_with(".lock")).unwrap();
    let scratch = builds.join(lock.replace(".lock", ".scratch"));
    std::fs::create_dir(&scratch).unwrap();
    std::fs::write(scratch.join("old"), "").unwrap();
    toy.prepare().unwrap_err();
    assert!(!has_scratch());
    toy.write("prepare.sh", "[ -z \"$(ls $TMPDIR)\" ] && echo x > $TMPDIR/x");
    toy.prepare().unwrap();
    assert!(!has_scratch());
}

#[test]
fn an_interrupt_ends_the_script_and_all_it_started() {
    let (toy, token) = (Toy::new(), token());
    toy.write("prepare.sh", &format!("trap '' TERM INT; sleep {token} & sleep {token}; sleep {token}"));
    toy.interrupt_script(&token);
    assert_eq!(orphans(&token), [""; 0]);
    assert_eq!(folders(&toy.cache().join("builds")), [""; 0]);
}

#[test]
fn a_build_is_made_where_it_stays() {
    let toy = Toy::new();
    toy.write("prepare.sh", &format!("{SCRIPT}\nprintf %s \"$GRAMBENCH_OUT\" > \"$GRAMBENCH_OUT/where\""));
    let build = toy.prepare().unwrap();
    assert_eq!(std::fs::read_to_string(build.folder.join("where")).unwrap(), build.folder.to_str().unwrap());
}

#[test]
fn what_was_only_begun_is_made_anew() {
    let toy = Toy::new();
    let build = toy.prepare().unwrap();
    assert!(is_there(&toy.manifest(), &toy.cache()));
    // As it is left behind when the one who builds is killed.
    let mark = build.folder.with_extension("unfinished");
    for file in [&mark, &build.folder.join("half a file")] {
        std::fs::write(file, "").unwrap();
    }
    assert!(!is_there(&toy.manifest(), &toy.cache()));
    assert_eq!(toy.prepare().unwrap(), build);
    assert_eq!((toy.runs(), left(&build.folder)), (2, vec!["toy-1".to_owned()]));
    assert!(is_there(&toy.manifest(), &toy.cache()) && !mark.exists());
}

#[test]
fn a_script_that_leaves_a_daemon_behind_ends() {
    let (toy, token) = (Toy::new(), token());
    toy.write("prepare.sh", &format!("{SCRIPT}\nsleep {token} &"));
    toy.prepare().unwrap();
    assert_eq!(orphans(&token), [""; 0]);
}

#[test]
fn a_subject_that_is_as_stated_is_fit() {
    let toy = Toy::new();
    toy.write("subject.toml", &MANIFEST.replace(", { input = \"5\", stdout = \"five\" }", ""));
    let findings: Vec<String> = toy.findings().iter().map(ToString::to_string).collect();
    assert_eq!(
        findings,
        [
            "fit: version: expected \"toy 1.2\"",
            "fit: toy-1: failing input \"3\": expected fail",
            "fit: toy-1: passing input \"0\": expected pass",
            "fit: toy-1: check \"4\": expected exit 4",
        ]
    );
}

#[test]
fn a_subject_that_is_not_as_stated_is_unfit() {
    let toy = Toy::new();
    let program =
        "#!/bin/sh\n[ \"$1\" = --version ] && { echo toy 1.3; exit 0; }; [ $1 = 0 ] && exit 3; exit 5\n";
    toy.write("patches/one", program);
    let findings: Vec<String> = toy.findings().iter().map(ToString::to_string).collect();
    assert_eq!(
        findings,
        [
            "unfit: version: expected \"toy 1.2\", saw exit 0, \"toy 1.3\"",
            "unfit: toy-1: failing input \"3\": expected fail, saw pass (exit 5)",
            "unfit: toy-1: passing input \"0\": expected pass, saw fail (exit 3)",
            "unfit: toy-1: check \"4\": expected exit 4, saw exit 5",
            "unfit: toy-1: check \"5\": expected stdout \"five\", saw exit 5",
        ]
    );
}

#[test]
fn daemons_of_a_script_end_with_it() {
    let (toy, token) = (Toy::new(), token());
    // Nothing in its environment, session or parents tells where it came from.
    toy.write("prepare.sh", &format!("{SCRIPT}setsid env -i setsid sleep {token} &\nsleep 0.2\n"));
    toy.prepare().unwrap();
    assert_eq!(processes_with(&token), [""; 0]);
    toy.write("prepare.sh", &format!("{SCRIPT}(setsid env -i sleep {token} &)\nsleep {token}\n"));
    toy.interrupt_script(&token);
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn what_a_script_writes_is_no_command_to_the_terminal() {
    struct Lines(Vec<String>);
    impl Progress for Lines {
        fn line(&mut self, line: &str) {
            self.0.push(line.to_owned());
        }
    }
    let toy = Toy::new();
    toy.write("prepare.sh", &format!("{SCRIPT}printf 'a\\033[2Jb\\r\\n'\n"));
    let mut lines = Lines(Vec::new());
    prepare(&toy.manifest(), &toy.cache(), launcher(), &Interrupt::new(), &mut lines).unwrap();
    assert_eq!(lines.0.last().unwrap(), "a\\u{1b}[2Jb");
}
