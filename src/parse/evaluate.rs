//! Values that are computed bottom up while an input is parsed, without a forest.
//!
//! An [`Algebra`] says what a derivation makes of the values of its parts. What it said is
//! remembered, so that after a short while a reduction costs one table lookup; a document of a
//! deterministic grammar is evaluated nearly as fast as it is recognized, in memory for the depth of
//! the stack.
//!
//! A value stands for all derivations of a part at once. As long as each part of the input gets one
//! value, it does not matter whether there are several stacks for a while, nor even whether a part is
//! ambiguous, if the second derivation adds nothing to the value of the first. Otherwise the
//! evaluation gives up, and somebody has to look at the forest. The algebra may give up as well, when there
//! is too much to compute.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::base::id::{Id, IdVec};
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::id_type;

use super::alphabet::decode;
use super::error::{ParseError, SyntaxError};
use super::index::{ProductionId, SppfNodeId, VariableId};
use super::linear_stack::StackView;
use super::memo::NodeMemo;
use super::parser::Parser;
use super::productions::{Meaning, Reading, RestId, segment};
use super::run::{Outcome, Run};
use super::semantics::{Reduction, Semantics};

/// What is derived at once: a nonterminal, or the end of a long rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A nonterminal.
    Nonterminal(NonterminalId),
    /// Symbols with which some rules end.
    Rest(RuleEnd<'a>),
}

/// The last symbols of some rules, which are the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleEnd<'a> {
    /// Tells it from other ends. Numbers are small.
    pub number: usize,
    /// The rules that end so, ascending, with the position at which the end begins.
    pub sites: &'a [(RuleId, usize)],
}

/// What a symbol of a derivation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A literal, as the symbol says.
    Literal,
    /// A character of a class; `None` for any that makes no difference.
    Char(Option<char>),
    /// A nonterminal with this value.
    Value(ValueId),
    /// A nonterminal that derives the empty string.
    Empty,
}

/// One way to derive a part: its first symbols, and perhaps the value of what comes after them.
#[derive(Clone, Copy, Debug)]
pub struct Derivation<'a> {
    /// What is derived.
    pub part: Part<'a>,
    /// The rule, when that is a nonterminal; else one of the rules that end so.
    pub rule: RuleId,
    /// A piece for each symbol, but for those of which `rest` is the value.
    pub pieces: &'a [Piece],
    /// The last symbols of the part, and their value.
    pub rest: Option<(RuleEnd<'a>, ValueId)>,
}

id_type!(
    /// A value of an [`Algebra`]: of a nonterminal or of a rest, which have numbers of their own.
    ValueId
);

/// Computes values, which are known by numbers: those of nonterminals and those of rests.
pub trait Algebra {
    /// The characters of the class at `position` of a rule that make a difference.
    fn apart(&self, rule: RuleId, position: usize) -> Vec<char>;

    /// The value of a nonterminal that derives the empty string, for all ways to do so.
    fn empty(&mut self, nonterminal: NonterminalId) -> ValueId;

