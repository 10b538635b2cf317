//! What earlier executions say about other nodes: an input that passed is a counterexample of
//! everything that it is an instance of.

use std::collections::{BTreeMap, HashMap};

use crate::grammar::NonterminalId;
use crate::oracle::Judge;
use crate::parse::Parser;
use crate::pattern::Pattern;
use crate::tree::{NodeId, Tree};

/// Inputs that passed are read up to this number, the shortest first.
const MOST_PASSED: usize = 400;

/// A forest larger than this is not examined: its input is very ambiguous.
const MOST_NODES: usize = 50_000;

/// A text, and the nonterminals that derive it.
type Tried = (Vec<u8>, Vec<NonterminalId>);

/// What is known of inputs beside their verdicts.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// For each place of the input the texts that were tried there and did not fail, each with the
    /// nonterminals that derive it.
    tried: BTreeMap<(usize, usize), Vec<Tried>>,
    /// The trees of inputs that passed; `None` for those that have none.
    trees: HashMap<Box<[u8]>, Option<Tree>>,
}

impl Evidence {
    /// Remembers that the input did not fail with `fill` instead of the text at `place`, when it was
    /// the text `whole`.
    pub(super) fn tried(&mut self, parser: &Parser, place: (usize, usize), fill: &[u8], whole: &[u8]) {
        if self.tried.get(&place).is_some_and(|texts| texts.iter().any(|(known, _)| known == fill)) {
            return;
        }
        let Some(tree) = first_tree(parser, whole) else { return };
        let grammar = parser.grammar();
        let spans = tree.spans(grammar);
        let wanted = place.0;
        let derive: Vec<NonterminalId> = tree
            .preorder(tree.root())
            // A separator may stand before it.
            .filter(|&node| tree_text(whole, spans[node]) == Some(fill) && spans[node].0.abs_diff(wanted) < 2)
            .filter_map(|node| tree.nonterminal(grammar, node))
            .collect();
        self.tried.entry(place).or_default().push((fill.to_vec(), derive));
    }

    /// The texts of a nonterminal that were tried at `place` and did not fail.
    pub(super) fn texts(&self, place: (usize, usize), nonterminal: NonterminalId) -> Vec<Vec<u8>> {
        let texts = self.tried.get(&place).into_iter().flatten();
        texts.filter(|(_, derive)| derive.contains(&nonterminal)).map(|(text, _)| text.clone()).collect()
    }

    /// An input that passed and in which `pattern` occurs.
    pub(super) fn refutes(
        &mut self,
        parser: &Parser,
        judge: &Judge<'_>,
        pattern: &Pattern,
    ) -> Option<Vec<u8>> {
        self.read(parser, judge);
        let refuting = self.passed(judge).find(|tree| {
            tree.preorder(tree.root())
                .filter(|&node: &NodeId| {
                    tree.nonterminal(parser.grammar(), node) == Some(pattern.characteristic())
                })
                .any(|node| {
                    pattern.matches(tree, node) && pattern.is_bound_equally(parser.grammar(), tree, node)
                })
        });
        refuting.map(|tree| tree.text(parser.grammar()))
    }

    /// Parses the inputs that have passed since the last time.
    pub(super) fn read(&mut self, parser: &Parser, judge: &Judge<'_>) {
        for input in shortest_passed(judge) {
            if !self.trees.contains_key(input) {
                self.trees.insert(input.into(), first_tree(parser, input));
            }
        }
    }

    /// The trees of inputs that passed and were [read](Self::read), the shortest first.
    pub(super) fn passed(&self, judge: &Judge<'_>) -> impl Iterator<Item = &Tree> {
        shortest_passed(judge).into_iter().filter_map(|input| self.trees.get(input)?.as_ref())
    }
}

/// The inputs that passed, as many as are examined.
fn shortest_passed<'j>(judge: &'j Judge<'_>) -> Vec<&'j [u8]> {
    let mut passed = judge.passed();
    passed.sort_unstable_by_key(|input| (input.len(), *input));
    passed.truncate(MOST_PASSED);
    passed
}

fn tree_text(whole: &[u8], (begin, end): (usize, usize)) -> Option<&[u8]> {
    whole.get(begin..end)
}

fn first_tree(parser: &Parser, text: &[u8]) -> Option<Tree> {
    Some(parser.parse_within(text, MOST_NODES).ok()??.first_tree())
}
