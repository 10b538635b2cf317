//! One run of a parser over an input.
//!
//! While there is one stack and one action it is a plain LR parser. At a fork it becomes a general
//! one (Tomita 1985, with the correction for shared stacks that needs no re-scanning here, see
//! [`super::stack`]), and returns to being plain as soon as a single stack is left.

use super::alphabet::Alphabet;
use super::ledger::{Kind, Ledger};
use super::maker::{Maker, Reduction};
use super::parser::Parser;
use super::productions::{ACCEPT, NONE, Plan, Production};
use super::single::{SingleStack, Standing};
use super::stack::{Edge, Path, Stacks};
use super::table::{Action, Tables};
use crate::base::limits::{Exceeded, Meter};

/// A plain run spends at its meter when so many steps have come together.
const STRIDE: u64 = 1 << 12;

/// The steps of a reduction on one of several stacks, beside what the maker takes.
const REDUCTION_STEPS: u64 = 4;

/// The steps of an edge or a cell, which take up to 20 bytes, and of its entry in the ledger.
const CELL_STEPS: u64 = 16;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The input was accepted; the node is the start symbol's.
    Accepted(u32),
    /// No continuation of the input up to this offset has what comes next.
    Failed(usize),
    /// The run was to end at this offset, and did before looking at what comes next.
    Paused,
    /// The maker cannot go on.
    GivenUp,
}

/// The state of a run.
pub(super) struct Run<'a, M> {
    plan: &'a Plan,
    tables: &'a Tables,
    alphabet: &'a Alphabet,
    input: &'a [u8],
    meter: &'a mut Meter,
    /// Bytes that were looked at for words and are not yet spent at the meter.
    looked: usize,
    pub stacks: Stacks,
    /// The upper part of the stack, as long as it is one.
    single: SingleStack,
    pub maker: M,
    /// The tops of all stacks.
    pub frontier: Vec<u32>,
    general: Option<General>,
}

/// What only a general run needs.
struct General {
    ledger: Ledger,
    /// For each state the round in which it last got a cell, and that cell.
    tops: Vec<(u32, u32)>,
    round: u32,
    /// Productions to be reduced, with the edge at which they begin.
    pending: Vec<(u32, Edge)>,
    open: Vec<Path>,
    found: Vec<(u32, [u32; 2])>,
    /// The tops of the next offset.
    next: Vec<u32>,
}

/// Where a plain run is.
#[derive(Clone, Copy)]
struct Place {
    /// The cell on which the single stack stands.
    base: u32,
    /// The state of the uppermost cell.
    state: u32,
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
    /// A word is not good where it stands.
    Refused,
    /// The maker does not go on.
    GivenUp,
}

impl<'a, M: Maker> Run<'a, M> {
    pub(super) fn new(parser: &'a Parser, input: &'a [u8], maker: M, meter: &'a mut Meter) -> Self {
        assert!(input.len() < NONE as usize, "an input is smaller than 4 GiB");
        let (stacks, frontier) = (Stacks::default(), Vec::new());
        let Parser { plan, tables, .. } = parser;
        Self {
            plan,
            tables,
            alphabet: parser.alphabet(),
            input,
            meter,
            looked: 0,
            stacks,
            single: SingleStack::default(),
            maker,
            frontier,
            general: None,
        }
    }

