//! Delta debugging on the text of the input: "Simplifying and Isolating Failure-Inducing Input" (Zeller and Hildebrandt, TSE 2002).
//!
//! The text is a list of characters, tokens or lines, which is minimized ([`super::minimize`]; `ddmin` of the paper unless another list
//! minimizer is asked for). With `ddmin` the result is 1-minimal: without any single one of them it does not fail.
//!
//! The paper's program says itself what is no input of it. Where a grammar is given, what fails and is no input of the grammar is taken for
//! unresolved too, since nobody could go on from it; with `grammatical = false` it is not.

use std::sync::Arc;

use serde::Serialize;

use crate::base::keys::Keys;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge};

use super::derivable::Derivable;
use super::minimize::Minimizer;
use super::pass::minimizer;
use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer, confirm};

/// What a text is a list of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Units {
    /// Characters; a byte that is not part of any stands for itself.
    #[default]
    Characters,
    /// Words, the space between them, and all other characters one by one.
    Tokens,
    /// Lines with their ends.
    Lines,
}

/// Delta debugging on the text.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Ddmin {
    units: Units,
    minimizer: Minimizer,
    grammatical: bool,
}

impl Default for Ddmin {
    fn default() -> Self {
        Self { units: Units::Characters, minimizer: Minimizer::Ddmin, grammatical: true }
    }
}

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Ddmin>();

impl PlugInSettings<AnyReducer> for Ddmin {
    const NAME: &'static str = "ddmin";

    fn read(keys: &mut Keys<'_>) -> Self {
        let words = [("characters", Units::Characters), ("tokens", Units::Tokens), ("lines", Units::Lines)];
        Self {
            units: keys.one_of("units", &words, Units::default()),
            minimizer: minimizer(keys),
            grammatical: keys.or("grammatical", true),
        }
    }

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Ddmin {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let units = units(failing.text, self.units);
        let mut text = failing.text.to_vec();
        let stop = match confirm(failing.text, judge)? {
            Some(stop) => stop,
            None => {
                let derivable = failing.syntax.filter(|_| self.grammatical).map(Derivable::new);
                let weights: Vec<usize> = units.windows(2).map(|ends| ends[1] - ends[0]).collect();
                let ended = judge.in_steps(&mut text, |text, judge| {
                    let left = self.minimizer.minimize(&weights, &mut |kept| {
                        let candidate = joined(failing.text, &units, kept);
                        let fails = match &derivable {
                            Some(derivable) => derivable.fails(&candidate, judge)?,
                            None => judge.fails(&candidate)?,
                        };
                        if fails {
                            *text = candidate;
                        }
                        Ok(fails)
                    });
                    left.map(|_| false)
                });
                Halt::stop_reason::<ReduceError>(ended)?
            }
        };
        // It was parsed before, so that no limit but the user's patience ends it now.
        let tree = failing.syntax.and_then(|syntax| (syntax.parse)(&text).ok()?);
        Ok(Reduced { text, tree, stop })
    }
}

/// Where the units of a text begin, and where the last one ends.
fn units(text: &[u8], units: Units) -> Vec<usize> {
    let mut ends = vec![0];
    let mut at = 0;
    // What kind of token the last character was a part of, if it can have more of them.
    let mut last = None;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let kind = (c.is_alphanumeric() || c == '_', c.is_whitespace());
            let continues = match units {
                Units::Characters => false,
                Units::Tokens => kind != (false, false) && last == Some(kind),
                Units::Lines => last.is_some_and(|(_, is_end)| !is_end),
            };
            if continues {
                ends.pop();
            }
            at += c.len_utf8();
            ends.push(at);
            last = Some(if units == Units::Lines { (false, c == '\n') } else { kind });
        }
        for _ in chunk.invalid() {
            if units == Units::Lines && last.is_some_and(|(_, is_end)| !is_end) {
                ends.pop();
            }
            at += 1;
            ends.push(at);
            last = (units == Units::Lines).then_some((false, false));
        }
    }
    ends
}

