//! What bound nodes ask for: that texts are equal, or that a constraint holds of them.
//!
//! No context-free grammar, and so no tree automaton, can say that two texts are equal. What can be
//! said is the next best thing on either side: [`Expression::relaxed`] takes bound nodes as abstract,
//! and asks for so little that every tree that satisfies the expression satisfies it as well. A
//! statement about a name with bound nodes implies the same about the name without, so it is
//! replaced by that where it stands for itself; under a negation, where the name may occur
//! at nodes whose texts differ, nothing can be concluded, and it is dropped. The conditions of
//! placeholders are relaxed in the same way.

use std::collections::BTreeMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::tree::{NodeId, Tree};

use super::condition::Condition;
use super::expression::{Bound, Expression, Formula, NamedPattern, PatternId};
use super::model::{Pattern, PatternNode};
use super::surrounding::Surrounding;

/// A formula that would become larger than this is given up for one that says nothing. Only `xor` of
/// formulas with bound nodes on both sides doubles what it is made of.
const MOST_PARTS: usize = 2_000;

impl Pattern {
    /// Whether two nodes or more have the same number, so that equality is asked for.
    pub fn is_bound(&self) -> bool {
        let mut numbers: Vec<u32> = self.nodes().iter().filter_map(PatternNode::number).collect();
        numbers.sort_unstable();
        numbers.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The nodes of `tree` at the pattern's bound nodes, with their numbers, in document order, when
    /// the subtree at `node` matches.
    pub fn bound_nodes(&self, tree: &Tree, node: NodeId) -> Vec<(u32, NodeId)> {
        let open = self.open_nodes(tree, node).unwrap_or_default().into_iter();
        open.filter_map(|(wanted, node)| Some((self.node(wanted).number()?, node))).collect()
    }
}

/// How often each number of bound nodes is given a text: 1, or 2 for several times.
type Uses = BTreeMap<u32, u8>;

/// What the names of an expression have to do with equal texts.
pub struct BoundNames {
    /// How often one match of a name gives each number a text.
    uses: IdVec<PatternId, Uses>,
    /// The names that depend on texts: on their equality, or by a constraint.
    depending: BitSet<PatternId>,
}

impl BoundNames {
    /// What these names have to do with it.
    pub fn new(patterns: &IdVec<PatternId, NamedPattern>) -> Self {
        let mut bound = Self { uses: IdVec::filled(Uses::new(), patterns.len()), depending: BitSet::new() };
        let mut has_grown = true;
        while std::mem::take(&mut has_grown) {
            for (name, named) in patterns.entries() {
                let mut uses = Uses::new();
                for pattern in &named.alternatives {
                    larger(&mut uses, &bound.of_pattern(pattern));
                }
                has_grown |= uses != bound.uses[name];
                bound.uses[name] = uses;
            }
        }
        has_grown = true;
        while std::mem::take(&mut has_grown) {
            for (name, named) in patterns.entries() {
                let is_several = bound.uses[name].values().any(|&uses| uses > 1);
                let is_constrained = named.alternatives.iter().any(|pattern| pattern.constraint().is_some());
                let mut conditions = named.alternatives.iter().flat_map(Pattern::conditions);
                if is_several
                    || is_constrained
                    || conditions.any(|condition| bound.is_needed(condition.formula()))
                {
                    has_grown |= bound.depending.insert(name);
                }
            }
        }
        bound
    }

    /// The numbers whose texts matter: all of them, if any name depends on equality. (One that no match gives two texts
    /// may still be given two where a condition asks for several names at once, under a negation as well.)
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let uses = if self.depending.is_empty() { &[] } else { self.uses.as_slice() };
        uses.iter().flatten().map(|(&number, _)| number)
    }

    /// Whether a name depends on the equality of texts.
    pub fn depends(&self, name: PatternId) -> bool {
        self.depending.contains(name)
    }

    fn of_pattern(&self, pattern: &Pattern) -> Uses {
        let mut uses = Uses::new();
        for node in pattern.nodes() {
            if let Some(number) = node.number() {
                more(&mut uses, &Uses::from([(number, 1)]));
            }
            if let Some(condition) = node.condition() {
                more(&mut uses, &self.of_condition(condition.formula()));
            }
        }
        uses
    }

