//! The definition of an expression, taken to all derivation trees of an input at once.
//!
//! Of a subtree matters which pattern nodes match at its root, what texts stand at their bound nodes,
//! and what occurs inside: a [`Finding`]. Each node of the forest gets the findings of all its trees.
//! The text of a forest node is its span of the input, whichever tree it is in, so whether two bound
//! nodes are equal is known without building a tree. There are finitely many findings (numbers of
//! occurrences are counted up to what the formula asks for, texts are parts of the input), so they
//! grow to a fixpoint where the forest has cycles. The result is exact for every forest.
//!
//! On an unambiguous input each node has one finding. On others there can be many, mostly because a
//! pattern's bound nodes can stand for many parts of the input; a limit ends that with an error.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{RuleId, Symbol};
use crate::id_type;
use crate::parse::{Child, Forest, ForestNodeId};
use crate::pattern::Expression;
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::finding::{Finding, Margins, NodeTexts, Observables, TextId};
use super::{Answer, Unanswered};

id_type!(
    /// A finding.
    FindingId
);

/// How a finding came about: the rule, its children, and the findings of those that are nodes.
type Way = (RuleId, Box<[Child]>, Box<[FindingId]>);

/// What the derivation trees of one forest come to.
pub struct Survey<'a> {
    watch: Observables<'a>,
    forest: &'a Forest,
    texts: Texts<'a>,
    findings: Interner<FindingId, Finding>,
    /// The findings of each node, in the order in which they were found.
    of_node: Vec<Vec<FindingId>>,
    /// The same for nodes that have many.
    many: FxHashSet<(ForestNodeId, FindingId)>,
    /// How each finding of each node first came about: from findings that were there before. Only kept
    /// when trees are asked for.
    ways: Option<HashMap<(ForestNodeId, FindingId), Way>>,
    /// The findings of subtrees in which there is nothing to be found, by their margins.
    plain: HashMap<Margins, FindingId>,
    /// The number of findings, beyond one for each child of a first alternative, that may still be visited.
    room: usize,
    limit: usize,
    meter: Meter,
}

impl<'a> Survey<'a> {
    /// The default maximum of findings that are visited, beyond one for each child of a node's first alternative, unless said
    /// otherwise: at most a few seconds, and a gigabyte, beyond what an unambiguous input takes.
    pub const DEFAULT_LIMIT: usize = 3_000_000;

    /// Visits all derivation trees of `forest`, whose grammar the expression is over. Where the expression says `some .. with ..`, it
    /// is to be given by names ([`Expression::without_surroundings`]).
    ///
    /// # Errors
    /// When there are too many findings, or another limit is reached.
    pub fn new(
        expression: &'a Expression,
        forest: &'a Forest,
        limit: usize,
        limits: &Limits,
    ) -> Result<Self, Unanswered> {
        Self::run(expression, forest, limit, limits, None)
    }

