//! What a run was made with, and when: the file `provenance.json` beside its tables. What differs from run to run stands
//! here, so that tables of equal figures are equal byte for byte.
//!
//! A run writes it when it begins and when it ends, so what was killed has a sitting without an end. A run that goes on
//! where an earlier one ended adds a sitting. docs/provenance.md describes the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::file;

/// The format that this program reads and writes.
pub const FORMAT: u32 = 1;

/// What of the parts that results depend on is no matter of the campaign: runs that differ in these can be compared.
pub mod part {
    /// The program.
    pub const PROGRAM: &str = "the program grambench, which was built anew or is another version";
    /// The seed.
    pub const SEED: &str = "the seed";
    /// How often everything is done.
    pub const REPETITIONS: &str = "the repetitions";
    /// Which bugs take part.
    pub const BUGS: &str = "the list of bugs";
}

/// What a run was made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The format of the file: [`FORMAT`].
    pub format: u32,
    /// The program that ran last.
    pub grambench: Program,
    /// The config.
    pub config: ConfigFile,
    /// The seed.
    pub seed: u64,
    /// How often everything was done.
    pub repetitions: u32,
    /// The subjects that take part.
    pub subjects: Vec<Subject>,
    /// All that the results depend on, part by part.
    pub depends_on: Vec<Part>,
    /// The machine that ran last.
    pub machine: Machine,
    /// Each time that somebody gave the command, in order.
    pub sittings: Vec<Sitting>,
}

/// A build of grambench.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The revision of its sources, with a `+` if they were changed, as far as it is known.
    pub revision: Option<String>,
    /// The digest of the executable.
    pub digest: String,
}

/// A config file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Its path, as it was given.
    pub path: String,
    /// The title of the campaign.
    pub title: String,
    /// The digest of its text.
    pub digest: String,
    /// Its text.
    pub text: String,
}

/// A subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A digest of all of it that results depend on.
    pub digest: String,
    /// The grammars with which its bugs are examined.
    pub grammars: Vec<Grammar>,
    /// Its bugs that take part.
    pub bugs: Vec<String>,
}

/// A grammar of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grammar {
    /// Its name.
    pub name: String,
    /// Its file, as seen from the folder in which the command was given.
    pub file: String,
    /// The digest of its text; why there is none if it cannot be read.
    pub digest: String,
}

/// One thing that results depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The bug whose results depend on it; `None` when all do.
    pub bug: Option<String>,
    /// What it is.
    pub what: String,
    /// Differs whenever the thing does.
    pub digest: String,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The name of the host.
    pub host: String,
    /// The kernel: its name, release and architecture.
    pub kernel: String,
    /// What the processor calls itself.
    pub processor: String,
    /// How many processors the program may use.
    pub cores: usize,
}

/// One run of the command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sitting {
    /// The words of the command, without the program.
    pub arguments: Vec<String>,
    /// How many tasks ran at once.
    pub jobs: usize,
    /// When it began.
    pub begin: Timestamp,
    /// When it ended; `None` as long as it has not, and for ever if it was killed.
    pub end: Option<Timestamp>,
    /// The load of the machine in the minute before it began.
    pub load_at_begin: Option<f64>,
    /// The same in the minute before it ended.
    pub load_at_end: Option<f64>,
    /// How it ended.
    pub state: State,
    /// What became of the tasks.
    pub tasks: TaskCounts,
}

/// How a sitting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It has not ended, or was killed.
    Unfinished,
    /// The user asked to stop.
    Interrupted,
    /// Every task of the plan has ended.
    Complete,
}

impl State {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unfinished => "unfinished",
            Self::Interrupted => "interrupted",
            Self::Complete => "complete",
        }
    }
}

/// What became of the tasks of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskCounts {
    /// How many there are.
    pub planned: usize,
    /// How many are done, by this sitting or an earlier one.
    pub done: usize,
    /// How many failed.
    pub failed: usize,
}

/// The file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// The system says so.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not what it should be.
    #[error("`{}` is not as grambench writes it: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// It is of another version of grambench.
    #[error("`{}` has the format {found}, and this version of grambench reads {FORMAT}", path.display())]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

impl Provenance {
    /// The name of the file in a run's folder.
    pub const FILE_NAME: &'static str = "provenance.json";

    /// Reads the file in the folder of a run; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is of another format.
    pub fn read(folder: &Path) -> Result<Option<Self>, ProvenanceError> {
        /// What any format has.
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }

