//! The concrete nodes of all patterns of an expression, and the conditions of their placeholders, equal ones once.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::id_type;
use crate::pattern::reference::{dependencies, order_at};
use crate::pattern::{Condition, Expression, Pattern, PatternId, PatternNode};

id_type!(
    /// A concrete pattern node. Equal nodes of different patterns have the same id.
    ConcreteId
);

id_type!(
    /// A condition of a placeholder.
    ConditionId
);

/// What a concrete node wants of one symbol of its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// Anything.
    Any,
    /// A subtree that matches this node.
    Node(ConcreteId),
    /// This character.
    Char(char),
    /// This small letter, or the capital one.
    Letter(char),
    /// A subtree that meets this condition.
    Where(ConditionId),
}

impl Want {
    /// The characters that are wanted; none where it is no character, or any.
    pub fn chars(self) -> impl Iterator<Item = char> {
        let chars = match self {
            Self::Char(c) => [Some(c), None],
            Self::Letter(c) => [Some(c), Some(c.to_ascii_uppercase())],
            Self::Any | Self::Node(_) | Self::Where(_) => [None, None],
        };
        chars.into_iter().flatten()
    }
}

/// A concrete pattern node.
#[derive(Clone, Debug)]
pub struct Concrete {
    /// The rule that must have been used.
    pub rule: RuleId,
    /// What is wanted of each symbol of the rule.
    pub wants: Box<[Want]>,
    /// The names in whose patterns the node stands.
    pub patterns: BitSet<PatternId>,
    /// The names of which it is the root.
    pub completes: BitSet<PatternId>,
    /// Whether another node wants it.
    pub is_wanted: bool,
    /// Where it stands first: the name, and its number there in document order.
    pub place: (PatternId, usize),
}

/// A condition that a concrete node has for one of its symbols.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The nonterminal of the symbol.
    pub nonterminal: NonterminalId,
    /// The condition.
    pub condition: Condition,
    /// The names in whose patterns it stands.
    pub patterns: BitSet<PatternId>,
}

/// All concrete nodes and conditions.
#[derive(Clone, Debug)]
pub struct Table {
    concrete: IdVec<ConcreteId, Concrete>,
    of_rule: IdVec<RuleId, Vec<ConcreteId>>,
    conditions: IdVec<ConditionId, Wanted>,
    of_nonterminal: IdVec<NonterminalId, AtNonterminal>,
    dependencies: IdVec<PatternId, BitSet<PatternId>>,
    sought: IdVec<PatternId, BitSet<PatternId>>,
}

/// What matters at the nodes of one nonterminal besides concrete pattern nodes.
#[derive(Clone, Debug, Default)]
pub struct AtNonterminal {
    /// Names with a pattern that is nothing but a placeholder: they occur at every node.
    pub everywhere: BitSet<PatternId>,
    /// Names with a pattern that is nothing but a placeholder with a condition, in an order in which the names that
    /// a condition speaks of are dealt with before.
    pub conditional: Vec<(PatternId, Condition)>,
    /// The conditions that concrete nodes have for such a node.
    pub wanted: Vec<ConditionId>,
}

impl Table {
    /// The table of an expression's patterns.
    pub fn new(grammar: &Grammar, expression: &Expression) -> Self {
        let patterns = &expression.patterns;
        let mut table = Self {
            concrete: IdVec::new(),
            of_rule: IdVec::filled(Vec::new(), grammar.rules().len()),
            conditions: IdVec::new(),
            of_nonterminal: IdVec::filled(AtNonterminal::default(), grammar.nonterminals().len()),
            dependencies: dependencies(patterns),
            sought: IdVec::filled(BitSet::new(), patterns.len()),
        };
        let mut known = Known::default();
        for (name, named) in patterns.entries() {
            // Inner nodes are counted through all alternatives.
            let mut number = 0;
            for (index, pattern) in named.alternatives.iter().enumerate() {
                number = number.max(usize::from(index > 0));
                table.add(name, pattern, &mut number, &mut known);
            }
            let conditions = named.alternatives.iter().flat_map(Pattern::conditions);
            let inside = conditions.flat_map(Condition::names).filter(|&(_, is_inside)| is_inside);
            table.sought[name] = inside.map(|(name, _)| name).collect();
        }
        for nonterminal in grammar.nonterminals().ids() {
            let at = &mut table.of_nonterminal[nonterminal];
            if at.conditional.len() > 1 {
                let order = order_at(patterns, nonterminal);
                at.conditional.sort_by_key(|&(name, _)| order.iter().position(|&other| other == name));
            }
        }
        table
    }

