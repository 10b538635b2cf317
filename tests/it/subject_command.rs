//! The oracle that runs programs, from a manifest or a command line to a judgement.

use std::ffi::OsString;
use std::sync::Arc;

use crate::programs::*;
use grambench::base::diagnostic::Source;
use grambench::oracle::{Judgement, Oracle, Verdict};
use grambench::subject::command::{Command, CommandOracle};
use grambench::subject::execution::RunLimits;
use grambench::subject::fail_on::{self, FailOn};
use grambench::subject::manifest::Manifest;
use grambench::subject::pool::Pool;
use grambench::subject::rules::Rules;

fn ad_hoc(words: &[&str], fail_on: &str) -> (CommandOracle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let pool = Arc::new(Pool::new(settings(folder.path())).unwrap());
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let command = Command::ad_hoc(&pool, &words, Some("txt"), RunLimits::default()).unwrap();
    let Ok(FailOn::Condition(condition)) = fail_on::parse(&Source::new("--fail-on", fail_on)) else {
        panic!("no condition");
    };
    (CommandOracle::new(command, Rules::failing_on(vec![condition])), folder)
}

fn judge(words: &[&str], fail_on: &str, input: &[u8]) -> (Verdict, String) {
    let (oracle, _folder) = ad_hoc(words, fail_on);
    let Judgement { verdict, evidence } = oracle.judge(input).unwrap();
    (verdict, evidence.to_string())
}

#[test]
fn the_input_goes_where_the_placeholder_is() {
    let fail = |words: &[&str], input: &[u8]| judge(words, "stdout \"[a  b]\"", input).0;
    assert_eq!(fail(&["sh", "-c", "echo \"[$(cat)]\""], b"a  b"), Verdict::Fail);
    assert_eq!(fail(&["sh", "-c", "echo \"[$(cat $0)]\"", "{file}"], b"a  b"), Verdict::Fail);
    assert_eq!(fail(&["echo", "[{input}]"], b"a  b"), Verdict::Fail);
    assert_eq!(fail(&["echo", "[a ", "{words}"], b"'b]'"), Verdict::Fail);
    assert_eq!(fail(&["echo", "[a ", "{arguments}"], b"x 'b]'"), Verdict::Fail);
    assert_eq!(judge(&["echo", "{file}"], "stdout input.txt", b"").0, Verdict::Fail);
}

#[test]
fn evidence_says_what_was_seen() {
    let judge = |script: &str| judge(&["sh", "-c", script], "exit 139 and stderr \"oh\"", b"");
    assert_eq!(judge("echo oh >&2; kill -SEGV $$"), (Verdict::Fail, "SIGSEGV, stderr has \"oh\"".into()));
    assert_eq!(judge("echo oh >&2; exit 139"), (Verdict::Fail, "exit 139, stderr has \"oh\"".into()));
    assert_eq!(judge("exit 1"), (Verdict::Pass, "exit 1".into()));
    assert_eq!(judge("yes"), (Verdict::Unresolved, "too much output".into()));
}

#[test]
fn an_input_that_cannot_reach_the_program_is_unresolved() {
    let judge = |input: &[u8]| judge(&["echo", "{words}"], "exit 0", input);
    let unclosed = "not a command line: a single quote is not closed";
    assert_eq!(judge(b"a 'b"), (Verdict::Unresolved, unclosed.into()));
    assert_eq!(judge(b"a\0b"), (Verdict::Unresolved, "not an argument: it holds a zero byte".into()));
    let long = vec![b'x'; 1 << 20];
    assert_eq!(judge(&long), (Verdict::Unresolved, "not an argument: it is too long".into()));
}

#[test]
fn an_input_on_which_the_program_aims_at_its_launcher_is_judged_as_any_other() {
    let (oracle, _folder) = ad_hoc(&["sh", "-c", "[ {input} = x ] && kill -KILL $PPID; exit 1"], "exit 1");
    assert_eq!(oracle.judge(b"x"), Ok(Judgement::new(Verdict::Fail, "exit 1")));
    assert_eq!(oracle.judge(b"y"), Ok(Judgement::new(Verdict::Fail, "exit 1")));
}

#[test]
fn a_command_line_that_cannot_work_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Arc::new(Pool::new(settings(folder.path())).unwrap());
    let error = |words: &[&str]| {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Command::ad_hoc(&pool, &words, None, RunLimits::default()).unwrap_err().to_string()
    };
    assert_eq!(error(&["no-such-program"]), "error: there is no program `no-such-program` on PATH");
    assert!(error(&["echo", "{flie}"]).contains("did you mean `file`?"));
    assert_eq!(error(&["{build}/x"]), "error: `{build}` stands for nothing on the command line");
    assert_eq!(error(&[]), "error: there is no program to run");
}

#[test]
fn a_bug_of_a_manifest_is_judged_by_its_rules() {
    let folder = tempfile::tempdir().unwrap();
    let subject = folder.path().join("toy");
    std::fs::create_dir(&subject).unwrap();
    std::fs::write(subject.join("toy.ebnf"), "").unwrap();
    let manifest = r#"
        name = "toy"
        title = "A toy"
        version = "1"
        grammar = "toy.ebnf"
        [run]
        argv = ["/bin/sh", "-c", ". ./$0", "{file}"]
        extension = "sh"
        timeout = "300ms"
        wall = "300ms"
        [[bug]]
        name = "toy-1"
        title = "fails when told to"
        input = "exit 3"
        passing = "exit 0"
        [[bug.verdict]]
        stderr = "not found"
        is = "unresolved"
        [[bug.verdict]]
        exit = 3
        is = "fail"
    "#;
    std::fs::write(subject.join("subject.toml"), manifest).unwrap();
    let manifest = Manifest::load(&subject).unwrap();
    let pool = Arc::new(Pool::new(settings(folder.path())).unwrap());
    let bug = manifest.bug("toy-1").unwrap();
    let command = Command::of_bug(&pool, &manifest, bug, None).unwrap();
    let oracle = CommandOracle::new(command, bug.rules.clone());
    let judge = |input: &[u8]| oracle.judge(input).unwrap();
    assert_eq!(judge(&bug.input), Judgement::new(Verdict::Fail, "exit 3"));
    assert_eq!(judge(&bug.passing), Judgement::new(Verdict::Pass, "exit 0"));
    let unresolved = Judgement::new(Verdict::Unresolved, "exit 3, stderr has \"not found\"");
    assert_eq!(judge(b"no_such_command; exit 3"), unresolved);
    assert_eq!(judge(b"sleep 9"), Judgement::new(Verdict::Timeout, "timeout (wall-clock time)"));
}
