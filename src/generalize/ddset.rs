//! DDSET: "Abstracting Failure-Inducing Inputs" (Gopinath, Kampmann, Havrikov, Soremekun and Zeller,
//! ISSTA 2020).
//!
//! The phases share one session with the oracle: *abstraction* looks for the nodes that may vary one at
//! a time, *sharing* for those that may vary only together with others of the same text, *isolation*
//! makes sure, with a full trial in which all of them vary, and the last one finds the
//! characteristic node, as "Input Algebras" (Gopinath, Nemati and Zeller, ICSE 2021) needs it.
//!
//! The papers make a full trial for each node first, and another one for all of them. Here each node
//! is screened first, which finds nearly all that cannot vary; the trial in which all vary at
//! once is a full trial for each of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use crate::base::bitset::BitSet;
use crate::base::budget::StopReason;
use crate::base::id::IdVec;
use crate::base::keys::Keys;
use crate::base::random_stream::RandomStream;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::Lexis;
use crate::grammar::lexis::Pieces;
use crate::oracle::{Halt, Judge, Verdict};
use crate::pattern::Expression;
use crate::tree::{NodeId, Tree};

use super::abstract_input::{AbstractInput, pattern_of};
use super::counterexamples::LikelyCounterexamples;
use super::evidence::Evidence;
use super::joint_trial::JointStatistics;
use super::{
    AbstractNodes, Characteristic, ContextSampler, EXPRESSION_NAME, Example, GeneralizeError, Generalized,
    Generalizer, GeneralizerSettings, MakeGeneralizer, Phase, Question, Refutation,
};

/// Confirming the input and finding out which nodes may vary; verifying that they may vary together; finding
/// the characteristic node.
const PHASES: [&str; 3] = ["abstraction", "isolation", "characteristic"];

/// DDSET.
#[derive(Clone, Copy, Debug)]
pub struct Ddset {
    settings: GeneralizerSettings,
}

impl Ddset {
    /// DDSET with these settings.
    pub fn new(settings: GeneralizerSettings) -> Self {
        Self { settings }
    }
}

pub(super) const PLUG_IN: PlugIn<MakeGeneralizer> = PlugIn::of::<Settings>();

/// What a config can say.
#[derive(Default, Serialize)]
struct Settings {
    /// Another number of checks than that of all generalizers.
    checks: Option<usize>,
    /// How the characteristic node is found.
    characteristic: Characteristic,
}

impl PlugInSettings<MakeGeneralizer> for Settings {
    const NAME: &'static str = "ddset";

    fn read(keys: &mut Keys<'_>) -> Self {
        let words = [("asked", Characteristic::Asked), ("static", Characteristic::Static)];
        let checks = keys.positive("checks", 0);
        Self {
            checks: Some(checks).filter(|&checks| checks > 0),
            characteristic: keys.one_of("characteristic", &words, Characteristic::default()),
        }
    }

    fn make(self) -> MakeGeneralizer {
        let Self { checks: own, characteristic } = self;
        Arc::new(move |checks| {
            let settings = GeneralizerSettings::of_checks(own.unwrap_or(checks));
            Box::new(Ddset::new(GeneralizerSettings { characteristic, ..settings }))
        })
    }
}

impl Generalizer for Ddset {
    fn generalize(
        &self,
        example: Example<'_>,
        sampler: &mut dyn ContextSampler,
        judge: &mut Judge<'_>,
        stream: &mut RandomStream,
    ) -> Result<Generalized, GeneralizeError> {
        let Example { grammar, tree, .. } = example;
        let mut session = Generalization::new(self.settings, example, judge, stream);
        let mut spent = PHASES.map(|name| Phase { name, executions: 0 });
        // Until something better is known, the subtree at the root stands for the whole.
        let (mut characteristic, mut verified) = (tree.root(), false);
        let mut phases = || -> Result<(), PhaseError> {
            let begin = session.judge.executions();
            let verdict = session.judge.judge(&session.text)?;
            if verdict != Verdict::Fail {
                return Err(PhaseError::NotFailing(verdict));
            }
            let done = session.abstract_all();
            spent[0].executions = session.judge.executions() - begin;
            done?;
            let begin = session.judge.executions();
            let done = session.isolate();
            spent[1].executions = session.judge.executions() - begin;
            done?;
            let begin = session.judge.executions();
            let found = match self.settings.characteristic {
                Characteristic::Static => Ok((session.static_characteristic(), false)),
                Characteristic::Asked => session.ask_characteristic(sampler),
            };
            spent[2].executions = session.judge.executions() - begin;
            (characteristic, verified) = found?;
            Ok(())
        };
        let stop = match phases() {
            Ok(()) => StopReason::Done,
            Err(PhaseError::NotFailing(verdict)) => return Err(GeneralizeError::NotFailing(verdict)),
            Err(PhaseError::Halt(Halt::Stop(reason))) => reason,
            Err(PhaseError::Halt(Halt::Broken(error))) => return Err(error.into()),
            Err(PhaseError::Halt(Halt::Exceeded(exceeded))) => return Err(exceeded.into()),
        };
        let abstract_nodes = session.grouped_abstract_nodes();
        Ok(Generalized {
            expression: Expression::contains(
                grammar.start(),
                EXPRESSION_NAME,
                pattern_of(grammar, tree, characteristic, &abstract_nodes),
            ),
            verified,
            abstract_input: Some(AbstractInput::new(grammar, tree, abstract_nodes)),
            refutations: session.standing_refutations(),
            phases: spent.into(),
            stop,
        })
    }
}

