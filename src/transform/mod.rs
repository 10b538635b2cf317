//! The transformers: a grammar and an expression to a specialized grammar.
//!
//! Pure: no oracle, no input or output. Depends on [`crate::base`], [`crate::grammar`],
//! [`crate::pattern`] and [`crate::automaton`].

mod automaton;
mod boxes;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod steps;
pub mod symbolic;

pub use automaton::AutomatonTransformer;
pub use symbolic::SymbolicTransformer;

use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::base::limits::{Exceeded, Limits};
use crate::base::registry::{Registry, UnknownPlugIn};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::pattern::Expression;
use crate::tree::{Label, NodeId, Tree, TreeBuilder};

/// Specializes grammars.
pub trait Transformer: Send + Sync {
    /// The name used in configs and reports.
    fn name(&self) -> &str;

    /// The grammar whose derivation trees are those of `grammar` that satisfy `expression`; if that has
    /// bound nodes, those that satisfy [`Expression::relaxed`], since no grammar can compare texts.
    ///
    /// # Errors
    /// When the result would be too large.
    fn specialize(
        &self,
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
    ) -> Result<Specialization, TransformError>;
}

/// Makes a transformer with limits.
pub type MakeTransformer = Arc<dyn Fn(&Limits) -> Box<dyn Transformer> + Send + Sync>;

/// All transformers that are built in.
pub const TRANSFORMERS: Registry<MakeTransformer> =
    Registry::new("transformer", &automaton::PLUG_IN, &[automaton::PLUG_IN, symbolic::PLUG_IN]);

/// The built-in transformer called `name`, with these limits.
///
/// # Errors
/// When there is none.
pub fn transformer(name: &str, limits: &Limits) -> Result<Box<dyn Transformer>, UnknownPlugIn> {
    TRANSFORMERS.get(name).map(|variant| (variant.make)(limits))
}

/// Why a grammar could not be specialized.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// It would be too large, or take too long.
    #[error(transparent)]
    Exceeded(#[from] Exceeded),
    /// A condition of the symbolic algebra has too many terms.
    #[error("a condition needs more than {limit} terms; simplify the expression, or use `automaton`")]
    ConditionTooLong {
        /// How many were allowed.
        limit: usize,
    },
    /// The symbolic algebra has made too many rules, most of which are not in the result.
    #[error(
        "the rule algebra makes more than {limit} rules on the way, or compares too many; simplify the expression, or use `automaton`"
    )]
    TooManySteps {
        /// How many were allowed.
        limit: usize,
    },
    /// The expression says more than that patterns of one alternative without conditions occur.
    #[error("{what}, which the transformer `{transformer}` cannot say; use `automaton`")]
    Unsupported {
        /// What it says.
        what: String,
        /// The transformer.
        transformer: String,
    },
    /// The user asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// An external transformer failed.
    #[error("the transformer `{name}` failed: {reason}")]
    External {
        /// What it is called.
        name: String,
        /// What is wrong with it, or with what it wrote.
        reason: String,
    },
}

/// A specialized grammar.
#[derive(Clone, Debug)]
pub struct Specialization {
    /// The grammar. When no tree satisfies the expression its start symbol has no rules.
    pub grammar: Arc<Grammar>,
    /// Where each part of it comes from. An external transformer does not tell.
    pub origin: Option<Origin>,
}

impl Specialization {
    /// Whether no tree of the base grammar satisfies the expression.
    pub fn is_empty(&self) -> bool {
        self.grammar.rules_of(self.grammar.start()).is_empty()
    }
}

/// Refuses an expression for a transformer that knows only names of one pattern each, without conditions.
///
/// # Errors
/// When the expression has others, or says what stands around an occurrence.
pub fn only_single_patterns(expression: &Expression, transformer: &str) -> Result<(), TransformError> {
    let refused = expression.patterns.iter().find(|named| named.only().is_none());
    let what = match refused {
        Some(named) => format!("`{}` has alternatives or refers to names", named.name),
        None if expression.has_surroundings() => {
            format!("`{}` says what stands around an occurrence", expression.formula_text())
        }
        None => return Ok(()),
    };
    Err(TransformError::Unsupported { what, transformer: transformer.to_owned() })
}

/// The expression as far as a grammar can say it: relaxed when it has bound nodes.
pub fn without_bound_nodes(expression: &Arc<Expression>) -> Arc<Expression> {
    if expression.is_bound() { Arc::new(expression.relaxed()) } else { Arc::clone(expression) }
}

/// Where the nonterminals and rules of a specialized grammar come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// For each nonterminal the one of the base grammar that it specializes; for a rest the one whose
    /// rule it ends.
    pub nonterminals: IdVec<NonterminalId, NonterminalId>,
    /// For each rule the one of the base grammar that it specializes, or is a part of.
    pub rules: IdVec<RuleId, RuleId>,
    /// The nonterminals that stand for the end of a long rule. They are no nodes of base trees.
    pub rests: BitSet<NonterminalId>,
}

impl Origin {
    /// The derivation tree of `base` that a derivation tree of `special` stands for.
    pub fn base_tree(&self, base: &Grammar, special: &Grammar, tree: &Tree) -> Tree {
        let mut builder = TreeBuilder::new();
        // For each node the nodes that it becomes: several, or none, when it is a rest.
        let mut done: Vec<Vec<NodeId>> = Vec::new();
        for node in tree.postorder(tree.root()) {
            let copies = match tree.label(node) {
                label @ (Label::Char(_) | Label::Literal(_)) => vec![builder.leaf(label)],
                Label::Rule(rule) => {
                    let first = done.len() - tree.children(node).len();
                    let children: Vec<NodeId> = done.drain(first..).flatten().collect();
                    if self.rests.contains(special.rule(rule).lhs) {
                        children
                    } else {
                        vec![self.base_node(base, rule, &children, &mut builder)]
                    }
                }
            };
            done.push(copies);
        }
        let root = done.pop().and_then(|copies| copies.first().copied()).expect("a tree has a root");
        builder.finish(root)
    }

    /// Literals are numbered anew in each grammar: the base rule says which they are.
    fn base_node(
        &self,
        base: &Grammar,
        rule: RuleId,
        children: &[NodeId],
        builder: &mut TreeBuilder,
    ) -> NodeId {
        let base_rule = self.rules[rule];
        let children: Vec<NodeId> = children
            .iter()
            .zip(&base.rule(base_rule).symbols)
            .map(|(&child, &symbol)| match symbol {
                Symbol::Literal(literal) => builder.leaf(Label::Literal(literal)),
                Symbol::Class(_) | Symbol::Nonterminal(_) => child,
            })
            .collect();
        builder.node(base_rule, &children)
    }
}
