//! What matters of a subtree to an expression, as names and formulas are defined ([`crate::pattern`]): no automaton.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;
use crate::pattern::bound::BoundNames;
use crate::pattern::reference::{dependencies, order_at};
use crate::pattern::{Condition, Expression, Formula, Pattern, PatternId, PatternNode, PatternNodeId};

id_type!(
    /// A text of the input.
    TextId
);
id_type!(
    /// A statement of the formula about two patterns, by its place among those.
    PairId
);
id_type!(
    /// A pattern, by its place among all alternatives of all names.
    AlternativeId
);

/// The texts of a node, and all texts that were met.
pub trait NodeTexts {
    /// The text of the node without its margins.
    fn of_node(&mut self, margins: Margins) -> TextId;

    /// A text that was met.
    fn content(&self, text: TextId) -> &[u8];
}

/// The texts of bound nodes, by their numbers.
type Binding = Vec<(u32, TextId)>;

/// The ways in which something matches, in order: none when it does not.
type Bindings = Vec<Binding>;

/// A pattern node that matches so far, with the texts of the bound nodes below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Match {
    alternative: AlternativeId,
    node: PatternNodeId,
    binding: Binding,
}

/// How much of a text stands in gaps at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Margins {
    /// The bytes before the first word; all bytes where there is no word.
    pub before: usize,
    /// Whether there is a word.
    pub has_word: bool,
    /// The bytes behind the last word.
    pub behind: usize,
}

impl Margins {
    /// More of the text: a terminal.
    pub fn word(&mut self) {
        self.has_word = true;
        self.behind = 0;
    }

    /// More of the text: this many bytes in a gap.
    pub fn gap(&mut self, length: usize) {
        *(if self.has_word { &mut self.behind } else { &mut self.before }) += length;
    }

    /// More of the text: a node with these margins.
    pub fn node(&mut self, inner: Self) {
        if inner.has_word {
            self.before += if self.has_word { 0 } else { inner.before };
            self.has_word = true;
            self.behind = inner.behind;
        } else {
            self.gap(inner.before);
        }
    }
}

/// What matters of a subtree, or of the first few children of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Of a subtree: the pattern nodes, roots apart, that match at its root. Of the first few children:
    /// the pattern nodes of the rule that they allow. In order, each way of binding once.
    matches: Vec<Match>,
    /// Of a subtree: the names that occur at its root, of those that conditions speak of, with each way.
    here: Vec<(PatternId, Binding)>,
    /// The names that occur inside, of those that conditions seek, with each way.
    inside: Vec<(PatternId, Binding)>,
    /// How often each name occurs inside, up to what the formula can tell apart.
    counts: Box<[u32]>,
    /// The statements about two names that have become true inside.
    pairs: BitSet<PairId>,
    /// The names that occur at the root, of those for which that matters to the formula.
    at_root: BitSet<PatternId>,
    /// What of the text stands in gaps, where that matters.
    margins: Margins,
}

impl Finding {
    /// What of the text stands in gaps, where that matters.
    pub fn margins(&self) -> Margins {
        self.margins
    }

    /// In how many ways pattern nodes and names match.
    pub fn ways(&self) -> usize {
        self.matches.len() + self.here.len() + self.inside.len()
    }
}

/// What an expression needs to know of trees.
pub struct Observables<'a> {
    grammar: &'a Grammar,
    expression: &'a Expression,
    /// All alternatives of all names that matter.
    alternatives: IdVec<AlternativeId, (PatternId, &'a Pattern)>,
    /// The pattern nodes with each rule.
    of_rule: HashMap<RuleId, Vec<(AlternativeId, PatternNodeId)>>,
    /// The alternatives that are nothing but an open node. What conditions speak of is dealt with before.
    open: HashMap<NonterminalId, Vec<AlternativeId>>,
    /// The statements about two patterns.
    pairs: IdVec<PairId, &'a Formula>,
    /// Up to this many occurrences of each name are told apart; 0 for those that the formula does not speak of.
    most: IdVec<PatternId, u32>,
    /// The names of which it matters to the formula whether they occur at the root.
    roots: BitSet<PatternId>,
    /// The names that conditions of inner nodes speak of.
    asked: BitSet<PatternId>,
    /// The names that conditions seek in whole subtrees.
    sought: BitSet<PatternId>,
    /// The numbers that may be given several texts.
    numbers: Vec<u32>,
    /// Whether texts may stand in gaps.
    has_gaps: bool,
}

