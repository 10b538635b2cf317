//! The cheapest strings of nonterminals, and the cheapest ways from one nonterminal to another.
//!
//! Cheapest is what has the fewest nodes in its derivation tree. Ways go over the graph that has an edge from a
//! rule's left-hand side to each nonterminal on its right, at the cost of the rule's other symbols.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::random_stream::RandomStream;
use crate::grammar::analysis::{least_size, nullable};
use crate::grammar::lexis::{Pieces, is_gap};
use crate::grammar::ways::{Ways, cheapest_ways};
use crate::grammar::{Grammar, Lexis, NonterminalId, RuleId, Symbol};

/// A nonterminal inside a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) rule: RuleId,
    pub(super) position: usize,
    from: NonterminalId,
    to: NonterminalId,
    cost: u64,
}

impl Edge {
    /// The nonterminal that it leads to.
    pub(super) fn to(self) -> NonterminalId {
        self.to
    }
}

/// The cheapest strings and ways of a grammar.
pub(super) struct Cheapest<'g> {
    grammar: &'g Grammar,
    lexis: Option<&'g Lexis>,
    strings: IdVec<NonterminalId, Option<Box<[u8]>>>,
    edges: Vec<Edge>,
    /// For each nonterminal the edges that leave it, and those that lead to it.
    leaving: IdVec<NonterminalId, Vec<usize>>,
    leading: IdVec<NonterminalId, Vec<usize>>,
    /// The ways to a nonterminal, once they were asked for.
    toward: HashMap<NonterminalId, Ways<usize>>,
    nullable: BitSet<NonterminalId>,
    /// The ends of a nonterminal, or those of something, once they were asked for.
    ends: HashMap<(NonterminalId, bool), Rc<[End]>>,
}

/// A rule that is reached from a nonterminal by rules that only lead on to another one: the edges to it, and the rule.
struct End {
    way: Vec<usize>,
    rule: RuleId,
}

/// The most ends of a nonterminal, and the most of them that a plain string goes through.
const MOST_ENDS: usize = 200;
const DEEPEST: usize = 4;

impl<'g> Cheapest<'g> {
    pub(super) fn new(grammar: &'g Grammar, lexis: Option<&'g Lexis>) -> Self {
        let sizes = least_size(grammar);
        let count = grammar.nonterminals().len();
        let mut order: Vec<(u64, NonterminalId)> =
            sizes.cost.entries().filter_map(|(id, cost)| Some(((*cost)?, id))).collect();
        order.sort_unstable();
        let mut strings: IdVec<NonterminalId, Option<Box<[u8]>>> = IdVec::filled(None, count);
        for (cost, id) in order {
            // Its nonterminals cost less than the rule does, so their strings are there.
            let rule = grammar.rules_of(id).iter().find(|&&rule| sizes.rule_cost[rule] == Some(cost));
            strings[id] =
                rule.map(|&rule| expand(grammar, lexis, rule, |inner| strings[inner].as_deref()).into());
        }
        let mut edges = Vec::new();
        let mut leaving = IdVec::filled(Vec::new(), count);
        let mut leading = IdVec::filled(Vec::new(), count);
        for (id, rule) in grammar.rules().entries() {
            let Some(rule_cost) = sizes.rule_cost[id] else { continue };
            for (position, symbol) in rule.symbols.iter().enumerate() {
                if let Symbol::Nonterminal(to) = *symbol
                    && let Some(own) = sizes.cost[to]
                {
                    leaving[rule.lhs].push(edges.len());
                    leading[to].push(edges.len());
                    edges.push(Edge {
                        rule: id,
                        position,
                        from: rule.lhs,
                        to,
                        cost: rule_cost.saturating_sub(own),
                    });
                }
            }
        }
        let nullable = nullable(grammar);
        let (toward, ends) = (HashMap::new(), HashMap::new());
        Self { grammar, lexis, strings, edges, leaving, leading, toward, nullable, ends }
    }

    /// The cheapest string of a nonterminal, if it derives any.
    pub(super) fn string(&self, nonterminal: NonterminalId) -> Option<&[u8]> {
        self.strings[nonterminal].as_deref()
    }

    /// The cheapest string that begins with `rule`, if it derives any.
    pub(super) fn string_of_rule(&self, rule: RuleId) -> Option<Vec<u8>> {
        let derives = self.grammar.rule(rule).symbols.iter().all(|symbol| match symbol {
            Symbol::Literal(_) => true,
            Symbol::Class(class) => !self.grammar.class(*class).is_empty(),
            Symbol::Nonterminal(inner) => self.strings[*inner].is_some(),
        });
        derives.then(|| expand(self.grammar, self.lexis, rule, |inner| self.string(inner)))
    }

