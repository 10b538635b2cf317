//! The papers' producer: random rules, and below a depth the cheapest ones.
//!
//! Down to the limit every productive rule of a nonterminal is equally likely; below it only those
//! whose derivation tree can be lowest are, so that every derivation ends. ("Building Fast Fuzzers",
//! Gopinath and Zeller 2019, section 3; the papers' artifact uses the same scheme with depth 10 or
//! so.) Costs are heights.

use std::sync::Arc;

use serde::Serialize;

use crate::base::id::Id;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::{Grammar, NonterminalId};

use super::program::{Kind, Program, TEXT};
use super::random_below::{BatchedRandom, RandomBelow};
use super::token_separator::TokenSeparator;
use super::{MakeProducer, Producer, ProducerSession, ProducerSpec, Unproductive};

/// Random rules down to a depth.
#[derive(Clone, Debug)]
pub struct LimitProducer {
    limit: u32,
    program: Program,
}

impl LimitProducer {
    /// The depth that the papers use.
    pub const DEFAULT_LIMIT: u32 = 10;

    /// A producer for `grammar` that chooses freely down to depth `limit`.
    pub fn new(grammar: Arc<Grammar>, limit: u32) -> Self {
        Self { limit, program: Program::new(&grammar) }
    }
}

pub(super) const PLUG_IN: PlugIn<MakeProducer> = PlugIn::of::<Settings>();

/// There is nothing to set but the depth, which concerns all that is made at random.
#[derive(Default, Serialize)]
struct Settings;

impl PlugInSettings<MakeProducer> for Settings {
    const NAME: &'static str = "limit";

    fn make(self) -> MakeProducer {
        Arc::new(|ProducerSpec { grammar, words, depth, .. }| {
            TokenSeparator::around(grammar, words, |grammar| {
                Ok(Box::new(LimitProducer::new(grammar, depth)) as _)
            })
        })
    }
}

impl Producer for LimitProducer {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        Box::new(LimitSession::new(self))
    }
}

/// The memory that is used again for each input.
pub(super) struct LimitSession<'a> {
    producer: &'a LimitProducer,
    /// Where to go on after a nonterminal: the operation, and how many levels are left to the limit.
    stack: Vec<(u32, u32)>,
    /// What was written; what is behind the end means nothing.
    scratch: Vec<u8>,
}

/// So much room there must be before an operation: its text and a character.
const ROOM: usize = TEXT + 4;

impl<'a> LimitSession<'a> {
    pub fn new(producer: &'a LimitProducer) -> Self {
        Self { producer, stack: Vec::new(), scratch: vec![0; 1 << 10] }
    }

    fn run(&mut self, nonterminal: NonterminalId, random: &mut impl RandomBelow) -> usize {
        let Self { producer: LimitProducer { limit, program }, stack, scratch } = self;
        let Program { operations, bytes, classes, .. } = program;
        let mut end = 0;
        stack.clear();
        let (mut target, mut left) = (nonterminal.index(), *limit);
        loop {
            let mut next = enter(program, target, left, random);
            left = left.saturating_sub(1);
            loop {
                let operation = &operations[next];
                next += 1;
                if scratch.len() < end + ROOM {
                    scratch.resize(scratch.len() * 2 + ROOM, 0);
                }
                scratch[end..end + TEXT].copy_from_slice(&operation.text);
                end += usize::from(operation.length);
                if operation.byte_count > 0 {
                    let byte = operation.first_byte + random.below(operation.byte_count);
                    scratch[end] = bytes[byte as usize];
                    end += 1;
                }
                match operation.kind {
                    Kind::Next => {}
                    Kind::Return => match stack.pop() {
                        Some((back, levels)) => (next, left) = (back as usize, levels),
                        None => return end,
                    },
                    Kind::Wide => {
                        let class = &classes[operation.target as usize];
                        let index = random.below(class.len() as u32) as usize;
                        let c = class.nth(index).expect("the index is below the length");
                        end += c.encode_utf8(&mut scratch[end..]).len();
                    }
                    Kind::Call | Kind::Jump => {
                        if operation.kind == Kind::Call {
                            stack.push((next as u32, left));
                        }
                        target = operation.target as usize;
                        left = left.saturating_sub(operation.deeper.into());
                        break;
                    }
                }
            }
        }
    }
}

