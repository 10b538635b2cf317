//! Parsing by trying everything: slow, short, and independent of the parser, which is tested against
//! it.

use std::collections::HashMap;

use crate::base::id::IdVec;
use crate::grammar::{Grammar, Lexis, NonterminalId, Symbol, analysis};
use crate::tree::Label;

/// Which parts of an input each nonterminal derives.
pub(crate) struct Spans<'a> {
    grammar: &'a Grammar,
    input: &'a [u8],
    /// For each nonterminal and begin the ends, as bits.
    ends: IdVec<NonterminalId, Vec<u64>>,
}

impl<'a> Spans<'a> {
    /// The least fixpoint over all spans.
    pub(crate) fn new(grammar: &'a Grammar, input: &'a [u8]) -> Self {
        assert!(input.len() < 64);
        let ends = IdVec::filled(vec![0; input.len() + 1], grammar.nonterminals().len());
        let mut spans = Self { grammar, input, ends };
        loop {
            let mut changed = false;
            for (id, nonterminal) in grammar.nonterminals().entries() {
                for begin in 0..=input.len() {
                    let mut ends = spans.ends[id][begin];
                    for &rule in &nonterminal.rules {
                        ends |= spans.ends_of(&grammar.rule(rule).symbols, begin);
                    }
                    changed |= std::mem::replace(&mut spans.ends[id][begin], ends) != ends;
                }
            }
            if !changed {
                return spans;
            }
        }
    }

    /// Whether the start symbol derives the whole input.
    pub(crate) fn is_member(&self) -> bool {
        self.ends[self.grammar.start()][0] >> self.input.len() & 1 == 1
    }

    /// Whether the whole input is the beginning of some string of the language. The input must be
    /// ASCII.
    pub(crate) fn is_viable(&self) -> bool {
        let productive = analysis::productive(self.grammar);
        let is_productive = |symbol: &Symbol| match symbol {
            Symbol::Nonterminal(nonterminal) => productive.contains(*nonterminal),
            Symbol::Literal(_) | Symbol::Class(_) => true,
        };
        let end = self.input.len();
        // For each nonterminal the offsets from which on the input begins one of its strings.
        let mut viable: IdVec<NonterminalId, u64> = IdVec::filled(0, self.grammar.nonterminals().len());
        loop {
            let mut changed = false;
            for rule in self.grammar.rules().iter().filter(|rule| rule.symbols.iter().all(is_productive)) {
                for begin in 0..=end {
                    let mut is_viable = self.ends_of(&rule.symbols, begin) >> end & 1 == 1;
                    for (index, &symbol) in rule.symbols.iter().enumerate() {
                        let begins = self.ends_of(&rule.symbols[..index], begin);
                        is_viable |= (0..=end).filter(|at| begins >> at & 1 == 1).any(|at| match symbol {
                            Symbol::Nonterminal(nonterminal) => viable[nonterminal] >> at & 1 == 1,
                            Symbol::Literal(literal) => {
                                self.grammar.literal(literal).starts_with(&self.input[at..])
                            }
                            Symbol::Class(_) => at == end,
                        });
                    }
                    let new = viable[rule.lhs] | u64::from(is_viable) << begin;
                    changed |= std::mem::replace(&mut viable[rule.lhs], new) != new;
                }
            }
            if !changed {
                return viable[self.grammar.start()] & 1 == 1;
            }
        }
    }

    /// Where what `symbols` derive from `begin` on can end.
    fn ends_of(&self, symbols: &[Symbol], begin: usize) -> u64 {
        symbols.iter().fold(1 << begin, |begins, &symbol| {
            let begins = (0..=self.input.len()).filter(|begin| begins >> begin & 1 == 1);
            begins.fold(0, |ends, begin| ends | self.ends_of_one(symbol, begin))
        })
    }

    fn ends_of_one(&self, symbol: Symbol, begin: usize) -> u64 {
        match symbol {
            Symbol::Nonterminal(nonterminal) => self.ends[nonterminal][begin],
            Symbol::Literal(literal) => {
                let bytes = self.grammar.literal(literal);
                u64::from(self.input[begin..].starts_with(bytes)) << (begin + bytes.len())
            }
            Symbol::Class(class) => match self.char_at(begin) {
                Some(c) if self.grammar.class(class).contains(c) => 1 << (begin + c.len_utf8()),
                _ => 0,
            },
        }
    }

    fn char_at(&self, begin: usize) -> Option<char> {
        let rest = &self.input[begin..];
        (1..=rest.len().min(4)).find_map(|length| std::str::from_utf8(&rest[..length]).ok()?.chars().next())
    }

    /// All derivation trees of the whole input, as their labels in preorder. The grammar must not be
    /// cyclic.
    pub(crate) fn trees(&self) -> Vec<Vec<Label>> {
        let whole = (self.grammar.start(), 0, self.input.len());
        let mut trees = self.trees_of(whole, &mut HashMap::new());
        if let Some(lexis) = Lexis::new(self.grammar) {
            trees.retain(|tree| {
                let mut labels = tree.iter().copied();
                self.is_lexed(&lexis, Symbol::Nonterminal(self.grammar.start()), false, &mut labels, &mut 0)
            });
        }
        trees
    }

