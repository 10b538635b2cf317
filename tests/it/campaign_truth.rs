//! What is measured stays true: a program that is replaced meanwhile, one that is not deterministic, a
//! store that is damaged, a disk that is full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::*;
use grambench::base::random_stream::RandomStream;

/// A lab with a subject whose program is a script, and a config of it.
fn digits(script: &str, more: &str) -> (Lab, PathBuf) {
    let lab = Lab::without_builds();
    lab.add_script_subject("digits", script);
    let config = lab.own_config(&["digits-zero"], more);
    (lab, config)
}

#[test]
fn what_a_replaced_program_said_is_not_used() {
    let slow = format!("sleep 0.01\n{ZERO_FAILS}");
    let (lab, config) = digits(&slow, SMALL);
    lab.run(&config, "undisturbed", &[]).expect(0);
    let running = lab.begin(&config, "results", &["--jobs", "2"], "digits-zero/1/reduce perses");
    // Another program, which fails on everything.
    lab.write("subjects/digits/new.sh", "exit 3\n");
    fs::rename(lab.path("subjects/digits/new.sh"), lab.path("subjects/digits/run.sh")).unwrap();
    let run = running.wait().expect(3);
    assert!(run.stderr.contains("was replaced while it was measured"), "{}", run.stderr);
    let errors = lab.rows("results", "errors.csv", &[("kind", "error")]);
    assert!(!errors.is_empty());
    for row in &errors {
        assert!(row["detail"].contains("run.sh` is not what it was"), "{row:?}");
    }
    assert_eq!(lab.rows("results", "producing.csv", &[("bug", "digits-zero"), ("fail_inputs", "")]).len(), 1);

    // With the first program in its place the campaign goes on, as if nothing had been.
    lab.write("subjects/digits/run.sh", &slow);
    lab.run(&config, "results", &[]).expect(0);
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
}

#[test]
fn a_program_of_the_system_that_was_replaced_between_runs_is_reported() {
    let (lab, config) = digits(ZERO_FAILS, SMALL);
    let mut content = fs::read("/bin/sh").unwrap();
    let program = lab.add_program("program", &content);
    lab.edit("subjects/digits/subject.toml", "/bin/sh", program.to_str().unwrap());
    lab.run(&config, "results", &["--only", "reduce"]).expect(0);
    content.push(0);
    fs::remove_file(&program).unwrap();
    lab.add_program("program", &content);
    let run = lab.run(&config, "results", &[]).expect(3);
    assert!(run.stderr.contains("is not the one that earlier results are of"), "{}", run.stderr);
    assert!(run.stderr.contains("--fresh"), "{}", run.stderr);
    lab.run(&config, "results", &["--fresh"]).expect(0);
}

#[test]
fn a_program_that_is_not_deterministic_is_reported() {
    // It errs every other time, but not while it is looked whether it is fit.
    let script = "case $1 in 102|12) ;; *)
        read -r id < /proc/sys/kernel/random/uuid || exit 9; case $id in [0-7]*) exit 3;; esac;; esac\n";
    let (lab, config) = digits(&format!("{script}{ZERO_FAILS}"), "[oracle]\nrepeated = 0.2\n");
    let run = lab.run(&config, "results", &["--quiet"]).expect(3);
    assert!(run.stderr.contains("warning: digits-zero: flaky: "), "{}", run.stderr);
    let rows = lab.rows("results", "repeating.csv", &[("bug", "digits-zero"), ("flaky", "yes")]);
    assert_eq!(rows.len(), 1);
    let number = |column: &str| rows[0][column].parse::<u32>().unwrap();
    assert!(number("repeated_inputs") >= 20 && number("repeated_agreed") < number("repeated_inputs"));
    let told = lab.rows("results", "errors.csv", &[("kind", "flaky"), ("bug", "digits-zero")]);
    assert_eq!(told.len(), 1);
    assert!(told[0]["detail"].contains("judged again"), "{told:?}");
    for row in lab.rows("results", "recognizing.csv", &[("bug", "digits-zero")]) {
        assert!(row["error"].contains("flaky: ") || row["fail_inputs"].is_empty(), "{row:?}");
    }
    // That nobody wants to know makes no figure of it.
    let config = lab.own_config(&["digits-zero"], "[oracle]\nrepeated = 0.2\nflaky = 1\n");
    lab.run(&config, "results", &[]);
    assert_eq!(lab.rows("results", "repeating.csv", &[("flaky", "no"), ("error", "")]).len(), 1);
}

