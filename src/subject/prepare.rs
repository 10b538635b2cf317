//! Getting and building programs under test, once.
//!
//! A subject's script does the work: it is run in the subject's folder with `GRAMBENCH_OUT` naming an
//! empty folder, which becomes the build when the script succeeds. Builds are kept in a cache folder
//! under a key of all that goes into them, so that a changed patch makes a new build and an unchanged
//! one none. The script is not confined (it uses package managers), but it has a process group of its
//! own, which is killed when the user asks to stop.
//!
//! Two processes never make the same build at once: a lock beside it is held meanwhile. A build is made
//! where it stays, since some things that are built hold the path of others: an archive of classes, say.
//! So a file beside it says that it is unfinished, from before there is anything of it until it is whole. A
//! process that is killed while it builds cannot end its script; whoever has the lock next does, before it
//! begins anew.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, flock};

use super::contents::Digest;
use super::manifest::{Manifest, Preparation};
use super::pool::OWN_EXECUTABLE;
use super::trusted::{Start, Trusted, shown};
use super::{orphans, program, running};
use crate::base::budget::Interrupt;

/// The environment variable that names the cache folder.
pub const CACHE: &str = "GRAMBENCH_CACHE";
/// The environment variable that tells a script where to put the build.
pub const OUT: &str = "GRAMBENCH_OUT";

/// How often the user's switch is polled while a script runs. Scripts run for seconds or minutes.
const WATCH: Duration = Duration::from_millis(50);
/// How long it may take to end a script and all it started.
const LAST_MOMENTS: Duration = Duration::from_secs(12);
/// How many of the last lines of a failed script's output are shown.
const SHOWN: usize = 15;

/// A prepared program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The folder that the script filled.
    pub folder: PathBuf,
    /// A digest of all that went into it.
    pub key: String,
}

/// Why there is no build.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Programs that the script needs are missing.
    #[error("`{subject}` cannot be built: {} not on PATH{}", list(missing), advice(install.as_deref()))]
    Missing {
        /// The subject.
        subject: String,
        /// The programs.
        missing: Vec<String>,
        /// What to install.
        install: Option<String>,
    },
    /// The script failed.
    #[error("the script that builds `{subject}` failed ({status}); its output is in {}{}", log.display(), tail(last))]
    Failed {
        /// The subject.
        subject: String,
        /// How it ended.
        status: String,
        /// Where its output is.
        log: PathBuf,
        /// The end of its output.
        last: Vec<String>,
    },
    /// A file or folder could not be read or made.
    #[error("`{subject}` cannot be built: {what}: {reason}")]
    Files {
        /// The subject.
        subject: String,
        /// What was to be done.
        what: String,
        /// Why it could not.
        reason: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Reports the progress of a build.
pub trait Progress {
    /// A build begins, or is waited for.
    fn begin(&mut self, _what: &str) {}
    /// The script wrote a line.
    fn line(&mut self, _line: &str) {}
}

/// Reports nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {}

/// The folder in which builds are kept: as the environment says, or the user's cache folder.
pub fn cache_folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set(CACHE)
        .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("grambench")))
        .or_else(|| set("HOME").map(|folder| folder.join(".cache/grambench")))
        .unwrap_or_else(|| std::env::temp_dir().join("grambench-cache"))
}

/// The key of the build of `manifest`: a digest of all that goes into it; `None` if there is nothing to
/// build.
///
/// # Errors
/// When something that goes into it cannot be read.
pub fn key(manifest: &Manifest) -> Result<Option<String>, PrepareError> {
    let Some(preparation) = &manifest.preparation else { return Ok(None) };
    let launcher = Path::new(OWN_EXECUTABLE);
    Work { manifest, preparation, launcher, interrupt: &Interrupt::new() }.key().map(Some)
}

/// The build of `manifest`, made if it is not in `cache`; `None` if there is nothing to build. `launcher` is the executable that
/// [runs the script](super::launcher).
///
/// # Errors
/// When it cannot be made.
pub fn prepare(
    manifest: &Manifest,
    cache: &Path,
    launcher: &Path,
    interrupt: &Interrupt,
    progress: &mut dyn Progress,
) -> Result<Option<Build>, PrepareError> {
    let Some(preparation) = &manifest.preparation else { return Ok(None) };
    let work = Work { manifest, preparation, launcher, interrupt };
    let key = work.key()?;
    let builds = builds(cache);
    fs::create_dir_all(&builds).map_err(|error| work.no_folder(&builds, &error))?;
    let builds = builds.canonicalize().map_err(|error| work.files(&builds, error))?;
    let name = folder_name(manifest, &key);
    let folder = builds.join(&name);
    let build = Build { folder, key };
    if is_whole(&build.folder) {
        return Ok(Some(build));
    }
    let _lock = work.lock(&builds.join(format!("{name}.lock")), progress)?;
    if !is_whole(&build.folder) {
        work.make(&build.folder, progress)?;
    }
    Ok(Some(build))
}

