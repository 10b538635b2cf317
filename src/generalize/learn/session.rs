//! One learning at work: what is believed, what is known, and how the program is asked.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::budget::StopReason;
use crate::base::limits::{Exceeded, Limits};
use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Judge, Verdict};
use crate::pattern::Pattern;
use crate::produce::RandomInputs;

use super::super::cheapest::Cheapest;
use super::super::{ContextSampler, Example, Phase};
use super::LearnSettings;
use super::asked::Asked;
use super::cases::Cases;
use super::fills::Fills;
use super::hypothesis::{ClassId, Hypothesis};
use super::input::{Input, limits_like};
use super::masking::Refused;
use super::matching::Matcher;
use super::merging::Apart;
use super::samples::{Notation, Values};

/// A trial ends after this number of repetitions in a row: there seem to be no other inputs.
const MOST_REPETITIONS: usize = 30;

/// The fewest inputs that must have the wanted verdict where most are refused.
const FEWEST: usize = 3;

/// The number of inputs with which the program does not end in time after which learning ends: each takes as long as hundreds of others.
const MOST_HUNG: usize = 60;

/// What a trial showed.
pub(super) enum Trial {
    /// All had the wanted verdict.
    Holds,
    /// This one had another one.
    Refuted(Rc<Input>),
    /// Too few were resolved.
    Unclear,
}

/// One learning at work.
pub(super) struct Learning<'a, 's, 'o> {
    pub(super) settings: LearnSettings,
    /// What parsing one input may take.
    limits: Limits,
    pub(super) example: Example<'a>,
    pub(super) sampler: &'s mut dyn ContextSampler,
    pub(super) judge: &'s mut Judge<'o>,
    pub(super) stream: &'s mut crate::base::random_stream::RandomStream,
    pub(super) cheapest: Cheapest<'a>,
    /// Random inputs of the whole grammar.
    random: RandomInputs<'a>,
    pub(super) hypothesis: Hypothesis,
    /// The inputs that are known to fail, and those that are known to pass, in the order in which they were met.
    pub(super) failing: Vec<Rc<Input>>,
    pub(super) passing: Vec<Rc<Input>>,
    met: HashSet<Vec<u8>>,
    /// What was asked about.
    pub(super) asked: Asked,
    /// The inputs that are known to pass and accepted for all that was tried.
    unexplained: HashSet<Vec<u8>>,
    /// The inputs on which the hypothesis was compared with the program when counterexamples were looked for.
    pub(super) compared: Vec<(Verdict, Rc<Input>)>,
    /// What is learned of the values in root classes.
    pub(super) values: Vec<Values>,
    /// Where upper and lower case are the same.
    pub(super) cases: Cases,
    /// How nonterminals write whole numbers, of those that were looked at.
    pub(super) notations: HashMap<NonterminalId, Option<Notation>>,
    /// The number of inputs with which the program did not end in time.
    pub(super) hung: usize,
    /// The inputs that pass which were made of the given one.
    pub(super) made_hosts: Vec<Rc<Input>>,
    /// Small parts of inputs that the program takes.
    pub(super) known_parts: HashMap<NonterminalId, Vec<Vec<u8>>>,
    /// The number of failing inputs for which the hypothesis was widened.
    pub(super) widened: usize,
    /// Classes that were found not to be one.
    pub(super) apart: HashSet<Apart>,
    /// How often it was tried whether a class has only to have a part of it somewhere in it.
    pub(super) having_tried: HashMap<(ClassId, ClassId), usize>,
    /// Failing inputs that are rejected for all that was tried, each with that number at the time.
    pub(super) hopeless: HashMap<Vec<u8>, usize>,
    /// Passing inputs that were accepted for all that was tried, each with the number of failing inputs for which the hypothesis was widened
    /// at the time, and how often it was tried since.
    pub(super) stubborn: HashMap<Vec<u8>, (usize, usize)>,
    /// What became of the texts that places were filled with.
    pub(super) fills: Fills,
    /// Whether parts stand in inputs that the program takes rather than in random ones.
    pub(super) is_hosting: bool,
    /// Whether boundaries are looked for now: to do so for each failing input that something around it seems to mask would take too much.
    pub(super) is_bounding: bool,
    /// Whether that nothing stands somewhere may be an exception now: what makes an input pass is what stands there, mostly.
    pub(super) is_lack_excepted: bool,
    /// The root classes with which random inputs fail wherever they stand, unless something masks them.
    pub(super) narrowed: HashSet<ClassId>,
    /// The root classes for which boundaries were looked for.
    pub(super) bounded: HashSet<ClassId>,
    /// What was found not to mask.
    pub(super) refused: HashSet<Refused>,
    /// What was abstracted last of an input when the share of executions ended.
    pub(super) unfinished: Option<Pattern>,
    /// The executions of each part of the work.
    pub(super) phases: Vec<Phase>,
}

