//! The reaching grammar and the non-reaching grammar.
//!
//! Input Algebras, section III; seed "inducing faults", "insertion grammar"; for the non-reaching one
//! the update notes. A rule reaches a pattern when one of its nonterminals does. The papers make one
//! rule for each place where it can: for `<items> ::= <item> ", " <items>` these are
//! `<item E> ", " <items>` and `<item> ", " <items E>`, and a tree with E in both places has two
//! derivations. Here the place is the *first* one that reaches, so each tree has one:
//!
//! ```text
//! <items E>  ::= <item E> | <item E> ", " <items> | <item !E> ", " <items E>
//! <items !E> ::= <item !E> | <item !E> ", " <items !E>
//! ```
//!
//! At the pattern's characteristic nonterminal the pattern grammar is merged in: the tree matches at
//! its root, or it does not and reaches from there.
//!
//! ```text
//! <item E>  ::= <string E.1> ": " <elt> | <string !E.1> ": " <elt E>
//! <item !E> ::= <string !E.1> ": " <elt !E>
//! ```
//!
//! Both are one construction, for any number of occurrences between a least and a greatest one: at
//! least one is the reaching grammar, at most none the non-reaching grammar; at most one and exactly
//! one fault need no other.

use crate::grammar::{NonterminalId, RuleId};
use crate::pattern::PatternId;

use super::super::TransformError;
use super::algebra::Algebra;
use super::condition::Condition;
use super::definition::Definition;
use super::pattern_grammar::at_root;
use super::rule::SpecializedRule;
use super::ruleset::Ruleset;
use super::token::Token;

/// How often a pattern occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// That often or more.
    pub least: u32,
    /// No more than this often, if there is such a limit.
    pub most: Option<u32>,
}

impl Times {
    /// How often it must occur elsewhere when it occurs that often here; `None` when that is too often.
    fn without(self, here: u32) -> Option<Self> {
        let most = match self.most {
            Some(most) => Some(most.checked_sub(here)?),
            None => None,
        };
        Some(Self { least: self.least.saturating_sub(here), most })
    }

    fn are_any(self) -> bool {
        self.least == 0 && self.most.is_none()
    }
}

/// The trees of `of` in which `pattern` occurs that often.
pub fn occurring(
    of: NonterminalId,
    pattern: PatternId,
    times: Times,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let below = |times: Times| -> Result<Definition, TransformError> {
        let rules = algebra.grammar.rules_of(of).iter();
        Ok(Definition::new(
            rules.map(|&rule| children(rule, pattern, times, algebra)).collect::<Result<_, _>>()?,
        ))
    };
    if algebra.patterns[pattern].pattern.characteristic() != of {
        return below(times);
    }
    let once_less = match times.without(1) {
        Some(times) => below(times)?,
        None => Definition::none(of, algebra),
    };
    let here = at_root(of, pattern, algebra)?;
    let elsewhere = here.neg(algebra)?.and(&below(times)?, algebra)?;
    here.and(&once_less, algebra)?.or(&elsewhere, algebra)
}

/// The trees that begin with `rule` and in whose children `pattern` occurs that often, all together.
fn children(
    rule: RuleId,
    pattern: PatternId,
    times: Times,
    algebra: &Algebra<'_>,
) -> Result<Ruleset, TransformError> {
    let whole = SpecializedRule::whole_tokens(rule, algebra);
    // From left to right: what is asked of the children so far, and how often it must occur in the
    // others.
    let mut open: Vec<(Vec<Token>, Times)> = vec![(Vec::new(), times)];
    for token in whole {
        let mut longer = Vec::new();
        for (tokens, times) in open {
            for (token, rest) in choices(&token, pattern, times, algebra)? {
                if !token.is_empty() {
                    let mut tokens = tokens.clone();
                    tokens.push(token);
                    longer.push((tokens, rest));
                }
            }
        }
        open = longer;
    }
    let mut rules = Vec::new();
    for (tokens, times) in open {
        if times.least == 0 {
            rules.extend(SpecializedRule::new(tokens, algebra)?);
        }
    }
    Ruleset::new(rule, rules, algebra)
}

/// How often the pattern may occur in the next child, and how often it must then in those after it.
fn choices(
    token: &Token,
    pattern: PatternId,
    times: Times,
    algebra: &Algebra<'_>,
) -> Result<Vec<(Token, Times)>, TransformError> {
    let Token::Nonterminal { of, .. } = token else { return Ok(vec![(token.clone(), times)]) };
    if times.are_any() {
        return Ok(vec![(token.clone(), times)]);
    }
    let token = |condition: &Condition| Token::nonterminal(*of, condition, algebra);
    let mut choices = Vec::new();
    // As often as is needed, and anything then; the most comes first as in the papers' rules.
    let enough = times.most.unwrap_or_else(|| times.least - 1);
    if times.most.is_none() {
        choices.push((token(&Condition::at_least(times.least, pattern))?, Times { least: 0, most: None }));
    }
    for here in (0..=enough).rev() {
        if let Some(rest) = times.without(here) {
            let exactly = Condition::exactly(here, pattern, &mut algebra.meter())?;
            choices.push((token(&exactly)?, rest));
        }
    }
    Ok(choices)
}