/// Why a phase did not complete.
enum PhaseError {
    /// The input has this verdict.
    NotFailing(Verdict),
    /// The judge gave no verdict.
    Halt(Halt),
}

impl From<Halt> for PhaseError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

/// Nodes that vary together, from left to right: they have the same nonterminal and the same text.
/// Most are one node.
pub(super) type NodeGroup = Arc<[NodeId]>;

/// What stands at the nodes of a group instead of their own text.
pub(super) type Substitution = (NodeGroup, Vec<u8>);

/// One generalization at work.
pub(super) struct Generalization<'a, 's, 'o> {
    pub(super) settings: GeneralizerSettings,
    pub(super) example: Example<'a>,
    pub(super) judge: &'s mut Judge<'o>,
    pub(super) stream: &'s mut RandomStream,
    pub(super) likely: LikelyCounterexamples<'a>,
    pub(super) evidence: Evidence,
    /// The input, and where each node stands in it.
    pub(super) text: Vec<u8>,
    pub(super) spans: IdVec<NodeId, (usize, usize)>,
    /// The place of each node in document order, and the place behind all nodes below it.
    pub(super) order: IdVec<NodeId, usize>,
    ends: IdVec<NodeId, usize>,
    /// What may vary, as far as is known, from left to right. No node is below an other one.
    pub(super) groups: Vec<NodeGroup>,
    /// Their nodes.
    pub(super) abstract_nodes: BitSet<NodeId>,
    /// Those among them of which there is but one string.
    pub(super) fixed: BitSet<NodeId>,
    /// Nodes that were found not to vary together.
    pub(super) unshared: HashSet<NodeGroup>,
    /// The nodes between words that may vary.
    pub(super) spaces: BitSet<NodeId>,
    /// The texts that nodes varied to when they were screened alone and failed every time.
    pub(super) screened: HashMap<NodeId, Vec<Vec<u8>>>,
    /// What is known of groups that vary together.
    pub(super) joint: JointStatistics,
    /// What spoke against a larger abstraction.
    pub(super) refutations: Vec<Refutation>,
}

impl<'a, 's, 'o> Generalization<'a, 's, 'o> {
    /// Nothing is known yet.
    pub(super) fn new(
        settings: GeneralizerSettings,
        example: Example<'a>,
        judge: &'s mut Judge<'o>,
        stream: &'s mut RandomStream,
    ) -> Self {
        let Example { grammar, tree, .. } = example;
        let spans = tree.spans(grammar);
        let mut order = IdVec::filled(0, spans.len());
        for (place, node) in tree.preorder(tree.root()).enumerate() {
            order[node] = place;
        }
        let mut ends = order.clone();
        for node in tree.postorder(tree.root()) {
            let last = tree.children(node).last().map_or(order[node] + 1, |&child| ends[child]);
            ends[node] = last;
        }
        Self {
            settings,
            example,
            judge,
            stream,
            likely: LikelyCounterexamples::new(grammar, example.parser.lexis(), tree),
            evidence: Evidence::default(),
            text: tree.text(grammar),
            spans,
            order,
            ends,
            groups: Vec::new(),
            abstract_nodes: BitSet::new(),
            fixed: BitSet::new(),
            unshared: HashSet::new(),
            spaces: BitSet::new(),
            screened: HashMap::new(),
            joint: JointStatistics::default(),
            refutations: Vec::new(),
        }
    }

    /// The text of a node.
    pub(super) fn text_of(&self, node: NodeId) -> &[u8] {
        let (begin, end) = self.spans[node];
        &self.text[begin..end]
    }

    /// Whether nothing stands at a node.
    pub(super) fn is_empty(&self, node: NodeId) -> bool {
        self.text_of(node).is_empty()
    }