impl<'a> Observables<'a> {
    /// What `expression` needs to know of trees of `grammar`.
    pub fn new(grammar: &'a Grammar, expression: &'a Expression) -> Self {
        let patterns = &expression.patterns;
        let numbers: Vec<u32> = BoundNames::new(patterns).numbers().collect();
        let mut watch = Self {
            grammar,
            expression,
            alternatives: IdVec::new(),
            of_rule: HashMap::new(),
            open: HashMap::new(),
            pairs: IdVec::new(),
            most: IdVec::filled(0, patterns.len()),
            roots: BitSet::new(),
            asked: BitSet::new(),
            sought: BitSet::new(),
            has_gaps: !numbers.is_empty() && grammar.nonterminals().ids().any(|id| is_gap(grammar, id)),
            numbers,
        };
        expression.formula.statements(&mut |statement| watch.need(statement));
        let dependencies = dependencies(patterns);
        let needed = patterns.ids().filter(|&id| watch.most[id] > 0);
        let needed: BitSet<PatternId> = needed.flat_map(|id| dependencies[id].iter()).collect();
        for name in needed.iter() {
            for pattern in &patterns[name].alternatives {
                watch.add(name, pattern);
            }
        }
        for (&nonterminal, open) in &mut watch.open {
            let order = order_at(patterns, nonterminal);
            let alternatives = &watch.alternatives;
            open.sort_by_key(|&id| order.iter().position(|&name| name == alternatives[id].0));
        }
        watch
    }

    fn add(&mut self, name: PatternId, pattern: &'a Pattern) {
        let id = self.alternatives.push((name, pattern));
        for (node, content) in pattern.nodes().entries() {
            if let PatternNode::Rule(rule, _) = content {
                self.of_rule.entry(*rule).or_default().push((id, node));
            }
            let names = content.condition().map(Condition::names).unwrap_or_default();
            for (name, is_inside) in names {
                if is_inside {
                    self.sought.insert(name);
                } else if node != pattern.root() {
                    self.asked.insert(name);
                }
            }
        }
        if pattern.node(pattern.root()).open().is_some() {
            self.open.entry(pattern.characteristic()).or_default().push(id);
        }
    }

    /// Takes note of what a statement of the formula needs to know.
    fn need(&mut self, statement: &'a Formula) {
        match statement {
            Formula::Count(_, number, pattern) => self.count_to(*pattern, number.saturating_add(1)),
            Formula::Root(pattern) => {
                self.count_to(*pattern, 1);
                self.roots.insert(*pattern);
            }
            Formula::Inside(one, other) | Formula::Before(one, other) => {
                self.count_to(*one, 1);
                self.count_to(*other, 1);
                if !self.pairs.iter().any(|&known| known == statement) {
                    self.pairs.push(statement);
                }
            }
            other => other.names().into_iter().for_each(|pattern| self.count_to(pattern, 1)),
        }
    }

    fn count_to(&mut self, pattern: PatternId, number: u32) {
        let most = &mut self.most[pattern];
        *most = (*most).max(number);
    }

    /// Whether a node of `lhs` that was expanded by `rule` can match any pattern node.
    pub fn is_watched(&self, lhs: NonterminalId, rule: RuleId) -> bool {
        self.of_rule.contains_key(&rule) || self.open.contains_key(&lhs)
    }

    /// Whether it matters what of a text stands in gaps.
    pub fn has_gaps(&self) -> bool {
        self.has_gaps
    }

    /// The finding of a subtree in which there is nothing to be found.
    pub fn nothing(&self, margins: Margins) -> Finding {
        Finding {
            matches: Vec::new(),
            here: Vec::new(),
            inside: Vec::new(),
            counts: vec![0; self.most.len()].into(),
            pairs: BitSet::new(),
            at_root: BitSet::new(),
            margins,
        }
    }

    /// The finding before the first child of a node expanded by `rule`.
    pub fn begin(&self, rule: RuleId) -> Finding {
        let nodes = self.of_rule.get(&rule).map_or(&[][..], Vec::as_slice).iter();
        let mut matches: Vec<Match> =
            nodes.map(|&(alternative, node)| Match { alternative, node, binding: Binding::new() }).collect();
        matches.sort_unstable();
        Finding { matches, ..self.nothing(Margins::default()) }
    }

    /// Takes note of one more child, a literal.
    pub fn add_literal(&self, finding: &mut Finding) {
        if self.has_gaps {
            finding.margins.word();
        }
    }

    /// Takes note of one more child, a character of a class.
    pub fn add_char(&self, finding: &mut Finding, position: usize, c: char) {
        self.add_literal(finding);
        finding.matches.retain(|of| match self.wanted(of, position) {
            PatternNode::Char(wanted) => *wanted == c,
            PatternNode::Letter(wanted) => wanted.eq_ignore_ascii_case(&c),
            other => *other == PatternNode::AnyChar,
        });
    }

