//! The rules of the lexer: tokens, fragments and what is skipped.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diagnostic::Diagnostic;

use super::super::class::CharClass;
use super::super::ebnf::syntax as ours;
use super::super::model::Name;
use super::elements::single;
use super::lower::{Lowering, item, nonterminal, with_operator};
use super::reluctant::{self, Tail};
use super::syntax::{Alternative, Atom, Dropped, Item, Rule, Sign, Span};

/// How many names a set of characters, or the end of a token, is looked up through.
pub(super) const MOST_NAMES: usize = 20;
/// How many texts the end of a token is taken apart into, and how long they are.
const MOST_TEXTS: usize = 32;

impl Lowering<'_> {
    /// Which tokens the parser does not see.
    pub(super) fn find_skipped(&mut self) {
        for rule in self.order.iter().filter(|rule| rule.is_lexical() && !rule.is_fragment) {
            if !rule.alternatives.is_empty() && rule.alternatives.iter().all(is_skipped) {
                self.skipped.insert(rule.name.name.clone());
            }
        }
    }

    /// What `@skip` calls the alternatives of a rule that are skipped, if there are any.
    pub(super) fn skipped_name(&self, rule: &Rule) -> Option<String> {
        let name = &rule.name.name;
        if self.skipped.contains(name) {
            return Some(name.clone());
        }
        let some = rule.is_lexical() && !rule.is_fragment && rule.alternatives.iter().any(is_skipped);
        some.then(|| format!("{name}-skipped"))
    }

    /// A text in any case: a class for each character; `None` when no letter of it has cases.
    pub(super) fn any_case(&self, text: &str, span: &Span) -> Option<ours::Sequence> {
        text.chars().any(|c| other_cases(c).count() > 0).then(|| {
            text.chars()
                .map(|c| {
                    let class = CharClass::of(std::iter::once(c).chain(other_cases(c)));
                    item(ours::Atom::Class(class), span)
                })
                .collect()
        })
    }

    pub(super) fn lexical_rule(&mut self, rule: &Rule) {
        let rule = &repeats_once(rule);
        let name = &rule.name;
        for command in rule.alternatives.iter().flat_map(|alternative| &alternative.commands) {
            if command.name.name == "more" {
                self.report(Dropped::More, &command.name.span);
                self.is_unjoined = true;
            }
        }
        let token = || (!rule.is_fragment).then(ours::TokenOptions::default);
        if self.skipped_name(rule).is_none_or(|skipped| skipped == name.name) {
            let alternatives = self.token_alternatives(rule, &rule.alternatives);
            let is_only_skipped = self.skipped.contains(&name.name) && !self.uses.contains_key(&name.name);
            let alternatives = if is_only_skipped && !leads_elsewhere(&rule.alternatives) {
                self.repeated.insert(name.name.clone());
                alternatives.into_iter().map(not_empty).collect()
            } else {
                alternatives
            };
            return self.define(&name.name, &name.span, token(), alternatives);
        }
        let (skipped, kept): (Vec<Alternative>, Vec<Alternative>) =
            rule.alternatives.iter().cloned().partition(is_skipped);
        let kept = self.token_alternatives(rule, &kept);
        self.define(&name.name, &name.span, token(), kept);
        let own = format!("{}-skipped", name.name);
        let leads_elsewhere = leads_elsewhere(&skipped);
        let mut skipped = self.token_alternatives(rule, &skipped);
        if !leads_elsewhere {
            self.repeated.insert(own.clone());
            skipped = skipped.into_iter().map(not_empty).collect();
        }
        self.define(&own, &name.span, token(), skipped);
    }

    /// Where no lexer says where a word ends, what is skipped may be repeated anyway: `x+` is `x` there, and an input has one tree instead of
    /// many.
    pub(super) fn skip_without_repetitions(&mut self) {
        let definitions = self.lowered.text.definitions.iter_mut();
        for definition in
            definitions.filter(|definition| self.repeated.contains(&*definition.name.name.text()))
        {
            for sequence in &mut definition.alternatives {
                if let [only] = sequence.as_mut_slice()
                    && only.operator == Some(ours::Operator::Plus)
                {
                    only.operator = None;
                }
            }
        }
    }

    /// Takes out fragments that no token has, and what was made for them: within no token, things could
    /// be skipped between their parts. Those of which only the characters are used go too.
    pub(super) fn drop_fragments(&mut self) {
        let text = &mut self.lowered.text;
        let hidden: BTreeSet<&str> =
            text.helpers.iter().map(|(_, helper)| helper.name.base.as_str()).collect();
        let is_part =
            |name: &str| hidden.contains(name) || self.rules.get(name).is_some_and(|rule| rule.is_fragment);
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<&ours::Definition> =
            text.definitions.iter().filter(|definition| !is_part(&definition.name.name.base)).collect();
        let by_name: BTreeMap<&str, &ours::Definition> = text
            .definitions
            .iter()
            .map(|definition| (definition.name.name.base.as_str(), definition))
            .collect();
        while let Some(definition) = open.pop() {
            let mut names = Vec::new();
            names_in(&definition.alternatives, &mut names);
            for name in names {
                if is_part(&name.base) && used.insert(name.base.clone()) {
                    open.extend(by_name.get(name.base.as_str()));
                }
            }
        }
        let dropped: BTreeSet<String> = by_name
            .keys()
            .filter(|name| is_part(name) && !used.contains(**name))
            .map(|&name| name.to_owned())
            .collect();
        text.definitions.retain(|definition| !dropped.contains(&definition.name.name.base));
        text.helpers.retain(|(_, helper)| !dropped.contains(&helper.name.base));
        // What is not expressed of them does not matter.
        let mut reports = std::mem::take(&mut self.lowered.dropped);
        reports.retain(|(what, span)| {
            *what != Dropped::Reluctant
                || self.rule_at(span).is_none_or(|rule| !dropped.contains(&rule.name.name))
        });
        self.lowered.dropped = reports;
        for rule in self.order.iter().filter(|rule| dropped.contains(&rule.name.name)) {
            if !self.uses.contains_key(&rule.name.name) && !rule.is_made() {
                let warning = Diagnostic::warning(format!("the fragment `{}` is not used", rule.name.name));
                self.lowered.warnings.push(self.texts.point(warning, &rule.name.span, "no token has it"));
            }
        }
    }

    /// `at_end` says whether the token ends behind them.
    pub(super) fn lexical_alternatives(
        &mut self,
        rule: &Rule,
        alternatives: &[Alternative],
        at_end: bool,
    ) -> Vec<ours::Sequence> {
        let mut sequences = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            match impossible(&alternative.items) {
                Some(item) => self.report(Dropped::Surrogate, &item.span),
                None => sequences.push(self.lexical_sequence(rule, &alternative.items, at_end)),
            }
        }
        sequences
    }

    fn lexical_sequence(&mut self, rule: &Rule, items: &[Item], at_end: bool) -> ours::Sequence {
        let mut sequence = Vec::with_capacity(items.len());
        for (index, found) in items.iter().enumerate() {
            if found.operator.is_some_and(|o| o.is_reluctant && o.sign != Sign::Optional) {
                let rest = &items[index + 1..];
                let told = if at_end {
                    self.up_to(rule, found, rest).or_else(|| self.escaped(rule, found, rest))
                } else {
                    None
                };
                if let Some(rest) = told {
                    sequence.extend(rest);
                    return sequence;
                }
                self.report(Dropped::Reluctant, &found.span);
            }
            let is_last = at_end && index + 1 == items.len() && found.operator.is_none();
            self.lexical_item(rule, found, is_last, &mut sequence);
        }
        sequence
    }

    fn lexical_item(&mut self, rule: &Rule, found: &Item, at_end: bool, sequence: &mut ours::Sequence) {
        let span = &found.span;
        let atom = match &found.atom {
            Atom::Literal(text) => match self.any_case(text, span).filter(|_| rule.any_case) {
                Some(classes) => ours::Atom::Group(vec![classes]),
                None => ours::Atom::Literal(text.as_bytes().to_vec()),
            },
            Atom::Name(name) => match self.rules.get(name.as_str()) {
                Some(_) => nonterminal(name, span).atom,
                None => {
                    return self.error(
                        format!("the token `{name}` has no rule"),
                        span,
                        "what is declared in `tokens { ... }` cannot be a part of a token",
                    );
                }
            },
            Atom::EndOfInput => return self.report(Dropped::EndOfInput, span),
            Atom::Any => ours::Atom::Class(CharClass::any()),
            Atom::Set(_) | Atom::Not(_) => match self.class(rule, found, 0) {
                Some(class) if class.is_empty() && matches!(found.atom, Atom::Set(_)) => {
                    return self.report(Dropped::Surrogate, span);
                }
                Some(class) if class.is_empty() => {
                    return self.error("no character is in this set", span, "any character is `.`");
                }
                Some(class) => ours::Atom::Class(class),
                None => return,
            },
            Atom::Group(inner) => ours::Atom::Group(self.lexical_alternatives(rule, inner, at_end)),
        };
        sequence.push(with_operator(atom, found));
    }

    /// The characters of an item that stands for one; reports members of a set that do not.
    fn class(&mut self, rule: &Rule, found: &Item, depth: usize) -> Option<CharClass> {
        let Atom::Not(members) = &found.atom else { return self.characters(rule, &found.atom, depth) };
        let mut excluded = CharClass::new([]);
        for member in members {
            match self.characters(rule, &member.atom, depth) {
                Some(class) => excluded = excluded.union(&class),
                None => {
                    let help = "only single characters, sets and tokens that are such can be excluded";
                    self.error("this is no set of characters", &member.span, help);
                    return None;
                }
            }
        }
        Some(excluded.complement())
    }

    /// The characters that an atom stands for, when it always stands for one.
    pub(super) fn characters(&self, rule: &Rule, atom: &Atom, depth: usize) -> Option<CharClass> {
        match atom {
            Atom::Set(class) if rule.any_case => {
                // Only those of a set of moderate size have other cases that are not in it.
                let others = class.chars().take(0x3000).flat_map(other_cases);
                Some(class.union(&CharClass::of(others)))
            }
            Atom::Set(class) => Some(class.clone()),
            Atom::Any => Some(CharClass::any()),
            Atom::Literal(text) => {
                let c = single(text)?;
                let others = other_cases(c).filter(|_| rule.any_case);
                Some(CharClass::of(std::iter::once(c).chain(others)))
            }
            Atom::Not(members) => {
                let mut excluded = CharClass::new([]);
                for member in members {
                    excluded = excluded.union(&self.characters(rule, &member.atom, depth)?);
                }
                Some(excluded.complement())
            }
            Atom::Name(name) if depth < MOST_NAMES => {
                let rule = self.rules.get(name.as_str())?;
                self.one_of(rule, &rule.alternatives, depth + 1)
            }
            Atom::Group(alternatives) => self.one_of(rule, alternatives, depth),
            Atom::Name(_) | Atom::EndOfInput => None,
        }
    }

    pub(super) fn one_of(
        &self,
        rule: &Rule,
        alternatives: &[Alternative],
        depth: usize,
    ) -> Option<CharClass> {
        let mut all = CharClass::new([]);
        for alternative in alternatives {
            match alternative.items.as_slice() {
                [Item { atom, operator: None, .. }] => {
                    all = all.union(&self.characters(rule, atom, depth)?);
                }
                _ => return None,
            }
        }
        Some(all)
    }

    /// `.*? tail` at the end of a token, up to the first tail; `None` when that cannot be said.
    fn up_to(&mut self, rule: &Rule, found: &Item, rest: &[Item]) -> Option<ours::Sequence> {
        let repeated = self.characters(rule, &found.atom, 0)?;
        let tail = self.tail(rule, rest)?;
        let states = reluctant::states(&repeated, &tail)?;
        let span = &found.span;
        let mut sequence = Vec::new();
        if found.operator.is_some_and(|operator| operator.sign == Sign::Plus) {
            // The first one is taken in any case.
            sequence.push(item(ours::Atom::Class(repeated), span));
        }
        match states.as_slice() {
            // One state is a plain repetition.
            [state] => {
                let mut moves: Vec<_> = state.moves.iter().collect();
                moves.sort_by_key(|(_, target)| target.is_none());
                for (class, target) in moves {
                    let operator = match target {
                        Some(_) => Some(ours::Operator::Star),
                        None => state.ends.then_some(ours::Operator::Optional),
                    };
                    let atom = one_of(class);
                    sequence.push(ours::Item { atom, operator, span: span.clone() });
                }
            }
            states => sequence.push(self.states(rule, states, span)),
        }
        Some(sequence)
    }

    /// A nonterminal for each state; what begins with the first.
    pub(super) fn states(&mut self, rule: &Rule, states: &[reluctant::State], span: &Span) -> ours::Item {
        let base = format!("{}-rest-", rule.name.name);
        let before = self.lowered.text.helpers.iter().filter(|(_, known)| known.name.base.starts_with(&base));
        let before = before.count();
        let name = |state: usize| format!("{base}{}", before + state + 1);
        for (index, state) in states.iter().enumerate() {
            let mut alternatives: Vec<ours::Sequence> = Vec::new();
            for (class, target) in &state.moves {
                let mut moved = vec![item(one_of(class), span)];
                moved.extend(target.map(|target| nonterminal(&name(target), span)));
                alternatives.push(moved);
            }
            if state.ends {
                alternatives.push(Vec::new());
            }
            self.define(&name(index), span, None, alternatives);
            self.hide(&name(index), span);
        }
        nonterminal(&name(0), span)
    }

    /// What the rest of a token can be, when these are a few texts.
    pub(super) fn tail(&self, rule: &Rule, rest: &[Item]) -> Option<Tail> {
        let mut texts = self.texts_of(rest, 0)?;
        if rule.any_case && texts.iter().flatten().any(|&c| other_cases(c).next().is_some()) {
            return None;
        }
        // The end of the input is a mark behind the text.
        let or_end = texts.iter().any(|text| text == &[END]);
        texts.retain(|text| text != &[END]);
        texts.iter_mut().for_each(|text| text.retain(|&c| c != END));
        texts.sort();
        texts.dedup();
        let is_right = !texts.iter().any(Vec::is_empty) && (or_end || !texts.is_empty());
        is_right.then_some(Tail { texts, or_end })
    }

    fn texts_of(&self, items: &[Item], depth: usize) -> Option<Vec<Vec<char>>> {
        let mut texts: Vec<Vec<char>> = vec![Vec::new()];
        for found in items {
            let mut choices: Vec<Vec<char>> = match &found.atom {
                Atom::Literal(text) => vec![text.chars().collect()],
                Atom::Set(class) if class.len() <= 8 => class.chars().map(|c| vec![c]).collect(),
                Atom::EndOfInput => vec![vec![END]],
                Atom::Group(alternatives) => self.texts_of_all(alternatives, depth)?,
                Atom::Name(name) if depth < MOST_NAMES => {
                    self.texts_of_all(&self.rules.get(name.as_str())?.alternatives, depth + 1)?
                }
                _ => return None,
            };
            match found.operator.map(|operator| operator.sign) {
                None => {}
                Some(Sign::Optional) => choices.push(Vec::new()),
                Some(Sign::Star | Sign::Plus) => return None,
            }
            texts = texts
                .iter()
                .flat_map(|text| choices.iter().map(move |choice| [text.as_slice(), choice].concat()))
                .collect();
            if texts.len() > MOST_TEXTS || texts.iter().any(|text| text.len() > MOST_TEXTS) {
                return None;
            }
        }
        Some(texts)
    }

    fn texts_of_all(&self, alternatives: &[Alternative], depth: usize) -> Option<Vec<Vec<char>>> {
        let mut texts = Vec::new();
        for alternative in alternatives {
            texts.extend(self.texts_of(&alternative.items, depth)?);
        }
        (texts.len() <= MOST_TEXTS).then_some(texts)
    }
}

