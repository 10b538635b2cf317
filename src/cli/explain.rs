//! `grambench explain`: what an expression comes to as an automaton.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

use crate::automaton::describe::Describer;
use crate::automaton::{Automaton, FoldId, Partition, StateId, dot};
use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::{Grammar, NonterminalId, spelling};
use crate::pattern::Expression;
use crate::transform::{AutomatonTransformer, Transformer, without_bound_nodes};

use super::Done;
use super::arguments::{ExpressionArguments, GrammarArguments, OutputFormat, expression_is_relaxed};
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
    /// Write the automaton as a graph for Graphviz: an arrow leads from the state of a child to that of
    /// its parent, and has the rules by which that happens
    #[arg(long, conflicts_with = "format")]
    dot: bool,
    /// `json` writes one JSON object
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

impl Explain {
    pub(super) fn run(&self) -> Done {
        let grammar = self.grammar.read()?;
        let expression = self.expression.require(&grammar)?;
        if expression.is_bound() {
            eprintln!("{}\n", expression_is_relaxed("the automaton is of less than the expression says"));
        }
        let relaxed = without_bound_nodes(&expression);
        let automaton = Automaton::new(Arc::clone(&grammar), Arc::clone(&relaxed), Automaton::DEFAULT_LIMIT)
            .map_err(Failure::usage)?;
        if self.dot {
            text::print(graph(&automaton).as_bytes())?;
            return Ok(Code::Success);
        }
        let sizes = Sizes {
            base: size(&grammar),
            specialized: size_of(&grammar, &expression)?,
            negated: size_of(&grammar, &Arc::new(expression.negated()))?,
        };
        match self.format {
            OutputFormat::Text => text::print(report(&automaton, &expression, &sizes).as_bytes())?,
            OutputFormat::Json => text::print_json(&object(&automaton, &expression, &sizes))?,
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

fn size_of(grammar: &Arc<Grammar>, expression: &Arc<Expression>) -> Result<Size, Failure> {
    let special = AutomatonTransformer::default().specialize(grammar, expression);
    special.map(|special| size(&special.grammar)).map_err(Failure::usage)
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
    fn meanings(&self, describer: &Describer<'_>) -> Vec<(StateId, String)> {
        let meaning = |&state: &StateId| {
            let condition = describer.condition(self.nonterminals[0], &[state]);
            (state, condition.unwrap_or_else(|| "anything".to_owned()))
        };
        self.states.iter().map(meaning).collect()
    }
}

fn report(automaton: &Automaton, expression: &Expression, sizes: &Sizes) -> String {
    let grammar = automaton.grammar();
    let describer = Describer::new(automaton);
    let mut text = format!("{}\n\n", expression.text(grammar));
    let (states, pairs) = (automaton.states().len(), pairs(automaton));
    let lines = [
        ("states", format!("{states}, with {} folds", folds(automaton))),
        (
            "with nonterminals",
            format!("{pairs}, {} of them distinguishable", Partition::new(automaton).len()),
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
        for (state, meaning) in group.meanings(&describer) {
            let mark = if automaton.accepts(state) { '*' } else { ' ' };
            let number = format!("#{}", state.index());
            let _ = writeln!(text, "{number:>5} {mark} {meaning}");
        }
    }
    text
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

fn object(automaton: &Automaton, expression: &Expression, sizes: &Sizes) -> Value {
    let grammar = automaton.grammar();
    let describer = Describer::new(automaton);
    let partition = Partition::new(automaton);
    let size = |(nonterminals, rules): Size| json!({ "nonterminals": nonterminals, "rules": rules });
    let group = |group: &Group| {
        let name = |id: &NonterminalId| json!({ "name": grammar.name(*id).text(), "distinguishable": partition.of(*id) });
        let state = |(state, meaning): (StateId, String)| json!({ "state": state.index(), "meaning": meaning, "satisfies": automaton.accepts(state) });
        json!({
            "nonterminals": group.nonterminals.iter().map(name).collect::<Value>(),
            "states": group.meanings(&describer).into_iter().map(state).collect::<Value>(),
        })
    };
    json!({
        "expression": expression.text(grammar),
        "states": automaton.states().len(),
        "folds": folds(automaton),
        "with_nonterminals": pairs(automaton),
        "distinguishable": partition.len(),
        "base": size(sizes.base),
        "specialized": size(sizes.specialized),
        "negated": size(sizes.negated),
        "groups": groups(automaton).iter().map(group).collect::<Value>(),
    })
}

fn graph(automaton: &Automaton) -> String {
    let describer = Describer::new(automaton);
    // Where a state is one of many, its description says most.
    let meanings: Vec<(StateId, String)> =
        groups(automaton).iter().flat_map(|group| group.meanings(&describer)).collect();
    let meaning = |state: StateId| {
        let found = meanings.iter().find(|(known, _)| *known == state);
        found.map_or(String::new(), |(_, meaning)| meaning.clone())
    };
    let grammar = automaton.grammar();
    dot::graph(automaton, meaning, |rule| spelling::rule(grammar, rule))
}
