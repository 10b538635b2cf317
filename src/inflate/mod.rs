//! Large failing inputs out of small ones: what a reduction undoes.
//!
//! A failing input is planted in random inputs of the grammar, as far as one then fails as it does; then it grows. In each step many things
//! are put in at random: elements of lists, and what is optional. The program is asked about all of them at once; if the failure is no longer
//! the same, about each half, and so on, so that what does not disturb the failure is kept, and nothing else. Steps that succeed are
//! followed by larger ones, so a grammar whose random inputs a program takes needs few executions, whatever the size; of others the parts that
//! were of use come again ([`crate::produce::Grower`]).
//!
//! Depends on [`crate::base`], [`crate::parse`], [`crate::tree`], [`crate::produce`] and [`crate::oracle`]; knows no processes.

use crate::base::limits::Exceeded;
use crate::base::random_stream::RandomStream;
use crate::oracle::{Halt, Judge, Verdict};
use crate::parse::Parser;
use crate::produce::{Grower, Insertion, Mutator, Producer, RandomInputs, plant};

/// The number of random inputs in which the failing one is planted to begin with.
const MOST_PLANTED: usize = 16;
/// The first step has this number of bytes; a step that fails is followed by none that is smaller.
const LEAST_STEP: usize = 32;
/// After this number of steps in a row in which nothing is of use there is taken to be nothing.
const MOST_IN_VAIN: usize = 40;

/// What inputs are made with.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The parser of the grammar.
    pub parser: &'a Parser,
    /// Changes trees of the grammar.
    pub mutator: &'a Mutator<'a>,
    /// Make random inputs of the grammar.
    pub producers: &'a [Box<dyn Producer>],
}

/// Why an input did not become as large as it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InflateError {
    /// The input does not fail.
    #[error("the input does not fail: its verdict is `{0}`")]
    NotFailing(Verdict),
    /// The grammar does not derive the input.
    #[error("the grammar does not derive the input")]
    Unparsed,
    /// It is larger already.
    #[error("the input has {0} bytes already")]
    Larger(usize),
    /// It grew no further.
    #[error(
        "the input could not be made as large: it has {reached} of {wanted} bytes after {executions} executions, and {why}"
    )]
    Unreached {
        /// The number of bytes that it came to.
        reached: usize,
        /// The number that it should have had.
        wanted: usize,
        /// The number of executions that were made.
        executions: u64,
        /// Why no more were.
        why: &'static str,
    },
    /// The oracle cannot work, or the user interrupts.
    #[error(transparent)]
    Halted(#[from] Halt),
}

impl From<Exceeded> for InflateError {
    fn from(exceeded: Exceeded) -> Self {
        Self::Halted(exceeded.into())
    }
}

/// Whether a text of this length is about as large as it should be: up to a twentieth smaller.
fn is_about(length: usize, wanted: usize) -> bool {
    length + wanted / 20 >= wanted
}

/// An input of about `wanted` bytes that fails as `text` does, as the judge sees it, if the judge seeks one failure. The same stream and
/// verdicts give the same input.
///
/// # Errors
/// When `text` does not fail or is too large, and when the judge's executions are used up before.
pub fn inflate(
    text: &[u8],
    wanted: usize,
    material: Material<'_>,
    judge: &mut Judge<'_>,
    stream: &mut RandomStream,
) -> Result<Vec<u8>, InflateError> {
    match judge.judge(text)? {
        Verdict::Fail => {}
        verdict => return Err(InflateError::NotFailing(verdict)),
    }
    if text.len() > wanted {
        return Err(InflateError::Larger(text.len()));
    }
    let mut growth = Growth { text: text.to_vec(), wanted, material, judge };
    match growth.plant(stream).and_then(|()| growth.grow(stream)) {
        Ok(None) => Ok(growth.text),
        Ok(Some(why)) => Err(growth.unreached(why)),
        Err(InflateError::Halted(Halt::Stop(crate::base::budget::StopReason::Budget))) => {
            Err(growth.unreached("more are not allowed"))
        }
        Err(error) => Err(error),
    }
}

/// An input on its way.
struct Growth<'g, 'a, 'j> {
    text: Vec<u8>,
    wanted: usize,
    material: Material<'a>,
    judge: &'g mut Judge<'j>,
}

