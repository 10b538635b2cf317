//! The same tables whatever the number of jobs, and however often a campaign was killed or interrupted;
//! and nothing is left of what it ran.

use std::path::Path;
use std::time::Duration;

use crate::support::*;
use grambench::base::random_stream::RandomStream;
use rustix::process::Signal;

const LISTS: [&str; 1] = ["lists-*"];

#[test]
fn the_tables_are_the_same_for_any_number_of_jobs() {
    let lab = Lab::new();
    let quick = Path::new("configs/quick.toml");
    let lists = lab.config(&LISTS, SMALL);
    for (name, config) in [("quick", quick), ("lists", &lists)] {
        for jobs in ["1", "2", "8"] {
            lab.run(config, &format!("{name}-{jobs}"), &["--jobs", jobs]).expect(0);
        }
        let tables = lab.tables(&format!("{name}-1"));
        assert_eq!(lab.tables(&format!("{name}-2")), tables);
        assert_eq!(lab.tables(&format!("{name}-8")), tables);
    }
    assert!(
        !lab.rows("lists-1", "totals.csv", &[("table", "producing")]).is_empty(),
        "the tables say something"
    );
    assert_eq!(lab.scratch_folders(), 0);
}

#[test]
fn the_tables_are_the_same_after_sigkill_at_any_moment() {
    let lab = Lab::new();
    let config = lab.config(&LISTS, "");
    lab.run(&config, "undisturbed", &["--jobs", "2"]).expect(0);
    let mut stream = RandomStream::derive(1, "moments");
    let mut kills = 0;
    for jobs in ["1", "2", "8"] {
        let results = format!("killed-{jobs}");
        for _ in 0..4 {
            let running = Running::new(lab.command(&config, &results, &["--jobs", jobs]));
            std::thread::sleep(Duration::from_millis(stream.below(300) as u64));
            running.kill();
            assert_eq!(lab.processes(), [""; 0]);
            kills += 1;
        }
        lab.run(&config, &results, &["--jobs", jobs]).expect(0);
        assert_eq!(lab.tables(&results), lab.tables("undisturbed"), "after {kills} kills");
        assert_eq!(lab.scratch_folders(), 0, "the next start removes what a killed one left");
    }
}

#[test]
fn a_killed_build_is_ended_by_the_next_one() {
    let lab = Lab::without_builds();
    lab.copy_subject("lists");
    lab.edit("subjects/lists/prepare.sh", "cc -o", "echo the long part; [ -e ../go ] || sleep 600; cc -o");
    let config = lab.own_config(&["lists-zero"], SMALL);
    lab.begin(&config, "results", &[], "the long part").kill();
    lab.write("subjects/go", "");
    lab.run(&config, "results", &[]).expect(0);
    assert_eq!(lab.processes(), [""; 0]);
    let names = std::fs::read_dir(lab.path("cache/builds")).unwrap();
    assert!(
        names
            .map(|name| name.unwrap().file_name())
            .all(|name| !name.to_str().unwrap().contains("unfinished"))
    );
}

#[test]
fn an_interrupted_campaign_has_tables_and_goes_on() {
    let lab = Lab::new();
    let config = lab.config(&["lists-zero", "modes"], SMALL);
    lab.run(&config, "undisturbed", &["--jobs", "2"]).expect(0);
    // The next task after this one hangs for a while: there is time to interrupt it.
    let running = lab.begin(&config, "results", &["--jobs", "1"], "modes/1/automaton/produce limit F");
    running.signal(Signal::INT);
    let run = running.wait().expect(130);
    assert!(run.stderr.contains("stopping; again to stop at once"), "{}", run.stderr);
    assert!(run.stderr.contains("interrupted; the same command goes on from here"), "{}", run.stderr);
    assert_eq!(lab.processes(), [""; 0]);
    assert_eq!(lab.scratch_folders(), 0);
    let of_modes = lab.rows("results", "producing.csv", &[("bug", "modes")]);
    assert_eq!((&*of_modes[0]["fail_failed"], &*of_modes[0]["pass_inputs"]), ("3", ""), "{of_modes:?}");
    assert!(of_modes[0]["error"].contains("not run"), "{of_modes:?}");
    assert_eq!(lab.rows("results", "recognizing.csv", &[("error", "not run")]).len(), 4);

    let run = lab.run(&config, "results", &["--jobs", "2"]).expect(0);
    assert!(run.stderr.contains("going on where an earlier run ended"), "{}", run.stderr);
    assert!(!run.stderr.contains("lists-zero/"), "what is finished is not done again: {}", run.stderr);
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
    let run = lab.run(&config, "results", &[]).expect(0);
    assert!(run.stderr.contains("complete, 0 executions in this run"), "{}", run.stderr);
    assert_eq!(lab.tables("results"), lab.tables("undisturbed"));
}

