//! Signs: small parts of trees, and which examples have them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::id::IdVec;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::pattern::{Pattern, PatternNode, PatternNodeId};
use crate::tree::{Label, NodeId, Tree};

use super::input::Input;
use super::matching::bare_text;

/// The longest text that is a sign, in bytes.
const LONGEST_TEXT: usize = 16;

/// The fewest examples that have to have a sign.
pub(super) const LEAST_SUPPORT: usize = 3;

/// A small part of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    /// A node that is expanded by this rule.
    Rule(RuleId),
    /// A node that is expanded by this rule, with a child of this number that is expanded by the other.
    Child(RuleId, usize, RuleId),
    /// A node with this text.
    Text(NonterminalId, Vec<u8>),
}

/// A sign, with what has it.
pub(super) struct Seen {
    sign: Sign,
    /// A node that has it.
    at: (Rc<Input>, NodeId),
    /// The examples that have it, first those that fail.
    pub(super) examples: [Vec<usize>; 2],
}

/// The signs of all examples.
pub(super) struct Signs {
    pub(super) seen: Vec<Seen>,
    places: HashMap<Sign, usize>,
    /// Of each example, first of those that fail.
    pub(super) of_example: [Vec<Vec<usize>>; 2],
}

impl Signs {
    /// The signs of examples, first of those that fail.
    pub(super) fn of(grammar: &Grammar, examples: [&[Rc<Input>]; 2]) -> Self {
        let mut seen: Vec<Seen> = Vec::new();
        let mut places: HashMap<Sign, usize> = HashMap::new();
        for (side, examples) in examples.into_iter().enumerate() {
            for (number, input) in examples.iter().enumerate() {
                for (node, sign) in signs(grammar, &input.tree) {
                    let place = *places.entry(sign.clone()).or_insert_with(|| {
                        seen.push(Seen {
                            sign,
                            at: (Rc::clone(input), node),
                            examples: [Vec::new(), Vec::new()],
                        });
                        seen.len() - 1
                    });
                    let found = &mut seen[place].examples[side];
                    if found.last() != Some(&number) {
                        found.push(number);
                    }
                }
            }
        }
        // Of signs that the same examples have the simplest one is taken.
        seen.sort_by_key(|seen| match seen.sign {
            Sign::Rule(_) => 0,
            Sign::Child(..) => 1,
            Sign::Text(..) => 2,
        });
        let mut known: HashSet<[Vec<usize>; 2]> = HashSet::new();
        seen.retain(|seen| {
            seen.examples.iter().map(Vec::len).sum::<usize>() >= LEAST_SUPPORT
                && known.insert(seen.examples.clone())
        });
        let mut of_example = examples.map(|examples| vec![Vec::new(); examples.len()]);
        for (sign, seen) in seen.iter().enumerate() {
            for (side, numbers) in seen.examples.iter().enumerate() {
                numbers.iter().for_each(|&number| of_example[side][number].push(sign));
            }
        }
        let places = seen.iter().enumerate().map(|(place, seen)| (seen.sign.clone(), place)).collect();
        Self { seen, places, of_example }
    }

    /// The signs that a tree has, in their order.
    pub(super) fn of_tree(&self, grammar: &Grammar, tree: &Tree) -> Vec<usize> {
        let signs = signs(grammar, tree);
        let mut known: Vec<usize> =
            signs.iter().filter_map(|(_, sign)| self.places.get(sign).copied()).collect();
        known.sort_unstable();
        known
    }
}

/// The signs of a tree, each with a node that has it, the simplest of a node first.
fn signs(grammar: &Grammar, tree: &Tree) -> Vec<(NodeId, Sign)> {
    let mut signs = Vec::new();
    for node in tree.preorder(tree.root()) {
        let Some(rule) = tree.rule(node).filter(|&rule| !is_gap(grammar, grammar.rule(rule).lhs)) else {
            continue;
        };
        if is_open(grammar, rule) {
            signs.push((node, Sign::Rule(rule)));
            for (place, &child) in tree.children(node).iter().enumerate() {
                let below = tree.rule(child).filter(|&below| is_open(grammar, below));
                if let Some(below) = below.filter(|&below| !is_gap(grammar, grammar.rule(below).lhs)) {
                    signs.push((node, Sign::Child(rule, place, below)));
                }
            }
        }
        let text = bare_text(grammar, tree, node);
        if (1..=LONGEST_TEXT).contains(&text.len()) {
            signs.push((node, Sign::Text(grammar.rule(rule).lhs, text)));
        }
    }
    signs
}

/// Whether all that a rule has can be anything: a pattern says which character it wants.
fn is_open(grammar: &Grammar, rule: RuleId) -> bool {
    !grammar.rule(rule).symbols.iter().any(|symbol| matches!(symbol, Symbol::Class(_)))
}

impl Seen {
    /// The pattern of what has the sign.
    pub(super) fn pattern(&self, grammar: &Grammar) -> Pattern {
        let (input, node) = (&self.at.0, self.at.1);
        let mut nodes = IdVec::new();
        match self.sign {
            Sign::Rule(rule) => {
                open(grammar, rule, None, &mut nodes);
            }
            Sign::Child(rule, place, below) => {
                let below = open(grammar, below, None, &mut nodes);
                open(grammar, rule, Some((place, below)), &mut nodes);
            }
            Sign::Text(..) => {
                exact(grammar, &input.tree, node, &mut nodes);
            }
        }
        let nonterminal = match self.sign {
            Sign::Rule(rule) | Sign::Child(rule, ..) => grammar.rule(rule).lhs,
            Sign::Text(nonterminal, _) => nonterminal,
        };
        Pattern::new(nodes, nonterminal)
    }
}

type Nodes = IdVec<PatternNodeId, PatternNode>;

/// Adds a node that is expanded by a rule to anything, but for one child.
fn open(
    grammar: &Grammar,
    rule: RuleId,
    child: Option<(usize, PatternNodeId)>,
    nodes: &mut Nodes,
) -> PatternNodeId {
    let symbols = grammar.rule(rule).symbols.iter().enumerate();
    let children: Vec<PatternNodeId> = symbols
        .map(|(place, symbol)| match (child, symbol) {
            (Some((number, known)), _) if number == place => known,
            (_, Symbol::Literal(literal)) => nodes.push(PatternNode::Literal(*literal)),
            (_, Symbol::Nonterminal(nonterminal)) => nodes.push(PatternNode::Abstract(*nonterminal)),
            (_, Symbol::Class(_)) => nodes.push(PatternNode::AnyChar),
        })
        .collect();
    nodes.push(PatternNode::Rule(rule, children.into()))
}

/// Adds a node as it is in a tree, but for what stands between words.
fn exact(grammar: &Grammar, tree: &Tree, node: NodeId, nodes: &mut Nodes) -> PatternNodeId {
    let made = match tree.label(node) {
        Label::Literal(literal) => PatternNode::Literal(literal),
        Label::Char(c) => PatternNode::Char(c),
        Label::Rule(rule) if is_gap(grammar, grammar.rule(rule).lhs) => {
            PatternNode::Abstract(grammar.rule(rule).lhs)
        }
        // As deep as a short text.
        Label::Rule(rule) => {
            let children: Vec<PatternNodeId> =
                tree.children(node).iter().map(|&child| exact(grammar, tree, child, nodes)).collect();
            PatternNode::Rule(rule, children.into())
        }
    };
    nodes.push(made)
}
