//! Where occurrences stand: `E inside N` and `E before N`.
//!
//! The papers have neither and ask for sequences as future work; in their algebra both are a few rules.
//! A tree holds E inside N when N matches at its root and E occurs in it, or when a child holds E
//! inside N. A tree holds E before N when a child does, or when E occurs in a child and N in a later
//! one. For `<items> ::= <item> ", " <items>` the latter are
//!
//! ```text
//! <item E before N> ", " <items>
//! <item> ", " <items E before N>
//! <item E> ", " <items N>
//! ```
//!
//! and `or` sees to it that each tree is in just one of them. The negations need no construction of
//! their own: a definition can be negated.

use crate::grammar::NonterminalId;
use crate::pattern::PatternId;

use super::super::TransformError;
use super::algebra::Algebra;
use super::condition::Condition;
use super::definition::Definition;
use super::literal::Atom;
use super::pattern_grammar::at_root;
use super::reaching::{Times, occurring};
use super::rule::SpecializedRule;
use super::ruleset::Ruleset;
use super::token::Token;

/// What is asked of some symbols of a rule, by their places.
type Asked = Vec<(usize, Condition)>;

/// The trees of `of` with an occurrence of `inner` at or below one of `outer`.
pub fn inside(
    of: NonterminalId,
    inner: PatternId,
    outer: PatternId,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let inner_occurs = occurring(of, inner, Times { least: 1, most: None }, algebra)?;
    let here = at_root(of, outer, algebra)?.and(&inner_occurs, algebra)?;
    let atom = Condition::atom(Atom::Inside { inner, outer });
    let below =
        any_of(of, |places| places.iter().map(|&place| vec![(place, atom.clone())]).collect(), algebra)?;
    here.or(&below, algebra)
}

/// The trees of `of` with an occurrence of `first` that ends before one of `second` begins.
pub fn before(
    of: NonterminalId,
    first: PatternId,
    second: PatternId,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let atom = Condition::atom(Atom::Before { first, second });
    let (of_first, of_second) = (Condition::at_least(1, first), Condition::at_least(1, second));
    let choices = |places: &[usize]| {
        let mut choices: Vec<Asked> = places.iter().map(|&place| vec![(place, atom.clone())]).collect();
        for (index, &place) in places.iter().enumerate() {
            for &later in &places[index + 1..] {
                choices.push(vec![(place, of_first.clone()), (later, of_second.clone())]);
            }
        }
        choices
    };
    any_of(of, choices, algebra)
}

/// The trees whose children are as one of the choices asks. Choices are made for each rule, from the
/// places of its nonterminals.
fn any_of(
    of: NonterminalId,
    choices: impl Fn(&[usize]) -> Vec<Asked>,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let mut rulesets = Vec::new();
    for &base in algebra.grammar.rules_of(of) {
        let whole = SpecializedRule::whole_tokens(base, algebra);
        let places: Vec<usize> =
            (0..whole.len()).filter(|&place| matches!(whole[place], Token::Nonterminal { .. })).collect();
        let mut any = Ruleset::none(base);
        for asked in choices(&places) {
            let mut tokens = whole.clone();
            for (place, condition) in asked {
                if let Token::Nonterminal { of, .. } = tokens[place] {
                    tokens[place] = Token::nonterminal(of, &condition, algebra)?;
                }
            }
            any = any.or(&Ruleset::new(base, SpecializedRule::new(tokens, algebra)?, algebra)?, algebra)?;
        }
        rulesets.push(any);
    }
    Ok(Definition::new(rulesets))
}