    fn add(&mut self, name: PatternId, pattern: &Pattern, number: &mut usize, known: &mut Known) {
        let mut numbers: IdVec<_, usize> = IdVec::filled(0, pattern.nodes().len());
        let is_concrete = |&node: &_| matches!(pattern.node(node), PatternNode::Rule(..));
        for node in pattern.preorder().filter(is_concrete) {
            numbers[node] = *number;
            *number += 1;
        }
        // Children come before parents.
        let mut wants: IdVec<_, Want> = IdVec::new();
        for (node, content) in pattern.nodes().entries() {
            let want = match content {
                PatternNode::Literal(_)
                | PatternNode::AnyChar
                | PatternNode::Abstract(_)
                | PatternNode::Bound(..) => Want::Any,
                PatternNode::Char(c) => Want::Char(*c),
                PatternNode::Letter(c) => Want::Letter(*c),
                // That of the root is dealt with below.
                PatternNode::Where(..) if node == pattern.root() => Want::Any,
                PatternNode::Where(nonterminal, _, condition) => {
                    let key = (*nonterminal, condition.clone());
                    let id = *known.conditions.entry(key).or_insert_with(|| {
                        let (nonterminal, condition) = (*nonterminal, condition.clone());
                        let patterns = BitSet::new();
                        let id = self.conditions.push(Wanted { nonterminal, condition, patterns });
                        self.of_nonterminal[nonterminal].wanted.push(id);
                        id
                    });
                    self.conditions[id].patterns.insert(name);
                    Want::Where(id)
                }
                PatternNode::Rule(rule, children) => {
                    let wanted: Box<[Want]> = children.iter().map(|&child| wants[child]).collect();
                    let concrete = *known.concrete.entry((*rule, wanted.clone())).or_insert_with(|| {
                        let concrete = self.concrete.push(Concrete {
                            rule: *rule,
                            wants: wanted.clone(),
                            patterns: BitSet::new(),
                            completes: BitSet::new(),
                            is_wanted: false,
                            place: (name, numbers[node]),
                        });
                        self.of_rule[*rule].push(concrete);
                        concrete
                    });
                    self.concrete[concrete].patterns.insert(name);
                    for want in wanted {
                        if let Want::Node(child) = want {
                            self.concrete[child].is_wanted = true;
                        }
                    }
                    Want::Node(concrete)
                }
            };
            wants.push(want);
        }
        let at = &mut self.of_nonterminal[pattern.characteristic()];
        match (wants[pattern.root()], pattern.node(pattern.root()).condition()) {
            (Want::Node(root), _) => {
                self.concrete[root].completes.insert(name);
            }
            (_, Some(condition)) => at.conditional.push((name, condition.clone())),
            (_, None) => {
                at.everywhere.insert(name);
            }
        }
    }

    /// All concrete nodes.
    pub fn concrete(&self) -> &IdVec<ConcreteId, Concrete> {
        &self.concrete
    }

    /// The concrete nodes with this rule.
    pub fn of_rule(&self, rule: RuleId) -> &[ConcreteId] {
        &self.of_rule[rule]
    }

    /// The conditions that concrete nodes have for their symbols.
    pub fn conditions(&self) -> &IdVec<ConditionId, Wanted> {
        &self.conditions
    }

    /// What matters at the nodes of a nonterminal besides concrete pattern nodes.
    pub fn at(&self, nonterminal: NonterminalId) -> &AtNonterminal {
        &self.of_nonterminal[nonterminal]
    }

    /// The names on which each name depends, itself among them.
    pub fn dependencies(&self) -> &IdVec<PatternId, BitSet<PatternId>> {
        &self.dependencies
    }

    /// The names that each name's own conditions seek in whole subtrees.
    pub fn sought(&self) -> &IdVec<PatternId, BitSet<PatternId>> {
        &self.sought
    }

    /// The rule as far as it matters to what a fold ends in: nothing when no name can occur at its
    /// nodes, nor anything match there.
    pub fn ending(&self, grammar: &Grammar, rule: RuleId) -> Option<RuleId> {
        let AtNonterminal { everywhere, conditional, wanted } = self.at(grammar.rule(rule).lhs);
        let is_in_patterns = !self.of_rule[rule].is_empty()
            || !everywhere.is_empty()
            || !conditional.is_empty()
            || !wanted.is_empty();
        is_in_patterns.then_some(rule)
    }
}

/// The concrete nodes and conditions met so far.
#[derive(Default)]
struct Known {
    concrete: FxHashMap<(RuleId, Box<[Want]>), ConcreteId>,
    conditions: FxHashMap<(NonterminalId, Condition), ConditionId>,
}
