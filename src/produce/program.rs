//! A grammar as a flat table of operations: what the `limit` producer runs.
//!
//! An operation writes at most sixteen bytes, then perhaps one character of a class of bytes, and
//! goes on: to the next operation, to an other nonterminal, or back. ("Building Fast Fuzzers", Gopinath
//! and Zeller 2019, sections 4 and 5, compiles to C; this is their virtual machine with the machine
//! code left out.) What makes it fast without changing any probability:
//!
//! - A nonterminal with just one rule is written out in the rules that use it.
//! - The last nonterminal of a rule is jumped to, so right-recursive lists need no stack.
//! - Far enough above the limit several choices are made at once: the rules that a rule's first
//!   nonterminal can go on with are written out too, each as often as it is likely. A choice that no
//!   processor foresees costs more than the bytes that come of it.
//! - Below the limit a nonterminal mostly derives a few short strings: these are listed, each as often
//!   as it is likely, and one of them is picked.
//! - Sixteen bytes are always copied, whatever the length, and the position then moved on.

use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::least_height;
use crate::grammar::{CharClass, Grammar, NonterminalId, RuleId, Symbol};

/// How many bytes an operation can write.
pub(super) const TEXT: usize = 16;

/// A nonterminal that derives at most this many strings below the limit has them listed.
const MOST_STRINGS: usize = 64;

/// None of them is longer than this.
const LONGEST_STRING: usize = 64;

/// A rule is written out in another one as long as that one has no more operations than this,
const MOST_INLINED: usize = 32;

/// and no rule that is this number of levels below. So a chain of rules is not written out in each of its rules down to
/// its end, which would take the square of its length.
const MOST_DEEPER: u16 = 64;

/// The choices made at once at a nonterminal have at most this many outcomes,
const MOST_OUTCOMES: usize = 32;

/// which are listed, each as often as it is likely, in at most this many places.
const MOST_PLACES: usize = 128;

/// No more choices are made at once when a program has this many operations, or it would not fit into a
/// processor's cache.
const MOST_OPERATIONS: usize = 4_096;

/// A class has its bytes listed if there are at most this many of them.
const MOST_BYTES: usize = 128;

/// What comes after an operation has written its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The next operation.
    Next,
    /// What called this rule goes on.
    Return,
    /// A nonterminal, and after it the next operation.
    Call,
    /// A nonterminal, and after it what called this rule.
    Jump,
    /// A character of [`Program::classes`], then the next operation.
    Wide,
}

/// One operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// What is written first; bytes from `length` on mean nothing.
    pub text: [u8; TEXT],
    /// How much of `text` is written.
    pub length: u8,
    pub kind: Kind,
    /// How far below the rule the nonterminal stands, because of rules that were written out.
    pub deeper: u16,
    /// The nonterminal or the class.
    pub target: u32,
    /// One of the bytes that begin here in [`Program::bytes`] is written after the text,
    pub first_byte: u32,
    /// if there are any.
    pub byte_count: u32,
}

/// The choices for a nonterminal: where each of them begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Where they are in [`Program::starts`].
    pub first: u32,
    /// How many; none when the nonterminal derives nothing.
    pub count: u32,
}

/// A nonterminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    /// Any rule.
    pub above: Entry,
    /// The rules below the limit.
    pub below: Entry,
    /// Several choices at once,
    pub at_once: Entry,
    /// if there are this many levels left to the limit.
    pub reach: u32,
}

/// A grammar, compiled.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub operations: Vec<Operation>,
    pub nonterminals: Vec<Tables>,
    pub starts: Vec<u32>,
    pub bytes: Vec<u8>,
    pub classes: Vec<CharClass>,
}

/// Which rules a nonterminal chooses from.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// All that derive something.
    pub productive: Box<[RuleId]>,
    /// Those whose derivation trees can be lowest.
    pub lowest: Box<[RuleId]>,
}

/// The choices for each nonterminal, and the nonterminals that derive something, lowest ones first.
fn choices(grammar: &Grammar) -> (IdVec<NonterminalId, Choices>, Vec<NonterminalId>) {
    let heights = least_height(grammar);
    let choices = grammar
        .nonterminals()
        .entries()
        .map(|(id, nonterminal)| {
            // A rule whose cost is not known derives nothing.
            let height = |&rule: &RuleId| heights.rule_cost[rule];
            let productive: Box<[RuleId]> =
                nonterminal.rules.iter().copied().filter(|rule| height(rule).is_some()).collect();
            let lowest = productive.iter().copied().filter(|rule| height(rule) == heights.cost[id]).collect();
            Choices { productive, lowest }
        })
        .collect();
    let mut order: Vec<NonterminalId> =
        grammar.nonterminals().ids().filter(|&id| heights.cost[id].is_some()).collect();
    order.sort_by_key(|&id| heights.cost[id]);
    (choices, order)
}

