//! How many derivation trees of each length a grammar has.
//!
//! Exact, by dynamic programming over lengths; for an unambiguous grammar these are the numbers of
//! inputs. Lengths are in bytes. What is counted for each rule from left to right is kept, because a
//! tree of a length is drawn at random by undoing it (Hickey and Cohen, "Uniform Random Generation of
//! Strings in a Context-Free Language", 1983).

use num_bigint::BigUint;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::analysis::{cyclic, nullable, productive};
use crate::grammar::{ClassId, Grammar, NonterminalId, RuleId, Symbol};

use super::number::{MOST_ALONE, Number, sum_of_products};

/// Why derivations cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// Some inputs have infinitely many derivation trees.
    #[error("{0} derives just itself, so some inputs have infinitely many derivations")]
    Cyclic(String),
    /// A number does not fit into 128 bits.
    #[error("there are more than 2^128 derivations of length {0}")]
    Overflow(usize),
    /// The numbers would not fit into memory.
    #[error("counting up to length {0} would take too much memory; ask for shorter lengths")]
    TooLong(usize),
    /// Counting takes too long.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
}

/// So much memory, in bytes, the numbers of a grammar may take at about.
const MOST_MEMORY: usize = 2 << 30;

/// The number of derivation trees with root `root` for each length in bytes from 0 to `longest`.
///
/// # Errors
/// When there are infinitely many, or too many for 128 bits, or a limit is reached.
pub fn counts(grammar: &Grammar, root: NonterminalId, longest: usize) -> Result<Vec<u128>, CountError> {
    Counts::new(grammar, root, longest, &mut Meter::default()).map(|counts| counts.into_numbers(root))
}

/// As [`counts`], of any size.
///
/// # Errors
/// When there are infinitely many, or a limit is reached.
pub fn exact_counts(
    grammar: &Grammar,
    root: NonterminalId,
    longest: usize,
    meter: &mut Meter,
) -> Result<Vec<BigUint>, CountError> {
    Counts::new(grammar, root, longest, meter).map(|counts| counts.into_numbers(root))
}

/// The numbers of all derivation trees up to a length, and of the ways to begin each rule.
#[derive(Clone, Debug)]
pub struct Counts<N> {
    /// For each nonterminal its trees, by length.
    numbers: IdVec<NonterminalId, Vec<N>>,
    /// For each rule and each number of its symbols the ways in which these are derived, by length.
    prefixes: IdVec<RuleId, Vec<Vec<N>>>,
    /// The characters of each class, by encoded length.
    characters: IdVec<ClassId, Vec<(usize, N)>>,
}

