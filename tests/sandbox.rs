//! What programs under test can do to the machine: all attacks, with each kind of sandbox, as each kind of user; and what
//! grambench itself must never do to files that are not its own.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "it/programs.rs"]
mod programs;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use grambench::subject::attack::{ATTACKS, Prevention};
use grambench::subject::confinement::Confinement;
use grambench::subject::execution::Ending;
use programs::{Bench, c_program, launchers, request};

/// The user that programs are started as, who is nobody special.
const USER: u32 = 54321;

/// A folder, and a copy of the program that every user can start.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let all = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), all.clone()).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_grambench"), folder.path().join("grambench")).unwrap();
        for name in ["home", "tmp"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::set_permissions(folder.path().join(name), std::fs::Permissions::from_mode(0o777))
                .unwrap();
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program, as this user or another.
    fn grambench(&self, user: Option<u32>) -> Command {
        let mut command = Command::new(self.path("grambench"));
        command.env("HOME", self.path("home")).env("TMPDIR", self.path("tmp")).env_remove("XDG_STATE_HOME");
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        if let Some(user) = user {
            command.uid(user).gid(user).current_dir("/");
        }
        command
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The users as whom attacks can be tried here: this one and, if that is root, an ordinary one.
fn users() -> Vec<Option<u32>> {
    if is_root() { vec![None, Some(USER)] } else { vec![None] }
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn no_attack_works_that_the_sandbox_promises_to_prevent() {
    let place = Place::new();
    for kind in ["namespaces", "landlock"] {
        for user in users() {
            let output =
                place.grambench(user).args(["check", "sandbox", "--sandbox", kind]).output().unwrap();
            let text = told(&output);
            assert_eq!(output.status.code(), Some(0), "{kind}, as {user:?}: {text}");
            assert!(text.matches("denied").count() > 35, "{kind}, as {user:?}: {text}");
            let has_namespaces = !text.contains("no namespaces of their own");
            assert!(kind == "landlock" || !has_namespaces || !text.contains("possible"), "{text}");
        }
    }
    assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
}

/// An attack that cannot succeed shows nothing.
#[test]
fn attacks_work_where_nothing_confines_programs() {
    let place = Place::new();
    let output = place.grambench(None).args(["check", "sandbox", "--sandbox", "none"]).output().unwrap();
    let text = told(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let possible = text.matches("possible").count();
    assert!(possible > if is_root() { 35 } else { 25 }, "{text}");
}

#[test]
fn what_the_kernel_does_not_allow_is_reported_and_done_without() {
    let place = Place::new();
    if !is_root() {
        return;
    }
    // Namespaces in which no more can be made stand for a kernel that allows none.
    let script = format!(
        "echo 0 > /proc/sys/user/max_user_namespaces; exec {} check sandbox",
        place.path("grambench").display()
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    let output = command.env("HOME", place.path("home")).env("TMPDIR", place.path("tmp")).output().unwrap();
    let text = told(&output);
    assert!(text.contains("programs under test have no namespaces of their own"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn a_socket_in_the_file_system_leads_nowhere() {
    let place = Place::new();
    let socket = place.path("tmp/S");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    for kind in ["namespaces", "landlock"] {
        let output = place
            .grambench(None)
            .args(["reduce", "--grammar", "grammars/json.ebnf", "--input", "examples/orders.json"])
            .args(["--sandbox", kind, "--fail-on", "exit 0", "--", "tmux", "-S"])
            .arg(&socket)
            .args(["run-shell", "true"])
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(0), "{}", told(&output));
        assert!(listener.accept().is_err(), "{kind}");
    }
}

#[test]
fn folders_of_the_user_are_never_removed() {
    let place = Place::new();
    let old = SystemTime::now() - Duration::from_secs(2 * 3600);
    let make = |name: &str, content: &str| {
        let folder = place.path("tmp").join(name);
        std::fs::create_dir_all(folder.join("d")).unwrap();
        std::fs::write(folder.join(content), "").unwrap();
        std::fs::File::open(&folder).unwrap().set_modified(old).unwrap();
        folder
    };
    let folders =
        [make("grambench-x", "file"), make("grambench-1-abc", "lock"), make("grambench-results", ".token")];
    let mut process = Command::new("sleep").arg("30").env("TMPDIR", &folders[0]).spawn().unwrap();
    let output = place.grambench(None).args(["check", "sandbox"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert!(folders.iter().all(|folder| folder.join("d").exists()));
    assert!(process.try_wait().unwrap().is_none(), "it lives");
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn descriptors_that_were_left_open_are_closed() {
    let place = Place::new();
    let file = place.path("tmp/f");
    let script = format!("exec 9>>{} {} check sandbox", file.display(), place.path("grambench").display());
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("HOME", place.path("home")).env("TMPDIR", place.path("tmp"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    assert_eq!(std::fs::read(Path::new(&file)).unwrap(), b"");
}

#[test]
fn a_launcher_that_dies_is_started_again_and_its_death_is_no_verdict() {
    for confinement in [Confinement::None, Confinement::Landlock, Confinement::Namespaces] {
        let bench = Bench::with(|settings| settings.confinement = confinement);
        let outcome = std::thread::scope(|scope| {
            let run = scope.spawn(|| bench.sh("sleep 0.5; exit 6"));
            for _ in 0..2 {
                std::thread::sleep(Duration::from_millis(200));
                for pid in launchers() {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
            }
            run.join().unwrap()
        });
        assert_eq!(outcome.ending, Ending::Exited(6), "asked again");
    }
}

#[test]
fn the_page_tells_of_every_attack_what_holds() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sandbox.md")).unwrap();
    for attack in ATTACKS {
        let without = match attack.prevented_by {
            Prevention::AnySandbox => "denied",
            Prevention::Namespaces => "**possible**",
        };
        let row = format!("| {} | denied | {without} |\n", attack.what);
        assert!(page.contains(&row), "there should be a row: {row}");
    }
    assert!(page.contains(&format!("tries {} attacks", ATTACKS.len())));
}

/// What a program of the system cannot be made to try: system calls by their numbers, those of the other kind on x86 among them.
#[test]
fn system_calls_that_lead_out_are_denied() {
    let source = r#"
        #include <errno.h>
        #include <stdio.h>
        #include <sys/socket.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static void try(const char *name, long number, long a, long b, long c, long d) {
            errno = 0;
            long result = syscall(number, a, b, c, d, 0);
            if (result >= 0) printf("%s works\n", name);
        }
        int main(void) {
            static char room[4096];
            try("socket", SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
            try("Unix socket", SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0);
            try("pair of datagram sockets", SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, (long)room);
            try("ring", SYS_io_uring_setup, 4, (long)room, 0, 0);
            try("keyring", SYS_keyctl, 0, -3, 1, 0);
            try("key", SYS_add_key, (long)"user", (long)"x", (long)"x", 1);
            try("program for the kernel", SYS_bpf, 0, (long)room, sizeof room, 0);
            try("measurement", SYS_perf_event_open, (long)room, 0, -1, -1);
            try("new root", SYS_chroot, (long)".", 0, 0, 0);
            try("priority of all", SYS_setpriority, 1, 0, 19, 0);
        #ifdef __x86_64__
            try("socket by its other number", SYS_socket | 0x40000000, AF_UNIX, SOCK_STREAM, 0, 0);
        #endif
            int ends[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) puts("pair of sockets is denied");
            return 0;
        }"#;
    for confinement in [Confinement::Landlock, Confinement::Namespaces] {
        let bench = Bench::with(|settings| settings.confinement = confinement);
        let program = c_program(bench.folder.path(), "calls", source);
        let outcome = bench.run(&request(&program, &[]));
        assert_eq!(
            (outcome.ending, String::from_utf8_lossy(&outcome.stdout)),
            (Ending::Exited(0), "".into()),
            "{confinement:?}"
        );
    }
}
