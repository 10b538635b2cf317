//! The smallest part of an input that can be a root class: random inputs with it fail, but for those in which something masks it.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::grammar::analysis::{reachable, uses};
use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId};
use crate::oracle::{Halt, Verdict};

use super::binding::Bindings;
use super::host::Context;
use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};
use super::input::Input;
use super::matching::Matcher;
use super::positive::MOST_UNEXPLAINED;
use super::session::Learning;

/// How many random inputs are drawn, and how many of them that fail are enough.
const DRAWS: usize = 400;
const CHECKS: usize = 10;

/// The part of all executions, one in this number, that may be spent on the root classes for all parts of a pattern: what is found has to be
/// compared with the program.
const SHARE_OF_ALL: u64 = 2;

/// The same for one of them.
const SHARE: u64 = 10;

/// The same for learning what masks one.
const SHARE_OF_MASKS: u64 = 5;

/// The part of all executions, one in this number, that may be spent on root classes of parts that do not hold all that is wanted.
const SHARE_OF_PARTS: u64 = 4;

/// The same for trying other rules in the place of a class that a root class needs.
const SHARE_OF_RULES: u64 = 12;

/// The same for finding out whether more than a part is needed; and how many texts are tried for each part of the rest.
const SHARE_OF_REST: u64 = 40;
const REST_SAMPLES: usize = 4;

/// The number of inputs with parts in them that may run for ever: each takes as long as hundreds that do not.
const MOST_HUNG: usize = 5;

/// A part that more than so many inputs have that are known to pass has nothing to do with the failure.
const MOST_PASSING: usize = 3;

/// The number of contexts in which a part is tried first where the program refuses most inputs.
const FIRST_DRAWS: usize = 16;

/// The number of rules of its nonterminal that are tried in its place.
const MOST_RULES: usize = 100;

/// The number of texts of each.
const RULE_SAMPLES: usize = 8;

