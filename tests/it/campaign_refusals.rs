//! When a campaign must not begin or cannot go on, it says why, and what the way out is.

use std::process::Command;

use crate::programs::c_program;
use crate::support::*;

#[test]
fn two_runs_at_once_do_not_share_a_folder() {
    let lab = Lab::new();
    lab.copy_subject("modes");
    lab.edit("subjects/modes/subject.toml", "= \"1s\"", "= \"10m\"");
    let config = lab.own_config(&["modes"], SMALL);
    let first = lab.begin(&config, "results", &["--jobs", "1"], "modes/1/automaton/produce limit F");
    for fresh in [&[][..], &["--fresh"]] {
        let run = lab.run(&config, "results", fresh).expect(2);
        assert!(run.stderr.contains("another run is writing to the store"), "{}", run.stderr);
        assert!(run.stderr.contains("--output"), "{}", run.stderr);
    }
    lab.run(&config, "elsewhere", &["--only", "check"]).expect(0);
    first.kill();
    assert_eq!(lab.processes(), [""; 0]);
    lab.run(&config, "results", &["--only", "modes/check"]).expect(0);
}

#[test]
fn results_that_would_mix_are_refused() {
    let lab = Lab::new();
    lab.copy_subject("lists");
    lab.add_script_subject("script", ZERO_FAILS);
    let bugs = ["lists-zero", "script-zero"];
    let config = lab.own_config(&bugs, SMALL);
    lab.run(&config, "results", &[]).expect(0);
    let tables = lab.tables("results");
    let refused = |what: &str, more: &[&str]| {
        let run = lab.run(&config, "results", more).expect(2);
        let expected = format!("another campaign, which differs in {what};");
        assert!(run.stderr.contains(&expected), "{expected}\n{}", run.stderr);
        assert!(run.stderr.contains("--output") && run.stderr.contains("--fresh"), "{}", run.stderr);
    };
    refused("the seed", &["--seed", "2"]);
    refused("whether programs are confined", &["--no-sandbox"]);
    let subject = "subjects/lists/subject.toml";
    for (file, from, to, what) in [
        ("config.toml", "checks = 10", "checks = 11", "`generalize.checks`"),
        (
            "config.toml",
            "[generalize]",
            "[oracle]\ntimeout_as = \"fail\"\n[generalize]",
            "`oracle.timeout_as`",
        ),
        ("config.toml", "bugs", "reducers = [\"ddmin\"]\nbugs", "the reducers"),
        ("config.toml", "\"script-zero\"", "\"script-*\"", "the list of bugs"),
        ("subjects/lists/lists.ebnf", "[0-9]", "[0-8]", "the grammar `default` of `lists`"),
        ("subjects/lists/lists.c", "% 1000000", "% 10000000", "what `lists` is built from"),
        ("subjects/lists/prepare.sh", "cc -o", "cc -O2 -o", "what `lists` is built from"),
        (
            subject,
            "version = \"1.0\"",
            "version = \"1.1\"",
            "the version of `lists`, what `lists` is built from",
        ),
        (subject, "\"{file}\"]", "\"{file}\"]\ntimeout = \"9s\"", "how `lists` is run"),
        (subject, "exit = 3, ", "", "the description of `lists-zero`"),
        (subject, "[1,[0,2],34]", "[1,[0,2],35]", "the description of `lists-zero`"),
        ("subjects/script/run.sh", "exit 3", "exit 3 # three", "the program of `script`"),
    ] {
        let before = std::fs::read_to_string(lab.path(file)).unwrap();
        lab.edit(file, from, to);
        refused(what, &[]);
        lab.write(file, &before);
    }
    // What changes no result, and a part of the plan, are of the same campaign.
    lab.edit(subject, "Nested lists", "Lists");
    lab.edit(subject, "a number that is zero", "zero");
    lab.write("subjects/lists/notes.txt", "not an input of the build");
    lab.run(&config, "results", &["--only", "script-zero"]).expect(0);
    let run = lab.run(&config, "results", &[]).expect(0);
    assert!(run.stderr.contains("complete, 0 executions in this run"), "{}", run.stderr);
    assert_eq!(lab.tables("results"), tables);
    // The two ways out.
    lab.run(&config, "others", &["--seed", "2"]).expect(0);
    lab.run(&config, "results", &["--seed", "2", "--fresh"]).expect(0);
    assert_eq!(lab.tables("results"), lab.tables("others"));
}

