//! Makes instances of an abstract input and has them judged: a row of Table 2 of *Abstracting
//! Failure-Inducing Inputs*.
//!
//! An instance is the abstract input with something at random in the place of each placeholder, the
//! same in all places that vary only together.

use std::collections::HashSet;

use crate::base::random_stream::RandomStream;
use crate::generalize::random_instance;
use crate::oracle::{Judge, Judgement, TimeoutAs, Verdict};
use crate::pattern::Pattern;
use crate::produce::Producer;
use crate::store::{Escape, Verdicts};

use super::super::context::{Context, judged};
use super::super::error::StageError;
use super::super::target::Syntax;
use super::{InstantiateRecord, InstantiateTask};

/// After this many consecutive instances that are not new, no more are expected.
const MOST_IN_VAIN: usize = 2_000;

/// Judges instances of what a generalization found.
pub(super) fn instantiate(
    task: &InstantiateTask,
    context: &Context<'_>,
) -> Result<(InstantiateRecord, u64), StageError> {
    let target = context.target(task.generalization.repetition())?;
    let found = context.record(&*task.generalization)?;
    let abstract_input = found.abstract_input.as_ref().ok_or_else(|| {
        StageError::failed(format!("`{}` makes no abstract input", task.generalization.generalizer))
    })?;
    let producer = target.filler(context.settings.produce.depth, &context.limits())?;
    let wanted = context.settings.instantiate.inputs;
    let mut judge = context.judge(&target);
    let pattern = &abstract_input.pattern;
    judge_instances(&target.syntax, pattern, &*producer, wanted, &mut judge, &mut context.stream())?;
    let executions = judge.executions();
    Ok((record(wanted, judge.into_log(), context.timeout_as()), executions))
}

/// What is said of judged instances.
pub(super) fn record(
    wanted: usize,
    log: Vec<(Box<[u8]>, Judgement)>,
    timeout_as: TimeoutAs,
) -> InstantiateRecord {
    let verdicts = Verdicts::of_log(&log, timeout_as);
    let instances = log.len() as u64;
    let (escapes, judged) = (Vec::new(), judged(&log));
    let mut record = InstantiateRecord { wanted: wanted as u64, instances, verdicts, escapes, judged };
    for (input, judgement) in log {
        if timeout_as.count(judgement.verdict) == Verdict::Pass {
            record.escapes.push(Escape::new(input, &judgement));
        }
    }
    record
}

/// Has distinct instances of `pattern` judged, as many as are wanted or as there are. What is no input of the
/// grammar, since two words became one, is no instance.
pub(super) fn judge_instances(
    syntax: &Syntax,
    pattern: &Pattern,
    producer: &dyn Producer,
    wanted: usize,
    judge: &mut Judge<'_>,
    stream: &mut RandomStream,
) -> Result<(), StageError> {
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut in_vain = 0;
    while seen.len() < wanted && in_vain < MOST_IN_VAIN {
        let instance = random_instance(&syntax.grammar, syntax.parser.lexis(), pattern, producer, stream)?;
        if seen.contains(&instance) || !syntax.parser.recognizes(&instance)? {
            in_vain += 1;
            continue;
        }
        judge.judge_confirmed(&instance)?;
        seen.insert(instance);
        in_vain = 0;
    }
    Ok(())
}
