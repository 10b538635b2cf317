//! Delta debugging on the characters of the input: `ddmin` of "Simplifying and Isolating
//! Failure-Inducing Input" (Zeller and Hildebrandt, TSE 2002, figure 5).
//!
//! The input is cut into ever more chunks. At each granularity the chunks alone are tried first,
//! then the input without one chunk each. The result is 1-minimal: without any single character it
//! does not fail. Where a grammar is given, candidates that it does not derive are dropped without
//! being run.

use std::sync::Arc;

use serde::Serialize;

use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge};

use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer, Syntax, confirm, stop_reason};

/// Delta debugging on characters.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Ddmin;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Ddmin>();

impl PlugInSettings<AnyReducer> for Ddmin {
    const NAME: &'static str = "ddmin";

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Ddmin {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let mut units = units(failing.text);
        let stop = match confirm(failing.text, judge)? {
            Some(stop) => stop,
            None => stop_reason(minimize(&mut units, failing.syntax, judge))?,
        };
        let text = units.concat();
        // It was parsed before, so that no limit but the user's patience ends it now.
        let tree = failing.syntax.and_then(|syntax| (syntax.parse)(&text).ok()?);
        Ok(Reduced { text, tree, stop })
    }
}

/// The characters of a text. A byte that is not part of any character stands for itself.
fn units(text: &[u8]) -> Vec<&[u8]> {
    let mut units = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let (unit, after) = rest.split_at(c.len_utf8());
            units.push(unit.as_bytes());
            rest = after;
        }
        units.extend(chunk.invalid().chunks(1));
    }
    units
}

