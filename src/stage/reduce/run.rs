//! What a reduction does.

use crate::reduce::{Failing, Syntax};

use super::super::context::{Context, confirm_failure, judged};
use super::super::error::StageError;
use super::{ReduceRecord, ReduceTask};

/// Reduces the bug's failing input.
pub(super) fn reduce(task: &ReduceTask, context: &Context<'_>) -> Result<(ReduceRecord, u64), StageError> {
    let target = context.target(&task.repetition)?;
    let reducer = context.settings.reduce.reducers.get(&task.reducer)?;
    let input = target.failing();
    let tree = target.parse(input)?;
    let parse = |text: &[u8]| target.parser().first_tree(text);
    let syntax = Syntax { grammar: target.grammar(), tree: &tree, parse: &parse };
    let mut judge = context.judge(&target);
    let reduced = reducer.reduce(Failing { text: input, syntax: Some(syntax) }, &mut judge)?;
    StageError::unless_interrupted(reduced.stop)?;
    confirm_failure(&mut judge, &reduced.text)?;
    let executions = judge.executions();
    let record = ReduceRecord {
        input: input.into(),
        output: reduced.text.into(),
        judged: judged(judge.log()),
        executions,
        stop: reduced.stop,
    };
    Ok((record, executions))
}