        let path = folder.join(Self::FILE_NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(ProvenanceError::Io { path, source }),
        };
        let damaged = |source| ProvenanceError::Damaged { path: path.clone(), source };
        // Another format may have other fields, so its number is read before them.
        match serde_json::from_str::<Head>(&text).map_err(damaged)?.format {
            FORMAT => serde_json::from_str(&text).map(Some).map_err(damaged),
            found => Err(ProvenanceError::OtherFormat { path, found }),
        }
    }

    /// Writes the file into the folder of a run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        file::replace(&folder.join(Self::FILE_NAME), &text)
    }

    /// The last sitting.
    pub fn last(&self) -> Option<&Sitting> {
        self.sittings.last()
    }

    /// What both have in their dependencies and have differently, in words; and what only one of them has. The program, the
    /// seed, the repetitions and the choice of bugs are left out, and so are bugs that only one of them has.
    pub fn differences(&self, other: &Self) -> Differences {
        const FREE: [&str; 4] = [part::PROGRAM, part::SEED, part::REPETITIONS, part::BUGS];
        let has_bug = |of: &Self, bug: &Option<String>| of.depends_on.iter().any(|part| part.bug == *bug);
        let counts = |part: &&Part| {
            !FREE.contains(&part.what.as_str()) && has_bug(self, &part.bug) && has_bug(other, &part.bug)
        };
        let mut found = Differences::default();
        let mut note = |list: fn(&mut Differences) -> &mut Vec<String>, what: &str| {
            let list = list(&mut found);
            if !list.iter().any(|known| known == what) {
                list.push(what.to_owned());
            }
        };
        let same = |of: &Self, wanted: &Part| {
            let is_it = |part: &&Part| part.bug == wanted.bug && part.what == wanted.what;
            of.depends_on.iter().find(is_it).map(|part| part.digest.clone())
        };
        for part in self.depends_on.iter().filter(counts) {
            match same(other, part) {
                Some(digest) if digest != part.digest => note(|found| &mut found.changed, &part.what),
                Some(_) => {}
                None => note(|found| &mut found.of_one, &part.what),
            }
        }
        for part in other.depends_on.iter().filter(counts) {
            if same(self, part).is_none() {
                note(|found| &mut found.of_one, &part.what);
            }
        }
        found
    }
}

/// In what the dependencies of two runs differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// What both have, and have differently.
    pub changed: Vec<String>,
    /// What only one of them has, such as a setting that an older version did not know.
    pub of_one: Vec<String>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    #[test]
    fn a_state_has_a_word_of_its_own() {
        let all = [State::Unfinished, State::Interrupted, State::Complete];
        assert_eq!(all.map(State::as_str), ["unfinished", "interrupted", "complete"]);
    }

    /// A provenance, made up.
    pub(crate) fn sample() -> Provenance {
        let part = |bug: Option<&str>, what: &str, digest: &str| Part {
            bug: bug.map(str::to_owned),
            what: what.into(),
            digest: digest.into(),
        };
        Provenance {
            format: FORMAT,
            grambench: Program { version: "0.1.0".into(), revision: Some("abc".into()), digest: "d".into() },
            config: ConfigFile {
                path: "quick.toml".into(),
                title: "quick".into(),
                digest: "c".into(),
                text: String::new(),
            },
            seed: 1,
            repetitions: 1,
            subjects: Vec::new(),
            depends_on: vec![
                part(None, part::PROGRAM, "d"),
                part(None, part::SEED, "1"),
                part(None, "`produce.inputs`", "100"),
                part(Some("middle"), "the grammar `manual` of `triples`", "g"),
            ],
            machine: Machine { host: "h".into(), kernel: "k".into(), processor: "p".into(), cores: 2 },
            sittings: vec![Sitting {
                arguments: vec!["run".into(), "quick.toml".into()],
                jobs: 2,
                begin: "2026-11-22T12:00:00Z".parse().unwrap(),
                end: None,
                load_at_begin: Some(0.5),
                load_at_end: None,
                state: State::Unfinished,
                tasks: TaskCounts { planned: 12, done: 3, failed: 1 },
            }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Provenance::read(folder.path()).unwrap().is_none());
        sample().write(folder.path()).unwrap();
        assert_eq!(Provenance::read(folder.path()).unwrap(), Some(sample()));
    }

    #[test]
    fn another_format_and_a_damaged_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Provenance::FILE_NAME);
        let error = |text: &str| {
            fs::write(&path, text).unwrap();
            Provenance::read(folder.path()).unwrap_err().to_string()
        };
        assert!(error("{\"format\": 7, \"more\": 1}").contains("has the format 7"));
        assert!(error("{\"format\": 1, \"more\": 1}").contains("unknown field `more`"));
        assert!(error("half").contains("is not as grambench writes it"));
    }

    #[test]
    fn the_seed_and_the_program_are_no_difference_and_a_setting_is() {
        let (one, mut other) = (sample(), sample());
        other.depends_on[0].digest = "another".into();
        other.depends_on[1].digest = "2".into();
        assert_eq!(one.differences(&other), Differences::default());
        other.depends_on[2].digest = "200".into();
        other.depends_on[3].digest = "changed".into();
        let changed = ["`produce.inputs`", "the grammar `manual` of `triples`"].map(str::to_owned);
        assert_eq!(one.differences(&other).changed, changed);
        other.depends_on.remove(2);
        assert_eq!(one.differences(&other).of_one, ["`produce.inputs`"]);
        assert_eq!(other.differences(&one).of_one, ["`produce.inputs`"]);
        // A bug that only one of them has is no difference: its rows are new, or missing.
        other.depends_on.pop();
        assert_eq!(one.differences(&other).changed, [] as [&str; 0]);
    }
}
