//! What programs under test may try, and what must come of it: nothing is left, nothing is written
//! elsewhere, and the outcome says what happened.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::programs::*;
use grambench::subject::confinement::Confinement;
use grambench::subject::execution::{Ending, Request};
use grambench::subject::pool::{Pool, RunError};

#[test]
fn exit_codes_and_signals_are_told_apart() {
    let bench = Bench::new();
    let outcome = bench.sh("echo out; echo err >&2; exit 3");
    assert_eq!(outcome.ending, Ending::Exited(3));
    assert_eq!((outcome.stdout.as_slice(), outcome.stderr.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    assert_eq!(bench.sh("kill -SEGV $$").ending, Ending::Signaled(11));
    assert_eq!(bench.sh("exit 139").ending, Ending::Exited(139));
}

#[test]
fn grandchildren_are_gone_after_a_timeout() {
    let (bench, token) = (Bench::new(), token());
    let outcome = bench.sh_briefly(&format!("sleep {token} & sh -c 'sleep {token}; true' & wait"));
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn background_processes_are_gone_after_the_end() {
    let (bench, token) = (Bench::new(), token());
    let outcome = bench.sh(&format!("sleep {token} & exit 0"));
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn daemons_are_gone_too() {
    let (bench, token) = (Bench::new(), token());
    let script = format!("(setsid sh -c 'setsid sleep {token} & sleep {token}' &) ; sleep 0.05; exit 4");
    assert_eq!(bench.sh(&script).ending, Ending::Exited(4));
    assert_eq!(processes_with(&token), [""; 0]);
    let outcome = bench.sh_briefly(&format!("{script} ; sleep {token}").replace("exit 4", "true"));
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn who_ignores_signals_is_killed() {
    let (bench, token) = (Bench::new(), token());
    let outcome = bench.sh_briefly(&format!("trap '' TERM INT HUP; sleep {token}; sleep {token}"));
    assert_eq!(outcome.ending, Ending::TimedOut);
    assert_eq!(bench.sh_briefly("kill -STOP $$").ending, Ending::TimedOut);
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn endless_output_is_capped() {
    let bench = Bench::new();
    for script in ["yes", "yes >&2", "yes & wait", "head -c 1001 /dev/zero"] {
        let outcome = bench.run(&limited(sh(script), |limits| limits.output = 1000));
        assert_eq!(outcome.ending, Ending::OutputLimit, "{script}");
        assert_eq!(outcome.stdout.len().max(outcome.stderr.len()), 1000, "{script}");
    }
    let outcome = bench.run(&limited(sh("head -c 1000 /dev/zero"), |limits| limits.output = 1000));
    assert_eq!((outcome.ending, outcome.stdout.len()), (Ending::Exited(0), 1000));
}

#[test]
fn large_output_arrives_whole() {
    let outcome = Bench::new().sh("head -c 1000000 /dev/zero; head -c 900000 /dev/zero >&2; exit 1");
    assert_eq!(outcome.ending, Ending::Exited(1));
    assert_eq!((outcome.stdout.len(), outcome.stderr.len()), (1_000_000, 900_000));
}

#[test]
fn closed_pipes_do_no_harm() {
    let bench = Bench::new();
    let input = vec![b'x'; 1 << 20];
    for script in ["exec 0<&-; sleep 0.05; exit 7", "exec 1>&- 2>&-; exit 7", "exit 7"] {
        let outcome = bench.run(&Request { stdin: input.clone(), ..sh(script) });
        assert_eq!(outcome.ending, Ending::Exited(7), "{script}");
    }
}

#[test]
fn input_is_fed_while_output_is_read() {
    let bench = Bench::new();
    let input: Vec<u8> = (0..1 << 20).map(|index: u32| (index % 251) as u8).collect();
    let program = limited(request(Path::new("/bin/cat"), &[]), |limits| limits.output = 1 << 21);
    let outcome = bench.run(&Request { stdin: input.clone(), ..program });
    assert_eq!(outcome.ending, Ending::Exited(0));
    assert!(outcome.stdout == input, "bytes are passed as they are");
}

#[test]
fn a_file_is_found_in_the_scratch_folder_and_gone_afterwards() {
    let bench = Bench::new();
    let content = vec![0, 255, b'\n', 128];
    let file = Some(("input.bin".to_owned(), content.clone()));
    let outcome = bench.run(&Request { file, ..sh("cat input.bin; ls -A") });
    assert_eq!(outcome.stdout, [&content[..], b"input.bin\n"].concat());
    assert_eq!(bench.sh("ls -A").stdout, b"");
}

#[test]
fn the_scratch_folder_is_emptied_whatever_is_in_it() {
    let bench = Bench::new();
    let make = "
        mkdir -p a/b/c/d '.moved-up-1' .moved-up-2/x; touch a/b/file .moved-up-2/y; ln -s / link; ln -s /etc a/b/etc
        mkfifo pipe; touch read-only; chmod 400 read-only; chmod 000 a/b/c a/b; mkdir locked; chmod 000 locked
        i=0; while [ $i -lt 300 ]; do mkdir a$i-long-name-that-makes-more-than-one-read-necessary; i=$((i+1)); done";
    assert_eq!(bench.sh(make).ending, Ending::Exited(0));
    assert_eq!(bench.sh("ls -A").stdout, b"");
}

#[test]
fn folders_nested_deeper_than_any_path_are_removed() {
    let bench = Bench::new();
    let source = "#include <sys/stat.h>\n#include <unistd.h>\n\
        int main(void) { for (int i = 0; i < 3000; i++) if (mkdir(\"ddd\", 0700) || chdir(\"ddd\")) return 1; \
        return 0; }";
    let program = c_program(bench.folder.path(), "nest", source);
    assert_eq!(bench.run(&request(&program, &[])).ending, Ending::Exited(0));
    assert_eq!(bench.sh("ls -A").stdout, b"");
}

#[test]
fn a_fork_bomb_is_stopped() {
    let (bench, token) = (Bench::new(), token());
    let script = format!("i=0; while [ $i -lt 300 ]; do sleep {token} & i=$((i+1)); done; wait");
    let outcome = bench.run(&limited(sh(&script), |limits| limits.processes = Some(20)));
    assert_eq!(outcome.ending, Ending::ProcessLimit);
    assert_eq!(processes_with(&token), [""; 0]);
    let scattered = script.replace("sleep", "setsid sleep");
    let outcome = bench.run(&limited(sh(&scattered), |limits| limits.processes = Some(20)));
    assert_eq!(outcome.ending, Ending::ProcessLimit);
    assert_eq!(processes_with(&token), [""; 0]);
}

#[test]
fn memory_is_limited() {
    let bench = Bench::new();
    let source = "#include <stdlib.h>\n#include <string.h>\n\
        int main(void) { char *p = malloc(512 << 20); if (!p) return 42; memset(p, 1, 4096); return 0; }";
    let program = request(&c_program(bench.folder.path(), "allocate", source), &[]);
    assert_eq!(bench.run(&program).ending, Ending::Exited(0));
    let program = limited(program, |limits| limits.memory = Some(256 << 20));
    assert_eq!(bench.run(&program).ending, Ending::Exited(42));
}

#[test]
fn files_are_limited() {
    let bench = Bench::new();
    let program = sh("head -c 200000 /dev/zero > large");
    assert_eq!(bench.run(&program).ending, Ending::Exited(0));
    let program = limited(program, |limits| limits.file_size = Some(100_000));
    assert_ne!(bench.run(&program).ending, Ending::Exited(0));
}

#[test]
fn processor_time_is_limited() {
    let bench = Bench::new();
    let busy = limited(sh("while :; do :; done"), |limits| limits.cpu = Some(Duration::from_secs(1)));
    assert_eq!(bench.run(&busy).ending, Ending::OutOfCpu);
}

#[test]
fn nothing_is_written_outside_the_scratch_folder() {
    let bench = Bench::new();
    let outside = bench.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("kept"), "kept").unwrap();
    for attempt in [
        "echo x > $O/new",
        "echo x >> $O/kept",
        ": > $O/kept",
        "rm $O/kept",
        "mv $O/kept .",
        "mv $O/kept $O/other",
        "ln $O/kept .",
        "mkdir $O/folder",
        "rmdir $PWD",
        "ln -s x $O/link",
        "rm -r $O",
    ] {
        let script = attempt.replace("$O", &outside.display().to_string());
        assert_ne!(bench.sh(&script).ending, Ending::Exited(0), "{attempt}");
    }
    assert_eq!(std::fs::read(outside.join("kept")).unwrap(), b"kept");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(
        bench.sh("echo x > /dev/null && echo y > mine && mv mine its && rm its").ending,
        Ending::Exited(0)
    );
}

#[test]
fn deleting_from_the_current_folder_deletes_nothing_outside() {
    let bench = Bench::new();
    let kept = bench.pool.scratch().join("kept");
    std::fs::write(&kept, "kept").unwrap();
    bench.sh("mkdir a; touch a/b c; ln -s .. up; find . -delete; find -L . .. -delete; rm -rf ./* ../*");
    assert_eq!(std::fs::read(&kept).unwrap(), b"kept");
    assert_eq!(bench.sh("ls -A").ending, Ending::Exited(0), "the worker goes on");
}

#[test]
fn the_network_is_out_of_reach() {
    let bench = Bench::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let source = "#include <arpa/inet.h>\n#include <stdlib.h>\n#include <errno.h>\n\
        int main(int c, char **v) { struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(v[1]))}; \
        a.sin_addr.s_addr = htonl(INADDR_LOOPBACK); int s = socket(AF_INET, c > 2 && v[2][0] == 'u' ? SOCK_DGRAM : SOCK_STREAM, 0); \
        if (s < 0) return errno; \
        if (c > 2) a.sin_port = 0; \
        return (c > 2 ? bind : connect)(s, (void *)&a, sizeof a) ? errno : 0; }";
    let program = c_program(bench.folder.path(), "connect", source);
    let port = port.to_string();
    assert_eq!(bench.run(&request(&program, &[&port])).ending, Ending::Exited(13), "EACCES");
    assert_eq!(bench.run(&request(&program, &[&port, "bind"])).ending, Ending::Exited(13), "EACCES");
    assert_eq!(bench.run(&request(&program, &[&port, "udp"])).ending, Ending::Exited(13), "EACCES");
    assert!(listener.accept().is_err());
    let open = Bench::with(|settings| settings.confinement = Confinement::None);
    assert_eq!(open.run(&request(&program, &[&port])).ending, Ending::Exited(0));
}

#[test]
fn a_missing_program_is_an_error_that_names_it() {
    let bench = Bench::new();
    let missing = request(Path::new("/no/such/program"), &[]);
    let error = bench.pool.run(&missing).unwrap_err().to_string();
    assert_eq!(error, "cannot start `/no/such/program`: No such file or directory (os error 2)");
    let file = bench.folder.path().join("plain");
    std::fs::write(&file, "echo").unwrap();
    let error = bench.pool.run(&bench.shown(&request(&file, &[]))).unwrap_err().to_string();
    assert!(error.contains("plain`: Permission denied"), "{error}");
    assert_eq!(bench.sh("exit 0").ending, Ending::Exited(0), "the worker goes on");
}

#[test]
fn the_environment_is_small_and_always_the_same() {
    let bench = Bench::new();
    let environment = vec![("ADDED".into(), "yes".into())];
    let program = request(Path::new("/usr/bin/env"), &[]);
    let outcome = bench.run(&Request { environment, ..program });
    let text = String::from_utf8(outcome.stdout).unwrap();
    let mut names: Vec<_> = text.lines().map(|line| line.split('=').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["ADDED", "HOME", "LC_ALL", "PATH", "TMPDIR"]);
    let scratch = bench.pool.scratch().join("worker-0");
    assert!(text.lines().any(|line| line == format!("TMPDIR={}", scratch.display())));
    assert_eq!(bench.sh("echo $ADDED; umask; ulimit -c").stdout.first(), Some(&b'\n'));
}

#[test]
fn what_is_done_with_signals_is_not_inherited() {
    let reduce = "printf 1 | \"$1\" reduce --grammar grammars/json.ebnf -i - \
        --fail-on 'signal SIGUSR1' -- sh -c 'read line; test -n \"$line\" && kill -USR1 $$'";
    let shell = |before: &str| {
        Command::new("sh")
            .args(["-c", &format!("{before}{reduce}"), "sh", env!("CARGO_BIN_EXE_grambench")])
            .output()
            .unwrap()
    };
    for before in ["", "trap '' USR1 PIPE HUP; "] {
        let output = shell(before);
        assert!(output.status.success(), "{before}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn nothing_but_the_three_standard_streams_is_inherited() {
    let outcome = Bench::new().sh("ls /proc/self/fd | tr '\\n' ' '");
    // The last is that of the folder that is listed.
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), "0 1 2 3 ");
    assert_eq!(Bench::new().sh("tty").stdout, b"not a tty\n");
}

#[test]
fn no_program_can_end_what_started_it() {
    let (bench, token) = (Bench::new(), token());
    let script = format!("setsid env -i sleep {token} & kill -KILL $PPID; kill -STOP $PPID; exit 6");
    for _ in 0..3 {
        assert_eq!(bench.sh(&script).ending, Ending::Exited(6));
        assert_eq!(processes_with(&token), [""; 0]);
    }
}

#[test]
fn a_bomb_of_processes_that_flee_is_ended() {
    let (bench, token) = (Bench::new(), token());
    let source = "#include <unistd.h>\n#include <sys/resource.h>\n\
        int main(int c, char **v) { for (;;) { if (fork() == 0) setsid(); } }";
    let program = request(&c_program(bench.folder.path(), "bomb", source), &[&token]);
    // Twenty of them use up processor time quickly: that is not what is to end them here.
    let outcome = bench.run(&limited(program, |limits| {
        limits.processes = Some(20);
        limits.timeout = Duration::from_secs(600);
        limits.cpu = Some(Duration::from_secs(600));
    }));
    assert_eq!(outcome.ending, Ending::ProcessLimit);
    assert_eq!(processes_with(&token), [""; 0]);
    assert_eq!(bench.sh("exit 5").ending, Ending::Exited(5), "the next one is served");
}

#[test]
fn a_scratch_folder_that_was_closed_serves_the_next_run() {
    for confinement in [Confinement::Namespaces, Confinement::Landlock] {
        let bench = Bench::with(|settings| settings.confinement = confinement);
        assert_eq!(bench.sh("mkdir a; chmod 0 a .").ending, Ending::Exited(0));
        assert_eq!(bench.sh("ls -A; echo x > mine").stdout, b"");
    }
}

#[test]
fn what_is_in_tmp_is_the_runs_own() {
    let bench = Bench::new();
    let theirs = tempfile::tempdir().unwrap();
    let script =
        format!("ls -d {} && exit 1; echo x > /tmp/mine && echo x > /dev/shm/mine", theirs.path().display());
    assert_eq!(bench.sh(&script).ending, Ending::Exited(0));
    assert!(!Path::new("/tmp/mine").exists());
    assert_eq!(bench.sh("ls /tmp/mine /dev/shm/mine 2> /dev/null").stdout, b"");
    let shown = theirs.path().join("a/b");
    std::fs::create_dir_all(&shown).unwrap();
    std::fs::write(shown.join("file"), "shown").unwrap();
    let program =
        sh(&format!("cat {}/file; ls -A {0}/..; mv {1} /tmp/x", shown.display(), theirs.path().display()));
    let outcome = bench.pool.run(&Request { reads: vec![shown].into(), ..program }).unwrap();
    assert_eq!((outcome.stdout.as_slice(), outcome.ending), (&b"shownb\n"[..], Ending::Exited(1)));
}

#[test]
fn objects_of_system_v_do_not_reach_the_next_run() {
    let bench = Bench::new();
    assert_eq!(bench.sh("ipcmk -M 100").ending, Ending::Exited(0));
    assert_eq!(bench.sh("cat /proc/sysvipc/shm | wc -l").stdout, b"1\n");
}

#[test]
fn processes_of_the_system_cannot_be_seen() {
    let outcome = Bench::new().sh("ls /proc | grep -c '^[0-9]*$'; hostname");
    let text = String::from_utf8(outcome.stdout).unwrap();
    let count: u32 = text.lines().next().unwrap().parse().unwrap();
    assert!(count <= 5, "{text}");
    assert!(text.ends_with("localhost\n"), "{text}");
}

#[test]
fn a_ctrl_c_at_the_terminal_reaches_no_program() {
    let field = |stat: &str, number: usize| {
        let (_, rest) = stat.rsplit_once(") ").unwrap();
        rest.split(' ').nth(number).unwrap().to_owned()
    };
    let own = std::fs::read_to_string("/proc/self/stat").unwrap();
    let its = String::from_utf8(Bench::new().sh("cat /proc/self/stat").stdout).unwrap();
    let (group, session) = (2, 3);
    assert_ne!(field(&own, session), field(&its, session));
    assert_ne!(field(&its, group), field(&its, session), "a group of its own, apart from the launcher's");
}

#[test]
fn stopping_ends_what_runs() {
    let (bench, token) = (Bench::new(), token());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| bench.pool.run(&sh(&format!("sleep {token}"))));
        while processes_with(&token).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        bench.pool.stop();
        assert_eq!(run.join().unwrap(), Err(RunError::Stopped));
    });
    assert_eq!(orphans(&token), [""; 0]);
    assert_eq!(bench.pool.run(&sh("true")), Err(RunError::Stopped));
}

#[test]
fn workers_run_at_the_same_time_in_folders_of_their_own() {
    let bench = Bench::with(|settings| settings.workers = 3);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| assert_eq!(bench.sh("ls -A; touch x; sleep 0.2").stdout, b""));
        }
    });
    assert!(begin.elapsed() >= Duration::from_millis(400), "no more than three at once");
}