impl<'a, 's, 'o> Learning<'a, 's, 'o> {
    pub(super) fn new(
        settings: LearnSettings,
        example: Example<'a>,
        sampler: &'s mut dyn ContextSampler,
        judge: &'s mut Judge<'o>,
        stream: &'s mut crate::base::random_stream::RandomStream,
    ) -> Self {
        Self {
            settings,
            limits: limits_like(example.parser, example.given),
            example,
            sampler,
            judge,
            stream,
            cheapest: Cheapest::new(example.grammar, example.parser.lexis()),
            random: RandomInputs::new(example.parser, example.producers),
            hypothesis: Hypothesis::default(),
            failing: Vec::new(),
            passing: Vec::new(),
            met: HashSet::new(),
            asked: Asked::default(),
            unexplained: HashSet::new(),
            compared: Vec::new(),
            values: Vec::new(),
            cases: Cases::default(),
            notations: HashMap::new(),
            hung: 0,
            made_hosts: Vec::new(),
            known_parts: HashMap::new(),
            widened: 0,
            apart: HashSet::new(),
            having_tried: HashMap::new(),
            hopeless: HashMap::new(),
            stubborn: HashMap::new(),
            fills: Fills::default(),
            is_hosting: false,
            is_bounding: false,
            is_lack_excepted: false,
            narrowed: HashSet::new(),
            bounded: HashSet::new(),
            refused: HashSet::new(),
            unfinished: None,
            phases: Vec::new(),
        }
    }

    /// The input of a text; `None` when it is none of the grammar, or takes much longer to parse than the given one.
    ///
    /// # Errors
    /// When it takes more to parse than anything may, or the user interrupts it.
    pub(super) fn parsed(&self, text: Vec<u8>) -> Result<Option<Rc<Input>>, Exceeded> {
        match Input::parse(self.example.parser, text, &self.limits) {
            Err(Exceeded::Steps(most)) if most < self.example.parser.limits().sizes.steps => Ok(None),
            parsed => parsed,
        }
    }

    /// The verdict on a text, and its tree; nothing when it is no input.
    ///
    /// # Errors
    /// The budget is used up, or the program did not end in time too often.
    pub(super) fn ask(&mut self, text: Vec<u8>) -> Result<Option<(Verdict, Rc<Input>)>, Halt> {
        if self.hung == MOST_HUNG {
            return Err(Halt::Stop(StopReason::Hanging));
        }
        let Some(input) = self.parsed(text)? else { return Ok(None) };
        let verdict = self.judge.judge(&input.text)?;
        self.fills.settle(&input.text, matches!(verdict, Verdict::Fail | Verdict::Pass));
        if self.met.insert(input.text.clone()) {
            self.asked.count(verdict);
            match verdict {
                Verdict::Fail => self.failing.push(Rc::clone(&input)),
                Verdict::Pass => self.passing.push(Rc::clone(&input)),
                Verdict::Unresolved => {}
                Verdict::Timeout => self.hung += 1,
            }
        }
        Ok(Some((verdict, input)))
    }

    /// Does work that widens or narrows the hypothesis, with at most a part of all executions, one in `share`. When they are used up the work has not
    /// succeeded. Where it does not come to an end, for whatever reason, the hypothesis is what it was, but for what masks.
    pub(super) fn within(
        &mut self,
        share: u64,
        work: impl FnOnce(&mut Self) -> Result<bool, Halt>,
    ) -> Result<bool, Halt> {
        let before = self.hypothesis.clone();
        let done = self.until(self.judge.executions() + self.settings.executions / share, work);
        if !matches!(done, Ok(Some(_))) {
            self.take_back(before);
        }
        Ok(done?.unwrap_or(false))
    }