    /// Whether a node is a token: it varies as a whole or not at all.
    pub(super) fn is_token(&self, node: NodeId) -> bool {
        let Example { grammar, tree, .. } = self.example;
        tree.nonterminal(grammar, node).is_some_and(|id| grammar.nonterminal(id).token.is_some())
    }

    /// Whether `node` is `above` or below it.
    pub(super) fn is_below(&self, node: NodeId, above: NodeId) -> bool {
        (self.order[above]..self.ends[above]).contains(&self.order[node])
    }

    /// Lets a group vary, and what is below its nodes with it.
    pub(super) fn open(&mut self, group: NodeGroup) {
        let is_covered = |other: &&NodeGroup| {
            other.iter().any(|&part| group.iter().any(|&node| self.is_below(part, node)))
        };
        let covered: Vec<NodeGroup> = self.groups.iter().filter(is_covered).cloned().collect();
        for other in &covered {
            self.close(other);
        }
        for &node in group.iter() {
            self.abstract_nodes.insert(node);
        }
        let place = self.order[group[0]];
        let index = self.groups.partition_point(|other| self.order[other[0]] < place);
        self.groups.insert(index, group);
    }

    /// Makes a group concrete again.
    pub(super) fn close(&mut self, group: &NodeGroup) {
        self.groups.retain(|other| other != group);
        for &node in group.iter() {
            self.abstract_nodes.remove(node);
        }
    }

    /// Remembers the input that says that a group does not vary, which came from `substitutions`.
    pub(super) fn does_not_vary(&mut self, group: &NodeGroup, substitutions: Option<&[Substitution]>) {
        let input = substitutions.map(|substitutions| self.splicer().splice_groups(substitutions));
        let tried = substitutions.into_iter().flatten().find(|(other, _)| other == group);
        self.refutations.push(Refutation {
            node: group[0],
            question: Question::Varies,
            tried: tried.map(|(_, text)| text.clone()),
            verdict: input.as_ref().and_then(|input| self.judge.known(input)),
            input,
        });
    }

    /// What was refuted and is not true in the end: nodes that vary now, with others or below one that does, are left out.
    pub(super) fn standing_refutations(&mut self) -> Vec<Refutation> {
        let mut refutations = std::mem::take(&mut self.refutations);
        refutations.retain(|found| {
            let is_open = self.abstract_nodes.iter().any(|open| self.is_below(found.node, open));
            found.question == Question::FailsEverywhere || !is_open
        });
        refutations
    }

    /// What varies, for patterns.
    pub(super) fn grouped_abstract_nodes(&self) -> AbstractNodes {
        AbstractNodes::new(self.groups.iter().cloned())
    }
}

/// The places of a text whose texts are replaced.
#[derive(Clone, Copy)]
pub(super) struct Splicer<'a> {
    pub(super) text: &'a [u8],
    pub(super) spans: &'a IdVec<NodeId, (usize, usize)>,
    pub(super) order: &'a IdVec<NodeId, usize>,
    pub(super) tree: &'a Tree,
    pub(super) example: Example<'a>,
}

impl Splicer<'_> {
    /// The text with other texts at the nodes of some groups.
    pub(super) fn splice_groups(&self, substitutions: &[Substitution]) -> Vec<u8> {
        let places = substitutions
            .iter()
            .flat_map(|(group, fill)| group.iter().map(move |&node| (node, fill.as_slice())))
            .collect();
        self.splice(places)
    }

    /// The text with other texts at some places, none of which is inside an other one.
    pub(super) fn splice(&self, mut places: Vec<(NodeId, &[u8])>) -> Vec<u8> {
        places.sort_unstable_by_key(|&(node, _)| self.order[node]);
        let lexis = self.example.parser.lexis();
        let mut pieces = Pieces::default();
        let mut done = 0;
        for (node, fill) in places {
            let (begin, end) = self.spans[node];
            let apart = lexis.is_some_and(|lexis| self.is_word(lexis, node));
            pieces.push(&self.text[done..begin]);
            if apart {
                pieces.gap();
            }
            pieces.push(fill);
            if apart {
                pieces.gap();
            }
            done = end;
        }
        pieces.push(&self.text[done..]);
        pieces.join(lexis)
    }

    /// Whether a node is a word or made of words, so that there are gaps around it.
    fn is_word(&self, lexis: &Lexis, node: NodeId) -> bool {
        let grammar = self.example.grammar;
        self.tree
            .nonterminal(grammar, node)
            .is_some_and(|id| !lexis.is_lexical(id) || grammar.nonterminal(id).token.is_some())
    }
}