    /// The value of what is derived in this way; `None` to give up.
    fn value(&mut self, derivation: Derivation<'_>) -> Option<ValueId>;

    /// The value of a part that is derived in the ways of both.
    fn union(&mut self, part: Part<'_>, one: ValueId, other: ValueId) -> ValueId;
}

/// One way to read a production, symbol by symbol.
#[derive(Debug)]
struct Script {
    rule: RuleId,
    steps: Box<[Step]>,
    /// How many more symbols there are, which derive the empty string.
    empty: usize,
    /// The last symbols, and which of the production's nodes is their value.
    rest: Option<(RestId, usize)>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Literal,
    /// How many rhs of the production come after it.
    Char(u32),
    /// Which of the production's nodes it is.
    Node(usize),
    Empty,
}

/// A class of a production whose character matters: how many rhs come after it, and which
/// characters, in ascending order.
type Apart = (u32, Box<[char]>);

/// What the value of a reduction depends on. Numbers side by side are hashed in one step; this is looked up for each reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ReductionKey([u32; 4]);

impl ReductionKey {
    /// That of a production with the values of its nodes, and the number of the characters that matter.
    #[inline]
    fn new(production: ProductionId, [left, right]: [Option<SppfNodeId>; 2], characters: u32) -> Self {
        Self([production.index() as u32, SppfNodeId::key(left), SppfNodeId::key(right), characters])
    }
}

/// Evaluates inputs by an algebra, and remembers what it said.
#[derive(Debug)]
pub struct Evaluation<A> {
    algebra: A,
    /// The ways to read each production, and each variable's ways to derive itself.
    scripts: IdVec<ProductionId, Box<[Script]>>,
    loops: FxHashMap<VariableId, Vec<Script>>,
    apart: IdVec<ProductionId, Box<[Apart]>>,
    known: FxHashMap<ReductionKey, SppfNodeId>,
    /// What a single stack has made last at its offset: variable, begin, which is that of all, and value.
    recent: Vec<(VariableId, u32, SppfNodeId)>,
}

impl<A: Algebra> Evaluation<A> {
    /// An evaluation of the inputs of `parser`.
    pub fn new(parser: &Parser, algebra: A) -> Self {
        let Parser { plan, productions, .. } = parser;
        let scripts: IdVec<ProductionId, Box<[Script]>> = plan
            .productions
            .iter()
            .zip(&plan.readings)
            .map(|(made, readings)| {
                readings.iter().map(|&reading| script(parser, made.lhs, made.length, reading)).collect()
            })
            .collect();
        let loops = plan.loops.iter().map(|(&variable, readings)| {
            (variable, readings.iter().map(|&reading| script(parser, variable, 1, reading)).collect())
        });
        let loops = loops.collect();
        let apart = scripts
            .iter()
            .zip(&plan.productions)
            .map(|(scripts, made)| {
                let mut found: Vec<(u32, Vec<char>)> = Vec::new();
                for script in scripts {
                    let mut known = None;
                    for (position, step) in script.steps.iter().enumerate() {
                        let &Step::Char(after) = step else { continue };
                        let meaning = &productions.meanings[made.lhs];
                        let sites = known.get_or_insert_with(|| sites(parser, *meaning, script.rule));
                        let chars =
                            sites.iter().flat_map(|&(rule, first)| algebra.apart(rule, first + position));
                        found.push((after, chars.collect()));
                    }
                }
                merged(found)
            })
            .collect();
        Self { algebra, scripts, loops, apart, known: FxHashMap::default(), recent: Vec::new() }
    }

    /// The algebra.
    pub fn algebra(&mut self) -> &mut A {
        &mut self.algebra
    }

    /// How much is remembered of what the algebra said.
    pub fn size(&self) -> usize {
        self.known.len()
    }

    /// The value of `input`; `None` when its parts have not one value each, or the algebra gives up.
    ///
    /// # Errors
    /// When the grammar does not derive `input`, with where it goes wrong; or when a limit of the parser is reached.
    pub fn evaluate(&mut self, parser: &Parser, input: &[u8]) -> Result<Option<ValueId>, ParseError> {
        if input.is_empty() && parser.derives_nothing() {
            return Ok(Some(self.algebra.empty(parser.grammar().start())));
        }
        self.recent.clear();
        let mut meter = parser.limits().meter();
        let mut run = Run::new(parser, input, Session { evaluation: self, parser, input }, &mut meter);
        match run.run(usize::MAX)? {
            Outcome::Accepted(value) => Ok(Some(value_of(value))),
            Outcome::GivenUp => Ok(None),
            Outcome::Failed(offset) => Err(SyntaxError::new(parser, input, offset, &mut meter)?.into()),
            Outcome::Paused => unreachable!("the input ends before the pause"),
        }
    }

    /// The value of a reduction with these characters, one for each class that matters.
    #[cold]
    fn compute(&mut self, parser: &Parser, reduction: Reduction, chars: &[Option<char>]) -> Option<ValueId> {
        let Reduction { production, lhs, nodes, .. } = reduction;
        let apart = &self.apart[production];
        let read = |after| {
            let place = apart.iter().position(|&(known, _)| known == after);
            place.and_then(|place| chars[place])
        };
        // What only spells a character has no value that anybody asks for.
        let Some(part) = part(parser, lhs) else { return Some(ValueId::new(0)) };
        let mut sum = None;
        for script in &self.scripts[production] {
            let value = play(parser, &mut self.algebra, script, part, nodes, read)?;
            sum = Some(sum.map_or(value, |sum| self.algebra.union(part, sum, value)));
        }
        let mut sum = sum?;
        let Some(loops) = self.loops.get(&lhs) else { return Some(sum) };
        loop {
            let before = sum;
            for script in loops {
                let value =
                    play(parser, &mut self.algebra, script, part, [Some(node_of(sum)), None], |_| None)?;
                sum = self.algebra.union(part, sum, value);
            }
            if sum == before {
                return Some(sum);
            }
        }
    }
}

fn play<A: Algebra>(
    parser: &Parser,
    algebra: &mut A,
    script: &Script,
    part: Part<'_>,
    nodes: [Option<SppfNodeId>; 2],
    read: impl Fn(u32) -> Option<char>,
) -> Option<ValueId> {
    let value = |slot: usize| value_of(nodes[slot].expect("a script asks for nodes of its production"));
    let pieces: Vec<Piece> = script
        .steps
        .iter()
        .map(|&step| match step {
            Step::Literal => Piece::Literal,
            Step::Char(after) => Piece::Char(read(after)),
            Step::Node(slot) => Piece::Value(value(slot)),
            Step::Empty => Piece::Empty,
        })
        .chain(std::iter::repeat_n(Piece::Empty, script.empty))
        .collect();
    let rest = script.rest.map(|(rest, slot)| (rule_end(parser, rest), value(slot)));
    algebra.value(Derivation { part, rule: script.rule, pieces: &pieces, rest })
}

/// What a variable derives, if it has a value: the start has the one production that is never reduced, a character
/// has no value, and nothing is made of a word.
fn part(parser: &Parser, variable: VariableId) -> Option<Part<'_>> {
    match parser.productions.meanings[variable] {
        Meaning::Rest(rest) => Some(Part::Rest(rule_end(parser, rest))),
        Meaning::Nonterminal(nonterminal) => Some(Part::Nonterminal(nonterminal)),
        Meaning::Start | Meaning::Character(_) | Meaning::Word(_) => None,
    }
}

/// In an evaluation the stack has values in the place of nodes.
fn node_of(value: ValueId) -> SppfNodeId {
    SppfNodeId::new(value.index())
}

fn value_of(node: SppfNodeId) -> ValueId {
    ValueId::new(node.index())
}

fn rule_end(parser: &Parser, rest: RestId) -> RuleEnd<'_> {
    RuleEnd { number: rest.index(), sites: parser.plan.rests.sites(rest) }
}

