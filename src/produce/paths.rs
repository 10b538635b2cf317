//! The paths of k symbols of a grammar, and which of them were taken.
//!
//! A path goes down a derivation tree: each symbol stands in a rule of the one before. All but the
//! last are nonterminals; the last one may be a terminal, or "nothing" for an empty rule. (Havrikov and
//! Zeller, "Systematically Covering Input Structure", ASE 2019, section 3.) Those of fewer than k symbols
//! that begin at the root of the tree are paths as well; any other shorter path is part of a longer
//! one.
//!
//! A *context* is what must be known of the nodes above to tell which path a symbol ends: the last
//! k - 1 nonterminals, or fewer near the root. Contexts are the nodes of a graph, and a *step* from one
//! to the next is a path.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::least_height;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;

id_type!(
    /// The nonterminals above a symbol that count.
    ContextId
);
id_type!(
    /// A path, as a step from a context.
    StepId
);

/// How far it is when there is no way.
pub(super) const FAR: u32 = u32::MAX;

/// The rules and symbols that a path can go through.
#[derive(Debug)]
struct Shape {
    /// The different symbols of all productive rules of each nonterminal; `None` is nothing.
    symbols: IdVec<NonterminalId, Vec<Option<Symbol>>>,
    /// For each productive rule the places of its symbols in that list, each place once.
    places: IdVec<RuleId, Option<Box<[u32]>>>,
}

/// The graph of contexts, as far as it was needed.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    shape: Arc<Shape>,
    /// How many nonterminals a context has.
    memory: usize,
    contexts: IdVec<ContextId, Context>,
    by_chain: HashMap<Box<[NonterminalId]>, ContextId>,
    steps: IdVec<StepId, Step>,
    /// The number of steps not yet taken.
    remaining: usize,
    /// The number of steps from each context to one that was not taken; lower bounds when steps were
    /// taken since.
    distance: IdVec<ContextId, u32>,
    is_exact: bool,
    /// The nonterminals at the root of trees whose paths were all found.
    roots: BitSet<NonterminalId>,
    /// Whether there were too many paths; then some of them are not here.
    is_full: bool,
}

#[derive(Clone, Debug)]
struct Context {
    chain: Box<[NonterminalId]>,
    /// The steps from here, in the order of the symbols, begin with this one.
    first_step: u32,
    /// The steps that lead here.
    before: Vec<StepId>,
}

#[derive(Clone, Copy, Debug)]
struct Step {
    from: ContextId,
    /// `None` after a terminal.
    to: Option<ContextId>,
    is_taken: bool,
}

/// There are more paths than anybody wants to cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyPaths;

impl Paths {
    /// The maximum number of paths.
    pub const MOST: usize = 2_000_000;

    /// The paths of `length` symbols; none of them is looked for yet.
    pub fn new(grammar: &Grammar, length: usize) -> Self {
        let heights = least_height(grammar);
        let mut symbols: IdVec<NonterminalId, Vec<Option<Symbol>>> =
            IdVec::filled(Vec::new(), grammar.nonterminals().len());
        let mut seen: HashMap<(NonterminalId, Option<Symbol>), u32> = HashMap::new();
        let places = grammar.rules().entries().map(|(id, rule)| {
            heights.rule_cost[id]?;
            let all: &mut Vec<_> = &mut symbols[rule.lhs];
            let mut place = |symbol: Option<Symbol>| {
                *seen.entry((rule.lhs, symbol)).or_insert_with(|| {
                    all.push(symbol);
                    all.len() as u32 - 1
                })
            };
            let mut places: Vec<u32> = match &*rule.symbols {
                [] => vec![place(None)],
                symbols => symbols.iter().map(|&symbol| place(Some(symbol))).collect(),
            };
            places.sort_unstable();
            places.dedup();
            Some(places.into())
        });
        let places = places.collect();
        Self {
            shape: Arc::new(Shape { symbols, places }),
            memory: length.max(2) - 1,
            contexts: IdVec::new(),
            by_chain: HashMap::new(),
            steps: IdVec::new(),
            remaining: 0,
            distance: IdVec::new(),
            is_exact: true,
            roots: BitSet::new(),
            is_full: false,
        }
    }

