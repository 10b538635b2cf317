//! What may stand between tokens, where tokens that are skipped lead from one lexer mode to another.
//!
//! `'#' -> channel(DIRECTIVES), mode(DIRECTIVE)` begins what the parser never sees, up to the token that leads back. So what is skipped is
//! a way through the modes: it begins in one in which a token that the parser sees may end, and each skipped token is of the mode that those
//! before it lead to. It may end in any mode, as the input may.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ebnf::syntax as ours;
use super::lexical::is_skipped;
use super::lower::{Lowering, nonterminal};
use super::syntax::{Alternative, Rule, Span};

/// What the mode is called in which a lexer begins.
pub(super) const DEFAULT_MODE: &str = "DEFAULT_MODE";

impl Lowering<'_> {
    /// The alternatives of `@skip`, where skipped tokens lead from mode to mode; `None` where none of them does.
    pub(super) fn skip_by_modes(&mut self, skip: &str, span: &Span) -> Option<Vec<ours::Sequence>> {
        let modes = Modes::new(self.order);
        let skipped: Vec<(String, &Rule)> =
            self.order.iter().filter_map(|rule| Some((self.skipped_name(rule)?, rule))).collect();
        let mut ways: BTreeMap<&str, Vec<(String, BTreeSet<&str>)>> = BTreeMap::new();
        for (name, rule) in skipped {
            let taken = rule.alternatives.iter().filter(|alternative| is_skipped(alternative));
            let to = taken.flat_map(|alternative| modes.behind(mode_of(rule), alternative)).collect();
            ways.entry(mode_of(rule)).or_default().push((name, to));
        }
        let stays = |mode: &str, to: &BTreeSet<&str>| to.len() == 1 && to.contains(mode);
        if ways.iter().all(|(mode, tokens)| tokens.iter().all(|(_, to)| stays(mode, to))) {
            return None;
        }
        let is_seen = |alternative: &&Alternative| !is_skipped(alternative);
        let mut begins: BTreeSet<&str> = BTreeSet::from([DEFAULT_MODE]);
        for rule in self.order.iter().filter(|rule| rule.is_lexical() && !rule.is_fragment) {
            let seen = rule.alternatives.iter().filter(is_seen);
            begins.extend(seen.flat_map(|alternative| modes.behind(mode_of(rule), alternative)));
        }
        // What may follow in a mode. Where all begin in one, its name is that of `@skip`.
        let only = (begins.len() == 1).then_some(DEFAULT_MODE);
        let name = |mode: &str| if only == Some(mode) { skip.to_owned() } else { format!("{skip}-{mode}") };
        let ways_on = |mode: &str| {
            ways.get(mode).into_iter().flatten().flat_map(|(token, to)| {
                to.iter().map(|mode| vec![nonterminal(token, span), nonterminal(&name(mode), span)])
            })
        };
        let mut open: Vec<&str> = begins.iter().copied().collect();
        let mut known: BTreeSet<&str> = BTreeSet::new();
        let mut definitions = Vec::new();
        while let Some(mode) = open.pop() {
            for (_, to) in ways.get(mode).into_iter().flatten() {
                for &mode in to {
                    if known.insert(mode) {
                        open.push(mode);
                        if only != Some(mode) {
                            let sequences = std::iter::once(Vec::new()).chain(ways_on(mode)).collect();
                            definitions.push((name(mode), sequences));
                        }
                    }
                }
            }
        }
        let all = std::iter::once(Vec::new()).chain(begins.iter().flat_map(|mode| ways_on(mode))).collect();
        for (name, sequences) in definitions {
            self.define(&name, span, None, sequences);
            self.hide(&name, span);
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
