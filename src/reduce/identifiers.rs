//! `identifiers`: the identifier replacement of "Pushing the Limit of 1-Minimality of Language-Agnostic Program Reduction" (Xu et al.,
//! OOPSLA 2023; "Vulcan").
//!
//! Where there are fewer names, more can go: all tokens of one kind with the same text get the text of another token of that kind. The paper
//! replaces single occurrences too; here a name changes everywhere, so that the number of names falls with each step and the pass ends.
//! A name is never replaced by a longer one.

use crate::oracle::{Halt, Judge};

use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::tokens::groups;
use super::workpiece::Workpiece;

/// One name for another.
#[derive(Default)]
pub(super) struct Identifiers {
    /// Whether a name is replaced by the first other one only.
    pub(super) is_thrifty: bool,
}

impl NamedPass for Identifiers {
    const NAME: &'static str = "identifiers";
}

impl Pass for Identifiers {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut is_changed = false;
        'fewer: loop {
            let groups = groups(piece);
            for group in &groups {
                for other in &groups {
                    let (name, by) = (group[0], other[0]);
                    let alike = piece.tree().nonterminal(piece.grammar(), name)
                        == piece.tree().nonterminal(piece.grammar(), by);
                    if name == by || !alike || piece.length(by) > piece.length(name) {
                        continue;
                    }
                    let tree = piece.tree().subtree(by);
                    if piece.attempt_trees(group, &tree, judge)?.is_some() {
                        is_changed = true;
                        continue 'fewer;
                    }
                    if self.is_thrifty {
                        break;
                    }
                }
            }
            return Ok(is_changed);
        }
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}
