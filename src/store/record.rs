//! What a task found: one struct per stage, plain data.
//!
//! A record is stored as JSON. It holds what the reports show and what later tasks need when a run
//! goes on where an earlier one was; it never holds a time, so that it is the same at every run.

use serde::{Deserialize, Serialize};

use crate::base::budget::StopReason;
use crate::oracle::{Judgement, Verdict};
use crate::pattern::Pattern;

use super::input::Input;
use super::task::{Side, Source, Stage};
use super::verdicts::Verdicts;

/// What a task found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Record {
    /// Of a check.
    Check(Check),
    /// Of a reduction.
    Reduce(Reduce),
    /// Of a generalization.
    Generalize(Box<Generalize>),
    /// Of an instantiation.
    Instantiate(Instantiate),
    /// Of a specialization; the largest record.
    Specialize(Box<Specialize>),
    /// Of producing.
    Produce(Produce),
    /// Of recognizing.
    Recognize(Recognize),
}

impl Record {
    /// The stage of the tasks that find such a record.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Check(_) => Stage::Check,
            Self::Reduce(_) => Stage::Reduce,
            Self::Generalize(_) => Stage::Generalize,
            Self::Instantiate(_) => Stage::Instantiate,
            Self::Specialize(_) => Stage::Specialize,
            Self::Produce(produce) => Stage::Produce(produce.side),
            Self::Recognize(recognize) => Stage::Recognize(recognize.source),
        }
    }

    /// That of a reduction, if it is one.
    pub fn as_reduce(&self) -> Option<&Reduce> {
        if let Self::Reduce(reduce) = self { Some(reduce) } else { None }
    }

    /// That of a generalization, if it is one.
    pub fn as_generalize(&self) -> Option<&Generalize> {
        if let Self::Generalize(generalize) = self { Some(generalize) } else { None }
    }

    /// That of an instantiation, if it is one.
    pub fn as_instantiate(&self) -> Option<&Instantiate> {
        if let Self::Instantiate(instantiate) = self { Some(instantiate) } else { None }
    }

    /// That of a specialization, if it is one.
    pub fn as_specialize(&self) -> Option<&Specialize> {
        if let Self::Specialize(specialize) = self { Some(specialize) } else { None }
    }

    /// That of producing, if it is one.
    pub fn as_produce(&self) -> Option<&Produce> {
        if let Self::Produce(produce) = self { Some(produce) } else { None }
    }

    /// That of recognizing, if it is one.
    pub fn as_recognize(&self) -> Option<&Recognize> {
        if let Self::Recognize(recognize) = self { Some(recognize) } else { None }
    }

    /// The inputs that the task met on the way, if others build upon them.
    pub fn judged(&self) -> Option<&Vec<Judged>> {
        match self {
            Self::Reduce(reduce) => Some(&reduce.judged),
            Self::Generalize(generalize) => Some(&generalize.judged),
            _ => None,
        }
    }

    /// The same, to be filled in.
    pub(super) fn judged_mut(&mut self) -> Option<&mut Vec<Judged>> {
        match self {
            Self::Reduce(reduce) => Some(&mut reduce.judged),
            Self::Generalize(generalize) => Some(&mut generalize.judged),
            _ => None,
        }
    }

    /// What the task could not do, though it found the rest. It counts as failed, and is tried again.
    pub fn failure(&self) -> Option<String> {
        let failures: Vec<String> = self.as_specialize()?.failures().collect();
        (!failures.is_empty()).then(|| failures.join("; "))
    }

    /// What a user should know who reads that a task found this. The same at every run.
    pub fn warning(&self) -> Option<String> {
        match self {
            Self::Produce(produce) => {
                let resolved =
                    produce.verdicts.counted(Verdict::Fail) + produce.verdicts.counted(Verdict::Pass);
                (resolved < produce.wanted).then(|| {
                    format!(
                        "{} of {} inputs: no more distinct ones with a verdict came from {}",
                        resolved,
                        produce.wanted,
                        produce.side.as_str()
                    )
                })
            }
            Self::Instantiate(instantiate) => (instantiate.instances < instantiate.wanted).then(|| {
                format!(
                    "{} of {} instances: the abstract input has no more distinct ones",
                    instantiate.instances, instantiate.wanted
                )
            }),
            Self::Specialize(specialize) => specialize.counts.as_ref().ok()?.warning(),
            _ => None,
        }
    }
}

