//! The concrete nodes of all patterns of an expression, equal ones once.

use rustc_hash::FxHashMap;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::{Grammar, NonterminalId, RuleId};
use crate::id_type;
use crate::pattern::{Expression, PatternId, PatternNode};

id_type!(
    /// A concrete pattern node. Equal nodes of different patterns have the same id.
    ConcreteId
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
}

/// A concrete pattern node.
#[derive(Clone, Debug)]
pub struct Concrete {
    /// The rule that must have been used.
    pub rule: RuleId,
    /// What is wanted of each symbol of the rule.
    pub wants: Box<[Want]>,
    /// The patterns in which the node stands.
    pub patterns: BitSet<PatternId>,
    /// The patterns of which it is the root.
    pub completes: BitSet<PatternId>,
    /// Where it stands first: the pattern, and its number there in document order.
    pub place: (PatternId, usize),
}

/// All concrete nodes.
#[derive(Clone, Debug)]
pub struct Table {
    concrete: IdVec<ConcreteId, Concrete>,
    of_rule: IdVec<RuleId, Vec<ConcreteId>>,
    /// Patterns that are nothing but an open node: they occur at every node of a nonterminal.
    everywhere: IdVec<NonterminalId, BitSet<PatternId>>,
}

impl Table {
    /// The table of an expression's patterns.
    pub fn new(grammar: &Grammar, expression: &Expression) -> Self {
        let mut table = Self {
            concrete: IdVec::new(),
            of_rule: IdVec::filled(Vec::new(), grammar.rules().len()),
            everywhere: IdVec::filled(BitSet::new(), grammar.nonterminals().len()),
        };
        let mut known: FxHashMap<(RuleId, Box<[Want]>), ConcreteId> = FxHashMap::default();
        for (id, named) in expression.patterns.entries() {
            let pattern = &named.pattern;
            let mut numbers: IdVec<_, usize> = IdVec::filled(0, pattern.nodes().len());
            let concrete =
                pattern.preorder().filter(|&node| matches!(pattern.node(node), PatternNode::Rule(..)));
            for (number, node) in concrete.enumerate() {
                numbers[node] = number;
            }
            // Children come before parents.
            let mut wants: IdVec<_, Want> = IdVec::new();
            for (node, content) in pattern.nodes().entries() {
                let want = match content {
                    PatternNode::Literal(_) | PatternNode::Abstract(_) | PatternNode::Bound(..) => Want::Any,
                    PatternNode::Char(c) => Want::Char(*c),
                    PatternNode::Rule(rule, children) => {
                        let wanted: Box<[Want]> = children.iter().map(|&child| wants[child]).collect();
                        let concrete = *known.entry((*rule, wanted.clone())).or_insert_with(|| {
                            let concrete = table.concrete.push(Concrete {
                                rule: *rule,
                                wants: wanted,
                                patterns: BitSet::new(),
                                completes: BitSet::new(),
                                place: (id, numbers[node]),
                            });
                            table.of_rule[*rule].push(concrete);
                            concrete
                        });
                        table.concrete[concrete].patterns.insert(id);
                        Want::Node(concrete)
                    }
                };
                wants.push(want);
            }
            match wants[pattern.root()] {
                Want::Node(root) => {
                    table.concrete[root].completes.insert(id);
                }
                Want::Any | Want::Char(_) => {
                    table.everywhere[pattern.characteristic()].insert(id);
                }
            }
        }
        table
    }

    /// All concrete nodes.
    pub fn concrete(&self) -> &IdVec<ConcreteId, Concrete> {
        &self.concrete
    }

    /// The concrete nodes with this rule.
    pub fn of_rule(&self, rule: RuleId) -> &[ConcreteId] {
        &self.of_rule[rule]
    }

    /// The rule as far as it matters to what a fold ends in: nothing when no pattern can occur at its
    /// nodes, nor match there.
    pub fn ending(&self, grammar: &Grammar, rule: RuleId) -> Option<RuleId> {
        let is_in_patterns =
            !self.of_rule[rule].is_empty() || !self.everywhere[grammar.rule(rule).lhs].is_empty();
        is_in_patterns.then_some(rule)
    }

    /// The patterns that occur at every node of `nonterminal`.
    pub fn everywhere(&self, nonterminal: NonterminalId) -> &BitSet<PatternId> {
        &self.everywhere[nonterminal]
    }
}