impl Program {
    /// Compiles a grammar.
    pub fn new(grammar: &Grammar) -> Self {
        let (choices, order) = choices(grammar);
        let mut compiler = Compiler::new(grammar, &choices);
        for &nonterminal in &order {
            compiler.low(nonterminal);
        }
        for &nonterminal in &order {
            compiler.high(nonterminal);
        }
        for &nonterminal in &order {
            compiler.at_once(nonterminal);
        }
        compiler.program
    }
}

struct Compiler<'a> {
    grammar: &'a Grammar,
    choices: &'a IdVec<NonterminalId, Choices>,
    program: Program,
    /// What the nonterminal derives below the limit, if that is little: each is equally likely.
    strings: IdVec<NonterminalId, Option<Vec<Vec<u8>>>>,
    /// The bytes of each class: where they begin in the program.
    listed: Vec<Option<(u32, u32)>>,
    /// Literal bytes that no operation writes yet.
    pending: Vec<u8>,
}

/// A symbol of a rule, or of a rule that is written out in it.
#[derive(Clone, Copy, Debug)]
struct Item {
    symbol: Symbol,
    deeper: u16,
}

/// What can come of several choices.
struct Outcome {
    items: Vec<Item>,
    /// The reciprocal of its probability.
    one_in: usize,
}

impl<'a> Compiler<'a> {
    fn new(grammar: &'a Grammar, choices: &'a IdVec<NonterminalId, Choices>) -> Self {
        let mut program = Program {
            operations: Vec::new(),
            nonterminals: vec![
                Tables {
                    above: Entry::default(),
                    below: Entry::default(),
                    at_once: Entry::default(),
                    reach: u32::MAX,
                };
                grammar.nonterminals().len()
            ],
            starts: Vec::new(),
            bytes: Vec::new(),
            classes: grammar.classes().iter().cloned().collect(),
        };
        let listed = grammar
            .classes()
            .iter()
            .map(|class| {
                let is_listed = class.len() <= MOST_BYTES && class.encoded_in(1).len() == class.len();
                is_listed.then(|| {
                    let first = program.bytes.len() as u32;
                    program.bytes.extend(class.chars().map(|c| c as u8));
                    (first, class.len() as u32)
                })
            })
            .collect();
        let strings = IdVec::filled(None, grammar.nonterminals().len());
        Self { grammar, choices, program, strings, listed, pending: Vec::new() }
    }

    /// The choices of a nonterminal below the limit. Lower nonterminals are done already.
    fn low(&mut self, nonterminal: NonterminalId) {
        let rules = &self.choices[nonterminal].lowest;
        let starts: Vec<u32> = if let Some(strings) = self.strings_of(rules) {
            let starts = strings
                .iter()
                .map(|string| {
                    let start = self.here();
                    self.pending.extend_from_slice(string);
                    self.end();
                    start
                })
                .collect();
            self.strings[nonterminal] = Some(strings);
            starts
        } else {
            rules.iter().map(|&rule| self.rule(rule, true)).collect()
        };
        self.program.nonterminals[nonterminal.index()].below = self.entry(starts);
    }

    /// The choices of a nonterminal above the limit.
    fn high(&mut self, nonterminal: NonterminalId) {
        let rules = &self.choices[nonterminal].productive;
        let starts: Vec<u32> = rules.iter().map(|&rule| self.rule(rule, false)).collect();
        self.program.nonterminals[nonterminal.index()].above = self.entry(starts);
    }

    fn entry(&mut self, starts: impl IntoIterator<Item = u32>) -> Entry {
        let first = self.program.starts.len() as u32;
        self.program.starts.extend(starts);
        Entry { first, count: self.program.starts.len() as u32 - first }
    }