    /// The context at the root of a tree. All paths that can begin there are looked for.
    ///
    /// # Errors
    /// When there are too many of them.
    pub fn root(&mut self, nonterminal: NonterminalId) -> Result<ContextId, TooManyPaths> {
        let chain: Box<[NonterminalId]> = [nonterminal].into();
        if let Some(&known) = self.by_chain.get(&chain)
            && (!self.is_full || self.roots.contains(nonterminal))
        {
            return Ok(known);
        }
        if self.is_full {
            return Err(TooManyPaths);
        }
        let mut next = self.contexts.len();
        let root = self.context(chain);
        self.is_exact = false;
        let shape = Arc::clone(&self.shape);
        while next < self.contexts.len() {
            let from = ContextId::new(next);
            next += 1;
            let chain = self.contexts[from].chain.clone();
            let last = *chain.last().expect("a context has its own nonterminal");
            self.contexts[from].first_step = self.steps.len() as u32;
            for symbol in &shape.symbols[last] {
                if self.steps.len() == Self::MOST {
                    self.is_full = true;
                    return Err(TooManyPaths);
                }
                let to = match symbol {
                    Some(Symbol::Nonterminal(below)) => {
                        let mut longer = chain.to_vec();
                        longer.push(*below);
                        let extra = longer.len().saturating_sub(self.memory);
                        Some(self.context(longer[extra..].into()))
                    }
                    _ => None,
                };
                let step = self.steps.push(Step { from, to, is_taken: false });
                self.remaining += 1;
                if let Some(to) = to {
                    self.contexts[to].before.push(step);
                }
            }
        }
        self.roots.insert(nonterminal);
        Ok(root)
    }

    fn context(&mut self, chain: Box<[NonterminalId]>) -> ContextId {
        if let Some(&known) = self.by_chain.get(&chain) {
            return known;
        }
        let id = self.contexts.push(Context { chain: chain.clone(), first_step: 0, before: Vec::new() });
        self.distance.push(0);
        self.by_chain.insert(chain, id);
        id
    }

    /// How many paths were not taken yet.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// How many paths were found.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The nonterminal at the end of a context.
    pub fn nonterminal(&self, context: ContextId) -> NonterminalId {
        *self.contexts[context].chain.last().expect("a context has its own nonterminal")
    }