/// All names in some alternatives.
pub(super) fn names_in<'a>(alternatives: &'a [ours::Sequence], names: &mut Vec<&'a Name>) {
    for item in alternatives.iter().flatten() {
        match &item.atom {
            ours::Atom::Nonterminal(name) => names.push(name),
            ours::Atom::Group(inner) => names_in(inner, names),
            ours::Atom::Literal(_) | ours::Atom::Class(_) => {}
        }
    }
}

/// Stands for the end of the input among the characters of a tail: no character of any text.
const END: char = '\u{10ffff}';

/// One of these characters; the only one as a literal, as a person would write it.
pub(super) fn one_of(class: &CharClass) -> ours::Atom {
    match class.ranges() {
        &[(low, high)] if low == high => ours::Atom::Literal(low.to_string().into_bytes()),
        _ => ours::Atom::Class(class.clone()),
    }
}

/// The item because of which these derive nothing at all: halves of surrogate pairs are no characters.
fn impossible(items: &[Item]) -> Option<&Item> {
    items.iter().filter(|item| item.operator.is_none_or(|operator| operator.sign == Sign::Plus)).find(
        |item| match &item.atom {
            Atom::Set(class) => class.is_empty(),
            Atom::Group(inner) => inner.iter().all(|alternative| impossible(&alternative.items).is_some()),
            _ => false,
        },
    )
}

