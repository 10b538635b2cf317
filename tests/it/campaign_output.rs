//! What a campaign prints, and where.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::*;
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn progress_is_lines_on_standard_error_and_tables_are_on_standard_output() {
    let lab = Lab::new();
    let config = lab.config(&["lists-zero"], SMALL);
    let run = lab.run(&config, "results", &["--jobs", "2"]).expect(0);
    let lines: Vec<&str> = run.stderr.lines().collect();
    assert!(lines.len() >= 9, "{}", run.stderr);
    for line in lines {
        assert!(line.starts_with('[') && !line.contains(['\x1b', '\r']), "{line:?}");
    }
    assert!(run.stdout.contains("Producing: ") && run.stdout.contains("Recognizing: "), "{}", run.stdout);
    assert!(!run.stdout.contains("lists-zero/check"), "{}", run.stdout);

    let quiet = lab.run(&config, "quiet", &["--quiet"]).expect(0);
    assert_eq!((&*quiet.stdout, &*quiet.stderr), ("", ""));
    assert_eq!(lab.tables("quiet"), lab.tables("results"));
}

#[test]
fn a_reader_that_goes_away_does_not_stop_a_campaign() {
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], SMALL);
    lab.run(&config, "undisturbed", &[]).expect(0);
    let mut child = lab.command(&config, "results", &[]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
}

#[test]
fn when_the_terminal_is_gone_a_campaign_can_still_be_interrupted() {
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], "[produce]\ninputs = 1000\n");
    let mut child = lab.command(&config, "results", &["--jobs", "1"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

/// The newest reference results of a config in the repository.
pub(super) fn reference(config: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference");
    let mut runs: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    runs.sort();
    runs.into_iter().rev().map(|run| run.join(config)).find(|run| run.is_dir()).unwrap()
}

#[test]
fn the_quick_campaign_gives_the_reference_results() {
    let lab = Lab::new();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/quick.toml");
    lab.run(&config, "results", &[]).expect(0);
    let mut report = Command::new(env!("CARGO_BIN_EXE_grambench"));
    report.args(["report", "--quiet", "--output"]).arg(lab.path("again")).arg(lab.path("results"));
    assert!(report.status().unwrap().success());
    assert_eq!(lab.tables("again"), lab.tables("results"));
    for (name, text) in lab.tables("results") {
        let wanted = fs::read_to_string(reference("quick").join(name)).unwrap();
        assert!(text == wanted, "{name} is not as in results/reference:\n{text}");
    }
}
