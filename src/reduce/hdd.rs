//! "HDD: Hierarchical Delta Debugging" (Misherghi and Su, ICSE 2006): `hdd`, which minimizes the tree level by level from the
//! root down, and `hdd-star`, which does that until nothing changes, so that the result is 1-minimal: nothing
//! in it can be pruned.
//!
//! The paper leaves open what a syntax tree is; here it is the derivation tree, with the elements of lists on one level
//! ([`super::level`]). As the paper proposes, what is pruned where the grammar wants something is replaced by the shortest
//! string possible there. Tokens are not pruned inside.

use crate::base::registry::PlugIn;
use crate::oracle::{Halt, Judge};

use super::AnyReducer;
use super::level::Level;
use super::minimize::Minimizer;
use super::pass::{Alone, NamedPass, Pass, until_nothing_changes};
use super::workpiece::Workpiece;

/// One run over all levels.
#[derive(Default)]
pub(super) struct Hdd;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<Hdd>>();

impl NamedPass for Hdd {
    const NAME: &'static str = "hdd";
}

impl Pass for Hdd {
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        Level::prune_all(piece, minimizer, judge, |_, _, _| Ok(false))
    }
}

/// Runs over all levels until nothing changes.
#[derive(Default)]
pub(super) struct HddStar;

pub(super) const STAR_PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Alone<HddStar>>();

impl NamedPass for HddStar {
    const NAME: &'static str = "hdd-star";
}

impl Pass for HddStar {
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt> {
        until_nothing_changes(|| Hdd.run(piece, minimizer, judge))
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce};
    use crate::grammar::Grammar;

    /// A small imperative language.
    fn programs() -> Grammar {
        grammar(&[
            "program = functions",
            "functions = function functions | {}",
            "function = f() { statements }",
            "statements = statement statements | {}",
            "statement = { statements } | if(x) { statements } | y; | error;",
        ])
    }

    /// Everything around the statement that fails goes; what holds it stays, since `hdd` only prunes.
    #[test]
    fn what_does_not_lead_to_the_failure_is_pruned() {
        let grammar = programs();
        let text = b"f(){y;y;}f(){y;if(x){y;{y;error;y;}}y;}f(){{y;}}";
        let oracle = failing_oracle(&|text: &[u8]| text.windows(6).any(|part| part == b"error;"));
        let reduced = |name| reduce(name, &grammar, &parsed(&grammar, text), &oracle);
        assert_eq!(reduced("hdd").text, b"f(){if(x){{error;}}}");
        assert_eq!(reduced("hdd-star").text, b"f(){if(x){{error;}}}");
    }

    /// What stands on a higher level can be needed by what stands on a deeper one. The first function
    /// goes only once the statement inside the second has gone.
    #[test]
    fn a_second_run_prunes_what_the_first_could_not() {
        let grammar = programs();
        let fails = |text: &[u8]| {
            let has = |part: &[u8]| text.windows(part.len()).any(|found| found == part);
            has(b"error;") && (!has(b"if(x)") || has(b"f(){y;}"))
        };
        let text = b"f(){y;}f(){if(x){}error;}";
        let oracle = failing_oracle(&fails);
        let reduced = |name| reduce(name, &grammar, &parsed(&grammar, text), &oracle);
        assert_eq!(reduced("hdd").text, b"f(){}f(){error;}");
        assert_eq!(reduced("hdd-star").text, b"f(){error;}");
    }
}
