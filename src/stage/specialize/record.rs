//! What a specialization made.

use serde::{Deserialize, Serialize};

use super::super::produce::Side;
use super::super::{Exhibit, Incident, StageRecord};

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
pub struct SpecializeRecord {
    /// The file of the base grammar, as the config or the manifest calls it.
    pub grammar_file: String,
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
    pub counts: Result<DerivationCounts, String>,
}

impl SpecializeRecord {
    /// One of the grammars.
    pub fn side(&self, side: Side) -> &Result<Size, String> {
        match side {
            Side::F => &self.specialized,
            Side::NotF => &self.negated,
        }
    }

    /// Which of the grammars there is not, and why.
    pub fn missing(&self) -> impl Iterator<Item = String> {
        [Side::F, Side::NotF].into_iter().filter_map(|side| {
            let reason = self.side(side).as_ref().err()?;
            Some(format!("no grammar of {}: {reason}", side.as_str()))
        })
    }
}

impl SpecializeRecord {
    /// What the transformer did not do, or did wrong.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.missing().chain(self.counts.iter().flat_map(DerivationCounts::wrong))
    }
}

/// How many derivations of at most `longest` bytes there are. Numbers are decimal: they can be large.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DerivationCounts {
    /// The length of the shortest input of F, in bytes; `None` where it has none.
    pub shortest: Option<u64>,
    /// Up to this length, in bytes.
    pub longest: u64,
    /// Of the base grammar, from the nonterminal that the expression is about.
    pub base: String,
    /// Of F.
    pub specialized: Option<String>,
    /// Of not F.
    pub negated: Option<String>,
    /// Whether F and not F together have as many as the base grammar, at each length; `None` where nothing of F was
    /// compared.
    pub complement: Option<Equality>,
    /// Whether F and not F have as many as those that `automaton` makes, at each length. There is nothing to compare
    /// `automaton` itself with, and nothing of F where its shortest input is out of reach.
    pub reference: Option<Equality>,
}

impl DerivationCounts {
    /// In which way counting shows that the transformer is wrong.
    fn wrong(&self) -> impl Iterator<Item = String> {
        let differ = |equality: Option<Equality>, what| {
            let length = equality?.differs_at()?;
            Some(format!("{what}, first of {length} bytes"))
        };
        let complement = "F and not F do not have as many derivations as the base grammar";
        let reference = "there are not as many derivations as with `automaton`";
        [differ(self.complement, complement), differ(self.reference, reference)].into_iter().flatten()
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

impl Equality {
    /// The first length at which they differ, if they do.
    pub fn differs_at(self) -> Option<u64> {
        match self {
            Self::Equal => None,
            Self::DiffersAt(length) => Some(length),
        }
    }
}

impl StageRecord for SpecializeRecord {
    fn failure(&self) -> Option<String> {
        let failures: Vec<String> = self.failures().collect();
        (!failures.is_empty()).then(|| failures.join("; "))
    }

    fn exhibits(&self) -> Vec<Exhibit<'_>> {
        let sides = [Side::F, Side::NotF].into_iter();
        let sides = sides.filter_map(|side| Some((side.as_str(), self.side(side).as_ref().ok()?.rules)));
        vec![
            Exhibit::Expression { text: &self.expression, grammar_file: Some(&self.grammar_file) },
            Exhibit::Rules([("base", self.base.rules)].into_iter().chain(sides).collect()),
        ]
    }

    fn incidents(&self) -> Vec<Incident<'_>> {
        let failures = self.failures();
        failures
            .map(|detail| Incident { kind: "error", bug: None, input: None, verdict: None, detail })
            .collect()
    }
}
