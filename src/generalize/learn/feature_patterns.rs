//! Features as patterns.

use std::rc::Rc;

use crate::base::id::Id;
use crate::grammar::Grammar;
use crate::grammar::lexis::is_gap;
use crate::pattern::{Condition, Openness, Pattern, PatternId};
use crate::tree::NodeId;

use super::features::{Feature, FeatureId, Features};
use super::input::Input;
use super::unmasked::Excepting;

/// What is looked for at a node or below it, and has a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inner {
    Feature(FeatureId),
    /// A clause of a joint, by the numbers of both.
    Clause(usize, usize),
}

impl Features {
    /// The patterns of what has a feature that is not one of the hypothesis, or what a clause of a joint asks for; `name` names the patterns of what has to be below.
    pub(super) fn patterns(
        &self,
        grammar: &Grammar,
        inner: Inner,
        name: &mut impl FnMut(Inner) -> PatternId,
    ) -> Vec<Pattern> {
        match inner {
            Inner::Feature(feature) => {
                let seen = &self.seen[feature.index()];
                vec![self.pattern(grammar, &seen.feature, &seen.at, &[], name)]
            }
            Inner::Clause(joint, clause) => {
                let parts = self.joints[joint].clauses[clause].parts.iter();
                parts.map(|part| self.pattern(grammar, &part.feature, &part.at, &[], name)).collect()
            }
        }
    }

    /// The pattern of a feature with exceptions.
    pub(super) fn pattern_excepting(
        &self,
        grammar: &Grammar,
        it: &Excepting,
        name: &mut impl FnMut(Inner) -> PatternId,
    ) -> Pattern {
        let seen = &self.seen[it.feature.index()];
        self.pattern(grammar, &seen.feature, &seen.at, &it.except, name)
    }

    /// The pattern of a feature, which a node of an input has; in what it leaves open there is none of some others.
    fn pattern(
        &self,
        grammar: &Grammar,
        feature: &Feature,
        (input, node): &(Rc<Input>, NodeId),
        except: &[FeatureId],
        name: &mut impl FnMut(Inner) -> PatternId,
    ) -> Pattern {
        let (tree, node) = (&input.tree, *node);
        let openness = |at, nonterminal| {
            let is_concrete = match *feature {
                Feature::Own | Feature::Root(_) | Feature::Kind(_) | Feature::Unmasked(_) => false,
                Feature::Rule(_) => at == node,
                Feature::Child(_, place, _) => at == node || at == tree.children(node)[place],
                Feature::Text(..) => !is_gap(grammar, nonterminal),
                Feature::Below((_, place), inner) => {
                    if at == tree.children(node)[place] {
                        return Some(Openness::Where(None, Condition::has(name(Inner::Feature(inner)))));
                    }
                    at == node
                }
                Feature::Joint(number) => {
                    let clauses = self.joints[number].clauses.iter().enumerate().map(|(clause, it)| {
                        let has = Condition::has(name(Inner::Clause(number, clause)));
                        if it.is_positive { has } else { !has }
                    });
                    return clauses.reduce(|all, next| all & next).map(|all| Openness::Where(None, all));
                }
            };
            let lacks = except.iter().map(|&inner| !Condition::has(name(Inner::Feature(inner))));
            let lacks = lacks.reduce(|all, next| all & next).filter(|_| !is_gap(grammar, nonterminal));
            (!is_concrete).then(|| lacks.map_or(Openness::Abstract, |lacks| Openness::Where(None, lacks)))
        };
        let are_same = |at| self.cases.are_same(grammar, tree, at);
        Pattern::from_tree_in_either_case(grammar, tree, node, openness, are_same)
    }
}
