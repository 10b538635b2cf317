//! What a row of a table is about: a bug, a repetition, and the plug-ins.

use super::subject_key::{BugKey, Repetition};

/// What a task works with: the grammar, and the names of the plug-ins whose work it does or builds upon; `None` where none
/// takes part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlugIns<'a> {
    /// What the grammar was chosen as.
    pub grammar: Option<&'a str>,
    /// The reducer.
    pub reducer: Option<&'a str>,
    /// The generalizer.
    pub generalizer: Option<&'a str>,
    /// The transformer.
    pub transformer: Option<&'a str>,
    /// The producer.
    pub producer: Option<&'a str>,
}

impl<'a> PlugIns<'a> {
    /// All of them, in the order of the pipeline.
    pub fn all(self) -> [Option<&'a str>; 5] {
        [self.grammar, self.reducer, self.generalizer, self.transformer, self.producer]
    }
}

/// What a row of a table is about. Rows that are about the same are one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct About<'a> {
    /// The subject; empty when it is about no program.
    pub subject: &'a str,
    /// The bug; empty when it is about no program.
    pub bug: &'a str,
    /// The name of the grammar; empty when it is about no program.
    pub grammar: &'a str,
    /// Which of the repetitions.
    pub repetition: u32,
    /// The plug-ins.
    pub plug_ins: PlugIns<'a>,
    /// The subject's version.
    pub version: &'a str,
    /// Whether the bug was put back into a later release.
    pub reintroduced: bool,
}

impl<'a> About<'a> {
    /// About a bug, in no repetition but the first.
    pub fn bug(bug: &'a BugKey) -> Self {
        Self {
            subject: &bug.subject,
            bug: &bug.name,
            grammar: &bug.grammar.name,
            repetition: 1,
            plug_ins: PlugIns { grammar: Some(bug.grammar.choice()), ..PlugIns::default() },
            version: &bug.version,
            reintroduced: bug.reintroduced,
        }
    }

    /// About a repetition of a bug.
    pub fn repetition(repetition: &'a Repetition) -> Self {
        Self { repetition: repetition.number, ..Self::bug(&repetition.bug) }
    }

    /// About an expression of the config.
    pub fn no_bug() -> Self {
        Self { repetition: 1, ..Self::default() }
    }
}
