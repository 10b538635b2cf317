//! The papers' producer: random rules, and below a depth the cheapest ones.
//!
//! Down to the limit every productive rule of a nonterminal is equally likely; below it only those
//! whose derivation tree can be lowest are, so that every derivation ends. ("Building Fast Fuzzers",
//! Gopinath and Zeller 2019, section 3; the papers' artifact uses the same scheme with depth 10 or
//! so.) Costs are heights.

use std::sync::Arc;

use crate::base::id::IdVec;
use crate::base::stream::Stream;
use crate::grammar::analysis::least_height;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use super::{Producer, Unproductive};

/// Random rules down to a depth.
#[derive(Clone, Debug)]
pub struct LimitProducer {
    grammar: Arc<Grammar>,
    limit: u32,
    choices: IdVec<NonterminalId, Choices>,
}

#[derive(Clone, Debug)]
struct Choices {
    productive: Box<[RuleId]>,
    lowest: Box<[RuleId]>,
}

impl LimitProducer {
    /// The depth that the papers use.
    pub const DEFAULT_LIMIT: u32 = 10;

    /// A producer for `grammar` that chooses freely down to depth `limit`.
    pub fn new(grammar: Arc<Grammar>, limit: u32) -> Self {
        let heights = least_height(&grammar);
        let choices = grammar
            .nonterminals()
            .entries()
            .map(|(id, nonterminal)| {
                // A rule whose cost is not known derives nothing.
                let height = |&rule: &RuleId| heights.rule_cost[rule];
                let productive: Box<[RuleId]> =
                    nonterminal.rules.iter().copied().filter(|rule| height(rule).is_some()).collect();
                let lowest =
                    productive.iter().copied().filter(|rule| height(rule) == heights.cost[id]).collect();
                Choices { productive, lowest }
            })
            .collect();
        Self { grammar, limit, choices }
    }
}

impl Producer for LimitProducer {
    fn produce(
        &self,
        nonterminal: NonterminalId,
        stream: &mut Stream,
        text: &mut Vec<u8>,
    ) -> Result<(), Unproductive> {
        if self.choices[nonterminal].productive.is_empty() {
            return Err(Unproductive);
        }
        let mut open = vec![(Symbol::Nonterminal(nonterminal), 0)];
        while let Some((symbol, depth)) = open.pop() {
            match symbol {
                Symbol::Literal(literal) => text.extend_from_slice(self.grammar.literal(literal)),
                Symbol::Class(class) => {
                    let class = self.grammar.class(class);
                    let c = class.nth(stream.below(class.len())).expect("the index is below the length");
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Symbol::Nonterminal(nonterminal) => {
                    let choices = &self.choices[nonterminal];
                    let rules = if depth < self.limit { &choices.productive } else { &choices.lowest };
                    let rule = match &**rules {
                        [only] => *only,
                        rules => *stream.pick(rules),
                    };
                    open.extend(
                        self.grammar.rule(rule).symbols.iter().rev().map(|&symbol| (symbol, depth + 1)),
                    );
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{GrammarBuilder, Name};

    /// `<s> ::= <s> <s> | "(" <s> ")" | "x" | <none>`, `<none> ::= <none> "y"`
    fn wild() -> Arc<Grammar> {
        let mut builder = GrammarBuilder::new();
        let [s, none] = ["s", "none"].map(|name| builder.nonterminal(Name::base(name)));
        let [open, close, x, y] = ["(", ")", "x", "y"].map(|text| builder.literal(text.as_bytes()).unwrap());
        builder.rule(s, [Symbol::Nonterminal(s), Symbol::Nonterminal(s)]);
        builder.rule(s, [open, Symbol::Nonterminal(s), close]);
        builder.rule(s, [x]);
        builder.rule(s, [Symbol::Nonterminal(none)]);
        builder.rule(none, [Symbol::Nonterminal(none), y]);
        Arc::new(builder.finish(s))
    }

    #[test]
    fn production_ends_and_is_the_same_for_the_same_stream() {
        let grammar = wild();
        let producer = LimitProducer::new(Arc::clone(&grammar), 6);
        let texts = |name: &str| -> Vec<Vec<u8>> {
            let mut stream = Stream::derive(3, name);
            (0..200)
                .map(|_| {
                    let mut text = Vec::new();
                    producer.produce(grammar.start(), &mut stream, &mut text).unwrap();
                    text
                })
                .collect()
        };
        assert_eq!(texts("a"), texts("a"));
        assert_ne!(texts("a"), texts("b"));
        assert!(texts("a").iter().all(|text| !text.contains(&b'y') && text.contains(&b'x')));
    }

    #[test]
    fn a_nonterminal_without_derivations_is_an_error() {
        let grammar = wild();
        let none = grammar.find("none").unwrap();
        let producer = LimitProducer::new(grammar, 6);
        assert_eq!(producer.produce(none, &mut Stream::derive(0, ""), &mut Vec::new()), Err(Unproductive));
    }
}
