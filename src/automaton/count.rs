//! How many derivation trees of each length a grammar has.
//!
//! Exact, by dynamic programming over lengths; for an unambiguous grammar these are the numbers of
//! inputs. Lengths are in bytes.

use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::{cyclic, nullable};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

/// Why derivations cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// Some inputs have infinitely many derivation trees.
    #[error("{0} derives just itself, so some inputs have infinitely many derivations")]
    Cyclic(String),
    /// A number does not fit into 128 bits.
    #[error("there are more than 2^128 derivations of length {0}")]
    Overflow(usize),
}

/// The number of derivation trees with root `root` for each length in bytes from 0 to `longest`.
///
/// # Errors
/// When there are infinitely many, or too many for 128 bits.
pub fn counts(grammar: &Grammar, root: NonterminalId, longest: usize) -> Result<Vec<u128>, CountError> {
    if let Some(nonterminal) = cyclic(grammar).iter().next() {
        return Err(CountError::Cyclic(grammar.name(nonterminal).to_string()));
    }
    let order = same_length_order(grammar);
    // numbers[A][n]: the trees of A with n bytes. prefixes[r][i][n]: the ways in which the first i
    // symbols of rule r make n bytes.
    let mut numbers: IdVec<NonterminalId, Vec<u128>> =
        IdVec::filled(vec![0; longest + 1], grammar.nonterminals().len());
    let mut prefixes: IdVec<RuleId, Vec<Vec<u128>>> =
        grammar.rules().iter().map(|rule| vec![vec![0; longest + 1]; rule.symbols.len() + 1]).collect();
    for length in 0..=longest {
        // A rule's number at this length needs, of its own nonterminals at this length, only those
        // beside which all others can be empty, and these are earlier in the order. The prefixes it
        // leaves behind may lack the others, so they are made again once all are known.
        for &nonterminal in &order {
            let mut number: u128 = 0;
            for &rule in grammar.rules_of(nonterminal) {
                let ways = extend(grammar, &numbers, &mut prefixes[rule], rule, length)?;
                number = number.checked_add(ways).ok_or(CountError::Overflow(length))?;
            }
            numbers[nonterminal][length] = number;
        }
        for rule in grammar.rules().ids() {
            extend(grammar, &numbers, &mut prefixes[rule], rule, length)?;
        }
    }
    Ok(std::mem::take(&mut numbers[root]))
}

/// Computes the ways in which the symbols of a rule make `length` bytes, and says in how many ways
/// all of them do.
fn extend(
    grammar: &Grammar,
    numbers: &IdVec<NonterminalId, Vec<u128>>,
    prefixes: &mut [Vec<u128>],
    rule: RuleId,
    length: usize,
) -> Result<u128, CountError> {
    prefixes[0][length] = u128::from(length == 0);
    let symbols = &grammar.rule(rule).symbols;
    for (position, &symbol) in symbols.iter().enumerate() {
        let before = &prefixes[position];
        let mut ways: u128 = 0;
        let mut add = |rest: usize, choices: u128| {
            let product = before[rest].checked_mul(choices);
            ways =
                product.and_then(|product| ways.checked_add(product)).ok_or(CountError::Overflow(length))?;
            Ok(())
        };
        match symbol {
            Symbol::Literal(literal) => {
                let size = grammar.literal(literal).len();
                if size <= length {
                    add(length - size, 1)?;
                }
            }
            Symbol::Class(class) => {
                for (size, characters) in encoded_sizes(grammar.class(class).ranges()) {
                    if size <= length {
                        add(length - size, characters)?;
                    }
                }
            }
            Symbol::Nonterminal(nonterminal) => {
                for (size, &choices) in numbers[nonterminal][..=length].iter().enumerate() {
                    if choices > 0 {
                        add(length - size, choices)?;
                    }
                }
            }
        }
        prefixes[position + 1][length] = ways;
    }
    Ok(prefixes[symbols.len()][length])
}

/// How many characters of the ranges take one, two, three and four bytes.
fn encoded_sizes(ranges: &[(char, char)]) -> impl Iterator<Item = (usize, u128)> {
    const LIMITS: [(u32, u32); 5] =
        [(0, 0x7f), (0x80, 0x7ff), (0x800, 0xd7ff), (0xe000, 0xffff), (0x1_0000, 0x10_ffff)];
    let of = |(low, high): (u32, u32)| -> u128 {
        ranges
            .iter()
            .map(|&(first, last)| {
                let (first, last) = (u32::from(first).max(low), u32::from(last).min(high));
                u128::from((last + 1).saturating_sub(first))
            })
            .sum()
    };
    let [one, two, three, more, four] = LIMITS.map(of);
    [(1, one), (2, two), (3, three + more), (4, four)].into_iter().filter(|&(_, characters)| characters > 0)
}

/// The nonterminals, each after those that a rule of it uses beside symbols that can all be empty.
fn same_length_order(grammar: &Grammar) -> Vec<NonterminalId> {
    let nullable = nullable(grammar);
    let is_nullable = |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable.contains(*n));
    let mut needs: IdVec<NonterminalId, Vec<NonterminalId>> =
        IdVec::filled(Vec::new(), grammar.nonterminals().len());
    for rule in grammar.rules() {
        let solid = rule.symbols.iter().filter(|symbol| !is_nullable(symbol)).count();
        for symbol in &rule.symbols {
            if let Symbol::Nonterminal(nonterminal) = symbol
                && (solid == 0 || (solid == 1 && !is_nullable(symbol)))
            {
                needs[rule.lhs].push(*nonterminal);
            }
        }
    }
    let mut order = Vec::with_capacity(needs.len());
    let mut seen = crate::base::bitset::BitSet::new();
    for root in needs.ids() {
        let mut open = vec![(root, 0)];
        if !seen.insert(root) {
            continue;
        }
        while let Some((nonterminal, next)) = open.pop() {
            match needs[nonterminal].get(next) {
                Some(&needed) => {
                    open.push((nonterminal, next + 1));
                    if seen.insert(needed) {
                        open.push((needed, 0));
                    }
                }
                None => order.push(nonterminal),
            }
        }
    }
    debug_assert_eq!(order.len(), grammar.nonterminals().len());
    debug_assert!(order.iter().all(|id| id.index() < order.len()));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{CharClass, GrammarBuilder, Name};

    #[test]
    fn binary_trees_are_counted_by_the_catalan_numbers() {
        let mut builder = GrammarBuilder::new();
        let t = builder.nonterminal(Name::base("t"));
        let x = builder.literal(b"x").unwrap();
        builder.rule(t, [Symbol::Nonterminal(t), x, Symbol::Nonterminal(t)]);
        builder.rule(t, []);
        let grammar = builder.finish(t);
        assert_eq!(counts(&grammar, t, 7), Ok(vec![1, 1, 2, 5, 14, 42, 132, 429]));
    }

    #[test]
    fn characters_count_by_their_encoded_length() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        let any = builder.class(CharClass::any());
        builder.rule(s, [any]);
        let grammar = builder.finish(s);
        assert_eq!(counts(&grammar, s, 4), Ok(vec![0, 128, 1920, 61440, 1_048_576]));
    }

    #[test]
    fn what_cannot_be_counted_is_an_error() {
        let mut builder = GrammarBuilder::new();
        let s = builder.nonterminal(Name::base("s"));
        let any = builder.class(CharClass::any());
        builder.rule(s, [Symbol::Nonterminal(s)]);
        builder.rule(s, [any]);
        let grammar = builder.finish(s);
        assert_eq!(counts(&grammar, s, 4), Err(CountError::Cyclic("<s>".to_owned())));
    }
}