/// The rules of which a part may be, with where it begins.
fn sites(parser: &Parser, meaning: Meaning, rule: RuleId) -> Cow<'_, [(RuleId, usize)]> {
    match meaning {
        Meaning::Rest(rest) => Cow::Borrowed(parser.plan.rests.sites(rest)),
        _ => Cow::Owned(vec![(rule, 0)]),
    }
}

fn script(parser: &Parser, lhs: VariableId, length: u32, reading: Reading) -> Script {
    let grammar = parser.grammar();
    let (symbols, next) = match parser.productions.meanings[lhs] {
        Meaning::Rest(rest) => (parser.plan.rests.symbols(grammar, rest), parser.plan.rests.next(rest)),
        _ => {
            let symbols = &grammar.rule(reading.rule).symbols[..];
            (symbols, parser.plan.rests.first(reading.rule))
        }
    };
    let (head, tail) = symbols.split_at(segment(symbols).unwrap_or(symbols.len()));
    let mut omitted = reading.omitted;
    let (mut rhs, mut slot) = (0, 0);
    let mut steps = Vec::with_capacity(head.len());
    for &symbol in head {
        steps.push(match symbol {
            Symbol::Literal(literal) => {
                let is_word = parser.word_in(lhs, symbol).is_some();
                rhs += if is_word { 1 } else { parser.alphabet().units_of(grammar.literal(literal)) };
                Step::Literal
            }
            Symbol::Class(_) => {
                rhs += 1;
                Step::Char(length.saturating_sub(rhs))
            }
            Symbol::Nonterminal(_) => {
                let is_omitted = omitted & 1 == 1;
                omitted >>= 1;
                if is_omitted {
                    Step::Empty
                } else {
                    rhs += 1;
                    slot += 1;
                    Step::Node(slot - 1)
                }
            }
        });
    }
    let is_omitted = omitted & 1 == 1;
    let empty = if is_omitted { tail.len() } else { 0 };
    let rest = next.filter(|_| !is_omitted).map(|rest| (rest, slot));
    Script { rule: reading.rule, steps: steps.into(), empty, rest }
}

