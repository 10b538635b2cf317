//! `grambench explain`: what an expression comes to as an automaton.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::automaton::describe::Describer;
use crate::automaton::{Automaton, FoldId, Partition, StateId, dot};
use crate::base::bitset::BitSet;
use crate::base::budget::Interrupt;
use crate::base::id::Id;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{Grammar, NonterminalId, spelling};
use crate::pattern::Expression;
use crate::transform::{AutomatonTransformer, Transformer, without_bound_nodes};

use super::Done;
use super::arguments::{
    ExpressionArguments, GrammarArguments, LimitArguments, OutputFormat, expression_is_relaxed,
};
use super::exit::{Code, Failure};
use super::text;

/// Show what an expression comes to: the automaton that decides it, and the sizes of its grammars
///
/// The state of a subtree is what can still matter of it to the trees around it. Shown are all states
/// that subtrees have, nonterminals with the same states together; each state with what is true of the
/// subtrees in it and of no others there: `E` says that the pattern E occurs inside, `E.2` that the
/// subtree matches the second inner node of E. A state is marked with `*` when a tree in it satisfies the
/// expression. States that no tree around them tells apart are counted as one in `distinguishable`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    grambench explain --grammar grammars/json.ebnf --expression-file FILE\n  \
    grambench explain --grammar grammars/json.ebnf --dot --pattern '<item> is \"\\\"\\\": <elt>\"' | dot -Tsvg")]
pub struct Explain {
    #[command(flatten)]
    grammar: GrammarArguments,
    #[command(flatten)]
    expression: ExpressionArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// Write the automaton as a graph for Graphviz: an arrow leads from the state of a child to that of
    /// its parent, and has the rules by which that happens
    #[arg(long, conflicts_with = "format")]
    dot: bool,
    /// `json` writes one JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Explain {
    pub(super) fn run(&self, interrupt: &Interrupt) -> Done {
        let grammar = self.grammar.read()?;
        let expression = self.expression.require(&grammar)?;
        if expression.is_bound() {
            eprintln!("{}\n", expression_is_relaxed("the automaton is of less than the expression says"));
        }
        let limits = self.limits.limits(interrupt);
        let meter = &mut limits.meter();
        let relaxed = without_bound_nodes(&expression);
        let automaton = Automaton::new(Arc::clone(&grammar), Arc::clone(&relaxed), meter)?;
        if self.dot {
            text::print(graph(&automaton, meter)?.as_bytes())?;
            return Ok(Code::Success);
        }
        let sizes = Sizes {
            base: size(&grammar),
            specialized: size_of(&grammar, &expression, &limits)?,
            negated: size_of(&grammar, &Arc::new(expression.negated()), &limits)?,
        };
        match self.format {
            OutputFormat::Text => text::print(report(&automaton, &expression, &sizes, meter)?.as_bytes())?,
            OutputFormat::Json => text::print_json(&object(&automaton, &expression, &sizes, meter)?)?,
        }
        Ok(Code::Success)
    }
}

/// Numbers of nonterminals and rules.
type Size = (usize, usize);

struct Sizes {
    base: Size,
    specialized: Size,
    negated: Size,
}

fn size(grammar: &Grammar) -> Size {
    (grammar.nonterminals().len(), grammar.rules().len())
}

fn size_of(grammar: &Arc<Grammar>, expression: &Arc<Expression>, limits: &Limits) -> Result<Size, Failure> {
    let special = AutomatonTransformer::within(limits.clone()).specialize(grammar, expression)?;
    Ok(size(&special.grammar))
}

/// How many folds there are.
fn folds(automaton: &Automaton) -> usize {
    let rules = automaton.grammar().rules().entries();
    let all = rules.flat_map(|(id, rule)| {
        (0..=rule.symbols.len()).flat_map(move |position| automaton.reached(id, position).iter().copied())
    });
    all.collect::<BitSet<FoldId>>().len()
}

/// How many pairs of a nonterminal and a state of it there are.
fn pairs(automaton: &Automaton) -> usize {
    automaton.grammar().nonterminals().ids().map(|nonterminal| automaton.reachable(nonterminal).len()).sum()
}

/// Nonterminals with the same states, which are described in the same way.
struct Group {
    nonterminals: Vec<NonterminalId>,
    states: Vec<StateId>,
}

/// All groups, those with most states first, and then as they come in the grammar.
fn groups(automaton: &Automaton) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for nonterminal in automaton.grammar().nonterminals().ids() {
        let mut states = automaton.reachable(nonterminal).to_vec();
        states.sort_unstable();
        match groups.iter_mut().find(|group| group.states == states) {
            Some(group) => group.nonterminals.push(nonterminal),
            None => groups.push(Group { nonterminals: vec![nonterminal], states }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.states.len()));
    groups
}

