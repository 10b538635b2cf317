//! Small programs that misbehave, and a pool to run them in. Shared by the tests of processes.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use grambench::subject::execution::{Request, RunLimits, RunOutcome};
use grambench::subject::pool::{Pool, PoolSettings};

/// A pool with one worker that uses the real program as its launcher, and a folder for files.
pub struct Bench {
    pub pool: Pool,
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut PoolSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = settings(folder.path());
        change(&mut settings);
        Self { pool: Pool::new(settings).unwrap(), folder }
    }

    /// Runs a shell script.
    pub fn sh(&self, script: &str) -> RunOutcome {
        self.run(&sh(script))
    }

    /// Runs a shell script, for half a second at most.
    pub fn sh_briefly(&self, script: &str) -> RunOutcome {
        self.run(&limited(sh(script), |limits| limits.wall = Duration::from_millis(500)))
    }

    pub fn run(&self, request: &Request) -> RunOutcome {
        self.pool.run(&self.shown(request)).unwrap()
    }

    /// A run that sees the folder for files.
    pub fn shown(&self, request: &Request) -> Request {
        Request { reads: vec![self.folder.path().to_path_buf()].into(), ..request.clone() }
    }
}

/// The executable that becomes a launcher.
pub fn launcher() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_grambench"))
}

/// Settings for a pool whose scratch folders are in `folder`.
pub fn settings(folder: &Path) -> PoolSettings {
    PoolSettings {
        launcher: launcher().to_path_buf(),
        scratch: folder.to_path_buf(),
        ..PoolSettings::default()
    }
}

/// A run of `program` with these words.
pub fn request(program: &Path, arguments: &[&str]) -> Request {
    let mut argv = vec![program.as_os_str().to_owned()];
    argv.extend(arguments.iter().map(OsString::from));
    Request { program: program.to_path_buf(), argv, ..Request::default() }
}

/// A run of a shell script.
pub fn sh(script: &str) -> Request {
    request(Path::new("/bin/sh"), &["-c", script])
}

pub fn limited(request: Request, change: impl FnOnce(&mut RunLimits)) -> Request {
    let mut limits = request.limits.clone();
    change(&mut limits);
    Request { limits, ..request }
}

/// Compiles a C program.
pub fn c_program(folder: &Path, name: &str, source: &str) -> PathBuf {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, source).unwrap();
    let program = folder.join(name);
    let status = Command::new("cc").arg("-o").arg(&program).arg(&file).status().expect("a C compiler");
    assert!(status.success());
    program
}

/// The processes that have `token` among their arguments.
pub fn processes_with(token: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        if !entry.file_name().to_string_lossy().bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(token) {
            found.push(format!("{}: {line}", entry.file_name().display()));
        }
    }
    found
}

/// The launchers that this process started.
pub fn launchers() -> Vec<rustix::process::Pid> {
    let own = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let launcher = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let words = std::fs::read(entry.path().join("cmdline")).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        let is_launcher =
            words.split(|&byte| byte == 0).nth(1)? == grambench::subject::launcher::WORD.as_bytes();
        let pid = rustix::process::Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        (rest.split(' ').nth(1)? == own && is_launcher).then_some(pid)
    };
    entries.filter_map(launcher).collect()
}

/// Waits until no process has `token` among its arguments; what is left after two seconds.
pub fn orphans(token: &str) -> Vec<String> {
    let begin = Instant::now();
    loop {
        let found = processes_with(token);
        if found.is_empty() || begin.elapsed() > Duration::from_secs(2) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A number of seconds to sleep that no other test uses: found again among the arguments of processes.
pub fn token() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("9{:07}{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