    /// The margins after one more child, a node of `nonterminal`, `length` bytes long.
    pub fn with_margins(
        &self,
        mut before: Margins,
        nonterminal: NonterminalId,
        inner: Margins,
        length: usize,
    ) -> Margins {
        if !self.has_gaps {
        } else if is_gap(self.grammar, nonterminal) {
            before.gap(length);
        } else {
            before.node(inner);
        }
        before
    }

    /// The finding after one more child, a node with its length in bytes and the finding `inner`, whose text is asked for
    /// only if it matters.
    pub fn with_node(
        &self,
        before: &Finding,
        (rule, position): (RuleId, usize),
        (inner, length): (&Finding, usize),
        texts: &mut impl NodeTexts,
    ) -> Finding {
        let mut after = before.clone();
        let Symbol::Nonterminal(nonterminal) = self.grammar.rule(rule).symbols[position] else {
            unreachable!("a node stands for a nonterminal")
        };
        after.margins = self.with_margins(before.margins, nonterminal, inner.margins, length);
        after.matches.clear();
        for of in &before.matches {
            let ways = match self.wanted(of, position) {
                PatternNode::Literal(_)
                | PatternNode::Char(_)
                | PatternNode::Letter(_)
                | PatternNode::AnyChar => continue,
                PatternNode::Rule(..) => {
                    let wanted = self.wanted_id(of, position);
                    let found = inner.matches.iter();
                    let found =
                        found.filter(|found| found.alternative == of.alternative && found.node == wanted);
                    found.map(|found| found.binding.clone()).collect()
                }
                open => self.of_open(open, inner, || texts.of_node(inner.margins)),
            };
            for binding in ways.iter().filter_map(|way| agree(&of.binding, way)) {
                after.matches.push(Match { binding, ..*of });
            }
        }
        after.matches.sort_unstable();
        after.matches.dedup();
        for (id, pair) in self.pairs.entries() {
            if let Formula::Before(first, second) = pair
                && before.counts[first.index()] > 0
                && inner.counts[second.index()] > 0
            {
                after.pairs.insert(id);
            }
        }
        after.pairs.union_with(&inner.pairs);
        after.inside.extend(inner.inside.iter().cloned());
        after.inside.sort_unstable();
        after.inside.dedup();
        for (pattern, &most) in self.most.entries() {
            let count = &mut after.counts[pattern.index()];
            *count = most.min(*count + inner.counts[pattern.index()]);
        }
        after
    }

    /// The ways in which an open pattern node matches a subtree.
    fn of_open(&self, wanted: &PatternNode, found: &Finding, mut text: impl FnMut() -> TextId) -> Bindings {
        let number = wanted.number().filter(|number| self.numbers.contains(number));
        let own: Binding = number.map(|number| (number, text())).into_iter().collect();
        match wanted.condition() {
            None => vec![own],
            Some(condition) => join(&[own], &of_condition(condition.formula(), found)),
        }
    }

    /// The finding of a node of `lhs` whose children are all known.
    pub fn end(&self, lhs: NonterminalId, mut finding: Finding, texts: &mut impl NodeTexts) -> Finding {
        let is_root = |of: &Match| self.alternatives[of.alternative].1.root() == of.node;
        let (mut roots, inner): (Vec<Match>, Vec<Match>) =
            std::mem::take(&mut finding.matches).into_iter().partition(is_root);
        finding.matches = inner;
        roots.retain(|of| is_met(self.alternatives[of.alternative].1, &of.binding, texts));
        let name = |of: Match| (self.alternatives[of.alternative].0, of.binding);
        let mut here: Vec<(PatternId, Binding)> = roots.into_iter().map(name).collect();
        let sought = |(name, _): &&(PatternId, Binding)| self.sought.contains(*name);
        finding.inside.extend(here.iter().filter(sought).cloned());
        finding.here.clear();
        for &id in self.open.get(&lhs).map_or(&[][..], Vec::as_slice) {
            let (name, pattern) = self.alternatives[id];
            // What is known of the node so far, as conditions see it.
            finding.here.clone_from(&here);
            let margins = finding.margins;
            let mut ways = self.of_open(pattern.node(pattern.root()), &finding, || texts.of_node(margins));
            ways.retain(|way| is_met(pattern, way, texts));
            let ways = ways.into_iter().map(|way| (name, way));
            if self.sought.contains(name) {
                finding.inside.extend(ways.clone());
            }
            here.extend(ways);
        }
        finding.inside.sort_unstable();
        finding.inside.dedup();
        let names: BitSet<PatternId> = here.iter().map(|(name, _)| *name).collect();
        here.retain(|(name, _)| self.asked.contains(*name));
        here.sort_unstable();
        here.dedup();
        finding.here = here;
        for pattern in names.iter() {
            let count = &mut finding.counts[pattern.index()];
            *count = self.most[pattern].min(*count + 1);
        }
        for (id, pair) in self.pairs.entries() {
            if let Formula::Inside(inner, outer) = pair
                && names.contains(*outer)
                && finding.counts[inner.index()] > 0
            {
                finding.pairs.insert(id);
            }
        }
        finding.at_root = names;
        finding.at_root.intersect_with(&self.roots);
        finding
    }

