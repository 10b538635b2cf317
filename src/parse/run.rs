//! One run of a parser over an input.
//!
//! While there is one stack and one action it is a plain LR parser. At a fork it becomes a general
//! one (Tomita 1985, with the correction for shared stacks that needs no re-scanning here, see
//! [`super::gss`]), and returns to being plain as soon as a single stack is left.

use std::num::NonZeroU32;

use super::alphabet::Alphabet;
use super::gss::{Edge, Gss, Labels, Path};
use super::index::{GssNodeId, ProductionId, SppfNodeId, StateId, UnitId, WordId};
use super::linear_stack::{LinearStack, StackView};
use super::memo::{EdgeMemo, NodeMemo};
use super::parser::Parser;
use super::productions::{Plan, Production};
use super::semantics::{Reduction, Semantics};
use super::table::{Action, Tables};
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::Lexis;
use crate::grammar::lexis::Division;

/// A run spends at its meter when this many steps have accumulated.
pub(super) const STRIDE: u64 = 1 << 12;

/// The steps of a reduction on one of several stacks, beside what its semantic action takes.
const REDUCTION_STEPS: u64 = 4;

/// The steps of an edge or a node of the graph-structured stack, which take up to 20 bytes, and of its entry among
/// the edges of its offset.
const GSS_STEPS: u64 = 16;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The input was accepted; the node is the start symbol's.
    Accepted(SppfNodeId),
    /// No continuation of the input up to this offset has what comes next.
    Failed(usize),
    /// The run was to end at this offset, and did before looking at what comes next.
    Paused,
    /// The semantic actions cannot go on.
    GivenUp,
}

/// The state of a run.
pub(super) struct Run<'a, M> {
    plan: &'a Plan,
    tables: &'a Tables,
    alphabet: &'a Alphabet,
    input: &'a [u8],
    meter: &'a mut Meter,
    /// Bytes that were examined for words and are not yet spent at the meter.
    examined: usize,
    /// Which words the modes of a lexer let begin where, as far as it was asked for.
    division: Option<Division>,
    pub gss: Gss,
    /// The upper part of the stack, as long as it is one.
    linear: LinearStack,
    pub semantics: M,
    /// The tops of all stacks.
    pub frontier: Vec<GssNodeId>,
    general: Option<Box<General>>,
}

/// What only a general run needs.
struct General {
    memo: NodeMemo,
    /// The edges of this offset.
    edges: EdgeMemo,
    /// For each state the round in which it last got a node, and that node.
    tops: IdVec<StateId, (u32, GssNodeId)>,
    round: u32,
    /// Reductions to be made, with the edge at which they begin.
    pending: Vec<(ProductionId, Edge)>,
    open: Vec<Path>,
    found: Vec<(GssNodeId, Labels)>,
    /// The tops of the next offset.
    next: Vec<GssNodeId>,
}

/// Where a plain run is.
#[derive(Clone, Copy)]
struct Place {
    /// The node on which the single stack stands.
    base: GssNodeId,
    /// The uppermost state.
    state: StateId,
    offset: usize,
}

/// How a run with several stacks goes on.
enum Reached {
    /// A single stack is left.
    Single(Place),
    /// It is the end of the run.
    Ended(Outcome),
}

/// What a plain run does at once.
enum Step {
    /// A reduction is made.
    Reduced,
    /// There is not one thing to do only.
    Forked,
    /// What should be a word is none where it stands.
    Refused,
    /// The semantic actions do not go on.
    GivenUp,
}

impl<'a, M: Semantics> Run<'a, M> {
    pub(super) fn new(parser: &'a Parser, input: &'a [u8], semantics: M, meter: &'a mut Meter) -> Self {
        assert!(u32::try_from(input.len()).is_ok(), "an input is smaller than 4 GiB");
        let (gss, frontier) = (Gss::default(), Vec::new());
        let Parser { plan, tables, .. } = parser;
        Self {
            plan,
            tables,
            alphabet: parser.alphabet(),
            input,
            meter,
            examined: 0,
            division: plan.lexis.as_ref().map(Lexis::division),
            gss,
            linear: LinearStack::default(),
            semantics,
            frontier,
            general: None,
        }
    }

