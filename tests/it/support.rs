//! Campaigns of the real program on fixture subjects, each with a folder of its own. Shared by the tests
//! of campaigns.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use grambench::stage::tables;
use rustix::process::{Pid, Signal, kill_process};

/// The tables that are the same at every run: all but one.
pub fn stable_tables() -> impl Iterator<Item = &'static str> {
    tables::all().into_iter().map(|table| table.file).filter(|file| *file != "timings.csv")
}

/// Settings with which a campaign takes a moment.
pub const SMALL: &str =
    "[generalize]\nchecks = 10\n[produce]\ninputs = 10\n[recognize]\ninputs = 5\nexecutions = 20\n";

/// A subject called NAME whose program is a script.
const SCRIPT_SUBJECT: &str = r#"
name = "NAME"
title = "A fixture"
version = "1"
grammar = "digits.ebnf"
[run]
argv = ["/bin/sh", "{subject}/run.sh", "{input}"]
input = "argument"
[[bug]]
name = "NAME-zero"
title = "a zero"
input = "102"
passing = "12"
verdict = [{ exit = 3, is = "fail" }]
"#;

/// A script that fails on a zero.
pub const ZERO_FAILS: &str = "case $1 in *0*) exit 3;; esac\n";

/// The folder of the fixture subjects.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/subjects")
}

/// A folder in which campaigns run: with configs, results, scratch folders, and perhaps subjects.
pub struct Lab {
    folder: tempfile::TempDir,
    cache: PathBuf,
}