    /// What is under a negation binds nothing.
    fn of_condition(&self, formula: &Formula) -> Uses {
        match formula {
            Formula::Root(name) | Formula::Contains(name) => self.uses[*name].clone(),
            Formula::And(left, right) => {
                let mut uses = self.of_condition(left);
                more(&mut uses, &self.of_condition(right));
                uses
            }
            Formula::Or(left, right) | Formula::Xor(left, right) => {
                let mut uses = self.of_condition(left);
                larger(&mut uses, &self.of_condition(right));
                uses
            }
            Formula::Implies(_, right) => self.of_condition(right),
            _ => Uses::new(),
        }
    }

    /// Whether what a condition says depends on the equality of texts.
    fn is_needed(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Root(name) | Formula::Contains(name) => self.depends(*name),
            Formula::And(left, right) => {
                let is_several = self.of_condition(formula).values().any(|&uses| uses > 1);
                is_several || self.is_needed(left) || self.is_needed(right)
            }
            Formula::Not(inner) => self.is_needed(inner),
            Formula::Or(left, right) | Formula::Xor(left, right) | Formula::Implies(left, right) => {
                self.is_needed(left) || self.is_needed(right)
            }
            _ => false,
        }
    }

    /// What can be said of a condition without the equality of texts.
    fn limits(&self, formula: &Formula) -> Limits {
        if !self.is_needed(formula) {
            return Limits { over: formula.clone(), under: formula.clone() };
        }
        let no = Formula::Constant(false);
        match formula {
            Formula::And(left, right) => {
                let (left, right) = (self.limits(left), self.limits(right));
                // Each may match in a way of its own.
                Limits { over: both(left.over, right.over), under: no }
            }
            Formula::Not(_) | Formula::Or(..) | Formula::Xor(..) | Formula::Implies(..) => {
                Limits::of_operator(formula, |formula| self.limits(formula))
            }
            _ => Limits { over: formula.clone(), under: no },
        }
    }
}

fn more(uses: &mut Uses, others: &Uses) {
    for (&number, &times) in others {
        let known = uses.entry(number).or_default();
        *known = (*known + times).min(2);
    }
}

fn larger(uses: &mut Uses, others: &Uses) {
    for (&number, &times) in others {
        let known = uses.entry(number).or_default();
        *known = times.max(*known);
    }
}

impl Expression {
    /// Whether the formula depends on the equality of texts: it speaks of a name that does.
    pub fn is_bound(&self) -> bool {
        let bound = BoundNames::new(&self.patterns);
        self.formula.names().into_iter().any(|name| bound.depends(name))
    }

    /// An expression without bound nodes that holds of every tree of which this one holds, and of as few
    /// others as can be said statement by statement.
    #[must_use]
    pub fn relaxed(&self) -> Self {
        let bound = BoundNames::new(&self.patterns);
        let relaxed = |pattern: &Pattern| {
            pattern.unbound().with_nodes(|node| match node {
                PatternNode::Where(nonterminal, number, condition) => {
                    let over = bound.limits(condition.formula()).over;
                    let condition = Condition::of_formula(&over).unwrap_or_else(|| condition.clone());
                    PatternNode::Where(*nonterminal, *number, condition)
                }
                other => other.clone(),
            })
        };
        let patterns = self.patterns.iter().map(|named| NamedPattern {
            name: named.name.clone(),
            alternatives: named.alternatives.iter().map(relaxed).collect(),
        });
        Self { start: self.start, patterns: patterns.collect(), formula: limits(&self.formula, &bound).over }
    }
}