    /// The steps that a rule takes from a context; none when the rule derives nothing.
    pub fn steps(&self, context: ContextId, rule: RuleId) -> impl Iterator<Item = StepId> + '_ {
        let first = self.contexts[context].first_step;
        let places = self.shape.places[rule].iter().flatten();
        places.map(move |place| StepId::new((first + place) as usize))
    }

    /// The context of a symbol below another one.
    pub fn below(&self, context: ContextId, symbol: NonterminalId) -> ContextId {
        let chain = &self.contexts[context].chain;
        let extra = (chain.len() + 1).saturating_sub(self.memory);
        let mut longer = chain[extra..].to_vec();
        longer.push(symbol);
        self.by_chain[&longer[..]]
    }

    /// Where a step leads to.
    pub fn target(&self, step: StepId) -> Option<ContextId> {
        self.steps[step].to
    }

    /// Whether a path was taken.
    pub fn is_taken(&self, step: StepId) -> bool {
        self.steps[step].is_taken
    }

    /// Takes a path; says whether that is new.
    pub fn take(&mut self, step: StepId) -> bool {
        let is_new = !self.steps[step].is_taken;
        if is_new {
            self.steps[step].is_taken = true;
            self.remaining -= 1;
            self.is_exact = false;
        }
        is_new
    }

    /// How many steps it takes to come to one that was not taken; [`FAR`] when there is none. A lower bound
    /// when steps were taken since [`Self::measure`].
    pub fn distance(&self, context: ContextId) -> u32 {
        self.distance[context]
    }

    /// Whether steps were taken since all was measured.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Makes all distances exact, in time linear in the number of paths.
    pub fn measure(&mut self) {
        if self.is_exact {
            return;
        }
        self.distance = IdVec::filled(FAR, self.contexts.len());
        let mut queue = VecDeque::new();
        for step in self.steps.iter().filter(|step| !step.is_taken) {
            if self.distance[step.from] == FAR {
                self.distance[step.from] = 0;
                queue.push_back(step.from);
            }
        }
        while let Some(context) = queue.pop_front() {
            for &step in &self.contexts[context].before {
                let from = self.steps[step].from;
                if self.distance[from] == FAR {
                    self.distance[from] = self.distance[context] + 1;
                    queue.push_back(from);
                }
            }
        }
        self.is_exact = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::grammar::analysis::productive;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use proptest::prelude::*;

    type Chain = Vec<Option<Symbol>>;

    /// What can stand below a nonterminal in a tree.
    fn children(grammar: &Grammar, nonterminal: NonterminalId) -> Vec<Option<Symbol>> {
        let productive = productive(grammar);
        let is_dead = |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if !productive.contains(*n));
        let mut found = Vec::new();
        for &rule in grammar.rules_of(nonterminal) {
            let symbols = &grammar.rule(rule).symbols;
            if !symbols.iter().any(is_dead) {
                found.extend(symbols.iter().map(|&symbol| Some(symbol)));
                found.extend(symbols.is_empty().then_some(None));
            }
        }
        found
    }

    /// All chains of this many symbols, each below the one before.
    fn chains(grammar: &Grammar, from: NonterminalId, symbols: usize) -> BTreeSet<Chain> {
        let start = Some(Symbol::Nonterminal(from));
        if symbols == 1 {
            return [vec![start]].into();
        }
        let mut found = BTreeSet::new();
        for child in children(grammar, from) {
            match child {
                Some(Symbol::Nonterminal(below)) => found.extend(
                    chains(grammar, below, symbols - 1).into_iter().map(|rest| [vec![start], rest].concat()),
                ),
                end if symbols == 2 => drop(found.insert(vec![start, end])),
                _ => {}
            }
        }
        found
    }

    /// All paths of the grammar, found the long way.
    fn all_paths(grammar: &Grammar, length: usize) -> BTreeSet<Chain> {
        let mut reachable = vec![grammar.start()];
        let mut next = 0;
        while let Some(&nonterminal) = reachable.get(next) {
            next += 1;
            for child in children(grammar, nonterminal) {
                if let Some(Symbol::Nonterminal(below)) = child
                    && !reachable.contains(&below)
                {
                    reachable.push(below);
                }
            }
        }
        let mut found: BTreeSet<Chain> =
            reachable.iter().flat_map(|&id| chains(grammar, id, length)).collect();
        (2..length).for_each(|length| found.extend(chains(grammar, grammar.start(), length)));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn the_paths_are_those_that_are_found_the_long_way(
            grammar in grammars(GrammarShape { nonterminals: 5, ..GrammarShape::default() }),
            length in 2usize..5,
        ) {
            let mut paths = Paths::new(&grammar, length);
            paths.root(grammar.start()).unwrap();
            let chain = |(id, step): (StepId, &Step)| -> Chain {
                let context = &paths.contexts[step.from];
                let place = id.index() - context.first_step as usize;
                let last = paths.shape.symbols[*context.chain.last().unwrap()][place];
                let above = context.chain.iter().map(|&nonterminal| Some(Symbol::Nonterminal(nonterminal)));
                above.chain([last]).collect()
            };
            let found: Vec<Chain> = paths.steps.entries().map(chain).collect();
            let different: BTreeSet<Chain> = found.iter().cloned().collect();
            prop_assert_eq!(found.len(), different.len());
            prop_assert_eq!(different, all_paths(&grammar, length));
        }
    }
}
