//! Random small grammars for property tests, of every kind that is hard: empty rules, left, right
//! and hidden left recursion, ambiguity, rules that occur twice, cycles A =>+ A, nonterminals that
//! derive nothing or are never used.
//!
//! The alphabet is `a` and `b`, so that all strings up to a length can be tried.

use proptest::collection::vec;
use proptest::prelude::*;

use super::class::CharClass;
use super::model::{Grammar, GrammarBuilder, Name, Symbol, Token};
use super::{NonterminalId, analysis};

/// How large the grammars are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrammarShape {
    /// The maximum number of nonterminals; at least one.
    pub nonterminals: usize,
    /// The maximum number of rules for each nonterminal. The start symbol has at least one.
    pub rules: usize,
    /// The maximum number of symbols in a rule.
    pub symbols: usize,
}

impl Default for GrammarShape {
    fn default() -> Self {
        Self { nonterminals: 4, rules: 3, symbols: 3 }
    }
}

/// Grammars of any kind. They shrink towards few nonterminals, few rules and short ones.
pub(crate) fn grammars(shape: GrammarShape) -> impl Strategy<Value = Grammar> {
    // 0 and 1: "a" and "b"; 2: "ab"; 3: [ab]; above: nonterminals.
    let symbol = prop_oneof![2 => 0u8..2, 1 => 2u8..4, 3 => 4u8..4 + 12];
    let rule = vec(symbol, 0..=shape.symbols);
    vec(vec(rule, 0..=shape.rules), 1..=shape.nonterminals).prop_map(|rules| {
        let mut builder = GrammarBuilder::new();
        let names = ["s", "t", "u", "v", "w", "x", "y", "z"];
        let nonterminals: Vec<NonterminalId> =
            names[..rules.len()].iter().map(|&name| builder.nonterminal(Name::base(name))).collect();
        let literal = |builder: &mut GrammarBuilder, text: &str| {
            builder.literal(text.as_bytes()).expect("the text is not empty")
        };
        for (&lhs, rules) in nonterminals.iter().zip(&rules) {
            for rule in rules {
                let symbols: Vec<Symbol> = rule
                    .iter()
                    .map(|&symbol| match symbol {
                        0 => literal(&mut builder, "a"),
                        1 => literal(&mut builder, "b"),
                        2 => literal(&mut builder, "ab"),
                        3 => builder.class(CharClass::of(['a', 'A', 'b'])),
                        n => Symbol::Nonterminal(nonterminals[usize::from(n - 4) % nonterminals.len()]),
                    })
                    .collect();
                builder.rule(lhs, symbols);
            }
        }
        if rules[0].is_empty() {
            let a = literal(&mut builder, "a");
            builder.rule(nonterminals[0], [a]);
        }
        builder.finish(nonterminals[0])
    })
}

/// Grammars, and the same with tokens: any nonterminals are, except others, must not stand before a letter,
/// or may be skipped.
pub(crate) fn lexical_grammars(shape: GrammarShape) -> impl Strategy<Value = (Grammar, Grammar)> {
    let token = (0usize..8, vec(0usize..8, 0..=1), 0usize..6);
    (acyclic_grammars(shape), vec(token, 1..=2), 0usize..12).prop_map(|(grammar, tokens, skip)| {
        let start = grammar.start();
        let ids: Vec<NonterminalId> = grammar.nonterminals().ids().collect();
        let mut builder = GrammarBuilder::from(grammar.clone());
        for (token, except, letter) in tokens {
            let except = except.into_iter().filter_map(|other| ids.get(other).copied()).collect();
            let letter = ['a', 'b'].get(letter).map(|&letter| builder.class_id(CharClass::of([letter])));
            builder.set_token(ids[(token + 1) % ids.len()], Token { except, not_before: letter });
        }
        if let Some(&skip) = ids.get(skip) {
            builder.set_skip(skip);
        }
        (grammar, builder.finish(start))
    })
}

/// Grammars of any kind but cyclic ones: every string has finitely many derivation trees.
pub(crate) fn acyclic_grammars(shape: GrammarShape) -> impl Strategy<Value = Grammar> {
    grammars(shape).prop_filter("cyclic", |grammar| analysis::cyclic(grammar).is_empty())
}

/// All strings over `a` and `b` with at most `length` letters, shortest first.
pub(crate) fn strings(length: usize) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..length {
        let to = all.len();
        for index in from..to {
            for letter in [b'a', b'A', b'b'] {
                let mut longer = all[index].clone();
                longer.push(letter);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}
