//! What matters of a subtree to an expression, as patterns and formulas are defined: no automaton.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::{NonterminalId, RuleId};
use crate::id_type;
use crate::pattern::{Expression, Formula, PatternId, PatternNode, PatternNodeId};

id_type!(
    /// A text of the input.
    TextId
);
id_type!(
    /// A statement of the formula about two patterns, by its place among those.
    PairId
);

/// A pattern node that matches so far, with the texts of the bound nodes below it, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    pattern: PatternId,
    node: PatternNodeId,
    texts: Vec<(u32, TextId)>,
}

impl Match {
    /// Adds texts; says whether they agree with those known.
    fn bind(&mut self, texts: &[(u32, TextId)]) -> bool {
        for &(number, text) in texts {
            match self.texts.binary_search_by_key(&number, |known| known.0) {
                Ok(place) if self.texts[place].1 != text => return false,
                Ok(_) => {}
                Err(place) => self.texts.insert(place, (number, text)),
            }
        }
        true
    }
}

/// What matters of a subtree, or of the first few children of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Of a subtree: the pattern nodes, roots apart, that match at its root. Of the first few children:
    /// the pattern nodes of the rule that they allow.
    matches: Vec<Match>,
    /// How often each pattern occurs inside, up to what the formula can tell apart.
    counts: Box<[u32]>,
    /// The statements about two patterns that have become true inside.
    pairs: BitSet<PairId>,
    /// The patterns that occur at the root, of those for which that matters.
    at_root: BitSet<PatternId>,
}

/// What an expression needs to know of trees.
pub struct Observables<'a> {
    expression: &'a Expression,
    /// The pattern nodes with each rule, of the patterns that the formula speaks of.
    of_rule: HashMap<RuleId, Vec<(PatternId, PatternNodeId)>>,
    /// The patterns that are nothing but an open node: they occur at every node of a nonterminal.
    everywhere: HashMap<NonterminalId, Vec<PatternId>>,
    /// The statements about two patterns.
    pairs: IdVec<PairId, &'a Formula>,
    /// Up to this many occurrences of each pattern are told apart; 0 for those that do not matter.
    most: IdVec<PatternId, u32>,
    /// The patterns of which it matters whether they occur at the root.
    roots: BitSet<PatternId>,
}

impl<'a> Observables<'a> {
    /// What `expression` needs to know.
    pub fn new(expression: &'a Expression) -> Self {
        let patterns = &expression.patterns;
        let mut watch = Self {
            expression,
            of_rule: HashMap::new(),
            everywhere: HashMap::new(),
            pairs: IdVec::new(),
            most: IdVec::filled(0, patterns.len()),
            roots: BitSet::new(),
        };
        watch.need(&expression.formula);
        for (id, named) in patterns.entries().filter(|&(id, _)| watch.most[id] > 0) {
            let pattern = &named.pattern;
            for (node, content) in pattern.nodes().entries() {
                if let PatternNode::Rule(rule, _) = content {
                    watch.of_rule.entry(*rule).or_default().push((id, node));
                }
            }
            if !matches!(pattern.node(pattern.root()), PatternNode::Rule(..)) {
                watch.everywhere.entry(pattern.characteristic()).or_default().push(id);
            }
        }
        watch
    }

    /// Takes note of what a formula needs to know.
    fn need(&mut self, formula: &'a Formula) {
        match formula {
            Formula::Constant(_) => {}
            Formula::Contains(pattern) => self.count_to(*pattern, 1),
            Formula::Count(_, number, pattern) => self.count_to(*pattern, number.saturating_add(1)),
            Formula::Root(pattern) => {
                self.count_to(*pattern, 1);
                self.roots.insert(*pattern);
            }
            Formula::Inside(one, other) | Formula::Before(one, other) => {
                self.count_to(*one, 1);
                self.count_to(*other, 1);
                if !self.pairs.iter().any(|&known| known == formula) {
                    self.pairs.push(formula);
                }
            }
            Formula::Not(inner) => self.need(inner),
            Formula::And(left, right)
            | Formula::Or(left, right)
            | Formula::Xor(left, right)
            | Formula::Implies(left, right) => {
                self.need(left);
                self.need(right);
            }
        }
    }

    fn count_to(&mut self, pattern: PatternId, number: u32) {
        let most = &mut self.most[pattern];
        *most = (*most).max(number);
    }

    /// Whether a node of `lhs` that was expanded by `rule` can match any pattern node.
    pub fn is_watched(&self, lhs: NonterminalId, rule: RuleId) -> bool {
        self.of_rule.contains_key(&rule) || self.everywhere.contains_key(&lhs)
    }