    fn wanted_id(&self, of: &Match, position: usize) -> PatternNodeId {
        match self.alternatives[of.alternative].1.node(of.node) {
            PatternNode::Rule(_, children) => children[position],
            other => unreachable!("only nodes with a rule are looked for, not {other:?}"),
        }
    }

    fn wanted(&self, of: &Match, position: usize) -> &'a PatternNode {
        let pattern: &'a Pattern = self.alternatives[of.alternative].1;
        pattern.node(self.wanted_id(of, position))
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

/// Whether what a pattern asks of texts holds of these.
fn is_met(pattern: &Pattern, binding: &Binding, texts: &impl NodeTexts) -> bool {
    let text = |number| {
        let place = binding.binary_search_by_key(&number, |known| known.0).ok()?;
        Some(texts.content(binding[place].1))
    };
    pattern.constraint().is_none_or(|constraint| constraint.holds(&text))
}

/// The ways in which the formula of a condition holds of a subtree. Recursion is as deep as the formula, whose depth
/// its reader limits.
fn of_condition(formula: &Formula, found: &Finding) -> Bindings {
    let is_so = |holds: bool| if holds { vec![Binding::new()] } else { Vec::new() };
    let not = |ways: Bindings| is_so(ways.is_empty());
    let of = |formula: &Formula| of_condition(formula, found);
    let among = |found: &[(PatternId, Binding)], name: PatternId| -> Bindings {
        found.iter().filter(|(found, _)| *found == name).map(|(_, binding)| binding.clone()).collect()
    };
    let either = |mut one: Bindings, other: Bindings| {
        one.extend(other);
        one
    };
    match formula {
        Formula::Constant(value) => is_so(*value),
        Formula::Root(name) => among(&found.here, *name),
        Formula::Contains(name) => among(&found.inside, *name),
        Formula::Not(inner) => not(of(inner)),
        Formula::And(left, right) => join(&of(left), &of(right)),
        Formula::Or(left, right) => either(of(left), of(right)),
        Formula::Implies(left, right) => either(not(of(left)), of(right)),
        Formula::Xor(left, right) => {
            either(join(&of(left), &not(of(right))), join(&not(of(left)), &of(right)))
        }
        Formula::Count(..) | Formula::Inside(..) | Formula::Before(..) | Formula::Some(..) => {
            unreachable!("{formula:?} is no statement about a node")
        }
    }
}

/// The bindings of both that agree.
fn join(one: &[Binding], other: &[Binding]) -> Bindings {
    one.iter().flat_map(|one| other.iter().filter_map(|other| agree(one, other))).collect()
}

/// Both bindings together, if they agree.
fn agree(one: &Binding, other: &Binding) -> Option<Binding> {
    let mut both = one.clone();
    for &(number, text) in other {
        match both.binary_search_by_key(&number, |known| known.0) {
            Ok(place) if both[place].1 != text => return None,
            Ok(_) => {}
            Err(place) => both.insert(place, (number, text)),
        }
    }
    Some(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A text, `.` for each byte in a gap, and its margins, as a part of others.
    fn whole(text: &str) -> Margins {
        let mut margins = Margins::default();
        for byte in text.bytes() {
            if byte == b'.' { margins.gap(1) } else { margins.word() }
        }
        margins
    }

    proptest! {
        #[test]
        fn margins_of_nodes_are_those_of_their_texts_together(texts in proptest::collection::vec("[.w]{0,4}", 0..4)) {
            let mut margins = Margins::default();
            for text in &texts {
                margins.node(whole(text));
            }
            prop_assert_eq!(margins, whole(&texts.concat()));
            let text = texts.concat();
            let begin = text.find('w');
            let expected = Margins {
                before: begin.unwrap_or(text.len()),
                has_word: begin.is_some(),
                behind: text.rfind('w').map_or(0, |last| text.len() - last - 1),
            };
            prop_assert_eq!(margins, expected);
        }
    }
}
