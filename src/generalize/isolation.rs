//! Isolation: which of the nodes that may vary alone may vary together.
//!
//! All vary at once. When such an input passes, the nodes are given back their own texts, one at a
//! time, as long as it still passes: those that are left are the culprits, each of which is needed.
//! The smallest becomes concrete, which loses least, and its parts are asked about instead; then all
//! is verified again. (ISSTA 2020, section 4.2.) A single node was verified in its own row already.

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::ddset::{Fill, Session, splice};
use super::row::{Check, Outcome, known_first, row};

impl Session<'_, '_, '_> {
    /// Makes nodes concrete until all that are left may vary together.
    pub(super) fn isolate(&mut self) -> Result<(), Halt> {
        loop {
            let mut nodes = self.abstract_in_order();
            nodes.retain(|&node| !self.fixed.contains(node));
            if nodes.len() < 2 {
                return Ok(());
            }
            let culprits = match self.vary_all(&nodes)? {
                Outcome::Holds(_) => return Ok(()),
                Outcome::Refuted(fills) => self.culprits(fills)?,
                Outcome::Unclear => nodes,
            };
            let tree = self.example.tree;
            let culprit =
                culprits.into_iter().min_by_key(|&node| (self.text_of(node).len(), tree.size(node)));
            let Some(culprit) = culprit else { return Ok(()) };
            self.abstract_nodes.remove(culprit);
            let is_token = tree
                .nonterminal(self.example.grammar, culprit)
                .is_some_and(|nonterminal| self.example.grammar.nonterminal(nonterminal).token.is_some());
            if !is_token {
                self.abstract_below(tree.children(culprit).iter().rev().copied().collect())?;
            }
        }
    }

    fn vary_all(&mut self, nodes: &[NodeId]) -> Result<Outcome<Vec<Fill>>, Halt> {
        let Self { settings, example, judge, stream, likely, text, spans, .. } = self;
        let nonterminal =
            |node| example.tree.nonterminal(example.grammar, node).expect("only nonterminals are abstract");
        let check = |fills: Vec<Fill>| Check { text: splice(text, spans, &fills), origin: fills };
        let cheapest = nodes
            .iter()
            .filter_map(|&node| Some((node, likely.cheapest.string(nonterminal(node))?.to_vec())))
            .collect();
        let mut first = vec![check(cheapest)];
        for &node in nodes {
            let passed = likely.last_passed(nonterminal(node));
            first.extend(passed.map(|passed| check(vec![(node, passed.to_vec())])));
        }
        known_first(&mut first, judge);
        let mut first = first.into_iter();
        row(*settings, judge, || {
            first.next().or_else(|| {
                let mut fills = Vec::with_capacity(nodes.len());
                for &node in nodes {
                    let mut fill = Vec::new();
                    example.producer.produce(nonterminal(node), stream, &mut fill).ok()?;
                    fills.push((node, fill));
                }
                Some(check(fills))
            })
        })
    }

    /// Of the fills of an input that passed, the nodes without whose fills it would not.
    fn culprits(&mut self, mut fills: Vec<Fill>) -> Result<Vec<NodeId>, Halt> {
        let mut index = 0;
        while index < fills.len() {
            let mut fewer = fills.clone();
            fewer.remove(index);
            if self.judge.judge(&splice(&self.text, &self.spans, &fewer))? == Verdict::Pass {
                fills = fewer;
            } else {
                index += 1;
            }
        }
        // A node that makes the input pass on its own was not found out by its own row.
        if let [(node, fill)] = fills.as_slice()
            && let Some(nonterminal) = self.example.tree.nonterminal(self.example.grammar, *node)
        {
            self.likely.remember(nonterminal, fill);
        }
        Ok(fills.into_iter().map(|(node, _)| node).collect())
    }
}