fn minimize(units: &mut Vec<&[u8]>, syntax: Option<Syntax<'_>>, judge: &mut Judge<'_>) -> Result<(), Halt> {
    let mut fails = |candidate: &[&[u8]]| {
        let text = candidate.concat();
        let derived = |text: &[u8]| -> Result<bool, Halt> {
            let Some(syntax) = syntax else { return Ok(true) };
            Ok((syntax.parse)(text)?.is_some())
        };
        if judge.knows(&text) || derived(&text)? { judge.fails(&text) } else { Ok(false) }
    };
    if fails(&[])? {
        units.clear();
        return Ok(());
    }
    let mut granularity = 2;
    while units.len() >= 2 {
        granularity = granularity.min(units.len());
        let chunk = |index: usize| index * units.len() / granularity..(index + 1) * units.len() / granularity;
        let mut subset = None;
        for index in 0..granularity {
            if fails(&units[chunk(index)])? {
                subset = Some(chunk(index));
                break;
            }
        }
        if let Some(subset) = subset {
            *units = units[subset].to_vec();
            granularity = 2;
            continue;
        }
        let mut rest = None;
        // With two chunks, each is what is left without the other.
        if granularity > 2 {
            for index in 0..granularity {
                let without = [&units[..chunk(index).start], &units[chunk(index).end..]].concat();
                if fails(&without)? {
                    rest = Some(without);
                    break;
                }
            }
        }
        match rest {
            Some(rest) => {
                *units = rest;
                granularity = (granularity - 1).max(2);
            }
            None if granularity == units.len() => break,
            None => granularity *= 2,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sample::{Asked, failing_oracle, json};
    use super::*;
    use crate::base::budget::{Budget, StopReason};
    use crate::oracle::Verdict;
    use crate::parse::Parser;
    use proptest::prelude::*;

    fn reduce(text: &[u8], asked: &Asked<'_>) -> Reduced {
        let mut judge = Judge::new(asked);
        Ddmin.reduce(Failing { text, syntax: None }, &mut judge).expect("the input fails")
    }

    fn is_one_minimal(text: &[u8], fails: &dyn Fn(&[u8]) -> bool) -> bool {
        let units = units(text);
        (0..units.len()).all(|index| !fails(&[&units[..index], &units[index + 1..]].concat().concat()))
    }

    proptest! {
        /// Arbitrary predicates: whether a text fails is a matter of its hash.
        #[test]
        fn the_result_fails_and_no_single_character_can_be_left_out(text in "\\PC{0,40}", salt: u8) {
            let whole = text.as_bytes();
            let fails = |candidate: &[u8]| {
                candidate == whole || blake3::hash(candidate).as_bytes()[0].wrapping_add(salt) < 60
            };
            let oracle = failing_oracle(&fails);
            let reduced = reduce(whole, &oracle);
            prop_assert!(fails(&reduced.text));
            prop_assert!(is_one_minimal(&reduced.text, &fails));
            prop_assert_eq!(reduced.stop, StopReason::Done);
            prop_assert_eq!(reduce(whole, &oracle).text, reduced.text);
        }

        /// Monotone predicates: some characters are needed, wherever they stand.
        #[test]
        fn exactly_the_needed_characters_are_left(text in "[a-z]{1,60}", picks in prop::collection::vec(0usize..60, 1..5)) {
            let needed: Vec<u8> = {
                let mut places: Vec<usize> = picks.iter().map(|pick| pick % text.len()).collect();
                places.sort_unstable();
                places.dedup();
                places.iter().map(|&place| text.as_bytes()[place]).collect()
            };
            let fails = |candidate: &[u8]| {
                let mut rest = candidate.iter();
                needed.iter().all(|wanted| rest.any(|found| found == wanted))
            };
            prop_assert_eq!(reduce(text.as_bytes(), &failing_oracle(&fails)).text, needed);
        }
    }

    #[test]
    fn characters_are_never_cut_and_stray_bytes_are() {
        assert_eq!(units("aé\u{1F600}".as_bytes()), [&b"a"[..], "é".as_bytes(), "\u{1F600}".as_bytes()]);
        assert_eq!(units(b"\xffa\xe2\x82"), [&b"\xff"[..], b"a", b"\xe2", b"\x82"]);
    }

    #[test]
    fn with_a_grammar_only_what_it_derives_is_run() {
        let grammar = Arc::new(json());
        let parser = Parser::new(Arc::clone(&grammar));
        let parse = |text: &[u8]| Ok(parser.parse(text).ok().map(|forest| forest.first_tree()));
        let fails = |text: &[u8]| {
            assert!(parser.recognizes(text).unwrap(), "{}", text.escape_ascii());
            text.windows(2).any(|pair| pair == b"\"b")
        };
        let oracle = failing_oracle(&fails);
        let text = b"[1, {\"ab\": [\"ba\", 10]}, 0]";
        let tree = parse(text).unwrap().unwrap();
        let syntax = Syntax { grammar: &grammar, tree: &tree, parse: &parse };
        let mut judge = Judge::new(&oracle);
        let reduced = Ddmin.reduce(Failing { text, syntax: Some(syntax) }, &mut judge).unwrap();
        assert_eq!(reduced.tree.unwrap().text(&grammar), reduced.text);
        for index in 0..reduced.text.len() {
            let shorter = [&reduced.text[..index], &reduced.text[index + 1..]].concat();
            assert!(parse(&shorter).unwrap().is_none() || !fails(&shorter));
        }
    }

    #[test]
    fn the_budget_ends_the_work_with_what_there_is() {
        let fails = |text: &[u8]| text.contains(&b'!');
        let oracle = failing_oracle(&fails);
        let text = b"some text! and more of it";
        let mut best = text.len();
        for executions in 0..20 {
            let mut judge = Judge::new(&oracle).with_budget(Budget::of_executions(executions));
            let reduced = Ddmin.reduce(Failing { text, syntax: None }, &mut judge).unwrap();
            assert!(judge.executions() <= executions);
            assert!(reduced.text.len() <= best && fails(&reduced.text));
            best = reduced.text.len();
            let done = reduced.text == b"!" && reduced.stop == StopReason::Done;
            assert!(done || reduced.stop == StopReason::Budget);
        }
        assert_eq!(best, 1);
    }

    #[test]
    fn an_input_that_does_not_fail_is_an_error() {
        let oracle = failing_oracle(&|_| false);
        let error = Ddmin.reduce(Failing { text: b"x", syntax: None }, &mut Judge::new(&oracle)).unwrap_err();
        assert_eq!(error, ReduceError::NotFailing(Verdict::Pass));
    }
}