/// The text of some units.
fn joined(text: &[u8], units: &[usize], kept: &[usize]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(text.len());
    for run in kept.chunk_by(|a, b| a + 1 == *b) {
        if let (Some(&first), Some(&last)) = (run.first(), run.last()) {
            joined.extend_from_slice(&text[units[first]..units[last + 1]]);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::super::Syntax;
    use super::super::sample::{Asked, failing_oracle, json};
    use super::*;
    use crate::base::budget::{Budget, StopReason};
    use crate::oracle::Verdict;
    use crate::parse::Parser;
    use proptest::prelude::*;

    fn reduce(text: &[u8], asked: &Asked<'_>) -> Reduced {
        let mut judge = Judge::new(asked);
        Ddmin::default().reduce(Failing { text, syntax: None }, &mut judge).expect("the input fails")
    }

    fn is_one_minimal(text: &[u8], fails: &dyn Fn(&[u8]) -> bool) -> bool {
        let units = units(text, Units::Characters);
        units.windows(2).all(|ends| !fails(&[&text[..ends[0]], &text[ends[1]..]].concat()))
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
        let cut = |text: &[u8], kind| -> Vec<Vec<u8>> {
            units(text, kind).windows(2).map(|ends| text[ends[0]..ends[1]].to_vec()).collect()
        };
        assert_eq!(
            cut("aé\u{1F600}".as_bytes(), Units::Characters),
            ["a", "é", "\u{1F600}"].map(|c| c.as_bytes().to_vec())
        );
        assert_eq!(cut(b"\xffa\xe2\x82", Units::Characters), [&b"\xff"[..], b"a", b"\xe2", b"\x82"]);
        assert_eq!(
            cut(b"a_1 +  bc\xffd", Units::Tokens),
            [&b"a_1"[..], b" ", b"+", b"  ", b"bc", b"\xff", b"d"]
        );
        assert_eq!(cut(b"a b\n\nc\xff\nd", Units::Lines), [&b"a b\n"[..], b"\n", b"c\xff\n", b"d"]);
        assert!(cut(b"", Units::Lines).is_empty());
    }

    /// The paper's example: of the line that made Mozilla crash when it was printed, `<SELECT>` is left.
    #[test]
    fn the_papers_example() {
        let text = b"<SELECT NAME=\"priority\" MULTIPLE SIZE=7>";
        let tag = |rest: &[u8]| rest.starts_with(b"<SELECT ") || rest.starts_with(b"<SELECT>");
        let fails = |text: &[u8]| text.contains(&b'>') && (0..text.len()).any(|at| tag(&text[at..]));
        let oracle = failing_oracle(&fails);
        assert_eq!(reduce(text, &oracle).text, b"<SELECT>");
    }

    #[test]
    fn with_a_grammar_only_what_it_derives_is_left() {
        let grammar = Arc::new(json());
        let parser = Parser::new(Arc::clone(&grammar));
        let parse = |text: &[u8]| Ok(parser.parse(text).ok().map(|forest| forest.first_tree()));
        let fails = |text: &[u8]| text.windows(2).any(|pair| pair == b"\"b");
        let oracle = failing_oracle(&fails);
        let text = b"[1, {\"ab\": [\"ba\", 10]}, 0]";
        let tree = parse(text).unwrap().unwrap();
        let syntax = Syntax {
            grammar: &grammar,
            tree: &tree,
            parse: &parse,
            derives: &|text| parser.recognizes(text),
        };
        let reduced = |ddmin: Ddmin| {
            ddmin.reduce(Failing { text, syntax: Some(syntax) }, &mut Judge::new(&oracle)).unwrap()
        };
        let strict = reduced(Ddmin::default());
        assert_eq!(strict.tree.unwrap().text(&grammar), strict.text);
        for index in 0..strict.text.len() {
            let shorter = [&strict.text[..index], &strict.text[index + 1..]].concat();
            assert!(parse(&shorter).unwrap().is_none() || !fails(&shorter));
        }
        let lax = reduced(Ddmin { grammatical: false, ..Ddmin::default() });
        assert_eq!((&*lax.text, lax.tree), (&b"\"b"[..], None));
    }

    #[test]
    fn the_budget_ends_the_work_with_what_there_is() {
        let fails = |text: &[u8]| text.contains(&b'!');
        let oracle = failing_oracle(&fails);
        let text = b"some text! and more of it";
        let mut best = text.len();
        for executions in 0..20 {
            let mut judge = Judge::new(&oracle).with_budget(Budget::of_executions(executions));
            let reduced = Ddmin::default().reduce(Failing { text, syntax: None }, &mut judge).unwrap();
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
        let error = Ddmin::default()
            .reduce(Failing { text: b"x", syntax: None }, &mut Judge::new(&oracle))
            .unwrap_err();
        assert_eq!(error, ReduceError::NotFailing(Verdict::Pass));
    }
}
