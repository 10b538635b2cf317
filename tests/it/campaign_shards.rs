//! Shards of a run, and what they come to when they are merged: the tables of the whole run.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::*;
use grambench::report::provenance::{Provenance, State};
use rustix::process::Signal;

/// `grambench merge` of these results into `output`.
fn merge(lab: &Lab, shards: &[&str], output: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
    lab.prepare(&mut command);
    command.args(["merge", "--quiet", "--output"]).arg(lab.path(output));
    command.args(shards.iter().map(|shard| lab.path(shard)));
    Run::from(command.output().unwrap())
}

/// What a run was made with.
fn provenance(folder: &Path) -> Provenance {
    Provenance::read(folder).unwrap().expect("each run has one")
}

#[test]
fn merged_shards_are_the_whole_run() {
    let lab = Lab::new();
    let bugs = ["expr-double-paren", "html-markup", "square-root", "middle", "json-check"];
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let config = lab.config_in(&subjects, &bugs, &format!("repetitions = 2\n{SMALL}"));
    lab.run(&config, "whole", &[]).expect(0);
    for shard in ["1/3", "2/3", "3/3"] {
        lab.run(&config, &format!("shard-{}", &shard[..1]), &["--shard", shard, "--jobs", "2"]).expect(0);
    }
    let listed = |shard: &str| {
        let run = lab.run(&config, "none", &["--list", "--shard", shard]).expect(0);
        run.stdout.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let mut parts: Vec<String> = ["1/3", "2/3", "3/3"].into_iter().flat_map(listed).collect();
    let mut whole: Vec<String> =
        lab.run(&config, "none", &["--list"]).expect(0).stdout.lines().map(str::to_owned).collect();
    parts.sort();
    whole.sort();
    assert_eq!(parts, whole, "each task is in one shard");

    // Two of three are not all: the rows of the others say so.
    merge(&lab, &["shard-1", "shard-3"], "merged").expect(3);
    assert_ne!(lab.tables("merged"), lab.tables("whole"));
    // The same again, overlapping, and in another order.
    merge(&lab, &["shard-3", "shard-2", "shard-1", "shard-2"], "merged").expect(0);
    assert_eq!(lab.tables("merged"), lab.tables("whole"));
    merge(&lab, &["shard-2", "whole"], "merged").expect(0);
    assert_eq!(lab.tables("merged"), lab.tables("whole"));
    assert_eq!(provenance(&lab.path("merged")).sittings.len(), 4);

    // The whole is a run as any other: it goes on, and there is nothing to do, and its inputs are shown.
    let run = lab.run(&config, "merged", &[]).expect(0);
    assert!(run.stderr.contains("complete, 0 executions in this run"), "{}", run.stderr);
    assert_eq!(lab.tables("merged"), lab.tables("whole"));
    let inputs = |results: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        lab.prepare(&mut command);
        Run::from(command.arg("inputs").arg(lab.path(results)).arg("*").output().unwrap()).expect(0).stdout
    };
    assert_eq!(inputs("merged"), inputs("whole"));

    // What was merged before it was done is replaced by what got further.
    lab.run(&config, "begun", &["--shard", "1/3", "--only", "generalize"]).expect(0);
    merge(&lab, &["begun"], "late").expect(3);
    merge(&lab, &["begun", "shard-3", "shard-1", "shard-2"], "late").expect(0);
    assert_eq!(lab.tables("late"), lab.tables("whole"));

    lab.run(&config, "other", &["--shard", "1/3", "--seed", "5"]).expect(0);
    let refused = merge(&lab, &["shard-1", "other"], "again").expect(2);
    assert!(refused.stderr.contains("they differ in the seed"), "{refused:?}");
    assert!(merge(&lab, &["shard-1"], "shard-1").expect(2).stderr.contains("the folder of the whole"));
    assert!(lab.run(&config, "x", &["--shard", "4/3"]).expect(2).stderr.contains("expected K/N"));
}

#[test]
fn a_merge_that_was_killed_is_made_good_by_the_next_one() {
    let lab = Lab::new();
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let bugs = ["expr-double-paren", "square-root", "middle"];
    let config = lab.config_in(&subjects, &bugs, &format!("repetitions = 3\n{SMALL}"));
    lab.run(&config, "whole", &[]).expect(0);
    lab.run(&config, "one", &["--shard", "1/2"]).expect(0);
    lab.run(&config, "two", &["--shard", "2/2"]).expect(0);
    for milliseconds in [5, 15, 30, 60] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        lab.prepare(&mut command);
        command.args(["merge", "--quiet", "--output"]).arg(lab.path("merged"));
        let mut killed = command.arg(lab.path("one")).arg(lab.path("two")).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        killed.kill().unwrap();
        killed.wait().unwrap();
    }
    merge(&lab, &["one", "two"], "merged").expect(0);
    assert_eq!(lab.tables("merged"), lab.tables("whole"));
}