impl Learning<'_, '_, '_> {
    /// Takes for a root class, in the place of one that was found for a larger part of an input, the smallest part of it with which random
    /// inputs fail unless something masks it, of those that can be tried with its share of the executions; says which it is, if there is one.
    pub(super) fn narrow_root(&mut self, root: ClassId) -> Result<Option<ClassId>, Halt> {
        let mut fair: Option<(bool, ClassId, Hypothesis)> = None;
        let mut last: Option<(ClassId, Hypothesis)> = None;
        let begin = self.judge.executions();
        let end = begin + self.settings.executions / SHARE_OF_ALL;
        let end_of_parts = begin + self.settings.executions / SHARE_OF_PARTS;
        let hung = self.hung;
        let whole = self.whole_parts(root);
        let mut candidates = self
            .parts(&whole)
            .into_iter()
            .map(|part| (part, !whole.contains(&part)))
            .collect::<VecDeque<_>>();
        while let Some((candidate, is_hosting)) = candidates.pop_front() {
            self.is_hosting = is_hosting;
            let is_affordable =
                !self.is_hosting || self.judge.executions() < end_of_parts && self.hung < hung + MOST_HUNG;
            if !is_affordable || !self.may_be_masked(candidate) {
                continue;
            }
            let before = self.hypothesis.clone();
            self.hypothesis.replace_root(root, candidate);
            if !whole.contains(&candidate) && self.is_common() {
                self.hypothesis = before;
                continue;
            }
            if let Some((_, last)) = last.filter(|(part, _)| self.is_part(*part, candidate)) {
                self.hypothesis.adopt_masks(&last, candidate);
            }
            self.narrowed.insert(candidate);
            let asked = self.asked;
            let found = self.until(end, |session| {
                // Most parts have nothing to do with the failure, which this shows with the fewest executions.
                let is_hopeless = session.is_hosting && !session.fails_in_some_context(candidate)?;
                if is_hopeless || session.needs_more(candidate)? {
                    return Ok(None);
                }
                session.fails_unless_masked(candidate)
            })?;
            if matches!(found, Some(Some(0..=MOST_UNEXPLAINED))) {
                return Ok(Some(candidate));
            }
            let refused = std::mem::replace(&mut self.hypothesis, before);
            let Some(found) = found else {
                self.narrowed.remove(&candidate);
                break;
            };
            if found.is_none() {
                self.narrowed.remove(&candidate);
            }
            if found.is_none() && !is_hosting && self.asked.since(asked).are_most_refused() {
                // What is refused at random places may not be in inputs that the program takes.
                candidates.push_front((candidate, true));
            }
            if found.is_some() && fair.is_none() {
                fair = Some((self.is_hosting, candidate, refused.clone()));
            }
            last = Some((candidate, refused));
        }
        self.is_hosting = false;
        let Some((is_hosting, candidate, fair)) = fair else { return Ok(None) };
        (self.is_hosting, self.hypothesis) = (is_hosting, fair);
        Ok(Some(candidate))
    }

    /// Whether so many known inputs pass that the hypothesis accepts that no program has to be asked.
    fn is_common(&self) -> bool {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        self.passing.iter().filter(|input| matcher.accepts(input)).nth(MOST_PASSING).is_some()
    }

    /// Tries each rule of the nonterminal of the root classes that something may mask in the place of one that is known to fail, and
    /// the small parts of inputs that the program takes: what fails alike is an alternative.
    pub(super) fn try_rules(&mut self) -> Result<(), Halt> {
        for root in self.hypothesis.roots_and_needs() {
            if !self.may_be_masked(root) {
                continue;
            }
            let is_need = !self.hypothesis.roots().contains(&root);
            let most = self.judge.executions() + self.settings.executions / SHARE_OF_RULES;
            let nonterminal = self.hypothesis.class(root).nonterminal;
            let rules = self.example.grammar.rules_of(nonterminal).to_vec();
            for rule in rules.into_iter().take(MOST_RULES) {
                for _ in 0..RULE_SAMPLES {
                    if is_need && self.judge.executions() > most {
                        break;
                    }
                    let Some(text) = self.text_with(rule, usize::MAX, &[]) else { break };
                    self.try_in_place(root, text)?;
                }
            }
            let mut parts = self.known_parts.get(&nonterminal).cloned().unwrap_or_default();
            parts.sort_by_key(Vec::len);
            for part in parts {
                if is_need && self.judge.executions() > most {
                    break;
                }
                self.try_in_place(root, part)?;
            }
        }
        Ok(())
    }

    /// Puts a text in the place of a root class that is known to fail, and learns from it if it fails there as well.
    fn try_in_place(&mut self, root: ClassId, text: Vec<u8>) -> Result<(), Halt> {
        let Some((input, node)) = self.first_place(root) else { return Ok(()) };
        let text = input.with(self.example, &[(node, text)]);
        match self.ask(text)? {
            Some((Verdict::Fail, failing)) => self.positive_in_steps(&failing, u64::MAX),
            _ => Ok(()),
        }
    }

    /// A class, and in turn the one part of what it is that holds all that is wanted.
    fn whole_parts(&self, root: ClassId) -> Vec<ClassId> {
        let mut whole = vec![root];
        while let Some(next) = self.only_part(whole[whole.len() - 1]).filter(|next| !whole.contains(next)) {
            whole.push(next);
        }
        whole
    }

    /// The classes that may take the place of the first of `whole`, from the smallest to the largest: the others of these, and, where
    /// the program refuses most inputs, those of all parts of the last one as well. There something may seem to be needed because
    /// without it nothing is taken at all.
    fn parts(&self, whole: &[ClassId]) -> Vec<ClassId> {
        let Some(&innermost) = whole.last() else { return Vec::new() };
        let mut parts: Vec<ClassId> = Vec::new();
        if self.is_often_refused() {
            let grammar = self.example.grammar;
            let mut open = vec![innermost];
            while let Some(class) = open.pop() {
                for part in self.hypothesis.mentioned(class) {
                    let is_word =
                        grammar.nonterminal(self.hypothesis.class(part).nonterminal).token.is_some();
                    if !is_word && !self.is_nothing(part) && !whole.contains(&part) && !parts.contains(&part)
                    {
                        parts.push(part);
                        open.push(part);
                    }
                }
            }
            let length = |class: &ClassId| {
                self.first_place(*class).map_or(usize::MAX, |(input, node)| input.text_of(node).len())
            };
            parts.reverse();
            parts.sort_by_cached_key(length);
        }
        // Levels of precedence add nothing to a part.
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        parts.retain(|&part| {
            self.first_place(part).is_none_or(|(input, node)| seen.insert(input.text_of(node).to_vec()))
        });
        parts.extend(whole.iter().skip(1).rev());
        parts
    }

    /// Whether a class is one of a part of what another one is.
    fn is_part(&self, part: ClassId, whole: ClassId) -> bool {
        let mut seen = BitSet::from_iter([whole]);
        let mut open = vec![whole];
        while let Some(class) = open.pop() {
            open.extend(self.hypothesis.mentioned(class).into_iter().filter(|&inner| seen.insert(inner)));
        }
        seen.contains(part)
    }

    /// The class that the one alternative of a class wants in it, where it wants nothing else but that something is not there.
    fn only_part(&self, class: ClassId) -> Option<ClassId> {
        let [Alternative::Rule(_, wants)] = self.hypothesis.class(class).alternatives.as_slice() else {
            return None;
        };
        let mut parts = wants.iter().filter(|want| match want {
            Want::Any => false,
            Want::In(part) => !self.is_nothing(*part),
            Want::NotIn(_) | Want::Bound(_) | Want::Char(_) | Want::Letter(_) => true,
        });
        match (parts.next(), parts.next()) {
            (Some(Want::In(part)), None) => Some(*part),
            _ => None,
        }
    }

    /// Whether a class is that of the empty text by a rule without symbols.
    pub(super) fn is_nothing(&self, class: ClassId) -> bool {
        match self.hypothesis.class(class).alternatives.as_slice() {
            [Alternative::Rule(rule, _)] => self.example.grammar.rule(*rule).symbols.is_empty(),
            _ => false,
        }
    }

    /// A random input around a text, in which each rule that has the nonterminal is as likely to be around it, or, where parts are tried
    /// in hosts, one of these.
    pub(super) fn around(&mut self, nonterminal: NonterminalId, text: &[u8]) -> Option<Context> {
        if self.is_hosting {
            return self.in_context(nonterminal, text);
        }
        let uses = uses(self.example.grammar);
        let from_start = reachable(self.example.grammar, self.example.grammar.start());
        let of_start =
            |&&(rule, _): &&(RuleId, usize)| from_start.contains(self.example.grammar.rule(rule).lhs);
        let uses: Vec<(RuleId, usize)> = uses[nonterminal].iter().filter(of_start).copied().collect();
        if uses.is_empty() {
            return None;
        }
        let (rule, child) = *self.stream.pick(&uses);
        let outer = self.text_with(rule, child, text)?;
        let text = self.sampler.around(self.example.grammar.rule(rule).lhs, &outer, self.stream)?;
        Some(Context { text, is_host: false })
    }

    /// A text of a root class: a random one, or, where parts are tried in hosts, in turn one that is known to fail.
    pub(super) fn member_or_known(&mut self, root: ClassId) -> Option<Vec<u8>> {
        if self.is_hosting
            && self.stream.below(2) == 0
            && let Some((known, node)) = self.first_place(root)
        {
            return Some(known.text_of(node).to_vec());
        }
        self.member(root, Bindings::new())
    }

    /// Whether an input fails with a text of a root class in it that did not before, of the first few that are not refused.
    pub(super) fn fails_in_some_context(&mut self, root: ClassId) -> Result<bool, Halt> {
        let nonterminal = self.hypothesis.class(root).nonterminal;
        let mut passed = 0;
        for _ in 0..FIRST_DRAWS {
            let Some(member) = self.member_or_known(root) else { continue };
            let Some(context) = self.around(nonterminal, &member) else { continue };
            match self.ask(context.text)? {
                Some((Verdict::Fail, _)) => return Ok(true),
                Some((Verdict::Pass, _)) => passed += 1,
                _ => {}
            }
            if passed == CHECKS {
                break;
            }
        }
        Ok(false)
    }

    /// Whether something else than a root class is needed in the input that is known to fail for it: with others in the place of a part of the
    /// rest it passes.
    fn needs_more(&mut self, root: ClassId) -> Result<bool, Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_REST;
        let Some((input, place)) = self.first_place(root) else { return Ok(false) };
        let (begin, end) = input.spans[place];
        for node in input.nodes() {
            let (from, to) = input.spans[node];
            let Some(nonterminal) = input.tree.nonterminal(self.example.grammar, node) else { continue };
            if from < end && begin < to || from == to || is_gap(self.example.grammar, nonterminal) {
                continue;
            }
            let (mut passed, mut failed) = (0, 0);
            for turn in 0..REST_SAMPLES {
                let is_decided = failed > 0 || passed == 0 && turn > 1;
                if is_decided || self.judge.executions() > most {
                    break;
                }
                let Some(fill) = self.fill(nonterminal, turn) else { continue };
                let text = input.with(self.example, &[(node, fill)]);
                match self.ask(text)? {
                    Some((Verdict::Fail, _)) => failed += 1,
                    Some((Verdict::Pass, changed)) if self.accepts(&changed) => passed += 1,
                    _ => {}
                }
            }
            if failed == 0 && passed >= REST_SAMPLES / 2 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether random inputs with a root class in them fail for it, but for those that something masks, and few others: how many.
    pub(super) fn fails_unless_masked(&mut self, root: ClassId) -> Result<Option<usize>, Halt> {
        let nonterminal = self.hypothesis.class(root).nonterminal;
        let mut most = self.judge.executions() + self.settings.executions / SHARE;
        let last = most + self.settings.executions / SHARE_OF_MASKS;
        let (mut failed, mut unexplained): (usize, Vec<Rc<Input>>) = (0, Vec::new());
        for _ in 0..DRAWS {
            let is_enough = failed == CHECKS || unexplained.len() > CHECKS / 3;
            if is_enough || self.judge.executions() > most {
                break;
            }
            let Some(member) = self.member_or_known(root) else { continue };
            let Some(Context { text, is_host }) = self.around(nonterminal, &member) else { continue };
            let Some(text) = self.completed(root, text)? else { continue };
            let Some(input) = self.parsed(text)? else { continue };
            if !self.accepts(&input) {
                continue;
            }
            match self.ask(input.text.clone())? {
                Some((Verdict::Fail, input)) => {
                    failed += usize::from(is_host || self.is_cause(&input, root)?)
                }
                Some((Verdict::Pass, input)) => {
                    if self.is_hidden_in_gaps(&input)? {
                        self.give_up(&input);
                    } else {
                        let begin = self.judge.executions();
                        if !self.negative(&input)? {
                            unexplained.push(input);
                        } else if self.is_hosting {
                            // What was learned stays, whatever the root class comes to be.
                            most = (most + self.judge.executions() - begin).min(last);
                        }
                    }
                }
                _ => {}
            }
        }
        if failed < CHECKS / 2 || unexplained.len() * 3 > failed {
            return Ok(None);
        }
        let number = unexplained.len();
        for input in unexplained {
            self.give_up(&input);
        }
        // What is known to pass in other ways is explained as well, as far as it can be.
        while let Some(wrong) = self.wrongly_accepted() {
            if self.judge.executions() > most || !self.negative(&wrong)? {
                self.give_up(&wrong);
            }
        }
        Ok(Some(number))
    }
}
