//! What each alternative of an expression is there for, as far as known inputs tell: what is answered differently without it.

use std::sync::Arc;

use rayon::prelude::*;

use crate::base::limits::{Exceeded, Limits};
use crate::parse::Parser;
use crate::pattern::{Expression, PatternId};

use super::{Answer, AutomatonValidator, Validator};

/// What an expression says of inputs only because of one alternative of one of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Necessity {
    /// The name.
    pub name: PatternId,
    /// The number of the alternative.
    pub alternative: usize,
    /// The inputs, by number, that the expression accepts and would not accept without it.
    pub accepted: Vec<usize>,
    /// The inputs that it does not accept and would accept without it.
    pub rejected: Vec<usize>,
}

/// What each alternative is needed for, in the order of the expression's text. An input is accepted when one of its
/// derivation trees satisfies the expression; one without an answer is left out.
///
/// # Errors
/// When the formula is too large.
pub fn necessities(
    parser: &Arc<Parser>,
    expression: &Expression,
    inputs: &[&[u8]],
    limits: &Limits,
) -> Result<Vec<Necessity>, Exceeded> {
    let answers = |expression: Expression| -> Result<Vec<Option<bool>>, Exceeded> {
        let validator = AutomatonValidator::new(Arc::clone(parser), Arc::new(expression), limits.clone())?;
        let answer = |input: &&[u8]| validator.validate(input).ok().map(|answer| answer != Answer::None);
        Ok(inputs.par_iter().map(answer).collect())
    };
    let with = answers(expression.clone())?;
    let mut found = Vec::new();
    for (name, named) in expression.patterns.entries() {
        for alternative in 0..named.alternatives.len() {
            let mut less = expression.clone();
            less.patterns[name].alternatives.remove(alternative);
            let without = answers(less)?;
            let changed = |before| {
                let pairs = with.iter().zip(&without).enumerate();
                let is_changed = move |&(_, pair): &(_, (&Option<bool>, &Option<bool>))| {
                    *pair.0 == Some(before) && *pair.1 == Some(!before)
                };
                pairs.filter(is_changed).map(|(input, _)| input).collect()
            };
            found.push(Necessity { name, alternative, accepted: changed(true), rejected: changed(false) });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::format;
    use crate::pattern::read_expression;

    #[test]
    fn each_alternative_has_the_inputs_that_need_it() {
        let source = Source::new("grammar.ebnf", "<s> ::= <w> | <w> \",\" <s>\n<w> ::= [a-e]+");
        let grammar = Arc::new(format::read(&source, None).unwrap().grammar);
        let text = r#"<s some F with !(it before M)> where <w F> is "a" | "b", <w M> is "c" | "d""#;
        let expression = read_expression(&Source::new("expression", text), &grammar).unwrap();
        let parser = Arc::new(Parser::new(grammar));
        let inputs = ["a", "b", "a,b", "a,c", "d,a", "a,d,b", "b,c,d", "e", "(no input"];
        let inputs: Vec<&[u8]> = inputs.iter().map(|input| input.as_bytes()).collect();
        let found = necessities(&parser, &expression, &inputs, &Limits::default()).unwrap();
        let found: Vec<_> =
            found.into_iter().map(|necessity| (necessity.accepted, necessity.rejected)).collect();
        // "b,c,d" would be rejected still without one of the two.
        let wanted = [(vec![0, 4], vec![]), (vec![1, 5], vec![]), (vec![], vec![3]), (vec![], vec![])];
        assert_eq!(found, wanted);
    }
}
