//! `grambench check grammar`: what is unsound in a grammar.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};

use crate::base::budget::{Interrupt, StopReason};
use crate::grammar::format::Format;
use crate::grammar::{Grammar, NonterminalId, spelling};
use crate::parse::ambiguity::Ambiguity;
use crate::parse::health::{Health, Step};
use crate::tree::{JsonTree, Outline};

use super::Done;
use super::arguments::{OutputFormat, ParsingArguments};
use super::exit::Code;
use super::text;

/// Tell what is unsound in a grammar: what is unreachable, unproductive, cyclic or ambiguous
///
/// Ambiguity is searched for: among all derivations of at most `--length` terminals, a literal counting as
/// one. Each ambiguous nonterminal comes with an input and two of its trees; a nonterminal that is ambiguous
/// only because of what it contains is not listed. Exit code 1 when something was found.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  grambench check grammar grammars/json.ebnf --length 6")]
pub struct CheckGrammar {
    /// The grammar file; `-` is standard input
    file: String,
    /// The grammar's format, when neither its name nor its content tells: ebnf, fuzzingbook, canonical, antlr
    #[arg(long, value_name = "FORMAT")]
    grammar_format: Option<Format>,
    /// Another start symbol than the grammar's own
    #[arg(long, value_name = "NAME")]
    start: Option<String>,
    /// Ambiguity is searched for in derivations of at most this many terminals
    #[arg(long, value_name = "N", default_value_t = 8)]
    length: usize,
    /// The search ends after this many combinations of parts, and reports how far it came
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    budget: u64,
    #[command(flatten)]
    limits: ParsingArguments,
    /// `json` writes one JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl CheckGrammar {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let read = text::read_grammar(&self.file, self.grammar_format, self.start.as_deref())?;
        for warning in &read.warnings {
            eprintln!("{warning}\n");
        }
        let grammar = &read.grammar;
        let health = Health::of(grammar, self.length, self.budget, &self.limits.limits(interrupt))?;
        match self.format {
            OutputFormat::Text => text::print(report(grammar, &health).as_bytes())?,
            OutputFormat::Json => text::print(object(grammar, &health).as_bytes())?,
        }
        Ok(if health.is_sound() { Code::Success } else { Code::No })
    }
}

fn report(grammar: &Grammar, health: &Health) -> String {
    let mut report = String::new();
    for (what, ids) in [("unreachable", &health.unreachable), ("unproductive", &health.unproductive)] {
        let names = names(grammar, ids);
        line(
            &mut report,
            &format!("{what}: {}", if names.is_empty() { "none".to_owned() } else { names.join(" ") }),
        );
    }
    if health.cycles.is_empty() {
        line(&mut report, "cyclic: none");
    }
    for cycle in &health.cycles {
        let names: Vec<NonterminalId> = cycle.iter().map(|step| grammar.rule(step.rule).lhs).collect();
        line(&mut report, &format!("cyclic: {}", self::names(grammar, &names).join(" ")));
        for step in cycle {
            line(&mut report, &format!("  {}", spelling::rule(grammar, step.rule)));
        }
    }
    for Ambiguity { nonterminal, text, trees } in &health.ambiguity.ambiguous {
        let name = grammar.name(*nonterminal);
        line(&mut report, &format!("ambiguous: {name} derives {} in two ways", spelling::literal(text)));
        for (tree, title) in trees.iter().zip(["one", "another"]) {
            line(&mut report, &format!("  {title}:"));
            for row in Outline::new(grammar, tree).to_string().lines() {
                line(&mut report, &format!("    {row}"));
            }
        }
    }
    line(&mut report, &format!("ambiguous: {}", extent(health)));
    if grammar.has_tokens() {
        line(&mut report, "note: what tokens exclude, and that they take the longest match, was not checked");
    }
    report
}

/// How far the grammar is known to be unambiguous otherwise.
fn extent(health: &Health) -> String {
    if health.is_proved_unambiguous {
        return "none, which is proved: no parsing table has a conflict".to_owned();
    }
    let others = if health.ambiguity.ambiguous.is_empty() { "none" } else { "no others" };
    let bound = match health.ambiguity.complete {
        Some(length) => format!("{others} up to length {length}"),
        None => "not searched".to_owned(),
    };
    match health.ambiguity.stop {
        StopReason::Done => bound,
        _ => format!("{bound}; the budget ended the search there, --budget gives it more"),
    }
}

fn line(report: &mut String, line: &str) {
    writeln!(report, "{line}").expect("writing to a string does not fail");
}

fn names(grammar: &Grammar, ids: &[NonterminalId]) -> Vec<String> {
    ids.iter().map(|&id| grammar.name(id).to_string()).collect()
}

/// The report as a line of JSON.
fn object(grammar: &Grammar, health: &Health) -> String {
    let cycle = |cycle: &Vec<Step>| -> Value {
        let step = |step: &Step| {
            json!({
                "nonterminal": grammar.name(grammar.rule(step.rule).lhs).to_string(),
                "rule": spelling::rule(grammar, step.rule),
            })
        };
        cycle.iter().map(step).collect()
    };
    let cycles: Vec<Value> = health.cycles.iter().map(cycle).collect();
    let ambiguity = |found: &Ambiguity| {
        let name = json!(grammar.name(found.nonterminal).to_string());
        let (input, [one, another]) = (text::json_text(&found.text), &found.trees);
        let [one, another] = [one, another].map(|tree| JsonTree::new(grammar, tree));
        format!("{{\"nonterminal\":{name},\"input\":{input},\"trees\":[{one},{another}]}}")
    };
    let ambiguous: Vec<String> = health.ambiguity.ambiguous.iter().map(ambiguity).collect();
    // Trees are written by themselves, as they may be deeper than a `Value` can be printed.
    format!(
        "{{\"sound\":{},\"unreachable\":{},\"unproductive\":{},\"cycles\":{},\"ambiguous\":[{}],\
         \"proved\":{},\"length\":{},\"stop\":{}}}\n",
        health.is_sound(),
        json!(names(grammar, &health.unreachable)),
        json!(names(grammar, &health.unproductive)),
        Value::Array(cycles),
        ambiguous.join(","),
        health.is_proved_unambiguous,
        json!(health.ambiguity.complete),
        json!(health.ambiguity.stop.as_str()),
    )
}
