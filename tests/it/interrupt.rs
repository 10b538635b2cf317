//! Ctrl-C and SIGTERM end every command, whatever it is at.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Lab, Running, SMALL};
use rustix::process::{Pid, Signal, kill_process};

/// Nothing takes so long to begin, or to end when it is told to.
const GENEROUS: Duration = Duration::from_secs(60);

const JSON: &str = "grammars/json.ebnf";

/// An expression of so many patterns that every operation on all of its states takes hours.
fn endless() -> Vec<String> {
    let mut words = Vec::new();
    for key in 'a'..='z' {
        words.extend(["--pattern".to_owned(), format!(r#"{key}=<item> is "\"{key}\": <elt>""#)]);
    }
    words.extend(["--max-states", "4000000000", "--max-rules", "4000000000"].map(str::to_owned));
    words.extend(["--max-steps", "4000000000000000", "--timeout", "24h"].map(str::to_owned));
    words
}

fn start(words: &[&str], more: &[String]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_grambench"))
        .args(words)
        .args(more)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until the program watches for the signal, and for a moment more, in which it gets to work.
fn wait_until_watching(child: &Child, signal: Signal) {
    let begun = Instant::now();
    let bit = 1_u64 << (signal.as_raw() - 1);
    loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & bit != 0 {
            break;
        }
        assert!(begun.elapsed() < GENEROUS, "it never watches for signals");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
}

/// The exit code after the signal; the program must still be at work when it comes.
fn code_after(mut child: Child, signal: Signal) -> Option<i32> {
    wait_until_watching(&child, signal);
    assert!(child.try_wait().unwrap().is_none(), "it has ended before");
    kill_process(Pid::from_child(&child), signal).unwrap();
    let told = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if told.elapsed() > GENEROUS {
            child.kill().unwrap();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_works_on_an_expression_is_interrupted() {
    for signal in [Signal::INT, Signal::TERM] {
        for command in ["specialize", "explain", "count", "produce"] {
            let child = start(&[command, "--grammar", JSON], &endless());
            assert_eq!(code_after(child, signal), Some(130), "{command}");
        }
        let child = start(&["specialize", "--grammar", JSON, "--transformer", "symbolic"], &endless());
        assert_eq!(code_after(child, signal), Some(130), "symbolic");
    }
}

#[test]
fn counting_long_inputs_is_interrupted() {
    let limits = ["--max-steps", "4000000000000000", "--timeout", "24h"];
    let words = [&["count", "--grammar", JSON, "--length", "3000"][..], &limits].concat();
    assert_eq!(code_after(start(&words, &[]), Signal::INT), Some(130));
}

/// The forest of such an input takes a time that grows with the cube of its length.
#[test]
fn parsing_an_ambiguous_input_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| -> String {
        let path: &Path = &folder.path().join(name);
        fs::write(path, text).unwrap();
        path.display().to_string()
    };
    let grammar = file("twos.ebnf", "<s> ::= <s> <s> | \"a\"\n");
    let input = file("input.txt", &"a".repeat(20_000));
    let pattern = "<s> is \"aa\"".to_owned();
    for words in [
        vec!["parse".to_owned(), "--grammar".to_owned(), grammar.clone(), input.clone()],
        vec!["validate".to_owned(), "--grammar".to_owned(), grammar, "--pattern".to_owned(), pattern, input],
    ] {
        assert_eq!(code_after(start(&[], &words), Signal::INT), Some(130), "{words:?}");
    }
}

#[test]
fn waiting_for_standard_input_is_interrupted() {
    for signal in [Signal::INT, Signal::TERM] {
        for words in [&["parse", "--grammar", JSON][..], &["parse", "--grammar", "-"]] {
            assert_eq!(code_after(start(words, &[]), signal), Some(130), "{words:?}");
        }
    }
}

/// A task of a campaign that makes a grammar, not one that runs a program.
#[test]
fn a_campaign_is_interrupted_while_it_specializes() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<char> = ('a'..='z').collect();
    let patterns: Vec<String> =
        keys.iter().map(|key| format!(r#"<item {key}> is '"{key}": <elt>'"#)).collect();
    let formula: Vec<String> = keys.iter().map(char::to_string).collect();
    let expression = format!("<json {}> where {}", formula.join(" & "), patterns.join(", "));
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join(JSON);
    let config = format!(
        "title = \"endless\"\n[transform]\nstates = 4000000000\nrules = 4000000000\nsteps = 4000000000000000\n\
        [[expressions]]\nname = \"endless\"\ngrammar = '{}'\nexpression = '''{expression}'''\n",
        grammar.display()
    );
    let file = folder.path().join("endless.toml");
    fs::write(&file, config).unwrap();
    let results = folder.path().join("results");
    let words = ["run", file.to_str().unwrap(), "--output", results.to_str().unwrap()];
    assert_eq!(code_after(start(&words, &[]), Signal::INT), Some(130));
}

/// Such an end is a result of the campaign, and the same at every run.
#[test]
fn what_a_limit_ends_is_a_row_with_its_error() {
    let folder = tempfile::tempdir().unwrap();
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join(JSON);
    let config = format!(
        "title = \"limited\"\ntransformers = [\"automaton\", \"symbolic\"]\ntransform.rules = 60\n\
        [[expressions]]\nname = \"few\"\ngrammar = '{0}'\n\
        expression = '''<json E> where <item E> is '\"\": <elt>' '''\n\
        [[expressions]]\nname = \"many\"\ngrammar = '{0}'\n\
        expression = '''<json E & N> where <item E> is '\"\": <elt>', <item N> is '<string>: null' '''\n",
        grammar.display()
    );
    let file = folder.path().join("limited.toml");
    fs::write(&file, config).unwrap();
    let results = folder.path().join("results");
    let words = ["run", file.to_str().unwrap(), "--quiet", "--output", results.to_str().unwrap()];
    let mut child = start(&words, &[]);
    assert_eq!(child.wait().unwrap().code(), Some(3));
    let errors = fs::read_to_string(results.join("errors.csv")).unwrap();
    assert!(errors.contains("the specialized grammar needs more than 60 rules"), "{errors}");
}

/// A lab with the fixture `words`, whose worker does something before this line of its program. It has all the time
/// that it wants.
fn lab_with_worker(line: &str, code: &str) -> Lab {
    let lab = Lab::new();
    lab.copy_subject("words");
    lab.edit("subjects/words/words.c", "#include <stdio.h>", "#include <stdio.h>\n#include <signal.h>");
    lab.edit("subjects/words/words.c", line, &format!("{code}\n{line}"));
    lab.edit("subjects/words/subject.toml", "\"5s\"", "\"100s\"");
    lab.edit("subjects/words/subject.toml", "\"500ms\"", "\"100s\"");
    lab
}

/// Where a worker is ready, and where it has judged an input.
const READY: &str = r#"    frame("{\"ready\": true}");"#;
const JUDGED: &str = "        if (stalls) for (;;) pause();";

/// A campaign of the lab, begun, and its worker started.
fn begin(lab: &Lab) -> Running {
    let config = lab.own_config(&[], SMALL);
    let running = Running::new(lab.command(&config, "results", &["--jobs", "2"]));
    let begun = Instant::now();
    while !lab.processes_now().iter().any(|line| line.contains("--worker")) {
        assert!(begun.elapsed() < GENEROUS, "no worker is started");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(200));
    running
}

/// The campaign has ended in order, and nothing of it is left.
fn assert_in_order(lab: &Lab, running: Running) {
    let run = running.wait().expect(130);
    assert_eq!(lab.processes_now(), [""; 0]);
    assert_eq!(lab.scratch_folders(), 0);
    assert!(run.stderr.contains("the same command goes on from here"), "{}", run.stderr);
    let files = fs::read_dir(lab.path("results")).unwrap().flatten();
    let tables = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "csv"));
    assert_eq!(tables.count(), 9);
}

/// Takes no signal but the one that nobody can ignore, has a child that does not either, and says nothing.
const STUBBORN: &str = "for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
    fork();
    for (;;) pause();";

#[test]
fn a_campaign_ends_in_order_while_a_worker_is_starting() {
    for signal in [Signal::INT, Signal::TERM] {
        let lab = lab_with_worker(READY, STUBBORN);
        let running = begin(&lab);
        running.signal(signal);
        assert_in_order(&lab, running);
    }
}

#[test]
fn a_campaign_ends_in_order_while_a_worker_does_not_answer() {
    let lab = lab_with_worker(JUDGED, STUBBORN);
    let running = begin(&lab);
    running.signal(Signal::INT);
    assert_in_order(&lab, running);
}

#[test]
fn what_ends_at_once_leaves_no_process_and_no_folder() {
    let lab = lab_with_worker(READY, STUBBORN);
    let running = begin(&lab);
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    running.wait().expect(130);
    assert_eq!(lab.processes_now(), [""; 0]);
    assert_eq!(lab.scratch_folders(), 0);
}

/// The forest of the input of the bug takes hours, and whoever makes it does not look at the switch.
#[test]
fn a_campaign_ends_in_order_while_a_task_does_not_look() {
    let lab = Lab::new();
    lab.copy_subject("words");
    lab.write("subjects/words/words.ebnf", "<s> ::= <s> <s> | \"a\"\n");
    lab.edit("subjects/words/subject.toml", "fine 12 bad odd", &"a".repeat(20_000));
    let config = lab.own_config(&[], SMALL);
    let running = Running::new(lab.command(&config, "results", &[]));
    let begun = Instant::now();
    while lab.scratch_folders() == 0 {
        assert!(begun.elapsed() < GENEROUS, "nothing is begun");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(500));
    running.signal(Signal::INT);
    assert_in_order(&lab, running);
}

#[test]
fn a_campaign_ends_in_order_while_a_program_is_built() {
    let lab = Lab::without_builds();
    lab.copy_subject("words");
    lab.write("subjects/words/prepare.sh", "#!/bin/sh\ntrap '' TERM HUP INT\nwhile :; do sleep 1000; done\n");
    let config = lab.own_config(&[], SMALL);
    let running = lab.begin(&config, "results", &[], "building words");
    running.signal(Signal::INT);
    assert_in_order(&lab, running);
    let left: Vec<_> = fs::read_dir(lab.cache().join("builds")).unwrap().flatten().collect();
    assert!(!left.iter().any(|entry| entry.path().is_dir()), "{left:?}");
}