/// Not a test by itself: what the next test kills.
#[test]
#[ignore = "started by another test"]
fn a_process_that_runs_something_long() {
    let token = std::env::var("GRAMBENCH_TEST_TOKEN").unwrap();
    let parent = std::env::var("GRAMBENCH_TEST_FOLDER").unwrap();
    let pool = Pool::new(settings(Path::new(&parent))).unwrap();
    let script = format!("setsid sleep {token} & sleep {token} & sleep {token}");
    let _ = pool.run(&limited(sh(&script), |limits| limits.timeout = Duration::from_secs(60)));
}

#[test]
fn when_the_program_is_killed_nothing_survives() {
    let (token, folder) = (token(), tempfile::tempdir().unwrap());
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "subject_process::a_process_that_runs_something_long"])
        .env("GRAMBENCH_TEST_TOKEN", &token)
        .env("GRAMBENCH_TEST_FOLDER", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    // Counted once: a process that is just being replaced by another program has no words for a moment,
    // so a second count could be smaller.
    let mut running = 0;
    while running != 4 && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
        running = processes_with(&token).len();
    }
    assert_eq!(running, 4);
    program.kill().unwrap();
    program.wait().unwrap();
    assert_eq!(orphans(&token), [""; 0]);

    let left = |folder: &Path| std::fs::read_dir(folder).unwrap().count();
    assert_eq!(left(folder.path()), 1, "its scratch folder is still there");
    let next = Pool::new(settings(folder.path())).unwrap();
    assert_eq!(left(folder.path()), 1, "only that of the next one");
    drop(next);
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn what_is_no_launcher_is_an_error() {
    let bench = Bench::with(|settings| settings.launcher = "/bin/true".into());
    let error = bench.pool.run(&sh("true")).unwrap_err();
    assert!(matches!(error, RunError::Launcher(_)), "{error}");
    let bench = Bench::with(|settings| settings.launcher = "/no/such/launcher".into());
    let error = bench.pool.run(&sh("true")).unwrap_err();
    assert!(matches!(error, RunError::Launcher(_)), "{error}");
}
