//! Why a result is not smaller or more abstract: the inputs that spoke against it, in words.

use std::ops::Range;

use serde_json::{Value, json};

use crate::base::id::IdVec;
use crate::generalize::{AbstractInput, Generalized, Question, Refutation};
use crate::grammar::Grammar;
use crate::oracle::{Judgement, OtherFailure, Verdict};
use crate::report::grid::shorten;
use crate::store::Input;
use crate::tree::NodeId;

use super::text;

/// No longer than this is an input in a line that nobody asked for.
const SHOWN: usize = 60;

/// What spoke against a larger abstraction of an input.
pub struct Reasons<'a> {
    grammar: &'a Grammar,
    text: Vec<u8>,
    spans: IdVec<NodeId, (usize, usize)>,
    /// From left to right, what encloses others first; of nodes at one place the lowest.
    refutations: Vec<&'a Refutation>,
    input: &'a AbstractInput,
    found: &'a Generalized,
}

impl<'a> Reasons<'a> {
    /// The reasons for what was found; `None` when there is no abstract input.
    pub fn new(grammar: &'a Grammar, found: &'a Generalized) -> Option<Self> {
        let input = found.abstract_input.as_ref()?;
        let spans = input.tree.spans(grammar);
        let mut refutations: Vec<&Refutation> = Vec::new();
        for refutation in &found.refutations {
            let (begin, end) = spans[refutation.node];
            let is_same = |known: &&mut &Refutation| {
                known.question == refutation.question && spans[known.node] == (begin, end)
            };
            match refutations.iter_mut().find(is_same) {
                // The lowest node says most; of characteristic nodes the highest one was the last hope.
                Some(known) if refutation.question == Question::Varies => *known = refutation,
                Some(_) => {}
                None if begin == end => {}
                None => refutations.push(refutation),
            }
        }
        refutations.sort_by_key(|refutation| {
            let (begin, end) = spans[refutation.node];
            (refutation.question == Question::FailsEverywhere, begin, std::cmp::Reverse(end))
        });
        Some(Self { grammar, text: input.tree.text(grammar), spans, refutations, input, found })
    }

    /// A line for each part of the input that is concrete, and for each that is not characteristic.
    pub fn lines(&self) -> Vec<String> {
        self.refutations.iter().map(|refutation| self.line(refutation, usize::MAX)).collect()
    }

    /// That the pattern is the whole input, if it is, because of what.
    pub fn of_whole(&self) -> Option<String> {
        let (what, question) = if self.input.abstract_nodes.is_empty() {
            ("the pattern is the whole input, no part of which may vary", Question::Varies)
        } else {
            let is_whole = self.found.pattern()?.nodes().len() == self.input.pattern.nodes().len();
            if !is_whole {
                return None;
            }
            ("the pattern is of the whole input", Question::FailsEverywhere)
        };
        let size = |refutation: &&&Refutation| {
            let (begin, end) = self.spans[refutation.node];
            (refutation.input.is_some(), end - begin)
        };
        let of_question = self.refutations.iter().filter(|refutation| refutation.question == question);
        let largest = of_question.clone().rev().max_by_key(size)?;
        let others = match of_question.count() {
            1 => String::new(),
            number => format!(" ({} more: --explain)", number - 1),
        };
        Some(format!("{what}: {}{others}", self.line(largest, SHOWN)))
    }

    /// The reasons as JSON.
    pub fn json(&self) -> Value {
        let object = |refutation: &&Refutation| {
            let (begin, end) = self.spans[refutation.node];
            json!({
                "question": match refutation.question {
                    Question::Varies => "may be anything",
                    Question::FailsEverywhere => "fails everywhere",
                },
                "begin": begin,
                "end": end,
                "text": text::json_text(&self.text[begin..end]),
                "nonterminal": self.name(refutation),
                "tried": refutation.tried.as_deref().map(text::json_text),
                "input": refutation.input.as_deref().map(text::json_text),
                "verdict": refutation.verdict.map(Verdict::as_str),
            })
        };
        self.refutations.iter().map(object).collect()
    }

    fn name(&self, refutation: &Refutation) -> Option<String> {
        let nonterminal = self.input.tree.nonterminal(self.grammar, refutation.node)?;
        Some(self.grammar.name(nonterminal).to_string())
    }