impl Growth<'_, '_, '_> {
    fn unreached(&self, why: &'static str) -> InflateError {
        let (reached, wanted, executions) = (self.text.len(), self.wanted, self.judge.executions());
        InflateError::Unreached { reached, wanted, executions, why }
    }

    /// Begins with the largest of some random inputs in which the failing one was planted.
    fn plant(&mut self, stream: &mut RandomStream) -> Result<(), InflateError> {
        let Material { parser, mutator, producers } = self.material;
        let tree = [mutator.tree(&self.text)?.ok_or(InflateError::Unparsed)?];
        let mut hosts = RandomInputs::new(parser, producers);
        for _ in 0..MOST_PLANTED {
            let Some(planted) = plant(&tree, &mut hosts, mutator, parser, stream)? else { break };
            let is_larger = (self.text.len() + 1..=self.wanted).contains(&planted.len());
            if is_larger && self.judge.fails(&planted)? {
                self.text = planted;
            }
        }
        Ok(())
    }

    /// Grows step by step. Why it ended, if that was before it was large enough.
    fn grow(&mut self, stream: &mut RandomStream) -> Result<Option<&'static str>, InflateError> {
        let mutator = self.material.mutator;
        let mut grower = Grower::new(mutator);
        let (mut step, mut in_vain) = (LEAST_STEP, 0);
        while !is_about(self.text.len(), self.wanted) {
            let Some(tree) = mutator.tree(&self.text)? else { return Ok(Some("it is too ambiguous")) };
            let growing = grower.begin(&tree);
            let missing = self.wanted - self.text.len();
            let drawn = grower.draw(&growing, step.min(missing), stream);
            let kept = self.keep(&grower, &growing, &drawn)?;
            let bytes = |is_kept: bool| {
                let some = drawn.iter().zip(&kept).filter(|(_, kept)| !is_kept || **kept);
                some.map(|(insertion, _)| insertion.bytes()).sum::<usize>()
            };
            step = if 2 * bytes(true) >= bytes(false) { step.max(bytes(false)) * 2 } else { step / 2 };
            step = step.max(LEAST_STEP);
            in_vain = if kept.contains(&true) { 0 } else { in_vain + 1 };
            for (insertion, is_kept) in drawn.iter().zip(kept) {
                grower.learn(insertion, is_kept);
            }
            if in_vain == MOST_IN_VAIN {
                return Ok(Some("nothing can be put into it with which it fails as before"));
            }
        }
        Ok(None)
    }

    /// Puts in what does not disturb the failure: whether it is, for each insertion.
    fn keep(
        &mut self,
        grower: &Grower<'_>,
        growing: &crate::produce::Growing<'_>,
        drawn: &[Insertion],
    ) -> Result<Vec<bool>, InflateError> {
        let mut kept = vec![false; drawn.len()];
        let mut open = vec![(0, drawn.len())];
        while let Some((begin, end)) = open.pop().filter(|(begin, end)| begin < end) {
            let is_in = |place: usize| kept[place] || (begin..end).contains(&place);
            let all: Vec<&Insertion> =
                (0..drawn.len()).filter(|&place| is_in(place)).map(|place| &drawn[place]).collect();
            let text = grower.with(growing, &all)?.filter(|text| self.is_larger(text));
            if let Some(text) = text
                && self.judge.fails(&text)?
            {
                self.text = text;
                kept[begin..end].fill(true);
            } else if end - begin > 1 {
                let middle = begin + (end - begin) / 2;
                open.extend([(middle, end), (begin, middle)]);
            }
        }
        Ok(kept)
    }

    /// Whether a text is a step forward, and not too large. What keeps words apart counts for little.
    fn is_larger(&self, text: &[u8]) -> bool {
        text.len() > self.text.len() && text.len() <= self.wanted + self.wanted / 20
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::base::budget::Budget;
    use crate::base::diagnostic::Source;
    use crate::base::limits::Limits;
    use crate::oracle::{Judgement, Oracle, OracleError};
    use crate::produce::{all_producers, producer};

    /// Fails where `!` stands, otherwise where `?` does too, and takes nothing with an `x`.
    struct Picky;

    impl Oracle for Picky {
        fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
            let has = |byte: u8| input.contains(&byte);
            Ok(match (has(b'x'), has(b'!'), has(b'?')) {
                (true, ..) => Judgement::new(Verdict::Unresolved, "x"),
                (_, true, false) => Judgement::new(Verdict::Fail, "!"),
                (_, true, true) => Judgement::new(Verdict::Fail, "!?"),
                _ => Judgement::new(Verdict::Pass, "nothing"),
            })
        }
    }

    fn inflated(
        text: &[u8],
        wanted: usize,
        executions: u64,
        seed: u64,
    ) -> (Result<Vec<u8>, InflateError>, u64, Parser) {
        let grammar = "<list> ::= \"[\" <item>* \"]\"\n<item> ::= \"!\" | \"?\" | [a-z] | <list>\n";
        let grammar = crate::grammar::ebnf::read(&Source::new("lists.ebnf", grammar)).unwrap().grammar;
        let (grammar, limits) = (Arc::new(grammar), Limits::default());
        let parser = Parser::new(Arc::clone(&grammar));
        let filler = producer("limit", &grammar, parser.lexis(), 6, &limits).unwrap();
        let producers = all_producers(&grammar, parser.lexis(), 6, &limits).unwrap();
        let mut judge =
            Judge::new(&Picky).with_budget(Budget::of_executions(executions)).seeking_one_failure();
        let mutator = Mutator::new(&parser, &*filler);
        let material = Material { parser: &parser, mutator: &mutator, producers: &producers };
        let mut stream = RandomStream::derive(seed, "inflate");
        let found = inflate(text, wanted, material, &mut judge, &mut stream);
        let executions = judge.executions();
        (found, executions, parser)
    }

    #[test]
    fn what_is_inflated_fails_in_the_same_way_and_is_as_large() {
        for seed in 0..8 {
            let (found, executions, parser) = inflated(b"[!]", 3_000, 3_000, seed);
            let text = found.unwrap();
            assert!((2_850..=3_150).contains(&text.len()), "{}", text.len());
            assert!(parser.recognizes(&text).unwrap());
            assert!(text.contains(&b'!') && !text.contains(&b'?') && !text.contains(&b'x'));
            assert!(executions < 1_000, "{executions}");
            assert_eq!(inflated(b"[!]", 3_000, 3_000, seed).0, Ok(text));
        }
    }

    #[test]
    fn what_does_not_grow_as_large_is_an_error_and_no_smaller_input() {
        let error = inflated(b"[!]", 100_000, 30, 1).0.unwrap_err();
        assert!(matches!(error, InflateError::Unreached { wanted: 100_000, executions: 30, .. }), "{error}");
        assert_eq!(inflated(b"[a]", 100, 100, 1).0, Err(InflateError::NotFailing(Verdict::Pass)));
        assert_eq!(inflated(b"[!!!]", 4, 100, 1).0, Err(InflateError::Larger(5)));
    }
}
