//! `auto`: ours. Chains by halves first, which ask little and take most; then what is left is small, and everything else that there is has
//! its turn: smaller tokens, fewer names, and all subsets of small windows. All is repeated until nothing changes, so the result is
//! 1-minimal in the sense of each of these.

use std::sync::Arc;

use serde::Serialize;

use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::Judge;

use super::chains::Chains;
use super::identifiers::Identifiers;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass, on_tree, turn};
use super::tokens::Tokens;
use super::windows::Windows;
use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer};

/// The passes in the order that asks least.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Auto;

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Auto>();

impl PlugInSettings<AnyReducer> for Auto {
    const NAME: &'static str = "auto";

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Auto {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let passes: [(&'static str, &dyn Pass); 4] = [
            (Chains::NAME, &Chains),
            (Tokens::NAME, &Tokens),
            (Identifiers::NAME, &Identifiers),
            (Windows::NAME, &Windows),
        ];
        // The pass that is next, and how many there were before it that changed nothing.
        on_tree(Self::NAME, failing, judge, (0, 0), |piece, (next, idle), judge| {
            *idle = if turn(passes[*next], piece, Minimizer::Ddmin, judge)? { 0 } else { *idle + 1 };
            *next = (*next + 1) % passes.len();
            Ok(*idle < passes.len())
        })
    }
}