/// Whether the build of `manifest` is in `cache`, so that nothing would have to be made.
pub fn is_there(manifest: &Manifest, cache: &Path) -> bool {
    match key(manifest) {
        Ok(Some(key)) => is_whole(&builds(cache).join(folder_name(manifest, &key))),
        _ => false,
    }
}

/// Where builds are.
fn builds(cache: &Path) -> PathBuf {
    cache.join("builds")
}

/// The name of the folder of a build.
fn folder_name(manifest: &Manifest, key: &str) -> String {
    format!("{}-{}", manifest.name, &key[..16])
}

/// Whether a build is there, and not one that was begun only. In this order: the mark is made before the
/// folder, and goes when the folder is whole.
fn is_whole(folder: &Path) -> bool {
    folder.is_dir() && !mark(folder).exists()
}

/// The file that says that a build is unfinished.
fn mark(folder: &Path) -> PathBuf {
    folder.with_extension("unfinished")
}

/// The making of one build.
struct Work<'a> {
    manifest: &'a Manifest,
    preparation: &'a Preparation,
    launcher: &'a Path,
    interrupt: &'a Interrupt,
}

impl Work<'_> {
    fn files(&self, path: &Path, error: io::Error) -> PrepareError {
        PrepareError::Files {
            subject: self.manifest.name.clone(),
            what: path.display().to_string(),
            reason: error.to_string(),
        }
    }

    /// The user's cache folder cannot be written.
    fn no_folder(&self, path: &Path, error: &io::Error) -> PrepareError {
        PrepareError::Files {
            subject: self.manifest.name.clone(),
            what: path.display().to_string(),
            reason: format!("{error}; `{CACHE}` may name another folder for builds"),
        }
    }

    /// A digest of all that goes into the build: the `[prepare]` section, the version, the platform, and the
    /// names, contents and executable bits of the inputs.
    fn key(&self) -> Result<String, PrepareError> {
        let mut digest = Digest::new();
        let script =
            self.preparation.script.strip_prefix(&self.manifest.folder).unwrap_or(&self.preparation.script);
        for part in
            [&self.manifest.name, &self.manifest.version, std::env::consts::OS, std::env::consts::ARCH]
        {
            digest.add(part.as_bytes());
        }
        digest.add(script.as_os_str().as_bytes());
        for need in &self.preparation.needs {
            digest.add(need.as_bytes());
        }
        digest
            .add_files(&self.manifest.folder, &self.preparation.inputs)
            .map_err(|(path, error)| self.files(&path, error))?;
        Ok(digest.finish())
    }

    /// Waits for the lock on this build. It is released when the file is closed, in whatever way.
    fn lock(&self, path: &Path, progress: &mut dyn Progress) -> Result<File, PrepareError> {
        let file = File::options()
            .read(true)
            .create(true)
            .append(true)
            .open(path)
            .map_err(|error| self.no_folder(path, &error))?;
        let mut has_told = false;
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if !has_told {
                progress.begin(&format!("waiting for another process that builds {}", self.manifest.name));
                has_told = true;
            }
            if self.interrupt.is_raised() {
                return Err(PrepareError::Interrupted);
            }
            thread::sleep(WATCH);
        }
        Ok(file)
    }

    fn make(&self, folder: &Path, progress: &mut dyn Progress) -> Result<(), PrepareError> {
        let subject = &self.manifest.name;
        let is_missing = |need: &&String| program::find(need.as_str().as_ref()).is_err();
        let missing: Vec<String> = self.preparation.needs.iter().filter(is_missing).cloned().collect();
        if !missing.is_empty() {
            let install = self.preparation.install.clone();
            return Err(PrepareError::Missing { subject: subject.clone(), missing, install });
        }
        progress.begin(&format!("building {subject} {}", self.manifest.version));
        let (mark, log) = (mark(folder), folder.with_extension("log"));
        // Nobody else uses it: the lock is held. It is of a build whose owner was killed; the script may
        // run still, and would write into the folder of the same name.
        orphans::kill(OUT, folder);
        File::create(&mark).map_err(|error| self.files(&mark, error))?;
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.files(folder, error)),
            _ => {}
        }
        fs::create_dir_all(folder).map_err(|error| self.files(folder, error))?;
        let result = self.script(folder, &log, progress);
        if result.is_ok() {
            fs::remove_file(&mark).map_err(|error| self.files(&mark, error))?;
            let _ = fs::remove_file(&log);
        } else {
            // The mark stays: who looks at this moment may have seen the folder.
            let _ = fs::remove_dir_all(folder);
        }
        result
    }

    /// Runs the script, with a folder for temporary files, of which nothing stays however it ends: a script
    /// that is killed cannot clean up.
    fn script(&self, out: &Path, log: &Path, progress: &mut dyn Progress) -> Result<(), PrepareError> {
        let scratch = out.with_extension("scratch");
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir(&scratch).map_err(|error| self.files(&scratch, error))?;
        // Nor when this process has to end at once, as little as of what is built by then.
        let _folders = running::enter_folders(vec![scratch.clone(), out.to_owned()]);
        let result = self.run(out, &scratch, log, progress);
        let _ = fs::remove_dir_all(&scratch);
        result
    }

    /// Runs the script, with its output going to `log` and to `progress`.
    fn run(
        &self,
        out: &Path,
        scratch: &Path,
        log: &Path,
        progress: &mut dyn Progress,
    ) -> Result<(), PrepareError> {
        let script = &self.preparation.script;
        let failed = |error: io::Error| self.files(script, error);
        let mut output = Output {
            log: File::create(log).map_err(|error| self.files(log, error))?,
            progress,
            line: Vec::new(),
            last: Vec::new(),
        };
        let (mut reader, writer) = io::pipe().map_err(failed)?;
        // Without the executable bit, which archives and some file systems lose, the shell reads it.
        let is_program = program::find(script.as_os_str()).is_ok();
        let shell = (!is_program).then(|| OsString::from("/bin/sh"));
        let words: Vec<OsString> = shell.into_iter().chain([script.clone().into_os_string()]).collect();
        let mut running = Trusted::start(Start {
            launcher: self.launcher,
            words: &words,
            folder: &self.manifest.folder,
            environment: &[("TMPDIR", scratch)],
            mark: (OUT, out),
            output: writer.try_clone().map_err(failed)?.into(),
            patience: LAST_MOMENTS,
        })
        .map_err(failed)?;
        let has_ended = loop {
            let [has_ended, has_written] = ready(&running, &reader, WATCH);
            if has_ended || self.interrupt.is_raised() {
                break has_ended;
            }
            if has_written {
                // An end of the pipe is held here, so there is never an end of it.
                output.read(&mut reader).map_err(failed)?;
            }
        };
        // This ends the script and all it started, if they have not ended by themselves.
        let status = running.end().map_err(failed)?;
        // What is left in the pipe; more than a pipe holds is of somebody who got away and goes on.
        for _ in 0..16 {
            if ready(&reader, &reader, Duration::ZERO)[1] {
                output.read(&mut reader).map_err(failed)?;
            }
        }
        drop(writer);
        output.end();
        match status.success() {
            _ if !has_ended => Err(PrepareError::Interrupted),
            true => Ok(()),
            false => Err(PrepareError::Failed {
                subject: self.manifest.name.clone(),
                status: shown(status),
                log: log.to_path_buf(),
                last: output.last,
            }),
        }
    }
}

