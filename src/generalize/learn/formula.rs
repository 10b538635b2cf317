//! Learning with a formula instead of a hypothesis.
//!
//! What [`super::covering`] fits to the inputs that were met takes the place of the hypothesis if it is right more often ([`super::taking_over`]).
//! Where that shows before the executions are used up, the others go into inputs that may show the formula wrong: each of those that do
//! is made smaller, and then inputs that differ from it in one place are asked about. A formula is fitted to all of them, and needs several
//! with what they have in common to see what it is. To ask where an example is misjudged is the idea of boosting (Freund, Schapire, "A
//! decision-theoretic generalization of on-line learning and an application to boosting", 1997), with new examples instead of weights. Most inputs
//! that are asked about are such of which formulas that are simpler or more exact say something else (Seung, Opper, Sompolinsky, "Query by
//! committee", 1992).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::{Grammar, NonterminalId};
use crate::oracle::{Halt, Verdict};
use crate::pattern::Expression;

use super::comparing::{MOST_IDLE, Source};
use super::covering::{Fit, KINDS, error};
use super::examples::{self, Examples};
use super::features::{Clause, ExampleId, FeatureId, Features};
use super::hypothesis::Hypothesis;
use super::input::Input;
use super::session::Learning;
use super::taking_over::When;

/// The fewest examples of each verdict from which something can be seen.
const FEWEST_EXAMPLES: usize = 40;

/// Where the inputs come from that may show a formula wrong, in turn.
const SOURCES_OF_COVER: [Source; 4] =
    [Source::Neighbour(1), Source::Neighbour(2), Source::PassingNeighbour, Source::Random];

/// Inputs are at most so many times as long as the given one, and so many bytes: neighbours of neighbours get longer all the time, and those of which the
/// program is not asked take as much time as others.
const LONGER: usize = 4;
const ANY: usize = 256;

/// One input in this number is made of a passing one and what the formula asks for. It is not the number of sources.
const COMPOSED: usize = 5;

/// How many times the error of the best formula that of a simpler one may be.
const SIMPLER: f64 = 1.1;

/// Formulas say what single nodes have and have not if they are right about more than so many examples more, of those of which there are fewer.
const FEW: f64 = 1.0;

/// One input in this number may be one about which all formulas say the same. It is not the number of sources, of each of which some are.
const AGREED: usize = 5;

/// The number of inputs about which a formula is wrong before it is fitted anew.
const WRONG: usize = 4;

/// The executions that making such an input smaller may take, and the number of inputs that differ from it in one place.
const SHRINKING: usize = 25;
const AROUND: usize = 16;

/// The formula, and how to ask it.
pub(super) struct Cover {
    pub(super) features: Features,
    /// What is fitted to the same inputs in all manners, from simpler to more exact ones.
    pub(super) formulas: Vec<Vec<Clause>>,
    /// Which of them it is.
    pub(super) taken: usize,
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

    /// The formula over features that tells the inputs that are known to fail from those that are known to pass, if its error is not too large beside that of the
    /// hypothesis.
    pub(super) fn cover(&self, when: When) -> Option<Cover> {
        let examples = self.examples();
        let numbers = examples.each_ref().map(Vec::len);
        let accepted =
            examples.each_ref().map(|of_side| of_side.iter().filter(|input| self.accepts(input)).count());
        let own = error(numbers, accepted);
        // A hypothesis that is still being learned is right about what it was made for.
        let hypothesis = match when {
            When::Early => Hypothesis::default(),
            When::Last => self.hypothesis.clone(),
        };
        self.fitted(examples, when.times() * own, hypothesis)
    }

    /// The inputs that are known to fail and those known to pass, as far as a formula can be fitted to them.
    fn examples(&self) -> Examples {
        examples::shortest([&self.failing, &self.passing], examples::MOST_NODES)
    }

    /// The formula over features, of which a hypothesis is one, that is fitted to examples, if its error on others is less than this.
    fn fitted(&self, examples: Examples, most: f64, hypothesis: Hypothesis) -> Option<Cover> {
        let (features, fits) = self.fits(examples, hypothesis)?;
        let few = FEW / features.examples.iter().map(Vec::len).min()? as f64;
        let errors = fits.each_ref().map(|fits| least_error(fits));
        let kind = (1..fits.len()).fold(
            0,
            |taken, kind| {
                if errors[kind] + few < errors[taken] { kind } else { taken }
            },
        );
        let least = errors[kind];
        let best = fits[kind].iter().position(|fit| fit.error <= least * SIMPLER)?;
        let taken = fits[..kind].iter().map(Vec::len).sum::<usize>() + best;
        Some(Cover::new(features, fits, taken)).filter(|cover| least < most && asks_for_any(cover.clauses()))
    }

    /// The formula that is fitted in a certain manner to all that is known, by itself.
    pub(super) fn fitted_as(&self, manner: usize) -> Option<Cover> {
        let (features, fits) = self.fits(self.examples(), Hypothesis::default())?;
        Some(Cover::new(features, fits, manner)).filter(|cover| asks_for_any(cover.clauses()))
    }

