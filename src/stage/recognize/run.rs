//! Validates inputs whose verdicts are known: a row of Table II.
//!
//! The papers take the inputs met while reducing and generalizing. Beside them stand held-out inputs
//! ([`super::held_out`]).

use std::collections::HashSet;
use std::sync::Arc;

use crate::oracle::{Cut, Verdict};
use crate::store::Judged;
use crate::validate::{Answer, Unanswered, Validator};

use super::super::context::{Context, judged};
use super::super::error::StageError;
use super::super::subject_key::ExpressionKey;
use super::held_out::held_out;
use super::{InputOrigin, InputSource, Mistake, RecognizeRecord, RecognizeTask};

/// Validates the inputs of a task.
pub(super) fn recognize(
    task: &RecognizeTask,
    context: &Context<'_>,
) -> Result<(RecognizeRecord, u64), StageError> {
    let repetition = task.expression.repetition();
    let repetition = repetition.ok_or_else(|| StageError::failed("there is no program to judge inputs"))?;
    let target = context.target(repetition)?;
    let (inputs, sources, executions) = match task.source {
        InputSource::Seen => {
            let (inputs, sources) = seen(&task.expression, context)?;
            (inputs, sources, 0)
        }
        InputSource::HeldOut => {
            let producer = target.filler(context.settings.produce.depth, &context.limits())?;
            let settings = &context.settings.recognize;
            let (inputs, random) = held_out(&target, &*producer, settings, &mut context.stream())?;
            let mut judge = context.judge(&target);
            for input in &inputs {
                judge.judge(input)?;
            }
            let executions = judge.executions();
            let mutations = inputs.len() - random;
            let sources = [(InputOrigin::Random, random), (InputOrigin::Mutation, mutations)];
            (judged(judge.log()), sources, executions)
        }
    };
    let given = context.expression(&task.expression)?;
    let validator = given.validator(target.parser(), context.limits())?;
    let mut record = validate(&*validator, task.source, &inputs, context)?;
    record.sources = sources.map(|(origin, count)| (origin, count as u64)).to_vec();
    record.judged = inputs;
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
    source: InputSource,
    inputs: &[Judged],
    context: &Context<'_>,
) -> Result<RecognizeRecord, StageError> {
    let mut record = RecognizeRecord {
        source,
        fail_accepted: 0,
        fail_total: 0,
        pass_rejected: 0,
        pass_total: 0,
        unresolved: 0,
        unresolved_output: 0,
        timeout: 0,
        timeout_wall: 0,
        mistakes: Vec::new(),
        sources: Vec::new(),
        judged: Arc::default(),
    };
    for Judged { input, verdict, cut } in inputs {
        record.timeout += u64::from(*verdict == Verdict::Timeout);
        record.timeout_wall += u64::from(*cut == Some(Cut::WallTime));
        record.unresolved_output += u64::from(*cut == Some(Cut::Output));
        let answer = match validator.validate(input.bytes()) {
            Ok(answer) => Some(answer),
            // What does not parse is not of any specialized grammar.
            Err(Unanswered::Syntax(_)) => None,
            Err(reason) => return Err(reason.into()),
        };
        let accepted = answer.is_some_and(|answer| answer != Answer::None);
        let is_mistake = match context.timeout_as().count(*verdict) {
            Verdict::Fail => {
                record.fail_total += 1;
                record.fail_accepted += u64::from(accepted);
                !accepted
            }
            Verdict::Pass => {
                record.pass_total += 1;
                record.pass_rejected += u64::from(!accepted);
                accepted
            }
            Verdict::Unresolved | Verdict::Timeout => {
                record.unresolved += 1;
                false
            }
        };
        if is_mistake {
            let answer = answer.map_or("unparsed", Answer::as_str).to_owned();
            record.mistakes.push(Mistake { input: input.clone(), verdict: *verdict, answer });
        }
    }
    Ok(record)
}