    /// Several choices at once, far above the limit.
    fn at_once(&mut self, nonterminal: NonterminalId) {
        let rules = &self.choices[nonterminal].productive;
        if rules.len() > MOST_OUTCOMES || self.program.operations.len() > MOST_OPERATIONS {
            return;
        }
        let outcome = |&rule: &RuleId| Outcome { items: self.written_out(rule, false), one_in: rules.len() };
        let mut outcomes: Vec<Outcome> = rules.iter().map(outcome).collect();
        let mut places = rules.len();
        let mut reach = 1;
        // The likeliest outcome goes on first, and of equals the first one.
        while let Some((index, next, more_places)) = (0..outcomes.len())
            .filter_map(|index| self.next_choice(&outcomes, index, places).map(|(a, b)| (index, a, b)))
            .min_by_key(|&(index, ..)| outcomes[index].one_in)
        {
            let Outcome { items, one_in } = outcomes.remove(index);
            let Item { symbol, deeper } = items[next];
            let Symbol::Nonterminal(inner) = symbol else { unreachable!("only nonterminals go on") };
            let rules = &self.choices[inner].productive;
            for (place, &rule) in rules.iter().enumerate() {
                let below = self.written_out(rule, false).into_iter();
                let below = below.map(|item| Item { deeper: item.deeper + deeper + 1, ..item });
                let items =
                    items[..next].iter().copied().chain(below).chain(items[next + 1..].iter().copied());
                let outcome = Outcome { items: items.collect(), one_in: one_in * rules.len() };
                outcomes.insert(index + place, outcome);
            }
            places = more_places;
            reach = reach.max(u32::from(deeper) + 2);
        }
        if outcomes.len() == rules.len() {
            return;
        }
        let mut starts = Vec::with_capacity(places);
        for Outcome { items, one_in } in outcomes {
            let start = self.sequence(&items);
            starts.extend(std::iter::repeat_n(start, places / one_in));
        }
        let entry = self.entry(starts);
        let tables = &mut self.program.nonterminals[nonterminal.index()];
        (tables.at_once, tables.reach) = (entry, reach);
    }

    /// The first nonterminal of an outcome, and how many places there are when it is chosen for as well;
    /// `None` when there is none, or there are too many.
    fn next_choice(&self, outcomes: &[Outcome], index: usize, places: usize) -> Option<(usize, usize)> {
        let Outcome { items, one_in } = &outcomes[index];
        let next = items.iter().position(|item| matches!(item.symbol, Symbol::Nonterminal(_)))?;
        let Item { symbol: Symbol::Nonterminal(inner), deeper } = items[next] else { return None };
        let choices = self.choices[inner].productive.len();
        let places = least_common_multiple(places, one_in * choices);
        let is_small = outcomes.len() + choices <= MOST_OUTCOMES + 1
            && places <= MOST_PLACES
            && items.len() <= MOST_INLINED
            && usize::from(deeper) < MOST_INLINED;
        is_small.then_some((next, places))
    }

    /// All strings that the rules derive by lowest derivations, each as often as it is likely; `None`
    /// when there are too many.
    fn strings_of(&self, rules: &[RuleId]) -> Option<Vec<Vec<u8>>> {
        let of_rules: Vec<Vec<Vec<u8>>> =
            rules.iter().map(|&rule| self.strings_of_rule(rule)).collect::<Option<_>>()?;
        // Each rule must have as many as the others.
        let common = of_rules.iter().try_fold(1usize, |common, strings| {
            let least = least_common_multiple(common, strings.len());
            (least <= MOST_STRINGS).then_some(least)
        })?;
        if common * of_rules.len() > MOST_STRINGS {
            return None;
        }
        let repeated = |strings: &Vec<Vec<u8>>| {
            std::iter::repeat_n(strings.clone(), common / strings.len()).flatten().collect::<Vec<_>>()
        };
        Some(of_rules.iter().flat_map(repeated).collect())
    }

    fn strings_of_rule(&self, rule: RuleId) -> Option<Vec<Vec<u8>>> {
        let mut all = vec![Vec::new()];
        for &symbol in &self.grammar.rule(rule).symbols {
            let character = |c: char| c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
            let of_symbol: Vec<Vec<u8>> = match symbol {
                Symbol::Literal(literal) => vec![self.grammar.literal(literal).to_vec()],
                Symbol::Class(class) => {
                    let class = self.grammar.class(class);
                    (class.len() <= MOST_STRINGS).then(|| class.chars().map(character).collect())?
                }
                Symbol::Nonterminal(inner) => self.strings[inner].clone()?,
            };
            if all.len() * of_symbol.len() > MOST_STRINGS {
                return None;
            }
            let join = |head: &Vec<u8>, tail: &Vec<u8>| [&head[..], tail].concat();
            all = all.iter().flat_map(|head| of_symbol.iter().map(move |tail| join(head, tail))).collect();
        }
        all.iter().all(|string| string.len() <= LONGEST_STRING).then_some(all)
    }