    /// The finding of a subtree in which there is nothing to be found.
    pub fn nothing(&self) -> Finding {
        Finding {
            matches: Vec::new(),
            counts: vec![0; self.most.len()].into(),
            pairs: BitSet::new(),
            at_root: BitSet::new(),
        }
    }

    /// The finding before the first child of a node expanded by `rule`.
    pub fn begin(&self, rule: RuleId) -> Finding {
        let nodes = self.of_rule.get(&rule).map_or(&[][..], Vec::as_slice).iter();
        let matches = nodes.map(|&(pattern, node)| Match { pattern, node, texts: Vec::new() }).collect();
        Finding { matches, ..self.nothing() }
    }

    /// Takes note of one more child, a character of a class.
    pub fn add_char(&self, finding: &mut Finding, position: usize, c: char) {
        finding.matches.retain(|of| self.wanted(of, position) == &PatternNode::Char(c));
    }

    /// The finding after one more child, a node with the finding `inner`, whose text is asked for only if
    /// it matters.
    pub fn with_node(
        &self,
        before: &Finding,
        position: usize,
        inner: &Finding,
        mut text: impl FnMut() -> TextId,
    ) -> Finding {
        let mut after = before.clone();
        after.matches.retain_mut(|of| match *self.wanted(of, position) {
            PatternNode::Abstract(_) => true,
            PatternNode::Bound(_, number) => of.bind(&[(number, text())]),
            PatternNode::Rule(_, _) => {
                let wanted = self.wanted_id(of, position);
                let mut found = inner.matches.iter();
                let found = found.find(|found| found.pattern == of.pattern && found.node == wanted);
                found.is_some_and(|found| of.bind(&found.texts))
            }
            PatternNode::Literal(_) | PatternNode::Char(_) => false,
        });
        for (id, pair) in self.pairs.entries() {
            if let Formula::Before(first, second) = pair
                && before.counts[first.index()] > 0
                && inner.counts[second.index()] > 0
            {
                after.pairs.insert(id);
            }
        }
        after.pairs.union_with(&inner.pairs);
        for (pattern, &most) in self.most.entries() {
            let count = &mut after.counts[pattern.index()];
            *count = most.min(*count + inner.counts[pattern.index()]);
        }
        after
    }

    /// The finding of a node of `lhs` whose children are all known.
    pub fn end(&self, lhs: NonterminalId, mut finding: Finding) -> Finding {
        let patterns = &self.expression.patterns;
        let is_root = |of: &Match| patterns[of.pattern].pattern.root() == of.node;
        let complete = finding.matches.iter().filter(|of| is_root(of)).map(|of| of.pattern);
        let everywhere = self.everywhere.get(&lhs).map_or(&[][..], Vec::as_slice).iter().copied();
        let here: BitSet<PatternId> = complete.chain(everywhere).collect();
        finding.matches.retain(|of| !is_root(of));
        for pattern in here.iter() {
            let count = &mut finding.counts[pattern.index()];
            *count = self.most[pattern].min(*count + 1);
        }
        for (id, pair) in self.pairs.entries() {
            if let Formula::Inside(inner, outer) = pair
                && here.contains(*outer)
                && finding.counts[inner.index()] > 0
            {
                finding.pairs.insert(id);
            }
        }
        finding.at_root = here;
        finding.at_root.intersect_with(&self.roots);
        finding
    }

    fn wanted_id(&self, of: &Match, position: usize) -> PatternNodeId {
        match self.expression.patterns[of.pattern].pattern.node(of.node) {
            PatternNode::Rule(_, children) => children[position],
            other => unreachable!("only nodes with a rule are looked for, not {other:?}"),
        }
    }

    fn wanted(&self, of: &Match, position: usize) -> &'a PatternNode {
        let expression: &'a Expression = self.expression;
        expression.patterns[of.pattern].pattern.node(self.wanted_id(of, position))
    }

    /// Whether a tree with this finding satisfies the expression.
    pub fn holds(&self, finding: &Finding) -> bool {
        self.expression.formula.value(&mut |statement| match statement {
            Formula::Contains(pattern) => finding.counts[pattern.index()] > 0,
            Formula::Count(bound, number, pattern) => {
                bound.holds(finding.counts[pattern.index()] as usize, *number)
            }
            Formula::Root(pattern) => finding.at_root.contains(*pattern),
            other => self.pairs.entries().any(|(id, &pair)| pair == other && finding.pairs.contains(id)),
        })
    }
}
