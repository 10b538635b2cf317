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
use super::pass::{Pass, on_tree};
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
        let passes: [&dyn Pass; 4] = [&Chains, &Tokens, &Identifiers, &Windows];
        on_tree(Self::NAME, failing, judge, |piece, judge| {
            // The pass that changed something last, and how many there were since that changed nothing.
            let mut idle = 0;
            for pass in passes.iter().cycle() {
                idle = if pass.run(piece, Minimizer::Ddmin, judge)? { 0 } else { idle + 1 };
                if idle == passes.len() {
                    break;
                }
            }
            Ok(())
        })
    }
}
