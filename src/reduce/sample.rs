//! Grammars, random trees and oracles for the tests of this layer.

use std::sync::Arc;

use crate::base::random_stream::RandomStream;
use crate::grammar::analysis::least_height;
use crate::grammar::{CharClass, Grammar, GrammarBuilder, Name, RuleId, Symbol};
use crate::oracle::{Judge, Judgement, Oracle, OracleError, Verdict};
use crate::parse::Parser;
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::{Failing, REDUCERS, Reduced, Syntax};

/// An oracle that is a predicate.
pub(crate) struct Asked<'a>(&'a (dyn Fn(&[u8]) -> bool + Sync));

// The predicates of the tests read only.
pub(crate) fn failing_oracle<'a>(fails: &'a (dyn Fn(&[u8]) -> bool + Sync)) -> Asked<'a> {
    Asked(fails)
}

impl Oracle for Asked<'_> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        let verdict = if (self.0)(input) { Verdict::Fail } else { Verdict::Pass };
        Ok(Judgement::new(verdict, ""))
    }
}

/// A grammar from lines such as `elts = elt , elts`: words that begin lines are nonterminals, `{}`
/// is the empty rule, `|` separates rules, `[..]` is a class of the characters in it, all other words
/// are literals with `_` for a space.
pub(crate) fn grammar(lines: &[&str]) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let split: Vec<(&str, &str)> =
        lines.iter().map(|line| line.split_once(" = ").expect("a name, `=`, and rules")).collect();
    for (name, _) in &split {
        builder.nonterminal(Name::base(*name));
    }
    let start = builder.nonterminal(Name::base(split[0].0));
    for (name, rules) in &split {
        let lhs = builder.nonterminal(Name::base(*name));
        for rule in rules.split(" | ") {
            let symbols: Vec<Symbol> = rule
                .split_whitespace()
                .filter(|word| *word != "{}")
                .map(|word| {
                    if split.iter().any(|(name, _)| *name == word) {
                        return Symbol::Nonterminal(builder.nonterminal(Name::base(word)));
                    }
                    match word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                        Some(characters) if !characters.is_empty() => {
                            builder.class(CharClass::of(characters.chars()))
                        }
                        _ => builder.literal(word.replace('_', " ").as_bytes()).expect("not empty"),
                    }
                })
                .collect();
            builder.rule(lhs, symbols);
        }
    }
    builder.finish(start)
}

/// JSON, after figure 1 of the paper, with small alphabets.
pub(crate) fn json() -> Grammar {
    grammar(&[
        "json = elt",
        "elt = object | array | string | number | true | false | null",
        "object = { items } | {_}",
        "items = item | item ,_ items",
        "item = string :_ elt",
        "array = [ elts ] | []",
        "elts = elt | elt ,_ elts",
        "string = \" chars \"",
        "chars = {} | char chars",
        "char = [ab]",
        "number = digits",
        "digits = digit | digit digits",
        "digit = [01]",
    ])
}

/// The first derivation tree of a text.
pub(crate) fn parsed(grammar: &Grammar, text: &[u8]) -> Tree {
    let parser = Parser::new(Arc::new(grammar.clone()));
    parser.parse(text).unwrap_or_else(|_| panic!("{}", text.escape_ascii())).first_tree()
}

/// What a reducer makes of a failing input.
pub(crate) fn reduce(name: &str, grammar: &Grammar, tree: &Tree, oracle: &dyn Oracle) -> Reduced {
    reduce_asking(name, grammar, tree, oracle).0
}

/// The same with the inputs that it asks about, in their order.
pub(crate) fn reduce_asking(
    name: &str,
    grammar: &Grammar,
    tree: &Tree,
    oracle: &dyn Oracle,
) -> (Reduced, Vec<Vec<u8>>) {
    let text = tree.text(grammar);
    let parser = Parser::new(Arc::new(grammar.clone()));
    let parse = |text: &[u8]| parser.first_tree(text);
    let syntax = Syntax { grammar, tree, parse: &parse, derives: &|text| parser.recognizes(text) };
    let mut judge = Judge::new(oracle);
    let reducer = REDUCERS.parse(name, &[]).unwrap().make;
    let reduced = reducer.reduce(Failing { text: &text, syntax: Some(syntax) }, &mut judge);
    (reduced.unwrap(), judge.into_log().into_iter().map(|(input, _)| input.into_vec()).collect())
}

/// What passes one after the other make of a failing input.
pub(crate) fn reduce_passes(passes: &[&str], grammar: &Grammar, tree: &Tree, oracle: &dyn Oracle) -> Reduced {
    reduce(&format!("{{ name = \"mine\", passes = {passes:?} }}"), grammar, tree, oracle)
}

/// A random derivation tree: down to depth `grow` rules that do not end at once, down to twice that
/// depth any rule, and below the lowest ones.
pub(crate) fn random_tree(grammar: &Grammar, stream: &mut RandomStream, grow: usize) -> Tree {
    let heights = least_height(grammar);
    let mut builder = TreeBuilder::new();
    let mut done: Vec<NodeId> = Vec::new();
    enum Work {
        Open(Symbol, usize),
        Close(RuleId),
    }
    let mut work = vec![Work::Open(Symbol::Nonterminal(grammar.start()), 0)];
    while let Some(step) = work.pop() {
        match step {
            Work::Open(Symbol::Literal(literal), _) => done.push(builder.leaf(Label::Literal(literal))),
            Work::Open(Symbol::Class(class), _) => {
                let class = grammar.class(class);
                done.push(builder.leaf(Label::Char(class.nth(stream.below(class.len())).unwrap())));
            }
            Work::Open(Symbol::Nonterminal(nonterminal), depth) => {
                let all = grammar.rules_of(nonterminal);
                let (low, high): (Vec<RuleId>, Vec<RuleId>) =
                    all.iter().partition(|&&rule| heights.rule_cost[rule] == heights.cost[nonterminal]);
                let rule = *stream.pick(match depth {
                    depth if depth < grow && !high.is_empty() => &high,
                    depth if depth < 2 * grow => all,
                    _ => &low,
                });
                work.push(Work::Close(rule));
                work.extend(
                    grammar.rule(rule).symbols.iter().rev().map(|&symbol| Work::Open(symbol, depth + 1)),
                );
            }
            Work::Close(rule) => {
                let children = done.split_off(done.len() - grammar.rule(rule).symbols.len());
                done.push(builder.node(rule, &children));
            }
        }
    }
    builder.finish(done[0])
}
