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

use crate::base::id::Id;
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::RuleId;
use crate::id_type;
use crate::parse::{Child, Forest, ForestNodeId};
use crate::pattern::Expression;
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

use super::finding::{Finding, Observables, TextId};
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
    texts: HashMap<&'a [u8], TextId>,
    text_of: HashMap<ForestNodeId, TextId>,
    findings: Interner<FindingId, Finding>,
    /// The findings of each node, in the order in which they were found.
    of_node: Vec<Vec<FindingId>>,
    /// The same for nodes that have many.
    many: FxHashSet<(ForestNodeId, FindingId)>,
    /// How each finding of each node first came about: from findings that were there before. Only kept
    /// when trees are asked for.
    ways: Option<HashMap<(ForestNodeId, FindingId), Way>>,
    /// The finding of subtrees in which there is nothing to be found.
    plain: FindingId,
    /// The number of findings, beyond one for each child of a first alternative, that may still be visited.
    room: usize,
    limit: usize,
    meter: Meter,
}

impl<'a> Survey<'a> {
    /// The default maximum of findings that are visited, beyond one for each child of a node's first alternative, unless said
    /// otherwise: at most a few seconds, and a gigabyte, beyond what an unambiguous input takes.
    pub const DEFAULT_LIMIT: usize = 3_000_000;

    /// Visits all derivation trees of `forest`, whose grammar the expression is over.
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
        let watch = Observables::new(expression);
        let mut findings = Interner::new();
        let plain = findings.intern(watch.nothing());
        let mut survey = Self {
            watch,
            forest,
            texts: HashMap::new(),
            text_of: HashMap::new(),
            findings,
            of_node: vec![Vec::new(); forest.node_bound()],
            many: FxHashSet::default(),
            ways,
            plain,
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
            let is_plain = |child: &Child| match child {
                Child::Node(child) => self.of_node[child.index()] == [self.plain],
                Child::Literal(_) | Child::Char(_) => true,
            };
            if children.iter().all(is_plain) {
                let nodes = children.iter().filter(|child| matches!(child, Child::Node(_))).count();
                *grown |= self.add(node, self.plain, rule, children, &vec![self.plain; nodes]);
                return Ok(());
            }
        }
        let mut open: Vec<(Finding, Vec<FindingId>)> = vec![(self.watch.begin(rule), Vec::new())];
        for (position, child) in children.iter().enumerate() {
            match *child {
                Child::Literal(_) => {}
                Child::Char(c) => {
                    open.iter_mut().for_each(|(finding, _)| self.watch.add_char(finding, position, c));
                }
                Child::Node(child) => {
                    let of_child = std::mem::take(&mut self.of_node[child.index()]);
                    let is_within = self.spend((open.len() * of_child.len()).saturating_sub(1));
                    let stepped = is_within.and_then(|()| Ok(self.step(open, position, child, &of_child)?));
                    self.of_node[child.index()] = of_child;
                    open = stepped?;
                }
            }
        }
        for (finding, of_children) in open {
            let finding = self.watch.end(lhs, finding);
            let finding = self.findings.intern(finding);
            *grown |= self.add(node, finding, rule, children, &of_children);
        }
        Ok(())
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
        position: usize,
        child: ForestNodeId,
        of_child: &[FindingId],
    ) -> Result<Vec<(Finding, Vec<FindingId>)>, Exceeded> {
        let mut seen: HashSet<Finding> = HashSet::new();
        let mut next = Vec::new();
        let is_ambiguous = open.len() * of_child.len() > 1;
        for (finding, before) in &open {
            for &inner in of_child {
                // What is made here may be as large as the expression, and its path as long as the rule.
                self.meter.spend(30 + position as u64)?;
                let inner_finding = &self.findings.values()[inner];
                let text = || text_of(self.forest, &mut self.texts, &mut self.text_of, child);
                let longer = self.watch.with_node(finding, position, inner_finding, text);
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

/// The text of a node, each text by one number.
fn text_of<'a>(
    forest: &'a Forest,
    texts: &mut HashMap<&'a [u8], TextId>,
    known: &mut HashMap<ForestNodeId, TextId>,
    node: ForestNodeId,
) -> TextId {
    *known.entry(node).or_insert_with(|| {
        let text = forest.span(node).map_or(&[][..], |span| &forest.input()[span]);
        let new = TextId::new(texts.len());
        *texts.entry(text).or_insert(new)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::one_by_one;
    use super::*;
    use crate::base::limits::Limits;
    use crate::grammar::arbitrary::{GrammarShape, grammars, strings};
    use crate::parse::Parser;
    use crate::pattern::arbitrary::{bound_expression, expression, recipes};
    use crate::tree::trees_up_to;
    use crate::validate::{AutomatonValidator, Validator};

    fn of<'a>(expression: &'a Expression, forest: &'a Forest) -> Survey<'a> {
        Survey::with_trees(expression, forest, 1_000_000, &Limits::default()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn bound_nodes_are_judged_as_in_all_trees_one_by_one(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone()), Limits::default()).unwrap();
            for input in strings(5) {
                let Ok(forest) = parser.parse(&input) else { continue };
                let Some(trees) = forest.trees(1_000) else { continue };
                let wanted = one_by_one(&expression, &grammar, &trees);
                let shown = String::from_utf8_lossy(&input).into_owned();
                prop_assert_eq!(of(&expression, &forest).answer(), wanted, "{}", shown);
                prop_assert_eq!(validator.validate(&input), Ok(wanted), "{}", shown);
            }
        }

        #[test]
        fn the_trees_that_are_shown_bear_out_the_answer_on_cyclic_grammars_too(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = bound_expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Parser::new(Arc::clone(&grammar));
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                let input = tree.text(&grammar);
                let forest = parser.parse(&input).unwrap();
                let survey = of(&expression, &forest);
                let possible = if expression.holds(&grammar, &tree) { Answer::Every } else { Answer::None };
                prop_assert!(survey.answer() == possible || survey.answer() == Answer::Some);
                for satisfies in [true, false] {
                    let shown = survey.tree(satisfies);
                    let none = if satisfies { Answer::None } else { Answer::Every };
                    prop_assert_eq!(shown.is_none(), survey.answer() == none);
                    if let Some(shown) = shown {
                        prop_assert_eq!(shown.text(&grammar), input.clone());
                        prop_assert_eq!(expression.holds(&grammar, &shown), satisfies);
                    }
                }
            }
        }

        #[test]
        fn without_bound_nodes_the_automaton_says_the_same(
            grammar in grammars(GrammarShape::default()),
            recipe in recipes(),
        ) {
            let grammar = Arc::new(grammar);
            let Some(expression) = expression(&grammar, &recipe) else { return Ok(()) };
            let parser = Arc::new(Parser::new(Arc::clone(&grammar)));
            let validator = AutomatonValidator::new(Arc::clone(&parser), Arc::new(expression.clone()), Limits::default()).unwrap();
            for input in strings(5) {
                let Ok(forest) = parser.parse(&input) else { continue };
                prop_assert_eq!(validator.validate(&input), Ok(of(&expression, &forest).answer()));
            }
        }
    }
}
