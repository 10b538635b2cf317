//! Garbage collection: no rule is left that cannot be completed, and no nonterminal that is not used.
//!
//! Seed "inducing faults", "cleanup of the grammar": a nonterminal without any rule is dropped with
//! all rules that refer to it, which may leave others without any, and so on. Beyond the papers, a
//! nonterminal that has rules but derives nothing (each rule leads back to it) is dropped too, and
//! so is what cannot be reached from the start symbol.
//!
//! Example: `<digits E> ::= <digit E> | <digit E> <digits>` and `<digit E>` without rules: both go.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::productive;
use crate::grammar::{Grammar, GrammarBuilder, NonterminalId, RuleId, Symbol};

use super::super::{Origin, Specialization};

/// The grammar without what is of no use. The start symbol stays, if need be without any rule.
pub fn collect(grammar: &Grammar, origin: &Origin) -> Specialization {
    let productive = productive(grammar);
    let is_useful = |rule: RuleId| {
        grammar.rule(rule).symbols.iter().all(|&symbol| match symbol {
            Symbol::Nonterminal(nonterminal) => productive.contains(nonterminal),
            Symbol::Class(class) => !grammar.class(class).is_empty(),
            Symbol::Literal(_) => true,
        })
    };
    let mut builder = GrammarBuilder::new();
    let mut kept = Origin::default();
    let mut copies: IdVec<NonterminalId, Option<NonterminalId>> =
        IdVec::filled(None, grammar.nonterminals().len());
    let mut open = VecDeque::new();
    let mut copy = |builder: &mut GrammarBuilder, kept: &mut Origin, open: &mut VecDeque<_>, old| {
        *copies[old].get_or_insert_with(|| {
            let nonterminal = grammar.nonterminal(old);
            let new = builder.nonterminal(nonterminal.name.clone());
            builder.set_role(new, nonterminal.role);
            builder.set_token_like(new, grammar, old);
            debug_assert_eq!(kept.nonterminals.len(), new.index(), "each nonterminal has its own name");
            kept.nonterminals.push(origin.nonterminals[old]);
            open.push_back(old);
            new
        })
    };
    let start = copy(&mut builder, &mut kept, &mut open, grammar.start());
    while let Some(old) = open.pop_front() {
        let lhs = copy(&mut builder, &mut kept, &mut open, old);
        for &rule in grammar.rules_of(old).iter().filter(|&&rule| is_useful(rule)) {
            let symbols: Vec<Symbol> = grammar
                .rule(rule)
                .symbols
                .iter()
                .filter_map(|&symbol| match symbol {
                    Symbol::Literal(literal) => builder.literal(grammar.literal(literal)),
                    Symbol::Class(class) => Some(builder.class(grammar.class(class).clone())),
                    Symbol::Nonterminal(old) => {
                        Some(Symbol::Nonterminal(copy(&mut builder, &mut kept, &mut open, old)))
                    }
                })
                .collect();
            builder.rule(lhs, symbols);
            kept.rules.push(origin.rules[rule]);
        }
    }
    Specialization { grammar: Arc::new(builder.finish(start)), origin: Some(kept) }
}
