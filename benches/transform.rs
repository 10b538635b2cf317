//! How fast grammars are specialized: on the grammar of the papers' Fig. 1, and on one as large as that
//! of a programming language.
//!
//! `cargo bench --bench transform`

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on may panic")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use grambench::base::diagnostic::Source;
use grambench::base::id::{Id, IdVec};
use grambench::base::limits::Limits;
use grambench::grammar::{Grammar, NonterminalId, RuleId, Symbol, format};
use grambench::pattern::{
    Expression, Formula, NamedPattern, Openness, Pattern, PatternId, read_formula, read_named,
};
use grambench::transform::transformer;
use grambench::tree::TreeBuilder;

#[allow(dead_code, reason = "each benchmark uses some of them")]
mod sample;

const PATTERNS: [&str; 4] = [
    r#"E=<item> is "\"\": <elt>""#,
    r#"N=<item> is "<string>: null""#,
    r#"D=<array> is "[[<elts>]]""#,
    r#"O=<elt> is "{}""#,
];

fn fig1() -> Arc<Grammar> {
    let text = include_str!("../grammars/json.ebnf");
    Arc::new(format::read(&Source::new("json.ebnf", text), None).unwrap().grammar)
}

fn over_json(grammar: &Arc<Grammar>, formula: &str) -> Arc<Expression> {
    let mut patterns: IdVec<PatternId, NamedPattern> = IdVec::new();
    for (index, text) in PATTERNS.iter().enumerate() {
        patterns.push(read_named(&Source::new("pattern", *text), index, grammar).unwrap());
    }
    let names: Vec<String> = patterns.iter().map(|pattern| pattern.name.clone()).collect();
    let formula = read_formula(&Source::new("formula", formula), 0..formula.len(), &names).unwrap();
    let patterns = patterns.iter().cloned().collect();
    Arc::new(Expression { start: grammar.start(), patterns, formula })
}

/// The pattern of `rule` in which the first nonterminal of each rule is concrete for two more levels.
fn pattern_of(grammar: &Grammar, rule: RuleId) -> Pattern {
    fn build(
        grammar: &Grammar,
        builder: &mut TreeBuilder,
        rule: RuleId,
        levels: usize,
        open: &mut Vec<grambench::tree::NodeId>,
    ) -> grambench::tree::NodeId {
        let mut is_first = true;
        let mut children = Vec::new();
        for &symbol in &grammar.rule(rule).symbols {
            children.push(match symbol {
                Symbol::Literal(literal) => builder.leaf(grambench::tree::Label::Literal(literal)),
                Symbol::Class(class) => {
                    builder.leaf(grambench::tree::Label::Char(grammar.class(class).ranges()[0].0))
                }
                Symbol::Nonterminal(child) => {
                    let rules = grammar.rules_of(child);
                    if is_first && levels > 0 {
                        is_first = false;
                        build(grammar, builder, rules[rules.len() - 1], levels - 1, open)
                    } else {
                        let node = builder.node(rules[0], &[]);
                        open.push(node);
                        node
                    }
                }
            });
        }
        builder.node(rule, &children)
    }
    let mut builder = TreeBuilder::new();
    let mut open = Vec::new();
    let root = build(grammar, &mut builder, rule, 2, &mut open);
    let tree = builder.finish(root);
    Pattern::from_tree(grammar, &tree, root, |node, _| open.contains(&node).then_some(Openness::Abstract))
}

fn over_rules(grammar: &Grammar, names: &[&str]) -> Arc<Expression> {
    let named = names.iter().map(|name| {
        let of: NonterminalId = grammar.find(name).unwrap();
        let last = grammar.rules_of(of)[grammar.rules_of(of).len() - 2];
        NamedPattern::new(format!("in {name}"), pattern_of(grammar, last))
    });
    let formula = (1..names.len())
        .map(|index| Formula::Contains(PatternId::new(index)))
        .fold(Formula::Contains(PatternId::new(0)), |all, next| all & next);
    Arc::new(Expression { start: grammar.start(), patterns: named.collect(), formula })
}

fn specialize(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("specialize");
    let grammar = fig1();
    for formula in ["E & !N", "E & N & D & O", "!(E & N & D)", "E | N | D | O"] {
        let expression = over_json(&grammar, formula);
        for name in ["automaton", "symbolic"] {
            let transformer = transformer(name, &Limits::default()).unwrap();
            let size = transformer.specialize(&grammar, &expression).unwrap().grammar.rules().len();
            group.bench_function(format!("json, {name}, {formula}, {size} rules"), |b| {
                b.iter(|| transformer.specialize(black_box(&grammar), &expression).unwrap());
            });
        }
    }
    let transformer = transformer("automaton", &Limits::default()).unwrap();
    let names = ["level3", "kind10", "level20", "kind40"];
    let language = (sample::language(), &[1, 2, 4][..]);
    // Every nonterminal of this one leads to nearly every other one.
    let dense = (sample::large(), &[1, 2][..]);
    group.sample_size(20);
    for (kind, (grammar, sizes), names) in
        [("language", language, names), ("dense", dense, ["n300", "n100", "n200", "n400"])]
    {
        let grammar = Arc::new(grammar);
        for &patterns in sizes {
            let expression = over_rules(&grammar, &names[..patterns]);
            let size = transformer.specialize(&grammar, &expression).unwrap().grammar.rules().len();
            let (nonterminals, rules) = (grammar.nonterminals().len(), grammar.rules().len());
            let title = format!(
                "{kind}, {nonterminals} nonterminals, {rules} rules, and of {patterns}, {size} rules"
            );
            group.bench_function(title, |b| {
                b.iter(|| transformer.specialize(black_box(&grammar), &expression).unwrap());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, specialize);
criterion_main!(benches);