/// What a check of a subject found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Each fact that was looked at.
    pub findings: Vec<Finding>,
}

/// One fact about a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The bug that it is about; `None` when it is about the whole subject.
    pub bug: Option<String>,
    /// What was looked at, and what was seen.
    pub text: String,
    /// Whether it is as it must be.
    pub holds: bool,
}

/// What a reduction found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reduce {
    /// The reducer.
    pub reducer: String,
    /// The failing input.
    pub input: Input,
    /// The smaller failing input.
    pub output: Input,
    /// Every input that was executed, in order. In the store it stands apart: only few want it.
    #[serde(skip)]
    pub judged: Vec<Judged>,
    /// Oracle executions.
    pub executions: u64,
    /// Why it ended.
    #[serde(with = "StopReasonText")]
    pub stop: StopReason,
}

/// What a generalization found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generalize {
    /// The generalizer.
    pub generalizer: String,
    /// The failing input with its abstract parts as `<name>`.
    pub abstract_text: String,
    /// The same as a person reads it: only what the grammar's author named is abstract.
    pub compact: String,
    /// The pattern of the whole input.
    pub whole: Pattern,
    /// The pattern of its characteristic part: `<nonterminal> is "text"`.
    pub pattern: String,
    /// The evocative expression in the notation of the papers.
    pub expression: String,
    /// The pattern itself: what is written can be ambiguous.
    pub model: Pattern,
    /// Every input that was executed, in order. In the store it stands apart: only few want it.
    #[serde(skip)]
    pub judged: Vec<Judged>,
    /// Oracle executions of the abstraction.
    pub executions_abstraction: u64,
    /// Oracle executions of the isolation.
    pub executions_isolation: u64,
    /// Oracle executions of the search for the characteristic node.
    pub executions_characteristic: u64,
    /// Abstract nonterminals that the grammar's author named.
    pub visible_nonterminals: u64,
    /// Abstract nonterminals that the notation's operators made.
    pub invisible_nonterminals: u64,
    /// The sizes of the groups of nodes that vary only together.
    pub shared: Vec<u64>,
    /// Characters that stayed concrete.
    pub remaining_chars: u64,
    /// Why it ended.
    #[serde(with = "StopReasonText")]
    pub stop: StopReason,
}

impl Generalize {
    /// Oracle executions in all.
    pub fn executions(&self) -> u64 {
        self.executions_abstraction + self.executions_isolation + self.executions_characteristic
    }
}

/// How the instances of an abstract input were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instantiate {
    /// How many distinct instances were asked for.
    pub wanted: u64,
    /// How many distinct instances came, all of them judged.
    pub instances: u64,
    /// Their verdicts.
    #[serde(flatten)]
    pub verdicts: Verdicts,
    /// The instances that passed.
    pub escapes: Vec<Escape>,
}

/// An input and its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// The input.
    pub input: Input,
    /// Its verdict, as it was seen.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
}

/// The size of a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Its nonterminals.
    pub nonterminals: u64,
    /// Its rules.
    pub rules: u64,
}

/// What a specialization made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Specialize {
    /// The transformer.
    pub transformer: String,
    /// The file of the base grammar, as the config or the manifest calls it.
    pub grammar: String,
    /// The expression without its patterns.
    pub formula: String,
    /// The expression, found or given by hand.
    pub expression: String,
    /// The base grammar.
    pub base: Size,
    /// Whether the base grammar is proved to be unambiguous.
    pub is_unambiguous: bool,
    /// The specialized grammar, F; or why there is none.
    pub specialized: Result<Size, String>,
    /// Its negation, not F; or why there is none.
    pub negated: Result<Size, String>,
    /// What counting says of both; or why nothing could be counted.
    pub counts: Result<Counts, String>,
}

impl Specialize {
    /// One of the grammars.
    pub fn side(&self, side: Side) -> &Result<Size, String> {
        match side {
            Side::F => &self.specialized,
            Side::NotF => &self.negated,
        }
    }

