//! Derivation trees that share their subtrees, for algorithms that list many trees at once.
//!
//! A shape is a rule with its children, which are leaves or smaller shapes. It becomes a [`Tree`] of
//! its own only when somebody wants to look at it.

use crate::base::id::IdVec;
use crate::grammar::RuleId;
use crate::id_type;

use super::arena::{Label, NodeId, Tree, TreeBuilder};

id_type!(
    /// A tree that may be a subtree of several others.
    ShapeId
);

/// A child of a shape.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// A terminal.
    Leaf(Label),
    /// A subtree.
    Shape(ShapeId),
}

/// A store of shapes.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    shapes: IdVec<ShapeId, (RuleId, Box<[Part]>)>,
}

impl Shapes {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a nonterminal node that was expanded by `rule` into `parts`.
    pub fn add(&mut self, rule: RuleId, parts: impl Into<Box<[Part]>>) -> ShapeId {
        self.shapes.push((rule, parts.into()))
    }

    /// The tree that a shape stands for.
    pub fn tree(&self, shape: ShapeId) -> Tree {
        enum Step {
            Enter(Part),
            Leave(RuleId, usize),
        }
        let mut builder = TreeBuilder::new();
        let mut done: Vec<NodeId> = Vec::new();
        let mut open = vec![Step::Enter(Part::Shape(shape))];
        while let Some(step) = open.pop() {
            match step {
                Step::Enter(Part::Leaf(label)) => done.push(builder.leaf(label)),
                Step::Enter(Part::Shape(shape)) => {
                    let (rule, parts) = &self.shapes[shape];
                    open.push(Step::Leave(*rule, parts.len()));
                    open.extend(parts.iter().rev().map(|&part| Step::Enter(part)));
                }
                Step::Leave(rule, arity) => {
                    let first = done.len() - arity;
                    let node = builder.node(rule, &done[first..]);
                    done.truncate(first);
                    done.push(node);
                }
            }
        }
        let root = done.pop().expect("the shape itself is left last");
        builder.finish(root)
    }
}