/// Waits until something can be read from one of two, for `time` at most. Which ones?
fn ready(one: impl AsFd, other: impl AsFd, time: Duration) -> [bool; 2] {
    let mut fds = [PollFd::new(&one, PollFlags::IN), PollFd::new(&other, PollFlags::IN)];
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    // When a signal comes in between, nothing is ready.
    let _ = poll(&mut fds, Some(&time));
    fds.map(|fd| !fd.revents().is_empty())
}

/// Where the lines go that a script writes.
struct Output<'a> {
    log: File,
    progress: &'a mut dyn Progress,
    /// What of a line is there already.
    line: Vec<u8>,
    last: Vec<String>,
}

impl Output<'_> {
    /// Takes what there is.
    fn read(&mut self, reader: &mut impl Read) -> io::Result<()> {
        let mut bytes = [0; 1 << 14];
        let count = reader.read(&mut bytes)?;
        // A full disk must not end the build before it does so itself.
        let _ = self.log.write_all(&bytes[..count]);
        for &byte in &bytes[..count] {
            match byte {
                b'\n' => self.end(),
                _ => self.line.push(byte),
            }
        }
        Ok(())
    }

    /// Ends the line.
    fn end(&mut self) {
        if self.line.is_empty() {
            return;
        }
        let line = printable(&String::from_utf8_lossy(&std::mem::take(&mut self.line)));
        self.progress.line(&line);
        if self.last.len() == SHOWN {
            self.last.remove(0);
        }
        self.last.push(line);
    }
}

/// A line for the terminal, which takes control characters for commands. The log has it as it was.
fn printable(line: &str) -> String {
    let mut printable = String::with_capacity(line.len());
    for character in line.trim_end_matches('\r').chars() {
        match character {
            '\t' => printable.push(character),
            _ if character.is_control() => printable.extend(character.escape_default()),
            _ => printable.push(character),
        }
    }
    printable
}

fn list(missing: &[String]) -> String {
    let names: Vec<_> = missing.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {}", names.join(", "), if missing.len() == 1 { "is" } else { "are" })
}

fn advice(install: Option<&str>) -> String {
    install.map_or_else(String::new, |what| format!("; install {what}"))
}

fn tail(last: &[String]) -> String {
    last.iter().map(|line| format!("\n  {line}")).collect()
}