/// One entry for each place, without those at which no character matters.
fn merged(mut found: Vec<(u32, Vec<char>)>) -> Box<[Apart]> {
    found.sort_unstable();
    let mut merged: Vec<(u32, Vec<char>)> = Vec::new();
    for (after, chars) in found.into_iter().filter(|(_, chars)| !chars.is_empty()) {
        match merged.last_mut() {
            Some((last, all)) if *last == after => all.extend(chars),
            _ => merged.push((after, chars)),
        }
    }
    let sorted = |(after, mut chars): (u32, Vec<char>)| {
        chars.sort_unstable();
        chars.dedup();
        (after, chars.into())
    };
    merged.into_iter().map(sorted).collect()
}

/// The evaluation of one input.
struct Session<'a, A> {
    evaluation: &'a mut Evaluation<A>,
    parser: &'a Parser,
    input: &'a [u8],
}

impl<A: Algebra> Session<'_, A> {
    /// The value of a reduction; `offset` gives the place of the class with this many symbols of the production
    /// after it.
    /// `None` when a place is not known, or there are too many characters for a number.
    fn value(&mut self, reduction: Reduction, offset: impl Fn(u32) -> Option<usize>) -> Option<SppfNodeId> {
        let Reduction { production, nodes, .. } = reduction;
        let apart = &self.evaluation.apart[production];
        let mut number: u32 = 0;
        let mut chars: SmallVec<[Option<char>; 4]> = SmallVec::new();
        for (after, distinguished) in &**apart {
            let found =
                decode(self.input, offset(*after)?).and_then(|c| distinguished.binary_search(&c).ok());
            let choices = distinguished.len() as u32 + 1;
            number = number.checked_mul(choices)?.checked_add(found.map_or(0, |place| place as u32 + 1))?;
            chars.push(found.map(|place| distinguished[place]));
        }
        let key = ReductionKey::new(production, nodes, number);
        if let Some(&known) = self.evaluation.known.get(&key) {
            return Some(known);
        }
        let value = node_of(self.evaluation.compute(self.parser, reduction, &chars)?);
        self.evaluation.known.insert(key, value);
        Some(value)
    }
}

impl<A: Algebra> Semantics for Session<'_, A> {
    const TRACKS: bool = true;
    const STEPS: u64 = 4;

    #[inline]
    fn advance(&mut self) {
        self.evaluation.recent.clear();
    }

    #[inline]
    fn reduce(&mut self, reduction: Reduction, stack: StackView<'_>) -> Option<SppfNodeId> {
        let value = self.value(reduction, |after| Some(stack.offset(after as usize + 1)))?;
        let recent = &mut self.evaluation.recent;
        // A reduction takes off the node that was made before it, so nothing at this offset will ever begin
        // behind it again.
        if recent.last().is_some_and(|&(_, start, _)| start != reduction.start) {
            recent.clear();
        }
        recent.push((reduction.lhs, reduction.start, value));
        Some(value)
    }

    fn fork(&mut self, memo: &mut NodeMemo) {
        for &(lhs, start, value) in &self.evaluation.recent {
            memo.node(lhs, start, value);
        }
    }

    fn reduce_shared(&mut self, reduction: Reduction, memo: &mut NodeMemo) -> Option<SppfNodeId> {
        let Reduction { production, lhs, start, end, .. } = reduction;
        let parser = self.parser;
        let made = parser.plan.productions[production];
        let alphabet = parser.alphabet();
        let input = self.input;
        let value = self.value(reduction, |after| {
            let nodes = || made.from_end.into_iter().flatten().map(|nth| nth.get() - 1);
            if nodes().all(|depth| depth > after) {
                alphabet.backward(
                    input,
                    end as usize,
                    parser.units(&made, made.length - 1 - after..made.length),
                )
            } else if nodes().all(|depth| depth < after) {
                alphabet.forward(input, start as usize, parser.units(&made, 0..made.length - 1 - after))
            } else {
                None
            }
        })?;
        let Some(known) = memo.node(lhs, start, value) else { return Some(value) };
        let Some(part) = part(parser, lhs) else { return Some(known) };
        let sum = self.evaluation.algebra.union(part, value_of(known), value_of(value));
        (sum == value_of(known)).then_some(known)
    }
}
