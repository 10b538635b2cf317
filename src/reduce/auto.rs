//! `auto`: ours. A round of chains by halves first, which asks little and takes most; then what is left is small, and everything else that
//! there is has its turn: parts in shorter frames, smaller tokens, fewer names, and small windows. All is repeated until nothing changes, so the result is 1-minimal: no
//! part of the tree that can be left out, become as short as it can be, or be replaced by the nearest of its kind is left.
//!
//! On inputs of which little can go, most questions are about what stays, and whatever is accepted has them all asked once more. So
//! no pass is repeated by itself, but where it took away much: what the others still change comes before anything is asked again. And of what the
//! papers try in the other passes only that part is tried which succeeds now and then, each pass in its thrifty form.

use std::sync::Arc;

use serde::Serialize;

use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::Judge;

use super::chains::{Chains, Round};
use super::frames::Frames;
use super::identifiers::Identifiers;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass, on_tree, turn};
use super::tokens::Tokens;
use super::windows::Windows;
use super::{AnyReducer, Failing, ReduceError, Reduced, Reducer};

/// Chains have another round at once where one took away a part of the text that is as large as this says: a quarter.
const MUCH: usize = 4;

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
        let (tokens, names) = (Tokens { is_thrifty: true }, Identifiers { is_thrifty: true });
        let windows = Windows { is_thrifty: true };
        let passes: [(&'static str, &dyn Pass); 5] = [
            (Chains::NAME, &Round),
            (Frames::NAME, &Frames),
            (Tokens::NAME, &tokens),
            (Identifiers::NAME, &names),
            (Windows::NAME, &windows),
        ];
        // The pass that is next, and how many there were before it that changed nothing.
        on_tree(Self::NAME, failing, judge, (0, 0), |piece, (next, idle), judge| {
            let before = piece.text().len();
            let is_changed = turn(passes[*next], piece, Minimizer::Ddmin, judge)?;
            *idle = if is_changed { 0 } else { *idle + 1 };
            if *next > 0 || MUCH * (before - piece.text().len()) < before {
                *next = (*next + 1) % passes.len();
            }
            Ok(*idle < passes.len())
        })
    }
}
