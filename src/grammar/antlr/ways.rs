//! The ways through a token with non-greedy operators, out of its rule and all that this uses.

use std::collections::HashSet;

use super::super::class::CharClass;
use super::super::ebnf::syntax as ours;
use super::lexical::other_cases;
use super::lower::Lowering;
use super::ordered::{TooLarge, Ways};
use super::syntax::{Alternative, Atom, Dropped, Item, Operator, Rule, Sign, collect};

/// A rule that leads to itself, as that of comments in comments, is followed so deep.
const MOST_WITHIN: usize = 3;
/// The number of rules that may be open within one another.
const MOST_OPEN: usize = 40;

impl Lowering<'_> {
    /// The alternatives of a token, or of a fragment. Where non-greedy operators have no simple form, those of one rule are one automaton;
    /// between rules there is no order.
    pub(super) fn token_alternatives(
        &mut self,
        rule: &Rule,
        alternatives: &[Alternative],
    ) -> Vec<ours::Sequence> {
        let of_rules = alternatives.chunk_by(|one, other| one.moved_from == other.moved_from);
        of_rules.flat_map(|alternatives| self.rule_alternatives(rule, alternatives)).collect()
    }

    fn rule_alternatives(&mut self, rule: &Rule, alternatives: &[Alternative]) -> Vec<ours::Sequence> {
        // Behind a token that ends with the input the lexer looks for no other one, not even for one that is empty.
        let is_end = |alternative: &Alternative| {
            matches!(alternative.items.as_slice(), [Item { atom: Atom::EndOfInput, .. }])
        };
        let real: Vec<Alternative>;
        let alternatives = if rule.is_fragment && !rule.is_made() || !alternatives.iter().any(is_end) {
            alternatives
        } else {
            real = alternatives.iter().filter(|alternative| !is_end(alternative)).cloned().collect();
            &real
        };
        let lowered = &self.lowered;
        let before = (lowered.text.definitions.len(), lowered.text.helpers.len(), lowered.dropped.len());
        let simple = self.lexical_alternatives(rule, alternatives, true);
        let is_reported =
            self.lowered.dropped[before.2..].iter().any(|(what, _)| *what == Dropped::Reluctant);
        let is_part = rule.is_fragment && !rule.is_made();
        if is_part || !(is_reported || self.uses_reluctant(alternatives)) {
            return simple;
        }
        let mut ways = Ways::default();
        let (begin, end) = (ways.place(), ways.place());
        ways.open.push(rule.name.name.clone());
        let states = self
            .lead(&mut ways, rule, alternatives, (begin, end))
            .and_then(|()| ways.states(end))
            .ok()
            .filter(|(states, _)| !states[0].moves.is_empty());
        let Some((states, is_exact)) = states else { return simple };
        self.lowered.text.definitions.truncate(before.0);
        self.lowered.text.helpers.truncate(before.1);
        self.lowered.dropped.truncate(before.2);
        let span = rule.name.span.clone();
        if !is_exact {
            self.report(Dropped::EndOfInput, &span);
        }
        if ways.is_cut {
            self.report(Dropped::Reluctant, &span);
        }
        vec![vec![self.states(rule, &states, &span)]]
    }

    /// Whether there are non-greedy operators in what these use. Texts that `more` puts together are not looked into: they are defined later.
    fn uses_reluctant(&self, alternatives: &[Alternative]) -> bool {
        let mut known: HashSet<&str> = HashSet::new();
        let mut open: Vec<&Rule> = Vec::new();
        let mut items = Vec::new();
        collect(alternatives, &mut items);
        loop {
            for item in items {
                if let Atom::Name(name) = &item.atom
                    && !self.joined.contains(name.as_str())
                    && known.insert(name)
                {
                    open.extend(self.rules.get(name.as_str()).copied());
                }
            }
            let Some(rule) = open.pop() else { return false };
            if has_reluctant(&rule.alternatives) {
                return true;
            }
            items = Vec::new();
            collect(&rule.alternatives, &mut items);
        }
    }

    /// Makes the first place of `between` lead to the second by these alternatives.
    fn lead(
        &self,
        ways: &mut Ways,
        rule: &Rule,
        alternatives: &[Alternative],
        (from, to): (usize, usize),
    ) -> Result<(), TooLarge> {
        for alternative in alternatives {
            if ways.is_too_large() || ways.open.len() > MOST_OPEN {
                return Err(TooLarge);
            }
            let mut here = ways.place();
            ways.lead(from, here);
            for item in &alternative.items {
                let next = ways.place();
                self.lead_item(ways, rule, item, (here, next))?;
                here = next;
            }
            ways.lead(here, to);
        }
        Ok(())
    }

    fn lead_item(
        &self,
        ways: &mut Ways,
        rule: &Rule,
        item: &Item,
        (from, to): (usize, usize),
    ) -> Result<(), TooLarge> {
        let Some(Operator { sign, is_reluctant }) = item.operator else {
            return self.lead_atom(ways, rule, &item.atom, (from, to));
        };
        let [begin, end, decision] = [(); 3].map(|()| ways.place());
        self.lead_atom(ways, rule, &item.atom, (begin, end))?;
        ways.lead(from, if sign == Sign::Plus { begin } else { decision });
        ways.lead(end, if sign == Sign::Optional { to } else { decision });
        if is_reluctant {
            ways.decide_reluctantly(decision);
            ways.lead(decision, to);
            ways.lead(decision, begin);
        } else {
            ways.lead(decision, begin);
            ways.lead(decision, to);
        }
        Ok(())
    }

    fn lead_atom(
        &self,
        ways: &mut Ways,
        rule: &Rule,
        atom: &Atom,
        (from, to): (usize, usize),
    ) -> Result<(), TooLarge> {
        match atom {
            Atom::Literal(text) => {
                let mut here = from;
                for c in text.chars() {
                    let next = ways.place();
                    let others = other_cases(c).filter(|_| rule.any_case);
                    ways.read(here, CharClass::of(std::iter::once(c).chain(others)), next);
                    here = next;
                }
                ways.lead(here, to);
            }
            Atom::Set(_) | Atom::Any | Atom::Not(_) => {
                ways.read(from, self.characters(rule, atom, 0).ok_or(TooLarge)?, to);
            }
            Atom::EndOfInput => ways.read_end(from, to),
            Atom::Group(alternatives) => self.lead(ways, rule, alternatives, (from, to))?,
            Atom::Name(name) if ways.open.iter().filter(|open| *open == name).count() == MOST_WITHIN => {
                ways.is_cut = true;
            }
            Atom::Name(name) => {
                let rule = self.rules.get(name.as_str()).ok_or(TooLarge)?;
                ways.open.push(name.clone());
                self.lead(ways, rule, &rule.alternatives, (from, to))?;
                ways.open.pop();
            }
        }
        Ok(())
    }
}

fn has_reluctant(alternatives: &[Alternative]) -> bool {
    alternatives.iter().flat_map(|alternative| &alternative.items).any(|item| {
        item.operator.is_some_and(|operator| operator.is_reluctant)
            || matches!(&item.atom, Atom::Group(inner) if has_reluctant(inner))
    })
}