#[test]
fn inputs_are_repeated_the_same_way_for_any_number_of_jobs_and_are_no_executions() {
    let (lab, config) = digits(ZERO_FAILS, "[oracle]\nrepeated = 0.1\n");
    let read = |results: &str| fs::read_to_string(lab.path(results).join("repeating.csv")).unwrap();
    let executions = |results: &str| {
        let rows = lab.rows(results, "timings.csv", &[]);
        rows.into_iter().map(|row| (row["task"].clone(), row["executions"].clone())).collect::<Vec<_>>()
    };
    for jobs in ["1", "8"] {
        lab.run(&config, jobs, &["--jobs", jobs]).expect(0);
    }
    assert_eq!((read("1"), executions("1")), (read("8"), executions("8")));
    assert_eq!(lab.rows("1", "repeating.csv", &[("flaky", "no"), ("repeated_pct", "100.0")]).len(), 1);
    let config = lab.own_config(&["digits-zero"], "[oracle]\nrepeated = 0\n");
    lab.run(&config, "none", &[]).expect(0);
    assert_eq!(executions("none"), executions("1"));
    assert_eq!(lab.rows("none", "repeating.csv", &[("repeated_inputs", "0")]).len(), 1);
}

/// A small campaign of the builtin subjects.
fn builtin(lab: &Lab) -> PathBuf {
    lab.config_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects"), &["square-root"], SMALL)
}

#[test]
fn a_damaged_store_is_an_error_or_makes_no_difference() {
    let lab = Lab::new();
    let config = builtin(&lab);
    lab.run(&config, "results", &["--quiet"]).expect(0);
    let tables = lab.tables("results");
    let store = lab.path("results/campaign.sqlite");
    let whole = fs::read(&store).unwrap();
    let mut stream = RandomStream::derive(3, "damage");
    let mut refused = 0;
    for _ in 0..150 {
        let mut bytes = whole.clone();
        let place = stream.below(bytes.len());
        bytes[place] ^= 1 << stream.below(8);
        fs::write(&store, &bytes).unwrap();
        for log in ["campaign.sqlite-wal", "campaign.sqlite-shm"] {
            let _ = fs::remove_file(lab.path("results").join(log));
        }
        let run = lab.run(&config, "results", &["--quiet"]);
        assert!(!run.stderr.contains("panicked"), "byte {place}: {}", run.stderr);
        match run.code {
            Some(0) => assert_eq!(lab.tables("results"), tables, "byte {place}"),
            Some(2) => {
                refused += 1;
                assert!(run.stderr.contains("campaign.sqlite"), "byte {place}: {}", run.stderr);
                assert!(run.stderr.contains("--"), "byte {place} has no way out: {}", run.stderr);
                // It is thrown away, unless nobody can say that it was ours.
                let is_ours = bytes[68..72] == *b"grmb";
                if is_ours && refused % 8 == 0 {
                    lab.run(&config, "results", &["--quiet", "--fresh"]).expect(0);
                    assert_eq!(lab.tables("results"), tables, "byte {place}");
                }
            }
            _ => panic!("byte {place}: {run:?}"),
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn an_output_folder_is_a_path_whatever_it_is_called() {
    let lab = Lab::new();
    let config = builtin(&lab);
    for name in ["file:x?mode=memory", "file:%41#b", "a?b&c", "a\nb"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.arg("run").arg(&config).args(["--output", name, "--quiet"]);
        lab.prepare(&mut command);
        let run: Run = command.current_dir(lab.path("")).output().unwrap().into();
        run.expect(0);
        assert!(fs::metadata(lab.path(name).join("campaign.sqlite")).unwrap().len() > 10_000, "{name}");
    }
}

#[test]
fn a_campaign_goes_on_when_a_full_disk_has_room_again() {
    let lab = Lab::new();
    let config = builtin(&lab);
    lab.run(&config, "undisturbed", &["--quiet"]).expect(0);
    let mut command = Command::new("sh");
    // No file grows past 64 KiB, and that is an error and no signal.
    command
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 128; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_grambench"),
            "run",
        ])
        .arg(&config)
        .arg("--output")
        .arg(lab.path("results"))
        .stdin(Stdio::null());
    lab.prepare(&mut command);
    let run = Run::from(command.output().unwrap()).expect(2);
    assert!(run.stderr.contains("campaign.sqlite") && run.stderr.contains("make room"), "{}", run.stderr);
    lab.run(&config, "results", &["--quiet"]).expect(0);
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
}