    fn line(&self, refutation: &Refutation, longest: usize) -> String {
        let (begin, end) = self.spans[refutation.node];
        let part = quoted(&self.text[begin..end], longest);
        let name = self.name(refutation).unwrap_or_default();
        let subject = match refutation.question {
            Question::Varies => format!("{part} is not any {name}"),
            Question::FailsEverywhere => format!("{part}, as {name}, does not fail everywhere"),
        };
        match (&refutation.input, refutation.verdict) {
            (Some(input), Some(verdict)) => {
                let with = match &refutation.tried {
                    Some(tried) => format!("with {} there, ", quoted(tried, longest)),
                    None => String::new(),
                };
                format!("{subject}: {with}{} {}", quoted(input, longest), verb(verdict))
            }
            _ => format!("{subject}: too few inputs with something else there were judged"),
        }
    }
}

/// A part of a result, what stood in its place, the whole input then, and its verdict.
type Change<'a> = (Range<usize>, &'a [u8], &'a [u8], Verdict);

/// What the smaller inputs that were tried say of a result: a line for each part of it that could not be left out or be
/// replaced by something shorter. Of parts in one another only the smallest are told.
pub fn of_reduction(result: &[u8], log: &[(Box<[u8]>, Judgement)]) -> Vec<String> {
    let mut needed: Vec<Change<'_>> = Vec::new();
    for (input, judgement) in log {
        if judgement.verdict == Verdict::Fail || input.len() >= result.len() {
            continue;
        }
        let common = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
        let begin = common(&mut result.iter().zip(input.iter()));
        let rest = &input[begin..];
        let behind = common(&mut result[begin..].iter().rev().zip(rest.iter().rev()));
        needed.push((begin..result.len() - behind, &rest[..rest.len() - behind], input, judgement.verdict));
    }
    needed.sort_by_key(|(place, instead, ..)| (place.len(), instead.len(), place.start));
    let mut told: Vec<(Range<usize>, String)> = Vec::new();
    for (place, instead, input, verdict) in needed {
        if told.iter().any(|(inner, _)| place.start <= inner.start && inner.end <= place.end) {
            continue;
        }
        let part = quoted(&result[place.clone()], usize::MAX);
        let change = match instead {
            [] => format!("without {part} at byte {}", place.start),
            _ => format!("with {} for {part} at byte {}", quoted(instead, usize::MAX), place.start),
        };
        told.push((place, format!("{change}: {} {}", quoted(input, usize::MAX), verb(verdict))));
    }
    told.sort_by_key(|(place, _)| place.start);
    told.into_iter().map(|(_, line)| line).collect()
}

/// That something failed otherwise than it was to fail.
pub fn of_other(other: &OtherFailure) -> String {
    let OtherFailure { failure, inputs, smallest, .. } = other;
    let of = match inputs {
        1 => String::new(),
        inputs => format!(", the smallest of {inputs}"),
    };
    format!(
        "another failure, {}: {} ({} bytes{of})",
        failure.as_str(),
        quoted(smallest, SHOWN),
        smallest.len()
    )
}

pub(super) fn quoted(text: &[u8], longest: usize) -> String {
    let escaped = Input::from(text).to_escaped();
    format!("`{}`", if longest == usize::MAX { escaped } else { shorten(&escaped, longest) })
}

fn verb(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "fails",
        Verdict::Pass => "passes",
        Verdict::Unresolved => "is unresolved",
        Verdict::Timeout => "does not end in time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_parts_that_are_needed_are_told() {
        let judged = |input: &str, verdict| (Box::from(input.as_bytes()), Judgement::new(verdict, ""));
        let log = [
            judged("let a(b)", Verdict::Fail),
            judged("", Verdict::Pass),
            judged("ab", Verdict::Pass),
            judged("(b)", Verdict::Unresolved),
            judged("a(b", Verdict::Timeout),
            judged("a(b)", Verdict::Fail),
            judged("something else", Verdict::Pass),
        ];
        let told = of_reduction(b"a(b)", &log);
        assert_eq!(
            told,
            [
                "without `a` at byte 0: `(b)` is unresolved",
                "without `)` at byte 3: `a(b` does not end in time"
            ]
        );
    }
}
