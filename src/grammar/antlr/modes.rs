//! What may stand between tokens, where tokens that are skipped lead from one lexer mode to another.
//!
//! `'#' -> channel(DIRECTIVES), mode(DIRECTIVE)` begins what the parser never sees, up to the token that leads back. So what is skipped is
//! a way through the modes: it begins in one in which a token that the parser sees may end, each skipped token is of the mode that those
//! before it lead to, and it ends in one in which a token that the parser sees may begin, or with the input.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ebnf::syntax as ours;
use super::lexical::{is_skipped, names_in};
use super::lower::{Lowering, nonterminal};
use super::syntax::{Alternative, Rule, Span};

/// What the mode is called in which a lexer begins.
pub(super) const DEFAULT_MODE: &str = "DEFAULT_MODE";

/// What the text is called that begins as something skipped and ends with the input.
pub(super) const UNFINISHED: &str = "text-at-end";

/// The ways through the modes by tokens that are skipped.
struct Ways<'a> {
    /// By mode, its tokens with the modes that they lead to.
    tokens: BTreeMap<&'a str, Vec<(String, BTreeSet<&'a str>)>>,
    /// The modes in which a token that the parser sees may end, and those in which one may begin.
    begins: BTreeSet<&'a str>,
    ends: BTreeSet<&'a str>,
}

impl<'a> Ways<'a> {
    /// From a mode one token on; the modes that are led to satisfy `is_led_to`.
    fn on(&self, mode: &str, is_led_to: impl Fn(&str) -> bool) -> Vec<(&str, &'a str)> {
        let tokens = self.tokens.get(mode).into_iter().flatten();
        let ways = tokens.flat_map(|(token, to)| to.iter().map(|&to| (token.as_str(), to)));
        ways.filter(|(_, to)| is_led_to(to)).collect()
    }

    /// The modes from which a token that the parser sees can be come to.
    fn before_ends(&self) -> BTreeSet<&'a str> {
        let mut before = self.ends.clone();
        loop {
            let leads = |mode: &&&str| !self.on(mode, |to| before.contains(to)).is_empty();
            let more: Vec<&str> =
                self.tokens.keys().filter(|mode| !before.contains(*mode)).filter(leads).copied().collect();
            if more.is_empty() {
                return before;
            }
            before.extend(more);
        }
    }

    /// The modes that are come to from some, by way of those that satisfy `is_led_to`.
    fn reached(&self, from: &BTreeSet<&'a str>, is_led_to: impl Fn(&str) -> bool) -> BTreeSet<&'a str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = from.iter().copied().collect();
        while let Some(mode) = open.pop() {
            open.extend(
                self.on(mode, &is_led_to).into_iter().map(|(_, to)| to).filter(|to| reached.insert(*to)),
            );
        }
        reached
    }
}

