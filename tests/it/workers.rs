//! Workers judge as fresh processes do, whatever becomes of them; where they do not, that is reported.
//! The fixture `words` is a worker that misbehaves as its input says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::support::*;
use grambench::base::budget::Interrupt;
use grambench::base::share::Share;
use grambench::oracle::{InputSample, Judgement, Oracle, Trouble, Verdict};
use grambench::subject::execution::RunOutcome;
use grambench::subject::manifest::Manifest;
use grambench::subject::pool::{Pool, PoolSettings};
use grambench::subject::prepare::{Silent, prepare};
use grambench::subject::prepared::Prepared;
use grambench::subject::worker::command::NoAnswerKind;
use grambench::subject::worker::{Policy, WorkerCommand, WorkerReply};
use rustix::process::{Pid, Signal, kill_process};

/// The fixture in a lab, with `edits` in its manifest.
struct Words {
    lab: Lab,
    prepared: Prepared,
}

impl Words {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(edits: &[(&str, &str)]) -> Self {
        let lab = Lab::new();
        lab.copy_subject("words");
        for (from, to) in edits {
            lab.edit("subjects/words/subject.toml", from, to);
        }
        let manifest = Manifest::load(&lab.path("subjects/words")).unwrap();
        let build = prepare(
            &manifest,
            lab.cache(),
            env!("CARGO_BIN_EXE_grambench").as_ref(),
            &Interrupt::new(),
            &mut Silent,
        )
        .unwrap();
        let settings = PoolSettings {
            launcher: PathBuf::from(env!("CARGO_BIN_EXE_grambench")),
            scratch: lab.scratch(),
            ..PoolSettings::default()
        };
        let pool = Arc::new(Pool::new(settings).unwrap());
        Self { lab, prepared: Prepared { manifest: Arc::new(manifest), build, pool } }
    }

    fn worker(&self) -> WorkerCommand {
        let Prepared { manifest, build, pool } = &self.prepared;
        let folder = build.as_ref().map(|build| build.folder.as_path());
        WorkerCommand::of_bug(pool, manifest, &manifest.bugs[0], folder).unwrap().unwrap()
    }

    fn oracle(&self, policy: &Policy) -> Box<dyn Oracle> {
        self.prepared.oracle(&self.prepared.manifest.bugs[0], policy).unwrap()
    }

    fn cold(&self) -> Box<dyn Oracle> {
        self.prepared.cold_oracle(&self.prepared.manifest.bugs[0]).unwrap()
    }

    /// The workers that run now, by their process numbers.
    fn running(&self) -> Vec<Pid> {
        let found = self.lab.processes_now().into_iter().filter(|line| line.contains("--worker"));
        found.map(|line| Pid::from_raw(line.split_once(':').unwrap().0.parse().unwrap()).unwrap()).collect()
    }
}

fn policy(share: f64) -> Policy {
    Policy { judged_again: InputSample { share: Share::of(share).unwrap(), seed: 0 }, ..Policy::default() }
}

