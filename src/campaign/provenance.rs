//! Writes what a run is made with beside its tables ([`Provenance`]): when it begins, and when it ends.
//!
//! It listens to the run's events like the progress display, so it knows no more than that.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::{Timestamp, Unit};

use crate::base::digest::digest;
use crate::base::program::ThisProgram;
use crate::report::provenance::{
    ConfigFile, FORMAT, Grammar, Machine, Part, Program, Provenance, Sitting, State, Subject, TaskCounts,
};
use crate::store::{Campaign, CampaignOutcome, Event, Identity, IdentityPart, Listener};
use crate::subject::catalogue::Catalogue;

use super::config::{Chosen, Config};
use super::identity::digest_of_grammar;

/// How a run was called.
#[derive(Clone, Debug, Default)]
pub struct Called {
    /// The path of the config, as it was given.
    pub config: String,
    /// The words of the command, without the program.
    pub arguments: Vec<String>,
}

/// Writes the file.
pub(super) struct ProvenanceWriter {
    folder: PathBuf,
    provenance: Provenance,
}

impl ProvenanceWriter {
    /// One for the run of `campaign` that begins now. What earlier sittings of the same campaign left in the folder is kept,
    /// unless the run begins anew.
    pub(super) fn new(
        folder: &Path,
        campaign: &Campaign,
        (config, catalogue): (&Config, &Catalogue),
        called: &Called,
        (jobs, is_fresh): (usize, bool),
    ) -> Self {
        let part = |part: &IdentityPart| Part {
            bug: part.bug.clone(),
            what: part.what.clone(),
            digest: part.digest.clone(),
        };
        let depends_on: Vec<Part> = campaign.identity.0.iter().map(part).collect();
        // A file that cannot be read tells nothing of earlier sittings.
        let earlier = Provenance::read(folder)
            .ok()
            .flatten()
            .filter(|earlier| !is_fresh && earlier.depends_on == depends_on);
        let mut sittings = earlier.map(|earlier| earlier.sittings).unwrap_or_default();
        sittings.push(Sitting {
            arguments: called.arguments.clone(),
            jobs,
            begin: now(),
            end: None,
            load_at_begin: load(),
            load_at_end: None,
            state: State::Unfinished,
            tasks: TaskCounts::default(),
        });
        let program = ThisProgram::get();
        let provenance = Provenance {
            format: FORMAT,
            grambench: Program {
                version: program.version.to_owned(),
                revision: program.revision.map(str::to_owned),
                digest: program.digest.clone(),
            },
            config: ConfigFile {
                path: called.config.clone(),
                title: config.title.clone(),
                digest: blake3::hash(campaign.config.as_bytes()).to_hex().to_string(),
                text: campaign.config.clone(),
            },
            seed: config.settings.seed,
            repetitions: config.settings.repetitions,
            subjects: subjects(config, catalogue, &campaign.identity),
            depends_on,
            machine: machine(),
            sittings,
        };
        Self { folder: folder.into(), provenance }
    }

    fn write(&self) {
        if let Err(error) = self.provenance.write(&self.folder) {
            let path = self.folder.join(Provenance::FILE_NAME);
            // Whoever reads along may have gone: no reason to stop a campaign.
            let _ = writeln!(std::io::stderr(), "warning: cannot write `{}`: {error}", path.display());
        }
    }
}

impl Listener for ProvenanceWriter {
    fn event(&mut self, event: &Event) {
        let Some(sitting) = self.provenance.sittings.last_mut() else { return };
        match event {
            Event::Planned { tasks, left_out, finished } => {
                sitting.tasks =
                    TaskCounts { planned: tasks.len() - left_out, done: finished.len(), failed: 0 };
                self.write();
            }
            Event::TaskEnded { result, .. } => match result {
                Ok(stored) if stored.failure.is_none() => sitting.tasks.done += 1,
                Ok(_) | Err(_) => sitting.tasks.failed += 1,
            },
            Event::Ended { outcome } => {
                sitting.end = Some(now());
                sitting.load_at_end = load();
                sitting.state = match outcome {
                    CampaignOutcome::Complete => State::Complete,
                    CampaignOutcome::Interrupted => State::Interrupted,
                };
                self.write();
            }
            Event::SubjectFit { .. }
            | Event::SubjectUnfit { .. }
            | Event::TaskBegun { .. }
            | Event::Executed { .. }
            | Event::FingerprintChecked { .. }
            | Event::Forgotten { .. }
            | Event::Warning { .. }
            | Event::Note { .. } => {}
        }
    }
}

/// The subjects of a campaign. Which bugs take part was found out when its identity was made.
fn subjects(config: &Config, catalogue: &Catalogue, identity: &Identity) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for Chosen { subject, bug, grammars } in config.bugs.choose(catalogue).unwrap_or_default() {
        if found.last().is_none_or(|last| last.name != subject.name) {
            found.push(Subject {
                name: subject.name.clone(),
                version: subject.version.clone(),
                digest: String::new(),
                grammars: Vec::new(),
                bugs: Vec::new(),
            });
        }
        let Some(last) = found.last_mut() else { continue };
        last.bugs.push(bug.name.clone());
        for grammar in grammars {
            if !last.grammars.iter().any(|known| known.name == grammar.name) {
                last.grammars.push(Grammar {
                    name: grammar.name.clone(),
                    file: grammar.file.display().to_string(),
                    digest: digest_of_grammar(grammar),
                });
            }
        }
    }
    for subject in &mut found {
        let is_of = |bug: &Option<String>| bug.as_ref().is_some_and(|bug| subject.bugs.contains(bug));
        let parts: Vec<_> = identity.0.iter().filter(|part| is_of(&part.bug)).collect();
        subject.digest = digest(&parts);
    }
    found
}

fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(Unit::Millisecond).unwrap_or(now)
}

/// The machine that this process runs on.
fn machine() -> Machine {
    let names = rustix::system::uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    let kernel = [names.sysname(), names.release(), names.machine()].map(text).join(" ");
    let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let lines = about.lines().filter_map(|line| line.split_once(':'));
        lines.clone().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
    };
    Machine {
        host: text(names.nodename()),
        kernel,
        // On ARM the processor has numbers only.
        processor: value("model name").or_else(|| value("CPU part")).unwrap_or_else(|| "unknown".into()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// The load of the machine in the last minute.
fn load() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').next()?.parse().ok()
}
