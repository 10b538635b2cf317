//! Takes every path of k symbols as early as possible, then goes on at random.
//!
//! Greedy: of the rules at a node one is chosen that takes most new paths at once; where none takes any,
//! one that leads to the nearest (Havrikov and Zeller, "Systematically Covering Input Structure",
//! ASE 2019, sections 3 and 4; here whole inputs are built this way rather than one path at a time). Down to a depth
//! every node does that, below it the cheapest rules are taken. One node is *sent*: it goes to the
//! nearest new path however deep, so each input takes at least one until all are taken. After that
//! inputs are those of the `limit` producer.

use std::sync::Arc;

use serde::Serialize;

use crate::base::id::IdVec;
use crate::base::keys::Keys;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::analysis::least_height;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use super::limit::LimitSession;
use super::paths::{ContextId, FAR, Paths};
use super::token_separator::TokenSeparator;
use super::{
    LimitProducer, MakeProducer, Producer, ProducerError, ProducerSession, ProducerSpec, Unproductive,
};

/// The number of nodes after which an input takes no more detours.
const MOST_NODES: usize = 1_000;

/// Covers paths.
#[derive(Debug)]
pub struct CoverageProducer {
    grammar: Arc<Grammar>,
    depth: u32,
    paths: Paths,
    limit: LimitProducer,
    /// The rules of each nonterminal that derive something,
    productive: IdVec<NonterminalId, Vec<RuleId>>,
    /// and those of them whose derivation trees can be lowest.
    lowest: IdVec<NonterminalId, Vec<RuleId>>,
}

impl CoverageProducer {
    /// A producer that takes all paths of `path` symbols (at least 2), with inputs that make detours
    /// for it down to `depth`.
    ///
    /// # Errors
    /// When the grammar has too many such paths.
    pub fn new(grammar: Arc<Grammar>, path: usize, depth: u32) -> Result<Self, ProducerError> {
        let mut paths = Paths::new(&grammar, path);
        let too_many = |_| ProducerError::TooManyPaths { symbols: path, most: Paths::MOST };
        paths.root(grammar.start()).map_err(too_many)?;
        let heights = least_height(&grammar);
        let rules = |wanted: &dyn Fn(NonterminalId, RuleId) -> bool| {
            let of = |id| grammar.rules_of(id).iter().copied().filter(|&rule| wanted(id, rule)).collect();
            grammar.nonterminals().ids().map(of).collect()
        };
        let productive = rules(&|_, rule| heights.rule_cost[rule].is_some());
        let lowest =
            rules(&|id, rule| heights.cost[id].is_some() && heights.rule_cost[rule] == heights.cost[id]);
        let limit = LimitProducer::new(Arc::clone(&grammar), depth);
        Ok(Self { grammar, depth, paths, limit, productive, lowest })
    }

    /// How many paths begin at the start symbol. After as many inputs at most all were taken.
    pub fn paths(&self) -> usize {
        self.paths.len()
    }

    fn session(&self) -> CoverageSession<'_> {
        CoverageSession { producer: self, paths: self.paths.clone(), random: LimitSession::new(&self.limit) }
    }
}

pub(super) const PLUG_IN: PlugIn<MakeProducer> = PlugIn::of::<Settings>();

#[derive(Serialize)]
struct Settings {
    /// The number of symbols in the paths.
    paths: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { paths: 3 }
    }
}

impl PlugInSettings<MakeProducer> for Settings {
    const NAME: &'static str = "coverage";

    fn read(keys: &mut Keys<'_>) -> Self {
        let Self { paths } = Self::default();
        let Some(symbols) = keys.take::<usize>("paths") else { return Self { paths } };
        let (least, most) = (2, 8);
        if !(least..=most).contains(symbols.get_ref()) {
            let message = format!("a path to cover has {least} to {most} symbols");
            keys.document().wrong_at(symbols.span(), message);
        }
        Self { paths: symbols.into_inner() }
    }

    fn make(self) -> MakeProducer {
        Arc::new(move |ProducerSpec { grammar, words, depth, .. }| {
            TokenSeparator::around(grammar, words, |grammar| {
                Ok(Box::new(CoverageProducer::new(grammar, self.paths, depth)?) as _)
            })
        })
    }
}

impl Producer for CoverageProducer {
    fn begin(&self) -> Box<dyn ProducerSession + '_> {
        Box::new(self.session())
    }
}

/// The paths taken so far.
struct CoverageSession<'a> {
    producer: &'a CoverageProducer,
    paths: Paths,
    random: LimitSession<'a>,
}

/// A symbol that is not yet derived.
#[derive(Clone, Copy)]
struct Open {
    symbol: Symbol,
    /// For a nonterminal: itself and what is above.
    context: ContextId,
    depth: u32,
    /// Whether this is the one that goes to a new path however deep.
    is_sent: bool,
}