impl<N: Number> Counts<N> {
    /// Counts the derivations that begin with `root`. What `root` does not reach counts as nothing.
    ///
    /// # Errors
    /// When there are infinitely many, too many for the kind of number, too many to remember, or a limit is
    /// reached.
    pub fn new(
        grammar: &Grammar,
        root: NonterminalId,
        longest: usize,
        meter: &mut Meter,
    ) -> Result<Self, CountError> {
        let useful = useful(grammar, root);
        if let Some(nonterminal) = cyclic(grammar).iter().find(|&nonterminal| useful.contains(nonterminal)) {
            return Err(CountError::Cyclic(grammar.name(nonterminal).to_string()));
        }
        let rows: usize = grammar.rules().iter().map(|rule| rule.symbols.len() + 2).sum();
        if rows.saturating_mul(longest + 1).saturating_mul(N::memory(longest / 2)) > MOST_MEMORY {
            return Err(CountError::TooLong(longest));
        }
        let order = same_length_order(grammar, &useful);
        let mut place: IdVec<NonterminalId, usize> = IdVec::filled(0, grammar.nonterminals().len());
        order.iter().enumerate().for_each(|(index, &nonterminal)| place[nonterminal] = index);
        let zeros = vec![N::small(0); longest + 1];
        let is_useful = |rule: RuleId| {
            grammar
                .rule(rule)
                .symbols
                .iter()
                .all(|symbol| !matches!(symbol, Symbol::Nonterminal(n) if !useful.contains(*n)))
        };
        let prefixes = grammar.rules().entries().map(|(id, rule)| {
            let counted = useful.contains(rule.lhs) && is_useful(id);
            if counted { vec![zeros.clone(); rule.symbols.len() + 1] } else { Vec::new() }
        });
        let characters = grammar.classes().iter().map(|class| {
            (1..=4)
                .map(|bytes| (bytes, class.encoded_in(bytes).len() as u64))
                .filter(|&(_, number)| number > 0)
                .map(|(bytes, number)| (bytes, N::small(number)))
                .collect()
        });
        let mut counts = Self {
            numbers: IdVec::filled(zeros.clone(), grammar.nonterminals().len()),
            prefixes: prefixes.collect(),
            characters: characters.collect(),
        };
        // A rule's number at a length needs, of its own nonterminals at this length, only those beside
        // which all others can be empty, and these are earlier in the order. The prefixes it leaves
        // behind may lack the others; they are made again once all are known.
        let rules_of = |nonterminal| {
            grammar.rules_of(nonterminal).iter().copied().filter(|&rule| is_useful(rule)).collect::<Vec<_>>()
        };
        let rules: Vec<(NonterminalId, Vec<RuleId>)> =
            order.iter().map(|&nonterminal| (nonterminal, rules_of(nonterminal))).collect();
        let is_late = |&&rule: &&RuleId| {
            let rule = grammar.rule(rule);
            rule.symbols
                .iter()
                .any(|symbol| matches!(symbol, Symbol::Nonterminal(n) if place[*n] >= place[rule.lhs]))
        };
        let late: Vec<RuleId> = rules.iter().flat_map(|(_, rules)| rules).filter(is_late).copied().collect();
        let one = N::small(1);
        for length in 0..=longest {
            for (nonterminal, rules) in &rules {
                let mut number = N::small(0);
                for &rule in rules {
                    let ways = counts.extend(grammar, rule, length, meter)?;
                    number.add_product(ways, &one).ok_or(CountError::Overflow(length))?;
                }
                counts.numbers[*nonterminal][length] = number;
            }
            for &rule in &late {
                counts.extend(grammar, rule, length, meter)?;
            }
        }
        Ok(counts)
    }

    /// The derivation trees of a nonterminal with this number of bytes.
    pub fn number(&self, nonterminal: NonterminalId, length: usize) -> &N {
        &self.numbers[nonterminal][length]
    }

    /// The ways in which the first `symbols` symbols of a rule make this number of bytes; `None` for a rule
    /// that no derivation from the root uses.
    pub fn prefix(&self, rule: RuleId, symbols: usize, length: usize) -> Option<&N> {
        Some(&self.prefixes[rule].get(symbols)?[length])
    }