/// What can be said of a formula with bound nodes by formulas without.
fn limits(formula: &Formula, bound: &BoundNames) -> Limits {
    if !formula.names().into_iter().any(|name| bound.depends(name)) {
        return Limits { over: formula.clone(), under: formula.clone() };
    }
    let (yes, no) = (Formula::Constant(true), Formula::Constant(false));
    match formula {
        Formula::Constant(_)
        | Formula::Contains(_)
        | Formula::Inside(..)
        | Formula::Before(..)
        | Formula::Root(_) => Limits { over: formula.clone(), under: no },
        // The name occurs at no more nodes than it does without the equality of texts.
        Formula::Count(Bound::AtLeast, 0, _) => Limits { over: yes.clone(), under: yes },
        Formula::Count(Bound::AtLeast, ..) => Limits { over: formula.clone(), under: no },
        // What must not be there, and depends on the equality of texts, is not asked about.
        Formula::Some(name, surroundings) => {
            let is_kept = |it: &&Surrounding| it.is_there || !bound.depends(it.name);
            // Where fewer boundaries are, more is inside of something.
            let with_less = |it: &Surrounding| Surrounding {
                within: it.within.filter(|&name| !it.is_there || !bound.depends(name)),
                ..*it
            };
            let kept = surroundings.iter().filter(is_kept).map(with_less).collect();
            Limits { over: Formula::Some(*name, kept), under: no }
        }
        Formula::Count(Bound::AtMost, ..) => Limits { over: yes, under: formula.clone() },
        Formula::Count(Bound::Exactly, 0, _) => Limits { over: yes, under: formula.clone() },
        Formula::Count(Bound::Exactly, number, pattern) => {
            Limits { over: Formula::Count(Bound::AtLeast, *number, *pattern), under: no }
        }
        Formula::And(left, right) => {
            let (left, right) = (limits(left, bound), limits(right, bound));
            Limits { over: both(left.over, right.over), under: both(left.under, right.under) }
        }
        Formula::Not(_) | Formula::Or(..) | Formula::Xor(..) | Formula::Implies(..) => {
            Limits::of_operator(formula, |formula| limits(formula, bound))
        }
    }
}

/// Formulas without bound nodes on either side of one with: `under` implies it, and it implies `over`.
struct Limits {
    over: Formula,
    under: Formula,
}

impl Limits {
    /// What can be said of an operator other than `and`, given that of its operands.
    fn of_operator(formula: &Formula, of: impl Fn(&Formula) -> Self) -> Self {
        match formula {
            Formula::Not(inner) => {
                let inner = of(inner);
                Self { over: !inner.under, under: !inner.over }
            }
            Formula::Or(left, right) => {
                let (left, right) = (of(left), of(right));
                Self { over: either(left.over, right.over), under: either(left.under, right.under) }
            }
            Formula::Implies(left, right) => {
                let (left, right) = (of(left), of(right));
                Self { over: either(!left.under, right.over), under: either(!left.over, right.under) }
            }
            Formula::Xor(left, right) => {
                let (left, right) = (of(left), of(right));
                if left.parts() + right.parts() > MOST_PARTS {
                    return Self { over: Formula::Constant(true), under: Formula::Constant(false) };
                }
                Self {
                    over: either(
                        both(left.over.clone(), !right.under.clone()),
                        both(!left.under.clone(), right.over.clone()),
                    ),
                    under: either(both(left.under, !right.over), both(!left.over, right.under)),
                }
            }
            other => unreachable!("{other:?} is no such operator"),
        }
    }

    fn parts(&self) -> usize {
        parts(&self.over) + parts(&self.under)
    }
}

fn parts(formula: &Formula) -> usize {
    match formula {
        Formula::Not(inner) => 1 + parts(inner),
        Formula::And(left, right)
        | Formula::Or(left, right)
        | Formula::Xor(left, right)
        | Formula::Implies(left, right) => 1 + parts(left) + parts(right),
        _ => 1,
    }
}

fn both(left: Formula, right: Formula) -> Formula {
    match (left, right) {
        (Formula::Constant(true), other) | (other, Formula::Constant(true)) => other,
        (Formula::Constant(false), _) | (_, Formula::Constant(false)) => Formula::Constant(false),
        (left, right) => left & right,
    }
}

fn either(left: Formula, right: Formula) -> Formula {
    match (left, right) {
        (Formula::Constant(false), other) | (other, Formula::Constant(false)) => other,
        (Formula::Constant(true), _) | (_, Formula::Constant(true)) => Formula::Constant(true),
        (left, right) => left | right,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::pattern::arbitrary::{bound_referring_expression, referring_recipes};
    use crate::tree::trees_up_to;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_is_relaxed_holds_wherever_the_expression_does(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
            let relaxed = expression.relaxed();
            let negated = expression.negated().relaxed();
            prop_assert!(!relaxed.is_bound());
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                let holds = expression.holds(&grammar, &tree);
                prop_assert!(!holds || relaxed.holds(&grammar, &tree));
                prop_assert!(holds || negated.holds(&grammar, &tree));
                if !expression.is_bound() {
                    prop_assert_eq!(holds, relaxed.holds(&grammar, &tree));
                }
            }
        }
    }
}