    /// What is fitted to examples in all manners, if there are enough of them.
    fn fits(&self, examples: Examples, hypothesis: Hypothesis) -> Option<(Features, [Vec<Fit>; KINDS])> {
        let grammar = self.example.grammar;
        if examples.iter().map(Vec::len).min()? < FEWEST_EXAMPLES {
            return None;
        }
        let mut features =
            Features::of(grammar, self.whole_words(), self.cases.clone(), hypothesis, examples);
        let fits = features.fits(grammar);
        Some((features, fits))
    }

    /// Whether a formula accepts the given input.
    pub(super) fn has_given(&self, cover: &Cover) -> bool {
        self.given().all(|given| cover.accepts(self.example.grammar, given))
    }

    /// The given input, if it is known to fail.
    pub(super) fn given(&self) -> impl Iterator<Item = &Rc<Input>> {
        self.failing.iter().filter(|input| input.text == self.example.given)
    }

    /// Whether the next new input fails about which `differ` says that some answers differ, and what those are. `draw` has one for each turn. None if there seem to
    /// be no more, or `most` were drawn in all.
    pub(super) fn next_answer<T>(
        &mut self,
        mut draw: impl FnMut(&mut Self, usize) -> Result<Option<Rc<Input>>, Halt>,
        turn: &mut usize,
        most: usize,
        differ: impl Fn(&Self, &Input) -> Option<T>,
    ) -> Result<Option<(bool, T)>, Halt> {
        for _ in 0..MOST_IDLE {
            if *turn >= most {
                break;
            }
            *turn += 1;
            let Some(input) = draw(self, *turn - 1)? else { continue };
            let Some(answers) = differ(self, &input) else { continue };
            match self.ask(input.text.clone())? {
                Some((Verdict::Fail, _)) => return Ok(Some((true, answers))),
                Some((Verdict::Pass, _)) => return Ok(Some((false, answers))),
                _ => {}
            }
        }
        Ok(None)
    }

    /// An input of one of some sources, in turn, that was not asked about.
    pub(super) fn new_input(&mut self, sources: &[Source], turn: usize) -> Result<Option<Rc<Input>>, Halt> {
        let text = self.next(source_of(sources, turn))?;
        match text.filter(|text| self.is_new(text)) {
            Some(text) => Ok(self.parsed(text)?),
            None => Ok(None),
        }
    }

    /// The same, but in some turns an input that was made for a formula.
    pub(super) fn new_input_or_composed(
        &mut self,
        cover: &Cover,
        clauses: &[Clause],
        sources: &[Source],
        turn: usize,
    ) -> Result<Option<Rc<Input>>, Halt> {
        match is_composed(turn) {
            true => Ok(self.composed(cover, clauses)?.filter(|input| self.is_new(&input.text))),
            false => self.new_input(sources, turn),
        }
    }

    /// Whether a text was not asked about and is not too long.
    fn is_new(&self, text: &[u8]) -> bool {
        text.len() <= LONGER * self.example.given.len() + ANY && !self.judge.knows(text)
    }

    /// Asks about inputs that may show a formula wrong and fits it anew, until it is right about enough of them in a row. When the executions are used up it is fitted
    /// to all that are known.
    ///
    /// # Errors
    /// The program cannot be asked, or not any more.
    pub(super) fn refine_cover(&mut self, cover: &mut Cover) -> Result<(), Halt> {
        let (mut turn, mut looked) = (0, HashSet::new());
        loop {
            let asked = self.ask_about(cover, &mut turn, &mut looked);
            // Who ended it does not wait for what is not wanted.
            if asked.is_err() && self.judge.is_over().is_some() {
                return asked.map(|_| ());
            }
            // A hypothesis that was left half learned is right about what it was made for, and wrong about others like it.
            let next = self.fitted(self.examples(), f64::INFINITY, Hypothesis::default());
            if let Some(next) = next.filter(|next| self.has_given(next)) {
                *cover = next;
            }
            if asked? {
                return Ok(());
            }
        }
    }

    /// Asks about inputs that may show a formula wrong; says whether none did. Those around which inputs were asked about are `looked`.
    fn ask_about(
        &mut self,
        cover: &Cover,
        turn: &mut usize,
        looked: &mut HashSet<Vec<u8>>,
    ) -> Result<bool, Halt> {
        self.probe(&cover.features, cover.clauses())?;
        let mut wrong = self.misjudged(cover);
        wrong.retain(|input| !looked.contains(&input.text));
        wrong.truncate(WRONG);
        for input in &wrong {
            looked.insert(input.text.clone());
            self.ask_around(cover, input)?;
        }
        Ok(self.is_right_in_a_row(cover, turn)? && wrong.is_empty())
    }