impl<'a> Lowering<'a> {
    /// The ways through the modes, where tokens that are skipped lead from one to another. Not where tokens are put together by `more`: what
    /// then stands in a mode is no way by whole tokens.
    fn ways(&self) -> Option<Ways<'a>> {
        let all = self.order.iter().flat_map(|rule| &rule.alternatives);
        if all.flat_map(|alternative| &alternative.commands).any(|command| command.name.name == "more") {
            return None;
        }
        let modes = Modes::new(self.order);
        let mut ways = Ways {
            tokens: BTreeMap::new(),
            begins: BTreeSet::from([DEFAULT_MODE]),
            ends: BTreeSet::from([DEFAULT_MODE]),
        };
        for rule in self.order.iter().filter(|rule| rule.is_lexical() && !rule.is_fragment) {
            let mode = mode_of(rule);
            let (skipped, seen): (Vec<&Alternative>, Vec<&Alternative>) =
                rule.alternatives.iter().partition(|alternative| is_skipped(alternative));
            if !seen.is_empty() {
                ways.ends.insert(mode);
            }
            ways.begins.extend(seen.into_iter().flat_map(|alternative| modes.behind(mode, alternative)));
            if let Some(name) = self.skipped_name(rule) {
                let to =
                    skipped.into_iter().flat_map(|alternative| modes.behind(mode, alternative)).collect();
                ways.tokens.entry(mode).or_default().push((name, to));
            }
        }
        let leads = |mode: &str| !ways.on(mode, |to| to != mode).is_empty();
        ways.tokens.keys().any(|mode| leads(mode)).then_some(ways)
    }

    /// Whether an input may end within what is skipped, in a mode in which the parser sees nothing.
    pub(super) fn may_be_unfinished(&self) -> bool {
        self.ways().is_some_and(|ways| {
            ways.reached(&ways.begins, |_| true).iter().any(|mode| !ways.ends.contains(mode))
        })
    }

    /// Whether a rule names what an input may end with: none does where no rule ends with `EOF`.
    fn names_unfinished(&self) -> bool {
        let mut names = Vec::new();
        for definition in &self.lowered.text.definitions {
            names_in(&definition.alternatives, &mut names);
        }
        names.iter().any(|name| name.base == UNFINISHED)
    }

    /// The alternatives of `@skip`, where skipped tokens lead from mode to mode; `None` where none of them does. Defines what an input
    /// may end with, too.
    pub(super) fn skip_by_modes(&mut self, skip: &str, span: &Span) -> Option<Vec<ours::Sequence>> {
        let ways = self.ways()?;
        let before_ends = ways.before_ends();
        // What may follow in a mode. Where all begin in one, its name is that of `@skip`.
        let only = (ways.begins.len() == 1).then_some(DEFAULT_MODE);
        let name = |mode: &str| if only == Some(mode) { skip.to_owned() } else { format!("{skip}-{mode}") };
        let is_led_to = |mode: &str| before_ends.contains(mode);
        let sequences = |mode: &str, name: &dyn Fn(&str) -> String, is_led_to: &dyn Fn(&str) -> bool| {
            let on = ways.on(mode, is_led_to).into_iter();
            let on = on.map(|(token, to)| vec![nonterminal(token, span), nonterminal(&name(to), span)]);
            on.collect::<Vec<ours::Sequence>>()
        };
        for mode in ways.reached(&ways.begins, is_led_to).into_iter().filter(|&mode| only != Some(mode)) {
            let ends = ways.ends.contains(mode).then(Vec::new);
            let alternatives = ends.into_iter().chain(sequences(mode, &name, &is_led_to)).collect();
            self.define(&name(mode), span, None, alternatives);
            self.hide(&name(mode), span);
        }
        let begins = ways.begins.iter().flat_map(|mode| sequences(mode, &name, &is_led_to));
        let all = std::iter::once(Vec::new()).chain(begins).collect();
        if self.names_unfinished() {
            let name = |mode: &str| format!("{UNFINISHED}-{mode}");
            let is_led_to = |mode: &str| !ways.ends.contains(mode);
            for mode in ways.reached(&ways.ends, is_led_to) {
                let alternatives = std::iter::once(Vec::new()).chain(sequences(mode, &name, &is_led_to));
                self.define(&name(mode), span, None, alternatives.collect());
                self.hide(&name(mode), span);
            }
            let begins = ways.ends.iter().flat_map(|mode| sequences(mode, &name, &is_led_to)).collect();
            self.define(UNFINISHED, span, Some(ours::TokenOptions::default()), begins);
        }
        Some(all)
    }
}

fn mode_of(rule: &Rule) -> &str {
    rule.mode.as_deref().unwrap_or(DEFAULT_MODE)
}

/// The modes of a lexer, each with those to which `popMode` may lead from it.
struct Modes<'a> {
    below: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> Modes<'a> {
    fn new(rules: &'a [Rule]) -> Self {
        let mut modes = Self { below: BTreeMap::new() };
        let tokens: Vec<(&str, &Alternative)> = rules
            .iter()
            .filter(|rule| rule.is_lexical() && !rule.is_fragment)
            .flat_map(|rule| rule.alternatives.iter().map(|alternative| (mode_of(rule), alternative)))
            .collect();
        loop {
            let before: usize = modes.below.values().map(BTreeSet::len).sum();
            for &(mode, alternative) in &tokens {
                modes.enter(mode, alternative);
            }
            if modes.below.values().map(BTreeSet::len).sum::<usize>() == before {
                return modes;
            }
        }
    }

    /// Notes what lies below the modes to which a token leads.
    fn enter(&mut self, mode: &'a str, alternative: &'a Alternative) {
        let mut here = BTreeSet::from([mode]);
        for command in &alternative.commands {
            let Some(next) = self.after(&here, &command.name.name, command.argument.as_deref()) else {
                continue;
            };
            if let Some(to) = command.argument.as_deref() {
                let below = match command.name.name.as_str() {
                    "pushMode" => here,
                    _ => here.iter().flat_map(|mode| self.below.get(mode)).flatten().copied().collect(),
                };
                self.below.entry(to).or_default().extend(below);
            }
            here = next;
        }
    }

    /// The modes in which a lexer may be behind a token.
    fn behind(&self, mode: &'a str, alternative: &'a Alternative) -> BTreeSet<&'a str> {
        let mut here = BTreeSet::from([mode]);
        for command in &alternative.commands {
            if let Some(next) = self.after(&here, &command.name.name, command.argument.as_deref()) {
                here = next;
            }
        }
        here
    }

    /// The modes to which a command leads; `None` if it is about something else.
    fn after(
        &self,
        here: &BTreeSet<&'a str>,
        command: &str,
        argument: Option<&'a str>,
    ) -> Option<BTreeSet<&'a str>> {
        match (command, argument) {
            ("mode" | "pushMode", Some(to)) => Some(BTreeSet::from([to])),
            ("popMode", _) => {
                Some(here.iter().flat_map(|mode| self.below.get(mode)).flatten().copied().collect())
            }
            _ => None,
        }
    }
}