    /// As [`Self::new`], and remembers how findings came about, so that [`Self::tree`] can show trees.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_trees(
        expression: &'a Expression,
        forest: &'a Forest,
        limit: usize,
        limits: &Limits,
    ) -> Result<Self, Unanswered> {
        Self::run(expression, forest, limit, limits, Some(HashMap::new()))
    }

    fn run(
        expression: &'a Expression,
        forest: &'a Forest,
        limit: usize,
        limits: &Limits,
        ways: Option<HashMap<(ForestNodeId, FindingId), Way>>,
    ) -> Result<Self, Unanswered> {
        let watch = Observables::new(forest.grammar(), expression);
        let mut survey = Self {
            watch,
            forest,
            texts: Texts::default(),
            findings: Interner::new(),
            of_node: vec![Vec::new(); forest.node_bound()],
            many: FxHashSet::default(),
            ways,
            plain: HashMap::new(),
            room: limit,
            limit,
            meter: limits.meter(),
        };
        survey.visit_all()?;
        Ok(survey)
    }

    fn visit_all(&mut self) -> Result<(), Unanswered> {
        let forest = self.forest;
        for (nodes, is_cycle) in forest.groups() {
            loop {
                let mut grown = false;
                for &node in nodes {
                    grown |= self.visit(node)?;
                }
                if !(is_cycle && grown) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds the findings of the alternatives of `node`; says whether any was new.
    fn visit(&mut self, node: ForestNodeId) -> Result<bool, Unanswered> {
        let forest = self.forest;
        let mut grown = false;
        let mut is_first = true;
        let visited = forest.visit_alternatives(node, &mut Vec::new(), |rule, children| {
            let steps = if is_first { 0 } else { 1 + children.len() };
            is_first = false;
            match self.spend(steps).and_then(|()| self.alternative(node, rule, children, &mut grown)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(reason) => ControlFlow::Break(reason),
            }
        });
        match visited {
            ControlFlow::Continue(()) => Ok(grown),
            ControlFlow::Break(reason) => Err(reason),
        }
    }

    fn alternative(
        &mut self,
        node: ForestNodeId,
        rule: RuleId,
        children: &[Child],
        grown: &mut bool,
    ) -> Result<(), Unanswered> {
        self.meter.spend(4 + 4 * children.len() as u64)?;
        let lhs = self.forest.grammar().rule(rule).lhs;
        if !self.watch.is_watched(lhs, rule) {
            // By far the most frequent case: there is nothing to find here, and nothing was found below.
            if let Some((margins, of_children)) = self.plain(rule, children) {
                let finding = self.plain_finding(margins);
                *grown |= self.add(node, finding, rule, children, &of_children);
                return Ok(());
            }
        }
        let mut open: Vec<(Finding, Vec<FindingId>)> = vec![(self.watch.begin(rule), Vec::new())];
        for (position, child) in children.iter().enumerate() {
            match *child {
                Child::Literal(_) => {
                    open.iter_mut().for_each(|(finding, _)| self.watch.add_literal(finding));
                }
                Child::Char(c) => {
                    open.iter_mut().for_each(|(finding, _)| self.watch.add_char(finding, position, c));
                }
                Child::Node(child) => {
                    let of_child = std::mem::take(&mut self.of_node[child.index()]);
                    let is_within = self.spend((open.len() * of_child.len()).saturating_sub(1));
                    let stepped =
                        is_within.and_then(|()| Ok(self.step(open, (rule, position), child, &of_child)?));
                    self.of_node[child.index()] = of_child;
                    open = stepped?;
                }
            }
        }
        for (finding, of_children) in open {
            let texts = &mut TextsOf { texts: &mut self.texts, forest: self.forest, node };
            let finding = self.watch.end(lhs, finding, texts);
            let finding = self.findings.intern(finding);
            *grown |= self.add(node, finding, rule, children, &of_children);
        }
        Ok(())
    }

    /// The margins of a node in whose children nothing was found, and the findings of those that are nodes; nothing
    /// when something was found there, or they have several.
    fn plain(&self, rule: RuleId, children: &[Child]) -> Option<(Margins, Vec<FindingId>)> {
        let mut margins = Margins::default();
        let mut of_children = Vec::new();
        for (&child, symbol) in children.iter().zip(&self.forest.grammar().rule(rule).symbols) {
            match (child, symbol) {
                (Child::Node(child), &Symbol::Nonterminal(nonterminal)) => {
                    let &[finding] = &self.of_node[child.index()][..] else { return None };
                    let inner = self.findings.values()[finding].margins();
                    if self.plain.get(&inner) != Some(&finding) {
                        return None;
                    }
                    margins = self.watch.with_margins(margins, nonterminal, inner, self.length(child));
                    of_children.push(finding);
                }
                _ if self.watch.has_gaps() => margins.word(),
                _ => {}
            }
        }
        Some((margins, of_children))
    }

    fn plain_finding(&mut self, margins: Margins) -> FindingId {
        *self.plain.entry(margins).or_insert_with(|| self.findings.intern(self.watch.nothing(margins)))
    }

    fn length(&self, node: ForestNodeId) -> usize {
        self.forest.span(node).map_or(0, |span| span.len())
    }

    /// Adds a finding of `node`; says whether it is new.
    fn add(
        &mut self,
        node: ForestNodeId,
        finding: FindingId,
        rule: RuleId,
        children: &[Child],
        of_children: &[FindingId],
    ) -> bool {
        const FEW: usize = 32;
        let known = &mut self.of_node[node.index()];
        if known.len() < FEW && known.contains(&finding) {
            return false;
        }
        if known.len() == FEW {
            self.many.extend(known.iter().map(|&known| (node, known)));
        }
        if known.len() >= FEW && !self.many.insert((node, finding)) {
            return false;
        }
        known.push(finding);
        if let Some(ways) = &mut self.ways {
            ways.insert((node, finding), (rule, children.into(), of_children.into()));
        }
        true
    }

    fn spend(&mut self, steps: usize) -> Result<(), Unanswered> {
        self.room = self.room.checked_sub(steps).ok_or(Unanswered::TooAmbiguous { limit: self.limit })?;
        Ok(())
    }

    /// The findings after one more child, a node with these findings.
    fn step(
        &mut self,
        open: Vec<(Finding, Vec<FindingId>)>,
        (rule, position): (RuleId, usize),
        child: ForestNodeId,
        of_child: &[FindingId],
    ) -> Result<Vec<(Finding, Vec<FindingId>)>, Exceeded> {
        let mut seen: HashSet<Finding> = HashSet::new();
        let mut next = Vec::new();
        let is_ambiguous = open.len() * of_child.len() > 1;
        let length = self.length(child);
        for (finding, before) in &open {
            for &inner in of_child {
                // What is made here may be as large as the expression, and its path as long as the rule.
                self.meter.spend(30 + position as u64)?;
                let inner_finding = &self.findings.values()[inner];
                let texts = &mut TextsOf { texts: &mut self.texts, forest: self.forest, node: child };
                let found = (inner_finding, length);
                let longer = self.watch.with_node(finding, (rule, position), found, texts);
                // A name may match in many ways.
                self.meter.spend(longer.ways() as u64)?;
                if is_ambiguous && !seen.insert(longer.clone()) {
                    continue;
                }
                let mut path = before.clone();
                path.push(inner);
                next.push((longer, path));
            }
        }
        Ok(next)
    }

    /// Whether trees with this finding satisfy the expression.
    fn holds(&self, finding: FindingId) -> bool {
        self.watch.holds(&self.findings.values()[finding])
    }

    /// Which of the trees satisfy the expression.
    pub fn answer(&self) -> Answer {
        let all = &self.of_node[self.forest.root().index()];
        Answer::of(all.iter().filter(|&&finding| self.holds(finding)).count(), all.len())
    }

    /// A derivation tree that satisfies the expression (or does not), if there is one and the survey was
    /// made [with trees](Self::with_trees). It is finite even where the input has infinitely many.
    pub fn tree(&self, satisfies: bool) -> Option<Tree> {
        enum Step {
            Enter(Child, Option<FindingId>),
            Leave(RuleId, usize),
        }
        let root = self.forest.root();
        let wanted = self.of_node[root.index()].iter().find(|&&finding| self.holds(finding) == satisfies)?;
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut open = vec![Step::Enter(Child::Node(root), Some(*wanted))];
        while let Some(step) = open.pop() {
            match step {
                Step::Enter(Child::Literal(literal), _) => done.push(builder.leaf(Label::Literal(literal))),
                Step::Enter(Child::Char(c), _) => done.push(builder.leaf(Label::Char(c))),
                Step::Enter(Child::Node(node), finding) => {
                    let (rule, children, findings) = self.ways.as_ref()?.get(&(node, finding?))?;
                    open.push(Step::Leave(*rule, children.len()));
                    let mut findings = findings.iter().rev();
                    open.extend(children.iter().rev().map(|&child| {
                        let is_node = matches!(child, Child::Node(_));
                        Step::Enter(child, if is_node { findings.next().copied() } else { None })
                    }));
                }
                Step::Leave(rule, arity) => {
                    let first = done.len() - arity;
                    let node = builder.node(rule, &done[first..]);
                    done.truncate(first);
                    done.push(node);
                }
            }
        }
        let root = done.pop()?;
        Some(builder.finish(root))
    }
}

/// The texts of nodes, each text by one number.
#[derive(Default)]
struct Texts<'a> {
    numbers: HashMap<&'a [u8], TextId>,
    all: IdVec<TextId, &'a [u8]>,
    known: HashMap<(ForestNodeId, Margins), TextId>,
}

impl<'a> Texts<'a> {
    /// The text of a node without its margins.
    fn of(&mut self, forest: &'a Forest, node: ForestNodeId, margins: Margins) -> TextId {
        *self.known.entry((node, margins)).or_insert_with(|| {
            let text = forest.span(node).map_or(&[][..], |span| &forest.input()[span]);
            let text = &text[margins.before..text.len() - margins.behind];
            let all = &mut self.all;
            *self.numbers.entry(text).or_insert_with(|| all.push(text))
        })
    }
}

/// The same with one of the nodes.
struct TextsOf<'t, 'a> {
    texts: &'t mut Texts<'a>,
    forest: &'a Forest,
    node: ForestNodeId,
}

impl NodeTexts for TextsOf<'_, '_> {
    fn of_node(&mut self, margins: Margins) -> TextId {
        self.texts.of(self.forest, self.node, margins)
    }

    fn content(&self, text: TextId) -> &[u8] {
        self.texts.all[text]
    }
}

#[cfg(test)]
mod tests;