#[test]
fn results_that_cannot_be_written_are_an_error_that_names_the_folder() {
    let lab = Lab::new();
    let config = lab.config(&["modes"], SMALL);
    lab.write("file", "not a folder");
    let run = lab.run(&config, "file/results", &[]).expect(2);
    assert!(run.stderr.contains("cannot make the folder"), "{}", run.stderr);
    assert!(run.stderr.contains("file/results"), "{}", run.stderr);
    lab.write("results/campaign.sqlite", &"some other file of that name\n".repeat(100));
    let run = lab.run(&config, "results", &[]).expect(2);
    assert!(run.stderr.contains("is not a store of grambench"), "{}", run.stderr);
    let run = lab.run(&config, "results", &["--fresh"]).expect(2);
    assert!(run.stderr.contains("is not a store of grambench"), "{}", run.stderr);
}

#[test]
fn a_full_disk_ends_a_campaign_and_with_more_room_it_goes_on() {
    // A file system of its own, which is gone with the last process that sees it.
    const SCRIPT: &str = "mkdir -p $F && mount -t tmpfs -o size=96k none $F || exit 99
        $G run $C --output $F/results; echo \"first $?\" >&2
        mount -o remount,size=20m $F && $G run $C --output $F/results --quiet; echo \"then $?\" >&2
        cp $F/results/*.csv $O";
    if !rustix::process::geteuid().is_root() {
        eprintln!("not root: nothing can be mounted");
        return;
    }
    let lab = Lab::new();
    let config = lab.config(&["lists-*"], "");
    let mut command = Command::new("unshare");
    command.args(["--mount", "/bin/sh", "-c", SCRIPT]);
    lab.prepare(&mut command);
    std::fs::create_dir(lab.path("copies")).unwrap();
    command.env("F", lab.path("small")).env("G", env!("CARGO_BIN_EXE_grambench")).env("C", &config);
    let run = Run::from(command.env("O", lab.path("copies")).output().unwrap());
    if run.code == Some(99) || run.stderr.contains("unshare: ") {
        eprintln!("nothing can be mounted here: {}", run.stderr);
        return;
    }
    assert!(run.stderr.contains("first 2\n") && run.stderr.contains("then 0\n"), "{}", run.stderr);
    assert!(run.stderr.contains("make room and run the same command again"), "{}", run.stderr);
    assert!(run.stderr.contains("small/results/campaign.sqlite"), "{}", run.stderr);
    lab.run(&config, "undisturbed", &[]).expect(0);
    assert_eq!(lab.tables("copies"), lab.tables("undisturbed"));
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

/// Says `no such system call` to Landlock's first one, as a kernel without it does, and becomes the
/// program that its arguments name.
const WITHOUT_LANDLOCK: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 99;
    execv(argv[1], argv + 1);
    return 98;
}
"#;

#[test]
fn where_the_kernel_has_no_landlock_the_user_decides() {
    let lab = Lab::new();
    let config = lab.config(&["modes"], SMALL);
    let launch = c_program(&lab.path("."), "launch", WITHOUT_LANDLOCK);
    let run = |results: &str, more: &[&str]| {
        let mut command = Command::new(&launch);
        command.arg(env!("CARGO_BIN_EXE_grambench")).arg("run").arg(&config);
        command.arg("--output").arg(lab.path(results)).args(["--only", "modes*produce limit F"]).args(more);
        lab.prepare(&mut command);
        Run::from(command.output().unwrap())
    };
    let refused = run("results", &[]).expect(4);
    assert!(refused.stderr.contains("cannot be confined"), "{}", refused.stderr);
    assert!(refused.stderr.contains("--no-sandbox"), "{}", refused.stderr);
    assert_eq!(lab.rows("results", "errors.csv", &[("kind", "unfit")]).len(), 1);
    run("results", &["--no-sandbox"]).expect(0);
    assert_eq!(lab.rows("results", "producing.csv", &[("bug", "modes"), ("fail_failed", "3")]).len(), 1);
}