    /// Compiles a rule, and says where it begins.
    fn rule(&mut self, rule: RuleId, below: bool) -> u32 {
        let items = self.written_out(rule, below);
        self.sequence(&items)
    }

    fn sequence(&mut self, items: &[Item]) -> u32 {
        let start = self.here();
        for (position, &Item { symbol, deeper }) in items.iter().enumerate() {
            let is_last = position + 1 == items.len();
            match symbol {
                Symbol::Literal(literal) => self.pending.extend_from_slice(self.grammar.literal(literal)),
                Symbol::Class(class) => match self.listed[class.index()] {
                    Some(bytes) => self.push(Kind::Next, 0, 0, bytes),
                    None => self.push(Kind::Wide, class.index() as u32, 0, (0, 0)),
                },
                Symbol::Nonterminal(nonterminal) => {
                    let kind = if is_last { Kind::Jump } else { Kind::Call };
                    self.go(kind, nonterminal.index() as u32, deeper);
                    if is_last {
                        return start;
                    }
                }
            }
        }
        self.end();
        start
    }

    /// The symbols of a rule, with those nonterminals written out that have no choice.
    fn written_out(&self, rule: RuleId, below: bool) -> Vec<Item> {
        let only_rule = |nonterminal: NonterminalId| {
            let choices = &self.choices[nonterminal];
            match if below { &*choices.lowest } else { &*choices.productive } {
                &[rule] => Some(rule),
                _ => None,
            }
        };
        let symbols = &self.grammar.rule(rule).symbols;
        let most = MOST_INLINED.max(symbols.len());
        let mut items = Vec::with_capacity(symbols.len());
        // What is still to be visited, the first symbol last.
        let mut open: Vec<Item> = symbols.iter().rev().map(|&symbol| Item { symbol, deeper: 0 }).collect();
        while let Some(item) = open.pop() {
            if let Symbol::Nonterminal(nonterminal) = item.symbol
                && let Some(rule) = only_rule(nonterminal)
                && items.len() + open.len() + 1 + self.grammar.rule(rule).symbols.len() <= most
                && item.deeper < MOST_DEEPER
            {
                // A nonterminal without a choice that contained itself would derive nothing.
                let inner = self.grammar.rule(rule).symbols.iter().rev();
                open.extend(inner.map(|&symbol| Item { symbol, deeper: item.deeper + 1 }));
            } else {
                items.push(item);
            }
        }
        items
    }

    /// Where the next operation will be.
    fn here(&self) -> u32 {
        debug_assert!(self.pending.is_empty(), "an operation is not finished");
        self.program.operations.len() as u32
    }

    /// Goes on to a nonterminal. Where a byte was just to be written the same operation does both.
    fn go(&mut self, kind: Kind, target: u32, deeper: u16) {
        if let Some(last) = self.unfinished() {
            (last.kind, last.target, last.deeper) = (kind, target, deeper);
        } else {
            self.push(kind, target, deeper, (0, 0));
        }
    }

    /// Ends a rule.
    fn end(&mut self) {
        self.go(Kind::Return, 0, 0);
    }

    /// The last operation, if it is of the rule at hand and writes a byte before going to the next.
    fn unfinished(&mut self) -> Option<&mut Operation> {
        if !self.pending.is_empty() {
            return None;
        }
        // A rule never ends with `Next`, so such an operation is not of an earlier rule.
        self.program.operations.last_mut().filter(|last| last.kind == Kind::Next && last.byte_count > 0)
    }

    fn push(&mut self, kind: Kind, target: u32, deeper: u16, (first_byte, byte_count): (u32, u32)) {
        let pending = std::mem::take(&mut self.pending);
        let mut chunks = pending.chunks(TEXT).peekable();
        while let Some(chunk) = chunks.next_if(|chunk| chunk.len() == TEXT) {
            self.program.operations.push(operation(chunk, Kind::Next));
        }
        let rest = chunks.next().unwrap_or_default();
        let last = operation(rest, kind);
        self.program.operations.push(Operation { target, deeper, first_byte, byte_count, ..last });
    }
}

fn operation(chunk: &[u8], kind: Kind) -> Operation {
    let mut text = [0; TEXT];
    text[..chunk.len()].copy_from_slice(chunk);
    Operation { text, length: chunk.len() as u8, kind, deeper: 0, target: 0, first_byte: 0, byte_count: 0 }
}

fn least_common_multiple(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
