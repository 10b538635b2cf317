//! Passes: ways to make a derivation tree smaller, each of which is a reducer alone, and which are composed to others.

use std::sync::Arc;

use serde::Serialize;

use crate::base::keys::Keys;
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::oracle::{Halt, Judge};

use super::derivable::Derivable;
use super::minimize::Minimizer;
use super::workpiece::Workpiece;
use super::{AnyReducer, Failing, PASSES, ReduceError, Reduced, Reducer, confirm};

/// A way to make a tree smaller.
pub(super) trait Pass: Send + Sync {
    /// Makes the tree smaller, as far as the pass goes. Says whether anything changed. When it is halted, the piece is as small
    /// as it was found to fail.
    fn run(
        &self,
        piece: &mut Workpiece<'_>,
        minimizer: Minimizer,
        judge: &mut Judge<'_>,
    ) -> Result<bool, Halt>;

    /// Whether it minimizes lists.
    fn has_minimizer(&self) -> bool {
        true
    }
}

/// A pass with its name.
pub(super) trait NamedPass: Pass + Default + 'static {
    /// The name, of the pass and of the reducer that it is alone.
    const NAME: &'static str;
}

/// Gives a pass its turn. Says whether anything changed.
pub(super) fn turn(
    (name, pass): (&'static str, &dyn Pass),
    piece: &mut Workpiece<'_>,
    minimizer: Minimizer,
    judge: &mut Judge<'_>,
) -> Result<bool, Halt> {
    counted(name, piece, judge, |piece, judge| pass.run(piece, minimizer, judge))
}

/// Does the work of a turn, and adds what it took to the figures of its pass.
pub(super) fn counted<'g>(
    name: &'static str,
    piece: &mut Workpiece<'g>,
    judge: &mut Judge<'_>,
    work: impl FnOnce(&mut Workpiece<'g>, &mut Judge<'_>) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let (began, bytes) = (judge.begin_turn(), piece.text().len());
    let ended = work(piece, judge);
    judge.end_turn(name, &began, bytes.saturating_sub(piece.text().len()));
    ended
}

/// Repeats a round, which says whether anything changed, until nothing does. Says whether anything did.
pub(super) fn until_nothing_changes(mut round: impl FnMut() -> Result<bool, Halt>) -> Result<bool, Halt> {
    let mut is_changed = false;
    while round()? {
        is_changed = true;
    }
    Ok(is_changed)
}

/// A line in the list of passes: the name, and what makes the pass.
pub(super) type PassEntry = (&'static str, fn() -> Box<dyn Pass>);

/// The line of a pass.
pub(super) const fn entry<P: NamedPass>() -> PassEntry {
    (P::NAME, || Box::new(P::default()))
}

/// A reducer that is one pass.
#[derive(Default, Serialize)]
pub(super) struct Alone<P> {
    #[serde(skip)]
    pass: P,
    minimizer: Minimizer,
}

impl<P: NamedPass> PlugInSettings<AnyReducer> for Alone<P> {
    const NAME: &'static str = P::NAME;

    fn read(keys: &mut Keys<'_>) -> Self {
        let pass = P::default();
        let minimizer = if pass.has_minimizer() { minimizer(keys) } else { Minimizer::default() };
        Self { pass, minimizer }
    }

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl<P: NamedPass> Reducer for Alone<P> {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        on_tree(P::NAME, failing, judge, (), |piece, (), judge| {
            turn((P::NAME, &self.pass), piece, self.minimizer, judge).map(|_| false)
        })
    }
}

/// The key of a list minimizer.
pub(super) fn minimizer(keys: &mut Keys<'_>) -> Minimizer {
    keys.parsed("minimizer", Minimizer::default())
}

/// What a reducer on trees does: `step` makes the piece smaller, and says whether there is more to do. Beside the piece, it depends on
/// a place in the work, from `begin` on.
pub(super) fn on_tree<P: Clone + Send + Sync>(
    name: &'static str,
    failing: Failing<'_>,
    judge: &mut Judge<'_>,
    begin: P,
    step: impl Fn(&mut Workpiece<'_>, &mut P, &mut Judge<'_>) -> Result<bool, Halt> + Sync,
) -> Result<Reduced, ReduceError> {
    let syntax = failing.syntax.ok_or(ReduceError::NoSyntax(name))?;
    let derivable = Derivable::of_trees(syntax);
    let piece =
        Workpiece::new(syntax.grammar, syntax.tree.clone()).derived(derivable.as_ref()).parsed(syntax);
    let mut state = (piece, begin);
    let stop = match confirm(failing.text, judge)? {
        Some(stop) => stop,
        None => {
            let ended = judge.in_steps(&mut state, |(piece, place), judge| step(piece, place, judge));
            Halt::stop_reason::<ReduceError>(ended)?
        }
    };
    let (text, tree) = state.0.into_parts();
    Ok(Reduced { text, tree: Some(tree), stop })
}

/// A reducer that is composed in a config: passes one after the other, until none of them changes anything.
#[derive(Default, Serialize)]
struct Composed {
    passes: Vec<&'static str>,
    minimizer: Minimizer,
    once: bool,
}

pub(super) const PLUG_IN: PlugIn<AnyReducer> = PlugIn::of::<Composed>();

impl PlugInSettings<AnyReducer> for Composed {
    const NAME: &'static str = "passes";
    const TELLING_KEY: Option<&'static str> = Some("passes");

    fn read(keys: &mut Keys<'_>) -> Self {
        let words: Vec<(&str, &'static str)> = PASSES.iter().map(|&(name, _)| (name, name)).collect();
        Self {
            passes: keys.some_of("passes", &words),
            minimizer: minimizer(keys),
            once: keys.or("once", false),
        }
    }

    fn make(self) -> AnyReducer {
        Arc::new(self)
    }
}

impl Reducer for Composed {
    fn reduce(&self, failing: Failing<'_>, judge: &mut Judge<'_>) -> Result<Reduced, ReduceError> {
        let entries = self.passes.iter().filter_map(|name| PASSES.iter().find(|(known, _)| known == name));
        let passes: Vec<(&'static str, Box<dyn Pass>)> =
            entries.map(|(name, make)| (*name, make())).collect();
        // The pass that is next, and whether anything was changed in this round.
        let begin = (0, false);
        on_tree(Self::NAME, failing, judge, begin, |piece, (next, is_changed), judge| {
            let Some((name, pass)) = passes.get(*next) else { return Ok(false) };
            *is_changed |= turn((name, &**pass), piece, self.minimizer, judge)?;
            *next = (*next + 1) % passes.len();
            let goes_on = *next > 0 || (*is_changed && !self.once);
            *is_changed &= *next > 0;
            Ok(goes_on)
        })
    }
}