/// What an input has come to so far.
struct Progress {
    /// Detours are made down to here.
    depth: u32,
    /// New paths taken.
    taken: usize,
    nodes: usize,
    /// Nodes since distances were measured.
    unmeasured: usize,
}

impl CoverageSession<'_> {
    /// Appends an input that takes a path at least, of which there are some.
    fn cover(&mut self, root: ContextId, stream: &mut RandomStream, text: &mut Vec<u8>) {
        let grammar = &*self.producer.grammar;
        let depth = self.producer.depth.max(self.paths.distance(root).saturating_add(1));
        let mut progress = Progress { depth, taken: 0, nodes: 0, unmeasured: 0 };
        let symbol = Symbol::Nonterminal(self.paths.nonterminal(root));
        let mut open = vec![Open { symbol, context: root, depth: 0, is_sent: true }];
        while let Some(Open { symbol, context, depth, is_sent }) = open.pop() {
            match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = grammar.class(class);
                    let c = class.nth(stream.below(class.len())).expect("the index is below the length");
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(_) => {
                    let is_sent = is_sent && progress.taken == 0;
                    let rule = self.rule(context, depth, is_sent, &progress, stream);
                    let steps: Vec<_> = self.paths.steps(context, rule).collect();
                    let news = steps.into_iter().filter(|&step| self.paths.take(step)).count();
                    progress.taken += news;
                    progress.nodes += 1;
                    progress.unmeasured += 1;
                    if !self.paths.is_exact() && progress.unmeasured > self.paths.len() / 32 {
                        self.paths.measure();
                        progress.unmeasured = 0;
                    }
                    self.expand(&mut open, rule, context, depth + 1, is_sent && news == 0);
                }
            }
        }
        debug_assert!(progress.taken > 0, "an input took no new path");
    }

    /// The symbols of a rule are open now. If their parent was sent, the one with the shortest way is.
    fn expand(&self, open: &mut Vec<Open>, rule: RuleId, context: ContextId, depth: u32, is_sent: bool) {
        let first = open.len();
        for &symbol in self.producer.grammar.rule(rule).symbols.iter().rev() {
            let context = match symbol {
                Symbol::Nonterminal(below) => self.paths.below(context, below),
                Symbol::Literal(_) | Symbol::Class(_) => context,
            };
            open.push(Open { symbol, context, depth, is_sent: false });
        }
        let is_nonterminal = |child: &&mut Open| matches!(child.symbol, Symbol::Nonterminal(_));
        let children = open[first..].iter_mut().rev().filter(is_nonterminal);
        if is_sent && let Some(nearest) = children.min_by_key(|child| self.paths.distance(child.context)) {
            nearest.is_sent = true;
        }
    }

    /// Chooses a rule.
    fn rule(
        &self,
        context: ContextId,
        depth: u32,
        is_sent: bool,
        progress: &Progress,
        stream: &mut RandomStream,
    ) -> RuleId {
        let nonterminal = self.paths.nonterminal(context);
        let lowest = &self.producer.lowest[nonterminal];
        if !is_sent && (depth >= progress.depth || progress.nodes >= MOST_NODES) {
            return *stream.pick(lowest);
        }
        // Most new paths first, then the shortest way to one.
        let mut best = (0, FAR);
        let mut rules: Vec<RuleId> = Vec::new();
        for &rule in &self.producer.productive[nonterminal] {
            let mut news = 0;
            let mut way = FAR;
            for step in self.paths.steps(context, rule) {
                news += usize::from(!self.paths.is_taken(step));
                way = way.min(self.paths.target(step).map_or(FAR, |to| self.paths.distance(to)));
            }
            let is_better = (news, std::cmp::Reverse(way)) > (best.0, std::cmp::Reverse(best.1));
            if is_better {
                best = (news, way);
                rules.clear();
            }
            if (news, way) == best {
                rules.push(rule);
            }
        }
        let (news, way) = best;
        let is_worth_it = news > 0 || (way < FAR && (is_sent || depth.saturating_add(way) < progress.depth));
        if is_worth_it { *stream.pick(&rules) } else { *stream.pick(lowest) }
    }
}

