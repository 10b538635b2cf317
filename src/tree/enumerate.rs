//! All derivation trees of a grammar up to a size, each once: the yardstick for everything that
//! claims to know which trees there are.
//!
//! The size of a tree is the number of its nonterminal nodes, so that there are finitely many trees
//! of a size whatever the grammar: empty rules and cycles A =>+ A included. Trees of size n are put
//! together from smaller ones; a prefix of a rule is given up as soon as the cheapest rest would
//! make it too large. Their number grows exponentially, and with every character of a class: this
//! is for small grammars and small sizes.

use crate::base::id::IdVec;
use crate::grammar::analysis::{Cheapest, least_size};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use super::arena::{Label, Tree};
use super::shapes::{Part, ShapeId, Shapes};

/// All derivation trees that begin with `from` and have at most `size` nonterminal nodes.
///
/// They come in ascending size; trees of one size in the order of the rules at the root, and then
/// in the order of the children from left to right.
pub fn trees_up_to(grammar: &Grammar, from: NonterminalId, size: usize) -> Vec<Tree> {
    let mut all = Enumeration::new(grammar);
    for size in 1..=size {
        all.grow(size);
    }
    (1..=size).flat_map(|size| &all.of[from][size]).map(|&shape| all.shapes.tree(shape)).collect()
}

/// The trees of all nonterminals, growing in size.
struct Enumeration<'a> {
    grammar: &'a Grammar,
    least: Cheapest,
    shapes: Shapes,
    /// The shapes of each nonterminal, by size.
    of: IdVec<NonterminalId, Vec<Vec<ShapeId>>>,
}

impl<'a> Enumeration<'a> {
    fn new(grammar: &'a Grammar) -> Self {
        Self {
            grammar,
            least: least_size(grammar),
            shapes: Shapes::new(),
            of: IdVec::filled(vec![Vec::new()], grammar.nonterminals().len()),
        }
    }

    /// Adds the shapes of `size`; all smaller ones are there already.
    fn grow(&mut self, size: usize) {
        for nonterminal in self.grammar.nonterminals().ids() {
            let mut found = Vec::new();
            for &rule in self.grammar.rules_of(nonterminal) {
                for parts in self.fillings(rule, size - 1) {
                    found.push(self.shapes.add(rule, parts));
                }
            }
            self.of[nonterminal].push(found);
        }
    }

    /// All ways to fill `rule` with children that have `budget` nonterminal nodes together.
    fn fillings(&self, rule: RuleId, budget: usize) -> Vec<Vec<Part>> {
        let symbols = &self.grammar.rule(rule).symbols;
        let mut prefixes: Vec<(Vec<Part>, usize)> = vec![(Vec::new(), 0)];
        for (index, &symbol) in symbols.iter().enumerate() {
            let Some(rest) = self.least_of(&symbols[index + 1..]).filter(|&rest| rest <= budget) else {
                return Vec::new();
            };
            let mut longer = Vec::new();
            for (prefix, used) in prefixes {
                let mut push = |part, size| {
                    let mut parts = prefix.clone();
                    parts.push(part);
                    longer.push((parts, used + size));
                };
                match symbol {
                    Symbol::Literal(literal) => push(Part::Leaf(Label::Literal(literal)), 0),
                    Symbol::Class(class) => {
                        self.grammar.class(class).chars().for_each(|c| push(Part::Leaf(Label::Char(c)), 0));
                    }
                    Symbol::Nonterminal(child) => {
                        for size in 1..=budget.saturating_sub(used + rest) {
                            self.of[child][size].iter().for_each(|&shape| push(Part::Shape(shape), size));
                        }
                    }
                }
            }
            prefixes = longer;
        }
        prefixes.into_iter().filter(|&(_, used)| used == budget).map(|(parts, _)| parts).collect()
    }

    /// The least number of nonterminal nodes below `symbols`; `None` when they derive nothing.
    fn least_of(&self, symbols: &[Symbol]) -> Option<usize> {
        symbols.iter().try_fold(0usize, |sum, &symbol| match symbol {
            Symbol::Nonterminal(nonterminal) => {
                let least = usize::try_from(self.least.cost[nonterminal]?).ok()?;
                Some(sum.saturating_add(least))
            }
            Symbol::Literal(_) | Symbol::Class(_) => Some(sum),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::{GrammarBuilder, Name};
    use proptest::prelude::*;

    /// What tells a tree from all others: rules say how many children follow.
    fn labels(tree: &Tree) -> Vec<Label> {
        tree.preorder(tree.root()).map(|node| tree.label(node)).collect()
    }

    fn fits(grammar: &Grammar, symbol: Symbol, label: Label) -> bool {
        match (symbol, label) {
            (Symbol::Literal(a), Label::Literal(b)) => a == b,
            (Symbol::Class(class), Label::Char(c)) => grammar.class(class).contains(c),
            (Symbol::Nonterminal(a), Label::Rule(rule)) => grammar.rule(rule).lhs == a,
            _ => false,
        }
    }

    #[test]
    fn the_binary_trees_are_counted_by_catalan() {
        let mut builder = GrammarBuilder::new();
        let e = builder.nonterminal(Name::base("e"));
        let a = builder.literal(b"a").expect("not empty");
        builder.rule(e, [Symbol::Nonterminal(e), Symbol::Nonterminal(e)]);
        builder.rule(e, [a]);
        let grammar = builder.finish(e);
        let trees = trees_up_to(&grammar, e, 9);
        let of_length = |length| trees.iter().filter(|tree| tree.text(&grammar).len() == length).count();
        assert_eq!([1, 2, 3, 4, 5].map(of_length), [1, 1, 2, 5, 14]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_tree_comes_once_follows_the_rules_and_has_its_size(grammar in grammars(GrammarShape::default())) {
            let trees = trees_up_to(&grammar, grammar.start(), 5);
            let mut seen = std::collections::HashSet::new();
            let mut last = 0;
            for tree in &trees {
                let size = tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).count();
                prop_assert!(last <= size && size <= 5);
                last = size;
                prop_assert!(seen.insert(labels(tree)));
                for node in tree.preorder(tree.root()) {
                    let Some(rule) = tree.rule(node) else { continue };
                    let symbols = &grammar.rule(rule).symbols;
                    prop_assert_eq!(symbols.len(), tree.children(node).len());
                    for (&symbol, &child) in symbols.iter().zip(tree.children(node)) {
                        prop_assert!(fits(&grammar, symbol, tree.label(child)));
                    }
                }
            }
        }
    }
}