    /// A random small string of a nonterminal: one of its ends, which are all equally likely however many operators of other
    /// precedence lie between, with the cheapest strings in it but for one place at most, where there is another small string.
    pub(super) fn plain(&mut self, nonterminal: NonterminalId, stream: &mut RandomStream) -> Option<Vec<u8>> {
        let ends = self.ends(nonterminal, false);
        self.plain_with(nonterminal, ends, stream)
    }

    /// The same with something in it, where there may be nothing.
    pub(super) fn something(
        &mut self,
        nonterminal: NonterminalId,
        stream: &mut RandomStream,
    ) -> Option<Vec<u8>> {
        let ends = self.ends(nonterminal, true);
        self.plain_with(nonterminal, ends, stream).filter(|text| !text.is_empty())
    }

    /// A random small string with one of these ends of a nonterminal.
    fn plain_with(
        &mut self,
        nonterminal: NonterminalId,
        mut ends: Rc<[End]>,
        stream: &mut RandomStream,
    ) -> Option<Vec<u8>> {
        let mut frame = Frame::default();
        let mut at = nonterminal;
        for _ in 0..DEEPEST {
            if ends.is_empty() {
                return None;
            }
            let End { way, rule } = stream.pick(&ends);
            for &edge in way {
                self.pass(&mut frame, self.edges[edge], |_| None);
            }
            let of_rule = self.leaving[self.grammar.rule(*rule).lhs].iter().map(|&edge| self.edges[edge]);
            let inside: Vec<Edge> =
                of_rule.filter(|edge| edge.rule == *rule && !is_gap(self.grammar, edge.to)).collect();
            if inside.is_empty() || stream.below(2) == 0 {
                return Some(frame.close(&self.string_of_rule(*rule)?, self.lexis));
            }
            let edge = *stream.pick(&inside);
            self.pass(&mut frame, edge, |_| None);
            at = edge.to;
            ends = self.ends(at, false);
        }
        let text = self.string(at)?;
        Some(frame.close(text, self.lexis))
    }

    /// The rules with which what a nonterminal derives really begins: not those that lead on to another nonterminal, beside
    /// which there may be nothing. Those of something are not rules with which the cheapest string is empty, but what these lead to.
    fn ends(&mut self, nonterminal: NonterminalId, of_something: bool) -> Rc<[End]> {
        if let Some(known) = self.ends.get(&(nonterminal, of_something)) {
            return Rc::clone(known);
        }
        let leads_on = |edge: &Edge| {
            let symbols = self.grammar.rule(edge.rule).symbols.iter().enumerate();
            let mut beside = symbols.filter(|(position, _)| *position != edge.position);
            beside.all(|(_, symbol)| matches!(symbol, Symbol::Nonterminal(id) if self.nullable.contains(*id)))
                && !self.nullable.contains(edge.to)
        };
        let mut ends: Vec<End> = Vec::new();
        let mut seen = BitSet::from_iter([nonterminal]);
        let mut work: VecDeque<(NonterminalId, Vec<usize>)> = VecDeque::from([(nonterminal, Vec::new())]);
        while let Some((at, way)) = work.pop_front() {
            for &rule in self.grammar.rules_of(at) {
                let mut edges = self.leaving[at].iter().filter(|&&edge| self.edges[edge].rule == rule);
                let text = self.string_of_rule(rule);
                let is_nothing = of_something && text.as_ref().is_some_and(Vec::is_empty);
                let further: Vec<usize> = if is_nothing {
                    edges.copied().collect()
                } else {
                    edges.find(|&&edge| leads_on(&self.edges[edge])).copied().into_iter().collect()
                };
                if further.is_empty() && !is_nothing && text.is_some() && ends.len() < MOST_ENDS {
                    ends.push(End { way: way.clone(), rule });
                }
                for edge in further {
                    if seen.insert(self.edges[edge].to) {
                        work.push_back((self.edges[edge].to, way.iter().copied().chain([edge]).collect()));
                    }
                }
            }
        }
        let ends: Rc<[End]> = ends.into();
        self.ends.insert((nonterminal, of_something), Rc::clone(&ends));
        ends
    }

    /// The edges that leave `from` and from whose ends there is a way to `to`.
    pub(super) fn edges_toward(&mut self, from: NonterminalId, to: NonterminalId) -> Vec<Edge> {
        self.find(to);
        let ways = &self.toward[&to];
        self.leaving[from]
            .iter()
            .map(|&edge| self.edges[edge])
            .filter(|edge| ways[edge.to].is_some())
            .collect()
    }

    /// The first edge of the cheapest way between two nonterminals; `None` when they are the same or
    /// there is no way.
    pub(super) fn next_edge(&mut self, from: NonterminalId, to: NonterminalId) -> Option<Edge> {
        self.find(to);
        self.toward[&to][from]?.1.map(|edge| self.edges[edge])
    }