    /// Asks about inputs until a formula is right about enough of them in a row, or wrong about some, around which inputs are asked about then. Says
    /// whether the former.
    fn is_right_in_a_row(&mut self, cover: &Cover, turn: &mut usize) -> Result<bool, Halt> {
        let grammar = self.example.grammar;
        let (mut wrong, mut right, mut idle) = (0, [0, 0], 0);
        while wrong < WRONG {
            if idle == MOST_IDLE || right.iter().all(|&right| right >= self.settings.right) {
                return Ok(true);
            }
            idle += 1;
            let is_composed = is_composed(*turn);
            let is_random = !is_composed && source_of(&SOURCES_OF_COVER, *turn) == Source::Random;
            let input = self.new_input_or_composed(cover, cover.clauses(), &SOURCES_OF_COVER, *turn)?;
            *turn += 1;
            let Some(input) = input else { continue };
            let features = cover.features_of(grammar, &input);
            let is_accepted = hold_of_any(cover.clauses(), &features);
            let is_disputed =
                || cover.formulas.iter().any(|clauses| hold_of_any(clauses, &features) != is_accepted);
            // Most random inputs have nothing to do with what fails: if many are accepted, all formulas may say too much.
            let is_unlikely = is_random && is_accepted;
            let is_wanted = is_composed || is_unlikely || turn.is_multiple_of(AGREED) || is_disputed();
            if right[usize::from(is_accepted)] >= self.settings.right || !is_wanted {
                continue;
            }
            idle = 0;
            if let Some((verdict @ (Verdict::Fail | Verdict::Pass), input)) = self.ask(input.text.clone())? {
                if (verdict == Verdict::Fail) == is_accepted {
                    right[usize::from(is_accepted)] += 1;
                } else {
                    wrong += 1;
                    right[usize::from(is_accepted)] = 0;
                    self.ask_around(cover, &input)?;
                }
            }
        }
        Ok(false)
    }

    /// The inputs about which a formula is wrong, of those that are known to fail or to pass, the shortest ones first.
    fn misjudged(&self, cover: &Cover) -> Vec<Rc<Input>> {
        let examples = &cover.features.examples;
        let all = examples.each_ref().map(|of_side| BitSet::full(of_side.len()));
        let held = cover.features.held(cover.clauses(), &all);
        let mut wrong: Vec<Rc<Input>> = Vec::new();
        for (side, inputs) in [&self.failing, &self.passing].into_iter().enumerate() {
            // What is known of the examples need not be looked for again.
            let known: HashMap<&[u8], ExampleId> = examples[side]
                .iter()
                .enumerate()
                .map(|(number, it)| (&*it.text, ExampleId::new(number)))
                .collect();
            let is_wrong = |input: &&Rc<Input>| {
                let is_accepted = match known.get(&*input.text) {
                    Some(&example) => held[side].contains(example),
                    None => cover.accepts(self.example.grammar, input),
                };
                is_accepted != (side == 0)
            };
            wrong.extend(inputs.iter().filter(is_wrong).map(Rc::clone));
        }
        wrong.sort_by_key(|input| input.text.len());
        wrong
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
    fn new(features: Features, fits: [Vec<Fit>; KINDS], taken: usize) -> Self {
        let formulas = fits.into_iter().flatten().map(|fit| fit.clauses).collect();
        Self { features, formulas, taken }
    }

    /// The clauses of it.
    pub(super) fn clauses(&self) -> &[Clause] {
        &self.formulas[self.taken]
    }

    /// Whether it holds of an input.
    pub(super) fn accepts(&self, grammar: &Grammar, input: &Input) -> bool {
        input.trees().any(|tree| hold(self.clauses(), &self.features.of_tree(grammar, tree)))
    }

    /// Which of the formulas hold of an input.
    pub(super) fn accepted(&self, grammar: &Grammar, input: &Input) -> Vec<bool> {
        let features = self.features_of(grammar, input);
        self.formulas.iter().map(|clauses| hold_of_any(clauses, &features)).collect()
    }

    /// The features that each tree of an input has.
    fn features_of(&self, grammar: &Grammar, input: &Input) -> Vec<BitSet<FeatureId>> {
        input.trees().map(|tree| self.features.of_tree(grammar, tree)).collect()
    }

    /// It as an expression.
    pub(super) fn expression(&self, grammar: &Grammar) -> Expression {
        self.features.expression(grammar, self.clauses())
    }
}

/// The source whose turn it is.
fn source_of(sources: &[Source], turn: usize) -> Source {
    sources[turn % sources.len()]
}

/// Whether it is the turn of an input that was made for a formula.
fn is_composed(turn: usize) -> bool {
    turn.is_multiple_of(COMPOSED)
}

/// The least error of some fits.
fn least_error(fits: &[Fit]) -> f64 {
    fits.iter().map(|fit| fit.error).fold(f64::INFINITY, f64::min)
}

/// Whether clauses ask for anything, rather than for the lack of something alone.
pub(super) fn asks_for_any(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| clause.is_positive)
}

/// Whether all clauses hold of a tree that has these features.
fn hold(clauses: &[Clause], features: &BitSet<FeatureId>) -> bool {
    clauses.iter().all(|clause| clause.holds(features))
}

/// Whether they hold of one of the trees of an input.
fn hold_of_any(clauses: &[Clause], trees: &[BitSet<FeatureId>]) -> bool {
    trees.iter().any(|features| hold(clauses, features))
}