    /// What the symbol can make of at most `longest` bytes: lengths, and in how many ways.
    pub fn of_symbol<'a>(
        &'a self,
        grammar: &Grammar,
        symbol: Symbol,
        longest: usize,
    ) -> impl Iterator<Item = (usize, N)> + 'a {
        let literal = match symbol {
            Symbol::Literal(literal) => Some((grammar.literal(literal).len(), N::small(1))),
            _ => None,
        };
        let characters = match symbol {
            Symbol::Class(class) => &self.characters[class][..],
            _ => &[],
        };
        let numbers = match symbol {
            Symbol::Nonterminal(nonterminal) => &self.numbers[nonterminal][..],
            _ => &[],
        };
        let numbers = numbers.iter().take(longest + 1).enumerate().filter(|(_, number)| !number.is_zero());
        literal
            .into_iter()
            .chain(characters.iter().cloned())
            .filter(move |&(length, _)| length <= longest)
            .chain(numbers.map(|(length, number)| (length, number.clone())))
    }

    /// Computes the ways in which the symbols of a rule make `length` bytes, and says in how many
    /// ways all of them do.
    fn extend(
        &mut self,
        grammar: &Grammar,
        rule: RuleId,
        length: usize,
        meter: &mut Meter,
    ) -> Result<&N, CountError> {
        let overflow = || CountError::Overflow(length);
        let steps = N::steps(length);
        let prefixes = &mut self.prefixes[rule];
        prefixes[0][length] = N::small(u64::from(length == 0));
        let symbols = &grammar.rule(rule).symbols;
        for (position, &symbol) in symbols.iter().enumerate() {
            let before = &prefixes[position];
            let mut ways = N::small(0);
            match symbol {
                Symbol::Literal(literal) => {
                    if let Some(rest) = length.checked_sub(grammar.literal(literal).len()) {
                        ways = before[rest].clone();
                    }
                }
                Symbol::Class(class) => {
                    for (size, characters) in &self.characters[class] {
                        if let Some(rest) = length.checked_sub(*size) {
                            ways.add_product(&before[rest], characters).ok_or_else(overflow)?;
                        }
                    }
                }
                Symbol::Nonterminal(nonterminal) => {
                    let numbers = &self.numbers[nonterminal][..=length];
                    let pairs = numbers.iter().zip(before[..=length].iter().rev());
                    let pairs = pairs.filter(|(number, before)| !number.is_zero() && !before.is_zero());
                    let is_large = length as u64 * steps > MOST_ALONE;
                    let (sum, products) = sum_of_products(pairs, is_large).ok_or_else(overflow)?;
                    ways = sum;
                    meter.spend(length as u64 / 4 + products * steps)?;
                }
            }
            meter.spend(steps)?;
            prefixes[position + 1][length] = ways;
        }
        Ok(&self.prefixes[rule][symbols.len()][length])
    }

    fn into_numbers(mut self, nonterminal: NonterminalId) -> Vec<N> {
        std::mem::take(&mut self.numbers[nonterminal])
    }
}

/// The nonterminals that stand in a derivation from `root` that ends.
fn useful(grammar: &Grammar, root: NonterminalId) -> BitSet<NonterminalId> {
    let productive = productive(grammar);
    let mut useful = BitSet::new();
    let mut work = Vec::new();
    if productive.contains(root) {
        useful.insert(root);
        work.push(root);
    }
    while let Some(nonterminal) = work.pop() {
        for &rule in grammar.rules_of(nonterminal) {
            let symbols = &grammar.rule(rule).symbols;
            let is_dead = |symbol: &Symbol| match symbol {
                Symbol::Nonterminal(nonterminal) => !productive.contains(*nonterminal),
                Symbol::Class(class) => grammar.class(*class).is_empty(),
                Symbol::Literal(_) => false,
            };
            if symbols.iter().any(is_dead) {
                continue;
            }
            for symbol in symbols {
                if let Symbol::Nonterminal(next) = symbol
                    && useful.insert(*next)
                {
                    work.push(*next);
                }
            }
        }
    }
    useful
}

