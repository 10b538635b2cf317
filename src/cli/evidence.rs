//! What speaks for each alternative of an expression that was learned: the known inputs that it judges rightly only because of it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::limits::{Exceeded, Limits};
use crate::grammar::Grammar;
use crate::oracle::{Judgement, Verdict};
use crate::parse::Parser;
use crate::pattern::Expression;
use crate::validate::necessities;

use super::reasons::quoted;
use super::text;

/// What is known of the alternatives of an expression, in the order of its text.
#[derive(Debug, Default)]
pub struct Evidence<'a>(Vec<Alternative<'a>>);

/// One of them, with what it is needed for.
#[derive(Debug)]
struct Alternative<'a> {
    name: String,
    /// Its definition, as text.
    pattern: String,
    /// The failing inputs that are accepted because of it, the shortest first.
    failing: Vec<&'a [u8]>,
    /// The passing inputs that are rejected because of it, the shortest first.
    passing: Vec<&'a [u8]>,
}

impl<'a> Evidence<'a> {
    /// What the inputs of a log say of an expression.
    ///
    /// # Errors
    /// When the formula is too large.
    pub fn new(
        grammar: &Grammar,
        expression: &Expression,
        parser: &Arc<Parser>,
        log: &'a [(Box<[u8]>, Judgement)],
        limits: &Limits,
    ) -> Result<Self, Exceeded> {
        let of = |wanted| {
            let inputs = log.iter().filter(move |(_, judgement)| judgement.verdict == wanted);
            inputs.map(|(input, _)| &**input)
        };
        let mut inputs: Vec<(&[u8], bool)> = of(Verdict::Fail).map(|input| (input, true)).collect();
        inputs.extend(of(Verdict::Pass).map(|input| (input, false)));
        inputs.sort_by_key(|&(input, _)| (input.len(), input));
        let texts: Vec<&[u8]> = inputs.iter().map(|&(input, _)| input).collect();
        let found = necessities(parser, expression, &texts, limits)?;
        let alternatives = found.into_iter().map(|necessity| {
            let named = &expression.patterns[necessity.name];
            let pattern = &named.alternatives[necessity.alternative];
            let names = |&id: &_| expression.patterns[id].name.clone();
            let those = |numbers: &[usize], fails| {
                numbers
                    .iter()
                    .map(|&number| inputs[number])
                    .filter(|input| input.1 == fails)
                    .map(|input| input.0)
                    .collect()
            };
            Alternative {
                name: format!("<{} {}>", grammar.name(pattern.characteristic()).text(), named.name),
                pattern: pattern.text_with(grammar, &names),
                failing: those(&necessity.accepted, true),
                passing: those(&necessity.rejected, false),
            }
        });
        Ok(Self(alternatives.collect()))
    }

    /// A line for each alternative.
    pub fn lines(&self) -> Vec<String> {
        self.0.iter().map(Alternative::line).collect()
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let object = |alternative: &Alternative<'_>| {
            let shortest = |inputs: &[&[u8]]| inputs.first().map(|input| text::json_text(input));
            json!({
                "name": alternative.name,
                "pattern": alternative.pattern,
                "failing": alternative.failing.len(),
                "failing_input": shortest(&alternative.failing),
                "passing": alternative.passing.len(),
                "passing_input": shortest(&alternative.passing),
            })
        };
        self.0.iter().map(object).collect()
    }
}

impl Alternative<'_> {
    fn line(&self) -> String {
        let told = |inputs: &[&[u8]], verb, what| match inputs {
            [] => None,
            [only] => Some(format!(
                "one input alone, {}, which {verb}, is {what} because of it",
                quoted(only, usize::MAX)
            )),
            [shortest, ..] => Some(format!(
                "{} inputs that {} are {what} because of it, such as {}",
                inputs.len(),
                if verb == "fails" { "fail" } else { "pass" },
                quoted(shortest, usize::MAX)
            )),
        };
        let parts = [told(&self.failing, "fails", "accepted"), told(&self.passing, "passes", "rejected")];
        let told: Vec<String> = parts.into_iter().flatten().collect();
        let needed =
            if told.is_empty() { "no input that was tried needs it".into() } else { told.join("; ") };
        format!("{} is {}: {needed}", self.name, self.pattern)
    }
}
