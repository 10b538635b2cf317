//! What names, patterns and conditions mean: the definition, on one tree.
//!
//! A pattern matches at a node in one or more ways, which differ in what text each number of its bound nodes
//! stands for: a [`Binding`]. An abstract node binds nothing, a bound one its number to its text, and a condition
//! that refers to a name whatever that name binds there. A pattern matches with the bindings of its nodes put
//! together, as far as they agree. What is under a negation binds nothing: `!X` says that X has no match at all.
//!
//! The text of a node is what it derives, without what stands in the gaps between words before and behind it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::base::id::{Id, IdVec};
use crate::base::interner::Interner;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId};
use crate::id_type;
use crate::tree::{Label, NodeId, Tree};

use super::expression::{Formula, NamedPattern, PatternId};
use super::model::{Pattern, PatternNode};
use super::reference::order_at;

id_type!(
    /// A text that bound nodes stand for.
    TextId
);

/// The text of each number.
pub type Binding = BTreeMap<u32, TextId>;

/// The ways in which something matches: none when it does not.
type Bindings = BTreeSet<Binding>;

/// Where names match in a tree.
pub struct Matching<'a> {
    grammar: &'a Grammar,
    tree: &'a Tree,
    /// The patterns of each nonterminal, with the names of which they are alternatives. Those that depend on
    /// others at the same node come behind them.
    patterns: HashMap<NonterminalId, Vec<(PatternId, &'a Pattern)>>,
    texts: Interner<TextId, Vec<u8>>,
    found: IdVec<PatternId, HashMap<NodeId, Bindings>>,
}

impl<'a> Matching<'a> {
    /// Where the names of `patterns` match in `tree`.
    pub fn new(grammar: &'a Grammar, patterns: &'a IdVec<PatternId, NamedPattern>, tree: &'a Tree) -> Self {
        let all = patterns.iter().flat_map(|named| &named.alternatives).map(Pattern::characteristic);
        let of_nonterminal = |nonterminal| {
            let order = order_at(patterns, nonterminal).into_iter();
            let all = order.flat_map(|name| patterns[name].alternatives.iter().map(move |one| (name, one)));
            all.filter(|(_, pattern)| pattern.characteristic() == nonterminal).collect()
        };
        let mut matching = Self {
            grammar,
            tree,
            patterns: all.map(|nonterminal| (nonterminal, of_nonterminal(nonterminal))).collect(),
            texts: Interner::new(),
            found: IdVec::filled(HashMap::new(), patterns.len()),
        };
        // Conditions look at nodes below, and at names that were dealt with before.
        for node in tree.postorder(tree.root()) {
            let Some(nonterminal) = tree.nonterminal(grammar, node) else { continue };
            let Some(patterns) = matching.patterns.get(&nonterminal).cloned() else { continue };
            for (name, pattern) in patterns {
                let bindings = matching.of_pattern(pattern, node);
                if !bindings.is_empty() {
                    matching.found[name].entry(node).or_default().extend(bindings);
                }
            }
        }
        matching
    }

    /// Whether a name occurs at a node.
    pub fn occurs(&self, name: PatternId, node: NodeId) -> bool {
        self.found[name].contains_key(&node)
    }

    /// The ways in which a pattern matches at a node of its nonterminal.
    fn of_pattern(&mut self, pattern: &Pattern, node: NodeId) -> Bindings {
        let Some(open) = pattern.open_nodes(self.tree, node) else { return Bindings::new() };
        let mut bindings = Bindings::from([Binding::new()]);
        for (wanted, node) in open {
            let (number, condition) = match pattern.node(wanted) {
                PatternNode::Abstract(_) => continue,
                PatternNode::Bound(_, number) => (Some(*number), None),
                PatternNode::Where(_, number, condition) => (*number, Some(condition)),
                other => unreachable!("{other:?} is not open"),
            };
            if let Some(number) = number {
                let text = bound_text(self.grammar, self.tree, node);
                let text = self.texts.intern(text);
                bindings = join(&bindings, &Bindings::from([Binding::from([(number, text)])]));
            }
            if let Some(condition) = condition {
                bindings = join(&bindings, &self.of_condition(condition.formula(), node));
            }
            if bindings.is_empty() {
                break;
            }
        }
        if let Some(constraint) = pattern.constraint() {
            let text = |binding: &Binding, number| {
                binding.get(&number).map(|&id| self.texts.values()[id].as_slice())
            };
            bindings.retain(|binding| constraint.holds(&|number| text(binding, number)));
        }
        bindings
    }