    /// Whether all words of a tree, whose labels follow, are good where they stand, after the definition.
    fn is_lexed(
        &self,
        lexis: &Lexis,
        symbol: Symbol,
        within: bool,
        labels: &mut dyn Iterator<Item = Label>,
        at: &mut usize,
    ) -> bool {
        let begin = *at;
        let mut good = true;
        match (symbol, labels.next()) {
            (Symbol::Nonterminal(id), Some(Label::Rule(rule))) => {
                let within_it = lexis.is_lexical(id);
                for &symbol in &self.grammar.rule(rule).symbols {
                    good &= self.is_lexed(lexis, symbol, within_it, labels, at);
                }
                if let (false, Some(token)) = (within, &self.grammar.nonterminal(id).token)
                    && *at > begin
                {
                    let longer = self.ends[id][begin] >> *at > 1 && !lexis.irregular().contains(&id);
                    let excepted = |&other: &NonterminalId| {
                        self.ends[other][begin] >> *at & 1 == 1 && !lexis.irregular().contains(&other)
                    };
                    let follows = token.not_before.is_some_and(|class| {
                        self.char_at(*at).is_some_and(|c| self.grammar.class(class).contains(c))
                    });
                    good &= !longer && !token.except.iter().any(excepted) && !follows;
                }
            }
            (Symbol::Literal(id), _) => {
                let literal = self.grammar.literal(id);
                *at += literal.len();
                good = within || self.is_good(lexis, literal, begin, *at);
            }
            _ => *at += self.char_at(begin).map_or(0, char::len_utf8),
        }
        good
    }

    fn is_good(&self, lexis: &Lexis, literal: &[u8], begin: usize, end: usize) -> bool {
        let matches = |id: NonterminalId, text: &[u8]| {
            !lexis.irregular().contains(&id) && Spans::new(&self.grammar.with_start(id), text).is_member()
        };
        let goes_on = |id: NonterminalId| self.ends[id][begin] >> end > 1;
        let plain = self.grammar.rules().iter().filter(|rule| !lexis.is_lexical(rule.lhs));
        let longer = plain.flat_map(|rule| &rule.symbols).any(|&symbol| match symbol {
            Symbol::Literal(other) => {
                let other = self.grammar.literal(other);
                other.len() > literal.len()
                    && other.starts_with(literal)
                    && self.input[begin..].starts_with(other)
            }
            Symbol::Nonterminal(id) => {
                self.grammar.nonterminal(id).token.is_some() && matches(id, literal) && goes_on(id)
            }
            Symbol::Class(_) => false,
        });
        let skip = self.grammar.skip().filter(|id| !lexis.irregular().contains(id));
        !longer && !skip.is_some_and(goes_on)
    }

    fn trees_of(
        &self,
        span @ (nonterminal, begin, end): (NonterminalId, usize, usize),
        known: &mut HashMap<(NonterminalId, usize, usize), Vec<Vec<Label>>>,
    ) -> Vec<Vec<Label>> {
        if let Some(trees) = known.get(&span) {
            return trees.clone();
        }
        let mut trees = Vec::new();
        for &rule in self.grammar.rules_of(nonterminal) {
            let symbols = &self.grammar.rule(rule).symbols;
            let mut prefixes = vec![(begin, vec![Label::Rule(rule)])];
            for (index, &symbol) in symbols.iter().enumerate() {
                let mut longer = Vec::new();
                for (from, prefix) in prefixes {
                    for to in from..=end {
                        let rest = self.ends_of(&symbols[index + 1..], to);
                        if self.ends_of_one(symbol, from) >> to & 1 == 0 || rest >> end & 1 == 0 {
                            continue;
                        }
                        let parts = match symbol {
                            Symbol::Nonterminal(child) => self.trees_of((child, from, to), known),
                            Symbol::Literal(literal) => vec![vec![Label::Literal(literal)]],
                            Symbol::Class(_) => {
                                self.char_at(from).map(|c| vec![Label::Char(c)]).into_iter().collect()
                            }
                        };
                        longer.extend(parts.into_iter().map(|part| (to, [&prefix[..], &part].concat())));
                    }
                }
                prefixes = longer;
            }
            trees.extend(prefixes.into_iter().filter(|&(to, _)| to == end).map(|(_, tree)| tree));
        }
        known.insert(span, trees.clone());
        trees
    }
}

#[test]
fn the_naive_parser_finds_the_trees_of_a_sum() {
    use crate::grammar::{GrammarBuilder, Name};
    let mut builder = GrammarBuilder::new();
    let e = builder.nonterminal(Name::base("e"));
    let [plus, a] = ["+", "a"].map(|text| builder.literal(text.as_bytes()).expect("not empty"));
    builder.rule(e, [Symbol::Nonterminal(e), plus, Symbol::Nonterminal(e)]);
    builder.rule(e, [a]);
    let grammar = builder.finish(e);
    assert!(!Spans::new(&grammar, b"a+").is_member());
    assert_eq!(Spans::new(&grammar, b"a+a+a+a").trees().len(), 5);
}