#[test]
fn a_run_says_what_it_was_made_with_however_it_ends() {
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], "[produce]\ninputs = 300\n");
    let results = lab.path("results");
    let running = lab.begin(&config, "results", &["--jobs", "1"], "reduce");
    running.kill();
    let killed = provenance(&results);
    assert_eq!(
        (killed.sittings.len(), killed.sittings[0].state, killed.sittings[0].end),
        (1, State::Unfinished, None)
    );
    let running = lab.begin(&config, "results", &["--jobs", "1"], "generalize");
    running.signal(Signal::INT);
    running.wait().expect(130);
    let interrupted = provenance(&results);
    let last = interrupted.last().unwrap();
    assert_eq!((interrupted.sittings.len(), last.state), (2, State::Interrupted));
    assert!(last.end.unwrap() >= last.begin && last.tasks.done < last.tasks.planned, "{last:?}");

    lab.run(&config, "results", &["--jobs", "2"]).expect(0);
    let complete = provenance(&results);
    let last = complete.last().unwrap();
    assert_eq!((complete.sittings.len(), last.state, last.jobs), (3, State::Complete, 2));
    assert_eq!((last.tasks.done, last.tasks.failed), (last.tasks.planned, 0));
    assert_eq!(last.arguments[0], "run");
    assert_eq!(complete.config.text, fs::read_to_string(&config).unwrap());
    let [subject] = &complete.subjects[..] else { panic!("{complete:?}") };
    assert_eq!((&*subject.name, subject.grammars.len()), ("lists", 1));
    assert!(complete.grambench.digest.len() == 64 && !complete.machine.kernel.is_empty(), "{complete:?}");

    // The tables do not tell how often it was interrupted.
    lab.run(&config, "again", &[]).expect(0);
    assert_eq!(lab.tables("again"), lab.tables("results"));
    lab.run(&config, "results", &["--fresh"]).expect(0);
    assert_eq!(provenance(&results).sittings.len(), 1);
}

#[test]
fn events_are_lines_of_json() {
    let lab = Lab::new();
    let config = lab.config(&["lists-zero"], SMALL);
    let run = lab.run(&config, "results", &["--format", "json"]).expect(0);
    assert_eq!(run.stderr, "");
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).collect::<Vec<_>>();
    let ends = of("task_ended");
    assert_eq!(of("planned")[0]["tasks"], ends.len());
    assert_eq!(of("task_begun").len(), ends.len());
    assert!(ends.iter().all(|end| end["state"] == "done" && end["error"].is_null()), "{ends:?}");
    let last = lines.last().unwrap();
    assert_eq!((&last["event"], &last["state"]), (&"ended".into(), &"complete".into()));
    let runs: u64 = ends.iter().map(|end| end["runs"].as_u64().unwrap()).sum();
    assert_eq!(last["executions"], runs);
    assert!(lines.iter().all(|line| line["time"].as_str().unwrap().ends_with('Z')));
}

/// `scripts/nightly.sh` of a config.
fn nightly(lab: &Lab, config: &Path) -> Run {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/nightly.sh");
    let mut command = Command::new("sh");
    lab.prepare(&mut command);
    command
        .arg(script)
        .arg(config)
        .arg(lab.path("nightly"))
        .env("GRAMBENCH", env!("CARGO_BIN_EXE_grambench"));
    command.env("KEEP", "2");
    // Folders are called after the second in which a run begins.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    Run::from(command.output().unwrap())
}

#[test]
fn a_nightly_run_is_compared_with_the_last_good_one() {
    let lab = Lab::new();
    let config = lab.config(&["lists-zero"], SMALL);
    let good = || {
        fs::read_to_string(lab.path("nightly/config/good"))
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert!(nightly(&lab, &config).expect(0).stdout.contains("first run"));
    let second = nightly(&lab, &config).expect(0);
    assert!(second.stdout.contains("nothing worse"), "{second:?}");
    assert_eq!(good().len(), 2);

    // As if it had taken fewer executions before.
    let last = lab.path("nightly/config").join(good().last().unwrap());
    let table = last.join("abstracting.csv");
    let mut reader = csv::Reader::from_path(&table).unwrap();
    let header = reader.headers().unwrap().clone();
    let place = header.iter().position(|column| column == "executions").unwrap();
    let mut rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    rows[0][place] = "5".into();
    let mut writer = csv::Writer::from_path(&table).unwrap();
    writer.write_record(&header).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
    let third = nightly(&lab, &config).expect(1);
    assert!(third.stdout.contains("executions: 5 -> "), "{third:?}");
    assert_eq!(good().len(), 2, "a regression is not good");
    // It is told until it is gone; two runs are kept, and the good one.
    nightly(&lab, &config).expect(1);
    nightly(&lab, &config).expect(1);
    let folders = fs::read_dir(lab.path("nightly/config")).unwrap().flatten();
    let runs = folders.filter(|entry| entry.path().is_dir()).count();
    assert_eq!(runs, 3);
    for file in ["tables.txt", "provenance.json", "comparison.txt"] {
        assert!(last.join(file).exists(), "{file}");
    }

    // As with cron, whose PATH is short.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/nightly.sh");
    let mut command = Command::new("sh");
    command.arg(script).arg(&config).arg(lab.path("none")).env("GRAMBENCH", "no-such-program");
    let missing = Run::from(command.output().unwrap()).expect(2);
    assert!(missing.stderr.contains("no program `no-such-program`"), "{missing:?}");
    assert!(!lab.path("none").exists());

    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("inputs = 10", "inputs = 11")).unwrap();
    let other = nightly(&lab, &config).expect(2);
    assert!(other.stderr.contains("they differ in `produce.inputs`"), "{other:?}");
}
