//! `run --checks N` takes the place of the config's number, in all that follows from it.

use std::path::{Path, PathBuf};

use crate::support::*;

/// Builtin ones: nothing is prepared, and no process is started.
const BUGS: [&str; 3] = ["expr-double-paren", "html-markup", "middle"];

/// A config with that many checks.
fn config(lab: &Lab, checks: usize) -> PathBuf {
    let more = format!(
        "generalize.checks = {checks}\ninstantiate.inputs = 10\nproduce.inputs = 10\n\
         recognize.inputs = 5\nrecognize.executions = 20\n"
    );
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let own = lab.path(&format!("{checks}.toml"));
    std::fs::rename(lab.config_in(&subjects, &BUGS, &more), &own).unwrap();
    own
}

/// The executions of each bug's generalization.
fn executions(lab: &Lab, results: &str) -> Vec<u64> {
    let of = |bug| match &lab.rows(results, "abstracting.csv", &[("bug", bug)])[..] {
        [row] => row["executions"].parse().unwrap(),
        rows => panic!("{rows:?}"),
    };
    BUGS.into_iter().map(of).collect()
}

#[test]
fn checks_of_the_command_line_are_as_good_as_those_of_the_config() {
    let lab = Lab::new();
    let (ten, hundred) = (config(&lab, 10), config(&lab, 100));
    lab.run(&ten, "ten", &[]).expect(0);
    lab.run(&hundred, "hundred", &[]).expect(0);
    lab.run(&hundred, "ten of the command line", &["--checks", "10"]).expect(0);
    assert_eq!(lab.tables("ten of the command line"), lab.tables("ten"));
    assert_ne!(lab.tables("ten"), lab.tables("hundred"));
    let pairs: Vec<(u64, u64)> =
        executions(&lab, "ten").into_iter().zip(executions(&lab, "hundred")).collect();
    assert!(pairs.iter().all(|(ten, hundred)| ten <= hundred), "{pairs:?}");
    // Whatever stands in two pairs of parentheses fails, so that many inputs are tried at least.
    assert!(pairs[0].0 >= 10 && pairs[0].0 < 100 && pairs[0].1 >= 100, "{pairs:?}");

    // What there is to do is the same.
    let plan = |config: &Path, more: &[&str]| {
        lab.run(config, "none", &[&["--list"], more].concat()).expect(0).stdout
    };
    assert_eq!(plan(&hundred, &["--checks", "10"]), plan(&ten, &[]));
    assert!(!lab.path("none").exists(), "a plan leaves no results");
}

#[test]
fn results_with_other_checks_are_not_gone_on_with() {
    let lab = Lab::new();
    let (ten, hundred) = (config(&lab, 10), config(&lab, 100));
    // A part, so that there is something left to do.
    lab.run(&hundred, "results", &["--checks", "10", "--only", "*/generalize"]).expect(0);
    let tables = lab.tables("results");
    for (config, more) in [(&hundred, &[][..]), (&hundred, &["--checks", "100"]), (&ten, &["--checks", "11"])]
    {
        let run = lab.run(config, "results", more).expect(2);
        let expected = "another campaign, which differs in `generalize.checks`;";
        assert!(run.stderr.contains(expected), "{more:?}: {}", run.stderr);
        assert!(run.stderr.contains("--output") && run.stderr.contains("--fresh"), "{}", run.stderr);
    }
    assert_eq!(lab.tables("results"), tables);
    // It is the number that matters, and not where it stands.
    lab.run(&ten, "results", &[]).expect(0);
    let again = lab.run(&hundred, "results", &["--checks", "10"]).expect(0);
    assert!(again.stderr.contains("complete, 0 executions in this run"), "{}", again.stderr);
    lab.run(&ten, "undisturbed", &[]).expect(0);
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
    // To begin anew is the way to the others.
    lab.run(&ten, "results", &["--checks", "100", "--fresh"]).expect(0);
    lab.run(&hundred, "hundred", &[]).expect(0);
    assert_eq!(lab.tables("results"), lab.tables("hundred"));
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}
