//! Abstracts a reduced failing input to a pattern.

use crate::base::budget::{Interrupt, StopReason};
use crate::base::stream::Stream;
use crate::generalize::{Example, Generalized, RandomContext, Settings as GeneralizerSettings, generalizer};
use crate::pattern::PatternNode;
use crate::produce::producer;
use crate::store::{Generalize, Record, Reduce};

use super::super::bench::Bench;
use super::super::config::Settings;
use super::{Done, StageError, judge, judged, known, limits, make_sure};

/// Generalizes what a reduction found, with the generalizer called `name`.
///
/// What the reduction judged is known already and not counted again.
pub fn generalize(
    bench: &Bench,
    reduced: &Reduce,
    name: &str,
    settings: &Settings,
    mut stream: Stream,
    interrupt: &Interrupt,
) -> Done {
    let generalizer_settings = GeneralizerSettings {
        characteristic: settings.characteristic,
        ..GeneralizerSettings::of_checks(settings.checks)
    };
    let generalizer = generalizer(name, generalizer_settings)
        .ok_or_else(|| StageError::failed(format!("there is no generalizer called `{name}`")))?;
    let producer = producer(
        "limit",
        &bench.grammar,
        bench.parser.lexis(),
        &settings.producer,
        &limits(settings, interrupt),
    )?;
    let tree = bench.parse(reduced.output.bytes()).map_err(StageError::failed)?;
    let mut judge = judge(bench, settings.timeout_as, interrupt).knowing(known(&reduced.judged));
    make_sure(&mut judge, reduced.output.bytes())?;
    let mut planter = RandomContext::new(&bench.parser, &*producer, settings.producer.depth as usize);
    let example =
        Example { grammar: &bench.grammar, tree: &tree, parser: &bench.parser, producer: &*producer };
    let found = generalizer.generalize(example, &mut planter, &mut judge, &mut stream)?;
    if found.stop == StopReason::Interrupted {
        return Err(StageError::Interrupted);
    }
    let executions = judge.executions();
    let pattern = found.characteristic_pattern.clone();
    let record = Generalize {
        generalizer: name.to_owned(),
        abstract_text: found.pattern.plain(&bench.grammar),
        compact: found.compact(&bench.grammar),
        whole: found.pattern.clone(),
        pattern: pattern.statement(&bench.grammar),
        expression: bench.expression_of(pattern.clone()).text(&bench.grammar),
        model: pattern,
        judged: judged(judge.into_log()),
        executions_abstraction: found.executions.abstraction,
        executions_isolation: found.executions.isolation,
        executions_characteristic: found.executions.characteristic,
        visible_nonterminals: abstract_nodes(bench, &found, false),
        invisible_nonterminals: abstract_nodes(bench, &found, true),
        shared: found.openings.shared().into_iter().map(|size| size as u64).collect(),
        remaining_chars: concrete_chars(bench, &found),
        stop: found.stop,
    };
    Ok((Record::Generalize(Box::new(record)), executions))
}

/// How many abstract nodes there are that an operator of the notation made, or that it did not.
fn abstract_nodes(bench: &Bench, found: &Generalized, helpers: bool) -> u64 {
    let is_counted = |node: &&PatternNode| match node {
        PatternNode::Abstract(nonterminal) | PatternNode::Bound(nonterminal, _) => {
            bench.grammar.nonterminal(*nonterminal).is_helper() == helpers
        }
        PatternNode::Rule(..) | PatternNode::Literal(_) | PatternNode::Char(_) => false,
    };
    found.pattern.nodes().iter().filter(is_counted).count() as u64
}

/// How many characters of the input stayed as they were.
fn concrete_chars(bench: &Bench, found: &Generalized) -> u64 {
    let chars = |node: &PatternNode| match node {
        PatternNode::Literal(literal) => {
            String::from_utf8_lossy(bench.grammar.literal(*literal)).chars().count()
        }
        PatternNode::Char(_) => 1,
        PatternNode::Rule(..) | PatternNode::Abstract(_) | PatternNode::Bound(..) => 0,
    };
    found.pattern.nodes().iter().map(chars).sum::<usize>() as u64
}
