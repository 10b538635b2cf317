//! An automaton as a graph that Graphviz draws.
//!
//! States are nodes. A transition of a tree automaton has as many sources as its rule has
//! nonterminals, which drawn as such is a thicket; here an arrow leads from the state of a child to each
//! state that its parent can have, whatever the other children are, and its label has the rules by
//! which that happens. Rules without nonterminals begin at a point.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::base::id::Id;
use crate::base::limits::{Exceeded, Meter};
use crate::grammar::{RuleId, Symbol};

use super::explore::Automaton;
use super::machine::{FoldId, StateId};

/// The number of rules shown at an arrow; the others are counted.
const MOST_RULES: usize = 4;

/// The graph in the language of Graphviz. `meaning` says in words what a state is; `rule_text` what a
/// rule is.
///
/// # Errors
/// When a limit is reached.
pub fn graph(
    automaton: &Automaton,
    meaning: impl Fn(StateId) -> String,
    rule_text: impl Fn(RuleId) -> String,
    meter: &mut Meter,
) -> Result<String, Exceeded> {
    let mut text = String::from("digraph automaton {\n  rankdir=BT;\n  node [shape=box, style=rounded];\n");
    let start = automaton.reachable(automaton.expression().start);
    for state in automaton.states().ids() {
        let is_final = start.contains(&state) && automaton.accepts(state);
        let border = if is_final { ", peripheries=2" } else { "" };
        let label = quoted(&format!("#{}\n{}", state.index(), meaning(state)));
        text.push_str(&format!("  s{} [label={label}{border}];\n", state.index()));
    }
    for ((from, to), rules) in arrows(automaton, meter)? {
        let mut lines: Vec<String> = rules.iter().take(MOST_RULES).map(|&rule| rule_text(rule)).collect();
        if rules.len() > MOST_RULES {
            lines.push(format!("and {} more", rules.len() - MOST_RULES));
        }
        let source = match from {
            Some(from) => format!("s{}", from.index()),
            None => {
                text.push_str(&format!("  leaf{} [shape=point];\n", to.index()));
                format!("leaf{}", to.index())
            }
        };
        text.push_str(&format!("  {source} -> s{} [label={}];\n", to.index(), quoted(&lines.join("\n"))));
    }
    text.push_str("}\n");
    Ok(text)
}

/// The steps that an arrow counts as.
const ARROW: u64 = 50;

/// From the state of a child, or from nothing, to the state of the parent: the rules.
type Arrows = BTreeMap<(Option<StateId>, StateId), BTreeSet<RuleId>>;

fn arrows(automaton: &Automaton, meter: &mut Meter) -> Result<Arrows, Exceeded> {
    let mut arrows = Arrows::new();
    for (rule, content) in automaton.grammar().rules().entries() {
        let symbols = &content.symbols;
        // The states in which the rule can end, from each fold.
        let ends = automaton.reached(rule, symbols.len()).iter();
        let mut later: HashMap<FoldId, BTreeSet<StateId>> =
            ends.map(|&fold| (fold, BTreeSet::from([automaton.end(rule, fold)]))).collect();
        for (position, &symbol) in symbols.iter().enumerate().rev() {
            let mut now: HashMap<FoldId, BTreeSet<StateId>> = HashMap::new();
            let left = symbols.len() - position;
            for &fold in automaton.reached(rule, position) {
                let next: Vec<(Option<StateId>, FoldId)> = match symbol {
                    Symbol::Literal(_) => vec![(None, fold)],
                    Symbol::Class(class) => {
                        let outcomes = automaton.outcomes(fold, left, class).iter();
                        outcomes.map(|outcome| (None, outcome.fold)).collect()
                    }
                    Symbol::Nonterminal(child) => automaton
                        .reachable(child)
                        .iter()
                        .map(|&state| (Some(state), automaton.step(fold, left, state)))
                        .collect(),
                };
                for (state, next) in next {
                    meter.spend(ARROW * later[&next].len() as u64)?;
                    for &end in &later[&next] {
                        if state.is_some() {
                            arrows.entry((state, end)).or_default().insert(rule);
                        }
                        now.entry(fold).or_default().insert(end);
                    }
                }
            }
            // A nonterminal that derives nothing leads nowhere.
            automaton.reached(rule, position).iter().for_each(|&fold| {
                now.entry(fold).or_default();
            });
            later = now;
        }
        if !symbols.iter().any(|symbol| matches!(symbol, Symbol::Nonterminal(_))) {
            for &end in later.values().flatten() {
                arrows.entry((None, end)).or_default().insert(rule);
            }
        }
    }
    Ok(arrows)
}

/// A string of Graphviz; lines are set to the left.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\l");
    format!("\"{escaped}\\l\"")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::base::id::IdVec;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::{GrammarBuilder, Name};
    use crate::pattern::arbitrary::{referring_expression, referring_recipes};
    use crate::pattern::{Expression, Formula};
    use crate::tree::{Label, NodeId, trees_up_to};

    #[test]
    fn few_rules_stand_at_an_arrow_and_of_many_the_others_are_counted() {
        for rules in 1..=MOST_RULES + 2 {
            let mut builder = GrammarBuilder::new();
            let start = builder.nonterminal(Name::base("s"));
            for rule in 0..rules {
                let literal = builder.literal(&vec![b'x'; rule + 1]).unwrap();
                builder.rule(start, [literal]);
            }
            let grammar = Arc::new(builder.finish(start));
            let expression = Expression { start, patterns: IdVec::new(), formula: Formula::Constant(true) };
            let meter = &mut Meter::default();
            let automaton = Automaton::new(grammar, Arc::new(expression), meter).unwrap();
            let rule_text = |rule: RuleId| format!("rule {}", rule.index());
            let text = graph(&automaton, |_| "all".to_owned(), rule_text, meter).unwrap();
            let shown: String = (0..rules.min(MOST_RULES)).map(|rule| format!("rule {rule}\\l")).collect();
            let others = rules.saturating_sub(MOST_RULES);
            let counted = if others == 0 { String::new() } else { format!("and {others} more\\l") };
            assert_eq!(
                text.lines().skip(3).collect::<Vec<_>>(),
                [
                    "  s0 [label=\"#0\\lall\\l\", peripheries=2];",
                    "  leaf0 [shape=point];",
                    &format!("  leaf0 -> s0 [label=\"{shown}{counted}\"];"),
                    "}",
                ]
            );
        }
    }

    proptest! {
        #[test]
        fn each_node_of_a_tree_has_its_arrows(
            grammar in grammars(GrammarShape::default()),
            recipe in referring_recipes(),
        ) {
            let Some(expression) = referring_expression(&grammar, &recipe) else { return Ok(()) };
            let grammar = Arc::new(grammar);
            let meter = &mut Meter::default();
            let automaton = Automaton::new(Arc::clone(&grammar), Arc::new(expression), meter).unwrap();
            let arrows = arrows(&automaton, meter).unwrap();
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                for node in tree.postorder(tree.root()) {
                    let Label::Rule(rule) = tree.label(node) else { continue };
                    let to = automaton.run(&tree, node);
                    let inner = |&&child: &&NodeId| matches!(tree.label(child), Label::Rule(_));
                    let mut from: Vec<Option<StateId>> =
                        tree.children(node).iter().filter(inner).map(|&child| Some(automaton.run(&tree, child))).collect();
                    if from.is_empty() {
                        from.push(None);
                    }
                    for from in from {
                        prop_assert!(arrows.get(&(from, to)).is_some_and(|rules| rules.contains(&rule)));
                    }
                }
            }
        }
    }
}