    /// Does work until so many executions were made in all; nothing if it was not done by then.
    pub(super) fn until<T>(
        &mut self,
        executions: u64,
        work: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> Result<Option<T>, Halt> {
        let all = self.judge.allow(executions.saturating_sub(self.judge.executions()));
        let done = work(self);
        let is_left = all.executions.is_none_or(|most| self.judge.executions() < most);
        self.judge.set_budget(all);
        match done {
            Err(Halt::Stop(StopReason::Budget)) if is_left => Ok(None),
            done => done.map(Some),
        }
    }

    /// A random input of the whole grammar.
    pub(super) fn random_input(&mut self) -> Result<Option<Vec<u8>>, Halt> {
        if let Some(text) = self.random.draw(self.stream)? {
            return Ok(Some(text));
        }
        let mut text = Vec::new();
        let start = self.example.grammar.start();
        Ok(self.example.producer.produce(start, self.stream, &mut text).ok().map(|()| text))
    }

    /// Takes over what the judge knows already.
    pub(super) fn recall(&mut self) -> Result<(), Halt> {
        let log: Vec<Vec<u8>> = self.judge.log().iter().map(|(text, _)| text.to_vec()).collect();
        for text in log {
            if !self.met.contains(&text) {
                self.ask(text)?;
            }
        }
        Ok(())
    }

    /// Gives up on a passing input that is accepted: what comes is not measured by it.
    pub(super) fn give_up(&mut self, input: &Input) {
        self.unexplained.insert(input.text.clone());
    }

    /// The number of inputs that were given up on.
    pub(super) fn given_up(&self) -> usize {
        self.unexplained.len()
    }

    /// The inputs that are known to pass and that the hypothesis has to reject.
    pub(super) fn explained(&self) -> impl Iterator<Item = &Rc<Input>> {
        self.passing.iter().filter(|input| !self.unexplained.contains(&input.text))
    }

    /// Whether the hypothesis accepts an input.
    pub(super) fn accepts(&self, input: &Input) -> bool {
        Matcher::new(self.example.grammar, &self.hypothesis).accepts(input)
    }

    /// Whether the hypothesis accepts the first tree of an input.
    pub(super) fn accepts_first(&self, input: &Input) -> bool {
        Matcher::new(self.example.grammar, &self.hypothesis).accepts_tree(&input.tree)
    }

    /// An accepted input with the tree first in which it is.
    pub(super) fn as_accepted(&self, input: &Rc<Input>) -> Rc<Input> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        match input.trees().position(|tree| matcher.accepts_tree(tree)) {
            Some(0) | None => Rc::clone(input),
            Some(number) => Rc::new(input.with_first(self.example.grammar, number)),
        }
    }

    /// Whether `number` different inputs that `next` makes have the wanted verdict.
    pub(super) fn trial(
        &mut self,
        wanted: Verdict,
        number: usize,
        next: &mut dyn FnMut(&mut Self, usize) -> Option<Vec<u8>>,
    ) -> Result<Trial, Halt> {
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let (mut held, mut unresolved, mut repetitions, mut turn) = (0, 0, 0, 0);
        while held < number && repetitions < MOST_REPETITIONS {
            let text = next(self, turn);
            turn += 1;
            let Some(text) = text else {
                repetitions += 1;
                continue;
            };
            if !seen.insert(text.clone()) {
                repetitions += 1;
                continue;
            }
            match self.ask(text)? {
                None => repetitions += 1,
                Some((verdict, _)) if verdict == wanted => {
                    held += 1;
                    repetitions = 0;
                }
                Some((Verdict::Unresolved | Verdict::Timeout, _)) => {
                    unresolved += 1;
                    repetitions = 0;
                    let patience = if self.is_often_refused() { 2 } else { 1 };
                    if held == 0 && unresolved >= 6 * patience || unresolved > 2 * number * patience {
                        return Ok(if held >= FEWEST { Trial::Holds } else { Trial::Unclear });
                    }
                }
                Some((_, input)) => return Ok(Trial::Refuted(input)),
            }
        }
        Ok(if held == 0 { Trial::Unclear } else { Trial::Holds })
    }

    /// Whether the program refused anything that it was asked about.
    pub(super) fn is_ever_refused(&self) -> bool {
        self.asked.are_any_refused()
    }

    /// Whether the program refuses most of what it is asked about.
    pub(super) fn is_often_refused(&self) -> bool {
        self.asked.is_enough() && self.asked.are_most_refused()
    }
}