impl ProducerSession for CoverageSession<'_> {
    fn produce(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        if self.producer.productive[nonterminal].is_empty() {
            return Err(Unproductive::Nothing);
        }
        if self.paths.remaining() == 0 && nonterminal == self.producer.grammar.start() {
            return self.random.produce(nonterminal, stream, text);
        }
        // From another nonterminal than the start symbol there may be too many paths; then none of the
        // new ones is covered.
        let Ok(root) = self.paths.root(nonterminal) else {
            return self.random.produce(nonterminal, stream, text);
        };
        self.paths.measure();
        if self.paths.distance(root) == FAR {
            return self.random.produce(nonterminal, stream, text);
        }
        self.cover(root, stream, text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use crate::base::diagnostic::Source;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::format;
    use crate::parse::Parser;
    use crate::tree::{Label, Tree};
    use proptest::prelude::*;

    fn json() -> Arc<Grammar> {
        let text = include_str!("../../grammars/json.ebnf");
        Arc::new(format::read(&Source::new("json.ebnf", text), None).unwrap().grammar)
    }

    /// The paths of this many nonterminals in a tree, as names.
    fn paths_in(grammar: &Grammar, tree: &Tree, length: usize) -> BTreeSet<String> {
        let name = |node| tree.nonterminal(grammar, node).map(|id| grammar.name(id).to_string());
        let mut found = BTreeSet::new();
        for node in tree.preorder(tree.root()).filter(|&node| matches!(tree.label(node), Label::Rule(_))) {
            let above = std::iter::successors(Some(node), |&node| tree.parent(node)).take(length);
            let names: Vec<String> = above.filter_map(name).collect();
            if names.len() == length {
                found.insert(names.concat());
            }
        }
        found
    }

    #[test]
    fn few_inputs_take_all_paths_of_json() {
        let grammar = json();
        let parser = Parser::new(Arc::clone(&grammar));
        // What a thousand inputs of `limit` come across, and no more.
        let random = LimitProducer::new(Arc::clone(&grammar), 20);
        let trees = |producer: &dyn Producer, count: usize| -> BTreeSet<String> {
            let mut stream = RandomStream::derive(1, "paths");
            let mut session = producer.begin();
            let mut found = BTreeSet::new();
            for _ in 0..count {
                let mut text = Vec::new();
                session.produce(grammar.start(), &mut stream, &mut text).unwrap();
                found.extend(paths_in(&grammar, &parser.parse(&text).unwrap().first_tree(), 3));
            }
            found
        };
        let coverage = CoverageProducer::new(Arc::clone(&grammar), 3, 10).unwrap();
        assert_eq!(trees(&coverage, 5), trees(&random, 1_000));
    }

    #[test]
    fn what_is_far_below_the_limit_is_reached() {
        let text: String =
            (0..50).map(|n| format!("<n{n}> ::= \"a\" | <n{}> \"b\" <n{n}>\n", n + 1)).collect();
        let text = text + "<n50> ::= \"c\"\n";
        let grammar = Arc::new(format::read(&Source::new("deep.ebnf", text), None).unwrap().grammar);
        let producer = CoverageProducer::new(Arc::clone(&grammar), 2, 3).unwrap();
        let mut session = producer.session();
        let mut stream = RandomStream::derive(0, "");
        for _ in 0..producer.paths() {
            session.produce(grammar.start(), &mut stream, &mut Vec::new()).unwrap();
        }
        assert_eq!(session.paths.remaining(), 0);
    }

    #[test]
    fn too_many_paths_are_an_error() {
        let names: Vec<String> = (0..40).map(|n| format!("<n{n}>")).collect();
        let text: String =
            names.iter().map(|name| format!("{name} ::= \"a\" | {}\n", names.join(" | "))).collect();
        let grammar = Arc::new(format::read(&Source::new("wide.ebnf", text), None).unwrap().grammar);
        let error = CoverageProducer::new(Arc::clone(&grammar), 5, 10).unwrap_err();
        assert_eq!(error, ProducerError::TooManyPaths { symbols: 5, most: Paths::MOST });
        assert_eq!(CoverageProducer::new(grammar, 3, 10).unwrap().paths(), 41 + 40 * 40 * 41);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn every_input_takes_a_new_path_until_all_are_taken(
            grammar in grammars(GrammarShape { nonterminals: 6, ..GrammarShape::default() }),
            length in 2usize..5,
            depth in 0u32..6,
            seed: u64,
        ) {
            let grammar = Arc::new(grammar);
            let producer = CoverageProducer::new(Arc::clone(&grammar), length, depth).unwrap();
            let parser = Parser::new(Arc::clone(&grammar));
            let mut session = producer.session();
            let mut stream = RandomStream::derive(seed, "coverage");
            let mut text = Vec::new();
            if session.produce(grammar.start(), &mut stream, &mut text) == Err(Unproductive::Nothing) {
                prop_assert_eq!(producer.paths(), 0);
                return Ok(());
            }
            prop_assert!(session.paths.remaining() < producer.paths());
            prop_assert!(parser.recognizes(&text).unwrap());
            while session.paths.remaining() > 0 {
                let before = session.paths.remaining();
                text.clear();
                session.produce(grammar.start(), &mut stream, &mut text).unwrap();
                prop_assert!(session.paths.remaining() < before);
                prop_assert!(parser.recognizes(&text).unwrap());
            }
        }
    }
}
