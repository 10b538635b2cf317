//! Produces inputs from a specialized grammar and has them judged: one half of a row of Table I.
//!
//! Where the base grammar is ambiguous, an input can have another derivation tree than the one it was
//! produced from, which may betray it; so every input is validated again, and of F only those are
//! kept whose every parse satisfies the expression, of not F those of which none does. Where there is no such input, or the
//! settings say so, it is enough that some parse does, or does not.

use crate::oracle::Verdict;
use crate::produce::{BoundTextProducer, ProducerSpec, distinct};
use crate::store::{Escape, Verdicts};
use crate::validate::{Unanswered, Validator};

use super::super::context::{Context, judged};
use super::super::error::StageError;
use super::{Parses, ProduceRecord, ProduceTask, Side};

/// Produces inputs that satisfy the expression (F) or its negation (not F), until this many distinct
/// ones were resolved as the settings ask for.
pub(super) fn produce(task: &ProduceTask, context: &Context<'_>) -> Result<(ProduceRecord, u64), StageError> {
    let (side, specialization) = (task.side, &task.specialization);
    if let Err(reason) = context.record(&**specialization)?.side(side) {
        return Err(StageError::failed(reason));
    }
    let repetition = specialization.expression.repetition();
    let repetition = repetition.ok_or_else(|| StageError::failed("there is no program to judge inputs"))?;
    let target = context.target(repetition)?;
    let given = context.expression(&specialization.expression)?;
    let transformer = context.transformer(&specialization.transformer)?;
    let special = given.specialized(&*transformer, side)?;
    let settings = &context.settings.produce;
    let limits = context.limits();
    let words = target.parser().lexis();
    let spec = ProducerSpec { grammar: &special, words, depth: settings.depth, limits: &limits };
    let producer = (settings.producers.get(&task.producer)?)(spec)?;
    let producer = BoundTextProducer::around(producer, target.parser(), &given.expression, side == Side::F);
    let validator = given.validator(target.parser(), limits)?;
    let draw = |parses: Parses| {
        let mut judge = context.judge(&target);
        let accept = |input: &[u8]| -> Result<bool, StageError> {
            match validator.validate(input) {
                Err(Unanswered::Exceeded(exceeded)) => return Err(exceeded.into()),
                Ok(answer) if parses.takes(side, answer) => {}
                _ => return Ok(false),
            }
            Ok(judge.judge_confirmed(input)? != Verdict::Unresolved)
        };
        let produced = distinct(&*producer, special.start(), &mut context.stream(), settings.inputs, accept)?;
        Ok::<_, StageError>((parses, judge, produced))
    };
    let (mut parses, mut judge, mut produced) = draw(settings.parses)?;
    if parses == Parses::Every && judge.executions() == 0 {
        (parses, judge, produced) = draw(Parses::Some)?;
    }
    let executions = judge.executions();
    let log = judge.into_log();
    let mut record = ProduceRecord {
        side,
        wanted: settings.inputs as u64,
        inputs: executions,
        produced: produced.produced as u64,
        parses_wanted: settings.parses,
        parses,
        verdicts: Verdicts::of_log(&log, context.timeout_as()),
        escapes: Vec::new(),
        judged: judged(&log),
    };
    for (input, judgement) in log {
        let escapes = match context.timeout_as().count(judgement.verdict) {
            Verdict::Fail => side == Side::NotF,
            Verdict::Pass => side == Side::F,
            Verdict::Unresolved | Verdict::Timeout => false,
        };
        if escapes {
            record.escapes.push(Escape::new(input, &judgement));
        }
    }
    Ok((record, executions))
}