impl Group {
    /// What is true of the subtrees in each state, and of no others of the group.
    fn meanings(
        &self,
        describer: &Describer<'_>,
        meter: &mut Meter,
    ) -> Result<Vec<(StateId, String)>, Exceeded> {
        let meaning = |&state: &StateId| {
            let condition = describer.condition(self.nonterminals[0], &[state], meter)?;
            Ok((state, condition.unwrap_or_else(|| "anything".to_owned())))
        };
        self.states.iter().map(meaning).collect()
    }
}

fn report(
    automaton: &Automaton,
    expression: &Expression,
    sizes: &Sizes,
    meter: &mut Meter,
) -> Result<String, Exceeded> {
    let grammar = automaton.grammar();
    let describer = Describer::new(automaton, meter)?;
    let mut text = format!("{}\n\n", expression.text(grammar));
    let (states, pairs) = (automaton.states().len(), pairs(automaton));
    let lines = [
        ("states", format!("{states}, with {} folds", folds(automaton))),
        (
            "with nonterminals",
            format!("{pairs}, {} of them distinguishable", Partition::new(automaton, meter)?.len()),
        ),
        ("base grammar", size_text(sizes.base)),
        ("specialized", size_text(sizes.specialized)),
        ("negated", size_text(sizes.negated)),
    ];
    for (name, value) in lines {
        let _ = writeln!(text, "{name:<17}  {value}");
    }
    for group in groups(automaton).iter().filter(|group| !group.states.is_empty()) {
        text.push('\n');
        text.push_str(&names(grammar, &group.nonterminals));
        for (state, meaning) in group.meanings(&describer, meter)? {
            let mark = if automaton.accepts(state) { '*' } else { ' ' };
            let number = format!("#{}", state.index());
            let _ = writeln!(text, "{number:>5} {mark} {meaning}");
        }
    }
    Ok(text)
}

fn size_text((nonterminals, rules): Size) -> String {
    format!("{nonterminals} nonterminals, {rules} rules")
}

/// The names of nonterminals, helpers counted only, in lines.
fn names(grammar: &Grammar, nonterminals: &[NonterminalId]) -> String {
    let is_helper = |id: &NonterminalId| grammar.nonterminal(*id).is_helper();
    let helpers = nonterminals.iter().filter(|id| is_helper(id)).count();
    let mut words: Vec<String> =
        nonterminals.iter().filter(|id| !is_helper(id)).map(|&id| grammar.name(id).to_string()).collect();
    match helpers {
        0 => {}
        1 => words.push("(1 helper)".to_owned()),
        many => words.push(format!("({many} helpers)")),
    }
    let (mut text, mut width) = (String::new(), 0);
    for word in words {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > 100 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(&word);
        width += length;
    }
    text + "\n"
}

fn object(
    automaton: &Automaton,
    expression: &Expression,
    sizes: &Sizes,
    meter: &mut Meter,
) -> Result<Value, Exceeded> {
    let grammar = automaton.grammar();
    let describer = Describer::new(automaton, meter)?;
    let partition = Partition::new(automaton, meter)?;
    let size = |(nonterminals, rules): Size| json!({ "nonterminals": nonterminals, "rules": rules });
    let mut group = |group: &Group| -> Result<Value, Exceeded> {
        let name = |id: &NonterminalId| json!({ "name": grammar.name(*id).text(), "distinguishable": partition.of(*id) });
        let state = |(state, meaning): (StateId, String)| json!({ "state": state.index(), "meaning": meaning, "satisfies": automaton.accepts(state) });
        Ok(json!({
            "nonterminals": group.nonterminals.iter().map(name).collect::<Value>(),
            "states": group.meanings(&describer, meter)?.into_iter().map(state).collect::<Value>(),
        }))
    };
    let groups = groups(automaton).iter().map(&mut group).collect::<Result<Vec<Value>, _>>()?;
    Ok(json!({
        "expression": expression.text(grammar),
        "states": automaton.states().len(),
        "folds": folds(automaton),
        "with_nonterminals": pairs(automaton),
        "distinguishable": partition.len(),
        "base": size(sizes.base),
        "specialized": size(sizes.specialized),
        "negated": size(sizes.negated),
        "groups": groups,
    }))
}

fn graph(automaton: &Automaton, meter: &mut Meter) -> Result<String, Exceeded> {
    let describer = Describer::new(automaton, meter)?;
    // Where a state is one of many, its description says most.
    let mut meanings: HashMap<StateId, String> = HashMap::new();
    for group in groups(automaton) {
        for (state, meaning) in group.meanings(&describer, meter)? {
            meanings.entry(state).or_insert(meaning);
        }
    }
    let meaning = |state: StateId| meanings.get(&state).cloned().unwrap_or_default();
    let grammar = automaton.grammar();
    dot::graph(automaton, meaning, |rule| spelling::rule(grammar, rule), meter)
}
