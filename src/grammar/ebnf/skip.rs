//! `@skip <space>`: what may stand between tokens, put into the rules and taken out again.
//!
//! [`lexical`] says what is *lexical*. In the rules of all others, each literal, class and lexical
//! nonterminal is followed by a helper, the *gap*, which derives what `@skip` names or nothing. One gap
//! stands at the beginning of the input: in front of the start symbol's rules when no rule uses the
//! start symbol and it is not lexical, else in the one rule of a helper that becomes the start symbol.
//! So each place between two tokens has exactly one gap, and an unambiguous grammar stays so unless
//! its tokens run into each other.

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};

use super::super::analysis;
use super::super::lexis::lexical;
use super::super::model::{Grammar, GrammarBuilder, HelperKind, NonterminalId, Role, Symbol};
use super::super::numbering::{copy_head, copy_symbol, copy_token, same};

/// The lexical nonterminals that are no tokens and yet are used outside of tokens, each after the
/// first nonterminal that uses it so.
pub(super) fn mixed(grammar: &Grammar) -> Vec<(NonterminalId, NonterminalId)> {
    let lexical = lexical(grammar);
    let mut found: Vec<(NonterminalId, NonterminalId)> = Vec::new();
    let mut seen: BitSet<NonterminalId> = BitSet::new();
    for (id, nonterminal) in grammar.nonterminals().entries() {
        if lexical.contains(id) {
            continue;
        }
        for &rule in &nonterminal.rules {
            for &symbol in &grammar.rule(rule).symbols {
                if let Symbol::Nonterminal(used) = symbol
                    && lexical.contains(used)
                    && grammar.nonterminal(used).token.is_none()
                    && seen.insert(used)
                {
                    found.push((id, used));
                }
            }
        }
    }
    found
}

/// The grammar with gaps in its rules, as its `skip` asks for.
pub(super) fn insert(grammar: &Grammar) -> Grammar {
    let Some(skip) = grammar.skip() else { return grammar.clone() };
    let lexical = lexical(grammar);
    let mut builder = GrammarBuilder::new();
    let new: IdVec<NonterminalId, NonterminalId> =
        grammar.nonterminals().ids().map(|id| copy_head(grammar, id, &mut builder)).collect();
    let gap = Symbol::Nonterminal(builder.helper("skip", HelperKind::Skip));
    let start = grammar.start();
    let uses_start = |symbols: &[Symbol]| symbols.contains(&Symbol::Nonterminal(start));
    let wrapped = lexical.contains(start) || grammar.rules().iter().any(|rule| uses_start(&rule.symbols));
    for id in grammar.nonterminals().ids() {
        copy_token(grammar, id, &mut builder, &new);
        for &rule in grammar.rules_of(id) {
            let mut symbols = Vec::new();
            if id == start && !wrapped {
                symbols.push(gap);
            }
            for &symbol in &grammar.rule(rule).symbols {
                symbols.push(copy_symbol(grammar, symbol, &mut builder, &new));
                let is_token = !matches!(symbol, Symbol::Nonterminal(id) if !lexical.contains(id));
                if is_token && !lexical.contains(id) {
                    symbols.push(gap);
                }
            }
            builder.rule(new[id], symbols);
        }
    }
    let skipped = Symbol::Nonterminal(new[skip]);
    if let Symbol::Nonterminal(gap) = gap {
        // What derives nothing itself needs no second way to do so.
        if !analysis::nullable(grammar).contains(skip) {
            builder.rule(gap, []);
        }
        builder.rule(gap, [skipped]);
    }
    builder.set_skip(new[skip]);
    if let Some(lexer) = grammar.lexer() {
        builder.set_lexer(new[lexer]);
    }
    let mut first = new[start];
    if wrapped {
        first = builder.helper("start", HelperKind::Skip);
        let mut symbols = vec![gap, Symbol::Nonterminal(new[start])];
        if lexical.contains(start) {
            symbols.push(gap);
        }
        builder.rule(first, symbols);
    }
    builder.finish(first)
}

/// The grammar without gaps from which [`insert`] makes this one; `None` when there is none.
pub(super) fn remove(grammar: &Grammar) -> Option<Grammar> {
    let skip = grammar.skip()?;
    let is_gap = |id: NonterminalId| {
        let rules: Vec<&[Symbol]> =
            grammar.rules_of(id).iter().map(|&rule| grammar.rule(rule).symbols.as_ref()).collect();
        let skipped: &[Symbol] = &[Symbol::Nonterminal(skip)];
        grammar.nonterminal(id).role == Role::Helper(HelperKind::Skip)
            && (rules == [skipped] || rules == [&[], skipped])
    };
    let gap = grammar.nonterminals().ids().find(|&id| is_gap(id))?;
    let start = grammar.start();
    let wrapper = (grammar.nonterminal(start).role == Role::Helper(HelperKind::Skip)).then_some(start);
    let inner = match wrapper {
        None => start,
        Some(wrapper) => match grammar.rules_of(wrapper) {
            [rule] => grammar.rule(*rule).symbols.iter().find_map(|&symbol| match symbol {
                Symbol::Nonterminal(id) if id != gap && id != wrapper => Some(id),
                _ => None,
            })?,
            _ => return None,
        },
    };
    let kept = |id: NonterminalId| id != gap && Some(id) != wrapper;
    let mut builder = GrammarBuilder::new();
    let mut new: IdVec<NonterminalId, NonterminalId> =
        IdVec::filled(NonterminalId::new(0), grammar.nonterminals().len());
    for id in grammar.nonterminals().ids().filter(|&id| kept(id)) {
        new[id] = copy_head(grammar, id, &mut builder);
    }
    let dropped = |id: &NonterminalId| !kept(*id);
    for (id, nonterminal) in grammar.nonterminals().entries().filter(|&(id, _)| kept(id)) {
        if nonterminal.token.as_ref().is_some_and(|token| token.except.iter().any(dropped)) {
            return None;
        }
        copy_token(grammar, id, &mut builder, &new);
        for &rule in &nonterminal.rules {
            let mut symbols = Vec::new();
            for &symbol in &grammar.rule(rule).symbols {
                match symbol {
                    Symbol::Nonterminal(id) if id == gap => {}
                    Symbol::Nonterminal(id) if !kept(id) => return None,
                    _ => symbols.push(copy_symbol(grammar, symbol, &mut builder, &new)),
                }
            }
            builder.rule(new[id], symbols);
        }
    }
    builder.set_skip(new[skip]);
    if let Some(lexer) = grammar.lexer() {
        builder.set_lexer(new[lexer]);
    }
    let plain = builder.finish(new[inner]);
    (mixed(&plain).is_empty() && same(&insert(&plain), grammar)).then_some(plain)
}
