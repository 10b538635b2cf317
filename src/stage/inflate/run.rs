//! What inflating does.

use crate::inflate::{InflateError, Material, inflate as grow};
use crate::produce::Mutator;

use super::super::context::{Context, confirm_failure};
use super::super::error::StageError;
use super::super::subject_key::Repetition;
use super::{InflateRecord, InflateTask};

/// Makes a large input of the bug's own.
pub(super) fn inflate(task: &InflateTask, context: &Context<'_>) -> Result<(InflateRecord, u64), StageError> {
    let size = task.bug.inflate.ok_or_else(|| StageError::failed("the bug is not to have a large input"))?;
    let target = context.target_as_given(&Repetition { bug: task.bug.clone(), number: 1 })?;
    let (limits, depth) = (context.limits(), context.settings.produce.depth);
    let filler = target.filler(depth, &limits)?;
    let producers = target.producers(depth, &limits)?;
    let mutator = Mutator::new(target.parser(), &*filler);
    let material = Material { parser: target.parser(), mutator: &mutator, producers: &producers };
    let mut judge = context.judge(&target).seeking_one_failure().keeping_little();
    let size = usize::try_from(size).map_err(StageError::failed)?;
    let text = judge.within(context.settings.inflate.executions, |judge| {
        grow(target.failing(), size, material, judge, &mut context.stream())
    });
    let text = text.map_err(|error| match error {
        InflateError::Halted(halt) => halt.into(),
        InflateError::Unreached { .. } => {
            StageError::failed(format!("{error} (`inflate.executions` in the config)"))
        }
        error => StageError::failed(error),
    })?;
    confirm_failure(&mut judge, &text)?;
    let executions = judge.executions();
    Ok((InflateRecord { input: text.into(), executions }, executions))
}