    /// The ways in which the formula of a condition holds at a node. Recursion is as deep as the formula, whose
    /// depth its reader limits.
    fn of_condition(&self, formula: &Formula, node: NodeId) -> Bindings {
        let is_so = |holds: bool| if holds { Bindings::from([Binding::new()]) } else { Bindings::new() };
        let not = |bindings: Bindings| is_so(bindings.is_empty());
        let of = |formula: &Formula| self.of_condition(formula, node);
        match formula {
            Formula::Constant(value) => is_so(*value),
            Formula::Root(name) => self.found[*name].get(&node).cloned().unwrap_or_default(),
            Formula::Contains(name) => {
                let below = self.tree.preorder(node).filter_map(|node| self.found[*name].get(&node));
                below.flatten().cloned().collect()
            }
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
}

/// The bindings of both that agree.
fn join(one: &Bindings, other: &Bindings) -> Bindings {
    let both = one.iter().flat_map(|one| other.iter().filter_map(move |other| agree(one, other)));
    both.collect()
}

fn agree(one: &Binding, other: &Binding) -> Option<Binding> {
    let mut both = one.clone();
    for (&number, &text) in other {
        if *both.entry(number).or_insert(text) != text {
            return None;
        }
    }
    Some(both)
}

fn either(mut one: Bindings, other: Bindings) -> Bindings {
    one.extend(other);
    one
}

/// The text of a node as far as it is compared: without what stands in gaps at its ends. That of a gap itself is
/// all that stands there.
pub fn bound_text(grammar: &Grammar, tree: &Tree, node: NodeId) -> Vec<u8> {
    let mut text = Vec::new();
    tree.write_yield(grammar, node, &mut text);
    let range = bound_range(grammar, tree, node);
    text.truncate(range.end);
    text.drain(..range.start);
    text
}

/// Where the [text that is compared](bound_text) stands in the whole text of a node.
pub fn bound_range(grammar: &Grammar, tree: &Tree, node: NodeId) -> Range<usize> {
    let mut text = Vec::new();
    // Where the first word begins, and where the last one ends.
    let (mut begin, mut end) = (None, 0);
    let mut open = vec![node];
    while let Some(next) = open.pop() {
        match tree.label(next) {
            Label::Rule(rule) if next != node && is_gap(grammar, grammar.rule(rule).lhs) => {
                tree.write_yield(grammar, next, &mut text);
            }
            Label::Rule(_) => open.extend(tree.children(next).iter().rev()),
            Label::Literal(_) | Label::Char(_) => {
                begin.get_or_insert(text.len());
                tree.write_yield(grammar, next, &mut text);
                end = text.len();
            }
        }
    }
    begin.unwrap_or(0)..end
}

impl Pattern {
    /// Whether, at a node that matches, all subtrees with the same number yield the same text.
    pub fn is_bound_equally(&self, grammar: &Grammar, tree: &Tree, node: NodeId) -> bool {
        let mut texts: HashMap<u32, Vec<u8>> = HashMap::new();
        self.bound_nodes(tree, node).into_iter().all(|(number, node)| {
            let text = bound_text(grammar, tree, node);
            *texts.entry(number).or_insert_with(|| text.clone()) == text
        })
    }

    /// All nodes of `tree` at which the pattern occurs, which refers to no names, in document order.
    pub fn occurrences(&self, grammar: &Grammar, tree: &Tree) -> Vec<NodeId> {
        let patterns = IdVec::from_iter([NamedPattern::new("", self.clone())]);
        let matching = Matching::new(grammar, &patterns, tree);
        tree.preorder(tree.root()).filter(|&node| matching.occurs(PatternId::new(0), node)).collect()
    }
}
