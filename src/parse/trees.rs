//! Derivation trees out of a forest: the first one, how many there are, and all of them.

use crate::base::id::IdVec;
use crate::grammar::RuleId;
use crate::tree::{Label, NodeId, Part, ShapeId, Shapes, Tree, TreeBuilder};

use super::forest::{Child, Forest, ForestNodeId};

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
        let Some(mut raw) = self.raw_id(node) else {
            let nonterminal = self.nonterminal(node);
            let rule = self.plan.empty.preferred(nonterminal).expect("it derives the empty string");
            self.push_empty(&self.grammar().rule(rule).symbols, children);
            return rule;
        };
        let mut rule = None;
        loop {
            let choice = self.only_choice(raw).unwrap_or_else(|| {
                let mut choices = self.choices(raw).into_iter();
                choices.find(|&choice| self.order.descends(raw, choice)).expect("some choice descends")
            });
            let rule = *rule.get_or_insert(choice.reading.rule);
            let symbols = &self.grammar().rule(rule).symbols[children.len()..];
            let start = self.raw.nodes[raw as usize].start as usize;
            match self.push_segment(symbols, choice, start, children) {
                Some(rest) => raw = rest,
                None => return rule,
            }
        }
    }

    /// The number of derivation trees; `None` when there are infinitely many. Numbers that do not fit
    /// are the largest that does.
    pub fn count_trees(&self) -> Option<u64> {
        let mut counts: IdVec<ForestNodeId, u64> = IdVec::filled(0, self.node_bound());
        let mut children = Vec::new();
        for (group, is_cycle) in self.groups() {
            if is_cycle {
                return None;
            }
            let mut sum = 0u64;
            self.visit_alternatives(group[0], &mut children, |_, children| {
                let product = children.iter().fold(1u64, |product, child| match *child {
                    Child::Node(child) => product.saturating_mul(counts[child]),
                    Child::Literal(_) | Child::Char(_) => product,
                });
                sum = sum.saturating_add(product);
            });
            counts[group[0]] = sum;
        }
        Some(counts[self.root()])
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
            self.visit_alternatives(group[0], &mut children, |rule, children| {
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
            });
            found[group[0]] = of_node;
        }
        Some(found[self.root()].iter().map(|&shape| shapes.tree(shape)).collect())
    }
}
