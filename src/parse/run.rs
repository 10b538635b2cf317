//! One run of a parser over an input.
//!
//! While there is one stack and one action it is a plain LR parser. At a fork it becomes a general
//! one (Tomita 1985, with the correction for shared stacks that needs no re-scanning here, see
//! [`super::stack`]), and returns to being plain as soon as a single stack is left.

use super::alphabet::Alphabet;
use super::ledger::{Kind, Ledger};
use super::maker::{Maker, Reduction};
use super::parser::Parser;
use super::productions::{ACCEPT, NONE, Plan};
use super::stack::{Edge, Path, Stacks};
use super::table::{Action, Tables};

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
    pub stacks: Stacks,
    pub maker: M,
    /// The tops of all stacks.
    pub frontier: Vec<u32>,
    general: Option<General>,
    /// Whether the maker does not go on.
    has_given_up: bool,
    /// Whether the last reduction is of a word that is not good where it stands.
    is_refused: bool,
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
    top: u32,
    offset: usize,
    unit: u32,
    width: usize,
}

impl<'a, M: Maker> Run<'a, M> {
    pub(super) fn new(parser: &'a Parser, input: &'a [u8], maker: M) -> Self {
        assert!(input.len() < NONE as usize, "an input is smaller than 4 GiB");
        let (stacks, frontier) = (Stacks::default(), Vec::new());
        let Parser { plan, tables, .. } = parser;
        Self {
            plan,
            tables,
            alphabet: parser.alphabet(),
            input,
            stacks,
            maker,
            frontier,
            general: None,
            has_given_up: false,
            is_refused: false,
        }
    }

    /// Runs to the end, or until `pause` has been read.
    pub(super) fn run(&mut self, pause: usize) -> Outcome {
        let mut top = self.stacks.push(0, 0, NONE, NONE);
        // From here on up, cells belong to the single stack, and each stands on the one before it.
        let mut floor = top;
        let mut offset = 0;
        loop {
            if offset == pause {
                self.frontier = vec![top];
                return Outcome::Paused;
            }
            let (unit, width) = self.alphabet.read(self.input, offset);
            self.maker.advance();
            loop {
                let state = self.stacks.cells[top as usize].state;
                let below = match self.tables.action(state, unit) {
                    Action::Shift(target) => {
                        offset += width;
                        top = self.stacks.push(target, offset, top, NONE);
                        break;
                    }
                    Action::Stop => return Outcome::Failed(offset),
                    Action::Reduce(ACCEPT) => {
                        return Outcome::Accepted(self.stacks.cells[top as usize].node);
                    }
                    Action::Reduce(production) => self.pop(top, production, offset),
                    Action::Fork(_) => None,
                };
                let Some((below, lhs, node)) = below else {
                    if self.has_given_up {
                        return Outcome::GivenUp;
                    }
                    if self.is_refused {
                        return Outcome::Failed(offset);
                    }
                    let place = Place { top, offset, unit, width };
                    match self.run_general(place, pause) {
                        Ok((single, reached)) => {
                            (top, floor, offset) = (single, single, reached);
                            break;
                        }
                        Err(outcome) => return outcome,
                    }
                };
                // What was taken off is not needed any more, unless a graph of stacks lies there.
                self.stacks.cells.truncate(below.saturating_add(1).max(floor) as usize);
                let state = self.tables.goto(self.stacks.cells[below as usize].state, lhs);
                top = self.stacks.push(state, offset, below, node);
            }
        }
    }

    /// Reduces `production` on a single stack: the cell that is left, the variable, and its node.
    /// `None` when there is not one way down only, the word is refused, or the maker gives up.
    #[inline]
    fn pop(&mut self, top: u32, production: u32, offset: usize) -> Option<(u32, u32, u32)> {
        let made = self.plan.productions[production as usize];
        let mut nodes = [NONE; 2];
        let mut below = top;
        for depth in 0..made.length {
            let cell = self.stacks.cells[below as usize];
            if cell.more != NONE {
                return None;
            }
            if M::TRACKS && depth == made.left {
                nodes[0] = cell.node;
            } else if M::TRACKS && depth == made.right {
                nodes[1] = cell.node;
            }
            below = cell.below;
        }
        let start = self.stacks.cells[below as usize].offset;
        if made.word != NONE {
            self.is_refused = !self.is_good(made.word, start, offset);
            return if self.is_refused { None } else { Some((below, made.lhs, nodes[0])) };
        }
        let reduction = Reduction { production, lhs: made.lhs, start, end: offset as u32, nodes };
        match self.maker.make(reduction, &self.stacks, top) {
            Some(node) => Some((below, made.lhs, node)),
            None => {
                self.has_given_up = true;
                None
            }
        }
    }

    /// Whether a word is good where it stands.
    fn is_good(&self, word: u32, start: u32, end: usize) -> bool {
        let lexis = self.plan.lexis.as_ref();
        let word = self.plan.words[word as usize];
        lexis.is_none_or(|lexis| lexis.holds(word, self.input, start as usize, end))
    }

    /// Runs with any number of stacks until there is one again: its top, and the offset reached.
    fn run_general(&mut self, place: Place, pause: usize) -> Result<(u32, usize), Outcome> {
        let Place { top, mut offset, mut unit, mut width } = place;
        let mut general = self.general.take().unwrap_or_else(|| General::new(self.tables.states()));
        self.adopt(&mut general, top);
        let result = loop {
            let Some(accepted) = self.reduce_all(&mut general, offset, Some(unit)) else {
                break Err(Outcome::GivenUp);
            };
            if unit == self.alphabet.end() {
                break Err(accepted.map_or(Outcome::Failed(offset), Outcome::Accepted));
            }
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
                [] => break Err(Outcome::Failed(offset)),
                [single] => break Ok((single, offset + width)),
                _ => offset += width,
            }
            if offset == pause {
                break Err(Outcome::Paused);
            }
            (unit, width) = self.alphabet.read(self.input, offset);
        };
        self.general = Some(general);
        result
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
    fn reduce_all(&mut self, general: &mut General, offset: usize, unit: Option<u32>) -> Option<Option<u32>> {
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
            self.stacks.paths(first, shape, &mut general.open, |below, nodes| found.push((below, nodes)));
            for (below, nodes) in found.drain(..) {
                let start = self.stacks.cells[below as usize].offset;
                let node = if made.word == NONE {
                    let end = offset as u32;
                    let reduction = Reduction { production, lhs: made.lhs, start, end, nodes };
                    self.maker.make_one_of_several(reduction, &mut general.ledger)?
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
                        self.stacks.add_edge(cell, below, node);
                        cell
                    }
                    None => {
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
        Some(accepted)
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
    pub(super) fn reduce_before_anything(&mut self, offset: usize) {
        let mut general = self.general.take().unwrap_or_else(|| General::new(self.tables.states()));
        general.begin();
        for &cell in &self.frontier {
            general.set_top(self.stacks.cells[cell as usize].state, cell);
        }
        self.reduce_all(&mut general, offset, None);
        self.general = Some(general);
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