/// Chooses how a nonterminal is derived, with this many levels left to the limit.
#[inline]
fn enter(program: &Program, nonterminal: usize, left: u32, random: &mut impl RandomBelow) -> usize {
    let tables = &program.nonterminals[nonterminal];
    let entry = if left >= tables.reach {
        tables.at_once
    } else if left > 0 {
        tables.above
    } else {
        tables.below
    };
    let choice = if entry.count == 1 { 0 } else { random.below(entry.count) };
    program.starts[(entry.first + choice) as usize] as usize
}

impl ProducerSession for LimitSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        if self.producer.program.nonterminals[nonterminal.index()].above.count == 0 {
            return Err(Unproductive::Nothing);
        }
        let end = self.run(nonterminal, &mut BatchedRandom::new(stream));
        text.extend_from_slice(&self.scratch[..end]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    use crate::grammar::analysis::{Cheapest, least_height};
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::{CharClass, GrammarBuilder, Name, RuleId, Symbol};
    use proptest::prelude::*;

    /// `<s> ::= <s> <s> | "(" <s> ")" | "x" | <none>`, `<none> ::= <none> "y"`
    fn wild() -> Arc<Grammar> {
        let mut builder = GrammarBuilder::new();
        let [s, none] = ["s", "none"].map(|name| builder.nonterminal(Name::base(name)));
        let [open, close, x, y] = ["(", ")", "x", "y"].map(|text| builder.literal(text.as_bytes()).unwrap());
        builder.rule(s, [Symbol::Nonterminal(s), Symbol::Nonterminal(s)]);
        builder.rule(s, [open, Symbol::Nonterminal(s), close]);
        builder.rule(s, [x]);
        builder.rule(s, [Symbol::Nonterminal(none)]);
        builder.rule(none, [Symbol::Nonterminal(none), y]);
        Arc::new(builder.finish(s))
    }

    #[test]
    fn production_ends_and_is_the_same_for_the_same_stream() {
        let grammar = wild();
        let producer = LimitProducer::new(Arc::clone(&grammar), 6);
        let texts = |name: &str| -> Vec<Vec<u8>> {
            let mut stream = RandomStream::derive(3, name);
            (0..200)
                .map(|_| {
                    let mut text = Vec::new();
                    producer.produce(grammar.start(), &mut stream, &mut text).unwrap();
                    text
                })
                .collect()
        };
        assert_eq!(texts("a"), texts("a"));
        assert_ne!(texts("a"), texts("b"));
        assert!(texts("a").iter().all(|text| !text.contains(&b'y') && text.contains(&b'x')));
    }

    #[test]
    fn a_session_draws_what_single_calls_draw() {
        let grammar = wild();
        let producer = LimitProducer::new(Arc::clone(&grammar), 6);
        let (mut one, mut other) = (RandomStream::derive(3, ""), RandomStream::derive(3, ""));
        let mut session = producer.begin();
        let (mut together, mut apart) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            session.produce(grammar.start(), &mut one, &mut together).unwrap();
            producer.produce(grammar.start(), &mut other, &mut apart).unwrap();
        }
        assert_eq!(together, apart);
    }

    #[test]
    fn a_nonterminal_without_derivations_is_an_error() {
        let grammar = wild();
        let none = grammar.find("none").unwrap();
        let producer = LimitProducer::new(grammar, 6);
        let produced = producer.produce(none, &mut RandomStream::derive(0, ""), &mut Vec::new());
        assert_eq!(produced, Err(Unproductive::Nothing));
    }

    #[test]
    fn long_texts_and_wide_characters_come_out_whole() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        let long = "x".repeat(3_000);
        let literal = builder.literal(long.as_bytes()).unwrap();
        let wide = builder.class(CharClass::new([('a', 'b'), ('é', 'é'), ('😀', '😀')]));
        builder.rule(s, [literal, wide, literal]);
        let grammar = builder.finish(s);
        let producer = LimitProducer::new(Arc::new(grammar), 1);
        let mut stream = RandomStream::derive(0, "");
        for _ in 0..20 {
            let mut text = b"before ".to_vec();
            producer.produce(s, &mut stream, &mut text).unwrap();
            let text = String::from_utf8(text).unwrap();
            let middle =
                text.strip_prefix(&format!("before {long}")).and_then(|text| text.strip_suffix(&long));
            assert!(matches!(middle, Some("a" | "b" | "é" | "😀")), "{middle:?}");
        }
    }

    /// Goes through all sequences of choices, one after the other.
    #[derive(Default)]
    struct Script {
        /// The choices made so far, each with its bound.
        choices: Vec<(u32, u32)>,
        position: usize,
    }

    impl RandomBelow for Script {
        fn below(&mut self, bound: u32) -> u32 {
            if self.position == self.choices.len() {
                self.choices.push((0, bound));
            }
            let (choice, known) = self.choices[self.position];
            assert_eq!(bound, known);
            self.position += 1;
            choice
        }
    }

    impl Script {
        /// How likely what was chosen is.
        fn likelihood(&self) -> f64 {
            self.choices.iter().map(|&(_, bound)| 1.0 / f64::from(bound)).product()
        }

        /// Goes to the next sequence; `false` when there is none.
        fn advance(&mut self) -> bool {
            self.position = 0;
            while let Some((choice, bound)) = self.choices.pop() {
                if choice + 1 < bound {
                    self.choices.push((choice + 1, bound));
                    return true;
                }
            }
            false
        }
    }

    type Likelihoods = BTreeMap<Vec<u8>, f64>;

    /// How likely each string is when `write` makes it; `None` when there are too many sequences.
    fn likelihoods(mut write: impl FnMut(&mut Script, &mut Vec<u8>)) -> Option<Likelihoods> {
        let mut script = Script::default();
        let mut found = Likelihoods::new();
        for _ in 0..5_000 {
            let mut text = Vec::new();
            write(&mut script, &mut text);
            *found.entry(text).or_default() += script.likelihood();
            if !script.advance() {
                return Some(found);
            }
        }
        None
    }

    /// What the module comment says, word for word.
    fn plainly(grammar: &Grammar, heights: &Cheapest, limit: u32, script: &mut Script, text: &mut Vec<u8>) {
        let mut open = vec![(Symbol::Nonterminal(grammar.start()), 0)];
        while let Some((symbol, depth)) = open.pop() {
            match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = grammar.class(class);
                    let c = class.nth(script.below(class.len() as u32) as usize).unwrap();
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(nonterminal) => {
                    let is_allowed = |rule: &RuleId| {
                        let height = heights.rule_cost[*rule];
                        height.is_some() && (depth < limit || height == heights.cost[nonterminal])
                    };
                    let rules: Vec<RuleId> =
                        grammar.rules_of(nonterminal).iter().copied().filter(is_allowed).collect();
                    let rule = rules[script.below(rules.len() as u32) as usize];
                    let symbols = grammar.rule(rule).symbols.iter().rev();
                    open.extend(symbols.map(|&symbol| (symbol, depth + 1)));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn every_string_is_exactly_as_likely_as_the_definition_says(
            grammar in grammars(GrammarShape { nonterminals: 6, ..GrammarShape::default() }),
            limit in 0u32..5,
        ) {
            let heights = least_height(&grammar);
            if heights.cost[grammar.start()].is_none() {
                return Ok(());
            }
            let defined = likelihoods(|script, text| plainly(&grammar, &heights, limit, script, text));
            let grammar = Arc::new(grammar);
            let producer = LimitProducer::new(Arc::clone(&grammar), limit);
            let mut session = LimitSession::new(&producer);
            let made = likelihoods(|script, text| {
                let end = session.run(grammar.start(), script);
                text.extend_from_slice(&session.scratch[..end]);
            });
            let (Some(defined), Some(made)) = (defined, made) else { return Ok(()) };
            prop_assert_eq!(defined.keys().collect::<Vec<_>>(), made.keys().collect::<Vec<_>>());
            for (text, likelihood) in &defined {
                prop_assert!((likelihood - made[text]).abs() < 1e-9, "{text:?}: {likelihood} {}", made[text]);
            }
        }
    }
}
