//! The `command` transformer: any program that reads a request and writes a grammar.
//!
//! So that somebody else's transformer can be measured beside the built-in ones. The program gets one
//! JSON object on its standard input and writes one grammar, in the canonical JSON form with or without
//! an envelope, to its standard output (`docs/transformers.md` describes both). It runs as programs
//! under test do: in the sandbox, with a limit on time, memory and output.
//!
//! What comes back is a grammar and no more: which part of the base grammar its parts come from is not
//! known, and nothing is believed of it. Its inputs are validated with the base grammar like any others.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::command::{Command, Reaction};
use super::execution::{Ending, RunLimits};
use super::pool::Pool;
use crate::base::diagnostic::{Diagnostic, Source};
use crate::base::id::Id;
use crate::grammar::format::{self, Format};
use crate::grammar::{Grammar, Symbol};
use crate::oracle::OracleError;
use crate::pattern::{Expression, Pattern, PatternNode};
use crate::transform::{
    Specialization, TransformError, Transformer, only_single_patterns, without_bound_nodes,
};

/// Specializes by running a program.
#[derive(Clone, Debug)]
pub struct CommandTransformer {
    name: String,
    command: Command,
}

impl CommandTransformer {
    /// The transformer called `name` that runs `words`. The request goes to standard input, or into a
    /// file where `{file}` stands among the words.
    ///
    /// # Errors
    /// When the program is not there, or a placeholder is unknown.
    pub fn new(
        name: impl Into<String>,
        pool: &Arc<Pool>,
        words: &[OsString],
        limits: RunLimits,
    ) -> Result<Self, Diagnostic> {
        let command = Command::ad_hoc(pool, words, Some("json"), limits)?;
        Ok(Self { name: name.into(), command })
    }

    /// The limits where nobody says otherwise: a grammar takes longer to make, and is larger, than
    /// what a program under test writes.
    pub fn limits() -> RunLimits {
        RunLimits { output: 64 << 20, ..RunLimits::of_timeout(Duration::from_secs(60)) }
    }

    fn failed(&self, reason: impl Into<String>) -> TransformError {
        TransformError::External { name: self.name.clone(), reason: reason.into() }
    }
}

impl Transformer for CommandTransformer {
    fn name(&self) -> &str {
        &self.name
    }

    fn specialize(
        &self,
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
    ) -> Result<Specialization, TransformError> {
        only_single_patterns(expression, &self.name)?;
        if expression.has_letters_in_either_case() {
            let what = "a pattern with letters in either case (`%i`)".to_owned();
            return Err(TransformError::Unsupported { what, transformer: self.name.clone() });
        }
        let expression = without_bound_nodes(expression);
        let request = request(grammar, &expression).map_err(|reason| self.failed(reason))?;
        let reaction = self.command.run(request.as_bytes()).map_err(|error| match error {
            OracleError::Interrupted => TransformError::Interrupted,
            OracleError::Broken(reason) => self.failed(reason),
        })?;
        let outcome = match reaction {
            Reaction::Ran(outcome) => outcome,
            Reaction::Refused(reason) => return Err(self.failed(reason)),
        };
        if outcome.ending != Ending::Exited(0) {
            let complaint = String::from_utf8_lossy(&outcome.stderr);
            let last = complaint.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
            return Err(self.failed(format!("{}{last}", outcome.ending)));
        }
        let text = String::from_utf8(outcome.stdout)
            .map_err(|_| self.failed("what it wrote is not UTF-8".to_owned()))?;
        let source = Source::new(format!("the output of `{}`", self.name), text);
        let read = format::read(&source, Some(Format::Canonical)).map_err(|errors| {
            let first = errors.0.first().map_or_else(String::new, |error| format!(": {}", error.message()));
            self.failed(format!("what it wrote is no grammar{first}"))
        })?;
        Ok(Specialization { grammar: Arc::new(read.grammar), origin: None })
    }
}

/// What the program is asked. Nothing in it nests deeper than a rule does.
#[derive(Serialize)]
struct Request {
    /// The base grammar, canonical and in its envelope.
    grammar: Value,
    /// The nonterminal whose trees the expression is about.
    start: String,
    /// The formula: `E & !N`.
    formula: String,
    /// The whole expression in the papers' notation.
    expression: String,
    patterns: Vec<RequestedPattern>,
}

