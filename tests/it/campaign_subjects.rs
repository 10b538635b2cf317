//! Subjects that are unfit, or that misbehave, are rows of the tables and not the end of a campaign.

use crate::support::*;

/// How the subjects say their version.
const VERSION_CHECK: &str = "[version_check]
argv = [\"/bin/sh\", \"{subject}/run.sh\", \"--version\"]
output = \"script 1\"
";

const SCRIPT: &str = "case $1 in *0*) exit 3;; --version) echo script 1;; esac\n";

fn add_subject(lab: &Lab, name: &str, from: &str, to: &str) {
    lab.add_script_subject(name, SCRIPT);
    let manifest = format!("subjects/{name}/subject.toml");
    lab.edit(&manifest, "[[bug]]", &format!("{VERSION_CHECK}[[bug]]"));
    lab.edit(&manifest, from, to);
}

#[test]
fn unfit_subjects_are_rows_and_are_tried_again() {
    let lab = Lab::without_builds();
    add_subject(&lab, "good", "\"1\"", "\"1\"");
    let alone = lab.own_config(&[], SMALL);
    lab.run(&alone, "alone", &[]).expect(0);

    let program = lab.path("later");
    let build = "\n[prepare]\nscript = \"prepare.sh\"\n[run]";
    add_subject(&lab, "passes", "\"102\"", "\"132\"");
    add_subject(&lab, "fails", "\"12\"", "\"120\"");
    add_subject(
        &lab,
        "gone",
        "\"/bin/sh\", \"{subject}/run.sh\", \"{input}\"",
        &format!("{program:?}, \"{{input}}\""),
    );
    add_subject(&lab, "older", "\"script 1\"", "\"script 2\"");
    add_subject(&lab, "unparsed", "\"102\"", "\"1O2, 0\"");
    add_subject(&lab, "unread", "\"1\"", "\"1\"");
    lab.write("subjects/unread/digits.ebnf", "<start> ::= <digit>+\n");
    add_subject(&lab, "unbuilt", "[run]", build);
    lab.write("subjects/unbuilt/prepare.sh", &format!("echo no luck; [ -e {} ]\n", program.display()));
    let wanting = "\n[prepare]\nscript = \"prepare.sh\"\nneeds = [\"no-such-compiler\"]\n[run]";
    add_subject(&lab, "wanting", "[run]", wanting);
    lab.write("subjects/wanting/prepare.sh", "true\n");
    add_subject(&lab, "wrong", "passing", "expression = '<start F> where <strat F> is \"0\"'\npassing");
    let config = lab.own_config(&[], SMALL);

    let first = lab.run(&config, "results", &["--jobs", "2"]).expect(4);
    let again = lab.run(&config, "results", &["--jobs", "2"]).expect(4);
    for run in [&first, &again] {
        for name in ["passes", "fails", "gone", "older", "unparsed", "unread", "unbuilt", "wanting"] {
            assert!(run.stderr.contains(&format!("{name}-zero/check: FAILED: ")), "{name}: {}", run.stderr);
        }
        assert!(run.stderr.contains("complete, but for tasks that need one that failed"), "{}", run.stderr);
    }
    assert!(!again.stderr.contains("good-zero/"), "{}", again.stderr);
    for (name, reason) in [
        ("passes", "failing input \"132\": expected fail, saw pass"),
        ("fails", "passing input \"120\": expected pass, saw fail"),
        ("gone", "there is no program"),
        ("older", "version: expected \"script 2\", saw exit 0, \"script 1\""),
        ("unparsed", "input of unparsed-zero"),
        ("unread", "did you mean"),
        ("unbuilt", "no luck"),
        ("wanting", "`no-such-compiler` is not on PATH"),
    ] {
        let unfit = lab.rows("results", "errors.csv", &[("subject", name), ("kind", "unfit")]);
        assert_eq!(unfit.len(), 1, "{name}");
        assert!(name == "unread" || unfit[0]["detail"].contains(reason), "{unfit:?}");
        let row = &lab.rows("results", "producing.csv", &[("subject", name)])[0];
        assert!(row["error"].contains("unfit: ") && row["fail_inputs"].is_empty(), "{row:?}");
    }
    let wrong = lab.rows("results", "errors.csv", &[("subject", "wrong"), ("kind", "error")]);
    assert!(wrong[0]["detail"].contains("did you mean"), "{wrong:?}");
    for table in ["producing.csv", "recognizing.csv", "abstracting.csv"] {
        assert_eq!(
            lab.rows("results", table, &[("subject", "good")]),
            lab.rows("alone", table, &[("subject", "good")])
        );
    }

    // What was missing is there now, and what was wrong is right.
    lab.add_program("later", format!("#!/bin/sh\n{SCRIPT}").as_bytes());
    lab.edit("subjects/older/subject.toml", "script 2", "script 1");
    lab.edit("subjects/unparsed/subject.toml", "1O2, 0", "102");
    for name in ["passes", "fails", "unread", "wanting"] {
        std::fs::remove_dir_all(lab.path(&format!("subjects/{name}"))).unwrap();
    }
    let run = lab.run(&config, "results", &["--quiet"]).expect(3);
    assert!(run.stderr.contains("wrong-zero/1/specialize automaton: FAILED: "), "{}", run.stderr);
    assert!(!run.stderr.contains("good-zero") && run.stdout.is_empty(), "{run:?}");
    assert_eq!(lab.rows("results", "errors.csv", &[("kind", "unfit")]), []);
    for name in ["gone", "older", "unparsed", "unbuilt"] {
        let row = &lab.rows("results", "producing.csv", &[("subject", name)])[0];
        assert_eq!((&*row["pass_inputs"], &*row["error"]), ("10", ""), "{row:?}");
    }
}

#[test]
fn the_papers_rules_decide_in_a_campaign_that_says_so() {
    let lab = Lab::new();
    let title = "title = \"a zero\"";
    let paper = |exit| format!("paper_verdict = [{{ exit = {exit}, is = \"fail\" }}]\n{title}");
    add_subject(&lab, "alike", title, &paper(3));
    add_subject(&lab, "without", title, title);
    add_subject(&lab, "odd", title, &paper(0));
    let config = lab.own_config(&[], SMALL);
    lab.run(&config, "own", &[]).expect(0);
    let config = lab.own_config(&[], &format!("{SMALL}[oracle]\nverdict = \"paper\"\n"));
    // Verdicts of the two readings are never mixed: the store of one is not that of the other.
    let refused = lab.run(&config, "own", &[]).expect(2);
    assert!(refused.stderr.contains("`oracle.verdict`"), "{}", refused.stderr);
    let run = lab.run(&config, "paper", &[]).expect(4);
    assert!(run.stderr.contains("passing input \"12\": expected pass, saw fail"), "{}", run.stderr);
    let version = |results, bug| lab.rows(results, "producing.csv", &[("bug", bug)])[0]["version"].clone();
    assert_eq!(version("own", "alike-zero"), "1");
    assert_eq!(version("paper", "alike-zero"), "1; verdicts of the papers");
    assert_eq!(version("paper", "without-zero"), "1", "it has no other rules");
}

#[test]
fn a_program_that_was_replaced_between_two_runs_is_noticed() {
    let lab = Lab::new();
    let program = lab.path("program");
    add_subject(&lab, "outside", "{subject}/run.sh", &program.display().to_string());
    let config = lab.own_config(&[], SMALL);
    lab.write("program", SCRIPT);
    lab.run(&config, "results", &["--only", "reduce"]).expect(0);
    lab.write("program", &SCRIPT.replace("script 1", "script 2"));
    let run = lab.run(&config, "results", &[]).expect(3);
    assert!(
        run.stderr.contains("generalize: FAILED: unfit: version: expected \"script 1\""),
        "{}",
        run.stderr
    );
    lab.write("program", SCRIPT);
    lab.run(&config, "results", &[]).expect(0);
}

#[test]
fn verdicts_on_a_program_that_misbehaves_are_counted_as_configured() {
    let lab = Lab::new();
    let configs = ["pass", "unresolved", "fail"].map(|timeout_as| {
        let config = lab.config(&["modes"], &format!("[oracle]\ntimeout_as = \"{timeout_as}\"\n"));
        let own = config.with_file_name(format!("{timeout_as}.toml"));
        std::fs::rename(config, &own).unwrap();
        (timeout_as, own)
    });
    std::thread::scope(|scope| {
        for (timeout_as, config) in &configs {
            scope.spawn(|| lab.run(config, timeout_as, &["--jobs", "2"]).expect(0));
        }
    });
    assert_eq!(lab.processes(), [""; 0]);
    assert_eq!(lab.scratch_folders(), 0);
    assert!(!fs_has_written(&lab), "the sandbox holds");
    // Of the nine modes of not F, two do not end, and two are stopped because of what they do.
    for (timeout_as, inputs, passed) in [("pass", "7", "7"), ("unresolved", "5", "5"), ("fail", "7", "5")] {
        let row = &lab.rows(timeout_as, "producing.csv", &[("bug", "modes")])[0];
        let cells =
            ["fail_inputs", "fail_failed", "pass_inputs", "pass_passed", "pass_unresolved", "pass_timeout"];
        let of_limits = ["pass_unresolved_output", "pass_timeout_wall"].map(|cell| &*row[cell]);
        assert_eq!(of_limits, ["1", "2"], "one writes too much, two wait; {timeout_as}");
        let unresolved = if timeout_as == "unresolved" { "4" } else { "2" };
        let expected = ["3", "3", inputs, passed, unresolved, "2"];
        assert_eq!(cells.map(|cell| &*row[cell]), expected, "{timeout_as}");
        let escapes: Vec<String> = lab
            .rows(timeout_as, "errors.csv", &[("kind", "escape")])
            .iter()
            .map(|row| format!("{} {} {}", row["input"], row["verdict"], row["detail"]))
            .collect();
        let hanging = ["deaf", "hang"]
            .map(|mode| format!("{mode} timeout made from not F, failed: timeout (wall-clock time)"));
        let mut sorted = escapes.clone();
        sorted.sort();
        assert_eq!(sorted, if timeout_as == "fail" { hanging.to_vec() } else { Vec::new() });
    }
}

/// Whether a program has written outside its scratch folder.
fn fs_has_written(lab: &Lab) -> bool {
    let builds = std::fs::read_dir(lab.cache().join("builds")).unwrap();
    builds.flatten().any(|build| build.path().join("written").exists())
}

#[test]
fn fewer_inputs_than_asked_for_are_a_warning() {
    let lab = Lab::new();
    let subjects = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let config = lab.config_in(&subjects, &["middle"], "");
    let run = lab.run(&config, "results", &[]).expect(0);
    let text = "1 of 100 inputs: no more distinct ones with a verdict came from F";
    let task = "middle/1/perses/ddset/automaton/produce limit F";
    assert!(run.stderr.contains(&format!("warning: {task}: {text}")), "{}", run.stderr);
    // The other one is of the instances.
    assert!(run.stdout.contains("2 warnings"), "{}", run.stdout);
    let warnings = lab.rows("results", "errors.csv", &[("kind", "warning")]);
    let told: Vec<_> = warnings.iter().map(|row| (&*row["task"], &*row["detail"])).collect();
    assert!(told.len() == 2 && told.contains(&(task, text)), "{told:?}");
    lab.run(&config, "results", &[]).expect(0);
    assert_eq!(lab.rows("results", "errors.csv", &[("kind", "warning")]), warnings);
}

#[test]
fn a_broken_subject_that_does_not_take_part_is_no_reason_to_stop() {
    let lab = Lab::without_builds();
    lab.add_script_subject("good", ZERO_FAILS);
    lab.add_script_subject("bad", ZERO_FAILS);
    lab.edit("subjects/bad/subject.toml", "version", "verison");
    let config = lab.own_config(&["good-zero"], SMALL);
    lab.run(&config, "results", &["--only", "check"]).expect(0);
    // It might have bugs that these patterns mean.
    for bugs in [&["*-zero"][..], &["good-zero", "bad-zero"], &[]] {
        let config = lab.own_config(bugs, SMALL);
        let run = lab.run(&config, "others", &["--only", "check"]).expect(2);
        assert!(run.stderr.contains("`verison`"), "{}", run.stderr);
    }
}
