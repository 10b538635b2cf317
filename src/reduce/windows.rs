//! `windows`: the local exhaustive exploration of "Pushing the Limit of 1-Minimality of Language-Agnostic Program Reduction" (Xu, Tian,
//! Zhang, Zhao, Jiang and Sun, OOPSLA 2023; "Vulcan").
//!
//! What is 1-minimal can often become smaller when several parts go at once that need each other. All subsets of four neighbouring parts of a
//! level are left out, the larger ones first. The paper's windows are over tokens; here they are over what can be pruned on a level of the
//! tree, so that no candidate is outside of the language. Before that, as the paper's replacement of subtrees does, each node is
//! expanded by other rules.

use crate::oracle::{Halt, Judge};

use super::level::Level;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::workpiece::Workpiece;

/// The size of a window: the paper's.
const SIZE: usize = 4;

/// All subsets of small windows.
#[derive(Default)]
pub(super) struct Windows {
    /// Whether only parts that stand side by side are left out together.
    pub(super) is_thrifty: bool,
}

impl NamedPass for Windows {
    const NAME: &'static str = "windows";
}

impl Pass for Windows {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut is_changed = false;
        let mut level = Level::first(piece);
        while !level.is_empty() {
            is_changed |= level.edit_each(piece, |piece, node| {
                // What is shorter can have more tokens.
                match piece.attempt_minimal(node, judge)? {
                    None => piece.attempt_first(piece.shorter_rules(node), judge),
                    new => Ok(new),
                }
            })?;
            is_changed |= level.prune_windows(piece, SIZE, self.is_thrifty, judge)?;
            level = level.next(piece);
        }
        Ok(is_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce_asking, reduce_passes};
    use crate::parse::Parser;

    /// Two declarations need each other: without one of them nothing fails, without both it does.
    #[test]
    fn what_needs_each_other_goes_together() {
        let grammar = grammar(&["program = ss", "ss = s ss | {}", "s = a; | b; | c; | error;"]);
        let fails = |text: &[u8]| {
            let has = |part: &[u8]| text.windows(2).any(|found| found == part);
            text.ends_with(b"error;") && has(b"a;") == has(b"b;")
        };
        let oracle = failing_oracle(&fails);
        let tree = parsed(&grammar, b"a;c;b;error;");
        assert_eq!(reduce_passes(&["pardis"], &grammar, &tree, &oracle).text, b"a;b;error;");
        assert_eq!(reduce_passes(&["pardis", "windows"], &grammar, &tree, &oracle).text, b"error;");
    }

    /// The last node of a list gives way to an empty one: what was the empty rest below it stands nowhere then.
    #[test]
    fn what_is_gone_is_not_left_out_again() {
        let grammar = std::sync::Arc::new(grammar(&["all = ( cs )", "cs = {} | c cs", "c = x | a | b"]));
        let oracle = failing_oracle(&|text: &[u8]| text.windows(2).any(|part| part == b"xa"));
        let name = "{ name = \"mine\", passes = [\"windows\"] }";
        let (reduced, asked) = reduce_asking(name, &grammar, &parsed(&grammar, b"(xab)"), &oracle);
        assert_eq!(reduced.text, b"(xa)");
        let parser = Parser::new(grammar);
        assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()), "{asked:?}");
    }
}
