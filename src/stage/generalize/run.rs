//! What a generalization does.

use std::sync::Arc;

use crate::generalize::{AbstractInput, Example, RandomContextSampler};
use crate::grammar::Grammar;
use crate::validate::{Answer, AutomatonValidator, Validator};

use super::super::context::{Context, confirm_failure, judged, known};
use super::super::error::StageError;
use super::{AbstractText, GeneralizeRecord, GeneralizeTask};

/// Generalizes what a reduction found. What the reduction judged is known already and not counted again.
pub(super) fn generalize(
    task: &GeneralizeTask,
    context: &Context<'_>,
) -> Result<(GeneralizeRecord, u64), StageError> {
    let target = context.target(task.repetition())?;
    let reduced = context.record(&*task.reduction)?;
    let settings = &context.settings.generalize;
    let generalizer = (settings.generalizers.get(&task.generalizer)?)(settings.checks);
    let depth = context.settings.produce.depth;
    let producer = target.filler(depth, &context.limits())?;
    let producers = target.producers(depth, &context.limits())?;
    let tree = target.parse(reduced.output.bytes())?;
    let mut judge = context.judge(&target).knowing(known(&reduced.judged));
    confirm_failure(&mut judge, reduced.output.bytes())?;
    let mut sampler = RandomContextSampler::new(target.parser(), &*producer, depth as usize);
    let grammar = target.grammar();
    let (parser, given) = (target.parser(), target.failing());
    let dictionary = &context.dictionary(task.repetition())?;
    let (producer, producers) = (&*producer, &producers[..]);
    let example = Example { grammar, tree: &tree, parser, producer, producers, given, dictionary };
    let found = generalizer.generalize(example, &mut sampler, &mut judge, &mut context.stream())?;
    let executions = judge.executions();
    let expression = Arc::new(found.expression.clone());
    let validator =
        AutomatonValidator::new(Arc::clone(target.parser()), Arc::clone(&expression), context.limits())?;
    let holds_for_input = validator.validate(target.failing())? != Answer::None;
    let record = GeneralizeRecord {
        pattern_text: expression.statement(grammar),
        expression: expression.text(grammar),
        model: found.expression,
        abstract_input: found.abstract_input.map(|input| abstract_text(&input, grammar)),
        holds_for_input,
        judged: judged(judge.log()),
        executions,
        phases: found.phases.iter().map(|phase| (phase.name.to_owned(), phase.executions)).collect(),
        stop: found.stop,
    };
    Ok((record, executions))
}

fn abstract_text(input: &AbstractInput, grammar: &Grammar) -> AbstractText {
    AbstractText {
        text: input.pattern.plain(grammar),
        compact: input.compact(grammar),
        pattern: input.pattern.clone(),
        visible_nonterminals: input.visible_nonterminals(grammar) as u64,
        invisible_nonterminals: input.invisible_nonterminals(grammar) as u64,
        shared: input.abstract_nodes.shared().into_iter().map(|size| size as u64).collect(),
        remaining_chars: input.concrete_chars(grammar) as u64,
    }
}
