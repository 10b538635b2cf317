//! Learning with a formula instead of a hypothesis.
//!
//! What [`super::covering`] fits to the inputs that were met takes the place of the hypothesis if it is right more often about new inputs on which the
//! two differ. Where that shows before the executions are used up, the others go into inputs that may show the formula wrong: each of those that do
//! is made smaller, and then inputs that differ from it in one place are asked about. A formula is fitted to all of them, and needs several
//! with what they have in common to see what it is. To ask where an example is misjudged is the idea of boosting (Freund, Schapire, "A
//! decision-theoretic generalization of on-line learning and an application to boosting", 1997), with new examples instead of weights.

use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::budget::StopReason;
use crate::grammar::{Grammar, NonterminalId};
use crate::oracle::{Halt, Verdict};
use crate::pattern::Expression;

use super::super::GeneralizeError;
use super::comparing::{MOST_IDLE, Source};
use super::covering::error;
use super::features::{Clause, Features};
use super::input::Input;
use super::session::Learning;

/// The fewest examples of each verdict from which something can be seen.
const FEWEST_EXAMPLES: usize = 40;

/// The most nodes of the trees of all examples: with more of them, features take too much memory.
const MOST_NODES: usize = 4_000_000;

/// How many times the error of the hypothesis that of the formula may be: the hypothesis was made for the very examples by which it is measured.
const UNFITTED: f64 = 2.0;

/// The number of inputs about which the program is asked, because the formula and the hypothesis differ about them, before the formula is fitted
/// anew. From fewer than the second number nothing can be seen.
const MOST_DIFFERENT: usize = 60;
const FEWEST_DIFFERENT: usize = 8;

/// The most times that it is fitted anew: once the executions are used up, and before.
pub(super) const ROUNDS: usize = 4;
pub(super) const ROUNDS_BEFORE: usize = 2;

/// Where these inputs come from, in turn.
const SOURCES_OF_COVER: [Source; 4] =
    [Source::Neighbour(1), Source::Neighbour(2), Source::Neighbour(1), Source::Random];

/// The formula takes the place of a hypothesis if it is right so many times as often: three times for each two.
const BETTER: (usize, usize) = (3, 2);

/// The number of inputs about which a formula is wrong before it is fitted anew.
const WRONG: usize = 6;

/// The executions that making such an input smaller may take, and the number of inputs that differ from it in one place.
const SHRINKING: usize = 25;
const AROUND: usize = 16;

/// The formula, and how to ask it.
pub(super) struct Cover {
    pub(super) features: Features,
    pub(super) clauses: Vec<Clause>,
}