/// The useful nonterminals, each after those that a rule of it uses beside symbols that can all be
/// empty.
fn same_length_order(grammar: &Grammar, useful: &BitSet<NonterminalId>) -> Vec<NonterminalId> {
    let nullable = nullable(grammar);
    let is_nullable = |symbol: &Symbol| matches!(symbol, Symbol::Nonterminal(n) if nullable.contains(*n));
    let mut needs: IdVec<NonterminalId, Vec<NonterminalId>> =
        IdVec::filled(Vec::new(), grammar.nonterminals().len());
    for rule in grammar.rules() {
        let solid = rule.symbols.iter().filter(|symbol| !is_nullable(symbol)).count();
        for symbol in &rule.symbols {
            if let Symbol::Nonterminal(nonterminal) = symbol
                && useful.contains(*nonterminal)
                && (solid == 0 || (solid == 1 && !is_nullable(symbol)))
            {
                needs[rule.lhs].push(*nonterminal);
            }
        }
    }
    let mut order = Vec::with_capacity(needs.len());
    let mut seen = BitSet::new();
    for root in useful.iter() {
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
    debug_assert_eq!(order.len(), useful.len());
    debug_assert!(order.iter().all(|id| id.index() < grammar.nonterminals().len()));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::base::limits::{Limits, Sizes};
    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use crate::grammar::{CharClass, GrammarBuilder, Name};
    use crate::parse::Parser;
    use proptest::prelude::*;

    /// `<t> ::= <t> "x" <t> | ""`
    fn binary_trees() -> (Grammar, NonterminalId) {
        let mut builder = GrammarBuilder::new();
        let t = builder.nonterminal(Name::base("t"));
        let x = builder.literal(b"x").unwrap();
        builder.rule(t, [Symbol::Nonterminal(t), x, Symbol::Nonterminal(t)]);
        builder.rule(t, []);
        (builder.finish(t), t)
    }

    #[test]
    fn long_lengths_are_counted_alike_by_any_number_of_threads() {
        let (grammar, t) = binary_trees();
        let longest = 1200;
        assert!(longest as u64 * <BigUint as Number>::steps(longest) > 10 * MOST_ALONE);
        let mut catalan = vec![BigUint::small(1)];
        for n in 0..longest as u64 {
            catalan.push(&catalan[n as usize] * (4 * n + 2) / (n + 2));
        }
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let counted = pool.install(|| exact_counts(&grammar, t, longest, &mut Meter::default()));
            assert!(counted.as_ref() == Ok(&catalan), "{threads}");
            // The limit is reached at the same step.
            let limits = |steps| Limits::of(Sizes { steps, ..Sizes::default() });
            let ends =
                |steps| pool.install(|| exact_counts(&grammar, t, longest, &mut limits(steps).meter()));
            assert_eq!(ends(1_000_000), Err(Exceeded::Steps(1_000_000).into()));
        }
    }

    #[test]
    fn binary_trees_are_counted_by_the_catalan_numbers() {
        let (grammar, t) = binary_trees();
        assert_eq!(counts(&grammar, t, 7), Ok(vec![1, 1, 2, 5, 14, 42, 132, 429]));
    }

    #[test]
    fn large_numbers_are_exact() {
        let (grammar, t) = binary_trees();
        assert_eq!(counts(&grammar, t, 200), Err(CountError::Overflow(70)));
        let exact = exact_counts(&grammar, t, 200, &mut Meter::default()).unwrap();
        // C(n + 1) (n + 2) = C(n) (4 n + 2)
        for (n, pair) in exact.windows(2).enumerate() {
            assert_eq!(&pair[1] * (n + 2), &pair[0] * (4 * n + 2));
        }
    }

    #[test]
    fn what_would_fill_the_memory_is_not_begun() {
        let (grammar, t) = binary_trees();
        assert_eq!(
            exact_counts(&grammar, t, 1 << 20, &mut Meter::default()),
            Err(CountError::TooLong(1 << 20))
        );
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
        let [s, other] = ["s", "other"].map(|name| builder.nonterminal(Name::base(name)));
        let any = builder.class(CharClass::any());
        builder.rule(s, [Symbol::Nonterminal(s)]);
        builder.rule(s, [any]);
        builder.rule(other, [any]);
        let grammar = builder.finish(s);
        assert_eq!(counts(&grammar, s, 4), Err(CountError::Cyclic("<s>".to_owned())));
        // The cycle is out of reach.
        assert_eq!(counts(&grammar, other, 1), Ok(vec![0, 128]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn as_many_trees_are_counted_as_parses_are_found(grammar in grammars(GrammarShape::default())) {
            let Ok(numbers) = counts(&grammar, grammar.start(), 5) else { return Ok(()) };
            let exact = exact_counts(&grammar, grammar.start(), 5, &mut Meter::default()).unwrap();
            prop_assert!(numbers.iter().zip(&exact).all(|(&number, exact)| BigUint::from(number) == *exact));
            let parser = Parser::new(Arc::new(grammar));
            let mut found = vec![0; 6];
            for text in strings(5) {
                if let Ok(forest) = parser.parse(&text) {
                    found[text.len()] += u128::from(forest.count_trees().unwrap());
                }
            }
            prop_assert_eq!(numbers, found);
        }
    }
}