    /// The length in bytes of what stands around a `to` in the cheapest string of `from` that has one; `None` when none does.
    pub(super) fn distance(&mut self, from: NonterminalId, to: NonterminalId) -> Option<u64> {
        self.find(to);
        self.toward[&to][from].map(|(cost, _)| cost)
    }

    /// Whether `to` occurs in some derivation that begins with `from`.
    pub(super) fn reaches(&mut self, from: NonterminalId, to: NonterminalId) -> bool {
        self.find(to);
        self.toward[&to][from].is_some()
    }

    /// The cheapest string of `from` in which `text` stands as a `to`, if there is one.
    pub(super) fn around(&mut self, from: NonterminalId, to: NonterminalId, text: &[u8]) -> Option<Vec<u8>> {
        let mut frame = Frame::default();
        self.enter(&mut frame, from, to)?;
        Some(frame.close(text, self.lexis))
    }

    /// For each place in a rule at which `to` can be brought about, a context of `start` that leads
    /// through that place, cheapest first. `beside` gives the strings of what stands beside it.
    pub(super) fn contexts(
        &mut self,
        start: NonterminalId,
        to: NonterminalId,
        most: usize,
        mut beside: impl FnMut(NonterminalId) -> Option<Box<[u8]>>,
        text: &[u8],
    ) -> Vec<Vec<u8>> {
        self.find(to);
        let before = self.ways(start, false);
        let after = &self.toward[&to];
        let mut through: Vec<(u64, usize)> = self
            .edges
            .iter()
            .enumerate()
            .filter_map(|(index, edge)| {
                let cost = before[edge.from]?.0.saturating_add(edge.cost).saturating_add(after[edge.to]?.0);
                Some((cost, index))
            })
            .collect();
        through.sort_unstable();
        through.truncate(most);
        let mut contexts = Vec::new();
        for (_, index) in through {
            let edge = self.edges[index];
            // From the start to the edge: walked backwards, entered forwards.
            let mut way = Vec::new();
            let mut at = edge.from;
            while let Some((_, Some(link))) = before[at] {
                way.push(self.edges[link]);
                at = self.edges[link].from;
            }
            let mut frame = Frame::default();
            for edge in way.into_iter().rev() {
                self.pass(&mut frame, edge, |_| None);
            }
            self.pass(&mut frame, edge, &mut beside);
            if self.enter(&mut frame, edge.to, to).is_some() {
                contexts.push(frame.close(text, self.lexis));
            }
        }
        contexts
    }

    /// Goes the cheapest way between two nonterminals.
    fn enter(&mut self, frame: &mut Frame, from: NonterminalId, to: NonterminalId) -> Option<()> {
        if !self.reaches(from, to) {
            return None;
        }
        let mut at = from;
        while let Some(edge) = self.next_edge(at, to) {
            self.pass(frame, edge, |_| None);
            at = edge.to;
        }
        Some(())
    }

    /// Goes one edge: what stands beside it in the rule is put into the frame.
    fn pass(
        &self,
        frame: &mut Frame,
        edge: Edge,
        mut beside: impl FnMut(NonterminalId) -> Option<Box<[u8]>>,
    ) {
        let symbols = &self.grammar.rule(edge.rule).symbols;
        let apart = is_apart(self.grammar, self.lexis, edge.rule);
        let mut write = |symbols: &[Symbol]| {
            pieces(apart, symbols, |symbol, text| match symbol {
                Symbol::Nonterminal(inner) => match beside(inner) {
                    Some(given) => text.extend_from_slice(&given),
                    None => text.extend_from_slice(self.string(inner).unwrap_or_default()),
                },
                _ => write_terminal(self.grammar, symbol, text),
            })
        };
        let left = write(&symbols[..edge.position]);
        let right = write(&symbols[edge.position + 1..]);
        frame.grow(left, right);
    }

    fn find(&mut self, to: NonterminalId) {
        if !self.toward.contains_key(&to) {
            let ways = self.ways(to, true);
            self.toward.insert(to, ways);
        }
    }

    /// The cheapest ways from `source`, or to it.
    fn ways(&self, source: NonterminalId, to_source: bool) -> Ways<usize> {
        let edges = if to_source { &self.leading } else { &self.leaving };
        cheapest_ways(self.strings.len(), source, |at| {
            edges[at].iter().map(|&edge| {
                let Edge { from, to, cost, .. } = self.edges[edge];
                (edge, if to_source { from } else { to }, cost)
            })
        })
    }
}

/// What stands around a place that is still open.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    left: Pieces,
    /// From the outermost to the innermost.
    right: Vec<Pieces>,
}

impl Frame {
    /// Puts something directly around the open place.
    pub(super) fn grow(&mut self, left: Pieces, right: Pieces) {
        self.left.append(left);
        self.right.push(right);
    }