/// What a worker answered.
fn answer(reply: WorkerReply) -> RunOutcome {
    match reply {
        WorkerReply::Answered(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

/// The how-many-eth input this is that the worker has judged.
fn count(outcome: &RunOutcome) -> u32 {
    let text = String::from_utf8(outcome.stdout.clone()).unwrap();
    text.split('"').nth(1).unwrap().parse().unwrap()
}

/// Folders for temporary files are empty to programs, but for what these are given.
#[test]
fn what_a_worker_is_started_with_may_lie_outside_of_the_subject() {
    let start = r#"["sh", "{subject}/../../shared/start.sh", "{build}/words"]"#;
    let words = Words::with(&[(r#"["{build}/words", "--worker"]"#, start)]);
    words.lab.write("shared/start.sh", r#"exec "$1" --worker"#);
    assert_eq!(
        answer(words.worker().ask(b"fine").unwrap()).ending,
        answer(Words::new().worker().ask(b"fine").unwrap()).ending
    );
}

#[test]
fn verdicts_and_their_evidence_are_those_of_processes_of_their_own() {
    let words = Words::new();
    let (worker, cold) = (words.oracle(&policy(0.0)), words.cold());
    let mut verdicts = Vec::new();
    for input in [
        "bad",
        "fine",
        "",
        "odd bad",
        "bad odd",
        "stale",
        "stale bad",
        "litter",
        // The worker finds no more of what it wrote for another input than a program of its own would.
        "find-litter",
        "crash",
        "fine \u{e9} \0 \u{1f600}",
        "bad",
    ] {
        let judgement = worker.judge(input.as_bytes()).unwrap();
        assert_eq!(judgement, cold.judge(input.as_bytes()).unwrap(), "{input}");
        verdicts.push(judgement.verdict);
    }
    use Verdict::{Fail, Pass, Unresolved};
    let expected = [Fail, Pass, Pass, Unresolved, Fail, Pass, Fail, Pass, Pass, Fail, Pass, Fail];
    assert_eq!(verdicts, expected);
    let bytes = [0xff, b' ', b'b', b'a', b'd'];
    assert_eq!(worker.judge(&bytes).unwrap().verdict, Fail);
}

#[test]
fn a_worker_judges_as_many_inputs_as_it_may() {
    let words = Words::with(&[("restart_after = 20", "restart_after = 3")]);
    let worker = words.worker();
    let counts = |inputs: &[&str]| -> Vec<u32> {
        inputs.iter().map(|input| count(&answer(worker.ask(input.as_bytes()).unwrap()))).collect()
    };
    assert_eq!(counts(&["fine"; 7]), [1, 2, 3, 1, 2, 3, 1]);
    assert_eq!(counts(&["stale", "fine", "fine"]), [2, 1, 2]);
    assert_eq!(words.running().len(), 1);
    let Words { lab, prepared } = words;
    drop((worker, prepared));
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn a_timeout_ends_the_worker_and_all_that_it_started() {
    let words = Words::new();
    let worker = words.worker();
    assert_eq!(count(&answer(worker.ask(b"fine").unwrap())), 1);
    assert_eq!(worker.ask(b"spawn spawn loop").unwrap(), WorkerReply::TimedOut);
    assert_eq!(words.lab.processes(), [""; 0]);
    assert_eq!(count(&answer(worker.ask(b"fine").unwrap())), 1);
    let judgement = words.oracle(&policy(1.0)).examine(b"loop").unwrap();
    assert_eq!(judgement.judgement, Judgement::new(Verdict::Timeout, "timeout (wall-clock time)"));
    assert!(judgement.is_confirmed && !judgement.is_judged_again, "a timeout is not judged again");
    // The program itself does not stand still.
    let judgement = words.oracle(&policy(0.0)).examine(b"stall bad").unwrap();
    assert_eq!((judgement.judgement.verdict, judgement.trouble), (Verdict::Fail, None));
}

#[test]
fn a_worker_that_does_not_answer_as_it_should_is_replaced() {
    let words = Words::new();
    let (worker, oracle) = (words.worker(), words.oracle(&policy(0.0)));
    for (word, silence, reason) in [
        ("crash", NoAnswerKind::Expected, "it ended with SIGABRT"),
        ("garbage", NoAnswerKind::ProtocolViolation, "\"no JSON\" is not an answer: "),
        ("twice", NoAnswerKind::ProtocolViolation, "it said more than one thing"),
        ("close", NoAnswerKind::Expected, "it closed its standard output"),
        ("announce", NoAnswerKind::ProtocolViolation, "it began a message of 4294967295 bytes"),
    ] {
        assert_eq!(count(&answer(worker.ask(b"fine").unwrap())), 1, "{word}");
        match worker.ask(word.as_bytes()).unwrap() {
            WorkerReply::NoAnswer { reason: found, kind } => {
                assert_eq!(kind, silence, "{word}");
                assert!(found.contains(reason), "{word}: {found}");
            }
            other if word == "twice" => {
                // The second message came after the first had been read: it is no answer to the next
                // question.
                assert_eq!(count(&answer(other)), 2);
                let next = worker.ask(b"fine").unwrap();
                assert!(
                    matches!(next, WorkerReply::NoAnswer { kind: NoAnswerKind::ProtocolViolation, .. }),
                    "{next:?}"
                );
            }
            other => panic!("{word}: {other:?}"),
        }
        let left = words.lab.processes_now().into_iter().filter(|line| line.contains("/words"));
        assert_eq!(left.collect::<Vec<_>>(), [""; 0], "{word}");
        let examination = oracle.examine(format!("{word} bad").as_bytes()).unwrap();
        assert_eq!(examination.judgement.verdict, Verdict::Fail, "{word}");
        // Whoever judges next begins anew.
        drop(worker.ask(b"stale").unwrap());
    }
    let examination = oracle.examine(b"fine garbage").unwrap();
    assert_eq!(examination.judgement, Judgement::new(Verdict::Pass, "exit 0"));
    assert!(
        examination.is_confirmed && matches!(examination.trouble, Some(Trouble::ProtocolViolation(_))),
        "{examination:?}"
    );
}

#[test]
fn a_worker_that_was_killed_is_replaced() {
    let words = Words::new();
    let (worker, oracle) = (words.worker(), words.oracle(&policy(0.0)));
    for input in ["fine", "bad"] {
        answer(worker.ask(b"fine").unwrap());
        let running = words.running();
        assert_eq!(running.len(), 1);
        kill_process(running[0], Signal::KILL).unwrap();
        let examination = oracle.examine(input.as_bytes()).unwrap();
        assert_eq!(examination.judgement, words.cold().judge(input.as_bytes()).unwrap());
        assert_eq!(examination.trouble, None);
    }
    assert_eq!(count(&answer(worker.ask(b"fine").unwrap())), 1);
}

#[test]
fn a_worker_that_remembers_is_found_out() {
    let words = Words::new();
    let trusting = words.oracle(&policy(0.0));
    assert_eq!(trusting.judge(b"leak").unwrap().verdict, Verdict::Pass);
    let fooled = trusting.examine(b"fine").unwrap();
    assert_eq!((fooled.judgement.verdict, fooled.is_confirmed), (Verdict::Fail, false));
    let right = trusting.judge_again(b"fine", Verdict::Fail).unwrap().unwrap();
    assert_eq!(right, Judgement::new(Verdict::Pass, "exit 0"));
    let examination = words.oracle(&policy(1.0)).examine(b"fine").unwrap();
    assert_eq!(examination.judgement, Judgement::new(Verdict::Pass, "exit 0"));
    assert_eq!(examination.trouble, Some(Trouble::Disagreement(Verdict::Fail)));
    assert!(examination.is_confirmed && examination.is_judged_again);
}

#[test]
fn a_worker_that_cannot_be_started_is_tried_twice() {
    for (mode, time, reason) in [
        ("--worker-dies", "5s", "it ended with exit 3; its last words: on purpose"),
        ("--worker-hangs", "100ms", "it was not ready after 0.1 s"),
        ("--worker-chats", "5s", "\"hello\" is not `{\"ready\": true}`: "),
    ] {
        let edits = [("\"--worker\"", &*format!("\"{mode}\"")), ("\"5s\"", &*format!("\"{time}\""))];
        let words = Words::with(&edits);
        let (worker, oracle) = (words.worker(), words.oracle(&policy(1.0)));
        for silence in [NoAnswerKind::NotStarted, NoAnswerKind::NotStarted, NoAnswerKind::GivenUp] {
            match worker.ask(b"fine").unwrap() {
                WorkerReply::NoAnswer { reason: found, kind } => {
                    assert_eq!(kind, silence, "{mode}");
                    assert!(found.starts_with(reason), "{mode}: {found}");
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(words.lab.processes(), [""; 0], "{mode}");
        }
        assert_eq!(oracle.judge(b"bad").unwrap().verdict, Verdict::Fail);
        let findings = words.prepared.check(&Policy::default()).unwrap();
        let unfit: Vec<String> =
            findings.iter().filter(|finding| !finding.is_fit).map(ToString::to_string).collect();
        assert_eq!(unfit.len(), 3, "{unfit:?}");
        assert!(
            unfit[0].contains(" in a worker: expected fail, saw ") && unfit[0].contains(reason),
            "{unfit:?}"
        );
        assert!(
            words.prepared.check(&Policy { is_used: false, ..policy(0.0) }).unwrap().iter().all(|f| f.is_fit)
        );
    }
}

#[test]
fn not_more_workers_live_than_there_is_room_for() {
    let words = Words::new();
    let manifest = &words.prepared.manifest;
    let folder = words.prepared.build.as_ref().unwrap().folder.display().to_string();
    let mut others = Vec::new();
    for number in 0..5 {
        // Another word makes another worker.
        words.lab.edit("subjects/words/subject.toml", "\"--worker\"", &format!("\"--worker\", \"{number}\""));
        let manifest = Manifest::load(&words.lab.path("subjects/words")).unwrap();
        words.lab.edit("subjects/words/subject.toml", &format!("\"--worker\", \"{number}\""), "\"--worker\"");
        let of = WorkerCommand::of_bug(
            &words.prepared.pool,
            &manifest,
            &manifest.bugs[0],
            Some(Path::new(&folder)),
        );
        others.push(of.unwrap().unwrap());
    }
    assert_eq!(manifest.bugs.len(), 1);
    for (number, worker) in others.iter().enumerate() {
        assert_eq!(count(&answer(worker.ask(b"fine").unwrap())), 1);
        assert_eq!(words.running().len(), (number + 1).min(2));
    }
    // The last two live, the first ones had to go.
    assert_eq!(count(&answer(others[3].ask(b"fine").unwrap())), 2);
    assert_eq!(count(&answer(others[4].ask(b"fine").unwrap())), 2);
    assert_eq!(count(&answer(others[0].ask(b"fine").unwrap())), 1);
    assert_eq!(count(&answer(others[3].ask(b"fine").unwrap())), 1);
    words.prepared.pool.stop();
    assert_eq!(words.lab.processes(), [""; 0]);
    assert!(others[0].ask(b"fine").is_err());
}

/// A subject of the lab's own, whose grammar has `more` words.
fn lab_with(more: &str) -> Lab {
    let lab = Lab::new();
    lab.copy_subject("words");
    lab.edit("subjects/words/words.ebnf", "| \"stale\"", more);
    lab
}

const CAMPAIGN: &str =
    "[generalize]\nchecks = 10\n[produce]\ninputs = 30\n[recognize]\ninputs = 15\nexecutions = 30\n";

/// The tables but for one: with workers, only those inputs are judged twice that are sure from the beginning.
fn figures(lab: &Lab, results: &str) -> BTreeMap<&'static str, String> {
    let mut tables = lab.tables(results);
    tables.remove("repeating.csv").unwrap();
    tables
}

#[test]
fn the_tables_are_the_same_with_and_without_workers() {
    let lab = lab_with("| \"stale\" | \"crash\"");
    lab.edit("subjects/words/subject.toml", "restart_after = 20", "restart_after = 7");
    let config = lab.own_config(&[], CAMPAIGN);
    lab.run(&config, "cold", &["--no-workers", "--jobs", "2"]).expect(0);
    for jobs in ["1", "2"] {
        lab.run(&config, jobs, &["--jobs", jobs]).expect(0);
        assert_eq!(figures(&lab, jobs), figures(&lab, "cold"), "{jobs}");
        let again: u32 = lab
            .rows(jobs, "timings.csv", &[])
            .iter()
            .map(|row| row["judged_again"].parse::<u32>().unwrap())
            .sum();
        assert!(again > 20, "at least each failing input that was produced: {again}");
    }
    assert!(lab.rows("cold", "timings.csv", &[]).iter().all(|row| row["judged_again"] == "0"));
    let refused = lab.run(&config, "cold", &[]).expect(2);
    assert!(refused.stderr.contains("whether workers are used"), "{}", refused.stderr);
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn workers_that_are_killed_in_the_middle_change_nothing() {
    let lab = lab_with("| \"stale\"");
    let config = lab.own_config(&[], &CAMPAIGN.replace("30", "100"));
    lab.run(&config, "cold", &["--no-workers", "--jobs", "2"]).expect(0);
    let running = Running::new(lab.command(&config, "killed", &["--jobs", "2"]));
    let mut kills = 0;
    for _ in 0..1_500 {
        for line in lab.processes_now().iter().filter(|line| line.contains("--worker")) {
            let pid = Pid::from_raw(line.split_once(':').unwrap().0.parse().unwrap()).unwrap();
            kills += usize::from(kill_process(pid, Signal::KILL).is_ok());
        }
        if kills >= 8 {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    running.wait().expect(0);
    assert!(kills > 0);
    let (killed, mut cold) = (figures(&lab, "killed"), figures(&lab, "cold"));
    // A worker that is killed during the check is one that is not used.
    if killed["errors.csv"].contains("no worker is used") {
        cold.insert("errors.csv", killed["errors.csv"].clone());
    }
    assert_eq!(killed, cold);
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn disagreements_are_rows_and_the_fresh_process_is_right() {
    let lab = lab_with("| \"leak\"");
    let config = lab.own_config(&[], &format!("[workers]\njudged_again = 1.0\n{CAMPAIGN}"));
    lab.run(&config, "cold", &["--no-workers"]).expect(0);
    let run = lab.run(&config, "leaking", &["--jobs", "2"]).expect(3);
    assert!(run.stdout.contains("differently from fresh processes"), "{}", run.stdout);
    for table in ["producing.csv", "recognizing.csv", "abstracting.csv"] {
        assert_eq!(lab.tables("leaking")[table], lab.tables("cold")[table]);
    }
    let rows = lab.rows("leaking", "errors.csv", &[("bug", "words-bad"), ("kind", "error")]);
    assert!(!rows.is_empty());
    for row in rows {
        assert!(!row["input"].is_empty(), "{row:?}");
        let detail = format!(
            "the verdict of a worker is fail; that of a fresh process is {}, which counts",
            row["verdict"]
        );
        assert_eq!(row["detail"], detail);
    }
    // An expression by hand, since who generalizes with such a worker finds that everything fails.
    let passing = "passing = \"fine 12\"\n";
    let expression = format!("{passing}expression = '<text F> where <word F> is \"<bad>\"'\n");
    lab.edit("subjects/words/subject.toml", passing, &expression);
    // With nothing judged again, what enters the table of produced inputs still is.
    let config = lab.own_config(&[], &format!("[workers]\njudged_again = 0\n{CAMPAIGN}"));
    lab.run(&config, "trusting", &["--jobs", "1"]).expect(3);
    let row = &lab.rows("trusting", "producing.csv", &[("bug", "words-bad")])[0];
    assert_eq!((&*row["pass_passed"], &*row["pass_inputs"]), ("30", "30"), "{row:?}");
}

#[test]
fn protocol_violations_and_workers_that_cannot_start_are_reported() {
    let lab = lab_with("| \"garbage\"");
    let config = lab.own_config(&[], CAMPAIGN);
    lab.run(&config, "cold", &["--no-workers"]).expect(0);
    lab.run(&config, "violating", &["--jobs", "2"]).expect(0);
    lab.run(&config, "again", &["--jobs", "1"]).expect(0);
    assert_eq!(lab.tables("violating"), lab.tables("again"));
    let rows = lab.rows("violating", "errors.csv", &[("kind", "warning")]);
    let is_violation =
        |detail: &str| detail.starts_with("a worker violated the protocol: \"no JSON\" is not an answer");
    assert!(!rows.is_empty() && rows.iter().all(|row| is_violation(&row["detail"])), "{rows:?}");
    assert!(rows.iter().all(|row| row["input"].contains("garbage")), "{rows:?}");

    lab.edit("subjects/words/subject.toml", "\"--worker\"", "\"--worker-dies\"");
    lab.run(&config, "dying", &["--jobs", "2"]).expect(0);
    let rows = lab.rows("dying", "errors.csv", &[("kind", "warning")]);
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows.iter().all(|row| row["detail"].contains("its last words: on purpose")), "{rows:?}");
    for table in ["producing.csv", "recognizing.csv", "abstracting.csv"] {
        assert_eq!(lab.tables("violating")[table], lab.tables("cold")[table]);
        assert_eq!(lab.tables("dying")[table], lab.tables("cold")[table]);
    }
}

#[test]
fn a_killed_campaign_leaves_no_worker_and_goes_on() {
    let lab = lab_with("| \"stale\" | \"crash\"");
    let config = lab.own_config(&[], CAMPAIGN);
    lab.run(&config, "undisturbed", &["--jobs", "2"]).expect(0);
    for text in ["words-bad/check", "words-bad/1/reduce", "words-bad/1/perses/ddset/generalize"] {
        lab.begin(&config, "killed", &["--jobs", "2"], text).kill();
        assert_eq!(lab.processes(), [""; 0]);
    }
    lab.run(&config, "killed", &["--jobs", "1"]).expect(0);
    assert_eq!(lab.tables("killed"), lab.tables("undisturbed"));
    assert_eq!(lab.scratch_folders(), 0);
}

#[test]
fn commands_use_workers_and_say_what_is_wrong_with_them() {
    let lab = lab_with("| \"stale\"");
    let subjects = lab.path("subjects").display().to_string();
    let run = |words: &[&str]| -> Run {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.args(words).args(["--subjects", &subjects]);
        lab.prepare(&mut command);
        command.output().unwrap().into()
    };
    let reduce = ["reduce", "--bug", "words-bad"];
    let reduced = run(&reduce).expect(0).stdout;
    let checked = run(&["check", "words"]).expect(0).stdout;
    assert!(checked.contains("failing input \"fine 12 bad odd\" in a worker: expected fail"), "{checked}");
    lab.edit("subjects/words/subject.toml", "\"--worker\"", "\"--worker-dies\"");
    let without = run(&reduce).expect(0);
    assert_eq!(without.stdout, reduced);
    let told = "error: no worker can be started: it ended with exit 3; its last words: on purpose; inputs are judged \
                by fresh processes\n";
    assert_eq!(without.stderr.matches(told).count(), 2, "{}", without.stderr);
    assert!(!run(&["reduce", "--no-workers", "--bug", "words-bad"]).expect(0).stderr.contains("worker"));
    let generalize = ["generalize", "--checks", "10", "--bug", "words-bad"];
    let generalized = run(&generalize).expect(0);
    assert!(generalized.stdout.contains("<word> is \"<bad>\""), "{generalized:?}");
    let checked = run(&["check", "words"]).expect(4).stdout;
    assert!(checked.contains("in a worker: expected fail, saw it ended with exit 3"), "{checked}");
    run(&["check", "words", "--no-workers"]).expect(0);
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn failing_checks_of_which_no_held_out_inputs_are_made_are_named() {
    let lab = lab_with("| \"stale\"");
    let checks = "check = [{ input = \"fine  bad\", exit = 1 }, { input = \"bad\", exit = 1 }, ";
    lab.edit("subjects/words/subject.toml", "check = [", checks);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_grambench"));
    command.args(["check", "words", "--subjects"]).arg(lab.path("subjects"));
    lab.prepare(&mut command);
    let checked = Run::from(command.output().unwrap()).expect(0).stdout;
    let notes: Vec<&str> = checked.lines().filter(|line| line.starts_with("words: note: ")).collect();
    let [note] = notes[..] else { panic!("{checked}") };
    assert!(note.contains("the grammar `default`") && note.contains("check \"fine  bad\""), "{note}");
}