impl Lab {
    /// A lab whose builds are kept for other tests.
    pub fn new() -> Self {
        Self::with_cache(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
    }

    /// A lab whose builds are its own.
    pub fn without_builds() -> Self {
        let lab = Self::with_cache(PathBuf::new());
        let cache = lab.path("cache");
        Self { cache, ..lab }
    }

    fn with_cache(cache: PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scratch")).unwrap();
        Self { folder, cache }
    }

    pub fn cache(&self) -> &Path {
        &self.cache
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Replaces `from`, which must be there, in a file.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        assert!(text.contains(from), "{from}");
        self.write(name, &text.replace(from, to));
    }

    /// Copies a fixture subject to `subjects/NAME`.
    pub fn copy_subject(&self, name: &str) {
        for entry in fs::read_dir(fixtures().join(name)).unwrap() {
            let entry = entry.unwrap();
            let file = format!("subjects/{name}/{}", entry.file_name().to_str().unwrap());
            self.write(&file, &fs::read_to_string(entry.path()).unwrap());
        }
    }

    /// Adds a subject called `name` whose program is a script, `ZERO_FAILS` or the like; its bug is `NAME-zero`.
    pub fn add_script_subject(&self, name: &str, script: &str) {
        self.write(&format!("subjects/{name}/subject.toml"), &SCRIPT_SUBJECT.replace("NAME", name));
        self.write(&format!("subjects/{name}/digits.ebnf"), "<start> ::= [0-9]+\n");
        self.write(&format!("subjects/{name}/run.sh"), script);
    }

    /// Writes a program, by a process of its own: one that this process has open for writing cannot be started, and a child that another test starts just
    /// then has it open as well.
    pub fn add_program(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        writer.stdin.take().unwrap().write_all(content).unwrap();
        assert!(writer.wait().unwrap().success(), "{} cannot be written", path.display());
        path
    }

    /// A config about fixture subjects.
    pub fn config(&self, bugs: &[&str], more: &str) -> PathBuf {
        self.config_in(&fixtures(), bugs, more)
    }

    /// A config about the lab's own subjects.
    pub fn own_config(&self, bugs: &[&str], more: &str) -> PathBuf {
        self.config_in(&self.path("subjects"), bugs, more)
    }

    /// A config about the subjects in a folder.
    pub fn config_in(&self, subjects: &Path, bugs: &[&str], more: &str) -> PathBuf {
        let head =
            format!("seed = 1\nsubject_folder = {:?}\nbugs = {bugs:?}\n", subjects.display().to_string());
        self.write("config.toml", &format!("{head}{more}"));
        self.path("config.toml")
    }

    /// `grambench run CONFIG`, with its results in `results`.
    pub fn command(&self, config: &Path, results: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.arg("run").arg(config).arg("--output").arg(self.path(results)).args(more);
        self.prepare(&mut command);
        command
    }

    /// Gives a command the lab's folders, and pipes to write to.
    pub fn prepare(&self, command: &mut Command) {
        command
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("TMPDIR", self.scratch())
            .env("GRAMBENCH_CACHE", &self.cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    }

    /// Runs a campaign to its end.
    pub fn run(&self, config: &Path, results: &str, more: &[&str]) -> Run {
        self.command(config, results, more).output().unwrap().into()
    }

    /// Begins a campaign, and waits until it has written a line that contains `text` to standard error.
    pub fn begin(&self, config: &Path, results: &str, more: &[&str], text: &str) -> Running {
        let mut running = Running::new(self.command(config, results, more));
        running.wait_for(text);
        running
    }

    /// The processes that were started by campaigns of this lab and run now.
    pub fn processes_now(&self) -> Vec<String> {
        processes_of(&self.scratch())
    }

    pub fn scratch(&self) -> PathBuf {
        self.path("scratch")
    }

    /// Scratch folders that are there.
    pub fn scratch_folders(&self) -> usize {
        fs::read_dir(self.scratch()).unwrap().count()
    }

    /// The processes that were started by campaigns of this lab and still run, once there are none, or
    /// after some seconds. They are known by the scratch folder in their environment.
    pub fn processes(&self) -> Vec<String> {
        let begin = Instant::now();
        loop {
            let found = processes_of(&self.scratch());
            if found.is_empty() || begin.elapsed() > Duration::from_secs(10) {
                return found;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The tables of a run that are the same at every run.
    pub fn tables(&self, results: &str) -> BTreeMap<&'static str, String> {
        let read = |name| (name, fs::read_to_string(self.path(results).join(name)).unwrap());
        stable_tables().map(read).collect()
    }

    /// The rows of a table whose cells in the named columns are as given, as maps from column to cell.
    pub fn rows(&self, results: &str, table: &str, wanted: &[(&str, &str)]) -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_path(self.path(results).join(table)).unwrap();
        let rows = reader.deserialize().map(Result::unwrap);
        rows.filter(|row: &BTreeMap<String, String>| {
            wanted.iter().all(|(column, cell)| row.get(*column).unwrap_or_else(|| panic!("{column}")) == cell)
        })
        .collect()
    }
}

/// How a campaign ended.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    /// This run, which must have ended with `code`.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

/// A campaign that runs.
pub struct Running {
    child: Child,
    lines: std::sync::mpsc::Receiver<String>,
    stderr: String,
}

impl Running {
    pub fn new(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = std::sync::mpsc::channel();
        // It must be read all the time, or the campaign would wait for its reader.
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok())
        });
        Self { child, lines, stderr: String::new() }
    }

    pub fn wait_for(&mut self, text: &str) {
        loop {
            let Ok(line) = self.lines.recv_timeout(Duration::from_secs(60)) else {
                panic!("no line with {text} in\n{}", self.stderr)
            };
            self.stderr += &line;
            self.stderr.push('\n');
            if line.contains(text) {
                return;
            }
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end. A campaign that does not end is killed after a minute.
    pub fn wait(mut self) -> Run {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > Duration::from_secs(60) {
                self.child.kill().unwrap();
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        for line in self.lines {
            self.stderr += &line;
            self.stderr.push('\n');
        }
        Run { code: status.code(), stdout: String::new(), stderr: self.stderr }
    }

    /// Kills it, and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The processes in whose environment the temporary folder is `folder`, or below it.
fn processes_of(folder: &Path) -> Vec<String> {
    let mark = [b"TMPDIR=", folder.as_os_str().as_bytes()].concat();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(&mark)) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(format!("{}: {}", entry.file_name().display(), OsStr::from_bytes(&line).display()));
        }
    }
    found
}
