//! Where standard error is no terminal, a reduction that takes long says now and then how far it is.

use std::fs;
use std::process::Command;

#[test]
fn a_long_reduction_is_not_silent_unless_it_is_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    fs::write(&input, "one\ntwo\nthree\nfour\nfive\nsix\n").unwrap();
    let start = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.args(["reduce", "--reducer", "ddmin", "--max-executions", "6", "--fail-on", "exit 0"]);
        command.arg("--input").arg(&input).args(more).args(["--", "sh", "-c", "sleep 2; grep -q five"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let runs = [start(&[]), start(&["--quiet"])];
    let [told, quiet] = runs.map(|run| String::from_utf8(run.wait_with_output().unwrap().stderr).unwrap());
    let line = told.lines().find(|line| line.contains("] reduction: ")).unwrap_or_else(|| panic!("{told}"));
    assert!(line.starts_with("[  0:1") && line.ends_with(" of 28 bytes"), "{line}");
    assert!(!quiet.contains("reduction: ") && quiet.contains("executions"), "{quiet}");
}