/// Whether a token is taken away from the parser.
pub(super) fn is_skipped(alternative: &Alternative) -> bool {
    alternative.commands.iter().any(|command| match command.name.name.as_str() {
        "skip" => true,
        "channel" => !matches!(command.argument.as_deref(), Some("DEFAULT_TOKEN_CHANNEL" | "0")),
        _ => false,
    })
}

/// `A : x ('e' A)*` is `A : x ('e' A)?`: the `A` at the end has what else is repeated, and only so the rule is regular as it stands.
fn repeats_once(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let is_itself = |item: &Item| matches!(&item.atom, Atom::Name(name) if *name == rule.name.name);
    let ends_with_itself = |inner: &Alternative| {
        inner.items.last().is_some_and(|last| last.operator.is_none() && is_itself(last))
    };
    let is_such = |item: &Item| {
        matches!(&item.atom, Atom::Group(inner) if inner.iter().all(ends_with_itself))
            && item.operator.is_some_and(|operator| operator.sign == Sign::Star && !operator.is_reluctant)
    };
    if let [only] = &rule.alternatives[..]
        && only.items.last().is_some_and(is_such)
        && let Some(operator) = rule.alternatives[0].items.last_mut().and_then(|last| last.operator.as_mut())
    {
        operator.sign = Sign::Optional;
    }
    rule
}

/// Whether another mode may follow.
fn leads_elsewhere(alternatives: &[Alternative]) -> bool {
    let commands = alternatives.iter().flat_map(|alternative| &alternative.commands);
    commands.into_iter().any(|command| matches!(command.name.name.as_str(), "mode" | "pushMode" | "popMode"))
}

/// A lexer takes no word without any text: `x*` is `x+`.
fn not_empty(mut sequence: ours::Sequence) -> ours::Sequence {
    if let [only] = sequence.as_mut_slice()
        && only.operator == Some(ours::Operator::Star)
    {
        only.operator = Some(ours::Operator::Plus);
    }
    sequence
}

/// The same letter in other cases.
pub(super) fn other_cases(c: char) -> impl Iterator<Item = char> {
    let one = |mut chars: Box<dyn Iterator<Item = char>>| {
        chars.next().filter(|_| chars.next().is_none()).filter(|&other| other != c)
    };
    let upper = one(Box::new(c.to_uppercase()));
    let lower = one(Box::new(c.to_lowercase()));
    upper.into_iter().chain(lower)
}