    /// Which of the grammars there is not, and why.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        [Side::F, Side::NotF].into_iter().filter_map(|side| {
            let reason = self.side(side).as_ref().err()?;
            Some(format!("no grammar of {}: {reason}", side.as_str()))
        })
    }
}

/// How many derivations of at most `longest` bytes there are. Numbers are decimal: they can be large.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Up to this length, in bytes.
    pub longest: u64,
    /// Of the base grammar, from the nonterminal that the expression is about.
    pub base: String,
    /// Of F.
    pub specialized: Option<String>,
    /// Of not F.
    pub negated: Option<String>,
    /// Whether F and not F together have as many as the base grammar, at each length.
    pub complement: Option<Equality>,
    /// Whether F and not F have as many as those that `automaton` makes, at each length.
    pub reference: Option<Equality>,
}

impl Counts {
    /// What of the transformer is wrong.
    fn warning(&self) -> Option<String> {
        let differ = |equality, what| match equality {
            Some(Equality::DiffersAt(length)) => Some(format!("{what}, first of {length} bytes")),
            Some(Equality::Equal) | None => None,
        };
        let complement = "F and not F do not have as many derivations as the base grammar";
        let reference = "there are not as many derivations as with `automaton`";
        let wrong = [differ(self.complement, complement), differ(self.reference, reference)];
        let wrong: Vec<String> = wrong.into_iter().flatten().collect();
        (!wrong.is_empty()).then(|| wrong.join("; "))
    }
}

/// Whether numbers are equal at each length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Equality {
    /// They are.
    Equal,
    /// They differ, first at this length.
    DiffersAt(u64),
}

/// How the inputs of one grammar were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Produce {
    /// The grammar.
    #[serde(with = "SideText")]
    pub side: Side,
    /// The producer.
    pub producer: String,
    /// How many distinct inputs were asked for.
    pub wanted: u64,
    /// How many distinct inputs came, all of them judged.
    pub inputs: u64,
    /// How many were drawn, repetitions included.
    pub produced: u64,
    /// Their verdicts.
    #[serde(flatten)]
    pub verdicts: Verdicts,
    /// The inputs of F that did not fail, of not F that failed.
    pub escapes: Vec<Escape>,
}

/// An input that its grammar should not have, were the specialization perfect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Escape {
    /// The input.
    pub input: Input,
    /// Its verdict.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// What was seen.
    pub evidence: String,
}

impl Escape {
    /// `input`, which was judged so.
    pub fn new(input: impl Into<Input>, judgement: &Judgement) -> Self {
        Self { input: input.into(), verdict: judgement.verdict, evidence: judgement.evidence.to_string() }
    }
}

/// How judged inputs were validated. Counts are of distinct inputs; timeouts are among them as they
/// count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recognize {
    /// Where the inputs come from.
    #[serde(with = "SourceText")]
    pub source: Source,
    /// Failing inputs that F accepts.
    pub fail_accepted: u64,
    /// Failing inputs.
    pub fail_total: u64,
    /// Passing inputs that F rejects.
    pub pass_rejected: u64,
    /// Passing inputs.
    pub pass_total: u64,
    /// Inputs without a verdict, which count nowhere.
    pub unresolved: u64,
    /// The failing inputs that were rejected, the passing ones that were accepted.
    pub mistakes: Vec<Mistake>,
}

/// An input that was validated against its verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mistake {
    /// The input.
    pub input: Input,
    /// Its verdict.
    #[serde(with = "VerdictText")]
    pub verdict: Verdict,
    /// What the validator said.
    pub answer: String,
}

// The lower layers know nothing of serde: these say how their words are written.

#[derive(Serialize, Deserialize)]
#[serde(remote = "Verdict", rename_all = "lowercase")]
enum VerdictText {
    Fail,
    Pass,
    Unresolved,
    Timeout,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "StopReason", rename_all = "lowercase")]
enum StopReasonText {
    Done,
    Budget,
    Time,
    Interrupted,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Side")]
enum SideText {
    F,
    #[serde(rename = "not F")]
    NotF,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Source")]
enum SourceText {
    #[serde(rename = "seen")]
    Seen,
    #[serde(rename = "held-out")]
    HeldOut,
}
