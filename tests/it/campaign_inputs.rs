//! What a run tells beyond its tables: the inputs behind the figures, statistics over repetitions, and parts of a plan that
//! are run again.

use std::collections::BTreeMap;
use std::process::Command;

use crate::support::*;
use grambench::stage::{Results, Task};
use grambench::store::Store;

fn inputs(lab: &Lab, more: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
    lab.prepare(&mut command);
    command.arg("inputs").arg(lab.path("results")).args(more);
    command.output().unwrap().into()
}

/// The lines of `grambench inputs --format json` for a task.
fn lines(lab: &Lab, task: &str, more: &[&str]) -> Vec<BTreeMap<String, serde_json::Value>> {
    let run = inputs(lab, &[&["--format", "json", task], more].concat()).expect(0);
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_inputs_behind_every_figure_can_be_had() {
    let lab = Lab::new();
    // Weird on purpose: an even number of digits with a zero passes, so that F has escapes and mistakes.
    lab.add_script_subject("digits", "case $1 in *0*0*) exit 0;; *0*) exit 3;; esac\n");
    let config = lab.own_config(&["digits-zero"], SMALL);
    lab.run(&config, "results", &[]).expect(0);
    let store = Store::read(&lab.path("results").join(Store::FILE_NAME)).unwrap();
    let results = Results::read(&store).unwrap();
    let (mut tasks, mut misjudged) = (0, 0);
    for row in &results.tasks {
        // The subject has no corpus.
        let is_corpus = row.name.ends_with("corpus");
        if is_corpus || matches!(row.task, Task::Check(_) | Task::Specialize(_)) {
            continue;
        }
        tasks += 1;
        let all = lines(&lab, &row.name, &[]);
        // Nothing that was judged is unknown: as many as the task counted, in the order of judging, each once.
        // Of planted inputs and neighbours, those of the manifest with which they begin count, but are none of them.
        let executions = row.cost.unwrap().executions;
        if row.name.ends_with("planted") || row.name.ends_with("neighbours") {
            assert!(all.len() as u64 <= executions, "{}", row.name);
        } else if !row.name.ends_with("seen") {
            assert_eq!(all.len() as u64, executions, "{}", row.name);
        }
        let numbers: Vec<u64> = all.iter().map(|line| line["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=all.len() as u64).collect::<Vec<_>>());
        let of_verdict = |verdict: &str| lines(&lab, &row.name, &["--verdict", verdict]).len();
        let sum: usize = ["fail", "pass", "unresolved", "timeout"].map(of_verdict).iter().sum();
        assert_eq!(sum, all.len());
        // The same that errors.csv tells.
        let wrong = lines(&lab, &row.name, &["--misjudged"]);
        let rows = lab.rows("results", "errors.csv", &[("task", &row.name)]);
        let told: Vec<_> = rows.iter().filter(|row| !row["verdict"].is_empty()).collect();
        let shown = |line: &BTreeMap<String, serde_json::Value>| {
            (line["input"].as_str().unwrap().to_owned(), line["verdict"].as_str().unwrap().to_owned())
        };
        let told: Vec<_> = told.iter().map(|row| (row["input"].clone(), row["verdict"].clone())).collect();
        assert_eq!(wrong.iter().map(shown).collect::<Vec<_>>(), told, "{}", row.name);
        misjudged += wrong.len();
    }
    assert_eq!(tasks, 9);
    assert!(misjudged > 0);
    let row = &lab.rows("results", "recognizing.csv", &[("source", "neighbours")])[0];
    let held_out = lines(&lab, "recognize neighbours", &[]);
    let of = |word: &str| held_out.iter().filter(|line| line["verdict"] == word).count().to_string();
    assert_eq!((of("fail"), of("pass")), (row["fail_inputs"].clone(), row["pass_inputs"].clone()));
    assert!(held_out.iter().all(|line| line["source"] == "neighbours"));

    assert!(
        inputs(&lab, &["--list"]).expect(0).stdout.contains("\tdigits-zero/1/perses/ddset/recognize seen\n")
    );
    let error = inputs(&lab, &["digits-zero/1/redcue perses"]).expect(2).stderr;
    assert!(error.contains("no task of the run matches") && error.contains("did you mean"), "{error}");
    // What a check judged, which are no executions.
    let checked = inputs(&lab, &["digits-zero/check"]).expect(0).stdout;
    assert_eq!(checked, "fail\tcheck\t102\npass\tcheck\t12\n");
    assert!(
        inputs(&lab, &["digits-zero/1/perses/ddset/specialize automaton"])
            .expect(2)
            .stderr
            .contains("has no input judged")
    );
}

#[test]
fn figures_over_repetitions_stand_beside_the_pooled_ones() {
    let lab = Lab::new();
    lab.add_script_subject("digits", ZERO_FAILS);
    let config = lab.own_config(&["digits-zero"], SMALL);
    lab.run(&config, "one", &[]).expect(0);
    assert_eq!(lab.rows("one", "repetitions.csv", &[]), [], "nothing is repeated");
    lab.run(&config, "results", &["--repetitions", "3"]).expect(0);
    let repeated = lab.rows("results", "producing.csv", &[]);
    let numbers: Vec<&str> = repeated.iter().map(|row| &*row["repetition"]).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    for (table, figure, column) in
        [("abstracting", "executions", "executions"), ("producing", "fail", "fail_failed")]
    {
        let [row] = &lab.rows("results", "repetitions.csv", &[("table", table), ("figure", figure)])[..]
        else {
            panic!("one row")
        };
        let rows = lab.rows("results", &format!("{table}.csv"), &[]);
        let sum: u64 = rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum();
        assert_eq!((&*row["repetitions"], &*row["pooled_count"]), ("3", &*sum.to_string()), "{row:?}");
        let mean = match row["unit"].as_str() {
            "count" => sum as f64 / 3.0,
            _ => rows.iter().map(|row| row["fail_pct"].parse::<f64>().unwrap()).sum::<f64>() / 3.0,
        };
        let found = |column: &str| row[column].parse::<f64>().unwrap();
        assert!((found("mean") - mean).abs() < 0.06, "{mean} {row:?}");
        assert!(found("low") <= found("mean") && found("mean") <= found("high") && found("deviation") >= 0.0);
    }
}

#[test]
fn a_part_that_is_run_again_leaves_the_whole_tables() {
    let lab = Lab::new();
    lab.add_script_subject("digits", ZERO_FAILS);
    lab.add_script_subject("other", ZERO_FAILS);
    let config = lab.own_config(&["digits-zero", "other-zero"], SMALL);
    lab.run(&config, "results", &["--only", "digits"]).expect(0);
    let part = lab.rows("results", "producing.csv", &[]);
    assert_eq!(part.len(), 1, "in a new folder there is nothing else");
    lab.run(&config, "results", &[]).expect(0);
    let whole = lab.tables("results");
    assert_eq!(lab.rows("results", "producing.csv", &[]).len(), 2);
    let run = lab.run(&config, "results", &["--only", "other"]).expect(0);
    assert_eq!(lab.tables("results"), whole);
    assert!(run.stderr.contains("[11/12]") || run.stderr.contains("[12/12]"), "{}", run.stderr);
}

#[test]
fn a_rebuilt_program_does_not_go_on_with_the_store_of_another_one() {
    let lab = Lab::new();
    lab.add_script_subject("digits", ZERO_FAILS);
    let config = lab.own_config(&["digits-zero"], SMALL);
    lab.run(&config, "results", &["--only", "check"]).expect(0);
    // The same program but for a few bytes at its end, as another build would be.
    let mut program = std::fs::read(env!("CARGO_BIN_EXE_grambench")).unwrap();
    program.extend(b"rebuilt");
    let rebuilt = lab.add_program("grambench", &program);
    let run = |more: &[&str]| {
        let mut command = Command::new(&rebuilt);
        command.arg("run").arg(&config).arg("--output").arg(lab.path("results")).args(more);
        lab.prepare(&mut command);
        Run::from(command.output().unwrap())
    };
    let refused = run(&[]).expect(2).stderr;
    assert!(refused.contains("built anew") && refused.contains("--fresh"), "{refused}");
    lab.run(&config, "results", &["--only", "check"]).expect(0);
    run(&["--fresh"]).expect(0);
}