    /// The whole, with `text` in the open place.
    pub(super) fn close(self, text: &[u8], lexis: Option<&Lexis>) -> Vec<u8> {
        let mut whole = self.left;
        whole.push(text);
        self.right.into_iter().rev().for_each(|right| whole.append(right));
        whole.join(lexis)
    }
}

/// Whether the symbols of a rule are words or made of words, so that there is a gap between any two.
pub(super) fn is_apart(grammar: &Grammar, lexis: Option<&Lexis>, rule: RuleId) -> bool {
    lexis.is_some_and(|lexis| !lexis.is_lexical(grammar.rule(rule).lhs))
}

/// The texts of symbols, as `write` writes them; with gaps around each if they are `apart`.
pub(super) fn pieces(apart: bool, symbols: &[Symbol], mut write: impl FnMut(Symbol, &mut Vec<u8>)) -> Pieces {
    let mut pieces = Pieces::default();
    let mut text = Vec::new();
    for &symbol in symbols {
        if apart {
            pieces.gap();
        }
        text.clear();
        write(symbol, &mut text);
        pieces.push(&text);
    }
    if apart {
        pieces.gap();
    }
    pieces
}

/// A rule's text, with these strings for its nonterminals.
fn expand<'s>(
    grammar: &Grammar,
    lexis: Option<&Lexis>,
    rule: RuleId,
    string: impl Fn(NonterminalId) -> Option<&'s [u8]>,
) -> Vec<u8> {
    let pieces =
        pieces(is_apart(grammar, lexis, rule), &grammar.rule(rule).symbols, |symbol, text| match symbol {
            Symbol::Nonterminal(inner) => text.extend_from_slice(string(inner).unwrap_or_default()),
            _ => write_terminal(grammar, symbol, text),
        });
    pieces.join(lexis)
}

fn write_terminal(grammar: &Grammar, symbol: Symbol, text: &mut Vec<u8>) {
    match symbol {
        Symbol::Literal(literal) => text.extend_from_slice(grammar.literal(literal)),
        Symbol::Class(class) => {
            if let Some(c) = grammar.class(class).nth(0) {
                text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        Symbol::Nonterminal(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::format;
    use crate::parse::Parser;

    proptest! {
        #[test]
        fn plain_strings_are_of_their_nonterminal(
            grammar in grammars(GrammarShape::default()),
            seed in any::<u64>(),
        ) {
            let mut cheapest = Cheapest::new(&grammar, None);
            let mut stream = RandomStream::derive(seed, "plain");
            for nonterminal in grammar.nonterminals().ids() {
                let plain = cheapest.plain(nonterminal, &mut stream);
                prop_assert_eq!(plain.is_some(), cheapest.string(nonterminal).is_some());
                let something = cheapest.something(nonterminal, &mut stream);
                prop_assert!(something.as_ref().is_none_or(|text| !text.is_empty()));
                if !cheapest.nullable.contains(nonterminal) {
                    prop_assert_eq!(something.is_some(), cheapest.string(nonterminal).is_some());
                }
                let parser = Parser::new(Arc::new(grammar.with_start(nonterminal)));
                for text in plain.into_iter().chain(something) {
                    prop_assert!(parser.parse(&text).is_ok(), "{:?}", String::from_utf8_lossy(&text));
                }
            }
        }
    }

    #[test]
    fn something_is_found_where_the_cheapest_string_is_empty() {
        let text = r#"<value> ::= <part>*
            <part> ::= "a" | "b" <value> | " "*"#;
        let grammar = format::read(&Source::new("grammar.ebnf", text), None).unwrap().grammar;
        let mut cheapest = Cheapest::new(&grammar, None);
        let mut stream = RandomStream::derive(1, "plain");
        let found: BTreeSet<Vec<u8>> =
            (0..60).filter_map(|_| cheapest.something(grammar.start(), &mut stream)).collect();
        assert!(["a", "b", " "].iter().all(|part| found.contains(part.as_bytes())), "{found:?}");
    }

    #[test]
    fn levels_of_precedence_hide_nothing() {
        let text = r#"<or> ::= <and> ("or" <and>)*
            <and> ::= <not> ("and" <not>)*
            <not> ::= <sum> | "not" <not>
            <sum> ::= <value> ("+" <value>)*
            <value> ::= "nil" | "true" | "0" | "f()""#;
        let grammar = format::read(&Source::new("grammar.ebnf", text), None).unwrap().grammar;
        let mut cheapest = Cheapest::new(&grammar, None);
        let mut stream = RandomStream::derive(1, "plain");
        let plain: BTreeSet<Vec<u8>> =
            (0..60).filter_map(|_| cheapest.plain(grammar.start(), &mut stream)).collect();
        for value in ["nil", "true", "0", "f()"] {
            assert!(plain.contains(value.as_bytes()), "{value} is not among {plain:?}");
        }
    }
}
