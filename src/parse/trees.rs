//! Derivation trees out of a forest: the first one, how many there are, and all of them.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::base::id::{Id, IdVec};
use crate::grammar::{NonterminalId, RuleId};
use crate::tree::{Label, NodeId, Part, ShapeId, Shapes, Tree, TreeBuilder};

use super::forest::{Child, Choice, Forest, ForestNodeId};
use super::index::SppfNodeId;

impl Forest {
    /// The first derivation tree: at each node the first alternative in order (see the
    /// [module](super::forest)). So where rules compete the one that stands first in the grammar wins,
    /// and then the leftmost child is as long as possible.
    ///
    /// Where that would lead round a cycle, alternatives are passed over whose children on the cycle
    /// are not nearer to leaving it than the node itself. So the tree is finite, and no node of it
    /// derives just itself again by way of the others.
    pub fn first_tree(&self) -> Tree {
        enum Step {
            Enter(Child),
            Leave(RuleId, usize),
        }
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut children: Vec<Child> = Vec::new();
        let mut open = vec![Step::Enter(Child::Node(self.root()))];
        while let Some(step) = open.pop() {
            match step {
                Step::Enter(Child::Literal(literal)) => done.push(builder.leaf(Label::Literal(literal))),
                Step::Enter(Child::Char(c)) => done.push(builder.leaf(Label::Char(c))),
                Step::Enter(Child::Node(node)) => {
                    let rule = self.first_alternative(node, &mut children);
                    open.push(Step::Leave(rule, children.len()));
                    open.extend(children.iter().rev().map(|&child| Step::Enter(child)));
                }
                Step::Leave(rule, arity) => {
                    let first = done.len() - arity;
                    let node = builder.node(rule, &done[first..]);
                    done.truncate(first);
                    done.push(node);
                }
            }
        }
        let root = done.pop().expect("the root is left last");
        builder.finish(root)
    }

    /// The rule and the children of the alternative that the first tree takes at `node`.
    fn first_alternative(&self, node: ForestNodeId, children: &mut Vec<Child>) -> RuleId {
        children.clear();
        let Some(mut packed) = self.packed_id(node) else {
            let nonterminal = self.nonterminal(node);
            let rule = self.plan.empty.preferred(nonterminal).expect("it derives the empty string");
            self.push_empty(&self.grammar().rule(rule).symbols, children);
            return rule;
        };
        let mut rule = None;
        loop {
            let choice = self.only_choice(packed).unwrap_or_else(|| {
                let mut choices = self.choices(packed).into_iter();
                choices.find(|&choice| self.order.descends(packed, choice)).expect("some choice descends")
            });
            let rule = *rule.get_or_insert(choice.reading.rule);
            let symbols = &self.grammar().rule(rule).symbols[children.len()..];
            let start = self.packed[packed].start as usize;
            match self.push_segment(symbols, choice, start, children) {
                Some(rest) => packed = rest,
                None => return rule,
            }
        }
    }

    /// The number of derivation trees; `None` when there are infinitely many. Numbers that do not fit
    /// are the largest that does.
    pub fn count_trees(&self) -> Option<u64> {
        if self.is_cyclic() {
            return None;
        }
        let mut counts = Counts {
            forest: self,
            of_nodes: IdVec::filled(0, self.node_bound()),
            of_rests: FxHashMap::default(),
        };
        for &node in self.groups().flat_map(|(group, _)| group) {
            counts.of_nodes[node] = match self.packed_id(node) {
                Some(packed) => counts.count(packed),
                None => counts.count_empty(node),
            };
        }
        Some(counts.of_nodes[self.root()])
    }

