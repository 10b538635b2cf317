//! Abstraction: which nodes of the input may vary, all others staying as they are.
//!
//! From the root down. A node that may vary is done with, together with all below it; under one that
//! may not, its children are asked about. Tokens are not taken apart. (ISSTA 2020, section 4.1.)

use crate::grammar::NonterminalId;
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::ddset::{Session, splice};
use super::row::{Check, Outcome, known_first, row};

impl Session<'_, '_, '_> {
    /// Finds the nodes that may vary among those of the subtrees at `open`, which is a stack.
    pub(super) fn abstract_below(&mut self, mut open: Vec<NodeId>) -> Result<(), Halt> {
        let (grammar, tree) = (self.example.grammar, self.example.tree);
        while let Some(node) = open.pop() {
            let Some(nonterminal) = tree.nonterminal(grammar, node) else { continue };
            match self.vary(node, nonterminal)? {
                Outcome::Holds(strings) => {
                    self.abstract_nodes.insert(node);
                    if strings == 1 {
                        self.fixed.insert(node);
                    }
                    continue;
                }
                Outcome::Refuted(fill) => self.likely.remember(nonterminal, &fill),
                Outcome::Unclear => {}
            }
            if grammar.nonterminal(nonterminal).token.is_none() {
                open.extend(tree.children(node).iter().rev());
            }
        }
        Ok(())
    }

    /// Puts other strings of its nonterminal into the place of one node.
    fn vary(&mut self, node: NodeId, nonterminal: NonterminalId) -> Result<Outcome<Vec<u8>>, Halt> {
        let most = self.most_likely();
        let Self { settings, example, judge, stream, likely, text, spans, .. } = self;
        let check =
            |fill: Vec<u8>| Check { text: splice(text, spans, &[(node, fill.clone())]), origin: fill };
        let (begin, end) = spans[node];
        let mut first: Vec<_> = likely.strings(nonterminal, most).into_iter().map(check).collect();
        // Its own text is one of the strings, and known to fail.
        first.push(check(text[begin..end].to_vec()));
        known_first(&mut first, judge);
        let mut first = first.into_iter();
        row(*settings, judge, || {
            first.next().or_else(|| {
                let mut fill = Vec::new();
                example.producer.produce(nonterminal, stream, &mut fill).ok()?;
                Some(check(fill))
            })
        })
    }
}
