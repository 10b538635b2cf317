//! Draws the held-out inputs of each source.

use crate::base::limits::Limits;
use crate::oracle::{TimeoutAs, Verdict};
use crate::parse::Parser;
use crate::produce::{Mutator, RandomInputs, plant};
use crate::store::Judged;
use crate::tree::Tree;

use super::super::error::StageError;
use super::super::target::Target;
use super::held_out::{HeldOut, Search};

/// The number of failing random inputs that are taken to begin with.
const MOST_RANDOM: usize = 10;

/// The most changes between a neighbour and a failing input.
const MOST_CHANGES: usize = 5;

/// The number of attempts to make a neighbour before there is taken to be none.
const MOST_IN_VAIN: usize = 200;

/// What held-out inputs are made with.
pub(super) struct Material<'a> {
    pub(super) target: &'a Target<'a>,
    /// Down to this depth random inputs are made freely.
    pub(super) depth: u32,
    pub(super) limits: Limits,
    pub(super) timeout_as: TimeoutAs,
}

impl Material<'_> {
    fn parser(&self) -> &Parser {
        self.target.parser()
    }

    /// Random inputs of the whole grammar.
    pub(super) fn random(&self, mut search: Search<'_>) -> Result<HeldOut, StageError> {
        let producers = self.target.producers(self.depth, &self.limits)?;
        let mut random = RandomInputs::new(self.parser(), &producers);
        while !search.is_done() {
            let Some(input) = random.draw(&mut search.stream)? else { break };
            search.offer(&input)?;
        }
        Ok(search.end())
    }

    /// Random inputs with parts of failing ones; `random` are those of [`Self::random`].
    pub(super) fn planted(&self, mut search: Search<'_>, random: &[Judged]) -> Result<HeldOut, StageError> {
        let filler = self.target.filler(self.depth, &self.limits)?;
        let mutator = Mutator::new(self.parser(), &*filler);
        let failing = self.failing(&mut search, random, &mutator)?;
        let producers = self.target.producers(self.depth, &self.limits)?;
        let mut hosts = RandomInputs::new(self.parser(), &producers);
        while !search.is_done() && !failing.is_empty() {
            let drawn = plant(&failing, &mut hosts, &mutator, self.parser(), &mut search.stream)?;
            let Some(input) = drawn else { break };
            search.offer(&input)?;
        }
        Ok(search.end())
    }

    /// Failing inputs with one to five changes; `random` are those of [`Self::random`].
    pub(super) fn neighbours(
        &self,
        mut search: Search<'_>,
        random: &[Judged],
    ) -> Result<HeldOut, StageError> {
        let filler = self.target.filler(self.depth, &self.limits)?;
        let mutator = Mutator::new(self.parser(), &*filler);
        let failing = self.failing(&mut search, random, &mutator)?;
        let mut in_vain = 0;
        while !search.is_done() && in_vain < MOST_IN_VAIN && !failing.is_empty() {
            let tree = search.stream.pick(&failing);
            let changes = 1 + search.stream.below(MOST_CHANGES);
            match mutator.changes(tree, changes, &mut search.stream)? {
                Some(input) => {
                    in_vain = 0;
                    search.offer(&input)?;
                }
                None => in_vain += 1,
            }
        }
        Ok(search.end())
    }

    /// The inputs of a corpus that parse; and how many do not.
    pub(super) fn corpus(
        &self,
        mut search: Search<'_>,
        inputs: &[Vec<u8>],
    ) -> Result<(HeldOut, u64), StageError> {
        let mut unparsed = 0;
        for input in inputs {
            if search.is_spent() {
                break;
            }
            if self.parser().recognizes(input)? {
                search.offer(input)?;
            } else {
                unparsed += 1;
            }
        }
        Ok((search.end(), unparsed))
    }

    /// Trees of failing inputs: those of the manifest, and the first of the random ones.
    fn failing(
        &self,
        search: &mut Search<'_>,
        random: &[Judged],
        mutator: &Mutator<'_>,
    ) -> Result<Vec<Tree>, StageError> {
        let mut failing = search.failing_of_manifest(self.target.bug)?;
        let fails = |judged: &&Judged| self.timeout_as.count(judged.verdict) == Verdict::Fail;
        let random = random.iter().filter(fails).take(MOST_RANDOM);
        failing.extend(random.map(|judged| judged.input.bytes()));
        let mut trees = Vec::new();
        for input in failing {
            trees.extend(mutator.tree(input)?);
        }
        Ok(trees)
    }
}
