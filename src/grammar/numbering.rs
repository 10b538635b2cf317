//! The ids of a grammar's parts, and when two grammars differ in nothing else.
//!
//! What a grammar means does not depend on the order of its nonterminals, only on that of each
//! nonterminal's rules. Names are unique in a grammar, so they say which nonterminals correspond.

use crate::base::id::IdVec;

use super::model::{Grammar, GrammarBuilder, NonterminalId, Symbol, Token};

/// The same grammar with its parts numbered as they are met when its definitions are read one after
/// the other: rules by nonterminal, literals and classes by first use.
pub fn renumbered(grammar: &Grammar) -> Grammar {
    let order: Vec<NonterminalId> = grammar.nonterminals().ids().collect();
    reordered(grammar, &order)
}

/// Whether two grammars are equal but for the numbers of their parts.
pub fn same(left: &Grammar, right: &Grammar) -> bool {
    let sorted = |grammar: &Grammar| {
        let mut order: Vec<NonterminalId> = grammar.nonterminals().ids().collect();
        order.sort_by_key(|&id| grammar.name(id).text());
        reordered(grammar, &order)
    };
    left.nonterminals().len() == right.nonterminals().len() && sorted(left) == sorted(right)
}

fn reordered(grammar: &Grammar, order: &[NonterminalId]) -> Grammar {
    let mut builder = GrammarBuilder::new();
    for &id in order {
        copy_head(grammar, id, &mut builder);
    }
    let mut new = IdVec::filled(grammar.start(), grammar.nonterminals().len());
    for (&old, id) in order.iter().zip(builder.nonterminals().ids().collect::<Vec<_>>()) {
        new[old] = id;
    }
    for &old in order {
        copy_token(grammar, old, &mut builder, &new);
        for &rule in grammar.rules_of(old) {
            let symbols: Vec<Symbol> = grammar
                .rule(rule)
                .symbols
                .iter()
                .map(|&symbol| copy_symbol(grammar, symbol, &mut builder, &new))
                .collect();
            builder.rule(new[old], symbols);
        }
    }
    if let Some(skip) = grammar.skip() {
        builder.set_skip(new[skip]);
    }
    if let Some(lexer) = grammar.lexer() {
        builder.set_lexer(new[lexer]);
    }
    builder.finish(new[grammar.start()])
}

/// The same grammar, with the rules that `other` gives for some of its nonterminals. Nonterminals keep their
/// ids; rules do not.
pub fn with_rules(
    grammar: &Grammar,
    mut other: impl FnMut(NonterminalId, &mut GrammarBuilder) -> Option<Vec<Vec<Symbol>>>,
) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let new: IdVec<NonterminalId, NonterminalId> =
        grammar.nonterminals().ids().map(|id| copy_head(grammar, id, &mut builder)).collect();
    for (id, nonterminal) in grammar.nonterminals().entries() {
        copy_token(grammar, id, &mut builder, &new);
        if let Some(rules) = other(id, &mut builder) {
            rules.into_iter().for_each(|symbols| {
                builder.rule(id, symbols);
            });
            continue;
        }
        for &rule in &nonterminal.rules {
            let symbols = &grammar.rule(rule).symbols;
            let symbols: Vec<Symbol> =
                symbols.iter().map(|&symbol| copy_symbol(grammar, symbol, &mut builder, &new)).collect();
            builder.rule(id, symbols);
        }
    }
    if let Some(skip) = grammar.skip() {
        builder.set_skip(skip);
    }
    if let Some(lexer) = grammar.lexer() {
        builder.set_lexer(lexer);
    }
    builder.finish(grammar.start())
}

/// Adds a nonterminal's name and role to `builder`.
pub(super) fn copy_head(grammar: &Grammar, id: NonterminalId, builder: &mut GrammarBuilder) -> NonterminalId {
    let nonterminal = grammar.nonterminal(id);
    let new = builder.nonterminal(nonterminal.name.clone());
    builder.set_role(new, nonterminal.role);
    new
}

/// Adds a nonterminal's token, if it is one, to `builder`, whose ids for the old ones are `new`.
pub(super) fn copy_token(
    grammar: &Grammar,
    id: NonterminalId,
    builder: &mut GrammarBuilder,
    new: &IdVec<NonterminalId, NonterminalId>,
) {
    if let Some(token) = &grammar.nonterminal(id).token {
        let except = token.except.iter().map(|&other| new[other]).collect();
        let not_before = token.not_before.map(|class| builder.class_id(grammar.class(class).clone()));
        builder.set_token(new[id], Token { except, not_before });
    }
}

/// A symbol of `grammar` as one of `builder`, whose ids for the old nonterminals are `new`.
pub(super) fn copy_symbol(
    grammar: &Grammar,
    symbol: Symbol,
    builder: &mut GrammarBuilder,
    new: &IdVec<NonterminalId, NonterminalId>,
) -> Symbol {
    match symbol {
        Symbol::Literal(literal) => {
            builder.literal(grammar.literal(literal)).expect("a literal of a grammar is not empty")
        }
        Symbol::Class(class) => builder.class(grammar.class(class).clone()),
        Symbol::Nonterminal(nonterminal) => Symbol::Nonterminal(new[nonterminal]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Name;
    use super::*;

    fn grammar(order: [&str; 2], reversed: bool) -> Grammar {
        let mut builder = GrammarBuilder::new();
        for name in order {
            builder.nonterminal(Name::base(name));
        }
        let [a, b] = ["a", "b"].map(|name| builder.nonterminal(Name::base(name)));
        let mut rules = vec![
            (a, vec![Symbol::Nonterminal(b)]),
            (b, builder.literal(b"x").into_iter().collect()),
            (b, vec![]),
        ];
        if reversed {
            rules.reverse();
        }
        for (lhs, symbols) in rules {
            builder.rule(lhs, symbols);
        }
        builder.finish(a)
    }

    #[test]
    fn the_order_of_nonterminals_is_only_numbering_and_that_of_rules_is_not() {
        let plain = grammar(["a", "b"], false);
        assert_eq!(renumbered(&plain), plain);
        assert!(same(&plain, &grammar(["b", "a"], false)));
        assert!(!same(&plain, &grammar(["a", "b"], true)));
    }
}
