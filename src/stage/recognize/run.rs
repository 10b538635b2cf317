//! Validates inputs whose verdicts are known: a row of Table II.
//!
//! The papers take the inputs met while reducing and generalizing. Beside them stand held-out inputs
//! ([`super::held_out`]).

use std::collections::HashSet;
use std::sync::Arc;

use crate::base::limits::Exceeded;
use crate::oracle::{Cut, Verdict};
use crate::store::Judged;
use crate::validate::{Answer, Unanswered, Validator};

use super::super::context::Context;
use super::super::error::StageError;
use super::super::subject_key::ExpressionKey;
use super::draw::Material;
use super::held_out::{Search, stream};
use super::{InputOrigin, InputSource, Mistake, RecognizeRecord, RecognizeTask};

/// Validates the inputs of a task.
pub(super) fn recognize(
    task: &RecognizeTask,
    context: &Context<'_>,
) -> Result<(RecognizeRecord, u64), StageError> {
    let source = task.source;
    let repetition = task.expression.repetition();
    let repetition = repetition.ok_or_else(|| StageError::failed("there is no program to judge inputs"))?;
    let target = context.target(repetition)?;
    // First of all: without an expression nothing is executed.
    let given = context.expression(&task.expression)?;
    let validator = given.validator(target.parser(), context.limits())?;
    let mut record = RecognizeRecord::new(source);
    let (seen, of_seen) = seen(&task.expression, context)?;
    let inputs = if source == InputSource::Seen {
        record.sources = of_seen.map(|(origin, count)| (origin, count as u64)).to_vec();
        seen
    } else {
        let random = if task.builds_upon_random() {
            Arc::clone(&context.record(&task.of(InputSource::Random))?.judged)
        } else {
            Arc::default()
        };
        let met = seen.iter().chain(&*random).map(|judged| judged.input.bytes());
        let stream = stream(context.settings.seed, repetition, source);
        let (settings, judge) = (&context.settings.recognize, context.judge(&target));
        let search = Search::new(settings, judge, stream, target.bug, met);
        let material = Material {
            target: &target,
            depth: context.settings.produce.depth,
            limits: context.limits(),
            timeout_as: context.timeout_as(),
        };
        let held_out = match source {
            InputSource::Seen | InputSource::Random => material.random(search)?,
            InputSource::Planted => material.planted(search, &random)?,
            InputSource::Neighbours => material.neighbours(search, &random)?,
            InputSource::Corpus => {
                let (held_out, unparsed) = material.corpus(search, &context.corpus(repetition)?)?;
                record.unparsed = unparsed;
                held_out
            }
        };
        (record.duplicates, record.executions) = (held_out.duplicates, held_out.executions);
        let origin = InputOrigin::of(source);
        record.sources = vec![(origin, held_out.inputs.len() as u64)];
        held_out.inputs
    };
    validate(&*validator, &inputs, context, &mut record)?;
    record.judged = inputs;
    let executions = record.executions;
    Ok((record, executions))
}

/// Inputs, and how many of them have either origin.
type Seen = (Arc<[Judged]>, [(InputOrigin, usize); 2]);

/// The inputs that the tasks before judged, each once.
fn seen(expression: &ExpressionKey, context: &Context<'_>) -> Result<Seen, StageError> {
    let origins = [InputOrigin::Reduction, InputOrigin::Generalization];
    let ExpressionKey::Learned(task) = expression else {
        return Ok((Arc::default(), origins.map(|origin| (origin, 0))));
    };
    let (reduced, generalized) = (context.record(&*task.reduction)?, context.record(&**task)?);
    let mut known: HashSet<&[u8]> = HashSet::new();
    let mut all: Vec<&Judged> = Vec::new();
    all.extend(reduced.judged.iter().filter(|judged| known.insert(judged.input.bytes())));
    let of_reduction = all.len();
    all.extend(generalized.judged.iter().filter(|judged| known.insert(judged.input.bytes())));
    let of_generalization = all.len() - of_reduction;
    let sources = [(origins[0], of_reduction), (origins[1], of_generalization)];
    Ok((all.into_iter().cloned().collect(), sources))
}

fn validate(
    validator: &dyn Validator,
    inputs: &[Judged],
    context: &Context<'_>,
    record: &mut RecognizeRecord,
) -> Result<(), StageError> {
    for Judged { input, verdict, cut } in inputs {
        record.timeout += u64::from(*verdict == Verdict::Timeout);
        record.timeout_wall += u64::from(*cut == Some(Cut::WallTime));
        record.unresolved_output += u64::from(*cut == Some(Cut::Output));
        let counted = context.timeout_as().count(*verdict);
        if matches!(counted, Verdict::Unresolved | Verdict::Timeout) {
            record.unresolved += 1;
            continue;
        }
        let answer = match validator.validate(input.bytes()) {
            Ok(answer) => Some(answer),
            // What does not parse is not of any specialized grammar.
            Err(Unanswered::Syntax(_)) => None,
            Err(Unanswered::Exceeded(Exceeded::Interrupted)) => return Err(StageError::Interrupted),
            Err(Unanswered::TooAmbiguous { .. } | Unanswered::Exceeded(_)) => {
                record.unknown += 1;
                continue;
            }
        };
        let accepted = answer.is_some_and(|answer| answer != Answer::None);
        let fails = counted == Verdict::Fail;
        if fails {
            record.fail_total += 1;
            record.fail_accepted += u64::from(accepted);
        } else {
            record.pass_total += 1;
            record.pass_rejected += u64::from(!accepted);
        }
        if accepted != fails {
            let answer = answer.map_or("unparsed", Answer::as_str).to_owned();
            record.mistakes.push(Mistake { input: input.clone(), verdict: *verdict, answer });
        }
    }
    Ok(())
}