impl Learning<'_, '_, '_> {
    /// The hypothesis as an expression, if there is one.
    pub(super) fn own_expression(&self) -> Option<Expression> {
        (!self.hypothesis.roots().is_empty()).then(|| self.hypothesis.expression(self.example.grammar))
    }

    /// The nonterminals of whole words.
    fn whole_words(&self) -> BitSet<NonterminalId> {
        let grammar = self.example.grammar;
        let lexis = self.example.parser.lexis();
        let is_word = |&id: &NonterminalId| {
            grammar.nonterminal(id).token.is_some() && lexis.is_some_and(|lexis| lexis.is_lexical(id))
        };
        grammar.nonterminals().ids().filter(is_word).collect()
    }

    /// The formula over features that tells the inputs that are known to fail from those that are known to pass, if it says more of them than
    /// the hypothesis does.
    pub(super) fn cover(&self) -> Option<Cover> {
        let inputs = [&self.failing, &self.passing];
        let numbers = inputs.map(Vec::len);
        let accepted = inputs.map(|inputs| inputs.iter().filter(|input| self.accepts(input)).count());
        let own = error(numbers, accepted);
        self.fitted(UNFITTED * own)
    }

    /// The formula that is fitted to all inputs that are known to fail or to pass, if its error on others is less than this.
    fn fitted(&self, most: f64) -> Option<Cover> {
        let inputs = [&self.failing, &self.passing];
        if inputs.iter().any(|inputs| inputs.len() < FEWEST_EXAMPLES)
            || inputs.into_iter().flatten().map(|input| input.spans.len()).sum::<usize>() > MOST_NODES
        {
            return None;
        }
        let features = Features::of(self.example.grammar, self.whole_words(), inputs.map(Vec::as_slice));
        let (clauses, error) = features.fit_best(&inputs.map(|inputs| BitSet::full(inputs.len())))?;
        let has_any = clauses.iter().any(|clause| clause.is_positive);
        (error < most && has_any).then_some(Cover { features, clauses })
    }

    /// The formula, fitted to more inputs in at most this number of rounds, if it is right more often than the hypothesis where the two differ. The program
    /// is asked about inputs on which they do, as long as it may be. The given input is accepted in any case.
    ///
    /// # Errors
    /// The program cannot be asked.
    pub(super) fn if_better(
        &mut self,
        cover: Cover,
        rounds: usize,
    ) -> Result<Option<Cover>, GeneralizeError> {
        let (mut cover, mut right) = (cover, [0, 0]);
        for _ in 0..rounds {
            let mut of_round = [0, 0];
            let probed = self.probe(&cover.features, &cover.clauses);
            Halt::stop_reason::<GeneralizeError>(probed)?;
            let ended = Halt::stop_reason::<GeneralizeError>(self.compared_with(&cover, &mut of_round))?;
            if of_round[0] + of_round[1] < FEWEST_DIFFERENT {
                if ended == StopReason::Done {
                    // They hardly differ.
                    right = of_round;
                }
                break;
            }
            right = of_round;
            match self.cover() {
                Some(next) => cover = next,
                None => return Ok(None),
            }
        }
        let [of_hypothesis, of_cover] = right;
        let is_better = of_hypothesis + of_cover >= FEWEST_DIFFERENT
            && BETTER.1 * of_cover > BETTER.0 * of_hypothesis
            && self.has_given(&cover);
        Ok(is_better.then_some(cover))
    }

    /// Whether a formula accepts the given input.
    fn has_given(&self, cover: &Cover) -> bool {
        let grammar = self.example.grammar;
        let mut given = self.failing.iter().filter(|input| input.text == self.example.given);
        given.all(|input| cover.accepts(grammar, input))
    }

    /// Counts how often the hypothesis and the formula are right about new inputs on which they differ.
    fn compared_with(&mut self, cover: &Cover, right: &mut [usize; 2]) -> Result<(), Halt> {
        let (mut turn, mut idle) = (0, 0);
        while right[0] + right[1] < MOST_DIFFERENT && idle < MOST_IDLE {
            idle += 1;
            let Some(input) = self.new_input(&mut turn)? else { continue };
            let is_accepted = self.accepts(&input);
            if cover.accepts(self.example.grammar, &input) == is_accepted {
                continue;
            }
            let verdict = self.ask(input.text.clone())?.map(|(verdict, _)| verdict);
            if let Some(verdict @ (Verdict::Fail | Verdict::Pass)) = verdict {
                idle = 0;
                let is_hypothesis = (verdict == Verdict::Fail) == is_accepted;
                right[usize::from(!is_hypothesis)] += 1;
            }
        }
        Ok(())
    }

    /// An input that was not asked about.
    fn new_input(&mut self, turn: &mut usize) -> Result<Option<Rc<Input>>, Halt> {
        let source = SOURCES_OF_COVER[*turn % SOURCES_OF_COVER.len()];
        *turn += 1;
        let text = self.next(source)?;
        match text.filter(|text| !self.judge.knows(text)) {
            Some(text) => Ok(Input::parse(self.example.parser, text)?),
            None => Ok(None),
        }
    }

    /// Asks about inputs that may show a formula wrong and fits it anew, until it is right about enough of them in a row.
    ///
    /// # Errors
    /// The program cannot be asked, or not any more; `cover` is the last one then.
    pub(super) fn refine_cover(&mut self, cover: &mut Cover) -> Result<(), Halt> {
        let (mut turn, mut idle) = (0, 0);
        loop {
            self.probe(&cover.features, &cover.clauses)?;
            let (mut wrong, mut right) = (0, [0, 0]);
            while wrong < WRONG {
                if idle == MOST_IDLE || right.iter().all(|&right| right >= self.settings.right) {
                    return Ok(());
                }
                idle += 1;
                let Some(input) = self.new_input(&mut turn)? else { continue };
                let is_accepted = cover.accepts(self.example.grammar, &input);
                if right[usize::from(is_accepted)] >= self.settings.right {
                    continue;
                }
                idle = 0;
                match self.ask(input.text.clone())? {
                    Some((Verdict::Fail | Verdict::Pass, input)) if self.is_wrong(cover, &input) => {
                        wrong += 1;
                        right[usize::from(is_accepted)] = 0;
                        self.ask_around(cover, &input)?;
                    }
                    Some((Verdict::Fail | Verdict::Pass, _)) => right[usize::from(is_accepted)] += 1,
                    _ => {}
                }
            }
            if let Some(next) = self.fitted(f64::INFINITY).filter(|next| self.has_given(next)) {
                *cover = next;
            }
        }
    }

    /// Whether a formula is wrong about an input whose verdict is known.
    fn is_wrong(&self, cover: &Cover, input: &Input) -> bool {
        let fails = self.judge.known(&input.text) == Some(Verdict::Fail);
        cover.accepts(self.example.grammar, input) != fails
    }

    /// Makes an input smaller about which a formula is wrong, as long as it is, and asks about inputs that differ from that in one place.
    fn ask_around(&mut self, cover: &Cover, input: &Rc<Input>) -> Result<(), Halt> {
        let grammar = self.example.grammar;
        let is_accepted = cover.accepts(grammar, input);
        let verdict = if is_accepted { Verdict::Pass } else { Verdict::Fail };
        let is_kept = &|_: &Self, candidate: &Input| cover.accepts(grammar, candidate) == is_accepted;
        let input = self.shrink(Rc::clone(input), verdict, SHRINKING, is_kept)?;
        for _ in 0..AROUND {
            if let Some(text) = self.neighbour(&input) {
                self.ask(text)?;
            }
        }
        Ok(())
    }
}

impl Cover {
    /// Whether it holds of an input.
    pub(super) fn accepts(&self, grammar: &Grammar, input: &Input) -> bool {
        input.trees().any(|tree| {
            let features = self.features.of_tree(grammar, tree);
            self.clauses.iter().all(|clause| clause.holds(&features))
        })
    }

    /// It as an expression.
    pub(super) fn expression(&self, grammar: &Grammar) -> Expression {
        self.features.expression(grammar, &self.clauses)
    }
}