#[test]
fn a_program_that_hangs_is_not_waited_for() {
    let lab = Lab::new();
    lab.copy_subject("modes");
    lab.edit("subjects/modes/subject.toml", "= \"1s\"", "= \"10m\"");
    let config = lab.own_config(&["modes"], SMALL);
    let running = lab.begin(&config, "results", &["--jobs", "1"], "modes/1/automaton/produce limit F");
    running.signal(Signal::INT);
    let run = running.wait().expect(130);
    assert!(run.stderr.contains("interrupted; the same command goes on from here"), "{}", run.stderr);
    assert!(!run.stderr.contains("FAILED"), "{}", run.stderr);
    assert_eq!(lab.rows("results", "producing.csv", &[("bug", "modes"), ("fail_failed", "3")]).len(), 1);
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn an_interrupted_build_is_ended() {
    let lab = Lab::without_builds();
    lab.copy_subject("lists");
    lab.edit("subjects/lists/prepare.sh", "cc -o", "echo the long part; sleep 600; cc -o");
    let config = lab.own_config(&["lists-zero"], SMALL);
    let running = lab.begin(&config, "results", &[], "the long part");
    running.signal(Signal::INT);
    running.wait().expect(130);
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
    assert_eq!(lab.rows("results", "errors.csv", &[]), [], "an interrupt is no error");
}

#[test]
fn interrupted_twice_a_campaign_ends_at_once() {
    let lab = Lab::new();
    lab.copy_subject("modes");
    lab.edit("subjects/modes/subject.toml", "= \"1s\"", "= \"10m\"");
    let config = lab.own_config(&["modes"], SMALL);
    for signal in [Signal::INT, Signal::TERM] {
        let mut running =
            lab.begin(&config, "results", &["--jobs", "1", "--fresh"], "modes/1/automaton/produce limit F");
        running.signal(signal);
        running.wait_for("stopping; again to stop at once");
        running.signal(signal);
        running.wait().expect(130);
        assert_eq!(lab.processes(), [""; 0]);
    }
    lab.run(&config, "results", &["--only", "modes/check"]).expect(0);
    assert_eq!(lab.scratch_folders(), 0, "the next start removes what was left");
}

/// A file system that is full, as a program sees it: a write that fails.
#[test]
fn a_disk_that_is_full_ends_a_campaign_which_goes_on_when_there_is_room() {
    let lab = Lab::new();
    let config = lab.config(&LISTS, "");
    lab.run(&config, "undisturbed", &["--jobs", "2"]).expect(0);
    let whole = std::fs::metadata(lab.path("undisturbed/campaign.sqlite")).unwrap().len();
    let mut refused = 0;
    for part in [8, 4, 2] {
        let mut command = lab.command(&config, "full", &["--jobs", "2"]);
        // No file may be larger; instead of the signal, the write fails. Both are inherited.
        let limits = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", whole / part / 512);
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", &limits, "sh"]).arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => limited.env(name, value),
                None => limited.env_remove(name),
            };
        }
        command = limited;
        let run = Run::from(command.output().unwrap());
        assert!(run.code != Some(0) && run.code.is_some(), "{run:?}");
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        refused += usize::from(run.stderr.contains("campaign.sqlite"));
        assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
    }
    assert!(refused > 0, "the store is what does not fit");
    lab.run(&config, "full", &["--jobs", "2"]).expect(0);
    assert_eq!(lab.tables("full"), lab.tables("undisturbed"));
}
