//! Copies of classes, which can be changed without the classes themselves.

use std::collections::BTreeMap;

use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, Symbol};

use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};

impl Hypothesis {
    /// Adds a copy of a class and of those that it mentions and that are to be copied, and says which class has which copy.
    pub(super) fn copy(
        &mut self,
        class: ClassId,
        is_copied: impl Fn(&Self, ClassId) -> bool,
    ) -> BTreeMap<ClassId, ClassId> {
        let copied: Vec<ClassId> =
            self.below(class).iter().filter(|&below| below == class || is_copied(self, below)).collect();
        let copies: BTreeMap<ClassId, ClassId> = copied
            .into_iter()
            .map(|class| (class, self.add(self.class(class).nonterminal, Vec::new())))
            .collect();
        let of = |class: ClassId| copies.get(&class).copied().unwrap_or(class);
        for (&class, &copy) in &copies {
            let alternatives = self.class(class).alternatives.iter().map(|it| it.renamed(&of)).collect();
            self.set(copy, alternatives);
        }
        copies
    }

    /// Whether there may be anything, or anything but something, at a place of what a class describes; not between words.
    pub(super) fn is_open_below(&self, grammar: &Grammar, class: ClassId) -> bool {
        self.below(class).iter().any(|class| {
            self.class(class).alternatives.iter().any(|alternative| match alternative {
                Alternative::Open(_) | Alternative::Has(..) => true,
                Alternative::Rule(rule, wants) => {
                    wants.iter().zip(&grammar.rule(*rule).symbols).any(|(want, &symbol)| {
                        matches!(want, Want::Any | Want::NotIn(_))
                            && matches!(symbol, Symbol::Nonterminal(inner) if !is_gap(grammar, inner))
                    })
                }
            })
        })
    }
}
