//! What was believed in the course of learning: the budget can end it at a bad moment.

use super::hypothesis::Hypothesis;
use super::matching::Matcher;
use super::session::Learning;

/// The number of hypotheses that are kept.
const MOST: usize = 24;

/// Hypotheses, each of which was right about more than the one before it when it was made.
#[derive(Debug, Default)]
pub(super) struct Kept(Vec<Hypothesis>);

impl Kept {
    /// Keeps a hypothesis. The first one stays, and the latest ones.
    pub(super) fn keep(&mut self, hypothesis: &Hypothesis) {
        if self.0.len() == MOST {
            self.0.remove(1);
        }
        self.0.push(hypothesis.clone());
    }
}

impl Learning<'_, '_, '_> {
    /// Of those that were kept the one that is wrong about the fewest inputs that are known to fail or to pass; of several the latest.
    pub(super) fn best(&self, kept: Kept) -> Hypothesis {
        let mut best = (usize::MAX, Hypothesis::default());
        for hypothesis in kept.0.into_iter().rev() {
            let mistakes = self.mistakes(&hypothesis, best.0);
            if mistakes < best.0 {
                best = (mistakes, hypothesis);
            }
            if mistakes == 0 {
                break;
            }
        }
        best.1
    }

    /// The number of known inputs about which a hypothesis is wrong, counted up to `most`.
    fn mistakes(&self, hypothesis: &Hypothesis, most: usize) -> usize {
        let matcher = Matcher::new(self.example.grammar, hypothesis);
        let rejected = self.failing.iter().filter(|input| !matcher.accepts(&input.tree));
        let accepted = self.passing.iter().filter(|input| matcher.accepts(&input.tree));
        rejected.chain(accepted).take(most).count()
    }
}