    /// Runs to the end, or until `pause` has been read.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    pub(super) fn run(&mut self, pause: usize) -> Result<Outcome, Exceeded> {
        let mut place = Place { base: self.stacks.push(0, 0, NONE, NONE), state: 0, offset: 0 };
        // What is not yet spent at the meter: a register in place of the meter's memory.
        let mut steps = 0;
        loop {
            if place.offset == pause {
                let top = self.single.settle(place.base, &mut self.stacks);
                self.frontier = vec![top];
                return Ok(Outcome::Paused);
            }
            if steps >= STRIDE {
                self.meter.spend(std::mem::take(&mut steps) + std::mem::take(&mut self.looked) as u64)?;
            }
            steps += 1;
            let (unit, width) = self.alphabet.read(self.input, place.offset);
            self.maker.advance();
            loop {
                let step = match self.tables.action(place.state, unit) {
                    Action::Shift(target) => {
                        self.single.push(target, width, None);
                        (place.state, place.offset) = (target, place.offset + width);
                        break;
                    }
                    Action::Stop => return Ok(Outcome::Failed(place.offset)),
                    Action::Reduce(ACCEPT) => {
                        let node = self.single.last_node();
                        let node = node.unwrap_or(self.stacks.cells[place.base as usize].node);
                        return Ok(Outcome::Accepted(node));
                    }
                    Action::Reduce(production) => {
                        steps += M::STEPS;
                        self.reduce(&mut place, production)
                    }
                    Action::Fork(_) => Step::Forked,
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
    fn reduce(&mut self, place: &mut Place, production: u32) -> Step {
        let made = self.plan.productions[production as usize];
        let length = made.length as usize;
        let Some(height) = self.single.len().checked_sub(length) else {
            return self.reduce_further(place, production);
        };
        let width = self.single.width(length);
        let start = place.offset - width.bytes;
        let nodes = if M::TRACKS { self.single.nodes(made.tracked) } else { [NONE; 2] };
        let node = match self.make(*place, production, &made, start, nodes) {
            Ok(node) => node,
            Err(step) => return step,
        };
        let below = self.single.state(height);
        let below = below.unwrap_or_else(|| self.stacks.cells[place.base as usize].state);
        place.state = self.tables.goto(below, made.lhs);
        let tracked = if M::TRACKS { made.tracked as usize } else { 0 };
        self.single.replace((length, tracked), width, place.state, node);
        Step::Reduced
    }

    /// Reduces `production`, which takes off cells below the single stack too.
    #[cold]
    fn reduce_further(&mut self, place: &mut Place, production: u32) -> Step {
        let made = self.plan.productions[production as usize];
        let Some((base, nodes)) = self.way_down(&made, place.base) else { return Step::Forked };
        let start = self.stacks.cells[base as usize].offset as usize;
        let node = match self.make(*place, production, &made, start, nodes) {
            Ok(node) => node,
            Err(step) => return step,
        };
        self.single.clear();
        // Cells stand on earlier ones, so nothing is left that stands on what was taken off.
        self.stacks.cells.truncate(base as usize + 1);
        place.base = base;
        place.state = self.tables.goto(self.stacks.cells[base as usize].state, made.lhs);
        self.single.push(place.state, place.offset - start, node);
        Step::Reduced
    }

    /// The node of a reduction on the single stack, if its variable has nodes that are looked at.
    #[inline(always)]
    fn make(
        &mut self,
        place: Place,
        production: u32,
        made: &Production,
        start: usize,
        nodes: [u32; 2],
    ) -> Result<Option<u32>, Step> {
        let node = if made.word == NONE {
            let (start, end) = (start as u32, place.offset as u32);
            let reduction = Reduction { production, lhs: made.lhs, start, end, nodes };
            let stack =
                Standing { single: &self.single, stacks: &self.stacks, base: place.base, end: place.offset };
            self.maker.make(reduction, stack).ok_or(Step::GivenUp)?
        } else if self.is_good(made.word, start as u32, place.offset) {
            nodes[0]
        } else {
            return Err(Step::Refused);
        };
        Ok((M::TRACKS && made.is_tracked).then_some(node))
    }

    /// What lies below a production that reaches down to `base` and further, and its nodes; `None` when there is
    /// more than one way down.
    fn way_down(&self, made: &Production, base: u32) -> Option<(u32, [u32; 2])> {
        let mut nodes = [NONE; 2];
        let mut track = |depth: u32, node: u32| {
            if depth == made.left {
                nodes[0] = node;
            } else if depth == made.right {
                nodes[1] = node;
            }
        };
        for (depth, node) in (0..).zip(self.single.downward()) {
            track(depth, node.unwrap_or(NONE));
        }
        let mut below = base;
        for depth in self.single.len() as u32..made.length {
            let cell = self.stacks.cells[below as usize];
            if cell.more != NONE {
                return None;
            }
            track(depth, cell.node);
            below = cell.below;
        }
        Some((below, nodes))
    }

    /// Whether a word is good where it stands.
    fn is_good(&mut self, word: u32, start: u32, end: usize) -> bool {
        let Some(lexis) = &self.plan.lexis else { return true };
        let word = self.plan.words[word as usize];
        let (is_good, looked) = lexis.examine(word, self.input, start as usize, end);
        self.looked += looked;
        is_good
    }

    /// Runs with any number of stacks, from before the unit of this width on, until there is one again.
    fn run_general(&mut self, place: Place, next: (u32, usize), pause: usize) -> Result<Reached, Exceeded> {
        let (mut offset, (mut unit, mut width)) = (place.offset, next);
        let top = self.single.settle(place.base, &mut self.stacks);
        let mut general = self.general.take().unwrap_or_else(|| General::new(self.tables.states()));
        self.adopt(&mut general, top);
        let result = loop {
            let Some(accepted) = self.reduce_all(&mut general, offset, Some(unit))? else {
                break Reached::Ended(Outcome::GivenUp);
            };
            if unit == self.alphabet.end() {
                break Reached::Ended(accepted.map_or(Outcome::Failed(offset), Outcome::Accepted));
            }
            self.meter.spend(CELL_STEPS * self.frontier.len() as u64)?;
            general.begin();
            general.next.clear();
            for &cell in &self.frontier {
                let target = match self.tables.action(self.stacks.cells[cell as usize].state, unit) {
                    Action::Shift(target) => target,
                    Action::Fork(fork) => match self.tables.choices(fork).shift {
                        Some(target) => target,
                        None => continue,
                    },
                    Action::Reduce(_) | Action::Stop => continue,
                };
                match general.top(target) {
                    Some(known) => self.stacks.add_edge(known, cell, NONE),
                    None => {
                        let new = self.stacks.push(target, offset + width, cell, NONE);
                        general.set_top(target, new);
                        general.next.push(new);
                    }
                }
            }
            std::mem::swap(&mut self.frontier, &mut general.next);
            match self.frontier[..] {
                [] => break Reached::Ended(Outcome::Failed(offset)),
                [single] => {
                    let state = self.stacks.cells[single as usize].state;
                    break Reached::Single(Place { base: single, state, offset: offset + width });
                }
                _ => offset += width,
            }
            if offset == pause {
                break Reached::Ended(Outcome::Paused);
            }
            (unit, width) = self.alphabet.read(self.input, offset);
        };
        self.general = Some(general);
        Ok(result)
    }

    /// Begins a general run at a single stack: what was made at this offset must be known.
    fn adopt(&mut self, general: &mut General, top: u32) {
        general.begin();
        self.frontier.clear();
        self.frontier.push(top);
        let cell = self.stacks.cells[top as usize];
        general.set_top(cell.state, top);
        for edge in self.stacks.edges(top) {
            general.ledger.get_or_insert(Kind::Edge, [top, edge.below, 0, 0], 0);
        }
        self.maker.fork(&mut general.ledger);
    }

    /// Makes all reductions that are allowed before `unit`, or all there are when that is `None`.
    /// The node of the start symbol, when one is the last; `None` at all when the maker gives up.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    fn reduce_all(
        &mut self,
        general: &mut General,
        offset: usize,
        unit: Option<u32>,
    ) -> Result<Option<Option<u32>>, Exceeded> {
        for index in 0..self.frontier.len() {
            let cell = self.frontier[index];
            for edge in self.stacks.edges(cell) {
                self.enqueue(general, cell, edge, unit);
            }
        }
        let mut accepted = None;
        while let Some((production, first)) = general.pending.pop() {
            if production == ACCEPT {
                accepted = Some(first.node);
                continue;
            }
            let made = self.plan.productions[production as usize];
            let mut found = std::mem::take(&mut general.found);
            let shape = [made.length, made.left, made.right];
            self.stacks.paths(first, shape, &mut general.open, self.meter, |below, nodes| {
                found.push((below, nodes));
            })?;
            let looked = std::mem::take(&mut self.looked) as u64;
            self.meter.spend(looked + REDUCTION_STEPS + (M::STEPS + REDUCTION_STEPS) * found.len() as u64)?;
            for (below, nodes) in found.drain(..) {
                let start = self.stacks.cells[below as usize].offset;
                let node = if made.word == NONE {
                    let end = offset as u32;
                    let reduction = Reduction { production, lhs: made.lhs, start, end, nodes };
                    match self.maker.make_one_of_several(reduction, &mut general.ledger) {
                        Some(node) => node,
                        None => return Ok(None),
                    }
                } else if self.is_good(made.word, start, offset) {
                    nodes[0]
                } else {
                    continue;
                };
                let state = self.tables.goto(self.stacks.cells[below as usize].state, made.lhs);
                let cell = match general.top(state) {
                    Some(cell) => {
                        if general.ledger.get_or_insert(Kind::Edge, [cell, below, 0, 0], 0).is_some() {
                            continue;
                        }
                        self.meter.spend(CELL_STEPS)?;
                        self.stacks.add_edge(cell, below, node);
                        cell
                    }
                    None => {
                        self.meter.spend(CELL_STEPS)?;
                        let cell = self.stacks.push(state, offset, below, node);
                        general.set_top(state, cell);
                        general.ledger.get_or_insert(Kind::Edge, [cell, below, 0, 0], 0);
                        self.frontier.push(cell);
                        cell
                    }
                };
                self.enqueue(general, cell, Edge::new(below, node), unit);
            }
            general.found = found;
        }
        Ok(Some(accepted))
    }

    fn enqueue(&self, general: &mut General, cell: u32, edge: Edge, unit: Option<u32>) {
        let state = self.stacks.cells[cell as usize].state;
        let Some(unit) = unit else {
            general.pending.extend(self.tables.complete(state).iter().map(|&p| (p, edge)));
            return;
        };
        match self.tables.action(state, unit) {
            Action::Reduce(production) => general.pending.push((production, edge)),
            Action::Fork(fork) => {
                general.pending.extend(self.tables.choices(fork).reduce.iter().map(|&p| (p, edge)));
            }
            Action::Shift(_) | Action::Stop => {}
        }
    }

    /// After a pause: adds to the frontier what can be reduced before anything at all. Then its
    /// states are all those in which the input up to here can be continued.
    ///
    /// # Errors
    /// When the meter's limits are reached.
    pub(super) fn reduce_before_anything(&mut self, offset: usize) -> Result<(), Exceeded> {
        let mut general = self.general.take().unwrap_or_else(|| General::new(self.tables.states()));
        general.begin();
        for &cell in &self.frontier {
            general.set_top(self.stacks.cells[cell as usize].state, cell);
        }
        self.reduce_all(&mut general, offset, None)?;
        self.general = Some(general);
        Ok(())
    }
}

impl General {
    fn new(states: usize) -> Self {
        Self {
            ledger: Ledger::new(),
            tops: vec![(0, NONE); states],
            round: 0,
            pending: Vec::new(),
            open: Vec::new(),
            found: Vec::new(),
            next: Vec::new(),
        }
    }

    /// Begins with the cells of another offset.
    fn begin(&mut self) {
        self.ledger.clear();
        self.round += 1;
    }

    /// The top cell with this state.
    fn top(&self, state: u32) -> Option<u32> {
        let (round, cell) = self.tops[state as usize];
        (round == self.round).then_some(cell)
    }

    fn set_top(&mut self, state: u32, cell: u32) {
        self.tops[state as usize] = (self.round, cell);
    }
}
