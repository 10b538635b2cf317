//! The pattern grammar: a nonterminal of its own for each concrete node of a pattern.
//!
//! Input Algebras, section III; seed "inducing faults", "pattern grammar". The nodes are named
//! uniquely, so that together they derive the pattern and nothing else; open nodes keep the name of
//! their base nonterminal. For E, `<item> is "\"\": <elt>"`:
//!
//! ```text
//! <item E.0>   ::= <string E.1> ": " <elt>
//! <string E.1> ::= '"' <chars E.2> '"'
//! <chars E.2>  ::= ""
//! ```
//!
//! Its negation needs nothing more: a definition can be negated. `<string !E.1>` is
//! `'"' <chars !E.2> '"'`, and `<chars !E.2>` is `<char> <chars>`.

use crate::grammar::{CharClass, NonterminalId, Symbol};
use crate::pattern::{PatternId, PatternNode, PatternNodeId};

use super::super::TransformError;
use super::algebra::Algebra;
use super::definition::Definition;
use super::rule::SpecializedRule;
use super::ruleset::Ruleset;
use super::token::Token;

/// The trees of `of` that match the root of `pattern`.
pub fn at_root(
    of: NonterminalId,
    pattern: PatternId,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let content = &algebra.patterns[pattern].pattern;
    if content.characteristic() != of {
        return Ok(Definition::none(of, algebra));
    }
    match content.node(content.root()) {
        PatternNode::Rule(..) => matching(pattern, content.root(), algebra),
        // An open root matches everywhere.
        _ => Definition::whole(of, algebra),
    }
}

/// The trees that match `node`, a concrete node, at their root.
pub fn matching(
    pattern: PatternId,
    node: PatternNodeId,
    algebra: &Algebra<'_>,
) -> Result<Definition, TransformError> {
    let content = &algebra.patterns[pattern].pattern;
    let PatternNode::Rule(wanted, children) = content.node(node) else {
        unreachable!("an open node of a pattern has no definition of its own: it is the base nonterminal");
    };
    let base = algebra.grammar.rule(*wanted);
    let mut tokens = Vec::with_capacity(children.len());
    for (&symbol, &child) in base.symbols.iter().zip(children) {
        tokens.push(match (symbol, content.node(child)) {
            (Symbol::Nonterminal(of), _) => {
                Token::nonterminal(of, &algebra.at_node(pattern, child), algebra)?
            }
            (Symbol::Class(of), PatternNode::Char(c)) => {
                Token::Chars { of, chars: algebra.grammar.class(of).intersection(&CharClass::of([*c])) }
            }
            (Symbol::Class(of), PatternNode::Letter(c)) => {
                let both = CharClass::of([*c, c.to_ascii_uppercase()]);
                Token::Chars { of, chars: algebra.grammar.class(of).intersection(&both) }
            }
            (symbol, _) => Token::whole(symbol, algebra),
        });
    }
    let rule = SpecializedRule::new(tokens, algebra)?;
    let rulesets = algebra.grammar.rules_of(base.lhs).iter().map(|&base_rule| {
        let rule = rule.clone().filter(|_| base_rule == *wanted);
        Ruleset::new(base_rule, rule, algebra)
    });
    Ok(Definition::new(rulesets.collect::<Result<_, _>>()?))
}
