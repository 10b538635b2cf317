//! DDSET: "Abstracting Failure-Inducing Inputs" (Gopinath, Kampmann, Havrikov, Soremekun and Zeller,
//! ISSTA 2020).
//!
//! Three phases share one session with the oracle: *abstraction* finds the nodes that may vary one at
//! a time, *isolation* those that may vary together, and the third the characteristic node, as
//! "Input Algebras" (Gopinath, Nemati and Zeller, ICSE 2021) needs it. Each phase asks for likely
//! counterexamples first, and for random ones to be sure.

use crate::base::bitset::BitSet;
use crate::base::budget::StopReason;
use crate::base::id::IdVec;
use crate::base::stream::Stream;
use crate::oracle::{Halt, Judge, Verdict};
use crate::tree::NodeId;

use super::likely::Likely;
use super::{
    Characteristic, Example, Executions, GeneralizeError, Generalized, Generalizer, Planter, Settings,
    pattern_of,
};

/// DDSET.
#[derive(Clone, Copy, Debug)]
pub struct Ddset {
    settings: Settings,
}

impl Ddset {
    /// DDSET with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings }
    }
}

impl Generalizer for Ddset {
    fn name(&self) -> &'static str {
        "ddset"
    }

    fn generalize(
        &self,
        example: Example<'_>,
        planter: &mut dyn Planter,
        judge: &mut Judge<'_>,
        stream: &mut Stream,
    ) -> Result<Generalized, GeneralizeError> {
        let Example { grammar, tree, .. } = example;
        let mut session = Session::new(self.settings, example, judge, stream);
        let mut executions = Executions::default();
        // Until something better is known, the subtree at the root stands for the whole.
        let (mut characteristic, mut verified) = (tree.root(), false);
        let mut phases = || -> Result<Result<(), Verdict>, Halt> {
            let begin = session.judge.executions();
            let result = match session.judge.judge(&session.text)? {
                Verdict::Fail => Ok(session.abstract_below(vec![tree.root()])),
                verdict => Err(verdict),
            };
            executions.abstraction = session.judge.executions() - begin;
            match result {
                Ok(done) => done?,
                Err(verdict) => return Ok(Err(verdict)),
            }
            let begin = session.judge.executions();
            let done = session.isolate();
            executions.isolation = session.judge.executions() - begin;
            done?;
            let begin = session.judge.executions();
            let found = match self.settings.characteristic {
                Characteristic::Static => Ok((session.static_characteristic(), false)),
                Characteristic::Asked => session.ask_characteristic(planter),
            };
            executions.characteristic = session.judge.executions() - begin;
            (characteristic, verified) = found?;
            Ok(Ok(()))
        };
        let stop = match phases() {
            Ok(Ok(())) => StopReason::Done,
            Ok(Err(verdict)) => return Err(GeneralizeError::NotFailing(verdict)),
            Err(Halt::Stop(reason)) => reason,
            Err(Halt::Broken(error)) => return Err(error.into()),
        };
        let abstract_nodes = session.abstract_nodes;
        Ok(Generalized {
            tree: tree.clone(),
            pattern: pattern_of(grammar, tree, tree.root(), &abstract_nodes),
            characteristic,
            characteristic_pattern: pattern_of(grammar, tree, characteristic, &abstract_nodes),
            verified,
            abstract_nodes,
            executions,
            stop,
        })
    }
}

/// One generalization at work.
pub(super) struct Session<'a, 's, 'o> {
    pub(super) settings: Settings,
    pub(super) example: Example<'a>,
    pub(super) judge: &'s mut Judge<'o>,
    pub(super) stream: &'s mut Stream,
    pub(super) likely: Likely<'a>,
    /// The input, and where each node stands in it.
    pub(super) text: Vec<u8>,
    pub(super) spans: IdVec<NodeId, (usize, usize)>,
    /// The topmost nodes that may vary, as far as is known.
    pub(super) abstract_nodes: BitSet<NodeId>,
    /// Those among them of which there is but one string.
    pub(super) fixed: BitSet<NodeId>,
}

/// What stands at a node instead of its own text.
pub(super) type Fill = (NodeId, Vec<u8>);

impl<'a, 's, 'o> Session<'a, 's, 'o> {
    fn new(
        settings: Settings,
        example: Example<'a>,
        judge: &'s mut Judge<'o>,
        stream: &'s mut Stream,
    ) -> Self {
        Self {
            settings,
            example,
            judge,
            stream,
            likely: Likely::new(example.grammar, example.tree),
            text: example.tree.text(example.grammar),
            spans: example.tree.spans(example.grammar),
            abstract_nodes: BitSet::new(),
            fixed: BitSet::new(),
        }
    }

    /// How many likely counterexamples are asked for in a row: the other half is random.
    pub(super) fn most_likely(&self) -> usize {
        self.settings.checks / 2
    }

    /// The text of a node.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let (begin, end) = self.spans[node];
        &self.text[begin..end]
    }

    /// The nodes that may vary, from left to right.
    pub(super) fn abstract_in_order(&self) -> Vec<NodeId> {
        let tree = self.example.tree;
        tree.preorder(tree.root()).filter(|&node| self.abstract_nodes.contains(node)).collect()
    }
}

/// A text with other texts at some places, which do not overlap and go from left to right.
pub(super) fn splice(text: &[u8], spans: &IdVec<NodeId, (usize, usize)>, fills: &[Fill]) -> Vec<u8> {
    let mut spliced = Vec::with_capacity(text.len());
    let mut done = 0;
    for (node, fill) in fills {
        let (begin, end) = spans[*node];
        spliced.extend_from_slice(&text[done..begin]);
        spliced.extend_from_slice(fill);
        done = end;
    }
    spliced.extend_from_slice(&text[done..]);
    spliced
}