#[derive(Serialize)]
struct RequestedPattern {
    name: String,
    /// The characteristic nonterminal.
    nonterminal: String,
    /// The pattern as it stands in the expression, in quotes.
    text: String,
    /// The concrete nodes, children before parents: the last is the root. None when the pattern is
    /// just an open node.
    nodes: Vec<RequestedNode>,
}

#[derive(Serialize)]
struct RequestedNode {
    nonterminal: String,
    /// Which of the nonterminal's rules, counted from 0.
    rule: usize,
    /// What is asked of each nonterminal in that rule, in order.
    children: Vec<RequestedChild>,
}

/// What a pattern asks of a nonterminal in a rule.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum RequestedChild {
    /// Nothing.
    Any,
    /// To match this node.
    Node(usize),
    /// To be this text: a character of a class, which JSON has to spell as a nonterminal.
    Text(String),
}

fn request(grammar: &Grammar, expression: &Expression) -> Result<String, String> {
    let written = format::write(grammar, Format::Canonical, true)
        .map_err(|errors| errors.0.first().map_or_else(String::new, |error| error.message().to_owned()))?;
    let patterns = expression.patterns.iter().filter_map(|named| {
        let pattern = named.only()?;
        Some(RequestedPattern {
            name: named.name.clone(),
            nonterminal: grammar.name(pattern.characteristic()).to_string(),
            text: pattern.quoted(grammar),
            nodes: nodes(grammar, pattern),
        })
    });
    let request = Request {
        grammar: serde_json::from_str(&written).map_err(|error| error.to_string())?,
        start: grammar.name(expression.start).to_string(),
        formula: expression.formula_text(),
        expression: expression.text(grammar),
        patterns: patterns.collect(),
    };
    serde_json::to_string(&request).map_err(|error| error.to_string())
}

fn nodes(grammar: &Grammar, pattern: &Pattern) -> Vec<RequestedNode> {
    let mut numbers = vec![0; pattern.nodes().len()];
    let mut nodes = Vec::new();
    for (id, node) in pattern.nodes().entries() {
        let PatternNode::Rule(rule, children) = node else { continue };
        let base = grammar.rule(*rule);
        let named = base
            .symbols
            .iter()
            .zip(children)
            .filter(|(symbol, _)| matches!(symbol, Symbol::Nonterminal(_) | Symbol::Class(_)));
        let children = named
            .map(|(_, &child)| match pattern.node(child) {
                PatternNode::Rule(..) => RequestedChild::Node(numbers[child.index()]),
                PatternNode::Char(c) => RequestedChild::Text(c.to_string()),
                PatternNode::Literal(_)
                // Such patterns are refused before.
                | PatternNode::Letter(_)
                | PatternNode::AnyChar
                | PatternNode::Abstract(_)
                | PatternNode::Bound(..)
                | PatternNode::Where(..) => RequestedChild::Any,
            })
            .collect();
        let place = grammar.rules_of(base.lhs).iter().position(|other| other == rule);
        numbers[id.index()] = nodes.len();
        nodes.push(RequestedNode {
            nonterminal: grammar.name(base.lhs).to_string(),
            rule: place.expect("a rule is one of its nonterminal's"),
            children,
        });
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::ebnf;
    use crate::pattern::read_expression;

    #[test]
    fn the_request_is_as_the_guide_shows_it() {
        let text = r#"
            <list>  ::= "[" <items> "]" | "[]"
            <items> ::= <item> | <item> "," <items>
            <item>  ::= <list> | <char>
            <char>  ::= [ab]
        "#;
        let grammar = ebnf::read(&Source::new("lists.ebnf", text)).unwrap().grammar;
        let text = r#"<list E> where <item E> is "[a]""#;
        let expression = read_expression(&Source::new("expression", text), &grammar).unwrap();
        let made: Value = serde_json::from_str(&request(&grammar, &expression).unwrap()).unwrap();
        let guide = include_str!("../../docs/transformers.md");
        let shown = guide.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
        assert_eq!(made, serde_json::from_str::<Value>(shown).unwrap());
    }
}