    /// The derivation trees, each once, the first tree first; `None` when there are more than `most`.
    pub fn trees(&self, most: usize) -> Option<Vec<Tree>> {
        if self.count_trees()? > most as u64 {
            return None;
        }
        let mut shapes = Shapes::new();
        let mut found: IdVec<ForestNodeId, Vec<ShapeId>> = IdVec::filled(Vec::new(), self.node_bound());
        let mut children = Vec::new();
        for (group, _) in self.groups() {
            let mut of_node = Vec::new();
            let _ = self.visit_alternatives(group[0], &mut children, |rule, children| {
                let mut prefixes: Vec<Vec<Part>> = vec![Vec::new()];
                for child in children {
                    let parts: Vec<Part> = match *child {
                        Child::Node(child) => found[child].iter().map(|&shape| Part::Shape(shape)).collect(),
                        Child::Literal(literal) => vec![Part::Leaf(Label::Literal(literal))],
                        Child::Char(c) => vec![Part::Leaf(Label::Char(c))],
                    };
                    let longer = |prefix: &Vec<Part>, part| prefix.iter().copied().chain([part]).collect();
                    prefixes = prefixes
                        .iter()
                        .flat_map(|prefix| parts.iter().map(move |&part| longer(prefix, part)))
                        .collect();
                }
                of_node.extend(prefixes.into_iter().map(|parts| shapes.add(rule, parts)));
                ControlFlow::<()>::Continue(())
            });
            found[group[0]] = of_node;
        }
        Some(found[self.root()].iter().map(|&shape| shapes.tree(shape)).collect())
    }
}

/// Numbers of derivation trees, children before parents.
struct Counts<'a> {
    forest: &'a Forest,
    of_nodes: IdVec<ForestNodeId, u64>,
    /// The ends of long rules are counted once, not once for each way to come to them.
    of_rests: FxHashMap<SppfNodeId, u64>,
}

impl Counts<'_> {
    /// The trees of a node that derives the empty string.
    fn count_empty(&self, node: ForestNodeId) -> u64 {
        let Forest { plan, .. } = self.forest;
        let mut children = Vec::new();
        let trees = plan.empty.rules(NonterminalId::new(node.index())).iter().map(|&rule| {
            children.clear();
            self.forest.push_empty(&plan.grammar.rule(rule).symbols, &mut children);
            self.product(&children)
        });
        trees.fold(0, u64::saturating_add)
    }

    /// The trees of any other node.
    fn count(&mut self, node: SppfNodeId) -> u64 {
        let forest = self.forest;
        let mut children = Vec::new();
        // What is to be counted before the node: a rest, a rule that ends so, and where in the rule it begins.
        let mut open: Vec<(SppfNodeId, Option<RuleId>, usize)> = vec![(node, None, 0)];
        loop {
            let Some(&(packed, rule, before)) = open.last() else { return 0 };
            let start = forest.packed[packed].start as usize;
            let known = open.len();
            let mut sum = 0u64;
            let mut add = |counts: &Self, choice: Choice| {
                let rule = rule.unwrap_or(choice.reading.rule);
                let symbols = &forest.grammar().rule(rule).symbols[before..];
                children.clear();
                let rest = forest.push_segment(symbols, choice, start, &mut children);
                let rests = match rest.map(|rest| (rest, counts.of_rests.get(&rest))) {
                    None => 1,
                    Some((_, Some(&rests))) => rests,
                    Some((rest, None)) => {
                        open.push((rest, Some(rule), before + children.len()));
                        0
                    }
                };
                sum = sum.saturating_add(counts.product(&children).saturating_mul(rests));
            };
            match forest.only_choice(packed) {
                Some(choice) => add(self, choice),
                None => forest.choices(packed).into_iter().for_each(|choice| add(self, choice)),
            }
            if open.len() > known {
                continue;
            }
            open.pop();
            if open.is_empty() {
                return sum;
            }
            self.of_rests.insert(packed, sum);
        }
    }

    fn product(&self, children: &[Child]) -> u64 {
        children.iter().fold(1, |product: u64, child| match *child {
            Child::Node(child) => product.saturating_mul(self.of_nodes[child]),
            Child::Literal(_) | Child::Char(_) => product,
        })
    }
}