    /// Runs to the end, or until `pause` has been read.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    pub(super) fn run(&mut self, pause: usize) -> Result<Outcome, Exceeded> {
        let mut place =
            Place { base: self.gss.push(StateId::START, 0, None, None), state: StateId::START, offset: 0 };
        // What is not yet spent at the meter: a register in place of the meter's memory.
        let mut steps = 0;
        loop {
            if place.offset == pause {
                let top = self.linear.settle(place.base, &mut self.gss);
                self.frontier = vec![top];
                return Ok(Outcome::Paused);
            }
            if steps >= STRIDE {
                self.meter.spend(std::mem::take(&mut steps) + std::mem::take(&mut self.examined) as u64)?;
            }
            steps += 1;
            let (unit, width) = self.alphabet.read(self.input, place.offset);
            let Some(unit) = unit else { return Ok(Outcome::Failed(place.offset)) };
            self.semantics.advance();
            loop {
                let step = match self.tables.action(place.state, unit) {
                    Some(Action::Shift(target)) => {
                        self.linear.push(target, width, None);
                        (place.state, place.offset) = (target, place.offset + width);
                        break;
                    }
                    None => return Ok(Outcome::Failed(place.offset)),
                    Some(Action::Reduce(ProductionId::ACCEPT)) => {
                        let node = self.linear.last_node();
                        let node = node.or(self.gss[place.base].label).unwrap_or(SppfNodeId::FIRST);
                        return Ok(Outcome::Accepted(node));
                    }
                    Some(Action::Reduce(production)) => {
                        steps += M::STEPS;
                        self.reduce(&mut place, production)
                    }
                    Some(Action::Fork(_)) => Step::Forked,
                };
                match step {
                    Step::Reduced => {}
                    Step::Refused => return Ok(Outcome::Failed(place.offset)),
                    Step::GivenUp => return Ok(Outcome::GivenUp),
                    Step::Forked => match self.run_general(place, (unit, width), pause)? {
                        Reached::Single(reached) => {
                            place = reached;
                            break;
                        }
                        Reached::Ended(outcome) => return Ok(outcome),
                    },
                }
            }
        }
    }

    /// Reduces `production` on the single stack.
    #[inline(always)]
    fn reduce(&mut self, place: &mut Place, production: ProductionId) -> Step {
        let made = self.plan.productions[production];
        let length = made.length as usize;
        let Some(height) = self.linear.len().checked_sub(length) else {
            return self.reduce_below(place, production);
        };
        let width = self.linear.width(length);
        let start = place.offset - width.bytes;
        let nodes = if M::TRACKS { self.linear.nodes(made.tracked) } else { [None; 2] };
        let node = match self.make(*place, production, &made, start, nodes) {
            Ok(node) => node,
            Err(step) => return step,
        };
        let below = self.linear.state(height);
        let below = below.unwrap_or_else(|| self.gss[place.base].state);
        place.state = self.tables.goto(below, made.lhs);
        let tracked = if M::TRACKS { made.tracked as usize } else { 0 };
        self.linear.replace((length, tracked), width, place.state, node);
        Step::Reduced
    }

    /// Reduces `production`, which takes off nodes below the single stack too.
    #[cold]
    fn reduce_below(&mut self, place: &mut Place, production: ProductionId) -> Step {
        let made = self.plan.productions[production];
        let Some((base, nodes)) = self.only_path(&made, place.base) else { return Step::Forked };
        let start = self.gss[base].offset as usize;
        let node = match self.make(*place, production, &made, start, nodes) {
            Ok(node) => node,
            Err(step) => return step,
        };
        self.linear.clear();
        // Cells stand on earlier ones, so nothing is left that stands on what was taken off.
        self.gss.truncate_above(base);
        place.base = base;
        place.state = self.tables.goto(self.gss[base].state, made.lhs);
        self.linear.push(place.state, place.offset - start, node);
        Step::Reduced
    }

    /// The node of a reduction on the single stack, if the nodes of its variable are used.
    #[inline(always)]
    fn make(
        &mut self,
        place: Place,
        production: ProductionId,
        made: &Production,
        start: usize,
        nodes: [Option<SppfNodeId>; 2],
    ) -> Result<Option<SppfNodeId>, Step> {
        let node = match made.word {
            None => {
                let (start, end) = (start as u32, place.offset as u32);
                let reduction = Reduction { production, lhs: made.lhs, start, end, nodes };
                let stack =
                    StackView { linear: &self.linear, gss: &self.gss, base: place.base, end: place.offset };
                Some(self.semantics.reduce(reduction, stack).ok_or(Step::GivenUp)?)
            }
            Some(word) if self.is_word(word, start, place.offset) => nodes[0],
            Some(_) => return Err(Step::Refused),
        };
        Ok(if M::TRACKS && made.is_tracked { node } else { None })
    }

    /// What lies below a production that reaches down to `base` and further, and its nodes; `None` when there is
    /// more than one way down.
    fn only_path(&self, made: &Production, base: GssNodeId) -> Option<(GssNodeId, [Option<SppfNodeId>; 2])> {
        let mut nodes = [None; 2];
        let mut edges = 0;
        let mut track = |node: Option<SppfNodeId>| {
            edges += 1;
            if let Some(slot) = made.from_end.iter().position(|&nth| nth == NonZeroU32::new(edges)) {
                nodes[slot] = node;
            }
        };
        self.linear.downward().for_each(&mut track);
        let mut below = base;
        for _ in self.linear.len()..made.length as usize {
            let node = self.gss[below];
            if node.is_shared() {
                return None;
            }
            track(node.label);
            below = node.below?;
        }
        Some((below, nodes))
    }

    /// Whether what is derived here is a word where it stands.
    fn is_word(&mut self, word: WordId, start: usize, end: usize) -> bool {
        let (Some(lexis), Some(division)) = (&self.plan.lexis, &mut self.division) else { return true };
        let (is_word, examined) = lexis.examine(division, self.plan.words[word], self.input, start, end);
        self.examined += examined;
        is_word
    }

    /// Runs with any number of stacks, from before the unit of this width on, until there is one again.
    fn run_general(
        &mut self,
        place: Place,
        next: (UnitId, usize),
        pause: usize,
    ) -> Result<Reached, Exceeded> {
        let (mut offset, (mut unit, mut width)) = (place.offset, next);
        let top = self.linear.settle(place.base, &mut self.gss);
        let mut general = self.general.take().unwrap_or_else(|| Box::new(General::new(self.tables.states())));
        self.begin_general(&mut general, top);
        let result = loop {
            let Some(accepted) = self.reduce_all(&mut general, offset, Some(unit))? else {
                break Reached::Ended(Outcome::GivenUp);
            };
            if unit == self.alphabet.end() {
                break Reached::Ended(accepted.map_or(Outcome::Failed(offset), Outcome::Accepted));
            }
            self.meter.spend(GSS_STEPS * self.frontier.len() as u64)?;
            general.begin();
            general.next.clear();
            for &head in &self.frontier {
                let target = match self.tables.action(self.gss[head].state, unit) {
                    Some(Action::Shift(target)) => target,
                    Some(Action::Fork(fork)) => match self.tables.choices(fork).shift {
                        Some(target) => target,
                        None => continue,
                    },
                    Some(Action::Reduce(_)) | None => continue,
                };
                match general.top(target) {
                    Some(known) => self.gss.add_edge(known, head, None),
                    None => {
                        let new = self.gss.push(target, offset + width, Some(head), None);
                        general.set_top(target, new);
                        general.next.push(new);
                    }
                }
            }
            std::mem::swap(&mut self.frontier, &mut general.next);
            match self.frontier[..] {
                [] => break Reached::Ended(Outcome::Failed(offset)),
                [single] => {
                    let state = self.gss[single].state;
                    break Reached::Single(Place { base: single, state, offset: offset + width });
                }
                _ => offset += width,
            }
            if offset == pause {
                break Reached::Ended(Outcome::Paused);
            }
            let (next, next_width) = self.alphabet.read(self.input, offset);
            let Some(next) = next else { break Reached::Ended(Outcome::Failed(offset)) };
            (unit, width) = (next, next_width);
        };
        self.general = Some(general);
        Ok(result)
    }

    /// Begins a general run at a single stack: what was made at this offset must be known.
    fn begin_general(&mut self, general: &mut General, top: GssNodeId) {
        general.begin();
        self.frontier.clear();
        self.frontier.push(top);
        general.set_top(self.gss[top].state, top);
        for edge in self.gss.edges(top) {
            general.edges.is_new(top, edge.below);
        }
        self.semantics.fork(&mut general.memo);
    }

    /// Makes all reductions that are allowed before `unit`, or all there are when that is `None`.
    /// The node of the start symbol, when one is the last; `None` at all when the semantic actions give up.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    fn reduce_all(
        &mut self,
        general: &mut General,
        offset: usize,
        unit: Option<UnitId>,
    ) -> Result<Option<Option<SppfNodeId>>, Exceeded> {
        for index in 0..self.frontier.len() {
            let head = self.frontier[index];
            for edge in self.gss.edges(head) {
                self.enqueue(general, head, edge, unit);
            }
        }
        let mut accepted = None;
        // What is not yet spent at the meter.
        let mut steps = 0;
        while let Some((production, first)) = general.pending.pop() {
            if production == ProductionId::ACCEPT {
                accepted = Some(first.label.unwrap_or(SppfNodeId::FIRST));
                continue;
            }
            let made = self.plan.productions[production];
            let mut found = std::mem::take(&mut general.found);
            self.gss.paths(first, &made, &mut general.open, &mut found, &mut steps, self.meter)?;
            let examined = std::mem::take(&mut self.examined) as u64;
            // What is made of many paths takes memory: it is paid before it is made.
            steps += examined + REDUCTION_STEPS + (M::STEPS + REDUCTION_STEPS) * found.len() as u64;
            if steps >= STRIDE {
                self.meter.spend(std::mem::take(&mut steps))?;
            }
            for (below, nodes) in found.drain(..) {
                let start = self.gss[below].offset;
                let node = match made.word {
                    None => {
                        let end = offset as u32;
                        let reduction = Reduction { production, lhs: made.lhs, start, end, nodes };
                        match self.semantics.reduce_shared(reduction, &mut general.memo) {
                            Some(node) => Some(node),
                            None => return Ok(None),
                        }
                    }
                    Some(word) if self.is_word(word, start as usize, offset) => nodes[0],
                    Some(_) => continue,
                };
                let state = self.tables.goto(self.gss[below].state, made.lhs);
                let head = match general.top(state) {
                    Some(head) => {
                        if !general.edges.is_new(head, below) {
                            continue;
                        }
                        steps += GSS_STEPS;
                        self.gss.add_edge(head, below, node);
                        head
                    }
                    None => {
                        steps += GSS_STEPS;
                        let head = self.gss.push(state, offset, Some(below), node);
                        general.set_top(state, head);
                        general.edges.is_new(head, below);
                        self.frontier.push(head);
                        head
                    }
                };
                self.enqueue(general, head, Edge::new(below, node), unit);
            }
            general.found = found;
        }
        self.meter.spend(steps)?;
        Ok(Some(accepted))
    }

    fn enqueue(&self, general: &mut General, head: GssNodeId, edge: Edge, unit: Option<UnitId>) {
        let state = self.gss[head].state;
        let Some(unit) = unit else {
            general.pending.extend(self.tables.complete(state).iter().map(|&p| (p, edge)));
            return;
        };
        match self.tables.action(state, unit) {
            Some(Action::Reduce(production)) => general.pending.push((production, edge)),
            Some(Action::Fork(fork)) => {
                general.pending.extend(self.tables.choices(fork).reduce.iter().map(|&p| (p, edge)));
            }
            Some(Action::Shift(_)) | None => {}
        }
    }

    /// After a pause: adds to the frontier what can be reduced before anything at all. Then its
    /// states are all those in which the input up to here can be continued.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    pub(super) fn reduce_before_anything(&mut self, offset: usize) -> Result<(), Exceeded> {
        let mut general = self.general.take().unwrap_or_else(|| Box::new(General::new(self.tables.states())));
        general.begin();
        for &head in &self.frontier {
            general.set_top(self.gss[head].state, head);
        }
        self.reduce_all(&mut general, offset, None)?;
        self.general = Some(general);
        Ok(())
    }
}

impl General {
    fn new(states: usize) -> Self {
        Self {
            memo: NodeMemo::default(),
            edges: EdgeMemo::default(),
            tops: IdVec::filled((0, GssNodeId::new(0)), states),
            round: 0,
            pending: Vec::new(),
            open: Vec::new(),
            found: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Begins with the nodes of another offset.
    fn begin(&mut self) {
        self.memo.clear();
        self.edges.clear();
        self.round += 1;
    }

    /// The top of a stack with this state.
    fn top(&self, state: StateId) -> Option<GssNodeId> {
        let (round, head) = self.tops[state];
        (round == self.round).then_some(head)
    }

    fn set_top(&mut self, state: StateId, head: GssNodeId) {
        self.tops[state] = (self.round, head);
    }
}
